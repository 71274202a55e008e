// The playground in its window: a file of the learner's own, its kernels and what they are given, with mouse and keyboard.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/app/window_words.h"

namespace warpbook::test {
namespace {

void retype(const Window& window, const std::string& field, const std::string& words) {
  window.click(field);
  window.key("ctrl+a");
  window.type(words);
  window.key("Return");
}

std::string text(const Window& window, const std::string& key) {
  const auto state = window.state();
  return state.is_object() && state["texts"].contains(key) ? state["texts"][key].get<std::string>() : std::string();
}

TEST(Playground, KernelsAndInputsAreChosenByHand) {
  const Window window;
  open_lesson(window, "playground", "playground");
  ASSERT_TRUE(window.wait_for("kernel/saxpy"));
  window.click("run");
  ASSERT_TRUE(window.wait([&] { return number(window, "steps_changed") == 4096; })) << seen(window);

  window.click("kernel/saxpy");
  ASSERT_TRUE(window.wait([&] { return number(window, "y_changed") > 4000; })) << seen(window);
  EXPECT_EQ(window.state()["values"]["threads_y"], 1) << "a launch of one dimension";

  retype(window, "argument/x/shape", "100");
  retype(window, "argument/y/shape", "10x10");
  retype(window, "argument/n", "100");
  window.click("argument/x/content");
  ASSERT_TRUE(window.wait_for("argument/x/content/ones"));
  window.click("argument/x/content/ones");
  retype(window, "argument/a", "2.5");
  ASSERT_TRUE(window.wait([&] { return number(window, "y_mean") == 2.5; })) << seen(window);

  retype(window, "argument/n", "many");
  EXPECT_TRUE(window.wait([&] { return word(window, "error") == "usage"; })) << seen(window);
  retype(window, "argument/n", "50");
  EXPECT_TRUE(window.wait([&] { return number(window, "y_changed") == 50; })) << seen(window);
  EXPECT_TRUE(window.running()) << window.complaints();
}

TEST(Playground, AStructIsTypedAsItsMembers) {
  Window window;
  const auto file = window.kept().parent_path() / "rows.cu";
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << "struct Base { int n; };\n"
                         "struct Hidden : Base { float k; };\n"
                         "typedef struct { int width; int height; float* elements; } Matrix;\n"
                         "__global__ void rows(Matrix A, Hidden by) {\n"
                         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  if (i < A.height) for (int k = 0; k < A.width; ++k) A.elements[i * A.width + k] *= by.k;\n"
                         "}\n";
  open_lesson(window, "playground", "playground");
  ASSERT_TRUE(window.wait_for("playground/file"));
  retype(window, "playground/file", file.string());
  window.click("playground/open");
  ASSERT_TRUE(window.wait_for("argument/A")) << seen(window);
  retype(window, "argument/A", "{int32=4,int32=3,float32[3x4]=iota}");
  ASSERT_TRUE(window.wait([&] { return text(window, "rows/A") == "{int32=4,int32=3,float32[3x4]=iota}"; })) << seen(window);
  retype(window, "argument/by", "{int32=1,float32=10}");
  window.click("run");
  ASSERT_TRUE(window.wait([&] { return number(window, "A.elements_most") == 110; })) << seen(window);

  retype(window, "argument/A", "{int32=4,int32=3}");
  EXPECT_TRUE(window.wait([&] { return word(window, "error") == "usage"; })) << seen(window);
  EXPECT_TRUE(window.running()) << window.complaints();
}

TEST(Playground, AFileOfOnesOwnIsOpenedAndKept) {
  Window window;
  const auto file = window.kept().parent_path() / "mine.cu", data = window.kept().parent_path() / "data.csv";
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << "extern \"C\" __global__ void mine(const float* in, float* out, int n) {\n"
                         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  if (i < n) out[i] = 3 * in[i];\n"
                         "}\n";
  std::ofstream(data) << "1,2,3,4\n";
  open_lesson(window, "playground", "playground");
  ASSERT_TRUE(window.wait_for("playground/file"));
  retype(window, "playground/file", (file.parent_path() / "absent.cu").string());
  window.click("playground/open");
  EXPECT_TRUE(window.wait([&] { return word(window, "brought").find("absent.cu") != std::string::npos; })) << seen(window);

  retype(window, "playground/file", file.string());
  window.click("playground/open");
  ASSERT_TRUE(window.wait_for("argument/in/shape")) << seen(window);
  EXPECT_EQ(word(window, "brought"), "");
  window.click("argument/in/content");
  ASSERT_TRUE(window.wait_for("argument/in/content/file"));
  window.click("argument/in/content/file");
  ASSERT_TRUE(window.wait_for("argument/in/details"));
  retype(window, "argument/in/details", data.string());
  ASSERT_TRUE(window.wait([&] { return text(window, "mine/in") == "[4]=@" + data.string(); })) << seen(window);
  retype(window, "argument/n", "4");
  window.click("run");
  ASSERT_TRUE(window.wait([&] { return number(window, "out_most") == 12; })) << seen(window);

  window.restart();
  ASSERT_TRUE(window.wait([&] { return word(window, "lesson") == "playground"; })) << seen(window);
  ASSERT_TRUE(window.wait_for("argument/in/details")) << seen(window);
  EXPECT_EQ(text(window, "mine/in"), "[4]=@" + data.string());
  window.click("run");
  EXPECT_TRUE(window.wait([&] { return number(window, "out_most") == 12; })) << seen(window);
}

}  // namespace
}  // namespace warpbook::test
