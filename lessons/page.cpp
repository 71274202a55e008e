#include "lessons/page.h"

#include <fmt/format.h>
#include <md4c.h>

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

namespace warpbook::lessons {
namespace {

// ---- Markdown: md4c's events → blocks. --------------------------------------------------------------------------------------

/// Collects spans while md4c walks one stretch of Markdown.
class MarkdownReader {
 public:
  explicit MarkdownReader(std::vector<Block>& blocks) : blocks_(blocks) {}

  [[nodiscard]] bool read(std::string_view markdown) {
    MD_PARSER parser{};
    parser.flags = MD_FLAG_TABLES | MD_FLAG_NOHTML;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      return static_cast<MarkdownReader*>(self)->enter_block(type, detail);
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) { return static_cast<MarkdownReader*>(self)->leave_block(type); };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
      return static_cast<MarkdownReader*>(self)->enter_span(type, detail);
    };
    parser.leave_span = [](MD_SPANTYPE type, void*, void* self) { return static_cast<MarkdownReader*>(self)->leave_span(type); };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
      return static_cast<MarkdownReader*>(self)->text(type, std::string_view(text, size));
    };
    return md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, this) == 0;
  }

 private:
  struct List {
    bool ordered = false;
    int next = 1;
  };

  int enter_block(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_QUOTE:
        ++quotes_;
        break;
      case MD_BLOCK_UL:
        flush();
        lists_.push_back({});
        break;
      case MD_BLOCK_OL:
        flush();
        lists_.push_back({.ordered = true, .next = static_cast<int>(static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start)});
        break;
      case MD_BLOCK_LI:
        open({.kind = Block::Kind::list_item,
              .level = static_cast<int>(lists_.size()),
              .ordinal = lists_.back().ordered ? lists_.back().next++ : 0});
        break;
      case MD_BLOCK_H:
        open({.kind = Block::Kind::heading, .level = static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level)});
        break;
      case MD_BLOCK_P:
        // A list item's first paragraph is the item itself.
        if (!open_ || open_->kind != Block::Kind::list_item || !open_->spans.empty()) {
          open({.kind = quotes_ > 0 ? Block::Kind::quote : Block::Kind::paragraph, .level = static_cast<int>(lists_.size())});
        }
        break;
      case MD_BLOCK_CODE: {
        const auto& lang = static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->lang;
        open({.kind = Block::Kind::code, .name = lang.text == nullptr ? std::string() : std::string(lang.text, lang.size)});
        break;
      }
      case MD_BLOCK_HR:
        open({.kind = Block::Kind::rule});
        break;
      case MD_BLOCK_TR:
        open({.kind = Block::Kind::table_row, .header = in_header_});
        break;
      case MD_BLOCK_THEAD:
        in_header_ = true;
        break;
      case MD_BLOCK_TH:
      case MD_BLOCK_TD:
        if (open_) open_->cells.emplace_back();
        break;
      default:
        break;
    }
    return 0;
  }

  int leave_block(MD_BLOCKTYPE type) {
    switch (type) {
      case MD_BLOCK_QUOTE:
        --quotes_;
        break;
      case MD_BLOCK_UL:
      case MD_BLOCK_OL:
        lists_.pop_back();
        break;
      case MD_BLOCK_THEAD:
        in_header_ = false;
        break;
      case MD_BLOCK_P:
      case MD_BLOCK_LI:
      case MD_BLOCK_H:
      case MD_BLOCK_CODE:
      case MD_BLOCK_HR:
      case MD_BLOCK_TR:
        flush();
        break;
      default:
        break;
    }
    return 0;
  }

  int enter_span(MD_SPANTYPE type, void* detail) {
    switch (type) {
      case MD_SPAN_STRONG:
        ++style_.strong;
        break;
      case MD_SPAN_EM:
        ++style_.emphasis;
        break;
      case MD_SPAN_CODE:
        ++style_.code;
        break;
      case MD_SPAN_A: {
        const auto& href = static_cast<MD_SPAN_A_DETAIL*>(detail)->href;
        style_.link = std::string(href.text, href.size);
        break;
      }
      case MD_SPAN_IMG: {
        const auto& source = static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src;
        beside_image_ |= !open_ || !open_->spans.empty();
        images_.emplace_back(source.text, source.size);
        in_image_ = true;
        break;
      }
      default:
        break;
    }
    return 0;
  }

  int leave_span(MD_SPANTYPE type) {
    switch (type) {
      case MD_SPAN_STRONG:
        --style_.strong;
        break;
      case MD_SPAN_EM:
        --style_.emphasis;
        break;
      case MD_SPAN_CODE:
        --style_.code;
        break;
      case MD_SPAN_A:
        style_.link.clear();
        break;
      case MD_SPAN_IMG:
        in_image_ = false;
        break;
      default:
        break;
    }
    return 0;
  }

  int text(MD_TEXTTYPE type, std::string_view text) {
    if (!open_) return 0;
    if (open_->kind == Block::Kind::code) {
      open_->text += text;
      return 0;
    }
    if (type == MD_TEXT_SOFTBR) text = " ";
    if (type == MD_TEXT_BR) text = "\n";
    if (type == MD_TEXT_ENTITY) text = decoded(text);
    beside_image_ |= !images_.empty() && !in_image_;
    std::vector<Span>& spans = open_->kind == Block::Kind::table_row && !open_->cells.empty() ? open_->cells.back() : open_->spans;
    const Span styled{.text = std::string(text),
                      .strong = style_.strong > 0,
                      .emphasis = style_.emphasis > 0,
                      .code = style_.code > 0,
                      .link = style_.link};
    // md4c hands a sentence over in pieces; one span a style is easier to draw.
    if (!spans.empty() && spans.back().strong == styled.strong && spans.back().emphasis == styled.emphasis &&
        spans.back().code == styled.code && spans.back().link == styled.link) {
      spans.back().text += styled.text;
    } else {
      spans.push_back(styled);
    }
    return 0;
  }

  /// The entities that Markdown itself makes necessary; others stay as written.
  static std::string_view decoded(std::string_view entity) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> known{
        {{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}, {"&nbsp;", "\u00A0"}}};
    for (const auto& [name, character] : known) {
      if (entity == name) return character;
    }
    return entity;
  }

  void open(Block block) {
    flush();
    open_ = std::move(block);
  }
  void flush() {
    if (open_ && !images_.empty()) {
      open_->kind = Block::Kind::image;
      for (const Span& span : std::exchange(open_->spans, {})) open_->text += span.text;
      if (images_.size() == 1 && !beside_image_) open_->name = images_.front();  // else it does not stand alone
    }
    images_.clear();
    beside_image_ = false;
    if (open_) blocks_.push_back(std::move(*open_));
    open_.reset();
  }

  std::vector<Block>& blocks_;
  std::optional<Block> open_;
  std::vector<List> lists_;
  std::vector<std::string> images_;  // of the block that is open
  bool in_image_ = false, beside_image_ = false;
  int quotes_ = 0;
  bool in_header_ = false;
  struct {
    int strong = 0, emphasis = 0, code = 0;
    std::string link;
  } style_;
};

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

