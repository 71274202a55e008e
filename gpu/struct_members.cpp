#include "gpu/struct_members.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "gpu/kernel_signatures.h"
#include "gpu/launch_check.h"
#include "gpu/source_tokens.h"

namespace warpbook::gpu {
namespace {

constexpr int most_deep = 8;               // nesting of structs
constexpr std::size_t most_elements = 64;  // elements of a member that is an array

using Members = std::vector<Parameter>;

std::uint32_t alignment(const Members& members) {
  std::uint32_t align = 1;
  for (const Parameter& member : members) align = std::max(align, member.align);
  return align;
}

std::uint32_t bytes(const Members& members, std::uint32_t align) {
  const std::vector<ParameterSlot> slots = parameter_slots(members);
  const auto end = static_cast<std::uint32_t>(slots.empty() ? 0 : slots.back().offset + slots.back().size);
  return (end + align - 1) / align * align;
}

Parameter number(std::string name, ScalarType type, std::string_view written) {
  const auto size = static_cast<std::uint32_t>(size_of(type));
  return {.name = std::move(name), .type = std::string(written), .element = type, .size = size, .align = size};
}

Members members_of(const VectorType& type) {
  constexpr std::array<const char*, 4> names{"x", "y", "z", "w"};
  Members members;
  for (int i = 0; i < type.width; ++i) members.push_back(number(names[static_cast<std::size_t>(i)], type.element, type.written));
  return members;
}

/// A vector of two or four elements is loaded and stored at once, so its alignment is its size, up to 16 bytes.
std::uint32_t alignment(const VectorType& type) {
  const auto size = static_cast<std::uint32_t>(size_of(type.element));
  return type.width == 3 ? size : std::min<std::uint32_t>(16, size * static_cast<std::uint32_t>(type.width));
}

/// The type's unqualified name: "Matrix" for "const n::Matrix".
std::string_view plain_name(const Tokens& type) {
  std::string_view name;
  for (const std::string_view token : type)
    if (word(token) && !qualifier(token)) name = token;
  return name;
}

class StructReader {
 public:
  explicit StructReader(std::string_view source) : tokens_(tokens_of(source)) {}

  /// Whether `struct __align__(16) Name` has a larger alignment than its members need.
  [[nodiscard]] bool aligned(std::string_view name) const {
    const std::size_t open = body_of(name, true);
    return open < tokens_.size() && open >= 2 && tokens_[open - 2] == ")";
  }

  [[nodiscard]] bool has(std::string_view word) const { return std::find(tokens_.begin(), tokens_.end(), word) != tokens_.end(); }

  /// Empty: the members are not understood.
  [[nodiscard]] Members read(std::string_view name, int depth) const {
    const std::size_t open = body_of(name, depth == 0);
    if (open == tokens_.size() || depth > most_deep) return {};
    const std::size_t end = behind_bracket(tokens_, open) - 1;
    Members members;
    for (std::size_t at = open + 1; at < end;) {
      Tokens declaration;
      while (at < end && !one_of(tokens_[at], {";", "(", "{", ":", "&", "<"})) declaration.push_back(tokens_[at++]);
      if (at < end && tokens_[at] == "(") {
        const bool method = declaration.size() >= 2 && tokens_[at + 1] != "*" && plain_name(declaration) != name &&
                            !one_of(declaration.back(), {"alignas", "__align__"});
        if (!method) return {};
        while (at < end && !one_of(tokens_[at], {";", "{"})) ++at;
        at = at < end && tokens_[at] == "{" ? behind_bracket(tokens_, at) : at + 1;
        continue;
      }
      if (at >= end || tokens_[at] != ";") return {};
      ++at;
      if (!declaration.empty() && !add(declaration, depth, members)) return {};
    }
    return members;
  }

 private:
  /// The index of the '{' in `struct Name {` or in `typedef struct { … } Name;`. `aligned`: an alignment may precede the name.
  [[nodiscard]] std::size_t body_of(std::string_view name, bool aligned) const {
    for (std::size_t i = 1; i + 1 < tokens_.size(); ++i) {
      if (tokens_[i] == name && tokens_[i + 1] == "{" && (tokens_[i - 1] == "struct" || (aligned && tokens_[i - 1] == ")")))
        return i + 1;
      if (tokens_[i - 1] != "typedef" || tokens_[i] != "struct") continue;
      const std::size_t open = tokens_[i + 1] == "{" ? i + 1 : i + 2;  // after a tag
      if (open >= tokens_.size() || tokens_[open] != "{") continue;
      const std::size_t behind = behind_bracket(tokens_, open);
      if (behind + 1 < tokens_.size() && tokens_[behind] == name && tokens_[behind + 1] == ";") return open;
    }
    return tokens_.size();
  }

  /// Adds the members of a declaration: "int width, height", "float* elements", "float a[3]".
  bool add(const Tokens& declaration, int depth, Members& members) const {
    Tokens base;
    for (const Tokens& part : split_at_commas(declaration)) {
      Tokens tokens(part.begin(), std::find(part.begin(), part.end(), "="));
      std::size_t count = 0;
      const auto bracket = std::find(tokens.begin(), tokens.end(), "[");
      if (bracket != tokens.end()) {
        if (tokens.end() - bracket != 3) return false;
        const std::string_view extent = bracket[1];
        const auto [end, error] = std::from_chars(extent.data(), extent.data() + extent.size(), count);
        if (error != std::errc{} || end != extent.data() + extent.size() || count == 0 || count > most_elements) return false;
        tokens.erase(bracket, tokens.end());
      }
      if (tokens.empty() || !word(tokens.back())) return false;
      const std::string name(tokens.back());
      tokens.pop_back();
      if (base.empty())
        base.assign(tokens.begin(), std::find(tokens.begin(), tokens.end(), "*"));
      else
        tokens.insert(tokens.begin(), base.begin(), base.end());
      const auto member = member_of(tokens, depth);
      if (!member) return false;
      for (std::size_t i = 0; i < std::max<std::size_t>(count, 1); ++i) {
        members.push_back(*member);
        members.back().name = count == 0 ? name : name + "[" + std::to_string(i) + "]";
      }
    }
    return true;
  }

