#include "tests/gpu/random_kernel.h"

#include <fmt/format.h>

#include <array>
#include <random>
#include <vector>

namespace warpbook::gpu::test {
namespace {

constexpr int words = 10, floats = 6, doubles = 4, longs = 5, halves = 5, predicates = 4, columns = 6;

/// One kernel in the making. Pools of registers (%r %f %e %d %h %p) are written again and again; %v are written once, so that the
/// decoder may hoist them and fold them into addresses.
class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}

  RandomKernel write() {
    shape();
    prologue();
    statements(8 + below(20), 0, exchanges_);
    epilogue();
    const std::string called = function();
    made_.ptx = ".version 8.0\n.target sm_75\n.address_size 64\n" + called + kernel_head() + body_ + "ret;\n}\n";
    return std::move(made_);
  }

 private:
  // --- Chance
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class... T>
  std::string_view one_of(T... words_to_choose) {
    const std::array<std::string_view, sizeof...(T)> all{words_to_choose...};
    return all[below(sizeof...(T))];
  }

  // --- Text
  template <class... T>
  void line(fmt::format_string<T...> format, T&&... values) {
    body_ += fmt::format(format, std::forward<T>(values)...) + '\n';
  }
  std::string fresh32() { return fmt::format("%v{}", fresh32_++); }
  std::string fresh64() { return fmt::format("%w{}", fresh64_++); }
  std::string fresh_predicate() { return fmt::format("%q{}", fresh_predicates_++); }
  std::string label() { return fmt::format("L{}", labels_++); }
  std::string word_register() { return fmt::format("%r{}", below(words)); }
  std::string float_register() { return fmt::format("%f{}", below(floats)); }
  std::string double_register() { return fmt::format("%e{}", below(doubles)); }
  std::string long_register() { return fmt::format("%d{}", below(longs)); }
  std::string half_register() { return fmt::format("%h{}", below(halves)); }
  std::string predicate() { return fmt::format("%p{}", below(predicates)); }
  std::string word() {
    if (chance(12)) return std::to_string(static_cast<std::int32_t>(chance(50) ? below(64) : static_cast<unsigned>(random_())));
    if (!once_.empty() && chance(25)) return once_[below(static_cast<unsigned>(once_.size()))];
    return word_register();
  }
  std::string real() {
    if (chance(12)) return fmt::format("0f{:08X}", chance(50) ? 0x3f800000u + (below(64) << 20) : static_cast<unsigned>(random_()));
    return float_register();
  }
  std::string guard() { return chance(20) ? fmt::format("@{}{} ", chance(50) ? "!" : "", predicate()) : std::string(); }
  /// The same in all threads of a block.
  std::string uniform() { return uniform_[below(static_cast<unsigned>(uniform_.size()))]; }

  // --- The frame
  void shape() {
    static constexpr unsigned sizes[] = {1, 7, 31, 32, 33, 64, 96, 100, 128, 160};
    const unsigned threads = sizes[below(std::size(sizes))];
    made_.block = threads % 8 == 0 && chance(30)   ? Dim3{threads / 8, 4, 2}
                  : threads % 4 == 0 && chance(20) ? Dim3{4, threads / 4, 1}
                                                   : Dim3{threads};
    made_.grid = chance(30) ? Dim3{1 + below(3), 1 + below(3)} : Dim3{1 + below(7)};
    made_.scalar = static_cast<std::uint32_t>(random_());
    block_threads_ = static_cast<unsigned>(made_.block.count());
    threads_ = block_threads_ * static_cast<unsigned>(made_.grid.count());
    exchanges_ = chance(60);  // else threads may leave early
    full_warps_ = block_threads_ % 32 == 0;
    static constexpr unsigned widths[] = {1, 2, 4, 4, 8, 16};
    std::size_t at = 0;
    for (Column& column : columns_) {
      column.width = widths[below(std::size(widths))];
      column.reversed = chance(25);
      column.offset = at;
      at += (std::size_t{column.width} * threads_ + 15) / 16 * 16;
    }
    rows_ = at;
    at += std::size_t{64} * threads_;
    results_ = at;
    at += std::size_t{8} * threads_ * (words + floats + doubles + longs + halves);
    made_.out_bytes = at;
  }

