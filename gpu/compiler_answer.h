// Makes a Program of the child's answer, or the reason why there is none.
//
//     Compiled result = program_from(whole, instantiate, std::move(answer), hello, Tool::nvrtc, max_bytes, compile_ms);
//
// For compiler.cpp alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/compiler.h"
#include "gpu/compiler_protocol.h"
#include "gpu/compiler_source.h"

namespace warpbook::gpu {

using Compiled = tl::expected<ProgramPtr, CompileFailure>;

[[nodiscard]] std::uint64_t next_program_id();
[[nodiscard]] tl::unexpected<CompileFailure> failed(CompileFailure::Reason reason, std::string message);
[[nodiscard]] std::string too_much_memory_sentence(const std::string& file, std::size_t max_bytes);

/// `instantiate`: the template instances whose mangled names the answer holds, in the same order.
[[nodiscard]] Compiled program_from(const SourceAndHeaders& whole, const std::vector<std::string>& instantiate,
                                    CompileAnswer answer, const ChildHello& hello, Tool tool, std::size_t max_bytes,
                                    double compile_ms);

}  // namespace warpbook::gpu
