#include "gpu/virtual/watch/asynchronous_detector.h"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <system_error>
#include <type_traits>
#include <utility>

#ifdef __x86_64__
#  include <emmintrin.h>
#endif

#include "gpu/virtual/watch/vectorised.h"

namespace warpbook::gpu::watch {

// One core writes these bytes and another reads them, which costs time for every cache line. So an event is as short as it can be:
// this header, then addresses, then values.
struct AsynchronousEvent {
  enum class Kind : std::uint8_t { access, synchronise, block_end };
  enum class Addresses : std::uint8_t {
    straight,  // one address; the others follow from it and Access::rows
    rows,      // one address a group of eight lanes
    by_lane,   // one address for each lane of `mask`
    near       // one address, and for each lane its distance in 32 bits
  };
  enum class Values : std::uint8_t { none, words, whole };  // in groups of eight lanes
  const ptx::Function* function = nullptr;
  std::uint64_t moment = 0;
  std::uint32_t pc = 0, block = 0, warp = 0, mask = 0;
  std::uint32_t barrier = 0;  // of copies, groups; of an access, Access::ended_phase
  std::uint16_t size = 0;     // in the batch, header and all
  std::uint16_t bytes = 0;    // a lane
  Kind kind = Kind::access;
  std::uint8_t event_kind = 0;  // Access::Kind or Synchronisation::Kind
  ptx::Space space = ptx::Space::generic;
  ptx::Order order = ptx::Order::weak;
  ptx::Scope scope = ptx::Scope::none;
  vm::Access::Rows rows = vm::Access::Rows::unknown;
  bool only_read = false;
  Addresses addresses = Addresses::by_lane;
  Values values = Values::none;
  std::uint8_t participants = 0;  // synchronise only: words behind the header
  ptx::Copy copy = ptx::Copy::none;
  bool sources_only = false;
  vm::Access::BarrierObject barrier_object = vm::Access::BarrierObject::none;
};

namespace {

using Header = AsynchronousEvent;

// Waking a thread takes some microseconds, so neither thread sleeps after every batch. The thread that waits for events looks for
// them `looks` times before it sleeps. The thread that waits for room waits until no more than `enough` batches are full.
constexpr unsigned looks = 256;
constexpr std::uint32_t enough = 24;

constexpr unsigned lanes = 32, row = 8, few = 8;

static_assert(std::is_trivially_copyable_v<Header>);

constexpr std::size_t most_of_event = sizeof(Header) + 2 * lanes * sizeof(std::uint64_t);
constexpr std::size_t lines_of(std::size_t bytes) { return (bytes + sizeof(AsynchronousLine) - 1) / sizeof(AsynchronousLine); }
constexpr std::size_t most_participants = 32;  // warps of a block, by CUDA's limits

template <class T>
std::byte* put(std::byte* to, const T* from, std::size_t count = 1) {
  std::memcpy(to, from, count * sizeof(T));
  return to + count * sizeof(T);
}
template <class T>
const std::byte* get(const std::byte* from, T* to, std::size_t count = 1) {
  std::memcpy(to, from, count * sizeof(T));
  return from + count * sizeof(T);
}

template <class Do>
void for_lanes(std::uint32_t mask, const Do& act) {
  for (; mask; mask &= mask - 1) act(static_cast<unsigned>(std::countr_zero(mask)));
}

/// The lanes' distances from `base`. False: a distance has more than 32 bits.
WARPBOOK_VECTORISED bool distances(const std::uint64_t* address, std::uint32_t mask, std::uint64_t base, std::int32_t* to) {
  std::uint64_t too_far = 0;
  for (unsigned l = 0; l < lanes; ++l) {
    const std::uint64_t distance = address[l] - base;
    too_far |= ((distance + (std::uint64_t{1} << 31)) >> 32) & (0 - std::uint64_t{mask >> l & 1});
    to[l] = static_cast<std::int32_t>(distance);
  }
  return !too_far;
}
WARPBOOK_VECTORISED void add_base(const std::int32_t* distance, std::uint64_t base, std::uint64_t* to) {
  for (unsigned l = 0; l < lanes; ++l) to[l] = base + static_cast<std::uint64_t>(std::int64_t{distance[l]});
}
WARPBOOK_VECTORISED void spread(std::uint64_t first, std::uint64_t step, std::uint64_t* to) {
  for (unsigned l = 0; l < lanes; ++l) to[l] = first + step * l;
}

[[gnu::always_inline]] inline void spread_row(std::uint64_t first, std::uint64_t step, std::uint64_t* to) {
  for (unsigned j = 0; j < row; ++j) to[j] = first + step * j;
}

std::uint64_t step_of(vm::Access::Rows rows, std::uint32_t bytes) { return rows == vm::Access::Rows::same ? 0 : bytes; }

std::byte* put_addresses(Header& header, const std::uint64_t* address, std::byte* at) {
  const std::uint32_t mask = header.mask;
  if (header.rows != vm::Access::Rows::unknown) {
    const std::uint64_t step = step_of(header.rows, header.bytes);
    const auto first = static_cast<unsigned>(std::countr_zero(mask));
    const std::uint64_t base = address[first] - step * first;
    bool straight = true;
    for (unsigned l = 0; l < lanes; l += row) straight &= !(mask >> l & 1) || address[l] == base + step * l;
    if (straight) {
      header.addresses = Header::Addresses::straight;
      return put(at, &base);
    }
    header.addresses = Header::Addresses::rows;
    for (unsigned l = 0; l < lanes; l += row)
      if (mask >> l & 1) at = put(at, address + l);
    return at;
  }
  std::int32_t distance[lanes];
  const std::uint64_t base = address[std::countr_zero(mask)];
  if (static_cast<unsigned>(std::popcount(mask)) > few && distances(address, mask, base, distance)) {
    header.addresses = Header::Addresses::near;
    return put(put(at, &base), distance, lanes);
  }
  header.addresses = Header::Addresses::by_lane;
  for_lanes(mask, [&](unsigned l) { at = put(at, address + l); });
  return at;
}

const std::byte* get_addresses(const Header& header, const std::byte* at, std::uint64_t* address) {
  std::uint64_t base = 0;
  const std::uint64_t step = step_of(header.rows, header.bytes);
  switch (header.addresses) {
    case Header::Addresses::straight:
      at = get(at, &base);
      spread(base, step, address);
      break;
    case Header::Addresses::rows:
      for (unsigned l = 0; l < lanes; l += row) {
        if (!(header.mask >> l & 1)) continue;
        at = get(at, &base);
        spread_row(base, step, address + l);
      }
      break;
    case Header::Addresses::by_lane:
      for_lanes(header.mask, [&](unsigned l) { at = get(at, address + l); });
      break;
    case Header::Addresses::near: {
      std::int32_t distance[lanes];
      at = get(get(at, &base), distance, lanes);
      add_base(distance, base, address);
      break;
    }
  }
  return at;
}

/// At least one lane of each group of eight: then all groups are copied at once, in the widest stores.
bool all_rows(std::uint32_t mask) {
  for (unsigned l = 0; l < lanes; l += row)
    if (!(mask >> l & 0xff)) return false;
  return true;
}
WARPBOOK_VECTORISED void copy(const std::uint32_t* from, std::byte* to) { std::memcpy(to, from, lanes * sizeof *from); }
WARPBOOK_VECTORISED void copy(const std::uint64_t* from, std::byte* to) { std::memcpy(to, from, lanes * sizeof *from); }

/// In groups of eight lanes.
template <class Word>
std::byte* put_values(std::uint32_t mask, const Word* value, std::byte* at) {
  if (all_rows(mask)) {
    copy(value, at);
    return at + lanes * sizeof(Word);
  }
  for (unsigned l = 0; l < lanes; l += row)
    if (mask >> l & 0xff) at = put(at, value + l, row);
  return at;
}
template <class Word>
void get_values(std::uint32_t mask, const std::byte* at, Word* value) {
  for (unsigned l = 0; l < lanes; l += row)
    if (mask >> l & 0xff) at = get(at, value + l, row);
}

/// Makes the header where it will stay, so that it is written only once.
Header& begin_event(std::byte* at, Header::Kind kind, std::uint64_t moment) {
  Header& header = *new (at) Header;
  header.kind = kind;
  header.moment = moment;
  return header;
}

/// Copies whole cache lines without reading them into this core's caches. A line that the other core has read would first be
/// fetched back from it, which takes 8 ns where the cores share a cache and 30 ns where they do not.
void stream(AsynchronousLine* to, const AsynchronousLine* from, std::size_t count) {
#ifdef __x86_64__
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t part = 0; part < sizeof *to; part += sizeof(__m128i))
      _mm_stream_si128(reinterpret_cast<__m128i*>(to[i].bytes + part), *reinterpret_cast<const __m128i*>(from[i].bytes + part));
  _mm_sfence();
#else
  std::copy_n(from, count, to);
#endif
}

/// Asked only once, because the answer is read from files.
bool one_core() {
  static const bool one = std::thread::hardware_concurrency() < 2;
  return one;
}

/// Moves the calling thread to another core if it runs on this one. Linux often starts a thread on its creator's core and balances
/// the load only some milliseconds later, by when a short launch is over.
void leave_core(int core) {
  cpu_set_t all;
  if (core < 0 || sched_getcpu() != core || sched_getaffinity(0, sizeof all, &all) != 0) return;
  cpu_set_t others = all;
  CPU_CLR(static_cast<unsigned>(core), &others);
  if (CPU_COUNT(&others) && sched_setaffinity(0, sizeof others, &others) == 0) (void)sched_setaffinity(0, sizeof all, &all);
}

}  // namespace

