#include "lessons/glossary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include "gpu/text.h"
#include "lessons/catalog.h"

namespace warpbook::lessons {
namespace {

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (static_cast<unsigned char>(c) & 0x80) != 0;
}

std::vector<std::string_view> spellings(const Term& term) {
  std::vector<std::string_view> all{term.name};
  all.insert(all.end(), term.also.begin(), term.also.end());
  return all;
}

/// The length in bytes of this spelling or its plural in `text` at `at`, as whole words. 0: it is not there.
std::size_t length_at(std::string_view text, std::size_t at, std::string_view spelling) {
  if (text.size() - at < spelling.size()) return 0;
  // A spelling in capitals, such as "SM", must match exactly.
  const bool as_it_stands = spelling.size() > 1 && std::isupper(static_cast<unsigned char>(spelling[1])) != 0;
  const std::string_view here = text.substr(at, spelling.size());
  if (as_it_stands ? here != spelling : lowered(here) != lowered(spelling)) return 0;
  std::size_t end = at + spelling.size();
  if (end < text.size() && text[end] == 's' && (end + 1 == text.size() || !in_word(text[end + 1]))) ++end;
  return end < text.size() && in_word(text[end]) ? 0 : end - at;
}

/// What is wrong with a sentence. Empty: nothing.
std::string wrong_with(std::string_view sentence) {
  if (sentence.empty()) return "has no sentence";
  if (sentence.back() != '.') return "has a sentence without a full stop";
  for (std::size_t at = 0; at + 2 < sentence.size(); ++at) {
    const bool ends = sentence[at] == '.' || sentence[at] == '!' || sentence[at] == '?';
    if (ends && sentence[at + 1] == ' ' && std::isupper(static_cast<unsigned char>(sentence[at + 2])) != 0)
      return "has more than one sentence";
  }
  return {};
}

}  // namespace

const Term* Glossary::find(std::string_view name) const {
  const std::string wanted = lowered(name);
  for (const Term& term : terms) {
    for (const std::string_view spelling : spellings(term)) {
      if (lowered(spelling) == wanted) return &term;
    }
  }
  return nullptr;
}

std::vector<std::size_t> Glossary::search(std::string_view words) const {
  const std::string wanted = lowered(trimmed(words));
  const auto rank = [&](const Term& term) {
    if (lowered(term.name).starts_with(wanted)) return 0;
    for (const std::string_view spelling : spellings(term)) {
      if (lowered(spelling).find(wanted) != std::string::npos) return 1;
    }
    return lowered(term.sentence).find(wanted) != std::string::npos ? 2 : 3;
  };
  std::vector<std::pair<int, std::size_t>> found;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (const int r = rank(terms[i]); r < 3) found.emplace_back(r, i);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::size_t> indices;
  for (const auto& [r, i] : found) indices.push_back(i);
  return indices;
}

std::filesystem::path glossary_file() { return data_directory() / "lessons" / "glossary.en.md"; }

