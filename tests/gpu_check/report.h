// Report: the results of gpu_check, printed line by line and saved as JSON.
//
//     Report report;
//     report.section("kernels");
//     report.check("add, 32 blocks", same, "4096 of 4096 equal");
//     report.measured({.name = "copy", .value = 4312, .unit = "GB/s"});
//     report.save("out/gpu-check.json");
//     return report.failed() == 0 ? 0 : 1;
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace warpbook::gpu_check {

struct Measured {
  std::string name;
  double value = 0;
  std::string unit;
  std::optional<double> at_least, at_most;  // required range; a measurement without either is only informative
  std::string beside;                       // "Numba 3120": the same work on the same GPU by another program
};

class Report {
 public:
  void section(const std::string& name);
  void check(const std::string& name, bool passed, const std::string& detail);
  void measured(const Measured& measured);
  void note(const std::string& sentence);  // information: what was left out and why
  /// Saves everything into this file after each line from now on, so that earlier results survive a crash.
  void keep_in(const std::filesystem::path& file) { file_ = file; }
  void about(const std::string& key, const nlohmann::json& value) { about_[key] = value; }

  [[nodiscard]] int failed() const { return failed_; }
  [[nodiscard]] int checked() const { return checked_; }
  [[nodiscard]] bool save() const;

 private:
  std::filesystem::path file_;
  std::string section_;
  nlohmann::json about_ = nlohmann::json::object(), checks_ = nlohmann::json::array(), measurements_ = nlohmann::json::array(),
                 notes_ = nlohmann::json::array();
  int failed_ = 0, checked_ = 0;
};

}  // namespace warpbook::gpu_check