  std::string registers() const {
    return fmt::format(
        ".reg .pred %p<{}>; .reg .pred %q<{}>; .reg .b32 %r<{}>; .reg .b32 %v<{}>; .reg .f32 %f<{}>; .reg .f64 %e<{}>;\n"
        ".reg .b64 %d<{}>; .reg .b64 %w<{}>; "
        ".reg .b16 %h<{}>; .reg .b32 %dead; .reg .b64 %dead64; .reg .b32 %n<4>;\n",
        predicates, fresh_predicates_ + 1, words, fresh32_ + 1, floats, doubles, longs, fresh64_ + 1, halves);
  }

  std::string kernel_head() const {
    return ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 counters, .param .u32 scalar) {\n" + registers() +
           fmt::format(".shared .align 16 .b8 slots[{}]; .shared .align 16 .b8 own[{}]; .shared .align 4 .b32 tally[32];\n",
                       8 * block_threads_, 16 * block_threads_) +
           ".local .align 16 .b8 depot[64];\n";
  }

  /// What the kernel calls: a few statements without memory, a branch that returns early.
  std::string function() {
    std::string kernel_body = std::move(body_);
    const auto kept = std::array{fresh32_, fresh64_, fresh_predicates_};
    std::vector<std::string> once = std::move(once_), uniforms = std::move(uniform_);
    once_ = uniform_ = {};
    body_.clear();
    in_function_ = true;
    for (int r = 0; r < words; ++r) line("ld.param.b32 %r{}, [{}];", r, r % 2 ? "a" : "b");
    for (int f = 0; f < floats; ++f) line("mov.b32 %f{}, %r{};", f, f);
    for (int d = 0; d < longs; ++d) line("mov.b64 %d{}, {{%r{}, %r{}}};", d, d, d + 1);
    for (int e = 0; e < doubles; ++e) line("mov.b64 %e{}, %d{};", e, e);
    for (int h = 0; h < halves; ++h) line("cvt.u16.u32 %h{}, %r{};", h, h);
    for (int p = 0; p < predicates; ++p) line("setp.lt.u32 %p{}, %r{}, {};", p, p, random_() % 0xffffffff);
    statements(2 + below(5), 1, false);
    const std::string early = predicate();
    line("st.param.b32 [result], {};", word_register());
    line("@{} ret;", early);
    statements(1 + below(3), 2, false);
    line("st.param.b32 [result], {};", word_register());
    std::string text = ".func (.param .b32 result) mix(.param .b32 a, .param .b32 b) {\n" + registers() + body_ + "ret;\n}\n";
    in_function_ = false;
    body_ = std::move(kernel_body);
    once_ = std::move(once);
    uniform_ = std::move(uniforms);
    fresh32_ = kept[0];
    fresh64_ = kept[1];
    fresh_predicates_ = kept[2];
    return text;
  }

  void prologue() {
    line("ld.param.u64 %w0, [in]; ld.param.u64 %w1, [out]; ld.param.u64 %w2, [counters]; ld.param.u32 %v0, [scalar];");
    line("cvta.to.global.u64 %w3, %w0; cvta.to.global.u64 %w4, %w1; cvta.to.global.u64 %w5, %w2;");
    line("add.s64 %w6, %w3, 32768;");
    line("mov.u32 %v1, %tid.x; mov.u32 %v2, %tid.y; mov.u32 %v3, %tid.z;");
    line("mad.lo.u32 %v4, %v3, {}, %v2; mad.lo.u32 %v5, %v4, {}, %v1;", made_.block.y, made_.block.x);  // place in the block
    line("mov.u32 %v6, %ctaid.x; mov.u32 %v7, %ctaid.y; mad.lo.u32 %v8, %v7, {}, %v6;", made_.grid.x);  // block
    line("mad.lo.u32 %v9, %v8, {}, %v5; sub.u32 %v10, {}, %v9;", block_threads_, threads_ - 1);         // thread; reversed
    line("mov.u32 %v11, %laneid; mov.u32 %v12, %ntid.x; mov.u32 %v13, %nctaid.x;");
    fresh32_ = 14;
    fresh64_ = 7;
    once_ = {"%v0", "%v5", "%v8", "%v9", "%v10", "%v11", "%v12", "%v1"};
    uniform_ = {"%v0", "%v8", "%v12", "%v13"};
    for (int r = 0; r < words; ++r) line("xor.b32 %r{}, {}, {};", r, once_[below(8)], static_cast<std::int32_t>(random_()));
    for (int f = 0; f < floats; ++f) line("cvt.rn.f32.s32 %f{}, %r{};", f, f);
    for (int d = 0; d < longs; ++d) line("mul.wide.u32 %d{}, %r{}, %r{};", d, d, d + 1);
    for (int e = 0; e < doubles; ++e) line("cvt.rn.f64.s32 %e{}, %r{};", e, e);
    for (int h = 0; h < halves; ++h) line("cvt.u16.u32 %h{}, %r{};", h, h + 1);
    for (int p = 0; p < predicates; ++p) line("setp.lt.s32 %p{}, %r{}, %r{};", p, p, p + 1);
    if (!exchanges_ && chance(50)) {
      const std::string inside = fresh_predicate();
      line("setp.lt.u32 {}, %v9, {};", inside, threads_ - below(threads_));
      line("@!{} {};", inside, one_of("bra OUT", "ret", "exit"));
    }
    for (int at = 0; at < 64; at += 16) line("st.local.v4.b32 [depot+{}], {{%r0, %r1, %r2, %r{}}};", at, at / 16);
    own_ = fresh64();
    const std::string base = fresh64();
    line("mov.u64 {}, own; mad.wide.u32 {}, %v5, 16, {};", base, own_, base);
    line("st.shared.v4.b32 [{}], {{%r0, %r1, %r2, %r3}};", own_);
  }

