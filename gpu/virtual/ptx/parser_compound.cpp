// What PTX writes in one instruction and the virtual GPU executes in several: moves of vectors, `!%p` where no instruction here
// negates, `%r + 1` for a register, predicates passed to functions, and shuffles and votes without `.sync`, which go back to
// machines whose warps ran in step. And of sm_100: arithmetic on pairs of floats, on halves and floats, the least of three.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gpu/virtual/ptx/parser_impl.h"

namespace warpbook::gpu::ptx {
namespace {

/// "mov.v4.f32" → 4, and the text without its ".v4"; 1: another instruction.
std::uint8_t moved_elements(std::string_view text, std::string& plain) {
  if (!text.starts_with("mov.v")) return 1;
  for (const std::uint8_t elements : {std::uint8_t{2}, std::uint8_t{4}}) {
    const std::string head = fmt::format("mov.v{}.", elements);
    if (!text.starts_with(head)) continue;
    plain = fmt::format("mov.{}", text.substr(head.size()));
    return elements;
  }
  return 1;
}

/// Spellings that say the same here as another one: a block's only cluster is itself.
constexpr std::pair<std::string_view, std::string_view> same_as[] = {
    {"membar.proxy.alias", "fence.proxy.alias"},
    {"fence.mbarrier_init.release.cluster", "fence.release.cluster"},
    {"fence.acquire.sync_restrict::shared::cluster.cluster", "fence.acquire.cluster"},
    {"fence.release.sync_restrict::shared::cta.cluster", "fence.release.cluster"},
    {"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", "fence.proxy.async"},
    {"fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster", "fence.proxy.async"}};

bool has_suffix(std::string_view text, std::string_view suffix) {
  const std::size_t at = text.find(suffix);
  return at != text.npos && (at + suffix.size() == text.size() || text[at + suffix.size()] == '.');
}

}  // namespace

Operand constant_operand(std::uint64_t bits) {
  Operand operand;
  operand.kind = Operand::Kind::immediate;
  operand.type = Type::s64;
  operand.bits = bits;
  return operand;
}

Operand Parser::register_operand(std::uint32_t index) const {
  Operand operand;
  operand.kind = Operand::Kind::reg;
  operand.index = index;
  operand.type = function_->registers[index].type;
  return operand;
}

/// A register that the text does not name. registers_ is looked at where an instruction ends.
Operand Parser::temporary(Type type) {
  ++registers_;
  function_->registers.push_back({unique_name("%t"), type});
  return register_operand(static_cast<std::uint32_t>(function_->registers.size() - 1));
}

void Parser::emit(std::string_view opcode, std::vector<Operand> operands) {
  Instruction i = decode_opcode(opcode)->instruction;
  i.operands = std::move(operands);
  i.destinations = 1;
  i.ptx_line = now_.line;
  i.file = loc_;
  ++instructions_;
  function_->code.push_back(std::move(i));
}

/// Has an opcode that stands for several looked up as the one that they are made of.
std::string_view Parser::plain_opcode(std::string_view text, Compound& compound) {
  for (const auto& [spelling, other] : same_as)
    if (text == spelling) return other;
  std::string plain;
  compound.elements = moved_elements(text, plain);
  const std::string_view opcode = text.substr(0, text.find('.'));
  if (opcode == "add" || opcode == "sub" || opcode == "mul" || opcode == "fma") {
    for (const std::string_view ending : {".f32.f16", ".f32.bf16"})
      if (text.ends_with(ending) && opcode != "mul") {
        compound.narrow = type_of(ending.substr(5));
        plain = text.substr(0, text.size() - ending.size() + 4);
      }
    if ((compound.packed = text.ends_with(".f32x2"))) plain = text.substr(0, text.size() - 2);
  }
  const bool exchanges = text.starts_with("shfl.") || text.starts_with("vote.");
  if (exchanges && !has_suffix(text, ".sync")) {
    // Both were taken away from sm_70 and later with PTX 6.4.
    const std::string_view target = module_.target, version = module_.version;
    const bool in_step = target.starts_with("sm_") && target.size() <= 5 && target < "sm_70";
    if (in_step || version == "6.0" || version == "6.1" || version == "6.2" || version == "6.3") {
      compound.lacks_mask = true;
      plain = fmt::format("{}.sync{}", text.substr(0, 4), text.substr(4));
    }
  }
  return plain.empty() ? text : *kept_texts_.insert(std::move(plain)).first;
}

/// `%r2 + 1`
bool Parser::parse_sum(Operand& out) {
  static constexpr std::string_view sums[] = {"", "", "add.u16", "", "add.u32", "", "", "", "add.u64"};
  const unsigned bytes = out.type == Type::pred || is_float(out.type) ? 0 : bytes_of(out.type);
  Constant added;
  if (!parse_constant(added)) return false;
  if (bytes > 8 || sums[bytes].empty() || is_float(added.type))
    return fail("only a whole number can be added to an operand, and only to a register of 16 to 64 bits.");
  const Operand sum = temporary(out.type);
  emit(sums[bytes], {sum, out, constant_operand(added.bits)});
  out = sum;
  return true;
}

/// Two floats in 64 bits: taken apart, and put together again.
bool Parser::pack_halves(Instruction& i, const Shape& shape, std::string& why) {
  Operand result;
  result.kind = Operand::Kind::vector;
  Instruction halves[2] = {i, i};
  for (Instruction& half : halves) {
    half.guard_as({});
    result.elements.push_back(half.operands[0] = temporary(Type::f32));
  }
  for (std::size_t at = 1; at < i.operands.size(); ++at) {
    Operand parts;
    parts.kind = Operand::Kind::vector;
    for (Instruction& half : halves) parts.elements.push_back(half.operands[at] = temporary(Type::f32));
    if (i.operands[at].kind != Operand::Kind::reg || bytes_of(i.operands[at].type) != 8 || i.operands[at].bits) {
      why = "'.f32x2' takes registers of 64 bits";
      return false;
    }
    emit("mov.b64", {parts, i.operands[at]});
  }
  for (Instruction& half : halves) {
    if (!fit(half, shape, 0, why)) return false;
    function_->code.push_back(std::move(half));
  }
  Instruction whole = decode_opcode("mov.b64")->instruction;
  whole.operands = {i.operands[0], result};
  whole.guard_as(i);
  whole.ptx_line = i.ptx_line;
  whole.file = i.file;
  i = std::move(whole);
  return true;
}

/// What of an instruction or an operand none does by itself is done before it.
bool Parser::prepare(Instruction& i, const Compound& compound, const Shape& shape, std::string& why) {
  if (compound.packed) return i.operands.empty() || pack_halves(i, shape, why);
  for (std::size_t at = 1; compound.narrow != Type::none && at < (i.op == Opcode::fma ? 3U : 2U) && at < i.operands.size(); ++at) {
    const Operand wide = temporary(Type::f32);
    if (i.operands[at].kind == Operand::Kind::reg && i.operands[at].bits) {
      why = "a part of a register does not go with this instruction";
      return false;
    }
    if (!fit_value(i, compound.narrow, false, i.operands[at], why)) return false;
    emit(fmt::format("cvt.f32.{}", name_of(compound.narrow)), {wide, i.operands[at]});
    i.operands[at] = wide;
  }
  if ((i.op == Opcode::min || i.op == Opcode::max) && i.type == Type::f32 && i.operands.size() == 4) {
    Instruction first = i;
    first.guard_as({});
    first.operands = {temporary(Type::f32), i.operands[1], i.operands[2]};
    i.operands = {i.operands[0], first.operands[0], i.operands[3]};
    if (!fit(first, shape, 0, why) || !fit_parts(first, why)) return false;
    function_->code.push_back(std::move(first));
  }
  const bool logic =
      i.op == Opcode::and_ || i.op == Opcode::or_ || i.op == Opcode::xor_ || i.op == Opcode::not_ || i.op == Opcode::mov;
  if (i.op == Opcode::selp || (logic && i.type == Type::pred))
    for (std::size_t at = 1; at < i.operands.size(); ++at) {
      Operand& operand = i.operands[at];
      if (!std::exchange(operand.negated, false)) continue;
      const Operand negation = temporary(Type::pred);
      emit("not.pred", {negation, operand});
      operand = negation;
    }
  if (i.op == Opcode::cvt && i.operands.size() > 1 && i.operands[1].kind == Operand::Kind::special) {
    const unsigned bytes = std::max(2U, bytes_of(i.type2));
    const Operand value = temporary(bytes == 2 ? Type::b16 : bytes == 4 ? Type::b32 : Type::b64);
    Instruction read = decode_opcode(fmt::format("mov.b{}", 8 * bytes))->instruction;
    read.ptx_line = i.ptx_line;
    read.file = i.file;
    if (!add_move(read, value, i.operands[1], why)) return false;
    i.operands[1] = value;
  }
  if (!compound.lacks_mask) return true;
  const Operand mask = temporary(Type::b32);
  emit("activemask.b32", {mask});
  function_->code.back().guard_as(i);
  i.operands.push_back(mask);
  return true;
}

/// The first three of the four elements of %tid and its like.
bool Parser::parse_special_vector(Operand& out) {
  Operand x;
  if (now_.kind != Token::Kind::word || !special_of(fmt::format("{}.x", now_.text), x.special, x.index)) return false;
  out.kind = Operand::Kind::vector;
  for (const char element : {'x', 'y', 'z'}) {
    Operand special;
    special.kind = Operand::Kind::special;
    (void)special_of(fmt::format("{}.{}", now_.text, element), special.special, special.index);
    out.elements.push_back(special);
  }
  out.elements.push_back(constant_operand(0));
  advance();
  return true;
}

/// One move of those that `move` stands for.
bool Parser::add_move(Instruction move, const Operand& to, const Operand& from, std::string& why) {
  const Shape shape{OperandShape{.kind = OperandShape::Kind::move, .destination = true},
                    OperandShape{.kind = OperandShape::Kind::move}};
  move.operands = {to, from};
  if (!fit(move, shape, 0, why) || !fit_parts(move, why)) return false;
  ++instructions_;
  function_->code.push_back(std::move(move));
  return true;
}

/// `mov.v2.b32 {%r1, %r2}, {%r2, %r1};` exchanges them: all are read before one is written.
bool Parser::parse_vector_move(Instruction& move, std::uint8_t elements, std::string_view text) {
  Operand to, from;
  if (!parse_operand(to) || !expect(",", "between the operands of 'mov'")) return false;
  if (!parse_special_vector(from) && !parse_operand(from)) return false;
  for (const Operand& operand : {to, from})
    if (operand.kind != Operand::Kind::vector || operand.elements.size() != elements)
      return fail_at(move.ptx_line, fmt::format("'{}' moves vectors of {}.", text, elements));
  const auto add = [&](const Operand& target, const Operand& source) {
    std::string why;
    return add_move(move, target, source, why) || fail_at(move.ptx_line, fmt::format("'{}': {}.", text, why));
  };
  for (Operand& source : from.elements) {
    const bool overwritten = std::any_of(to.elements.begin(), to.elements.end(), [&](const Operand& target) {
      return target.kind == Operand::Kind::reg && source.kind == Operand::Kind::reg && target.index == source.index;
    });
    if (!overwritten) continue;
    const Operand held = temporary(source.type);
    if (!add(held, source)) return false;
    source = held;
  }
  for (std::size_t e = 0; e < elements; ++e)
    if (to.elements[e].kind != Operand::Kind::sink && !add(to.elements[e], from.elements[e])) return false;
  return expect(";", "after an instruction");
}

/// Predicates are passed as words. Results are fetched from them behind the call.
void Parser::pass_predicates(Instruction& call, std::vector<Instruction>& behind) {
  for (std::size_t at = 0; at < call.operands.size(); ++at) {
    Operand& operand = call.operands[at];
    if (operand.kind != Operand::Kind::reg || operand.type != Type::pred) continue;
    const Operand word = temporary(Type::u32);
    if (at < call.call_results) {
      emit("setp.ne.u32", {operand, word, constant_operand(0)});
      behind.push_back(std::move(function_->code.back()));
      function_->code.pop_back();
      behind.back().guard_as(call);
    } else {
      const bool negated = std::exchange(operand.negated, false);
      emit("selp.u32", {word, constant_operand(negated ? 0 : 1), constant_operand(negated ? 1 : 0), operand});
    }
    operand = word;
  }
}

}  // namespace warpbook::gpu::ptx
