#include "app/text/code_look.h"

#include <algorithm>
#include <string>

#include "gpu/text.h"

namespace warpbook::app {

CodeWork& code_work() {
  static CodeWork work;
  return work;
}

std::size_t columns_of(std::string_view bytes) {
  std::size_t columns = 0;
  for (const char c : bytes) columns += c == '\t' ? 4 : continues_character(c) ? 0 : 1;
  return columns;
}

void keep_up(CodeLook& look, const EditorText& text, CodeLanguage language) {
  if (look.revision == text.revision()) return;
  look.revision = text.revision();
  look.spans = highlight(text.lines(), language);
  look.columns = 0;
  for (const std::string& line : text.lines()) look.columns = std::max(look.columns, columns_of(std::string_view(line)));
  code_work().scanned += text.lines().size();
}

}  // namespace warpbook::app
