// Declarations: the variables of a launch as its source declares them, where PTX has bytes and mangled names only.
//
//     const DeclaredVariables source(program.source.text);
//     declare_shared(launch.shared_variables, source);               // "_ZZ4blurPfE4tile" → "tile", float[16][17]
//     declare_global(allocation, symbol, source);                    // a __device__ or __constant__ variable
//     declare_pointed_to(launch.allocations, request, kernel, …);    // `Particle* p` → p[3].x
#pragma once

#include <string>
#include <vector>

#include "gpu/declared_variables.h"
#include "gpu/device.h"
#include "gpu/virtual/vm/observer.h"

namespace warpbook::gpu {

/// What a symbol stands for: "_ZZ3onePiE4hits_$_0" → hits, of the function one, and of it the piece 0 that the compiler has kept.
struct SymbolName {
  std::string name, function;
  std::optional<std::uint32_t> piece = {};
};
[[nodiscard]] SymbolName read_symbol(const std::string& symbol);

/// Their names are symbols before, and the source's names behind it.
void declare_shared(std::vector<vm::SharedVariable>& variables, const DeclaredVariables& source);
void declare_global(vm::Allocation& allocation, const std::string& symbol, const DeclaredVariables& source);
/// Buffers that the kernel sees as arrays of structs.
void declare_pointed_to(std::vector<vm::Allocation>& allocations, const std::vector<Argument>& arguments, const Kernel& kernel,
                        std::string_view source);

}  // namespace warpbook::gpu
