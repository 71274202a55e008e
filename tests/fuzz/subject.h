// The functions under test. They must not crash, hang or grow for any text. Their results are only counted.
#pragma once

#include <memory>
#include <string>

#include "gpu/device.h"

namespace warpbook::gpu::test {

enum class Fate { refused, parsed, decoded, ran };  // ran: a kernel executed instructions

/// Parses a text. A valid module is printed and parsed again, which must not change it, and decoded for every mode.
Fate translate(const std::string& text);

/// Runs every kernel of a module on a small virtual GPU with small grids and a short time limit, with and without observation.
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