AsynchronousDetector::AsynchronousDetector(Detector& detector, Findings& findings, std::size_t batch_bytes,
                                           std::uint64_t few_events)
    : detector_(detector),
      findings_(findings),
      batch_lines_(lines_of(std::max(batch_bytes, most_of_event))),
      synchronous_left_(one_core() ? ~std::uint64_t{0} : few_events) {}

AsynchronousDetector::~AsynchronousDetector() { end_thread(); }

/// Where the next event goes. No event takes more room than the largest access.
std::byte* AsynchronousDetector::room() {
  if (filling_.used + most_of_event > batch_lines_ * sizeof(AsynchronousLine)) hand_over();
  if (!filling_.lines) filling_.lines = std::make_unique_for_overwrite<AsynchronousLine[]>(batch_lines_);
  return reinterpret_cast<std::byte*>(filling_.lines.get()) + filling_.used;
}

void AsynchronousDetector::end_event(AsynchronousEvent& header, const std::byte* end) {
  constexpr std::size_t aligned = alignof(Header);
  const auto bytes = static_cast<std::size_t>(end - reinterpret_cast<const std::byte*>(&header));
  header.size = static_cast<std::uint16_t>((bytes + aligned - 1) / aligned * aligned);
  filling_.used += header.size;
}

/// True where this event is still delivered on the caller's thread.
bool AsynchronousDetector::deliver_now(std::uint64_t moment) {
  if (!synchronous_left_) return false;
  --synchronous_left_;
  findings_.moment = moment;
  return true;
}

