#include "lessons/catalog.h"

#include <array>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "gpu/input_file.h"
#include "lessons/exercise.h"
#include "lessons/programs.h"

namespace warpbook::lessons {

// One line per lesson; each is defined in its folder's lesson.cpp.
const Lesson& first_kernel();
const Lesson& blocks_and_threads();
const Lesson& when_it_fails();
const Lesson& grid_stride();
const Lesson& race_conditions();
const Lesson& diffusion();
const Lesson& histogram();
const Lesson& smoothing();
const Lesson& launch_configuration();
const Lesson& transpose();
const Lesson& divergence();
const Lesson& reduction();
const Lesson& warps_talk();
const Lesson& moving_data();
const Lesson& timing_honestly();
const Lesson& bottleneck();
const Lesson& matrix_product();
const Lesson& device_functions();
const Lesson& know_your_device();
const Lesson& memory_model();
const Lesson& clinic();
const Lesson& playground();

std::span<const Lesson* const> all_lessons() {
  static const std::array lessons{
      &first_kernel(), &blocks_and_threads(), &when_it_fails(),    &grid_stride(),          &race_conditions(),
      &diffusion(),    &histogram(),          &smoothing(),        &launch_configuration(), &transpose(),
      &divergence(),   &reduction(),          &warps_talk(),       &moving_data(),          &timing_honestly(),
      &bottleneck(),   &matrix_product(),     &device_functions(), &know_your_device(),     &memory_model(),
      &clinic(),       &playground()};
  return lessons;
}

std::string_view former_id(const Lesson& lesson) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> formers{
      {{"05_race_conditions", "07_race_conditions"},
       {"06_diffusion", "10_diffusion"},
       {"07_histogram", "09_histogram"},
       {"12_reduction", "11_reduction"},
       {"playground", "18_playground"}}};
  for (const auto& [id, former] : formers) {
    if (id == lesson.id) return former;
  }
  return {};
}

const Lesson* find_lesson(std::string_view name) {
  if (name.empty()) return nullptr;
  for (const Lesson* lesson : all_lessons()) {
    if (lesson->id == name || lesson->number == name || former_id(*lesson) == name) return lesson;
    if (name.size() == 1 && lesson->number == "0" + std::string(name)) return lesson;
  }
  if (name == programs().id) return &programs();
  if (const auto exercise = find_exercise(name); exercise && (*exercise)->as_lesson.id == name) return &(*exercise)->as_lesson;
  const Lesson* found = nullptr;
  for (const Lesson* lesson : all_lessons()) {
    if (lesson->id.find(name) == std::string::npos) continue;
    if (found != nullptr) return nullptr;  // not unique
    found = lesson;
  }
  return found;
}

bool counts(const Lesson& lesson) { return !lesson.number.empty() && lesson.exercise == nullptr; }

const Lesson* next_lesson(const Lesson& here, const std::function<bool(const Lesson&)>& done) {
  const Lesson* const from = here.exercise != nullptr ? here.exercise->lesson : &here;
  const Lesson* first = nullptr;
  bool passed_here = false;
  for (const Lesson* lesson : all_lessons()) {
    if (lesson == from) {
      passed_here = true;
      continue;
    }
    if (!counts(*lesson) || done(*lesson)) continue;
    if (passed_here) return lesson;
    if (first == nullptr) first = lesson;
  }
  return first;
}