  void epilogue() {
    line("OUT:");
    int at = 0;
    const auto keep = [&](std::string_view type, const std::string& value) {
      const std::string address = fresh64();
      line("mad.wide.u32 {}, %v9, 8, %w4; st.global.{} [{}+{}], {};", address, type, address,
           results_ + std::size_t{8} * threads_ * static_cast<unsigned>(at++), value);
    };
    for (int r = 0; r < words; ++r) keep("b32", fmt::format("%r{}", r));
    for (int f = 0; f < floats; ++f) keep("f32", fmt::format("%f{}", f));
    for (int e = 0; e < doubles; ++e) keep("f64", fmt::format("%e{}", e));
    for (int d = 0; d < longs; ++d) keep("b64", fmt::format("%d{}", d));
    for (int h = 0; h < halves; ++h) keep("b16", fmt::format("%h{}", h));
  }

  // --- Statements
  void statements(unsigned count, int depth, bool together) {
    const std::size_t once = once_.size(), uniforms = uniform_.size();
    for (unsigned s = 0; s < count; ++s) statement(depth, together);
    once_.resize(once);
    uniform_.resize(uniforms);
  }

  /// together: all threads of the block come here.
  void statement(int depth, bool together) {
    const unsigned kind = below(100);
    if (together && chance(22)) return exchange();
    if (together && full_warps_ && chance(10)) return between_lanes();
    if (kind < 22) return integer();
    if (kind < 32) return chance(30) ? double_arithmetic() : real_arithmetic();
    if (kind < 38) return wide_and_narrow();
    if (kind < 44) return once();
    if (kind < 49) return compare();
    if (kind < 60 && depth < 3) return kind < 55 ? branch(depth, together) : loop(depth, together);
    if (kind < 62 && depth < 3) return choice(depth);
    if (in_function_) return integer();
    if (kind < 65) return call();
    if (kind < 76) return load();
    if (kind < 85) return own_column();
    if (kind < 90) return own_row();
    if (kind < 93) return private_memory();
    if (kind < 97) return atomic();
    if (!exchanges_ && depth > 0) {
      line("@{} bra OUT;", predicate());
      return;
    }
    load();
  }

  void integer() {
    const std::string d = word_register(), a = word(), b = word(), c = word_register(), g = guard();
    switch (below(16)) {
      case 0:
        return line("{}{}.{} {}, {}, {};", g, one_of("add", "sub", "min", "max", "mul.lo", "mul.hi", "div", "rem"),
                    one_of("u32", "s32"), d, a, b);
      case 1:
        return line("{}{}.b32 {}, {}, {};", g, one_of("and", "or", "xor", "shl"), d, a, b);
      case 2:
        return line("{}shr.{} {}, {}, {};", g, one_of("u32", "s32", "b32"), d, a, b);
      case 3:
        return line("{}mad.{}.{} {}, {}, {}, {};", g, one_of("lo", "hi"), one_of("u32", "s32"), d, a, b, c);
      case 4:
        return line("{}{}.b32 {}, {};", g, one_of("not", "brev", "popc", "clz", "cnot"), d, a);
      case 5:
        return line("{}bfe.{} {}, {}, {}, {};", g, one_of("u32", "s32"), d, c, a, b);
      case 6:
        return line("{}bfi.b32 {}, {}, {}, {}, {};", g, d, c, word_register(), a, b);
      case 7:
        return line("{}lop3.b32 {}, {}, {}, {}, {};", g, d, c, word_register(), word_register(), below(256));
      case 8:
        return line("{}prmt.b32 {}, {}, {}, {};", g, d, c, word_register(), a);
      case 9:
        return line("{}shf.{}.{}.b32 {}, {}, {}, {};", g, one_of("l", "r"), one_of("wrap", "clamp"), d, c, word_register(), a);
      case 10:
        return line("{}selp.b32 {}, {}, {}, {};", g, d, a, b, predicate());
      case 11:
        return line("{}sad.{} {}, {}, {}, {};", g, one_of("u32", "s32"), d, c, a, b);
      case 12:
        return line("{}{}.s32 {}, {};", g, one_of("abs", "neg"), d, c);
      case 13:
        line("add.cc.u32 {}, {}, {};", d, c, a);
        return line("addc.u32 {}, {}, {};", word_register(), word_register(), b);
      case 14:
        return line("{}slct.b32.s32 {}, {}, {}, {};", g, d, a, b, c);
      default:
        return line("{}set.{}.u32.{} {}, {}, {};", g, one_of("lt", "eq", "ge"), one_of("u32", "s32"), d, c, a);
    }
  }

