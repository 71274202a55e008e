#include "tests/gpu/random_meetings.h"

#include <fmt/format.h>

#include <bit>
#include <random>

namespace warpbook::gpu::test {
namespace {

using Step = MeetingStep;
using Kind = Step::Kind;
using Call = Step::Call;
using Form = Step::Form;

constexpr std::uint32_t all_lanes = ~0u, most_warps = 4;
/// Shared memory, in words: one a thread, and behind them two buffers of a warp's for each pair of a producer and its consumers.
constexpr std::uint32_t own_words = 32 * most_warps;

bool has(std::uint32_t mask, std::uint32_t lane) { return mask >> lane & 1; }

/// The lane that `lane` reads; itself where the shuffle would leave the warp.
std::uint32_t source_of(Call call, std::uint32_t lane, std::uint32_t number) {
  switch (call) {
    case Call::shuffle_xor:
      return lane ^ number;
    case Call::shuffle_up:
      return lane >= number ? lane - number : lane;
    case Call::shuffle_down:
      return lane + number < 32 ? lane + number : lane;
    default:
      return number;
  }
}

class MeetingsWriter {
 public:
  explicit MeetingsWriter(std::uint64_t seed) : random_(seed) {}

  MeetingKernel write() {
    MeetingKernel kernel;
    kernel.warps = 1 + below(most_warps);
    const unsigned phases = 1 + below(3);
    for (unsigned phase = 0; phase < phases; ++phase) {
      kernel.phases.emplace_back(kernel.warps);
      auto& warps = kernel.phases.back();
      const bool last = phase + 1 == phases;
      if (kernel.warps > 1 && below(2)) {
        hand_over(warps);
        if (!last) continue;
      }
      for (std::uint32_t w = 0; w < kernel.warps; ++w) {
        statements(warps[w], w, all_lanes, 1 + below(3), 0);
        if (last && below(2)) leave_early(warps[w], w);
      }
    }
    return kernel;
  }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  std::uint32_t some_of(std::uint32_t lanes) { return lanes & static_cast<std::uint32_t>(random_()); }
  std::uint32_t one_of(std::uint32_t lanes) {
    for (std::uint32_t skip = below(static_cast<std::uint32_t>(std::popcount(lanes))); skip; --skip) lanes &= lanes - 1;
    return static_cast<std::uint32_t>(std::countr_zero(lanes));
  }

  Step compute(std::uint32_t lanes) {
    Step step;
    step.lanes = lanes;
    step.number = below(1000);
    return step;
  }

  /// A call that every lane of `mask` makes, so that none reads a lane which is not there.
  Step call(std::uint32_t mask) {
    Step step;
    step.kind = Kind::meet;
    step.lanes = step.mask = mask;
    step.call = static_cast<Call>(below(12));
    step.form = static_cast<Form>(below(3));
    step.number = step.call == Call::shuffle ? one_of(mask) : 1u << below(5);
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      if (has(mask, lane) && !has(mask, source_of(step.call, lane, step.number))) {
        step.call = Call::shuffle;
        step.number = one_of(mask);
      }
    return step;
  }
  Step store(std::uint32_t warp, std::uint32_t lanes) {
    Step step;
    step.kind = Kind::store;
    step.lanes = lanes;
    step.number = 32 * warp;
    return step;
  }
  Step load(std::uint32_t warp, std::uint32_t lanes) {
    Step step = store(warp, lanes);
    step.kind = Kind::load;
    step.from = 1u << below(5);
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      if (has(lanes, lane) && !has(lanes, lane ^ step.from)) step.from = 0;
    return step;
  }
  Step branch(std::uint32_t lanes) {
    Step step;
    step.kind = Kind::branch;
    step.lanes = lanes;
    return step;
  }

