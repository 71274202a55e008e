// Page: Markdown and directives become blocks; what a page names must exist.
#include "lessons/page.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "lessons/catalog.h"
#include "tests/lessons/control.h"

namespace warpbook::lessons {
namespace {

using BlockKind = Block::Kind;

Lesson make_lesson() {
  Lesson lesson;
  lesson.id = "99_test";
  using ControlKind = Control::Kind;
  lesson.controls = {
      testing::control("threads", ControlKind::integer, 64, 1, 1024), testing::control("share", ControlKind::real, 0.25, 0, 1),
      testing::control("guard", ControlKind::toggle, 1, 0, 1),
      testing::control("where", ControlKind::choice, 0, 0, 1, {{"a", to_say("Global bins")}, {"b", to_say("Shared")}})};
  lesson.views = {"thread_map"};
  lesson.guesses = {"untouched"};
  lesson.markings = {{"idle", [](const Values&) { return 64U; }}};
  return lesson;
}

std::vector<Block> blocks(std::string_view text) {
  Result<Page> page = parse_page(text, make_lesson());
  EXPECT_TRUE(page) << (page ? "" : page.error().message);
  return page ? page->blocks : std::vector<Block>{};
}

TEST(Page, DirectivesStandBetweenTheText) {
  const auto page = blocks(
      "::stage predict\nText.\n::guess untouched \"How many `cells`?\"\n\n::controls\n::result\n::view thread_map\n::stage "
      "change\n::presets\n");
  const std::vector<BlockKind> kinds{BlockKind::stage,  BlockKind::paragraph, BlockKind::guess, BlockKind::controls,
                                     BlockKind::result, BlockKind::view,      BlockKind::stage, BlockKind::presets};
  ASSERT_EQ(page.size(), kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) EXPECT_EQ(page[i].kind, kinds[i]) << i;
  EXPECT_EQ(page[0].name, "predict");
  EXPECT_EQ(page[2].name, "untouched");
  EXPECT_EQ(page[2].text, "How many `cells`?");
  EXPECT_EQ(page[5].name, "thread_map");
}

TEST(Page, SpansCarryTheirStyle) {
  const auto page = blocks("A **bold** and *slanted* `<<<{threads}>>>`\nin [a link](https://example.org) &lt;3.\n");
  ASSERT_EQ(page.size(), 1U);
  const std::vector<Span>& spans = page[0].spans;
  ASSERT_EQ(spans.size(), 9U);
  EXPECT_EQ(spans[1].text, "bold");
  EXPECT_TRUE(spans[1].strong);
  EXPECT_TRUE(spans[3].emphasis);
  EXPECT_TRUE(spans[5].code);
  EXPECT_EQ(spans[5].text, "<<<{threads}>>>");
  EXPECT_EQ(spans[6].text, " in ");
  EXPECT_EQ(spans[7].link, "https://example.org");
  EXPECT_EQ(spans[8].text, " <3.");
}

TEST(Page, ListsTablesHeadingsAndCode) {
  const auto page = blocks(
      "## Title\n\n3. three\n4. four\n   - inner\n\n| a | b |\n|---|---|\n| 1 | `2` |\n\n```cuda\nout[i] = 1;\n::view "
      "nowhere\n```\n\n> said\n\n---\n");
  ASSERT_EQ(page.size(), 9U);
  EXPECT_EQ(page[0].kind, BlockKind::heading);
  EXPECT_EQ(page[0].level, 2);
  EXPECT_EQ(page[1].kind, BlockKind::list_item);
  EXPECT_EQ(page[1].ordinal, 3);
  EXPECT_EQ(page[2].ordinal, 4);
  EXPECT_EQ(page[2].spans.at(0).text, "four");
  EXPECT_EQ(page[3].level, 2);
  EXPECT_EQ(page[3].ordinal, 0);
  EXPECT_EQ(page[4].kind, BlockKind::table_row);
  EXPECT_TRUE(page[4].header);
  ASSERT_EQ(page[5].cells.size(), 2U);
  EXPECT_FALSE(page[5].header);
  EXPECT_TRUE(page[5].cells[1].at(0).code);
  EXPECT_EQ(page[6].kind, BlockKind::code);
  EXPECT_EQ(page[6].name, "cuda");
  EXPECT_EQ(page[6].text, "out[i] = 1;\n::view nowhere\n") << "a directive inside code is code";
  EXPECT_EQ(page[7].kind, BlockKind::quote);
  EXPECT_EQ(page[8].kind, BlockKind::rule);
}

TEST(Page, NamesTheLineOfWhatDoesNotExist) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"Text.\n\n::veiw thread_map\n", "line 3"},
      {"::view histogram\n", "thread_map"},
      {"::guess lost \"?\"\n", "untouched"},
      {"::controls\n\nOne.\n\nTwo [words](control:thread).\n", "line 5"},
      {"[words](control:thread)\n", "It has: threads, share, guard, where"},
      {"| a |\n|---|\n| [b](lesson:77) |\n", "line 3"},
      {"[c](notes.txt)\n", "leads nowhere"},
      {"::guess untouched\n", "in quotes"},
      {"::guess untouched \"?\" that\n", "in quotes"},
      {"::guess untouched \"?\" \"that\" \"and\"\n", "in quotes"},
      {"::guess untouched \"?\" choose \"none\"\n", "after choose"},
      {"::guess untouched \"?\" choose \"none\" few\n", "after choose"},
      {"::guess untouched \"?\" choose \"some\" 5..1\n", "after choose"},
      {"::guess idle \"?\"\n", "nothing that can be guessed"},
      {"::mark untouched \"?\"\n", "These can: idle"},
      {"::mark idle\n", "in quotes"},
      {"::exercise square\n", "no exercise 'square'. It has: none"},
      {"::stage think\n", "predict, run, look"},
      {"\n::controls now\n", "line 2"}};
  for (const auto& [text, expected] : cases) {
    const Result<Page> page = parse_page(text, make_lesson());
    ASSERT_FALSE(page) << text;
    EXPECT_EQ(page.error().code, "bad_page");
    EXPECT_NE(page.error().message.find(expected), std::string::npos) << page.error().message;
  }
}

