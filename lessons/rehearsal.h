// Rehearsal: what a run's host program will do, without the run. The lesson runs on a device that executes nothing, so its record
// is there before the first Run and follows every control.
//
//     Rehearsal rehearsal = rehearse(*lesson, values, text, device.info(), program);
//     if (rehearsal.problem.empty()) Result<HostCode> code = host_code(text, rehearsal.defines, rehearsal.calls);
//
// `program` is any compiled version of the kernel, for the kernels' names and parameters; empty: the lesson's own kernel. The
// record is that of a run whose launches end well. Times in it mean nothing.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gpu/device.h"
#include "lessons/host.h"
#include "lessons/lesson.h"

namespace warpbook::lessons {

struct Rehearsal {
  std::string problem;  // why there is no record, as a sentence
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<HostCall> calls;
};

[[nodiscard]] Rehearsal rehearse(const Lesson& lesson, const Values& values, const std::string& text, const gpu::DeviceInfo& info,
                                 gpu::ProgramPtr program, gpu::Job* job = nullptr);

}  // namespace warpbook::lessons