  void real_arithmetic() {
    const std::string d = float_register(), a = real(), b = real(), c = float_register(), g = guard();
    switch (below(8)) {
      case 0:
        return line("{}{}{}.f32 {}, {}, {};", g, one_of("add", "sub", "mul", "add.rz", "mul.rp", "sub.rm"),
                    one_of("", ".ftz", ".sat"), d, a, b);
      case 1:
        return line("{}fma.{}{}.f32 {}, {}, {}, {};", g, one_of("rn", "rz"), one_of("", ".ftz"), d, a, b, c);
      case 2:
        return line("{}{}.f32 {}, {}, {};", g, one_of("min", "max", "min.NaN", "div.rn", "div.approx", "copysign"), d, c, b);
      case 3:
        return line(
            "{}{}.f32 {}, {};", g,
            one_of("sqrt.rn", "rcp.rn", "rcp.approx", "ex2.approx", "lg2.approx", "neg", "abs", "sin.approx", "rsqrt.approx"), d,
            c);
      case 4:
        return line("{}cvt.rn.f32.{} {}, {};", g, one_of("u32", "s32"), d, word_register());
      case 5:
        return line("{}cvt.{}.{}.f32 {}, {};", g, one_of("rzi", "rni", "rmi"), one_of("s32", "u32"), word_register(), c);
      case 6:
        return chance(50) ? line("{}mov.b32 {}, {};", g, d, word_register()) : line("{}mov.b32 {}, {};", g, word_register(), c);
      default:
        return line("{}selp.f32 {}, {}, {}, {};", g, d, a, b, predicate());
    }
  }

  void double_arithmetic() {
    const std::string d = double_register(), a = double_register(), b = double_register(), c = double_register(), g = guard();
    switch (below(8)) {
      case 0:
        return line("{}{}.f64 {}, {}, {};", g, one_of("add", "sub", "mul", "add.rz", "mul.rp", "sub.rm"), d, a, b);
      case 1:
        return line("{}fma.{}.f64 {}, {}, {}, {};", g, one_of("rn", "rz"), d, a, b, c);
      case 2:
        return line("{}{}.f64 {}, {}, {};", g, one_of("min", "max", "div.rn", "copysign"), d, a, b);
      case 3:
        return line("{}{}.f64 {}, {};", g, one_of("sqrt.rn", "rcp.rn", "neg", "abs"), d, a);
      case 4:
        return chance(50) ? line("{}cvt.f64.f32 {}, {};", g, d, float_register())
                          : line("{}cvt.{}.f32.f64 {}, {};", g, one_of("rn", "rz"), float_register(), a);
      case 5:
        return chance(50) ? line("{}cvt.rn.f64.{} {}, {};", g, one_of("u32", "s32"), d, word_register())
                          : line("{}cvt.{}.{}.f64 {}, {};", g, one_of("rzi", "rni"), one_of("s32", "u32"), word_register(), a);
      case 6:
        return chance(50) ? line("{}mov.b64 {}, {};", g, d, long_register()) : line("{}mov.b64 {}, {};", g, long_register(), a);
      default:
        return line("{}selp.f64 {}, {}, {}, {};", g, d, a, b, predicate());
    }
  }

