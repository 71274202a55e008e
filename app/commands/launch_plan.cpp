#include "app/commands/launch_plan.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "app/commands/outputs.h"
#include "gpu/compiler_source.h"
#include "gpu/finding_kinds.h"
#include "gpu/input_file.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

tl::unexpected<Error> refuse(std::string sentence) { return failure("usage", std::move(sentence)); }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool begins_a_name(std::string_view text) { return !text.empty() && is_letter(text.front()); }

Result<std::pair<std::string, std::string>> parse_define(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  bool good = begins_a_name(name);
  for (const char c : name) good = good && (is_letter(c) || (c >= '0' && c <= '9'));
  if (!good) return refuse(say("--define {text} names no macro: it is NAME=VALUE. Example: --define TILE=16.", "text"_a = text));
  return std::pair{std::string(name), equals == std::string_view::npos ? std::string("1") : std::string(text.substr(equals + 1))};
}

std::optional<std::vector<std::size_t>> numbers_in(std::string_view text) {
  std::vector<std::size_t> numbers;
  for (std::string_view rest = text;;) {
    const std::size_t cut = rest.find('.');
    const std::string_view field = rest.substr(0, cut);
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
    if (field.empty() || error != std::errc{} || end != field.data() + field.size()) return std::nullopt;
    numbers.push_back(number);
    if (cut == std::string_view::npos) return numbers;
    rest.remove_prefix(cut + 1);
  }
}

const lessons::ArgumentSpec& spec_at(std::span<const lessons::ArgumentSpec> specs, const LaunchPlan::Place& place) {
  const lessons::ArgumentSpec* spec = &specs[place.argument];
  for (const std::size_t member : place.member) spec = &spec->members[member];
  return *spec;
}

// "2", or "2.1" for member 1 of a struct
Result<LaunchPlan::Place> parse_place(std::string_view option, std::string_view text,
                                      std::span<const lessons::ArgumentSpec> specs) {
  const auto numbers = numbers_in(text);
  if (!numbers) {
    return refuse(say(
        "{option} {text} should begin with N, which counts the --arg from 0, or with N.M for member M of a struct. Example: "
        "{example}.",
        "option"_a = option, "text"_a = text, "example"_a = option == "--save" ? "--save 2=out.npy" : fmt::format("{} 2", option)));
  }
  LaunchPlan::Place place{.argument = numbers->front(), .member = {}};
  if (const std::size_t count = specs.size(); place.argument >= count) {
    const auto which = "option"_a = option;
    const auto words = "text"_a = text;
    if (count == 0) return refuse(say("{option} {text} names no argument: there is no --arg at all.", which, words));
    return refuse(say_many(count, "{option} {text} names no argument: there is one --arg, number 0.",
                           "{option} {text} names no argument: there are {n}, numbered from 0 to {last}.", which, words,
                           "n"_a = count, "last"_a = count - 1));
  }
  for (std::size_t i = 1; i < numbers->size(); ++i) {
    const lessons::ArgumentSpec& spec = spec_at(specs, place);
    if ((*numbers)[i] >= spec.members.size()) {
      const auto which = "option"_a = option;
      const auto words = "text"_a = text;
      const auto given = "spec"_a = spec.text;
      return refuse(spec.is_struct() ? say("{option} {text} names no member: '{spec}' has {members}, numbered from 0.", which,
                                           words, given, "members"_a = spec.members.size())
                                     : say("{option} {text} names no member: '{spec}' is no struct.", which, words, given));
    }
    place.member.push_back((*numbers)[i]);
  }
  return place;
}

// "2=out.npy"
Result<LaunchPlan::Save> parse_save(std::string_view text, std::span<const lessons::ArgumentSpec> specs) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals + 1 == text.size()) {
    return refuse(
        say("--save {text} should read N=FILE.npy, where N counts the --arg from 0. Example: --save 2=out.npy.", "text"_a = text));
  }
  auto place = parse_place("--save", text.substr(0, equals), specs);
  if (!place) return failure(place.error());
  if (const lessons::ArgumentSpec& spec = spec_at(specs, *place); spec.is_struct()) {
    return refuse(say(
        "--save {text}: '{spec}' is a struct, and a .npy file holds one array. Name a member: --save {struct}.{member}=out.npy.",
        "text"_a = text, "spec"_a = spec.text, "struct"_a = text.substr(0, equals), "member"_a = spec.members.size() - 1));
  }
  return LaunchPlan::Save{.place = std::move(*place), .file = std::string(text.substr(equals + 1))};
}

// None of what is written may be what is read.
Result<void> check_files(const LaunchWords& words, const LaunchPlan& plan) {
  std::vector<std::filesystem::path> inputs{words.file};
  for (const lessons::ArgumentSpec& spec : plan.specs) add_inputs(inputs, spec);
  for (const lessons::VariableSpec& symbol : plan.symbols) add_inputs(inputs, symbol.spec);
  std::vector<Output> outputs{{"--timeline", words.timeline, {".json"}}};
  for (const LaunchPlan::Save& save : plan.saves) outputs.push_back({"--save", save.file, {".npy"}});
  return check_outputs(outputs, inputs);
}

}  // namespace

