#include "app/panels/other_windows.h"

#include "app/ui/text_flow.h"
#include "gpu/message.h"

namespace warpbook::app {

float draw_other_windows(Session& session, ImVec2 at, float width) {
  if (session.other_windows.empty()) return 0;
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float close = text_width(Face::label, say("Close"));
  const auto words = inline_code(session.other_windows);
  TextFlowStyle style = note_style();
  style.colour = t.text.second;
  const float room = width - px(16 + 16 + 24) - close, tall = draw_text_flow(nullptr, words, {}, room, style),
              height = tall + px(20);
  draw->AddRectFilled(at, {at.x + width, at.y + height}, t.background.raised, px(t.radius.box));
  draw_text_flow(draw, words, {at.x + px(16), at.y + px(10)}, room, style);
  if (link("other_windows/close", Face::label, {at.x + width - px(16) - close, at.y + px(10)}, say("Close"), t.text.second, true))
    session.other_windows.clear();
  return height + px(16);
}

}  // namespace warpbook::app
