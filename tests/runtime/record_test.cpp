// `warpbook exec --record FILE`: what the record holds, and that its launches run again exactly. The oracle is what the program
// itself has printed of its memory after each launch.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include "gpu/program/run_record.h"
#include "gpu/replay/replay.h"
#include "tests/app/cli.h"

namespace {

using namespace warpbook::test;
using namespace warpbook;
namespace fs = std::filesystem;

struct Recorded {
  Ran ran;
  fs::path file;
  std::shared_ptr<const gpu::RunRecord> record;
};
Recorded record_program(const std::string& program, const std::vector<std::string>& arguments,
                        const std::vector<std::string>& options = {}) {
  static int runs = 0;
  Recorded recorded;
  recorded.file = scratch() / ("run" + std::to_string(runs++) + ".record");
  std::vector<std::string> words{"exec", "--record", recorded.file.string()};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", program});
  words.insert(words.end(), arguments.begin(), arguments.end());
  recorded.ran = warpbook::test::warpbook(words);
  auto record = gpu::RunRecord::read(recorded.file);
  if (record) recorded.record = *record;
  if (!record) ADD_FAILURE() << record.error().message << recorded.ran.err;
  return recorded;
}
Recorded hand_made(const std::vector<std::string>& arguments, const std::vector<std::string>& options = {}) {
  return record_program(RUNTIME_PROGRAM, arguments, options);
}

void write_bytes(const fs::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// A launch that has run again: its report, and the memory afterwards, by the record's names.
struct Again {
  gpu::LaunchReport report;
  std::map<std::string, std::vector<std::byte>> memory;
};
Again run_again(const std::shared_ptr<const gpu::RunRecord>& record, std::size_t index, const gpu::Observe& observe = {}) {
  Again again;
  gpu::Compiler compiler;
  auto device = gpu::make_replay_device(compiler, record, index);
  if (!device) {
    ADD_FAILURE() << device.error().message;
    return again;
  }
  const gpu::RecordedLaunch& launch = record->launches[index];
  std::vector<gpu::Buffer> buffers;
  for (const gpu::RecordedMemory& memory : launch.memory)
    if (!memory.variable)
      buffers.push_back(*(*device)->allocate({.name = memory.name, .type = gpu::ScalarType::uint8, .shape = {memory.bytes}}));
  gpu::LaunchRequest request;
  request.program = *(*device)->compile({});
  request.kernel = launch.entry;
  request.grid = launch.grid;
  request.block = launch.block;
  request.dynamic_shared_bytes = launch.shared_bytes;
  request.observe = observe;
  request.seed = 0;
  for (const auto& argument : launch.arguments) request.arguments.emplace_back(gpu::Struct{.bytes = argument});
  again.report = (*device)->launch(request);
  for (const gpu::Buffer& buffer : buffers) {
    auto& bytes = again.memory[buffer.array.name];
    bytes.resize(buffer.array.bytes());
    EXPECT_TRUE((*device)->read(buffer, bytes));
  }
  return again;
}

long sum_of(const std::vector<std::byte>& bytes) {
  std::vector<int> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), values.size() * 4);
  return std::accumulate(values.begin(), values.end(), 0L);
}

TEST(Record, HoldsTheProgramItsCallsAndItsLaunches) {
  const auto [ran, file, record] = hand_made({"several"});
  ASSERT_TRUE(record);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(record->words, (std::vector<std::string>{RUNTIME_PROGRAM, "several"}));
  EXPECT_EQ(record->output, ran.out) << "what is kept is what was passed on";
  EXPECT_NE(record->ended.find("exit code 0"), std::string::npos) << record->ended;
  EXPECT_TRUE(record->remarks.empty()) << record->remarks.front();
  ASSERT_EQ(record->launches.size(), 4u);
  EXPECT_EQ(record->launches[0].kernel, "add");
  EXPECT_EQ(record->launches[0].grid.x, 4u);
  EXPECT_EQ(record->launches[0].block.x, 256u);
  EXPECT_EQ(record->launches[0].stream, 0u);
  EXPECT_EQ(record->launches[1].stream, 1u);
  EXPECT_GT(record->launches[3].begin, record->launches[2].end);
  std::vector<std::string> names;
  for (const gpu::RecordedCall& call : record->calls) {
    names.push_back(call.name);
    EXPECT_LE(call.begin, call.end) << call.name;
  }
  EXPECT_EQ(std::count(names.begin(), names.end(), "a kernel's launch"), 4);
  EXPECT_EQ(std::count(names.begin(), names.end(), "cudaMemcpyToSymbol"), 2);
  EXPECT_EQ(names.front(), "cudaMalloc");
  const auto copied =
      std::find_if(record->calls.begin(), record->calls.end(), [](const auto& call) { return call.direction == "to_host"; });
  ASSERT_NE(copied, record->calls.end());
  EXPECT_EQ(copied->bytes, 4000u);
}

