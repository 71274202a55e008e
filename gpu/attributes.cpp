#include "gpu/attributes.h"

namespace warpbook::gpu {
namespace {

constexpr AttributeRow rows[] = {
#define DEVICE_ATTRIBUTE(number, name, unit, meaning) {number, name, unit, meaning},
#include "gpu/attributes.def"
};

}  // namespace

std::span<const AttributeRow> attribute_table() { return rows; }

Attribute described(std::string_view name, std::int64_t value) {
  for (const AttributeRow& row : rows)
    if (row.name == name) return {std::string(name), value, std::string(row.unit), std::string(row.meaning)};
  return {std::string(name), value, {}, {}};
}

}  // namespace warpbook::gpu
