// The cases of tests/cases/ptx as text, with the expectations of their lines: "// expect: uniform, reconverge DONE".
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpbook::gpu::ptx::test {

struct Expectation {
  std::uint32_t line = 0;  // 1-based
  std::string kind;        // "error", "text", "line", "uniform", "varying", "reconverge"
  std::string value;
};

struct Case {
  std::string name;
  std::vector<std::string> lines;
  std::vector<Expectation> expectations;

  /// The text without the lines that must fail, except line `keep` (0: none). Line numbers do not change.
  [[nodiscard]] std::string text_with(std::uint32_t keep = 0) const;
};

[[nodiscard]] Case read_case(const std::filesystem::path& file);
[[nodiscard]] std::vector<Case> all_cases();

}  // namespace warpbook::gpu::ptx::test
