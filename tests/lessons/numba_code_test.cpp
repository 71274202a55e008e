// The printed Numba program says what was run, and every lesson's prints, in Numba's CUDA simulator, what the virtual GPU computed.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lessons/catalog.h"
#include "lessons/host_code.h"
#include "tests/lessons/holds.h"

namespace warpbook::lessons {
namespace {

namespace fs = std::filesystem;
using Kind = HostCall::Kind;

HostCall call(Kind kind, const std::string& what, std::vector<std::size_t> shape = {}, std::vector<std::string> arguments = {}) {
  HostCall made;
  made.kind = kind;
  made.what = what;
  made.array = {what, gpu::ScalarType::float32, std::move(shape)};
  made.grid = {2, 3};
  made.block = {32};
  made.arguments = std::move(arguments);
  return made;
}

TEST(NumbaCode, SaysWhatWasLaunchedAndWhere) {
  HostCall launch = call(Kind::launch, "k", {}, {"in", "4", "0.25f", "7u"});
  launch.dynamic_shared_bytes = 64;
  const auto code = numba_code("# the twin\ndef k(", {{"GUARD", "1"}},
                               {call(Kind::allocate, "in", {4, 4}), call(Kind::fill, "in", {4, 4}, {"0.0f"}), launch,
                                call(Kind::copy_to_host, "in", {4, 4})});
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_TRUE(holds(code->text, "GUARD = 1\n"));
  EXPECT_TRUE(holds(code->text, "    in_ = cuda.to_device(np.zeros((4, 4), dtype=np.float32))\n"));
  EXPECT_TRUE(holds(code->text, "    print_values(\"in\", in_.copy_to_host())\n"));
  std::istringstream lines(code->text);
  std::string line;
  for (std::size_t i = 0; i < code->launch_line; ++i) std::getline(lines, line);
  EXPECT_EQ(line, "    k[(2, 3), 32, 0, 64](in_, 4, np.float32(0.25), 7)");
}

TEST(NumbaCode, RepeatedLaunchesAreALoop) {
  std::vector<HostCall> calls{call(Kind::allocate, "a", {4}), call(Kind::allocate, "b", {4})};
  for (int i = 0; i < 3; ++i) {
    calls.push_back(call(Kind::launch, "k", {}, {"a", "b"}));
    calls.push_back(call(Kind::launch, "k", {}, {"b", "a"}));
  }
  const auto code = numba_code("def k(a, b):\n    pass\n", {}, calls);
  ASSERT_TRUE(code);
  EXPECT_TRUE(holds(code->text, "    for _ in range(3):\n        k[(2, 3), 32](a, b)\n        k[(2, 3), 32](b, a)\n"));
}

TEST(NumbaCode, ALessonsKernelHasATwinAndAnOpenedFileHasNone) {
  for (const Lesson* lesson : all_lessons()) {
    const auto twin = numba_text(*lesson);
    ASSERT_TRUE(twin) << lesson->id;
    EXPECT_TRUE(holds(*twin, "def " + lesson->kernel + "(")) << lesson->id;
    const auto opened = numba_code(*twin, {}, {call(Kind::launch, "of_somebody_else", {}, {})});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, "no_twin");
  }
}

TEST(NumbaCode, AStructByValueHasNoTwin) {
  for (const char* argument : {"Matrix{1, 2, `A.elements`}", ""}) {
    const auto code = numba_code("def k(A):\n    pass\n", {}, {call(Kind::launch, "k", {}, {argument})});
    ASSERT_FALSE(code);
    EXPECT_EQ(code.error().code, "no_twin");
    EXPECT_TRUE(holds(code.error().message, "struct")) << code.error().message;
  }
}

bool numba_is_installed() {
  static const bool found =
      std::system("NUMBA_ENABLE_CUDASIM=1 /usr/bin/python3 -c 'from numba import cuda' > /dev/null 2>&1") == 0;
  return found;
}

/// A lesson at a size that a simulator with a Python thread a thread is quick with, and a number of the result that a line of the
/// program's prints. Where a kernel shuffles, which the simulator cannot, there is no case.
struct Case {
  std::string lesson;
  std::map<std::string, double> values;
  std::string line;      // "out: 4096 values, sum "
  std::string number;    // of the outcome
  double tolerance = 0;  // relative: the GPU contracts a product and a sum into one rounding, Python does not
  double (*from_line)(double) = [](double v) { return v; };
};

class NumbaCodeOf : public ::testing::TestWithParam<Case> {};

TEST_P(NumbaCodeOf, PrintsWhatTheVirtualGpuComputed) {
  ASSERT_TRUE(numba_is_installed()) << "Numba is missing: script/bootstrap installs Debian's python3-numba.";
  const Case& c = GetParam();
  const Lesson& lesson = *find_lesson(c.lesson);
  Values values = Values::defaults(lesson.controls);
  for (const auto& [control, value] : c.values) {
    ASSERT_TRUE(values.all().contains(control)) << control;
    values.set(control, value);
  }
  gpu::Compiler compiler;
  auto device = gpu::make_virtual_device(compiler);
  ASSERT_TRUE(device);
  Host host(**device, {.kernel_file = lesson.kernel_file, .kernel_text = *kernel_text(lesson), .defines = {}});
  const auto outcome = lesson.run(host, values, nullptr);
  ASSERT_TRUE(outcome) << outcome.error().message;
  const auto number =
      std::find_if(outcome->numbers.begin(), outcome->numbers.end(), [&](const Number& n) { return n.name == c.number; });
  ASSERT_NE(number, outcome->numbers.end());

  const auto code = numba_code(*numba_text(lesson), host.defines(), host.calls());
  ASSERT_TRUE(code) << code.error().message;
  const fs::path folder = fs::temp_directory_path() / fmt::format("warpbook_numba_{}_{}", getpid(), c.lesson + c.number);
  fs::create_directories(folder);
  std::ofstream(folder / "program.py") << code->text;
  for (const InputFile& file : code->inputs) {
    std::ofstream(folder / file.name, std::ios::binary)
        .write(reinterpret_cast<const char*>(file.bytes->data()), static_cast<std::streamsize>(file.bytes->size()));
  }
  const std::string command =
      fmt::format("NUMBA_ENABLE_CUDASIM=1 /usr/bin/python3 '{0}/program.py' > '{0}/log' 2>&1", folder.string());
  const int status = std::system(command.c_str());
  std::ifstream log(folder / "log");
  const std::string printed(std::istreambuf_iterator<char>(log), {});
  ASSERT_EQ(status, 0) << printed << code->text;
  const std::size_t at = printed.rfind(c.line);
  ASSERT_NE(at, std::string::npos) << printed;
  const double value = c.from_line(std::strtod(printed.c_str() + at + c.line.size(), nullptr));
  EXPECT_NEAR(value, number->value, std::abs(number->value) * c.tolerance) << printed;
  fs::remove_all(folder);
}

std::string name_of_case(const ::testing::TestParamInfo<Case>& tried) {
  return fmt::format("lesson_{}_{}", tried.param.lesson, tried.index);
}

INSTANTIATE_TEST_SUITE_P(
    Lessons, NumbaCodeOf,
    ::testing::Values(
        // a[i] + b[i] = i + 1, and what no thread wrote is 0: the sum of the first w is w (w + 1) / 2.
        Case{"01",
             {{"threads", 64}, {"blocks", 17}},
             "out: 4096 values, sum ",
             "written",
             0,
             [](double sum) { return (std::sqrt(8 * sum + 1) - 1) / 2; }},
        Case{"05", {{"threads", 32}, {"blocks", 8}, {"atomic", 1}, {"trials", 1}}, "c: ", "got"},
        Case{"07", {{"threads", 16}, {"blocks", 8}, {"bins", 8}, {"atomics", 3}}, "bins: ", "bin_0"},
        Case{"12", {{"n", 1024}, {"warps", 32}, {"step", 3}}, "out: ", "gpu_sum"},
        Case{"17", {{"m", 16}, {"k", 18}, {"n", 1}, {"version", 1}, {"less", 1}}, "out: ", "first_sum", 1e-6},
        Case{"18", {{"members", 8}, {"work", 1}, {"halved", 1}}, "x: 256 values, sum ", "sum", 1e-6},
        Case{"20", {{"blocks", 2}, {"version", 2}}, "out: ", "second_sum"}),
    name_of_case);

// A simulator takes a second or more for each; `script/test --all` has the time.
INSTANTIATE_TEST_SUITE_P(
    MoreLessons, NumbaCodeOf,
    ::testing::Values(
        Case{"07", {{"threads", 16}, {"blocks", 8}, {"bins", 32}, {"atomics", 1}}, "bins: 32 values, sum ", "counted"},
        Case{"07", {{"threads", 16}, {"blocks", 8}, {"bins", 8}, {"atomics", 2}}, "bins: ", "bin_0"},
        Case{"06", {{"side", 64}, {"tile", 8}, {"steps", 1}}, "out: 4096 values, sum ", "sum_after", 1e-6},
        // Few steps, after which a value still tells which way it went.
        Case{"11", {{"by", 0}, {"shape", 1}, {"steps", 2}}, "y: 4096 values, sum ", "sum", 1e-6},
        Case{"11", {{"by", 2}, {"shape", 0}, {"steps", 2}}, "y: 4096 values, sum ", "sum", 1e-6},
        Case{"11", {{"by", 1}, {"shape", 2}, {"steps", 32}}, "y: 4096 values, sum ", "sum", 1e-6},
        Case{"12", {{"n", 1024}, {"warps", 32}, {"step", 0}}, "out: ", "gpu_sum"},
        Case{"12", {{"n", 1024}, {"warps", 32}, {"step", 1}}, "out: ", "gpu_sum"},
        Case{"12", {{"n", 1024}, {"warps", 32}, {"step", 2}}, "out: ", "gpu_sum"},
        Case{"16", {{"n", 4096}, {"literals", 0}, {"layout", 0}, {"steps", 2}, {"warps", 1}}, "y: 1280 values, sum ", "sum", 1e-6},
        Case{"16", {{"n", 4096}, {"literals", 1}, {"layout", 1}, {"steps", 2}, {"warps", 1}}, "y: 1280 values, sum ", "sum", 1e-6},
        // All 1: each of n sums is m times k, or m times 16 where the loop is cut short; out[0] is one of them.
        Case{"17", {{"m", 5}, {"k", 18}, {"n", 1}, {"version", 0}}, "out: ", "first_sum", 1e-6},
        Case{"17",
             {{"m", 5}, {"k", 18}, {"n", 1}, {"version", 1}, {"less", 1}, {"whole", 1}, {"float32", 1}, {"along_rows", 1}},
             "out: ",
             "first_sum",
             1e-6},
        Case{"17", {{"m", 5}, {"k", 18}, {"n", 1}, {"version", 2}}, "out: ", "first_sum", 1e-6},
        Case{"17", {{"m", 5}, {"k", 18}, {"n", 1}, {"version", 4}}, "out: ", "first_sum", 1e-6},
        Case{"18", {{"members", 8}, {"work", 0}, {"halved", 0}}, "x: 256 values, sum ", "sum", 1e-6},
        Case{"18", {{"members", 8}, {"work", 0}, {"halved", 1}}, "x: 256 values, sum ", "sum", 1e-6},
        Case{"18", {{"members", 8}, {"work", 1}, {"halved", 0}}, "x: 256 values, sum ", "sum", 1e-6},
        Case{"19", {{"warps", 1}, {"type", 0}, {"steps", 64}}, "y: 1280 values, sum ", "sum", 1e-6},
        Case{"19", {{"warps", 1}, {"type", 1}, {"steps", 64}}, "y: 1280 values, sum ", "sum", 1e-6},
        Case{"20", {{"blocks", 2}, {"version", 0}}, "out: ", "second_sum"},
        Case{"20", {{"blocks", 2}, {"version", 5}}, "out: ", "second_sum"},
        Case{"20", {{"blocks", 2}, {"version", 2}, {"reset", 0}}, "out: ", "second_sum"},
        // The broken kernels, mended; and as they were, where that depends on no order. (The simulator runs one block after the
        // other, so the barrier over the grid would not end there.)
        Case{"21", {{"kernel", 0}, {"mended", 1}}, "out: 1024 values, sum ", "sum"},
        Case{"21", {{"kernel", 1}, {"mended", 1}}, "out: 1024 values, sum ", "sum"},
        Case{"21", {{"kernel", 2}, {"mended", 1}}, "out: 1000 values, sum ", "sum"},
        Case{"21", {{"kernel", 3}, {"mended", 1}}, "out: 1024 values, sum ", "sum"},
        Case{"21", {{"kernel", 5}, {"mended", 1}}, "out: 1536 values, sum ", "sum"},
        Case{"21", {{"kernel", 6}, {"mended", 1}}, "out: 1024 values, sum ", "sum"},
        Case{"21", {{"kernel", 9}, {"mended", 1}}, "out: 1000 values, sum ", "sum"},
        Case{"21", {{"kernel", 10}, {"mended", 1}}, "out: 1024 values, sum ", "sum"},
        Case{"21", {{"kernel", 11}, {"mended", 1}}, "out: 1024 values, sum ", "sum"},
        Case{"21", {{"kernel", 0}, {"mended", 0}}, "out: 1024 values, sum ", "sum"},
        Case{"21", {{"kernel", 5}, {"mended", 0}}, "out: 1536 values, sum ", "sum"},
        Case{"21", {{"kernel", 10}, {"mended", 0}}, "out: 1024 values, sum ", "sum"},
        Case{"21", {{"kernel", 4}, {"mended", 1}}, "out: ", "first"}, Case{"21", {{"kernel", 7}, {"mended", 1}}, "out: ", "first"},
        Case{"21", {{"kernel", 7}, {"mended", 0}}, "out: ", "first"},
        // 0 to 255: three steps leave 0.75^3 of the way from 1, exactly, so that nothing may be off.
        Case{"14",
             {{"n", 256}, {"steps", 3}},
             "h_x: 256 values, sum ",
             "wrong",
             0,
             [](double sum) { return sum - (256 + 0.421875 * (255 * 128 - 256)); }}),
    name_of_case);

}  // namespace
}  // namespace warpbook::lessons
