#include "gpu/report.h"

#include <fmt/format.h>

namespace warpbook::gpu {
namespace {

// The names in --observe, in the order of the enum.
constexpr std::array<std::string_view, finding_kinds> kind_names{"memory",     "race",  "init",      "sync",
                                                                 "coalescing", "banks", "divergence"};
static_assert(static_cast<std::size_t>(FindingKind::divergence) + 1 == finding_kinds);
static_assert(!kind_names.back().empty());

}  // namespace

std::string_view name_of(FindingKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

std::string to_string(const Dim3& index) { return fmt::format("({},{},{})", index.x, index.y, index.z); }

}  // namespace warpbook::gpu
