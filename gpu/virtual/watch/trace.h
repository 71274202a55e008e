// Trace: every access to the buffers that were asked for, and to shared memory if asked: what timelines and thread maps draw.
#pragma once

#include <vector>

#include "gpu/virtual/watch/detector.h"

namespace warpbook::gpu::watch {

class Trace : public Detector {
 public:
  Trace(const LaunchContext& context, Findings& findings, std::vector<BufferId> buffers, bool shared, std::size_t limit);
  void on_access(const vm::Access& access) override;
  void move_to(LaunchReport& report);

 private:
  AccessRecord* add(const vm::Access& access);

  std::vector<BufferId> buffers_;
  bool shared_ = false;
  std::size_t limit_ = 0;
  std::vector<AccessRecord> records_;
  bool truncated_ = false;
};

}  // namespace warpbook::gpu::watch
