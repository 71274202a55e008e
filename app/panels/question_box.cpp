#include "app/panels/question_box.h"

#include <algorithm>
#include <string>
#include <utility>

#include "app/ui/draw.h"
#include "app/ui/hit_area.h"

namespace warpbook::app {
namespace {

TextFlowStyle question_style() {
  TextFlowStyle style = prose_style();
  style.plain = Face::body;
  style.code = Face::label_code;
  style.line = line_height(Face::body);
  style.colour = theme().text.second;
  return style;
}

}  // namespace

float question_height(const std::vector<lessons::Span>& words, float room) {
  return draw_text_flow(nullptr, words, {}, room, question_style());
}

QuestionBox::QuestionBox(Look look, ImVec2 at, float width)
    : look_(std::move(look)), at_(at), width_(width), style_(question_style()) {
  tall_ = question_height(look_.words, look_.room);
  head_ = std::max(px(52), std::max(tall_, look_.least) + px(28));
}

void QuestionBox::draw() const {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImVec2 end(at_.x + width_, at_.y + height());
  draw->AddRectFilled(at_, end, t.background.raised, px(t.radius.box));
  if (look_.urged) draw->AddRect(at_, end, t.hand.line, px(t.radius.box), 0, px(2));
  pencil(draw, {at_.x + px(26), middle()}, px(16), t.hand.line);
  draw_text_flow(draw, look_.words, {words_x(), middle() - tall_ / 2}, look_.room, style_);
}

float QuestionBox::note(std::string_view name, std::string_view words, ImU32 colour, float end) const {
  if (words.empty()) return words_x();
  const float room = (end > 0 ? end : right()) - words_x();
  const float wide = text_width(Face::caption, words);
  text_clipped(ImGui::GetWindowDrawList(), Face::caption, {words_x(), note_y()}, room, colour, words);
  if (wide > room) hint(hit_area(name, rect(words_x(), note_y(), room, line_height(Face::caption)), false), words);
  return words_x() + std::min(wide, room);
}

float QuestionBox::height() const { return head_ + px(14) + (look_.below > 0 ? look_.below + px(12) : 0); }

float QuestionBox::words_end() const {
  if (!one_line()) return words_x() + look_.room;
  float end = words_x();
  for (const auto& span : look_.words) end += text_width(span.code ? style_.code : style_.plain, span.text);
  return end;
}

}  // namespace warpbook::app
