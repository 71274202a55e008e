#include "app/ui/draw.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <numbers>
#include <utility>

#include "gpu/finding_kinds.h"
#include "gpu/text.h"

namespace warpbook::app {
namespace {

std::function<void(const DrawnWords&)> words_listener;

void place_words(ImDrawList* draw, Face face, ImVec2 at, ImU32 colour, std::string_view words) {
  const ImFont* f = font(face);
  // Whole pixels: glyphs were rasterised for them.
  const ImVec2 origin(snap(at.x), snap(at.y + (line_height(face) - f->FontSize) / 2));
  draw->AddText(f, f->FontSize, origin, colour, words.data(), words.data() + words.size());
}

}  // namespace

void hear_drawn_words(std::function<void(const DrawnWords&)> listener) { words_listener = std::move(listener); }

void note_drawn_words(Face face, std::string_view words) {
  if (words_listener && !words.empty()) words_listener({.words = words, .face = face});
}

float snap(float v) { return std::round(v); }

float baseline(Face face) {
  const ImFont* f = font(face);
  return snap((line_height(face) - f->FontSize) / 2) + f->Ascent;
}

float text_width(Face face, std::string_view words) {
  if (words.empty()) return 0;  // ImGui takes an empty view's null end for "up to the terminator"
  const ImFont* f = font(face);
  return f->CalcTextSizeA(f->FontSize, 1e9f, 0, words.data(), words.data() + words.size()).x;
}

float part_of_text(ImDrawList* draw, Face face, ImVec2 at, ImU32 colour, std::string_view part) {
  place_words(draw, face, at, colour, part);
  return text_width(face, part);
}

float text(ImDrawList* draw, Face face, ImVec2 at, ImU32 colour, std::string_view words, Align align) {
  if (words.empty()) return 0;
  const float width = text_width(face, words);
  if (align == Align::centre) at.x -= width / 2;
  if (align == Align::right) at.x -= width;
  place_words(draw, face, at, colour, words);
  if (words_listener) {
    const float cut = std::max({draw->GetClipRectMin().x - at.x, at.x + width - draw->GetClipRectMax().x, 0.0f});
    words_listener({.words = words, .face = face, .width = width, .room = width - cut});
  }
  return width;
}

float text_clipped(ImDrawList* draw, Face face, ImVec2 at, float width, ImU32 colour, std::string_view words) {
  if (text_width(face, words) <= width) return text(draw, face, at, colour, words);
  const float room = width - text_width(face, "…");
  std::size_t end = words.size();
  while (end > 0 && text_width(face, words.substr(0, end)) > room) {
    --end;
    while (end > 0 && continues_character(words[end])) --end;  // not inside a character
  }
  if (words_listener) words_listener({.words = words, .face = face, .width = text_width(face, words), .room = width});
  return part_of_text(draw, face, at, colour, std::string(words.substr(0, end)) + "…");
}

float paragraph(ImDrawList* draw, Face face, ImVec2 at, float width, ImU32 colour, std::string_view words) {
  if (words.empty()) return 0;
  const ImFont* f = font(face);
  const char *const begin = words.data(), *const end = begin + words.size();
  draw->AddText(f, f->FontSize, at, colour, begin, end, width);
  note_drawn_words(face, words);
  return f->CalcTextSizeA(f->FontSize, FLT_MAX, width, begin, end).y;
}

std::string end_that_fits(Face face, std::string words, float width) {
  constexpr std::string_view dots = "…";
  while (text_width(face, words) > width && words.size() > 8) {
    std::size_t cut = words.starts_with(dots) ? dots.size() + 1 : 1;
    while (cut < words.size() && continues_character(words[cut])) ++cut;
    words = std::string(dots) + words.substr(cut);
  }
  return words;
}

void hairline(ImDrawList* draw, ImVec2 a, ImVec2 b, ImU32 colour) {
  const float thick = std::max(snap(px(1)), 1.0f);
  const ImVec2 p(snap(a.x), snap(a.y));
  if (a.y == b.y)
    draw->AddRectFilled(p, {snap(b.x), p.y + thick}, colour);
  else
    draw->AddRectFilled(p, {p.x + thick, snap(b.y)}, colour);
}

void hatch(ImDrawList* draw, ImVec2 a, ImVec2 b, ImU32 colour, float spacing_css) {
  draw->PushClipRect(a, b, true);
  const float height = b.y - a.y;
  // Spacing is measured across the lines; along x they are √2 further apart. Anchored to the screen, so that neighbours match.
  const float step = std::max(px(spacing_css), 2.0f) * std::numbers::sqrt2_v<float>;
  const float first = std::floor((a.x + a.y) / step) * step - a.y;  // x + y = k·step
  for (float x = first; x - height < b.x; x += step) {
    draw->AddLine(ImVec2(x, a.y), ImVec2(x - height, b.y), colour, px(1));
  }
  draw->PopClipRect();
}

void dashed_line(ImDrawList* draw, ImVec2 a, ImVec2 b, ImU32 colour, float on_css, float off_css, float thickness_css) {
  const float dx = b.x - a.x, dy = b.y - a.y, length = std::hypot(dx, dy);
  if (length <= 0) return;
  const float period = px(on_css + off_css), on = px(on_css);
  for (float from = 0; from < length; from += period) {
    const float to = std::min(from + on, length);
    draw->AddLine(ImVec2(a.x + dx * from / length, a.y + dy * from / length),
                  ImVec2(a.x + dx * to / length, a.y + dy * to / length), colour, px(thickness_css));
  }
}

void dashed_box(ImDrawList* draw, ImVec2 a, ImVec2 b, ImU32 colour) {
  const ImVec2 p(snap(a.x), snap(a.y)), q(snap(b.x) - 1, snap(b.y) - 1);  // AddLine itself goes through pixels' middles
  dashed_line(draw, p, ImVec2(q.x, p.y), colour);
  dashed_line(draw, ImVec2(p.x, q.y), q, colour);
  dashed_line(draw, p, ImVec2(p.x, q.y), colour);
  dashed_line(draw, ImVec2(q.x, p.y), q, colour);
}

void tick(ImDrawList* draw, ImVec2 centre, float size, ImU32 colour) {
  const std::array<ImVec2, 3> path = {ImVec2(centre.x - size * 0.42f, centre.y + size * 0.02f),
                                      ImVec2(centre.x - size * 0.10f, centre.y + size * 0.32f),
                                      ImVec2(centre.x + size * 0.42f, centre.y - size * 0.32f)};
  draw->AddPolyline(path.data(), 3, colour, ImDrawFlags_None, std::max(size * 0.17f, 1.0f));
}

void cross(ImDrawList* draw, ImVec2 centre, float size, ImU32 colour) {
  const float r = size * 0.34f, thickness = std::max(size * 0.17f, 1.0f);
  draw->AddLine(ImVec2(centre.x - r, centre.y - r), ImVec2(centre.x + r, centre.y + r), colour, thickness);
  draw->AddLine(ImVec2(centre.x - r, centre.y + r), ImVec2(centre.x + r, centre.y - r), colour, thickness);
}

void pencil(ImDrawList* draw, ImVec2 centre, float size, ImU32 colour) {
  // A pencil's outline at 45°, drawn in a unit square: the tip at the lower left.
  const auto at = [&](float x, float y) { return ImVec2(centre.x + (x - 0.5f) * size, centre.y + (y - 0.5f) * size); };
  const float thickness = std::max(size * 0.095f, 1.0f);
  const std::array<ImVec2, 5> body = {at(0.06f, 0.94f), at(0.14f, 0.64f), at(0.72f, 0.06f), at(0.94f, 0.28f), at(0.36f, 0.86f)};
  draw->AddPolyline(body.data(), 5, colour, ImDrawFlags_Closed, thickness);
  draw->AddLine(at(0.56f, 0.22f), at(0.78f, 0.44f), colour, thickness);
}

void finding_glyph(ImDrawList* draw, gpu::FindingKind kind, ImVec2 centre, float size, ImU32 colour) {
  const float r = size / 2;
  const auto at = [&](float x, float y) { return ImVec2(centre.x + x * r, centre.y + y * r); };
  const auto box = [&](float x0, float y0, float x1, float y1) {
    draw->AddRectFilled(ImVec2(snap(at(x0, 0).x), snap(at(0, y0).y)), ImVec2(snap(at(x1, 0).x), snap(at(0, y1).y)), colour,
                        std::min(1.0f, size * 0.07f));
  };
  switch (gpu::row_of(kind).glyph) {
    case gpu::FindingGlyph::octagon: {
      std::array<ImVec2, 8> corners;
      for (std::size_t i = 0; i < corners.size(); ++i) {
        const float angle = (static_cast<float>(i) + 0.5f) * std::numbers::pi_v<float> / 4;
        corners[i] = at(0.92f * std::cos(angle), 0.92f * std::sin(angle));
      }
      draw->AddConvexPolyFilled(corners.data(), 8, colour);
      break;
    }
    case gpu::FindingGlyph::diamond: {
      const std::array<ImVec2, 4> corners = {at(0, -0.95f), at(0.95f, 0), at(0, 0.95f), at(-0.95f, 0)};
      draw->AddConvexPolyFilled(corners.data(), 4, colour);
      break;
    }
    case gpu::FindingGlyph::ring:
      draw->AddCircle(centre, r * 0.78f, colour, 24, std::max(size * 0.15f, 1.0f));
      break;
    case gpu::FindingGlyph::bars:
      box(-0.75f, -0.8f, -0.15f, 0.8f);
      box(0.15f, -0.8f, 0.75f, 0.8f);
      break;
    case gpu::FindingGlyph::broken_lines: {
      const float thickness = std::max(size * 0.13f, 1.0f);
      const auto dash = [&](float x0, float x1, float y) { draw->AddLine(at(x0, y), at(x1, y), colour, thickness); };
      dash(-0.95f, 0.95f, -0.65f);
      dash(-0.95f, -0.4f, 0.0f);
      dash(-0.05f, 0.45f, 0.0f);
      dash(-0.95f, -0.7f, 0.65f);
      dash(-0.4f, -0.1f, 0.65f);
      dash(0.25f, 0.95f, 0.65f);
      break;
    }
    case gpu::FindingGlyph::columns:
      box(-0.9f, 0.1f, -0.4f, 0.85f);
      box(-0.25f, -0.9f, 0.25f, 0.85f);
      box(0.4f, 0.1f, 0.9f, 0.85f);
      break;
    case gpu::FindingGlyph::fork: {
      const float thickness = std::max(size * 0.17f, 1.0f);
      const std::array<ImVec2, 3> prongs = {at(-0.75f, -0.85f), at(0, 0.0f), at(0.75f, -0.85f)};
      draw->AddPolyline(prongs.data(), 3, colour, ImDrawFlags_None, thickness);
      draw->AddLine(at(0, -0.05f), at(0, 0.9f), colour, thickness);
      break;
    }
  }
}

}  // namespace warpbook::app
