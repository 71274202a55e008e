#include "app/panels/present.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/panels/controls.h"
#include "app/panels/page.h"
#include "app/panels/page_figures.h"
#include "app/panels/result.h"
#include "app/session/comparison.h"
#include "app/session/editor_notes.h"
#include "app/text/kernel_lines.h"
#include "app/ui/code_line.h"
#include "app/ui/text_flow.h"
#include "app/views/views.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

constexpr float margin = 32, present_bar_height = 48;  // CSS pixels, which are large here

// ---- the numbers ----

std::vector<const lessons::Number*> numbers_of(const LessonState& state) {
  std::vector<const lessons::Number*> numbers;
  if (!state.shown || state.failed()) return numbers;
  for (const lessons::Number& number : state.shown->outcome->numbers) {
    if (number.on_page) numbers.push_back(&number);
  }
  return numbers;
}

/// One below the other; the one that counts as large as there is room for.
void numbers_column(const LessonState& state, const Rect& area) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const auto numbers = numbers_of(state);
  float wanted = 0;
  const auto face_of = [&](const lessons::Number& number, Face largest) {
    const bool counts = number.tone == lessons::Number::Tone::first;
    const bool fits = text_width(Face::hero, printed(number)) + unit_width(number) <= area.width();
    if (counts && largest == Face::hero && fits) return Face::hero;
    return largest == Face::figure ? Face::figure : Face::result;
  };
  const auto height_of = [&](Face face) { return px(16) + line_height(face) + px(face == Face::hero ? 20 : 12); };
  Face largest = Face::hero;
  for (const Face face : {Face::hero, Face::result, Face::figure}) {
    largest = face;
    wanted = 0;
    for (const auto* number : numbers) wanted += height_of(face_of(*number, face));
    if (wanted <= area.height()) break;
  }
  float y = area.a.y;
  for (const auto* number : numbers) {
    const Face face = face_of(*number, largest);
    if (y + height_of(face) > area.b.y + px(20)) break;
    text(draw, Face::label, {area.a.x, y}, t.text.second, say(number->label));
    const float wide = text(draw, face, {area.a.x, y + px(16)}, colour_of(number->tone), printed(*number));
    if (!number->unit.empty()) {
      text(draw, Face::body, {area.a.x + wide + px(6), y + px(16) + baseline(face) - baseline(Face::body)}, t.text.second,
           number->unit);
    }
    y += height_of(face);
  }
}

/// On one line, at the right: "Expected 4096   Got 1". What has no room is left out, from the end: the first ones matter most.
void numbers_line(const LessonState& state, const Rect& area) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float y = area.centre().y - line_height(Face::head) / 2, between = px(24);
  const auto value_of = [](const lessons::Number& number) {
    return printed(number) + (number.unit.empty() ? "" : " " + number.unit);
  };
  const auto width_of = [&](const lessons::Number& number) {
    return text_width(Face::label, say(number.label)) + px(8) + text_width(Face::head, value_of(number));
  };
  std::vector<const lessons::Number*> fitting;
  float wide = -between;
  for (const lessons::Number* const number : numbers_of(state)) {
    if (wide + between + width_of(*number) > area.width()) continue;
    wide += between + width_of(*number);
    fitting.push_back(number);
  }
  float x = area.b.x - wide;
  for (const lessons::Number* const number : fitting) {
    text(draw, Face::label, {x, y + baseline(Face::head) - baseline(Face::label)}, t.text.third, say(number->label));
    text(draw, Face::head, {x + text_width(Face::label, say(number->label)) + px(8), y}, colour_of(number->tone),
         value_of(*number));
    x += width_of(*number) + between;
  }
}

// ---- the kernel ----

const gpu::Finding* finding_at(const LessonState& state, std::size_t line) {
  const lessons::Outcome* const outcome = state.observed();
  if (outcome == nullptr) return nullptr;
  const auto& findings = outcome->report.findings;
  const auto it = std::find_if(findings.begin(), findings.end(), [&](const gpu::Finding& f) {
    return f.at.line == line + 1 && !(state.reported->program && in_header(state.reported->program->headers, f.at.file));
  });
  return it == findings.end() ? nullptr : &*it;
}

