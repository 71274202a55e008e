// Faults, each in a process of its own with a time limit. Each must be named in CUDA's words and leave the program running:
// afterwards either the next launch is right, and arrays hold what the host last put into them; or the device says that it is lost,
// and refuses every call with the same sentence. CUDA promises no more than the latter, and which of the two it was is part of the
// line.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "app/shell/restart.h"
#include "gpu/streams.h"
#include "lessons/catalog.h"
#include "lessons/host.h"
#include "lessons/lesson.h"
#include "lessons/run.h"
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
  bool in_stream = false;  // where the device has streams
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
    gpu::LaunchReport report =
        fault.in_stream && device_.streams() != nullptr ? launch_in_stream(request, job) : device_.launch(request, &job);
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
    if (!report.ok()) return "the next launch fails: " + report.status + ": " + say(report.message);
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
  /// Between two launches in other streams that are right.
  gpu::LaunchReport launch_in_stream(const gpu::LaunchRequest& request, gpu::Job& job) {
    gpu::LaunchRequest well = request;
    well.kernel = "triple";
    well.grid = {(n + 127) / 128};
    well.block = {128};
    well.arguments = {in_, out_, gpu::Scalar::of(static_cast<std::int32_t>(n))};
    using Kind = gpu::StreamOperation::Kind;
    const std::vector<gpu::StreamOperation> orders{{.kind = Kind::launch, .stream = 1, .launch = well},
                                                   {.kind = Kind::launch, .stream = 2, .launch = request},
                                                   {.kind = Kind::launch, .stream = 3, .launch = well}};
    gpu::StreamReport report = device_.streams()->perform(orders, &job);
    return report.failed ? std::move(*report.failed) : gpu::LaunchReport{};
  }

  gpu::Device& device_;
  gpu::ProgramPtr program_;
  gpu::Buffer in_, out_;
};

std::vector<Fault> all_faults() {
  return {
      {"too many threads", "triple", {"cudaErrorInvalidConfiguration"}, 30, false, {1}, {2048}},
      {"too much shared memory", "triple", {"cudaErrorInvalidValue"}, 30, false, {1}, {32}, 1U << 20},
      {"an illegal address", "illegal_address", {"cudaErrorIllegalAddress"}},
      {"a misaligned address", "misaligned", {"cudaErrorMisalignedAddress"}},
      {"an assertion", "fails_assertion", {"cudaErrorAssert"}},
      // CUDA does not promise which: drivers have answered either.
      {"a trap", "traps", {"cudaErrorLaunchFailure", "cudaErrorIllegalInstruction"}},
      {"out of memory", "", {"cudaErrorMemoryAllocation"}},
      {"a kernel that never ends", "never_ends", {"cudaErrorLaunchTimeout"}, 2},
      {"a kernel that never ends, cancelled", "never_ends", {"cancelled"}, 60, true},
      {"an illegal address in a stream", "illegal_address", {"cudaErrorIllegalAddress"}, 30, false, {1}, {1}, 0, true},
      {"a kernel that never ends in a stream", "never_ends", {"cudaErrorLaunchTimeout"}, 2, false, {1}, {1}, 0, true},
  };
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " or ") + word;
  return text;
}

/// Beside a kernel that does not end CUDA may wait for ever for page-locked memory: lesson 01 uses some. It runs, or says why not.
std::string try_first_lesson(gpu::Device& device, std::string& wrong) {
  const auto begin = std::chrono::steady_clock::now();
  const lessons::Lesson& lesson = *lessons::find_lesson("01");
  const auto text = lessons::kernel_text(lesson);
  if (!text) return wrong = text.error().message;
  lessons::Host host(device, {.kernel_file = lesson.kernel_file, .kernel_text = *text, .defines = {}, .job = nullptr});
  const auto outcome = lessons::run_lesson(lesson, host, lessons::Values::defaults(lesson.controls), nullptr);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (outcome && outcome->report.ok()) return fmt::format("lesson 01 runs, {:.1f} s", seconds);
  const Error why = outcome ? Error{outcome->report.status, say(outcome->report.message)} : outcome.error();
  const bool told =
      device.lost().empty() ? why.code == "cudaErrorMemoryAllocation" : why.message.find(device.lost()) != std::string::npos;
  if (!told) wrong = "lesson 01 afterwards: " + why.code + ": " + why.message;
  return "lesson 01 is refused: " + why.message;
}

/// How it went on: empty where it went wrong, with the reason in `wrong`.
std::string went_on(gpu::Device& device, Ground& ground, std::string& wrong) {
  const std::string next = ground.launch_well();
  if (next.empty()) return "the next launch is right";
  const std::string lost = device.lost();
  if (lost.empty() || next.find(lost) == std::string::npos) {
    wrong = next;
    return {};
  }
  return "the device is lost, and says so: " + lost;
}

std::string try_too_much_memory(gpu::Device& device) {
  const auto too_much = device.allocate({"too_much", gpu::ScalarType::float32, {std::size_t{1} << 42}});
  return too_much ? "16 TiB were allocated" : too_much.error().code;
}

