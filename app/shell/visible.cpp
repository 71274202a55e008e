#include "app/shell/visible.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "app/session/prediction.h"
#include "app/ui/widgets.h"

namespace warpbook::app {
namespace {

std::string_view name_of(Activity::Kind kind) {
  switch (kind) {
    case Activity::Kind::idle:
      return "idle";
    case Activity::Kind::running:
      return "running";
    case Activity::Kind::live:
      return "live";
    case Activity::Kind::looking:
      return "looking";
    case Activity::Kind::recording:
      return "recording";
    case Activity::Kind::sweeping:
      break;
  }
  return "sweeping";
}

std::string_view name_of(Overlay overlay) {
  switch (overlay) {
    case Overlay::none:
      return "none";
    case Overlay::settings:
      return "settings";
    case Overlay::shortcuts:
      return "shortcuts";
    case Overlay::glossary:
      return "glossary";
    case Overlay::progress:
      return "progress";
    case Overlay::closing:
      return "closing";
    case Overlay::browse:
      break;
  }
  return "browse";
}

/// A question of the page: whether it is open, and its answer for the controls as they stand.
nlohmann::json question_json(const Session& session, const lessons::Block& block) {
  nlohmann::json json{{"open", is_open(session, block)}, {"answer", nullptr}, {"found", nullptr}};
  const lessons::Answer* const answer = answer_now(session, block.name);
  if (answer == nullptr) return json;
  json["answer"] = answer->value ? nlohmann::json(*answer->value) : nlohmann::json(answer->marks);
  if (answer->found) json["found"] = answer->value ? nlohmann::json(answer->found->value) : nlohmann::json(answer->found->marks);
  return json;
}

using Json = nlohmann::json;

/// What is on screen whichever lesson is open.
void add_window(Json& json, const Session& session) {
  json["appearance"] = session.appearance == Appearance::dark ? "dark" : "light";
  json["device"] = session.device;
  json["notice"] = session.notice;
  json["close"] = session.close;
  json["not_kept"] = session.not_kept;
  json["not_read"] = session.not_read;
  json["device_problem"] = session.device_problem.error.message;
  json["restart_with"] = session.restart_with ? Json(*session.restart_with) : Json();
  json["activity"] = name_of(session.activity.kind);
  json["paused"] = session.activity.paused == session.open;
  json["frames_per_second"] = session.activity.frames_per_second;
  json["overlay"] = name_of(session.overlay);
  // Of the display: how large letters are baked, and by how much they are stretched when drawn.
  json["type"] = {{"baked", font(Face::body)->FontSize},
                  {"stretched", ImGui::GetIO().FontGlobalScale * ImGui::GetIO().DisplayFramebufferScale.x}};
  json["zoom"] = std::round(100 * session.zoom) / 100.0;
  json["focus"] = focused_widget() != nullptr ? focused_widget()->name : "";
  if (session.hover) json["hovered"] = {{"block", session.hover->block}, {"thread", session.hover->thread}};
  const LessonsDone all = lessons_done(session);
  json["lessons"] = {{"done", all.done}, {"of", all.of}};
  json["tour"] = session.tour ? static_cast<int>(*session.tour) : -1;
  json["other_windows"] = session.other_windows;
  json["brought"] = session.brought.problem;
  json["copied"] = session.copied.words;
  json["glossary"] = {{"at", session.glossary.at}, {"words", session.glossary.words}};
  json["pointed_control"] = session.pointed_control;
  // Where the mouse was when this was drawn: all that came before its last move has been handled.
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  json["pointer"] = {{"x", std::round(pointer.x)}, {"y", std::round(pointer.y)}};
  json["lines_drawn"] = code_counters().drawn;
  json["lines_scanned"] = code_counters().scanned;
  json["widgets"] = Json::parse(widgets_as_json());
}

void add_text(Json& json, const LessonState& state) {
  json["edited"] = state.edited();
  const auto place = [](EditorText::Position at) { return std::to_string(at.line + 1) + ":" + std::to_string(at.byte + 1); };
  json["caret"] = place(state.text.caret());
  json["selected"] = state.text.has_selection() ? place(state.text.selection_begin()) + " " + state.text.selected() : "";
  json["compile_errors"] = Json::array();
  if (!state.compiled || !state.compiled->failure) return;
  for (const gpu::Diagnostic& d : state.compiled->failure->diagnostics)
    if (d.severity == gpu::Diagnostic::Severity::error)
      json["compile_errors"].push_back({{"line", d.line}, {"message", d.message}});
}

void add_program(Json& json, const Session& session, const LessonState& state) {
  if (!shows_program(session)) return;
  json["program"] = {{"running", session.program.running},
                     {"problem", session.program.problem},
                     {"output", session.program.output},
                     {"source", shown_file(session)},
                     {"text", state.text.str()}};
}

void add_questions(Json& json, const Session& session, const LessonState& state) {
  json["guesses"] = Json::object();
  for (const auto& [name, guess] : state.guesses) {
    if (guess.answers.empty()) continue;
    const lessons::Answer& newest = guess.answers.back();
    json["guesses"][name] = newest.value ? Json(*newest.value) : Json(newest.marks);
  }
  json["asking"] = state.asking;
  json["asked_to_predict"] = state.asked_to_predict;
  json["questions"] = Json::object();
  for (const lessons::Block& block : state.page.blocks)
    if (block.asks()) json["questions"][block.name] = question_json(session, block);
}

void add_results(Json& json, const LessonState& state) {
  json["stale"] = state.changed_since_run;
  json["error"] = state.latest && state.latest->error ? state.latest->error->code : "";
  json["numbers"] = Json::object();
  json["findings"] = Json::array();
  if (state.shown)
    for (const lessons::Number& number : state.shown->outcome->numbers) json["numbers"][number.name] = number.value;
  if (const lessons::Outcome* const outcome = state.observed())
    for (const gpu::Finding& finding : outcome->report.findings) json["findings"].push_back(gpu::name_of(finding.kind));
  if (state.reported) json["status"] = state.reported->outcome->report.status;
  json["drawing"] = state.shown && state.shown->live ? state.shown->drawing.word : "";
  json["kept"] = state.reference.has_value();
  json["looked_inside"] = state.inside != nullptr;
  json["exported"] = {{"words", state.exported.words}, {"path", state.exported.path}, {"failed", state.exported.failed}};
}

void add_stepper(Json& json, const Stepper& stepper) {
  if (!stepper.open || !stepper.replay) return;
  const StepView& view = stepper.view;
  Json shown = {{"position", view.position}, {"end", view.end},
                {"line", view.line},         {"instruction", view.instruction},
                {"warp", view.warp},         {"lanes", view.lanes.on},
                {"ptx", stepper.ptx},        {"variables", Json::object()},
                {"changed", Json::array()},  {"registers", Json::object()}};
  for (const StepView::Group& group : view.groups)
    for (const StepView::Variable& row : group.rows) {
      shown["variables"][row.name] = row.remark.empty() ? Json(row.lanes) : Json(row.remark);
      if (row.changed) shown["changed"].push_back(row.name);
    }
  for (const StepView::Row& row : view.registers) shown["registers"][row.name] = row.lanes;
  json["stepper"] = std::move(shown);
}

void add_bench(Json& json, const Session& session, const LessonState& state) {
  constexpr std::string_view tabs[] = {"kernel", "host", "numba", "given", "solution"};
  json["tab"] = state.stepper.open ? "steps" : tabs[static_cast<std::size_t>(state.tab)];
  if (!state.host || (state.tab != BenchTab::host && state.tab != BenchTab::numba)) return;
  const CodeView& view = state.tab == BenchTab::host ? state.host_view : state.numba_view;
  json["host"] = {{"current", is_current(*state.host, session)}, {"selected", view.text.selected()}};
  json["host"]["launch"] = view.marked > 0 ? view.text.lines()[view.marked - 1] : "";
}

void add_sweep(Json& json, const SweepState& desk) {
  if (!desk.open) return;
  Json shown = {{"over", desk.over}, {"exported", desk.exported}, {"result", desk.chart.result}, {"values", Json::array()}};
  shown["points"] = desk.last ? desk.last->points.size() : 0;
  shown["tried"] = desk.last ? desk.last->tried() : 0;
  shown["running"] = desk.last && desk.last->state == lessons::Sweep::State::running;
  for (const auto& cell : desk.chart.cells) {
    const bool there = cell.state == lessons::SweepChart::Cell::State::there;
    shown["values"].push_back(there ? Json(cell.value) : Json());
  }
  json["sweep"] = std::move(shown);
}

}  // namespace

std::string visible_as_json(const Session& session) {
  Json json;
  const LessonState& state = session.lessons.at(session.open->id);
  json["lesson"] = session.open->id;
  json["slide"] = session.presenting ? static_cast<int>(state.slide) : -1;
  for (const lessons::StageDone& stage : stages_of(session, *session.open)) json["stages"][std::string(stage.name)] = stage.done;
  json["values"] = state.values.all();
  json["texts"] = state.values.texts();
  json["page_problem"] = state.page_problem;
  add_window(json, session);
  add_text(json, state);
  add_program(json, session, state);
  add_questions(json, session, state);
  add_results(json, state);
  add_stepper(json, state.stepper);
  add_bench(json, session, state);
  add_sweep(json, state.sweep);
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace warpbook::app
