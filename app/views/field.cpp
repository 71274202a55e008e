// Field: heat and its Laplacian, coloured; a lens with raw cells; how fast it steps and whether its sum is kept.
// Longer than other views, because one picture has a lens, an edge for each figure and three layouts that share their parts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "app/text/numbers.h"
#include "app/ui/hit_area.h"
#include "app/ui/text_flow.h"
#include "app/views/field_texture.h"
#include "app/views/parts.h"
#include "app/views/views.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using lessons::Field;

FieldTexture heat_texture, laplacian_texture, lens_texture;
ImVec2 last_drawn(-1, -1);  // where the hand was a frame ago, while it draws

struct Column {
  ImDrawList* draw = nullptr;
  float x0 = 0, x1 = 0;
  [[nodiscard]] float width() const { return x1 - x0; }
};

/// "Field  heat in a cell … step 680": the right part in digits where it changes; what does not fit is left out.
float column_title(const Column& column, float y, std::string_view title, std::string_view unit, std::string_view right,
                   std::string_view number) {
  const float drop = baseline(Face::head) - baseline(Face::caption);
  float x = column.x0 + text(column.draw, Face::head, ImVec2(column.x0, y), theme().text.first, title) + px(8);
  float end = column.x1;
  if (!number.empty()) {
    end -= text(column.draw, Face::digits, ImVec2(end, y + baseline(Face::head) - baseline(Face::digits)), theme().text.third,
                number, Align::right) +
           px(6);
  }
  const float room = end - text_width(Face::caption, right) - px(12);
  const bool both = x + text_width(Face::caption, unit) <= room;
  if (both || right.empty()) text(column.draw, Face::caption, ImVec2(x, y + drop), theme().text.third, unit);
  if (!right.empty() && x <= room) text(column.draw, Face::caption, ImVec2(end, y + drop), theme().text.third, right, Align::right);
  return line_height(Face::head) + px(2);
}

/// A colour bar with ticks, `parts` + 1 of them; returns its height.
float colour_bar(const Column& column, float y, const Ramp& ramp, double low, double high, int parts) {
  const float height = px(12), stops = static_cast<float>(ramp.size() - 1);
  for (std::size_t i = 0; i + 1 < ramp.size(); ++i) {
    const float a = snap(column.x0 + column.width() * static_cast<float>(i) / stops);
    const float b = snap(column.x0 + column.width() * static_cast<float>(i + 1) / stops);
    column.draw->AddRectFilledMultiColor(ImVec2(a, y), ImVec2(b, y + height), ramp[i], ramp[i + 1], ramp[i + 1], ramp[i]);
  }
  for (int i = 0; i <= parts; ++i) {
    const float t = static_cast<float>(i) / static_cast<float>(parts);
    const float x = snap(column.x0 + (column.width() - px(1)) * t);
    column.draw->AddRectFilled(ImVec2(x, y + height), ImVec2(x + px(1), y + height + px(4)), theme().background.line_strong);
    const Align align = i == 0 ? Align::left : i == parts ? Align::right : Align::centre;
    text(column.draw, Face::digits, ImVec2(i == parts ? column.x1 : x, y + height + px(4)), theme().text.third,
         short_number(low + (high - low) * t, 3), align);
  }
  return height + px(20);
}

/// Words on a field: on a plate, because a field may have any colour.
void plate(ImDrawList* draw, Face face, ImVec2 at, ImU32 colour, std::string_view words) {
  const float width = text_width(face, words);
  draw->AddRectFilled(ImVec2(at.x - px(5), at.y - px(1)), ImVec2(at.x + width + px(5), at.y + line_height(face) + px(1)),
                      with_alpha(theme().background.page, 0.86f), px(theme().radius.control));
  text(draw, face, at, colour, words);
}

void missing_picture(ImDrawList* draw, const Box& box, std::string_view why) {
  dashed_box(draw, top_left(box), bottom_right(box), theme().background.line_strong);
  text_inside(draw, Face::caption, box, theme().text.second, why);
}

/// The longest of several wordings that fits.
std::string_view fitting(Face face, float room, std::initializer_list<std::string_view> wordings) {
  std::string_view last;
  for (const std::string_view words : wordings) {
    last = words;
    if (text_width(face, words) <= room) return words;
  }
  return last;
}

