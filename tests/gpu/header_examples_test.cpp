// The usage examples that stand at the top of gpu/'s headers, compiled and run, so that they cannot go stale.
// When one fails, mend the header's example together with this file.
// A designated initialiser that leaves members at their defaults is what the examples are about.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gpu/compiler.h"
#include "gpu/device.h"
#include "gpu/report.h"
#include "gpu/result.h"
#include "gpu/virtual/profiles.h"
#include "gpu/virtual/ptx/module.h"
#include "gpu/virtual/ptx/parser.h"

namespace warpbook::gpu {
namespace {

std::vector<std::string> said;
void say(const std::string& sentence) { said.push_back(sentence); }
void mark(std::uint32_t line, const std::string& message) { said.push_back(std::to_string(line) + ": " + message); }

const std::string text =
    "extern \"C\" __global__ void count(int* c)\n"
    "{\n"
    "    c[0] += 1;\n"
    "}\n";

// result.h
Result<int> parse(const std::string& digits) {
  if (digits.empty()) return failure("usage", "Nothing to read.");
  return std::stoi(digits);
}
Result<int> twice(const std::string& digits) {
  Result<int> parsed = parse(digits);
  if (!parsed) return failure(parsed.error());
  return *parsed * 2;
}

TEST(HeaderExamples, Result) {
  EXPECT_EQ(*twice("21"), 42);
  EXPECT_EQ(twice("").error().message, "Nothing to read.");
}

TEST(HeaderExamples, CompilerDeviceAndReport) {
  // compiler.h
  Compiler compiler;
  auto compiled = compiler.compile({.file = "add.cu", .text = text}, {.architecture = 75});
  if (!compiled)
    for (const Diagnostic& d : compiled.error().diagnostics) mark(static_cast<std::uint32_t>(d.line), d.message);
  ASSERT_TRUE(compiled) << compiled.error().message;

  // device.h
  auto made = make_virtual_device(compiler, "T4");
  ASSERT_TRUE(made) << made.error().message;
  const auto device = std::move(*made);
  auto program = device->compile({.file = "count.cu", .text = text});
  ASSERT_TRUE(program) << program.error().message;
  auto counter = device->allocate({.name = "counter", .type = ScalarType::int32, .shape = {1}});
  ASSERT_TRUE(counter);
  (void)device->fill(*counter, Scalar::of(0));
  auto report = device->launch(
      {.program = *program, .kernel = "count", .grid = {64}, .block = {64}, .arguments = {*counter}, .observe = {.race = true}});

  // report.h
  said.clear();
  if (report.status != "ok") say(warpbook::say(report.message));
  for (const Finding& f : report.findings) mark(f.at.line, warpbook::say(f.message));
  if (report.observed[FindingKind::race] == Observation::none_found) say("no race");
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].rfind("3: ", 0), 0u) << said[0];
  device->release(*counter);
}

TEST(HeaderExamples, Profiles) {
  const Profile* profile = find_profile("T4");
  ASSERT_NE(profile, nullptr);
  DeviceInfo info = device_info(*profile);
  EXPECT_EQ(info.multiprocessors, profile->multiprocessors);
  EXPECT_GT(profile->latency.dram, profile->latency.l2);
}

TEST(HeaderExamples, Ptx) {
  // parser.h
  Result<ptx::Module> module = ptx::parse(".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry add()\n{\n  ret;\n}\n");
  ASSERT_TRUE(module) << module.error().message;
  const ptx::Function* kernel = module->find("add");
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->code.size(), 1u);

  module = ptx::parse(".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry add()\n{\n  fly.b32;\n}\n");
  ASSERT_FALSE(module);
  said.clear();
  if (!module) say(module.error().message);
  EXPECT_NE(said.at(0).find("fly"), std::string::npos) << said[0];
}

}  // namespace
}  // namespace warpbook::gpu
