// Walks tests/cases/compile: one file a case, its expectations beside the lines that cause them.
//
//     // expect: error:30 text        a diagnostic on this very line: severity, column (may be left out), part of its message
//     // expect: warning text
//     // expect: note text
//     // expect message: text         part of the sentence that the learner reads first
//     // expect kernel: name(type name, …)   the program has this kernel, with these parameters
//     // expect left out: main()      the host's, in this order; the program compiles
//     // instantiate: scale<float>    passed as Source::instantiate
//     // also by nvcc                 the toolkit's nvcc, where there is one, makes the same kernels of it
//
// Every case is compiled by NVRTC and by clang, whichever are there. What clang says otherwise stands beside it:
//
//     … // by clang: error:12 text    on this very line, in place of what is expected there; "nothing"
//     // expect message by clang: text     and likewise kernel, left out: in place of all those without "by clang"
//     // clang differs: reason        why; a case without it has none of these
//     // not by clang: reason         the case is NVRTC's alone
//
// A file with an error or a message must fail; any other must compile. What is not expected must not be there. The headers of a
// case lie in a folder of its name, with expectations of their own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/gpu/one_compiler.h"
#include "tests/kept_variable.h"

namespace warpbook::gpu {
namespace {

namespace fs = std::filesystem;

struct ExpectedLine {
  std::string file, severity;
  int line = 0, column = 0;  // column 0: any
  std::string text;
};

struct CompiledFile {
  Source source;
  std::vector<ExpectedLine> diagnostics;
  std::vector<std::string> messages, kernels, left_out;
  std::string clang_differs, not_by_clang;  // reasons
  bool any_by_clang = false;
};

enum class By { nvrtc, clang };

std::string after(const std::string& line, const std::string& marker) {
  const std::size_t at = line.find(marker);
  return at == std::string::npos ? std::string() : line.substr(at + marker.size());
}

/// "error:30 text" of a line, for one of the two compilers; empty: nothing is expected there.
std::string expected_of(const std::string& line, By by) {
  const std::string mark = " // by clang: ";
  const std::size_t of_clang = line.find(mark);
  if (by == By::clang && of_clang != std::string::npos) {
    const std::string text = line.substr(of_clang + mark.size());
    return text == "nothing" ? std::string() : text;
  }
  return after(line.substr(0, of_clang), "// expect: ");
}

/// Expectations of a whole file, of one kind: those by clang stand in place of the others.
void add_expectation(std::vector<std::string>& to, CompiledFile& c, const std::string& text, const std::string& kind, By by) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.pop_back();
    if (const std::string plain = after(line, "// expect " + kind + ": "); !plain.empty()) to.push_back(plain);
    c.any_by_clang = c.any_by_clang || line.find("// expect " + kind + " by clang: ") != std::string::npos;
  }
  if (by != By::clang || text.find("// expect " + kind + " by clang: ") == std::string::npos) return;
  to.clear();
  add_expectation(to, c, text, kind + " by clang", By::nvrtc);
  std::erase(to, "nothing");
}

/// Returns the text.
std::string read_file(CompiledFile& c, const fs::path& path, const std::string& name, By by) {
  std::string all;
  std::ifstream file(path);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    all += line + '\n';
    if (line.ends_with('\r')) line.pop_back();
    if (const std::string text = expected_of(line, by); !text.empty()) {
      ExpectedLine expected;
      expected.file = name;
      expected.line = number;
      const std::string head = text.substr(0, text.find(' '));
      expected.severity = head.substr(0, head.find(':'));
      if (const std::string column = after(head, ":"); !column.empty())
        std::from_chars(column.data(), column.data() + column.size(), expected.column);
      expected.text = text.substr(head.size() + 1);
      c.diagnostics.push_back(expected);
    }
    c.any_by_clang = c.any_by_clang || line.find(" // by clang: ") != std::string::npos;
    if (const std::string text = after(line, "// clang differs: "); !text.empty()) c.clang_differs = text;
    if (const std::string text = after(line, "// not by clang: "); !text.empty()) c.not_by_clang = text;
    if (const std::string text = after(line, "// instantiate: "); !text.empty()) c.source.instantiate.push_back(text);
  }
  add_expectation(c.messages, c, all, "message", by);
  add_expectation(c.kernels, c, all, "kernel", by);
  add_expectation(c.left_out, c, all, "left out", by);
  return all;
}

CompiledFile read_compiled_file(const fs::path& path, By by) {
  CompiledFile c;
  c.source.file = path.filename().string();
  c.source.text = read_file(c, path, c.source.file, by);
  const fs::path folder = path.parent_path() / path.stem();
  if (!fs::is_directory(folder)) return c;
  c.source.folder = folder;
  std::vector<fs::path> headers;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) headers.push_back(entry.path());
  std::sort(headers.begin(), headers.end());
  for (const fs::path& header : headers) (void)read_file(c, header, fs::relative(header, folder).string(), by);
  return c;
}

std::string_view name_of(Diagnostic::Severity severity) {
  switch (severity) {
    case Diagnostic::Severity::error:
      return "error";
    case Diagnostic::Severity::warning:
      return "warning";
    case Diagnostic::Severity::note:
      return "note";
  }
  return "";
}

