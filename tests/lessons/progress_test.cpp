// What is kept comes back as it was; what cannot be read is said, lies aside, and stops nothing.
#include "lessons/progress.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "lessons/catalog.h"
#include "lessons/exercise.h"
#include "tests/lessons/in_the_way.h"

namespace warpbook::lessons {
namespace {

namespace fs = std::filesystem;

class ProgressIn : public ::testing::Test {
 protected:
  ProgressIn() : folder_(fs::temp_directory_path() / ("warpbook_progress_" + std::to_string(getpid()))), progress_(folder_) {
    fs::remove_all(folder_);
  }
  ~ProgressIn() override { fs::remove_all(folder_); }
  void write(const fs::path& file, const std::string& text) {
    fs::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file) << text;
  }
  const Lesson& lesson_ = *find_lesson("05");
  fs::path folder_;
  Progress progress_;
};

TEST_F(ProgressIn, an_empty_folder_is_a_lesson_never_opened) {
  const auto kept = progress_.load(lesson_);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->values, Values::defaults(lesson_.controls));
  EXPECT_FALSE(kept->kernel);
  EXPECT_FALSE(kept->ran);
  EXPECT_FALSE(fs::exists(folder_));  // reading leaves no trace
}

TEST_F(ProgressIn, everything_comes_back_in_every_lesson) {
  for (const Lesson* lesson : all_lessons()) {
    Kept kept{.values = Values::defaults(lesson->controls),
              .kernel = "// Größe\r\n\"\"\"\\\tint a;",
              .ran = true,
              .looked = true,
              .changed = true,
              .quick = true,
              .more = true};
    if (lesson->playground) {
      kept.folder = "/home/of a learner/\"project\"";
      kept.earlier = {{.file = "2026-11-27_18-05-33.cu", .kernel = "int before;\n", .folder = "/home", .values = kept.values},
                      {.file = "2026-11-27_18-05-33_2.cu", .kernel = "", .folder = "", .values = kept.values}};
      kept.earlier[0].values.set_text("saxpy/x", "[4]=ones");
    }
    for (const Control& control : lesson->controls) {
      const double last = control.kind == Control::Kind::choice   ? static_cast<double>(control.options.size() - 1)
                          : control.kind == Control::Kind::toggle ? 1 - control.initial
                                                                  : control.most;
      kept.values.set(control.id, last);
    }
    const Values before = Values::defaults(lesson->controls);
    for (const std::string& name : lesson->guesses) {
      kept.guesses[name] = {
          .answers = {{.settings = before, .value = 0.1, .found = Answer::Found{.value = -2.5, .decimals = 1, .unit = "%"}},
                      {.settings = kept.values, .value = 7}},
          .skipped = true};
    }
    for (const Marking& marking : lesson->markings)
      kept.guesses[marking.name] = {
          .answers = {{.settings = before, .marks = {0, 7, 1023}, .found = Answer::Found{.marks = {0, 2}}}}};
    ASSERT_TRUE(progress_.save(*lesson, kept));
    const auto back = progress_.load(*lesson);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, kept) << lesson->id;
  }
}

TEST_F(ProgressIn, a_skipped_guess_is_no_guess_and_no_question) {
  Kept kept{.values = Values::defaults(lesson_.controls), .guesses = {{"got", {.skipped = true}}}};
  ASSERT_TRUE(progress_.save(lesson_, kept));
  EXPECT_EQ(progress_.load(lesson_)->guesses, kept.guesses);
}

TEST_F(ProgressIn, marks_that_are_no_threads_are_left_out) {
  const Lesson& reduction = *find_lesson("12");
  write(reduction.id + "/progress.toml", "[guesses]\nthird_level = [-1, 3, 1024, \"four\", 5.5, 31]\n");
  const auto kept = progress_.load(reduction);
  ASSERT_EQ(kept->guesses.at("third_level").answers.size(), 1U);
  EXPECT_EQ(kept->guesses.at("third_level").answers[0].marks, (std::set<std::uint32_t>{3, 31}));
}

TEST_F(ProgressIn, a_guess_of_an_older_file_was_given_for_the_controls_beside_it) {
  write(lesson_.id + "/progress.toml", "[controls]\nblocks = 7\n[guesses]\ngot = 12.5\n");
  const auto kept = progress_.load(lesson_);
  ASSERT_EQ(kept->guesses.at("got").answers.size(), 1U);
  EXPECT_EQ(kept->guesses.at("got").answers[0].value, 12.5);
  EXPECT_EQ(kept->guesses.at("got").answers[0].settings.integer("blocks"), 7);
  EXPECT_FALSE(kept->guesses.at("got").answers[0].found);
}

