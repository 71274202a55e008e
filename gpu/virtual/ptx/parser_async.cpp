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

bool Parser::parse_asynchronous(const Instruction& guard, std::string_view text) {
  const bool tensor = text.find("tensor") != text.npos;
  const auto unknown = [&] {
    return fail_at(guard.ptx_line,
                   fmt::format("the virtual GPU has no instruction '{}'{}", text.substr(0, 200),
                               tensor ? ": it has no tensor memory accelerator. Copy with cp.async or with ordinary "
                                        "loads and stores."
                                      : " yet."));
  };
  if (tensor) return unknown();
  // Words that say how, taken out one by one.
  std::vector<std::string_view> words = words_of(text);
  const auto take = [&](std::string_view word) {
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end()) return false;
    words.erase(found);
    return true;
  };
  const bool hinted = take("L2::cache_hint"), multicast = take("multicast::cluster");
  const bool by_barrier = take("mbarrier::complete_tx::bytes"), by_group = take("bulk_group");
  const bool reduces = take("reduce"), bulk = take("bulk");
  (void)take("async");
  const std::string_view opcode = words.front();
  words.erase(words.begin());

  std::vector<Operand> operands;
  std::uint64_t pairs = 0;
  if (!parse_operands(operands, pairs)) return false;
  if (hinted && !operands.empty()) operands.pop_back();
  if (multicast && !operands.empty()) operands.pop_back();  // a block is a cluster of its own
  const bool prefetches = bulk && !words.empty() && words.front() == "prefetch";
  const std::size_t wanted = prefetches ? 2 : (bulk ? 3 : 2) + (by_barrier ? 1U : 0U);
  if (operands.size() != wanted || (!prefetches && by_barrier == by_group)) return unknown();

  // Who is not to do it jumps over it all.
  Instruction skip = decode_opcode("bra")->instruction;
  const std::size_t skipped_from = function_->code.size();
  const auto jump = [&](std::size_t to, bool guarded, bool negated, std::uint32_t predicate) {
    Operand label;
    label.kind = Operand::Kind::label;
    label.index = static_cast<std::uint32_t>(to);
    skip.operands = {label};
    skip.guarded = guarded;
    skip.guard_negated = negated;
    skip.guard = predicate;
    skip.ptx_line = now_.line;
    skip.file = loc_;
    ++instructions_;
    function_->code.push_back(skip);
  };
  if (guard.guarded) jump(0, true, !guard.guard_negated, guard.guard);

  // A spelling that is made here and may not be one.
  const auto made = [&](const std::string& spelling, std::vector<Operand> of) {
    const Result<DecodedOpcode> decoded = decode_opcode(spelling);
    if (!decoded) return false;
    Instruction i = decoded->instruction;
    i.operands = std::move(of);
    i.ptx_line = now_.line;
    i.file = loc_;
    const Effect effect = row(i.op).effect;
    if (i.op == Opcode::mbarrier_complete_tx)
      i.copy = Copy::has_come;
    else if (effect == Effect::load || effect == Effect::store || effect == Effect::atomic)
      i.copy = by_group ? Copy::bulk_group : Copy::counted;
    std::string why;
    if (!std::any_of(decoded->shapes.begin(), decoded->shapes.end(), [&](const Shape* shape) { return fit(i, *shape, 0, why); }) ||
        !fit_parts(i, why))
      return false;
    ++instructions_;
    function_->code.push_back(std::move(i));
    return true;
  };
  std::uint64_t bytes = 0;  // of one element, where it is not bulk
  if (prefetches) {
    if (!made("prefetch.global.L2", {operands[0]})) return unknown();
  } else if (!bulk) {
    if (words.empty() || std::none_of(words.begin(), words.end(), is_shared)) return unknown();
    const Type type = type_of(words.back());
    const std::size_t elements = operands[1].kind == Operand::Kind::vector ? operands[1].elements.size() : 1;
    if (type == Type::none || type == Type::pred) return unknown();
    bytes = bytes_of(type) * elements;
    std::string spelling(opcode);
    for (const std::string_view word : words) spelling += fmt::format(".{}", word);
    if (!made(spelling, {operands[0], operands[1]})) return unknown();
  } else {
    if (words.size() < 2) return unknown();
    const bool to_shared = is_shared(words[0]), from_shared = is_shared(words[1]);
    if (!(to_shared || words[0] == "global") || !(from_shared || words[1] == "global") || (!to_shared && !from_shared) ||
        reduces != (words.size() > 2))
      return unknown();
    Operand to, from;
    if (!copy_address(operands[0], to) || !copy_address(operands[1], from)) return false;
    const Type element = reduces ? type_of(words.back()) : Type::none;
    if (reduces && (element == Type::none || element == Type::pred)) return unknown();
    const std::uint64_t step = reduces ? bytes_of(element) : 16;
    const Operand left = temporary(Type::u32), done = temporary(Type::pred);
    if (!made("mov.u32", {left, operands[2]})) return unknown();
    const std::size_t top = function_->code.size();
    emit("setp.lt.u32", {done, left, constant_operand(step)});
    const std::size_t leave = function_->code.size();
    jump(0, true, false, done.index);
    const std::string_view source = from_shared ? "shared" : "global", target = to_shared ? "shared" : "global";
    Operand value;
    if (reduces) {
      const std::string bits = fmt::format("b{}", 8 * step);
      value = temporary(type_of(bits));
      std::string how;
      for (std::size_t w = 2; w < words.size(); ++w) how += fmt::format(".{}", words[w]);
      if (!made(fmt::format("ld.{}.{}", source, bits), {value, at_register(from)}) ||
          !made(fmt::format("red.{}{}", target, how), {at_register(to), value}))
        return unknown();
    } else {
      value.kind = Operand::Kind::vector;
      for (int e = 0; e < 4; ++e) value.elements.push_back(temporary(Type::b32));
      if (!made(fmt::format("ld.{}.v4.b32", source), {value, at_register(from)}) ||
          !made(fmt::format("st.{}.v4.b32", target), {at_register(to), value}))
        return unknown();
    }
    for (const Operand& address : {to, from})
      emit(address.type == Type::u64 ? "add.u64" : "add.u32", {address, address, constant_operand(step)});
    emit("sub.u32", {left, left, constant_operand(step)});
    jump(top, false, false, 0);
    function_->code[leave].operands[0].index = static_cast<std::uint32_t>(function_->code.size());
  }
  // It releases: who waits for the bytes may read them.
  if (by_barrier && !made("mbarrier.complete_tx.shared::cta.b64", {operands.back(), bulk ? operands[2] : constant_operand(bytes)}))
    return unknown();
  if (guard.guarded) function_->code[skipped_from].operands[0].index = static_cast<std::uint32_t>(function_->code.size());
  return expect(";", "after an instruction");
}

}  // namespace warpbook::gpu::ptx