/// Raw cells around the mouse, and the edges of their tiles; in the lower corner that is away from the mouse. Where the picture
/// itself shows cells large enough, only the edges, in their place.
void draw_lens(const Sheet& sheet, const Field& field, const FieldTexture::Source& source_of, const Box& picture,
               FieldTexture::Look look, ImU32 ink, ImU32 shadow) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const double x = (mouse.x - picture.x0) / picture.width(), y = (mouse.y - picture.y0) / picture.height();
  const LensRegion lens = place_lens(field.side, field.tile, x, y, std::min(px(128), picture.width() * 0.4f));
  const float size = lens.cell_px * static_cast<float>(lens.cells), away = px(8);
  const float cell = picture.width() / static_cast<float>(field.side);
  Box source{picture.x0 + static_cast<float>(lens.x) * cell, picture.y0 + static_cast<float>(lens.y) * cell, 0, 0};
  source.x1 = source.x0 + static_cast<float>(lens.cells) * cell;
  source.y1 = source.y0 + static_cast<float>(lens.cells) * cell;
  Box box{snap(picture.x0 + away), snap(picture.y1 - away - size), 0, snap(picture.y1 - away)};
  box.x1 = box.x0 + size;
  const Box wide{box.x0, box.y0 - px(40), box.x1 + px(150), box.y1};
  if (wide.contains(mouse.x, mouse.y) || overlap(source, wide)) {  // to the top: never over what it shows
    box.y0 = snap(picture.y0 + away);
    box.y1 = box.y0 + size;
  }
  ImDrawList* draw = sheet.draw;
  const auto edges = [&](const Box& b) {
    for (std::uint32_t t = 1; t < lens.tiles; ++t) {
      const float at = snap(b.width() * static_cast<float>(t) / static_cast<float>(lens.tiles));
      // A shadow beside each line, so that it shows on the brightest heat too.
      draw->AddRectFilled(ImVec2(b.x0 + at + px(1), b.y0), ImVec2(b.x0 + at + px(2), b.y1), shadow);
      draw->AddRectFilled(ImVec2(b.x0, b.y0 + at + px(1)), ImVec2(b.x1, b.y0 + at + px(2)), shadow);
      draw->AddRectFilled(ImVec2(b.x0 + at, b.y0), ImVec2(b.x0 + at + px(1), b.y1), ink);
      draw->AddRectFilled(ImVec2(b.x0, b.y0 + at), ImVec2(b.x1, b.y0 + at + px(1)), ink);
    }
    draw->AddRect(ImVec2(b.x0 - 2, b.y0 - 2), ImVec2(b.x1 + 2, b.y1 + 2), shadow, 0, 0, px(2));
    draw->AddRect(ImVec2(b.x0 - 1, b.y0 - 1), ImVec2(b.x1 + 1, b.y1 + 1), ink, 0, 0, px(1.5f));
  };
  const std::string words =
      say_many(lens.tiles * lens.tiles, "{n} tile of {side} × {side} cells", "{n} tiles of {side} × {side} cells",
               "n"_a = lens.tiles * lens.tiles, "side"_a = lens.cells / lens.tiles);
  if (cell >= px(3)) {
    edges({snap(source.x0), snap(source.y0), snap(source.x1), snap(source.y1)});
    const bool above = source.y1 + px(24) > picture.y1;
    const float wide_words = text_width(Face::caption, words);
    plate(draw, Face::caption,
          ImVec2(std::clamp(source.x0 + px(5), picture.x0 + px(6), picture.x1 - wide_words - px(6)),
                 above ? std::max(source.y0 - px(22), picture.y0 + px(4)) : source.y1 + px(6)),
          theme().text.second, words);
    return;
  }
  look.pixels = static_cast<std::uint32_t>(size);
  if (!lens_texture.show_region(source_of, field.side, lens.x, lens.y, lens.cells, look)) return;
  draw->AddLine(ImVec2(box.x1, box.y0 < picture.y0 + away * 2 ? box.y1 : box.y0), ImVec2(source.x0, source.y0),
                with_alpha(ink, 0.55f));
  draw->AddImage(lens_texture.id(), top_left(box), bottom_right(box));
  edges(box);
  const float least = std::max(source.width(), px(8)) / 2;
  const ImVec2 centre((source.x0 + source.x1) / 2, (source.y0 + source.y1) / 2);
  draw->AddRect(ImVec2(centre.x - least - 1, centre.y - least - 1), ImVec2(centre.x + least + 1, centre.y + least + 1), shadow, 0,
                0, px(2));
  draw->AddRect(ImVec2(centre.x - least, centre.y - least), ImVec2(centre.x + least, centre.y + least), ink, 0, 0, px(1.5f));
  plate(draw, Face::caption, ImVec2(box.x1 + px(13), box.y1 - line_height(Face::caption) - px(1)), theme().text.second, words);
}

