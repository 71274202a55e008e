#include "gpu/compiler_log.h"

#include <gtest/gtest.h>

namespace warpbook::gpu {
namespace {

TEST(HidePaths, TakesFoldersAndReasonsAway) {
  const std::vector<std::string> paths{"/opt/cuda/include/cccl", "/opt/cuda/include", "/opt/cuda"};
  EXPECT_EQ(hide_paths("/opt/cuda/include/cccl/cuda/std/array(3): error: x", paths), "cuda/std/array(3): error: x");
  EXPECT_EQ(hide_paths("/opt/cuda/include/cuda_fp16.h(7): error: x", paths), "cuda_fp16.h(7): error: x");
  EXPECT_EQ(hide_paths("k.cu(1): error: cannot open source file \"/etc/x\": Permission denied\nnext", paths),
            "k.cu(1): error: cannot open source file \"/etc/x\"\nnext");
  EXPECT_EQ(hide_paths("k.cu(1): could not open source file \"y\" (no directories in search list)", paths),
            "k.cu(1): could not open source file \"y\"");
}

TEST(ParseDiagnostics, LineColumnSeverityAndMessage) {
  const auto diagnostics = parse_diagnostics(
      "k_1_.cu(3): error: identifier \"foo\" is undefined\n"
      "    a[i] = foo;\n"
      "           ^\n"
      "\n"
      "k_1_.cu(12): warning #177-D: variable \"u\" was declared but never referenced\n"
      "    int u;\n"
      "        ^\n"
      "\n"
      "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n"
      "\n"
      "1 error detected in the compilation of \"k_1_.cu\".\n",
      "k_1_.cu", "k(1).cu");
  ASSERT_EQ(diagnostics.size(), 2u);
  EXPECT_EQ(diagnostics[0].severity, Diagnostic::Severity::error);
  EXPECT_EQ(diagnostics[0].file, "k(1).cu");
  EXPECT_EQ(diagnostics[0].line, 3);
  EXPECT_EQ(diagnostics[0].column, 10);
  EXPECT_EQ(diagnostics[0].message, "identifier \"foo\" is undefined");
  EXPECT_EQ(diagnostics[1].severity, Diagnostic::Severity::warning);
  EXPECT_EQ(diagnostics[1].line, 12);
  EXPECT_EQ(diagnostics[1].column, 7);
}

TEST(ParseDiagnostics, WarningsOfTheToolkitsHeadersAreNotTheLearners) {
  const std::string log =
      "cuda_fp16.h(3): warning #47-D: incompatible redefinition\n  #define X\n  ^\n\n"
      "cuda_fp16.h(4): error: broken\n  x\n  ^\n";
  const auto diagnostics = parse_diagnostics(log, "k.cu", "k.cu");
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(diagnostics[0].file, "cuda_fp16.h");
  EXPECT_EQ(diagnostics[0].severity, Diagnostic::Severity::error);
}

TEST(ParseDiagnostics, MessagesOverSeveralLinesAndInstantiationsAreJoined) {
  const auto diagnostics = parse_diagnostics(
      "k.cu(9): error: no instance of function template \"f\" matches the argument list\n"
      "            argument types are: (int *, float)\n"
      "    f(a, 1.0f);\n"
      "    ^\n"
      "          2 detected during:\n"
      "            instantiation of class \"M<2>\" at line 4\n"
      "            instantiation of class \"M<3>\" at line 5\n"
      "\n",
      "k.cu", "k.cu");
  ASSERT_EQ(diagnostics.size(), 3u);
  EXPECT_EQ(diagnostics[0].message,
            "no instance of function template \"f\" matches the argument list; argument types are: (int *, float)");
  EXPECT_EQ(diagnostics[0].column, 3);
  EXPECT_EQ(diagnostics[1].severity, Diagnostic::Severity::note);
  EXPECT_EQ(diagnostics[1].line, 4);
  EXPECT_EQ(diagnostics[2].line, 5);
}

TEST(ResourceUsageLog, GivesEachEntryItsOwnFigures) {
  const auto usage = parse_resource_usage(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function '_Z1aPf' for 'sm_75'\n"
      "ptxas info    : Function properties for _Z1aPf\n"
      "ptxas         .     40 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
      "ptxas info    : Used 255 registers, used 1 barriers, 40 bytes cumulative stack size, 1024 bytes smem, 360 bytes cmem[0]\n"
      "ptxas info    : Function properties for _Z6helperi\n"
      "    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Compiling entry function 'b' for 'sm_75'\n"
      "ptxas info    : Function properties for b\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 6 registers, 352 bytes cmem[0]\n");
  ASSERT_EQ(usage.size(), 2u);
  const ResourceUsage& a = usage.at("_Z1aPf");
  EXPECT_EQ(a.registers, 255);
  EXPECT_EQ(a.spill_bytes, 12);
  EXPECT_EQ(a.shared_bytes, 1024u);
  EXPECT_EQ(a.stack_bytes, 40u);
  EXPECT_EQ(usage.at("b").registers, 6);
  EXPECT_EQ(usage.at("b").stack_bytes, 0u);
}

TEST(Explain, TellsHostCodeFromMistakes) {
  const auto sentence = [](std::string message, int column, std::string_view source) {
    return explain({{Diagnostic::Severity::error, "k.cu", 1, column, std::move(message)}}, "k.cu", source);
  };
  EXPECT_NE(sentence("identifier \"cudaMalloc\" is undefined", 1, "").find("host code"), std::string::npos);
  EXPECT_EQ(sentence("identifier \"cuda\" is undefined", 1, "").find("host code"), std::string::npos);
  EXPECT_NE(sentence("A function … is considered a host function, and …", 5, "int main() {").find("main() is host code"),
            std::string::npos);
  EXPECT_NE(sentence("A function … is considered a host function, and …", 5, "int half(int x) {").find("half() has no __device__"),
            std::string::npos);
  EXPECT_EQ(sentence("expected a \";\"", 1, ""), "k.cu line 1: expected a \";\".");
}

TEST(Explain, CountsTheOtherErrors) {
  const Diagnostic error{Diagnostic::Severity::error, "k.cu", 1, 0, "no."}, note{Diagnostic::Severity::note, "k.cu", 2, 0, "so"};
  EXPECT_EQ(explain({error, note}, "k.cu", ""), "k.cu line 1: no.");
  EXPECT_EQ(explain({error, note, error}, "k.cu", ""), "k.cu line 1: no. (1 more error below.)");
  EXPECT_EQ(explain({error, error, note, error}, "k.cu", ""), "k.cu line 1: no. (2 more errors below.)");
}

}  // namespace
}  // namespace warpbook::gpu
