#include "app/commands/report_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

#include "gpu/message.h"
#include "gpu/shown_text.h"

namespace warpbook::app {
namespace {

using Json = nlohmann::ordered_json;

std::string place_text(std::string_view named, std::uint32_t line, std::uint32_t column) {
  const std::string file = in_sentences(named);
  if (line == 0) return file.empty() ? std::string("kernel") : file;
  return column == 0 ? fmt::format("{}:{}", file, line) : fmt::format("{}:{}:{}", file, line, column);
}

std::vector<std::string_view> kinds_that_are(const gpu::Observations& observed, gpu::Observation state) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < gpu::finding_kinds; ++i) {
    if (observed.of[i] == state) names.push_back(gpu::name_of(static_cast<gpu::FindingKind>(i)));
  }
  return names;
}

template <class T>
T element(const std::byte* bytes) {
  T value{};
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

std::string float_text(double value, int digits) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return fmt::format("{:.{}g}", value, digits);
}

Json float_json(double value, int digits) {
  if (!std::isfinite(value)) return float_text(value, digits);
  // A double's shortest text has no more digits than the text it was read from.
  const std::string text = float_text(value, digits);
  double rounded = value;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

/// What is no UTF-8 has no place in JSON: a byte of it is written as the four characters \xff.
void write_bytes_as_escapes(Json& json) {
  if (json.is_string()) {
    auto& text = json.get_ref<Json::string_t&>();
    std::string readable;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t length = character_at(std::string_view(text).substr(at, 4));
      readable += length > 0 ? text.substr(at, length) : fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
      at += std::max<std::size_t>(length, 1);
    }
    text = std::move(readable);
  } else if (json.is_structured()) {
    for (Json& each : json) write_bytes_as_escapes(each);
  }
}

/// Of JSON's text, as JSON writes them: control characters beyond those below a blank, which are escapes already.
std::string with_escapes(std::string text) {
  const auto perhaps = [](char c) { return c == '\x7f' || c == '\xc2' || c == '\xe2'; };
  if (std::none_of(text.begin(), text.end(), perhaps)) return text;
  std::string escaped;
  escaped.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view character =
        std::string_view(text).substr(at, std::max<std::size_t>(character_at(std::string_view(text).substr(at, 4)), 1));
    const std::string shown = perhaps(character[0]) ? without_controls(character) : std::string(character);
    escaped += shown == "\\x7f" ? "\\u007f" : shown;
    at += character.size();
  }
  return escaped;
}

}  // namespace

std::string_view line_of(std::string_view source, std::uint32_t line) {
  for (std::uint32_t at = 1; !source.empty(); ++at) {
    const std::size_t end = source.find('\n');
    if (at == line) {
      std::string_view text = source.substr(0, end);
      if (text.ends_with('\r')) text.remove_suffix(1);
      return text;
    }
    if (end == std::string_view::npos) break;
    source.remove_prefix(end + 1);
  }
  return {};
}

std::string excerpt(std::string_view source, std::uint32_t line, std::uint32_t column) {
  const std::string_view text = line_of(source, line);
  if (text.empty()) return {};
  const ShownLine shown = shown_line(text, column);
  std::string out = fmt::format("{:>6} | {}\n", line, shown.text);
  if (column == 0 || column > text.size() + 1) return out;
  return out + fmt::format("       | {}^\n", shown.before_caret);
}

std::string_view SourceLines::of(std::string_view file) const {
  const auto header = std::find_if(headers.begin(), headers.end(), [&](const gpu::Header& each) { return each.name == file; });
  return header == headers.end() ? text : std::string_view(header->text);
}

std::string diagnostic_text(const gpu::Diagnostic& diagnostic, const SourceLines& source) {
  const std::string_view severity = diagnostic.severity == gpu::Diagnostic::Severity::error     ? "error"
                                    : diagnostic.severity == gpu::Diagnostic::Severity::warning ? "warning"
                                                                                                : "note";
  const auto line = static_cast<std::uint32_t>(std::max(diagnostic.line, 0));
  const auto column = static_cast<std::uint32_t>(std::max(diagnostic.column, 0));
  return fmt::format("{}: {}: {}\n{}", place_text(diagnostic.file, line, column), severity, in_sentences(diagnostic.message),
                     excerpt(source.of(diagnostic.file), line, column));
}