std::span<const RailEntry> curriculum() {
  static const auto entries = [] {
    std::array<RailEntry, 23> rail{{{"01", "Your first kernel"},
                                    {"02", "Blocks & threads"},
                                    {"03", "When it fails"},
                                    {"04", "Grid-stride loops"},
                                    {"05", "Race conditions"},
                                    {"06", "Shared memory"},
                                    {"07", "Histogram"},
                                    {"08", "Race in real code"},
                                    {"09", "Choosing a launch"},
                                    {"10", "Transpose"},
                                    {"11", "Divergence"},
                                    {"12", "Reduction"},
                                    {"13", "Warps talk"},
                                    {"14", "Moving data"},
                                    {"15", "Timing honestly"},
                                    {"16", "What limits a kernel"},
                                    {"17", "Matrix multiply"},
                                    {"18", "Device functions"},
                                    {"19", "Know your device"},
                                    {"20", "Memory model"},
                                    {"21", "Clinic"},
                                    {"", "Playground"},
                                    {"", programs().rail_title, &programs()}}};
    for (RailEntry& entry : rail) {
      for (const Lesson* lesson : all_lessons()) {
        if (lesson->number == entry.number && entry.lesson == nullptr) entry.lesson = lesson;
      }
    }
    return rail;
  }();
  return entries;
}

namespace {

std::filesystem::path asked_data() {
  const char* const asked = std::getenv("WARPBOOK_DATA");
  return asked == nullptr ? "" : asked;
}

std::filesystem::path program_directory() {
  std::error_code none;
  return std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
}

}  // namespace

const std::filesystem::path& data_directory() {
  static const std::filesystem::path directory = [] {
    namespace fs = std::filesystem;
    if (fs::path asked = asked_data(); !asked.empty()) return asked;
    std::error_code none;
    const fs::path program = program_directory();
    const fs::path shared = program.parent_path() / "share" / "warpbook";
    // Looks for kernels/, because a build folder has a lessons/ without texts. Its kernels/ is a link into the source tree, which
    // has everything.
    for (const fs::path& candidate : {program, shared}) {
      const fs::path kernels = candidate.empty() ? fs::path() : fs::canonical(candidate / "kernels", none);
      if (!kernels.empty()) return kernels.parent_path();
    }
    return shared;
  }();
  return directory;
}

const std::filesystem::path& language_directory() {
  static const std::filesystem::path directory = [] {
    std::error_code none;
    const std::filesystem::path program = program_directory();
    const bool built = asked_data().empty() && std::filesystem::is_symlink(program / "kernels", none);
    return (built ? program : data_directory()) / "languages";
  }();
  return directory;
}

Result<std::string> read_text(const std::filesystem::path& file) {
  auto text = read_input(file);
  if (!text || text->empty()) {
    return failure("missing_file", "Cannot read " + file.string() +
                                       ". Set WARPBOOK_DATA to the folder that holds Warpbook's lessons/, kernels/ and assets/.");
  }
  return text;
}

std::filesystem::path folder_of(const Lesson& lesson) {
  if (lesson.exercise == nullptr) return lesson.id;
  return folder_of(*lesson.exercise->lesson) / "exercises" / lesson.exercise->id;
}

namespace {

std::filesystem::path kernel_path(const Lesson& lesson) {
  if (lesson.exercise != nullptr) return start_file(*lesson.exercise);
  return data_directory() / "kernels" / lesson.kernel_file;
}

}  // namespace

Result<std::string> kernel_text(const Lesson& lesson) {
  if (lesson.kernel_file.empty()) return std::string();  // a whole program brings its own
  return read_text(kernel_path(lesson));
}

Result<std::string> numba_text(const Lesson& lesson) {
  const std::filesystem::path file = kernel_path(lesson).replace_extension(".py");
  std::error_code none;
  if (!std::filesystem::exists(file, none)) {
    return failure("no_twin", "This kernel has no twin in Python: a lesson's own kernel has one, an opened file has none.");
  }
  return read_text(file);
}

std::filesystem::path page_file(const Lesson& lesson) { return data_directory() / "lessons" / folder_of(lesson) / "text.en.md"; }

Result<std::string> page_text(const Lesson& lesson) {
  auto text = read_text(page_file(lesson));
  if (!text || lesson.exercise == nullptr || lesson.exercise->questions.empty()) return text;
  constexpr std::string_view place = "::questions\n";
  if (const auto at = text->find(place); at != std::string::npos) text->replace(at, place.size(), questions_text(*lesson.exercise));
  return text;
}

}  // namespace warpbook::lessons
