// DeviceFacts: the known properties of a device, their sources, their meaning for a launch, and values derived from them.
//
//     const Attributes told = attributes_of(host.device());
//     outcome.figures.emplace_back(chip_of(told));
//     outcome.figures.emplace_back(table_of("T4", told));        // beside four devices that are known
//     const std::optional<double> cores = derived("Cores", told);
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gpu/device.h"
#include "lessons/figures.h"

namespace warpbook::lessons {

/// Attributes by CUDA's name.
using Attributes = std::map<std::string, std::int64_t, std::less<>>;
[[nodiscard]] Attributes attributes_of(const gpu::DeviceInfo& device);
[[nodiscard]] std::optional<double> told_by(const Attributes& attributes, std::string_view name);

/// Four devices of different hardware generations. Of the GTX 850M, all attributes that a program printed.
struct KnownDevice {
  std::string_view name;
  Attributes attributes;
};
[[nodiscard]] std::span<const KnownDevice> known_devices();

/// A sentence or two for each attribute of CUDA. Empty: there is no such attribute (launch_sentences.cpp).
[[nodiscard]] std::string_view for_a_launch(std::string_view attribute);

/// A value that no CUDA call returns, derived from those that calls return, by its name in the table. Empty: an unknown name, or an
/// attribute that it needs is missing.
[[nodiscard]] std::optional<double> derived(std::string_view name, const Attributes& attributes);

/// Without measurements and without a title.
[[nodiscard]] Chip chip_of(const Attributes& attributes);
[[nodiscard]] DeviceTable table_of(const std::string& name, const Attributes& attributes);

}  // namespace warpbook::lessons
