// Declared variables: the types and extents that the source declares for its variables. PTX knows only bytes; with the declaration,
// a finding can name the element: "tile[1][2]".
//
//     // __shared__ float tile[16][17];
//     DeclaredVariables variables(source);
//     const DeclaredVariable* tile = variables.find("tile", "blur", DeclaredVariable::Where::shared);
//     // tile->element_bytes is 4, tile->extents are {16, 17}
//     element_text(*tile, 17 * 4 + 8);                         // "tile[1][2]"
//
// Understood are declarations of numbers, CUDA's vectors (float4) and structs that struct_members can read. Extents may be numbers,
// or names that #define or a constant gives a number. Other declarations are left out: template types, typedefs, computed extents.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpbook::gpu {

/// A member of a struct, or of a nested struct: "pos.x".
struct DeclaredMember {
  std::string name;
  std::uint32_t offset = 0, bytes = 0;
};

struct DeclaredVariable {
  enum class Where : std::uint8_t { shared, module, local, pointed_to };
  Where where = Where::local;
  std::string name = {}, function = {};  // function: the enclosing function; empty: a global variable
  std::uint32_t line = 0;                // of the source
  std::string type = {};                 // type of an element: "float", "Particle"
  std::uint32_t element_bytes = 0;
  std::vector<std::uint64_t> extents = {};   // of an array; 0: missing or unknown
  std::vector<DeclaredMember> members = {};  // of an element, if it is a struct
  [[nodiscard]] bool is_array() const { return !extents.empty(); }
};

using Defines = std::span<const std::pair<std::string, std::string>>;  // -D NAME=VALUE, as in source_expressions.h

class DeclaredVariables {
 public:
  explicit DeclaredVariables(std::string_view source, const Defines& defines = {});

  /// The variable of this name: a function's own, or else a global one. nullptr: there is none, or it is ambiguous.
  [[nodiscard]] const DeclaredVariable* find(std::string_view name, std::string_view function, DeclaredVariable::Where where) const;
  [[nodiscard]] const std::vector<DeclaredVariable>& all() const { return all_; }

 private:
  std::vector<DeclaredVariable> all_;
};

/// An array with this name and the element type that a pointer of this type ("const Particle*") points to. Empty unless that is a
/// struct.
[[nodiscard]] std::optional<DeclaredVariable> pointed_to(std::string_view source, std::string_view name, std::string_view type);

/// Whether the variable can have this size. If an extent is unknown, any multiple of the element's size fits.
[[nodiscard]] bool takes(const DeclaredVariable& variable, std::uint64_t bytes);

/// The element, and its member, that an access of some bytes touches at this distance in bytes from the variable's start:
/// "tile[1][2]", "best.v", "p[3].x"; for a variable that is not an array: "total". The distance may be negative or past the end.
[[nodiscard]] std::string element_text(const DeclaredVariable& variable, std::int64_t distance, std::uint32_t bytes);

/// A compiler may split a small array or struct and keep only the parts that are used, each as a numbered variable. Returns the
/// offsets at which the parts of these sizes lie. Empty if that is ambiguous.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> places_of_pieces(const DeclaredVariable& variable,
                                                                         const std::vector<std::uint64_t>& pieces);

}  // namespace warpbook::gpu