  [[nodiscard]] std::optional<Parameter> member_of(const Tokens& type, int depth) const {
    const auto other = [](std::string_view t) { return one_of(t, {"static", "typedef", "using", "enum", "friend"}); };
    if (std::any_of(type.begin(), type.end(), other)) return std::nullopt;
    const std::string written = joined(type);
    const auto element = element_type(written);
    if (std::find(type.begin(), type.end(), "*") != type.end())
      return Parameter{.name = {}, .type = written, .pointer = true, .element = element, .size = 8, .align = 8};
    if (element) return number({}, *element, written);
    Parameter nested{.name = {}, .type = written, .element = {}};
    const std::string_view name = plain_name(type);
    if (const auto vector = vector_type(name)) {
      nested.members = members_of(*vector);
      nested.align = alignment(*vector);
    } else {
      nested.members = read(name, depth + 1);
      nested.align = alignment(nested.members);
    }
    if (nested.members.empty()) return std::nullopt;
    nested.size = bytes(nested.members, nested.align);
    return nested;
  }

  Tokens tokens_;
};

}  // namespace

std::vector<Parameter> struct_members(std::string_view source, std::string_view type, std::uint32_t size, std::uint32_t align) {
  const std::string_view name = plain_name(tokens_of(type));
  const auto vector = vector_type(name);
  if (name.empty() || (vector && vector->width == 1)) return {};
  const StructReader reader(source);
  Members members = vector ? members_of(*vector) : reader.read(name, 0);
  const std::uint32_t natural = vector ? alignment(*vector) : alignment(members);
  const bool agrees = align == natural || (align > natural && reader.aligned(name));
  if (members.empty() || !agrees || bytes(members, align) != size) return {};
  return members;
}

StructLayout struct_layout(std::string_view source, std::string_view type) {
  const std::string_view name = plain_name(tokens_of(type));
  const auto vector = vector_type(name);
  if (name.empty()) return {};
  const StructReader reader(source);
  StructLayout layout;
  layout.members = vector ? members_of(*vector) : reader.read(name, 0);
  if (layout.members.empty() || (!vector && (reader.aligned(name) || reader.has("virtual")))) return {};
  layout.align = vector ? alignment(*vector) : alignment(layout.members);
  layout.size = bytes(layout.members, layout.align);
  return layout;
}

std::optional<Numbers> struct_numbers(std::string_view source, std::string_view type) {
  Tokens tokens = tokens_of(type);
  const bool plain = std::find(tokens.begin(), tokens.end(), "<") == tokens.end();
  if (!plain || std::count(tokens.begin(), tokens.end(), "*") != 1) return std::nullopt;
  tokens.erase(std::find(tokens.begin(), tokens.end(), "*"), tokens.end());
  const std::string_view name = plain_name(tokens);
  if (name.empty()) return std::nullopt;
  const StructReader reader(source);
  const auto vector = vector_type(name);
  const Members members = vector ? members_of(*vector) : reader.read(name, 0);
  if (members.empty() || reader.has("virtual") || (!vector && reader.aligned(name))) return std::nullopt;
  const std::uint32_t align = vector ? alignment(*vector) : alignment(members), size = bytes(members, align);
  std::set<ScalarType> types;
  std::uint32_t told = 0;
  const std::function<void(const Members&)> walk = [&](const Members& level) {
    for (const Parameter& member : level) {
      if (!member.members.empty()) {
        walk(member.members);
        continue;
      }
      types.insert(member.pointer ? ScalarType::uint64 : *member.element);
      told += member.size;
    }
  };
  walk(members);
  if (types.size() == 1 && told == size) return Numbers{*types.begin(), size / static_cast<std::uint32_t>(size_of(*types.begin()))};
  const ScalarType wide = align == 1   ? ScalarType::uint8
                          : align == 2 ? ScalarType::uint16
                          : align == 4 ? ScalarType::int32
                                       : ScalarType::int64;
  return Numbers{wide, size / static_cast<std::uint32_t>(size_of(wide))};
}

std::optional<VectorType> vector_type(std::string_view name) {
  struct Row {
    std::string_view stem, written;
    ScalarType element;
  };
  constexpr std::array<Row, 12> rows{{{"char", "signed char", ScalarType::int8},
                                      {"uchar", "unsigned char", ScalarType::uint8},
                                      {"short", "short", ScalarType::int16},
                                      {"ushort", "unsigned short", ScalarType::uint16},
                                      {"int", "int", ScalarType::int32},
                                      {"uint", "unsigned int", ScalarType::uint32},
                                      {"long", "long", ScalarType::int64},
                                      {"ulong", "unsigned long", ScalarType::uint64},
                                      {"longlong", "long long", ScalarType::int64},
                                      {"ulonglong", "unsigned long long", ScalarType::uint64},
                                      {"float", "float", ScalarType::float32},
                                      {"double", "double", ScalarType::float64}}};
  if (name == "dim3") return VectorType{"unsigned int", ScalarType::uint32, 3};
  if (name.empty() || name.back() < '1' || name.back() > '4') return std::nullopt;
  for (const Row& row : rows)
    if (name.substr(0, name.size() - 1) == row.stem) return VectorType{row.written, row.element, name.back() - '0'};
  return std::nullopt;
}

}  // namespace warpbook::gpu
