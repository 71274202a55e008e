#include "gpu/virtual/watch/access_words.h"

namespace warpbook::gpu::watch {
namespace {

/// Of memory that a kernel's malloc gave.
Message accessed_heap(const Place& place, vm::Access::Kind kind, const Element& element) {
  const std::uint64_t bytes = element.heap->bytes;
  const auto given = with_thread(place, "index"_a = element.index, "distance"_a = element.distance, "bytes"_a = bytes,
                                 "allocated"_a = element.heap->line);
  if (element.bytes > 1 && element.distance % static_cast<std::int64_t>(element.bytes) == 0)
    return by_kind(kind,
                   given.to_say_many(bytes,
                                     "Thread {thread} of block {block} reads element {index} of the block of {bytes} byte that "
                                     "malloc gave in line {allocated}{at}.",
                                     "Thread {thread} of block {block} reads element {index} of the block of {bytes} bytes that "
                                     "malloc gave in line {allocated}{at}."),
                   given.to_say_many(bytes,
                                     "Thread {thread} of block {block} writes element {index} of the block of {bytes} byte that "
                                     "malloc gave in line {allocated}{at}.",
                                     "Thread {thread} of block {block} writes element {index} of the block of {bytes} bytes that "
                                     "malloc gave in line {allocated}{at}."),
                   given.to_say_many(bytes,
                                     "Thread {thread} of block {block} updates element {index} of the block of {bytes} byte that "
                                     "malloc gave in line {allocated}{at}.",
                                     "Thread {thread} of block {block} updates element {index} of the block of {bytes} bytes that "
                                     "malloc gave in line {allocated}{at}."));
  return by_kind(kind,
                 given.to_say_many(bytes,
                                   "Thread {thread} of block {block} reads byte {distance} of the block of {bytes} byte that "
                                   "malloc gave in line {allocated}{at}.",
                                   "Thread {thread} of block {block} reads byte {distance} of the block of {bytes} bytes that "
                                   "malloc gave in line {allocated}{at}."),
                 given.to_say_many(bytes,
                                   "Thread {thread} of block {block} writes byte {distance} of the block of {bytes} byte that "
                                   "malloc gave in line {allocated}{at}.",
                                   "Thread {thread} of block {block} writes byte {distance} of the block of {bytes} bytes that "
                                   "malloc gave in line {allocated}{at}."),
                 given.to_say_many(bytes,
                                   "Thread {thread} of block {block} updates byte {distance} of the block of {bytes} byte that "
                                   "malloc gave in line {allocated}{at}.",
                                   "Thread {thread} of block {block} updates byte {distance} of the block of {bytes} bytes that "
                                   "malloc gave in line {allocated}{at}."));
}

}  // namespace

Message by_kind(vm::Access::Kind kind, Message reads, Message writes, Message updates) {
  switch (kind) {
    case vm::Access::Kind::load:
      return reads;
    case vm::Access::Kind::store:
      return writes;
    case vm::Access::Kind::atomic:
      break;
  }
  return updates;
}

Message accessed(const Place& place, vm::Access::Kind kind, const Element& element) {
  if (element.heap) return accessed_heap(place, kind, element);
  if (!element.is_named()) {
    const auto given = with_thread(place, "address"_a = element.address);
    return by_kind(kind, given.to_say("Thread {thread} of block {block} reads address {address:#x}{at}."),
                   given.to_say("Thread {thread} of block {block} writes address {address:#x}{at}."),
                   given.to_say("Thread {thread} of block {block} updates address {address:#x}{at}."));
  }
  const auto given = with_thread(place, "element"_a = element.name());
  return by_kind(kind, given.to_say("Thread {thread} of block {block} reads {element}{at}."),
                 given.to_say("Thread {thread} of block {block} writes {element}{at}."),
                 given.to_say("Thread {thread} of block {block} updates {element}{at}."));
}

}  // namespace warpbook::gpu::watch
