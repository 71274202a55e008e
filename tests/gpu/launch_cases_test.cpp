// Walks tests/cases/launch: kernels in CUDA C++ or PTX with what they must leave in memory beside them; README.md there explains
// the directives. Each runs under both schedules.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "gpu/device.h"
#include "tests/gpu/launched_file.h"
#include "tests/gpu/one_compiler.h"

namespace warpbook::gpu {
namespace {

namespace fs = std::filesystem;

class LaunchCases : public testing::TestWithParam<std::string> {};

TEST_P(LaunchCases, LeaveWhatTheFileExpects) {
  const fs::path file = fs::path(WARPBOOK_ROOT) / "tests/cases/launch" / GetParam();
  const test::LaunchedFile read = test::read_launched_file(file);
  auto device = make_virtual_device(compiler());
  ASSERT_TRUE(device);
  const bool is_ptx = file.extension() == ".ptx";
  auto program = is_ptx ? compiler().adopt_ptx(GetParam(), read.text)
                        : (*device)->compile({.file = GetParam(), .text = read.text, .defines = {}, .instantiate = {}});
  ASSERT_TRUE(program) << program.error().message << '\n' << program.error().log;
  for (const Schedule schedule : {Schedule::fast, Schedule::clock})
    for (const std::string& wrong : test::run_launched_file(**device, *program, read, schedule))
      ADD_FAILURE() << (schedule == Schedule::fast ? "fast: " : "clock: ") << wrong;
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(WARPBOOK_ROOT) / "tests/cases/launch"))
    if (entry.path().extension() != ".md") names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Cases, LaunchCases, testing::ValuesIn(case_names()), [](const auto& of) {
  std::string name = of.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

}  // namespace
}  // namespace warpbook::gpu
