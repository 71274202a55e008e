// Compares two modules, ignoring positions in their texts.
#pragma once

#include <string>

#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::ptx::test {

/// The difference in words. Empty: they are equal.
[[nodiscard]] std::string difference(const Module& a, const Module& b);

/// Prints `module`, parses and prints again. The difference in words; empty: nothing was lost.
[[nodiscard]] std::string lost_by_printing(const Module& module);

}  // namespace warpbook::gpu::ptx::test
