#version 330 core
// A value to its colour: linear between `low` and `high` through a look-up table. Values are never filtered here: a field shown
// smaller than it is has been averaged to the target's pixels before, one shown larger shows its cells.
uniform sampler2D values;    // R32F
uniform sampler2D colours;   // the table, one row
uniform vec2 range;          // low, high
uniform vec2 cells_a_pixel;  // 1 where values has the target's size
uniform vec4 not_finite;     // colour of what is no number

out vec4 colour;

void main() {
  float value = texelFetch(values, ivec2(gl_FragCoord.xy * cells_a_pixel), 0).r;
  if (!(abs(value) <= 3.0e38)) {
    colour = not_finite;
    return;
  }
  float table = float(textureSize(colours, 0).x);
  float at = clamp((value - range.x) / (range.y - range.x), 0.0, 1.0);
  colour = texture(colours, vec2((at * (table - 1.0) + 0.5) / table, 0.5));
}
