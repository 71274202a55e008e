#include "app/panels/page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "app/panels/arguments.h"
#include "app/panels/controls.h"
#include "app/panels/device_problem.h"
#include "app/panels/exercise.h"
#include "app/panels/export_menu.h"
#include "app/panels/guess.h"
#include "app/panels/linked_text.h"
#include "app/panels/look_inside.h"
#include "app/panels/next_lesson.h"
#include "app/panels/other_windows.h"
#include "app/panels/page_figures.h"
#include "app/panels/page_head.h"
#include "app/panels/program.h"
#include "app/panels/reference_run.h"
#include "app/panels/reset_lesson.h"
#include "app/panels/result.h"
#include "app/panels/stage_strip.h"
#include "app/session/prediction.h"
#include "app/ui/text_flow.h"
#include "app/ui/widgets.h"
#include "app/views/layout.h"
#include "gpu/message.h"
#include "lessons/device_formula.h"
#include "lessons/exercise.h"

namespace warpbook::app {
namespace {

using lessons::Block;

/// What stands at `y` (screen pixels) comes to stand below the page's head.
void scroll_to(const Session& session, float y) {
  const float above = tallest_page_head(session) + px(8);
  ImGui::SetScrollY(std::max(y - above - ImGui::GetWindowPos().y + ImGui::GetScrollY(), 0.0f));
}
/// All of it can be seen below the head at its tallest, or of what is higher than the page its beginning and more than half.
bool in_sight(const Session& session, float top, float bottom) {
  const float first = ImGui::GetWindowPos().y + tallest_page_head(session), last = ImGui::GetWindowDrawList()->GetClipRectMax().y;
  if (top < first) return false;
  return bottom <= last || (bottom - top > last - first && top - first < px(80));
}

constexpr float widest_column = 1120, widest_prose = 760;  // CSS pixels; a line of prose has some 95 characters then

/// Where the next thing goes.
struct PagePen {
  float x = 0, y = 0, width = 0;
  Block::Kind last = Block::Kind::rule;
  bool first = true;
  bool printed = false;
  bool reference_table = false;  // it is drawn
  TextLinks links = {};
};

/// Down to the window's lower edge while the page is not scrolled.
float room_below(const PagePen& pen) {
  const float top = pen.y + ImGui::GetScrollY() - ImGui::GetWindowPos().y;
  return std::max(ImGui::GetWindowHeight() - top - px(12), px(1));
}

/// Before and after, once a page: below the result, or above the first view of a page without one.
void reference_table(Session& session, PagePen& pen) {
  LessonState& state = session.lesson();
  if (pen.printed || pen.reference_table) return;
  pen.reference_table = true;
  const float top = pen.y, height = draw_reference(state, {pen.x, pen.y + px(16)}, pen.width);
  if (height == 0) return;
  pen.y += px(16) + height;
  if (std::exchange(state.bring_reference, false) && !in_sight(session, top, pen.y)) scroll_to(session, top);
}

// ---- text ----

std::vector<lessons::Span> filled(const std::vector<lessons::Span>& spans, const Session& session, const LessonState& state) {
  std::vector<lessons::Span> result = spans;
  for (lessons::Span& span : result) {
    if (span.text.find("{device:") != std::string::npos) span.text = lessons::DeviceFigures(session.device_info).fill_in(span.text);
    span.text = lessons::fill_in(span.text, *session.open, state.values);
  }
  return result;
}

void code_block(const Block& block, PagePen& pen) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  std::vector<std::string_view> lines;
  const std::string_view code = block.text;
  for (std::size_t at = 0; at < code.size();) {
    const auto end = std::min(code.find('\n', at), code.size());
    lines.push_back(code.substr(at, end - at));
    at = end + 1;
  }
  const float line = line_height(Face::code), height = static_cast<float>(lines.size()) * line + px(24);
  draw->AddRectFilled({pen.x, pen.y}, {pen.x + pen.width, pen.y + height}, t.background.raised, px(t.radius.box));
  float y = pen.y + px(12);
  for (const std::string_view words : lines) {
    text(draw, Face::code, {pen.x + px(16), y}, t.code.plain, words);
    y += line;
  }
  pen.y += height;
}

/// All rows of a table from block `i` on; `i` becomes its last row's.
void table_rows(const std::vector<Block>& blocks, std::size_t& i, Session& session, const LessonState& state, PagePen& pen) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  TextFlowStyle style = note_style();
  style.colour = t.text.second;
  for (;; ++i) {
    const Block& row = blocks[i];
    const float column = pen.width / static_cast<float>(std::max<std::size_t>(row.cells.size(), 1));
    float height = px(t.space.row_height);
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      TextFlowStyle cell = style;
      if (row.header) cell.plain = Face::label_strong, cell.colour = t.text.first;
      const ImVec2 at(pen.x + static_cast<float>(c) * column, pen.y + px(2));
      height = std::max(
          height, draw_linked_text(session, filled(row.cells[c], session, state), at, column - px(16), cell, pen.links) + px(4));
    }
    pen.y += height;
    hairline(draw, {pen.x, pen.y}, {pen.x + pen.width, pen.y}, t.background.line);
    if (i + 1 == blocks.size() || blocks[i + 1].kind != Block::Kind::table_row || blocks[i + 1].header) break;
  }
}