void AsynchronousDetector::on_access(const vm::Access& access, std::uint64_t moment) {
  if (!access.mask) return;
  ++told_;
  if (deliver_now(moment)) return detector_.on_access(access);
  std::byte* at = room();
  // Whole, so that each place is written once.
  Header& header = *new (at) Header{.function = access.site.function,
                                    .moment = moment,
                                    .pc = access.site.pc,
                                    .block = access.warp.block,
                                    .warp = access.warp.warp,
                                    .mask = access.mask,
                                    .barrier = access.ended_phase,
                                    .bytes = static_cast<std::uint16_t>(access.bytes),
                                    .kind = Header::Kind::access,
                                    .event_kind = static_cast<std::uint8_t>(access.kind),
                                    .space = access.space,
                                    .order = access.order,
                                    .scope = access.scope,
                                    .rows = access.rows,
                                    .only_read = access.only_read,
                                    .barrier_object = access.barrier_object};
  at = put_addresses(header, access.address, at + sizeof header);
  if (access.kind == vm::Access::Kind::store) {
    if (access.words) {
      header.values = Header::Values::words;
      at = put_values(access.mask, access.words, at);
    } else if (access.value) {
      header.values = Header::Values::whole;
      at = put_values(access.mask, access.value, at);
    }
  }
  end_event(header, at);
}

void AsynchronousDetector::on_synchronise(const vm::Synchronisation& event, std::uint64_t moment) {
  ++told_;
  if (deliver_now(moment)) return detector_.on_synchronise(event);
  std::byte* const at = room();
  Header& header = begin_event(at, Header::Kind::synchronise, moment);
  header.function = event.site.function;
  header.pc = event.site.pc;
  header.block = event.warp.block;
  header.warp = event.warp.warp;
  header.mask = event.mask;
  header.copy = event.copy;
  header.sources_only = event.sources_only;
  header.barrier = event.copy == ptx::Copy::none ? event.barrier : event.groups;
  header.event_kind = static_cast<std::uint8_t>(event.kind);
  header.scope = event.scope;
  header.participants = static_cast<std::uint8_t>(std::min(event.participants.size(), most_participants));
  const std::byte* end = at + sizeof header;
  if (header.participants) end = put(at + sizeof header, event.participants.data(), header.participants);
  end_event(header, end);
}

void AsynchronousDetector::on_block_end(std::uint32_t block) {
  ++told_;
  if (synchronous_left_) return detector_.on_block_end(block);
  std::byte* const at = room();
  Header& header = begin_event(at, Header::Kind::block_end, 0);
  header.block = block;
  end_event(header, at + sizeof header);
}

