#include "app/ui/code_line.h"

#include "app/ui/draw.h"

namespace warpbook::app {

ImU32 colour_of(CodeKind kind) {
  const auto& c = theme().code;
  switch (kind) {
    case CodeKind::plain:
      return c.plain;
    case CodeKind::keyword:
      return c.keyword;
    case CodeKind::qualifier:
      return c.qualifier;
    case CodeKind::builtin:
      return c.builtin;
    case CodeKind::number:
      return c.number;
    case CodeKind::string:
      return c.string;
    case CodeKind::comment:
      return c.comment;
    case CodeKind::macro:
      return c.macro;
  }
  return c.plain;
}

void draw_code_line(ImDrawList* draw, Face face, ImVec2 at, std::string_view line, const std::vector<CodeSpan>& spans,
                    bool inactive) {
  std::size_t byte = 0;
  const auto piece = [&](std::size_t end, ImU32 colour) {
    if (end <= byte) return;
    at.x += text(draw, face, at, inactive ? theme().text.disabled : colour, line.substr(byte, end - byte));
    byte = end;
  };
  for (const CodeSpan& span : spans) {
    piece(span.begin, theme().code.plain);
    piece(span.end, colour_of(span.kind));
  }
  piece(line.size(), theme().code.plain);
}

}  // namespace warpbook::app
