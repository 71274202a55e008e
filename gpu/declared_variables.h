// Declared variables: how the source declares its variables, as far as it says so plainly: where PTX has bytes only, findings count
// what was declared.
//
//     // __shared__ float tile[16][17];
//     DeclaredVariables variables(source);
//     const DeclaredVariable* tile = variables.find("tile", "blur", DeclaredVariable::Where::shared);   // element_bytes 4, extents
//     {16, 17} element_text(*tile, 17 * 4 + 8);                // "tile[1][2]"
//
// Read are declarations of numbers, CUDA's vectors (float4) and structs that struct_members can read; extents that are numbers, or
// names that the source gives a number by #define or a constant. What it does not understand it leaves out: a template's type, a
// typedef, an extent that is computed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpbook::gpu {

/// A member of a struct, or a member of its member: "pos.x".
struct DeclaredMember {
  std::string name;
  std::uint32_t offset = 0, bytes = 0;
};

struct DeclaredVariable {
  enum class Where : std::uint8_t { shared, module, local, pointed_to };
  Where where = Where::local;
  std::string name = {}, function = {};  // function: the one it stands in; empty: outside of all
  std::uint32_t line = 0;                // of the source
  std::string type = {};                 // of an element: "float", "Particle"
  std::uint32_t element_bytes = 0;
  std::vector<std::uint64_t> extents = {};   // of an array; 0: not given, or not known
  std::vector<DeclaredMember> members = {};  // of an element that is a struct
  [[nodiscard]] bool is_array() const { return !extents.empty(); }
};

using Defines = std::span<const std::pair<std::string, std::string>>;  // -D NAME=VALUE, as in source_expressions.h

class DeclaredVariables {
 public:
  explicit DeclaredVariables(std::string_view source, const Defines& defines = {});

  /// The variable of this name, of this function where it is not a module's; nullptr: none, or the source does not tell which.
  [[nodiscard]] const DeclaredVariable* find(std::string_view name, std::string_view function, DeclaredVariable::Where where) const;
  [[nodiscard]] const std::vector<DeclaredVariable>& all() const { return all_; }

 private:
  std::vector<DeclaredVariable> all_;
};

/// What a pointer of this type ("const Particle*") points to, as an array of that name; nothing where it points to no struct.
[[nodiscard]] std::optional<DeclaredVariable> pointed_to(std::string_view source, std::string_view name, std::string_view type);

/// Does it take so many bytes? An array of unknown extent takes whole elements.
[[nodiscard]] bool takes(const DeclaredVariable& variable, std::uint64_t bytes);

/// The element that lies at this distance in bytes from the variable's start, and what of it, an access of so many bytes touches:
/// "tile[1][2]", "best.v", "p[3].x"; a variable that is no array: "total". Distances may be negative or past the end.
[[nodiscard]] std::string element_text(const DeclaredVariable& variable, std::int64_t distance, std::uint32_t bytes);

/// A compiler keeps of a small array or struct only the pieces that are used, each as a variable of its own, numbered in their
/// order. Where the pieces of these sizes lie in the variable; nothing where that is not certain.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> places_of_pieces(const DeclaredVariable& variable,
                                                                         const std::vector<std::uint64_t>& pieces);

}  // namespace warpbook::gpu
