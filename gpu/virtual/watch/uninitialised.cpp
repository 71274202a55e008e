#include "gpu/virtual/watch/uninitialised.h"

#include <algorithm>
#include <bit>
#include <string>

#include "gpu/virtual/ptx/data_flow.h"
#include "gpu/virtual/ptx/opcodes.h"
#include "gpu/virtual/watch/access_words.h"

namespace warpbook::gpu::watch {

void Uninitialised::on_launch(const vm::LaunchInfo& launch) {
  global_.clear();
  shared_.clear();
  heap_.clear();
  awaited_.clear();
  for (const vm::Allocation& allocation : launch.allocations) {
    if (allocation.initialised.empty()) continue;
    Partial partial{.base = allocation.base, .bytes = allocation.bytes, .written = Written(allocation.bytes)};
    bool all = true;
    for (std::uint64_t i = 0; i < allocation.bytes; ++i) {
      if (i < allocation.initialised.size() && allocation.initialised[i])
        partial.written.set(i, 1);
      else
        all = false;
    }
    if (!all) global_.push_back(std::move(partial));
  }
}

/// Eight lanes at once. False: some read what nobody has written, or lie outside.
inline bool Uninitialised::look_at_rows(const vm::Access& access, Written& written, std::uint64_t base) const {
  const std::uint32_t bytes = access.rows == vm::Access::Rows::same ? access.bytes : 8 * access.bytes;
  if (access.rows == vm::Access::Rows::unknown || access.kind == vm::Access::Kind::atomic || bytes > 64) return false;
  const bool writes = access.kind == vm::Access::Kind::store;
  for (unsigned lane = 0; lane < 32; lane += 8) {
    const std::uint64_t at = access.address[lane] - base;
    if (!(access.mask >> lane & 1)) continue;
    if (at + bytes > written.size()) return false;
    if (writes)
      written.set(at, bytes);
    else if (!written.has(at, bytes))
      return false;
  }
  return true;
}

Uninitialised::Written& Uninitialised::shared_of(std::uint32_t block) {
  if (!shared_now_ || shared_block_ != block) {
    const std::uint64_t bytes = context_.shared_bytes(), known = context_.reserved_shared_bytes();
    shared_block_ = block;
    shared_now_ = &shared_.of(
        shared_block_, [&](Written& used) { used.forget(bytes, known); }, bytes, known);
  }
  return *shared_now_;
}

void Uninitialised::on_access(const vm::Access& access) {
  if (access.mask == 0 || access.bytes == 0) return;
  if (access.space == ptx::Space::shared) {
    if (!awaited_.empty() && access.kind == vm::Access::Kind::store) look_for_late_stores(access);
    if (shared_of(access.warp.block).all()) return;
    if (access.kind == vm::Access::Kind::store && access.rows == vm::Access::Rows::unknown)
      fill(access, *shared_now_, 0, access.mask);
    else if (!look_at_rows(access, *shared_now_, 0))
      look(access, *shared_now_, 0, access.mask);
    return;
  }
  if (access.space != ptx::Space::global) return;
  if (context_.heap()) look_at_heap(access, access.mask);
  for (Partial& partial : global_) {
    std::uint32_t inside = 0;
    if (partial.written.all()) continue;
    for (unsigned lane = 0; lane < 32; ++lane)
      inside |= static_cast<std::uint32_t>(access.address[lane] - partial.base < partial.bytes) << lane;
    inside &= access.mask;
    if (inside && (inside != access.mask || !look_at_rows(access, partial.written, partial.base)))
      look(access, partial.written, partial.base, inside);
  }
}

/// Each lane may have a piece of its own.
void Uninitialised::look_at_heap(const vm::Access& access, std::uint32_t mask) {
  for (; mask; mask &= mask - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(mask));
    const auto piece = context_.heap()->nearest(access.address[lane]);
    if (!piece || piece->from_before || access.address[lane] < piece->base ||
        access.address[lane] - piece->base + access.bytes > piece->bytes)
      continue;
    HeapWritten& its = heap_[piece->base];
    if (its.number != piece->number) its = {piece->number, Written(piece->bytes)};
    look(access, its.written, piece->base, 1u << lane);
  }
}

vm::SharedLoads Uninitialised::wants_shared_loads(std::uint32_t block) {
  Written* const written = shared_block_ == block && shared_now_ ? shared_now_ : shared_.find(block);
  if (!written) return {};
  return {.any = !written->all(), .known = written->words()};
}

void Uninitialised::on_block_end(std::uint32_t block) {
  shared_now_ = nullptr;
  shared_.end(block);
  std::erase_if(awaited_, [&](const Awaited& awaited) { return awaited.block == block; });
}

