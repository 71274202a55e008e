#include "app/text/highlight_cache.h"

#include <algorithm>
#include <string>

#include "gpu/text.h"

namespace warpbook::app {

CodeCounters& code_counters() {
  static CodeCounters work;
  return work;
}

std::size_t columns_of(std::string_view bytes) {
  std::size_t columns = 0;
  for (const char c : bytes) columns += c == '\t' ? 4 : continues_character(c) ? 0 : 1;
  return columns;
}

void update(HighlightCache& cache, const EditorText& text, CodeLanguage language) {
  if (cache.revision == text.revision()) return;
  cache.revision = text.revision();
  cache.spans = highlight(text.lines(), language);
  cache.columns = 0;
  for (const std::string& line : text.lines()) cache.columns = std::max(cache.columns, columns_of(std::string_view(line)));
  code_counters().scanned += text.lines().size();
}

}  // namespace warpbook::app