TEST_F(ProgressIn, answers_that_are_none_are_left_out) {
  write(lesson_.id + "/progress.toml",
        "[[answers.got]]\nvalue = \"many\"\n[[answers.got]]\nvalue = nan\n[[answers.got]]\nvalue = 3\nfound = "
        "inf\n[answers.got.controls]\n"
        "blocks = 9\nthreads = -3\n[[answers.weather]]\nvalue = 1\n");
  const auto kept = progress_.load(lesson_);
  ASSERT_EQ(kept->guesses.size(), 1U);
  ASSERT_EQ(kept->guesses.at("got").answers.size(), 1U);
  const Answer& answer = kept->guesses.at("got").answers[0];
  EXPECT_EQ(answer.value, 3);
  EXPECT_FALSE(answer.found) << "infinity is nothing that a run has found";
  EXPECT_EQ(answer.settings.integer("blocks"), 9);
  EXPECT_EQ(answer.settings.integer("threads"), 64);
}

TEST_F(ProgressIn, a_kernel_that_was_reset_is_gone) {
  Kept kept{.values = Values::defaults(lesson_.controls), .kernel = "int a;"};
  ASSERT_TRUE(progress_.save(lesson_, kept));
  EXPECT_TRUE(fs::exists(folder_ / lesson_.id / "kernel.cu"));
  kept.kernel.reset();
  ASSERT_TRUE(progress_.save(lesson_, kept));
  EXPECT_FALSE(progress_.load(lesson_)->kernel);
}

TEST_F(ProgressIn, an_emptied_kernel_is_the_learners_too) {
  ASSERT_TRUE(progress_.save(lesson_, {.values = Values::defaults(lesson_.controls), .kernel = ""}));
  EXPECT_EQ(progress_.load(lesson_)->kernel, "");
}

TEST_F(ProgressIn, values_that_the_lesson_does_not_allow_are_left_out) {
  write(lesson_.id + "/progress.toml",
        "[controls]\nthreads = 5000\nblocks = 7\natomic = \"perhaps\"\nno_such_control = 3\n[guesses]\ngot = true\nweather = 1\n");
  const auto kept = progress_.load(lesson_);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->values.integer("blocks"), 7);
  EXPECT_EQ(kept->values.integer("threads"), 64);
  EXPECT_FALSE(kept->values.on("atomic"));
  EXPECT_TRUE(kept->guesses.empty());
}

TEST_F(ProgressIn, what_a_playgrounds_kernel_is_given_comes_back) {
  const Lesson& playground = *find_lesson("playground");
  Kept kept{.values = Values::defaults(playground.controls)};
  kept.values.set_text("kernel", "saxpy");
  kept.values.set_text("saxpy/x", "[64x64]=@/home/me/a file.png");
  ASSERT_TRUE(progress_.save(playground, kept));
  EXPECT_EQ(progress_.load(playground)->values, kept.values);
  write(lesson_.id + "/progress.toml", "[texts]\nkernel = \"saxpy\"\n");
  EXPECT_TRUE(progress_.load(lesson_)->values.texts().empty()) << "another lesson takes no texts";
}

TEST_F(ProgressIn, what_was_kept_under_a_former_id_is_carried_over) {
  write("10_diffusion/progress.toml", "ran = true\n");
  write("10_diffusion/exercises/game_of_life/progress.toml", "passed = true\n");
  write("10_diffusion/exercises/game_of_life/kernel.cu", "// mine\n");
  write("09_histogram/kernel.cu", "// the old one\n");
  write("07_histogram/kernel.cu", "// the new one\n");
  const Progress carried(folder_);
  EXPECT_TRUE(carried.load(*find_lesson("06"))->ran);
  const Exercise& life = **find_exercise("game_of_life");
  EXPECT_TRUE(carried.load(life.as_lesson)->passed);
  EXPECT_EQ(carried.load(life.as_lesson)->kernel, "// mine\n");
  EXPECT_EQ(carried.load(*find_lesson("07"))->kernel, "// the new one\n");
  EXPECT_TRUE(fs::exists(folder_ / "09_histogram" / "kernel.cu")) << "where both are there, nothing is lost";
}

