#include "gpu/virtual/vm/exec/warp.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "gpu/virtual/vm/exec/block.h"
#include "gpu/virtual/vm/exec/changes.h"
#include "gpu/virtual/vm/exec/warp_sync.h"

namespace warpbook::gpu::vm {

void Warp::bind() {
  rows = frame->rows.get();
  insts = frame->code->insts.data();
}

void Warp::start(Block& in_block, Worker& on_worker, std::uint32_t warp_index, std::uint32_t lanes_alive, const Image& image) {
  block = &in_block;
  worker = &on_worker;
  executed = &on_worker.executed;
  extents = on_worker.extents.data();
  shared = in_block.shared.data();
  shared_bytes = in_block.shared.size();
  index = warp_index;
  born = lanes_alive;
  if (!frames.empty()) {  // of another launch
    std::memset(frames.front()->rows.get(), 0, frames.front()->code->register_bytes);
    frames.front()->code = nullptr;
    frames.resize(1);
    free_frames.clear();
    frames.swap(free_frames);  // both keep their memory
  }
  if (local_bytes < image.kernel->frame_bytes) {
    local_bytes = image.kernel->frame_bytes;
    local.assign(std::size_t{lanes} * local_bytes, std::byte{0});
    worker->machine.warp_bytes += local.size();
  }
  load({.mask = ~0u, .at = 0, .frame = new_frame(*image.kernel, nullptr, nullptr)});
  for (const Inst& inst : image.kernel->prologue) inst.handler(*this, inst);
  begin();
}

void Warp::begin() {
  Frame& kernel = *frames.front();
  for (; frames.size() > 1; frames.pop_back()) free_frames.push_back(std::move(frames.back()));
  kernel.dynamic_bytes = 0;
  kernel.id = {0, 0};
  kernel.lanes_inside = alive = born;
  set_block_specials(kernel);
  activations = 1;
  waiting.clear();
  points.clear();
  spins = lanes_after_skip = whole_at_barrier = 0;
  frame = &kernel;
  bind();
  set_mask(alive);
  at = 0;
  reconvergence = -1;
  fuel = worker->slice;
  running = true;
  if (!worker->clock) return;
  next_issue = 0;
  std::fill_n(last_reached, 2, 0);
  std::fill_n(last_stored, 2, 0);
  kernel.ready.assign(kernel.code->function->registers.size(), 0);
  waiting.push_back(save());
  running = false;
}

bool Warp::take(std::int32_t of_slice) {
  if ((fuel -= of_slice) > 0) return true;
  fuel = 1;  // the slice ends at the next jump backwards; recursion without end meets the stack's limit, or the launch's
  constexpr std::uint32_t times_between_looks = 256;
  if (++worker->turns % times_between_looks != 0 || !worker->machine.should_stop()) return true;
  stop_here();
  return false;
}

void Warp::stop_here() {
  --at;
  waiting.push_back(save());
  running = false;
}

/// One number in all lanes.
static void spread(std::byte* row, std::uint32_t value) {
#pragma GCC unroll 8
  for (std::uint32_t l = 0; l < lanes; l += 4) {
    const std::uint32_t four[4] = {value, value, value, value};
    std::memcpy(row + 4 * l, four, sizeof four);
  }
}

void Warp::set_block_specials(Frame& of_frame) {
  for (std::uint32_t s = 0; s < of_frame.code->block_specials; ++s) {
    const auto& [which, row] = of_frame.code->specials[s];
    using enum ptx::Special;
    const Dim3& at_block = block->position;
    const std::uint32_t value = which == ctaid_x   ? at_block.x
                                : which == ctaid_y ? at_block.y
                                : which == ctaid_z ? at_block.z
                                                   : block->sm;
    std::byte* const values = of_frame.rows.get() + row.offset;
    if (*reinterpret_cast<const std::uint32_t*>(values) != value) spread(values, value);
  }
}

void Warp::set_specials(Frame& of_frame) {
  const Machine& machine = worker->machine;
  const Dim3 in_block = machine.info.block, grid = machine.info.grid;
  for (const auto& [which, row] : of_frame.code->specials) {
    std::byte* const values = of_frame.rows.get() + row.offset;
    const auto set = [&](auto value_of_lane) {
      for (std::uint32_t l = 0; l < lanes; ++l) reinterpret_cast<std::uint32_t*>(values)[l] = value_of_lane(l);
    };
    const auto same = [&](std::uint32_t value) { spread(values, value); };
    using enum ptx::Special;
    switch (which) {
      case ctaid_x:
        same(block->position.x);
        break;
      case ctaid_y:
        same(block->position.y);
        break;
      case ctaid_z:
        same(block->position.z);
        break;
      case smid:
        same(block->sm);
        break;
      case tid_x:
        set([&](std::uint32_t l) { return (index * lanes + l) % in_block.x; });
        break;
      case tid_y:
        set([&](std::uint32_t l) { return (index * lanes + l) / in_block.x % in_block.y; });
        break;
      case tid_z:
        set([&](std::uint32_t l) { return (index * lanes + l) / (in_block.x * in_block.y); });
        break;
      case ntid_x:
        same(in_block.x);
        break;
      case ntid_y:
        same(in_block.y);
        break;
      case ntid_z:
        same(in_block.z);
        break;
      case nctaid_x:
        same(grid.x);
        break;
      case nctaid_y:
        same(grid.y);
        break;
      case nctaid_z:
        same(grid.z);
        break;
      case laneid:
        set([](std::uint32_t l) { return l; });
        break;
      case warpid:
        same(index);
        break;
      case nwarpid:
        same(block->warp_count);
        break;
      case lanemask_eq:
        set([](std::uint32_t l) { return 1u << l; });
        break;
      case lanemask_le:
        set([](std::uint32_t l) { return (2u << l) - 1u; });
        break;
      case lanemask_lt:
        set([](std::uint32_t l) { return (1u << l) - 1u; });
        break;
      case lanemask_ge:
        set([](std::uint32_t l) { return ~((1u << l) - 1u); });
        break;
      case lanemask_gt:
        set([](std::uint32_t l) { return ~((2u << l) - 1u); });
        break;
      case dynamic_smem_size:
        same(machine.dynamic_shared_bytes);
        break;
      case total_smem_size:
        same(machine.shared_bytes - machine.info.reserved_shared_bytes);
        break;
      case aggr_smem_size:
      case reserved_smem_end:
        same(machine.shared_bytes);
        break;
      case reserved_smem_begin:
        same(machine.shared_bytes - reserved_shared_bytes);
        break;
      case reserved_smem_1:
        same(machine.shared_bytes - reserved_shared_bytes / 2);
        break;
      case reserved_smem_cap:
        same(reserved_shared_bytes);
        break;
      case cluster_one:
        same(1);
        break;
      case workspace_high:
        same(static_cast<std::uint32_t>(machine.grid_workspace >> 32));
        break;
      case workspace_low:
        same(static_cast<std::uint32_t>(machine.grid_workspace));
        break;
      default:  // clocks are read when they are asked for; what this machine lacks reads 0
        same(0);
        break;
    }
  }
}

void Warp::load(const Split& split) {
  set_mask(split.mask);
  at = split.at;
  reconvergence = split.reconvergence;
  if (frame != split.frame || insts == nullptr) frame = split.frame;
  bind();
  running = true;
}

void Warp::wait_as_split() {
  if (!whole_at_barrier) return;
  Split split = save();
  split.at = at - 1;
  split.state = Split::State::at_block_barrier;
  split.barrier = std::exchange(whole_at_barrier, 0) - 1;
  waiting.push_back(split);
}

Split Warp::save() const { return {.mask = mask, .at = at, .frame = frame, .reconvergence = reconvergence}; }

bool Warp::resume() {
  if (running) return true;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    Split& split = waiting[i];
    if (split.state == Split::State::at_warp_sync) {
      // Lanes that have exited since are no longer waited for.
      std::uint32_t here = 0;
      for (const Split& other : waiting)
        if (meets(split, other)) here |= other.mask;
      const std::uint32_t needed = split.members & alive;
      if ((here & needed) != needed) continue;
      executed->add(-1ull, 1, static_cast<std::uint32_t>(__builtin_popcount(split.mask)));  // it executes again
      split.state = Split::State::ready;
    }
    if (split.state != Split::State::ready) continue;
    const Split chosen = split;
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
    load(chosen);
    return true;
  }
  return false;
}

