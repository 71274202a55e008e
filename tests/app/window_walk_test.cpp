// The walk of a new user, from the first start to the second, in the built program with mouse and keyboard.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/app/window_words.h"

namespace warpbook::test {
namespace {

class Walk : public testing::Test {
 protected:
  void skip_the_tour() {
    ASSERT_TRUE(window_.wait([&] { return window_.state()["tour"] == 0; })) << seen(window_);
    window_.click("tour/skip");
    ASSERT_TRUE(window_.wait([&] { return window_.state()["tour"] == -1; })) << seen(window_);
  }

  void predict_and_run() {
    window_.click("guess/written");
    window_.type("3200");
    window_.key("Return");
    ASSERT_TRUE(window_.wait([&] { return window_.state()["guesses"].value("written", 0) == 3200; })) << seen(window_);
    window_.click("run");
    ASSERT_TRUE(window_.wait([&] { return number(window_, "written") == 3200; }, 60)) << seen(window_);
  }

  /// What cannot be compiled is told, and the way back mends it.
  void break_and_mend() {
    window_.click("editor", 0.5, 0.05);
    window_.key("ctrl+Home");
    window_.type("wrong ");
    ASSERT_TRUE(window_.wait([&] { return !window_.state()["compile_errors"].empty(); })) << seen(window_);
    window_.click("reset");
    ASSERT_TRUE(window_.wait([&] { return window_.state()["compile_errors"].empty() && window_.state()["edited"] == false; }))
        << seen(window_);
  }

  /// To the line of the sum, where each lane has its own i.
  void step_with_variables() {
    window_.click("tab/steps");
    const auto stepper = [&] { return window_.state().value("stepper", nlohmann::json::object()); };
    ASSERT_TRUE(window_.wait([&] { return !stepper().empty(); }, 60)) << seen(window_);
    for (int step = 0; step < 10 && stepper()["line"] != 10; ++step) {
      const int before = stepper().value("position", -1);
      window_.click("stepper/step");
      ASSERT_TRUE(window_.wait([&] { return stepper().value("position", -1) > before; })) << stepper().dump();
    }
    ASSERT_EQ(stepper()["line"], 10) << stepper().dump();
    EXPECT_EQ(stepper()["variables"]["i"][5], "5") << stepper().dump();
    EXPECT_TRUE(stepper()["variables"].contains("a[i]")) << stepper().dump();
    window_.click("tab/kernel");
    ASSERT_TRUE(window_.wait([&] { return stepper().empty(); })) << seen(window_);
  }

  void race_and_remedy() {
    open_lesson(window_, "05", "05_race_conditions");
    set_control(window_, "trials", "3");
    window_.click("run");
    ASSERT_TRUE(window_.wait([&] { return number(window_, "expected") == 4096; }, 60)) << seen(window_);
    EXPECT_NE(window_.state()["findings"].dump().find("race"), std::string::npos) << seen(window_);
    window_.click("control/atomic", 0.1);
    ASSERT_TRUE(window_.wait([&] { return window_.state()["values"]["atomic"] == 1; })) << seen(window_);
    window_.click("run");
    ASSERT_TRUE(window_.wait([&] { return number(window_, "got") == 4096; }, 60)) << seen(window_);
    EXPECT_EQ(window_.state()["findings"].dump().find("race"), std::string::npos) << seen(window_);
  }

  void draw_blow_up_and_start_again() {
    open_lesson(window_, "06", "06_diffusion");
    set_control(window_, "side", "256");
    window_.click("run");
    ASSERT_TRUE(window_.wait([&] { return word(window_, "activity") == "live" && number(window_, "steps") > 0; }, 60))
        << seen(window_);
    window_.drag("view/field", 0.2, 0.3, 0.4, 0.5);
    ASSERT_TRUE(window_.wait([&] { return number(window_, "drawn") > 0; })) << seen(window_);
    set_control(window_, "coefficient", "0.4");
    ASSERT_TRUE(window_.wait([&] { return number(window_, "blown_up") == 1; }, 60)) << seen(window_);
    window_.click("field/mend");
    ASSERT_TRUE(window_.wait([&] { return number(window_, "blown_up") == 0 && number(window_, "steps") > 0; })) << seen(window_);
    EXPECT_EQ(window_.state()["values"]["coefficient"], 0.25);
    EXPECT_EQ(number(window_, "drawn"), 0) << "from its start";
    window_.click("cancel");
    ASSERT_TRUE(window_.wait([&] { return word(window_, "activity") == "idle"; })) << seen(window_);
  }

