#include "gpu/cuda/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <type_traits>

namespace warpbook::gpu {
namespace {

struct Name {
  CUresult result;
  std::string_view name;
};
constexpr Name names[] = {
#define DRIVER_RESULT(driver, number, runtime) {driver, #runtime},
#include "gpu/cuda/driver_results.def"
};

constexpr std::string_view install =
    "Install NVIDIA's driver (on Debian: nvidia-driver and libcuda1) and start Warpbook again; until then the virtual GPU runs "
    "every kernel.";

// Drivers for CUDA 11 and older cannot load the output of the supported versions of NVRTC.
constexpr int oldest_driver = 12000;

/// Advice for an error of cuInit.
std::string init_advice(CUresult result) {
  switch (result) {
    case CUDA_ERROR_NO_DEVICE:
      return "The NVIDIA driver is installed but sees no GPU. Is one built in, is it given to this container or virtual machine, "
             "and does CUDA_VISIBLE_DEVICES name it? `nvidia-smi` shows what the driver sees.";
    case CUDA_ERROR_STUB_LIBRARY:
      return fmt::format("The libcuda.so.1 found is the CUDA Toolkit's stub, which only helps to link programs. {}", install);
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return "The NVIDIA driver's library and its kernel module have different versions, usually after an update. Restart this "
             "machine.";
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
      return "This GPU does not allow CUDA's forward-compatibility package. Remove it (cuda-compat) from the loader's path, or "
             "update NVIDIA's driver.";
    case CUDA_ERROR_SYSTEM_NOT_READY:
      return "The GPU's fabric is not ready yet. Start NVIDIA's Fabric Manager (systemctl start nvidia-fabricmanager) and try "
             "again.";
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
      return "The GPU is in use by another program that has it for itself (compute mode exclusive).";
    case CUDA_ERROR_UNKNOWN:
    case CUDA_ERROR_OPERATING_SYSTEM:
      return "The NVIDIA driver could not reach its kernel module. Is it loaded (`lsmod` lists nvidia), and may you open "
             "/dev/nvidia*?";
    default:
      return "NVIDIA's driver could not start.";
  }
}

}  // namespace

Loads what_loads(int driver_version, int compiler_version) {
  if (driver_version >= compiler_version) return Loads::ptx;
  return driver_version / 1000 == compiler_version / 1000 ? Loads::machine_code : Loads::nothing;
}

std::string version_text(int cuda_version) { return fmt::format("{}.{}", cuda_version / 1000, cuda_version % 1000 / 10); }

std::string cuda_name(CUresult result) {
  for (const Name& known : names)
    if (known.result == result) return std::string(known.name);
  return "cudaErrorUnknown";
}

bool is_sticky(CUresult result) {
  switch (result) {
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
      return true;
    default:
      return false;
  }
}

Error driver_error(const Driver& driver, CUresult result, std::string_view what) {
  const char* text = nullptr;
  if (driver.getErrorString(result, &text) != CUDA_SUCCESS || text == nullptr) text = "no further words";
  return {cuda_name(result),
          fmt::format("{}: {} (the NVIDIA driver answers {}: {}).", what, cuda_name(result), static_cast<int>(result), text)};
}

Result<DriverPtr> start_driver(Driver table) {
  auto driver = std::make_shared<Driver>(std::move(table));
  if (const CUresult result = driver->init(0); result != CUDA_SUCCESS)
    return failure(cuda_name(result),
                   fmt::format("{} (cuInit answered {}, {}.)", init_advice(result), static_cast<int>(result), cuda_name(result)));
  if (const CUresult result = driver->driverGetVersion(&driver->version); result != CUDA_SUCCESS)
    return failure(driver_error(*driver, result, "The NVIDIA driver did not tell its version"));
  if (driver->version < oldest_driver)
    return failure("no_driver",
                   fmt::format("The NVIDIA driver here is for CUDA {}; Warpbook needs one for CUDA {} or newer. Update "
                               "NVIDIA's driver; until then the virtual GPU runs every kernel.",
                               version_text(driver->version), version_text(oldest_driver)));
  return driver;
}

Result<DriverPtr> open_driver() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return failure("no_driver",
                   fmt::format("There is no NVIDIA driver on this machine (the loader finds no libcuda.so.1). {}", install));
  Driver table;
  std::string_view missing;
  const auto resolve = [&](auto& entry, const char* symbol, bool needed) {
    entry = reinterpret_cast<std::remove_reference_t<decltype(entry)>>(dlsym(library, symbol));
    if (entry == nullptr && needed && missing.empty()) missing = symbol;
  };
#define DRIVER_ENTRY(member, symbol, parameters) resolve(table.member, #symbol, true);
#define DRIVER_ENTRY_GL(member, symbol, parameters) resolve(table.member, #symbol, false);
#include "gpu/cuda/driver.def"
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(table.init), &info) != 0 && info.dli_fname != nullptr) table.path = info.dli_fname;
  if (!missing.empty())
    return failure("no_driver", fmt::format("The libcuda.so.1 found{} is not NVIDIA's driver, or too old: it has no {}. {}",
                                            table.path.empty() ? "" : " (" + table.path + ")", missing, install));
  return start_driver(std::move(table));
}

}  // namespace warpbook::gpu
