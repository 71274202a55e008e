#include "app/views/call_layout.h"

#include <algorithm>
#include <array>
#include <map>

namespace warpbook::app {

using lessons::CallTree;

std::vector<std::vector<LanesInCall>> lanes_in(const CallTree& tree) {
  constexpr std::size_t lanes = 32;
  std::vector<std::array<std::uint64_t, lanes>> last(tree.calls.size());
  std::vector<std::vector<LanesInCall>> all(tree.calls.size());
  for (std::size_t i = tree.calls.size(); i-- > 0;) {  // a call stands behind the one that made it
    const CallTree::Call& call = tree.calls[i];
    for (const CallTree::Stretch& stretch : call.stretches)
      for (std::size_t lane = 0; lane < lanes; ++lane)
        if ((stretch.mask >> lane & 1) != 0) last[i][lane] = std::max(last[i][lane], stretch.first + stretch.instructions);
    std::map<std::uint64_t, std::uint32_t> leave;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (last[i][lane] == 0) continue;
      leave[last[i][lane]] |= 1U << lane;
      if (call.parent != CallTree::none) last[call.parent][lane] = std::max(last[call.parent][lane], last[i][lane]);
    }
    for (const auto& [at, mask] : leave) all[i].push_back({.mask = mask, .last = at});
  }
  return all;
}

std::vector<bool> names_with_room(std::span<const CallName> names, float gap, float right) {
  std::vector<bool> drawn(names.size());
  // From the back: where the next call of another function stands in the row.
  struct Row {
    std::uint32_t function = 0;
    float begins = 0;  // the nearest call behind
    float other = 0;   // the nearest one of another function
  };
  std::map<std::uint32_t, Row> behind;
  std::vector<float> room(names.size());
  for (std::size_t i = names.size(); i-- > 0;) {
    const CallName& name = names[i];
    const auto [at, fresh] = behind.try_emplace(name.depth, Row{name.function, right + gap, right + gap});
    Row& row = at->second;
    if (!fresh && row.function != name.function) row.other = row.begins;
    room[i] = row.other;
    row.function = name.function;
    row.begins = name.x0;
  }
  struct Named {
    float free = 0;  // from here on
    std::uint32_t function = 0, parent = 0;
  };
  std::map<std::uint32_t, Named> named;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const CallName& name = names[i];
    const float end = name.x0 + name.width + gap;
    if (end > room[i]) continue;
    if (const auto before = named.find(name.depth); before != named.end()) {
      const Named& last = before->second;
      const bool said = last.function == name.function && last.parent == name.parent && name.width > name.call;
      if (said || name.x0 < last.free) continue;
    }
    drawn[i] = true;
    named[name.depth] = {.free = end, .function = name.function, .parent = name.parent};
  }
  return drawn;
}

}  // namespace warpbook::app
