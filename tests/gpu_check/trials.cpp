// Three sections of a rehearsal that have no GPU in them: what crashes, hangs and ends well must be told apart.
#include <chrono>
#include <cstdlib>
#include <thread>

#include "tests/gpu_check/sections.h"

namespace warpbook::gpu_check {

void crash(Report& report) {
  report.section("A section that crashes");
  report.check("a check before the crash", true, "it is saved");
  std::abort();
}

void hang(Report& report) {
  report.section("A section that hangs");
  report.check("a check before it hangs", true, "it is saved");
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

void end_well(Report& report) {
  report.section("A section after both");
  report.check("a check that is right", true, "it runs though the others did not end well");
}

}  // namespace warpbook::gpu_check
