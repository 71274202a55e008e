// CopyGroups: when a warp's asynchronous copies (cp.async) reach memory, group by group. Clock schedule only.
//
//     groups.begin(cycle);                          // cp.async
//     groups.commit();                              // cp.async.commit_group
//     warp waits until groups.all_but(1);           // cp.async.wait_group 1
//
// Groups are counted for the warp, though PTX counts them for each thread. Where lanes have diverged, the warp has more groups than
// a lane, so that its newest n groups are among the lane's newest n: a lane may wait longer than necessary, but never too short.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpbook::gpu::vm {

class CopyGroups {
 public:
  void begin(std::uint64_t reaches_memory) { open_ = std::max(open_, reaches_memory); }
  void commit() {
    if (groups_.size() >= kept) groups_.erase(groups_.begin(), groups_.begin() + kept / 2);
    // A group's copies end no earlier than those of an older one: a wait for the younger is a wait for both.
    groups_.push_back(std::max(open_, groups_.empty() ? 0 : groups_.back()));
    open_ = 0;
  }

  /// The cycle at which every group but the `newest` ones has reached memory.
  [[nodiscard]] std::uint64_t all_but(std::uint64_t newest) const {
    return newest < groups_.size() ? groups_[groups_.size() - 1 - newest] : 0;
  }
  /// The cycle at which all copies have reached memory, also those that belong to no group yet.
  [[nodiscard]] std::uint64_t all() const { return std::max(open_, all_but(0)); }

 private:
  // Far more groups than a kernel leaves pending; older ones have reached memory long ago.
  static constexpr std::size_t kept = 4096;
  std::vector<std::uint64_t> groups_;  // committed, the oldest first
  std::uint64_t open_ = 0;             // not committed yet
};

}  // namespace warpbook::gpu::vm
