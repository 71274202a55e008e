// A record of a whole program, written by hand: two launches of a kernel that adds n to each of an array's 16 elements.
#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "gpu/address_windows.h"
#include "gpu/program/run_record.h"

namespace warpbook::test {

inline constexpr std::string_view recorded_source = "__global__ void add(int* a, int n) {\n  a[threadIdx.x] += n;\n}\n";
inline constexpr std::string_view recorded_ptx = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry add(.param .u64 a, .param .u32 n) {
  .reg .b32 %r<8>; .reg .b64 %d<4>;
  .loc 1 2 3
  ld.param.u64 %d1, [a]; ld.param.u32 %r1, [n];
  mov.u32 %r4, %tid.x;
  mul.wide.s32 %d2, %r4, 4; add.s64 %d3, %d1, %d2;
  ld.global.u32 %r6, [%d3]; add.s32 %r7, %r6, %r1; st.global.u32 [%d3], %r7;
  ret;
}
.file 1 "/home/ada/add.cu"
)";

inline void write_hand_made_record(const std::filesystem::path& file) {
  using Json = nlohmann::ordered_json;
  constexpr std::uint64_t address = gpu::global_base + (std::uint64_t{1} << 20);
  std::string bytes = gpu::record_head();
  const auto piece = [&](const Json& json, std::string_view data = {}) {
    const std::string text = json.dump();
    bytes += gpu::piece_head(text, std::as_bytes(std::span(data)));
    bytes += text;
    bytes += data;
  };
  piece({{"kind", "program"}, {"command", "warpbook exec -- ./add 5"}, {"words", {"./add", "5"}}, {"profile", "T4"}});
  piece({{"kind", "process"}, {"process", 1}});
  piece({{"kind", "module"}}, recorded_ptx);
  for (int launch = 0; launch < 2; ++launch) {
    piece({{"kind", "launch"},
           {"kernel", "add"},
           {"entry", "add"},
           {"module", 0},
           {"grid", {1, 1, 1}},
           {"block", {16, 1, 1}},
           {"arguments", {"0000100010000000", launch == 0 ? "05000000" : "00000000"}},
           {"begin", 10 * launch},
           {"memory", {{{"name", "allocation 1"}, {"address", address}, {"bytes", 64}, {"written", {{0, 64}}}, {"blocks", {0}}}}}});
    piece({{"kind", "launch_end"}, {"status", "ok"}, {"message", ""}, {"run_ms", 0.01}, {"end", 10 * launch + 5}});
    piece({{"kind", "call"}, {"name", "a kernel's launch"}, {"begin", 10 * launch}, {"end", 10 * launch + 6}, {"launch", launch}});
  }
  piece({{"kind", "source"}, {"file", "/home/ada/add.cu"}}, recorded_source);
  piece({{"kind", "output"}}, "5 added\n");
  piece({{"kind", "end"}, {"ended", "./add ended with exit code 0 after 0.01 s."}});
  std::ofstream(file, std::ios::binary) << bytes;
}

}  // namespace warpbook::test