std::string try_fault(gpu::Device& device, Ground& ground, const Fault& fault, std::string& wrong) {
  const auto begin = std::chrono::steady_clock::now();
  std::string status;
  if (fault.kernel.empty()) {
    status = try_too_much_memory(device);
  } else {
    const gpu::LaunchReport ended = ground.provoke(fault);
    status = ended.status;
    if (ended.message.empty() && status != "cancelled") wrong = status + " comes without a sentence";
    // The assertion's own text is what the learner needs.
    if (status == "cudaErrorAssert" && say(ended.message).find("12345") == std::string::npos)
      wrong = "the assertion's text is not in the message: " + say(ended.message);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (std::find(fault.statuses.begin(), fault.statuses.end(), status) == fault.statuses.end())
    wrong = fmt::format("{}, not {}", status, joined(fault.statuses));
  else if (seconds > fault.max_seconds + 5)
    wrong = fmt::format("it took {:.0f} s", seconds);
  if (!wrong.empty()) return {};
  std::string afterwards = went_on(device, ground, wrong);
  if (fault.kernel == "never_ends" && wrong.empty()) afterwards += "; " + try_first_lesson(device, wrong);
  return fmt::format("{}, after {:.2f} s; {}", status, seconds, afterwards);
}

}  // namespace

int run_fault(const Bench& bench, std::size_t number) {
  const Fault fault = all_faults().at(number);
  std::string wrong, detail;
  auto program = compile_file(bench.gpu, lessons::data_directory() / "tests/gpu_check/kernels/faults.cu", {});
  if (!program) {
    wrong = program.error().message;
  } else {
    Ground ground(bench.gpu, *program);
    if (auto ready = ground.prepare(); !ready) wrong = ready.error().message;
    if (wrong.empty()) wrong = ground.launch_well();
    if (wrong.empty()) detail = try_fault(bench.gpu, ground, fault, wrong);
  }
  fmt::print("\n{}\n", wrong.empty() ? detail : wrong);
  return wrong.empty() ? 0 : 1;
}

int run_fault_then_again(const Bench& bench) {
  auto program = compile_file(bench.gpu, lessons::data_directory() / "tests/gpu_check/kernels/faults.cu", {});
  if (!program) return fmt::print("\n{}\n", program.error().message), 1;
  {
    Ground ground(bench.gpu, *program);
    if (auto ready = ground.prepare(); !ready) return fmt::print("\n{}\n", ready.error().message), 1;
    const gpu::LaunchReport ended = ground.provoke({"", "illegal_address", {}});
    if (ended.status != "cudaErrorIllegalAddress") return fmt::print("\n{}, not cudaErrorIllegalAddress\n", ended.status), 1;
    fmt::print("\n{}; {}; begun anew, process {}, ", ended.status,
               bench.gpu.lost().empty() ? "the device goes on" : "the device is lost", getpid());
  }
  std::vector<std::string> words = {"gpu_check", "--device", std::to_string(bench.ordinal), "--again"};
  if (bench.cuda == nullptr) words.emplace_back("--rehearse");
  fmt::print("{}\n", app::restart_program("/proc/self/exe", words).message);
  return 1;
}

int run_again(const Bench& bench) {
  auto program = compile_file(bench.gpu, lessons::data_directory() / "tests/gpu_check/kernels/faults.cu", {});
  std::string wrong = program ? std::string() : program.error().message;
  if (wrong.empty()) {
    Ground ground(bench.gpu, *program);
    if (auto ready = ground.prepare(); !ready) wrong = ready.error().message;
    if (wrong.empty()) wrong = ground.launch_well();
  }
  fmt::print("process {}: {}\n", getpid(), wrong.empty() ? "a launch is right" : wrong);
  return wrong.empty() ? 0 : 1;
}

void check_recovery(const Bench& bench, Report& report) {
  report.section("The GPU again, after a fault that stays");
  const Answer answer = run_command(fmt::format("timeout -k 5 90 {} --fault-then-again", bench.again));
  const std::string said = answer.out.substr(0, answer.out.find_last_not_of('\n') + 1);
  report.check("the program begins anew, and the GPU with it", answer.exit_code == 0,
               answer.exit_code == 0 || answer.exit_code == 1 ? said.substr(said.rfind('\n') + 1)
                                                              : fmt::format("its process did not end well ({})", answer.exit_code));
}

void check_faults(const Bench& bench, Report& report) {
  report.section("Faults, each in a process of its own");
  const std::vector<Fault> faults = all_faults();
  for (std::size_t n = 0; n < faults.size(); ++n) {
    // Some seconds more than the fault itself may take: the process must end, too.
    const int seconds = static_cast<int>(std::min(faults[n].max_seconds, 10.0)) + 40;
    const Answer answer = run_command(fmt::format("timeout -k 5 {} {} --fault {}", seconds, bench.again, n));
    const std::string said = answer.out.substr(0, answer.out.find_last_not_of('\n') + 1);
    const std::string last = said.substr(said.rfind('\n') + 1);
    report.check(faults[n].name, answer.exit_code == 0,
                 answer.exit_code == 0 || answer.exit_code == 1
                     ? last
                     : fmt::format("its process did not end well ({}): {}", answer.exit_code, last));
  }
}

}  // namespace warpbook::gpu_check