Result<gpu::Dim3> parse_dim3(std::string_view option, std::string_view text) {
  gpu::Dim3 shape;
  std::uint32_t* const extents[] = {&shape.x, &shape.y, &shape.z};
  std::string_view rest = text;
  for (std::size_t i = 0;; ++i) {
    const std::size_t cut = rest.find(',');
    const std::string_view field = rest.substr(0, cut);
    const bool room = i < 3;
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (!room || field.empty() || error != std::errc{} || end != field.data() + field.size()) {
      return refuse(say("{option} {text} is not a shape: it is X, or X,Y or X,Y,Z, of whole numbers. Example: {option} 16,16.",
                        "option"_a = option, "text"_a = text));
    }
    *extents[i] = value;
    if (cut == std::string_view::npos) return shape;
    rest.remove_prefix(cut + 1);
  }
}

Result<gpu::Source> read_source(const std::string& file) {
  const std::filesystem::path path(file);
  const auto bytes = size_of_input(path);
  if (!bytes) return failure(bytes.error());
  const std::size_t most = path.extension() == ".ptx" ? gpu::most_ptx_bytes : gpu::most_source_bytes;
  if (*bytes > most) return refuse(gpu::too_large_sentence(file, *bytes, most));
  auto text = read_input(path);
  if (!text) return failure(text.error());
  if (text->empty()) return failure("missing_file", fmt::format("'{}' is empty.", file));
  return gpu::Source{.file = path.filename().string(),
                     .text = std::move(*text),
                     .defines = {},
                     .instantiate = {},
                     .folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".")};
}

Result<LaunchPlan> understand(const LaunchWords& words) {
  LaunchPlan plan;
  const std::filesystem::path path(words.file);
  plan.is_ptx = path.extension() == ".ptx";
  if (!plan.is_ptx && path.extension() != ".cu") {
    return refuse(say("'{file}' is neither a .cu nor a .ptx file, the two that launch takes.", "file"_a = words.file));
  }
  auto source = read_source(words.file);
  if (!source) return failure(source.error());
  plan.source = std::move(*source);
  if (words.kernel.find('<') != std::string::npos) plan.source.instantiate.push_back(words.kernel);

  auto grid = parse_dim3("--grid", words.grid);
  if (!grid) return failure(grid.error());
  auto block = parse_dim3("--block", words.block);
  if (!block) return failure(block.error());
  plan.grid = *grid;
  plan.block = *block;

  for (const std::string& text : words.arguments) {
    auto spec = lessons::parse_argument_spec(text);
    if (!spec) return failure(spec.error());
    plan.specs.push_back(std::move(*spec));
  }
  for (const std::string& text : words.symbols) {
    auto symbol = lessons::parse_variable_spec(text);
    if (!symbol) return failure(symbol.error());
    plan.symbols.push_back(std::move(*symbol));
  }
  for (const std::string& text : words.defines) {
    auto define = parse_define(text);
    if (!define) return failure(define.error());
    plan.source.defines.push_back(std::move(*define));
  }
  if (plan.is_ptx && !words.defines.empty()) {
    return refuse("--define is for the compiler, and PTX is compiled already. Leave it out, or launch the .cu file.");
  }
  for (const std::string& text : words.prints) {
    if (begins_a_name(text)) {
      plan.printed_variables.push_back(text);
      continue;
    }
    auto place = parse_place("--print", text, plan.specs);
    if (!place) return failure(place.error());
    plan.prints.push_back(std::move(*place));
  }
  for (const std::string& text : words.saves) {
    auto save = parse_save(text, plan.specs);
    if (!save) return failure(save.error());
    plan.saves.push_back(std::move(*save));
  }

  auto observe = gpu::observe_named(words.observe);
  if (!observe) return failure(observe.error());
  if (words.seeds > 0 && !observe->any())
    return refuse(
        say("--seeds tries several orders of blocks and warps to find more, so it needs something to look for. Example: --observe "
            "race --seeds 8."));
  if (words.seeds > 0 && words.seed.value_or(1) > std::numeric_limits<std::uint64_t>::max() - (words.seeds - 1))
    return refuse(say("--seed {seed} --seeds {seeds} would go beyond the largest seed, {largest}. Begin with a smaller one.",
                      "seed"_a = *words.seed, "seeds"_a = words.seeds, "largest"_a = std::numeric_limits<std::uint64_t>::max()));
  plan.observe = std::move(*observe);
  if (words.schedule != "fast" && words.schedule != "clock") {
    return refuse(say("--schedule is fast or clock, not '{schedule}'.", "schedule"_a = words.schedule));
  }
  plan.schedule = words.schedule == "clock" ? gpu::Schedule::clock : gpu::Schedule::fast;
  if (!words.timeline.empty()) {
    if (plan.schedule != gpu::Schedule::clock) {
      return refuse(
          say("--timeline {timeline} needs --schedule clock, whose model says what happens when.", "timeline"_a = words.timeline));
    }
    plan.observe.timeline = true;
  }
  if (!(words.max_seconds > 0)) return refuse("--max-seconds must be above 0. Example: --max-seconds 10.");
  if (auto good = check_files(words, plan); !good) return failure(good.error());
  return plan;
}

}  // namespace warpbook::app
