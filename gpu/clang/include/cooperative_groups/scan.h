// inclusive_scan and exclusive_scan over the threads of a tile within a warp or of coalesced threads.
#pragma once
#pragma clang system_header

#include <warpbook/letters_away.h>
#include <cooperative_groups/reduce.h>

namespace cooperative_groups {

template <class Group, class T, class Operation>
WARPBOOK_DEVICE typename warpbook::plain<T>::type inclusive_scan(const Group& group, T&& value, Operation&& operation) {
  typename warpbook::plain<T>::type result = value;
  for (unsigned int step = 1; step < group.size(); step *= 2) {
    const auto other = group.shfl_up(result, step);
    if (group.thread_rank() >= step) result = operation(other, result);
  }
  return result;
}
template <class Group, class T>
WARPBOOK_DEVICE typename warpbook::plain<T>::type inclusive_scan(const Group& group, T&& value) {
  return inclusive_scan(group, value, plus<typename warpbook::plain<T>::type>());
}
/// The first thread gets T's zero.
template <class Group, class T, class Operation>
WARPBOOK_DEVICE typename warpbook::plain<T>::type exclusive_scan(const Group& group, T&& value, Operation&& operation) {
  const auto before = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? typename warpbook::plain<T>::type{} : before;
}
template <class Group, class T>
WARPBOOK_DEVICE typename warpbook::plain<T>::type exclusive_scan(const Group& group, T&& value) {
  return exclusive_scan(group, value, plus<typename warpbook::plain<T>::type>());
}

}  // namespace cooperative_groups

#include <warpbook/letters_back.h>