TEST(Page, AnExerciseIsOneOfItsOwnLesson) {
  const auto page = parse_page("::stage make\n::exercise square\n", *find_lesson("01"));
  ASSERT_TRUE(page) << page.error().message;
  ASSERT_EQ(page->blocks.size(), 2U);
  EXPECT_EQ(page->blocks[1].kind, BlockKind::exercise);
  EXPECT_EQ(page->blocks[1].name, "square");
  const auto elsewhere = parse_page("Text.\n\n::exercise square\n", *find_lesson("05"));
  ASSERT_FALSE(elsewhere);
  EXPECT_EQ(
      elsewhere.error().message,
      "05_race_conditions, line 3 of the page: the lesson has no exercise 'square'. It has: about_races, count_above, safe_max.");
}

TEST(Page, AGuessMaySayWhatWasPredicted) {
  const auto page = blocks("::guess untouched \"How many?\" \"that so many stay:\"\n");
  ASSERT_EQ(page.size(), 1U);
  EXPECT_EQ(page[0].text, "How many?");
  EXPECT_EQ(page[0].said, "that so many stay:");
}

TEST(Page, AGuessMayBeOneOfSomeRanges) {
  const auto page =
      blocks("::guess untouched \"How many?\" \"so many:\" choose \"none\" 0, \"some, or half\" 1..50.5, \"more\" 51..\n");
  ASSERT_EQ(page.size(), 1U);
  EXPECT_EQ(page[0].said, "so many:");
  ASSERT_EQ(page[0].choices.size(), 3U);
  EXPECT_EQ(page[0].choices[1].label, "some, or half");
  EXPECT_TRUE(page[0].choices[0].holds(0));
  EXPECT_FALSE(page[0].choices[0].holds(1));
  EXPECT_TRUE(page[0].choices[1].holds(50.5));
  EXPECT_FALSE(page[0].choices[2].holds(50.5));
  EXPECT_TRUE(page[0].choices[2].holds(1e9));
}

TEST(Page, PicturesLieBesideThePage) {
  const auto folder = page_file(make_lesson()).parent_path();
  ASSERT_TRUE(std::filesystem::create_directories(folder));
  std::ofstream(folder / "warps.png") << "its content is read when it is shown";
  const auto page = blocks("Before.\n\n![Two warps, *side* by side](warps.png)\n\nAfter.\n");
  const auto refused = [](std::string_view text, std::string_view why) {
    const auto parsed = parse_page(text, make_lesson());
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().message.find(why), std::string::npos) << parsed.error().message;
  };
  refused("Text.\n\n![a](blocks.png)\n", "line 3 of the page: there is no picture 'blocks.png'");
  refused("![a](warps.jpg)\n", "no PNG");
  refused("Text.\n\nSee ![a](warps.png)\n", "line 3 of the page: a picture stands alone");
  refused("![a](warps.png) here\n", "stands alone");
  std::filesystem::remove_all(folder);
  ASSERT_EQ(page.size(), 3U);
  EXPECT_EQ(page[1].kind, BlockKind::image);
  EXPECT_EQ(page[1].name, "warps.png");
  EXPECT_EQ(page[1].text, "Two warps, side by side");
}

TEST(Page, ThreadsCanBeMarked) {
  const auto page = blocks("::mark idle \"Which threads idle?\"\n");
  ASSERT_EQ(page.size(), 1U);
  EXPECT_EQ(page[0].kind, BlockKind::mark);
  EXPECT_EQ(page[0].name, "idle");
  EXPECT_EQ(page[0].text, "Which threads idle?");
}

TEST(Page, LinksLeadToTheWebToLessonsAndToControls) {
  const auto page = blocks("[a](http://example.org) [b](lesson:05) [c](control:threads)\n");
  ASSERT_EQ(page.size(), 1U);
  std::vector<std::string> links;
  for (const Span& span : page[0].spans) {
    if (!span.link.empty()) links.push_back(span.link);
  }
  EXPECT_EQ(links, (std::vector<std::string>{"http://example.org", "lesson:05", "control:threads"}));
}

TEST(Page, FillsInTheValuesInForce) {
  const Lesson lesson = make_lesson();
  Values values = Values::defaults(lesson.controls);
  values.set("threads", 128);
  EXPECT_EQ(fill_in("<<<{threads}, {share}>>> {guard} {where}", lesson, values), "<<<128, 0.25>>> on Global bins");
  EXPECT_EQ(fill_in("{ {unknown} {threads} {", lesson, values), "{ {unknown} 128 {");
}

}  // namespace
}  // namespace warpbook::lessons
