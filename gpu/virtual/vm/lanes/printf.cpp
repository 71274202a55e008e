// What device code may call without defining it: printf, assert, malloc and free.
#include <fmt/format.h>

#include <bit>
#include <cstdio>
#include <cstring>
#include <string>

#include "gpu/virtual/vm/code/place.h"
#include "gpu/virtual/vm/exec/block.h"
#include "gpu/virtual/vm/lanes/access.h"
#include "gpu/virtual/vm/lanes/handlers.h"

namespace warpbook::gpu::vm {
namespace {

constexpr std::size_t longest_string = 4096;

/// A lane's byte at a generic address; nullptr where it may not read.
const std::byte* at_generic(const Warp& w, std::uint32_t lane, std::uint64_t address, std::size_t bytes) {
  const Resolved at = resolve(ptx::Space::generic, address);
  if (at.space == ptx::Space::shared)
    return at.address + bytes <= w.block->shared.size() ? w.block->shared.data() + at.address : nullptr;
  if (at.space == ptx::Space::local)
    return at.address + bytes <= w.local_bytes ? w.local.data() + std::size_t{lane} * w.local_bytes + at.address : nullptr;
  const Extent extent = w.worker->find(address);
  return extent.holds(address, bytes) ? extent.at(address) : nullptr;
}

std::string string_at(const Warp& w, std::uint32_t lane, std::uint64_t address) {
  std::string text;
  for (std::size_t i = 0; i < longest_string; ++i) {
    const std::byte* byte = at_generic(w, lane, address + i, 1);
    if (!byte || *byte == std::byte{0}) break;
    text += static_cast<char>(*byte);
  }
  return text;
}

/// C's printf for one lane, with arguments as CUDA lays them out: in order, each aligned to its size, floats as doubles.
class Printf {
 public:
  Printf(const Warp& warp, std::uint32_t lane, const std::string& pattern, std::uint64_t arguments)
      : warp_(warp), lane_(lane), pattern_(pattern), argument_(arguments) {}

  std::string text() {
    while (at_ < pattern_.size()) {
      if (pattern_[at_] != '%') {
        out_ += pattern_[at_++];
      } else if (at_ + 1 < pattern_.size() && pattern_[at_ + 1] == '%') {
        out_ += '%';
        at_ += 2;
      } else {
        conversion();
      }
    }
    return std::move(out_);
  }
  /// How many arguments it has taken.
  [[nodiscard]] int count() const { return count_; }

 private:
  std::uint64_t take(std::size_t bytes) {
    argument_ = (argument_ + bytes - 1) / bytes * bytes;
    std::uint64_t value = 0;
    if (const std::byte* from = at_generic(warp_, lane_, argument_, bytes)) std::memcpy(&value, from, bytes);
    argument_ += bytes;
    ++count_;
    return value;
  }

  template <class Value>
  void print(const std::string& specification, Value value) {
    char buffer[512];
    // The specification was rebuilt from flags, width, precision and one conversion letter, so it is safe to pass on.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int length = std::snprintf(buffer, sizeof buffer, specification.c_str(), value);
#pragma GCC diagnostic pop
    if (length > 0) out_.append(buffer, std::min<std::size_t>(static_cast<std::size_t>(length), sizeof buffer - 1));
  }

  [[nodiscard]] bool next_is_one_of(const char* letters) const {
    return at_ < pattern_.size() && pattern_[at_] != '\0' && std::strchr(letters, pattern_[at_]) != nullptr;
  }

  /// A width or precision: digits, or an argument.
  std::string number() {
    if (next_is_one_of("*")) {
      ++at_;
      return std::to_string(static_cast<std::int32_t>(take(4)) % 400);
    }
    std::string digits;
    while (next_is_one_of("0123456789")) digits += pattern_[at_++];
    return digits.size() > 3 ? "400" : digits;
  }

  void conversion() {
    const std::size_t start = at_++;
    std::string specification = "%";
    while (next_is_one_of("-+ #0")) specification += pattern_[at_++];
    specification += number();
    if (next_is_one_of(".")) {
      specification += pattern_[at_++];
      specification += number();
    }
    bool wide = false;
    while (next_is_one_of("hlLqjzt")) wide |= pattern_[at_++] != 'h';
    const char letter = at_ < pattern_.size() ? pattern_[at_] : '\0';
    if (!convert(specification, letter, wide)) out_ += pattern_.substr(start, at_ - start + 1);  // as it stands, as CUDA does
    ++at_;
  }

  /// False: the letter is no conversion.
  bool convert(const std::string& specification, char letter, bool wide) {
    switch (letter) {
      case 'd':
      case 'i':
        wide ? print(specification + "lld", static_cast<long long>(take(8)))
             : print(specification + "d", static_cast<std::int32_t>(take(4)));
        return true;
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        wide ? print(specification + "ll" + letter, static_cast<unsigned long long>(take(8)))
             : print(specification + letter, static_cast<std::uint32_t>(take(4)));
        return true;
      case 'c':
        print(specification + "c", static_cast<int>(take(4)));
        return true;
      case 'f':
      case 'F':
      case 'e':
      case 'E':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        print(specification + letter, std::bit_cast<double>(take(8)));
        return true;
      case 's':
        print(specification + "s", string_at(warp_, lane_, take(8)).c_str());
        return true;
      case 'p':
        print(specification + "#llx", static_cast<unsigned long long>(take(8)));
        return true;
      default:
        return false;
    }
  }

