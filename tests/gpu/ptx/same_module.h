// Are two modules the same but for where they stood in their texts?
#pragma once

#include <string>

#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::ptx::test {

/// What differs, in words; empty: nothing does.
[[nodiscard]] std::string difference(const Module& a, const Module& b);

/// What happens to `text` that parses to `module` when it is printed, parsed and printed again; empty: nothing is lost.
[[nodiscard]] std::string lost_by_printing(const Module& module);

}  // namespace warpbook::gpu::ptx::test
