// banks: how often a warp's access to shared memory has to be repeated because its lanes want different words of one bank.
// Shared memory has 32 banks, each 4 bytes wide; lanes that want the same word share it (CUDA C++ Programming Guide, "Shared
// Memory" of compute capability 5.x and later). 8-byte accesses are served a half-warp at a time, 16-byte ones a quarter.
//
// A finding is a source line whose requests are, on average, at least 2-way conflicts, from `least_requests` requests on (one a
// warp in a smaller launch). Atomics are left out: what slows them is the shared word, not the bank. So are the toolkit's headers:
// nobody can mend them.
#pragma once

#include <vector>

#include "gpu/virtual/watch/detector.h"

namespace warpbook::gpu::watch {

/// The largest number of different 4-byte words of one bank that must be served together. A row of tile[32][32]: 1; a column: 32.
[[nodiscard]] unsigned conflict_degree(const std::uint64_t* offset, std::uint32_t mask, std::uint32_t bytes);

class Banks : public Detector {
 public:
  static constexpr std::uint64_t least_requests = 4;

  using Detector::Detector;
  void on_launch(const vm::LaunchInfo& launch) override;
  void on_access(const vm::Access& access) override;
  void finish() override;
  void add_to(CountsByLine& lines) const override;

 private:
  struct Tally {
    std::uint64_t requests = 0, degrees = 0, first_offset = 0;
    unsigned worst = 0;
    vm::WarpId warp;
    bool store = false;
  };
  std::vector<Tally> tallies_;  // by site number
};

}  // namespace warpbook::gpu::watch