std::string finding_text(const gpu::Finding& finding, const SourceLines& source) {
  const std::string space = finding.space.empty() ? std::string() : fmt::format(" ({})", finding.space);
  std::string text = fmt::format("{}: {}{}: {}\n{}", place_text(finding.at.file, finding.at.line, finding.at.column),
                                 gpu::name_of(finding.kind), space, in_sentences(say(finding.message)),
                                 excerpt(source.of(finding.at.file), finding.at.line, finding.at.column));
  if (finding.other && finding.other->line != 0 &&
      (finding.other->line != finding.at.line || finding.other->file != finding.at.file)) {
    const Wording what = finding.kind == gpu::FindingKind::sync ? say("where the other thread is") : say("the other access");
    text += fmt::format("{}: {}\n{}", place_text(finding.other->file, finding.other->line, finding.other->column), what,
                        excerpt(source.of(finding.other->file), finding.other->line, finding.other->column));
  }
  return text;
}

std::string stopped_text(const gpu::Place& place, const SourceLines& source) {
  if (place.line == 0) return {};
  const std::string where = say("here the launch was stopped, in thread {thread} of block {block}",
                                "thread"_a = gpu::to_string(place.thread), "block"_a = gpu::to_string(place.block));
  return fmt::format("{}: {}\n{}", place_text(place.file, place.line, place.column), where,
                     excerpt(source.of(place.file), place.line, place.column));
}

std::string observations_text(const gpu::LaunchReport& report) {
  const gpu::Observations& observed = report.observed;
  std::string text;
  if (const auto none = kinds_that_are(observed, gpu::Observation::none_found); !none.empty()) {
    text += say("Looked for and not found: {kinds}.", "kinds"_a = fmt::format("{}", fmt::join(none, ", "))) + "\n";
  }
  if (const auto incomplete = kinds_that_are(observed, gpu::Observation::incomplete); !incomplete.empty()) {
    text += say("Incomplete: the launch was stopped before its end, and nothing was found until then: {kinds}.",
                "kinds"_a = fmt::format("{}", fmt::join(incomplete, ", "))) +
            "\n";
  }
  if (const auto blind = kinds_that_are(observed, gpu::Observation::not_observed); !blind.empty()) {
    text += say("Not observed: {kinds}.", "kinds"_a = fmt::format("{}", fmt::join(blind, ", "))) + "\n";
  }
  for (const Message& remark : report.remarks) text += in_sentences(say(remark)) + "\n";
  return text;
}

Json to_json(const gpu::Dim3& index) { return Json::array({index.x, index.y, index.z}); }

Json to_json(const gpu::Finding& finding) {
  Json json;
  json["kind"] = gpu::name_of(finding.kind);
  json["space"] = finding.space;
  json["message"] = in_english(finding.message);
  json["file"] = finding.at.file;
  json["line"] = finding.at.line;
  json["column"] = finding.at.column;
  json["block"] = to_json(finding.at.block);
  json["thread"] = to_json(finding.at.thread);
  json["buffer"] = finding.buffer;
  json["index"] = finding.index ? Json(*finding.index) : Json();
  if (finding.other) {
    json["other"] = {{"line", finding.other->line},
                     {"column", finding.other->column},
                     {"block", to_json(finding.other->block)},
                     {"thread", to_json(finding.other->thread)}};
  } else {
    json["other"] = nullptr;
  }
  return json;
}

Json remarks_json(const gpu::LaunchReport& report) {
  Json remarks = Json::array();
  for (const Message& remark : report.remarks) remarks.push_back(in_english(remark));
  return remarks;
}

Json findings_json(const gpu::LaunchReport& report) {
  Json findings = Json::array();
  for (const gpu::Finding& finding : report.findings) {
    findings.push_back(to_json(finding));
    if (report.orders > 1) findings.back()["orders"] = finding.orders;
  }
  return findings;
}

Json incomplete_json(const gpu::Observations& observed) {
  Json names = Json::array();
  for (const std::string_view name : kinds_that_are(observed, gpu::Observation::incomplete)) names.push_back(name);
  return names;
}

Json stopped_json(const gpu::Place& place) {
  return {{"file", place.file},
          {"line", place.line},
          {"column", place.column},
          {"block", to_json(place.block)},
          {"thread", to_json(place.thread)}};
}

