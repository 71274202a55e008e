#include "lessons/19_know_your_device/device_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "gpu/arithmetic.h"
#include "gpu/attributes.h"

namespace warpbook::lessons {
namespace {

using Part = Chip::Part;

constexpr std::array<std::string_view, 4> known_names{"GTX 850M", "T4", "A40", "H200"};

struct SharedFigure {
  std::string_view attribute;
  std::array<std::int64_t, known_names.size()> values;
};
// The same as in the virtual GPU's profiles (gpu/virtual/profiles.cpp has the sources); the lesson's test compares them.
constexpr SharedFigure shared_figures[] = {{"major", {5, 7, 8, 9}},
                                           {"minor", {0, 5, 6, 0}},
                                           {"multiProcessorCount", {5, 40, 84, 132}},
                                           {"warpSize", {32, 32, 32, 32}},
                                           {"clockRate", {901500, 1590000, 1740000, 1980000}},
                                           {"maxThreadsPerBlock", {1024, 1024, 1024, 1024}},
                                           {"maxThreadsDim.x", {1024, 1024, 1024, 1024}},
                                           {"maxThreadsDim.y", {1024, 1024, 1024, 1024}},
                                           {"maxThreadsDim.z", {64, 64, 64, 64}},
                                           {"maxGridSize.x", {2147483647, 2147483647, 2147483647, 2147483647}},
                                           {"maxGridSize.y", {65535, 65535, 65535, 65535}},
                                           {"maxGridSize.z", {65535, 65535, 65535, 65535}},
                                           {"maxThreadsPerMultiProcessor", {2048, 1024, 1536, 2048}},
                                           {"maxBlocksPerMultiProcessor", {32, 16, 16, 32}},
                                           {"regsPerBlock", {65536, 65536, 65536, 65536}},
                                           {"regsPerMultiprocessor", {65536, 65536, 65536, 65536}},
                                           {"sharedMemPerBlock", {49152, 49152, 49152, 49152}},
                                           {"sharedMemPerBlockOptin", {49152, 65536, 101376, 232448}},
                                           {"sharedMemPerMultiprocessor", {65536, 65536, 102400, 233472}},
                                           {"reservedSharedMemPerBlock", {0, 0, 1024, 1024}},
                                           {"totalConstMem", {65536, 65536, 65536, 65536}},
                                           {"totalGlobalMem", {2101346304, 17179869184, 51539607552, 141000000000}},
                                           {"asyncEngineCount", {1, 3, 2, 3}},
                                           {"l2CacheSize", {2097152, 4194304, 6291456, 52428800}},
                                           {"globalL1CacheSupported", {0, 1, 1, 1}},
                                           {"memoryClockRate", {1001000, 5001000, 7251000, 3125000}},
                                           {"memoryBusWidth", {128, 256, 384, 6144}}};

struct Figure850m {
  std::string_view attribute;
  std::int64_t value;
};
// Further attributes that a GTX 850M reported to a program of 2019.
constexpr Figure850m more_of_the_850m[] = {{"deviceOverlap", 1},
                                           {"concurrentKernels", 1},
                                           {"streamPrioritiesSupported", 1},
                                           {"kernelExecTimeoutEnabled", 1},
                                           {"computeMode", 0},
                                           {"integrated", 0},
                                           {"canMapHostMemory", 1},
                                           {"unifiedAddressing", 1},
                                           {"managedMemory", 1},
                                           {"memPitch", 2147483647},
                                           {"localL1CacheSupported", 1},
                                           {"ECCEnabled", 0},
                                           {"pciDomainID", 0},
                                           {"pciBusID", 1},
                                           {"pciDeviceID", 0},
                                           {"tccDriver", 0},
                                           {"isMultiGpuBoard", 0},
                                           {"multiGpuBoardGroupID", 0},
                                           {"textureAlignment", 512},
                                           {"texturePitchAlignment", 32},
                                           {"surfaceAlignment", 512},
                                           {"maxTexture1D", 65536},
                                           {"maxTexture1DMipmap", 16384},
                                           {"maxTexture1DLinear", 134217728},
                                           {"maxTexture2D.x", 65536},
                                           {"maxTexture2D.y", 65536},
                                           {"maxTexture2DMipmap.x", 16384},
                                           {"maxTexture2DMipmap.y", 16384},
                                           {"maxTexture2DLinear.x", 65536},
                                           {"maxTexture2DLinear.y", 65536},
                                           {"maxTexture2DLinear.pitch", 1048544},
                                           {"maxTexture2DGather.x", 16384},
                                           {"maxTexture2DGather.y", 16384},
                                           {"maxTexture3D.x", 4096},
                                           {"maxTexture3D.y", 4096},
                                           {"maxTexture3D.z", 4096},
                                           {"maxTexture3DAlt.x", 2048},
                                           {"maxTexture3DAlt.y", 2048},
                                           {"maxTexture3DAlt.z", 16384},
                                           {"maxTextureCubemap", 16384},
                                           {"maxTexture1DLayered.x", 16384},
                                           {"maxTexture1DLayered.layers", 2048},
                                           {"maxTexture2DLayered.x", 16384},
                                           {"maxTexture2DLayered.y", 16384},
                                           {"maxTexture2DLayered.layers", 2048},
                                           {"maxTextureCubemapLayered.x", 16384},
                                           {"maxTextureCubemapLayered.layers", 2046},
                                           {"maxSurface1D", 16384},
                                           {"maxSurface2D.x", 65536},
                                           {"maxSurface2D.y", 65536},
                                           {"maxSurface3D.x", 4096},
                                           {"maxSurface3D.y", 4096},
                                           {"maxSurface3D.z", 4096},
                                           {"maxSurface1DLayered.x", 16384},
                                           {"maxSurface1DLayered.layers", 2048},
                                           {"maxSurface2DLayered.x", 16384},
                                           {"maxSurface2DLayered.y", 16384},
                                           {"maxSurface2DLayered.layers", 2048},
                                           {"maxSurfaceCubemap", 16384},
                                           {"maxSurfaceCubemapLayered.x", 16384},
                                           {"maxSurfaceCubemapLayered.layers", 2046}};

constexpr std::string_view guide = "the CUDA C++ Programming Guide, by compute capability";

gpu::ArithmeticUnits units_of(const Attributes& told) {
  const auto major = told_by(told, "major"), minor = told_by(told, "minor");
  if (!major || !minor) return {};
  return gpu::arithmetic_units(static_cast<int>(10 * *major + *minor));
}

std::optional<double> count_of(int units) { return units > 0 ? std::optional<double>(units) : std::nullopt; }

/// Empty if one of them is unknown or 0.
std::optional<double> times(std::optional<double> a, std::optional<double> b) {
  if (!a || !b || *a <= 0 || *b <= 0) return std::nullopt;
  return *a * *b;
}
std::optional<double> over(std::optional<double> a, std::optional<double> b) {
  if (!b || *b <= 0) return std::nullopt;
  return times(a, 1 / *b);
}

std::optional<double> cores_of_one(const Attributes& told) { return count_of(units_of(told).float32); }
std::optional<double> cores(const Attributes& told) { return times(told_by(told, "multiProcessorCount"), cores_of_one(told)); }
std::optional<double> threads_at_once(const Attributes& told) {
  return times(told_by(told, "multiProcessorCount"), told_by(told, "maxThreadsPerMultiProcessor"));
}
std::optional<double> gflop(const Attributes& told, int units) {
  const auto clock = times(told_by(told, "multiProcessorCount"), told_by(told, "clockRate"));  // kHz, of all multiprocessors
  return times(times(clock, count_of(units)), 2e-6);
}
std::optional<double> float32_peak(const Attributes& told) { return gflop(told, units_of(told).float32); }
std::optional<double> float64_peak(const Attributes& told) { return gflop(told, units_of(told).float64); }
std::optional<double> bandwidth(const Attributes& told) {  // two transfers a cycle, 8 bits a byte
  return times(times(told_by(told, "memoryClockRate"), told_by(told, "memoryBusWidth")), 2e3 / 8 / 1e9);
}

/// A value that follows from attributes.
struct Derived {
  std::string_view name, unit, meaning, launch;
  int decimals = 0;
  std::optional<double> (*value)(const Attributes&) = nullptr;
};

constexpr Derived figures[] = {
    {"Cores of a multiprocessor", "", "Units for float32. No call tells how many there are: it is in the programming guide.",
     "A multiprocessor can begin this many multiply-adds of float32 in each cycle.", 0, cores_of_one},
    {"Cores", "", "Multiprocessors × cores of one.", "Launch many times as many threads: some compute while others wait.", 0,
     cores},
    {"Threads at the same time", "", "Multiprocessors × threads of one.", "Blocks beyond these wait until others have ended.", 0,
     threads_at_once},
    {"Threads for each core", "", "Threads at the same time / cores.",
     "A thread is not a core: this many threads take turns on one.", 0,
     [](const Attributes& told) { return over(threads_at_once(told), cores(told)); }},
    {"Registers for each thread", "", "Registers of a multiprocessor / threads of one.",
     "A kernel that needs more cannot fill all places for threads.", 1,
     [](const Attributes& told) {
       return over(told_by(told, "regsPerMultiprocessor"), told_by(told, "maxThreadsPerMultiProcessor"));
     }},
    {"Shared memory for each thread", "bytes", "Shared memory of a multiprocessor / threads of one.",
     "A block that needs more for each of its threads cannot fill all places.", 1,
     [](const Attributes& told) {
       return over(told_by(told, "sharedMemPerMultiprocessor"), told_by(told, "maxThreadsPerMultiProcessor"));
     }},
    {"Peak of float32", "GFLOP/s", "Cores × 2 operations of a multiply-add × clock.",
     "No kernel does more operations a second in float32.", 0, float32_peak},
    {"Peak of float64", "GFLOP/s", "Multiprocessors × units for float64 of one × 2 operations × clock.",
     "No kernel does more operations a second in float64.", 0, float64_peak},
    {"Peak bandwidth", "GB/s", "2 transfers a cycle × memory clock × bus width / 8 bits.",
     "No kernel moves more bytes a second to and from global memory.", 1, bandwidth},
    {"Operations for each byte", "", "Peak of float32 / peak bandwidth.",
     "A kernel that does fewer operations for each byte that it moves is limited by the memory.", 1,
     [](const Attributes& told) { return over(float32_peak(told), bandwidth(told)); }},
};

/// Adds a property that a CUDA call returns.
void add_told(Chip& chip, const Attributes& told, Part part, std::string name, std::string_view attribute) {
  const auto value = told_by(told, attribute);
  if (!value) return;
  const gpu::Attribute row = gpu::described(attribute, 0);
  chip.facts.push_back({.part = part,
                        .name = std::move(name),
                        .value = *value,
                        .unit = row.unit,
                        .attribute = std::string(attribute),
                        .meaning = std::string(for_a_launch(attribute))});
}

void add_derived(Chip& chip, const Attributes& told, Part part, std::string_view name) {
  const auto found = std::find_if(std::begin(figures), std::end(figures), [&](const Derived& each) { return each.name == name; });
  const auto value = found->value(told);
  if (!value) return;
  chip.facts.push_back({.part = part,
                        .name = std::string(name),
                        .value = *value,
                        .unit = std::string(found->unit),
                        .decimals = found->decimals,
                        .source = std::string(found->meaning),
                        .follows = found->value != cores_of_one,
                        .meaning = std::string(found->launch)});
}

void add_float64_units(Chip& chip) {
  if (chip.float64_units == 0) return;
  chip.facts.push_back({.part = Part::float64_units,
                        .name = "Units for float64 of a multiprocessor",
                        .value = double(chip.float64_units),
                        .source = "No call tells it. From " + std::string(guide) + ".",
                        .meaning = "A multiprocessor can begin this many multiply-adds of float64 in each cycle."});
}

}  // namespace

Attributes attributes_of(const gpu::DeviceInfo& device) {
  Attributes told;
  for (const gpu::Attribute& attribute : device.attributes) told.emplace(attribute.name, attribute.value);
  return told;
}

std::optional<double> told_by(const Attributes& attributes, std::string_view name) {
  const auto at = attributes.find(name);
  return at == attributes.end() ? std::nullopt : std::optional<double>(static_cast<double>(at->second));
}

std::span<const KnownDevice> known_devices() {
  static const auto devices = [] {
    std::array<KnownDevice, known_names.size()> made;
    for (std::size_t i = 0; i < made.size(); ++i) {
      made[i].name = known_names[i];
      for (const SharedFigure& figure : shared_figures) made[i].attributes.emplace(figure.attribute, figure.values[i]);
    }
    for (const Figure850m& figure : more_of_the_850m) made[0].attributes.emplace(figure.attribute, figure.value);
    return made;
  }();
  return devices;
}

std::optional<double> derived(std::string_view name, const Attributes& attributes) {
  for (const Derived& each : figures) {
    if (each.name == name) return each.value(attributes);
  }
  return std::nullopt;
}

Chip chip_of(const Attributes& told) {
  const gpu::ArithmeticUnits units = units_of(told);
  Chip chip{.multiprocessors = static_cast<int>(told_by(told, "multiProcessorCount").value_or(0)),
            .float32_units = units.float32,
            .float64_units = units.float64,
            .warps = static_cast<int>(told_by(told, "maxThreadsPerMultiProcessor").value_or(0)) / 32};
  add_told(chip, told, Part::multiprocessors, "Multiprocessors", "multiProcessorCount");
  add_told(chip, told, Part::multiprocessors, "Highest clock", "clockRate");
  add_derived(chip, told, Part::multiprocessors, "Threads at the same time");
  add_derived(chip, told, Part::float32_units, "Cores of a multiprocessor");
  add_derived(chip, told, Part::float32_units, "Cores");
  add_derived(chip, told, Part::float32_units, "Peak of float32");
  add_float64_units(chip);
  add_derived(chip, told, Part::float64_units, "Peak of float64");
  add_told(chip, told, Part::warps, "Threads of a multiprocessor", "maxThreadsPerMultiProcessor");
  add_told(chip, told, Part::warps, "Blocks of a multiprocessor", "maxBlocksPerMultiProcessor");
  add_derived(chip, told, Part::warps, "Threads for each core");
  add_told(chip, told, Part::registers, "Registers of a multiprocessor", "regsPerMultiprocessor");
  add_derived(chip, told, Part::registers, "Registers for each thread");
  add_told(chip, told, Part::shared, "Shared memory of a multiprocessor", "sharedMemPerMultiprocessor");
  add_told(chip, told, Part::shared, "… of a block", "sharedMemPerBlock");
  add_told(chip, told, Part::shared, "… of a block that asks for more", "sharedMemPerBlockOptin");
  add_told(chip, told, Part::l2, "L2 cache", "l2CacheSize");
  add_told(chip, told, Part::memory, "Global memory", "totalGlobalMem");
  add_told(chip, told, Part::memory, "Memory bus", "memoryBusWidth");
  add_derived(chip, told, Part::memory, "Peak bandwidth");
  return chip;
}

DeviceTable table_of(const std::string& name, const Attributes& told) {
  DeviceTable table{.devices = {name}};
  for (const KnownDevice& known : known_devices()) table.devices.emplace_back(known.name);
  for (const Derived& each : figures) {
    DeviceTable::Row row{.name = std::string(each.name),
                         .unit = std::string(each.unit),
                         .meaning = std::string(each.meaning),
                         .launch = std::string(each.launch),
                         .values = {each.value(told)},
                         .decimals = each.decimals,
                         .derived = true};
    for (const KnownDevice& known : known_devices()) row.values.push_back(each.value(known.attributes));
    table.rows.push_back(std::move(row));
  }
  for (const gpu::AttributeRow& each : gpu::attribute_table()) {
    DeviceTable::Row row{.name = std::string(each.name),
                         .unit = std::string(each.unit),
                         .meaning = std::string(each.meaning),
                         .launch = std::string(for_a_launch(each.name)),
                         .values = {told_by(told, each.name)}};
    bool known_to_one = row.values.front().has_value();
    for (const KnownDevice& known : known_devices()) {
      row.values.push_back(told_by(known.attributes, each.name));
      known_to_one = known_to_one || row.values.back().has_value();
    }
    if (known_to_one) table.rows.push_back(std::move(row));
  }
  table.title = fmt::format("{} figures that the device tells, and {} that no call tells", told.size(), std::size(figures));
  return table;
}

}  // namespace warpbook::lessons