  void statements(std::vector<Step>& to, std::uint32_t warp, std::uint32_t lanes, unsigned count, int depth) {
    for (; count; --count) {
      to.push_back(compute(lanes));
      const std::uint32_t part = some_of(lanes);
      switch (below(depth < 3 ? 6 : 3)) {
        case 0:  // among some of them
          if (part) to.push_back(call(part));
          break;
        case 1:
          to.push_back(call(lanes));
          break;
        case 2: {  // what they write is read by others
          to.push_back(store(warp, lanes));
          to.push_back(call(lanes));
          to.push_back(load(warp, lanes));
          to.push_back(call(lanes));
          break;
        }
        case 3:  // each side of a branch on its own
          if (part && part != lanes) {
            Step step = branch(part);
            statements(step.inner, warp, part, 1 + below(2), depth + 1);
            statements(step.otherwise, warp, lanes & ~part, 1 + below(2), depth + 1);
            to.push_back(step);
          }
          break;
        default:  // both sides make the same calls
          if (part && part != lanes) {
            Step step = branch(part);
            for (unsigned calls = 1 + below(3); calls; --calls) {
              Step made = call(lanes);
              for (auto& [side, of] : {std::pair(&step.inner, part), std::pair(&step.otherwise, lanes & ~part)}) {
                if (below(2)) side->push_back(compute(of));
                made.lanes = of;
                made.form = static_cast<Form>(below(3));
                if (below(3) == 0 && std::popcount(of) > 1) {  // by two further ways
                  Step further = branch(1u << one_of(of));
                  made.lanes = further.lanes;
                  further.inner.push_back(made);
                  made.lanes = of & ~further.lanes;
                  further.otherwise.push_back(made);
                  side->push_back(further);
                } else {
                  side->push_back(made);
                }
              }
            }
            to.push_back(step);
          }
          break;
      }
    }
  }

  /// Lanes leave one after the other, and those that stay go on voting.
  void leave_early(std::vector<Step>& to, std::uint32_t) {
    Step loop;
    loop.kind = Kind::loop;
    for (std::uint32_t lane = 0; lane < 32; ++lane) loop.turns[lane] = static_cast<std::uint8_t>(below(6));
    Step voted = call(all_lanes);
    voted.call = below(2) ? Call::ballot : below(2) ? Call::match_any : Call::sum;
    loop.inner.push_back(voted);
    loop.inner.push_back(compute(all_lanes));
    if (below(2)) {  // unrolled once
      Step again = branch(some_of(all_lanes));
      for (auto& [side, of] : {std::pair(&again.inner, again.lanes), std::pair(&again.otherwise, ~again.lanes)}) {
        voted.lanes = of;
        side->push_back(voted);
      }
      loop.inner.push_back(again);
    }
    to.push_back(loop);
  }

  /// A warp fills two buffers in turn, the others read them: two barriers a buffer, "full" and "empty".
  void hand_over(std::vector<std::vector<Step>>& warps) {
    const auto count = static_cast<std::uint32_t>(warps.size());
    const std::uint32_t producer = below(count), rounds = 1 + below(5);
    const auto barrier = [&](Kind kind, std::uint32_t number) {
      Step step;
      step.kind = kind;
      step.number = number;
      step.threads = 32 * count;
      return step;
    };
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const std::uint32_t buffer = round % 2, full = 1 + buffer, empty = 3 + buffer;
      for (std::uint32_t w = 0; w < count; ++w) {
        warps[w].push_back(compute(all_lanes));
        Step access = w == producer ? store(0, all_lanes) : load(0, all_lanes);
        access.number = own_words + 32 * buffer;
        if (w == producer) {
          if (round >= 2) warps[w].push_back(barrier(Kind::wait, empty));
          warps[w].push_back(access);
          warps[w].push_back(barrier(Kind::arrive, full));
        } else {
          warps[w].push_back(barrier(Kind::wait, full));
          warps[w].push_back(access);
          if (round + 2 < rounds) warps[w].push_back(barrier(Kind::arrive, empty));
        }
      }
    }
  }