  void wide_and_narrow() {
    const std::string d = long_register(), a = long_register(), h = half_register(), g = guard();
    switch (below(7)) {
      case 0:
        return line("{}{}.{} {}, {}, {};", g, one_of("add", "sub", "mul.lo", "mul.hi", "min", "max", "rem", "div"),
                    one_of("u64", "s64"), d, a, long_register());
      case 1:
        return line("{}{}.b64 {}, {}, {};", g, one_of("shl", "xor", "and", "or"), d, a, "%d0" == d ? "3" : "5");
      case 2:
        return line("{}mul.wide.{} {}, {}, {};", g, one_of("u32", "s32"), d, word_register(), word());
      case 3:
        return line("{}mov.b64 {{{}, {}}}, {};", g, "%r0", "%r1", a);
      case 4:
        return line("{}{}.{} {}, {}, {};", g, one_of("add", "sub", "mul.lo", "min", "max", "mul.hi"), one_of("u16", "s16"), h,
                    half_register(), half_register());
      case 5:
        return chance(50)
                   ? line("{}cvt.{}.{} {}, {};", g, one_of("u32", "s32"), one_of("u16", "s16", "u8", "s8"), word_register(), h)
                   : line("{}cvt.u16.u32 {}, {};", g, h, word_register());
      default:
        return line("{}{}.b64 {}, {};", g, one_of("popc", "clz"), word_register(), a);
    }
  }

  /// A value that is written once: of uniform ones, of the thread's place, or of anything.
  void once() {
    const std::string v = fresh32();
    const unsigned from = below(3);
    const std::string a = from == 0 && !uniform_.empty() ? uniform()
                          : once_.empty()                ? word_register()
                                                         : once_[below(static_cast<unsigned>(once_.size()))];
    const std::string b = from == 0 ? std::to_string(below(100)) : word();
    line("{} {}, {}, {};", one_of("add.u32", "xor.b32", "mul.lo.u32", "shl.b32", "and.b32", "min.s32"), v, a, b);
    once_.push_back(v);
    if (from == 0 && !uniform_.empty()) uniform_.push_back(v);
  }

  void compare() {
    const std::string p = predicate();
    switch (below(5)) {
      case 0:
        return line("setp.{}.f32 {}, {}, {};", one_of("lt", "ge", "equ", "nan", "ne"), p, float_register(), real());
      case 1:
        return line("setp.{}.{}.u32 {}, {}, {}, {};", one_of("lt", "eq", "hi"), one_of("and", "or", "xor"), p, word_register(),
                    word(), predicate());
      case 2:
        return line("{}.pred {}, {}, {};", one_of("and", "or", "xor"), p, predicate(), predicate());
      case 3:
        return line("setp.{}.f64 {}, {}, {};", one_of("lt", "ge", "equ", "num", "ne"), p, double_register(), double_register());
      default:
        return line("{}setp.{}.s32 {}, {}, {};", guard(), one_of("lt", "le", "gt", "ge", "eq", "ne"), p, word_register(), word());
    }
  }

  void branch(int depth, bool together) {
    const bool stay = together && chance(40) && !uniform_.empty();  // the whole block goes one way
    const std::string otherwise = label(), end = label(), q = stay ? fresh_predicate() : predicate();
    if (stay) {
      const std::string bit = fresh32();
      line("and.b32 {}, {}, {}; setp.ne.u32 {}, {}, 0;", bit, uniform(), 1u << below(6), q, bit);
    }
    const bool has_else = chance(50);
    line("@{}{} bra{} {};", chance(50) ? "!" : "", q, stay && chance(50) ? ".uni" : "", has_else ? otherwise : end);
    statements(1 + below(4), depth + 1, stay);
    if (has_else) {
      line("bra.uni {};\n{}:", end, otherwise);
      statements(1 + below(4), depth + 1, stay);
    }
    line("{}:", end);
  }

  void loop(int depth, bool together) {
    const bool stay = together && chance(50);
    const std::string top = label(), out = label(), more = fresh_predicate(), trips = fresh32(), n = fmt::format("%n{}", depth);
    if (stay)
      line("mov.u32 {}, {};", trips, below(4));
    else
      line("and.b32 {}, {}, {};", trips, chance(30) && !uniform_.empty() ? uniform() : word_register(), chance(80) ? 3 : 7);
    line("mov.u32 {}, 0;", n);
    const bool test_first = chance(60);
    line("{}:", top);
    if (test_first) line("setp.ge.u32 {}, {}, {}; @{} bra {};", more, n, trips, more, out);
    statements(1 + below(4), depth + 1, stay);
    if (!stay && chance(25)) line("@{} bra {};", predicate(), out);
    if (!stay && chance(15)) statements(1 + below(2), depth + 1, false);
    line("add.u32 {}, {}, 1;", n, n);
    if (test_first)
      line("bra{} {};", chance(50) ? ".uni" : "", top);
    else
      line("setp.lt.u32 {}, {}, {}; @{} bra {};", more, n, trips, more, top);
    line("{}:", out);
  }

