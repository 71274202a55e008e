// Findings as lines of JSON: what the runtime library (gpu/runtime) writes into journals and records, and what reads them again.
//
//     journal->add(finding_json(finding, "add"));
//     const Finding finding = finding_of(line);
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "gpu/report.h"

namespace warpbook::gpu {

[[nodiscard]] nlohmann::ordered_json dim3_json(const Dim3& extents);
/// {0, 0, 0} for anything but three numbers.
[[nodiscard]] Dim3 dim3_of(const nlohmann::ordered_json& json);

[[nodiscard]] nlohmann::ordered_json finding_json(const Finding& finding, const std::string& kernel);
/// What the line does not say keeps its default.
[[nodiscard]] Finding finding_of(const nlohmann::ordered_json& line);

}  // namespace warpbook::gpu
