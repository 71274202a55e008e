// Faults. Each must be named in CUDA's words and leave the program running: the next launch in this process must be right, and
// arrays must hold what the host last put into them.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "lessons/catalog.h"
#include "tests/gpu_check/sections.h"

namespace warpbook::gpu_check {
namespace {

constexpr std::size_t n = 10'000;

struct Fault {
  std::string name, kernel;
  std::vector<std::string> statuses;  // any of these
  double max_seconds = 30;
  bool cancel = false;
  gpu::Dim3 grid{1}, block{1};
  std::uint32_t shared_bytes = 0;
};

class Ground {
 public:
  Ground(gpu::Device& device, gpu::ProgramPtr program) : device_(device), program_(std::move(program)) {}
  ~Ground() {
    device_.release(in_);
    device_.release(out_);
  }
  Ground(const Ground&) = delete;
  Ground& operator=(const Ground&) = delete;

  [[nodiscard]] Result<void> prepare() {
    auto in = device_.allocate({"in", gpu::ScalarType::int32, {n}});
    if (!in) return failure(in.error());
    in_ = *in;
    auto out = device_.allocate({"out", gpu::ScalarType::int32, {n}});
    if (!out) return failure(out.error());
    out_ = *out;
    std::vector<std::int32_t> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::int32_t>(i * 13 % 1000);
    if (auto done = device_.write(in_, std::as_bytes(std::span<const std::int32_t>(values))); !done) return done;
    return device_.fill(out_, gpu::Scalar::of(-1));
  }

  [[nodiscard]] gpu::LaunchReport provoke(const Fault& fault) {
    gpu::LaunchRequest request{.program = program_, .kernel = fault.kernel, .grid = fault.grid, .block = fault.block};
    request.dynamic_shared_bytes = fault.shared_bytes;
    request.limits.max_seconds = fault.max_seconds;
    const bool stores = fault.kernel == "illegal_address" || fault.kernel == "misaligned";
    request.arguments = {stores ? out_ : in_};
    if (fault.kernel == "triple") request.arguments = {in_, out_, gpu::Scalar::of(static_cast<std::int32_t>(n))};
    gpu::Job job;
    std::thread canceller;
    if (fault.cancel) {
      canceller = std::thread([&job] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        job.cancelled = true;
      });
    }
    gpu::LaunchReport report = device_.launch(request, &job);
    if (canceller.joinable()) canceller.join();
    return report;
  }

  /// What is wrong with a launch that should go well; empty: nothing.
  [[nodiscard]] std::string launch_well() {
    const gpu::LaunchReport report = device_.launch({.program = program_,
                                                     .kernel = "triple",
                                                     .grid = {(n + 127) / 128},
                                                     .block = {128},
                                                     .arguments = {in_, out_, gpu::Scalar::of(static_cast<std::int32_t>(n))}});
    if (!report.ok()) return "the next launch fails: " + report.status + ": " + report.message;
    std::vector<std::int32_t> values(n);
    if (auto done = device_.read(out_, std::as_writable_bytes(std::span<std::int32_t>(values))); !done)
      return "the next read fails: " + done.error().message;
    for (std::size_t i = 0; i < n; ++i) {
      if (values[i] != static_cast<std::int32_t>(3 * (i * 13 % 1000)))
        return fmt::format("afterwards out[{}] is {}: `in` does not hold what the host wrote", i, values[i]);
    }
    return {};
  }

 private:
  gpu::Device& device_;
  gpu::ProgramPtr program_;
  gpu::Buffer in_, out_;
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " or ") + word;
  return text;
}

}  // namespace

void check_faults(const Bench& bench, Report& report) {
  report.section("Faults, and a correct launch after each");
  auto program = compile_file(bench.gpu, lessons::data_directory() / "tests/gpu_check/kernels/faults.cu", {});
  if (!program) return report.check("faults.cu compiles", false, program.error().message);
  Ground ground(bench.gpu, *program);
  if (auto ready = ground.prepare(); !ready) return report.check("arrays", false, ready.error().message);
  report.check("before any fault", ground.launch_well().empty(), ground.launch_well());

  const std::vector<Fault> faults = {
      {"too many threads", "triple", {"cudaErrorInvalidConfiguration"}, 30, false, {1}, {2048}},
      {"too much shared memory", "triple", {"cudaErrorInvalidValue"}, 30, false, {1}, {32}, 1U << 20},
      {"an illegal address", "illegal_address", {"cudaErrorIllegalAddress"}},
      {"a misaligned address", "misaligned", {"cudaErrorMisalignedAddress"}},
      {"an assertion", "fails_assertion", {"cudaErrorAssert"}},
      // CUDA does not promise which: drivers have answered either.
      {"a trap", "traps", {"cudaErrorLaunchFailure", "cudaErrorIllegalInstruction"}},
      {"an illegal address, once more", "illegal_address", {"cudaErrorIllegalAddress"}},
  };
  const std::vector<Fault> endless = {
      {"a kernel that never ends", "never_ends", {"cudaErrorLaunchTimeout"}, 2},
      {"a kernel that never ends, cancelled", "never_ends", {"cancelled"}, 60, true},
  };
  const auto check = [&](const Fault& fault) {
    const auto begin = std::chrono::steady_clock::now();
    const gpu::LaunchReport ended = ground.provoke(fault);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const bool named = std::find(fault.statuses.begin(), fault.statuses.end(), ended.status) != fault.statuses.end();
    std::string wrong;
    if (!named) {
      wrong = fmt::format("{}, not {}: {}", ended.status, joined(fault.statuses), ended.message);
    } else if (ended.message.empty() && ended.status != "cancelled") {
      wrong = ended.status + " comes without a sentence";
    } else if (seconds > fault.max_seconds + 5) {
      wrong = fmt::format("it took {:.0f} s", seconds);
    } else {
      wrong = ground.launch_well();
    }
    report.check(fault.name, wrong.empty(), wrong.empty() ? fmt::format("{}, after {:.2f} s", ended.status, seconds) : wrong);
  };
  for (const Fault& fault : faults) check(fault);

  const auto too_much = bench.gpu.allocate({"too_much", gpu::ScalarType::float32, {std::size_t{1} << 42}});
  const std::string after = ground.launch_well();
  report.check("out of memory", !too_much && too_much.error().code == "cudaErrorMemoryAllocation" && after.empty(),
               too_much        ? "16 TiB were allocated"
               : after.empty() ? too_much.error().code + ": " + too_much.error().message
                               : after);

  for (const Fault& fault : endless) check(fault);
  report.check("the device is there still", bench.gpu.lost().empty(), bench.gpu.lost());
}

}  // namespace warpbook::gpu_check
