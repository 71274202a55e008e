// CaseLaunch: launches a kernel in one case of an exercise. Its arrays are allocated for the launch and released afterwards.
//
//     auto launched = launch_once(device, {program, kernel}, one, {.observe = watched}, job);
//     if (launched && launched->report.ok()) compare(launched->arrays);
//
// The case's arguments must fit the kernel (argument_check.h). Errors: "cancelled", and errors of allocating and copying. A failed
// launch is a report.
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

/// A kernel and its program.
struct Compiled {
  gpu::ProgramPtr program;
  const gpu::Kernel* kernel = nullptr;
};

struct CaseOptions {
  gpu::Observe observe = {};
  gpu::Schedule schedule = gpu::Schedule::fast;
  std::optional<std::uint64_t> seed = {};  // selects another order of the warps (gpu/device.h); empty: the order of their numbers
  std::optional<std::size_t> traced = {};  // the array whose accesses are traced, counted over all arguments
  double max_seconds = case_seconds;       // time limit of the launch: Exercise::seconds
};

struct Launched {
  gpu::LaunchReport report;
  std::vector<ArrayAfter> arrays;  // empty if the launch failed
};

[[nodiscard]] Result<Launched> launch_once(gpu::Device& device, const Compiled& compiled, const Exercise::Case& one,
                                           const CaseOptions& options, gpu::Job* job);

}  // namespace warpbook::lessons
