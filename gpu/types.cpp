#include "gpu/types.h"

#include <array>

namespace warpbook::gpu {
namespace {

struct TypeRow {
  ScalarType type;
  std::string_view name;
  std::size_t bytes;
};

// In the order of the enum, so that a type is its own index.
constexpr std::array<TypeRow, 10> type_rows{{{ScalarType::int8, "int8", 1},
                                             {ScalarType::uint8, "uint8", 1},
                                             {ScalarType::int16, "int16", 2},
                                             {ScalarType::uint16, "uint16", 2},
                                             {ScalarType::int32, "int32", 4},
                                             {ScalarType::uint32, "uint32", 4},
                                             {ScalarType::int64, "int64", 8},
                                             {ScalarType::uint64, "uint64", 8},
                                             {ScalarType::float32, "float32", 4},
                                             {ScalarType::float64, "float64", 8}}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < type_rows.size(); ++i)
    if (static_cast<std::size_t>(type_rows[i].type) != i) return false;
  return static_cast<std::size_t>(ScalarType::float64) + 1 == type_rows.size();
}
static_assert(in_order());

const TypeRow& row(ScalarType type) { return type_rows[static_cast<std::size_t>(type)]; }

}  // namespace

std::size_t size_of(ScalarType type) { return row(type).bytes; }

std::string_view name_of(ScalarType type) { return row(type).name; }

std::optional<ScalarType> scalar_type(std::string_view name) {
  for (const TypeRow& candidate : type_rows)
    if (candidate.name == name) return candidate.type;
  return std::nullopt;
}

}  // namespace warpbook::gpu
