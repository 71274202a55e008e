#include "lessons/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "gpu/text.h"
#include "lessons/catalog.h"
#include "lessons/exercise.h"
#include "lessons/markdown.h"
#include "lessons/programs.h"

namespace warpbook::lessons {
namespace {

// ---- Directives. ------------------------------------------------------------------------------------------------------------

template <class Names>
std::string listed(const Names& names) {
  std::string text;
  for (const auto& name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text.empty() ? "none" : text;
}

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Removes a quoted string from the start of `text` and returns it. Empty: there is none.
std::optional<std::string> take_quoted(std::string_view& text) {
  if (!text.starts_with('"')) return std::nullopt;
  const auto end = text.find('"', 1);
  if (end == std::string_view::npos || end == 1) return std::nullopt;
  std::string words(text.substr(1, end - 1));
  text = trimmed(text.substr(end + 1));
  return words;
}

/// Parses "5", "0..50", "..0" or "50..".
bool read_range(std::string_view text, Choice& choice) {
  const auto number = [](std::string_view digits, double without, double& value) {
    value = without;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return digits.empty() || (error == std::errc{} && end == digits.data() + digits.size());
  };
  constexpr double endless = std::numeric_limits<double>::infinity();
  const auto dots = text.find("..");
  if (text.empty() || text == "..") return false;
  if (dots == std::string_view::npos) return number(text, 0, choice.least) && number(text, 0, choice.most);
  return number(text.substr(0, dots), -endless, choice.least) && number(text.substr(dots + 2), endless, choice.most) &&
         choice.least <= choice.most;
}

/// Parses the rest of a line after ::guess or ::mark.
Result<Block> read_question(std::string_view rest, Block::Kind kind) {
  const auto quote = std::min(rest.find('"'), rest.size());
  Block block{.kind = kind, .name = std::string(trimmed(rest.substr(0, quote)))};
  rest.remove_prefix(quote);
  auto question = take_quoted(rest);
  if (kind == Block::Kind::mark) {
    if (!question || !rest.empty())
      return failure("bad_page", "::mark wants a marking's name and a question in quotes: ::mark idle \"Which threads idle?\"");
    block.text = std::move(*question);
    return block;
  }
  block.said = take_quoted(rest).value_or(std::string());
  constexpr std::string_view choose = "choose ";
  const bool among = rest.starts_with(choose);
  if (!question || !(rest.empty() || among)) {
    return failure("bad_page",
                   "::guess wants a number's name and a question in quotes: ::guess untouched \"How many stay untouched?\"");
  }
  block.text = std::move(*question);
  if (!among) return block;
  for (rest = trimmed(rest.substr(choose.size())); !rest.empty();) {
    Choice choice;
    auto label = take_quoted(rest);
    const auto comma = std::min(rest.find(','), rest.size());
    if (!label || !read_range(trimmed(rest.substr(0, comma)), choice)) {
      return failure("bad_page",
                     "after choose stand words and ranges: choose \"nothing\" 0, \"less than half\" 1..50, \"more\" 51..");
    }
    choice.label = std::move(*label);
    block.choices.push_back(std::move(choice));
    rest = trimmed(rest.substr(std::min(comma + 1, rest.size())));
  }
  return block;
}

Result<Block> directive(std::string_view line, int number, const Lesson& lesson) {
  const auto wrong = [&](const std::string& what) {
    return failure("bad_page", fmt::format("{}, line {} of the page: {}", lesson.id, number, what));
  };
  const std::string_view rest = line.substr(2);
  const auto space = rest.find_first_of(" \t");
  const std::string_view word = rest.substr(0, space);
  const std::string_view argument = space == std::string_view::npos ? std::string_view() : trimmed(rest.substr(space));

  if (word == "controls" || word == "result" || word == "presets" || word == "arguments" || word == "program") {
    if (!argument.empty()) return wrong(fmt::format("::{} takes nothing after it.", word));
    if (word == "arguments" && !lesson.playground)
      return wrong("::arguments belongs to a playground; here ::controls is all there is.");
    if (word == "program" && &lesson != &programs()) return wrong("::program belongs to the page for whole programs.");
    return Block{.kind = word == "controls"  ? Block::Kind::controls
                         : word == "result"  ? Block::Kind::result
                         : word == "presets" ? Block::Kind::presets
                         : word == "program" ? Block::Kind::program
                                             : Block::Kind::arguments};
  }
  if (word == "view") {
    if (!contains(lesson.views, argument)) {
      return wrong(fmt::format("the lesson has no view named '{}'. It has: {}.", argument, listed(lesson.views)));
    }
    return Block{.kind = Block::Kind::view, .name = std::string(argument)};
  }
  if (word == "stage") {
    if (!contains(stage_names, argument))
      return wrong(fmt::format("'{}' is no stage. The stages are: {}.", argument, listed(stage_names)));
    return Block{.kind = Block::Kind::stage, .name = std::string(argument)};
  }
  if (word == "exercise") {
    if (!all_exercises()) return wrong(all_exercises().error().message);
    std::vector<std::string> ids;
    for (const Exercise* exercise : exercises_of(lesson)) ids.push_back(exercise->id);
    if (!contains(ids, argument)) return wrong(fmt::format("the lesson has no exercise '{}'. It has: {}.", argument, listed(ids)));
    return Block{.kind = Block::Kind::exercise, .name = std::string(argument)};
  }
  if (word == "guess" || word == "mark") {
    auto question = read_question(argument, word == "guess" ? Block::Kind::guess : Block::Kind::mark);
    if (!question) return wrong(question.error().message);
    std::vector<std::string> markings;
    for (const Marking& marking : lesson.markings) markings.push_back(marking.name);
    if (const auto& names = word == "guess" ? lesson.guesses : markings; !contains(names, question->name)) {
      return wrong(fmt::format("'{}' is nothing that can be {} here. These can: {}.", question->name,
                               word == "guess" ? "guessed" : "marked", listed(names)));
    }
    return question;
  }
  return wrong(
      fmt::format("::{} is no directive. There are ::controls, ::arguments, ::result, ::presets, ::view, ::guess, ::mark, "
                  "::exercise and ::stage.",
                  word));
}

/// What is wrong with a link. Empty: nothing.
std::string wrong_with(std::string_view link, const Lesson& lesson) {
  const auto after = [&](std::string_view what) { return link.substr(what.size()); };
  if (link.starts_with("http://") || link.starts_with("https://")) return {};
  if (link.starts_with("lesson:")) {
    for (const Lesson* each : all_lessons()) {
      if (each->number == after("lesson:")) return {};
    }
    return fmt::format("there is no lesson '{}' yet. Lessons are named by their number: lesson:05.", after("lesson:"));
  }
  if (link.starts_with("control:")) {
    std::vector<std::string> ids;
    for (const Control& control : lesson.controls) ids.push_back(control.id);
    if (contains(ids, after("control:"))) return {};
    return fmt::format("the lesson has no control '{}'. It has: {}.", after("control:"), listed(ids));
  }
  return fmt::format("the link '{}' leads nowhere. Links begin with https://, lesson: or control:.", link);
}

const std::string* bad_link(const std::vector<Span>& spans, const Lesson& lesson) {
  for (const Span& span : spans) {
    if (!span.link.empty() && !wrong_with(span.link, lesson).empty()) return &span.link;
  }
  return nullptr;
}

/// The first broken link of some blocks.
const std::string* bad_link(std::span<const Block> blocks, const Lesson& lesson) {
  for (const Block& block : blocks) {
    if (const auto* link = bad_link(block.spans, lesson)) return link;
    for (const auto& cell : block.cells) {
      if (const auto* link = bad_link(cell, lesson)) return link;
    }
  }
  return nullptr;
}

/// Why a picture cannot be shown. Empty: it can.
std::string wrong_with_picture(const std::string& name, const Lesson& lesson) {
  if (name.empty()) return "a picture stands alone in its paragraph.";
  if (!name.ends_with(".png")) return fmt::format("the picture '{}' is no PNG file.", name);
  std::error_code none;
  const auto folder = page_file(lesson).parent_path();
  if (std::filesystem::is_regular_file(folder / name, none)) return {};
  return fmt::format("there is no picture '{}' in {}.", name, folder.string());
}

bool is_fence(std::string_view line) {
  const std::string_view text = trimmed(line);
  return text.starts_with("```") || text.starts_with("~~~");
}

}  // namespace

Result<Page> parse_page(std::string_view markdown, const Lesson& lesson) {
  Page page;
  // Directives are on lines of their own, so the page is cut there, and md4c parses the text between them.
  std::string stretch;
  bool in_code = false;
  int number = 0, stretch_begins = 1;
  const auto read_stretch = [&]() -> Result<void> {
    const std::size_t before = page.blocks.size();
    const auto wrong = [&](int line, std::string_view what) {
      return failure("bad_page", fmt::format("{}, line {} of the page: {}", lesson.id, line, what));
    };
    const auto line_of = [&](const std::string& words) {
      const auto at = std::min(stretch.find(words), stretch.size());
      return stretch_begins +
             static_cast<int>(std::count(stretch.begin(), stretch.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    };
    if (!read_markdown(stretch, page.blocks)) return wrong(stretch_begins, "from here on the text is not Markdown.");
    if (const std::string* link = bad_link(std::span(page.blocks).subspan(before), lesson)) {
      return wrong(line_of("(" + *link), wrong_with(*link, lesson));
    }
    for (std::size_t i = before; i < page.blocks.size(); ++i) {
      const Block& block = page.blocks[i];
      const std::string problem = block.kind == Block::Kind::image ? wrong_with_picture(block.name, lesson) : std::string();
      if (!problem.empty()) return wrong(line_of("![" + (block.name.empty() ? "" : block.text)), problem);
    }
    stretch.clear();
    stretch_begins = number + 1;
    return {};
  };
  while (!markdown.empty()) {
    const auto end = markdown.find('\n');
    const std::string_view line = markdown.substr(0, end);
    markdown = end == std::string_view::npos ? std::string_view() : markdown.substr(end + 1);
    ++number;
    if (is_fence(line)) in_code = !in_code;
    if (in_code || !line.starts_with("::")) {
      stretch.append(line).push_back('\n');
      continue;
    }
    if (auto done = read_stretch(); !done) return failure(done.error());
    Result<Block> block = directive(trimmed(line), number, lesson);
    if (!block) return failure(block.error());
    page.blocks.push_back(std::move(*block));
  }
  if (auto done = read_stretch(); !done) return failure(done.error());
  return page;
}

std::string fill_in(std::string_view text, const Lesson& lesson, const Values& values) {
  std::string filled;
  while (!text.empty()) {
    const auto open = text.find('{');
    const auto close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) break;
    const std::string_view id = text.substr(open + 1, close - open - 1);
    const auto control = std::find_if(lesson.controls.begin(), lesson.controls.end(), [&](const Control& c) { return c.id == id; });
    if (control == lesson.controls.end()) {  // an ordinary brace
      filled += text.substr(0, open + 1);
      text.remove_prefix(open + 1);
      continue;
    }
    filled += text.substr(0, open);
    const double value = values.real(id);
    const auto option = static_cast<std::size_t>(std::max(0, values.integer(id)));
    switch (control->kind) {
      case Control::Kind::toggle:
        filled += value != 0 ? "on" : "off";
        break;
      case Control::Kind::choice:
        if (option < control->options.size()) filled += say(control->options[option].label);
        break;
      case Control::Kind::integer:
        filled += fmt::format("{}", values.integer(id));
        break;
      case Control::Kind::real:
        filled += fmt::format("{}", value);
        break;
    }
    text.remove_prefix(close + 1);
  }
  return filled.append(text);
}

}  // namespace warpbook::lessons
