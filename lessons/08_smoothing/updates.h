// The updates of one float output as an Interleaving: which were kept and which were overwritten.
#pragma once

#include <cstdint>
#include <optional>

#include "gpu/report.h"
#include "gpu/types.h"
#include "lessons/figures.h"

namespace warpbook::lessons {

/// Values are in millionths. Empty if the output was stored without being read, as by a single thread.
[[nodiscard]] std::optional<Interleaving> updates_of(const gpu::LaunchReport& report, gpu::BufferId outputs, std::int32_t output,
                                                     float final_value);

}  // namespace warpbook::lessons
