#include "app/panels/tour.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "app/ui/text_flow.h"
#include "gpu/message.h"
#include "lessons/catalog.h"

namespace warpbook::app {
namespace {

struct Callout {
  ToSay title, words;
  std::array<std::string_view, 2>
      parts;  // how the names of the widgets it speaks of begin; the second where the first is not there
};
constexpr std::array<Callout, 5> callouts{{
    {to_say("The lessons"),
     to_say("They build on each other, from top to bottom. The five small strokes of a lesson are its steps: predict, run, look, "
            "change "
            "and make. A stroke is coloured when its step is done."),
     {"rail/", "rail/"}},
    {to_say("Predict first"),
     to_say("Before a run the page asks what you expect. A wrong answer does no harm: it shows you where to look."),
     {"question/", "stage/predict"}},
    {to_say("Run the kernel"),
     to_say("It runs on a virtual GPU: a part of this program that works on every computer and sees what each thread does."),
     {"run", "run"}},
    {to_say("Look at every thread"),
     to_say("After a run the pictures show which thread did what. Point at one of its cells to see that thread's numbers."),
     {"view/", "stage/look"}},
    {to_say("Change the kernel"),
     to_say("This is the kernel, in CUDA C++. Write into it and run it again. If something is wrong, a sentence under the line "
            "says what. "
            "Help, at the lower left, starts this tour again."),
     {"editor", "bench/unfold"}},
}};
constexpr float card_width = 320, card_padding = 20;  // CSS pixels

/// All widgets whose names begin so, as far as they are in sight.
std::optional<Rect> part(std::string_view name) {
  std::optional<Rect> all;
  for (const NamedRect& widget : named_widgets()) {
    if (!widget.name.starts_with(name) || widget.seen.width() <= 0 || widget.seen.height() <= 0) continue;
    if (name == "view/" && all) continue;  // the first picture
    if ((name == "run" && widget.name != name) || widget.name == "rail/fold") continue;
    if (!all) all = widget.seen;
    all->a = {std::min(all->a.x, widget.seen.a.x), std::min(all->a.y, widget.seen.a.y)};
    all->b = {std::max(all->b.x, widget.seen.b.x), std::max(all->b.y, widget.seen.b.y)};
  }
  return all;
}

std::optional<Rect> part(const Callout& callout) {
  const auto first = part(callout.parts[0]);
  return first ? first : part(callout.parts[1]);
}

bool inside(const Rect& area, ImVec2 at) { return at.x >= area.a.x && at.x < area.b.x && at.y >= area.a.y && at.y < area.b.y; }

/// Beside the part, on the first side that has room; over a corner of it where none has.
ImVec2 place(const Rect& part, ImVec2 size) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float gap = px(16), edge = px(8);
  const auto within = [&](float at, float length, float room) { return std::max(std::min(at, room - length - edge), edge); };
  const float x = within(part.a.x, size.x, screen.x), y = within(part.a.y, size.y, screen.y);
  if (part.b.x + gap + size.x <= screen.x - edge) return {part.b.x + gap, y};
  if (part.a.x - gap - size.x >= edge) return {part.a.x - gap - size.x, y};
  if (part.b.y + gap + size.y <= screen.y - edge) return {x, part.b.y + gap};
  if (part.a.y - gap - size.y >= edge) return {x, part.a.y - gap - size.y};
  return {within(part.b.x - size.x - gap, size.x, screen.x), within(part.b.y - size.y - gap, size.y, screen.y)};
}

enum class TourStep : std::uint8_t { stay, on, back, end };

/// Arrows and Escape, where nothing else has the keyboard; these keys are taken.
TourStep by_keys(Session& session) {
  TourStep step = TourStep::stay;
  const bool free = session.typing.name.empty() && ImGui::GetCurrentContext()->ActiveId == 0 && focused_widget() == nullptr;
  std::erase_if(session.keys, [&](const KeyEvent& event) {
    const bool escape = event.key == KeyEvent::Key::escape && ImGui::GetCurrentContext()->ActiveId == 0;
    if (escape) step = TourStep::end;
    if (!free) return escape;
    if (event.key == KeyEvent::Key::right || event.key == KeyEvent::Key::enter) step = TourStep::on;
    if (event.key == KeyEvent::Key::left) step = TourStep::back;
    return escape || event.key == KeyEvent::Key::right || event.key == KeyEvent::Key::left || event.key == KeyEvent::Key::enter;
  });
  return step;
}

TourStep draw_callout(std::size_t number, const Rect& card, float words_height) {
  const Theme& t = theme();
  const Callout& callout = callouts[number];
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(card.a, card.b, t.background.page, px(t.radius.card));
  draw->AddRect(card.a, card.b, t.hand.line, px(t.radius.card), 0, px(1.5f));
  const float x = card.a.x + px(card_padding), right = card.b.x - px(card_padding);
  float y = card.a.y + px(card_padding - 4);
  text(draw, Face::head, {x, y}, t.text.first, say(callout.title));
  text(draw, Face::label, {right, y + baseline(Face::head) - baseline(Face::label)}, t.text.third,
       say("{number} of {callouts}", "number"_a = number + 1, "callouts"_a = callouts.size()), Align::right);
  y += line_height(Face::head) + px(8);
  TextFlowStyle style = note_style();
  style.plain = Face::body;
  style.line = line_height(Face::body);
  style.colour = t.text.second;
  draw_text_flow(draw, inline_code(std::string(say(callout.words))), {x, y}, right - x, style);
  y += words_height + px(16);
  TourStep step = TourStep::stay;
  const bool last = number + 1 == callouts.size();
  const float high = px(32);
  if (link("tour/skip", Face::label, {x, y + (high - line_height(Face::label)) / 2}, last ? say("Close") : say("Skip the tour"),
           t.text.third))
    step = TourStep::end;
  const ButtonLook on{.label = last ? say("Done") : say("Next"), .hint = say("Right arrow")},
      back{.label = say("Back"), .hint = say("Left arrow")};
  const Rect next = rect(right - button_width(on), y, button_width(on), high);
  if (button("tour/next", next, on)) step = TourStep::on;
  if (number > 0 && button("tour/back", rect(next.a.x - px(8) - button_width(back), y, button_width(back), high), back))
    step = TourStep::back;
  return step;
}

}  // namespace

