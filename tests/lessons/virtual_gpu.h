// One compiler and one virtual GPU for all tests of a program: starting the compiler's child takes longer than most launches.
#pragma once

#include <memory>
#include <stdexcept>
#include <utility>

#include "gpu/device.h"

namespace warpbook::lessons::testing {

[[nodiscard]] inline gpu::Device& virtual_gpu() {
  static gpu::Compiler compiler;
  static const std::unique_ptr<gpu::Device> made = [] {
    auto opened = gpu::make_virtual_device(compiler);
    return opened ? std::move(*opened) : nullptr;
  }();
  if (!made) throw std::runtime_error("no virtual GPU");  // gtest reports it as this test's failure
  return *made;
}

}  // namespace warpbook::lessons::testing
