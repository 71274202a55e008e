// The table of kinds of findings, and the list of --observe that derives from it.
#include "gpu/finding_kinds.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace warpbook::gpu {
namespace {

std::set<std::string> observed_kinds(const Observe& observe) {
  std::set<std::string> names;
  for (const FindingRow& row : all_finding_kinds())
    if (observe[row.kind]) names.emplace(row.name);
  return names;
}

TEST(FindingKinds, EachIsFoundByItsName) {
  for (const FindingRow& row : all_finding_kinds()) {
    EXPECT_EQ(&row_of(row.kind), &row);
    EXPECT_EQ(finding_kind(row.name), row.kind);
    EXPECT_EQ(name_of(row.kind), row.name);
  }
  EXPECT_EQ(finding_kind("races"), std::nullopt);
  EXPECT_EQ(finding_kind(""), std::nullopt);
}

TEST(FindingKinds, ObserveTakesNamesAllAndNone) {
  using Names = std::set<std::string>;
  EXPECT_EQ(observed_kinds(*observe_named("race")), Names{"race"});
  EXPECT_EQ(observed_kinds(*observe_named("banks,memory")), (Names{"banks", "memory"}));
  EXPECT_EQ(observed_kinds(*observe_named("none")), Names{});
  EXPECT_FALSE(observe_named("none")->any());
  EXPECT_EQ(observed_kinds(*observe_named("all")),
            (Names{"memory", "race", "init", "sync", "coalescing", "banks", "divergence"}));  // README.md
  EXPECT_TRUE(observe_named("divergence")->any_finding());
  Observe history;
  history.history = 1;
  EXPECT_TRUE(history.any());
  EXPECT_FALSE(history.any_finding());
}

TEST(FindingKinds, AnUnknownWordIsNamed) {
  for (const char* const list : {"races", "race,,memory", "race,", "", "all,race"}) {
    const auto refused = observe_named(list);
    ASSERT_FALSE(refused) << list;
    EXPECT_EQ(refused.error().code, "usage");
    EXPECT_NE(refused.error().message.find("memory, race, init, sync, coalescing, banks, divergence"), std::string::npos);
  }
  EXPECT_NE(observe_named("race,speed").error().message.find("'speed'"), std::string::npos);
}

/// The rows of a group stand at places of their own.
TEST(FindingKinds, NoTwoShareAPlaceInTheReport) {
  std::set<std::pair<FindingGroup, unsigned>> places;
  for (const FindingRow& row : all_finding_kinds()) EXPECT_TRUE(places.emplace(row.group, row.place).second) << row.name;
}

TEST(FindingKinds, EachHasItsWordInTheReadmeAndItsColours) {
  const auto text_of = [](const char* path) {
    std::ifstream file(std::string(WARPBOOK_ROOT "/") + path);
    return (std::ostringstream() << file.rdbuf()).str();
  };
  const std::string readme = text_of("README.md"), tokens = text_of("assets/tokens.toml");
  for (const FindingRow& row : all_finding_kinds()) {
    EXPECT_NE(readme.find("`" + std::string(row.name) + "`"), std::string::npos) << row.name;
    const std::regex colour("\n" + std::string(row.name) + " += \"#");
    const auto found = std::distance(std::sregex_iterator(tokens.begin(), tokens.end(), colour), std::sregex_iterator());
    EXPECT_EQ(found, 2) << row.name << ": a colour for the dark and one for the light appearance";
  }
}

}  // namespace
}  // namespace warpbook::gpu