/// The ring of the hand, and the heat it leaves while it drags.
void draw_hand(const Sheet& sheet, const Box& picture, bool active, ViewState& state) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float radius = px(14);
  const double size = picture.width();
  sheet.draw->AddCircle(mouse, radius, with_alpha(theme().ramp.heat.front(), 0.5f), 32, px(4));
  sheet.draw->AddCircle(mouse, radius, theme().hand.line, 32, px(2));
  const std::string_view words = say("drag to draw heat");
  const float wide = text_width(Face::caption, words);
  const bool left = mouse.x + radius + px(16) + wide > picture.x1, above = mouse.y + px(48) > picture.y1;
  plate(sheet.draw, Face::caption,
        ImVec2(left ? mouse.x - radius - px(10) - wide : mouse.x + radius + px(10), above ? mouse.y - px(36) : mouse.y + px(20)),
        theme().hand.text, words);
  if (!active) return;
  // A fast hand skips pixels between two frames; the stroke must not.
  const ImVec2 from = last_drawn.x >= 0 ? last_drawn : mouse;
  const float length = std::hypot(mouse.x - from.x, mouse.y - from.y);
  const int steps = std::clamp(static_cast<int>(length / (radius / 2)), 1, 64);
  if (last_drawn.x >= 0 && length < 1) return;
  for (int i = 1; i <= steps; ++i) {
    const float t = static_cast<float>(i) / static_cast<float>(steps);
    const double x = (from.x + (mouse.x - from.x) * t - picture.x0) / size,
                 y = (from.y + (mouse.y - from.y) * t - picture.y0) / size;
    if (x >= 0 && x <= 1 && y >= 0 && y <= 1) state.draw_heat(x, y, radius / size);
  }
  last_drawn = mouse;
}

/// The field's sum over the groups of steps. A jump that the hand made is the hand's colour.
float draw_sums(const Column& column, float y, const Field& field) {
  const Theme& look = theme();
  const float height = px(52), base = snap(y + height - px(8)), top = y + px(18);
  ImDrawList* draw = column.draw;
  draw->AddRectFilled(ImVec2(column.x0, base), ImVec2(column.x1, base + px(1)), look.background.line);
  if (field.sums.empty()) {
    text(draw, Face::caption, ImVec2(column.x0, base - px(20)), look.text.third,
         say("the sum of the field, step by step, will stand here"));
    return height;
  }
  double low = field.sums.front(), high = low;
  for (const double sum : field.sums) {
    if (!std::isfinite(sum)) continue;
    low = std::min(low, sum);
    high = std::max(high, sum);
  }
  // Rounding must look flat: less than a thousandth of the sum is not worth a pixel.
  const double span = std::max({high - low, std::abs(high) * 1e-2, 1e-30});
  const std::size_t count = field.sums.size();
  const float end = column.x1 - px(6);
  const auto x_of = [&](std::size_t i) {
    return count < 2 ? end : column.x0 + (end - column.x0) * static_cast<float>(i) / static_cast<float>(count - 1);
  };
  const auto y_of = [&](double sum) {
    return std::isfinite(sum) ? base - static_cast<float>((sum - low) / span) * (base - top - px(8)) - px(1) : top;
  };
  std::vector<ImVec2> path;
  const auto stride = std::max<std::size_t>(count / static_cast<std::size_t>(std::max(column.width(), 1.0f)), 1);
  std::size_t jump = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0 && field.sums[i] - field.sums[i - 1] > (jump == 0 ? 0 : field.sums[jump] - field.sums[jump - 1])) jump = i;
    if (i % stride != 0 && i + 1 != count && i != jump) continue;
    // A sum holds until the next: steps, not slopes.
    const ImVec2 next(x_of(i), snap(y_of(field.sums[i])));
    if (!path.empty() && next.y == path.back().y && path.size() > 1 && path[path.size() - 2].y == next.y) path.pop_back();
    if (!path.empty() && next.y != path.back().y) path.emplace_back(next.x, path.back().y);
    path.push_back(next);
  }
  if (count < 2) path.insert(path.begin(), ImVec2(column.x0, path.front().y));
  const float label_y = std::clamp(y_of(field.sums.front()) - px(20), y, base - px(18));
  const std::string first = grouped(std::llround(std::clamp(field.sums.front(), -9e17, 9e17)));
  draw->AddPolyline(path.data(), static_cast<int>(path.size()), look.series.stone, ImDrawFlags_None, px(2));
  draw->AddCircleFilled(path.back(), px(4), look.series.stone);

  const float first_end = column.x0 + text_width(Face::digits, first) + px(8);
  const bool drew = field.drawn > 0 && jump > 0 && field.sums[jump] - field.sums[jump - 1] > 0.02 * field.drawn;
  float jump_x = column.x1;
  if (drew) {
    jump_x = snap(x_of(jump));
    dashed_line(draw, ImVec2(jump_x, y + px(2)), ImVec2(jump_x, base + px(4)), look.hand.line, 3, 3, 1);
    const std::string words = say("you drew {heat}", "heat"_a = grouped(std::llround(std::min(field.drawn, 9e17))));
    const float wide = text_width(Face::caption, words);
    const bool left = jump_x - px(8) - wide > column.x0;
    text(draw, Face::caption, ImVec2(left ? jump_x - px(8) - wide : jump_x + px(8), y + px(2)), look.hand.text, words);
  }
  if (first_end < jump_x) text(draw, Face::digits, ImVec2(column.x0, std::max(label_y, y + px(20))), look.text.second, first);
  return height;
}