TEST_F(ProgressIn, a_damaged_file_is_said_and_nothing_is_changed_before_it_is_set_aside) {
  const fs::path file = folder_ / lesson_.id / "progress.toml", kernel = folder_ / lesson_.id / "kernel.cu";
  write(lesson_.id + "/progress.toml", "[controls\nthreads = 64\n");
  write(lesson_.id + "/progress.toml.damaged", "an older one");
  write(lesson_.id + "/kernel.cu", "// mine\n");
  for (int twice = 0; twice < 2; ++twice) {
    const auto kept = progress_.load(lesson_);
    ASSERT_FALSE(kept);
    EXPECT_EQ(kept.error().code, "damaged_file");
    EXPECT_NE(kept.error().message.find(file.string()), std::string::npos) << kept.error().message;
  }
  const auto saved = progress_.save(lesson_, {.values = Values::defaults(lesson_.controls)});
  ASSERT_FALSE(saved) << "it would be written over, and the kernel beside it be deleted";
  EXPECT_EQ(saved.error().code, "changed_file");
  EXPECT_EQ(*read_text(kernel), "// mine\n");
  EXPECT_EQ(*progress_.load_kernel(lesson_), "// mine\n");

  const auto aside = progress_.set_aside(lesson_);
  ASSERT_TRUE(aside);
  EXPECT_EQ(*read_text(*aside), "[controls\nthreads = 64\n");
  EXPECT_EQ(*read_text(file.string() + ".damaged"), "an older one");
  ASSERT_TRUE(progress_.load(lesson_));
  EXPECT_EQ(progress_.load(lesson_)->kernel, "// mine\n");
}

TEST_F(ProgressIn, what_cannot_be_read_is_not_empty_and_stays_with_all_beside_it) {
  const fs::path folder = folder_ / lesson_.id;
  for (const test::InTheWay& way : test::all_in_the_way()) {
    for (const std::string name : {"kernel.cu", "progress.toml"}) {
      SCOPED_TRACE(way.name + " in place of " + name);
      const std::string other = name == "kernel.cu" ? "progress.toml" : "kernel.cu";
      write(lesson_.id + "/" + other, "ran = true\n");
      way.put(folder / name);
      const std::string before = test::seen_at(folder / name);
      const Progress progress(folder_);
      const auto kept = progress.load(lesson_);
      ASSERT_FALSE(kept);
      EXPECT_EQ(kept.error().code, "unreadable_file");
      for (const auto& kernel : {std::optional<std::string>(), std::optional<std::string>("// typed\n")}) {
        const auto saved = progress.save(lesson_, {.values = Values::defaults(lesson_.controls), .kernel = kernel});
        ASSERT_FALSE(saved);
        EXPECT_EQ(saved.error().code, "unreadable_file");
      }
      EXPECT_EQ(test::seen_at(folder / name), before);
      EXPECT_EQ(*read_text(folder / other), "ran = true\n");
      fs::remove_all(folder);
    }
  }
}

TEST_F(ProgressIn, what_somebody_else_wrote_is_neither_written_over_nor_removed) {
  const Values values = Values::defaults(lesson_.controls);
  const fs::path kernel = folder_ / lesson_.id / "kernel.cu", progress = folder_ / lesson_.id / "progress.toml";
  ASSERT_TRUE(progress_.save(lesson_, {.values = values, .kernel = "// mine\n"}));
  ASSERT_TRUE(progress_.save(lesson_, {.values = values, .kernel = "// mine again\n"}));
  write(lesson_.id + "/kernel.cu", "// an editor's\n");
  for (const auto& wanted : {std::optional<std::string>(), std::optional<std::string>("// typed\n")}) {
    const auto saved = progress_.save(lesson_, {.values = values, .kernel = wanted});
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().code, "changed_file");
    EXPECT_EQ(*read_text(kernel), "// an editor's\n");
  }
  EXPECT_TRUE(progress_.save(lesson_, {.values = values, .kernel = "// an editor's\n"})) << "it stands there already";
  ASSERT_EQ(progress_.load(lesson_)->kernel, "// an editor's\n");
  EXPECT_TRUE(progress_.save(lesson_, {.values = values})) << "it has been seen, so it may be reset";
  EXPECT_FALSE(fs::exists(kernel));
  write(lesson_.id + "/progress.toml", "looked = true\n");
  EXPECT_FALSE(progress_.save(lesson_, {.values = values, .kernel = "// typed\n"}));
  EXPECT_EQ(*read_text(progress), "looked = true\n");
  EXPECT_FALSE(fs::exists(kernel)) << "all or nothing";
  fs::remove(progress);
  EXPECT_TRUE(progress_.save(lesson_, {.values = values, .kernel = "// typed\n"})) << "where nothing is, nothing is lost";
  const Progress another(folder_);
  EXPECT_FALSE(another.save(lesson_, {.values = values})) << "who has read nothing here knows of none of it";
  EXPECT_EQ(*read_text(kernel), "// typed\n");
}

