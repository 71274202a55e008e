// ProgramLimits: what CUDA's own tools refuse and the compiler lets pass, or what it would misread, as failures of a compile.
//
//     if (const std::string problem = problem_of_text(source); !problem.empty()) …           // before a compile
//     if (auto failure = too_many_constants(whole, program, diagnostics, log)) …             // behind it
//     if (auto failure = too_much_shared(whole, program, kernel, bytes, diagnostics, log)) …
//
// A failure names the file and the line of what is too large, as far as the source tells it. For compiler.cpp alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/compiler.h"
#include "gpu/compiler_source.h"

namespace warpbook::gpu {

/// Why a text cannot be given to a compiler at all, as a sentence; empty: it can.
[[nodiscard]] std::string problem_of_text(const Source& source);

/// __constant__ variables beyond 64 KB in all, which the toolkit's assembler refuses.
[[nodiscard]] std::optional<CompileFailure> too_many_constants(const Whole& whole, const Program& program,
                                                               const std::vector<Diagnostic>& diagnostics, const std::string& log);

/// __shared__ variables of a kernel beyond 48 KB: `bytes` in all.
[[nodiscard]] std::optional<CompileFailure> too_much_shared(const Whole& whole, const Program& program, const Kernel& kernel,
                                                            std::uint32_t bytes, const std::vector<Diagnostic>& diagnostics,
                                                            const std::string& log);

}  // namespace warpbook::gpu