float draw_speed(const Column& column, float y, const Field& field) {
  const Theme& look = theme();
  ImDrawList* draw = column.draw;
  const float start = y;
  const bool measured = field.step_ms > 0;
  // Live, it is what is made; else what a step alone would allow.
  const double steps = field.steps_a_second > 0 ? field.steps_a_second : measured ? 1000.0 / field.step_ms : 0;
  // Three digits that matter: the last ones only flicker.
  const double unit = steps >= 100 ? std::pow(10.0, std::floor(std::log10(steps)) - 2) : steps >= 10 ? 1 : 0.1;
  const std::string figure = measured ? fixed_number(std::round(steps / unit) * unit, steps >= 10 ? 0 : 1) : "−";
  const float figure_width = text(draw, Face::figure, ImVec2(column.x0, y), measured ? look.text.first : look.text.third, figure);
  // Four digits' room, so that the words beside them stand still.
  const float beside = column.x0 + std::max(figure_width, text_width(Face::figure, "0000")) + px(10);
  const std::string_view words = say("steps a second");
  const float words_y = y + baseline(Face::figure) - baseline(Face::body);
  if (beside + text_width(Face::body, words) <= column.x1) {
    text(draw, Face::body, ImVec2(beside, words_y), look.text.second, words);
  } else {
    y += px(20);
    text(draw, Face::body, ImVec2(column.x0, words_y + px(20)), look.text.second, words);
  }
  y += line_height(Face::figure) + px(4);

  // One scale for all three times.
  const double most = std::max({field.step_ms, field.course_ms, field.limit_ms, 1e-9}) * 1.12;
  const auto x_of = [&](double ms) { return snap(column.x0 + column.width() * static_cast<float>(std::min(ms / most, 1.0))); };
  const auto bar = [&](std::string_view name, double ms, ImU32 ink, ImU32 colour, float tall) {
    text(draw, Face::caption, ImVec2(column.x0, y), ink, name);
    text(draw, Face::digits, ImVec2(column.x1, y), ink,
         ms > 0 ? fixed_number(ms, ms >= 100  ? 0
                                   : ms >= 10 ? 1
                                              : 3) +
                      " ms"
                : std::string(say("not yet")),
         Align::right);
    y += px(18);
    if (ms > 0)
      draw->AddRectFilled(ImVec2(column.x0, y), ImVec2(std::max(x_of(ms), column.x0 + px(2)), y + tall), colour,
                          px(look.radius.bar));
    if (ms <= 0) draw->AddRectFilled(ImVec2(column.x0, y), ImVec2(column.x1, y + tall), look.background.plot, px(look.radius.bar));
  };
  bar(say("this run"), field.step_ms, look.text.first, look.series.blue, px(12));
  if (field.limit_ms > 0) {
    const float x = x_of(field.limit_ms);
    draw->AddRectFilled(ImVec2(x, y - px(4)), ImVec2(x + px(2), y + px(16)), look.series.stone);
  }
  y += px(16);
  if (field.limit_ms > 0) {
    const std::string limit = say("memory limit {time} ms", "time"_a = fixed_number(field.limit_ms, 3));
    const std::string share =
        measured ? say("{share} % reached", "share"_a = short_number(100 * field.limit_ms / field.step_ms, 2)) : "";
    const float wide = text_width(Face::caption, limit), share_wide = text_width(Face::caption, share);
    const bool one_line = wide + px(16) + share_wide <= column.width();
    const float most_right = one_line && !share.empty() ? column.x1 - share_wide - px(16) : column.x1;
    const float x = std::clamp(x_of(field.limit_ms) + px(1) - wide / 2, column.x0, std::max(column.x0, most_right - wide));
    text(draw, Face::caption, ImVec2(x, y), look.text.second, limit);
    if (!one_line) y += px(16);
    text(draw, Face::caption, ImVec2(column.x1, y), look.text.second, share, Align::right);
    y += px(16);
  }
  y += px(8);
  if (field.course_ms > 0) {
    // Their figure is for their size: say so where this run has another.
    const bool same = field.side == 2000 && field.tile == 8;
    const float room = column.width() - px(80);
    y += px(4);
    bar(same ? fitting(Face::caption, room, {say("Numba on an A40"), say("an A40")})
             : fitting(Face::caption, room,
                       {say("Numba on an A40, 2000², tile 8"), say("Numba on an A40, 2000²"), say("an A40, 2000²")}),
        field.course_ms, look.text.third, look.background.line_strong, px(8));
    y += px(12);
  }
  return y - start;
}

