// A program with its main(), pasted into the playground as it is.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "lessons/catalog.h"
#include "lessons/playground.h"
#include "tests/app/headless.h"

namespace warpbook::test {
namespace {

TEST(WholeProgram, RunsAndIsExportedWithANewHostsPart) {
  Headless window;
  ASSERT_TRUE(window.settle());
  window.book().open(*lessons::find_lesson("playground"));
  ASSERT_TRUE(window.settle());
  const auto program = lessons::read_text(WARPBOOK_ROOT "/tests/cases/compile/whole_program.cu");
  ASSERT_TRUE(program);
  app::LessonState& state = window.session().lesson();
  state.text.select_all();
  state.text.insert(*program);
  window.book().text_changed();
  ASSERT_TRUE(window.settle());
  EXPECT_NE(window.find("kernel/add"), nullptr);
  EXPECT_NE(window.find("left_out"), nullptr) << "said below the editor";
  EXPECT_EQ(state.text.str(), *program) << "what the learner wrote stays";
  ASSERT_TRUE(window.click("run"));
  ASSERT_TRUE(window.settle());
  ASSERT_NE(state.shown, nullptr);

  window.click("tab/host");
  ASSERT_TRUE(window.wait([&] { return state.host && app::is_current(*state.host, window.session()); }));
  ASSERT_TRUE(state.host->cuda) << state.host->cuda.error().message;
  const std::string& text = state.host->cuda->text;
  EXPECT_EQ(text.find("main("), text.rfind("main(")) << text;
  EXPECT_EQ(text.find("std::cerr << cudaGetErrorString"), text.rfind("std::cerr << cudaGetErrorString")) << "its own macro stays";
  EXPECT_EQ(text.find("fill(float* a"), std::string::npos) << text;
}

TEST(WholeProgram, HasTheHeadersOfTheFolderItWasOpenedFrom) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / fmt::format("warpbook_headers_{}", getpid());
  std::filesystem::create_directories(folder / "sub");
  const auto write = [&](const char* name, std::string_view text) { std::ofstream(folder / name, std::ios::binary) << text; };
  write("main.cu",
        "#include <vector>\n"
        "#include \"tools.h\"\n"
        "__global__ void fill(int* out, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) out[i] = seven();\n"
        "}\n"
        "int main() { report(7); }\n");
  write("tools.h", "#include <cstdio>\n#include \"sub/seven.cuh\"\nstatic void report(int x) { std::printf(\"%d\", x); }\n");
  write("sub/seven.cuh", "__device__ inline int seven() { return 7; }\n");

  Headless window;
  ASSERT_TRUE(window.settle());
  window.book().open_file((folder / "main.cu").string());
  ASSERT_TRUE(window.settle());
  app::LessonState& state = window.session().lesson();
  ASSERT_TRUE(window.click("run"));
  ASSERT_TRUE(window.settle());
  ASSERT_NE(state.shown, nullptr) << window.seen();
  EXPECT_EQ(window.state()["numbers"]["out_most"], 7) << window.seen();

  window.click("tab/host");
  ASSERT_TRUE(window.wait([&] { return state.host && app::is_current(*state.host, window.session()); }));
  ASSERT_TRUE(state.host->cuda) << state.host->cuda.error().message;
  const lessons::HostCode& code = *state.host->cuda;
  EXPECT_NE(code.text.find("#include \"tools.h\""), std::string::npos) << code.text;
  ASSERT_EQ(code.headers.size(), 2u);
  EXPECT_EQ(code.headers[0].name, "tools.h");
  EXPECT_NE(code.headers[0].text.find("void report"), std::string::npos) << "as they are: nvcc takes both sides";
  EXPECT_EQ(code.headers[1].name, "sub/seven.cuh");

  window.book().export_as({.kind = app::Export::Kind::cuda, .view = {}});
  ASSERT_TRUE(window.wait([&] { return !state.exported.busy && !state.exported.path.empty(); })) << window.seen();
  const std::filesystem::path exported = std::filesystem::path(state.exported.path).parent_path();
  EXPECT_TRUE(std::filesystem::exists(exported / "tools.h"));
  EXPECT_TRUE(std::filesystem::exists(exported / "sub/seven.cuh"));

