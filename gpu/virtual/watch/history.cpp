#include "gpu/virtual/watch/history.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "gpu/virtual/ptx/printer.h"

namespace warpbook::gpu::watch {
namespace {

using ptx::Opcode;
using ptx::Type;

constexpr std::size_t words_a_chunk = std::size_t{1} << 18;   // 1 MiB
constexpr std::size_t most_contents = std::size_t{64} << 20;  // of global memory, in all
constexpr std::uint32_t no_local = ~0u;
constexpr std::size_t fewest_chunks = 16;  // of the limit: what is dropped at once is small beside what is kept

/// Registers declared without a sign, or as bits, are shown as instructions use them: floats where one computes with floats,
/// signed where one is signed.
Type use_of(Type known, Type use, unsigned bytes) {
  if (ptx::bytes_of(use) != bytes || use == Type::pred) return known;
  const auto rank = [](Type t) { return t == Type::f32 || t == Type::f64 ? 3 : ptx::is_signed(t) ? 2 : ptx::is_float(t) ? 1 : 0; };
  return rank(use) > rank(known) ? use : known;
}

/// Where parameters lie, and which registers they are loaded into.
void describe_parameters(const ptx::Function& function, HistoryFunction& described) {
  std::uint64_t offset = 0;
  for (const ptx::Variable& parameter : function.parameters) {
    const std::uint64_t align = std::max(1u, parameter.align);
    offset = (offset + align - 1) / align * align;
    described.parameters.push_back(
        {parameter.name, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(parameter.size), {}});
    offset += parameter.size;
  }
  for (const ptx::Instruction& inst : function.code) {
    if (inst.op != Opcode::ld || inst.space != ptx::Space::param || inst.operands.size() < 2) continue;
    const ptx::Operand& from = inst.operands[1];
    if (from.base != ptx::Operand::Base::variable || from.variable.where != ptx::Operand::VariableRef::Where::parameter) continue;
    const ptx::Operand& to = inst.operands[0];
    const unsigned bytes = ptx::bytes_of(inst.type);
    auto at = static_cast<std::uint32_t>(from.offset);
    const auto load = [&](const ptx::Operand& reg) {
      if (reg.kind == ptx::Operand::Kind::reg) described.parameters[from.variable.index].loads.push_back({reg.index, at, bytes});
      at += bytes;
    };
    if (to.elements.empty()) load(to);
    for (const ptx::Operand& element : to.elements) load(element);
  }
}

HistoryFunction describe(const ptx::Function& function) {
  HistoryFunction described;
  described.name = function.name;
  described.kernel = function.entry;
  described.text.resize(function.code.size());
  for (const ptx::Instruction& inst : function.code) {
    described.ptx_lines.push_back(inst.ptx_line);
    const bool one = inst.destinations == 1 && inst.operands[0].kind == ptx::Operand::Kind::reg;
    described.writes.push_back(one ? inst.operands[0].index : HistoryFunction::no_register);
  }
  describe_parameters(function, described);
  std::vector<Type> types;
  for (const ptx::Register& reg : function.registers) types.push_back(reg.type);
  for (const ptx::Instruction& inst : function.code) {
    // What only moves bits says nothing, and an address is no number to compute with.
    if (inst.op == Opcode::call) continue;
    for (std::size_t o = 0; o < inst.operands.size(); ++o) {
      const ptx::Operand& operand = inst.operands[o];
      const bool source_of_convert = o >= inst.destinations && (inst.op == Opcode::cvt || inst.op == Opcode::set);
      const Type use = source_of_convert || (inst.op == Opcode::slct && o + 1 == inst.operands.size()) ? inst.type2 : inst.type;
      const auto note = [&](const ptx::Operand& reg) {
        if (reg.kind != ptx::Operand::Kind::reg || types[reg.index] == Type::pred) return;
        types[reg.index] = use_of(types[reg.index], use, ptx::bytes_of(function.registers[reg.index].type));
      };
      note(operand);
      for (const ptx::Operand& element : operand.elements) note(element);
    }
  }
  for (std::size_t r = 0; r < function.registers.size(); ++r) {
    const Type declared = function.registers[r].type;
    const unsigned bytes = declared == Type::pred ? 0 : ptx::bytes_of(declared);
    described.registers.push_back({function.registers[r].name, std::string(ptx::name_of(types[r])), bytes, described.row_bytes});
    described.row_bytes += bytes ? std::max(4u, bytes * 32) : 4;
  }
  return described;
}

std::size_t bytes_of(const History::Frame& frame) {
  return sizeof frame + (frame.rows.size() + frame.written.size()) * sizeof(std::uint32_t);
}

}  // namespace

Recorder::Recorder(const LaunchContext& context, Findings& findings, std::size_t limit)
    : Detector(context, findings), limit_(limit) {}

void Recorder::on_launch(const vm::LaunchInfo& launch) {
  module_ = launch.module;
  shared_words_ = (launch.shared_bytes + 3) / 4;
  warps_per_block_ = launch.warps_per_block;
  functions_.resize(module_->functions.size());
  parameters_.assign(launch.parameters.begin(), launch.parameters.end());
  std::size_t kept = 0;
  for (const vm::Allocation& allocation : launch.allocations) {
    arrays_.push_back({.name = allocation.name,
                       .symbol = allocation.symbol,
                       .constant = allocation.constant,
                       .base = allocation.base,
                       .bytes = allocation.bytes,
                       .type = allocation.type});
    const bool keep = kept + allocation.contents.size() <= most_contents;
    contents_.push_back(keep ? allocation.contents : std::span<const std::byte>{});
    kept += contents_.back().size();
  }
  for (const vm::SharedVariable& variable : launch.shared_variables)
    arrays_.push_back({.name = variable.name,
                       .symbol = variable.symbol,
                       .shared = true,
                       .dynamic = variable.dynamic,
                       .base = variable.offset,
                       .bytes = variable.bytes});
}

std::uint32_t Recorder::function_number(const vm::Site& site) const {
  return static_cast<std::uint32_t>(site.function - module_->functions.data());
}

Recorder::BlockSlot& Recorder::block_of(std::uint32_t block) {
  const auto [entry, fresh] = blocks_.try_emplace(block);
  BlockSlot& slot = entry->second;
  if (!fresh) return slot;
  slot.warps.resize(warps_per_block_);
  slot.locals.assign(warps_per_block_, no_local);
  if (free_blocks_.empty()) {
    slot.shared = static_cast<std::uint32_t>(state_.blocks.size());
    state_.blocks.emplace_back();
  } else {
    slot.shared = free_blocks_.back();
    free_blocks_.pop_back();
  }
  History::Shared& shared = state_.blocks[slot.shared];
  shared.block = block;
  shared.words.assign(shared_words_, 0);
  shared.written.assign(shared_words_, 0);
  slot.bytes = shared_words_ * 5;
  bytes_ += slot.bytes;
  return slot;
}

std::uint32_t Recorder::new_frame(const vm::Site& site, vm::WarpId warp, BlockSlot& block) {
  std::uint32_t slot;
  if (free_frames_.empty()) {
    slot = static_cast<std::uint32_t>(state_.frames.size());
    state_.frames.emplace_back();
  } else {
    slot = free_frames_.back();
    free_frames_.pop_back();
  }
  History::Frame& frame = state_.frames[slot];
  frame.warp = {warp.block, warp.warp};
  frame.function = function_number(site);
  HistoryFunction& function = functions_[frame.function];
  if (function.text.empty()) function = describe(*site.function);
  frame.rows.assign(function.row_bytes / 4, 0);
  frame.written.assign(function.registers.size(), 0);
  block.bytes += bytes_of(frame);
  bytes_ += bytes_of(frame);
  return slot;
}

std::uint32_t Recorder::frame_of(const vm::Site& site, vm::WarpId warp, vm::FrameId id) {
  BlockSlot& block = block_of(warp.block);
  const std::uint32_t function = function_number(site);
  auto& frames = block.warps[warp.warp];
  for (FrameSlot& frame : frames) {
    if (frame.number != id.number || frame.function != function) continue;
    if (frame.activation != id.activation && !chunks_.empty()) {
      // Another call of the function: what the registers held is no longer theirs.
      frame.activation = id.activation;
      auto& written = state_.frames[frame.slot].written;
      std::uint32_t* words =
          add({.kind = History::ChangeKind::entered, .count = static_cast<std::uint32_t>(written.size()), .where = frame.slot});
      std::copy(written.begin(), written.end(), words);
      std::fill(written.begin(), written.end(), 0);
    }
    return frame.slot;
  }
  return frames.emplace_back(FrameSlot{id.number, id.activation, function, new_frame(site, warp, block)}).slot;
}

std::uint32_t Recorder::caller_of(const vm::Issue& issue) {
  if (issue.frame.number == 0) return no_frame;
  // A number is used again when its call has returned: the newest is meant.
  const FrameSlot* newest = nullptr;
  for (const FrameSlot& frame : block_of(issue.warp.block).warps[issue.warp.warp])
    if (frame.number == issue.frame.caller && (newest == nullptr || frame.activation > newest->activation)) newest = &frame;
  return newest == nullptr ? no_frame : newest->slot;
}

std::size_t Recorder::chunk_bytes() const {
  const Chunk& chunk = chunks_.back();
  return chunk.steps.size() * (sizeof(HistoryStep) + sizeof(std::uint32_t)) + chunk.changes.words.size() * sizeof(std::uint32_t);
}

void Recorder::on_issue(const vm::Issue& issue) {
  // A call that is entered belongs to the step before: here the warp stands in it already.
  const std::uint32_t frame = frame_of(issue.site, issue.warp, issue.frame);
  const std::size_t full = std::min(words_a_chunk * sizeof(std::uint32_t), limit_ / fewest_chunks);
  if (chunks_.empty() || chunk_bytes() >= full) {
    if (!chunks_.empty()) bytes_ += chunk_bytes();
    chunks_.emplace_back().changes.first = steps_;
    while (bytes_ > limit_ && chunks_.size() > 1) drop_oldest();
  }
  block_of(issue.warp.block).last_step = steps_++;
  const std::uint32_t function = function_number(issue.site);
  std::string& text = functions_[function].text[issue.site.pc];
  const ptx::Instruction& inst = issue.site.instruction();
  if (text.empty()) text = ptx::print(*issue.site.function, inst, *module_);
  Chunk& chunk = chunks_.back();
  chunk.changes.begins.push_back(static_cast<std::uint32_t>(chunk.changes.words.size()));
  chunk.steps.push_back({.warp = {issue.warp.block, issue.warp.warp},
                         .line = inst.line,
                         .function = function,
                         .pc = issue.site.pc,
                         .mask = issue.mask,
                         .frame = frame,
                         .caller = caller_of(issue),
                         .barrier = (inst.op == Opcode::bar || inst.op == Opcode::barrier) && inst.barrier != ptx::Barrier::arrive,
                         .cycle = issue.cycle});
}

std::uint32_t* Recorder::add(History::ChangeHeader header) {
  Words& words = chunks_.back().changes.words;
  const std::size_t at = words.size();
  words.resize(at + History::header_words + header.count);
  std::memcpy(&words[at], &header, sizeof header);
  return words.data() + at + History::header_words;
}

void Recorder::on_change(const vm::Change& change) {
  if (chunks_.empty()) return;
  block_of(change.warp.block).last_step = steps_ - 1;
  if (!change.registers.empty()) keep_registers(change);
  if (change.memory.empty()) return;
  keep_shared(change);
  keep_local(change);
  keep_global(change);
}

/// A shared variable's element type is nowhere in PTX: it is that of what is stored there. A constant, or a register that is only
/// ever used as bits, may hold a float (`st.shared.b32 [tile], 0x3fc00000`): it does not make an array of floats one of integers.
void Recorder::note_type(const vm::Change& change) {
  const auto first = std::find_if(change.memory.begin(), change.memory.end(),
                                  [](const vm::Change::Stored& stored) { return stored.space == ptx::Space::shared; });
  const ptx::Instruction& inst = change.site.instruction();
  Type type = inst.type;
  bool bits_alone = false;
  if (inst.op == Opcode::st && !ptx::is_float(type)) {
    const ptx::Operand& data = inst.operands[1].elements.empty() ? inst.operands[1] : inst.operands[1].elements[0];
    if (data.kind == ptx::Operand::Kind::reg) {
      const std::string& shown = functions_[function_number(change.site)].registers[data.index].type;
      for (const Type t : {Type::f32, Type::f64})
        if (shown == ptx::name_of(t)) type = t;
      bits_alone = shown == ptx::name_of(Type::b32) || shown == ptx::name_of(Type::b64);
    } else {
      bits_alone = true;
    }
  }
  for (HistoryArray& array : arrays_)
    if (array.shared && first->address - array.base < array.bytes) {
      const bool is_float = array.type == ScalarType::float32 || array.type == ScalarType::float64;
      if (bits_alone && is_float && size_of(array.type) == ptx::bytes_of(type)) return;
      array.type = type == Type::f32          ? ScalarType::float32
                   : type == Type::f64        ? ScalarType::float64
                   : ptx::bytes_of(type) == 8 ? ScalarType::int64
                   : ptx::bytes_of(type) == 1 ? ScalarType::uint8
                   : ptx::bytes_of(type) == 2 ? ScalarType::uint16
                                              : ScalarType::int32;
      return;
    }
}

void Recorder::keep_registers(const vm::Change& change) {
  const std::uint32_t slot = frame_of(change.site, change.warp, change.frame);
  History::Frame& frame = state_.frames[slot];
  const HistoryFunction& function = functions_[frame.function];
  for (const vm::Change::Value& value : change.registers) {
    const HistoryFunction::Register& reg = function.registers[value.reg];
    const std::uint32_t count = reg.bytes ? std::max(4u, reg.bytes * 32) / 4 : 1;
    const std::uint32_t fresh = change.mask & ~frame.written[value.reg];
    std::uint32_t* words = add({.kind = History::ChangeKind::registers,
                                .count = count,
                                .line = line_of(change.site),
                                .where = slot,
                                .reg = value.reg,
                                .written = fresh});
    frame.written[value.reg] |= fresh;
    std::uint32_t* now = &frame.rows[reg.offset / 4];
    if (reg.bytes == 0) {
      std::uint32_t bits;
      std::memcpy(&bits, value.lanes, sizeof bits);
      words[0] = (*now ^ bits) & change.mask;
      *now ^= words[0];
      continue;
    }
    if (change.mask == ~0u) {
      std::memcpy(words, value.lanes, std::size_t{count} * 4);
    } else {
      std::memcpy(words, now, std::size_t{count} * 4);
      auto* bytes = reinterpret_cast<std::byte*>(words);
      for (std::uint32_t left = change.mask; left; left &= left - 1) {
        const std::size_t at = static_cast<std::size_t>(std::countr_zero(left)) * reg.bytes;
        std::memcpy(bytes + at, value.lanes + at, reg.bytes);
      }
    }
    for (std::uint32_t w = 0; w < count; ++w) {
      const std::uint32_t old = now[w];
      now[w] = words[w];
      words[w] ^= old;
    }
  }
}

/// The words that a store touches, and which of their bytes.
void Recorder::note_words(const vm::Change::Stored& stored, std::uint32_t stride, std::uint32_t first) {
  for (std::uint32_t b = 0; b < stored.bytes; ++b) {
    const std::uint64_t address = stored.address + b;
    const auto index = static_cast<std::uint32_t>(address / 4 * stride + first);
    if (words_.empty() || words_.back().index != index) words_.push_back({.index = index});
    words_.back().written |= static_cast<std::uint8_t>(1u << address % 4);
  }
}

/// Lanes may meet in one word: each stands in the change once. Before anything is stored.
template <class Memory>
void Recorder::join_words(const Memory& memory) {
  std::sort(words_.begin(), words_.end(), [](const Word& a, const Word& b) { return a.index < b.index; });
  std::size_t joined = 0;
  for (const Word& word : words_) {
    if (joined > 0 && words_[joined - 1].index == word.index)
      words_[joined - 1].written |= word.written;
    else
      words_[joined++] = word;
  }
  words_.resize(joined);
  for (Word& word : words_) word.old = memory.words[word.index];
}

/// What words_ says of a memory, with its values from before and now.
template <class Memory>
void Recorder::keep_words(Memory& memory, History::ChangeHeader header) {
  header.count = static_cast<std::uint32_t>(3 * words_.size());
  std::uint32_t* words = add(header);
  for (const Word& word : words_) {
    const auto fresh = static_cast<std::uint8_t>(word.written & ~memory.written[word.index]);
    *words++ = word.index;
    *words++ = word.old ^ memory.words[word.index];
    *words++ = fresh;
    memory.written[word.index] |= fresh;
  }
}

void Recorder::keep_shared(const vm::Change& change) {
  const std::uint32_t slot = block_of(change.warp.block).shared;
  History::Shared& shared = state_.blocks[slot];
  words_.clear();
  for (const vm::Change::Stored& stored : change.memory)
    if (stored.space == ptx::Space::shared && stored.address + stored.bytes <= shared.words.size() * 4) note_words(stored, 1, 0);
  if (words_.empty()) return;
  note_type(change);
  join_words(shared);
  for (const vm::Change::Stored& stored : change.memory)
    if (stored.space == ptx::Space::shared && stored.address + stored.bytes <= shared.words.size() * 4)
      std::memcpy(reinterpret_cast<std::byte*>(shared.words.data()) + stored.address, stored.after.data(), stored.bytes);
  keep_words(shared, {.kind = History::ChangeKind::shared, .line = line_of(change.site), .where = slot});
}

History::Local& Recorder::local_of(vm::WarpId warp, std::uint32_t& slot) {
  std::uint32_t& known = block_of(warp.block).locals[warp.warp];
  if (known == no_local) {
    if (free_locals_.empty()) {
      known = static_cast<std::uint32_t>(state_.locals.size());
      state_.locals.emplace_back();
    } else {
      known = free_locals_.back();
      free_locals_.pop_back();
    }
    state_.locals[known] = {.warp = {warp.block, warp.warp}, .words = {}, .written = {}};
  }
  slot = known;
  return state_.locals[known];
}

void Recorder::keep_local(const vm::Change& change) {
  std::uint64_t end = 0;
  for (const vm::Change::Stored& stored : change.memory)
    if (stored.space == ptx::Space::local) end = std::max(end, stored.address + stored.bytes);
  if (end == 0) return;
  std::uint32_t slot = 0;
  History::Local& local = local_of(change.warp, slot);
  if (const std::size_t needed = (end + 3) / 4 * 32; needed > local.words.size()) {
    const std::size_t grown = (needed - local.words.size()) * 5;
    block_of(change.warp.block).bytes += grown;
    bytes_ += grown;
    local.words.resize(needed);
    local.written.resize(needed);
  }
  words_.clear();
  for (const vm::Change::Stored& stored : change.memory)
    if (stored.space == ptx::Space::local) note_words(stored, 32, stored.lane);
  join_words(local);
  for (const vm::Change::Stored& stored : change.memory) {
    if (stored.space != ptx::Space::local) continue;
    for (std::uint32_t b = 0; b < stored.bytes; ++b) {
      std::uint32_t& word = local.words[(stored.address + b) / 4 * 32 + stored.lane];
      const auto shift = static_cast<unsigned>(8 * ((stored.address + b) % 4));
      word = (word & ~(0xffu << shift)) | std::uint32_t{std::to_integer<std::uint8_t>(stored.after[b])} << shift;
    }
  }
  keep_words(local, {.kind = History::ChangeKind::local, .line = line_of(change.site), .where = slot});
}

void Recorder::keep_global(const vm::Change& change) {
  std::uint32_t count = 0;
  for (const vm::Change::Stored& stored : change.memory)
    if (stored.space == ptx::Space::global) count += (static_cast<std::uint32_t>(stored.address % 4) + stored.bytes + 3) / 4;
  if (count == 0) return;
  std::uint32_t* words = add({.kind = History::ChangeKind::global,
                              .count = 4 * count,
                              .line = line_of(change.site),
                              .where = change.warp.block,
                              .reg = change.warp.warp});
  for (const vm::Change::Stored& stored : change.memory) {
    if (stored.space != ptx::Space::global) continue;
    for (std::uint32_t b = 0; b < stored.bytes;) {
      // Of a word that is written in part, the rest counts as zeros on both sides.
      const std::uint64_t address = stored.address + b;
      const auto within = static_cast<std::uint32_t>(address % 4);
      const std::uint32_t bytes = std::min(4 - within, stored.bytes - b);
      std::uint32_t before = 0, after = 0;
      std::memcpy(reinterpret_cast<std::byte*>(&before) + within, &stored.before[b], bytes);
      std::memcpy(reinterpret_cast<std::byte*>(&after) + within, &stored.after[b], bytes);
      *words++ = static_cast<std::uint32_t>(address - within);
      *words++ = static_cast<std::uint32_t>(address >> 32);
      *words++ = before;
      *words++ = after;
      b += bytes;
    }
  }
}

void Recorder::on_block_end(std::uint32_t block) {
  if (const auto found = blocks_.find(block); found != blocks_.end()) found->second.ended = true;
}

void Recorder::drop_oldest() {
  const Chunk& oldest = chunks_.front();
  const std::size_t steps = oldest.steps.size();
  bytes_ -= steps * (sizeof(HistoryStep) + sizeof(std::uint32_t)) + oldest.changes.words.size() * sizeof(std::uint32_t);
  dropped_ += steps;
  chunks_.pop_front();
  std::vector<std::uint32_t> gone;
  for (const auto& [index, block] : blocks_)
    if (block.ended && block.last_step < dropped_) gone.push_back(index);
  for (const std::uint32_t index : gone) forget(index);
}

void Recorder::forget(std::uint32_t block) {
  const BlockSlot& slot = blocks_.at(block);
  bytes_ -= slot.bytes;
  free_blocks_.push_back(slot.shared);
  for (const std::uint32_t local : slot.locals)
    if (local != no_local) free_locals_.push_back(local);
  for (const auto& frames : slot.warps)
    for (const FrameSlot& frame : frames) free_frames_.push_back(frame.slot);
  blocks_.erase(block);
}

std::shared_ptr<const History> Recorder::take() {
  History::Recording recording;
  for (Chunk& chunk : chunks_) {
    recording.steps.insert(recording.steps.end(), chunk.steps.begin(), chunk.steps.end());
    chunk.steps = {};
    chunk.changes.first -= dropped_;
    if (!chunk.changes.begins.empty()) recording.chunks.push_back(std::move(chunk.changes));
  }
  recording.functions = std::move(functions_);
  recording.arrays = std::move(arrays_);
  for (const std::uint32_t slot : free_frames_) state_.frames[slot] = {};
  for (const std::uint32_t slot : free_blocks_) state_.blocks[slot] = {.block = ~0u, .words = {}, .written = {}};
  for (const std::uint32_t slot : free_locals_) state_.locals[slot] = {.warp = {~0u, ~0u}, .words = {}, .written = {}};
  for (const auto& contents : contents_) recording.contents.emplace_back(contents.begin(), contents.end());
  recording.parameters = std::move(parameters_);
  recording.end = std::move(state_);
  recording.dropped = dropped_;
  return std::make_shared<const History>(std::move(recording));
}

}  // namespace warpbook::gpu::watch