float draw_sum(const Column& column, float y, const Field& field) {
  const Theme& look = theme();
  ImDrawList* draw = column.draw;
  text(draw, Face::label, ImVec2(column.x0, y), look.text.second, say("Sum of the field"));
  y += px(20);
  if (field.sums.empty()) {
    text(draw, Face::caption, ImVec2(column.x0, y), look.text.third, say("not yet known"));
    return px(36);
  }
  const double now = field.sums.back(), expected = field.sums.front() + field.drawn, lost = expected - now;
  if (!std::isfinite(now) || std::abs(now) > 9e15) {
    text(draw, Face::caption, ImVec2(column.x0, y), look.verdict.bad,
         std::isfinite(now) ? say("beyond 9e15: not conserved") : say("not finite: not conserved"));
    return px(36);
  }
  const double whole = std::trunc(now);
  const std::string tenths = fixed_number(std::abs(now - whole), 1);
  // "616,505.2": the tenth may round up to a whole one.
  const std::string value = tenths == "1.0" ? grouped(static_cast<long long>(whole) + (now < 0 ? -1 : 1)) + ".0"
                                            : grouped(static_cast<long long>(whole)) + tenths.substr(1);
  const float wide = text(draw, Face::label_code, ImVec2(column.x0, y), look.text.first, value);
  // float32 cells round; a ten-thousandth of the sum is rounding, more is loss.
  const bool conserved = std::abs(lost) <= 1e-4 * std::max(std::abs(expected), 1.0);
  const std::string words = conserved && lost <= -0.05 ? say("conserved, {heat} gained", "heat"_a = fixed_number(std::abs(lost), 1))
                            : conserved                ? say("conserved, {heat} lost", "heat"_a = fixed_number(std::abs(lost), 1))
                            : lost > 0                 ? say("{heat} lost", "heat"_a = short_number(lost, 4))
                                                       : say("{heat} too much", "heat"_a = short_number(-lost, 4));
  const float room = column.width() - wide - px(12);
  if (text_width(Face::caption, words) > room) {
    y += px(16);
  }
  text(draw, Face::caption, ImVec2(column.x1, y), conserved ? look.text.third : look.verdict.bad, words, Align::right);
  return px(36) + (text_width(Face::caption, words) > room ? px(16) : 0);
}

/// Why it blew up, over the upper edge of the picture, and the way out of it.
void draw_blown_up(ImDrawList* draw, const Box& picture, const Field& field, ViewState& state) {
  constexpr double stable = 0.25;
  const bool unstable = field.coefficient > stable;
  const std::string sentence =
      unstable ? say("The field blew up. The coefficient {coefficient} is above the limit of 0.25: the finest checkerboard grows "
                     "{times} times in every step.",
                     "coefficient"_a = short_number(field.coefficient, 3), "times"_a = short_number(8 * field.coefficient - 1, 3))
               : std::string(say(
                     "The field blew up: a value is more than ten times the largest that was put in, or is no number any more. No "
                     "coefficient brings it back."));
  const std::vector<lessons::Span> words = inline_code(sentence);
  const TextFlowStyle style{.plain = Face::caption,
                            .strong = Face::caption,
                            .code = Face::caption,
                            .colour = theme().text.first,
                            .strong_colour = theme().text.first,
                            .code_colour = theme().text.first,
                            .line = line_height(Face::caption)};
  const float pad = px(10), wide = picture.width() - 2 * px(8) - 2 * pad;
  const float high = draw_text_flow(nullptr, words, {}, wide, style);
  const float row = state.start_again ? px(32) + px(8) : 0;
  const ImVec2 a(picture.x0 + px(8), picture.y0 + px(8)), b(picture.x1 - px(8), a.y + high + row + 2 * px(8));
  draw->AddRectFilled(a, b, theme().verdict.bad_tint, px(theme().radius.control));
  draw->AddRect(a, b, theme().verdict.bad, px(theme().radius.control));
  draw_text_flow(draw, words, {a.x + pad, a.y + px(8)}, wide, style);
  if (!state.start_again) return;
  const ButtonLook look{.label = unstable ? say("Start again with 0.25") : say("Start again")};
  const Rect area = rect(a.x + pad, b.y - px(8) - px(32), button_width(look), px(32));
  if (button("field/mend", area, look))
    state.start_again(unstable ? std::optional(ViewState::ControlValue{field.coefficient_control, stable}) : std::nullopt);
}

