// NvidiaDevice's launches: load, check, start, wait, and explain errors.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <thread>

#include "gpu/cuda/nvidia_device.h"
#include "gpu/cuda/output_capture.h"
#include "gpu/device_variables.h"
#include "gpu/launch_check.h"

namespace warpbook::gpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t programs_kept = 32;  // while a learner types, every edit is a program
// A cancelled kernel gets this time to end by itself, because making a new context takes about as long.
constexpr std::chrono::milliseconds patience_after_cancel{500};
// At first the host polls without pauses, so that the end of a short kernel is seen at once; later at intervals that cost nothing.
constexpr std::chrono::milliseconds awake{2};
constexpr std::chrono::microseconds interval{50};

Clock::duration seconds(double count) {
  // More than a century counts as for ever, and would overflow the clock.
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::clamp(count, 0.0, 3e9)));
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

/// Whether this kernel synchronises the whole grid. cooperative_groups is always inlined, and reads the grid's barrier from
/// %envreg.
bool waits_for_grid(std::string_view ptx, std::string_view entry) {
  if (ptx.find("%envreg") == std::string_view::npos) return false;
  for (std::size_t at = ptx.find(".entry "); at != std::string_view::npos;) {
    const std::size_t name = at + std::string_view(".entry ").size();
    const std::size_t next = ptx.find(".entry ", name);
    if (ptx.substr(name).starts_with(entry) && ptx.substr(name + entry.size()).find_first_of("( \t\n") == 0)
      return ptx.substr(name, next == std::string_view::npos ? next : next - name).find("%envreg") != std::string_view::npos;
    at = next;
  }
  return false;
}

/// The driver's assembler accepts only ASCII, also in comments and source file names.
std::string in_ascii(std::string ptx) {
  std::replace_if(
      ptx.begin(), ptx.end(), [](char c) { return static_cast<unsigned char>(c) > 127; }, '?');
  return ptx;
}

}  // namespace

