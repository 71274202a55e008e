// Whole: gpu-check.json, put together of what each section's process has saved, and of how that process ended.
//
//     Whole whole(out / "gpu-check.json", {{"device", "NVIDIA H200"}});
//     whole.running("kernels", read_json(file));                                 // what it has so far
//     whole.ended("kernels", read_json(file), ended, Ended::How::exited);        // a section that crashes has failed
//     return whole.failed() == 0 ? 0 : 1;
//
// In the file, beside checks, measurements and notes: "sections", a name, "ended" (or "running"), seconds, checked, failed each.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tests/gpu_check/section_process.h"

namespace warpbook::gpu_check {

/// An empty object where there is no such file, or no JSON in it.
[[nodiscard]] nlohmann::json read_json(const std::filesystem::path& file);
/// Beside it, then over it: whoever reads never sees half a file.
[[nodiscard]] bool write_json(const std::filesystem::path& file, const nlohmann::json& json);

class Whole {
 public:
  Whole(std::filesystem::path file, nlohmann::json about);

  void running(std::string_view section, const nlohmann::json& so_far);
  /// `expected`: how a process ends where all is well; then a failed check is what its exit code 1 says.
  void ended(std::string_view section, const nlohmann::json& all, const Ended& how, Ended::How expected);
  [[nodiscard]] bool save() const { return write_json(file_, all_); }

  [[nodiscard]] int checked() const { return all_["checked"]; }
  [[nodiscard]] int failed() const { return all_["failed"]; }

 private:
  [[nodiscard]] static nlohmann::json joined(nlohmann::json whole, std::string_view section, const nlohmann::json& part);

  std::filesystem::path file_;
  nlohmann::json all_;
};

}  // namespace warpbook::gpu_check