/// "3 of 10 steps a frame" and "1000 × 1000 of 2000 × 2000 cells": fewer than the controls ask for, where more would leave too few
/// pictures a second.
float draw_pace(const Column& column, float y, const Field& field) {
  if (field.steps_a_frame == 0) return 0;
  const float start = y;
  const bool fewer_steps = field.steps_a_frame < field.steps_asked, fewer_cells = field.side < field.side_asked;
  const auto row = [&](const std::string& words) {
    text_clipped(column.draw, Face::caption, ImVec2(column.x0, y), column.width(), theme().text.third, words);
    y += px(16);
  };
  if (fewer_steps)
    row(say("{steps} of {asked} steps a frame", "steps"_a = field.steps_a_frame, "asked"_a = field.steps_asked));
  else
    row(say_many(field.steps_asked, "{n} step a frame", "{n} steps a frame", "n"_a = field.steps_asked));
  if (fewer_cells) row(say("{side} × {side} of {asked} × {asked} cells", "side"_a = field.side, "asked"_a = field.side_asked));
  if (fewer_steps || fewer_cells)
    hint(hit_area("field/pace", rect(column.x0, start, column.width(), y - start), false),
         say("All that the controls ask for would take this machine so long that fewer than 20 pictures a second were shown."));
  return y - start + px(2);
}

/// How the view's parts share its room.
struct FieldShape {
  bool beside = false;                       // the figures stand beside the pictures instead of below them
  float heat = 0, right = 0, laplacian = 0;  // sides of the pictures, and the width of the right column
};

FieldShape shape_of(const ViewState& state, float width, float gap, float title) {
  FieldShape shape;
  const bool slide = state.shorter > 0 && width >= px(600);
  constexpr float smaller = 0.625f;  // the Laplacian beside the field
  const float bars = px(40), sums = px(60), below_laplacian = px(30 + 160 + 44);
  // Both as wide as the page; where it is so wide that they are higher than the window, as high as that.
  const float filling = (width - gap) / (1 + smaller), high = state.room > 0 ? state.room - title - bars - sums : filling;
  const float whole = std::floor(slide ? std::min(px(256), width * 0.35f) : std::min(filling, std::max(px(512), high)));
  float shorter = std::floor(slide ? 0 : state.shorter);
  if (state.room > 0 && !slide) {
    const float laplacian = whole * smaller;
    const float over = title + bars + std::max(whole + sums, laplacian + below_laplacian) - state.room;
    if (over > px(140) && width >= px(600)) {
      // Too low for what stands below the pictures: as on a slide, but the picture that is drawn on is as large as can be.
      shape.beside = true;
      shape.heat = std::floor(std::clamp(state.room - title - bars - px(8), px(168), (width - 2 * gap - px(184)) / 1.6f));
      shape.right = std::max(std::floor(shape.heat * 0.6f), px(140));
      shape.laplacian = std::min(shape.right, shape.heat - px(56));  // with its captions as low as the field with its bar
      return shape;
    }
    shorter = std::floor(std::clamp(over, 0.0f, px(140)));
  }
  shape.beside = slide;
  shape.heat = std::max(whole - shorter, std::min(whole, px(264)));
  shape.right = std::floor(slide ? whole * 0.75f : width - gap - shape.heat);
  shape.laplacian =
      slide ? shape.right : std::clamp(std::floor(whole * smaller) - shorter, std::min(shape.right, px(152)), shape.right);
  return shape;
}

/// The view's two pictures and what stands below and beside them.
class FieldPlot {
 public:
  FieldPlot(const Field& field, const Sheet& sheet, ViewState& state);

  [[nodiscard]] bool titles();  // whether "Start again" was clicked
  void pictures();
  void below_heat();
  void below_laplacian();
  [[nodiscard]] float figures();  // height of the whole view

 private:
  [[nodiscard]] bool start_again_link();
  void laplacian_title() const;
  [[nodiscard]] std::string laplacian_mean() const;
  [[nodiscard]] float laplacian_title_room() const { return right_.width() - text_width(Face::head, say("Laplacian")) - px(20); }
  [[nodiscard]] bool mean_in_title() const { return text_width(Face::caption, laplacian_mean()) <= laplacian_title_room(); }
  void heat_picture(bool active, bool over, bool drawable) const;
  void laplacian_picture(bool over) const;

