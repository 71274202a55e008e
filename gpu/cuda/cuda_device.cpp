#include "gpu/cuda/cuda_device.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "gpu/attributes.h"
#include "gpu/cuda/nvidia_device.h"

namespace warpbook::gpu {
namespace {

// The oldest architecture that the newest NVRTC of each major version supports (NVRTC 13 dropped Maxwell, Pascal and Volta).
constexpr int least_for_nvrtc_12 = 50, least_for_nvrtc_13 = 75;

std::int64_t value_of(const DeviceInfo& info, std::string_view name) {
  for (const Attribute& attribute : info.attributes)
    if (attribute.name == name) return attribute.value;
  return 0;
}

std::string problem_of(const DeviceInfo& info) {
  if (value_of(info, "computeMode") == CU_COMPUTEMODE_PROHIBITED)
    return fmt::format("{} lets no program compute (compute mode prohibited). `nvidia-smi -c DEFAULT` allows it.", info.name);
  if (info.compute_capability < least_for_nvrtc_12)
    return fmt::format("{} has compute capability {}.{}; no CUDA Toolkit that Warpbook works with compiles for less than {}.{}.",
                       info.name, info.compute_capability / 10, info.compute_capability % 10, least_for_nvrtc_12 / 10,
                       least_for_nvrtc_12 % 10);
  return {};
}

/// Sets the limits from the attributes. A limit without an attribute keeps the minimum that every GPU has.
void take_limits(DeviceInfo& info) {
  const auto take = [&]<class T>(T& limit, std::string_view name) {
    for (const Attribute& attribute : info.attributes)
      if (attribute.name == name) limit = static_cast<T>(attribute.value);
  };
  take(info.multiprocessors, "multiProcessorCount");
  take(info.max_threads_per_block, "maxThreadsPerBlock");
  take(info.max_block.x, "maxThreadsDim.x");
  take(info.max_block.y, "maxThreadsDim.y");
  take(info.max_block.z, "maxThreadsDim.z");
  take(info.max_grid.x, "maxGridSize.x");
  take(info.max_grid.y, "maxGridSize.y");
  take(info.max_grid.z, "maxGridSize.z");
  take(info.blocks_per_multiprocessor, "maxBlocksPerMultiProcessor");
  take(info.registers_per_multiprocessor, "regsPerMultiprocessor");
  take(info.shared_per_block, "sharedMemPerBlock");
  take(info.shared_per_block_optin, "sharedMemPerBlockOptin");
  take(info.shared_per_multiprocessor, "sharedMemPerMultiprocessor");
  take(info.copy_engines, "asyncEngineCount");
  info.warps_per_multiprocessor = static_cast<int>(value_of(info, "maxThreadsPerMultiProcessor") / 32);
  info.clock_mhz = static_cast<double>(value_of(info, "clockRate")) / 1e3;
  // kHz × bits × two transfers per cycle: 2 × 10³ / 8 / 10⁹ GB/s.
  info.memory_gb_per_s =
      static_cast<double>(value_of(info, "memoryClockRate")) * static_cast<double>(value_of(info, "memoryBusWidth")) * 2.5e-7;
}

/// A GPU with all its attributes. Drivers do not know attributes that are too new or too old; these are left out.
CudaGpu describe(const Driver& driver, int ordinal) {
  CudaGpu gpu{.ordinal = ordinal, .info = {}, .problem = {}};
  DeviceInfo& info = gpu.info;
  info.id = "cuda";
  info.name = fmt::format("GPU {}", ordinal);
  info.compute_capability = 0;
  CUdevice device = 0;
  if (const CUresult result = driver.deviceGet(&device, ordinal); result != CUDA_SUCCESS) {
    gpu.problem = driver_error(driver, result, fmt::format("{} could not be opened", info.name)).message;
    return gpu;
  }
  std::array<char, 256> name{};
  if (driver.deviceGetName(name.data(), static_cast<int>(name.size()) - 1, device) == CUDA_SUCCESS) info.name = name.data();
  CUresult refused = CUDA_SUCCESS;  // of the two attributes that decide what can be compiled for it
  for (const AttributeRow& row : attribute_table()) {
    if (row.number == 0) continue;
    int value = 0;
    const CUresult result = driver.deviceGetAttribute(&value, static_cast<CUdevice_attribute>(row.number), device);
    if (result == CUDA_SUCCESS)
      info.attributes.push_back(described(row.name, value));
    else if (row.name == "major" || row.name == "minor")
      refused = result;
  }
  if (std::size_t bytes = 0; driver.deviceTotalMem(&bytes, device) == CUDA_SUCCESS)
    info.attributes.push_back(described("totalGlobalMem", static_cast<std::int64_t>(bytes)));
  if (refused != CUDA_SUCCESS) {
    gpu.problem = driver_error(driver, refused, fmt::format("{} did not tell its compute capability", info.name)).message;
    return gpu;
  }

  info.compute_capability = static_cast<int>(value_of(info, "major") * 10 + value_of(info, "minor"));
  take_limits(info);
  gpu.problem = problem_of(info);
  return gpu;
}

/// NVRTC's version in the driver's form: 13000 for "13.0".
int cuda_version(const Compiler::Status& status) {
  char* rest = nullptr;
  const long major = std::strtol(status.version.c_str(), &rest, 10);
  const long minor = *rest == '.' ? std::strtol(rest + 1, nullptr, 10) : 0;
  return static_cast<int>(major * 1000 + minor * 10);
}

/// clang writes the oldest PTX version that supports the GPU, which every driver of that GPU can load.
bool makes_old_ptx(const Compiler::Status& status) { return status.compiler.starts_with("clang "); }

/// Why the GPU and its driver cannot load this compiler's output. Empty: they can.
std::string compiler_problem(const Compiler& compiler, const Driver& driver, const DeviceInfo& info) {
  const Compiler::Status status = compiler.status();
  if (!status.available || makes_old_ptx(status)) return {};  // if there is no compiler, compile() says what to install
  const int major = cuda_version(status) / 1000;
  const int least = major >= 13 ? least_for_nvrtc_13 : least_for_nvrtc_12;
  if (info.compute_capability < least)
    return fmt::format(
        "{} has compute capability {}.{}, and NVRTC {} compiles for {}.{} and newer. Install the CUDA Toolkit 12 and set "
        "CUDA_PATH to it, or go on with the virtual GPU.",
        info.name, info.compute_capability / 10, info.compute_capability % 10, status.version, least / 10, least % 10);
  if (what_loads(driver.version, cuda_version(status)) == Loads::nothing)
    return fmt::format(
        "NVIDIA's driver here knows CUDA {}, and NVRTC {} makes PTX that it cannot load. Update NVIDIA's driver, or "
        "install the CUDA Toolkit {} and set CUDA_PATH to it; until then the virtual GPU runs every kernel.",
        version_text(driver.version), status.version, version_text(driver.version));
  return {};
}

}  // namespace

CudaSetup find_cuda_devices(DriverPtr driver) {
  CudaSetup setup;
  setup.driver = std::move(driver);
  setup.version = version_text(setup.driver->version);
  const auto missing = [&](const Error& error) {
    setup.code = error.code;
    setup.missing = error.message;
    return setup;
  };
  int count = 0;
  if (const CUresult result = setup.driver->deviceGetCount(&count); result != CUDA_SUCCESS)
    return missing(driver_error(*setup.driver, result, "The NVIDIA driver did not tell its GPUs"));
  for (int ordinal = 0; ordinal < count; ++ordinal) setup.gpus.push_back(describe(*setup.driver, ordinal));
  if (setup.gpus.empty()) return missing({"cudaErrorNoDevice", "The NVIDIA driver sees no GPU. `nvidia-smi` shows what it sees."});
  return setup;
}

CudaSetup find_cuda_devices() {
  auto driver = open_driver();
  if (driver) return find_cuda_devices(*driver);
  CudaSetup setup;
  setup.code = driver.error().code;
  setup.missing = driver.error().message;
  return setup;
}

int end_process(int exit_code) {
  if (!Context::any_abandoned()) return exit_code;
  std::fflush(nullptr);
  std::_Exit(exit_code);
}

bool kernel_left_behind() { return Context::kernel_left_behind(); }

Result<std::unique_ptr<CudaDevice>> make_cuda_device(Compiler& compiler, DriverPtr driver, int ordinal) {
  if (!driver) return failure("missing_device", "There is no NVIDIA driver to make a device of.");
  CUdevice device = 0;
  if (const CUresult result = driver->deviceGet(&device, ordinal); result != CUDA_SUCCESS) {
    if (result == CUDA_ERROR_INVALID_DEVICE)
      return failure("missing_device", fmt::format("There is no GPU {} on this machine; `warpbook devices` lists them.", ordinal));
    return failure(driver_error(*driver, result, fmt::format("GPU {} could not be opened", ordinal)));
  }
  CudaGpu gpu = describe(*driver, ordinal);
  if (gpu.problem.empty()) gpu.problem = compiler_problem(compiler, *driver, gpu.info);
  if (!gpu.problem.empty()) return failure("unsupported_device", std::move(gpu.problem));
  const Compiler::Status status = compiler.status();
  const bool machine_code =
      status.available && !makes_old_ptx(status) && what_loads(driver->version, cuda_version(status)) == Loads::machine_code;
  auto context = Context::make(driver, device);
  if (!context) return failure(context.error());
  return std::make_unique<NvidiaDevice>(compiler, std::move(driver), device, ordinal, std::move(gpu.info), std::move(*context),
                                        machine_code);
}

}  // namespace warpbook::gpu