  std::mt19937_64 random_;
};

// ---- as PTX -----------------------------------------------------------------------------------------------------------

/// `x` = 3 × `x` + what the call gives; in registers named after `r`.
std::string call_text(Call call, std::string_view mask, std::string_view number, std::string_view guard = {}) {
  const auto with = [&](std::string_view before, std::string_view made, std::string_view after) {
    return fmt::format("{}\n{}{} \n{}\nmad.lo.u32 %x, %x, 3, %t;\n", before, guard, made, after);
  };
  const std::string_view bit = "and.b32 %t, %x, 8; setp.ne.u32 %p1, %t, 0;", none = "";
  const auto shuffle = [&](std::string_view how, std::string_view clamp) {
    return with(none, fmt::format("shfl.sync.{}.b32 %t|%p2, %x, {}, {}, {};", how, number, clamp, mask), "@%p2 add.u32 %t, %t, 1;");
  };
  switch (call) {
    case Call::syncwarp:
      return with(none, fmt::format("bar.warp.sync {};", mask), "mov.u32 %t, 1;");
    case Call::ballot:
      return with(bit, fmt::format("vote.sync.ballot.b32 %t, %p1, {};", mask), none);
    case Call::any:
      return with(bit, fmt::format("vote.sync.any.pred %p2, %p1, {};", mask), "selp.u32 %t, 7, 11, %p2;");
    case Call::all:
      return with(bit, fmt::format("vote.sync.all.pred %p2, !%p1, {};", mask), "selp.u32 %t, 7, 11, %p2;");
    case Call::shuffle:
      return shuffle("idx", "31");
    case Call::shuffle_xor:
      return shuffle("bfly", "31");
    case Call::shuffle_up:
      return shuffle("up", "0");
    case Call::shuffle_down:
      return shuffle("down", "31");
    case Call::match_any:
      return with("and.b32 %u, %x, 12;", fmt::format("match.any.sync.b32 %t, %u, {};", mask), none);
    case Call::match_all:
      return with("and.b32 %u, %x, 4;", fmt::format("match.all.sync.b32 %t|%p2, %u, {};", mask), "@%p2 add.u32 %t, %t, 1;");
    case Call::sum:
      return with(none, fmt::format("redux.sync.add.u32 %t, %x, {};", mask), none);
    case Call::least:
      return with(none, fmt::format("redux.sync.min.u32 %t, %x, {};", mask), none);
  }
  return {};
}

constexpr std::string_view registers = ".reg .pred %p<4>; .reg .b32 %x; .reg .b32 %t; .reg .b32 %u; .reg .b32 %m; .reg .b32 %n;\n";

class Printer {
 public:
  std::string print(const MeetingKernel& kernel) {
    text_ = ".version 8.0\n.target sm_90\n.address_size 64\n";
    for (unsigned call = 0; call < 12; ++call)
      text_ += fmt::format(".func (.param .b32 result) call{}(.param .b32 value, .param .b32 mask, .param .b32 number) {{\n{}",
                           call, registers) +
               "ld.param.b32 %x, [value]; ld.param.b32 %m, [mask]; ld.param.b32 %n, [number];\n" +
               call_text(static_cast<Call>(call), "%m", "%n") + "st.param.b32 [result], %x;\nret;\n}\n";
    text_ += fmt::format(".visible .entry k(.param .u64 out) {{\n{}", registers);
    text_ += fmt::format(
        ".reg .b32 %a; .reg .b32 %lane; .reg .b32 %bit; .reg .b32 %warp; .reg .b32 %i<64>; .reg .b64 %d<4>; .shared .align 4 .b32 "
        "words[{}];\n",
        own_words + 64);
    text_ += "mov.u32 %t, %tid.x; and.b32 %lane, %t, 31; shr.u32 %warp, %t, 5; mov.u32 %bit, 1; shl.b32 %bit, %bit, %lane;\n";
    text_ += "mul.lo.u32 %x, %t, 2654435761;\n";
    for (std::size_t phase = 0; phase < kernel.phases.size(); ++phase) {
      if (phase) text_ += "bar.sync 0;\n";
      const std::string end = label();
      for (std::uint32_t w = 0; w < kernel.warps; ++w) {
        const std::string next = label();
        text_ += fmt::format("setp.ne.u32 %p1, %warp, {}; @%p1 bra {};\n", w, next);
        steps(kernel.phases[phase][w]);
        text_ += fmt::format("bra {};\n{}:\n", end, next);
      }
      text_ += end + ":\n";
    }
    text_ += "ld.param.u64 %d0, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %d1, %t, 4; add.u64 %d0, %d0, %d1;\n";
    text_ += "st.global.b32 [%d0], %x;\nret;\n}\n";
    return text_;
  }

 private:
  std::string label() { return fmt::format("L{}", labels_++); }
  void test(std::uint32_t lanes) { text_ += fmt::format("and.b32 %t, %bit, {}; setp.ne.u32 %p3, %t, 0;\n", lanes); }

  void steps(const std::vector<Step>& all) {
    for (const Step& step : all) {
      if (step.kind == Kind::branch || step.kind == Kind::loop) {
        step.kind == Kind::branch ? branch(step) : loop(step);
        continue;
      }
      if (!step.lanes) continue;
      const bool guarded = step.kind == Kind::meet && step.form == Form::guarded;
      const std::string behind = label();
      if (guarded || step.lanes != all_lanes) test(step.lanes);
      if (!guarded && step.lanes != all_lanes) text_ += fmt::format("@!%p3 bra {};\n", behind);
      simple(step);
      text_ += behind + ":\n";
    }
  }

