// Whether main() has called run_compiler_child_if_asked. A program that forgot would run itself again and again in place of
// the compiler's child, so the Compiler refuses to start one.
#pragma once

namespace warpbook::gpu {

[[nodiscard]] bool compiler_child_is_hooked();

}  // namespace warpbook::gpu
