#include "lessons/progress.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <utility>

#include "lessons/catalog.h"
#include "lessons/exercise.h"
#include "lessons/kept_file.h"

namespace warpbook::lessons {
namespace {

namespace fs = std::filesystem;

/// A missing file is an empty table.
Result<toml::table> parse(const fs::path& file, const std::optional<std::string>& text) {
  if (!text) return toml::table{};
  try {
    return toml::parse(*text, file.string());
  } catch (const toml::parse_error& error) {
    return failure("damaged_file", fmt::format("{} is damaged and could not be read ({}, line {}).", file.string(),
                                               error.description(), error.source().begin.line));
  }
}

std::string print(const toml::table& table) {
  std::ostringstream text;
  text << table << '\n';
  return text.str();
}

/// The value as text, in the form that `run --set` accepts: "64", "on", "shared".
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

void read_controls(Values& values, const toml::table* controls, const Lesson& lesson) {
  if (controls == nullptr) return;
  for (const Control& control : lesson.controls) {
    const toml::node* const node = controls->get(control.id);
    const auto text = node != nullptr ? as_text(control, *node) : std::nullopt;
    if (text) (void)values.set(lesson.controls, control.id, *text);  // otherwise it keeps its default
  }
}

/// Reads controls and a playground's texts.
void read_values(Values& values, const toml::table& table, const Lesson& lesson) {
  read_controls(values, table.get_as<toml::table>("controls"), lesson);
  const toml::table* const texts = table.get_as<toml::table>("texts");
  if (texts == nullptr || !lesson.playground) return;
  for (const auto& [id, node] : *texts) values.set_text(id.str(), node.value_or(std::string()));
}

void put_values(toml::table& table, const Values& values, const Lesson& lesson) {
  toml::table controls, texts;
  for (const Control& control : lesson.controls) put(controls, control, values.real(control.id));
  for (const auto& [id, words] : values.texts()) texts.insert(id, words);
  table.insert("controls", std::move(controls));
  if (!texts.empty()) table.insert("texts", std::move(texts));
}

/// Reads all but the text. Empty: it does not name a file of the folder "earlier".
std::optional<Kept::Earlier> read_earlier(const toml::node& node, const Lesson& lesson) {
  const toml::table* const table = node.as_table();
  if (table == nullptr) return std::nullopt;
  Kept::Earlier earlier{.file = (*table)["file"].value_or(std::string()),
                        .kernel = {},
                        .folder = (*table)["folder"].value_or(std::string()),
                        .values = Values::defaults(lesson.controls)};
  if (earlier.file.empty() || fs::path(earlier.file).filename() != earlier.file || !earlier.file.ends_with(".cu"))
    return std::nullopt;
  read_values(earlier.values, *table, lesson);
  return earlier;
}

toml::table table_of(const Kept::Earlier& earlier, const Lesson& lesson) {
  toml::table table{{"file", earlier.file}};
  if (!earlier.folder.empty()) table.insert("folder", earlier.folder);
  put_values(table, earlier.values, lesson);
  return table;
}

std::optional<double> finite_number(const toml::node* node) {
  const auto number = node != nullptr ? node->value<double>() : std::nullopt;
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::set<std::uint32_t> threads_of(const toml::node* node) {
  std::set<std::uint32_t> threads;
  const toml::array* const marks = node != nullptr ? node->as_array() : nullptr;
  if (marks == nullptr) return threads;
  for (const toml::node& mark : *marks) {
    if (const auto thread = mark.value<std::int64_t>(); thread && *thread >= 0 && *thread < 1024)
      threads.insert(static_cast<std::uint32_t>(*thread));
  }
  return threads;
}

toml::array array_of(const std::set<std::uint32_t>& threads) {
  toml::array marks;
  for (const std::uint32_t thread : threads) marks.push_back(std::int64_t{thread});
  return marks;
}

toml::table table_of(const Answer& answer, const Lesson& lesson) {
  toml::table table;
  if (answer.value) table.insert("value", *answer.value);
  if (!answer.value) table.insert("marks", array_of(answer.marks));
  if (answer.found) {
    if (answer.value) {
      table.insert("found", answer.found->value);
      table.insert("decimals", std::int64_t{answer.found->decimals});
      table.insert("unit", answer.found->unit);
    } else {
      table.insert("found", array_of(answer.found->marks));
    }
  }
  put_values(table, answer.settings, lesson);
  return table;
}

/// Empty: it is not an answer of the question's kind.
std::optional<Answer> read_answer(const toml::node& node, const Lesson& lesson, bool marks) {
  const toml::table* const table = node.as_table();
  if (table == nullptr) return std::nullopt;
  Answer answer{.settings = Values::defaults(lesson.controls)};
  read_controls(answer.settings, table->get_as<toml::table>("controls"), lesson);
  const toml::node* const found = table->get("found");
  if (marks) {
    answer.marks = threads_of(table->get("marks"));
    if (found != nullptr && found->is_array()) answer.found = Answer::Found{.marks = threads_of(found)};
    return answer.marks.empty() ? std::nullopt : std::optional(std::move(answer));
  }
  answer.value = finite_number(table->get("value"));
  if (const auto value = finite_number(found)) {
    answer.found =
        Answer::Found{.value = *value,
                      .decimals = static_cast<int>(std::clamp<std::int64_t>((*table)["decimals"].value_or<std::int64_t>(0), 0, 17)),
                      .unit = (*table)["unit"].value_or(std::string())};
  }
  return answer.value ? std::optional(std::move(answer)) : std::nullopt;
}

/// Answers are saved under [[answers.NAME]]. Older files have them under [guesses], for the saved controls.
void read_guesses(Kept& kept, const toml::table& table, const Lesson& lesson) {
  const toml::table* const guesses = table.get_as<toml::table>("guesses");
  const toml::table* const answers = table.get_as<toml::table>("answers");
  const auto read_guess = [&](const std::string& name, bool marks) {
    Kept::Guess guess;
    if (const toml::node* const node = guesses != nullptr ? guesses->get(name) : nullptr) {
      guess.skipped = node->value_or(std::string()) == "skipped";
      const auto value = marks ? std::nullopt : finite_number(node);
      const auto threads = marks ? threads_of(node) : std::set<std::uint32_t>();
      if (value || !threads.empty()) guess.answers.push_back({.settings = kept.values, .value = value, .marks = threads});
    }
    if (const toml::array* const list = answers != nullptr ? answers->get_as<toml::array>(name) : nullptr) {
      for (const toml::node& node : *list) {
        if (auto answer = read_answer(node, lesson, marks)) guess.answers.push_back(std::move(*answer));
      }
    }
    if (guess.skipped || !guess.answers.empty()) kept.guesses[name] = std::move(guess);
  };
  for (const std::string& name : lesson.guesses) read_guess(name, false);
  for (const Marking& marking : lesson.markings) read_guess(marking.name, true);
}

}  // namespace

Progress::Progress(std::filesystem::path folder) : folder_(std::move(folder)) {
  for (const Lesson* lesson : all_lessons()) {
    const std::string_view former = former_id(*lesson);
    std::error_code none;
    if (former.empty() || !fs::exists(folder_ / former, none) || fs::exists(folder_ / lesson->id, none)) continue;
    fs::rename(folder_ / former, folder_ / lesson->id, none);  // after an error the old folder stays unchanged
  }
}

Result<std::optional<std::string>> Progress::read(const fs::path& file) const {
  auto text = read_kept(file);
  if (text && *text)
    known_[file] = **text;
  else
    known_.erase(file);
  return text;
}

Result<void> Progress::may_change(const fs::path& file, std::string_view wanted) const {
  const auto now = read_kept(file);
  if (!now) return failure(now.error());
  const auto known = known_.find(file);
  if (!*now || **now == wanted || (known != known_.end() && known->second == **now)) return {};
  return failure("changed_file", fmt::format("{} was written by another window or program. It is left as it is.", file.string()));
}

Result<void> Progress::write(const fs::path& file, std::string_view text) const {
  const auto known = known_.find(file);
  if (known != known_.end() && known->second == text && is_there(file)) return {};
  auto done = write_kept(file, text);
  if (done) known_[file] = text;
  return done;
}

Result<fs::path> Progress::set_aside(const Lesson& lesson) const {
  return lessons::set_aside(folder_ / folder_of(lesson) / "progress.toml");
}

Result<fs::path> Progress::set_desk_aside() const { return lessons::set_aside(folder_ / "desk.toml"); }

Result<std::optional<std::string>> Progress::load_kernel(const Lesson& lesson) const {
  return read(folder_ / folder_of(lesson) / "kernel.cu");
}

Result<Kept> Progress::load(const Lesson& lesson) const {
  Kept kept{.values = Values::defaults(lesson.controls)};
  const fs::path file = folder_ / folder_of(lesson) / "progress.toml";
  auto kernel = load_kernel(lesson);
  if (!kernel) return failure(kernel.error());
  kept.kernel = std::move(*kernel);
  const auto text = read(file);
  if (!text) return failure(text.error());
  auto table = parse(file, *text);
  if (!table) {
    known_.erase(file);  // so that it is not overwritten
    return failure(table.error());
  }
  kept.ran = (*table)["ran"].value_or(false);
  kept.looked = (*table)["looked"].value_or(false);
  kept.changed = (*table)["changed"].value_or(false);
  kept.quick = (*table)["quick"].value_or(false);
  kept.more = (*table)["more"].value_or(false);
  kept.passed = lesson.exercise != nullptr && (*table)["passed"].value_or(false);
  read_values(kept.values, *table, lesson);
  if (lesson.playground && kept.kernel) kept.folder = (*table)["folder"].value_or(std::string());
  if (const toml::array* earlier = (*table)["earlier"].as_array(); earlier != nullptr && lesson.playground) {
    for (const toml::node& node : *earlier) {
      auto listed = read_earlier(node, lesson);
      if (!listed) continue;
      const auto there = read(folder_ / folder_of(lesson) / "earlier" / listed->file);
      if (!there || !*there) continue;  // whatever is there is kept
      listed->kernel = **there;
      kept.earlier.push_back(std::move(*listed));
    }
  }
  read_guesses(kept, *table, lesson);
  return kept;
}

namespace {

toml::table table_of(const Kept& kept, const Lesson& lesson) {
  toml::table guesses, answers;
  for (const auto& [name, guess] : kept.guesses) {
    if (guess.skipped) guesses.insert(name, "skipped");
    toml::array list;
    for (const Answer& answer : guess.answers) list.push_back(table_of(answer, lesson));
    if (!list.empty()) answers.insert(name, std::move(list));
  }
  toml::table table{{"ran", kept.ran}, {"looked", kept.looked}, {"changed", kept.changed}, {"guesses", guesses}};
  put_values(table, kept.values, lesson);
  if (kept.quick) table.insert("quick", true);
  if (kept.more) table.insert("more", true);
  if (lesson.exercise != nullptr) table.insert("passed", kept.passed);
  if (!answers.empty()) table.insert("answers", std::move(answers));
  if (!kept.folder.empty()) table.insert("folder", kept.folder);
  toml::array earlier;
  for (const Kept::Earlier& text : kept.earlier) earlier.push_back(table_of(text, lesson));
  if (!earlier.empty()) table.insert("earlier", std::move(earlier));
  return table;
}

}  // namespace

Result<void> Progress::save(const Lesson& lesson, const Kept& kept) const {
  const fs::path folder = folder_ / folder_of(lesson), kernel = folder / "kernel.cu", progress = folder / "progress.toml";
  const std::string text = print(table_of(kept, lesson));
  // First check whether all files may be changed. Kernels are written before the file that refers to them.
  if (auto may = may_change(kernel, kept.kernel.value_or(std::string())); !may) return may;
  if (auto may = may_change(progress, text); !may) return may;
  for (const Kept::Earlier& earlier : kept.earlier) {
    const fs::path file = folder / "earlier" / earlier.file;
    if (const auto known = known_.find(file); known != known_.end() && known->second == earlier.kernel) continue;  // unchanged
    known_.erase(file);  // an unknown text is never overwritten
    if (auto may = may_change(file, earlier.kernel); !may) return may;
  }
  for (const Kept::Earlier& earlier : kept.earlier) {
    if (auto done = write(folder / "earlier" / earlier.file, earlier.kernel); !done) return done;
  }
  if (kept.kernel) {
    if (auto done = write(kernel, *kept.kernel); !done) return done;
  } else if (is_there(kernel)) {
    std::error_code failed;
    fs::remove(kernel, failed);
    if (failed) return failure("bad_file", fmt::format("{} cannot be removed: {}.", kernel.string(), failed.message()));
    known_.erase(kernel);
  }
  return write(progress, text);
}

Result<std::set<std::string>> Progress::passed() const {
  const auto& exercises = all_exercises();
  if (!exercises) return failure(exercises.error());
  std::set<std::string> ids;
  for (const Exercise& exercise : *exercises) {
    const auto kept = load(exercise.as_lesson);
    if (!kept) return failure(kept.error().code, kept.error().message + " Rename or mend it.");
    if (kept->passed) ids.insert(exercise.id);
  }
  return ids;
}

Result<KeptDesk> Progress::load_desk() const {
  const fs::path file = folder_ / "desk.toml";
  const auto text = read_kept(file);
  const auto table = text ? parse(file, *text) : failure(text.error());
  if (!table) return failure(table.error());
  const double zoom = (*table)["zoom"].value_or(1.0);
  auto bench_width = (*table)["bench_width"].value<double>();
  if (bench_width && !std::isfinite(*bench_width)) bench_width.reset();
  return KeptDesk{.lesson = (*table)["lesson"].value_or(std::string()),
                  .profile = (*table)["profile"].value_or(std::string()),
                  .compiler = (*table)["compiler"].value_or(KeptDesk().compiler),
                  .language = (*table)["language"].value_or(std::string()),
                  .light = (*table)["light"].value_or(false),
                  .zoom = std::isfinite(zoom) ? zoom : 1,
                  .rerun = (*table)["rerun"].value_or(true),
                  .toured = (*table)["toured"].value_or(table->contains("lesson")),
                  .rail_folded = (*table)["rail_folded"].value<bool>(),
                  .bench_width = bench_width};
}

Result<void> Progress::save_desk(const KeptDesk& desk) const {
  toml::table table{{"lesson", desk.lesson}, {"profile", desk.profile}, {"compiler", desk.compiler}, {"light", desk.light},
                    {"zoom", desk.zoom},     {"rerun", desk.rerun},     {"toured", desk.toured}};
  if (!desk.language.empty()) table.insert("language", desk.language);
  if (desk.bench_width) table.insert("bench_width", *desk.bench_width);
  if (desk.rail_folded) table.insert("rail_folded", *desk.rail_folded);
  if (const auto there = load_desk(); !there) return failure(there.error());
  return write_kept(folder_ / "desk.toml", print(table));
}

bool made(const Page& page, const std::set<std::string>& passed) {
  return std::all_of(page.blocks.begin(), page.blocks.end(),
                     [&](const Block& block) { return block.kind != Block::Kind::exercise || passed.contains(block.name); });
}

bool is_right(const Block& question, const Answer& answer) {
  if (!answer.found) return false;
  if (!answer.value) return answer.marks == answer.found->marks;
  const auto choice =
      std::find_if(question.choices.begin(), question.choices.end(), [&](const Choice& each) { return each.holds(*answer.value); });
  if (choice != question.choices.end()) return choice->holds(answer.found->value);
  const double digits = std::pow(10, answer.found->decimals);
  return std::round(answer.found->value * digits) == std::round(*answer.value * digits);
}

bool is_missed(const Block& question, const std::vector<Answer>& answers) {
  const auto newest = std::find_if(answers.rbegin(), answers.rend(), [](const Answer& each) { return each.found.has_value(); });
  return newest != answers.rend() && !is_right(question, *newest);
}

Done done_of(const Page& page, const Kept& kept, const std::set<std::string>& passed) {
  const bool predicted = std::all_of(page.blocks.begin(), page.blocks.end(),
                                     [&](const Block& block) { return !block.asks() || kept.guesses.contains(block.name); });
  return {.predicted = predicted, .ran = kept.ran, .looked = kept.looked, .changed = kept.changed, .made = made(page, passed)};
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
  }
  return stages;
}

bool all_done(const std::vector<StageDone>& stages) {
  return !stages.empty() && std::all_of(stages.begin(), stages.end(), [](const StageDone& stage) { return stage.done; });
}

std::filesystem::path progress_directory() {
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data == '/') return fs::path(data) / "warpbook";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') return fs::path(home) / ".local/share/warpbook";
  return {};
}

}  // namespace warpbook::lessons
