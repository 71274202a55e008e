#version 330 core
// A value to its colour: linear between `low` and `high` through a look-up table. A field shown larger than it is shows its cells; one
// shown smaller is averaged, area by area, unless that was done before (then cells_a_pixel is 1).
uniform sampler2D values;    // R32F
uniform sampler2D colours;   // the table, one row
uniform vec2 range;          // low, high
uniform vec2 first_cell;     // in the picture's corner
uniform vec2 cells_a_pixel;  // 1 where values has the target's size
uniform vec4 not_finite;     // colour of what is no number

out vec4 colour;

float cell_value() {
  if (cells_a_pixel.x <= 1.0) return texelFetch(values, ivec2(first_cell + gl_FragCoord.xy * cells_a_pixel), 0).r;
  vec2 from = first_cell + (gl_FragCoord.xy - 0.5) * cells_a_pixel, to = from + cells_a_pixel;
  ivec2 first = ivec2(from), last = min(ivec2(ceil(to)), textureSize(values, 0));
  float sum = 0.0;
  for (int y = first.y; y < last.y; ++y) {
    float row = 0.0;
    for (int x = first.x; x < last.x; ++x) {
      row += (min(to.x, float(x + 1)) - max(from.x, float(x))) * texelFetch(values, ivec2(x, y), 0).r;
    }
    sum += (min(to.y, float(y + 1)) - max(from.y, float(y))) * row;
  }
  return sum / (cells_a_pixel.x * cells_a_pixel.y);
}

void main() {
  float value = cell_value();
  if (!(abs(value) <= 3.0e38)) {
    colour = not_finite;
    return;
  }
  float table = float(textureSize(colours, 0).x);
  float at = clamp((value - range.x) / (range.y - range.x), 0.0, 1.0);
  colour = texture(colours, vec2((at * (table - 1.0) + 0.5) / table, 0.5));
}
