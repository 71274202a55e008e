// Barriers of blocks, warps and clusters, fences, barriers in memory, asynchronous copies.
#include "tests/forms/scenes.h"

namespace warpbook::gpu::test {
namespace {

template <u64 Value>
u64 always(const Spelling&, u64) {
  return Value;
}
u64 own_value(const Spelling&, u64 t) { return t * 3 + 1; }  // what stands at [%in]

/// Each thread leaves a number, and behind the barrier reads the number of a thread of another warp.
constexpr std::string_view shared = ".shared .align 8 .b32 v[96];";
const std::string leave =
    "mov.u64 %a, v; mul.wide.u32 %b, %i, 4; add.u64 %a, %a, %b; mad.lo.u32 %r, %i, 7, 1; st.shared.u32 [%a], %r;\n";
const std::string read_another =
    "add.u32 %t, %i, 40; rem.u32 %t, %t, 96; mov.u64 %a, v; mul.wide.u32 %b, %t, 4; add.u64 %a, %a, %b; ld.shared.u32 %r, [%a];\n"
    "cvt.u64.u32 %c, %r; add.u64 %d, %d, %c;\n";
u64 twice_another(const Spelling&, u64 t) { return 2 * ((t + 40) % 96 * 7 + 1); }
u64 first_warp(const Spelling&, u64 t) { return t < 32 ? 0 : t % 32 * 7 + 1; }

constexpr std::string_view own_barrier = ".shared .align 8 .b64 bar[64]; .shared .align 16 .b8 tile[1024];";
// Every thread has an object of its own at [%a]; %d collects what is seen, a decimal place each.
const std::string own =
    "mov.u64 %a, bar; mul.wide.u32 %b, %i, 8; add.u64 %a, %a, %b; .reg .b64 %generic; cvta.shared.u64 %generic, %a;\n";
std::string init(unsigned count) { return own + "mbarrier.init.shared.b64 [%a], " + std::to_string(count) + ";\n"; }
std::string arrive(unsigned count) { return "mbarrier.arrive.shared.b64 %b, [%a], " + std::to_string(count) + ";\n"; }
const std::string pending = "mbarrier.pending_count.b64 %r, %b; cvt.u64.u32 %c, %r; mad.lo.u64 %d, %d, 10, %c;\n";
const std::string seen = "selp.u64 %c, 1, 0, %p; mad.lo.u64 %d, %d, 10, %c;\n";
const std::string over = "mbarrier.test_wait.parity.shared.b64 %p, [%a], 0; " + seen;
const std::string tile = "mov.u64 %b, tile; mul.wide.u32 %c, %i, 16; add.u64 %b, %b, %c;\n";
const std::string copy = tile + "cp.async.ca.shared.global [%b], [%in], 8;\n", wait = "cp.async.wait_all;\n",
                  result = "ld.shared.u64 %d, [%b];\n";

}  // namespace

std::vector<Prover> barrier_provers() {
  return provers_of(
      "barriers",
      {{.opcodes = "bar barrier",
        .when = "sync",
        .module = shared,
        .body = leave + "{op} 3;\n" + read_another + "{op} 3, 96;\n" + read_another,
        .expect = twice_another,
        .threads = 96},
       {.opcodes = "bar barrier",
        .when = "arrive",
        .module = shared,
        .body = R"(
mov.u64 %a, v; mul.wide.u32 %b, %i, 4; add.u64 %a, %a, %b; mad.lo.u32 %r, %i, 7, 1;
setp.ge.u32 %p, %i, 32; @%p bra READ;
st.shared.u32 [%a], %r; {op} 1, 96; bra DONE;
READ: bar.sync 1, 96; and.b32 %t, %i, 31; mov.u64 %a, v; mul.wide.u32 %b, %t, 4; add.u64 %a, %a, %b; ld.shared.u32 %r, [%a]; cvt.u64.u32 %d, %r;
DONE:)",
        .expect = first_warp,
        .threads = 96},
       {.opcodes = "bar barrier",
        .when = "red.popc",
        .body = R"(
rem.u32 %t, %i, 3; setp.eq.u32 %p, %t, 0; setp.ge.u32 %q, %i, 50;
{op} %r, 2, %p; {op} %s, 2, 96, !%q; cvt.u64.u32 %d, %r; cvt.u64.u32 %c, %s; mad.lo.u64 %d, %d, 100, %c;)",
        .expect = always<3250>,
        .threads = 96},
       {.opcodes = "bar barrier",
        .when = "red.and",
        .body = R"(
setp.lt.u32 %p, %i, 96; setp.ne.u32 %q, %i, 45;
{op} %p, 2, %p; {op} %q, 2, 96, %q; selp.u64 %d, 10, 0, %p; selp.u64 %c, 1, 0, %q; add.u64 %d, %d, %c;)",
        .expect = always<10>,
        .threads = 96},
       {.opcodes = "bar barrier",
        .when = "red.or",
        .body = R"(
setp.eq.u32 %p, %i, 45; setp.gt.u32 %q, %i, 96;
{op} %p, 2, %p; {op} %q, 2, 96, %q; selp.u64 %d, 10, 0, %p; selp.u64 %c, 1, 0, %q; add.u64 %d, %d, %c;)",
        .expect = always<10>,
        .threads = 96},
       {.opcodes = "bar.warp.sync",
        .module = shared,
        .body = R"(
mov.u64 %a, v; mul.wide.u32 %b, %i, 4; add.u64 %a, %a, %b; st.shared.u32 [%a], %i; {op} -1;
xor.b32 %t, %i, 31; mov.u64 %a, v; mul.wide.u32 %b, %t, 4; add.u64 %a, %a, %b; ld.shared.u32 %r, [%a]; cvt.u64.u32 %d, %r;)",
        .expect = [](const Spelling&, u64 t) { return t ^ 31; }},
       // Thread 0 writes and raises a flag; the second warp waits for the flag and reads.
       {.opcodes = "membar fence",
        .module = ".shared .b32 data; .shared .b32 flag;",
        .body = R"(
mov.u32 %t, 0; st.shared.u32 [flag], %t; st.shared.u32 [data], %t; bar.sync 0;
setp.ge.u32 %p, %i, 32; @%p bra WAIT;
setp.ne.u32 %p, %i, 0; @%p bra DONE; mov.u32 %t, 42; st.shared.u32 [data], %t; {op}; mov.u32 %t, 1; st.volatile.shared.u32 [flag], %t; bra DONE;
WAIT: ld.volatile.shared.u32 %t, [flag]; setp.eq.u32 %p, %t, 0; @%p bra WAIT; {op}; ld.shared.u32 %r, [data]; cvt.u64.u32 %d, %r;
DONE:)",
        .expect = [](const Spelling&, u64 t) { return u64{t < 32 ? 0U : 42U}; }},
       {.opcodes = "barrier.cluster.arrive",
        .module = shared,
        .body = leave + "{op}; barrier.cluster.wait;\n" + read_another + read_another,
        .expect = twice_another,
        .threads = 96},
       {.opcodes = "barrier.cluster.wait",
        .module = shared,
        .body = leave + "barrier.cluster.arrive; {op};\n" + read_another + read_another,
        .expect = twice_another,
        .threads = 96},

       {.opcodes = "mbarrier.init",
        .module = own_barrier,
        .body = own + "{op} {at}, 2;\n" + arrive(1) + pending + over + arrive(1) + over,
        .expect = always<201>},
       {.opcodes = "mbarrier.inval",
        .module = own_barrier,
        .body = init(1) + "{op} {at}; mbarrier.init.shared.b64 [%a], 3;\n" + arrive(1) + pending,
        .expect = always<3>},
       {.opcodes = "mbarrier.arrive",
        .module = own_barrier,
        .body = init(3) + "{op} %b, {at};\n" + pending + over + "{op} %b, {at}, 2;\n" + pending + over,
        .expect = always<3021>},
       {.opcodes = "mbarrier.arrive.noComplete",
        .module = own_barrier,
        .body = init(5) + "{op} %b, {at}, 3;\n" + pending + arrive(2) + pending + over,
        .expect = always<521>},
       {.opcodes = "mbarrier.arrive.expect_tx",
        .module = own_barrier,
        .body = init(1) + "{op} %b, {at}, 16;\n" + pending + over + "mbarrier.complete_tx.shared.b64 [%a], 16;\n" + over,
        .expect = always<101>},
       {.opcodes = "mbarrier.expect_tx",
        .module = own_barrier,
        .body = init(1) + "{op} {at}, 16;\n" + arrive(1) + over + "mbarrier.complete_tx.shared.b64 [%a], 16;\n" + over,
        .expect = always<1>},
       {.opcodes = "mbarrier.complete_tx",
        .module = own_barrier,
        .body = init(1) + "mbarrier.expect_tx.shared.b64 [%a], 24;\n" + arrive(1) + "{op} {at}, 16;\n" + over + "{op} {at}, 8;\n" +
                over,
        .expect = always<1>},
       // The phase behind the one that a thread has left expects fewer.
       {.opcodes = "mbarrier.arrive_drop",
        .module = own_barrier,
        .body = init(4) + "{op} %b, {at};\n" + pending + arrive(1) + "{op} %b, {at}, 2;\n" + pending + over + arrive(1) + pending,
        .expect = always<4211>},
       {.opcodes = "mbarrier.arrive_drop.noComplete",
        .module = own_barrier,
        .body = init(5) + "{op} %b, {at}, 2;\n" + pending + arrive(3) + pending + over + arrive(1) + pending,
        .expect = always<5313>},
       {.opcodes = "mbarrier.test_wait mbarrier.try_wait",
        .module = own_barrier,
        .body =
            init(2) + arrive(1) + "{op} %p, {at}, %b;\n" + seen + "mbarrier.arrive.shared.b64 _, [%a]; {op} %p, {at}, %b;\n" + seen,
        .expect = always<1>},
       {.opcodes = "mbarrier.try_wait",
        .module = own_barrier,
        .body = init(1) + arrive(1) + "{op} %p, {at}, %b, 1000;\n" + seen,
        .expect = always<1>},
       {.opcodes = "mbarrier.test_wait.parity mbarrier.try_wait.parity",
        .module = own_barrier,
        .body = init(1) + "{op} %p, {at}, 0;\n" + seen + "{op} %p, {at}, 1;\n" + seen + arrive(1) + "{op} %p, {at}, 0;\n" + seen +
                "{op} %p, {at}, 1;\n" + seen,
        .expect = always<110>},
       {.opcodes = "mbarrier.try_wait.parity",
        .module = own_barrier,
        .body = init(1) + arrive(1) + "{op} %p, {at}, 0, 1000;\n" + seen,
        .expect = always<1>},
       {.opcodes = "mbarrier.pending_count",
        .module = own_barrier,
        .body = init(7) + arrive(2) + "{op} %r, %b; cvt.u64.u32 %d, %r;",
        .expect = always<7>},

       {.opcodes = "cp.async",
        .module = own_barrier,
        .body = tile + "{op} [%b], [%in], 16;\n" + wait + result + "{op} [%b], [%in], 16, 4;\n" + wait +
                "ld.shared.u32 %r, [%b+4]; cvt.u64.u32 %c, %r; add.u64 %d, %d, %c;",
        .expect = own_value},
       {.opcodes = "cp.async.commit_group cp.async.wait_all",
        .module = own_barrier,
        .body = copy + "{op};\n" + wait + result,
        .expect = own_value},
       {.opcodes = "cp.async.bulk.commit_group",
        .module = own_barrier,
        .body = copy + "{op};\n" + wait + result,
        .expect = own_value},
       {.opcodes = "cp.async.bulk.wait_group cp.async.bulk.wait_group.read",
        .module = own_barrier,
        .body = copy + wait + "cp.async.bulk.commit_group; {op} 0;\n" + result,
        .expect = own_value},
       {.opcodes = "cp.async.wait_group",
        .module = own_barrier,
        .body = copy + "cp.async.commit_group; {op} 0;\n" + result,
        .expect = own_value},
       // Plain, it expects one arrival more; with .noinc it is one of those expected.
       {.opcodes = "cp.async.mbarrier.arrive",
        .module = own_barrier,
        .body = init(1) + copy + "{op} {at};\n" + wait + over + arrive(1) + over,
        .expect = always<1>},
       {.opcodes = "cp.async.mbarrier.arrive.noinc",
        .module = own_barrier,
        .body = init(1) + copy + "{op} {at};\n" + wait + over,
        .expect = always<1>}});
}

}  // namespace warpbook::gpu::test