  void choice(int depth) {
    const std::string at = fresh32(), end = label();
    std::array<std::string, 4> targets{label(), label(), label(), end};
    line("and.b32 {}, {}, 3;", at, word_register());
    const std::string table = "T" + label();
    line("{}: .branchtargets {}, {}, {}, {};", table, targets[0], targets[1], targets[2], targets[3]);
    line("brx.idx {}, {};", at, table);
    for (int t = 0; t < 3; ++t) {
      line("{}:", targets[static_cast<std::size_t>(t)]);
      statements(1 + below(2), depth + 1, false);
      if (chance(60)) line("bra {};", end);  // else it falls through
    }
    line("{}:", end);
  }

  void call() {
    line("{{ .param .b32 a; .param .b32 b; .param .b32 c;");
    line("st.param.b32 [a], {}; st.param.b32 [b], {};", word_register(), word_register());
    line("call.uni (c), mix, (a, b);");
    line("ld.param.b32 {}, [c]; }}", word_register());
  }

  // --- Memory
  struct Column {
    unsigned width = 4;
    bool reversed = false;
    std::size_t offset = 0;
  };

  /// base + index × width as address register, in one of the ways compilers write it.
  std::string address(const std::string& index, const std::string& base, unsigned width, bool is_signed) {
    const std::string a = fresh64(), scaled = fresh64();
    const std::string_view type = is_signed ? "s32" : "u32";
    switch (below(6)) {
      case 0:
        line("mad.wide.{} {}, {}, {}, {};", type, a, index, width, base);
        break;
      case 1:
        line("cvt.{}64.{} {}, {};", is_signed ? "s" : "u", type, scaled, index);
        line("mad.lo.s64 {}, {}, {}, {};", a, scaled, width, base);
        break;
      case 2:
        line("mul.wide.{} {}, {}, {};", type, scaled, index, width);
        integer();  // may overwrite the index: the address must not see it
        line("add.s64 {}, {}, {};", a, scaled, base);
        if (chance(50)) integer();
        break;
      default:
        line("mul.wide.{} {}, {}, {};", type, scaled, index, width);
        line("add.s64 {}, {}, {};", a, base, scaled);
        break;
    }
    return a;
  }

  /// An access of `bytes` a lane to or from pool registers: "ld.global.v2.u32 {%r1, %r2}, [a+o];" and its store.
  void access(bool load_it, std::string_view space, std::string_view qualifier, const std::string& at, unsigned bytes) {
    unsigned vector = bytes == 16 ? (chance(50) ? 4 : 2) : bytes >= 2 && chance(35) ? (bytes >= 4 && chance(50) ? 4 : 2) : 1;
    if (bytes == 1) vector = 1;
    const unsigned element = bytes / vector;
    const std::string_view type = element == 1   ? one_of("u8", "s8", "b8")
                                  : element == 2 ? one_of("u16", "s16", "b16")
                                  : element == 4 ? one_of("u32", "s32", "b32", "f32")
                                                 : one_of("u64", "s64", "b64", "f64");
    const unsigned first = below(16);
    const bool narrow = element <= 2 && (element == 2 || vector > 1) && chance(50);  // in registers of 16 bits
    std::string values;
    for (unsigned e = 0; e < vector; ++e) {
      const unsigned at_register = first + e;
      values += e ? ", " : "";
      values += type == "f32"   ? fmt::format("%f{}", at_register % floats)
                : type == "f64" ? fmt::format("%e{}", at_register % doubles)
                : element == 8  ? fmt::format("%d{}", at_register % longs)
                : narrow        ? fmt::format("%h{}", at_register % halves)
                                : fmt::format("%r{}", at_register % words);
    }
    if (vector > 1) values = "{" + values + "}";
    const std::string suffix = vector > 1 ? fmt::format(".v{}", vector) : std::string();
    if (vector > 1 && qualifier != ".nc") qualifier = "";
    const std::string before = qualifier == ".nc" ? std::string() : std::string(qualifier), after = qualifier == ".nc" ? ".nc" : "";
    if (load_it)
      line("{}ld{}{}{}{}.{} {}, [{}];", guard(), before, space, after, suffix, type, values, at);
    else
      line("{}st{}{}{}.{} [{}], {};", guard(), before, space, suffix, type, at, values);
  }

