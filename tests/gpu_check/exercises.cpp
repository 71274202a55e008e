// Every exercise's solution.cu, in each of its cases, on both devices. Integers must be equal, floats within the exercise's own
// tolerance of the largest value: what passes here as right is right on a GPU, too.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gpu/elements.h"
#include "lessons/arguments/argument_buffers.h"
#include "lessons/arguments/argument_check.h"
#include "lessons/catalog.h"
#include "lessons/exercise.h"
#include "tests/gpu_check/sections.h"

namespace warpbook::gpu_check {
namespace {

struct Left {
  gpu::Array array;
  std::vector<std::byte> bytes;
};

Result<std::vector<Left>> run(gpu::Device& device, const lessons::Exercise& exercise, const lessons::Exercise::Case& one) {
  const bool given = exercise.kind == lessons::ExerciseKind::choose;
  auto program = compile_file(device, exercise.folder / (given ? "kernel.cu" : "solution.cu"), {});
  if (!program) return failure(program.error());
  const gpu::Kernel* const kernel = (*program)->find(exercise.kernel);
  if (kernel == nullptr) return failure("missing_kernel", "solution.cu has no kernel " + exercise.kernel);
  if (auto fits = lessons::check_arguments(*kernel, one.arguments, lessons::Types::exact); !fits) return failure(fits.error());
  gpu::LaunchRequest request{
      .program = *program, .kernel = kernel->name, .grid = one.grid, .block = one.block, .dynamic_shared_bytes = one.shared_bytes};
  std::vector<gpu::Buffer> buffers;
  for (std::size_t i = 0; i < one.arguments.size(); ++i) {
    auto made = lessons::make_buffers(device, one.arguments[i], kernel->parameters[i]);
    if (!made) return failure(made.error());
    request.arguments.push_back(lessons::make_argument(one.arguments[i], kernel->parameters[i], made->buffers));
    buffers.insert(buffers.end(), made->buffers.begin(), made->buffers.end());
  }
  const gpu::LaunchReport report = device.launch(request);
  std::vector<Left> arrays;
  Result<void> good = report.ok() ? Result<void>() : failure(report.status, say(report.message));
  for (const gpu::Buffer& buffer : buffers) {
    Left left{.array = buffer.array, .bytes = std::vector<std::byte>(buffer.array.bytes())};
    if (good) good = device.read(buffer, left.bytes);
    device.release(buffer);
    arrays.push_back(std::move(left));
  }
  if (!good) return failure(good.error());
  return arrays;
}

/// What is wrong; empty: nothing.
std::string compare(const std::vector<Left>& gpu, const std::vector<Left>& reference, double tolerance, std::size_t& compared) {
  for (std::size_t a = 0; a < gpu.size(); ++a) {
    const gpu::Array& array = gpu[a].array;
    const bool real = array.type == gpu::ScalarType::float32 || array.type == gpu::ScalarType::float64;
    double largest = 0;
    for (std::size_t i = 0; i < array.count(); ++i)
      largest = std::max(largest, std::abs(gpu::element_value(array.type, reference[a].bytes, i)));
    for (std::size_t i = 0; i < array.count(); ++i, ++compared) {
      const std::string got = gpu::element_text(array.type, gpu[a].bytes, i);
      const std::string right = gpu::element_text(array.type, reference[a].bytes, i);
      const double off =
          std::abs(gpu::element_value(array.type, gpu[a].bytes, i) - gpu::element_value(array.type, reference[a].bytes, i));
      if (got == right || (real && off <= tolerance * largest)) continue;
      return fmt::format("{}[{}] is {}, on the virtual GPU {}", array.name, i, got, right);
    }
  }
  return {};
}

}  // namespace

void check_exercises(const Bench& bench, Report& report) {
  report.section("Every exercise's solution on both devices");
  const auto& exercises = lessons::all_exercises();
  if (!exercises) return report.check("the exercises", false, exercises.error().message);
  for (const lessons::Exercise& each : *exercises) {
    const bool chooses = each.kind == lessons::ExerciseKind::choose;
    const auto numbers = chooses ? lessons::read_text(solution_file(each)) : Result<std::string>(std::string());
    if (!numbers) return report.check(each.id, false, numbers.error().message);
    const lessons::Exercise exercise = chooses ? lessons::chosen(each, *numbers) : each;
    for (const lessons::Exercise::Case& one : exercise.cases) {
      const std::string name = fmt::format("{}, {}", exercise.id, one.name);
      const auto gpu = run(bench.gpu, exercise, one), reference = run(bench.reference, exercise, one);
      std::size_t compared = 0;
      const std::string wrong = !gpu         ? gpu.error().message
                                : !reference ? "virtual GPU: " + reference.error().message
                                             : compare(*gpu, *reference, exercise.tolerance, compared);
      report.check(name, wrong.empty(), wrong.empty() ? fmt::format("{} values agree", compared) : wrong);
    }
  }
}

}  // namespace warpbook::gpu_check
