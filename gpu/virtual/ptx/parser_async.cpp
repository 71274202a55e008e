// Copies, stores and reductions that hardware makes on the side: cp.async.bulk, cp.reduce.async.bulk, st.async, red.async. They are
// done where they stand, by the thread that asks for them, as loops of ordinary loads and stores, and what counts their bytes is
// told at the end: `mbarrier.complete_tx`, or nothing, where groups are waited for. So detectors see what they touch, and
// Instruction::copy says that they go on while their thread does.
#include <fmt/format.h>

#include <algorithm>

#include "gpu/virtual/ptx/parser_impl.h"

namespace warpbook::gpu::ptx {
namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('.'), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool is_shared(std::string_view word) { return word == "shared" || word == "shared::cta" || word == "shared::cluster"; }

Operand at_register(const Operand& base) {
  Operand operand = base;
  operand.kind = Operand::Kind::address;
  operand.base = Operand::Base::reg;
  return operand;
}

}  // namespace

bool Parser::is_asynchronous(std::string_view text) {
  if (text.starts_with("cp.async.bulk.commit_group") || text.starts_with("cp.async.bulk.wait_group")) return false;
  return text.starts_with("cp.async.bulk.") || text.starts_with("cp.reduce.async.bulk.") || text.starts_with("st.async.") ||
         text.starts_with("red.async.");
}

/// An address as a register that can be moved on.
bool Parser::copy_address(const Operand& address, Operand& out) {
  if (address.kind != Operand::Kind::address || address.base == Operand::Base::none)
    return fail("an address in brackets is expected.");
  const bool variable = address.base == Operand::Base::variable;
  const bool wide = variable ? variable_of(address.variable).space != Space::shared : bytes_of(address.type) == 8;
  out = temporary(wide ? Type::u64 : Type::u32);
  Operand from = address;
  from.kind = variable ? Operand::Kind::variable : Operand::Kind::reg;
  from.base = Operand::Base::none;
  if (variable) {
    emit(wide ? "mov.u64" : "mov.u32", {out, from});
  } else {
    from.offset = 0;
    emit(wide ? "add.u64" : "add.u32", {out, from, constant_operand(static_cast<std::uint64_t>(address.offset))});
  }
  return true;
}

struct Parser::AsynchronousCopy {
  std::vector<std::string_view> words;  // that are left: spaces, operation and type
  std::string_view opcode;              // "cp", "st", "red"
  std::vector<Operand> operands;
  bool by_barrier = false, by_group = false;  // what counts its bytes
  bool reduces = false, bulk = false, prefetches = false;
  bool hinted = false, multicast = false;  // each with an operand that changes nothing here

  /// Takes the words that say how out of the instruction's name.
  explicit AsynchronousCopy(std::string_view text) : words(words_of(text)) {
    const auto take = [&](std::string_view word) {
      const auto found = std::find(words.begin(), words.end(), word);
      if (found == words.end()) return false;
      words.erase(found);
      return true;
    };
    hinted = take("L2::cache_hint");
    multicast = take("multicast::cluster");  // a block is a cluster of its own
    by_barrier = take("mbarrier::complete_tx::bytes");
    by_group = take("bulk_group");
    reduces = take("reduce");
    bulk = take("bulk");
    (void)take("async");
    opcode = words.front();
    words.erase(words.begin());
    prefetches = bulk && !words.empty() && words.front() == "prefetch";
  }

  /// Whether there are as many operands as its words ask for.
  bool take_operands(std::vector<Operand> given) {
    operands = std::move(given);
    for (const bool extra : {hinted, multicast})
      if (extra && !operands.empty()) operands.pop_back();
    const std::size_t wanted = prefetches ? 2 : (bulk ? 3 : 2) + (by_barrier ? 1U : 0U);
    return operands.size() == wanted && (prefetches || by_barrier != by_group);
  }
};

bool Parser::unknown_asynchronous(const Instruction& guard, std::string_view text) {
  const bool tensor = text.find("tensor") != text.npos;
  return fail_at(guard.ptx_line, fmt::format("the virtual GPU has no instruction '{}'{}", text.substr(0, 200),
                                             tensor ? ": it has no tensor memory accelerator. Copy with cp.async or with ordinary "
                                                      "loads and stores."
                                                    : " yet."));
}

void Parser::jump(std::size_t to, bool guarded, bool negated, std::uint32_t predicate) {
  Instruction branch = decode_opcode("bra")->instruction;
  Operand label;
  label.kind = Operand::Kind::label;
  label.index = static_cast<std::uint32_t>(to);
  branch.operands = {label};
  branch.guarded = guarded;
  branch.guard_negated = negated;
  branch.guard = predicate;
  branch.ptx_line = now_.line;
  branch.file = loc_;
  ++instructions_;
  function_->code.push_back(std::move(branch));
}

bool Parser::made(const AsynchronousCopy& copy, const std::string& spelling, std::vector<Operand> operands) {
  const Result<DecodedOpcode> decoded = decode_opcode(spelling);
  if (!decoded) return false;
  Instruction i = decoded->instruction;
  i.operands = std::move(operands);
  i.ptx_line = now_.line;
  i.file = loc_;
  const Effect effect = row(i.op).effect;
  if (i.op == Opcode::mbarrier_complete_tx)
    i.copy = Copy::has_come;
  else if (effect == Effect::load || effect == Effect::store || effect == Effect::atomic)
    i.copy = copy.by_group ? Copy::bulk_group : Copy::counted;
  std::string why;
  if (!std::any_of(decoded->shapes.begin(), decoded->shapes.end(), [&](const Shape* shape) { return fit(i, *shape, 0, why); }) ||
      !fit_parts(i, why))
    return false;
  ++instructions_;
  function_->code.push_back(std::move(i));
  return true;
}

