#include "app/ui/text_flow.h"

#include <algorithm>
#include <string>

#include "app/ui/draw.h"

namespace warpbook::app {
namespace {

/// A stretch without a place to break, all in one style.
struct Piece {
  std::string_view words;
  Face face = Face::prose;
  ImU32 colour = 0;
  bool blank = false;
  enum class Mark : std::uint8_t { none, link, control, term } mark = Mark::none;
  std::size_t span = 0;
};

/// Code as short as `// here` or `int i = 0;` is read at once, so that no line ends inside of it.
bool stays_together(const lessons::Span& span, Face face, float width) {
  constexpr std::size_t longest = 24;
  return span.code && span.text.size() <= longest && span.text.find('\n') == std::string::npos &&
         text_width(face, span.text) <= width * 0.75f;
}

std::vector<Piece> pieces_of(std::span<const lessons::Span> spans, const TextFlowStyle& style, float width) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const lessons::Span& span = spans[i];
    using Mark = Piece::Mark;
    Piece like{.words = {}, .face = style.plain, .colour = style.colour, .span = i};
    if (!span.term.empty()) like.mark = Mark::term;
    if (!span.link.empty()) like.mark = span.link.starts_with("control:") ? Mark::control : Mark::link;
    if (span.code)
      like.face = style.code, like.colour = style.code_colour;
    else if (span.strong || span.emphasis)
      like.face = style.strong, like.colour = style.strong_colour;
    const std::string_view text = span.text;
    if (stays_together(span, like.face, width) && !text.empty() && text.front() != ' ' && text.back() != ' ') {
      like.words = text;
      pieces.push_back(like);
      continue;
    }
    for (std::size_t at = 0; at < text.size();) {
      const bool blank = text[at] == ' ' || text[at] == '\n';
      std::size_t end = at;
      while (end < text.size() && (text[end] == ' ' || text[end] == '\n') == blank) ++end;
      Piece piece = like;
      piece.words = blank ? std::string_view(" ") : text.substr(at, end - at);
      piece.blank = blank;
      pieces.push_back(piece);
      at = end;
    }
  }
  return pieces;
}

void note_flow(std::span<const lessons::Span> spans, const TextFlowStyle& style) {
  std::string words;
  for (const lessons::Span& span : spans) words += span.text;
  note_drawn_words(style.plain, words);
}

void dotted_line(ImDrawList* draw, ImVec2 at, float width, ImU32 colour) {
  const float dot = std::max(snap(px(1.25f)), 1.0f), pitch = std::max(snap(px(3.5f)), 2 * dot), y = snap(at.y);
  for (float x = at.x; x + dot <= at.x + width; x += pitch) draw->AddRectFilled({x, y}, {x + dot, y + dot}, colour);
}

/// Neighbours of one style on one line, drawn together: words placed one by one would each start on a whole pixel, and the blanks
/// between them would differ.
struct Run {
  ImDrawList* draw = nullptr;
  ImVec2 at;
  const TextFlowStyle& style;
  std::vector<TextFlowSpot>* spots = nullptr;
  std::string words = {};
  Piece like = {};
  float x = 0, y = 0;

  void add(const Piece& piece, float piece_x, float piece_y) {
    if (draw == nullptr) return;
    const bool marked_alike = piece.mark == like.mark && (piece.mark == Piece::Mark::none || piece.span == like.span);
    const bool same = piece.face == like.face && piece.colour == like.colour && marked_alike && piece_y == y;
    if (!same || words.empty()) {
      flush();
      like = piece;
      x = piece_x;
      y = piece_y;
    }
    words += piece.words;
  }
  void flush() {
    if (words.empty()) return;
    // One baseline for all faces.
    const float drop = (style.line - line_height(style.plain)) / 2 + baseline(style.plain) - baseline(like.face);
    const float top = at.y + y + drop;
    const float wide = part_of_text(draw, like.face, {at.x + x, top}, like.colour, words);
    if (like.mark != Piece::Mark::none) {
      const float from = snap(at.x + x), under = top + baseline(like.face) + px(3);
      const ImU32 line = like.mark == Piece::Mark::control ? theme().hand.line : like.colour;  // a control is the learner's hand
      if (like.mark != Piece::Mark::term)
        hairline(draw, {from, under - px(1)}, {from + wide, under - px(1)}, line);
      else
        dotted_line(draw, {from, under}, wide, theme().background.line_strong);
      if (spots != nullptr) spots->push_back({like.span, rect(from, at.y + y, wide, style.line)});
    }
    words.clear();
  }
};

}  // namespace

TextFlowStyle prose_style() {
  const auto& t = theme().text;
  return {.colour = t.second, .strong_colour = t.first, .code_colour = t.first, .line = line_height(Face::prose)};
}

TextFlowStyle note_style() {
  const auto& t = theme().text;
  return {.plain = Face::label,
          .strong = Face::label_strong,
          .code = Face::label_code,
          .colour = t.first,
          .strong_colour = t.first,
          .code_colour = t.first,
          .line = px(20)};
}

float draw_text_flow(ImDrawList* draw, std::span<const lessons::Span> spans, ImVec2 at, float width, const TextFlowStyle& style,
                     std::vector<TextFlowSpot>* spots) {
  const std::vector<Piece> pieces = pieces_of(spans, style, width);
  if (draw != nullptr) note_flow(spans, style);
  float x = 0, y = 0;
  Run run{.draw = draw, .at = at, .style = style, .spots = spots};
  for (std::size_t i = 0; i < pieces.size();) {
    // A word may be of several pieces ("`c[0]`,"): they stay together.
    std::size_t end = i;
    float word = 0;
    while (end < pieces.size() && pieces[end].blank == pieces[i].blank) {
      word += text_width(pieces[end].face, pieces[end].words);
      ++end;
      if (pieces[i].blank) break;
    }
    if (pieces[i].blank) {
      if (x > 0) {
        run.add(pieces[i], x, y);
        x += word;
      }
      i = end;
      continue;
    }
    if (x > 0 && x + word > width) {
      x = 0;
      y += style.line;
    }
    for (; i < end; ++i) {
      run.add(pieces[i], x, y);
      x += text_width(pieces[i].face, pieces[i].words);
    }
  }
  run.flush();
  return pieces.empty() ? 0 : y + style.line;
}

std::vector<lessons::Span> inline_code(std::string_view words) {
  std::vector<lessons::Span> spans;
  bool code = false;
  for (std::size_t at = 0; at <= words.size();) {
    const auto end = std::min(words.find('`', at), words.size());
    if (end > at) {
      lessons::Span span;
      span.text = std::string(words.substr(at, end - at));
      span.code = code;
      spans.push_back(std::move(span));
    }
    code = !code;
    at = end + 1;
  }
  return spans;
}

}  // namespace warpbook::app
