#include "app/text/editor_text.h"

#include <algorithm>
#include <utility>

#include "gpu/text.h"

namespace warpbook::app {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// Bytes of the UTF-8 character that begins at `at`; 0: none does.
std::size_t character_at(std::string_view text, std::size_t at) {
  const auto c = static_cast<unsigned char>(text[at]);
  const std::size_t bytes = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
  if (bytes == 0 || at + bytes > text.size()) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if (!continues_character(text[at + i])) return 0;
  return bytes;
}

/// As lines and the compiler want it: \n ends lines, NUL and what else cannot be seen is left out, a stray byte becomes U+FFFD.
std::string cleaned(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const std::size_t bytes = character_at(text, i);
    if (bytes == 0) {
      clean += "\xef\xbf\xbd";
    } else if (c == '\r') {
      if (i + 1 == text.size() || text[i + 1] != '\n') clean += '\n';
    } else if (bytes > 1 || (static_cast<unsigned char>(c) >= ' ' && c != 0x7f) || c == '\n' || c == '\t') {
      clean += text.substr(i, bytes);
    }
    i += std::max<std::size_t>(bytes, 1);
  }
  return clean;
}

}  // namespace

void EditorText::assign(std::string_view text) {
  lines_.assign(1, {});
  caret_ = anchor_ = {};
  put({}, cleaned(text));
  history_.clear();
  present_ = 0;
  keep_column_ = false;
  ++revision_;
}

std::string EditorText::str() const { return between({}, {lines_.size() - 1, lines_.back().size()}); }

std::string EditorText::selected() const { return between(selection_begin(), selection_end()); }

std::string EditorText::between(Position a, Position b) const {
  if (a.line == b.line) return lines_[a.line].substr(a.byte, b.byte - a.byte);
  std::string text = lines_[a.line].substr(a.byte);
  for (std::size_t line = a.line + 1; line < b.line; ++line) {
    text += '\n';
    text += lines_[line];
  }
  text += '\n';
  text += lines_[b.line].substr(0, b.byte);
  return text;
}

EditorText::Position EditorText::clamped(Position p) const {
  p.line = std::min(p.line, lines_.size() - 1);
  const std::string& line = lines_[p.line];
  p.byte = std::min(p.byte, line.size());
  while (p.byte > 0 && p.byte < line.size() && continues_character(line[p.byte])) --p.byte;
  return p;
}

std::size_t EditorText::column_of(Position p) const {
  const std::string& line = lines_[p.line];
  return static_cast<std::size_t>(std::count_if(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(p.byte),
                                                [](char c) { return !continues_character(c); }));
}

std::size_t EditorText::byte_at(std::size_t line, std::size_t column) const {
  const std::string& text = lines_[line];
  std::size_t byte = 0;
  for (; byte < text.size(); ++byte) {
    if (continues_character(text[byte])) continue;
    if (column == 0) return byte;
    --column;
  }
  return byte;
}

void EditorText::place(Position to, bool select) {
  caret_ = clamped(to);
  if (!select) anchor_ = caret_;
  keep_column_ = false;
}

EditorText::Position EditorText::step_from(Position from, int direction, Step step) const {
  const std::string* line = &lines_[from.line];
  switch (step) {
    case Step::text_edge:
      return direction < 0 ? Position{} : Position{lines_.size() - 1, lines_.back().size()};
    case Step::line_edge:
      return {from.line, direction < 0 ? 0 : line->size()};
    case Step::character:
    case Step::word:
      break;
  }
  // Over the end of a line is a step of its own.
  if (direction < 0 && from.byte == 0) return from.line == 0 ? from : Position{from.line - 1, lines_[from.line - 1].size()};
  if (direction > 0 && from.byte == line->size()) return from.line + 1 == lines_.size() ? from : Position{from.line + 1, 0};
  std::size_t at = from.byte;
  if (step == Step::character) {
    if (direction < 0) {
      do --at;
      while (at > 0 && continues_character((*line)[at]));
    } else {
      do ++at;
      while (at < line->size() && continues_character((*line)[at]));
    }
    return {from.line, at};
  }
  if (direction < 0) {
    while (at > 0 && is_blank((*line)[at - 1])) --at;
    const bool word = at > 0 && is_word((*line)[at - 1]);
    while (at > 0 && !is_blank((*line)[at - 1]) && is_word((*line)[at - 1]) == word) --at;
  } else {
    const bool word = is_word((*line)[at]);
    while (at < line->size() && !is_blank((*line)[at]) && is_word((*line)[at]) == word) ++at;
    while (at < line->size() && is_blank((*line)[at])) ++at;
  }
  return {from.line, at};
}

void EditorText::move(int direction, Step step, bool select) {
  // An arrow without Shift drops a selection and stops at the side it points to.
  if (!select && has_selection() && step == Step::character)
    return place(direction < 0 ? selection_begin() : selection_end(), false);
  place(step_from(caret_, direction, step), select);
}

