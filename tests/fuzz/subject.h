// What a fuzzer does with one text. Neither may crash, hang or grow, whatever the text is; what they return is for counting.
#pragma once

#include <memory>
#include <string>

#include "gpu/device.h"

namespace warpbook::gpu::test {

enum class Fate { refused, parsed, decoded, ran };  // ran: some kernel of it executed instructions

/// Parses; what was taken is printed and parsed again, which aborts when it changes the module, and decoded for every mode.
Fate translate(const std::string& text);

/// Runs every kernel of a module on a small virtual GPU, with small grids and little time, watched and unwatched.
class TinyGpu {
 public:
  TinyGpu();
  Fate run(const std::string& text);

 private:
  Compiler compiler_;
  std::unique_ptr<Device> device_;
  Buffer memory_;
};

}  // namespace warpbook::gpu::test
