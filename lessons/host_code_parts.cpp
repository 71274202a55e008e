#include "lessons/host_code_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "gpu/source_tokens.h"

namespace warpbook::lessons::host_code_parts {
namespace {

using gpu::ScalarType;
using Kind = HostCall::Kind;

constexpr std::size_t most_literal_bytes = std::size_t{64} << 10;

template <class T>
std::string literal(T value, Language language) {
  const bool cuda = language == Language::cuda;
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return cuda ? "NAN" : "np.nan";
    if (std::isinf(value)) return std::string(value < 0 ? "-" : "") + (cuda ? "INFINITY" : "np.inf");
    std::string text = fmt::format("{}", value);  // the shortest digits that read back as the same value
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return cuda && sizeof(T) == 4 ? text + "f" : text;
  } else {
    return fmt::format("{}{}", +value, !cuda || sizeof(T) < 8 ? "" : std::is_signed_v<T> ? "LL" : "ULL");
  }
}

template <class T>
WrittenValues values_of(std::span<const std::byte> bytes, Language language) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  const auto same_bits = [](T a, T b) { return std::memcmp(&a, &b, sizeof a) == 0; };
  WrittenValues found;
  if (values.empty() || std::all_of(values.begin(), values.end(), [&](T v) { return same_bits(v, values[0]); })) {
    found.constant = literal(values.empty() ? T{} : values[0], language);
    return found;
  }
  std::size_t i = 0;
  found.counts_up = std::all_of(values.begin(), values.end(), [&](T v) { return same_bits(v, static_cast<T>(i++)); });
  if (found.counts_up || bytes.size() > most_literal_bytes) return found;
  for (const T value : values) found.elements.push_back(literal(value, language));
  return found;
}

bool same_launch(const HostCall& a, const HostCall& b) {
  const auto shape = [](const gpu::Dim3& d) { return std::array{d.x, d.y, d.z}; };
  return a.kind == Kind::launch && b.kind == Kind::launch && a.what == b.what && a.arguments == b.arguments &&
         shape(a.grid) == shape(b.grid) && shape(a.block) == shape(b.block) && a.dynamic_shared_bytes == b.dynamic_shared_bytes &&
         a.stream == b.stream;
}

}  // namespace

WrittenValues written_values(ScalarType type, std::span<const std::byte> bytes, Language language) {
  switch (type) {
    case ScalarType::int8:
      return values_of<std::int8_t>(bytes, language);
    case ScalarType::uint8:
      return values_of<std::uint8_t>(bytes, language);
    case ScalarType::int16:
      return values_of<std::int16_t>(bytes, language);
    case ScalarType::uint16:
      return values_of<std::uint16_t>(bytes, language);
    case ScalarType::int32:
      return values_of<std::int32_t>(bytes, language);
    case ScalarType::uint32:
      return values_of<std::uint32_t>(bytes, language);
    case ScalarType::int64:
      return values_of<std::int64_t>(bytes, language);
    case ScalarType::uint64:
      return values_of<std::uint64_t>(bytes, language);
    case ScalarType::float32:
      return values_of<float>(bytes, language);
    case ScalarType::float64:
      return values_of<double>(bytes, language);
  }
  return {};
}

std::vector<std::string> rows_of(const std::vector<std::string>& elements) {
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i % literals_a_line == 0) rows.emplace_back();
    rows.back() += (rows.back().empty() ? "" : " ") + elements[i] + ",";
  }
  return rows;
}

std::string identifier(std::string_view name) {
  std::string result;
  for (const char c : name) result += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0])) != 0) result.insert(0, "_");
  return result;
}

std::set<std::string, std::less<>> macros_of(std::string_view kernel_text,
                                             const std::vector<std::pair<std::string, std::string>>& defines) {
  constexpr std::string_view blanks = " \t", directive = "define";
  std::set<std::string, std::less<>> names;
  for (const auto& [name, value] : defines) names.insert(name.substr(0, name.find('(')));
  while (!kernel_text.empty()) {
    std::string_view line = kernel_text.substr(0, kernel_text.find('\n'));
    kernel_text.remove_prefix(std::min(line.size() + 1, kernel_text.size()));
    const auto skip_blanks = [&] { line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size())); };
    skip_blanks();
    if (!line.starts_with('#')) continue;
    line.remove_prefix(1);
    skip_blanks();
    if (!line.starts_with(directive)) continue;
    line.remove_prefix(directive.size());
    skip_blanks();
    const auto end = std::find_if_not(line.begin(), line.end(), gpu::is_word);
    if (end != line.begin()) names.emplace(line.begin(), end);
  }
  return names;
}

Repeat repeat_at(const std::vector<HostCall>& calls, std::size_t at) {
  for (const std::size_t period : {std::size_t{1}, std::size_t{2}}) {
    std::size_t end = at + period;
    while (end < calls.size() && same_launch(calls[end], calls[end - period])) ++end;
    const std::size_t times = (end - at) / period;
    if (calls[at].kind == Kind::launch && times >= 2) return {period, times};
  }
  return {};
}

const HostCall* first_launch(const std::vector<HostCall>& calls) {
  const auto found = std::find_if(calls.begin(), calls.end(), [](const HostCall& call) { return call.kind == Kind::launch; });
  return found == calls.end() ? nullptr : &*found;
}

std::string add_input(HostCode& code, std::string_view stem, const HostCall& call) {
  const std::string plain = fmt::format("{}_{}", stem, identifier(call.what));
  const auto taken = [&](const std::string& name) {
    return std::any_of(code.inputs.begin(), code.inputs.end(), [&](const InputFile& input) { return input.name == name; });
  };
  std::string name = plain + ".bin";
  for (int n = 2; taken(name); ++n) name = fmt::format("{}_{}.bin", plain, n);
  code.inputs.push_back({name, call.bytes});
  return name;
}

Error nothing_launched() { return {"nothing_launched", "There is no host program yet: run the experiment once."}; }

Error too_large(const HostCall& call) {
  return {"too_large", fmt::format("`{}` holds {} bytes, more than is kept of a run: choose a smaller size to export.", call.what,
                                   call.array.bytes())};
}

Error untold_struct(const HostCall& launch) {
  return {"untold_struct",
          fmt::format(
              "`{}` takes a struct whose members this file does not say plainly, so its host program cannot be written. Define it "
              "in the file, as in struct Name {{ int n; float* values; }}; with built-in types.",
              launch.what)};
}

}  // namespace warpbook::lessons::host_code_parts
