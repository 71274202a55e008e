#include <cstdio>
#include <cstdlib>

#include "gpu/virtual/ptx/parser.h"
#include "tests/fuzz/subject.h"
#include "tests/gpu/ptx/same_module.h"

namespace warpbook::gpu::test {

Fate parse_and_print(const std::string& text) {
  const Result<ptx::Module> module = ptx::parse(text);
  if (!module) return Fate::refused;
  if (const std::string lost = ptx::test::lost_by_printing(*module); !lost.empty()) {
    std::fprintf(stderr, "%s\n", lost.c_str());
    std::abort();
  }
  return Fate::parsed;
}

}  // namespace warpbook::gpu::test