void kernel(const lessons::Lesson& lesson, const LessonState& state, const Rect& area) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(area.a, area.b, t.background.window, px(t.radius.box));
  const auto& lines = state.text.lines();
  std::vector<std::size_t> shown = kernel_lines(lines, lesson.kernel, lessons::macros_of(lesson, state.values));
  if (shown.empty()) {
    for (std::size_t i = 0; i < lines.size(); ++i) shown.push_back(i);
    while (shown.size() > 1 && lines[shown.back()].empty()) shown.pop_back();  // a file's last line ends with a line break
  }
  // 32 pixels where the whole of it fits, else the size below.
  const float padding = px(10), gutter = px(26);
  Face face = Face::code_large;
  float widest = 0;
  for (const std::size_t line : shown) widest = std::max(widest, text_width(face, lines[line]));
  const auto rows_of = [&](Face of) { return static_cast<std::size_t>((area.height() - 2 * padding) / line_height(of)); };
  if (widest > area.width() - gutter - padding || shown.size() > rows_of(face)) face = Face::code;
  // A little closer, where that brings all of it into sight.
  const float least = 0.85f * line_height(face), room = area.height() - 2 * padding;
  const float line = std::clamp(std::floor(room / static_cast<float>(shown.size())), least, line_height(face));
  // Still too long: what is found comes into sight first.
  const float caption = line_height(Face::label);  // below the code, says which lines these are
  auto rows = static_cast<std::size_t>(room / line);
  if (shown.size() > rows) rows = static_cast<std::size_t>(std::max(room - caption, line) / line);
  std::size_t from = 0;
  if (shown.size() > rows) {
    std::size_t middle = rows / 2;
    for (std::size_t i = shown.size(); i-- > 0;) {
      if (finding_at(state, shown[i]) != nullptr) middle = i;
    }
    from = std::min(middle - std::min(middle, rows / 2), shown.size() - rows);
  }
  const std::size_t count = std::min(rows, shown.size() - from);
  const auto spans = highlight(lines, language_of(lesson.kernel_file));
  const std::vector<bool> off = inactive_lines(lines, lessons::macros_of(lesson, state.values));
  const float block = static_cast<float>(count) * line;
  float y = snap(area.a.y + (count < shown.size() ? padding : std::max((area.height() - block) / 2, padding)));
  ImGui::PushClipRect(area.a, area.b, true);
  // Before the words: where lines stand closer, the next one's ground would cut them off below.
  for (std::size_t i = from; i < from + count; ++i) {
    const gpu::Finding* const finding = finding_at(state, shown[i]);
    if (finding == nullptr) continue;
    const float top = y + static_cast<float>(i - from) * line;
    const ImU32 colour = t.finding[static_cast<std::size_t>(finding->kind)];
    const bool dark = t.appearance == Appearance::dark;
    draw->AddRectFilled({area.a.x, top}, {area.b.x, top + line},
                        dark ? mix(t.background.window, colour, 0.13f) : mix(IM_COL32_WHITE, colour, 0.11f));
    finding_glyph(draw, finding->kind, {area.a.x + gutter / 2, top + line / 2}, px(12), colour);
  }
  for (std::size_t i = from; i < from + count; ++i, y += line)
    draw_code_line(draw, face, {area.a.x + gutter, y}, lines[shown[i]], spans[shown[i]], off[shown[i]]);
  if (count < shown.size()) {
    const std::string words =
        say("lines {first} to {last} of {lines}", "first"_a = from + 1, "last"_a = from + count, "lines"_a = shown.size());
    text(draw, Face::label, {area.b.x - padding, area.b.y - padding - caption}, t.text.third, words, Align::right);
  }
  ImGui::PopClipRect();
}