  void load() {
    static constexpr unsigned widths[] = {1, 2, 4, 4, 4, 8, 16};
    const unsigned width = widths[below(std::size(widths))];
    const unsigned count = static_cast<unsigned>(RandomKernel::in_bytes) / width - 8;
    std::string index = fresh32(), base = "%w3";
    bool is_signed = chance(50);
    switch (below(7)) {
      case 0:  // contiguous or strided
        line("mad.lo.u32 {}, %v9, {}, {};", index, below(4), below(count - 3 * threads_));
        break;
      case 1:
        line("sub.s32 {}, {}, {};", index, below(32), one_of("%v9", "%v5", "%v11"));
        base = "%w6";
        is_signed = true;
        break;
      case 2:
        line("rem.u32 {}, {}, {};", index, uniform_.empty() ? "%v8" : uniform(), count);
        break;
      case 3:
        index = one_of("%v9", "%v10", "%v5", "%v11", "%v8");
        break;
      default:
        if (chance(40)) index = word_register();
        line("rem.u32 {}, {}, {};", index, word_register(), count);
        break;
    }
    const bool generic = chance(15);
    const std::string a = address(index, base, width, is_signed);
    access(true, generic ? "" : ".global",
           chance(20) && !generic ? ".nc"
           : chance(10)           ? one_of(".volatile", ".relaxed.gpu")
                                  : "",
           chance(50) ? a : fmt::format("{}+{}", a, width * below(4)), width);
    if (chance(20)) access(true, ".global", "", a, width);
  }

  void own_column() {
    const Column& column = columns_[below(columns)];
    const std::string index = column.reversed ? "%v10" : "%v9", a = address(index, "%w4", column.width, chance(50));
    const std::string at = column.offset ? fmt::format("{}+{}", a, column.offset) : a;
    const bool load_it = chance(30);
    access(load_it, chance(85) ? ".global" : "", chance(10) ? ".volatile" : "", at, column.width);
    if (!load_it && chance(30)) access(true, ".global", "", at, column.width);
  }

  void own_row() {
    const std::string a = address("%v9", "%w4", 64, false), at = fresh64(), low = fresh32(), wide = fresh64();
    const unsigned width = 1u << below(5);
    if (chance(50)) {
      access(chance(40), ".global", "", fmt::format("{}+{}", a, rows_ + width * below(64 / width)), width);
    } else {
      line("and.b32 {}, {}, {}; cvt.u64.u32 {}, {}; add.s64 {}, {}, {};", low, word_register(), 64 - width, wide, low, at, a, wide);
      access(chance(40), ".global", "", fmt::format("{}+{}", at, rows_), width);
    }
  }

  void private_memory() {
    const unsigned width = 1u << below(5);
    if (chance(50)) {
      access(chance(50), ".shared", "", fmt::format("{}+{}", own_, width * below(16 / width)), width);
    } else {
      const std::string at = fresh64(), low = fresh32(), wide = fresh64(), base = fresh64();
      line("and.b32 {}, {}, {}; cvt.u64.u32 {}, {}; mov.u64 {}, depot; add.s64 {}, {}, {};", low, word_register(), 64 - width, wide,
           low, base, at, base, wide);
      access(chance(50), ".local", "", at, width);
    }
  }

  /// Only operations whose order does not show: one kind a counter, results unused.
  void atomic() {
    static constexpr std::array<std::string_view, 9> operations{"add.u32", "add.s32", "min.u32", "max.s32", "and.b32",
                                                                "or.b32",  "xor.b32", "min.s32", "add.u64"};
    const unsigned operation = below(operations.size());
    const bool wide = operation == 8;
    const std::string index = fresh32(), a = fresh64();
    line("and.b32 {}, {}, 7; mad.wide.u32 {}, {}, {}, %w5;", index, chance(30) ? std::string("%v8") : word_register(), a, index,
         wide ? 8 : 4);
    const std::string value = wide ? long_register() : chance(40) ? std::to_string(below(9)) : word_register();
    const std::string g = guard(), at = fmt::format("[{}+{}]", a, 64 * operation);
    const std::string_view space = one_of(".global", "");
    if (chance(50))
      line("{}red{}.{} {}, {};", g, space, operations[operation], at, value);
    else
      line("{}atom{}.{} {}, {}, {};", g, space, operations[operation], wide ? "%dead64" : "%dead", at, value);
  }

