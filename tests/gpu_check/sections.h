// The sections of gpu_check, in the order in which main.cpp runs them. Each adds its lines to the report and goes on after a
// failure.
//
// `reference` is the virtual GPU. `gpu` is the NVIDIA GPU; in a rehearsal, another virtual GPU stands in its place.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/cuda/cuda_device.h"
#include "gpu/device.h"
#include "tests/gpu_check/report.h"

namespace warpbook::gpu_check {

struct Bench {
  gpu::Device& reference;
  gpu::Device& gpu;
  gpu::CudaDevice* cuda = nullptr;  // gpu, where it is an NVIDIA one
  std::filesystem::path out;        // pictures go here
  std::string program;              // the built warpbook
  int ordinal = 0;
};

/// Every kernel of kernels/, in every variant, on both devices.
void check_kernels(const Bench& bench, Report& report);
/// Every lesson with its own settings and every preset, on both devices.
void check_lessons(const Bench& bench, Report& report);
/// Every exercise's solution.cu, in each of its cases, on both devices.
void check_exercises(const Bench& bench, Report& report);
/// The command line on the GPU: devices, doctor, launches, lessons and their pictures.
void check_program(const Bench& bench, Report& report);
/// A field that is stepped on the GPU and drawn by OpenGL from the same memory; its pixels are read back.
void check_interop(const Bench& bench, Report& report);
/// Bandwidths and the kernels that are judged by them; beside Numba's, where it is installed.
void measure(const Bench& bench, Report& report);
/// Faults, and after each a correct launch. Last: a kernel that never ends keeps a part of the GPU busy until this process ends.
void check_faults(const Bench& bench, Report& report);

/// tests/gpu_check/NAME of the data folder, as a program on `device`.
[[nodiscard]] Result<gpu::ProgramPtr> compile_file(gpu::Device& device, const std::filesystem::path& file,
                                                   std::vector<std::pair<std::string, std::string>> defines);

}  // namespace warpbook::gpu_check