Result<Glossary> parse_glossary(std::string_view text) {
  Glossary glossary;
  std::set<std::string> taken;
  int number = 0, began = 0;
  const auto wrong = [&](int line, const std::string& what) {
    return failure("bad_glossary", fmt::format("The glossary, line {}: {}", line, what));
  };
  const auto incomplete = [&]() -> std::string {
    if (glossary.terms.empty()) return {};
    const Term& term = glossary.terms.back();
    const std::string problem = term.lesson.empty() ? "names no lesson; add a line like \"lesson: 05\"" : wrong_with(term.sentence);
    return problem.empty() ? std::string() : fmt::format("'{}' {}.", term.name, problem);
  };
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    ++number;
    if (line.starts_with("## ")) {
      if (const std::string problem = incomplete(); !problem.empty()) return wrong(began, problem);
      began = number;
      Term term;
      term.name = trimmed(line.substr(3));
      if (!taken.insert(lowered(term.name)).second) return wrong(number, fmt::format("'{}' is there already.", term.name));
      glossary.terms.push_back(std::move(term));
      continue;
    }
    if (line.empty() || glossary.terms.empty()) continue;
    Term& term = glossary.terms.back();
    if (line.starts_with("also:")) {
      for (std::string_view rest = line.substr(5); !rest.empty();) {
        const auto comma = rest.find(',');
        const std::string_view spelling = trimmed(rest.substr(0, comma));
        rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
        if (spelling.empty()) return wrong(number, "an empty spelling. Spellings stand between commas.");
        if (!taken.insert(lowered(spelling)).second) return wrong(number, fmt::format("'{}' is there already.", spelling));
        term.also.emplace_back(spelling);
      }
    } else if (line.starts_with("lesson:")) {
      term.lesson = trimmed(line.substr(7));
      const auto lessons = curriculum();
      const bool there = std::any_of(lessons.begin(), lessons.end(), [&](const RailEntry& e) { return e.number == term.lesson; });
      if (!there)
        return wrong(number,
                     fmt::format("there is no lesson '{}'. Lessons are numbered 01 to {}.", term.lesson, lessons[lessons.size() - 2].number));
    } else if (line.starts_with("#")) {
      return wrong(number, "a term is a heading of two: \"## warp\".");
    } else {
      if (!term.sentence.empty())
        return wrong(number, fmt::format("'{}' has its sentence already, and a term has one.", term.name));
      term.sentence = line;
    }
  }
  if (const std::string problem = incomplete(); !problem.empty()) return wrong(began, problem);
  if (glossary.terms.empty()) return wrong(number, "there is no term. A term begins with its heading: \"## warp\".");
  std::sort(glossary.terms.begin(), glossary.terms.end(),
            [](const Term& a, const Term& b) { return lowered(a.name) < lowered(b.name); });
  return glossary;
}

std::vector<TermUse> terms_in(std::string_view text, const Glossary& glossary) {
  std::vector<TermUse> uses;
  for (std::size_t at = 0; at < text.size();) {
    // After a brace comes the name of a control.
    if (!in_word(text[at]) || (at > 0 && (in_word(text[at - 1]) || text[at - 1] == '{'))) {
      ++at;
      continue;
    }
    TermUse best{.from = at};
    for (const Term& term : glossary.terms) {
      for (const std::string_view spelling : spellings(term)) {
        if (const std::size_t size = length_at(text, at, spelling); size > best.size)
          best = {.from = at, .size = size, .term = &term};
      }
    }
    if (best.size > 0) uses.push_back(best);
    at += std::max<std::size_t>(best.size, 1);
  }
  return uses;
}

void mark_terms(Page& page, const Glossary& glossary) {
  std::set<const Term*> seen;
  const auto mark = [&](std::vector<Span>& spans) {
    std::vector<Span> marked;
    for (Span& span : spans) {
      if (span.code || !span.link.empty()) {
        marked.push_back(std::move(span));
        continue;
      }
      std::size_t done = 0;
      const auto cut = [&](std::size_t from, std::size_t to, const Term* term) {
        if (from == to) return;
        Span part = span;
        part.text = span.text.substr(from, to - from);
        part.term = term == nullptr ? std::string() : term->name;
        marked.push_back(std::move(part));
      };
      for (const TermUse& use : terms_in(span.text, glossary)) {
        if (!seen.insert(use.term).second) continue;
        cut(done, use.from, nullptr);
        cut(use.from, use.from + use.size, use.term);
        done = use.from + use.size;
      }
      cut(done, span.text.size(), nullptr);
    }
    spans = std::move(marked);
  };
  for (Block& block : page.blocks) {
    if (block.kind == Block::Kind::heading || block.kind == Block::Kind::code) continue;
    mark(block.spans);
    if (block.header) continue;
    for (auto& cell : block.cells) mark(cell);
  }
}

}  // namespace warpbook::lessons
