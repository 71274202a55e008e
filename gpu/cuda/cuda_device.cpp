#include "gpu/cuda/cuda_device.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "gpu/attributes.h"
#include "gpu/cuda/nvidia_device.h"

namespace warpbook::gpu {
namespace {

// What the newest NVRTC of each generation can compile for (NVRTC 13 dropped Maxwell, Pascal and Volta).
constexpr int least_for_nvrtc_12 = 50, least_for_nvrtc_13 = 75;

std::int64_t value_of(const DeviceInfo& info, std::string_view name) {
  for (const Attribute& attribute : info.attributes)
    if (attribute.name == name) return attribute.value;
  return 0;
}

Result<DeviceInfo> describe(const Driver& driver, CUdevice device) {
  DeviceInfo info;
  info.id = "cuda";
  std::array<char, 256> name{};
  if (const CUresult result = driver.deviceGetName(name.data(), static_cast<int>(name.size()) - 1, device); result != CUDA_SUCCESS)
    return failure(driver_error(driver, result, "A GPU did not tell its name"));
  info.name = name.data();
  for (const AttributeRow& row : attribute_table()) {
    if (row.number == 0) continue;
    int value = 0;
    const CUresult result = driver.deviceGetAttribute(&value, static_cast<CUdevice_attribute>(row.number), device);
    if (result == CUDA_ERROR_INVALID_VALUE) continue;  // a driver that does not know it yet, or no longer
    if (result != CUDA_SUCCESS)
      return failure(driver_error(driver, result, fmt::format("{} did not tell its {}", info.name, row.name)));
    info.attributes.push_back(described(row.name, value));
  }
  std::size_t bytes = 0;
  if (const CUresult result = driver.deviceTotalMem(&bytes, device); result != CUDA_SUCCESS)
    return failure(driver_error(driver, result, fmt::format("{} did not tell how much memory it has", info.name)));
  info.attributes.push_back(described("totalGlobalMem", static_cast<std::int64_t>(bytes)));

  const auto get = [&](std::string_view attribute) { return value_of(info, attribute); };
  const auto side = [&](std::string_view attribute) { return static_cast<std::uint32_t>(get(attribute)); };
  info.compute_capability = static_cast<int>(get("major") * 10 + get("minor"));
  info.multiprocessors = static_cast<int>(get("multiProcessorCount"));
  info.clock_mhz = static_cast<double>(get("clockRate")) / 1e3;
  info.max_threads_per_block = static_cast<int>(get("maxThreadsPerBlock"));
  info.max_block = {side("maxThreadsDim.x"), side("maxThreadsDim.y"), side("maxThreadsDim.z")};
  info.max_grid = {side("maxGridSize.x"), side("maxGridSize.y"), side("maxGridSize.z")};
  info.warps_per_multiprocessor = static_cast<int>(get("maxThreadsPerMultiProcessor") / 32);
  info.blocks_per_multiprocessor = static_cast<int>(get("maxBlocksPerMultiProcessor"));
  info.registers_per_multiprocessor = static_cast<int>(get("regsPerMultiprocessor"));
  info.shared_per_block = static_cast<std::size_t>(get("sharedMemPerBlock"));
  info.shared_per_block_optin = static_cast<std::size_t>(get("sharedMemPerBlockOptin"));
  info.shared_per_multiprocessor = static_cast<std::size_t>(get("sharedMemPerMultiprocessor"));
  info.copy_engines = static_cast<int>(get("asyncEngineCount"));
  // kHz × bits × two a cycle: 2 × 10³ / 8 / 10⁹ GB/s.
  info.memory_gb_per_s = static_cast<double>(get("memoryClockRate")) * static_cast<double>(get("memoryBusWidth")) * 2.5e-7;
  return info;
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

/// What this compiler makes against what this GPU and its driver can load.
std::string compiler_problem(const Compiler& compiler, const Driver& driver, const DeviceInfo& info) {
  const Compiler::Status status = compiler.status();
  if (!status.available) return {};  // compile() says what to install
  char* rest = nullptr;
  const int major = static_cast<int>(std::strtol(status.version.c_str(), &rest, 10));
  const int minor = *rest == '.' ? static_cast<int>(std::strtol(rest + 1, nullptr, 10)) : 0;
  const int least = major >= 13 ? least_for_nvrtc_13 : least_for_nvrtc_12;
  if (info.compute_capability < least)
    return fmt::format(
        "{} has compute capability {}.{}, and NVRTC {} compiles for {}.{} and newer. Install the CUDA Toolkit 12 and set "
        "CUDA_PATH to it, or go on with the virtual GPU.",
        info.name, info.compute_capability / 10, info.compute_capability % 10, status.version, least / 10, least % 10);
  if (driver.version < major * 1000 + minor * 10)
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
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    CUdevice device = 0;
    if (const CUresult result = setup.driver->deviceGet(&device, ordinal); result != CUDA_SUCCESS)
      return missing(driver_error(*setup.driver, result, fmt::format("GPU {} could not be opened", ordinal)));
    auto info = describe(*setup.driver, device);
    if (!info) return missing(info.error());
    std::string problem = problem_of(*info);
    setup.gpus.push_back({ordinal, std::move(*info), std::move(problem)});
  }
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

Result<std::unique_ptr<CudaDevice>> make_cuda_device(Compiler& compiler, DriverPtr driver, int ordinal) {
  if (!driver) return failure("missing_device", "There is no NVIDIA driver to make a device of.");
  CUdevice device = 0;
  if (const CUresult result = driver->deviceGet(&device, ordinal); result != CUDA_SUCCESS) {
    if (result == CUDA_ERROR_INVALID_DEVICE)
      return failure("missing_device", fmt::format("There is no GPU {} on this machine; `warpbook devices` lists them.", ordinal));
    return failure(driver_error(*driver, result, fmt::format("GPU {} could not be opened", ordinal)));
  }
  auto info = describe(*driver, device);
  if (!info) return failure(info.error());
  std::string problem = problem_of(*info);
  if (problem.empty()) problem = compiler_problem(compiler, *driver, *info);
  if (!problem.empty()) return failure("unsupported_device", std::move(problem));
  auto context = Context::make(driver, device);
  if (!context) return failure(context.error());
  return std::make_unique<NvidiaDevice>(compiler, std::move(driver), device, ordinal, std::move(*info), std::move(*context));
}

}  // namespace warpbook::gpu
