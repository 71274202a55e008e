// history: keeps what every instruction changed, so that the launch can be stepped forwards and back (gpu/history.h).
//
// It holds the state as it is now, and a log of XOR differences; a Replay goes through the log from either end. When log and state
// grow beyond the limit, the oldest steps go, chunk by chunk, and with them the state of blocks that ended in them.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gpu/history.h"
#include "gpu/virtual/watch/detector.h"

namespace warpbook::gpu::watch {

class Recorder : public Detector {
 public:
  Recorder(const LaunchContext& context, Findings& findings, std::size_t limit);
  void on_launch(const vm::LaunchInfo& launch) override;
  void on_issue(const vm::Issue& issue) override;
  void on_change(const vm::Change& change) override;
  void on_block_end(std::uint32_t block) override;
  /// Once, when the launch is over.
  [[nodiscard]] std::shared_ptr<const History> take();

 private:
  using Words = std::vector<std::uint32_t>;
  struct Chunk {
    std::vector<HistoryStep> steps;
    History::Chunk changes;
  };
  /// Where the state of a frame or block lies in state_; used again when its steps are gone.
  struct FrameSlot {
    std::uint32_t number = 0, activation = 0, function = 0, slot = 0;
  };
  struct BlockSlot {
    std::uint32_t shared = 0;
    std::vector<std::uint32_t> locals;  // by warp; no_local: it has stored nothing there
    std::vector<std::vector<FrameSlot>> warps;
    std::uint64_t last_step = 0;
    std::size_t bytes = 0;
    bool ended = false;
  };

  BlockSlot& block_of(std::uint32_t block);
  /// The frame's slot in state_; enters the call if it is a new one.
  std::uint32_t frame_of(const vm::Site& site, vm::WarpId warp, vm::FrameId id);
  std::uint32_t new_frame(const vm::Site& site, vm::WarpId warp, BlockSlot& block);
  void keep_registers(const vm::Change& change);
  void keep_shared(const vm::Change& change);
  void keep_local(const vm::Change& change);
  History::Local& local_of(vm::WarpId warp, std::uint32_t& slot);
  void note_words(const vm::Change::Stored& stored, std::uint32_t stride, std::uint32_t first);
  template <class Memory>
  void join_words(const Memory& memory);
  template <class Memory>
  void keep_words(Memory& memory, History::ChangeHeader header);
  void note_type(const vm::Change& change);
  void keep_global(const vm::Change& change);
  std::uint32_t* add(History::ChangeHeader header);  // room for the change's words
  std::size_t chunk_bytes() const;
  void drop_oldest();
  void forget(std::uint32_t block);
  [[nodiscard]] std::uint32_t function_number(const vm::Site& site) const;
  [[nodiscard]] std::uint32_t caller_of(const vm::Issue& issue);

  std::size_t limit_ = 0, bytes_ = 0;  // bytes: state, and closed chunks
  const ptx::Module* module_ = nullptr;
  std::uint32_t shared_words_ = 0, warps_per_block_ = 0;
  std::vector<HistoryFunction> functions_;
  std::vector<HistoryArray> arrays_;
  History::State state_;
  std::vector<std::span<const std::byte>> contents_;  // by array; empty: not to be kept
  std::vector<std::byte> parameters_;
  std::vector<std::uint32_t> free_frames_, free_blocks_, free_locals_;
  std::unordered_map<std::uint32_t, BlockSlot> blocks_;
  std::deque<Chunk> chunks_;
  std::uint64_t steps_ = 0, dropped_ = 0;
  struct Word {
    std::uint32_t index = 0, old = 0;
    std::uint8_t written = 0;  // bytes that the present change stored to
  };
  std::vector<Word> words_;  // of the present change, each once
};

}  // namespace warpbook::gpu::watch
