// Arrays: what a launch left in each array that it was given: a line or a picture, what has changed, single elements under the
// mouse.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <string>
#include <vector>

#include "app/text/numbers.h"
#include "app/views/parts.h"
#include "app/views/pixel_texture.h"
#include "app/views/views.h"
#include "gpu/elements.h"
#include "gpu/message.h"

namespace warpbook::app {

void release_array_pictures();

namespace {

using lessons::Arrays;

constexpr float chart_height_css = 88, input_height_css = 44, picture_css = 320, number_gutter_css = 88;

std::deque<PixelTexture> pictures;  // one an array; a deque, since textures do not move

std::string shape_text(const gpu::Array& array) {
  return fmt::format("{}, {}", gpu::name_of(array.type), fmt::join(array.shape, " × "));
}

/// "[3, 17]": the index as a reader of the shape counts.
std::string index_text(const gpu::Array& array, std::size_t index) {
  std::vector<std::size_t> at(array.shape.size());
  for (std::size_t d = at.size(); d-- > 0;) {
    at[d] = index % array.shape[d];
    index /= array.shape[d];
  }
  return fmt::format("[{}]", fmt::join(at, ", "));
}

std::string changed_text(const Arrays::One& one) {
  const std::string count = grouped(static_cast<long long>(one.array.count()));
  if (one.read_only) return say("read only, as it was given");
  if (one.changed == one.array.count()) return say("all {count} elements changed", "count"_a = count);
  if (one.changed == 0) return say("none of {count} elements changed", "count"_a = count);
  return say("{changed} of {count} elements changed", "changed"_a = grouped(static_cast<long long>(one.changed)),
             "count"_a = count);
}

/// What one element was and is. Nothing where the array was too large to keep.
void element_card(const Sheet& sheet, const Arrays::One& one, std::size_t index, const Box& item) {
  const auto& type = one.array.type;
  if (one.after.empty()) {
    const std::vector<Fact> facts = {{say("single elements"), say("not kept"), 0}};
    fact_card(sheet, item, {}, one.array.name, say("larger than 16 MiB"), facts);
    return;
  }
  const std::string after = gpu::element_text(type, one.after, index), before = gpu::element_text(type, one.before, index);
  std::vector<Fact> facts = {{say("holds"), after, theme().text.first}};
  if (!one.read_only) facts.push_back({before == after ? say("as before") : say("before"), before, theme().text.second});
  fact_card(sheet, item, {}, one.array.name + index_text(one.array, index), std::string(gpu::name_of(type)), facts);
}

/// The array from its first element to its last, each pixel from the least to the most of what falls into it.
float draw_line(const Sheet& sheet, const Arrays::One& one, float top) {
  const Theme& look = theme();
  ImDrawList* draw = sheet.draw;
  const float height = px(one.read_only ? input_height_css : chart_height_css);
  const Box plot{sheet.at.x, top, snap(sheet.right() - px(number_gutter_css)), snap(top + height)};
  draw->AddRectFilled(top_left(plot), bottom_right(plot), look.background.plot, px(look.radius.bar));
  const double span = one.most > one.least ? one.most - one.least : 1, low = one.most > one.least ? one.least : one.least - 0.5;
  const float margin = px(4);
  const auto y = [&](double value) {
    return plot.y1 - margin - static_cast<float>((value - low) / span) * (plot.height() - 2 * margin);
  };
  if (one.least < 0 && one.most > 0) {
    draw->AddRectFilled({plot.x0, snap(y(0))}, {plot.x1, snap(y(0)) + px(1)}, look.background.line_strong);
  }
  const auto parts = static_cast<float>(one.parts.size());
  const auto edge = [&](std::size_t part) { return plot.x0 + plot.width() * static_cast<float>(part) / parts; };
  for (std::size_t i = 0; i < one.parts.size(); ++i) {
    const float x0 = edge(i), x1 = std::max(edge(i + 1), x0 + 1);
    if (one.parts[i].least > one.parts[i].most) {  // no number in it
      draw->AddRectFilled({x0, plot.y0}, {x1, plot.y1}, with_alpha(look.verdict.bad, 0.3f));
      continue;
    }
    const float high = y(one.parts[i].most), deep = y(one.parts[i].least), thick = px(1.5f) / 2;
    draw->AddRectFilled({x0, high - thick}, {x1, deep + thick}, look.series.blue);
  }
  const float numbers = plot.x1 + px(8);
  text(draw, Face::digits, {numbers, plot.y0 - px(2)}, look.text.third, short_number(one.most, 6));
  if (one.most > one.least)
    text(draw, Face::digits, {numbers, plot.y1 - line_height(Face::digits) + px(2)}, look.text.third, short_number(one.least, 6));
  const float below = plot.y1 + px(3);
  text(draw, Face::digits, {plot.x0, below}, look.text.third, "0");
  text(draw, Face::digits, {plot.x1, below}, look.text.third, grouped(static_cast<long long>(one.array.count()) - 1), Align::right);
  if (mouse_over(plot)) {
    const std::size_t count = one.array.count();
    const double share = (ImGui::GetIO().MousePos.x - plot.x0) / plot.width();
    const auto index = std::min(static_cast<std::size_t>(std::max(share, 0.0) * static_cast<double>(count)), count - 1);
    const float x0 = plot.x0 + plot.width() * static_cast<float>(index) / static_cast<float>(count);
    const Box item{x0, plot.y0, std::max(x0 + plot.width() / static_cast<float>(count), x0 + px(2)), plot.y1};
    ring(draw, item, look.text.first);
    element_card(sheet, one, index, item);
  }
  return below + line_height(Face::digits) - top;
}

void fill_pixels(const Arrays::One& one, std::vector<ImU32>& pixels) {
  const Theme& look = theme();
  const double span = one.most > one.least ? one.most - one.least : 1;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const float* const cell = one.cells.data() + i * one.channels;
    if (std::isnan(cell[0])) {
      pixels[i] = look.verdict.bad;
    } else if (one.channels == 3) {
      pixels[i] = ImGui::ColorConvertFloat4ToU32({cell[0], cell[1], cell[2], 1});
    } else {
      pixels[i] = sample(look.ramp.sea, static_cast<float>((cell[0] - one.least) / span));
    }
  }
}

/// The array as a picture, with its scale beside it.
float draw_picture(const Sheet& sheet, const Arrays& all, std::size_t at, float top, float shorter) {
  const Theme& look = theme();
  const Arrays::One& one = (*all.arrays)[at];
  const float side = std::max(px(picture_css) - shorter, px(120));
  const float fit = side / static_cast<float>(std::max(one.array.shape[0], one.array.shape[1]));
  const float scale = std::min(fit, sheet.width / static_cast<float>(one.array.shape[1]));
  const Box box{sheet.at.x, top, snap(sheet.at.x + std::max(scale * static_cast<float>(one.array.shape[1]), 1.0f)),
                snap(top + std::max(scale * static_cast<float>(one.array.shape[0]), 1.0f))};
  while (pictures.size() <= at) pictures.emplace_back();
  const auto appearance = static_cast<std::uint32_t>(look.appearance);
  if (pictures[at].show(all.arrays, appearance, one.columns, one.rows,
                        [&](std::vector<ImU32>& pixels) { fill_pixels(one, pixels); })) {
    sheet.draw->AddImage(pictures[at].id(), top_left(box), bottom_right(box));
  } else {
    dashed_box(sheet.draw, top_left(box), bottom_right(box), look.background.line_strong);
  }
  const float x = box.x1 + px(16), line = line_height(Face::digits);
  if (one.channels == 1 && x + px(12 + 8 + 72) < sheet.right()) {
    const Ramp& ramp = look.ramp.sea;
    const float high = std::min(box.height(), px(160)), stops = static_cast<float>(ramp.size() - 1);
    for (std::size_t i = 0; i + 1 < ramp.size(); ++i) {  // the most on top
      const float y1 = box.y0 + high * (1 - static_cast<float>(i) / stops),
                  y0 = box.y0 + high * (1 - static_cast<float>(i + 1) / stops);
      sheet.draw->AddRectFilledMultiColor({x, y0}, {x + px(12), y1}, ramp[i + 1], ramp[i + 1], ramp[i], ramp[i]);
    }
    text(sheet.draw, Face::digits, {x + px(20), box.y0 - px(2)}, look.text.second, short_number(one.most, 6));
    if (one.most > one.least && high > 2 * line)
      text(sheet.draw, Face::digits, {x + px(20), box.y0 + high - line + px(2)}, look.text.second, short_number(one.least, 6));
  }
  if (mouse_over(box)) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const std::size_t height = one.array.shape[0], width = one.array.shape[1];
    const std::size_t stride = one.array.shape.size() == 3 ? one.array.shape[2] : 1;
    const float cell_x = box.width() / static_cast<float>(width), cell_y = box.height() / static_cast<float>(height);
    const auto column = std::min(static_cast<std::size_t>(std::max((mouse.x - box.x0) / cell_x, 0.0f)), width - 1);
    const auto row = std::min(static_cast<std::size_t>(std::max((mouse.y - box.y0) / cell_y, 0.0f)), height - 1);
    const float x0 = box.x0 + cell_x * static_cast<float>(column), y0 = box.y0 + cell_y * static_cast<float>(row);
    const Box item{x0, y0, std::max(x0 + cell_x, x0 + px(2)), std::max(y0 + cell_y, y0 + px(2))};
    ring(sheet.draw, item, look.text.first);
    element_card(sheet, one, (row * width + column) * stride, item);
  }
  return box.height();
}

