// The page for whole programs without a display: a record that was written by hand, its launches and their sources.
#include "lessons/programs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "app/session/programs.h"
#include "tests/app/hand_made_record.h"
#include "tests/app/headless.h"

namespace warpbook::test {
namespace {

namespace fs = std::filesystem;

class ProgramsPage : public ::testing::Test {
 protected:
  ProgramsPage() { write_hand_made_record(file_); }
  ~ProgramsPage() override {
    std::error_code ignored;
    fs::remove(file_, ignored);
  }
  double number(const std::string& name) {
    const auto numbers = window_.state()["numbers"];
    return numbers.contains(name) ? numbers[name].get<double>() : -1;
  }
  void open_record() {
    window_.book().open_file(file_.string());
    ASSERT_TRUE(window_.settle());
  }
  void write(const std::string& bytes) { std::ofstream(file_, std::ios::binary | std::ios::trunc) << bytes; }
  std::string read() {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path file_ = fs::temp_directory_path() / ("programs_page" + std::to_string(getpid()) + ".record");
  Headless window_;
};

TEST_F(ProgramsPage, ARecordOpensAtItsFirstLaunchAndRunsIt) {
  open_record();
  EXPECT_EQ(window_.state()["lesson"], "programs");
  EXPECT_EQ(number("changed"), 16) << "5 was added to each of 16 zeros";
  EXPECT_EQ(window_.session().lesson().text.str(), recorded_source);
  EXPECT_EQ(app::shown_file(window_.session()), "add.cu");
  EXPECT_EQ(window_.session().program.line, "./add 5");
  EXPECT_TRUE(window_.find("launch/2"));
}

TEST_F(ProgramsPage, ALaunchThatIsClickedRunsAgain) {
  open_record();
  ASSERT_TRUE(window_.click("launch/2"));
  ASSERT_TRUE(window_.settle());
  EXPECT_EQ(number("changed"), 0) << "0 was added";
  EXPECT_EQ(window_.state()["texts"]["record/launch"], "2");
}

TEST_F(ProgramsPage, ItsSourceIsReadAndNotChanged) {
  open_record();
  ASSERT_TRUE(window_.click("editor"));
  window_.type("x");
  window_.key(app::KeyEvent::Key::enter);
  ASSERT_TRUE(window_.settle());
  EXPECT_EQ(window_.session().lesson().text.str(), recorded_source);
  EXPECT_FALSE(window_.state()["edited"]);
}

TEST_F(ProgramsPage, ALaunchIsSteppedThrough) {
  open_record();
  ASSERT_TRUE(window_.click("tab/steps"));
  ASSERT_TRUE(window_.wait([&] { return window_.state().contains("stepper"); })) << window_.state().dump(1);
  EXPECT_EQ(window_.state()["stepper"]["line"], 2);
}

TEST_F(ProgramsPage, WhatIsWrongWithARecordIsASentence) {
  const std::string whole = read();
  write(whole.substr(0, whole.size() - 300));
  open_record();
  EXPECT_TRUE(window_.find("launch/2")) << "the launches come before the end that is missing";
  const auto open = lessons::record_of(window_.session().lesson().values);
  ASSERT_TRUE(open.record);
  EXPECT_NE(open.record->remarks.back().find("ends early"), std::string::npos);

  std::string newer = whole;
  newer[gpu::record_mark.size()] = 9;
  write(newer);
  open_record();
  EXPECT_NE(window_.session().program.problem.find("newer Warpbook"), std::string::npos) << window_.session().program.problem;
  EXPECT_FALSE(window_.find("launch/1"));

  fs::remove(file_);
  open_record();
  EXPECT_NE(window_.session().program.problem, "");
}

TEST_F(ProgramsPage, ASourceThatWasNotReadSaysSo) {
  std::string bytes = read();
  const std::size_t at = bytes.find("\"file\":\"/home/ada/add.cu\"");
  ASSERT_NE(at, std::string::npos);
  gpu::RunRecord record = **gpu::RunRecord::read(file_);
  EXPECT_EQ(lessons::source_text(record, 0), recorded_source);
  record.sources.clear();
  EXPECT_NE(lessons::source_text(record, 0).find("/home/ada/add.cu"), std::string::npos);
  EXPECT_NE(lessons::source_text(record, 0).find("could not be read"), std::string::npos);
}

TEST_F(ProgramsPage, TheTimelineHasTheLaunchesAndMarksTheChosenOne) {
  gpu::RunRecord record = **gpu::RunRecord::read(file_);
  const lessons::HostTimeline both = lessons::timeline_of(record, 1);
  ASSERT_EQ(both.lanes.size(), 2u);
  EXPECT_EQ(both.lanes[0].spans.size(), 2u) << "calls";
  ASSERT_EQ(both.lanes[1].spans.size(), 2u) << "kernels";
  EXPECT_EQ(both.lanes[1].spans[0].label, "1 add");
  ASSERT_EQ(both.marks.size(), 1u);
  EXPECT_DOUBLE_EQ(both.marks[0].time, both.lanes[1].spans[1].begin);
  // One call that launches both, as a graph's does.
  record.calls.erase(record.calls.begin());
  record.calls[0].begin = 0;
  const lessons::HostTimeline graph = lessons::timeline_of(record, 0);
  ASSERT_EQ(graph.lanes[1].spans.size(), 2u);
  ASSERT_EQ(graph.marks.size(), 1u);
  EXPECT_DOUBLE_EQ(graph.marks[0].time, graph.lanes[1].spans[0].begin);
  // After a long pause begins another stretch.
  record = **gpu::RunRecord::read(file_);
  for (double* time : {&record.calls[1].begin, &record.calls[1].end, &record.launches[1].begin, &record.launches[1].end})
    *time += 1e6;
  EXPECT_EQ(lessons::timeline_of(record, 1).lanes[1].spans.size(), 1u);
}

TEST(ProgramLine, IsTakenApartAsAShellDoes) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(*app::words_of("./heat 64  -v"), (Words{"./heat", "64", "-v"}));
  EXPECT_EQ(*app::words_of("python3 'my heat.py' \"a b\"c ''"), (Words{"python3", "my heat.py", "a bc", ""}));
  EXPECT_EQ(*app::words_of(R"(a\ b "c\"d" 'e\f')"), (Words{"a b", "c\"d", "e\\f"}));
  EXPECT_TRUE(app::words_of("  ")->empty());
  EXPECT_FALSE(app::words_of("./heat 'open"));
  for (const Words& words : {Words{"./heat", "64"}, Words{"it's", "a b", "", "c\\d"}})
    EXPECT_EQ(*app::words_of(app::line_of(words)), words) << app::line_of(words);
}

}  // namespace
}  // namespace warpbook::test
