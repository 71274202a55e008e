#include "tests/gpu_check/whole.h"

#include <fmt/format.h>

#include <fstream>
#include <utility>

namespace warpbook::gpu_check {

using Json = nlohmann::json;

Json read_json(const std::filesystem::path& file) {
  std::ifstream stream(file);
  Json json = stream ? Json::parse(stream, nullptr, false) : Json();
  return json.is_object() ? json : Json::object();
}

bool write_json(const std::filesystem::path& file, const Json& json) {
  std::error_code problem;
  std::filesystem::create_directories(file.parent_path(), problem);
  std::filesystem::path fresh = file;
  fresh += ".new";
  {
    std::ofstream stream(fresh);
    stream << json.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
    if (!stream.flush()) return false;
  }
  std::filesystem::rename(fresh, file, problem);
  return !problem;
}

Whole::Whole(std::filesystem::path file, Json about) : file_(std::move(file)), all_(std::move(about)) {
  for (const char* const list : {"sections", "checks", "measurements", "notes"}) all_[list] = Json::array();
  all_["checked"] = all_["failed"] = 0;
  (void)save();
}

Json Whole::joined(Json whole, std::string_view section, const Json& part) {
  for (const char* const list : {"checks", "measurements", "notes"})
    for (const Json& line : part.value(list, Json::array())) whole[list].push_back(line);
  for (const char* const count : {"checked", "failed"}) whole[count] = whole[count].get<int>() + part.value(count, 0);
  if (part.contains("numba")) whole["numba"] = part["numba"];
  whole["sections"].push_back({{"name", section}, {"checked", part.value("checked", 0)}, {"failed", part.value("failed", 0)}});
  return whole;
}

void Whole::running(std::string_view section, const Json& so_far) {
  Json now = joined(all_, section, so_far);
  now["sections"].back()["running"] = true;
  (void)write_json(file_, now);
}

void Whole::ended(std::string_view section, const Json& all, const Ended& how, Ended::How expected) {
  all_ = joined(std::move(all_), section, all);
  Json& line = all_["sections"].back();
  line["ended"] = how.words();
  line["seconds"] = how.seconds;
  // 1: its own checks have failed, and say so.
  const bool as_expected = how.how == expected && (expected != Ended::How::exited || how.number == 0 || how.number == 1);
  if (expected != Ended::How::exited || !as_expected) {
    const Json checks = all.value("checks", Json::array());
    const std::string last = checks.empty() ? "before its first check" : "after \"" + checks.back().value("name", "") + "\"";
    const std::string detail = fmt::format("its process {}, {}", how.words(), last);
    fmt::print("  {}  {:<58} {}\n", as_expected ? "ok    " : "FAILED", fmt::format("the section {}", section), detail);
    all_["checks"].push_back(
        {{"section", section}, {"name", fmt::format("the section {}", section)}, {"passed", as_expected}, {"detail", detail}});
    all_["checked"] = checked() + 1;
    all_["failed"] = failed() + (as_expected ? 0 : 1);
  }
  (void)save();
}

}  // namespace warpbook::gpu_check
