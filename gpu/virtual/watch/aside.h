// Aside: lets a detector work on a thread of its own while the launch goes on. Events are copied and told in their order, so it
// finds what it would have found at once.
//
//     Aside aside(races, findings);
//     aside.on_access(access, moment);    // moment: the event's number, for the findings' order
//     aside.finish();                     // all has been told
//
// The detector, its scene and its findings are this thread's own until finish(); they belong to the caller. It hears of accesses
// without the lanes that were refused, the values of loads and atomics, and cycles. Few events start no thread: they are told in
// finish(). What the detector throws on its thread, finish() throws.
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

class Aside {
 public:
  /// batch_bytes: events are handed over by about so much.
  Aside(Detector& detector, Findings& findings, std::size_t batch_bytes = std::size_t{32} << 10);
  ~Aside();  // without finish(), the last events are not told
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  void on_access(const vm::Access& access, std::uint64_t moment);
  void on_synchronise(const vm::Synchronisation& event, std::uint64_t moment);
  void on_block_end(std::uint32_t block);
  void finish();

 private:
  struct alignas(64) Batch {  // a line of the cache, so that neither thread waits for the other's
    std::unique_ptr<std::byte[]> bytes;
    std::size_t used = 0;
  };
  std::byte* room();
  void end_event(AsideEvent& header, const std::byte* end);
  void hand_over();
  void tell_all();
  void end_thread();
  void run();
  void tell(const Batch& batch);

  Detector& detector_;
  Findings& findings_;
  const std::size_t batch_bytes_;
  std::array<Batch, 16> batches_;
  Batch* filling_ = nullptr;
  std::thread thread_;
  bool alone_;                                      // no thread can be had, or would help
  std::atomic<std::uint32_t> filled_{0}, told_{0};  // batches since the beginning
  std::exception_ptr thrown_;                       // by the detector; read when its batch was told
};

}  // namespace warpbook::gpu::watch
