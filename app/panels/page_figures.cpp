#include "app/panels/page_figures.h"

#include <string_view>
#include <utility>

#include "app/panels/copy.h"
#include "app/panels/guess.h"
#include "app/panels/reference_run.h"
#include "app/session/prediction.h"
#include "app/ui/key_pointer.h"
#include "app/ui/widgets.h"
#include "app/views/layout.h"
#include "app/views/views.h"
#include "gpu/message.h"
#include "lessons/exercise.h"
#include "lessons/page.h"

namespace warpbook::app {

bool is_stale(const Session& session, const LessonState& state) {
  if (state.latest && state.latest != state.shown) return true;
  if (session.activity.kind == Activity::Kind::running) return session.activity.seconds > 0.2;
  return session.activity.kind == Activity::Kind::idle && state.changed_since_run;
}

namespace {

struct EmptyWords {
  Wording title, next;
};

EmptyWords why_empty(const Session& session, const LessonState& state) {
  if (session.activity.kind != Activity::Kind::idle) return {say("Running"), say("The result comes here.")};
  if (state.latest && !state.shown) return {say("Nothing to show"), say("The run failed; the box above says what to try.")};
  if (session.open->exercise != nullptr && state.ran_ever)
    return {say("The last result was not kept"), say("Press Check to make it again.")};
  if (session.open->exercise != nullptr)
    return {say("Nothing has been checked yet"), lessons::is_compiled(*session.open->exercise)
                                                     ? say("Write the kernel, then press Check.")
                                                     : say("Write your answer, then press Check.")};
  if (state.shown && state.shown->on_gpu)
    return {say("Not observed"), say("The hardware keeps no record of this. Look inside shows it on the virtual GPU.")};
  if (state.shown) return {say("Not part of this run"), say("Another setting of the controls shows it.")};
  if (state.ran_ever) return {say("The last result was not kept"), say("Press Run to make it again.")};
  return {say("Nothing has run yet"), has_open_question(session) ? say("Guess first, then press Run.") : say("Press Run.")};
}

/// The mouse moves over it, or something in it has the keyboard.
bool looked_at(const Rect& view) {
  const auto inside = [&](ImVec2 at) { return at.x >= view.a.x && at.x < view.b.x && at.y >= view.a.y && at.y < view.b.y; };
  const ImGuiIO& io = ImGui::GetIO();
  const bool moved = io.MouseDelta.x != 0 || io.MouseDelta.y != 0;
  if (moved && ImGui::IsWindowHovered() && inside(io.MousePos)) return true;
  const NamedRect* const focused = focused_widget();
  return focused != nullptr && inside(focused->area.centre());
}

/// What a view of the run that is shown is given.
ViewState state_for(Session& session, Actions& actions, const lessons::Figure& figure, const std::string& name, bool stale,
                    const FigurePlace& place) {
  LessonState& state = session.lesson();
  ViewState told;
  told.stale = stale;
  told.shorter = place.shorter;
  told.guess = guess_marked_in(figure, session);
  told.room = place.room;
  if (state.shown && state.shown->live && !widgets_are_unnamed()) {
    told.start_again = [&state, &actions](const std::optional<ViewState::ControlValue>& with) {
      if (with) {
        lessons::Values values = state.values;
        values.set(with->control, with->value);
        actions.set_values(values);
      }
      actions.start_again();
    };
  }
  if (!widgets_are_unnamed())
    told.field = [&session, field = "view/" + name + "/field"](const Box& area, std::string_view placeholder, std::string& words) {
      Typing& typing = session.typing;
      static_cast<void>(text_field(field, {{area.x0, area.y0}, {area.x1, area.y1}}, words, placeholder, typing));
      if (typing.name == field) words = typing.text.str();
    };
  if (session.activity.kind == Activity::Kind::live)
    told.draw_heat = [&actions](double x, double y, double radius) { actions.draw_heat(x, y, radius); };
  return told;
}

/// The same view of the reference run and of the run that is shown, one below the other.
void draw_both_runs(Session& session, Actions& actions, const std::string& name, const std::vector<ReferenceView>& runs, bool stale,
                    const FigurePlace& place) {
  LessonState& state = session.lesson();
  for (const ReferenceView& run : runs) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    text(ImGui::GetWindowDrawList(), Face::label, at, theme().text.third, run.reference ? say("The kept run") : say("The run now"));
    ImGui::SetCursorScreenPos({place.at.x, at.y + line_height(Face::label) + px(8)});
    ViewState told = run.reference ? ViewState() : state_for(session, actions, *run.figure, name, stale, place);
    told.source = run.run->text;
    ViewMemory& memory = state.views[run.reference ? "kept/" + name : name];
    told.memory = memory;
    ImGui::PushID(run.reference ? "kept" : "now");
    draw_figure(*run.figure, place.width, told);
    ImGui::PopID();
    memory = std::move(told.memory);
    if (told.hover && !run.reference) session.hover = std::move(told.hover);
    const ImVec2 below = ImGui::GetCursorScreenPos();
    if (&run != &runs.back()) ImGui::SetCursorScreenPos({place.at.x, below.y + px(24)});
  }
}

}  // namespace

