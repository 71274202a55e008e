// memcpy_async(group, to, from, bytes) and wait(group): a group's copy to shared memory beside the program.
#pragma once
#pragma clang system_header

#include <cooperative_groups.h>
#include <warpbook/copies.h>

namespace cooperative_groups {

/// Begun by all threads of the group; each call is a group of copies that wait_prior counts.
template <class Group>
WARPBOOK_DEVICE void memcpy_async(const Group& group, void* to, const void* from, size_t bytes) {
  warpbook_copies::copy_shared_out(group.thread_rank(), group.num_threads(), to, from, bytes);
  warpbook_copies::commit();
}
/// In elements: as many as both sides have.
template <class Group, class To, class From>
WARPBOOK_DEVICE void memcpy_async(const Group& group, To* to, size_t room, const From* from, size_t count) {
  memcpy_async(group, (void*)to, (const void*)from, (room < count ? room : count) * sizeof(From));
}
template <class Group>
WARPBOOK_DEVICE void wait(const Group& group) {
  warpbook_copies::wait_all();
  group.sync();
}
template <unsigned int Stages, class Group>
WARPBOOK_DEVICE void wait_prior(const Group& group) {
  warpbook_copies::wait_but<Stages>();
  group.sync();
}

}  // namespace cooperative_groups
