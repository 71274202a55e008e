// The sections of gpu_check, in the order in which main.cpp runs them. Each adds its lines to the report and continues after a
// failure.
//
// `reference` is the virtual GPU. `gpu` is the NVIDIA GPU; in a rehearsal it is another virtual GPU.
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
  gpu::CudaDevice* cuda = nullptr;  // gpu, if it is an NVIDIA GPU
  std::filesystem::path out;        // folder for pictures
  std::string program;              // the built program warpbook
  int ordinal = 0;
  std::string again;                  // the command that runs this check anew, for what needs a process of its own
  std::string after_case;             // the cases up to this one are left out
  std::size_t share = 0, shares = 1;  // of the instructions: those whose number modulo shares is share
};

struct Answer {
  int exit_code = -1;
  std::string out;  // with what went to stderr
};
/// Runs a command of the shell.
[[nodiscard]] Answer run_command(const std::string& command);

/// Every kernel of kernels/, in every variant, on both devices.
void check_kernels(const Bench& bench, Report& report);
/// Every spelling of every PTX instruction, as tests/forms proves them of the virtual GPU: by the oracles written from the ISA's
/// text.
void check_instructions(const Bench& bench, Report& report);
/// Every case of tests/cases/launch that ends well.
void check_cases(const Bench& bench, Report& report);
/// Kernels made from seeds.
void check_random_kernels(const Bench& bench, Report& report);
/// Every lesson with its own settings and every preset, on both devices.
void check_lessons(const Bench& bench, Report& report);
/// Every exercise's solution.cu, in each of its cases, on both devices.
void check_exercises(const Bench& bench, Report& report);
/// The command line on the GPU: devices, doctor, launches, lessons and their pictures.
void check_program(const Bench& bench, Report& report);
/// A field that is stepped on the GPU and drawn by OpenGL from the same memory; its pixels are read back.
void check_interop(const Bench& bench, Report& report);
/// Copies and kernels in several streams, from page-locked memory: right, and quicker than one after the other.
void check_streams(const Bench& bench, Report& report);
/// Bandwidths and the kernels that are judged by them; beside Numba's, where it is installed.
void measure(const Bench& bench, Report& report);
/// Faults, each in a process of its own, and how that process goes on.
void check_faults(const Bench& bench, Report& report);
/// How a process begins again with the GPU after a fault that stays.
void check_recovery(const Bench& bench, Report& report);
/// Its two halves: what `--fault-then-again` does, and the program that it starts over as.
[[nodiscard]] int run_fault_then_again(const Bench& bench);
[[nodiscard]] int run_again(const Bench& bench);
/// Of a rehearsal: sections that do not end well, and one that does.
void crash(Report& report);
void hang(Report& report);
void end_well(Report& report);
/// One of them, in this process: what `--fault NUMBER` does. Prints how it went as the last line; returns the exit code.
[[nodiscard]] int run_fault(const Bench& bench, std::size_t number);

/// tests/gpu_check/NAME of the data folder, as a program on `device`.
[[nodiscard]] Result<gpu::ProgramPtr> compile_file(gpu::Device& device, const std::filesystem::path& file,
                                                   std::vector<std::pair<std::string, std::string>> defines);

}  // namespace warpbook::gpu_check