  /// From the lesson's page, and back to it.
  void fail_and_pass(const std::string& exercise, const std::string& kernel) {
    window_.click("exercise/" + exercise);
    ASSERT_TRUE(window_.wait([&] { return window_.find("exercise/back").has_value(); })) << seen(window_);
    window_.click("run");
    ASSERT_TRUE(
        window_.wait([&] { return number(window_, "cases") > 0 && number(window_, "passed") < number(window_, "cases"); }, 60))
        << seen(window_);
    window_.click("editor", 0.5, 0.05);
    window_.key("ctrl+a");
    window_.type(kernel);
    window_.click("run");
    ASSERT_TRUE(window_.wait([&] { return number(window_, "passed") == number(window_, "cases"); }, 60)) << seen(window_);
    window_.click("exercise/back");
    ASSERT_TRUE(window_.wait([&] { return window_.find("exercise/" + exercise).has_value(); })) << seen(window_);
  }

  void fail_and_pass_the_exercises() {
    open_lesson(window_, "01", "01_first_kernel");
    window_.click("stage/make");
    ASSERT_NO_FATAL_FAILURE(fail_and_pass("number_them",
                                          "extern \"C\" __global__ void number_them(int* out, int n) {\n"
                                          "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                          "if (i < n) out[i] = i;\n"
                                          "}\n"));
    EXPECT_EQ(window_.state()["stages"]["make"], false) << "there is another one";
    ASSERT_NO_FATAL_FAILURE(fail_and_pass("square",
                                          "extern \"C\" __global__ void square(const float* in, float* out, int n) {\n"
                                          "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                          "if (i < n) out[i] = in[i] * in[i];\n"
                                          "}\n"));
    ASSERT_TRUE(window_.wait([&] { return window_.state()["stages"]["make"] == true; })) << seen(window_);
  }

  /// A program as a student has it: its main() says how it is launched.
  void open_an_own_file() {
    const auto file = window_.kept().parent_path() / "own.cu";
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "#include <cstdio>\n"
                           "__global__ void thrice(const float* in, float* out, int n) {\n"
                           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  if (i < n) out[i] = 3 * in[i];\n"
                           "}\n"
                           "int main() {\n"
                           "  const int n = 1000;\n"
                           "  float *in, *out;\n"
                           "  cudaMalloc(&in, n * sizeof(float));\n"
                           "  cudaMalloc(&out, n * sizeof(float));\n"
                           "  thrice<<<(n + 127) / 128, 128>>>(in, out, n);\n"
                           "  cudaDeviceSynchronize();\n"
                           "}\n";
    open_lesson(window_, "playground", "playground");
    ASSERT_TRUE(window_.wait_for("playground/file"));
    window_.click("playground/file");
    window_.key("ctrl+a");
    window_.type(file.string());
    window_.key("Return");
    ASSERT_TRUE(window_.wait_for("argument/in/shape")) << seen(window_);
    EXPECT_EQ(window_.state()["values"]["threads"], 128) << "as main() launches it; " << seen(window_);
    EXPECT_EQ(window_.state()["values"]["blocks"], 8);
    window_.click("run");
    ASSERT_TRUE(window_.wait([&] { return window_.state()["numbers"].contains("out_changed"); }, 60)) << seen(window_);
    ASSERT_TRUE(window_.wait([&] { return kept("playground").find("ran = true") != std::string::npos; })) << kept("playground");
  }

  /// What is on the disk of a lesson.
  [[nodiscard]] std::string kept(const std::string& lesson) const {
    std::ifstream in(window_.kept() / lesson / "progress.toml");
    return std::string(std::istreambuf_iterator<char>(in), {});
  }

  Window window_{1280, 720, 1, Window::Learner::first};
};

TEST_F(Walk, FromTheFirstStartToTheSecond) {
  ASSERT_NO_FATAL_FAILURE(skip_the_tour());
  ASSERT_NO_FATAL_FAILURE(predict_and_run());
  ASSERT_NO_FATAL_FAILURE(break_and_mend());
  ASSERT_NO_FATAL_FAILURE(step_with_variables());
  ASSERT_NO_FATAL_FAILURE(race_and_remedy());
  ASSERT_NO_FATAL_FAILURE(draw_blow_up_and_start_again());
  ASSERT_NO_FATAL_FAILURE(fail_and_pass_the_exercises());
  ASSERT_NO_FATAL_FAILURE(open_an_own_file());
  EXPECT_EQ(window_.complaints(), "");

  window_.restart();
  EXPECT_EQ(word(window_, "lesson"), "playground");
  EXPECT_TRUE(window_.wait([&] { return window_.state()["numbers"].contains("out_changed"); }, 60))
      << "nobody pressed Run; " << seen(window_);
  open_lesson(window_, "01", "01_first_kernel");
  EXPECT_TRUE(window_.wait([&] { return number(window_, "written") == 3200; }, 60)) << seen(window_);
  EXPECT_EQ(window_.state()["guesses"]["written"], 3200);
  for (const char* stage : {"predict", "run", "make"}) EXPECT_EQ(window_.state()["stages"][stage], true) << stage;
  EXPECT_EQ(window_.complaints(), "");
}

}  // namespace
}  // namespace warpbook::test