/// The gap above a block, in CSS pixels: 16, and 24 before results, views and headings.
float gap_before(const Block& block, Block::Kind last) {
  switch (block.kind) {
    case Block::Kind::result:
    case Block::Kind::view:
    case Block::Kind::heading:
      return 24;
    case Block::Kind::list_item:
      return last == Block::Kind::list_item ? 4 : 12;
    case Block::Kind::presets:
      return 12;
    case Block::Kind::stage:
      return 0;
    default:
      return 16;
  }
}

void compile_problem(const LessonState& state, PagePen& pen) {
  if (!state.compiled || !state.compiled->failure) return;
  const gpu::CompileFailure& failed = *state.compiled->failure;
  if (failed.reason == gpu::CompileFailure::Reason::source && state.compiled->text != state.text.str()) return;
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  if (failed.reason != gpu::CompileFailure::Reason::source) {
    pen.y += draw_failure(say("Nothing was compiled"), "", failed.message, {pen.x, pen.y}, pen.width) + px(16);
  } else if (state.shown) {
    const lessons::Exercise* const exercise = state.compiled->lesson->exercise;
    const bool kernel = exercise == nullptr || lessons::is_compiled(*exercise);
    const std::string_view words = kernel ? say("The kernel does not compile.") : say("The editor marks what cannot be read.");
    text(draw, Face::label, {pen.x, pen.y}, t.verdict.bad, words);
    const float wide = text_width(Face::label, words) + text_width(Face::label, " ");
    text(draw, Face::label, {pen.x + wide, pen.y}, t.text.third,
         kernel ? say("What follows is from the last version that compiled.") : say("What follows is from the last check."));
    pen.y += line_height(Face::label) + px(12);
  }
}

void stage_heading(const Session& session, const Block& block, LessonState& state, PagePen& pen) {
  // The first stages are the page's own order; what comes after the views says where the learner is now.
  const bool named = block.name == "change" || block.name == "make";
  if (named) pen.y += px(32);
  if (state.scroll_to_stage == block.name) {
    state.scroll_to_stage.clear();
    scroll_to(session, pen.y);
  }
  if (!named) return;
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  hairline(draw, {pen.x, pen.y}, {pen.x + pen.width, pen.y}, t.background.line);
  pen.y += px(16);
  text(draw, Face::digits, {pen.x, pen.y + px(4)}, t.text.third, stage_number(block.name));
  text(draw, Face::head, {pen.x + px(16), pen.y}, t.text.first, stage_title(block.name));
  pen.y += line_height(Face::head);
}

/// In the place of a result that would answer an open question.
void hidden(float height, PagePen& pen) {
  ImGui::SetCursorScreenPos({pen.x, pen.y});
  draw_empty_view(pen.width, height, say("Not shown yet"), say("Answer the question below first, or skip it."));
  pen.y = ImGui::GetCursorScreenPos().y;
}

