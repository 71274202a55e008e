// Walks tests/cases/findings: one .cu a case, named after the mistake (ok_…: an innocent near miss), its expectations beside the
// lines that cause them. tests/cases/findings/README.md explains the directives. Each case runs under both schedules, the clock's
// with several seeds, and what is not expected must not be found.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <set>
#include <sstream>
#include <tuple>

#include "gpu/device.h"
#include "tests/gpu/one_compiler.h"
#include "tests/how_many.h"

namespace warpbook::gpu {
namespace {

namespace fs = std::filesystem;

using Seen = std::tuple<std::uint32_t, std::string, std::string>;  // line, kind, space

struct CaseArgument {
  ScalarType type = ScalarType::int32;
  std::vector<std::size_t> shape;  // empty: a scalar
  std::string content;
};

struct Case {
  std::string text, kernel, profile, status = "ok";
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0;
  std::vector<CaseArgument> arguments;
  std::set<Seen> expected, possible;  // possible: the schedule decides
  struct Said {
    Seen of;
    std::string text;
    bool wanted = true;
  };
  std::vector<Said> said;
  std::set<std::string> removed;  // variables that the compiler removes, or "everything"
  bool has_expectation = false;
  std::string error;
};

Dim3 parse_dim3(const std::string& text) {
  Dim3 shape;
  std::sscanf(text.c_str(), "%u,%u,%u", &shape.x, &shape.y, &shape.z);
  return shape;
}

/// int32[64x64]=iota, uint64=0
bool parse_argument(const std::string& text, CaseArgument& argument) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return false;
  const std::string type = text.substr(0, equals);
  argument.content = text.substr(equals + 1);
  const std::size_t bracket = type.find('[');
  const auto scalar = scalar_type(type.substr(0, bracket));
  if (!scalar) return false;
  argument.type = *scalar;
  if (bracket == std::string::npos) return true;
  std::istringstream extents(type.substr(bracket + 1));
  std::size_t extent = 0;
  for (char separator = 0; extents >> extent;) {
    argument.shape.push_back(extent);
    extents >> separator;
  }
  return !argument.shape.empty();
}

/// "race shared, perhaps init shared": parted at commas behind which a kind follows; a sentence may have others, "thread (4,0,0)".
std::vector<std::string> expectations_of(const std::string& text) {
  static const std::regex parted(R"(,\s*(?=(perhaps\s+)?(memory|race|init|sync|coalescing|banks|divergence)\b))");
  return {std::sregex_token_iterator(text.begin(), text.end(), parted, -1), {}};
}

Case read_case(const fs::path& path) {
  Case c;
  std::ifstream file(path);
  std::string line;
  for (std::uint32_t number = 1; std::getline(file, line); ++number) {
    c.text += line + '\n';
    const auto after = [&](const char* marker) {
      const std::size_t at = line.find(marker);
      return at == std::string::npos ? std::string{} : line.substr(at + std::string(marker).size());
    };
    if (const std::string launch = after("// launch: "); !launch.empty()) {
      std::istringstream words(launch);
      words >> c.kernel;
      for (std::string option, value; words >> option >> value;) {
        if (option == "--grid") {
          c.grid = parse_dim3(value);
        } else if (option == "--block") {
          c.block = parse_dim3(value);
        } else if (option == "--shared") {
          c.shared_bytes = static_cast<std::uint32_t>(std::stoul(value));
        } else if (option == "--profile") {
          c.profile = value;
        } else if (option == "--arg" && parse_argument(value, c.arguments.emplace_back())) {
          continue;
        } else {
          c.error = "cannot read the launch line at: " + option + " " + value;
        }
      }
    } else if (const std::string status = after("// status: "); !status.empty()) {
      c.status = status;
    } else if (const std::string expected = after("// expect: "); !expected.empty()) {
      c.has_expectation = true;
      if (expected == "clean") continue;
      if (expected.starts_with("removed ")) {
        c.removed.insert(expected.substr(8));
        continue;
      }
      for (const std::string& one : expectations_of(expected)) {
        std::istringstream words(one);
        std::string kind, space;
        words >> kind;
        const bool perhaps = kind == "perhaps";
        if (perhaps) words >> kind;
        const std::streampos behind_kind = words.tellg();
        if (!(words >> space) || (space != "global" && space != "shared" && space != "local" && space != "constant")) {
          space.clear();  // a kind without a space: what follows is its sentence
          words.clear();
          if (behind_kind != std::streampos(-1)) words.seekg(behind_kind);
        }
        const Seen seen{number, kind, space};
        (perhaps ? c.possible : c.expected).insert(seen);
        std::string text;
        std::getline(words >> std::ws, text);
        if (text.starts_with("not: "))
          c.said.push_back({seen, text.substr(5), false});
        else if (!text.empty())
          c.said.push_back({seen, text});
      }
    }
  }
  if (c.kernel.empty()) c.error = "it has no // launch: line";
  if (!c.has_expectation) c.error = "it expects nothing: write // expect: clean if that is meant";
  return c;
}

Scalar scalar_of(ScalarType type, double value) {
  switch (type) {
    case ScalarType::int8:
      return Scalar::of(static_cast<std::int8_t>(value));
    case ScalarType::uint8:
      return Scalar::of(static_cast<std::uint8_t>(value));
    case ScalarType::int16:
      return Scalar::of(static_cast<std::int16_t>(value));
    case ScalarType::uint16:
      return Scalar::of(static_cast<std::uint16_t>(value));
    case ScalarType::int32:
      return Scalar::of(static_cast<std::int32_t>(value));
    case ScalarType::uint32:
      return Scalar::of(static_cast<std::uint32_t>(value));
    case ScalarType::int64:
      return Scalar::of(static_cast<std::int64_t>(value));
    case ScalarType::uint64:
      return Scalar::of(static_cast<std::uint64_t>(value));
    case ScalarType::float32:
      return Scalar::of(static_cast<float>(value));
    case ScalarType::float64:
      return Scalar::of(value);
  }
  return {};
}

std::string text_of(const std::set<Seen>& seen) {
  std::string text;
  for (const auto& [line, kind, space] : seen) text += fmt::format("  line {}: {} {}\n", line, kind, space);
  return text.empty() ? "  nothing\n" : text;
}

/// What the remarks say that the compiler has removed.
std::set<std::string> removed_in(const LaunchReport& report) {
  std::set<std::string> removed;
  for (const Message& each : report.remarks) {
    const std::string remark = in_english(each);
    if (!remark.starts_with("The compiler has removed ")) continue;
    const std::size_t open = remark.find('`');
    removed.insert(open == std::string::npos ? "everything" : remark.substr(open + 1, remark.find('`', open + 1) - open - 1));
  }
  return removed;
}

class Findings : public testing::TestWithParam<fs::path> {};

/// What is said of mistakes goes to `mistakes`.
void launch(Device& device, const ProgramPtr& program, const Case& c, FindingKind folder, const Observe& observe, Schedule schedule,
            std::uint64_t seed, std::vector<std::string>& mistakes) {
  SCOPED_TRACE(fmt::format("schedule {}, seed {}", schedule == Schedule::fast ? "fast" : "clock", seed));
  const Kernel* kernel = program->find(c.kernel);
  ASSERT_NE(kernel, nullptr) << "no kernel " << c.kernel;
  ASSERT_EQ(kernel->parameters.size(), c.arguments.size());
  LaunchRequest request{.program = program,
                        .kernel = c.kernel,
                        .grid = c.grid,
                        .block = c.block,
                        .dynamic_shared_bytes = c.shared_bytes,
                        .arguments = {},
                        .observe = observe,
                        .schedule = schedule,
                        .seed = seed,
                        .limits = {.max_seconds = 10}};
  std::vector<Buffer> buffers;
  for (std::size_t i = 0; i < c.arguments.size(); ++i) {
    const CaseArgument& argument = c.arguments[i];
    if (argument.shape.empty()) {
      request.arguments.emplace_back(scalar_of(argument.type, std::strtod(argument.content.c_str(), nullptr)));
      continue;
    }
    auto buffer = device.allocate({.name = kernel->parameters[i].name, .type = argument.type, .shape = argument.shape});
    ASSERT_TRUE(buffer) << buffer.error().message;
    buffers.push_back(*buffer);
    request.arguments.emplace_back(*buffer);
    if (argument.content == "unwritten") continue;
    std::vector<std::byte> bytes;
    for (std::size_t e = 0; e < buffer->array.count(); ++e) {
      const double value = argument.content == "iota" ? static_cast<double>(e) : argument.content == "ones" ? 1 : 0;
      const Scalar scalar = scalar_of(argument.type, value);
      for (std::size_t b = 0; b < size_of(argument.type); ++b) bytes.push_back(static_cast<std::byte>(scalar.bits >> (8 * b)));
    }
    ASSERT_TRUE(device.write(*buffer, bytes));
  }
  const LaunchReport report = device.launch(request);
  for (const Buffer& buffer : buffers) device.release(buffer);

  EXPECT_EQ(report.status, c.status) << say(report.message);
  EXPECT_EQ(removed_in(report), c.removed);
  // Mistakes count everywhere; what only costs time counts in the folder that is about it.
  std::set<Seen> seen;
  for (const Finding& finding : report.findings) {
    const bool mistake = finding.kind <= FindingKind::sync;
    if (mistake) mistakes.push_back(fmt::format("{} {}", finding.threads, in_english(finding.message)));
    if (!mistake && finding.kind != folder) continue;
    const Seen one{finding.at.line, std::string{name_of(finding.kind)}, finding.space};
    if (!c.possible.contains(one)) seen.insert(one);
    for (const Case::Said& said : c.said) {
      if (said.of != one) continue;
      EXPECT_EQ(in_english(finding.message).find(said.text) != std::string::npos, said.wanted) << in_english(finding.message);
    }
    EXPECT_FALSE(finding.message.empty());
    EXPECT_GE(finding.threads, 1u);
    if (std::getenv("WARPBOOK_SHOW_FINDINGS")) std::cout << finding.at.line << ": " << in_english(finding.message) << '\n';
  }
  std::string messages;
  for (const Finding& finding : report.findings)
    messages += fmt::format("  {}: {}\n", finding.at.line, in_english(finding.message));
  EXPECT_EQ(seen, c.expected) << "expected\n" << text_of(c.expected) << "found\n" << text_of(seen) << "in words\n" << messages;
}

TEST_P(Findings, AreWhatTheFileExpects) {
  const Case c = read_case(GetParam());
  ASSERT_EQ(c.error, "") << GetParam();
  auto device = make_virtual_device(compiler(), c.profile);
  ASSERT_TRUE(device) << device.error().message;
  const auto program =
      (*device)->compile({.file = GetParam().filename().string(), .text = c.text, .defines = {}, .instantiate = {}});
  if (!program && program.error().reason == CompileFailure::Reason::no_compiler) GTEST_SKIP() << program.error().message;
  ASSERT_TRUE(program) << program.error().message << program.error().log;
  FindingKind folder = FindingKind::memory;
  for (std::size_t k = 0; k < finding_kinds; ++k)
    if (name_of(static_cast<FindingKind>(k)) == GetParam().parent_path().filename().string()) folder = static_cast<FindingKind>(k);
  std::vector<std::string> said, said_alone, of_orders;
  launch(**device, *program, c, folder, Observe::all(), Schedule::fast, 0, said);
  // Without those who must hear of everything, less is told; what is said is the same.
  Observe mistakes;
  mistakes.memory = mistakes.race = mistakes.init = mistakes.sync = true;
  if (folder <= FindingKind::sync) {
    launch(**device, *program, c, folder, mistakes, Schedule::fast, 0, said_alone);
    EXPECT_EQ(said_alone, said);
  }
  for (const std::uint64_t seed : test::some_seeds({1, 2}))
    launch(**device, *program, c, folder, Observe::all(), Schedule::fast, seed, of_orders);
  for (const std::uint64_t seed : test::some_seeds({0, 1, 2}))
    launch(**device, *program, c, folder, Observe::all(), Schedule::clock, seed, of_orders);
}

std::vector<fs::path> cases() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(WARPBOOK_ROOT) / "tests/cases/findings"))
    if (entry.path().extension() == ".cu") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

INSTANTIATE_TEST_SUITE_P(Cases, Findings, testing::ValuesIn(cases()), [](const auto& one) {
  return one.param.parent_path().filename().string() + "_" + one.param.stem().string();
});

TEST(FindingsCases, EveryKindHasGuiltyAndInnocentOnes) {
  for (std::size_t k = 0; k < finding_kinds; ++k) {
    const fs::path folder = fs::path(WARPBOOK_ROOT) / "tests/cases/findings" / name_of(static_cast<FindingKind>(k));
    int guilty = 0, innocent = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
      const bool ok = entry.path().filename().string().starts_with("ok_");
      EXPECT_EQ(read_case(entry.path()).expected.empty(), ok) << entry.path() << ": ok_… names the innocent";
      ++(ok ? innocent : guilty);
    }
    EXPECT_GE(guilty, 2) << folder;
    EXPECT_GE(innocent, 2) << folder;
  }
}

}  // namespace
}  // namespace warpbook::gpu