void start_tour(Session& session, Actions& actions) {
  const lessons::Lesson* const first = lessons::all_lessons().front();
  if (session.open != first) actions.open(*first);
  session.lesson().sweep.open = false;
  session.presenting = false;
  session.scroll_by = -1e6f;  // the page from its top
  session.tour = 0;
  session.tour_pressed = false;
}

void draw_tour(Session& session) {
  if (!session.tour || session.presenting || session.overlay != Overlay::none) return;
  const std::size_t number = std::min(*session.tour, callouts.size() - 1);
  const Callout& callout = callouts[number];
  const std::optional<Rect> about = part(callout);
  const float width = px(card_width);
  TextFlowStyle style = note_style();
  style.plain = Face::body;
  style.line = line_height(Face::body);
  const float words =
      draw_text_flow(nullptr, inline_code(std::string(say(callout.words))), {}, width - 2 * px(card_padding), style);
  const float height = px(2 * card_padding - 4) + line_height(Face::head) + px(8) + words + px(16) + px(32);
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const ImVec2 at = about ? place(*about, {width, height}) : ImVec2((screen.x - width) / 2, (screen.y - height) / 2);
  const Rect card = rect(snap(at.x), snap(at.y), width, height);
  ImGui::SetNextWindowPos(card.a);
  ImGui::SetNextWindowSize({width, height});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, IM_COL32(0, 0, 0, 0));
  ImGui::Begin("tour", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoScrollWithMouse);
  if (about) {
    ImDrawList* draw = ImGui::GetWindowDrawList();
    draw->PushClipRectFullScreen();
    focus_ring({{about->a.x + px(3), about->a.y + px(3)}, {about->b.x - px(3), about->b.y - px(3)}}, theme().hand.line, 2);
    draw->PopClipRect();
  }
  name_widget("tour/card", card);
  TourStep step = draw_callout(number, card, words);
  ImGui::End();
  ImGui::PopStyleColor();
  if (step == TourStep::stay) step = by_keys(session);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (ImGui::IsMouseClicked(0)) session.tour_pressed = true;
  if (step == TourStep::stay && session.tour_pressed && ImGui::IsMouseReleased(0) && !inside(card, mouse)) {
    const bool of_it = about && inside(*about, mouse) && inside(*about, ImGui::GetIO().MouseClickedPos[0]);
    step = of_it ? TourStep::on : TourStep::end;
  }
  if (step == TourStep::stay) return;
  if (step == TourStep::back) session.tour = number - (number > 0 ? 1 : 0);
  if (step == TourStep::on) session.tour = number + 1;
  if (step == TourStep::end || *session.tour >= callouts.size()) {
    session.tour.reset();
    session.toured = true;
  }
}

}  // namespace warpbook::app