std::int32_t Warp::new_point(Frame* at_frame, std::uint32_t at_inst, std::uint32_t expected, std::int32_t parent) {
  std::size_t i = 0;
  while (i < points.size() && points[i].used) ++i;
  if (i == points.size()) points.emplace_back();
  // Field by field: read again at once, and a host does not forward what was copied in other pieces.
  Reconvergence& fresh = points[i];
  fresh.frame = at_frame;
  fresh.at = at_inst;
  fresh.expected = expected;
  fresh.arrived = 0;
  fresh.parent = parent;
  fresh.used = true;
  return static_cast<std::int32_t>(i);
}

void Warp::diverge(std::uint32_t taken, std::uint32_t target, std::uint32_t reconverge) {
  std::int32_t point = reconvergence;
  const bool same = point >= 0 && points[point].at == reconverge && points[point].frame == frame;
  // A loop's branch meets where the enclosing one does: lanes that leave it one by one need no point each.
  if (reconverge != no_reconvergence && !same) point = new_point(frame, reconverge, mask, reconvergence);
  waiting.push_back({.mask = mask & ~taken, .at = at, .frame = frame, .reconvergence = point});
  set_mask(taken);
  at = target;
  reconvergence = point;
}

void Warp::end_running() {
  running = false;
  mask = exec = 0;
}