  void branch(const Step& step) {
    const std::string otherwise = label(), end = label();
    test(step.lanes);
    text_ += fmt::format("@!%p3 bra {};\n", otherwise);
    steps(step.inner);
    text_ += fmt::format("bra {};\n{}:\n", end, otherwise);
    steps(step.otherwise);
    text_ += end + ":\n";
  }

  void loop(const Step& step) {
    const std::string counter = fmt::format("%i{}", counters_++), top = label(), end = label();
    text_ += fmt::format("mov.u32 {}, 0;\n", counter);
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      text_ += fmt::format("setp.eq.u32 %p1, %lane, {}; @%p1 mov.u32 {}, {};\n", lane, counter, step.turns[lane]);
    text_ += fmt::format("{}:\nsetp.eq.u32 %p1, {}, 0; @%p1 bra {};\nsub.u32 {}, {}, 1;\n", top, counter, end, counter, counter);
    steps(step.inner);
    text_ += fmt::format("bra {};\n{}:\n", top, end);
  }

  void simple(const Step& step) {
    switch (step.kind) {
      case Kind::compute:
        text_ += fmt::format("mad.lo.u32 %x, %x, 5, {};\n", step.number);
        break;
      case Kind::store:
      case Kind::load:
        text_ += fmt::format("xor.b32 %t, %lane, {}; mov.u32 %a, words; mad.lo.u32 %a, %t, 4, %a;\n", step.from);
        text_ += step.kind == Kind::store ? fmt::format("st.shared.b32 [%a+{}], %x;\n", 4 * step.number)
                                          : fmt::format("ld.shared.b32 %t, [%a+{}]; mad.lo.u32 %x, %x, 3, %t;\n", 4 * step.number);
        break;
      case Kind::wait:
        text_ += fmt::format("barrier.cta.sync {}, {};\n", step.number, step.threads);
        break;
      case Kind::arrive:
        text_ += fmt::format("barrier.cta.arrive {}, {};\n", step.number, step.threads);
        break;
      default:
        call(step);
        break;
    }
  }

  void call(const Step& step) {
    std::string mask = std::to_string(static_cast<std::int32_t>(step.mask));
    if (step.by_lane < 32) {
      text_ += fmt::format("mov.u32 %m, {}; setp.eq.u32 %p1, %lane, {}; @%p1 mov.u32 %m, {};\n", mask, step.by_lane,
                           static_cast<std::int32_t>(step.other_mask));
      mask = "%m";
    }
    if (step.form == Form::in_a_function) {
      text_ += fmt::format(
          "{{ .param .b32 v; .param .b32 m; .param .b32 n; .param .b32 r; mov.u32 %u, {}; mov.u32 %n, {}; st.param.b32 [v], %x; "
          "st.param.b32 [m], %u; st.param.b32 [n], %n; call (r), call{}, (v, m, n); ld.param.b32 %x, [r]; }}\n",
          mask, step.number, static_cast<unsigned>(step.call));
      return;
    }
    if (step.form == Form::plain) {
      text_ += call_text(step.call, mask, std::to_string(step.number));
      return;
    }
    // Guarded: who does not call keeps what it had.
    text_ += "mov.u32 %n, %x;\n" + call_text(step.call, mask, std::to_string(step.number), "@%p3 ") + "selp.b32 %x, %x, %n, %p3;\n";
  }

  std::string text_;
  unsigned labels_ = 0, counters_ = 0;
};

// ---- the oracle -------------------------------------------------------------------------------------------------------

class Interpreter {
 public:
  Interpreter(const MeetingKernel& kernel, std::uint64_t order) : random_(order), threads_(32 * kernel.warps) {
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      Thread& thread = threads_[t];
      thread.value = t * 2654435761u;
      thread.clock.assign(threads_.size(), 0);
      thread.clock[t] = 1;
      for (std::size_t phase = 0; phase < kernel.phases.size(); ++phase) {
        static const Step all_wait = [] {
          Step step;
          step.kind = Kind::wait_all;
          return step;
        }();
        if (phase) thread.steps.push_back(&all_wait);
        unfold(kernel.phases[phase][t / 32], t % 32, thread.steps);
      }
    }
  }