/// The result: its numbers, its note, what the look inside has found, and the comparison with the reference run.
void draw_result_block(Session& session, std::size_t i, bool stale, PagePen& pen) {
  LessonState& state = session.lesson();
  const float top = pen.y;
  if (state.shown && question_follows(session, i)) {
    hidden(px(64), pen);
    return;
  }
  compile_problem(state, pen);
  ViewState told;
  told.stale = stale;
  told.printed = pen.printed;
  if (const lessons::Figure* const trials = state.shown ? find_figure_of<lessons::Trials>(*state.shown) : nullptr)
    told.guess = guess_marked_in(*trials, session);
  pen.y += draw_result(session, {pen.x, pen.y}, pen.width, told);
  if (told.hover) session.hover = std::move(told.hover);
  state.places.result_end = pen.y;
  if (state.shown && !state.failed() && !state.shown->outcome->note.empty()) {
    TextFlowStyle style = note_style();
    style.plain = Face::body;
    style.colour = stale ? theme().text.third : theme().text.second;
    pen.y += px(8);
    pen.y += draw_text_flow(ImGui::GetWindowDrawList(), inline_code(state.shown->outcome->note), {pen.x, pen.y}, pen.width, style);
  }
  if (state.inside) {
    if (pen.y > top) pen.y += px(16);
    pen.y += draw_look_inside(state, {pen.x, pen.y}, pen.width);
  }
  reference_table(session, pen);
}

/// A view; and, after a preset was chosen, scrolling to it (LessonState::bring_view).
void draw_view_block(Session& session, Actions& actions, const Block& block, std::size_t i, bool stale, PagePen& pen) {
  LessonState& state = session.lesson();
  const float top = pen.y;
  if (state.shown && question_follows(session, i)) {
    hidden(px(view_traits(block.name).empty_height_css), pen);
    return;
  }
  if (state.places.first_view.empty()) state.places.first_view = block.name;
  if (state.reference && !pen.reference_table) {
    reference_table(session, pen);
    pen.y += px(24);
  }
  pen.y += draw_page_figure(session, actions, block.name,
                            {.at = {pen.x, pen.y},
                             .width = pen.width,
                             .stale = stale,
                             .room = pen.printed ? 0 : room_below(pen),
                             .printed = pen.printed});
  if (state.bring_view == block.name) {
    // A run, or one that is about to begin, may still change what stands above.
    const bool settled = session.activity.kind != Activity::Kind::running && (!stale || !session.rerun);
    state.bring_frames = settled ? state.bring_frames + 1 : 0;
    const bool by_hand = ImGui::GetIO().MouseWheel != 0;
    if (state.bring_frames > 2 || by_hand) state.bring_view.clear(), state.bring_frames = 0;
    if (!by_hand && !in_sight(session, top, pen.y)) scroll_to(session, top);
  }
}

/// A question; scrolls to it if Run has asked for its answer (LessonState::bring_question).
void draw_question_block(Session& session, Actions& actions, const Block& block, PagePen& pen) {
  LessonState& state = session.lesson();
  if (state.bring_question && is_open(session, block)) {
    state.bring_question = false;
    if (!in_sight(session, pen.y, pen.y + px(160))) scroll_to(session, pen.y - px(40));
  }
  pen.y += draw_guess(session, actions, block, {pen.x, pen.y}, pen.width);
}

void draw_exercise_block(Session& session, const Block& block, PagePen& pen) {
  if (const auto exercise = lessons::find_exercise(block.name)) {
    if (draw_exercise(session, **exercise, {pen.x, pen.y}, pen.width, pen.printed)) pen.links.lesson = &(*exercise)->as_lesson;
    pen.y += exercise_height();
  }
}

/// What the numbers of item `i`'s list need beyond the room of one digit.
float list_number_room(const std::vector<Block>& blocks, std::size_t i) {
  int largest = 0;
  const auto same_list = [&](std::size_t j) {
    return blocks[j].kind == Block::Kind::list_item && blocks[j].level >= blocks[i].level;
  };
  for (std::size_t j = i; j < blocks.size() && same_list(j); ++j)
    if (blocks[j].level == blocks[i].level) largest = std::max(largest, static_cast<int>(blocks[j].ordinal));
  return largest < 10 ? 0 : text_width(Face::prose, std::to_string(largest)) - text_width(Face::prose, "9");
}

