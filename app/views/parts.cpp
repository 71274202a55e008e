#include "app/views/parts.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gpu/text.h"

namespace warpbook::app {

Sheet begin_view(float width) {
  const ImVec2 cursor = ImGui::GetCursorScreenPos();
  Sheet sheet;
  sheet.draw = ImGui::GetWindowDrawList();
  sheet.at = ImVec2(snap(cursor.x), snap(cursor.y));
  sheet.width = std::floor(width);
  const ImVec2 a = sheet.draw->GetClipRectMin(), b = sheet.draw->GetClipRectMax();
  // A card may leave a narrow view, but not the page's column.
  const float beyond = sheet.width < px(400) ? 1e6f : px(16);
  sheet.visible = {std::max(a.x, sheet.at.x - beyond), a.y, std::min(b.x, sheet.right() + beyond), b.y};
  return sheet;
}

void end_view(const Sheet& sheet, float height, bool stale) {
  if (stale) {
    sheet.draw->AddRectFilled(ImVec2(sheet.at.x - px(8), sheet.at.y), ImVec2(sheet.right() + px(8), sheet.at.y + height),
                              with_alpha(theme().background.page, 0.55f));
  }
  ImGui::SetCursorScreenPos(sheet.at);
  ImGui::Dummy(ImVec2(sheet.width, std::ceil(height)));
}

bool mouse_over(const Box& box) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  return box.contains(mouse.x, mouse.y) && ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(top_left(box), bottom_right(box));
}

Box moved(const Box& box, ImVec2 by) { return {box.x0 + by.x, box.y0 + by.y, box.x1 + by.x, box.y1 + by.y}; }

namespace {

float swatch_width(const Swatch& swatch) {
  return px(swatch.shape == Swatch::Shape::line || swatch.shape == Swatch::Shape::ring ? 16 : 12) + px(6) +
         text_width(Face::caption, swatch.label);
}

void draw_swatch(ImDrawList* draw, ImVec2 at, float height, const Swatch& swatch) {
  const float middle = snap(at.y + height / 2), s = px(12);
  const Box box{snap(at.x), middle - snap(px(5)), snap(at.x + s), middle + snap(px(5))};
  const float radius = px(theme().radius.bar);
  float used = s;
  switch (swatch.shape) {
    case Swatch::Shape::solid:
      draw->AddRectFilled(top_left(box), bottom_right(box), swatch.colour, radius);
      break;
    case Swatch::Shape::tint:
      draw->AddRectFilled(top_left(box), bottom_right(box), tint(swatch.colour), radius);
      draw->AddRectFilled(ImVec2(box.x0, box.y1 - px(2)), bottom_right(box), swatch.colour);
      break;
    case Swatch::Shape::outline:
      draw->AddRect(top_left(box), bottom_right(box), swatch.colour, radius, 0, px(1.5f));
      break;
    case Swatch::Shape::hatched:
      hatch(draw, top_left(box), bottom_right(box), swatch.colour, 4);
      break;
    case Swatch::Shape::line:
      used = px(16);
      draw->AddRectFilled(ImVec2(box.x0, middle - snap(px(1))), ImVec2(box.x0 + used, middle + snap(px(1))), swatch.colour);
      break;
    case Swatch::Shape::ring:
      used = px(16);
      draw->AddRect(top_left(box), ImVec2(box.x0 + used, box.y1), swatch.colour, px(3), 0, px(2));
      break;
  }
  text(draw, Face::caption, ImVec2(at.x + used + px(6), snap(at.y + (height - line_height(Face::caption)) / 2)), theme().text.third,
       swatch.label);
}

}  // namespace

float title_row(const Sheet& sheet, std::string_view title, std::string_view note) {
  const float line = line_height(Face::head), note_line = line_height(Face::caption), gap = px(8);
  const float title_width = text_width(Face::head, title), note_width = text_width(Face::caption, note);
  text_clipped(sheet.draw, Face::head, sheet.at, sheet.width, theme().text.first, title);
  if (note.empty()) return line + gap;
  if (title_width + px(16) + note_width <= sheet.width) {
    text(sheet.draw, Face::caption, ImVec2(sheet.right(), sheet.at.y + baseline(Face::head) - baseline(Face::caption)),
         theme().text.third, note, Align::right);
    return line + gap;
  }
  text_clipped(sheet.draw, Face::caption, ImVec2(sheet.at.x, sheet.at.y + line), sheet.width, theme().text.third, note);
  return line + note_line + gap;
}

float title_row(const Sheet& sheet, std::string_view title, std::span<const Swatch> legend) {
  const float line = line_height(Face::head), between = px(16), gap = px(8);
  float total = 0;
  for (const Swatch& swatch : legend) total += swatch_width(swatch) + between;
  total -= between;
  text_clipped(sheet.draw, Face::head, sheet.at, sheet.width, theme().text.first, title);
  const bool beside = text_width(Face::head, title) + px(24) + total <= sheet.width;
  float x = beside ? sheet.right() - total : sheet.at.x;
  const float y = beside ? sheet.at.y : sheet.at.y + line, height = beside ? line : px(20);
  for (const Swatch& swatch : legend) {
    draw_swatch(sheet.draw, ImVec2(x, y), height, swatch);
    x += swatch_width(swatch) + between;
  }
  return line + (beside ? 0 : height) + gap;
}