/// st.async and red.async: one element. `bytes`: its size.
bool Parser::store_or_reduce(const AsynchronousCopy& copy, std::uint64_t& bytes) {
  if (copy.words.empty() || std::none_of(copy.words.begin(), copy.words.end(), is_shared)) return false;
  const Operand& value = copy.operands[1];
  const Type type = type_of(copy.words.back());
  if (type == Type::none || type == Type::pred) return false;
  bytes = bytes_of(type) * (value.kind == Operand::Kind::vector ? value.elements.size() : 1);
  std::string spelling(copy.opcode);
  for (const std::string_view word : copy.words) spelling += fmt::format(".{}", word);
  return made(copy, spelling, {copy.operands[0], value});
}

/// cp.async.bulk and cp.reduce.async.bulk: a loop over their bytes.
bool Parser::copy_in_bulk(const AsynchronousCopy& copy) {
  const std::vector<std::string_view>& words = copy.words;
  if (words.size() < 2) return false;
  const bool to_shared = is_shared(words[0]), from_shared = is_shared(words[1]);
  if (!(to_shared || words[0] == "global") || !(from_shared || words[1] == "global") || (!to_shared && !from_shared) ||
      copy.reduces != (words.size() > 2))
    return false;
  Operand to, from;
  if (!copy_address(copy.operands[0], to) || !copy_address(copy.operands[1], from)) return false;
  const Type element = copy.reduces ? type_of(words.back()) : Type::none;
  if (copy.reduces && (element == Type::none || element == Type::pred)) return false;
  const std::uint64_t step = copy.reduces ? bytes_of(element) : 16;
  const Operand left = temporary(Type::u32), done = temporary(Type::pred);
  if (!made(copy, "mov.u32", {left, copy.operands[2]})) return false;
  const std::size_t top = function_->code.size();
  emit("setp.lt.u32", {done, left, constant_operand(step)});
  const std::size_t leave = function_->code.size();
  jump(0, true, false, done.index);
  if (!copy_step(copy, to, from, step)) return false;
  for (const Operand& address : {to, from})
    emit(address.type == Type::u64 ? "add.u64" : "add.u32", {address, address, constant_operand(step)});
  emit("sub.u32", {left, left, constant_operand(step)});
  jump(top, false, false, 0);
  function_->code[leave].operands[0].index = static_cast<std::uint32_t>(function_->code.size());
  return true;
}

/// One element of a reduction, or 16 bytes.
bool Parser::copy_step(const AsynchronousCopy& copy, const Operand& to, const Operand& from, std::uint64_t step) {
  const std::string_view target = is_shared(copy.words[0]) ? "shared" : "global",
                         source = is_shared(copy.words[1]) ? "shared" : "global";
  if (copy.reduces) {
    const std::string bits = fmt::format("b{}", 8 * step);
    const Operand value = temporary(type_of(bits));
    std::string how;
    for (std::size_t w = 2; w < copy.words.size(); ++w) how += fmt::format(".{}", copy.words[w]);
    return made(copy, fmt::format("ld.{}.{}", source, bits), {value, at_register(from)}) &&
           made(copy, fmt::format("red.{}{}", target, how), {at_register(to), value});
  }
  Operand value;
  value.kind = Operand::Kind::vector;
  for (int e = 0; e < 4; ++e) value.elements.push_back(temporary(Type::b32));
  return made(copy, fmt::format("ld.{}.v4.b32", source), {value, at_register(from)}) &&
         made(copy, fmt::format("st.{}.v4.b32", target), {at_register(to), value});
}

bool Parser::parse_asynchronous(const Instruction& guard, std::string_view text) {
  if (text.find("tensor") != text.npos) return unknown_asynchronous(guard, text);
  AsynchronousCopy copy(text);
  std::vector<Operand> operands;
  std::uint64_t pairs = 0;
  if (!parse_operands(operands, pairs)) return false;
  if (!copy.take_operands(std::move(operands))) return unknown_asynchronous(guard, text);

  // Who is not to do it jumps over it all.
  const std::size_t skipped_from = function_->code.size();
  if (guard.guarded) jump(0, true, !guard.guard_negated, guard.guard);
  std::uint64_t bytes = 0;  // of one element, where it is not bulk
  const bool done = copy.prefetches ? made(copy, "prefetch.global.L2", {copy.operands[0]})
                    : copy.bulk     ? copy_in_bulk(copy)
                                    : store_or_reduce(copy, bytes);
  if (!done) return unknown_asynchronous(guard, text);
  // It releases: who waits for the bytes may read them.
  if (copy.by_barrier && !made(copy, "mbarrier.complete_tx.shared::cta.b64",
                               {copy.operands.back(), copy.bulk ? copy.operands[2] : constant_operand(bytes)}))
    return unknown_asynchronous(guard, text);
  if (guard.guarded) function_->code[skipped_from].operands[0].index = static_cast<std::uint32_t>(function_->code.size());
  return expect(";", "after an instruction");
}

}  // namespace warpbook::gpu::ptx
