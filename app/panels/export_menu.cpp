#include "app/panels/export_menu.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/panels/page.h"
#include "app/panels/page_figures.h"
#include "app/ui/text_flow.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

struct MenuRow {
  std::string name, label, why_not;
  Export what;
};

std::vector<MenuRow> rows_of(const Session& session, const LessonState& state) {
  const std::string device = session.device.empty() ? say("The device is still starting.") : "";
  const std::string run = state.shown ? "" : say("Run first: there are no results yet.");
  const bool twin = !session.open->playground;
  std::vector<MenuRow> rows;
  if (session.open->exercise == nullptr && !shows_program(session)) {
    rows.push_back({"export/cu", say("Program in CUDA C++ (.cu)"), device, {.kind = Export::Kind::cuda, .view = {}}});
    rows.push_back({"export/py",
                    say("Program in Numba Python (.py)"),
                    twin ? device : say("An opened file has no twin in Python."),
                    {.kind = Export::Kind::numba, .view = {}}});
    rows.push_back({"export/csv", say("Results of this session's runs (.csv)"), run, {.kind = Export::Kind::csv, .view = {}}});
  }
  rows.push_back({"export/page", say("Picture of the whole page (.png)"), "", {.kind = Export::Kind::page, .view = {}}});
  for (const std::string& view : shown_views(state))
    rows.push_back({"export/view/" + view,
                    say("Picture: {view} (.png)", "view"_a = view_words(view)),
                    "",
                    {.kind = Export::Kind::view, .view = view}});
  if (session.open->live)
    rows.push_back({"export/field",
                    say("Animation: the field, four seconds (.gif)"),
                    why_no_animation(session, Export::Kind::field),
                    {.kind = Export::Kind::field, .view = {}}});
  rows.push_back({"export/steps",
                  say("Animation: the recorded steps (.gif)"),
                  why_no_animation(session, Export::Kind::steps),
                  {.kind = Export::Kind::steps, .view = {}}});
  return rows;
}

}  // namespace

std::string why_no_animation(const Session& session, Export::Kind kind) {
  const LessonState& state = session.lesson();
  if (kind == Export::Kind::steps) {
    if (!state.stepper.replay) return say("Step through first: the animation shows the recorded steps.");
    return {};
  }
  if (session.activity.kind != Activity::Kind::live) return say("Press Run first: the animation shows the field while it moves.");
  return {};
}

std::string view_words(std::string_view view) {
  if (const ToSay& known = view_traits(view).words; !known.empty()) return say(known);
  std::string words(view);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

float draw_export(Session& session, Actions& actions, float right, float base) {
  const Theme& t = theme();
  const LessonState& state = session.lesson();
  const float width = text_width(Face::label, say("Export"));
  const ImVec2 at(snap(right - width), base - baseline(Face::label));
  if (link("export", Face::label, at, say("Export"), t.text.second)) ImGui::OpenPopup("export menu");
  const std::vector<MenuRow> rows = rows_of(session, state);
  float wide = 0;
  for (const MenuRow& row : rows) wide = std::max(wide, text_width(Face::label, row.label));
  wide += px(40);
  ImGui::SetNextWindowPos({right - wide - px(8), at.y + line_height(Face::label) + px(8)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(4), px(4)});
  std::optional<Export> chosen;
  if (ImGui::BeginPopup("export menu", ImGuiWindowFlags_NoMove)) {
    for (const MenuRow& row : rows) {
      const std::string why = state.exported.busy ? say("The last one is still being written.") : row.why_not;
      if (list_row(row.name, row.label, false, wide, why)) chosen = row.what;
    }
    if (chosen) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
  if (chosen) actions.export_as(*chosen);
  return width;
}

float draw_exported(Exported& exported, Actions& actions, ImVec2 at, float width) {
  if (exported.words.empty()) return 0;
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const bool path = !exported.path.empty();
  const float line = line_height(Face::label), code = line_height(Face::label_code), room = width - px(32);
  const auto problem = inline_code(exported.folder.problem());
  TextFlowStyle style = note_style();
  style.colour = t.verdict.bad;
  const float problem_height = problem.empty() ? 0 : draw_text_flow(nullptr, problem, {}, room, style) + px(6);
  const float height = px(20) + line + (path ? code + px(4) : 0) + problem_height;
  draw->AddRectFilled(at, {at.x + width, at.y + height}, exported.failed ? t.verdict.bad_tint : t.background.raised,
                      px(t.radius.box));
  float y = at.y + px(10);
  float right = at.x + width - px(16);
  if (exported.part) {
    const Rect bar = {{at.x, at.y + height - px(3)}, {at.x + width, at.y + height}};
    draw->AddRectFilled(bar.a, {bar.a.x + bar.width() * static_cast<float>(*exported.part), bar.b.y}, t.hand.line);
    right -= text_width(Face::label, say("Cancel"));
    if (link("exported/cancel", Face::label, {right, y}, say("Cancel"), t.text.first, true)) actions.cancel_export();
    right -= px(16);
  }
  right -= text_width(Face::label, say("Close"));
  if (!exported.part && link("exported/close", Face::label, {right, y}, say("Close"), t.text.second, true)) {
    exported = {};
    return height + px(16);
  }
  if (path) {
    right -= px(16) + text_width(Face::label, say("Open folder"));
    if (link("exported/folder", Face::label, {right, y}, say("Open folder"), t.text.first, true))
      exported.folder = open_on_desktop(std::filesystem::path(exported.path).parent_path().string());
    right -= px(16) + text_width(Face::label, say("Copy path"));
    if (link("exported/copy", Face::label, {right, y}, say("Copy path"), t.text.first, true))
      ImGui::SetClipboardText(exported.path.c_str());
  }
  const bool opens = exported.folder.asked() && problem.empty();
  text_clipped(draw, Face::label, {at.x + px(16), y}, right - at.x - px(32), exported.failed ? t.verdict.bad : t.text.second,
               opens ? say("Your file manager opens the folder.") : exported.words);
  y += line + px(4);
  if (path) {
    text(draw, Face::label_code, {at.x + px(16), y}, t.text.first, end_that_fits(Face::label_code, exported.path, room));
    y += code + px(2);
  }
  if (!problem.empty()) draw_text_flow(draw, problem, {at.x + px(16), y}, room, style);
  return height + px(16);
}

}  // namespace warpbook::app
