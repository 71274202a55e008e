// Aside: lets a detector work on a thread of its own while the launch goes on. Events are copied and told in their order, so it
// finds what it would have found at once.
//
//     Aside aside(races, findings);
//     aside.on_access(access, moment);    // moment: the event's number, for the findings' order
//     aside.finish();                     // all has been told
//
// The detector, its scene and its findings are that thread's own until finish(); they belong to the caller. It hears of accesses,
// perhaps without the lanes that were refused, the values of loads and atomics, and cycles. Few events start no thread: they are
// told as they come. What the detector throws on its thread, finish() throws.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>

#include "gpu/virtual/watch/detector.h"

namespace warpbook::gpu::watch {

struct AsideEvent;
struct alignas(64) AsideLine {  // of the cache
  std::byte bytes[64];
};

class Aside {
 public:
  /// batch_bytes: events are handed over by about so much. few_events: the first so many are told as they come: a thread costs
  /// as much as telling about them, and on a busy host has to wait for its turn.
  Aside(Detector& detector, Findings& findings, std::size_t batch_bytes = std::size_t{32} << 10, std::uint64_t few_events = 1024);
  ~Aside();  // without finish(), the last events are not told
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  void on_access(const vm::Access& access, std::uint64_t moment);
  void on_synchronise(const vm::Synchronisation& event, std::uint64_t moment);
  void on_block_end(std::uint32_t block);
  void finish();

  /// What was passed on so far has been told once has_told(mark()). Then findings_in_shared() has seen it.
  [[nodiscard]] std::uint32_t mark() const { return filled_.load(std::memory_order_relaxed) + (filling_.used != 0); }
  [[nodiscard]] bool has_told(std::uint32_t mark) const {
    return static_cast<std::int32_t>(told_.load(std::memory_order_acquire) - mark) >= 0;
  }
  /// The detector has found something in shared memory.
  [[nodiscard]] bool findings_in_shared() const {
    return thread_.joinable() ? in_shared_.load(std::memory_order_relaxed) : findings_.in_shared();
  }

 private:
  struct alignas(64) Batch {  // a line of the cache, so that neither thread waits for the other's
    std::unique_ptr<AsideLine[]> lines;
    std::size_t used = 0;  // bytes
  };
  std::byte* room();
  void end_event(AsideEvent& header, const std::byte* end);
  bool at_once(std::uint64_t moment);
  void hand_over();
  void end_thread();
  void run();
  void tell(const Batch& batch);

  Detector& detector_;
  Findings& findings_;
  const std::size_t batch_lines_;
  Batch filling_;                  // this thread's own
  std::array<Batch, 32> batches_;  // filled in turn
  std::thread thread_;
  std::uint64_t at_once_ = 0;                       // events yet to be told as they come
  std::atomic<std::uint32_t> filled_{0}, told_{0};  // batches since the beginning
  std::atomic<bool> in_shared_{false};              // as of the batches told
  std::exception_ptr thrown_;                       // by the detector; read when its batch was told
};

}  // namespace warpbook::gpu::watch
