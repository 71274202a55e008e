// run_lesson: runs a lesson and reports late failures in streams.
//
//     auto outcome = run_lesson(lesson, host, values, &job);
//
// On a device with streams, a launch may fail after its call has returned (host.h). If the lesson has not reported that, the
// outcome is the report of that launch, without results.
#pragma once

#include "lessons/experiment.h"
#include "lessons/host.h"
#include "lessons/lesson.h"

namespace warpbook::lessons {

[[nodiscard]] inline Result<Outcome> run_lesson(const Lesson& lesson, Host& host, const Values& values, gpu::Job* job) {
  auto outcome = lesson.run(host, values, job);
  if (const auto& failed = host.failed_in_stream()) return without_results(*failed);
  return outcome;
}

}  // namespace warpbook::lessons
