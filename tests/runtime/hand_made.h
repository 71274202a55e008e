// A CUDA program made by hand, for machines without the toolkit: PTX in a fat binary as nvcc lays it out, and the calls that nvcc's
// own code makes.
//
//     HandMade made(library);                    // registers the kernels with that libcudart
//     made.launch("add", {4}, {256}, &pointer, &count);
//
// Source of the layout: gpu/runtime/fat_binary.h.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace warpbook::test {

/// add: a[i] += i below n. beyond: a[n] = 1, out of bounds. count: c[0] += 1 without an atomic. spin: never ends. scale: the
/// __constant__ variable `factor` times a[i]. follow: adds n to the number that a's first element points to.
/// fetch: a[y * width + x] = what the texture object t has at (x / 2, y / 2).
inline constexpr const char* hand_made_ptx = R"(.version 7.0
.target sm_75
.address_size 64
.const .align 4 .u32 factor;
.visible .entry add(.param .u64 a, .param .u32 n) {
  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [a]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mul.wide.s32 %d2, %r5, 4; add.s64 %d3, %d1, %d2;
  ld.global.u32 %r6, [%d3]; add.s32 %r7, %r6, %r5; st.global.u32 [%d3], %r7;
DONE:
  ret;
}
.visible .entry scale(.param .u64 a, .param .u32 n) {
  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [a]; ld.param.u32 %r1, [n];
  mov.u32 %r4, %tid.x;
  setp.ge.s32 %p1, %r4, %r1;
  @%p1 bra DONE;
  mul.wide.s32 %d2, %r4, 4; add.s64 %d3, %d1, %d2;
  ld.const.u32 %r5, [factor];
  ld.global.u32 %r6, [%d3]; mul.lo.s32 %r7, %r6, %r5; st.global.u32 [%d3], %r7;
DONE:
  ret;
}
.visible .entry beyond(.param .u64 a, .param .u32 n) {
  .reg .b32 %r<3>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [a]; ld.param.u32 %r1, [n];
  mul.wide.s32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;
  mov.u32 %r2, 1; st.global.u32 [%d3], %r2;
  ret;
}
.visible .entry count(.param .u64 a, .param .u32 n) {
  .reg .b32 %r<3>; .reg .b64 %d<2>;
  ld.param.u64 %d1, [a];
  ld.global.u32 %r1, [%d1]; add.s32 %r2, %r1, 1; st.global.u32 [%d1], %r2;
  ret;
}
.visible .entry follow(.param .u64 a, .param .u32 n) {
  .reg .b32 %r<4>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [a]; ld.param.u32 %r1, [n];
  ld.global.u64 %d2, [%d1];
  ld.global.u32 %r2, [%d2]; add.s32 %r3, %r2, %r1; st.global.u32 [%d2], %r3;
  ret;
}
.visible .entry fetch(.param .u64 a, .param .u64 t) {
  .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [a]; ld.param.u64 %d2, [t];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ntid.x;
  cvt.rn.f32.u32 %f1, %r1; cvt.rn.f32.u32 %f2, %r2;
  mul.rn.f32 %f1, %f1, 0f3F000000; mul.rn.f32 %f2, %f2, 0f3F000000;
  tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d2, {%f1, %f2}];
  mad.lo.s32 %r4, %r2, %r3, %r1; mul.wide.s32 %d3, %r4, 4; add.s64 %d3, %d1, %d3;
  st.global.f32 [%d3], %f3;
  ret;
}
.visible .entry spin(.param .u64 a, .param .u32 n) {
LOOP:
  bra LOOP;
}
)";

/// The bytes of a fat binary with one entry: PTX (kind 1) or machine code (kind 2).
inline std::vector<char> fat_binary(std::string_view text, std::uint16_t kind = 1) {
  const auto put = [](std::vector<char>& to, auto value) {
    const char* bytes = reinterpret_cast<const char*>(&value);
    to.insert(to.end(), bytes, bytes + sizeof value);
  };
  std::vector<char> entry;
  const std::uint64_t padded = (text.size() + 8) / 8 * 8;
  put(entry, kind);
  put(entry, std::uint16_t{0x101});
  put(entry, std::uint32_t{64});
  put(entry, padded);
  put(entry, std::uint64_t{0});  // not compressed
  put(entry, std::uint32_t{0});
  put(entry, std::uint32_t{75});
  entry.resize(64, '\0');
  entry.insert(entry.end(), text.begin(), text.end());
  entry.resize(64 + padded, '\0');
  std::vector<char> whole;
  put(whole, std::uint32_t{0xba55ed50});
  put(whole, std::uint16_t{1});
  put(whole, std::uint16_t{16});
  put(whole, std::uint64_t{entry.size()});
  whole.insert(whole.end(), entry.begin(), entry.end());
  return whole;
}

struct Wrapper {
  unsigned magic, version;
  const void* data;
  void* more;
};

}  // namespace warpbook::test
