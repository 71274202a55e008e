// Control flow, addresses and their spaces, the stack, and hints, behind which everything must be as it was.
#include "tests/forms/scenes.h"

namespace warpbook::gpu::test {
namespace {

u64 own_value(const Spelling&, u64 t) { return t * 3 + 1; }  // what stands at [%in]
u64 own_number(const Spelling&, u64 t) { return t; }
u64 one(const Spelling&, u64) { return 1; }

constexpr std::string_view spaces = ".const .b64 co = 77; .shared .b64 sh[64]; .global .b64 gl = 78;";
// The address of something in each space, in %const, %global …, and in %vconst … what stands there; of shared and local memory each
// thread has its own piece with its number + 5.
const std::string places = R"(
.reg .b64 %const, %global, %local, %param, %shared, %vconst, %vglobal, %vlocal, %vparam, %vshared;
.local .b64 lo;
mov.u64 %const, co; mov.u64 %global, gl; mov.u64 %local, lo; mov.u64 %param, in; mov.u64 %shared, sh;
mul.wide.u32 %a, %i, 8; add.u64 %shared, %shared, %a;
cvt.u64.u32 %b, %i; add.u64 %b, %b, 5; st.shared.u64 [%shared], %b; st.local.u64 [%local], %b;
mov.u64 %vconst, 77; mov.u64 %vglobal, 78; mov.u64 %vlocal, %b; mov.u64 %vshared, %b; ld.param.u64 %vparam, [in];
)";
const std::string same_as_there = "setp.eq.u64 %p, %b, %v{space}; selp.u64 %d, 1, 0, %p;";
const std::string jump = R"(
{op} %t, TABLE;
TABLE: .branchtargets ZERO, ONE, TWO, THREE;
ZERO: add.u64 %d, %d, 1; bra DONE;
ONE: add.u64 %d, %d, 10; bra DONE;
TWO: add.u64 %d, %d, 100;
THREE: add.u64 %d, %d, 1000;
DONE:)";
// The shared memory of the thread 63 - %i, as an address in %shared and in %x.
const std::string partner = places + R"(
.reg .b{bits} %x, %y; bar.sync 0; xor.b32 %t, %i, 63; mov.u64 %shared, sh; mul.wide.u32 %a, %t, 8; add.u64 %shared, %shared, %a;
cvt.u{bits}.u64 %x, %shared;
)";

/// As many bytes of the stack as the thread wants, written and read; given back, they are had again.
std::string stack(const std::string& save, const std::string& alloca, const std::string& restore) {
  return ".reg .b{bits} %old, %bytes, %new, %again, %end; rem.u32 %t, %i, 4; mad.lo.u32 %t, %t, 8, 16; cvt.u{bits}.u32 %bytes, "
         "%t;\n" +
         save + " %old; " + alloca +
         " %new, %bytes, 8; cvt.u64.u{bits} %a, %new; cvt.u64.u32 %b, %i; st.local.u64 [%a], %b; st.local.u64 [%a+8], %b;\n" +
         restore + " %old; " + save + " %end; " + alloca + " %again, %bytes, 8; ld.local.u64 %d, [%a+8];\n" +
         "setp.eq.u{bits} %p, %old, %end; setp.eq.and.u{bits} %p, %new, %again, %p; @!%p mov.u64 %d, 1000; " + restore + " %old;";
}
std::string hint(const std::string& instruction) {
  return places + ".reg .b64 %scratch; ld.param.u64 %scratch, [in]; add.u64 %scratch, %scratch, 8192; ld.global.u64 %d, [%in];\n" +
         instruction + ";";
}

}  // namespace

