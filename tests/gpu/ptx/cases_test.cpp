// Every file of tests/cases/ptx: its expectations, and parse → print → parse gives the same module.
#include "tests/gpu/ptx/cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "gpu/virtual/ptx/parser.h"
#include "gpu/virtual/ptx/printer.h"
#include "tests/gpu/ptx/same_module.h"

namespace warpbook::gpu::ptx::test {

std::string Case::text_with(std::uint32_t keep) const {
  std::string text;
  for (std::uint32_t line = 1; line <= lines.size(); ++line) {
    const bool must_fail = std::any_of(expectations.begin(), expectations.end(),
                                       [&](const Expectation& e) { return e.line == line && e.kind == "error"; });
    if (!must_fail || line == keep) text += lines[line - 1];
    text += '\n';
  }
  return text;
}

Case read_case(const std::filesystem::path& file) {
  constexpr std::string_view mark = "// expect: ";
  Case read{file.filename().string(), {}, {}};
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    read.lines.push_back(line);
    const std::size_t at = line.find(mark);
    if (at == line.npos) continue;
    std::string rest = line.substr(at + mark.size());
    while (!rest.empty()) {
      const std::size_t space = rest.find(' ');
      const std::string kind = rest.substr(0, std::min(space, rest.find(',')));
      // "error" and "text" take the rest of the line, commas and all.
      const bool whole = kind == "error" || kind == "text";
      const std::size_t end = whole ? rest.npos : rest.find(", ");
      const std::string item = rest.substr(0, end);
      read.expectations.push_back({static_cast<std::uint32_t>(read.lines.size()), kind,
                                   item.size() > kind.size() ? item.substr(kind.size() + 1) : std::string()});
      rest = end == rest.npos ? std::string() : rest.substr(end + 2);
    }
  }
  return read;
}

std::vector<Case> all_cases() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(WARPBOOK_ROOT) / "tests/cases/ptx"))
    if (entry.path().extension() == ".ptx") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Case> cases;
  for (const auto& file : files) cases.push_back(read_case(file));
  return cases;
}

namespace {

struct Found {
  const Function* function = nullptr;
  std::uint32_t pc = 0;
};

Found instruction_at(const Module& module, std::uint32_t line) {
  for (const Function& function : module.functions)
    for (std::uint32_t pc = 0; pc < function.code.size(); ++pc)
      if (function.code[pc].ptx_line == line) return {&function, pc};
  return {};
}

/// The pc that a label of the case stands before: that of the next instruction of the function.
std::uint32_t pc_of_label(const Case& test, const Function& function, const std::string& label, std::uint32_t near_line) {
  if (label == "end") return static_cast<std::uint32_t>(function.code.size());
  // Kernels of one file may use the same label: take the nearest to the branch.
  std::uint32_t best = 0;
  for (std::uint32_t line = 1; line <= test.lines.size(); ++line) {
    const std::uint32_t first = function.code.front().ptx_line, last = function.code.back().ptx_line;
    if (line < first || line > last || test.lines[line - 1].rfind(label + ":", 0) != 0) continue;
    if (best == 0 || std::max(line, near_line) - std::min(line, near_line) < std::max(best, near_line) - std::min(best, near_line))
      best = line;
  }
  if (best == 0) return no_pc;
  for (std::uint32_t pc = 0; pc < function.code.size(); ++pc)
    if (function.code[pc].ptx_line > best) return pc;
  return static_cast<std::uint32_t>(function.code.size());
}

void check(const Case& test, const Module& module, const Expectation& expected) {
  const Found found = instruction_at(module, expected.line);
  ASSERT_NE(found.function, nullptr) << "no instruction on this line";
  const Instruction& instruction = found.function->code[found.pc];
  if (expected.kind == "text") {
    EXPECT_EQ(print(*found.function, instruction, module), expected.value);
  } else if (expected.kind == "line") {
    EXPECT_EQ(std::to_string(instruction.line), expected.value);
  } else if (expected.kind == "uniform") {
    EXPECT_EQ(found.function->is_uniform[found.pc], 1);
  } else if (expected.kind == "varying") {
    EXPECT_EQ(found.function->is_uniform[found.pc], 0);
  } else if (expected.kind == "reconverge") {
    const std::uint32_t wanted = pc_of_label(test, *found.function, expected.value, expected.line);
    ASSERT_NE(wanted, no_pc) << "no label " << expected.value;
    EXPECT_EQ(found.function->reconverge[found.pc], wanted);
    if (instruction.guarded && wanted < found.function->code.size()) {
      EXPECT_EQ(found.function->is_reconvergence[wanted], 1);
    }
  } else {
    FAIL() << "unknown expectation '" << expected.kind << "'";
  }
}

TEST(PtxCases, MeetTheirExpectations) {
  std::size_t checked = 0;
  for (const Case& test : all_cases()) {
    const Result<Module> module = parse(test.text_with());
    ASSERT_TRUE(module) << test.name << ": " << module.error().message;
    for (const Expectation& expected : test.expectations) {
      SCOPED_TRACE(test.name + ":" + std::to_string(expected.line) + " " + expected.kind + " " + expected.value);
      ++checked;
      if (expected.kind != "error") {
        check(test, *module, expected);
        continue;
      }
      const Result<Module> wrong = parse(test.text_with(expected.line));
      if (wrong) {
        ADD_FAILURE() << "this line must not be taken";
        continue;
      }
      EXPECT_NE(wrong.error().message.find(expected.value), std::string::npos) << wrong.error().message;
      EXPECT_NE(wrong.error().message.find("PTX line " + std::to_string(expected.line) + ":"), std::string::npos)
          << wrong.error().message;
      EXPECT_EQ(wrong.error().code, "cudaErrorInvalidPtx");
    }
  }
  EXPECT_GT(checked, 130U);
}

TEST(PtxCases, PrintAndParseAgain) {
  std::size_t instructions = 0;
  for (const Case& test : all_cases()) {
    SCOPED_TRACE(test.name);
    const Result<Module> module = parse(test.text_with());
    ASSERT_TRUE(module) << module.error().message;
    EXPECT_EQ(lost_by_printing(*module), "");
    for (const Function& function : module->functions) instructions += function.code.size();
  }
  EXPECT_GT(instructions, 1000U);
}

}  // namespace
}  // namespace warpbook::gpu::ptx::test