void EditorText::move_lines(std::ptrdiff_t lines, bool select) {
  if (!keep_column_) wanted_column_ = column_of(caret_);
  const auto target = static_cast<std::ptrdiff_t>(caret_.line) + lines;
  if (target < 0) {
    place({}, select);
  } else if (target >= static_cast<std::ptrdiff_t>(lines_.size())) {
    place({lines_.size() - 1, lines_.back().size()}, select);
  } else {
    place({static_cast<std::size_t>(target), byte_at(static_cast<std::size_t>(target), wanted_column_)}, select);
  }
  keep_column_ = true;
}

void EditorText::home(bool select) {
  const std::string& line = lines_[caret_.line];
  const auto first = std::min(line.find_first_not_of(" \t"), line.size());
  place({caret_.line, caret_.byte == first ? 0 : first}, select);
}

void EditorText::select_all() {
  place({}, false);
  place({lines_.size() - 1, lines_.back().size()}, true);
}

void EditorText::select_word(Position at) {
  at = clamped(at);
  const std::string& line = lines_[at.line];
  if (at.byte == line.size() && at.byte > 0) at = step_from(at, -1, Step::character);
  std::size_t begin = at.byte, end = at.byte;
  if (begin < line.size() && is_word(line[begin])) {
    while (begin > 0 && is_word(line[begin - 1])) --begin;
    while (end < line.size() && is_word(line[end])) ++end;
  } else if (end < line.size()) {
    ++end;
  }
  place({at.line, begin}, false);
  place({at.line, end}, true);
}

void EditorText::select_line(std::size_t line) {
  line = std::min(line, lines_.size() - 1);
  place({line, 0}, false);
  place(line + 1 < lines_.size() ? Position{line + 1, 0} : Position{line, lines_[line].size()}, true);
}

EditorText::Position EditorText::put(Position at, std::string_view text) {
  const std::string tail = lines_[at.line].substr(at.byte);
  lines_[at.line].resize(at.byte);
  std::vector<std::string> fresh;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', begin)) {
    fresh.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  fresh.emplace_back(text.substr(begin));
  lines_[at.line] += fresh.front();
  lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(at.line) + 1, fresh.begin() + 1, fresh.end());
  const std::size_t last = at.line + fresh.size() - 1;
  const Position end{last, lines_[last].size()};
  lines_[last] += tail;
  return end;
}

void EditorText::cut(Position a, Position b) {
  lines_[a.line] = lines_[a.line].substr(0, a.byte) + lines_[b.line].substr(b.byte);
  lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(a.line) + 1, lines_.begin() + static_cast<std::ptrdiff_t>(b.line) + 1);
}

void EditorText::replace(Position a, Position b, std::string_view text, std::uint64_t group, bool typed) {
  const std::string clean = cleaned(text);
  if (a == b && clean.empty()) return;
  history_.resize(present_);
  Edit edit{.at = a,
            .removed = between(a, b),
            .added = clean,
            .caret_before = caret_,
            .anchor_before = anchor_,
            .caret_after = {},
            .group = group,
            .typed = typed};
  cut(a, b);
  caret_ = anchor_ = put(a, clean);
  edit.caret_after = caret_;
  const bool grows =
      typed && !history_.empty() && history_.back().typed && edit.removed.empty() && history_.back().caret_after == a;
  if (grows) {
    history_.back().added += edit.added;
    history_.back().caret_after = caret_;
  } else {
    history_.push_back(std::move(edit));
  }
  present_ = history_.size();
  keep_column_ = false;
  ++revision_;
}

void EditorText::insert(std::string_view text) {
  if (text == "}" && !has_selection() && caret_.byte >= indent && lines_[caret_.line].find_first_not_of(' ') >= caret_.byte) {
    return replace({caret_.line, caret_.byte - indent}, caret_, text, ++groups_, false);
  }
  // A word is what one undo takes back: a blank starts the next.
  const bool typed = text.size() <= 4 && text.find_first_of("\n\r\t ") == std::string_view::npos;
  replace(selection_begin(), selection_end(), text, ++groups_, typed);
}

void EditorText::new_line() {
  const Position at = selection_begin();
  const std::string& line = lines_[at.line];
  std::string blanks = line.substr(0, std::min({line.find_first_not_of(" \t"), line.size(), at.byte}));
  const auto last = at.byte == 0 ? std::string::npos : line.find_last_not_of(" \t", at.byte - 1);
  if (last != std::string::npos && line[last] == '{') blanks.append(indent, ' ');
  replace(at, selection_end(), "\n" + blanks, ++groups_, false);
}

