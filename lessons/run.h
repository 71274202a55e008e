// run_lesson: a lesson's run with the last word of its streams.
//
//     auto outcome = run_lesson(lesson, host, values, &job);
//
// On a device with streams a launch may fail after its call had returned (host.h). Where nothing in the lesson has said so, this
// does: the outcome is then that launch's report, without results.
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
