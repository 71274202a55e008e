#include "app/panels/glossary.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/text_flow.h"
#include "gpu/message.h"
#include "lessons/catalog.h"

namespace warpbook::app {
namespace {

constexpr std::string_view filter = "glossary/filter";
// Columns of the list, CSS pixels: the term, and the lesson's link; the sentence has the rest.
constexpr float name_column = 184, lesson_column = 88, row_padding = 12;

TextFlowStyle sentence_style() {
  TextFlowStyle style = note_style();
  style.plain = Face::body;
  style.colour = theme().text.second;
  style.line = line_height(Face::body);
  return style;
}

TextFlowStyle spellings_style() {
  TextFlowStyle style = note_style();
  style.plain = style.strong = style.code = Face::caption;
  style.colour = theme().text.third;
  style.line = line_height(Face::caption);
  return style;
}

std::string listed(const std::vector<std::string>& spellings) {
  std::string words;
  for (const std::string& spelling : spellings) words += (words.empty() ? "" : ", ") + spelling;
  return words;
}

/// Height used; `lesson` becomes the one whose link was clicked.
float draw_term(const lessons::Term& term, bool brought, ImVec2 at, float width, const lessons::Lesson*& lesson) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float padding = px(row_padding), name = px(name_column), link_width = px(lesson_column);
  const float words = width - name - link_width - px(24);
  const auto sentence = inline_code(term.sentence), also = inline_code(listed(term.also));
  TextFlowStyle head = sentence_style();
  head.plain = Face::body_strong;
  head.colour = t.text.first;
  const auto title = inline_code(term.name);
  const float title_height = draw_text_flow(nullptr, title, {}, name - px(16), head);
  const float also_height = draw_text_flow(nullptr, also, {}, name - px(16), spellings_style());
  const float text_height = draw_text_flow(nullptr, sentence, {}, words, sentence_style());
  const float height = std::max(title_height + also_height, text_height) + 2 * padding;
  if (brought) {
    draw->AddRectFilled(at, {at.x + width, at.y + height}, t.hand.tint, px(t.radius.control));
    draw->AddRectFilled(at, {at.x + px(2), at.y + height}, t.hand.line);
  }
  name_widget("glossary/" + term.name, rect(at.x, at.y, width, height));
  const float x = at.x + px(12), y = at.y + padding;
  draw_text_flow(draw, title, {x, y}, name - px(16), head);
  draw_text_flow(draw, also, {x, y + title_height}, name - px(16), spellings_style());
  draw_text_flow(draw, sentence, {x + name, y}, words, sentence_style());
  const lessons::Lesson* const explains = lessons::find_lesson(term.lesson);
  const std::string label = say("Lesson {number}", "number"_a = term.lesson);
  const ImVec2 link_at(at.x + width - px(12) - text_width(Face::label, label), y + px(1));
  if (explains == nullptr)
    text(draw, Face::label, link_at, t.text.disabled, label);
  else if (link("glossary/" + term.name + "/lesson", Face::label, link_at, label, t.text.third, true))
    lesson = explains;
  hairline(draw, {at.x, at.y + height}, {at.x + width, at.y + height}, t.background.line);
  return height;
}

}  // namespace

void open_glossary(Session& session, std::string_view term) {
  open_overlay(session, Overlay::glossary);
  session.glossary.words.clear();
  session.glossary.bring = term;
  session.glossary.at = term;
}

bool draw_glossary(Session& session, Actions& actions, const Rect& inside) {
  const Theme& t = theme();
  GlossaryState& desk = session.glossary;
  bool close = false;
  if (session.overlay_fresh)
    session.typing = {.name = std::string(filter), .text = EditorText(desk.words), .wrong = {}, .keys = {}};
  if (session.typing.name == filter) {
    for (const KeyEvent& event : session.typing.keys) close = close || event.key == KeyEvent::Key::escape;
  }
  const Rect field = rect(inside.a.x, inside.a.y, inside.width(), px(36));
  static_cast<void>(text_field(filter, field, desk.words, say("Type a word"), session.typing));
  if (session.typing.name == filter) {
    if (desk.words != session.typing.text.str()) desk.at.clear();
    desk.words = session.typing.text.str();
  }

  const Rect list = {{inside.a.x, field.b.y + px(12)}, inside.b};
  ImGui::SetCursorScreenPos(list.a);
  ImGui::BeginChild("glossary", {list.width(), list.height()});
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const float width = list.width() - px(16);  // the scroll bar's
  float y = top.y;
  const lessons::Lesson* lesson = nullptr;
  if (!desk.problem.empty()) {
    TextFlowStyle style = sentence_style();
    style.colour = t.verdict.bad;
    y += draw_text_flow(ImGui::GetWindowDrawList(), inline_code(desk.problem), {top.x, y}, width, style);
  }
  const auto found = desk.all.search(desk.words);
  for (const std::size_t i : found) {
    const lessons::Term& term = desk.all.terms[i];
    if (term.name == desk.bring) ImGui::SetScrollY(y - top.y);
    y += draw_term(term, term.name == desk.at, {top.x, y}, width, lesson);
  }
  desk.bring.clear();
  if (found.empty() && desk.problem.empty())
    text(ImGui::GetWindowDrawList(), Face::body, {top.x, y + px(12)}, t.text.third,
         say("No term has these words. Try fewer letters."));
  ImGui::SetCursorScreenPos({top.x, y});
  ImGui::Dummy({1, 1});
  ImGui::EndChild();
  if (lesson != nullptr && lesson != session.open) actions.open(*lesson);
  return close || lesson != nullptr;
}

}  // namespace warpbook::app