  MeetingsOutcome run() {
    for (bool any = true; any;) {
      any = false;
      for (std::size_t turn = 0; turn < threads_.size(); ++turn) {
        const auto t = static_cast<std::uint32_t>(random_() % threads_.size());
        any |= advance(t);
      }
      for (std::uint32_t t = 0; t < threads_.size(); ++t) any |= advance(t);
    }
    outcome_.ends = true;
    for (const Thread& thread : threads_) {
      outcome_.ends &= thread.exited();
      outcome_.values.push_back(thread.value);
    }
    return std::move(outcome_);
  }

 private:
  using Clock = std::vector<std::uint32_t>;
  struct Thread {
    std::vector<const Step*> steps;
    std::size_t next = 0;
    std::uint32_t value = 0;
    bool waits = false;  // at steps[next]
    Clock clock;
    [[nodiscard]] bool exited() const { return next == steps.size(); }
  };
  struct Barrier {
    std::uint32_t arrived = 0;
    Clock known;
  };
  struct Touch {
    std::uint32_t thread, word, time;
    bool store;
  };

  /// What a lane does, one after the other: its conditions are known beforehand.
  static void unfold(const std::vector<Step>& steps, std::uint32_t lane, std::vector<const Step*>& to) {
    for (const Step& step : steps) {
      if (step.kind == Kind::branch) {
        unfold(has(step.lanes, lane) ? step.inner : step.otherwise, lane, to);
      } else if (step.kind == Kind::loop) {
        for (unsigned turn = 0; turn < step.turns[lane]; ++turn) unfold(step.inner, lane, to);
      } else if (has(step.lanes, lane)) {
        to.push_back(&step);
      }
    }
  }
  static void join(Clock& into, const Clock& from) {
    into.resize(from.size());
    for (std::size_t u = 0; u < from.size(); ++u) into[u] = std::max(into[u], from[u]);
  }
  static std::uint32_t mask_of(const Step& step, std::uint32_t lane) { return lane == step.by_lane ? step.other_mask : step.mask; }

  bool advance(std::uint32_t t) {
    Thread& thread = threads_[t];
    if (thread.exited()) return false;
    const Step& step = *thread.steps[thread.next];
    switch (step.kind) {
      case Kind::compute:
        thread.value = thread.value * 5 + step.number;
        break;
      case Kind::store:
      case Kind::load:
        touch(t, step.number + (t % 32 ^ step.from), step.kind == Kind::store);
        break;
      case Kind::meet:
        return meet(t, step);
      default:
        return come_to(t, step);
    }
    ++thread.next;
    return true;
  }

  void touch(std::uint32_t t, std::uint32_t word, bool store) {
    Thread& thread = threads_[t];
    for (const Touch& other : touches_)
      outcome_.races |=
          other.word == word && other.thread != t && (other.store || store) && other.time > thread.clock[other.thread];
    touches_.push_back({t, word, thread.clock[t], store});
    memory_.resize(own_words + 64);
    if (store)
      memory_[word] = thread.value;
    else
      thread.value = thread.value * 3 + memory_[word];
  }

