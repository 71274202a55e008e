// What files of cases cannot say: values in memory, limits, hostile text.
#include "gpu/virtual/ptx/parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "gpu/virtual/ptx/opcodes.h"
#include "gpu/virtual/ptx/printer.h"
#include "tests/gpu/ptx/cases.h"
#include "tests/gpu/ptx/same_module.h"

namespace warpbook::gpu::ptx {
namespace {

constexpr std::string_view head = ".version 9.0\n.target sm_75\n.address_size 64\n";

std::string kernel(std::string_view body) {
  return std::string(head) + ".visible .entry k() {\n.reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n" + std::string(body) +
         "\n}\n";
}

std::int32_t word_at(const Variable& variable, std::size_t index) {
  std::int32_t value = 0;
  for (unsigned byte = 0; byte < 4; ++byte)
    value |= std::to_integer<std::int32_t>(variable.initial.at(index * 4 + byte)) << (8 * byte);
  return value;
}

const Variable& variable(const Module& module, std::string_view name) {
  for (const Variable& candidate : module.globals)
    if (candidate.name == name) return candidate;
  ADD_FAILURE() << "no variable " << name;
  return module.globals.front();
}

TEST(PtxParser, ATextureReferenceHoldsADescription) {
  const auto module = parse(std::string(head) + ".visible .global .texref one;\n.global .texref three[3];\n.global .b32 after;\n");
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(variable(*module, "one").size, texture_description_bytes);
  EXPECT_EQ(variable(*module, "one").align, 8U);
  EXPECT_EQ(variable(*module, "three").size, 3 * texture_description_bytes);
}

TEST(PtxParser, InitialValues) {
  const auto module = parse(test::read_case(std::filesystem::path(WARPBOOK_ROOT) / "tests/cases/ptx/syntax.ptx").text_with());
  ASSERT_TRUE(module) << module.error().message;
  const Variable& table = variable(*module, "table");
  EXPECT_EQ(table.size, 24U);
  const std::int32_t expected[] = {1, 2, 0, 16, 15, -1};
  for (std::size_t at = 0; at < 6; ++at) EXPECT_EQ(word_at(table, at), expected[at]) << at;

  const Variable& expressions = variable(*module, "size_of");
  ASSERT_EQ(expressions.size, 40U);
  const std::int32_t values[] = {32, 1, 1, -1, 2, -1, 0, 1, -1, 0};
  for (std::size_t at = 0; at < 10; ++at) EXPECT_EQ(word_at(expressions, at), values[at]) << at;

  EXPECT_EQ(word_at(variable(*module, "weights"), 0), 0x3F800000);
  EXPECT_EQ(word_at(variable(*module, "weights"), 1), 0x40200000);  // 2.5, written as a double

  const Variable& addresses = variable(*module, "addresses");
  ASSERT_EQ(addresses.relocations.size(), 3U);
  EXPECT_TRUE(addresses.relocations[0].generic);
  EXPECT_EQ(addresses.relocations[1].addend, 4);
  EXPECT_EQ(addresses.relocations[1].offset, 8U);
  EXPECT_TRUE(addresses.relocations[2].function);
  EXPECT_EQ(module->functions[addresses.relocations[2].index].name, "twice");

  const Variable& bytes = variable(*module, "bytes");
  ASSERT_EQ(bytes.relocations.size(), 1U);
  EXPECT_EQ(bytes.relocations[0].bytes, 8);
  EXPECT_EQ(bytes.initial[8], std::byte{104});
}

TEST(PtxParser, HeadsOfFunctions) {
  const auto module = parse(test::read_case(std::filesystem::path(WARPBOOK_ROOT) / "tests/cases/ptx/syntax.ptx").text_with());
  ASSERT_TRUE(module) << module.error().message;
  const Function* const entry = module->find("kernel");
  ASSERT_NE(entry, nullptr);
  EXPECT_TRUE(entry->entry);
  EXPECT_EQ(entry->max_threads, 256U);
  ASSERT_EQ(entry->parameters.size(), 2U);
  EXPECT_TRUE(entry->parameters[0].is_pointer);
  EXPECT_EQ(entry->parameters[0].align, 8U);  // 16 is the alignment of what it points to
  EXPECT_EQ(entry->parameters[1].size, 24U);
  EXPECT_EQ(module->target, "sm_90a");
  EXPECT_TRUE(module->find("vprintf")->declaration);
  EXPECT_FALSE(module->find("twice")->declaration);
  EXPECT_EQ(variable(*module, "dynamic").size, 0U);
  ASSERT_EQ(module->files.size(), 3U);
  EXPECT_EQ(module->files[1], "kernel.cu");  // the working directory is nobody's business
  EXPECT_EQ(module->files[2], "/usr/local/toolkit/include/header.h");
}

TEST(PtxParser, LabelsOfBracesAreTheirOwn) {
  const auto module = parse(
      kernel("{ bra L; mov.u32 %r1, 1; L: }\n{ bra L; mov.u32 %r1, 2; L: mov.u32 %r2, 3; }\nbra OUT;\n{ @%p1 bra OUT; }\nOUT:"));
  ASSERT_TRUE(module) << module.error().message;
  const auto& code = module->functions[0].code;
  ASSERT_EQ(code.size(), 7U);
  EXPECT_EQ(code[0].operands[0].index, 2U);
  EXPECT_EQ(code[2].operands[0].index, 4U);
  EXPECT_EQ(code[5].operands[0].index, 7U);  // the end of the code
  EXPECT_EQ(code[6].operands[0].index, 7U);
}

/// Found by mutation: they were printed under the name that the module had for something else, and renamed when read again.
TEST(PtxParser, NamesThatTheModuleHasTooPrintToThemselves) {
  for (const char* const text :
       {".visible .entry %r1() {\n.reg .b32 %r<3>;\nadd.s32 %r1, %r0, 1;\nret;\n}\n",
        ".visible .entry k(.param .u64 %r1) {\n.reg .b32 %r<3>;\nadd.s32 %r1, %r0, 1;\nret;\n}\n",
        ".visible .entry k() {\n.shared .b32 tile;\nst.shared.u32 [tile], 1;\nret;\n}\n.global .b32 tile;\n",
        ".visible .entry k() {\n.const .b32 table[2] = {1, 2};\nret;\n}\n.const .b32 table[2] = {3, 4};\n",
        ".visible .entry k() {\n.global .b32 next;\nret;\n}\n.visible .entry next() {\n.global .b32 next;\nret;\n}\n",
        ".visible .entry k() {\n.reg .b32 %r, a$1;\n.global .b32 a;\nld.global.u32 a$1, [a];\nret;\n}\n"
        ".func f() {\n.reg .b32 a$1;\n.global .b32 a;\nst.global.u32 [a], a$1;\nret;\n}\n.func a() {\nret;\n}\n"}) {
    const auto module = parse(std::string(head) + text);
    ASSERT_TRUE(module) << module.error().message;
    EXPECT_EQ(test::lost_by_printing(*module), "");
  }
}

TEST(PtxParser, AFolderForAFileKeepsItsName) {
  const auto module = parse(std::string(head) + ".file 1 \"/home/somebody/k.cu\"\n.file 2 \"/home/somebody/\"\n");
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(module->files, (std::vector<std::string>{"", "k.cu", "/home/somebody/"}));
  EXPECT_EQ(test::lost_by_printing(*module), "");
}

TEST(PtxParser, ParametersInRegistersOfAnyTypePrintToThemselves) {
  for (const char* type : {"u8", "s16", "f16", "bf16", "b32", "f16x2", "f32", "f64"}) {
    const std::string reg = std::string("(.reg .") + type;
    const auto module = parse(std::string(head) + ".func " + reg + " out) f" + reg + " in)\n{\nret;\n}\n");
    ASSERT_TRUE(module) << type << ": " << module.error().message;
    EXPECT_EQ(test::lost_by_printing(*module), "") << type;
  }
}

TEST(PtxParser, WhatCompilersSeldomEmitPrintsToItself) {
  for (const char* const text :
       {".visible .entry k()\n.reqntid 64, 2\n{\nret;\n}\n", ".global .b32 here;\n.global .b32 addresses[2] = {1, here+4};\n",
        ".visible .entry k() {\n.reg .pred p;\n@p bra end;\nexit;\nend:\n}\n",
        ".visible .entry k() {\n.reg .b64 d;\nmov.s64 d, -0x8000000000000000;\nret;\n}\n"}) {
    const auto module = parse(std::string(head) + text);
    ASSERT_TRUE(module) << module.error().message;
    EXPECT_EQ(test::lost_by_printing(*module), "") << text;
  }
}

TEST(PtxParser, AnArrayMostlyOfZerosPrintsBriefly) {
  const auto module = parse(std::string(head) + ".global .align 4 .b32 two[255][65535] = {{1, 2}, {0, 3, 0}};\n");
  ASSERT_TRUE(module) << module.error().message;
  const std::string text = print(*module);
  EXPECT_LT(text.size(), 65537 * 4u) << "two rows and a little";
  EXPECT_EQ(test::lost_by_printing(*module), "");
}

TEST(PtxParser, AFileWithoutANamePrintsToItself) {
  const auto module = parse(std::string(head) + ".file 1 \"k.cu\"\n.file 3 \"\"\n.file 2 \"l.cu\"\n.file 2 \"\"\n");
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(test::lost_by_printing(*module), "");
}

TEST(PtxParser, Versions) {
  const auto with = [](std::string_view version) {
    return parse(".version " + std::string(version) + "\n.target sm_75\n.address_size 64\n");
  };
  EXPECT_TRUE(with("6.0"));
  EXPECT_TRUE(with("9.0"));
  for (const char* const version : {"5.0", "10.0"}) {
    const auto module = with(version);
    ASSERT_FALSE(module);
    EXPECT_EQ(module.error().code, "cudaErrorUnsupportedPtxVersion");
  }
  EXPECT_FALSE(parse(""));
  EXPECT_FALSE(parse("int main() {}"));
  EXPECT_FALSE(parse(".version 9.0\n.target sm_75\n.address_size 32\n"));
}

/// Texts that would exhaust memory, the stack or patience, were there no limits.
TEST(PtxParser, HostileTextIsRefused) {
  const std::string deep(100'000, '(');
  const std::string braces(100'000, '{');
  std::string minus(100'000, '-');
  std::string ranges, initial = "{";
  for (int at = 0; at < 3000; ++at) ranges += ".reg .b32 %a" + std::to_string(at) + "_<2>;\n";
  for (int at = 0; at < 1000; ++at) initial += "{";
  // A little text that would be many instructions.
  std::string results = ".func (", returns;
  for (int at = 0; at < 2000; ++at) results += (at ? ", .reg .b32 r" : ".reg .b32 r") + std::to_string(at);
  for (int at = 0; at < 10'000; ++at) returns += "ret;\n";
  const std::string texts[] = {
      kernel("mov.u32 %r1, " + deep + "1;"),
      kernel("mov.u32 %r1, " + minus + "1;"),
      kernel(braces),
      kernel(ranges),
      kernel(".reg .b32 %x<4000000000>;"),
      kernel(".reg .b32 %x<999999999999999999999999>;"),
      kernel(".local .b8 a[4294967295][4294967295][4294967295];"),
      kernel("mov.u32 %r1, \"unfinished"),
      kernel("/* unfinished"),
      kernel("call k, (" + std::string(50'000, '1') + ");"),
      std::string(head) + ".global .b8 a[4000000000] = {1};",
      std::string(head) + ".global .b8 a[9] = " + initial,
      std::string(head) + ".file 4000000000 \"x\"",
      std::string(head) + ".entry k",
      std::string(head) + ".global .b32 a = " + deep,
      std::string(head) + ".section .debug_info {",
      std::string(head) + results + ") many() {" + returns + "}",
  };
  for (const std::string& text : texts) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(parse(text)) << text.substr(0, 200);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  }
}

/// Large and strange, but legal: it must be taken, and soon.
TEST(PtxParser, LargeFunctionsTakeLittleTime) {
  std::string branches = "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 3;\n";
  for (int at = 0; at < 20'000; ++at) {
    const std::string label = "L" + std::to_string(at);
    branches += "@%p1 bra " + label + ";\nadd.u32 %r2, %r2, 1;\n" + (at % 3 ? label + ":\n" : std::string());
    if (at % 3 == 0) branches += "@!%p1 bra " + label + ";\nret;\n" + label + ":\n";
  }
  const auto start = std::chrono::steady_clock::now();
  const auto module = parse(kernel(branches));
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

/// Random damage to real text: an error or a module that prints, never a crash.
TEST(PtxParser, DamagedTextNeverCrashes) {
  std::mt19937 random(1);
  int taken = 0, refused = 0;
  for (const test::Case& file : test::all_cases()) {
    const std::string whole = file.text_with();
    for (int round = 0; round < 60; ++round) {
      std::string text = whole;
      const std::size_t damage = 1 + random() % 4;
      for (std::size_t at = 0; at < damage; ++at) {
        const std::size_t where = random() % text.size();
        static constexpr std::string_view alphabet = "{}[]();,.:%@!|<>=+-*/0123456789abfrx_$\n \"";
        switch (random() % 4) {
          case 0:
            text[where] = alphabet[random() % alphabet.size()];
            break;
          case 1:
            text.erase(where, 1 + random() % 30);
            break;
          case 2:
            text.insert(where, text.substr(random() % text.size(), random() % 40));
            break;
          default:
            text.resize(where + 1);
            break;
        }
        if (text.empty()) text = " ";
      }
      const auto module = parse(text);
      module ? ++taken : ++refused;
      EXPECT_FALSE((module ? print(*module) : module.error().message).empty());
    }
  }
  EXPECT_GT(taken, 0);
  EXPECT_GT(refused, 100);
}

TEST(PtxOpcodes, EveryRowIsWellFormed) {
  for (const OpcodeRow& source : opcode_table()) {
    SCOPED_TRACE(source.spelling);
    EXPECT_EQ(row(source.op).spelling, source.spelling);
    const auto same = std::count_if(opcode_table().begin(), opcode_table().end(),
                                    [&](const OpcodeRow& other) { return other.spelling == source.spelling; });
    EXPECT_EQ(same, 1);
    // Decoding the bare spelling compiles the row; it may lack suffixes, but it must be known.
    const auto decoded = decode_opcode(source.spelling);
    EXPECT_TRUE(decoded || decoded.error().message.find("has no instruction") == std::string::npos);
  }
}

TEST(PtxOpcodes, TextAndBack) {
  for (const char* const text : {"add.s32", "mad.wide.u16", "fma.rn.relu.f16x2", "shf.l.wrap.b32", "lop3.b32", "bar.warp.sync",
                                 "cp.async.wait_all", "mbarrier.try_wait.parity.acquire.cta.shared.b64", "cvt.rn.f16x2.f32",
                                 "red.relaxed.gpu.global.and.b32", "vote.sync.uni.pred", "match.all.sync.b64",
                                 "griddepcontrol.wait", "prmt.b32.f4e", "rsqrt.approx.ftz.f64", "ld.acquire.sys.global.v2.u64"}) {
    const auto decoded = decode_opcode(text);
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(opcode_text(decoded->instruction), text);
    EXPECT_FALSE(decoded->shapes.empty());
  }
}

// ---- what CUDA refuses ----

std::string refusal(const std::string& text) {
  const auto module = parse(text);
  EXPECT_FALSE(module) << text;
  return module ? std::string() : module.error().message;
}

TEST(PtxParser, OnlyArchitecturesThatThereAreAreTargets) {
  const auto with = [](std::string_view target) {
    return ".version 9.0\n.target " + std::string(target) + "\n.address_size 64\n.visible .entry k() { ret; }\n";
  };
  for (const char* const good :
       {"sm_50", "sm_75", "sm_90a", "sm_100f", "sm_121", "compute_75", "sm_75, debug", "sm_75, texmode_independent"})
    EXPECT_TRUE(parse(with(good))) << good;
  for (const char* const bad : {"sm_999", "sm_76", "foo", "sm_", "sm_75f", "sm_75, rubbish"})
    EXPECT_NE(refusal(with(bad)).find("PTX line 2"), std::string::npos) << bad;
  EXPECT_NE(refusal(with("sm_999")).find("no target 'sm_999'"), std::string::npos);
}

TEST(PtxParser, ConstantsHaveSixtyFourKilobytes) {
  const std::string first = std::string(head) + ".const .align 4 .b8 a[32768];\n";
  EXPECT_TRUE(parse(first + ".const .align 4 .b8 b[32768];\n"));
  EXPECT_NE(refusal(first + ".const .align 4 .b8 b[32769];\n").find("take 65537 bytes"), std::string::npos);
  EXPECT_FALSE(parse(std::string(head) + ".const .b8 x;\n.const .align 16384 .b8 b[49160];\n"));  // the gap between them counts
}

TEST(PtxParser, WhatLiesBesideAParameterIsNotRead) {
  const auto with = [](std::string_view load) {
    return std::string(head) +
           ".visible .entry k(.param .u32 p, .param .align 4 .b8 s[8]) {\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\n" +
           std::string(load) + "\nret;\n}\n";
  };
  for (const char* const good :
       {"ld.param.u32 %r1, [p];", "ld.param.u32 %r1, [s+4];", "ld.param.v2.u32 {%r1, %r2}, [s];", "ld.param.u16 %r1, [p+2];"})
    EXPECT_TRUE(parse(with(good))) << good;
  for (const char* const bad : {"ld.param.u64 %rd1, [p];", "ld.param.u32 %r1, [p+4];", "ld.param.u32 %r1, [p+-4];",
                                "ld.param.v2.u32 {%r1, %r2}, [s+4];", "ld.param.u32 %r1, [s+0x7fffffffffffffff];"})
    EXPECT_NE(refusal(with(bad)).find("of the parameter"), std::string::npos) << bad;
  EXPECT_NE(refusal(with("ld.param.u64 %rd1, [p];")).find("bytes 0 to 7 of the parameter 'p' are asked for, and it has 4"),
            std::string::npos);
}

}  // namespace
}  // namespace warpbook::gpu::ptx