  void barrier() {
    if (chance(15)) return line("bar.red.popc.u32 {}, 0, {};", word_register(), predicate());
    line("{};", full_warps_ && chance(20) ? fmt::format("bar.sync 1, {}", block_threads_)
                                          : std::string(one_of("bar.sync 0", "barrier.sync 0", "bar.sync 2")));
  }

  /// Every thread writes its slot, the block meets, every thread reads somebody's, the block meets again.
  void exchange() {
    if (chance(25)) return tally();
    const unsigned width = 1u << below(4);
    const std::string base = fresh64(), mine = fresh32(), theirs = fresh32();
    line("mov.u64 {}, slots;", base);
    if (chance(40))
      line("sub.u32 {}, {}, %v5;", mine, block_threads_ - 1);
    else
      line("mov.u32 {}, %v5;", mine);
    const std::string to = address(mine, base, width, false);
    std::string saved = guardless_access(false, to, width);
    body_ += saved;
    barrier();
    switch (below(4)) {
      case 0:
        line("add.u32 {}, %v5, {}; rem.u32 {}, {}, {};", theirs, below(40), theirs, theirs, block_threads_);
        break;
      case 1:
        line("sub.u32 {}, {}, %v5;", theirs, block_threads_ - 1);
        break;
      case 2:
        line("mov.u32 {}, {};", theirs, below(block_threads_));
        break;
      default:
        line("rem.u32 {}, {}, {};", theirs, word_register(), block_threads_);
        break;
    }
    const std::string from = address(theirs, base, width, false);
    access(true, ".shared", "", from, width);
    barrier();
  }

  /// An access of all threads: a slot that a guard left out would hold what another block left behind.
  std::string guardless_access(bool load_it, const std::string& at, unsigned width) {
    std::string before = std::move(body_);
    do {
      body_.clear();
      access(load_it, ".shared", "", at, width);
    } while (body_.starts_with('@'));
    std::string text = std::move(body_);
    body_ = std::move(before);
    return text;
  }

  /// Counters in shared memory: zeroed, counted up by all, read.
  void tally() {
    const std::string base = fresh64(), q = fresh_predicate(), index = fresh32(), scaled = fresh64(), a = fresh64(),
                      zero = fresh64();
    line("mov.u64 {}, tally; setp.lt.u32 {}, %v5, 32; mul.wide.u32 {}, %v5, 4; add.s64 {}, {}, {};", base, q, scaled, zero, base,
         scaled);
    if (block_threads_ >= 32) {
      line("@{} st.shared.u32 [{}], 0;", q, zero);
    } else {
      for (int t = 0; t < 32; ++t) line("@{} st.shared.u32 [{}+{}], 0;", first_thread(), base, 4 * t);
    }
    barrier();
    line("and.b32 {}, {}, {}; mad.wide.u32 {}, {}, 4, {};", index, word_register(), (1u << below(6)) - 1, a, index, base);
    line("{}{} [{}], {};", guard(), chance(50) ? "red.shared.add.u32" : "atom.shared.add.u32 %dead,", a, below(5));
    barrier();
    line("ld.shared.u32 {}, [{}];", word_register(), a);
    barrier();
  }
  std::string first_thread() {
    const std::string q = fresh_predicate();
    line("setp.eq.u32 {}, %v5, 0;", q);
    return q;
  }

  void between_lanes() {
    switch (below(4)) {
      case 0:
        return line("shfl.sync.{}.b32 {}, {}, {}, 31, -1;", one_of("bfly", "idx"), word_register(), word_register(), below(32));
      case 1:
        return line("vote.sync.ballot.b32 {}, {}, -1;", word_register(), predicate());
      case 2:
        return line("vote.sync.{}.pred {}, {}, -1;", one_of("any", "all", "uni"), predicate(), predicate());
      default:
        return line("shfl.sync.{}.b32 {}, {}, {}, {}, -1;", one_of("up", "down"), word_register(), word_register(), below(32), 0);
    }
  }

  std::mt19937_64 random_;
  RandomKernel made_;
  std::string body_, own_;
  unsigned fresh32_ = 0, fresh64_ = 0, fresh_predicates_ = 0, labels_ = 0, block_threads_ = 0, threads_ = 0;
  bool exchanges_ = false, full_warps_ = false, in_function_ = false;
  std::vector<std::string> once_, uniform_;
  std::array<Column, columns> columns_;
  std::size_t rows_ = 0, results_ = 0;
};

}  // namespace

RandomKernel random_kernel(std::uint64_t seed) { return Writer(seed).write(); }

}  // namespace warpbook::gpu::test
