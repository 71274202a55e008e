// Races: two accesses of the same bytes by different threads, at least one of them a write, that nothing orders and that are not
// both atomic. Shared and global memory, byte by byte. order.h says what counts as ordered, shadow.h which accesses are remembered.
// races_cells.cpp checks cells, races_copies.cpp follows asynchronous copies, races_report.cpp and races_copies_report.cpp make
// sentences.
//
// A race is found under every schedule, because what counts is the missing order and not the values. Running in lockstep does not
// order the lanes of a warp; only __syncwarp and the *_sync calls do.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gpu/virtual/watch/by_block.h"
#include "gpu/virtual/watch/copies.h"
#include "gpu/virtual/watch/detector.h"
#include "gpu/virtual/watch/order.h"
#include "gpu/virtual/watch/races_advice.h"
#include "gpu/virtual/watch/shadow.h"

namespace warpbook::gpu::watch {

class alignas(64) Races : public Detector {
 public:
  using Detector::Detector;
  void on_launch(const vm::LaunchInfo& launch) override;
  void on_access(const vm::Access& access) override;
  void on_synchronise(const vm::Synchronisation& event) override;
  /// The accesses that this detector needs; it is given no others.
  [[nodiscard]] static bool needs(const vm::Access& access) {
    if (access.space != ptx::Space::shared && access.space != ptx::Space::global) return false;
    if (access.only_atomics) return false;
    return !access.only_read || access.kind != vm::Access::Kind::load || access.order != ptx::Order::weak;
  }
  [[nodiscard]] bool wants_loads(const vm::Allocation& allocation) const override { return !allocation.only_read; }
  void on_block_end(std::uint32_t block) override;
  void finish() override;
  void add_to(std::vector<Message>& remarks) const override;
  using Detector::add_to;

  /// Remembers accesses in at most about so many bytes of the host's memory. Without room it forgets them, which may hide a race
  /// but never invents one.
  void remember_with(std::size_t bytes) { most_bytes_ = bytes; }

 private:
  enum class Mode : std::uint8_t { weak_read, weak_write, strong_read, strong_write, strong_update };

  /// Neighbouring cells, and which threads access them.
  struct Chunk {
    Cells* cells = nullptr;
    std::uint32_t first = 0;
    std::uint32_t before = 0;  // cells of the same run before these
    ThreadId thread = 0;       // the thread that accesses the run's first cell
    unsigned shift = 0;        // 1 << shift cells a thread
  };
  template <class V>
  struct Passed;
  /// What both sides of a race were, for its sentence.
  struct Side {
    ThreadId thread = 0;
    vm::Site site;
    bool write = false, strong = false, atomic = false, block_scope = false;
    bool under_way = false;  // an asynchronous copy that was not waited for
  };
  /// What an access races with.
  struct Earlier {
    Epoch epoch;
    SiteFlags flags = 0;
    bool write = false, strong = false;
    bool same_value = false;  // the access stores what this one stored
  };
  struct Race {
    Side now, before;
    std::uint64_t address = 0;
    bool same_instruction = false;
    bool same_value = false;
    std::string value;
    const Region* region = nullptr;
    // Where one side is a copy that is under way: why it is, and whether anything orders its begin and the other access.
    Copies::Progress copy;
    bool begin_ordered = false;
    /// Of several races of one finding, the one with the largest weight is reported: threads far apart before near ones, two
    /// writers before a writer and a reader.
    int weight = 0;
  };

  /// Where the last races went: by the two instructions and the region.
  static constexpr std::size_t recents = 64;
  struct Recent {
    SiteFlags now = 0, before = 0;
    ptx::Space space = ptx::Space::generic;
    const Region* region = nullptr;
    Finding* finding = nullptr;  // null: left out
    Race* race = nullptr;

    [[nodiscard]] bool same_value() const { return finding && race->same_value; }
    void count(std::uint64_t accesses) const {
      if (finding) finding->threads += accesses;
    }
  };

