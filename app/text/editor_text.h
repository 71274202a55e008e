// EditorText: the text of the kernel editor, its caret and its history. No drawing, no keys: those are editor.cpp's.
//
//     EditorText text("int a;\n");
//     text.place({0, 4}, false);
//     text.insert("long_");                       // replaces the selection, if any
//     text.undo();
//     save(text.str());
//
// Positions are a line and a byte in it, always on a UTF-8 character's boundary. Lines carry no '\n'; there is at least one.
// Typing that continues in one place is one step of undo; everything else is a step of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpbook::app {

class EditorText {
 public:
  struct Position {
    std::size_t line = 0, byte = 0;
    friend auto operator<=>(const Position&, const Position&) = default;
  };
  enum class Step { character, word, line_edge, text_edge };

  EditorText() = default;
  explicit EditorText(std::string_view text) { assign(text); }

  void assign(std::string_view text);  // forgets the history
  [[nodiscard]] std::string str() const;
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
  /// Grows with every change of the text, so that whoever depends on it knows when to look again.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }

  [[nodiscard]] Position caret() const { return caret_; }
  [[nodiscard]] Position anchor() const { return anchor_; }
  [[nodiscard]] bool has_selection() const { return caret_ != anchor_; }
  [[nodiscard]] Position selection_begin() const { return caret_ < anchor_ ? caret_ : anchor_; }
  [[nodiscard]] Position selection_end() const { return caret_ < anchor_ ? anchor_ : caret_; }
  [[nodiscard]] std::string selected() const;

  // Moving. `select` keeps the anchor, so that the selection grows. Positions are clamped into the text.
  void place(Position to, bool select);
  void move(int direction, Step step, bool select);    // −1 towards the start, +1 towards the end
  void move_lines(std::ptrdiff_t lines, bool select);  // keeps the column it came from, as editors do
  void home(bool select);                              // first character that is no blank; from there, the line's start
  void select_all();
  void select_word(Position at);
  void select_line(std::size_t line);

  // Changing. Each replaces the selection first.
  void insert(std::string_view text);  // a '}' that begins its line goes back one level
  void new_line();                     // keeps the indentation; one level more after '{'
  void tab();                          // to the next stop, or indents the selected lines
  void untab();
  void toggle_comment();                 // "// " before each selected line, or away from all
  void erase(int direction, Step step);  // Backspace −1, Delete +1
  bool undo();                           // false: nothing to undo
  bool redo();

  static constexpr std::size_t indent = 4;

 private:
  struct Edit {
    Position at;  // where both texts start
    std::string removed, added;
    Position caret_before, anchor_before, caret_after;
    std::uint64_t group = 0;  // edits of one group are undone together
    bool typed = false;       // may grow with what is typed next
  };

  [[nodiscard]] Position clamped(Position p) const;
  [[nodiscard]] Position step_from(Position from, int direction, Step step) const;
  [[nodiscard]] std::string between(Position a, Position b) const;
  [[nodiscard]] std::size_t column_of(Position p) const;  // in characters
  [[nodiscard]] std::size_t byte_at(std::size_t line, std::size_t column) const;
  Position put(Position at, std::string_view text);  // returns its end
  void cut(Position a, Position b);
  void replace(Position a, Position b, std::string_view text, std::uint64_t group, bool typed);

  std::vector<std::string> lines_{std::string()};
  Position caret_, anchor_;
  std::size_t wanted_column_ = 0;
  bool keep_column_ = false;
  std::vector<Edit> history_;
  std::size_t present_ = 0;  // edits before it are done, the rest can be redone
  std::uint64_t revision_ = 0, groups_ = 0;
};

}  // namespace warpbook::app