void Uninitialised::fill(const vm::Access& access, Written& written, std::uint64_t base, std::uint32_t mask) {
  const std::uint32_t bytes = access.bytes;
  const std::uint64_t size = written.size();
  const bool in_one_piece = std::has_single_bit(bytes);  // an access is aligned
  for (; mask; mask &= mask - 1) {
    const std::uint64_t at = access.address[std::countr_zero(mask)] - base;
    if (at + bytes > size) continue;
    if (in_one_piece)
      written.set_in_piece(at, bytes);
    else
      written.set(at, bytes);
  }
}

void Uninitialised::look(const vm::Access& access, Written& written, std::uint64_t base, std::uint32_t mask) {
  if (access.kind == vm::Access::Kind::store) return fill(access, written, base, mask);
  std::uint32_t unwritten = 0;
  const bool writes = access.kind != vm::Access::Kind::load;
  const std::uint32_t bytes = access.bytes;
  for (std::uint32_t rest = mask; rest;) {
    // Neighbouring lanes that touch neighbouring bytes of a 64-byte word, or all the same ones, go together.
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t address = access.address[lane], at = address - base;
    const std::uint64_t room = 64 - at % 64;
    unsigned n = 1;
    std::uint32_t together = bytes;
    if (lane < 31 && (rest >> (lane + 1) & 1) && access.address[lane + 1] == address) {
      while (lane + n < 32 && (rest >> (lane + n) & 1) && access.address[lane + n] == address) ++n;
    } else {
      while (lane + n < 32 && together + bytes <= room && (rest >> (lane + n) & 1) &&
             access.address[lane + n] == address + together) {
        ++n;
        together += bytes;
      }
    }
    const std::uint32_t lanes = (n == 32 ? ~0u : (1u << n) - 1) << lane;
    rest &= ~lanes;
    if (at + together > written.size()) continue;
    if (!written.has(at, together)) {
      for (unsigned l = lane; l < lane + n; ++l)
        if (!written.has(access.address[l] - base, bytes)) unwritten |= 1u << l;
    }
    if (writes) written.set(at, together);
  }
  if (unwritten) report(access, unwritten);
}

namespace {

/// Of what a kernel's malloc gave.
Paragraph unwritten_heap(const Place& at, const Element& element) {
  const std::uint64_t bytes = element.heap->bytes;
  const auto given = with_thread(at, "index"_a = element.index, "distance"_a = element.distance, "bytes"_a = bytes,
                                 "allocated"_a = element.heap->line);
  const bool whole = element.bytes > 1 && element.distance % static_cast<std::int64_t>(element.bytes) == 0;
  Paragraph text =
      whole ? given.to_say_many(
                  bytes,
                  "Thread {thread} of block {block} reads element {index} of the block of {bytes} byte that malloc gave in line "
                  "{allocated}{at}, which no thread has written yet: malloc leaves in its memory whatever was there.",
                  "Thread {thread} of block {block} reads element {index} of the block of {bytes} bytes that malloc gave in line "
                  "{allocated}{at}, which no thread has written yet: malloc leaves in its memory whatever was there.")
            : given.to_say_many(
                  bytes,
                  "Thread {thread} of block {block} reads byte {distance} of the block of {bytes} byte that malloc gave in line "
                  "{allocated}{at}, which no thread has written yet: malloc leaves in its memory whatever was there.",
                  "Thread {thread} of block {block} reads byte {distance} of the block of {bytes} bytes that malloc gave in line "
                  "{allocated}{at}, which no thread has written yet: malloc leaves in its memory whatever was there.");
  text.add(to_say("Write each element before it is read."));
  return text;
}

Paragraph unwritten_element(const Place& at, const Element& element, const vm::Access& access) {
  if (element.heap) return unwritten_heap(at, element);
  const bool named = element.is_named();
  const auto given = with_thread(at, "element"_a = element.name(), "address"_a = element.address);
  if (access.space != ptx::Space::shared) {
    Paragraph text = named ? given.to_say(
                                 "Thread {thread} of block {block} reads {element}{at}, which neither the host nor a kernel has "
                                 "written: its value is whatever was there.")
                           : given.to_say(
                                 "Thread {thread} of block {block} reads address {address:#x}{at}, which neither the host nor a "
                                 "kernel has written: its value is whatever was there.");
    text.add(to_say("Copy data to it or fill it before the launch."));
    return text;
  }
  Paragraph text = named ? given.to_say(
                               "Thread {thread} of block {block} reads {element}{at}, which no thread of its block has written "
                               "yet: shared memory starts with garbage.")
                         : given.to_say(
                               "Thread {thread} of block {block} reads address {address:#x}{at}, which no thread of its block has "
                               "written yet: shared memory starts with garbage.");
  text.add(access.kind == vm::Access::Kind::atomic
               ? to_say("Let a thread store the first value, such as 0, and call __syncthreads() before the first atomic.")
               : to_say("Store to each place before it is read, to those at the edges as well."));
  return text;
}

/// Another thread of the block stores there, but nothing says when.
Paragraph stored_later(const Place& at, const Element& element, const Place& writer) {
  const bool same_line = writer.line == at.line;
  const auto given = with_thread(at, "element"_a = element.name(), "address"_a = element.address,
                                 "writer"_a = to_string(writer.thread), "writer_at"_a = SourceLine{same_line ? 0 : writer.line});
  Paragraph text =
      element.is_named()
          ? given.to_say(
                "Thread {thread} of block {block} reads {element}{at}, which no thread of its block has written yet: thread "
                "{writer} does so only later{writer_at}, and nothing makes one wait for the other.")
          : given.to_say(
                "Thread {thread} of block {block} reads address {address:#x}{at}, which no thread of its block has written yet: "
                "thread {writer} does so only later{writer_at}, and nothing makes one wait for the other.");
  text.add(same_line || !writer.line
               ? to_say("Put __syncthreads() between storing and reading, where all threads of the block come to it.")
               : to_say("Put __syncthreads() between line {writer} and line {reader}, where all threads of the block come to it.",
                        "writer"_a = writer.line, "reader"_a = at.line));
  return text;
}

}  // namespace

