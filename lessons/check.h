// Check: does a learner's kernel do what an exercise asks? It is launched once for every case, and watched.
//
//     Result<CheckReport> report = check(*device, *exercise, {.file = "mine.cu", .text = text});
//     if (report && report->compile_failure) show(report->compile_failure->diagnostics);
//     for (const CheckReport::Case& each : report->cases) print(each.name, name_of(each.verdict), each.message);
//     print(report->passed(), report->cases.size(), next_step(*report));
//
// Of a case whose result is wrong, the first few wrong elements are told beside what is right, with the thread that wrote each: the
// case is launched once more, and traced.
//
// Where an exercise asks for several orders of the warps, a case is launched in each; the first in which it does not pass is told.
//
// A case passes when every array holds what the exercise's solution.cu leaves in it for the same arguments (floats within the
// exercise's tolerance, NaN where NaN is right, an array that is const for the solution unchanged), when nothing was found of the
// kinds that the exercise forbids, and when it costs no more than the exercise allows (limits.h; time and occupancy are those of
// the profile that the limits name, whatever the device is). A launch may take Exercise::seconds. Every case is tried, whatever became
// of the ones before. The device has to observe (the virtual GPU): what it cannot see cannot fail a case. Errors: "usage" (no such
// kernel in the text, or parameters that the cases do not fit), "bad_task" (the exercise's own fault), "cancelled".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "gpu/result.h"
#include "lessons/case_launch.h"
#include "lessons/exercise.h"
#include "lessons/figures.h"
#include "lessons/host.h"

namespace warpbook::lessons {

struct CheckReport {
  struct Case : Checks::Row {
    gpu::LaunchReport report;
    std::optional<std::size_t> found = {};   // verdict finding: which of the report's findings the message is of
    std::optional<std::uint64_t> seed = {};  // of the order in which it did not pass; empty: that of the warps' numbers
  };
  std::vector<Case> cases;  // empty where the text does not compile
  std::optional<gpu::CompileFailure> compile_failure;
  gpu::ProgramPtr program;  // the learner's; empty where it does not compile

  [[nodiscard]] std::size_t passed() const;
  [[nodiscard]] bool all_passed() const { return !compile_failure && passed() == cases.size(); }
  [[nodiscard]] const Case* first_failed() const;  // nullptr: there is none
};

/// `seed`: a case more, made from it (fresh_case.h); empty: only the written cases.
[[nodiscard]] Result<CheckReport> check(gpu::Device& device, const Exercise& exercise, const gpu::Source& learners,
                                        gpu::Job* job = nullptr, std::optional<std::uint64_t> seed = {});

/// The kernel in one case more, as check() launches it: for whoever wants to look closer. The case after the written ones is made
/// from `seed`. "compile_error" where it does not compile. `file` is what messages call the text.
[[nodiscard]] Result<gpu::LaunchReport> launch_case(gpu::Device& device, const Exercise& exercise, std::size_t which,
                                                    const std::string& text, const std::string& file, gpu::Job* job = nullptr,
                                                    std::optional<std::uint64_t> seed = {});

/// The steps of a failed case's hint: the author's, or where there is none a sentence for its verdict. Empty when it passed.
[[nodiscard]] std::vector<std::string> hints_for(const CheckReport::Case& failed);

/// What to do now: which case to begin with, and the first `hints` steps of its hint. Empty when all pass.
[[nodiscard]] std::string next_step(const CheckReport& report, std::size_t hints = 1);

/// Lesson::run of an exercise: numbers `passed` and `cases`, the figure Checks, and the report of the first case that did not pass
/// (else of the last), so that its findings stand in the editor. A case is made anew at each run, from the host's seed.
[[nodiscard]] Result<Outcome> run_check(Host& host, const Exercise& exercise, gpu::Job* job);

}  // namespace warpbook::lessons
