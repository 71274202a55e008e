// The sentences that several detectors begin with: which thread does what to which element. They are messages without a language
// (gpu/message.h).
//
//     const Element element = context.element(access.space, access.address[lane], access.site);
//     Paragraph text = accessed(at, access.kind, element);        // Thread (0,0,0) of block (3,0,0) writes counter[0] (line 5).
//     text.add(with_thread(at).to_say("Thread {thread} of block {block} waits{at}."));
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "gpu/message.h"
#include "gpu/virtual/watch/launch_context.h"

namespace warpbook::gpu::watch {

/// Nothing where the compiler gave no position.
[[nodiscard]] inline SourceLine at_line(const Place& place) { return {place.line}; }

/// Sentences about a thread, {thread} of {block}, and the line that it is in, {at}; and about what else is given.
template <class... More>
[[nodiscard]] auto with_thread(const Place& place, More... more) {
  return with("thread"_a = to_string(place.thread), "block"_a = to_string(place.block), "at"_a = at_line(place),
              std::move(more)...);
}

/// One of three sentences.
[[nodiscard]] Message by_kind(vm::Access::Kind kind, Message reads, Message writes, Message updates);

/// "Thread (0,0,0) of block (3,0,0) writes counter[0] (line 5)."
[[nodiscard]] Message accessed(const Place& place, vm::Access::Kind kind, const Element& element);

}  // namespace warpbook::gpu::watch