std::string printed(const Kernel& kernel) {
  std::string text = kernel.name + '(';
  for (const Parameter& p : kernel.parameters) text += fmt::format("{}{} {}", text.back() == '(' ? "" : ", ", p.type, p.name);
  return text + ')';
}

std::vector<fs::path> case_files() {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(WARPBOOK_ROOT) / "tests/cases/compile"))
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// Marked "// also by nvcc": it costs seconds.
bool wants_nvcc(const CompiledFile& c) { return c.source.text.find("// also by nvcc") != std::string::npos; }

/// Whether a case must fail.
bool must_fail(const CompiledFile& c) {
  const auto is_error = [](const ExpectedLine& e) { return e.severity == "error"; };
  return !c.messages.empty() || std::any_of(c.diagnostics.begin(), c.diagnostics.end(), is_error);
}

void expect_diagnostics(const CompiledFile& c, std::vector<Diagnostic> unexpected) {
  for (const ExpectedLine& e : c.diagnostics) {
    const auto found = std::find_if(unexpected.begin(), unexpected.end(), [&](const Diagnostic& d) {
      return name_of(d.severity) == e.severity && d.line == e.line && d.file == e.file &&
             d.message.find(e.text) != std::string::npos;
    });
    if (found == unexpected.end()) {
      ADD_FAILURE() << "missing on line " << e.line << " of " << e.file << ": " << e.severity << ' ' << e.text;
      continue;
    }
    EXPECT_EQ(found->column, e.column == 0 ? found->column : e.column) << "line " << e.line;
    unexpected.erase(found);
  }
  for (const Diagnostic& d : unexpected)
    if (!c.diagnostics.empty() || c.messages.empty())
      ADD_FAILURE() << "not expected: line " << d.line << " of " << d.file << ": " << name_of(d.severity) << ": " << d.message;
}

void expect_answer(const CompiledFile& c) {
  const auto result = compiler().compile(c.source, {.max_seconds = 60});
  ASSERT_EQ(!result, must_fail(c)) << (result ? std::string("it compiled") : result.error().message + '\n' + result.error().log);
  expect_diagnostics(c, result ? (*result)->warnings : result.error().diagnostics);
  if (!result) {
    EXPECT_EQ(result.error().reason, CompileFailure::Reason::source);
    for (const std::string& text : c.messages)
      EXPECT_NE(result.error().message.find(text), std::string::npos) << result.error().message;
    return;
  }
  EXPECT_EQ((*result)->left_out, c.left_out);
  std::vector<std::string> kernels;
  for (const Kernel& kernel : (*result)->kernels) kernels.push_back(printed(kernel));
  std::vector<std::string> expected = c.kernels;
  std::sort(kernels.begin(), kernels.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(kernels, expected);
}

/// By one compiler alone.
class CompileCase : public testing::TestWithParam<fs::path> {
 protected:
  const warpbook::test::KeptVariable kept_{"WARPBOOK_COMPILER"};
};

TEST_P(CompileCase, AnswersAsTheFileExpects) {
  if (!compiler().status().nvrtc.available) GTEST_SKIP() << compiler().status().nvrtc.problem;
  setenv("WARPBOOK_COMPILER", "nvrtc", 1);
  expect_answer(read_compiled_file(GetParam(), By::nvrtc));
}

TEST_P(CompileCase, AnswersAsTheFileExpectsByClang) {
  if (!compiler().status().clang.available) GTEST_SKIP() << compiler().status().clang.problem;
  setenv("WARPBOOK_COMPILER", "clang", 1);
  const CompiledFile c = read_compiled_file(GetParam(), By::clang);
  if (!c.not_by_clang.empty()) GTEST_SKIP() << c.not_by_clang;
  EXPECT_EQ(c.any_by_clang, !c.clang_differs.empty()) << "a difference stands with its reason, and a reason with a difference";
  expect_answer(c);
}

/// What compiles, nvcc compiles too, and the kernels are the same.
TEST_P(CompileCase, IsTheSameByNvcc) {
  const CompiledFile c = read_compiled_file(GetParam(), By::nvrtc);
  if (must_fail(c) || !wants_nvcc(c)) GTEST_SKIP() << "a matter of NVRTC's";
  if (compiler().status().nvcc.empty()) GTEST_SKIP() << "the toolkit of this machine has no nvcc";
  setenv("WARPBOOK_COMPILER", "nvcc", 1);
  const auto result = compiler().compile(c.source);
  ASSERT_TRUE(result) << result.error().message << '\n' << result.error().log;
  EXPECT_TRUE((*result)->compiler.starts_with("nvcc ")) << (*result)->compiler;
  std::vector<std::string> kernels;
  for (const Kernel& kernel : (*result)->kernels) {
    kernels.push_back(printed(kernel));
    EXPECT_TRUE(kernel.registers) << kernel.name;
  }
  for (const std::string& expected : c.kernels)
    EXPECT_NE(std::find(kernels.begin(), kernels.end(), expected), kernels.end()) << expected;
}

INSTANTIATE_TEST_SUITE_P(Files, CompileCase, testing::ValuesIn(case_files()),
                         [](const auto& one) { return one.param.stem().string(); });

}  // namespace
}  // namespace warpbook::gpu
