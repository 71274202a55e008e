// Glossary: the terms of CUDA that pages use, each with one sentence and the lesson that explains it (lessons/glossary.en.md).
//
//     Result<Glossary> glossary = parse_glossary(*read_text(glossary_file()));
//     for (std::size_t i : glossary->search("bank")) print(glossary->terms[i].sentence);
//     mark_terms(page, *glossary);                    // Span::term where a page uses a term for the first time
//
// The file: "## term", then "also: other, spellings" (may be left out), "lesson: 05", and the sentence on one line. What stands
// before the first term is for its author. Errors name the line: "bad_glossary".
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
  std::vector<std::string> also;  // other spellings; plurals with -s need none
  std::string sentence;           // may have code between backticks
  std::string lesson;             // "16": a number of curriculum()
};

struct Glossary {
  std::vector<Term> terms;  // by the alphabet, capitals aside

  /// The term of that name or spelling; nullptr: none.
  [[nodiscard]] const Term* find(std::string_view name) const;
  /// Indices of terms: those whose name begins with the words, then those whose name or spellings hold them, then those whose
  /// sentence does. Capitals do not count. No words: all terms.
  [[nodiscard]] std::vector<std::size_t> search(std::string_view words) const;
};

[[nodiscard]] Result<Glossary> parse_glossary(std::string_view text);
[[nodiscard]] std::filesystem::path glossary_file();

/// Whole words of a text that are a term, the longest where several begin at one place.
struct TermUse {
  std::size_t from = 0, size = 0;  // bytes
  const Term* term = nullptr;      // of the glossary
};
[[nodiscard]] std::vector<TermUse> terms_in(std::string_view text, const Glossary& glossary);

/// Cuts a page's spans so that the first use of each term is one of its own, with Span::term its name. Headings, code and links
/// are left alone.
void mark_terms(Page& page, const Glossary& glossary);

}  // namespace warpbook::lessons