Result<NvidiaDevice::Loaded*> NvidiaDevice::load(const ProgramPtr& program) {
  if (const auto found = programs_.find(program->id); found != programs_.end()) return &found->second;
  if (program->architecture > info_.compute_capability)
    return failure("cudaErrorNoKernelImageForDevice",
                   fmt::format("{} was compiled for compute capability {}.{}; {} has {}.{}. Compile it for this device.",
                               program->source.file, program->architecture / 10, program->architecture % 10, info_.name,
                               info_.compute_capability / 10, info_.compute_capability % 10));
  std::array<char, 8192> log{};
  std::array options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
  CUmodule module = nullptr;
  const std::string& code = program->machine_code;
  const std::string ptx = code.empty() ? in_ascii(program->ptx) : std::string();
  const void* const image = code.empty() ? ptx.c_str() : code.data();
  const CUresult result = driver_->moduleLoadDataEx(&module, image, options.size(), options.data(), values.data());
  if (auto done = context_->check(result, fmt::format("{} could not be loaded", program->source.file)); !done) {
    Error error = done.error();
    if (result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
      error.message = fmt::format(
          "NVRTC made PTX that is newer than this driver, which knows CUDA {}. Update NVIDIA's driver, or set "
          "CUDA_PATH to a CUDA Toolkit {}.",
          version_text(driver_->version), version_text(driver_->version));
    else if (log[0] != '\0')
      error.message += fmt::format(" It says: {}", first_line(log.data()));
    return failure(error);
  }
  forget_an_old_program();
  if (auto restored = restore_variables(program, module); !restored) return failure(restored.error());
  return &(programs_[program->id] = {module, program, prints(*program)});
}

void NvidiaDevice::forget_an_old_program() {
  if (programs_.size() < programs_kept) return;
  const auto old =
      std::find_if(programs_.begin(), programs_.end(), [&](const auto& program) { return !in_batch_.contains(program.first); });
  if (old == programs_.end()) return;
  (void)context_->check(driver_->moduleUnload(old->second.module), "An old program could not be unloaded");
  given_variables_.erase(old->first);
  programs_.erase(old);
}

Result<NvidiaDevice::Prepared> NvidiaDevice::prepare(const LaunchRequest& request, LaunchReport& report) {
  if (!request.program) return failure("cudaErrorInvalidDeviceFunction", "There is no program to launch: compile one first.");
  Prepared prepared;
  prepared.kernel = request.program->find(request.kernel);
  if (prepared.kernel == nullptr)
    return failure("cudaErrorInvalidDeviceFunction",
                   fmt::format("{} has no kernel named `{}`.", request.program->source.file, request.kernel));
  const Kernel& kernel = *prepared.kernel;
  report.kernel = kernel.name;
  report.registers = kernel.registers;
  if (auto fits = check_shape(info_, request, info_.name); !fits) return failure(fits.error());

  auto loaded = load(request.program);
  if (!loaded) return failure(loaded.error());
  prepared.prints = (*loaded)->prints;
  if (auto found = context_->check(driver_->moduleGetFunction(&prepared.function, (*loaded)->module, kernel.entry.c_str()),
                                   fmt::format("`{}` was not found in the loaded program", kernel.name));
      !found)
    return failure(found.error());
  int registers = 0, static_bytes = 0, most_threads = 0;
  const auto ask = [&](int& value, CUfunction_attribute attribute) {
    return context_->check(driver_->funcGetAttribute(&value, attribute, prepared.function),
                           fmt::format("`{}` did not tell what it needs", kernel.name));
  };
  auto asked = ask(registers, CU_FUNC_ATTRIBUTE_NUM_REGS);
  if (asked) asked = ask(static_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  if (asked) asked = ask(most_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  if (!asked) return failure(asked.error());
  report.registers = registers;
  report.shared_bytes = static_cast<std::uint32_t>(static_bytes) + request.dynamic_shared_bytes;
  if (request.block.count() > static_cast<std::uint64_t>(most_threads))
    return failure(
        "cudaErrorLaunchOutOfResources",
        fmt::format("{} threads in a block; with {} registers a thread, or by its __launch_bounds__, `{}` runs with {} at "
                    "most. Lower threads per block, or let __launch_bounds__ tell the compiler how many threads a block has.",
                    request.block.count(), registers, kernel.name, most_threads));
  if (auto fits = prepare_shared_memory(request, prepared, static_bytes); !fits) return failure(fits.error());
  prepared.cooperative = request.cooperative || waits_for_grid(request.program->ptx, kernel.entry);
  if (prepared.cooperative)
    if (auto fits = check_cooperative(request, prepared); !fits) return failure(fits.error());

  std::map<BufferId, CUdeviceptr> addresses;
  for (const Buffer& buffer : given_buffers(request.arguments)) {
    auto address = arrays_.address(buffer);
    if (address)
      addresses[buffer.id] = *address;
    else if (address.error().code != "cudaErrorInvalidValue")  // else: a released array, which pack_arguments names
      return failure(address.error());
  }
  const auto slots = parameter_slots(kernel.parameters);
  auto packed = pack_arguments(kernel, request.arguments, slots, [&](const Buffer& buffer) -> std::optional<std::uint64_t> {
    const auto found = addresses.find(buffer.id);
    if (found == addresses.end()) return std::nullopt;
    return found->second;
  });
  if (!packed) return failure(packed.error());
  prepared.parameters = std::move(*packed);
  for (const ParameterSlot& slot : slots) prepared.offsets.push_back(slot.offset);
  if (request.read_early) prepared.early = arrays_.mapped(*request.read_early);
  return prepared;
}

Result<void> NvidiaDevice::prepare_shared_memory(const LaunchRequest& request, const Prepared& prepared, int static_bytes) {
  const std::size_t bytes = static_cast<std::size_t>(static_bytes) + request.dynamic_shared_bytes;
  if (bytes > info_.shared_per_block_optin)
    return failure("cudaErrorInvalidValue", fmt::format("{} bytes of shared memory a block; {} has {}. Use a smaller tile.", bytes,
                                                        info_.name, info_.shared_per_block_optin));
  if (bytes <= info_.shared_per_block) return {};
  // More than 48 KiB needs an opt-in: cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes).
  return context_->check(driver_->funcSetAttribute(prepared.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                   static_cast<int>(request.dynamic_shared_bytes)),
                         fmt::format("`{}` could not be given {} bytes of shared memory", prepared.kernel->name, bytes));
}

Result<void> NvidiaDevice::check_cooperative(const LaunchRequest& request, const Prepared& prepared) {
  int resident = 0;
  auto asked =
      context_->check(driver_->occupancyMaxActiveBlocksPerMultiprocessor(
                          &resident, prepared.function, static_cast<int>(request.block.count()), request.dynamic_shared_bytes),
                      fmt::format("How many blocks of `{}` can run at once could not be asked", prepared.kernel->name));
  if (!asked) return asked;
  const std::uint64_t most = static_cast<std::uint64_t>(resident) * static_cast<std::uint64_t>(info_.multiprocessors);
  if (request.grid.count() <= most) return {};
  return failure(
      "cudaErrorCooperativeLaunchTooLarge",
      fmt::format(
          "`{}` is launched so that its whole grid can wait, which takes all {} blocks at once; {} holds {} of them. Launch fewer "
          "blocks, each with more work.",
          prepared.kernel->name, request.grid.count(), info_.name, most));
}

CUresult NvidiaDevice::start(const LaunchRequest& request, Prepared& prepared, CUstream stream) {
  std::vector<void*> parameters;
  for (const std::size_t offset : prepared.offsets) parameters.push_back(prepared.parameters.data() + offset);
  const Dim3 grid = request.grid, block = request.block;
  if (prepared.cooperative)
    return driver_->launchCooperativeKernel(prepared.function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                            request.dynamic_shared_bytes, stream, parameters.data());
  return driver_->launchKernel(prepared.function, grid.x, grid.y, grid.z, block.x, block.y, block.z, request.dynamic_shared_bytes,
                               stream, parameters.data(), nullptr);
}

NvidiaDevice::Waited NvidiaDevice::wait(CUevent event, double max_seconds, const Job* job) {
  const Clock::time_point began = Clock::now();
  Clock::time_point deadline = began + seconds(max_seconds);
  bool cancelled = false;
  for (;;) {
    const CUresult result = driver_->eventQuery(event);
    if (result == CUDA_SUCCESS) return {cancelled ? Ended::cancelled : Ended::well, false, result};
    if (result != CUDA_ERROR_NOT_READY) return {Ended::failed, false, result};
    const Clock::time_point now = Clock::now();
    if (!cancelled && job != nullptr && job->cancelled) {
      cancelled = true;
      deadline = std::min<Clock::time_point>(deadline, now + patience_after_cancel);
    }
    if (now >= deadline) return {cancelled ? Ended::cancelled : Ended::too_long, true, result};
    if (now - began > awake) std::this_thread::sleep_for(interval);
  }
}

/// CUDA writes a kernel's output and failed assertions when the host synchronises, also after a fault.
void NvidiaDevice::print_what_was_printed(Waited& waited) {
  if (waited.still_running) return;  // synchronising would wait for the kernel
  const CUresult result = driver_->ctxSynchronize();
  if (waited.how != Ended::well || result == CUDA_SUCCESS) return;
  waited.how = Ended::failed;
  waited.result = result;
}

LaunchReport NvidiaDevice::launch(const LaunchRequest& request, Job* job) {
  LaunchReport report;
  report.device = info_.name;
  report.kernel = request.kernel;
  report.grid = request.grid;
  report.block = request.block;
  if (job != nullptr) {
    job->blocks_done = 0;
    job->blocks_total = request.grid.count();
  }
  auto prepared = use([&] { return prepare(request, report); });
  if (!prepared) {
    report.status = prepared.error().code;
    report.message = as_it_is(prepared.error().message);
    return report;
  }
  run(request, *prepared, job, report);
  if (context_ && context_->broken()) {
    rebuild();
    report.message.add(aftermath_);
  }
  if (job != nullptr && report.ok()) job->blocks_done = request.grid.count();
  return report;
}

void NvidiaDevice::run(const LaunchRequest& request, Prepared& prepared, Job* job, LaunchReport& report) {
  std::optional<OutputCapture> capture;
  if (prepared.prints) capture.emplace();

  LaunchTimes times;
  const CUresult marked = driver_->eventRecord(context_->begin(), context_->stream());
  const Clock::time_point called = Clock::now();
  CUresult result = marked == CUDA_SUCCESS ? start(request, prepared, context_->stream()) : marked;
  times.returned = us(Clock::now() - called);
  if (result != CUDA_SUCCESS) {
    (void)context_->check(result, "The kernel could not be launched");
    explain_refusal(result, request, report);
    return;
  }
  result = driver_->eventRecord(context_->end(), context_->stream());
  if (!prepared.early.empty()) {
    times.read_begin = us(Clock::now() - called);
    report.read_early.assign(prepared.early.begin(), prepared.early.end());
    times.read_end = us(Clock::now() - called);
  }
  if (result != CUDA_SUCCESS) {
    context_->abandon();  // the kernel is running and its end cannot be observed
    explain_refusal(result, request, report);
    return;
  }

  Waited waited = wait(context_->end(), request.limits.max_seconds, job);
  const Clock::time_point seen = Clock::now();
  if (capture) print_what_was_printed(waited);
  float milliseconds = 0;
  if (waited.how == Ended::well) {
    waited.result = driver_->eventElapsedTime(&milliseconds, context_->begin(), context_->end());
    if (waited.result != CUDA_SUCCESS) waited.how = Ended::failed;
  }
  OutputCapture::Text printed;
  if (capture) printed = capture->end();
  report.output = printed.out.substr(0, request.limits.max_output);

  switch (waited.how) {
    case Ended::well:
      times.end = us(seen - called);
      times.begin = std::max(0.0, times.end - double{milliseconds} * 1e3);
      report.run_ms = milliseconds;
      report.times = times;
      report.unfilled = unfilled_variables(*request.program, *prepared.kernel, given_to(*request.program));
      return;
    case Ended::failed:
      context_->give_up(waited.result);
      explain_fault(waited.result, printed.err, report);
      return;
    case Ended::too_long:
      report.status = "cudaErrorLaunchTimeout";
      report.message = to_say(
          "The kernel had not ended after {seconds:g} s. A GPU cannot stop a kernel: it was left behind, and takes its share of "
          "the GPU until it ends or Warpbook does. Does every loop end? The virtual GPU says where it was.",
          "seconds"_a = request.limits.max_seconds);
      break;
    case Ended::cancelled:
      report.status = "cancelled";
      report.message = to_say("Cancelled.");
      break;
  }
  report.run_ms = us(seen - called) / 1e3;
  if (waited.still_running) context_->abandon();
}

void NvidiaDevice::explain_refusal(CUresult result, const LaunchRequest& request, LaunchReport& report) {
  const Error error = driver_error(*driver_, result, fmt::format("`{}` could not be launched", report.kernel));
  report.status = error.code;
  if (result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
    report.message = to_say(
        "A block of {threads} threads with {registers} registers each and {bytes} bytes of shared memory does not fit into a "
        "multiprocessor of {gpu}. Lower threads per block, or let __launch_bounds__ tell the compiler how many threads a block "
        "has: it then uses fewer registers.",
        "threads"_a = request.block.count(), "registers"_a = report.registers.value_or(0), "bytes"_a = report.shared_bytes,
        "gpu"_a = info_.name);
  else
    report.message = as_it_is(error.message);
}

void NvidiaDevice::explain_fault(CUresult result, const std::string& printed, LaunchReport& report) const {
  const Error error = driver_error(*driver_, result, fmt::format("`{}` failed", report.kernel));
  report.status = error.code;
  const auto given = with("kernel"_a = report.kernel);
  const auto by_whom_is_unknown = [&](Message message) {
    report.message = std::move(message);
    report.message.add(to_say("Hardware does not say which thread or which line: the virtual GPU does."));
  };
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      by_whom_is_unknown(given.to_say("A thread of `{kernel}` touched memory that belongs to no array."));
      break;
    case CUDA_ERROR_MISALIGNED_ADDRESS:
      by_whom_is_unknown(given.to_say("A thread of `{kernel}` used an address that is no multiple of its type's size."));
      break;
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
      by_whom_is_unknown(given.to_say("A thread of `{kernel}` used a pointer into another memory than its instruction is for."));
      break;
    case CUDA_ERROR_ASSERT:
      report.message = printed.empty() ? given.to_say("An assert of `{kernel}` failed.")
                                       : to_say("An assert failed: {what}", "what"_a = first_line(printed));
      break;
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_LAUNCH_FAILED:
      by_whom_is_unknown(
          given.to_say("`{kernel}` was stopped by the hardware: a trap, or an exception that has no name of its own."));
      break;
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
      by_whom_is_unknown(given.to_say("The call stack of a thread of `{kernel}` overflowed or was damaged: does a recursion end?"));
      break;
    case CUDA_ERROR_LAUNCH_TIMEOUT:
      report.message = given.to_say(
          "The system stopped `{kernel}` because it ran too long on a GPU that also draws the screen. Does every loop end?");
      break;
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
      report.message = to_say("The GPU's hardware met an error that it could not correct; the kernel is not to blame.");
      break;
    default:
      report.message = as_it_is(error.message);
  }
}

Result<double> NvidiaDevice::measure_us(std::span<const LaunchRequest> launches, unsigned rounds) {
  return use([&]() -> Result<double> {
    if (launches.empty() || rounds == 0) return failure("cudaErrorInvalidValue", "There is nothing to measure.");
    std::vector<Prepared> prepared;
    double max_seconds = 0;
    for (const LaunchRequest& request : launches) {
      LaunchReport unused;
      auto one = prepare(request, unused);
      if (!one) return failure(one.error());
      prepared.push_back(std::move(*one));
      max_seconds = std::max(max_seconds, request.limits.max_seconds);
    }
    CUresult result = driver_->eventRecord(context_->begin(), context_->stream());
    for (unsigned round = 0; round < rounds && result == CUDA_SUCCESS; ++round)
      for (std::size_t l = 0; l < launches.size() && result == CUDA_SUCCESS; ++l)
        result = start(launches[l], prepared[l], context_->stream());
    if (result == CUDA_SUCCESS) result = driver_->eventRecord(context_->end(), context_->stream());
    if (result != CUDA_SUCCESS) {
      context_->abandon();  // some launches may be running, and their end cannot be observed
      return failure(driver_error(*driver_, result, "A launch to be measured was refused"));
    }
    const Waited waited = wait(context_->end(), max_seconds, nullptr);
    if (waited.still_running) {
      context_->abandon();
      return failure("cudaErrorLaunchTimeout", fmt::format("The launches to be measured had not ended after {:g} s.", max_seconds));
    }
    float milliseconds = 0;
    result =
        waited.how == Ended::well ? driver_->eventElapsedTime(&milliseconds, context_->begin(), context_->end()) : waited.result;
    if (result != CUDA_SUCCESS) {
      context_->give_up(result);
      return failure(driver_error(*driver_, result, "The launches to be measured failed"));
    }
    return double{milliseconds} * 1e3 / rounds;
  });
}

}  // namespace warpbook::gpu
