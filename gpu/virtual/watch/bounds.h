// memory: accesses that the vm refused: past the end or before the start, misaligned, of the wrong space, stores to constants.
#pragma once

#include <unordered_map>

#include "gpu/virtual/watch/detector.h"

namespace warpbook::gpu::watch {

class Bounds : public Detector {
 public:
  using Detector::Detector;
  void on_access(const vm::Access& access) override {
    if (access.bad) refuse(access);
  }
  void finish() override;

 private:
  void refuse(const vm::Access& access);
  Finding describe(const vm::Access& access, unsigned lane) const;

  /// The elements that a finding's accesses missed; it shows the one nearest to the buffer, whichever thread came first.
  struct Missed {
    std::uint64_t nearest = ~std::uint64_t{0};  // bytes
    std::int64_t lowest = 0, highest = 0;
  };
  std::unordered_map<const Finding*, Missed> missed_;
};

}  // namespace warpbook::gpu::watch
