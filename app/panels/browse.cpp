#include "app/panels/browse.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "gpu/message.h"

namespace warpbook::app {
namespace {

constexpr float row_css = 32;

std::filesystem::path home_folder() { return at_home("~"); }

ListedFiles listed_files(const Session& session) { return shows_program(session) ? ListedFiles::programs : ListedFiles::sources; }

/// A program is only named: it may want arguments. A record is opened.
void choose(Session& session, Actions& actions, const std::filesystem::path& file) {
  if (!shows_program(session) || file.extension() == ".record") return actions.open_file(file.string());
  session.lesson().folder = file.parent_path();
  session.program.problem.clear();
  session.program.line = line_of(file.extension() == ".py" ? std::vector<std::string>{"python3", file.string()}
                                                           : std::vector<std::string>{file.string()});
}

/// The list of another folder, from its top; the keyboard goes to its first row.
void go_to(Session& session, const std::filesystem::path& folder) {
  session.browsed = list_folder(folder, listed_files(session));
  ImGui::SetScrollY(0);
  if (!session.browsed.entries.empty()) focus_on("browse/item/" + session.browsed.entries.front().name);
}

/// Arrows go through the list, Backspace to the folder above: these keys are taken.
void work_keys(Session& session, std::filesystem::path& next) {
  std::erase_if(session.keys, [&](const KeyEvent& event) {
    if (event.key == KeyEvent::Key::up || event.key == KeyEvent::Key::down) {
      move_focus(event.key == KeyEvent::Key::down ? 1 : -1);
      return true;
    }
    if (event.key != KeyEvent::Key::backspace) return false;
    next = session.browsed.folder.parent_path();
    return true;
  });
}

/// A folder or a file; true: it was chosen.
bool row_of(const FolderListing::Entry& entry, const Rect& area) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const bool enabled = entry.why_not.empty();
  const HitArea at = hit_area("browse/item/" + entry.name, area, enabled);
  if (at.hovered && enabled) draw->AddRectFilled(area.a, area.b, fill_of(at), px(t.radius.control));
  const float middle = area.centre().y;
  icon(draw, entry.folder ? Icon::folder : Icon::file, {area.a.x + px(18), middle}, px(14),
       enabled ? t.text.third : t.text.disabled);
  text_clipped(draw, Face::body, {area.a.x + px(40), middle - line_height(Face::body) / 2}, area.width() - px(48),
               enabled ? t.text.first : t.text.disabled, entry.name);
  if (at.focused) focus_ring({{area.a.x + px(3), area.a.y + px(3)}, {area.b.x - px(3), area.b.y - px(3)}}, t.hand.line, 2);
  hint(at, entry.why_not);
  return at.clicked;
}

}  // namespace

void open_browse(Session& session) {
  const std::filesystem::path& program = session.lesson().folder;
  session.browsed = list_folder(program.empty() ? home_folder() : program, listed_files(session));
  open_overlay(session, Overlay::browse);
}

bool draw_browse(Session& session, Actions& actions, const Rect& inside) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  std::filesystem::path next;
  const float height = px(t.space.control_height);
  const ButtonLook up{.label = say("Folder above"), .hint = say("Backspace")}, home{.label = say("Home")};
  const Rect up_area = rect(inside.b.x - button_width(up), inside.a.y, button_width(up), height);
  const Rect home_area = rect(up_area.a.x - px(8) - button_width(home), inside.a.y, button_width(home), height);
  if (button("browse/home", home_area, home)) next = home_folder();
  if (button("browse/up", up_area, up)) next = session.browsed.folder.parent_path();
  text(draw, Face::label_code, {inside.a.x, home_area.centre().y - line_height(Face::label_code) / 2}, t.text.second,
       end_that_fits(Face::label_code, session.browsed.folder.string(), home_area.a.x - px(16) - inside.a.x));

  const Rect list{{inside.a.x, home_area.b.y + px(12)}, inside.b};
  hairline(draw, list.a, {list.b.x, list.a.y}, t.background.line);
  if (session.overlay_fresh && !session.browsed.entries.empty()) focus_on("browse/item/" + session.browsed.entries.front().name);
  ImGui::SetCursorScreenPos({list.a.x, list.a.y + px(8)});
  ImGui::BeginChild("browse", {list.width(), list.height() - px(8)});
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const float width = list.width() - px(16);  // the scroll bar's
  float y = top.y;
  std::filesystem::path file;
  for (const FolderListing::Entry& entry : session.browsed.entries) {
    if (row_of(entry, rect(top.x, y, width, px(row_css)))) (entry.folder ? next : file) = session.browsed.folder / entry.name;
    y += px(row_css);
  }
  std::string words = session.browsed.problem;
  if (words.empty() && session.browsed.entries.empty())
    words = shows_program(session) ? say("There is no folder, no program and no record here.")
                                   : say("There is no folder and no .cu file here.");
  if (session.browsed.left_out > 0)
    words = say("{left_out} more are not listed: type their path.", "left_out"_a = session.browsed.left_out);
  if (!words.empty()) {
    text(ImGui::GetWindowDrawList(), Face::body, {top.x + px(12), y + px(8)},
         session.browsed.problem.empty() ? t.text.third : t.verdict.bad, words);
    y += px(row_css);
  }
  ImGui::SetCursorScreenPos({top.x, y});
  ImGui::Dummy({1, 1});
  work_keys(session, next);  // now that all rows are there to go to
  if (!next.empty()) go_to(session, next);
  ImGui::EndChild();
  if (!file.empty()) choose(session, actions, file);
  return !file.empty();
}

}  // namespace warpbook::app