/// Paragraphs, headings, items and quotes.
void draw_prose_block(Session& session, const std::vector<Block>& blocks, std::size_t i, PagePen& pen) {
  const Theme& t = theme();
  const Block& block = blocks[i];
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float top = pen.y;
  const auto prose = [&](float indent, const TextFlowStyle& style) {
    const float room = std::min(pen.width, px(widest_prose)) - indent;
    pen.y +=
        draw_linked_text(session, filled(block.spans, session, session.lesson()), {pen.x + indent, pen.y}, room, style, pen.links);
  };
  switch (block.kind) {
    case Block::Kind::paragraph:
      prose(0, prose_style());
      break;
    case Block::Kind::heading: {
      TextFlowStyle style = prose_style();
      style.plain = Face::head;
      style.colour = t.text.first;
      prose(0, style);
      break;
    }
    case Block::Kind::list_item: {
      const std::string bullet = block.ordinal > 0 ? std::to_string(block.ordinal) + "." : "·";
      const float room = list_number_room(blocks, i), indent = px(20) * static_cast<float>(std::max(block.level, 1)) + room;
      text(draw, Face::prose, {pen.x + indent - px(18) - room, pen.y}, t.text.third, bullet);
      prose(indent, prose_style());
      break;
    }
    case Block::Kind::quote:
      prose(px(16), prose_style());
      draw->AddRectFilled({pen.x, top}, {pen.x + px(2), pen.y}, t.background.line_strong);
      break;
    default:
      break;
  }
}

void draw_block(Session& session, Actions& actions, const std::vector<Block>& blocks, std::size_t& i, bool stale, PagePen& pen) {
  const Theme& t = theme();
  LessonState& state = session.lesson();
  const Block& block = blocks[i];
  ImDrawList* draw = ImGui::GetWindowDrawList();
  if (block.kind == Block::Kind::view && view_traits(block.name).beside_numbers) return;
  const float before = pen.y;
  const float gap = pen.first ? 0 : px(gap_before(block, pen.last));
  pen.y += gap;
  const float top = pen.y;
  switch (block.kind) {
    case Block::Kind::paragraph:
    case Block::Kind::heading:
    case Block::Kind::list_item:
    case Block::Kind::quote:
      draw_prose_block(session, blocks, i, pen);
      break;
    case Block::Kind::code:
      code_block(block, pen);
      break;
    case Block::Kind::image:
      ImGui::SetCursorScreenPos({pen.x, pen.y});
      draw_page_image(state.images.at(block.name), pen.width, block.text);
      pen.y = ImGui::GetCursorScreenPos().y;
      name_widget("image/" + block.name, rect(pen.x, top, pen.width, pen.y - top));
      break;
    case Block::Kind::table_row:
      table_rows(blocks, i, session, state, pen);
      break;
    case Block::Kind::rule:
      hairline(draw, {pen.x, pen.y}, {pen.x + pen.width, pen.y}, t.background.line);
      pen.y += px(1);
      break;
    case Block::Kind::controls:
      pen.y += draw_controls(session, actions, {pen.x, pen.y}, pen.width);
      break;
    case Block::Kind::arguments:
      pen.y += draw_arguments(session, actions, {pen.x, pen.y}, pen.width);
      break;
    case Block::Kind::program:
      pen.y += draw_program(session, actions, {pen.x, pen.y}, pen.width, pen.printed);
      break;
    case Block::Kind::presets:
      pen.y += draw_presets(session, actions, {pen.x, pen.y}, pen.width);
      state.places.presets_top = top;
      state.places.presets_end = pen.y;
      break;
    case Block::Kind::guess:
    case Block::Kind::mark:
      draw_question_block(session, actions, block, pen);
      break;
    case Block::Kind::exercise:
      draw_exercise_block(session, block, pen);
      break;
    case Block::Kind::result:
      draw_result_block(session, i, stale, pen);
      break;
    case Block::Kind::view:
      draw_view_block(session, actions, block, i, stale, pen);
      break;
    case Block::Kind::stage:
      pen.y = before;
      stage_heading(session, block, state, pen);
      break;
  }
  if (pen.y == top && block.kind != Block::Kind::stage) {
    pen.y = before;  // drew nothing: no gap either
    return;
  }
  if (block.kind == Block::Kind::stage && pen.y == before) return;
  pen.last = block.kind;
  pen.first = false;
}

