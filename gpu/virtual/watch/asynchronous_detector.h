// AsynchronousDetector: a detector that works on a thread of its own while the launch goes on. Events are copied and delivered in
// their order, so that it finds what it would have found at once.
//
//     AsynchronousDetector asynchronous(races, findings);
//     asynchronous.on_access(access, moment);    // moment: the event's number, which orders findings
//     asynchronous.finish();                     // everything has been delivered
//
// The caller owns the detector, its context and its findings, and must not use them before finish(). The detector gets accesses and
// synchronisations, without the values of loads and atomics, without cycles, and perhaps without lanes that were refused. The first
// few events are delivered on the caller's thread; no other thread is started for them. finish() throws what the detector threw.
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

struct AsynchronousEvent;
struct alignas(64) AsynchronousLine {  // one line of the cache
  std::byte bytes[64];
};

class AsynchronousDetector {
 public:
  /// batch_bytes: events are handed over in batches of about so many bytes. few_events: the first so many events are delivered on
  /// the caller's thread. To start a thread takes as long as to deliver about so many, and on a busy host it has to wait for its
  /// turn.
  AsynchronousDetector(Detector& detector, Findings& findings, std::size_t batch_bytes = std::size_t{32} << 10,
                       std::uint64_t few_events = 1024);
  ~AsynchronousDetector();  // without finish(), the last events are not delivered
  AsynchronousDetector(const AsynchronousDetector&) = delete;
  AsynchronousDetector& operator=(const AsynchronousDetector&) = delete;

  void on_access(const vm::Access& access, std::uint64_t moment);
  void on_synchronise(const vm::Synchronisation& event, std::uint64_t moment);
  void on_block_end(std::uint32_t block);
  void finish();
  /// How many events it was told.
  [[nodiscard]] std::uint64_t told() const { return told_; }

  /// Once has_delivered(mark()) is true, all events up to this call have been delivered, and findings_in_shared() knows of them.
  [[nodiscard]] std::uint32_t mark() const { return filled_.load(std::memory_order_relaxed) + (filling_.used != 0); }
  [[nodiscard]] bool has_delivered(std::uint32_t mark) const {
    return static_cast<std::int32_t>(delivered_.load(std::memory_order_acquire) - mark) >= 0;
  }
  /// The detector has found something in shared memory.
  [[nodiscard]] bool findings_in_shared() const {
    return thread_.joinable() ? in_shared_.load(std::memory_order_relaxed) : findings_.in_shared();
  }

 private:
  struct alignas(64) Batch {  // a cache line of its own, so that neither thread waits for the other's
    std::unique_ptr<AsynchronousLine[]> lines;
    std::size_t used = 0;  // bytes
  };
  std::byte* room();
  void end_event(AsynchronousEvent& header, const std::byte* end);
  bool deliver_now(std::uint64_t moment);
  void hand_over();
  void end_thread();
  void run();
  void deliver(const Batch& batch);

  Detector& detector_;
  Findings& findings_;
  const std::size_t batch_lines_;
  Batch filling_;                  // this thread's own
  std::array<Batch, 32> batches_;  // filled in turn
  std::thread thread_;
  std::uint64_t told_ = 0;
  std::uint64_t synchronous_left_ = 0;                   // so many events are still delivered on the caller's thread
  std::atomic<std::uint32_t> filled_{0}, delivered_{0};  // batches since the beginning
  std::atomic<bool> in_shared_{false};                   // as of the delivered batches
  std::exception_ptr thrown_;                            // by the detector; read once its batch was delivered
};

}  // namespace warpbook::gpu::watch
