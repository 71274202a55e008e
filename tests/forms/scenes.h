// Instructions that need a context: a small kernel for each, with a placeholder for the spelling.
//
//     Scene{.opcodes = "bar.warp.sync", .body = "… {op} -1; …", .expect = [](const Spelling&, u64 thread) { return thread * 2; }}
//
// The body leaves 64 bits in %d in every thread; one block. `when`: only for spellings with this word, "!word": without it; an
// opcode may have several scenes, and each spelling needs one at least. {op} is the spelling, {bits} its type's width, {space} its
// space (global where none is written), {at} the address of a barrier object: %a, or %generic where no space is written.
#pragma once

#include "tests/forms/prover.h"

namespace warpbook::gpu::test {

struct Scene {
  std::string_view opcodes;
  std::string_view when = "";
  std::string_view module = "";
  std::string body;
  u64 (*expect)(const Spelling& spelling, u64 thread);
  std::string_view status = "ok";  // the expected status of the launch
  std::size_t threads = 64;
};

[[nodiscard]] std::vector<Prover> provers_of(std::string_view file, std::vector<Scene> scenes);

}  // namespace warpbook::gpu::test