// ---- a view ----

/// As low as the slide if it can be; a lower one stands a little above the middle. Both take a frame: a view is as high as it is
/// drawn. The height with what is above it.
float draw_fitting_view(Session& session, Actions& actions, const std::string& view, ImVec2 at, const Rect& body) {
  const std::string here = fmt::format("{} {} {}", view, body.width(), body.height());
  float& shorter = *ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID((here + " shorter").c_str()));
  float& before = *ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID((here + " height").c_str()));
  const bool first = before == 0;
  const float room = body.height() - px(8);               // without a scroll bar
  if (first) ImGui::PushClipRect({0, 0}, {0, 0}, false);  // nothing jumps
  const float above = snap(std::max(room - before, 0.0f) * 0.4f);
  const float height = draw_page_figure(
      session, actions, view,
      {.at = {at.x, at.y + above}, .width = body.width(), .stale = is_stale(session, session.lesson()), .shorter = shorter});
  if (first) ImGui::PopClipRect();
  if (height > room && shorter < room) shorter += height - room;
  before = height;
  return above + height;
}

// ---- the bar ----

std::string title_of_slide(const lessons::Lesson& lesson, std::size_t slide) {
  if (slide == 0) return say("Kernel");
  const std::string& view = lesson.views[slide - 1];
  const ToSay& title = view_traits(view).title;
  return title.empty() ? view : std::string(say(title));
}

void bar(Session& session, Actions& actions, const Rect& area) {
  const Theme& t = theme();
  LessonState& state = session.lesson();
  const bool live = session.activity.kind == Activity::Kind::live, busy = session.activity.kind != Activity::Kind::idle;
  const float side = px(28), y = area.centre().y - side / 2;
  const ButtonLook run = live   ? ButtonLook{.label = say("Pause"), .icon = Icon::pause, .primary = true, .hint = "R"}
                         : busy ? ButtonLook{.label = say("Cancel"), .icon = Icon::stop, .primary = true}
                                : ButtonLook{.label = run_word(*session.open), .icon = Icon::play, .primary = true, .hint = "R"};
  const Rect press = rect(area.a.x, y, button_width(run), side);
  if (button("run", press, run)) {
    if (live)
      actions.pause();
    else if (busy)
      actions.cancel();
    else
      actions.run();
  }
  float x = press.b.x + px(8);
  const ButtonLook controls{.label = say("Controls"), .enabled = !session.open->controls.empty(), .hint = "C"};
  if (button("present/controls", rect(x, y, button_width(controls), side), controls))
    session.presented_controls = !session.presented_controls;

  const ButtonLook leave{.label = say("Leave"), .hint = say("Escape")};
  x = area.b.x - button_width(leave);
  if (button("present/leave", rect(x, y, button_width(leave), side), leave)) session.presenting = false;
  const std::size_t slides = slides_of(*session.open);
  x -= px(20) + side;
  if (button("present/next", rect(x, y, side, side), {.icon = Icon::chevron_right, .hint = "→"}))
    state.slide = (state.slide + 1) % slides;
  const std::string where = say("{title}  {slide} of {slides}", "title"_a = title_of_slide(*session.open, state.slide),
                                "slide"_a = state.slide + 1, "slides"_a = slides);
  x -= px(8);
  text(ImGui::GetWindowDrawList(), Face::label, {x, area.centre().y - line_height(Face::label) / 2}, t.text.second, where,
       Align::right);
  x -= text_width(Face::label, where) + px(8) + side;
  if (button("present/previous", rect(x, y, side, side), {.icon = Icon::chevron_left, .hint = "←"}))
    state.slide = (state.slide + slides - 1) % slides;
}