  const Warp& warp_;
  const std::uint32_t lane_;
  const std::string& pattern_;
  std::uint64_t argument_;  // the address of the next argument
  std::size_t at_ = 0;
  int count_ = 0;
  std::string out_;
};

std::uint64_t argument(const Warp& w, const Extra& extra, std::size_t which, std::uint32_t lane) {
  if (which >= extra.arguments.size()) return 0;
  const Extra::Copy& copy = extra.arguments[which];
  std::uint64_t value = 0;
  const std::byte* from = copy.is_row ? w.row(copy.row) + std::size_t{lane} * copy.bytes
                                      : w.local.data() + std::size_t{lane} * w.local_bytes + w.frame->local_base + copy.here;
  std::memcpy(&value, from, std::min<std::size_t>(copy.bytes, 8));
  return value;
}

void give_back(Warp& w, const Extra& extra, std::uint32_t lane, std::uint64_t value) {
  if (extra.results.empty()) return;
  const Extra::Copy& copy = extra.results[0];
  std::byte* to = copy.is_row ? w.row(copy.row) + std::size_t{lane} * copy.bytes
                              : w.local.data() + std::size_t{lane} * w.local_bytes + w.frame->local_base + copy.here;
  std::memcpy(to, &value, std::min<std::size_t>(copy.bytes, 8));
}

void allocate(Warp& w, const Inst& i, const Extra& extra, std::uint32_t lane) {
  give_back(w, extra, lane, w.worker->machine.memory->heap_allocate(argument(w, extra, 0, lane), i.ptx->line));
}

/// free; false: a fault.
bool release(Warp& w, const Inst& i, const Extra& extra, std::uint32_t lane) {
  const std::uint64_t address = argument(w, extra, 0, lane);
  if (address == 0) return true;
  const Memory& memory = *w.worker->machine.memory;
  const Heap::Piece piece = memory.heap_piece(address);
  const Heap::Block before = w.worker->machine.memory->heap_release(address, i.ptx->line);
  if (before == Heap::Block::live) return true;
  const bool within = piece.state != Heap::Block::none && address >= piece.low && address - piece.low < piece.bytes;
  Message message;
  if (before == Heap::Block::freed)
    message = to_say(
        "A thread frees a block of {bytes} bytes{at}, which malloc gave in line {line} and which line {before} has freed before. "
        "Free what malloc gave once, by one thread.",
        "at"_a = place_of(*i.ptx), "bytes"_a = piece.bytes, "line"_a = piece.line, "before"_a = piece.released_line);
  else if (within)
    message = to_say(
        "A thread frees an address{at} that lies {offset} bytes behind the start of the block of {bytes} bytes that malloc gave in "
        "line {line}. Pass the pointer to free that malloc returned.",
        "at"_a = place_of(*i.ptx), "offset"_a = address - piece.low, "bytes"_a = piece.bytes, "line"_a = piece.line);
  else
    message = to_say(
        "A thread frees the address {address:#x}{at}, which malloc did not return. Free only what malloc in a kernel gave, at the "
        "address that it gave; memory of the host is the host's to release.",
        "at"_a = place_of(*i.ptx), "address"_a = address);
  w.worker->fault(w, i, lane, "cudaErrorIllegalAddress", std::move(message));
  return false;
}

}  // namespace

void builtin_handler(Warp& w, const Inst& i) {
  const Extra& extra = w.frame->code->extras[i.extra];
  Machine& machine = w.worker->machine;
  constexpr int a_lane = 4;  // takes as long as so many short loops, or longer
  if (!w.take(a_lane * std::popcount(w.exec))) return;
  for (std::uint32_t left = w.exec; left; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    switch (extra.builtin) {
      case Extra::Builtin::vprintf: {
        const std::string pattern = string_at(w, lane, argument(w, extra, 0, lane));
        Printf printed(w, lane, pattern, argument(w, extra, 1, lane));
        machine.print(printed.text());
        give_back(w, extra, lane, static_cast<std::uint32_t>(printed.count()));
        break;
      }
      case Extra::Builtin::assertfail: {
        // __assertfail(message, file, line, function, char size)
        const std::string message = string_at(w, lane, argument(w, extra, 0, lane));
        const auto line = static_cast<std::uint32_t>(argument(w, extra, 2, lane));
        return w.worker->fault(
            w, i, lane, "cudaErrorAssert",
            to_say("The assertion `{condition}` of line {line} does not hold.", "condition"_a = message, "line"_a = line));
      }
      case Extra::Builtin::malloc:
        allocate(w, i, extra, lane);
        break;
      case Extra::Builtin::free:
        if (!release(w, i, extra, lane)) return;
        break;
      case Extra::Builtin::none:
        break;
    }
  }
}

}  // namespace warpbook::gpu::vm