TEST(Record, EachLaunchLeavesTheMemoryThatTheProgramSaw) {
  const auto [ran, file, record] = hand_made({"several"});
  ASSERT_TRUE(record);
  std::istringstream lines(ran.out);
  std::string error;
  long sum = 0;
  std::size_t launch = 0;
  while (lines >> error >> sum) {
    ASSERT_LT(launch, record->launches.size());
    const Again again = run_again(record, launch);
    EXPECT_EQ(again.report.status, "ok") << say(again.report.message);
    ASSERT_TRUE(again.memory.contains("allocation 1"));
    EXPECT_EQ(sum_of(again.memory.at("allocation 1")), sum) << "launch " << launch;
    ++launch;
  }
  EXPECT_EQ(launch, 4u) << ran.out;
}

// An edit of the memory must show, else the test above would pass with memory that nobody has filled.
TEST(Record, ALaunchRunsOnItsOwnMemory) {
  const auto [ran, file, record] = hand_made({"several"});
  ASSERT_TRUE(record);
  auto other = std::make_shared<gpu::RunRecord>(*record);
  for (gpu::RecordedMemory& memory : other->launches[3].memory)
    if (memory.name == "allocation 1") memory.blocks.assign(memory.blocks.size(), 0);
  EXPECT_EQ(sum_of(run_again(other, 3).memory.at("allocation 1")), 7) << "zeros, and what follow has added";
}

TEST(Record, FindsInALaunchWhatItHas) {
  const auto [ran, file, record] = hand_made({"race"}, {"--observe", "race"});
  ASSERT_TRUE(record);
  ASSERT_EQ(record->launches.size(), 1u);
  ASSERT_EQ(record->launches[0].findings.size(), 1u) << "kept with the launch";
  const Again again = run_again(record, 0, gpu::Observe::all());
  const auto races = std::count_if(again.report.findings.begin(), again.report.findings.end(),
                                   [](const gpu::Finding& finding) { return finding.kind == gpu::FindingKind::race; });
  EXPECT_EQ(races, 1);
}

TEST(Record, KeepsALaunchThatFaults) {
  const auto [ran, file, record] = hand_made({"beyond"});
  ASSERT_TRUE(record);
  ASSERT_EQ(record->launches.size(), 1u);
  EXPECT_EQ(record->launches[0].status, "cudaErrorIllegalAddress");
  EXPECT_EQ(run_again(record, 0).report.status, "cudaErrorIllegalAddress");
}

TEST(Record, AProgramThatCrashesAndOneThatUsesNothingHaveARecord) {
  const auto crashed = hand_made({"crash"});
  ASSERT_TRUE(crashed.record);
  EXPECT_EQ(crashed.record->launches.size(), 1u);
  EXPECT_NE(crashed.record->ended.find("crashed"), std::string::npos) << crashed.record->ended;
  const auto nothing = hand_made({"nothing"});
  ASSERT_TRUE(nothing.record);
  EXPECT_EQ(nothing.ran.exit_code, 7);
  EXPECT_TRUE(nothing.record->launches.empty());
}

TEST(Record, ALaunchWithoutItsMemorySaysSo) {
  const auto [ran, file, record] = hand_made({"add"});
  ASSERT_TRUE(record);
  auto without = std::make_shared<gpu::RunRecord>(*record);
  without->launches[0].left_out = "This launch can reach 300 MiB.";
  gpu::Compiler compiler;
  const auto device = gpu::make_replay_device(compiler, without, 0);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().message, "This launch can reach 300 MiB.");
  EXPECT_FALSE(gpu::make_replay_device(compiler, record, 1)) << "there is no second launch";
}

// ------------------------------------------------------------------------------------------------------ damage

std::string sentence_of(const fs::path& file) {
  const auto record = gpu::RunRecord::read(file);
  if (!record) return record.error().message;
  return (*record)->remarks.empty() ? "" : (*record)->remarks.back();
}

TEST(RecordFile, ARecordThatIsCutOffShowsWhatCameBefore) {
  const auto [ran, file, record] = hand_made({"several"});
  ASSERT_TRUE(record);
  const std::string whole = read_file(file);
  EXPECT_EQ(sentence_of(file), "");
  const fs::path cut = scratch() / "cut.record";
  std::size_t launches_before = 0;
  for (std::size_t bytes = 0; bytes < whole.size(); bytes += 1 + bytes / 7) {
    write_bytes(cut, std::string_view(whole).substr(0, bytes));
    EXPECT_NE(sentence_of(cut), "") << bytes;
    if (const auto part = gpu::RunRecord::read(cut)) {
      EXPECT_GE((*part)->launches.size(), launches_before);
      launches_before = (*part)->launches.size();
    }
  }
  EXPECT_GT(launches_before, 0u) << "a record that is cut off late still has launches";
}

TEST(RecordFile, DamageIsSeen) {
  const auto [ran, file, record] = hand_made({"several"});
  ASSERT_TRUE(record);
  const std::string whole = read_file(file);
  const fs::path damaged = scratch() / "damaged.record";
  for (std::size_t at = gpu::record_head().size(); at < whole.size(); at += 211) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x20);
    write_bytes(damaged, bytes);
    EXPECT_NE(sentence_of(damaged), "") << "byte " << at;
  }
}

