// Where an instruction stands, in words: "line 12"; "PTX line 34" where the PTX names no lines of a source.
#pragma once

#include <fmt/format.h>

#include <string>

#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::vm {

[[nodiscard]] inline std::string place_of(const ptx::Instruction& inst) {
  return inst.line ? fmt::format("line {}", inst.line) : fmt::format("PTX line {}", inst.ptx_line);
}

}  // namespace warpbook::gpu::vm
