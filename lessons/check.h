// Check: decides whether a learner's kernel solves an exercise. The kernel is launched and observed once for every case.
//
//     Result<CheckReport> report = check(*device, *exercise, {.file = "mine.cu", .text = text});
//     if (report && report->compile_failure) show(report->compile_failure->diagnostics);
//     for (const CheckReport::Case& each : report->cases) print(each.name, name_of(each.verdict), each.message);
//     print(report->passed(), report->cases.size(), next_step(*report));
//
// If a case's result is wrong, the first few wrong elements are reported with the expected values and the threads that wrote them.
// For this, the case is launched once more with a trace.
//
// If an exercise asks for several orders of the warps, each case is launched in all of them. The first order that fails is
// reported.
//
// A case passes if every array holds what the exercise's solution.cu leaves in it for the same arguments (floats within the
// exercise's tolerance, NaN where NaN is expected, arrays that are const in the solution unchanged), if no finding of a forbidden
// kind was made, and if the cost is within the exercise's limits (limits.h; time and occupancy are those of the profile that the
// limits name, independent of the device). A launch may take Exercise::seconds; after a case that took longer, the others are
// stopped sooner. All cases are run, even after a failure. The device must be able to observe (the virtual GPU), because a case can
// only fail by what was observed. Errors: "usage" (the text has no such kernel, or its parameters do not fit the cases), "bad_task"
// (the exercise itself is wrong), "no_registers" (all is right, but the exercise is about registers, and the compiler does not tell
// them), "cancelled".
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
    std::optional<std::size_t> found = {};   // verdict finding: index of the report's finding that the message describes
    std::optional<std::uint64_t> seed = {};  // of the order that failed; empty: the order of the warps' numbers
  };
  std::vector<Case> cases;  // empty if the text does not compile
  std::optional<gpu::CompileFailure> compile_failure;
  gpu::ProgramPtr program;  // the learner's; nullptr if it does not compile

  [[nodiscard]] std::size_t passed() const;
  [[nodiscard]] bool all_passed() const { return !compile_failure && passed() == cases.size(); }
  [[nodiscard]] const Case* first_failed() const;  // nullptr: all passed
};

/// `seed`: adds a case that is generated from it (fresh_case.h). Empty: only the written cases.
[[nodiscard]] Result<CheckReport> check(gpu::Device& device, const Exercise& exercise, const gpu::Source& learners,
                                        gpu::Job* job = nullptr, std::optional<std::uint64_t> seed = {});

/// Launches the kernel in one case, as check() does, for a closer look. The case after the written ones is generated from `seed`.
/// Error "compile_error": it does not compile. `file` is the text's name in messages.
[[nodiscard]] Result<gpu::LaunchReport> launch_case(gpu::Device& device, const Exercise& exercise, std::size_t which,
                                                    const std::string& text, const std::string& file, gpu::Job* job = nullptr,
                                                    std::optional<std::uint64_t> seed = {});

/// The steps of the hint for a failed case: the author's, or else a sentence for its verdict. Empty if it passed.
[[nodiscard]] std::vector<std::string> hints_for(const CheckReport::Case& failed);

/// What to do next: the case to start with, and the first `hints` steps of its hint. Empty if all pass.
[[nodiscard]] std::string next_step(const CheckReport& report, std::size_t hints = 1);

/// Lesson::run of an exercise. Its outcome has the numbers `passed` and `cases`, the figure Checks, and the report of the first
/// failed case (or else of the last case), so that the editor shows its findings. The generated case depends on the host's seed.
[[nodiscard]] Result<Outcome> run_check(Host& host, const Exercise& exercise, gpu::Job* job);

}  // namespace warpbook::lessons
