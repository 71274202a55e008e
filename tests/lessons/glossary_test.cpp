// Glossary: its file is whole, its errors name the line, and a page's first use of a term is found.
#include "lessons/glossary.h"

#include <gtest/gtest.h>
#include <strings.h>

#include <algorithm>
#include <set>

#include "lessons/catalog.h"

namespace warpbook::lessons {
namespace {

constexpr std::string_view small_glossary =
    "# Words\n\n## warp\nlesson: 09\n32 threads.\n\n## bank\nlesson: 10\nA column.\n\n## bank conflict\nlesson: 10\nLanes wait.\n\n"
    "## multiprocessor\nalso: SM\nlesson: 09\nA processor.\n";

Glossary the_glossary() {
  const Result<std::string> text = read_text(glossary_file());
  EXPECT_TRUE(text) << (text ? "" : text.error().message);
  Result<Glossary> glossary = parse_glossary(text ? *text : "");
  EXPECT_TRUE(glossary) << (glossary ? "" : glossary.error().message);
  return glossary ? std::move(*glossary) : Glossary{};
}

TEST(Glossary, TheFileIsWhole) {
  const Glossary glossary = the_glossary();
  EXPECT_GE(glossary.terms.size(), 60U);
  std::set<std::string> spellings;
  for (const Term& term : glossary.terms) {
    EXPECT_TRUE(spellings.insert(term.name).second) << term.name;
    for (const std::string& other : term.also) EXPECT_TRUE(spellings.insert(other).second) << other;
    EXPECT_NE(term.sentence.find('.'), std::string::npos) << term.name;
    EXPECT_LE(term.sentence.size(), 170U) << term.name << ": a tooltip is read at a glance";
    EXPECT_EQ(term.sentence.find(" " + term.name + " is "), std::string::npos) << term.name << " explains itself by itself";
  }
  EXPECT_TRUE(std::is_sorted(glossary.terms.begin(), glossary.terms.end(),
                             [](const Term& a, const Term& b) { return strcasecmp(a.name.c_str(), b.name.c_str()) < 0; }));
}

TEST(Glossary, ErrorsNameTheLine) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"## warp\nlesson: 09\n32 threads.\n\n## warp\nlesson: 09\nAgain.\n", "line 5"},
      {"## warp\nalso: bundle, Warp\nlesson: 09\n32 threads.\n", "line 2"},
      {"## warp\nlesson: 22\n32 threads.\n", "line 2"},
      {"## warp\n32 threads.\n", "names no lesson"},
      {"\n## warp\nlesson: 09\n", "line 2: 'warp' has no sentence"},
      {"## warp\nlesson: 09\n32 threads. They go together.\n", "more than one sentence"},
      {"## warp\nlesson: 09\n32 threads.\nThey go together.\n", "line 4"},
      {"## warp\nlesson: 09\n32 threads\n", "full stop"},
      {"### warp\n## lane\nlesson: 09\nA place.\n# more\n", "line 5"},
      {"Nothing here.\n", "no term"}};
  for (const auto& [text, expected] : cases) {
    const Result<Glossary> glossary = parse_glossary(text);
    ASSERT_FALSE(glossary) << text;
    EXPECT_EQ(glossary.error().code, "bad_glossary");
    EXPECT_NE(glossary.error().message.find(expected), std::string::npos) << glossary.error().message;
  }
}

TEST(Glossary, SearchPutsNamesFirst) {
  const Result<Glossary> glossary = parse_glossary(small_glossary);
  ASSERT_TRUE(glossary) << glossary.error().message;
  EXPECT_EQ(glossary->search("").size(), 4U);
  const auto found = glossary->search(" Bank");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(glossary->terms[found[0]].name, "bank");
  ASSERT_EQ(glossary->search("sm").size(), 1U);
  EXPECT_EQ(glossary->terms[glossary->search("sm")[0]].name, "multiprocessor");
  ASSERT_EQ(glossary->search("column").size(), 1U);
  EXPECT_TRUE(glossary->search("texture").empty());
  EXPECT_EQ(glossary->find("SM")->name, "multiprocessor");
  EXPECT_EQ(glossary->find("lane"), nullptr);
}

TEST(Glossary, FindsWholeWordsAndTheLongestTerm) {
  const Result<Glossary> glossary = parse_glossary(small_glossary);
  ASSERT_TRUE(glossary);
  const std::string text = "Warps, a bank conflict and banks; SMs, but no warping, bankers, {bank} or sms.";
  std::vector<std::string> words;
  for (const TermUse& use : terms_in(text, *glossary)) words.push_back(text.substr(use.from, use.size));
  EXPECT_EQ(words, (std::vector<std::string>{"Warps", "bank conflict", "banks", "SMs"}));
}

TEST(Glossary, MarksTheFirstUseOnAPageOutsideHeadingsCodeAndLinks) {
  const Result<Glossary> glossary = parse_glossary(small_glossary);
  ASSERT_TRUE(glossary);
  Lesson lesson;
  lesson.id = "99_test";
  Result<Page> page =
      parse_page("# Warp\n\n`warp` [warp](https://example.org) a **warp here** and a warp.\n\n- banks\n- a bank\n", lesson);
  ASSERT_TRUE(page) << page.error().message;
  mark_terms(*page, *glossary);
  std::vector<std::string> marked;
  for (const Block& block : page->blocks) {
    for (const Span& span : block.spans) {
      if (!span.term.empty()) marked.push_back(span.term + "=" + span.text + (span.strong ? " strong" : ""));
    }
  }
  EXPECT_EQ(marked, (std::vector<std::string>{"warp=warp strong", "bank=banks"}));
  EXPECT_EQ(page->blocks[1].spans.back().text, " and a warp.") << "what is cut comes together again";
}

}  // namespace
}  // namespace warpbook::lessons