  void fetch_scattered();
  void touch(unsigned lane, unsigned n);
  void touch_same(unsigned lane, unsigned n);
  void touch_piece(std::uint64_t address, std::uint32_t bytes, ThreadId thread);
  void touch_line(std::uint64_t address, std::uint32_t bytes, ThreadId thread);
  bool touch_whole_line(Line& line, ThreadId thread);
  bool touch_one_sector(std::uint64_t address, std::uint32_t bytes, ThreadId thread);
  void touch_sector(Sector& sector, std::uint32_t offset, std::uint32_t bytes, ThreadId thread, std::uint64_t address);
  bool touch_even(Sector& sector, std::uint32_t offset, std::uint32_t bytes, ThreadId thread);
  bool touch_by_word(Sector& sector, const EvenSlot& me, unsigned first, unsigned n);
  void note_values(Sector& sector, unsigned first, unsigned n, ThreadId thread) const;
  void touch_words(Cells& cells, std::uint32_t first, std::uint32_t n, ThreadId thread, std::uint64_t address);
  void touch_bytes(Cells& cells, std::uint32_t first, std::uint32_t n, ThreadId thread, std::uint64_t address);
  void touch_cells(Cells& all, std::uint32_t first, std::uint32_t n, ThreadId thread, unsigned shift, std::uint64_t address);
  template <class V>
  bool write_cells(const Chunk& c);
  bool write_together(const Chunk& c);
  template <class V>
  bool read_cells(const Chunk& c);
  bool read_together(const Chunk& c);
  std::uint32_t rows_together();
  [[nodiscard]] bool ordered(Epoch before, ThreadId thread) const {
    if (before.thread == thread || (before.stamp < since_ && order_.same_block(before.thread, thread))) return true;
    return !barriers_only_ && order_.ordered(before, *block_, thread);
  }
  bool touch_one_word(std::uint64_t address, ThreadId thread);
  void update_words(ThreadId warp);
  bool update_one_word(std::uint64_t address, ThreadId thread);
  std::pair<Cells*, unsigned> find_cells(std::uint64_t address);
  bool race_again(unsigned lane, unsigned n);
  void settle(Cells& all, std::uint64_t cell);
  [[nodiscard]] bool is_settled(const Cells::Strong& strong, std::uint64_t cell, ThreadId thread) const;
  bool read_by_two(Cells& all, std::uint32_t cell, ThreadId thread);
  void touch_cell(Cells& all, unsigned cell, ThreadId thread, std::uint64_t address);
  void touch_strong_cell(Cells& all, unsigned cell, ThreadId thread, std::uint64_t address);
  void signal(std::uint32_t mask);
  void signal_at_barrier_object(const Order::Location& location, ThreadId thread, bool releases, bool acquires);
  void remember(std::array<Slots, 2>& slots, unsigned cell, ThreadId thread);
  void check(const Slots& slots, unsigned cell, ThreadId thread, std::uint64_t address, bool before_write, bool before_strong,
             const Cells* written = nullptr);
  [[nodiscard]] int weight_of(ThreadId now, ThreadId before, bool both_write) const {
    constexpr int of_copy = 8;  // to wait for it comes first
    const ThreadId by = order_.issuer(before);
    return (order_.same_block(now, by) ? (now ^ by) < 32 ? 0 : 2 : 4) + (both_write ? 1 : 0) + (by != before ? of_copy : 0);
  }
  [[nodiscard]] static std::size_t recent_of(SiteFlags now, SiteFlags before) {
    return ((now & site_mask) * 0x9e3779b1u + (before & site_mask)) % recents;
  }
  /// Where a line that races does so again: most races are one more of those just seen and add nothing but to their count. Null: it
  /// may have more to say.
  [[nodiscard]] const Recent* known_race(SiteFlags before, int weight, const Region* region) const {
    const Recent& recent = recent_[recent_of(site_, before)];
    if (recent.now != site_ || recent.before != before || recent.region != region || recent.space != access_->space) return nullptr;
    return !recent.finding || weight <= recent.race->weight ? &recent : nullptr;
  }
  /// Are the stored values known?
  [[nodiscard]] bool values_known() const { return access_->words || access_->value; }
  [[nodiscard]] std::uint64_t value_in(unsigned lane) const { return access_->words ? access_->words[lane] : access_->value[lane]; }
  [[nodiscard]] std::uint32_t word_in(unsigned lane, std::uint32_t bytes) const;
  [[nodiscard]] bool stores_one_value(unsigned lane, unsigned n) const;
  [[nodiscard]] bool stores_what_was_stored(const Cells& cells, unsigned cell, unsigned lane, std::uint64_t address) const;
  [[nodiscard]] std::uint64_t value_of(unsigned lane, std::uint64_t address, std::uint32_t bytes, bool& known) const;
  [[nodiscard]] static bool is_guess(const Race& race, RaceAdvice& advice);
  [[nodiscard]] Paragraph told(const Race& race, const Finding& finding, RaceAdvice& advice) const;
  [[nodiscard]] Paragraph who_raced(const Race& race, const Finding& finding) const;
  [[nodiscard]] Paragraph about_same_value(const Race& race, const RaceToExplain& all, RaceAdvice& advice) const;
  void put_same_values_last();
  [[nodiscard]] Paragraph cause_and_advice(const Race& race, const Finding& finding, RaceAdvice& advice) const;
  [[nodiscard]] static Paragraph about_volatile(const Race& race, const RaceToExplain& all, RaceAdvice& advice);
  [[nodiscard]] static Paragraph about_weak(const Race& race, const RaceToExplain& all, RaceAdvice& advice);
  [[nodiscard]] RaceToExplain explain(const Race& race, const Finding& finding) const;
  [[nodiscard]] RaceAdvice::Stored stored_by(const Race& race, RaceAdvice& advice) const;
  [[nodiscard]] Paragraph told_of_copy(const Race& race, const Finding& finding) const;
  void tell(const Earlier& earlier, ThreadId thread, std::uint64_t address);
  /// Do the present cells hold accesses of this block alone?
  [[nodiscard]] bool only_own_block() const { return access_->space == ptx::Space::shared && !shared_now_->copies; }