void EditorText::tab() {
  const Position a = selection_begin(), b = selection_end();
  if (a.line == b.line) {
    const std::size_t column = column_of(a);
    return insert(std::string(indent - column % indent, ' '));
  }
  const std::uint64_t group = ++groups_;
  Position caret = caret_, anchor = anchor_;
  const std::size_t last = b.byte == 0 ? b.line - 1 : b.line;
  for (std::size_t line = a.line; line <= last; ++line) {
    if (!lines_[line].empty()) replace({line, 0}, {line, 0}, std::string(indent, ' '), group, false);
  }
  const auto shifted = [&](Position p) { return p.byte > 0 && p.line <= last ? Position{p.line, p.byte + indent} : p; };
  caret_ = clamped(shifted(caret));
  anchor_ = clamped(shifted(anchor));
}

void EditorText::untab() {
  const Position a = selection_begin(), b = selection_end();
  const std::uint64_t group = ++groups_;
  Position caret = caret_, anchor = anchor_;
  const std::size_t last = b.byte == 0 && b.line > a.line ? b.line - 1 : b.line;
  for (std::size_t line = a.line; line <= last; ++line) {
    std::size_t blanks = 0;
    while (blanks < indent && blanks < lines_[line].size() && lines_[line][blanks] == ' ') ++blanks;
    if (blanks == 0 && !lines_[line].empty() && lines_[line][0] == '\t') blanks = 1;
    if (blanks == 0) continue;
    replace({line, 0}, {line, blanks}, {}, group, false);
    if (caret.line == line) caret.byte -= std::min(caret.byte, blanks);
    if (anchor.line == line) anchor.byte -= std::min(anchor.byte, blanks);
  }
  caret_ = clamped(caret);
  anchor_ = clamped(anchor);
}

void EditorText::toggle_comment() {
  const Position a = selection_begin(), b = selection_end();
  const std::size_t last = b.byte == 0 && b.line > a.line ? b.line - 1 : b.line;
  std::size_t left = std::string::npos;
  bool all = true;
  for (std::size_t line = a.line; line <= last; ++line) {
    const std::size_t first = lines_[line].find_first_not_of(" \t");
    if (first == std::string::npos) continue;
    left = std::min(left, first);
    all = all && lines_[line].compare(first, 2, "//") == 0;
  }
  if (left == std::string::npos) return;
  const std::uint64_t group = ++groups_;
  Position caret = caret_, anchor = anchor_;
  for (std::size_t line = a.line; line <= last; ++line) {
    const std::size_t first = lines_[line].find_first_not_of(" \t");
    if (first == std::string::npos) continue;
    const std::size_t at = all ? first : left;
    const std::size_t marks = lines_[line].compare(first, 3, "// ") == 0 ? 3 : 2;
    if (all)
      replace({line, at}, {line, at + marks}, {}, group, false);
    else
      replace({line, at}, {line, at}, "// ", group, false);
    for (Position* const p : {&caret, &anchor}) {
      if (p->line != line || p->byte <= at) continue;
      p->byte = all ? std::max(p->byte - std::min(p->byte, marks), at) : p->byte + 3;
    }
  }
  caret_ = clamped(caret);
  anchor_ = clamped(anchor);
}

void EditorText::erase(int direction, Step step) {
  if (has_selection()) return replace(selection_begin(), selection_end(), {}, ++groups_, false);
  Position other = step_from(caret_, direction, step);
  // Backspace in the blanks that start a line goes back one level, as Tab went forward.
  if (direction < 0 && step == Step::character && caret_.byte > 1 && caret_.byte % indent == 0 &&
      lines_[caret_.line].find_first_not_of(' ') >= caret_.byte) {
    other = {caret_.line, caret_.byte - indent};
  }
  replace(std::min(caret_, other), std::max(caret_, other), {}, ++groups_, false);
}

bool EditorText::undo() {
  if (present_ == 0) return false;
  const std::uint64_t group = history_[present_ - 1].group;
  while (present_ > 0 && history_[present_ - 1].group == group) {
    const Edit& edit = history_[--present_];
    // put() says where the added text ends, by measuring it again on an empty text.
    EditorText measure;
    const Position size = measure.put({}, edit.added);
    const Position end =
        size.line == 0 ? Position{edit.at.line, edit.at.byte + size.byte} : Position{edit.at.line + size.line, size.byte};
    cut(edit.at, end);
    put(edit.at, edit.removed);
    caret_ = edit.caret_before;
    anchor_ = edit.anchor_before;
  }
  keep_column_ = false;
  ++revision_;
  return true;
}

bool EditorText::redo() {
  if (present_ == history_.size()) return false;
  const std::uint64_t group = history_[present_].group;
  while (present_ < history_.size() && history_[present_].group == group) {
    const Edit& edit = history_[present_++];
    EditorText measure;
    const Position size = measure.put({}, edit.removed);
    const Position end =
        size.line == 0 ? Position{edit.at.line, edit.at.byte + size.byte} : Position{edit.at.line + size.line, size.byte};
    cut(edit.at, end);
    caret_ = anchor_ = put(edit.at, edit.added);
  }
  keep_column_ = false;
  ++revision_;
  return true;
}

}  // namespace warpbook::app
