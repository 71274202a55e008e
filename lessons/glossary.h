// Glossary: the terms that pages use, each with one sentence and the number of the lesson that explains it
// (lessons/glossary.en.md).
//
//     Result<Glossary> glossary = parse_glossary(*read_text(glossary_file()));
//     for (std::size_t i : glossary->search("bank")) print(glossary->terms[i].sentence);
//     mark_terms(page, *glossary);                    // Span::term where a page uses a term for the first time
//
// The file's format: "## term", then "also: other, spellings" (optional), "lesson: 05", and the sentence on one line. Text before
// the first term is a note for authors. Errors name the line: "bad_glossary".
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/result.h"
#include "lessons/page.h"

namespace warpbook::lessons {

struct Term {
  std::string name;               // "bank conflict"
  std::vector<std::string> also;  // other spellings; a plural with -s is found without one
  std::string sentence;           // may contain code between backticks
  std::string lesson;             // "16": a lesson's number in curriculum()
};

struct Glossary {
  std::vector<Term> terms;  // in alphabetical order, ignoring case

  /// The term with that name or spelling. nullptr: none.
  [[nodiscard]] const Term* find(std::string_view name) const;
  /// Indices of terms: first those whose name begins with the words, then those whose name or spellings contain them, then those
  /// whose sentence does. Case is ignored. Without words: all terms.
  [[nodiscard]] std::vector<std::size_t> search(std::string_view words) const;
};

[[nodiscard]] Result<Glossary> parse_glossary(std::string_view text);
[[nodiscard]] std::filesystem::path glossary_file();

/// A term found in a text, as whole words. If several begin at the same place, the longest is found.
struct TermUse {
  std::size_t from = 0, size = 0;  // bytes
  const Term* term = nullptr;      // points into the glossary
};
[[nodiscard]] std::vector<TermUse> terms_in(std::string_view text, const Glossary& glossary);

/// Splits a page's spans so that the first use of each term is a span of its own, with Span::term set. Headings, code and links are
/// not changed.
void mark_terms(Page& page, const Glossary& glossary);

}  // namespace warpbook::lessons