  const Field& field_;
  const Sheet& sheet_;
  ViewState& state_;
  const Theme& look_ = theme();
  const FieldShape shape_;
  Column left_, right_, figures_;
  float y_;  // of what comes next below the title
  Box heat_box_, laplacian_box_;
  float left_y_ = 0, right_y_ = 0;
};

FieldPlot::FieldPlot(const Field& field, const Sheet& sheet, ViewState& state)
    : field_(field),
      sheet_(sheet),
      state_(state),
      shape_(shape_of(state, sheet.width, px(24), line_height(Face::head) + px(2))),
      left_{sheet.draw, sheet.at.x, sheet.at.x + shape_.heat},
      right_{sheet.draw, left_.x1 + px(24), left_.x1 + px(24) + shape_.right},
      figures_(right_),
      y_(sheet.at.y) {
  const float beside = right_.x1 + px(24);
  if (shape_.beside) figures_ = {sheet.draw, beside, beside + std::min(px(320), sheet.at.x + sheet.width - beside)};
}

bool FieldPlot::start_again_link() {
  if (!state_.start_again) return false;
  const float words = text_width(Face::label, say("Start again"));
  const ImVec2 at(left_.x1 - words, y_ + baseline(Face::head) - baseline(Face::label));
  return link("field/start_again", Face::label, at, say("Start again"), look_.text.second, true);
}

bool FieldPlot::titles() {
  const bool again = start_again_link();
  Column left_title = left_;
  if (state_.start_again) left_title.x1 -= text_width(Face::label, say("Start again")) + px(12);
  const float title =
      column_title(left_title, y_, say("Field"), say("heat in a cell"), "step", grouped(static_cast<long long>(field_.step)));
  laplacian_title();
  y_ += title;
  heat_box_ = {left_.x0, y_, left_.x1, y_ + shape_.heat};
  laplacian_box_ = {right_.x0, y_, right_.x0 + shape_.laplacian, y_ + shape_.laplacian};
  left_y_ = heat_box_.y1 + px(8);
  right_y_ = laplacian_box_.y1 + px(8);
  return again;
}

/// How many cells a pixel of its picture stands for.
std::string FieldPlot::laplacian_mean() const {
  const double cells = field_.side / static_cast<double>(shape_.laplacian);
  if (cells <= 1) return say("every cell");
  return say("mean of {cells} × {cells} cells", "cells"_a = short_number(cells >= 3 ? std::round(cells) : cells, 2));
}

/// With that number where there is room for it, else it stands below the picture.
void FieldPlot::laplacian_title() const {
  const std::string mean = mean_in_title() ? laplacian_mean() : "";
  const float room = laplacian_title_room() - text_width(Face::caption, mean);
  const std::string_view unit = fitting(Face::caption, room, {say("heat in a cell, per cell²"), say("heat per cell²"), ""});
  (void)column_title(right_, y_, say("Laplacian"), unit, mean, "");
}

void FieldPlot::pictures() {
  ImGui::PushID("field");
  ImGui::SetCursorScreenPos(top_left(heat_box_));
  // A button, so that dragging on the field draws on it and moves nothing else.
  const bool drawable = state_.draw_heat && !field_.blown_up;
  const bool active = drawable && (ImGui::InvisibleButton("heat", ImVec2(shape_.heat, shape_.heat)), ImGui::IsItemActive());
  if (!active) last_drawn = ImVec2(-1, -1);
  const bool over_heat = active || mouse_over(heat_box_), over_laplacian = !active && mouse_over(laplacian_box_);
  ImGui::PopID();
  heat_picture(active, over_heat, drawable);
  laplacian_picture(over_laplacian);
}

Wording why_no_picture(const Field& field) { return field.side == 0 ? say("no field yet") : say("the picture needs OpenGL 3.3"); }

