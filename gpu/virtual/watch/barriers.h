// sync: barriers that not all threads reach, and warp-wide calls whose mask is not true.
#pragma once

#include "gpu/virtual/watch/detector.h"

namespace warpbook::gpu::watch {

class Barriers : public Detector {
 public:
  using Detector::Detector;
  void on_misuse(const vm::Misuse& misuse) override;
};

}  // namespace warpbook::gpu::watch
