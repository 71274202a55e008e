// Whether main() has called run_compiler_child_if_asked. Without that call, the compiler's child would run the whole program again
// and start a child itself, without end. The Compiler therefore refuses to start one.
#pragma once

namespace warpbook::gpu {

[[nodiscard]] bool compiler_child_is_hooked();

}  // namespace warpbook::gpu
