#include "lessons/progress.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "lessons/catalog.h"

namespace warpbook::lessons {
namespace {

namespace fs = std::filesystem;

Result<void> write(const fs::path& file, std::string_view text) {
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  fs::path fresh = file;
  fresh += ".new";
  std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (out) fs::rename(fresh, file, failed);
  if (out && !failed) return {};
  return failure(
      "bad_file",
      fmt::format("Could not write {}: what you do now is not kept. Is the disk full, or the folder not yours?", file.string()));
}

/// An absent file is an empty table.
Result<toml::table> read(const fs::path& file) {
  std::error_code none;
  if (!fs::exists(file, none)) return toml::table{};
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  try {
    return toml::parse(text.str(), file.string());
  } catch (const toml::parse_error& error) {
    fs::path aside = file;
    aside += ".damaged";
    fs::rename(file, aside, none);
    return failure("damaged_file",
                   fmt::format("{} could not be read ({}, line {}). It lies beside as {} now; this lesson begins anew.",
                               file.string(), error.description(), error.source().begin.line, aside.filename().string()));
  }
}

std::string print(const toml::table& table) {
  std::ostringstream text;
  text << table << '\n';
  return text.str();
}

/// As `run --set` takes it: "64", "on", "shared".
std::optional<std::string> as_text(const Control& control, const toml::node& node) {
  if (control.kind == Control::Kind::toggle) {
    const auto on = node.value_exact<bool>();
    return on ? std::optional<std::string>(*on ? "on" : "off") : std::nullopt;
  }
  if (control.kind == Control::Kind::choice) return node.value_exact<std::string>();
  const auto number = node.value<double>();
  return number ? std::optional<std::string>(fmt::format("{}", *number)) : std::nullopt;
}

void put(toml::table& table, const Control& control, double value) {
  switch (control.kind) {
    case Control::Kind::toggle:
      table.insert(control.id, value != 0);
      break;
    case Control::Kind::choice:
      table.insert(control.id, control.options[static_cast<std::size_t>(value)].id);
      break;
    case Control::Kind::integer:
      table.insert(control.id, static_cast<std::int64_t>(value));
      break;
    case Control::Kind::real:
      table.insert(control.id, value);
      break;
  }
}

}  // namespace

Result<Kept> Progress::load(const Lesson& lesson) const {
  Kept kept{.values = Values::defaults(lesson.controls)};
  const fs::path folder = folder_ / folder_of(lesson);
  std::error_code none;
  if (fs::exists(folder / "kernel.cu", none)) {
    std::ifstream in(folder / "kernel.cu", std::ios::binary);
    std::ostringstream text;
    if (in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
    kept.kernel = text.str();
  }
  auto table = read(folder / "progress.toml");
  if (!table) return failure(table.error());
  kept.ran = (*table)["ran"].value_or(false);
  kept.looked = (*table)["looked"].value_or(false);
  kept.changed = (*table)["changed"].value_or(false);
  kept.quick = (*table)["quick"].value_or(false);
  kept.more = (*table)["more"].value_or(false);
  kept.passed = lesson.exercise != nullptr && (*table)["passed"].value_or(false);
  if (const toml::table* controls = (*table)["controls"].as_table()) {
    for (const Control& control : lesson.controls) {
      const toml::node* const node = controls->get(control.id);
      const auto text = node != nullptr ? as_text(control, *node) : std::nullopt;
      if (text) (void)kept.values.set(lesson.controls, control.id, *text);  // else it keeps its default
    }
  }
  if (lesson.playground && kept.kernel) kept.folder = (*table)["folder"].value_or(std::string());
  if (const toml::table* texts = (*table)["texts"].as_table(); texts != nullptr && lesson.playground) {
    for (const auto& [id, node] : *texts) kept.values.set_text(id.str(), node.value_or(std::string()));
  }
  if (const toml::table* guesses = (*table)["guesses"].as_table()) {
    for (const std::string& name : lesson.guesses) {
      const toml::node* const node = guesses->get(name);
      if (node == nullptr) continue;
      if (const auto value = node->value<double>(); value && std::isfinite(*value)) kept.guesses[name] = {*value};
      if (node->value_or(std::string()) == "skipped") kept.guesses[name] = {};
    }
    for (const Marking& marking : lesson.markings) {
      const toml::node* const node = guesses->get(marking.name);
      if (node == nullptr) continue;
      if (node->value_or(std::string()) == "skipped") kept.guesses[marking.name] = {};
      const toml::array* const marks = node->as_array();
      if (marks == nullptr) continue;
      for (const toml::node& mark : *marks) {
        if (const auto thread = mark.value<std::int64_t>(); thread && *thread >= 0 && *thread < 1024)
          kept.guesses[marking.name].marks.insert(static_cast<std::uint32_t>(*thread));
      }
    }
  }
  return kept;
}

Result<void> Progress::save(const Lesson& lesson, const Kept& kept) const {
  toml::table controls, guesses;
  for (const Control& control : lesson.controls) put(controls, control, kept.values.real(control.id));
  for (const auto& [name, guess] : kept.guesses) {
    if (guess.value) {
      guesses.insert(name, *guess.value);
    } else if (!guess.marks.empty()) {
      toml::array marks;
      for (const std::uint32_t thread : guess.marks) marks.push_back(std::int64_t{thread});
      guesses.insert(name, std::move(marks));
    } else {
      guesses.insert(name, "skipped");
    }
  }
  toml::table texts;
  for (const auto& [id, words] : kept.values.texts()) texts.insert(id, words);
  toml::table table{
      {"ran", kept.ran}, {"looked", kept.looked}, {"changed", kept.changed}, {"controls", controls}, {"guesses", guesses}};
  if (kept.quick) table.insert("quick", true);
  if (kept.more) table.insert("more", true);
  if (lesson.exercise != nullptr) table.insert("passed", kept.passed);
  if (!texts.empty()) table.insert("texts", std::move(texts));
  if (!kept.folder.empty()) table.insert("folder", kept.folder);
  const fs::path folder = folder_ / folder_of(lesson);
  if (kept.kernel) {
    if (auto done = write(folder / "kernel.cu", *kept.kernel); !done) return done;
  } else {
    std::error_code none;
    fs::remove(folder / "kernel.cu", none);
  }
  return write(folder / "progress.toml", print(table));
}

Result<KeptDesk> Progress::load_desk() const {
  auto table = read(folder_ / "desk.toml");
  if (!table) return failure(table.error());
  const double zoom = (*table)["zoom"].value_or(1.0);
  auto bench_width = (*table)["bench_width"].value<double>();
  if (bench_width && !std::isfinite(*bench_width)) bench_width.reset();
  return KeptDesk{.lesson = (*table)["lesson"].value_or(std::string()),
                  .profile = (*table)["profile"].value_or(std::string()),
                  .light = (*table)["light"].value_or(false),
                  .zoom = std::isfinite(zoom) ? zoom : 1,
                  .rerun = (*table)["rerun"].value_or(true),
                  .toured = (*table)["toured"].value_or(table->contains("lesson")),
                  .rail_folded = (*table)["rail_folded"].value<bool>(),
                  .bench_width = bench_width};
}

Result<void> Progress::save_desk(const KeptDesk& desk) const {
  toml::table table{
      {"lesson", desk.lesson}, {"profile", desk.profile}, {"light", desk.light}, {"zoom", desk.zoom}, {"rerun", desk.rerun},
      {"toured", desk.toured}};
  if (desk.bench_width) table.insert("bench_width", *desk.bench_width);
  if (desk.rail_folded) table.insert("rail_folded", *desk.rail_folded);
  return write(folder_ / "desk.toml", print(table));
}

bool made(const Page& page, const std::set<std::string>& passed) {
  return std::all_of(page.blocks.begin(), page.blocks.end(),
                     [&](const Block& block) { return block.kind != Block::Kind::exercise || passed.contains(block.name); });
}

Done done_of(const Page& page, const Kept& kept, const std::set<std::string>& passed) {
  const bool predicted = std::all_of(page.blocks.begin(), page.blocks.end(),
                                     [&](const Block& block) { return !block.asks() || kept.guesses.contains(block.name); });
  const bool answered = std::all_of(page.blocks.begin(), page.blocks.end(), [&](const Block& block) {
    const auto guess = kept.guesses.find(block.name);
    return !block.asks() || (guess != kept.guesses.end() && (guess->second.value || !guess->second.marks.empty()));
  });
  return {.predicted = predicted,
          .answered = answered,
          .ran = kept.ran,
          .looked = kept.looked,
          .changed = kept.changed,
          .made = made(page, passed)};
}

std::vector<StageDone> stages_of(const Page& page, const Done& done) {
  std::vector<StageDone> stages;
  for (const std::string_view name : stage_names) {
    const bool there = std::any_of(page.blocks.begin(), page.blocks.end(),
                                   [&](const Block& block) { return block.kind == Block::Kind::stage && block.name == name; });
    if (!there) continue;
    stages.push_back({.name = name,
                      .done = name == "predict"  ? done.predicted || done.ran
                              : name == "run"    ? done.ran
                              : name == "look"   ? done.looked
                              : name == "change" ? done.changed
                                                 : done.made});
    stages.back().again = name == "predict" && stages.back().done && !done.answered;
  }
  return stages;
}

Standing standing_of(const std::vector<StageDone>& stages) {
  const bool done = std::all_of(stages.begin(), stages.end(), [](const StageDone& stage) { return stage.done; });
  if (stages.empty() || !done) return Standing::open;
  const bool again = std::any_of(stages.begin(), stages.end(), [](const StageDone& stage) { return stage.again; });
  return again ? Standing::repeat : Standing::done;
}

std::filesystem::path progress_directory() {
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data == '/') return fs::path(data) / "warpbook";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') return fs::path(home) / ".local/share/warpbook";
  return {};
}

}  // namespace warpbook::lessons