void Warp::arrive() {
  Reconvergence& point = points[reconvergence];
  point.arrived |= mask;
  if (point.arrived != point.expected) return end_running();
  set_mask(point.arrived);
  at = point.at;
  reconvergence = point.parent;
  point.used = false;
  spins = 0;
}

void Warp::wake_if_complete(std::int32_t index_of_point) {
  Reconvergence& point = points[index_of_point];
  if (!point.used || point.arrived != point.expected) return;
  point.used = false;
  if (point.arrived)
    waiting.push_back({.mask = point.arrived, .at = point.at, .frame = point.frame, .reconvergence = point.parent});
}

bool Warp::waits_for_own_lanes() const {
  return !waiting.empty() &&
         std::ranges::all_of(waiting, [](const Split& split) { return split.state == Split::State::at_warp_sync; });
}

bool Warp::release_parked() {
  bool any = false;
  for (Reconvergence& point : points) {
    if (!point.used || !point.arrived) continue;
    waiting.push_back({.mask = point.arrived, .at = point.at, .frame = point.frame, .reconvergence = point.parent});
    point.expected &= ~point.arrived;
    point.arrived = 0;
    any = true;
  }
  return any;
}

void Warp::exit_lanes(std::uint32_t gone) {
  alive &= ~gone;
  for (Frame* f = frame; f; f = f->caller) f->lanes_inside &= ~gone;
  const std::int32_t first = reconvergence;
  set_mask(mask & ~gone);
  for (std::int32_t p = first; p >= 0; p = points[p].parent) points[p].expected &= ~gone;
  for (std::int32_t p = first; p >= 0;) {
    const std::int32_t parent = points[p].parent;
    wake_if_complete(p);
    p = parent;
  }
  if (!mask) end_running();
  block->on_exit(gone);
}

bool Warp::is_small() const {
  constexpr std::size_t small = 16 * 1024;
  return local.empty() && frames.size() == 1 && free_frames.empty() && frames.front()->capacity <= small;
}

void Warp::exit_whole() {
  alive = frame->lanes_inside = 0;
  end_running();
}

/// Of a lane's stack, besides variables: where to return to, and what is saved. So there are no more than 32,768 calls one within
/// the other.
constexpr std::uint32_t call_bytes = 16;

