// coalescing: how many 32-byte sectors of global memory each warp-wide load or store touches, against the fewest that could hold
// what its lanes ask for. (CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory": a warp's accesses are served in
// 32-byte transactions.)
//
// A finding is a source line whose requests to one buffer touch, on average, more than twice the fewest, judged from lines that
// made at least `least_requests` requests with all 32 lanes active (one a warp in a smaller launch). Atomics are left out: they are
// served elsewhere.
#pragma once

#include <vector>

#include "gpu/virtual/watch/detector.h"

namespace warpbook::gpu::watch {

/// 32 consecutive floats: 4. 32 floats that are 32 floats apart: 32.
[[nodiscard]] unsigned sectors_touched(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes);

/// The same of an access; quicker where the vm knows how its lanes lie (Access::Rows).
[[nodiscard]] unsigned sectors_touched(const vm::Access& access);

class Coalescing : public Detector {
 public:
  static constexpr std::uint64_t least_requests = 4;
  static constexpr double worth_saying = 2.0;

  using Detector::Detector;
  void on_launch(const vm::LaunchInfo& launch) override;
  void on_access(const vm::Access& access) override;
  void finish() override;
  void add_to(CountsByLine& lines) const override;

 private:
  struct Tally {
    std::uint64_t requests = 0, full_requests = 0, sectors = 0, fewest = 0;
    std::uint64_t first_address = 0, stride = 0;  // bytes between the first two lanes of the first full request
    vm::WarpId warp;
    bool store = false;
  };
  std::vector<Tally> tallies_;  // by site number
};

}  // namespace warpbook::gpu::watch
