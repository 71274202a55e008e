#include "gpu/clock_report.h"

namespace warpbook::gpu {
namespace {

struct Words {
  std::string_view name, explanation;
};

// In the order of the enum.
constexpr std::array<Words, warp_states> words{{
    {"issued", "Its instruction was issued."},
    {"not_selected", "It could have issued, but its scheduler took another warp's instruction."},
    {"arithmetic", "It waits for the result of an arithmetic instruction."},
    {"unit_busy", "The arithmetic unit that it needs is still taking another instruction."},
    {"memory", "It waits for a value from global memory."},
    {"shared", "It waits for a value from shared memory or from another lane."},
    {"memory_busy", "The load/store unit is still taking an earlier request."},
    {"fence", "It waits until its stores, atomics or asynchronous copies have reached memory."},
    {"barrier", "It waits at a barrier for other warps of its block."},
    {"lanes", "It waits for other lanes of its own warp."},
}};
static_assert(static_cast<std::size_t>(WarpState::lanes) + 1 == warp_states && !words.back().name.empty());

}  // namespace

std::string_view name_of(WarpState state) { return words[static_cast<std::size_t>(state)].name; }
std::string_view explanation_of(WarpState state) { return words[static_cast<std::size_t>(state)].explanation; }

}  // namespace warpbook::gpu
