#include "gpu/occupancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <climits>
#include <iterator>
#include <optional>

namespace warpbook::gpu {
namespace {

constexpr int warp_size = 32;

constexpr std::array<std::string_view, 4> limiter_names{"threads", "registers", "shared memory", "blocks"};
static_assert(static_cast<std::size_t>(Limiter::blocks) + 1 == limiter_names.size());

/// The allocation rules of a multiprocessor, by compute capability.
struct Rules {
  int capability;            // 75 for 7.5
  int blocks;                // most resident blocks of a multiprocessor
  int register_files;        // number of equal register files; a warp's registers are all in one of them
  int registers_per_thread;  // maximum; a program can name 255, and 256 means that the driver may add one
  std::size_t shared_unit;   // granularity of shared memory in bytes
};
constexpr Rules known_rules[] = {
    {50, 32, 4, 255, 256},                                                                          // Maxwell
    {52, 32, 4, 255, 256},  {53, 32, 4, 255, 256},  {60, 32, 2, 255, 256},                          // Pascal
    {61, 32, 4, 255, 256},  {62, 32, 4, 255, 256},  {70, 32, 4, 256, 256},                          // Volta
    {72, 32, 4, 256, 256},  {75, 16, 4, 256, 256},                                                  // Turing
    {80, 32, 4, 256, 128},                                                                          // Ampere
    {86, 16, 4, 256, 128},  {87, 16, 4, 256, 128},  {88, 16, 4, 256, 128},  {89, 24, 4, 256, 128},  // Ada
    {90, 32, 4, 256, 128},                                                                          // Hopper
    {100, 32, 4, 256, 128},                                                                         // Blackwell
    {101, 24, 4, 256, 128},  // until CUDA 12; CUDA 13 calls it 11.0
    {103, 32, 4, 256, 128}, {110, 24, 4, 256, 128}, {120, 24, 4, 256, 128}, {121, 24, 4, 256, 128},
};
constexpr int register_unit = 256;  // granularity of a warp's registers, on all architectures

const Rules* rules_of(int capability) {
  const auto* const found = std::find_if(std::begin(known_rules), std::end(known_rules),
                                         [&](const Rules& rules) { return rules.capability == capability; });
  return found == std::end(known_rules) ? nullptr : found;
}

template <class Number>
constexpr Number round_up(Number value, Number unit) {
  return (value + unit - 1) / unit * unit;
}

std::optional<std::int64_t> attribute(const DeviceInfo& device, std::string_view name) {
  for (const Attribute& a : device.attributes)
    if (a.name == name) return a.value;
  return std::nullopt;
}

/// Registers of one block: the device's limit, which on some is half of a multiprocessor's.
std::int64_t registers_per_block(const DeviceInfo& device) {
  return attribute(device, "regsPerBlock").value_or(device.registers_per_multiprocessor);
}

/// Shared memory that the driver reserves in every block: 1 KiB since 8.0 (Ampere tuning guide).
std::size_t reserved_shared(const DeviceInfo& device) {
  return static_cast<std::size_t>(
      attribute(device, "reservedSharedMemPerBlock").value_or(device.compute_capability >= 80 ? 1024 : 0));
}

std::optional<Error> problem_of(const DeviceInfo& device, const OccupancyRequest& request) {
  if (request.threads_per_block <= 0 || request.registers_per_thread < 0)
    return Error{"invalid", fmt::format("Occupancy needs at least one thread a block and no negative registers; asked were {} "
                                        "threads and {} registers.",
                                        request.threads_per_block, request.registers_per_thread)};
  if (device.max_threads_per_block <= 0 || device.warps_per_multiprocessor <= 0 || device.registers_per_multiprocessor <= 0 ||
      registers_per_block(device) <= 0 || device.shared_per_block == 0 || device.shared_per_multiprocessor == 0 ||
      device.multiprocessors <= 0)
    return Error{"invalid", fmt::format("Occupancy needs the limits of a device, and {} tells some of them as zero.", device.name)};
  if (rules_of(device.compute_capability) == nullptr)
    return Error{"unknown_device",
                 fmt::format("The occupancy calculator does not know compute capability {}.{} of {}. A newer Warpbook may.",
                             device.compute_capability / 10, device.compute_capability % 10, device.name)};
  return std::nullopt;
}

std::int64_t registers_of_warp(int registers_per_thread) {
  return round_up(std::int64_t{registers_per_thread} * warp_size, std::int64_t{register_unit});
}

int blocks_by_threads(const DeviceInfo& device, int threads, int warps) {
  return threads > device.max_threads_per_block ? 0 : device.warps_per_multiprocessor / warps;
}

int blocks_by_registers(const DeviceInfo& device, const Rules& rules, int registers_per_thread, int warps) {
  const std::int64_t of_warp = registers_of_warp(registers_per_thread);
  // A launch is checked as if every register file held as many warps of the block as the fullest one.
  const auto fits_a_block = [&](int register_files) {
    return of_warp * round_up(warps, register_files) <= registers_per_block(device);
  };
  // A kernel for one Pascal GPU must run on all: 6.0 has two register files, but is checked with four like the others.
  if (registers_per_thread > rules.registers_per_thread || !fits_a_block(std::max(rules.register_files, 4))) return 0;
  if (of_warp == 0) return INT_MAX;
  const std::int64_t in_one_file = device.registers_per_multiprocessor / rules.register_files / of_warp;
  return static_cast<int>(in_one_file * rules.register_files / warps);
}

int blocks_by_shared_memory(const DeviceInfo& device, const OccupancyRequest& request, std::size_t allocated) {
  // Since Volta, a block can have more than the default limit if the kernel opts in.
  const std::size_t wanted = request.static_shared_bytes + request.dynamic_shared_bytes + reserved_shared(device);
  const bool opted_in = device.compute_capability >= 70 && wanted > device.shared_per_block;
  const std::size_t limit = (opted_in ? device.shared_per_block_optin : device.shared_per_block) +
                            (device.compute_capability >= 80 ? reserved_shared(device) : 0);
  if (allocated > limit) return 0;
  if (allocated == 0) return INT_MAX;
  return static_cast<int>(device.shared_per_multiprocessor / allocated);
}

}  // namespace

std::string_view name_of(Limiter limiter) { return limiter_names[static_cast<std::size_t>(limiter)]; }

Result<Occupancy> occupancy(const DeviceInfo& device, const OccupancyRequest& request) {
  if (std::optional<Error> problem = problem_of(device, request)) return failure(*std::move(problem));
  const Rules& rules = *rules_of(device.compute_capability);
  const int warps_per_block = (request.threads_per_block - 1) / warp_size + 1;

  Occupancy o;
  o.allocated_registers = static_cast<int>(registers_of_warp(request.registers_per_thread) * warps_per_block);
  o.allocated_shared_bytes =
      round_up(request.static_shared_bytes + request.dynamic_shared_bytes + reserved_shared(device), rules.shared_unit);
  o.by_threads = blocks_by_threads(device, request.threads_per_block, warps_per_block);
  o.by_registers = blocks_by_registers(device, rules, request.registers_per_thread, warps_per_block);
  o.by_shared_memory = blocks_by_shared_memory(device, request, o.allocated_shared_bytes);
  o.by_blocks = rules.blocks;

  const std::array<int, 4> by{o.by_threads, o.by_registers, o.by_shared_memory, o.by_blocks};  // in the order of Limiter
  const auto* const least = std::min_element(by.begin(), by.end());                            // the first of several equal ones
  o.limiter = static_cast<Limiter>(least - by.begin());
  o.blocks = *least;
  o.warps = o.blocks * warps_per_block;
  o.max_warps = device.warps_per_multiprocessor;
  o.fraction = static_cast<double>(o.warps) / o.max_warps;
  o.lanes_used = static_cast<double>(request.threads_per_block) / (warps_per_block * warp_size);
  return o;
}

Result<SuggestedLaunch> suggest_launch(const DeviceInfo& device, const OccupancyRequest& request) {
  SuggestedLaunch best;
  int most_threads = 0;
  // From the largest block size down, so that the largest of several equally good sizes is suggested.
  for (int rounded = round_up(device.max_threads_per_block, warp_size); rounded > 0; rounded -= warp_size) {
    OccupancyRequest tried = request;
    tried.threads_per_block = std::min(rounded, device.max_threads_per_block);
    const Result<Occupancy> found = occupancy(device, tried);
    if (!found) return failure(found.error());
    const int threads = found->blocks * tried.threads_per_block;
    if (threads <= most_threads) continue;
    most_threads = threads;
    best = {.threads_per_block = tried.threads_per_block, .blocks = found->blocks * device.multiprocessors};
  }
  return best;
}

}  // namespace warpbook::gpu
