// ProgramLimits: errors for sources that compile and that CUDA's own tools would refuse, and for texts that the compiler would
// misread.
//
//     if (const std::string problem = problem_of_text(source); !problem.empty()) …           // before a compile
//     if (auto failure = too_many_constants(whole, program, diagnostics, log)) …             // after it
//     if (auto failure = too_much_shared(whole, program, kernel, bytes, diagnostics, log)) …
//
// A failure names the file and the line of the declaration that is too large, if the source can be read. For compiler.cpp only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/compiler.h"
#include "gpu/compiler_source.h"

namespace warpbook::gpu {

/// A sentence that says why a text cannot be compiled at all. Empty: it can.
[[nodiscard]] std::string problem_of_text(const Source& source);

/// __constant__ variables of more than 64 KB in all, which the toolkit's assembler refuses.
[[nodiscard]] std::optional<CompileFailure> too_many_constants(const SourceAndHeaders& whole, const Program& program,
                                                               const std::vector<Diagnostic>& diagnostics, const std::string& log);

/// __shared__ variables of a kernel of more than 48 KB. `bytes`: their size.
[[nodiscard]] std::optional<CompileFailure> too_much_shared(const SourceAndHeaders& whole, const Program& program,
                                                            const Kernel& kernel, std::uint32_t bytes,
                                                            const std::vector<Diagnostic>& diagnostics, const std::string& log);

}  // namespace warpbook::gpu