void draw_column(Session& session, Actions& actions, const Layout& layout, bool printed) {
  const Theme& t = theme();
  LessonState& state = session.lesson();
  const float padding = px(t.space.page_padding);
  if (const float by = std::exchange(session.scroll_by, 0.0f); by != 0) ImGui::SetScrollY(ImGui::GetScrollY() + by);
  const float scrolled = ImGui::GetScrollY();
  // On a wide window the column stays one that can be read, in the middle.
  const float width = std::min(layout.page.width() - 2 * padding, px(widest_column));
  const float left = snap(layout.page.a.x + (layout.page.width() - width) / 2);
  PagePen pen{.x = left, .y = layout.page.a.y - scrolled, .width = width, .printed = printed};
  session.pointed_control.clear();
  if (printed) {
    pen.y += draw_printed_head(session, {pen.x, pen.y}, pen.width);
  } else {
    const float head = draw_page_head(session, actions, layout.page, {left, width}, pen.links);
    ImGui::PushClipRect({layout.page.a.x, head}, layout.page.b, true);
    pen.y += px(t.space.header);
  }
  pen.y += draw_stage_strip(session, {pen.x, pen.y}, pen.width, pen.links);
  if (!printed) pen.y += draw_exported(state.exported, actions, {pen.x, pen.y}, pen.width);
  pen.y += draw_other_windows(session, {pen.x, pen.y}, pen.width);
  if (!session.not_kept.empty() && !printed)
    pen.y += draw_failure(say("Your work is not kept"), "", session.not_kept, {pen.x, pen.y}, pen.width) + px(16);
  if (!session.not_read.empty() && !printed)
    pen.y += draw_failure(say("Something that was kept cannot be read"), "", session.not_read, {pen.x, pen.y}, pen.width) + px(16);
  if (!session.notice.empty())
    pen.y += draw_failure(say("Something is missing"), "", session.notice, {pen.x, pen.y}, pen.width) + px(16);
  if (const std::string problem = session.opened.problem(); !problem.empty())
    pen.y += draw_failure(say("Not opened"), "", problem, {pen.x, pen.y}, pen.width) + px(16);
  pen.y += draw_device_problem(session, actions, {pen.x, pen.y}, pen.width, printed);
  if (!state.page_problem.empty()) {
    const Wording title = state.page.blocks.empty() ? say("This page cannot be shown") : say("The page's new text cannot be shown");
    pen.y += draw_failure(title, "", state.page_problem, {pen.x, pen.y}, pen.width) + px(16);
  }
  const bool stale = is_stale(session, state);
  for (std::size_t i = 0; i < state.page.blocks.size(); ++i) {
    draw_block(session, actions, state.page.blocks, i, stale, pen);
    if (state.page.blocks[i].kind == Block::Kind::program && !has_launches(session)) break;  // nothing to look at yet
  }
  pen.y += px(32);
  if (!printed) {
    pen.y += draw_next_lesson(session, {pen.x, pen.y}, pen.width, pen.links.lesson) + px(24);
    pen.y += draw_reset_lesson(session, actions, {pen.x, pen.y});
  }
  // The end of the page, so that ImGui knows how far it scrolls.
  ImGui::SetCursorScreenPos({layout.page.a.x, pen.y + px(32)});
  ImGui::Dummy({1, 1});
  if (printed) return;
  ImGui::PopClipRect();
  draw_undo_bar(session, actions, layout.page);
  follow_links(session, actions, pen.links);  // may open another lesson
}

}  // namespace

void draw_page(Session& session, Actions& actions, const Layout& layout) { draw_column(session, actions, layout, false); }
void draw_printed_page(Session& session, Actions& actions, const Layout& layout) { draw_column(session, actions, layout, true); }

}  // namespace warpbook::app