  void look_at(const vm::Access& access);
  void on_copy(const vm::Access& access);
  void on_copies(const vm::Synchronisation& event);
  void begin_copy(const vm::Access& access);
  void hand_on_copies(const vm::Access& access);
  [[nodiscard]] std::vector<ThreadId> let_arrive(const vm::Access& access, unsigned lane);
  void meet_copies(const vm::Access& access);
  void settle_copy(vm::WarpId warp, const Copies::Piece& piece, std::uint32_t lanes);
  void end_copies(std::uint32_t block);
  [[nodiscard]] std::uint32_t without_twins(const vm::Access& access);
  template <class Change>
  void change_slots(std::uint64_t address, std::uint32_t bytes, const Change& change);
  void pass_on(std::uint64_t address, std::uint32_t bytes, ThreadId from, ThreadId to);
  void start_again();
  void make_room();
  void find_shared(std::uint32_t block);

  Order order_;
  GlobalShadow global_;
  ByBlock<SharedShadow> shared_;
  std::uint32_t shared_block_ = 0;
  SharedShadow* shared_now_ = nullptr;  // of shared_block_
  std::unordered_map<Finding*, Race> races_;
  std::array<Recent, recents> recent_{};
  Copies copies_;
  std::array<std::uint64_t, 32> copied_from_{};  // by the last instruction that copies asynchronously
  std::array<std::vector<ThreadId>, 32> come_;   // by lane: the copiers of what the access in hand tells an mbarrier
  bool settling_ = false;      // the present access is a copy that was waited for, whose races were already reported
  bool signals_used_ = false;  // an atomic or volatile access was seen
  bool atomics_used_ = false;  // an atomic one in global memory
  std::size_t most_bytes_ = std::numeric_limits<std::size_t>::max();
  bool forgot_ = false, simplified_ = false;

  // The present access.
  const vm::Access* access_ = nullptr;
  BlockClock* block_ = nullptr;
  Mode mode_ = Mode::weak_read;
  Stamp now_ = 0, since_ = 1;   // what this block did before since_ is ordered with all that it does
  bool barriers_only_ = false;  // that is all that orders this warp with others
  bool may_settle_ = false;     // an atomic on words, and barriers alone order anybody
  SiteFlags site_ = 0;
  unsigned bytes_shift_ = 2;  // log2 of a lane's bytes
  bool weak_ = false;
  bool plain_words_ = false;             // a weak access of words, to memory that goes by the word
  std::uint32_t granule_ = 4;            // bytes a cell
  std::uint32_t reported_lanes_ = 0;     // counted once each
  std::uint32_t knows_last_signal_ = 0;  // lanes whose store comes after the one before it on its place
};

}  // namespace warpbook::gpu::watch
