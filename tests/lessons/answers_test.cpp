// Exercises that are no kernel: a launch that is chosen, lines that are marked, questions. Each is made in a temporary folder, and
// answered well, badly and not at all.
#include "lessons/answers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "lessons/catalog.h"
#include "lessons/check.h"
#include "lessons/exercise.h"
#include "lessons/page.h"
#include "tests/lessons/virtual_gpu.h"

namespace warpbook::lessons {
namespace {

namespace fs = std::filesystem;

class AnswerTest : public ::testing::Test {
 protected:
  AnswerTest() { fs::create_directories(folder_); }
  ~AnswerTest() override { fs::remove_all(folder_.parent_path()); }
  void put(const char* name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  Exercise exercise() {
    auto read = read_exercise(*find_lesson("01"), folder_);
    EXPECT_TRUE(read) << (read ? "" : read.error().message);
    return read ? *read : Exercise();
  }
  CheckReport check_text(const std::string& text) {
    auto report = check(testing::virtual_gpu(), exercise(), {.file = "mine.txt", .text = text});
    EXPECT_TRUE(report) << (report ? "" : report.error().message);
    return report ? *report : CheckReport();
  }
  /// What a check says of a text of which nothing can be made.
  std::string fault(const std::string& text, int line) {
    const CheckReport report = check_text(text);
    if (!report.compile_failure) return "it is an answer";
    EXPECT_FALSE(report.all_passed());
    EXPECT_EQ(report.compile_failure->diagnostics.at(0).line, line) << report.compile_failure->message;
    EXPECT_EQ(report.compile_failure->diagnostics.at(0).file, "mine.txt");
    return report.compile_failure->message;
  }
  std::string problem(const std::string& task) {
    put("task.toml", task);
    const auto read = read_exercise(*find_lesson("01"), folder_);
    return read ? "none" : read.error().message;
  }
  fs::path folder_ = fs::temp_directory_path() / ("warpbook_answers_" + std::to_string(getpid())) / "mine";
};

bool tells(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

// ---- choose -----------------------------------------------------------------------------------------------------------------

class AChoice : public AnswerTest {
 protected:
  AChoice() {
    put("task.toml",
        "kind = \"choose\"\ntitle = \"t\"\nkernel = \"fill\"\n"
        "[[hint]]\nwhen = \"unwritten\"\nsteps = [\"{element}?\"]\n"
        "[[case]]\nname = \"c\"\ngrid = [\"blocks\"]\nblock = [\"threads\", 1]\narguments = [\"int32[1000]=zeros\", "
        "\"int32=1000\"]\n");
    put("kernel.cu",
        "extern \"C\" __global__ void fill(int* out, int n)\n{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) out[i] = 7;\n}\n");
    put("start.txt", "blocks = 3  # 1000 / 256\nthreads = 256\n");
    put("solution.txt", "# round up\nblocks = 4\nthreads = 256\n");
  }
};

TEST_F(AChoice, IsLaunchedWithTheLearnersNumbers) {
  const CheckReport short_of = check_text("blocks = 3\nthreads = 256\n");
  ASSERT_EQ(short_of.cases.size(), 1U);
  EXPECT_EQ(name_of(short_of.cases[0].verdict), "wrong");
  EXPECT_EQ(short_of.cases[0].wrong->first.front().index, 768U);
  EXPECT_EQ(short_of.cases[0].wrong->wrong, 232U);
  EXPECT_EQ(short_of.cases[0].grid, (gpu::Dim3{3, 1, 1}));
  EXPECT_EQ(short_of.cases[0].hints, std::vector<std::string>{"out[768]?"});
  EXPECT_TRUE(short_of.cases[0].launched);
  for (const char* const enough :
       {"blocks = 4\nthreads = 256\n", "threads=1024\n\n# all in one\nblocks=1", "blocks = 1000\nthreads = 1"})
    EXPECT_TRUE(check_text(enough).all_passed()) << enough;
}

TEST_F(AChoice, ThatIsRefusedIsToldWithCudasNameAndWhatIsAllowed) {
  const CheckReport::Case many = check_text("blocks = 1\nthreads = 1025\n").cases.at(0);
  EXPECT_EQ(name_of(many.verdict), "failed");
  EXPECT_TRUE(tells(many.message, many.report.status)) << many.message;
  EXPECT_TRUE(tells(many.message, "cudaErrorInvalid")) << many.message;
  EXPECT_TRUE(tells(many.message, "1024")) << many.message;
  EXPECT_EQ(name_of(check_text("blocks = 0\nthreads = 256\n").cases.at(0).verdict), "failed");
}

TEST_F(AChoice, ThatIsNoneIsToldWithItsLine) {
  EXPECT_TRUE(tells(fault("blocks = 4\nthreads = many\n", 2), "'many' is no value for threads"));
  EXPECT_TRUE(tells(fault("blocks = 4\n\nthreads = -1\n", 3), "a whole number from 0"));
  EXPECT_TRUE(tells(fault("blocks = 1.5\nthreads = 1\n", 1), "'1.5'"));
  EXPECT_TRUE(tells(fault("blocks = 4294967296\nthreads = 1\n", 1), "4294967295"));
  EXPECT_TRUE(tells(fault("blocks =\nthreads = 4\n", 1), "blocks has no value"));
  EXPECT_TRUE(tells(fault("blocks = 4\n", 1), "threads has no value"));
  EXPECT_TRUE(tells(fault("", 1), "blocks has no value"));
  EXPECT_TRUE(tells(fault("blocks = 4\nblock = 4\nthreads = 4\n", 2), "What may stand here: blocks, threads"));
  EXPECT_TRUE(tells(fault("blocks = 4\nthreads = 4\nblocks = 5\n", 3), "already, in line 1"));
  EXPECT_TRUE(tells(fault("blocks 4\n", 1), "`blocks = `"));
}

TEST_F(AChoice, StepsThroughTheKernelThatIsGiven) {
  const auto launched = launch_case(testing::virtual_gpu(), exercise(), 0, "blocks = 2\nthreads = 64\n", "mine.txt");
  ASSERT_TRUE(launched) << launched.error().message;
  EXPECT_EQ(launched->grid, (gpu::Dim3{2, 1, 1}));
  EXPECT_EQ(launched->block, (gpu::Dim3{64, 1, 1}));
  EXPECT_EQ(launch_case(testing::virtual_gpu(), exercise(), 0, "blocks\n", "mine.txt").error().code, "compile_error");
}

TEST_F(AChoice, AKernelThatIsUnsafeInThatLaunchFails) {
  put("kernel.cu", "extern \"C\" __global__ void fill(int* out, int n) { out[blockIdx.x * blockDim.x + threadIdx.x] = 7; }\n");
  put("solution.txt", "blocks = 8\nthreads = 125\n");
  EXPECT_TRUE(check_text("blocks = 10\nthreads = 100\n").all_passed());
  const CheckReport::Case beyond = check_text("blocks = 4\nthreads = 256\n").cases.at(0);
  EXPECT_EQ(name_of(beyond.verdict), "finding");
  EXPECT_EQ(beyond.report.findings.at(*beyond.found).at.file, "kernel.cu");
}

TEST_F(AChoice, WhoseOwnFilesAreAtFaultIsNotBlamedOnTheLearner) {
  put("solution.txt", "blocks = 4\n");
  const auto report = check(testing::virtual_gpu(), exercise(), {.file = "mine.txt", .text = "blocks = 4\nthreads = 256\n"});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "bad_task");
}

// ---- mark -------------------------------------------------------------------------------------------------------------------

const std::string marked_program =
    "int main()\n{\n  fill<<<1, 1>>>(out);\n  cudaMemcpy(a, out);\n\n  cudaFree(out);\n  return a[0];\n}\n";

std::string with_marks(std::string text, std::initializer_list<const char*> lines, const char* mark = "  // here") {
  for (const std::string line : lines) text.replace(text.find(line), line.size(), line + mark);
  return text;
}

class AMark : public AnswerTest {
 protected:
  AMark() {
    put("task.toml",
        "kind = \"mark\"\ntitle = \"t\"\nhint = [\"nudge\", \"where\", \"how\"]\n"
        "[[answer]]\nlines = [\"cudaFree\"]\n"
        "[[wrong]]\nline = \"return\"\nsentence = \"it is too late.\"\nsteps = [\"Earlier.\"]\n");
    put("start.cu", marked_program);
    put("solution.cu", with_marks(marked_program, {"fill<<<1, 1>>>(out);", "cudaMemcpy(a, out);"}));
  }
};

TEST_F(AMark, PassesWithEveryAnswerThatIsRight) {
  EXPECT_TRUE(check_text(with_marks(marked_program, {"fill<<<1, 1>>>(out);", "cudaMemcpy(a, out);"})).all_passed());
  EXPECT_TRUE(check_text(with_marks(marked_program, {"cudaFree(out);"})).all_passed());
  EXPECT_TRUE(check_text(with_marks(marked_program, {"cudaFree(out);"}, "//here") + "\n\n").all_passed());
}

TEST_F(AMark, SaysHowManyAreWantedAndHowManyAreRight) {
  const CheckReport none = check_text(marked_program);
  EXPECT_EQ(none.passed(), 0U);
  EXPECT_EQ(none.cases.size(), rows_of(exercise()));
  EXPECT_TRUE(tells(none.cases[0].message, "1 line is wanted")) << none.cases[0].message;
  EXPECT_EQ(none.cases[0].hints, (std::vector<std::string>{"nudge", "where", "how"}));
  EXPECT_FALSE(none.cases[0].launched);

  const CheckReport one = check_text(with_marks(marked_program, {"fill<<<1, 1>>>(out);"}));
  EXPECT_EQ(one.passed(), 1U);
  EXPECT_EQ(one.cases[0].message, "1 line is marked, and 2 are wanted.");

  const CheckReport late = check_text(with_marks(marked_program, {"fill<<<1, 1>>>(out);", "return a[0];"}));
  EXPECT_EQ(late.passed(), 1U);
  EXPECT_EQ(late.cases[1].message, "1 of 2 marks is right. Line 7, `return a[0];`, is not asked for: it is too late.");
  EXPECT_EQ(late.cases[1].hints, std::vector<std::string>{"Earlier."});

  const CheckReport three = check_text(with_marks(marked_program, {"fill<<<1, 1>>>(out);", "cudaMemcpy(a, out);", "int main()"}));
  EXPECT_EQ(three.passed(), 0U);
  EXPECT_EQ(three.cases[1].message, "2 of 3 marks are right. Line 1, `int main()`, is not asked for.");
  EXPECT_FALSE(hints_for(three.cases[1]).empty());
}

TEST_F(AMark, AChangedProgramIsToldWithItsLine) {
  std::string changed = marked_program;
  changed.replace(changed.find("a[0]"), 4, "a[1]");
  EXPECT_TRUE(tells(fault(changed, 7), "`return a[0];`"));
  EXPECT_TRUE(tells(fault(marked_program.substr(0, marked_program.find("  return")), 6), "8 lines, and here are 6"));
  EXPECT_TRUE(tells(fault(marked_program + "// more\n", 8), "here are 9"));
  EXPECT_TRUE(tells(fault(with_marks(marked_program, {"cudaFree(out);"}, " // hear"), 6), "a mark is `// here`"));
  std::string empty = marked_program;
  empty.replace(empty.find("\n\n"), 2, "\n// here\n");
  EXPECT_TRUE(tells(fault(empty, 5), "empty line"));
  EXPECT_FALSE(fault_in(exercise(), {.text = marked_program})) << "an innocent one";
}

TEST_F(AMark, WhoseOwnFilesAreAtFaultIsNotBlamedOnTheLearner) {
  const auto told = [&] {
    const auto report = check(testing::virtual_gpu(), exercise(), {.file = "mine.txt", .text = marked_program});
    return report ? "nothing" : report.error().code + " " + report.error().message;
  };
  EXPECT_EQ(told(), "nothing");
  put("solution.cu", marked_program);
  EXPECT_TRUE(tells(told(), "bad_task")) << told();
  put("solution.cu", with_marks(marked_program, {"return a[0];"}));
  EXPECT_TRUE(tells(told(), "'return' is in a line that is right")) << told();
  put("solution.cu", with_marks(marked_program, {"fill<<<1, 1>>>(out);"}));
  put("task.toml", "kind = \"mark\"\ntitle = \"t\"\n[[answer]]\nlines = [\"out\"]\n");
  EXPECT_TRUE(tells(told(), "'out' stands in 3 lines")) << told();
  EXPECT_EQ(launch_case(testing::virtual_gpu(), exercise(), 0, marked_program, "mine.cu").error().code, "no_launch");
}

// ---- quiz -------------------------------------------------------------------------------------------------------------------

class AQuiz : public AnswerTest {
 protected:
  AQuiz() {
    put("task.toml",
        "kind = \"quiz\"\ntitle = \"t\"\n"
        "[[question]]\ntext = \"Which?\"\noptions = [\"one\", \"two\", \"three\"]\nanswer = \"b\"\nwhy = {a = \"Too few.\"}\n"
        "[[question]]\ntext = \"How many?\"\nanswer = 32\ntolerance = 0.01\nwhy = {\"64\" = \"That is two warps.\", else = "
        "\"Count.\"}\n");
    put("start.txt", "1 =\n2 =\n");
    put("solution.txt", "1 = b\n2 = 32\n");
  }
};

TEST_F(AQuiz, HasARowAQuestion) {
  const CheckReport none = check_text("1 =\n2 =\n");
  ASSERT_EQ(none.cases.size(), 2U);
  EXPECT_EQ(none.passed(), 0U);
  EXPECT_EQ(none.cases[0].name, "1. Which?");
  EXPECT_TRUE(tells(none.cases[0].message, "a letter from a to c after `1 =`")) << none.cases[0].message;
  EXPECT_TRUE(tells(none.cases[1].message, "a number after `2 =`")) << none.cases[1].message;
  EXPECT_FALSE(hints_for(none.cases[0]).empty());
  EXPECT_EQ(check_text("").passed(), 0U);
  for (const char* const right : {"1 = b\n2 = 32\n", "2=32.1 # about\n1=B", "1 = (b)\n2 = 3.2e1\n"})
    EXPECT_TRUE(check_text(right).all_passed()) << right;
  EXPECT_TRUE(launch_case(testing::virtual_gpu(), exercise(), 0, "", "mine.txt").error().code == "no_launch");
}

TEST_F(AQuiz, SaysOfAWrongAnswerWhyAndNeverWhatIsRight) {
  const CheckReport wrong = check_text("1 = a\n2 = 64\n");
  EXPECT_EQ(wrong.cases[0].message, "Not a. Too few.");
  EXPECT_EQ(wrong.cases[1].message, "Not 64. That is two warps.");
  const CheckReport others = check_text("1 = c\n2 = 33\n");
  EXPECT_EQ(others.cases[0].message, "Not c.");
  EXPECT_EQ(others.cases[1].message, "Not 33. Count.");
  for (const CheckReport* report : {&wrong, &others}) {
    for (const CheckReport::Case& one : report->cases) {
      EXPECT_EQ(name_of(one.verdict), "wrong");
      EXPECT_FALSE(tells(one.message, "32") || tells(one.message, "two.") || tells(one.message, "b")) << one.message;
    }
  }
}

TEST_F(AQuiz, MayAskForWhatFollowsFromTheDevice) {
  put("task.toml",
      "kind = \"quiz\"\ntitle = \"t\"\n"
      "[[question]]\ntext = \"How many of {device: warpSize}?\"\nanswer = \"floor(maxThreadsPerBlock / 3)\"\n"
      "why = {\"maxThreadsPerBlock\" = \"All {device: maxThreadsPerBlock}?\", \"maxThreadsPerBlock / 3\" = \"A part?\"}\n");
  EXPECT_TRUE(check_text("1 = 341\n").all_passed());
  EXPECT_TRUE(check_text("1 = (maxThreadsPerBlock - 1) / 3\n").all_passed());
  EXPECT_EQ(check_text("1 =\n").cases[0].name, "1. How many of 32?");
  EXPECT_EQ(check_text("1 = 1024\n").cases[0].message, "Not 1024. All 1,024?");
  EXPECT_EQ(check_text("1 = 1024 / 3\n").cases[0].message, "Not 1024 / 3. A part?") << "a quotient is not rounded down";
  EXPECT_TRUE(tells(check_text("1 = 1 / (warpSize - 32)\n").cases[0].message, "no finite number"));
  EXPECT_TRUE(tells(fault("1 = lanes\n", 1), "a number"));
}

TEST_F(AQuiz, AnAnswerThatIsNoneIsToldWithItsLine) {
  EXPECT_TRUE(tells(fault("1 = d\n", 1), "a letter from a to c"));
  EXPECT_TRUE(tells(fault("1 = b\n2 = many\n", 2), "a number"));
  EXPECT_TRUE(tells(fault("1 = b\n\n3 = b\n", 3), "What may stand here: 1, 2"));
  EXPECT_TRUE(tells(fault("b\n", 1), "`1 = `"));
}

TEST_F(AQuiz, QuestionsStandAsMarkdown) {
  const std::string text = questions_text(exercise());
  EXPECT_TRUE(tells(text, "**1.** Which?")) << text;
  EXPECT_TRUE(tells(text, "- **c** three")) << text;
  EXPECT_TRUE(tells(text, "**2.** How many?")) << text;
}

// ---- Tasks. -----------------------------------------------------------------------------------------------------------------

TEST_F(AnswerTest, ADamagedTaskIsSaidWithItsLine) {
  const std::string quiz = "kind = \"quiz\"\ntitle = \"t\"\n", question = "[[question]]\ntext = \"?\"\n";
  const std::string mark = "kind = \"mark\"\ntitle = \"t\"\n";
  const std::string choose = "kind = \"choose\"\ntitle = \"t\"\nkernel = \"k\"\n[[case]]\nname = \"c\"\n";
  struct {
    std::string task;
    int line;
    std::string words;
  } const damaged[] = {
      {"kind = \"quizz\"\ntitle = \"t\"\n", 1, "\"mark\" or \"quiz\""},
      {quiz, 1, "no question"},
      {quiz + "kernel = \"k\"\n" + question + "answer = 3\n", 3, "'kernel' means nothing here"},
      {quiz + question, 3, "answer is missing"},
      {quiz + question + "answer = \"b\"\n", 5, "a number"},
      {quiz + question + "answer = 3\nwhy = {\"many\" = \"no\"}\n", 6, "no number and no formula"},
      {quiz + question + "options = [\"one\"]\nanswer = \"a\"\n", 5, "two to eight options"},
      {quiz + question + "options = [\"one\", \"two\"]\nanswer = \"c\"\n", 3, "letter of an option"},
      {quiz + question + "options = [\"one\", \"two\"]\nanswer = \"a\"\nwhy = {a = \"no\"}\n", 7, "the right answer"},
      {quiz + question + "options = [\"one\", \"two\"]\nanswer = \"a\"\nwhy = {c = \"no\"}\n", 7, "no option"},
      {quiz + question + "options = [\"one\", \"two\"]\nanswer = \"a\"\nwhy = \"no\"\n", 7, "why is a table"},
      {quiz + question + "answer = 3\ntolerance = 2\n", 6, "from 0 to less than 1"},
      {quiz + question + "answr = 3\nanswer = 3\n", 5, "'answr' means nothing here"},
      {mark + "[[wrong]]\nline = \"x\"\n", 3, "sentence is missing"},
      {mark + "[[answer]]\n", 3, "lines is missing"},
      {mark + "[[answer]]\nlines = \"x\"\n", 4, "a list of words"},
      {mark + "answer = 3\n", 3, "[[answer]]"},
      {choose + "grid = [4]\nblock = [4]\narguments = []\n", 1, "nothing is to be chosen"},
      {choose + "grid = [\"Blocks of it\"]\nblock = [4]\narguments = []\n", 6, "small letters"},
      {choose + "grid = [true]\nblock = [4]\narguments = []\n", 6, "whole numbers"},
      {choose.substr(choose.find("title")) + "grid = [\"blocks\"]\nblock = [4]\narguments = []\n", 5, "whole numbers"},
  };
  for (const auto& [task, line, words] : damaged) {
    const std::string told = problem(task);
    EXPECT_TRUE(tells(told, "mine/task.toml, line " + std::to_string(line) + ": ")) << task << told;
    EXPECT_TRUE(tells(told, words)) << task << told;
  }
}

// ---- The exercises that there are. ------------------------------------------------------------------------------------------

/// Words alone, without marks of a remark.
std::string plain_words(const std::string& text) {
  std::istringstream stream(text);
  std::string all;
  for (std::string word; stream >> word;) {
    if (word != "#") all += word + " ";
  }
  return all;
}

TEST(EveryQuiz, HasItsQuestionsInItsStartAndASentenceForEveryWrongOption) {
  std::size_t quizzes = 0;
  for (const Exercise& exercise : all_exercises().value()) {
    if (exercise.kind != ExerciseKind::quiz) continue;
    ++quizzes;
    const std::string start = plain_words(*read_text(start_file(exercise)));
    const std::string page = *page_text(exercise.as_lesson);
    EXPECT_FALSE(tells(page, "::questions"));
    for (const Question& question : exercise.questions) {
      EXPECT_TRUE(tells(start, plain_words(question.text))) << question.text;
      EXPECT_TRUE(tells(page, question.text)) << question.text;
      for (std::size_t k = 0; k < question.options.size(); ++k) {
        const std::string letter(1, static_cast<char>('a' + k));
        EXPECT_TRUE(tells(start, letter + " " + plain_words(question.options[k]))) << question.options[k];
        EXPECT_EQ(question.why.contains(letter) || question.why.contains("else"), letter != question.answer) << question.text;
      }
      EXPECT_TRUE(!question.options.empty() || question.why.contains("else")) << question.text;
    }
  }
  EXPECT_GE(quizzes, 1U);
}

/// The kernel with a barrier before each marked line: what the answer means.
std::size_t findings_with_barriers(const std::string& marked) {
  std::istringstream lines(marked);
  std::string text;
  for (std::string line; std::getline(lines, line);) text += (line.ends_with("// here") ? "__syncthreads();\n" : "") + line + "\n";
  gpu::Device& device = testing::virtual_gpu();
  const auto compiled = device.compile({.file = "k.cu", .text = text});
  EXPECT_TRUE(compiled) << text;
  gpu::LaunchRequest request;
  request.program = *compiled;
  request.kernel = "three_steps";
  request.grid = {1};
  request.block = {128};
  request.observe = gpu::Observe::all();
  const auto buffer = device.allocate({"f", gpu::ScalarType::float32, {128}});
  EXPECT_TRUE(buffer && device.fill(*buffer, gpu::Scalar::of(1.0F)));
  request.arguments = {*buffer};
  const auto report = device.launch(request);
  EXPECT_TRUE(report.ok()) << say(report.message);
  device.release(*buffer);
  return static_cast<std::size_t>(std::count_if(report.findings.begin(), report.findings.end(), [](const gpu::Finding& finding) {
    return finding.kind == gpu::FindingKind::race || finding.kind == gpu::FindingKind::init;
  }));
}

TEST(MissingBarriers, AreMissingWhereTheAnswersSayAndNowhereElse) {
  const auto exercise = find_exercise("missing_barriers");
  ASSERT_TRUE(exercise) << exercise.error().message;
  const std::string start = *read_text(start_file(**exercise));
  const char *const left = "left = now[t];", *const mean = "mean = (left + right) / 2;", *const store = "now[t + 1] = mean;";
  EXPECT_EQ(findings_with_barriers(*read_text(solution_file(**exercise))), 0U);
  EXPECT_EQ(findings_with_barriers(with_marks(start, {left, mean})), 0U) << "the other answer";
  EXPECT_GT(findings_with_barriers(start), 0U);
  for (const char* const one : {left, mean, store}) EXPECT_GT(findings_with_barriers(with_marks(start, {one})), 0U) << one;
  for (const char* const other : {"step < 3; ++step) {", "right = now[t + 2];", "f[t] = now[t + 1];"})
    EXPECT_GT(findings_with_barriers(with_marks(start, {other, store})), 0U) << other;
}

}  // namespace
}  // namespace warpbook::lessons
