#include "tests/gpu_check/report.h"

#include <fmt/format.h>

#include <cstdio>

#include "tests/gpu_check/whole.h"

namespace warpbook::gpu_check {

void Report::section(const std::string& name) {
  section_ = name;
  fmt::print("\n{}\n", name);
}

void Report::check(const std::string& name, bool passed, const std::string& detail) {
  ++checked_;
  if (!passed) ++failed_;
  fmt::print("  {}  {:<58} {}\n", passed ? "ok    " : "FAILED", name, detail);
  std::fflush(stdout);
  checks_.push_back({{"section", section_}, {"name", name}, {"passed", passed}, {"detail", detail}});
  (void)save();
}

void Report::measured(const Measured& m) {
  std::string goal, verdict = "      ";
  bool passed = true;
  if (m.at_least || m.at_most) {
    ++checked_;
    passed = m.at_least ? m.value >= *m.at_least : m.value <= *m.at_most;
    if (!passed) ++failed_;
    verdict = passed ? "ok    " : "FAILED";
    goal = fmt::format("asked for: {} {:.4g}", m.at_least ? "at least" : "at most", m.at_least ? *m.at_least : *m.at_most);
  }
  fmt::print("  {}  {:<58} {:>9.4g} {:<6} {}{}{}\n", verdict, m.name, m.value, m.unit, goal,
             goal.empty() || m.beside.empty() ? "" : "; ", m.beside);
  std::fflush(stdout);
  nlohmann::json line = {{"section", section_}, {"name", m.name}, {"value", m.value}, {"unit", m.unit}};
  if (m.at_least) line["at_least"] = *m.at_least;
  if (m.at_most) line["at_most"] = *m.at_most;
  if (!m.beside.empty()) line["beside"] = m.beside;
  if (!goal.empty()) line["passed"] = passed;
  measurements_.push_back(std::move(line));
  (void)save();
}

void Report::note(const std::string& sentence) {
  fmt::print("          {}\n", sentence);
  notes_.push_back({{"section", section_}, {"sentence", sentence}});
  (void)save();
}

bool Report::save() const {
  nlohmann::json all = about_;
  all["checked"] = checked_;
  all["failed"] = failed_;
  all["checks"] = checks_;
  all["measurements"] = measurements_;
  all["notes"] = notes_;
  return write_json(file_, all);
}

}  // namespace warpbook::gpu_check
