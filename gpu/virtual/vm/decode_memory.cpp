// Decodes what accesses memory: addresses, operands, and the handler for them.
#include <utility>

#include "gpu/virtual/vm/analysis/atomics.h"
#include "gpu/virtual/vm/decoder.h"

namespace warpbook::gpu::vm {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

namespace {

bool is_atomic(Opcode op) { return op == Opcode::atom || op == Opcode::red; }
bool is_store(Opcode op) { return op == Opcode::st || op == Opcode::red; }
/// Index of the address among the operands.
std::size_t address_at(Opcode op) { return is_store(op) || op == Opcode::cp_async ? 0 : 1; }

}  // namespace

void Decoder::fill_address(const Operand& operand, Inst& out) {
  if (operand.base == Operand::Base::reg) {
    out.a = rows_.register_row(operand.index);
    out.address32 = rows_.width_of_register(operand.index) == 4;
    out.offset = operand.offset;
  } else if (operand.base == Operand::Base::variable && rows_.in_frame(operand)) {
    out.a = rows_.constant(0, 8);
    out.offset = static_cast<std::int64_t>(rows_.address_of(operand));
    out.frame_relative = true;
  } else {
    const std::uint64_t at =
        operand.base == Operand::Base::variable ? rows_.address_of(operand) : static_cast<std::uint64_t>(operand.offset);
    out.a = rows_.constant(at, 8);
  }
}

Result<void> Decoder::fill_mbarrier(const Instruction& inst, Inst& out) {
  Extra extra;
  extra.row_bytes = {0, 0};
  std::size_t at = 0;
  if (inst.destinations) {
    out.d = rows_.row(inst.operands[0], 0, inst.type);
    extra.row_bytes[0] = rows_.width_of(inst.operands[0]);
    at = 1;
  }
  fill_address(inst.operands[at], out);
  if (++at < inst.operands.size()) {
    const Operand& operand = inst.operands[at];
    extra.row_bytes[1] = operand.kind == Operand::Kind::reg ? rows_.width_of(operand) : 4;
    out.b = rows_.row(operand, extra.row_bytes[1], Type::none);
  }
  out.bytes = 8;
  out.extra = new_extra(std::move(extra));
  out.flow = Flow::other;  // who waits there gives up its turn
  out.handler = mode_ == Mode::clocked ? deferred_access : general_access;
  return {};
}

Result<void> Decoder::fill_texture(const Instruction& inst, Inst& out) {
  const std::size_t handle = inst.destinations;
  const Operand& data = inst.operands[inst.op == Opcode::sust ? 2 : 0];
  const bool vector = data.kind == Operand::Kind::vector;
  Extra extra;
  for (std::size_t e = 0; e < (vector ? data.elements.size() : 1); ++e) {
    const Operand& element = vector ? data.elements[e] : data;
    const unsigned bytes = element.kind == Operand::Kind::reg ? rows_.width_of(element) : ptx::bytes_of(inst.type);
    extra.rows.push_back(rows_.row(element, bytes, Type::none));
    extra.row_bytes.push_back(static_cast<std::uint8_t>(element.kind == Operand::Kind::sink ? 0 : bytes));
  }
  out.bytes = static_cast<std::uint8_t>(extra.rows.size());
  out.a = rows_.row(inst.operands[handle], 8, Type::none);
  for (const Operand& coordinate : inst.operands[handle + 1].elements) extra.rows.push_back(rows_.row(coordinate, 4, Type::none));
  out.extra = new_extra(std::move(extra));
  out.cache = image_.cache_count;
  image_.cache_count += 2;
  out.flow = Flow::other;
  out.handler = texture_handler(inst);
  return {};
}

void Decoder::fill_copy(const Instruction& inst, Inst& out, Request& request) {
  Inst from;
  fill_address(inst.operands[1], from);
  out.b = from.a;
  out.address32 = inst.operands[0].base == Operand::Base::reg && rows_.width_of_register(inst.operands[0].index) == 4;
  request.extra.targets = {static_cast<std::uint32_t>(from.offset), from.address32 ? 1u : 0u,
                           static_cast<std::uint32_t>(inst.operands[2].bits)};
  if (inst.operands.size() > 3) {
    out.c = rows_.row(inst.operands[3], 4, Type::u32);
    request.extra.targets.push_back(1);
  }
  out.bytes = static_cast<std::uint8_t>(inst.operands[2].bits);
}

void Decoder::fill_vector_atomic(const Instruction& inst, const Inst& out, Request& request) {
  const std::size_t address = address_at(inst.op);
  for (const std::size_t operand : {std::size_t{0}, address + 1})
    for (std::size_t e = 0; e < inst.vector; ++e) {
      const bool no_result = operand == address || inst.operands[operand].kind == Operand::Kind::sink;
      const Operand& element = no_result ? inst.operands[operand] : inst.operands[operand].elements[e];
      const bool written = !no_result && element.kind != Operand::Kind::sink;
      request.extra.rows.push_back(written ? rows_.row(element, out.bytes, inst.type) : Row{});
      request.extra.row_bytes.push_back(written ? out.bytes : std::uint8_t{0});
    }
}

void Decoder::fill_atomic(const Instruction& inst, Inst& out, Request& request) {
  const std::size_t address = address_at(inst.op);
  if (inst.op == Opcode::atom &&
      (mode_ == Mode::fast ? is_read(function_, inst.operands[0]) : inst.operands[0].kind == Operand::Kind::reg)) {
    out.d = rows_.row(inst.operands[0], out.bytes, inst.type);
    request.extra.row_bytes = {rows_.width_of(inst.operands[0])};
  } else {
    request.extra.row_bytes = {0};
  }
  out.b = rows_.row(inst.operands[address + 1], out.bytes, inst.type);
  if (inst.operands.size() > address + 2) out.c = rows_.row(inst.operands[address + 2], out.bytes, inst.type);
}

void Decoder::fill_access(const Instruction& inst, Inst& out, Request& request) {
  const bool store = is_store(inst.op);
  const Operand& data = inst.operands[store ? 1 : 0];
  const bool vector = data.kind == Operand::Kind::vector;
  const std::size_t count = vector ? data.elements.size() : 1;
  for (std::size_t e = 0; e < count; ++e) {
    const Operand& element = vector ? data.elements[e] : data;
    const unsigned bytes = element.kind == Operand::Kind::reg ? rows_.width_of(element) : out.bytes;
    request.extra.rows.push_back(rows_.row(element, bytes, inst.type));
    request.extra.row_bytes.push_back(static_cast<std::uint8_t>(element.kind == Operand::Kind::sink ? 0 : bytes));
    if (e > 0 && request.extra.row_bytes[e] != request.extra.row_bytes[0]) request.mixed = true;
  }
  (store ? out.b : out.d) = request.extra.rows[0];
  request.widths = {request.extra.row_bytes[0], request.extra.row_bytes[0]};
}

Result<void> Decoder::fill_memory(const Instruction& inst, Inst& out) {
  const Operand& address = inst.operands[address_at(inst.op)];
  out.bytes = static_cast<std::uint8_t>(ptx::bytes_of(inst.type));
  fill_address(address, out);
  Request request;
  if (inst.op == Opcode::cp_async)
    fill_copy(inst, out, request);
  else if (is_atomic(inst.op))
    inst.vector > 1 ? fill_vector_atomic(inst, out, request) : fill_atomic(inst, out, request);
  else
    fill_access(inst, out, request);
  out.extra = new_extra(std::move(request.extra));
  out.cache = image_.cache_count++;
  if (reads_own_parameter(function_, inst)) {
    out.offset = static_cast<std::int64_t>(rows_.address_of(address) - image_.layout.parameters);
    out.handler = parameter_load;
    return {};
  }
  Handlers straight;
  if (!request.mixed && omits_instructions_) {
    out.addressing = choose_addressing(inst, address, out);
    straight = choose_memory_handler(inst, out, request.widths);
  }
  out.handler = straight ? straight.alone : mode_ == Mode::clocked ? deferred_access : general_access;
  out.in_lockstep = straight.in_lockstep;
  out.lockstep_any_mask = true;  // the handler looks at each warp's lanes
  return {};
}

Handlers Decoder::choose_memory_handler(const Instruction& inst, const Inst& out, Widths widths) const {
  const bool observed = mode_ == Mode::observed;
  if (!is_atomic(inst.op)) {
    const auto choose = set_ == InstructionSet::avx512 ? avx512::memory_handler
                        : set_ == InstructionSet::avx2 ? avx2::memory_handler
                                                       : generic::memory_handler;
    return choose(inst, widths, out.addressing, observed);
  }
  if (mode_ == Mode::clocked || inst.vector != 1 || out.frame_relative || out.bytes > 8) return {};
  const auto choose = set_ == InstructionSet::avx512 ? avx512::atomic_handler
                      : set_ == InstructionSet::avx2 ? avx2::atomic_handler
                                                     : generic::atomic_handler;
  return choose(inst, out.addressing, adds_unread(function_, inst), observed);
}

Addressing Decoder::choose_addressing(const Instruction& inst, const Operand& address, Inst& out) {
  if (inst.vector != 1 || address.base != Operand::Base::reg) return Addressing::any;
  const bool native = mode_ == Mode::fast || mode_ == Mode::observed;
  if (native && inst.op == Opcode::ld && inst.space != Space::shared) out.d2 = rows_.new_row(1);
  if (const BlockInvariants::Indexed& indexed = invariants_.indexed[out.pc]; indexed.scale) {
    out.a = rows_.register_row(indexed.base);
    out.c = rows_.register_row(indexed.index);
    out.scale = static_cast<std::uint8_t>(indexed.scale);
    out.index_signed = indexed.is_signed;
    return Addressing::indexed;
  }
  const bool plain = inst.op == Opcode::ld || inst.op == Opcode::st;
  if (!plain) return Addressing::any;
  if (inst.space != Space::shared) return invariants_.uniform[address.index] ? Addressing::uniform : Addressing::any;
  if (!invariants_.fixed[address.index]) return Addressing::any;
  out.c = rows_.new_row(sizeof(FixedShape) / lanes);
  return Addressing::fixed;
}

}  // namespace warpbook::gpu::vm
