// Instructions that few programs use, lane by lane: video, packed 16-bit integers, 8-bit floats, tf32, cvt.pack, 128-bit moves.
#include "gpu/virtual/ptx/opcodes.h"
#include "gpu/virtual/vm/exec/block.h"
#include "gpu/virtual/vm/lanes/handlers.h"
#include "gpu/virtual/vm/ops/mbarrier.h"
#include "gpu/virtual/vm/ops/ops.h"
#include "gpu/virtual/vm/ops/packed.h"
#include "gpu/virtual/vm/ops/video.h"

namespace warpbook::gpu::vm {
namespace {

using ops::s16;
using ops::s32;
using ops::u16;
using ops::u32;
using ops::u64;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;

template <class D, class Of>
void each_lane(Warp& w, const Inst& i, Of of) {
  D* d = w.row_of<D>(i.d);
  for (u32 l = 0; l < lanes; ++l)
    if (w.exec >> l & 1u) d[l] = of(l);
}

template <class T>
void packed(Warp& w, const Inst& i) {
  const u32* a = w.row_of<u32>(i.a);
  const u32* b = w.row_of<u32>(i.b);
  const Instruction& p = *i.ptx;
  each_lane<u32>(w, i, [&](u32 l) {
    return ops::per_half<T>(a[l], b[l], [&](T x, T y) -> T {
      if (p.op == Opcode::add) return static_cast<T>(ops::add(x, y));
      const T chosen = p.op == Opcode::min ? ops::min(x, y) : ops::max(x, y);
      return p.relu && chosen < 0 ? T{0} : chosen;
    });
  });
}

ops::Fp8 format_of(Type type) { return type == Type::e4m3x2 ? ops::e4m3 : ops::e5m2; }

void to_fp8(Warp& w, const Inst& i) {
  const Instruction& p = *i.ptx;
  const ops::Fp8 format = format_of(p.type);
  if (p.type2 == Type::f32) {
    const float* a = w.row_of<float>(i.a);
    const float* b = w.row_of<float>(i.b);
    return each_lane<u16>(w, i, [&](u32 l) { return ops::fp8_pair(a[l], b[l], format, p.relu); });
  }
  const u32* a = w.row_of<u32>(i.a);
  each_lane<u16>(w, i, [&](u32 l) {
    const auto half = [&](u32 bits) {
      return p.type2 == Type::f16x2 ? ops::to_float(ops::f16{static_cast<u16>(bits)})
                                    : ops::to_float(ops::bf16{static_cast<u16>(bits)});
    };
    return ops::fp8_pair(half(a[l] >> 16), half(a[l]), format, p.relu);
  });
}
void from_fp8(Warp& w, const Inst& i) {
  const u16* a = w.row_of<u16>(i.a);
  each_lane<u32>(w, i, [&](u32 l) { return ops::halves_of_fp8(a[l], format_of(i.ptx->type2), i.ptx->relu); });
}
void to_tf32(Warp& w, const Inst& i) {
  const float* a = w.row_of<float>(i.a);
  each_lane<u32>(w, i, [&](u32 l) { return ops::to_tf32(a[l], i.ptx->rounding, i.ptx->sat, i.ptx->relu); });
}

void pack_integers(Warp& w, const Inst& i) {
  const Instruction& p = *i.ptx;
  const s32* a = w.row_of<s32>(i.a);
  const s32* b = w.row_of<s32>(i.b);
  const u32* c = p.operands.size() > 3 ? w.row_of<u32>(i.c) : nullptr;
  each_lane<u32>(w, i, [&](u32 l) {
    return ops::convert_pack_integers(a[l], b[l], c ? c[l] : 0u, 8 * ptx::bytes_of(p.type), ptx::is_signed(p.type));
  });
}

void move_wide(Warp& w, const Inst& i) {
  for (u32 l = 0; l < lanes; ++l)
    if (w.exec >> l & 1u) __builtin_memcpy(w.row(i.d) + l * 16u, w.row(i.a) + l * 16u, 16);
}

void pending_count(Warp& w, const Inst& i) {
  const u64* a = w.row_of<u64>(i.a);
  each_lane<u32>(w, i, [&](u32 l) { return mbarrier_pending_count(a[l]); });
}

/// mapa: the same address in another block of the cluster; a block is its only one here. getctarank: that one's number.
template <class T>
void map_to_block(Warp& w, const Inst& i) {
  const T* a = w.row_of<T>(i.a);
  each_lane<T>(w, i, [&](u32 l) { return a[l]; });
}
void block_rank(Warp& w, const Inst& i) {
  each_lane<u32>(w, i, [](u32) { return 0u; });
}

u32 selector_of(const Instruction& p, std::size_t operand) {
  const ptx::Operand& from = p.operands[operand];
  return from.kind == ptx::Operand::Kind::reg ? static_cast<u32>(from.bits) : 0u;
}

void video(Warp& w, const Inst& i) {
  using ops::VideoOp;
  const Instruction& p = *i.ptx;
  ops::VideoForm form;
  switch (p.op) {
#define WARPBOOK_VIDEO(name)                     \
  case Opcode::v##name:                          \
    form.op = VideoOp::name;                     \
    break;                                       \
  case Opcode::v##name##2:                       \
    form = {.op = VideoOp::name, .elements = 2}; \
    break;                                       \
  case Opcode::v##name##4:                       \
    form = {.op = VideoOp::name, .elements = 4}; \
    break;
    WARPBOOK_VIDEO(add)
    WARPBOOK_VIDEO(sub)
    WARPBOOK_VIDEO(absdiff)
    WARPBOOK_VIDEO(min)
    WARPBOOK_VIDEO(max)
    WARPBOOK_VIDEO(set)
#undef WARPBOOK_VIDEO
    case Opcode::vavrg2:
      form = {.op = VideoOp::avrg, .elements = 2};
      break;
    case Opcode::vavrg4:
      form = {.op = VideoOp::avrg, .elements = 4};
      break;
    case Opcode::vshl:
      form.op = VideoOp::shl;
      break;
    default:
      form.op = VideoOp::shr;
      break;
  }
  const bool compares = form.op == VideoOp::set;  // vset names no type of its result, which is unsigned
  form.d_signed = !compares && ptx::is_signed(p.type);
  form.a_signed = ptx::is_signed(compares ? p.type : p.type2);
  form.b_signed = ptx::is_signed(compares ? p.type2 : p.type3);
  form.sat = p.sat;
  form.wrap = p.wrap;
  form.add = p.atomic == ptx::AtomicOp::add;
  form.least = p.atomic == ptx::AtomicOp::min;
  form.most = p.atomic == ptx::AtomicOp::max;
  form.compare = p.compare;
  form.d_select = selector_of(p, 0);
  form.a_select = selector_of(p, 1);
  form.b_select = selector_of(p, 2);
  const u32* a = w.row_of<u32>(i.a);
  const u32* b = w.row_of<u32>(i.b);
  const u32* c = p.operands.size() > 3 ? w.row_of<u32>(i.c) : nullptr;
  each_lane<u32>(w, i, [&](u32 l) { return ops::video(form, a[l], b[l], c ? c[l] : 0u); });
}

/// isspacep: which window a generic address lies in. Constants and the kernel's parameters are the read-only allocations; the
/// window of the parameters lies within that of global memory.
template <class T>
void test_space(Warp& w, const Inst& i) {
  const Machine& machine = w.worker->machine;
  const T* a = w.row_of<T>(i.a);
  const auto lies = [&](u64 address) {
    const bool shared = address - shared_window < window_bytes, local = address - local_window < window_bytes;
    if (i.ptx->space == ptx::Space::shared) return shared;
    if (i.ptx->space == ptx::Space::local) return local;
    const Extent extent = machine.memory->find(address);
    const bool read_only = extent.low != extent.high && !extent.writable,
               parameter = read_only && extent.low == machine.image->layout.parameters;
    if (i.ptx->space == ptx::Space::param) return parameter;
    return i.ptx->space == ptx::Space::constant ? read_only && !parameter : !shared && !local && (!read_only || parameter);
  };
  u32 bits = 0;
  for (u32 l = 0; l < lanes; ++l)
    if (w.exec >> l & 1u) bits |= static_cast<u32>(lies(a[l])) << l;
  u32& d = *w.row_of<u32>(i.d);
  d = (d & ~w.exec) | bits;
}

}  // namespace

Handler scalar_handler(const Instruction& p, Widths widths) {
  switch (p.op) {
    case Opcode::isspacep:
      return widths.a == 4 ? test_space<u32> : test_space<u64>;
    case Opcode::add:
    case Opcode::min:
    case Opcode::max:
      return p.type == Type::s16x2 ? packed<s16> : p.type == Type::u16x2 ? packed<u16> : nullptr;
    case Opcode::cvt:
      if (p.type == Type::e4m3x2 || p.type == Type::e5m2x2) return to_fp8;
      if (p.type2 == Type::e4m3x2 || p.type2 == Type::e5m2x2) return from_fp8;
      return p.type == Type::tf32 ? to_tf32 : nullptr;
    case Opcode::cvt_pack:
      return pack_integers;
    case Opcode::mov: {
      const auto whole = [](const ptx::Operand& o) { return o.kind == ptx::Operand::Kind::reg; };
      return p.type == Type::b128 && whole(p.operands[0]) && whole(p.operands[1]) ? move_wide : nullptr;
    }
    case Opcode::mbarrier_pending_count:
      return pending_count;
    case Opcode::mapa:
      return ptx::bytes_of(p.type) == 8 ? map_to_block<u64> : map_to_block<u32>;
    case Opcode::getctarank:
      return block_rank;
    case Opcode::alloca:
      return stack_allocate;
    case Opcode::stacksave:
      return stack_save;
    case Opcode::stackrestore:
      return stack_restore;
    default:
      return ptx::row(p.op).effect == ptx::Effect::none && ptx::row(p.op).spelling.starts_with('v') ? video : nullptr;
  }
}

}  // namespace warpbook::gpu::vm