std::vector<Prover> control_provers() {
  return provers_of(
      "control",
      {{.opcodes = "bra",
        .body = R"(
rem.u32 %t, %i, 5; add.u32 %t, %t, 1;
LOOP: add.u64 %d, %d, 3; sub.u32 %t, %t, 1; setp.ne.u32 %p, %t, 0; @%p bra LOOP;
{op} OVER; mov.u64 %d, 0;
OVER:)",
        .expect = [](const Spelling&, u64 t) { return 3 * (t % 5 + 1); }},
       {.opcodes = "bra",
        .body = R"(
mov.u32 %t, 4; rem.u32 %s, %i, 5;
LOOP: add.u64 %d, %d, 3; sub.u32 %t, %t, 1; setp.ne.u32 %p, %t, 0; @%p {op} LOOP;)",
        .expect = [](const Spelling&, u64) { return u64{12}; }},
       {.opcodes = "brx.idx",
        .when = "!uni",
        .body = "and.b32 %t, %i, 3;\n" + jump,
        .expect = [](const Spelling&,
                     u64 t) { return t % 4 == 0   ? u64{1}
                                     : t % 4 == 1 ? u64{10}
                                     : t % 4 == 2 ? u64{1100}
                                                  : u64{1000}; }},
       {.opcodes = "brx.idx",
        .when = "uni",
        .body = "mov.u32 %t, 2;\n" + jump,
        .expect = [](const Spelling&, u64) { return u64{1100}; }},
       {.opcodes = "call",
        .module = R"(
.func (.param .b64 r) twice(.param .b64 x) { .reg .b64 %v; ld.param.b64 %v, [x]; add.u64 %v, %v, %v; st.param.b64 [r], %v; ret; })",
        .body = R"(
cvt.u64.u32 %a, %i;
{ .param .b64 x; .param .b64 r; st.param.b64 [x], %a; {op} (r), twice, (x); ld.param.b64 %d, [r]; }
mov.u64 %b, twice;
{ .param .b64 x; .param .b64 r; st.param.b64 [x], %d; P: .callprototype (.param .b64 _) _ (.param .b64 _); {op} (r), %b, (x), P; ld.param.b64 %d, [r]; })",
        .expect = [](const Spelling&, u64 t) { return 4 * t; }},
       {.opcodes = "ret",
        .module = R"(
.func (.param .b64 r) some(.param .b64 x) { .reg .b64 %v; .reg .pred %p; ld.param.b64 %v, [x]; st.param.b64 [r], %v; setp.lt.u64 %p, %v, 20;
@%p bra EARLY; add.u64 %v, %v, 100; st.param.b64 [r], %v; {op}; EARLY: {op}; })",
        .body = "cvt.u64.u32 %a, %i; { .param .b64 x; .param .b64 r; st.param.b64 [x], %a; call (r), some, (x); ld.param.b64 %d, "
                "[r]; }",
        .expect = [](const Spelling&, u64 t) { return t < 20 ? t : t + 100; }},
       {.opcodes = "exit",
        .body = "setp.lt.u32 %p, %i, 20; @%p {op}; mov.u64 %d, 9;",
        .expect = [](const Spelling&, u64 t) { return t < 20 ? 0x5555555555555555 : u64{9}; }},
       {.opcodes = "trap", .body = "setp.eq.u32 %p, %i, 20; @%p {op};", .expect = one, .status = "cudaErrorLaunchFailure"},

       {.opcodes = "cvta",
        .when = "!to",
        .module = spaces,
        .body = places + "{op} %a, %{space}; ld.u64 %b, [%a];" + same_as_there,
        .expect = one},
       {.opcodes = "cvta",
        .when = "to",
        .module = spaces,
        .body = places + "cvta.{space}.u64 %a, %{space}; {op} %c, %a; ld.{space}.u64 %b, [%c];" + same_as_there,
        .expect = one},
       {.opcodes = "isspacep",
        .module = spaces,
        .body = places + R"(
.reg .b64 %g;
cvta.const.u64 %g, %const; {op} %p, %g; selp.u64 %c, 1, 0, %p; mad.lo.u64 %d, %d, 10, %c;
cvta.global.u64 %g, %global; {op} %p, %g; selp.u64 %c, 1, 0, %p; mad.lo.u64 %d, %d, 10, %c;
cvta.local.u64 %g, %local; {op} %p, %g; selp.u64 %c, 1, 0, %p; mad.lo.u64 %d, %d, 10, %c;
cvta.param.u64 %g, %param; {op} %p, %g; selp.u64 %c, 1, 0, %p; mad.lo.u64 %d, %d, 10, %c;
cvta.shared.u64 %g, %shared; {op} %p, %g; selp.u64 %c, 1, 0, %p; mad.lo.u64 %d, %d, 10, %c;)",
        // The window of kernel parameters lies within that of global memory.
        .expect = [](const Spelling& s, u64) -> u64 {
          return s.has("const")                            ? 10000
                 : s.has("global")                         ? 1010
                 : s.has("local")                          ? 100
                 : s.has("param") || s.has("param::entry") ? 10
                                                           : 1;
        }},
       {.opcodes = "mapa",
        .when = "shared::cluster",
        .module = spaces,
        .body = partner + "{op} %y, %x, 0; cvt.u64.u{bits} %a, %y; ld.shared::cluster.u64 %d, [%a];",
        .expect = [](const Spelling&, u64 t) { return (t ^ 63) + 5; }},
       {.opcodes = "mapa",
        .when = "!shared::cluster",
        .module = spaces,
        .body = partner + "cvta.shared.u64 %a, %shared; {op} %c, %a, 0; ld.u64 %d, [%c];",
        .expect = [](const Spelling&, u64 t) { return (t ^ 63) + 5; }},
       {.opcodes = "getctarank",
        .when = "shared::cluster",
        .module = spaces,
        .body = partner + "{op} %r, %x; cvt.u64.u32 %d, %r; add.u64 %d, %d, 1;",
        .expect = one},
       {.opcodes = "getctarank",
        .when = "!shared::cluster",
        .module = spaces,
        .body = partner + "cvta.shared.u64 %a, %shared; {op} %r, %a; cvt.u64.u32 %d, %r; add.u64 %d, %d, 1;",
        .expect = one},

       {.opcodes = "alloca", .body = stack("stacksave.u{bits}", "{op}", "stackrestore.u{bits}"), .expect = own_number},
       {.opcodes = "stacksave", .body = stack("{op}", "alloca.u{bits}", "stackrestore.u{bits}"), .expect = own_number},
       {.opcodes = "stackrestore", .body = stack("stacksave.u{bits}", "alloca.u{bits}", "{op}"), .expect = own_number},

       {.opcodes = "prefetch", .module = spaces, .body = hint("{op}.L2 [%{space}]"), .expect = own_value},
       {.opcodes = "prefetchu", .module = spaces, .body = hint("{op}.L1 [%global]"), .expect = own_value},
       {.opcodes = "discard", .module = spaces, .body = hint("{op}.L2 [%scratch], 128"), .expect = own_value},
       {.opcodes = "applypriority", .module = spaces, .body = hint("{op}.L2::evict_normal [%scratch], 128"), .expect = own_value},
       {.opcodes = "createpolicy.fractional",
        .module = spaces,
        .body = hint("createpolicy.fractional.L2::evict_last.b64 %c, 0f3F000000"),
        .expect = own_value},
       {.opcodes = "createpolicy.range",
        .module = spaces,
        .body = hint("createpolicy.range.global.L2::evict_last.b64 %c, [%scratch], 64, 128"),
        .expect = own_value},
       {.opcodes = "nanosleep", .module = spaces, .body = hint("{op} 20"), .expect = own_value},
       {.opcodes = "pmevent", .module = spaces, .body = hint("{op} 3"), .expect = own_value},
       {.opcodes = "setmaxnreg.inc.sync.aligned setmaxnreg.dec.sync.aligned",
        .module = spaces,
        .body = hint("{op} 64"),
        .expect = own_value},
       {.opcodes = "brkpt griddepcontrol.wait griddepcontrol.launch_dependents fence.proxy",
        .module = spaces,
        .body = hint("{op}"),
        .expect = own_value}});
}

}  // namespace warpbook::gpu::test
