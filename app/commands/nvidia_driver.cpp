#include "app/commands/nvidia_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "gpu/virtual/profiles.h"

namespace warpbook::app {
namespace {

// The few entry points of the driver API that are asked here, as declared in its reference manual; CUresult 0 is success.
struct Driver {
  int (*initialise)(unsigned flags) = nullptr;
  int (*driver_version)(int* version) = nullptr;
  int (*device_count)(int* count) = nullptr;
  int (*device)(int* device, int ordinal) = nullptr;
  int (*device_name)(char* name, int size, int device) = nullptr;
  int (*device_memory)(std::size_t* bytes, int device) = nullptr;
  int (*device_attribute)(int* value, int attribute, int device) = nullptr;
};

template <class F>
bool find(void* library, const char* name, F& entry) {
  entry = reinterpret_cast<F>(dlsym(library, name));
  return entry != nullptr;
}

struct DriverAttribute {
  std::string_view name;  // as the virtual GPU's attributes are called
  int number;             // CUdevice_attribute
};
constexpr std::array<DriverAttribute, 25> driver_attributes{{
    {"major", 75},
    {"minor", 76},
    {"multiProcessorCount", 16},
    {"warpSize", 10},
    {"clockRate", 13},
    {"maxThreadsPerBlock", 1},
    {"maxThreadsDim.x", 2},
    {"maxThreadsDim.y", 3},
    {"maxThreadsDim.z", 4},
    {"maxGridSize.x", 5},
    {"maxGridSize.y", 6},
    {"maxGridSize.z", 7},
    {"maxThreadsPerMultiProcessor", 39},
    {"maxBlocksPerMultiProcessor", 106},
    {"regsPerBlock", 12},
    {"regsPerMultiprocessor", 82},
    {"sharedMemPerBlock", 8},
    {"sharedMemPerBlockOptin", 97},
    {"sharedMemPerMultiprocessor", 81},
    {"reservedSharedMemPerBlock", 111},
    {"totalConstMem", 9},
    {"l2CacheSize", 38},
    {"globalL1CacheSupported", 79},
    {"memoryClockRate", 36},
    {"memoryBusWidth", 37},
}};

// Unit and meaning are the same on every device: taken from the default profile's attribute of that name.
gpu::Attribute described(std::string_view name, std::int64_t value) {
  static const gpu::DeviceInfo model = gpu::device_info(*gpu::find_profile({}));
  for (const gpu::Attribute& known : model.attributes) {
    if (known.name == name) return {known.name, value, known.unit, known.meaning};
  }
  return {std::string(name), value, {}, {}};
}

}  // namespace

NvidiaDriver probe_nvidia_driver() {
  NvidiaDriver found;
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);  // stays open: the driver may not be unloaded
  if (library == nullptr) {
    found.missing = "no NVIDIA driver was found (the loader has no libcuda.so.1)";
    return found;
  }
  Driver driver;
  const bool complete = find(library, "cuInit", driver.initialise) && find(library, "cuDriverGetVersion", driver.driver_version) &&
                        find(library, "cuDeviceGetCount", driver.device_count) && find(library, "cuDeviceGet", driver.device) &&
                        find(library, "cuDeviceGetName", driver.device_name) &&
                        find(library, "cuDeviceTotalMem_v2", driver.device_memory) &&
                        find(library, "cuDeviceGetAttribute", driver.device_attribute);
  if (!complete) {
    found.missing = "the libcuda.so.1 found is not the NVIDIA driver's, or too old";
    return found;
  }
  if (const int status = driver.initialise(0); status != 0) {
    found.missing = fmt::format("the NVIDIA driver could not start (cuInit gave CUresult {})", status);
    return found;
  }
  int version = 0;
  if (driver.driver_version(&version) == 0) found.version = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  int count = 0;
  if (driver.device_count(&count) != 0) count = 0;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    int device = 0;
    std::array<char, 256> name{};
    if (driver.device(&device, ordinal) != 0 || driver.device_name(name.data(), name.size() - 1, device) != 0) continue;
    NvidiaDriver::Gpu gpu{.name = name.data(), .attributes = {}};
    for (const DriverAttribute& attribute : driver_attributes) {
      int value = 0;
      if (driver.device_attribute(&value, attribute.number, device) == 0)
        gpu.attributes.push_back(described(attribute.name, value));
    }
    if (std::size_t bytes = 0; driver.device_memory(&bytes, device) == 0) {
      gpu.attributes.push_back(described("totalGlobalMem", static_cast<std::int64_t>(bytes)));
    }
    found.devices.push_back(std::move(gpu));
  }
  if (found.devices.empty()) found.missing = "the NVIDIA driver sees no GPU";
  return found;
}

NvidiaGpus gpus_of(const NvidiaDriver& driver) {
  NvidiaGpus gpus;
  for (const NvidiaDriver::Gpu& gpu : driver.devices) gpus.names.push_back(gpu.name);
  if (!gpus.names.empty()) return gpus;
  gpus.none = driver.version.empty() ? "NVIDIA, no driver found" : "NVIDIA, no GPU found";
  gpus.why = driver.missing;
  return gpus;
}

}  // namespace warpbook::app
