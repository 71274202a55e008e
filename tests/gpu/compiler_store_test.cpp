#include "gpu/compiler_store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "gpu/compiler.h"

namespace warpbook::gpu {
namespace {

namespace fs = std::filesystem;

constexpr const char* doubling = "__global__ void twice(int* x) { x[threadIdx.x] *= FACTOR; }\n";

/// Processes that this one has started and that have not ended.
std::size_t processes_started_here() {
  std::size_t count = 0;
  for (const fs::directory_entry& thread : fs::directory_iterator("/proc/self/task")) {
    std::ifstream children(thread.path() / "children");
    count += static_cast<std::size_t>(std::distance(std::istream_iterator<int>(children), {}));
  }
  return count;
}

class CompilerStore : public testing::Test {
 protected:
  CompilerStore() {
    fs::remove_all(folder);
    keep_compiled_in(folder);
  }
  ~CompilerStore() override {
    keep_compiled_in(std::getenv("WARPBOOK_COMPILED") == nullptr ? fs::path() : usual_compiled_folder());
    fs::remove_all(folder);
  }

  /// By a compiler of its own, as another process would; and whether that has started a child.
  static auto compile(const std::string& text, const CompileOptions& options = {}, const std::string& factor = "2") {
    const std::size_t before = processes_started_here();
    Compiler compiler;
    auto program = compiler.compile({.file = "twice.cu", .text = text, .defines = {{"FACTOR", factor}}}, options);
    return std::pair(std::move(program), processes_started_here() != before);
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
      if (entry.is_regular_file()) all.push_back(entry.path());
    return all;
  }

