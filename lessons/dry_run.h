// Dry run: the lesson runs on a device that executes nothing, so that the record of its host program exists before the
// first run and follows every control.
//
//     DryRun dry = dry_run(*lesson, values, text, device.info(), program);
//     if (dry.problem.empty()) Result<HostCode> code = host_code(text, dry.defines, dry.calls);
//
// `program` is any compiled version of the kernel, for the names of kernels and parameters; nullptr: the lesson's own kernel. The
// record assumes that all launches succeed. Its times have no meaning.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gpu/device.h"
#include "lessons/host.h"
#include "lessons/lesson.h"

namespace warpbook::lessons {

struct DryRun {
  std::string problem;  // a sentence that says why there is no record
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<HostCall> calls;
};

[[nodiscard]] DryRun dry_run(const Lesson& lesson, const Values& values, const std::string& text, const gpu::DeviceInfo& info,
                             gpu::ProgramPtr program, gpu::Job* job = nullptr);

}  // namespace warpbook::lessons