void Uninitialised::report(const vm::Access& access, std::uint32_t lanes) {
  const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
  const Element element = context_.element(access.space, access.address[lane], access.site);
  const bool shared = access.space == ptx::Space::shared;
  const FindingKey key{.kind = FindingKind::init,
                       .line = LaunchContext::line_key(access.site),
                       .space = std::string{ptx::name_of(access.space)},
                       .buffer = element.buffer()};
  bool fresh = false;
  Finding* const noted = findings_.note(key, static_cast<std::uint64_t>(std::popcount(lanes)), [&] {
    fresh = true;
    Finding finding{
        .space = {}, .message = {}, .at = context_.place(access.site, access.warp, lane), .buffer = {}, .index = {}, .other = {}};
    if (element.is_known()) finding.index = element.index;
    finding.message = unwritten_element(finding.at, element, access);
    return finding;
  });
  if (noted && fresh && shared) wait_for_stores(noted, access, lanes);
}

void Uninitialised::wait_for_stores(Finding* finding, const vm::Access& access, std::uint32_t lanes) {
  for (; lanes; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    awaited_.push_back({.finding = finding,
                        .block = access.warp.block,
                        .address = access.address[lane],
                        .bytes = access.bytes,
                        .reader = access.site,
                        .place = context_.place(access.site, access.warp, lane)});
  }
}

/// Does a thread come to this store before it comes to that load, with no barrier between them? An update of the place fills
/// nothing.
bool Uninitialised::fills_before(const vm::Site& store, const vm::Site& load) {
  if (store.function != load.function || context_.uses_barrier_objects()) return false;
  const auto [entry, fresh] = fills_before_.try_emplace({store.function, store.pc, load.pc}, false);
  if (!fresh) return entry->second;
  // Where threads arrive without waiting, or wait at barrier objects, another barrier is not what is missing.
  const auto arrives = [](const ptx::Instruction& inst) {
    return inst.barrier == ptx::Barrier::arrive || (ptx::row(inst.op).traits & ptx::trait::mbarrier) != 0;
  };
  if (std::ranges::any_of(store.function->code, arrives)) return false;
  ptx::DataFlow flow(*store.function);
  if (!flow.reaches(store.pc, load.pc, ptx::Between::no_barrier) || !flow.reaches_around(0, store.pc, {load.pc})) return false;
  const ptx::Origin value = flow.value_of(store.pc);
  return entry->second = std::ranges::none_of(value.loads, [&](std::uint32_t from) { return flow.same_place(from, store.pc); });
}

/// Another thread stores what was read already: what is missing is a barrier.
void Uninitialised::look_for_late_stores(const vm::Access& access) {
  for (std::uint32_t rest = access.mask; rest; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t address = access.address[lane];
    const auto found = std::ranges::find_if(awaited_, [&](const Awaited& awaited) {
      return awaited.block == access.warp.block && awaited.address < address + access.bytes &&
             address < awaited.address + awaited.bytes;
    });
    if (found == awaited_.end()) continue;
    const Awaited awaited = *found;
    const Place writer = context_.place(access.site, access.warp, lane);
    if (writer.thread == awaited.place.thread || !fills_before(access.site, awaited.reader)) continue;
    std::erase_if(awaited_, [&](const Awaited& other) { return other.finding == awaited.finding; });
    Finding& finding = *awaited.finding;
    const Element element = context_.element(ptx::Space::shared, awaited.address, awaited.reader);
    finding.at = awaited.place;
    if (element.is_known()) finding.index = element.index;
    finding.message = stored_later(finding.at, element, writer);
    if (awaited_.empty()) return;
  }
}

void Uninitialised::finish() {
  for (Finding& finding : findings_.kept()) {
    if (finding.kind == FindingKind::init && finding.threads > 1)
      finding.message.add(to_say("This line has {reads} such reads.", "reads"_a = finding.threads));
  }
}

}  // namespace warpbook::gpu::watch