float legend_rows(const Sheet& sheet, float top, std::span<const Swatch> legend) {
  const float row = px(20), between = px(16);
  float x = sheet.at.x, y = top;
  for (const Swatch& swatch : legend) {
    const float wide = swatch_width(swatch);
    if (x > sheet.at.x && x + wide > sheet.right()) x = sheet.at.x, y += row;
    draw_swatch(sheet.draw, ImVec2(x, y), row, swatch);
    x += wide + between;
  }
  return legend.empty() ? 0 : y + row + px(8) - top;
}

ImU32 tint(ImU32 colour) { return with_alpha(colour, theme().appearance == Appearance::dark ? 0.24f : 0.18f); }
ImU32 on_series() { return theme().background.page; }

void segment(ImDrawList* draw, const Box& box, ImU32 colour) {
  draw->AddRectFilled(top_left(box), bottom_right(box), tint(colour), px(theme().radius.bar), ImDrawFlags_RoundCornersTop);
  draw->AddRectFilled(ImVec2(box.x0, box.y1 - snap(px(3))), bottom_right(box), colour);
}

void waiting(ImDrawList* draw, const Box& box) {
  hatch(draw, top_left(box), bottom_right(box), theme().background.line_strong);
  draw->AddRectFilled(ImVec2(box.x0, box.y1 - snap(px(3))), bottom_right(box), theme().background.line_strong);
}

std::string source_line(std::string_view source, std::uint32_t line) {
  for (std::uint32_t i = 1; i < line && !source.empty(); ++i) {
    const auto end = source.find('\n');
    source.remove_prefix(end == std::string_view::npos ? source.size() : end + 1);
  }
  source = source.substr(0, source.find('\n'));
  const auto first = source.find_first_not_of(" \t");
  if (line == 0 || first == std::string_view::npos) return {};
  source.remove_prefix(first);
  constexpr std::size_t most = 44;
  if (source.size() <= most) return std::string(source);
  std::size_t cut = most;  // never within a UTF-8 character
  while (cut > 0 && continues_character(source[cut])) --cut;
  return std::string(source.substr(0, cut)) + "…";
}

void hatch_narrow(ImDrawList* draw, const Box& box, ImU32 colour) {
  if (box.width() <= 0 || box.height() <= 0) return;
  const float step = std::max(px(6), 2.0f) * std::numbers::sqrt2_v<float>;
  for (float sum = std::ceil((box.x0 + box.y0) / step) * step; sum < box.x1 + box.y1; sum += step) {  // x + y = sum
    const float x0 = std::max(box.x0, sum - box.y1), x1 = std::min(box.x1, sum - box.y0);
    if (x1 > x0) draw->AddLine(ImVec2(x0, sum - x0), ImVec2(x1, sum - x1), colour, px(1));
  }
}

bool text_inside(ImDrawList* draw, Face face, const Box& box, ImU32 colour, std::string_view words, float margin_css) {
  if (text_width(face, words) + 2 * px(margin_css) > box.width()) return false;
  text(draw, face, ImVec2((box.x0 + box.x1) / 2, box.y0 + (box.height() - line_height(face)) / 2), colour, words, Align::centre);
  return true;
}

void ring(ImDrawList* draw, const Box& box, ImU32 colour, float thickness_css, float radius_css, float away_css) {
  const float away = snap(px(away_css) + px(thickness_css) / 2);
  draw->AddRect(ImVec2(box.x0 - away, box.y0 - away), ImVec2(box.x1 + away, box.y1 + away), colour, px(radius_css), 0,
                px(thickness_css));
}

ImDrawList* begin_card(const Sheet& sheet, const Box& card) {
  ImDrawList* overlay = ImGui::GetForegroundDrawList();
  overlay->PushClipRect(top_left(sheet.visible), bottom_right(sheet.visible));
  const float radius = px(theme().radius.card);
  overlay->AddRectFilled(top_left(card), bottom_right(card), theme().background.raised, radius);
  overlay->AddRect(top_left(card), bottom_right(card), theme().text.first, radius, 0, px(1.5f));
  return overlay;
}

void end_card(ImDrawList* overlay) { overlay->PopClipRect(); }

void fact_card(const Sheet& sheet, const Box& item, std::span<const Box> avoid, std::string_view title, std::string_view note,
               std::span<const Fact> facts) {
  const float pad = px(16), top = px(10), row = px(20);
  float wide = text_width(Face::body_strong, title) + (note.empty() ? 0 : px(24) + text_width(Face::caption, note));
  for (const Fact& fact : facts)
    wide = std::max(wide, text_width(Face::caption, fact.label) + px(24) + text_width(Face::digits, fact.value));
  const float width = std::ceil(wide + 2 * pad);
  const float height = std::ceil(2 * top + px(24) + static_cast<float>(facts.size()) * row);
  const Box card = place_card(width, height, item, avoid, sheet.visible, px(10));
  ImDrawList* overlay = begin_card(sheet, card);
  float y = card.y0 + top;
  text(overlay, Face::body_strong, ImVec2(card.x0 + pad, y), theme().text.first, title);
  if (!note.empty()) {
    text(overlay, Face::caption, ImVec2(card.x1 - pad, y + baseline(Face::body_strong) - baseline(Face::caption)),
         theme().text.third, note, Align::right);
  }
  y += px(24);
  for (const Fact& fact : facts) {
    text(overlay, Face::caption, ImVec2(card.x0 + pad, y + px(2)), theme().text.second, fact.label);
    text(overlay, Face::digits, ImVec2(card.x1 - pad, y + px(2)), fact.colour != 0 ? fact.colour : theme().text.first, fact.value,
         Align::right);
    y += row;
  }
  end_card(overlay);
}

}  // namespace warpbook::app