  // Changed by another editor: the next run reads it.
  write("sub/seven.cuh", "__device__ inline int seven() { return 8; }\n");
  ASSERT_TRUE(window.click("run"));
  ASSERT_TRUE(window.settle());
  EXPECT_EQ(window.state()["numbers"]["out_most"], 8) << window.seen();
  write("sub/seven.cuh", "\n__device__ inline int seven() { return nine; }\n");
  ASSERT_TRUE(window.click("run"));
  ASSERT_TRUE(window.settle());
  EXPECT_NE(state.latest->error->message.find("sub/seven.cuh(2)"), std::string::npos) << state.latest->error->message;
  std::filesystem::remove_all(folder);
}

/// The first run that a person sees has the shape and the inputs that the file's main() gives, also where Run is pressed at once.
TEST(WholeProgram, IsOpenedWithItsOwnLaunch) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / fmt::format("warpbook_own_launch_{}", getpid());
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, std::string_view text) {
    std::ofstream(folder / name, std::ios::binary) << text;
    return (folder / name).string();
  };
  const std::string first = write("first.cu",
                                  "#include <cstdio>\n"
                                  "__global__ void fill(int* out, int n) {\n"
                                  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                  "  if (i < n) out[i] = i + 1;\n"
                                  "}\n"
                                  "int main() {\n"
                                  "  const int n = 500;\n"
                                  "  int* out;\n"
                                  "  cudaMalloc(&out, n * sizeof(int));\n"
                                  "  fill<<<(n + 127) / 128, 128>>>(out, n);\n"
                                  "}\n");
  Headless window;
  ASSERT_TRUE(window.settle());
  window.book().open_file(first);
  window.book().run();
  app::LessonState& state = window.session().lesson();
  ASSERT_TRUE(window.wait([&] { return state.shown && state.shown->text == state.text.str(); })) << window.seen();
  EXPECT_EQ(state.shown->outcome->report.grid, (gpu::Dim3{4, 1, 1}));
  EXPECT_EQ(state.shown->outcome->report.block, (gpu::Dim3{128, 1, 1}));
  EXPECT_EQ(window.state()["numbers"]["changed"], 500) << window.seen();
  EXPECT_EQ(state.past.size(), 1U) << "no run of another shape before it";
  ASSERT_TRUE(window.settle());

  // What was set by hand stays, and there is a way back.
  EXPECT_EQ(window.find("playground/own_launch"), nullptr);
  lessons::Values values = state.values;
  values.set("threads", 32);
  window.book().set_values(values);
  ASSERT_TRUE(window.settle());
  ASSERT_TRUE(window.click("playground/own_launch")) << window.seen();
  EXPECT_EQ(state.values.integer("threads"), 128);

  // Another file brings its own, and nothing of the one before.
  values = state.values;
  values.set_text("fill/n", "=3");
  window.book().set_values(values);
  window.book().open_file(write("second.cu",
                                "__global__ void fill(int* out, int n) { out[threadIdx.y * 4 + threadIdx.x] = n; }\n"
                                "int main() { int* out; cudaMalloc(&out, 64); fill<<<1, dim3(4, 4)>>>(out, 9); }\n"));
  ASSERT_TRUE(window.settle());
  EXPECT_EQ(lessons::shape_in(state.values), (lessons::LaunchShape{{1, 1, 1}, {4, 4, 1}, 0}));
  EXPECT_EQ(state.values.text("fill/n"), "");
  std::filesystem::remove_all(folder);
}

/// A restored launch is the learner's own, an untouched one is not.
TEST(WholeProgram, PastedOverTheShippedKernelItBringsItsLaunch) {
  Headless window;
  ASSERT_TRUE(window.settle());
  window.book().open(*lessons::find_lesson("playground"));
  ASSERT_TRUE(window.settle());
  app::LessonState& state = window.session().lesson();
  EXPECT_EQ(lessons::shape_in(state.values), (lessons::LaunchShape{{4, 4, 1}, {16, 16, 1}, 0})) << "the shipped kernel's own";
  const auto paste = [&](const char* text) {
    state.text.select_all();
    state.text.insert(text);
    window.book().text_changed();
    ASSERT_TRUE(window.settle());
  };
  paste("__global__ void one(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }");
  EXPECT_EQ(lessons::shape_in(state.values), (lessons::LaunchShape{{32, 1, 1}, {128, 1, 1}, 0}))
      << "a line, for a line of elements";
  lessons::Values values = state.values;
  values.set("blocks", 5);
  window.book().set_values(values);
  paste("__global__ void one(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 2; }");
  EXPECT_EQ(state.values.integer("blocks"), 5) << "set by hand";
}

}  // namespace
}  // namespace warpbook::test
