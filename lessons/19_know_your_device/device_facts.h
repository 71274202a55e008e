// DeviceFacts: what is known of a device, who tells it, what it means for a launch, and what follows from it.
//
//     const Attributes told = attributes_of(host.device());
//     outcome.figures.emplace_back(chip_of(told));
//     outcome.figures.emplace_back(table_of("T4", told));        // beside four devices that are known
//     for (const Derived& each : derived_figures()) print(each.name, each.value(told));
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

/// By CUDA's name.
using Attributes = std::map<std::string, std::int64_t, std::less<>>;
[[nodiscard]] Attributes attributes_of(const gpu::DeviceInfo& device);
[[nodiscard]] std::optional<double> told_by(const Attributes& attributes, std::string_view name);

/// Four devices, each of another generation of hardware. Of the GTX 850M all that it told a program which asked for everything.
struct KnownDevice {
  std::string_view name;
  Attributes attributes;
};
[[nodiscard]] std::span<const KnownDevice> known_devices();

/// A sentence or two for each attribute that CUDA has; empty for a name that is none (launch_sentences.cpp).
[[nodiscard]] std::string_view for_a_launch(std::string_view attribute);

/// A figure that no call tells, worked out from those that calls tell.
struct Derived {
  std::string_view name, unit, meaning, launch;
  int decimals = 0;
  std::optional<double> (*value)(const Attributes&) = nullptr;
};
[[nodiscard]] std::span<const Derived> derived_figures();
[[nodiscard]] std::optional<double> derived(std::string_view name, const Attributes& attributes);

/// Without what was measured, and without a title.
[[nodiscard]] Chip chip_of(const Attributes& attributes);
[[nodiscard]] DeviceTable table_of(const std::string& name, const Attributes& attributes);

}  // namespace warpbook::lessons
