// A launch's report in words and in JSON: what `launch` and `run` print. Pure: reports go in, text comes out.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "gpu/compiler.h"
#include "gpu/report.h"
#include "gpu/types.h"

namespace warpbook::app {

/// A line of `source`, counted from 1, without its end; empty for a line that is not there.
[[nodiscard]] std::string_view line_of(std::string_view source, std::uint32_t line);

/// The source line and a caret under its column, as compilers print them; no caret for column 0, empty for a line that is not
/// there.
///        9 |     c[0] += 1;
///          |     ^
[[nodiscard]] std::string excerpt(std::string_view source, std::uint32_t line, std::uint32_t column);

/// What line numbers count in: the source, or the header that a place names.
struct SourceLines {
  template <class Text>
  requires std::convertible_to<Text, std::string_view> SourceLines(const Text& source, std::span<const gpu::Header> its = {})
      : text(source), headers(its) {}
  [[nodiscard]] std::string_view of(std::string_view file) const;

  std::string_view text;
  std::span<const gpu::Header> headers;
};

/// "race.cu:9:5: error: …" and its excerpt.
[[nodiscard]] std::string diagnostic_text(const gpu::Diagnostic& diagnostic, const SourceLines& source);

/// "race.cu:9:5: race (global): …" and its excerpt; a race's second place below it when it is another line.
[[nodiscard]] std::string finding_text(const gpu::Finding& finding, const SourceLines& source);

/// "race.cu:9:5: here the launch was stopped" and its excerpt; empty where the line is not known.
[[nodiscard]] std::string stopped_text(const gpu::Place& place, const SourceLines& source);

/// "Looked for and not found: memory.", "Not observed: race, init." and the remarks; empty when nothing is to be said.
[[nodiscard]] std::string observations_text(const gpu::LaunchReport& report);

[[nodiscard]] nlohmann::ordered_json to_json(const gpu::Dim3& index);  // [x, y, z]
[[nodiscard]] nlohmann::ordered_json to_json(const gpu::Finding& finding);
[[nodiscard]] nlohmann::ordered_json remarks_json(const gpu::LaunchReport& report);
[[nodiscard]] nlohmann::ordered_json findings_json(const gpu::LaunchReport& report);
[[nodiscard]] nlohmann::ordered_json not_observed_json(const gpu::Observations& observed);
/// The kinds of which nothing had been found when the launch was stopped.
[[nodiscard]] nlohmann::ordered_json incomplete_json(const gpu::Observations& observed);
/// Where a launch was stopped: file, line, column, block, thread.
[[nodiscard]] nlohmann::ordered_json stopped_json(const gpu::Place& place);

/// Text of an element or an attribute of HTML or XML. Control characters have no place there, and what a compiler says about a
/// learner's file may hold any bytes: they are shown as elsewhere, by escapes.
[[nodiscard]] std::string escaped_for_markup(std::string_view text);

/// One element as text: float32 with 9 significant digits and float64 with 17, so that reading it back gives the same bits.
[[nodiscard]] std::string value_text(gpu::ScalarType type, const std::byte* element);

/// Elements as a flat JSON array, row-major; "nan", "inf" and "-inf" stand for what JSON has no number for.
[[nodiscard]] nlohmann::ordered_json values_json(gpu::ScalarType type, std::span<const std::byte> bytes);

/// Elements as lines of text; the middle of more than `most` of them is left out and counted.
[[nodiscard]] std::string values_text(gpu::ScalarType type, std::span<const std::byte> bytes, std::size_t most);

/// A double as JSON: whole numbers without a point, non-finite ones as strings.
[[nodiscard]] nlohmann::ordered_json number_json(double value);

/// Text of an object on one line or indented; control characters are JSON's escapes, and a byte that is no UTF-8 (a
/// kernel may print anything) is the text \xff.
[[nodiscard]] std::string dump(const nlohmann::ordered_json& object, int indent = -1);

}  // namespace warpbook::app