  const fs::path folder = fs::path(testing::TempDir()) / fmt::format("warpbook_compiled_{}", getpid());
};

TEST_F(CompilerStore, WhatWasCompiledOnceIsNotCompiledAgain) {
  const auto [first, first_started] = compile(doubling);
  ASSERT_TRUE(first);
  ASSERT_TRUE(first_started);
  const auto [second, second_started] = compile(doubling);
  ASSERT_TRUE(second);
  EXPECT_FALSE(second_started);
  EXPECT_EQ((*first)->ptx, (*second)->ptx);
  EXPECT_EQ((*first)->compiler, (*second)->compiler);
  EXPECT_EQ((*first)->compile_ms, (*second)->compile_ms);
  ASSERT_EQ((*second)->kernels.size(), 1);
  EXPECT_EQ((*first)->kernels[0].registers, (*second)->kernels[0].registers);
}

TEST_F(CompilerStore, AnotherTextDefineOrOptionIsAnotherProgram) {
  ASSERT_TRUE(compile(doubling).first);
  const auto [factor, for_factor] = compile(doubling, {}, "3");
  EXPECT_TRUE(for_factor);
  EXPECT_NE((*factor)->ptx, (*compile(doubling).first)->ptx);
  const auto [later, for_later] = compile(doubling, {.architecture = 90});
  EXPECT_TRUE(for_later);
  EXPECT_EQ((*later)->architecture, 90);
  EXPECT_TRUE(compile(doubling, {.line_info = false}).second);
  EXPECT_TRUE(compile(std::string("\n") + doubling).second);
}

TEST_F(CompilerStore, LimitsAreNoPartOfARequest) {
  ASSERT_TRUE(compile(doubling).first);
  EXPECT_FALSE(compile(doubling, {.max_seconds = 19}).second);
}

TEST_F(CompilerStore, WhatIsRefusedIsSeenAnew) {
  for (int time = 0; time < 2; ++time) {
    const auto [program, started] = compile("__global__ void broken() { int x = ; }\n");
    EXPECT_FALSE(program);
    EXPECT_TRUE(started);
  }
}

TEST_F(CompilerStore, ADamagedFileIsNoAnswer) {
  const auto [whole, first] = compile(doubling);
  ASSERT_TRUE(whole);
  ASSERT_FALSE(files().empty());
  const auto kept = files();
  const auto answer = std::ranges::max_element(kept, {}, [](const fs::path& file) { return fs::file_size(file); });
  {
    std::fstream bytes(*answer, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(-200, std::ios::end);  // in its PTX, where no length tells
    bytes.write("damage", 6);
  }
  const auto [again, started] = compile(doubling);
  ASSERT_TRUE(again);
  EXPECT_TRUE(started);
  EXPECT_EQ((*again)->ptx, (*whole)->ptx);
  for (const fs::path& file : files()) fs::resize_file(file, 10);
  EXPECT_TRUE(compile(doubling).second);
  EXPECT_FALSE(compile(doubling).second);  // it was kept anew
}

TEST_F(CompilerStore, AnotherCompilersAnswersAreNotTaken) {
  const auto none = recall_hello(Tool::nvrtc, {"SOMEWHERE=/else"});
  EXPECT_FALSE(none);
  const fs::path library = folder / "library", headers = folder / "include";
  fs::create_directories(headers);
  std::ofstream(library) << "of some size";
  const ChildHello hello{.available = true,
                         .problem = {},
                         .version = "1.2",
                         .path = library,
                         .confinement = "Landlock",
                         .scratch = "/tmp/mine",
                         .hidden_paths = {"/tmp/mine/include", headers}};
  keep_hello(Tool::nvrtc, {"HERE"}, hello);
  keep_answer(Tool::nvrtc, hello, {.name = "a.cu", .text = "a"}, {.answer = {}, .hidden_paths = {}, .compile_ms = 5});
  const auto kept = recall_hello(Tool::nvrtc, {"HERE"});
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->version, "1.2");
  EXPECT_EQ(kept->hidden_paths, std::vector<std::string>{headers});
  EXPECT_TRUE(kept->scratch.empty());  // that child's alone
  ASSERT_TRUE(recall_answer(Tool::nvrtc, *kept, {.name = "a.cu", .text = "a"}));
  EXPECT_FALSE(recall_answer(Tool::clang, *kept, {.name = "a.cu", .text = "a"}));
  fs::last_write_time(headers, fs::last_write_time(headers) + std::chrono::seconds(1));  // other headers were installed
  EXPECT_FALSE(recall_answer(Tool::nvrtc, *kept, {.name = "a.cu", .text = "a"}));
  std::ofstream(library) << "updated to another size";
  EXPECT_FALSE(recall_hello(Tool::nvrtc, {"HERE"}));
  EXPECT_FALSE(recall_answer(Tool::nvrtc, *kept, {.name = "a.cu", .text = "a"}));
}

TEST_F(CompilerStore, WhatWasNotUsedForLongestMakesRoom) {
  fs::create_directories(folder);
  const auto now = fs::file_time_type::clock::now();
  for (int age = 1; age <= 4; ++age) {
    const fs::path file = folder / std::to_string(age);
    std::ofstream(file) << "x";
    fs::resize_file(file, std::uintmax_t{100} << 20);  // of holes
    fs::last_write_time(file, now - std::chrono::hours(age));
  }
  ASSERT_TRUE(compile(doubling).first);  // the first that is kept looks at the rest; other tests have kept some, so up to 64
  for (int other = 0; other < 64 && fs::exists(folder / "4"); ++other)
    keep_answer(Tool::nvrtc, {}, {.name = "a.cu", .text = std::to_string(other)},
                {.answer = {}, .hidden_paths = {}, .compile_ms = 0});
  EXPECT_TRUE(fs::exists(folder / "1"));
  EXPECT_FALSE(fs::exists(folder / "3"));
  EXPECT_FALSE(fs::exists(folder / "4"));
  EXPECT_FALSE(compile(doubling).second);
}

TEST_F(CompilerStore, AFolderThatCannotBeMadeIsNoError) {
  keep_compiled_in("/proc/none/compiled");
  EXPECT_TRUE(compile(doubling).first);
  keep_compiled_in({});
  EXPECT_TRUE(compile(doubling).second);
}

}  // namespace
}  // namespace warpbook::gpu
