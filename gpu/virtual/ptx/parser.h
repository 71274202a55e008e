// PTX text → Module.
//
//     Result<Module> module = parse(ptx);
//     if (!module) say(module.error().message);   // "PTX line 42: the virtual GPU has no instruction 'tex.2d' yet."
//
// Accepts ISA 6.0 to 9.0 of any emitter. Everything unknown is an error that names it, code "cudaErrorInvalidPtx" or
// "cudaErrorUnsupportedPtxVersion"; nothing is skipped in silence except debug sections and performance hints.
#pragma once

#include <cstdint>
#include <string_view>

#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::ptx {

/// What a variable of type .texref takes: a Texture (gpu/virtual/vm/ops/texture.h).
inline constexpr std::uint64_t texture_description_bytes = 88;

[[nodiscard]] Result<Module> parse(std::string_view text);

}  // namespace warpbook::gpu::ptx