float draw_page_figure(Session& session, Actions& actions, const std::string& name, const FigurePlace& place) {
  LessonState& state = session.lesson();
  const auto [x, y] = place.at;
  bool stale = place.stale;
  ImGui::SetCursorScreenPos(place.at);
  const lessons::Figure* figure = state.shown ? find_figure(*state.shown, name) : nullptr;
  std::string_view shown_text = state.shown ? std::string_view(state.shown->text) : std::string_view();
  // What the hardware keeps no record of, the look inside has.
  if (figure == nullptr && state.inside) {
    figure = find_figure(*state.inside->here, name);
    shown_text = state.inside->here->text;
    if (figure != nullptr && !view_traits(name).beside_numbers) {
      text(ImGui::GetWindowDrawList(), Face::label, place.at, theme().text.third, say("Seen on the virtual GPU"));
      ImGui::SetCursorScreenPos({x, y + line_height(Face::label) + px(8)});
    }
    stale = false;
  }
  if (figure == nullptr) {
    if (view_traits(name).beside_numbers) return 0;
    const EmptyWords words = why_empty(session, state);
    // A run without this view is shown: there is nothing to keep room for.
    const bool left_out = state.shown && !state.shown->on_gpu;
    const float height = left_out ? empty_view_least_height() : px(view_traits(name).empty_height_css);
    draw_empty_view(place.width, height, words.title, words.next);
  } else if (const auto runs = place.printed ? std::vector<ReferenceView>() : views_of(state, name); !runs.empty()) {
    draw_both_runs(session, actions, name, runs, stale, place);
  } else {
    ViewState told = state_for(session, actions, *figure, name, stale, place);
    told.printed = place.printed;
    told.source = shown_text;
    told.memory = state.views[name];
    draw_figure(*figure, place.width, told);
    state.views[name] = std::move(told.memory);
    if (told.hover) session.hover = std::move(told.hover);
  }
  const Rect area = rect(x, y, place.width, ImGui::GetCursorScreenPos().y - y);
  if (figure != nullptr) {
    name_view("view/" + name, area);
    if (!place.printed) copyable_view(session, actions, *figure, name, area);
  } else {
    name_widget("view/" + name, area);
  }
  if (figure != nullptr && looked_at(area)) state.looked_ever = true;
  return area.height();
}

std::vector<std::string> shown_views(const LessonState& state) {
  std::vector<std::string> names;
  for (const lessons::Block& block : state.page.blocks) {
    if (block.kind != lessons::Block::Kind::view || !state.shown) continue;
    const bool there = find_figure(*state.shown, block.name) != nullptr ||
                       (state.inside && find_figure(*state.inside->here, block.name) != nullptr);
    if (there) names.push_back(block.name);
  }
  return names;
}

}  // namespace warpbook::app