TEST_F(ProgressIn, an_earlier_text_is_a_file_of_its_own_folder_alone) {
  const Lesson& playground = *find_lesson("playground");
  write("secret.cu", "// elsewhere\n");
  write(playground.id + "/earlier/one.cu", "// one\n");
  write(playground.id + "/progress.toml",
        "[[earlier]]\nfile = \"../../secret.cu\"\n[[earlier]]\nfile = \"one.cu\"\n[[earlier]]\nfile = \"absent.cu\"\n"
        "[[earlier]]\nfile = 7\n");
  const auto kept = progress_.load(playground);
  ASSERT_TRUE(kept);
  ASSERT_EQ(kept->earlier.size(), 1U);
  EXPECT_EQ(kept->earlier[0].kernel, "// one\n");
  Kept fewer = *kept;
  fewer.earlier.clear();
  ASSERT_TRUE(progress_.save(playground, fewer));
  EXPECT_TRUE(fs::exists(folder_ / playground.id / "earlier" / "one.cu")) << "no text is ever taken away";
}

TEST_F(ProgressIn, a_folder_that_cannot_be_written_is_said) {
  write("not_a_folder", "");
  const Progress nowhere(folder_ / "not_a_folder");
  const auto saved = nowhere.save(lesson_, {.values = Values::defaults(lesson_.controls)});
  ASSERT_FALSE(saved);
  EXPECT_NE(saved.error().message.find("not_a_folder"), std::string::npos);
}

TEST(Stages, are_the_pages_own_and_done_by_what_was_done) {
  const Lesson& race = *find_lesson("05");
  const auto page = parse_page("::stage predict\n::guess got \"How much?\"\n::stage run\n::stage look\n", race);
  ASSERT_TRUE(page);
  const auto done = [&](const Kept& kept) {
    std::string words;
    for (const StageDone& stage : stages_of(*page, done_of(*page, kept, {}))) {
      if (stage.done) words += std::string(stage.name) + " ";
    }
    return words;
  };
  EXPECT_EQ(stages_of(*page, {}).size(), 3U) << "what the page does not have cannot be done";
  EXPECT_EQ(done({}), "");
  EXPECT_EQ(done({.guesses = {{"lost", {.answers = {{.value = 1.0}}}}}}), "") << "a guess at something else";
  EXPECT_EQ(done({.guesses = {{"got", {.answers = {{.value = 1.0}}}}}}), "predict ");
  EXPECT_EQ(done({.guesses = {{"got", {.skipped = true}}}}), "predict ") << "skipped";
  EXPECT_EQ(done({.ran = true}), "predict run ") << "a run answers the question";
  EXPECT_FALSE(all_done({})) << "a page without stages is never done";
  EXPECT_FALSE(all_done(stages_of(*page, done_of(*page, {.ran = true}, {}))));
  EXPECT_TRUE(all_done(stages_of(*page, done_of(*page, {.ran = true, .looked = true}, {}))));
  EXPECT_EQ(done({.guesses = {}, .looked = true, .changed = true}), "look ");
}

TEST_F(ProgressIn, the_desk_comes_back) {
  const KeptDesk desk{.lesson = "06_diffusion",
                      .profile = "H200",
                      .light = true,
                      .zoom = 1.25,
                      .rerun = false,
                      .toured = true,
                      .rail_folded = true,
                      .bench_width = 512.5};
  ASSERT_TRUE(progress_.save_desk(desk));
  EXPECT_EQ(*progress_.load_desk(), desk);
}