std::string title_of(const std::vector<Arrays::One>& arrays) {
  const auto written = std::count_if(arrays.begin(), arrays.end(), [](const Arrays::One& one) { return one.changed > 0; });
  if (arrays.empty()) return say("This kernel was given no arrays");
  if (written == 0) return say("The launch left every array as it was");
  const auto first = std::find_if(arrays.begin(), arrays.end(), [](const Arrays::One& one) { return one.changed > 0; });
  if (written == 1) return say("The launch has changed {name}", "name"_a = first->array.name);
  return say("The launch has changed {written} of {arrays} arrays", "written"_a = written, "arrays"_a = arrays.size());
}

}  // namespace

void draw_arrays(const Arrays& all, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  const Theme& look = theme();
  float y =
      sheet.at.y + title_row(sheet, all.title.empty() ? title_of(*all.arrays) : all.title, say("rest on an element to read it"));
  for (std::size_t i = 0; i < all.arrays->size(); ++i) {
    const Arrays::One& one = (*all.arrays)[i];
    const float line = y + baseline(Face::code);
    float x = sheet.at.x + text(sheet.draw, Face::code, {sheet.at.x, y}, look.text.first, one.array.name) + px(10);
    const std::string changed = changed_text(one);
    const float room = sheet.right() - x - text_width(Face::caption, changed) - px(16);
    text_clipped(sheet.draw, Face::caption, {x, line - baseline(Face::caption)}, room, look.text.third, shape_text(one.array));
    text(sheet.draw, Face::caption, {sheet.right(), line - baseline(Face::caption)},
         one.read_only ? look.text.third : look.text.second, changed, Align::right);
    y += line_height(Face::code) + px(6);
    y = snap(y);
    y += one.rows > 0 ? draw_picture(sheet, all, i, y, state.shorter) : draw_line(sheet, one, y);
    y += px(16);
  }
  end_view(sheet, y - px(16) - sheet.at.y, state.stale);
}

void release_array_pictures() {
  for (PixelTexture& picture : pictures) picture.release();
}

}  // namespace warpbook::app