/// The words between the quotes that `text` begins with, which are taken from it; nothing where it begins with none.
std::optional<std::string> take_quoted(std::string_view& text) {
  if (!text.starts_with('"')) return std::nullopt;
  const auto end = text.find('"', 1);
  if (end == std::string_view::npos || end == 1) return std::nullopt;
  std::string words(text.substr(1, end - 1));
  text = trimmed(text.substr(end + 1));
  return words;
}

/// "5", "0..50", "..0" or "50..".
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

/// What stands after ::guess or ::mark.
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

  if (word == "controls" || word == "result" || word == "presets" || word == "arguments") {
    if (!argument.empty()) return wrong(fmt::format("::{} takes nothing after it.", word));
    if (word == "arguments" && !lesson.playground)
      return wrong("::arguments belongs to a playground; here ::controls is all there is.");
    return Block{.kind = word == "controls"  ? Block::Kind::controls
                         : word == "result"  ? Block::Kind::result
                         : word == "presets" ? Block::Kind::presets
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

/// Why a link leads nowhere; empty: it does not.
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

/// The first link of some blocks that leads nowhere.
const std::string* bad_link(std::span<const Block> blocks, const Lesson& lesson) {
  for (const Block& block : blocks) {
    if (const auto* link = bad_link(block.spans, lesson)) return link;
    for (const auto& cell : block.cells) {
      if (const auto* link = bad_link(cell, lesson)) return link;
    }
  }
  return nullptr;
}

/// Why a picture cannot be shown; empty: it can.
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
  // Directives stand alone on their lines, so the page is cut there and md4c reads the stretches between them.
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
    if (!MarkdownReader(page.blocks).read(stretch)) return wrong(stretch_begins, "from here on the text is not Markdown.");
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
        if (option < control->options.size()) filled += control->options[option].label;
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
