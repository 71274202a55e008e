#include "app/commands/outputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "gpu/message.h"
#include "gpu/output_file.h"
#include "gpu/text.h"
#include "lessons/catalog.h"

namespace warpbook::app {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> refuse_file(std::string sentence) { return failure("usage", std::move(sentence)); }

std::string words_of(const Output& output) {
  return output.option.empty() ? fmt::format("'{}'", output.file) : fmt::format("{} {}", output.option, output.file);
}

bool has_ending(const Output& output, const fs::path& file) {
  const std::string ending = lowered(file.extension().string());
  return std::find(output.endings.begin(), output.endings.end(), ending) != output.endings.end();
}

/// Lessons, kernels and what the program draws with.
bool is_our_own(const fs::path& file) {
  std::error_code missing;
  for (const char* const room : {"lessons", "kernels", "assets"}) {
    const fs::path folder = fs::canonical(lessons::data_directory() / room, missing);
    if (missing) continue;
    const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
    if (end == folder.end()) return true;
  }
  return false;
}

Result<void> check_ending(const Output& output, const OutputPlace& place) {
  if (!has_ending(output, output.file))
    return refuse_file(say("{output} does not end with {ending}, which is what is written.", "output"_a = words_of(output),
                           "ending"_a = fmt::format("{}", fmt::join(output.endings, " or "))));
  if (!has_ending(output, place.path))
    return refuse_file(say("{output} is a link to {path}, which does not end with {ending}. Name a file to write.",
                           "output"_a = words_of(output), "path"_a = place.path.string(),
                           "ending"_a = fmt::format("{}", fmt::join(output.endings, " or "))));
  return {};
}

Result<void> check_output(const Output& output, std::span<const fs::path> inputs) {
  const auto place = place_of_output(output.file);
  // The ending is the first thing to say: whoever has mistaken one file for another need not hear of its folder.
  if (!place) {
    if (!has_ending(output, output.file)) return check_ending(output, {.kind = OutputPlace::Kind::file, .path = output.file});
    return failure(place.error());
  }
  if (place->kind == OutputPlace::Kind::device) return {};
  std::error_code missing;
  for (const fs::path& input : inputs) {
    if (place->there && fs::equivalent(output.file, input, missing) && !missing)
      return refuse_file(say("{output} is what the command reads ({input}), and would be written over. Name another file.",
                             "output"_a = words_of(output), "input"_a = input.string()));
  }
  if (place->kind == OutputPlace::Kind::own_stream) return {};
  if (auto good = check_ending(output, *place); !good) return good;
  if (place->there && is_our_own(place->path))
    return refuse_file(say("{output} is one of Warpbook's own files, and would be written over. Name another file.",
                           "output"_a = words_of(output)));
  return {};
}

}  // namespace

Result<void> check_outputs(std::span<const Output> outputs, std::span<const fs::path> inputs) {
  std::set<fs::path> places;
  for (const Output& output : outputs) {
    if (output.file.empty()) continue;
    if (auto good = check_output(output, inputs); !good) return good;
    const auto place = place_of_output(output.file);
    if (place && place->kind == OutputPlace::Kind::file && !places.insert(place->path).second)
      return refuse_file(say("{output} is written twice by this command. Name a file for each.", "output"_a = words_of(output)));
  }
  return {};
}

void add_inputs(std::vector<fs::path>& inputs, const lessons::ArgumentSpec& spec) {
  if (!spec.file.empty()) inputs.emplace_back(spec.file);
  for (const lessons::ArgumentSpec& member : spec.members) add_inputs(inputs, member);
}

std::vector<fs::path> inputs_of(const lessons::Values& values) {
  // Which types they have is known when the file is compiled; that they are files, an '@' says.
  std::vector<fs::path> inputs;
  for (const auto& [id, text] : values.texts()) {
    for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at + 1)) {
      const std::string rest = text.substr(at + 1);
      inputs.emplace_back(rest);
      inputs.emplace_back(rest.substr(0, rest.find_first_of(",}")));  // of a struct's member
    }
  }
  return inputs;
}

}  // namespace warpbook::app