  /// All lanes of its mask that have not exited must be here, at the same call, with the same mask.
  bool meet(std::uint32_t t, const Step& step) {
    const std::uint32_t first = t / 32 * 32, mask = mask_of(step, t % 32);
    std::uint32_t here = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const Thread& other = threads_[first + lane];
      if (!has(mask, lane) || other.exited()) continue;
      const Step& its = *other.steps[other.next];
      if (its.kind != Kind::meet || its.call != step.call || mask_of(its, lane) != mask) return false;
      here |= 1u << lane;
    }
    if (step.call == Call::syncwarp && here != mask) outcome_.undefined = true;
    std::array<std::uint32_t, 32> brought{};
    Clock joined(threads_.size(), 0);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      brought[lane] = threads_[first + lane].value;
      if (has(here, lane)) join(joined, threads_[first + lane].clock);
    }
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if (!has(here, lane)) continue;
      Thread& thread = threads_[first + lane];
      thread.value = thread.value * 3 + given(*thread.steps[thread.next], lane, here, brought);
      thread.clock = joined;
      ++thread.clock[first + lane];
      ++thread.next;
    }
    return true;
  }

  std::uint32_t given(const Step& step, std::uint32_t lane, std::uint32_t here, const std::array<std::uint32_t, 32>& brought) {
    std::uint32_t set = 0, same12 = 0, sum = 0, least = ~0u;
    bool all_same4 = true;
    for (std::uint32_t other = 0; other < 32; ++other) {
      if (!has(here, other)) continue;
      set |= (brought[other] >> 3 & 1) << other;
      same12 |= std::uint32_t{(brought[other] & 12) == (brought[lane] & 12)} << other;
      all_same4 &= (brought[other] & 4) == (brought[lane] & 4);
      sum += brought[other];
      least = std::min(least, brought[other]);
    }
    switch (step.call) {
      case Call::syncwarp:
        return 1;
      case Call::ballot:
        return set;
      case Call::any:
        return set ? 7 : 11;
      case Call::all:
        return set ? 11 : 7;
      case Call::match_any:
        return same12;
      case Call::match_all:
        return all_same4 ? here + 1 : 0;
      case Call::sum:
        return sum;
      case Call::least:
        return least;
      default:
        break;
    }
    const std::uint32_t source = source_of(step.call, lane, step.number);
    if (!has(here, source)) outcome_.undefined = true;
    const bool in_range = source != lane || step.call == Call::shuffle;  // a distance of a warp's lanes is never 0
    return brought[source] + in_range;
  }

  bool come_to(std::uint32_t t, const Step& step) {
    Thread& thread = threads_[t];
    if (thread.waits) return false;
    Barrier& barrier = barriers_[step.number];
    join(barrier.known, thread.clock);
    ++barrier.arrived;
    ++thread.clock[t];
    if (step.kind == Kind::arrive)
      ++thread.next;
    else
      thread.waits = true;
    if (barrier.arrived < (step.kind == Kind::wait_all ? threads_.size() : step.threads)) return true;
    for (std::uint32_t u = 0; u < threads_.size(); ++u) {
      Thread& other = threads_[u];
      if (!other.waits || other.steps[other.next]->number != step.number) continue;
      join(other.clock, barrier.known);
      other.waits = false;
      ++other.next;
    }
    barrier = {};
    return true;
  }

  std::mt19937_64 random_;
  std::vector<Thread> threads_;
  std::array<Barrier, 16> barriers_;
  std::vector<Touch> touches_;
  std::vector<std::uint32_t> memory_;
  MeetingsOutcome outcome_;
};

void collect(std::vector<Step>& steps, std::vector<Step*>& to) {
  for (Step& step : steps) {
    if (step.kind == Kind::meet || step.kind == Kind::wait || step.kind == Kind::arrive) to.push_back(&step);
    collect(step.inner, to);
    collect(step.otherwise, to);
  }
}

}  // namespace

MeetingKernel random_meetings(std::uint64_t seed) { return MeetingsWriter(seed).write(); }

std::string leave_out_something(MeetingKernel& kernel, std::uint64_t seed) {
  std::mt19937_64 random(seed * 7 + 1);
  std::vector<Step*> steps;
  for (auto& phase : kernel.phases)
    for (auto& warp : phase) collect(warp, steps);
  if (steps.empty()) return {};
  Step& step = *steps[random() % steps.size()];
  if (step.kind != Kind::meet) {
    if (random() % 3 == 0) {
      step.number = 9;
      return "another barrier";
    }
    if (step.kind == Kind::wait && random() % 3) {
      step.kind = Kind::arrive;
      return "a warp arrives and does not wait";
    }
    const bool waited = step.kind == Kind::wait;
    step.lanes = 0;
    return waited ? "a warp does not wait" : "a warp does not arrive";
  }
  if (step.lanes == step.mask && random() % 3) {
    step.lanes = 0;
    return "nobody calls";
  }
  std::uint32_t lane = static_cast<std::uint32_t>(random() % 32);
  while (!has(step.lanes, lane)) lane = (lane + 1) % 32;
  if (random() % 2 || std::popcount(step.mask) < 2) {
    step.lanes &= ~(1u << lane);
    return fmt::format("lane {} does not call", lane);
  }
  std::uint32_t other = (lane + 1) % 32;
  while (!has(step.mask, other)) other = (other + 1) % 32;
  step.by_lane = lane;
  step.other_mask = step.mask & ~(1u << other);
  return fmt::format("lane {} does not name lane {}", lane, other);
}

std::string meetings_ptx(const MeetingKernel& kernel) { return Printer().print(kernel); }

MeetingsOutcome interpret(const MeetingKernel& kernel, std::uint64_t order) { return Interpreter(kernel, order).run(); }

}  // namespace warpbook::gpu::test
