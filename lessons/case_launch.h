// CaseLaunch: a kernel in one case of an exercise, with arrays of its own that are released again.
//
//     auto launched = launch_once(device, {program, kernel}, one, {.observe = watched}, job);
//     if (launched && launched->report.ok()) compare(launched->arrays);
//
// The case's arguments fit the kernel (argument_check.h). Errors: "cancelled", and what allocating and copying answer; a launch
// that fails is a report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/device.h"
#include "gpu/result.h"
#include "lessons/exercise.h"
#include "lessons/wrong_elements.h"

namespace warpbook::lessons {

/// A kernel and the program that has it.
struct Compiled {
  gpu::ProgramPtr program;
  const gpu::Kernel* kernel = nullptr;
};

struct CaseOptions {
  gpu::Observe observe = {};
  gpu::Schedule schedule = gpu::Schedule::fast;
  std::optional<std::uint64_t> seed = {};  // of another order than that of the warps' numbers (gpu/device.h)
  std::optional<std::size_t> traced = {};  // the array, counted over all arguments, whose accesses the report tells one by one
  double max_seconds = case_seconds;        // then the launch is stopped: Exercise::seconds
};

struct Launched {
  gpu::LaunchReport report;
  std::vector<ArrayAfter> arrays;  // empty where the launch did not end well
};

[[nodiscard]] Result<Launched> launch_once(gpu::Device& device, const Compiled& compiled, const Exercise::Case& one,
                                           const CaseOptions& options, gpu::Job* job);

}  // namespace warpbook::lessons
