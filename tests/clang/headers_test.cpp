// The headers that clang compiles CUDA C++ with: what they give a kernel, by cases that say what each must leave.
//
// cases/*.cu are written as tests/cases/launch (README.md there). Each runs as clang compiles it, and where NVRTC is there, as
// NVRTC does: the expectations hold for both.
#include "gpu/clang/headers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/clang/by_clang.h"
#include "tests/gpu/launched_file.h"

namespace warpbook::gpu {
namespace {

namespace fs = std::filesystem;

const fs::path root = WARPBOOK_ROOT;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(ClangHeaders, AreTheFilesOfTheirFolder) {
  std::set<std::string> files;
  const fs::path folder = root / "gpu/clang/include";
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.insert(fs::relative(entry.path(), folder));
  EXPECT_EQ(clang_headers().size(), files.size());
  for (const ClangHeader& header : clang_headers()) EXPECT_EQ(header.text, text_of(folder / header.name)) << header.name;
}

std::vector<fs::path> sources_below(const fs::path& folder) {
  std::vector<fs::path> all;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder))
    if (entry.path().extension() == ".cu") all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}

/// Exercises whose file is a part of a host program, which is read and not compiled.
bool is_part_of_a_host_program(const fs::path& file) {
  const std::string name = file.parent_path().filename();
  return name == "side_by_side" || name == "sticky" || name == "time_it";
}

/// Values that the lessons give their kernels by -D.
const std::vector<std::pair<std::string, std::string>> usual_defines{{"STEPS", "8"},   {"TILE", "16"},  {"ITEMS", "4"},
                                                                     {"ABSENT", "31"}, {"RADIUS", "3"}, {"BINS", "64"}};

void compiles(const fs::path& file) {
  auto program = test::compile_patiently(
      {.file = file.filename(), .text = text_of(file), .defines = usual_defines, .instantiate = {}, .folder = file.parent_path()});
  ASSERT_TRUE(program) << file << ": " << program.error().message << '\n' << program.error().log;
  auto read = compiler().adopt_ptx(file.filename(), (*program)->ptx);
  EXPECT_TRUE(read) << file << ": " << read.error().message;
}

TEST(ClangHeaders, ALessonsKernelsCompile) {
  WARPBOOK_WITH_CLANG();
  for (const fs::path& file : sources_below("kernels")) compiles(file);
}

TEST(ClangHeaders, ExercisesStartsAndSolutionsCompile) {
  WARPBOOK_WITH_CLANG();
  if (std::getenv("WARPBOOK_TEST_ALL") == nullptr) GTEST_SKIP() << "Minutes of compiling: only with script/test --all.";
  for (const fs::path& file : sources_below("lessons"))
    if (!is_part_of_a_host_program(file)) compiles(file);
}

/// What our headers do belongs to the line that asked for it.
void every_place_is_the_sources(const std::string& ptx) {
  std::istringstream lines(ptx);
  for (std::string line, directive, number, name; std::getline(lines, line);) {
    std::istringstream words(line);
    if (words >> directive >> number >> name && directive == ".file") {
      EXPECT_TRUE(name.ends_with(".cu\"")) << line;
    }
  }
}

class ClangHeaderCases : public testing::TestWithParam<std::string> {};

TEST_P(ClangHeaderCases, LeaveWhatTheFileExpects) {
  const fs::path file = root / "tests/clang/cases" / GetParam();
  const test::LaunchedFile read = test::read_launched_file(file);
  const bool newer = read.text.find("// profile: H200") != std::string::npos;
  auto device = make_virtual_device(compiler(), newer ? "H200" : "T4");
  ASSERT_TRUE(device);
  for (const CompilerChoice choice : {CompilerChoice::clang, CompilerChoice::nvrtc}) {
    const auto status = compiler().status();
    const auto& found = choice == CompilerChoice::clang ? status.clang : status.nvrtc;
    if (!found.available) {
      if (choice == CompilerChoice::clang) GTEST_SKIP() << found.problem;
      continue;
    }
    const test::CompilerOfChoice only(choice);
    SCOPED_TRACE(name_of(choice));
    auto program =
        test::compile_patiently({.file = GetParam(), .text = read.text, .defines = {}, .instantiate = {}}, newer ? 90 : 75);
    ASSERT_TRUE(program) << program.error().message << '\n' << program.error().log;
    for (const std::string& wrong : test::run_launched_file(**device, *program, read, Schedule::fast)) ADD_FAILURE() << wrong;
    if (choice == CompilerChoice::clang) every_place_is_the_sources((*program)->ptx);
  }
}

std::vector<std::string> clang_case_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(root / "tests/clang/cases")) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Cases, ClangHeaderCases, testing::ValuesIn(clang_case_names()), [](const auto& of) {
  std::string name = of.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

}  // namespace
}  // namespace warpbook::gpu
