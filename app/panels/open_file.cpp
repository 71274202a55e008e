#include "app/panels/open_file.h"

#include <algorithm>
#include <cfloat>
#include <string>

#include "app/panels/browse.h"
#include "app/session/earlier_texts.h"
#include "app/ui/text_flow.h"
#include "gpu/message.h"
#include "lessons/programs.h"

namespace warpbook::app {
namespace {

constexpr std::string_view field_name = "playground/file";

/// What is wrong, below the field. Returns the height.
float why_not_opened(ImVec2 at, float width, const std::string& words) {
  const float gap = px(4);
  return gap + paragraph(ImGui::GetWindowDrawList(), Face::label, {at.x, at.y + gap}, width, theme().verdict.bad, words);
}

/// What stood here before a file was opened, and the way back to it. Returns the height; 0: nothing did.
float earlier_text(Session& session, Actions& actions, ImVec2 at, float width) {
  const LessonState& state = session.lesson();
  const lessons::Kept::Earlier* const earlier = offered(state);
  if (earlier == nullptr) return 0;
  const Theme& t = theme();
  const ButtonLook back{.label = say("Put it back"), .hint = say("What stands here now is kept in the same way.")};
  const float height = px(t.space.control_height), wide = button_width(back), gap = px(t.space.gap_small);
  std::string kept = say("The text that stood here before is kept: {text}.", "text"_a = describe(*earlier));
  if (state.earlier.size() >= 2 && !session.kept_in.empty())
    kept += " " + say("Older ones lie in {folder}.", "folder"_a = session.kept_in + "/playground/earlier");
  TextFlowStyle style = note_style();
  style.colour = t.text.second;
  const auto words = inline_code(kept);
  const float room = width - wide - gap, tall = draw_text_flow(nullptr, words, {}, room, style), row = std::max(height, tall);
  draw_text_flow(ImGui::GetWindowDrawList(), words, {at.x, at.y + gap + (row - tall) / 2}, room, style);
  if (button("playground/put_back", rect(at.x + width - wide, at.y + gap + (row - height) / 2, wide, height), back))
    put_back(session, actions);
  return gap + row;
}

}  // namespace

float draw_open_file(Session& session, Actions& actions, ImVec2 at, float width) {
  const Theme& t = theme();
  const ButtonLook open_look{.label = say("Open")}, browse_look{.label = say("Browse")};
  const ButtonLook program_look{.label = say("Open program…"),
                                .hint = say("A whole CUDA program, run as it is: each of its launches can be looked into")};
  const float open = button_width(open_look), browse = button_width(browse_look), gap = px(t.space.gap_small);
  const float program = button_width(program_look);
  const float height = px(t.space.control_height);
  const Rect field = rect(at.x, at.y, width - open - browse - program - 3 * gap, height);
  std::string& path = session.brought.path;
  const bool typing = session.typing.name == field_name;
  const std::string typed = typing ? session.typing.text.str() : path;
  const auto is_enter = [](const KeyEvent& event) { return event.key == KeyEvent::Key::enter; };
  const bool entered = typing && std::any_of(session.typing.keys.begin(), session.typing.keys.end(), is_enter);
  if (auto given =
          text_field(field_name, field, path, say("path of a .cu file; or drop one anywhere on the window"), session.typing))
    path = *given;
  const Rect press = rect(field.b.x + gap, at.y, open, height);
  const ButtonLook opens{
      .label = say("Open"), .enabled = !typed.empty(), .hint = typed.empty() ? say("Type a path first.") : say("Enter")};
  const bool pressed = button("playground/open", press, opens);
  if (button("playground/browse", rect(press.b.x + gap, at.y, browse, height), browse_look)) open_browse(session);
  if (button("playground/program", rect(press.b.x + 2 * gap + browse, at.y, program, height), program_look))
    actions.open(lessons::programs());
  if (pressed || entered) {
    // Keys and a press may come in the same frame: what stands in the field now is meant.
    const std::string& wanted = entered ? path : typed;
    if (!wanted.empty()) actions.open_file(wanted);
  }
  float y = field.b.y;
  if (!session.brought.problem.empty()) y += why_not_opened({at.x, y}, width, session.brought.problem);
  y += earlier_text(session, actions, {at.x, y}, width);
  return y - at.y;
}

}  // namespace warpbook::app