/// Hands the filled batch to the other thread.
void AsynchronousDetector::hand_over() {
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([this, here = sched_getcpu()] {
        leave_core(here);
        run();
      });
    } catch (const std::system_error&) {
      synchronous_left_ = ~std::uint64_t{0};
      deliver(filling_);
      filling_.used = 0;
      return;
    }
  }
  std::uint32_t filled = filled_.load(std::memory_order_relaxed);
  Batch& batch = batches_[filled % batches_.size()];
  batch.used = std::exchange(filling_.used, 0);
  if (batch.used) {
    if (!batch.lines) batch.lines = std::make_unique_for_overwrite<AsynchronousLine[]>(batch_lines_);
    stream(batch.lines.get(), filling_.lines.get(), lines_of(batch.used));
  }
  filled_.store(++filled, std::memory_order_release);
  std::uint32_t told = delivered_.load(std::memory_order_acquire);
  const bool full = filled - told == batches_.size();
  filled_.notify_one();
  if (full)
    for (; filled - told > enough; told = delivered_.load(std::memory_order_acquire))
      delivered_.wait(told, std::memory_order_acquire);
}

void AsynchronousDetector::finish() {
  if (!thread_.joinable()) {
    if (filling_.used) deliver(filling_);
    filling_.used = 0;
    return;
  }
  if (filling_.used) hand_over();
  end_thread();
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

/// By an empty batch.
void AsynchronousDetector::end_thread() {
  if (!thread_.joinable()) return;
  filling_.used = 0;
  hand_over();
  thread_.join();
}

void AsynchronousDetector::run() {
  for (std::uint32_t n = 0;; ++n) {
    for (unsigned look = 0; look < looks && filled_.load(std::memory_order_acquire) == n; ++look) std::this_thread::yield();
    filled_.wait(n, std::memory_order_acquire);
    const Batch& batch = batches_[n % batches_.size()];
    if (!batch.used) return;
    try {
      if (!thrown_) deliver(batch);
    } catch (...) {
      thrown_ = std::current_exception();
    }
    in_shared_.store(findings_.in_shared(), std::memory_order_relaxed);
    delivered_.store(n + 1, std::memory_order_release);
    if (filled_.load(std::memory_order_relaxed) - (n + 1) <= enough) delivered_.notify_one();
  }
}

void AsynchronousDetector::deliver(const Batch& batch) {
  alignas(64) std::uint64_t address[lanes], value[lanes];
  alignas(64) std::uint32_t words[lanes];
  const std::byte* next = reinterpret_cast<const std::byte*>(batch.lines.get());
  for (const std::byte* const end = next + batch.used; next != end;) {
    const Header& header = *std::launder(reinterpret_cast<const Header*>(next));
    const std::byte* at = next + sizeof header;
    next += header.size;
    if (header.kind == Header::Kind::block_end) {
      detector_.on_block_end(header.block);
      continue;
    }
    findings_.moment = header.moment;
    const vm::Site site{header.function, header.pc};
    const vm::WarpId warp{header.block, header.warp};
    if (header.kind == Header::Kind::synchronise) {
      std::uint32_t participants[most_participants];
      get(at, participants, header.participants);
      detector_.on_synchronise({.site = site,
                                .warp = warp,
                                .kind = static_cast<vm::Synchronisation::Kind>(header.event_kind),
                                .mask = header.mask,
                                .scope = header.scope,
                                .barrier = header.copy == ptx::Copy::none ? header.barrier : 0,
                                .participants = {participants, header.participants},
                                .copy = header.copy,
                                .sources_only = header.sources_only,
                                .groups = header.copy == ptx::Copy::none ? 0 : header.barrier});
      continue;
    }
    vm::Access access{.site = site,
                      .warp = warp,
                      .kind = static_cast<vm::Access::Kind>(header.event_kind),
                      .space = header.space,
                      .mask = header.mask,
                      .bytes = header.bytes,
                      .rows = header.rows,
                      .only_read = header.only_read,
                      .barrier_object = header.barrier_object,
                      .ended_phase = header.barrier,
                      .order = header.order,
                      .scope = header.scope,
                      .address = address};
    at = get_addresses(header, at, address);
    if (header.values == Header::Values::words) {
      const bool all = all_rows(header.mask);
      if (!all) get_values(header.mask, at, words);
      access.words = all ? reinterpret_cast<const std::uint32_t*>(at) : words;
    } else if (header.values == Header::Values::whole) {
      get_values(header.mask, at, value);
      access.value = value;
    }
    detector_.on_access(access);
  }
}

}  // namespace warpbook::gpu::watch
