#include <cstdio>
#include <cstdlib>

#include "gpu/virtual/ptx/parser.h"
#include "gpu/virtual/vm/decode.h"
#include "tests/fuzz/subject.h"
#include "tests/gpu/ptx/same_module.h"

namespace warpbook::gpu::test {

Fate translate(const std::string& text) {
  const Result<ptx::Module> module = ptx::parse(text);
  if (!module) return Fate::refused;
  // A text that declares so many registers takes the time of a thousand others to print, and shows no more.
  constexpr std::size_t most_registers = 2000;
  std::size_t registers = 0;
  for (const ptx::Function& function : module->functions) registers += function.registers.size();
  if (registers > most_registers) return Fate::parsed;
  if (const std::string lost = ptx::test::lost_by_printing(*module); !lost.empty()) {
    std::fprintf(stderr, "%s\n", lost.c_str());
    std::abort();
  }
  Fate fate = Fate::parsed;
  for (const ptx::Function& kernel : module->functions) {
    if (!kernel.entry || kernel.declaration) continue;
    for (const vm::Mode mode : {vm::Mode::fast, vm::Mode::observed, vm::Mode::recorded, vm::Mode::clocked}) {
      vm::Layout layout = vm::lay_out_shared(*module, kernel);
      layout.parameters = 4096;
      if (vm::decode(*module, kernel, std::move(layout), mode, vm::best_instruction_set())) fate = Fate::decoded;
    }
  }
  return fate;
}

}  // namespace warpbook::gpu::test
