#include "gpu/program/finding_json.h"

#include <algorithm>
#include <string>
#include <utility>

namespace warpbook::gpu {
namespace {

using Json = nlohmann::ordered_json;

Json place_json(const Place& place) {
  return {{"file", place.file},
          {"line", place.line},
          {"column", place.column},
          {"block", dim3_json(place.block)},
          {"thread", dim3_json(place.thread)}};
}

Place place_of(const Json& json) {
  Place place;
  place.file = json.value("file", "");
  place.line = json.value("line", 0u);
  place.column = json.value("column", 0u);
  place.block = dim3_of(json.value("block", Json()));
  place.thread = dim3_of(json.value("thread", Json()));
  return place;
}

}  // namespace

Json dim3_json(const Dim3& extents) { return {extents.x, extents.y, extents.z}; }

Dim3 dim3_of(const Json& json) {
  const auto is_number = [](const Json& each) { return each.is_number_unsigned(); };
  if (!json.is_array() || json.size() != 3 || !std::all_of(json.begin(), json.end(), is_number)) return {0, 0, 0};
  return {json[0].get<std::uint32_t>(), json[1].get<std::uint32_t>(), json[2].get<std::uint32_t>()};
}

Json finding_json(const Finding& finding, const std::string& kernel) {
  Json json{{"kind", "finding"},
            {"of", name_of(finding.kind)},
            {"space", finding.space},
            {"kernel", kernel},
            {"message", in_english(finding.message)}};
  json.update(place_json(finding.at));
  json["buffer"] = finding.buffer;
  json["threads"] = finding.threads;
  if (finding.index) json["index"] = *finding.index;
  if (finding.other) json["other"] = place_json(*finding.other);
  return json;
}

Finding finding_of(const Json& line) {
  Finding finding;
  for (std::size_t k = 0; k < finding_kinds; ++k)
    if (name_of(static_cast<FindingKind>(k)) == line.value("of", "")) finding.kind = static_cast<FindingKind>(k);
  finding.space = line.value("space", "");
  if (std::string message = line.value("message", ""); !message.empty()) finding.message = as_it_is(std::move(message));
  finding.at = place_of(line);
  finding.buffer = line.value("buffer", "");
  finding.threads = line.value("threads", std::uint64_t{1});
  if (line.contains("index")) finding.index = line["index"].get<std::int64_t>();
  if (line.contains("other")) finding.other = place_of(line["other"]);
  return finding;
}

}  // namespace warpbook::gpu