TEST(RecordFile, WhatIsNoRecordIsRefused) {
  const fs::path file = scratch() / "other.record";
  write_bytes(file, "int main() {}\n");
  EXPECT_NE(sentence_of(file).find("is no record"), std::string::npos);
  write_bytes(file, "");
  EXPECT_NE(sentence_of(file).find("is no record"), std::string::npos);
  std::string newer = gpu::record_head();
  newer[gpu::record_mark.size()] = 2;
  write_bytes(file, newer);
  EXPECT_NE(sentence_of(file).find("newer Warpbook"), std::string::npos);
  EXPECT_NE(sentence_of(scratch() / "missing.record"), "");
}

TEST(RecordFile, ItsNameIsLookedAt) {
  const Ran ran = warpbook::test::warpbook({"exec", "--record", (scratch() / "run.txt").string(), "--", RUNTIME_PROGRAM, "add"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_NE(ran.err.find(".record"), std::string::npos) << ran.err;
}

// ------------------------------------------------------------------------------------------------------ programs of nvcc

TEST(RecordOfNvcc, HasItsSourceAndRunsAgain) {
  if (warpbook::test::warpbook({"nvcc", "--version"}).exit_code == 5)
    GTEST_SKIP() << "The CUDA Toolkit's nvcc, which compiles these programs, is not on this machine.";
  const fs::path cases = fs::path(WARPBOOK_ROOT) / "tests" / "runtime" / "cases", program = scratch() / "vector_add";
  const fs::path source = cases / "vector_add.cu";
  const Ran built = warpbook::test::warpbook({"nvcc", "-o", program.string(), source.string()});
  ASSERT_EQ(built.exit_code, 0) << built.err;
  const auto [ran, file, record] = record_program(program.string(), {}, {"--observe", "all"});
  ASSERT_TRUE(record);
  ASSERT_EQ(record->launches.size(), 1u);
  const gpu::RecordedSource* const kept = record->source_of(record->launches[0]);
  ASSERT_TRUE(kept) << record->source_file_of(record->launches[0]);
  EXPECT_EQ(kept->text, read_file(source));
  const Again again = run_again(record, 0, gpu::Observe::all());
  EXPECT_TRUE(again.report.findings.empty() || again.report.findings[0].kind != gpu::FindingKind::init)
      << in_english(again.report.findings[0].message);
  std::vector<float> sums(1000);
  ASSERT_TRUE(again.memory.contains("allocation 3"));
  std::memcpy(sums.data(), again.memory.at("allocation 3").data(), 4000);
  std::ostringstream last;
  last << sums.back() << "\n";
  EXPECT_EQ(last.str(), ran.out);
}

TEST(RecordOfNvcc, TexturesAndSurfacesAreThereAgain) {
  if (warpbook::test::warpbook({"nvcc", "--version"}).exit_code == 5)
    GTEST_SKIP() << "The CUDA Toolkit's nvcc, which compiles these programs, is not on this machine.";
  const fs::path program = scratch() / "textures";
  const Ran built = warpbook::test::warpbook(
      {"nvcc", "-o", program.string(), (fs::path(WARPBOOK_ROOT) / "tests/runtime/cases/textures.cu").string()});
  ASSERT_EQ(built.exit_code, 0) << built.err;
  const auto [ran, file, record] = record_program(program.string(), {});
  ASSERT_TRUE(record);
  ASSERT_EQ(record->launches.size(), 4u);
  const auto texel = [](std::size_t i) { return static_cast<float>(i * 37 % 101) / 8; };  // as the program fills them
  const auto floats_after = [&](std::size_t launch, const char* name) {
    const Again again = run_again(record, launch);
    EXPECT_EQ(again.report.status, "ok") << say(again.report.message);
    std::vector<float> values(again.memory.at(name).size() / 4);
    std::memcpy(values.data(), again.memory.at(name).data(), values.size() * 4);
    return values;
  };
  EXPECT_EQ(run_again(record, 0).report.status, "ok");
  const std::vector<float> negated = floats_after(1, "allocation 1"), layers = floats_after(3, "allocation 2");
  ASSERT_EQ(negated.size(), 64u * 64u);
  for (std::size_t i = 0; i < negated.size(); ++i) ASSERT_EQ(negated[i], -texel(i)) << i;
  ASSERT_GE(layers.size(), 1024u);
  for (std::size_t i = 0; i < 1024; ++i) ASSERT_EQ(layers[i], texel(i)) << i;
  const Again fetched = run_again(record, 2);
  const std::vector<std::byte>& bytes = fetched.memory.at("allocation 4");
  for (std::size_t i = 20; i < 276; ++i) ASSERT_EQ(bytes[4 * i + 1], static_cast<std::byte>(255 - (i - 20))) << i;
}

}  // namespace