Frame* Warp::new_frame(const Code& code, Frame* caller, const Inst* call_site) {
  std::unique_ptr<Frame> fresh;
  if (!free_frames.empty()) {
    fresh = std::move(free_frames.back());
    free_frames.pop_back();
  } else {
    fresh = std::make_unique<Frame>();
    fresh->id.number = static_cast<std::uint32_t>(frames.size());  // as often as it is used
  }
  const std::size_t bytes = code.register_bytes + code.constants.size();
  if (fresh->capacity < bytes) {
    worker->machine.warp_bytes += bytes - fresh->capacity;
    fresh->capacity = bytes;
    fresh->rows.reset(static_cast<std::byte*>(std::aligned_alloc(64, align_up(bytes, 64))));
    std::memset(fresh->rows.get(), 0, code.register_bytes);
    fresh->code = nullptr;
  }
  if (fresh->code != &code) {
    fresh->code = &code;
    if (!code.constants.empty()) std::memcpy(fresh->rows.get() + code.register_bytes, code.constants.data(), code.constants.size());
    set_specials(*fresh);
  } else {
    set_block_specials(*fresh);
  }
  fresh->caller = caller;
  fresh->call = call_site;
  fresh->local_base =
      caller ? align_up(caller->local_base + caller->code->frame_bytes + caller->dynamic_bytes + call_bytes, code.frame_align) : 0;
  fresh->dynamic_bytes = 0;
  fresh->id.activation = activations++;
  fresh->id.caller = caller ? caller->id.number : 0;
  if (worker->clock) fresh->ready.assign(code.function->registers.size(), 0);
  frames.push_back(std::move(fresh));
  return frames.back().get();
}

void Warp::drop_frame(Frame* gone) {
  const auto found = std::find_if(frames.rbegin(), frames.rend(), [&](const auto& f) { return f.get() == gone; });
  free_frames.push_back(std::move(*found));
  frames.erase(std::next(found).base());
}

bool Warp::grow_local(std::uint32_t needed) {
  if (needed > local_bytes) reserve_local(needed);
  if (worker->machine.has_room()) return true;
  stop_here();
  return false;
}

void Warp::reserve_local(std::uint32_t needed) {
  const std::uint32_t grown = std::min(max_local_bytes, std::max(needed, local_bytes * 2));
  std::vector<std::byte> larger(std::size_t{lanes} * grown);
  for (std::uint32_t l = 0; l < lanes; ++l)
    if (local_bytes) std::memcpy(&larger[std::size_t{l} * grown], &local[std::size_t{l} * local_bytes], local_bytes);
  worker->machine.warp_bytes += larger.size() - local.size();
  local = std::move(larger);
  local_bytes = grown;
}

void Warp::call(const Code& callee, const Inst& at_call, const Extra& extra) {
  Frame* inner = new_frame(callee, frame, &at_call);
  inner->lanes_inside = mask;
  const std::uint64_t needed = std::uint64_t{inner->local_base} + callee.frame_bytes;
  if (needed > max_local_bytes) return worker->fault_stack_overflow(*this, at_call);
  if (!grow_local(static_cast<std::uint32_t>(needed))) return;
  for (const Extra::Copy& copy : extra.arguments)
    for (std::uint32_t l = 0; l < lanes; ++l) {
      if (!(mask >> l & 1)) continue;
      std::byte* lane = local.data() + std::size_t{l} * local_bytes;
      const std::byte* from = copy.is_row ? row(copy.row) + std::size_t{l} * copy.bytes : lane + frame->local_base + copy.here;
      std::memcpy(lane + inner->local_base + copy.there, from, copy.bytes);
    }
  // The caller's at already names the next instruction; the frame remembers it through `call`.
  frame = inner;
  at = 0;
  bind();
}

void Warp::return_lanes() {
  Frame* inner = frame;
  Frame* outer = inner->caller;
  if (!outer) return exit_lanes(mask);
  const Extra& extra = outer->code->extras[inner->call->extra];
  for (const Extra::Copy& copy : extra.results)
    for (std::uint32_t l = 0; l < lanes; ++l) {
      if (!(mask >> l & 1)) continue;
      std::byte* lane = local.data() + std::size_t{l} * local_bytes;
      std::byte* to =
          copy.is_row ? outer->rows.get() + copy.row.offset + std::size_t{l} * copy.bytes : lane + outer->local_base + copy.here;
      std::memcpy(to, lane + inner->local_base + copy.there, copy.bytes);
    }
  if (worker->machine.report_changes) report_change(*worker, *this, *outer, *inner->call, mask);
  at = static_cast<std::uint32_t>(inner->call - outer->code->insts.data()) + 1;
  frame = outer;
  inner->lanes_inside &= ~mask;
  if (!inner->lanes_inside) drop_frame(inner);
  bind();
}

}  // namespace warpbook::gpu::vm