TEST_F(ProgressIn, who_has_worked_here_before_there_was_a_tour_needs_none) {
  EXPECT_FALSE(progress_.load_desk()->toured);
  write("desk.toml", "lesson = \"06_diffusion\"\n");
  EXPECT_TRUE(progress_.load_desk()->toured);
  write("desk.toml", "lesson = \"06_diffusion\"\ntoured = false\n");
  EXPECT_FALSE(progress_.load_desk()->toured) << "the window was closed during the tour";
}

TEST_F(ProgressIn, settings_that_cannot_be_read_stay) {
  const fs::path file = folder_ / "desk.toml";
  fs::create_directories(folder_);
  for (const test::InTheWay& way : test::all_in_the_way()) {
    SCOPED_TRACE(way.name);
    way.put(file);
    const std::string before = test::seen_at(file);
    EXPECT_FALSE(progress_.load_desk());
    EXPECT_FALSE(progress_.save_desk({.lesson = "06_diffusion", .profile = {}}));
    EXPECT_EQ(test::seen_at(file), before);
    fs::remove_all(file);
  }
  write("desk.toml", "zoom = = 2\n");
  EXPECT_EQ(progress_.load_desk().error().code, "damaged_file");
  EXPECT_FALSE(progress_.save_desk({.lesson = "06_diffusion", .profile = {}}));
  EXPECT_EQ(*read_text(file), "zoom = = 2\n");
  ASSERT_TRUE(progress_.set_desk_aside());
  EXPECT_TRUE(progress_.save_desk({.lesson = "06_diffusion", .profile = {}}));
}

TEST_F(ProgressIn, exercises_that_passed_are_listed) {
  ASSERT_TRUE(progress_.passed());
  EXPECT_TRUE(progress_.passed()->empty());
  const Exercise& square = **find_exercise("square");
  const Exercise& shift = **find_exercise("shift");
  ASSERT_TRUE(progress_.save(square.as_lesson, {.values = {}, .passed = true}));
  ASSERT_TRUE(progress_.save(shift.as_lesson, {.values = {}, .passed = false}));
  EXPECT_EQ(*progress_.passed(), std::set<std::string>{"square"});
  write("01_first_kernel/exercises/square/progress.toml", "passed = = true");
  const auto damaged = progress_.passed();
  ASSERT_FALSE(damaged);
  EXPECT_NE(damaged.error().message.find("square"), std::string::npos);
}

Answer told(double guessed, double found, int decimals = 0) {
  return {.value = guessed, .found = Answer::Found{.value = found, .decimals = decimals}};
}

Block question(Block::Kind kind) {
  Block block;
  block.kind = kind;
  return block;
}

TEST(Predictions, AreJudgedAsThePageShowsThem) {
  const Block number = question(Block::Kind::guess);
  EXPECT_TRUE(is_right(number, told(3200, 3200)));
  EXPECT_FALSE(is_right(number, told(4096, 3200)));
  EXPECT_TRUE(is_right(number, told(0.67, 0.6667, 2))) << "the page shows two digits";
  EXPECT_FALSE(is_right(number, told(0.67, 0.6667, 4)));
  EXPECT_FALSE(is_right(number, {.value = 3200})) << "no run has told it";

  Block choice = question(Block::Kind::guess);
  choice.choices = {{"fewer", 0, 9}, {"as many", 10, 10}, {"more", 11, 99}};
  EXPECT_TRUE(is_right(choice, told(50, 12)));
  EXPECT_FALSE(is_right(choice, told(50, 10)));

  const Block marks = question(Block::Kind::mark);
  EXPECT_TRUE(is_right(marks, {.marks = {1, 2}, .found = Answer::Found{.marks = {1, 2}}}));
  EXPECT_FALSE(is_right(marks, {.marks = {1, 2, 3}, .found = Answer::Found{.marks = {1, 2}}}));
}

TEST(Predictions, TheNewestThatARunHasToldCounts) {
  const Block number = question(Block::Kind::guess);
  EXPECT_FALSE(is_missed(number, {}));
  EXPECT_FALSE(is_missed(number, {{.value = 1}}));
  EXPECT_TRUE(is_missed(number, {told(1, 2)}));
  EXPECT_TRUE(is_missed(number, {told(2, 2), told(1, 2), {.value = 3}}));
  EXPECT_FALSE(is_missed(number, {told(1, 2), told(2, 2)}));
}

}  // namespace
}  // namespace warpbook::lessons
