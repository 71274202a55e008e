// A program with its main(), pasted into the playground as it is.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "lessons/catalog.h"
#include "tests/app/headless.h"

namespace warpbook::test {
namespace {

TEST(WholeProgram, RunsAndIsExportedWithANewHostsPart) {
  Headless window;
  ASSERT_TRUE(window.settle());
  window.book().open(*lessons::find_lesson("18"));
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

}  // namespace
}  // namespace warpbook::test
