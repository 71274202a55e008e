// Reports in words and in JSON.
#include "app/commands/report_text.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

namespace warpbook::app {
namespace {

constexpr std::string_view four_lines = "first\n\tc[0] += 1;\n\nlast";

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(Excerpt, CaretStandsUnderItsColumnAlsoBehindTabs) {
  EXPECT_EQ(excerpt(four_lines, 2, 2), "     2 | \tc[0] += 1;\n       | \t^\n");
  EXPECT_EQ(excerpt(four_lines, 1, 5), "     1 | first\n       |     ^\n");
  EXPECT_EQ(excerpt(four_lines, 4, 0), "     4 | last\n");
  EXPECT_EQ(excerpt(four_lines, 4, 99), "     4 | last\n");
  EXPECT_EQ(excerpt(four_lines, 0, 1), "");
  EXPECT_EQ(excerpt(four_lines, 9, 1), "");
  EXPECT_EQ(excerpt("", 1, 1), "");
}

TEST(Diagnostics, AreWrittenAsCompilersDo) {
  const gpu::Diagnostic d{.severity = gpu::Diagnostic::Severity::error, .file = "k.cu", .line = 2, .column = 2, .message = "no"};
  EXPECT_EQ(diagnostic_text(d, four_lines), "k.cu:2:2: error: no\n     2 | \tc[0] += 1;\n       | \t^\n");
  const gpu::Diagnostic nowhere{
      .severity = gpu::Diagnostic::Severity::warning, .file = "k.cu", .line = 0, .column = 0, .message = "w"};
  EXPECT_EQ(diagnostic_text(nowhere, four_lines), "k.cu: warning: w\n");
}

TEST(Findings, JsonHasTheAgreedKeys) {
  gpu::Finding finding;
  finding.kind = gpu::FindingKind::race;
  finding.space = "global";
  finding.message = as_it_is("m");
  finding.at = {.file = "race.cu", .line = 9, .column = 5, .block = {3, 0, 0}, .thread = {1, 2, 0}};
  finding.buffer = "c";
  finding.index = -1;
  finding.other = gpu::Place{.file = "race.cu", .line = 8, .column = 4, .block = {7, 0, 0}, .thread = {0, 0, 0}};
  EXPECT_EQ(
      dump(to_json(finding)),
      R"({"kind":"race","space":"global","message":"m","file":"race.cu","line":9,"column":5,"block":[3,0,0],"thread":[1,2,0],)"
      R"("buffer":"c","index":-1,"other":{"line":8,"column":4,"block":[7,0,0],"thread":[0,0,0]}})");
  finding.index.reset();
  finding.other.reset();
  EXPECT_TRUE(to_json(finding)["index"].is_null());
  EXPECT_TRUE(to_json(finding)["other"].is_null());
}

TEST(Observations, AreThreeStates) {
  gpu::LaunchReport report;
  gpu::Observations& observed = report.observed;
  EXPECT_EQ(not_observed_json(observed).size(), gpu::finding_kinds);
  observed[gpu::FindingKind::race] = gpu::Observation::none_found;
  observed[gpu::FindingKind::memory] = gpu::Observation::observed;
  report.remarks = {as_it_is("Races: some.")};
  EXPECT_EQ(observations_text(report),
            "Looked for and not found: race.\nNot observed: init, sync, coalescing, banks, divergence.\nRaces: some.\n");
  EXPECT_EQ(dump(not_observed_json(observed)), R"(["init","sync","coalescing","banks","divergence"])");
}

TEST(Values, FloatsHaveTheDigitsThatBringThemBack) {
  const auto floats = bytes_of<float>({0.1f, 16777216.0f, -0.0f, 1e-45f});
  EXPECT_EQ(value_text(gpu::ScalarType::float32, floats.data()), "0.100000001");
  EXPECT_EQ(dump(values_json(gpu::ScalarType::float32, floats)), "[0.100000001,16777216.0,-0.0,1.40129846e-45]");
  const auto doubles = bytes_of<double>({0.1, 1.0 / 3});
  EXPECT_EQ(value_text(gpu::ScalarType::float64, doubles.data()), "0.10000000000000001");
  EXPECT_EQ(values_json(gpu::ScalarType::float64, doubles)[1].get<double>(), 1.0 / 3);
}

TEST(Values, WhatJsonHasNoNumberForIsAString) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(dump(values_json(gpu::ScalarType::float32, bytes_of<float>({std::numeric_limits<float>::quiet_NaN(), inf, -inf}))),
            R"(["nan","inf","-inf"])");
}

TEST(Values, IntegersKeepAllTheirDigits) {
  EXPECT_EQ(dump(values_json(gpu::ScalarType::uint64, bytes_of<std::uint64_t>({~std::uint64_t{0}}))), "[18446744073709551615]");
  EXPECT_EQ(dump(values_json(gpu::ScalarType::int64, bytes_of<std::int64_t>({std::numeric_limits<std::int64_t>::min()}))),
            "[-9223372036854775808]");
  EXPECT_EQ(dump(values_json(gpu::ScalarType::int8, bytes_of<std::int8_t>({-1}))), "[-1]");
  EXPECT_EQ(dump(values_json(gpu::ScalarType::uint8, bytes_of<std::uint8_t>({255}))), "[255]");
}

TEST(Values, LongArraysLoseTheirMiddleInText) {
  std::vector<std::int32_t> many(100);
  for (int i = 0; i < 100; ++i) many[static_cast<std::size_t>(i)] = i;
  const std::string text = values_text(gpu::ScalarType::int32, bytes_of(many), 4);
  EXPECT_EQ(text, "    0 1\n    … 96 more (all of them with --json or --save) …\n    98 99\n");
  EXPECT_EQ(values_text(gpu::ScalarType::int32, bytes_of<std::int32_t>({7}), 4), "    7\n");
}

TEST(Dump, BytesThatAreNoUtf8AreEscapes) {
  nlohmann::ordered_json json;
  json["stdout"] = std::string("\xff");
  EXPECT_EQ(dump(json), R"({"stdout":"\\xff"})");
}

}  // namespace
}  // namespace warpbook::app