Json not_observed_json(const gpu::Observations& observed) {
  Json names = Json::array();
  for (const std::string_view name : kinds_that_are(observed, gpu::Observation::not_observed)) names.push_back(name);
  return names;
}

std::string escaped_for_markup(std::string_view text) {
  std::string safe;
  for (const char c : without_controls(text)) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        if (c != '\r') safe += c;
    }
  }
  return safe;
}

std::string value_text(gpu::ScalarType type, const std::byte* bytes) {
  switch (type) {
    case gpu::ScalarType::int8:
      return fmt::format("{}", int{element<std::int8_t>(bytes)});
    case gpu::ScalarType::uint8:
      return fmt::format("{}", unsigned{element<std::uint8_t>(bytes)});
    case gpu::ScalarType::int16:
      return fmt::format("{}", element<std::int16_t>(bytes));
    case gpu::ScalarType::uint16:
      return fmt::format("{}", element<std::uint16_t>(bytes));
    case gpu::ScalarType::int32:
      return fmt::format("{}", element<std::int32_t>(bytes));
    case gpu::ScalarType::uint32:
      return fmt::format("{}", element<std::uint32_t>(bytes));
    case gpu::ScalarType::int64:
      return fmt::format("{}", element<std::int64_t>(bytes));
    case gpu::ScalarType::uint64:
      return fmt::format("{}", element<std::uint64_t>(bytes));
    case gpu::ScalarType::float32:
      return float_text(double{element<float>(bytes)}, 9);
    case gpu::ScalarType::float64:
      break;
  }
  return float_text(element<double>(bytes), 17);
}

Json values_json(gpu::ScalarType type, std::span<const std::byte> bytes) {
  Json values = Json::array();
  const std::size_t size = gpu::size_of(type);
  for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
    const std::byte* const p = bytes.data() + at;
    switch (type) {
      case gpu::ScalarType::int8:
        values.push_back(element<std::int8_t>(p));
        break;
      case gpu::ScalarType::uint8:
        values.push_back(element<std::uint8_t>(p));
        break;
      case gpu::ScalarType::int16:
        values.push_back(element<std::int16_t>(p));
        break;
      case gpu::ScalarType::uint16:
        values.push_back(element<std::uint16_t>(p));
        break;
      case gpu::ScalarType::int32:
        values.push_back(element<std::int32_t>(p));
        break;
      case gpu::ScalarType::uint32:
        values.push_back(element<std::uint32_t>(p));
        break;
      case gpu::ScalarType::int64:
        values.push_back(element<std::int64_t>(p));
        break;
      case gpu::ScalarType::uint64:
        values.push_back(element<std::uint64_t>(p));
        break;
      case gpu::ScalarType::float32:
        values.push_back(float_json(double{element<float>(p)}, 9));
        break;
      case gpu::ScalarType::float64:
        values.push_back(float_json(element<double>(p), 17));
        break;
    }
  }
  return values;
}

std::string values_text(gpu::ScalarType type, std::span<const std::byte> bytes, std::size_t most) {
  constexpr std::size_t width = 100;
  const std::size_t size = gpu::size_of(type);
  const std::size_t count = bytes.size() / size;
  const std::size_t head = count <= most ? count : most / 2;
  std::string text = "   ";
  std::size_t line_begin = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i == head && count > most) {
      const std::size_t left_out = count - 2 * head;
      text += "\n    " + say("… {values} more (all of them with --json or --save) …", "values"_a = left_out) + "\n   ";
      line_begin = text.size() - 3;
      i += left_out;
    }
    const std::string value = value_text(type, bytes.data() + i * size);
    if (text.size() - line_begin + 1 + value.size() > width) {
      text += "\n   ";
      line_begin = text.size() - 3;
    }
    text += ' ';
    text += value;
  }
  return text + '\n';
}

Json number_json(double value) {
  if (!std::isfinite(value)) return float_text(value, 17);
  if (std::abs(value) < 0x1p53 && std::trunc(value) == value) return static_cast<std::int64_t>(value);
  return value;
}

std::string dump(const Json& object, int indent) {
  try {
    return with_escapes(object.dump(indent, ' '));
  } catch (const Json::type_error&) {  // bytes that are no UTF-8, which are rare: a copy is made for them alone
    Json readable = object;
    write_bytes_as_escapes(readable);
    return with_escapes(readable.dump(indent, ' ', false, Json::error_handler_t::replace));
  }
}

}  // namespace warpbook::app