void FieldPlot::heat_picture(bool active, bool over, bool drawable) const {
  const FieldTexture::Look heat_look{static_cast<std::uint32_t>(shape_.heat), static_cast<float>(field_.low),
                                     static_cast<float>(field_.high), &look_.ramp.heat};
  const FieldTexture::Source heat{field_.heat, field_.heat_picture};
  // The heat ramp is dark in both appearances.
  const ImU32 pale = look_.appearance == Appearance::dark ? look_.text.first : look_.background.page;
  if (!heat_texture.show(heat, field_.side, heat_look)) return missing_picture(sheet_.draw, heat_box_, why_no_picture(field_));
  sheet_.draw->AddImage(heat_texture.id(), top_left(heat_box_), bottom_right(heat_box_));
  sheet_.draw->PushClipRect(top_left(heat_box_), bottom_right(heat_box_), true);
  if (field_.blown_up) draw_blown_up(sheet_.draw, heat_box_, field_, state_);
  if (over && !field_.blown_up)
    draw_lens(sheet_, field_, heat, heat_box_, heat_look, pale, with_alpha(look_.ramp.heat.front(), 0.55f));
  if (over && drawable) draw_hand(sheet_, heat_box_, active, state_);
  sheet_.draw->PopClipRect();
}

void FieldPlot::laplacian_picture(bool over) const {
  const auto limit = static_cast<float>(field_.laplacian_limit);
  const FieldTexture::Look laplacian_look{static_cast<std::uint32_t>(shape_.laplacian), -limit, limit, &look_.ramp.diverging};
  const FieldTexture::Source laplacian{field_.laplacian, field_.laplacian_picture};
  if (!laplacian_texture.show(laplacian, field_.side, laplacian_look))
    return missing_picture(sheet_.draw, laplacian_box_, why_no_picture(field_));
  sheet_.draw->AddImage(laplacian_texture.id(), top_left(laplacian_box_), bottom_right(laplacian_box_));
  if (!over) return;
  sheet_.draw->PushClipRect(top_left(laplacian_box_), bottom_right(laplacian_box_), true);
  draw_lens(sheet_, field_, laplacian, laplacian_box_, laplacian_look, look_.text.first, with_alpha(look_.background.page, 0.4f));
  sheet_.draw->PopClipRect();
}

void FieldPlot::below_heat() {
  left_y_ += colour_bar(left_, left_y_, look_.ramp.heat, field_.low, field_.high, shape_.heat >= px(360) ? 4 : 2) + px(8);
  if (!shape_.beside) left_y_ += draw_sums(left_, left_y_, field_);
}

void FieldPlot::below_laplacian() {
  const Column picture{sheet_.draw, laplacian_box_.x0, laplacian_box_.x1};
  right_y_ += colour_bar(picture, right_y_, look_.ramp.diverging, -field_.laplacian_limit, field_.laplacian_limit, 2) + px(6);
  if (!mean_in_title()) {
    text(sheet_.draw, Face::caption, ImVec2(right_.x0, right_y_), look_.text.third, laplacian_mean());
    right_y_ += px(18);
  }
  // Its share of the energy tells why averaging hides what the lens shows.
  // A field without any difference has none, and one that has left its range has no numbers.
  const bool known = std::isfinite(field_.laplacian_checkerboard);
  const std::string share = known ? fixed_number(100 * field_.laplacian_checkerboard, 1) + " %" : "–";
  const float share_width = text_width(Face::digits, "100.0 %");
  text(sheet_.draw, Face::digits, ImVec2(right_.x0, right_y_),
       field_.laplacian_checkerboard >= 0.5 ? look_.text.first : look_.text.second, share);
  const float beside = right_.x0 + share_width + px(8);
  const std::string_view whole = say("of its energy is the finest checkerboard");
  if (text_width(Face::caption, whole) <= right_.x1 - beside) {
    text(sheet_.draw, Face::caption, ImVec2(beside, right_y_), look_.text.second, whole);
  } else {  // its end on a second line
    text(sheet_.draw, Face::caption, ImVec2(beside, right_y_), look_.text.second, say("of its energy is"));
    right_y_ += px(16);
    text(sheet_.draw, Face::caption, ImVec2(right_.x0, right_y_), look_.text.second, say("the finest checkerboard"));
  }
  right_y_ += px(24);
}

float FieldPlot::figures() {
  float y = shape_.beside ? sheet_.at.y : right_y_;
  y += draw_speed(figures_, y, field_);
  y += draw_pace(figures_, y, field_) + px(8);
  y += draw_sum(figures_, y, field_);
  if (shape_.beside) y += draw_sums(figures_, y, field_);
  return std::max({left_y_, right_y_, y}) - sheet_.at.y;
}

}  // namespace

void draw_field(const Field& field, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  FieldPlot plot(field, sheet, state);
  const bool again = plot.titles();
  plot.pictures();
  plot.below_heat();
  plot.below_laplacian();
  end_view(sheet, plot.figures(), state.stale);
  if (again) state.start_again(std::nullopt);
}

void release_field_textures() {
  heat_texture.release();
  laplacian_texture.release();
  lens_texture.release();
  release_field_shader();
}

}  // namespace warpbook::app
