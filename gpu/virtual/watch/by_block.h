// ByBlock: one T a block that runs. What ended blocks had serves the next ones, so that a launch of many blocks allocates little.
//
//     ByBlock<SharedShadow> shadows;
//     SharedShadow& shadow = shadows.of(block, [](SharedShadow& used) { used.forget(); }, bytes);   // SharedShadow(bytes) if new
//     shadows.end(block);
//
// References stay good until the block ends.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpbook::gpu::watch {

template <class T>
class ByBlock {
 public:
  [[nodiscard]] T* find(std::uint32_t block) {
    const auto found = running_.find(block);
    return found == running_.end() ? nullptr : &found->second;
  }
  /// The block's; made, or used before and renewed, where it has none.
  template <class Renew, class... Arguments>
  T& of(std::uint32_t block, Renew renew, Arguments&&... arguments) {
    if (T* found = find(block)) return *found;
    return begin(block, renew, std::forward<Arguments>(arguments)...);
  }
  /// The same, of a block that has none.
  template <class Renew, class... Arguments>
  T& begin(std::uint32_t block, Renew renew, Arguments&&... arguments) {
    if (ended_.empty()) return running_.try_emplace(block, std::forward<Arguments>(arguments)...).first->second;
    auto node = std::move(ended_.back());
    ended_.pop_back();
    node.key() = block;
    renew(node.mapped());
    return running_.insert(std::move(node)).position->second;
  }
  void end(std::uint32_t block) {
    if (running_.empty()) return;
    if (auto node = running_.extract(block)) ended_.push_back(std::move(node));
  }
  void forget_ended() { ended_.clear(); }
  template <class Act>
  void for_running(Act act) {
    for (auto& [block, of_block] : running_) act(of_block);
  }
  void clear() {
    running_.clear();
    ended_.clear();
  }

 private:
  std::unordered_map<std::uint32_t, T> running_;
  std::vector<typename std::unordered_map<std::uint32_t, T>::node_type> ended_;
};

}  // namespace warpbook::gpu::watch