/// Over the slide's foot, so that nothing moves.
void controls_strip(Session& session, Actions& actions, const Rect& area) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float padding = px(16), width = area.width() - 2 * padding;
  static float tall = 0;  // as it was in the last frame
  const Rect box = {{area.a.x, area.b.y - tall - 2 * padding}, area.b};
  draw->AddRectFilled(box.a, box.b, t.background.raised, px(t.radius.card));
  draw->AddRect(box.a, box.b, t.background.line_strong, px(t.radius.card), 0, px(1));
  tall = draw_controls(session, actions, {box.a.x + padding, box.a.y + padding}, width);
}

}  // namespace

float present_scale(float width, float height) { return std::max(2 * std::min(width / 1440, height / 900), 0.5f); }

std::size_t slides_of(const lessons::Lesson& lesson) { return 1 + lesson.views.size(); }

void draw_present(Session& session, Actions& actions, const Layout& layout) {
  const Theme& t = theme();
  LessonState& state = session.lesson();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const lessons::Lesson& lesson = *session.open;
  state.slide = std::min(state.slide, slides_of(lesson) - 1);
  const Rect stage = {{layout.page.a.x + px(margin), layout.page.a.y + px(20)},
                      {layout.page.b.x - px(margin), layout.page.b.y - px(present_bar_height)}};
  const float head = line_height(Face::title);
  const float title = std::min(text_width(Face::title, lesson.title), stage.width());
  text_clipped(draw, Face::title, stage.a, stage.width(), t.text.first, lesson.title);
  const Rect body = {{stage.a.x, stage.a.y + head + px(12)}, stage.b};

  if (state.slide == 0) {
    float column = px(120);
    const auto numbers = numbers_of(state);
    for (const auto* number : numbers)
      column = std::max(
          {column, text_width(Face::label, say(number->label)), text_width(Face::result, printed(*number)) + unit_width(*number)});
    if (state.shown && !state.failed() && numbers.empty()) column = -px(16);  // a lesson without: the kernel takes the room
    column = std::min(column, body.width() * 0.4f);
    const Rect left = rect(body.a.x, body.a.y, column, body.height());
    if (state.failed() || !state.shown) {
      TextFlowStyle style = prose_style();
      const std::string words =
          state.failed() ? (state.latest->error ? state.latest->error->message : say(state.latest->outcome->report.message))
          : session.activity.kind == Activity::Kind::idle
              ? std::string(session.open->exercise != nullptr ? say("Press R to check.") : say("Press R to run."))
              : std::string(say("Running"));
      draw_text_flow(draw, inline_code(words), left.a, left.width(), style);
    } else {
      numbers_column(state, left);
    }
    kernel(lesson, state, {{left.b.x + px(16), body.a.y}, body.b});
  } else {
    numbers_line(state, {{stage.a.x + title + px(24), stage.a.y}, {stage.b.x, stage.a.y + head}});
    ImGui::SetCursorScreenPos(body.a);
    const std::string& view = lesson.views[state.slide - 1];
    // A view that cannot be as low as the slide scrolls; each keeps its place.
    ImGui::BeginChild(("slide##" + lesson.id + view).c_str(), {body.width() + px(margin - 8), body.height()});
    if (const float by = std::exchange(session.scroll_by, 0.0f); by != 0) ImGui::SetScrollY(ImGui::GetScrollY() + by);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = draw_fitting_view(session, actions, view, at, body);
    ImGui::SetCursorScreenPos({at.x, at.y + height});  // so that ImGui knows how far it scrolls
    ImGui::Dummy({1, 1});
    ImGui::EndChild();
  }
  const Rect foot = {{stage.a.x, stage.b.y}, {stage.b.x, layout.page.b.y}};
  if (session.presented_controls) {
    // A window of its own, in front of a view's.
    ImGui::SetCursorScreenPos({layout.page.a.x, stage.a.y});
    ImGui::BeginChild("controls", {layout.page.width(), stage.height()}, false,
                      ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar);
    controls_strip(session, actions, {{stage.a.x, stage.a.y}, {stage.b.x, stage.b.y}});
    ImGui::EndChild();
  }
  bar(session, actions, foot);
}

}  // namespace warpbook::app
