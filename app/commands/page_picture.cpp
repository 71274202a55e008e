#include "app/commands/page_picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "app/commands/exit_code.h"
#include "app/shell/offscreen.h"
#include "app/worker/open_device.h"
#include "gpu/message.h"
#include "gpu/virtual/profiles.h"
#include "lessons/catalog.h"
#include "lessons/playground.h"
#include "lessons/run.h"

namespace warpbook::app {
namespace {

// "1440x900" → CSS pixels, from the smallest window that layout has a shape for to what OpenGL surely has memory for.
std::optional<std::pair<int, int>> parse_size(std::string_view text) {
  const std::size_t cut = text.find('x');
  if (cut == std::string_view::npos) return std::nullopt;
  const auto number = [](std::string_view digits) -> std::optional<int> {
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || value < 320 || value > 8192) return std::nullopt;
    return value;
  };
  const auto width = number(text.substr(0, cut)), height = number(text.substr(cut + 1));
  if (!width || !height) return std::nullopt;
  return std::pair{*width, *height};
}

}  // namespace

Result<Experiment> run_experiment(gpu::Device& device, const lessons::Lesson& lesson, const lessons::Values& values) {
  auto text = lessons::kernel_text(lesson);
  if (!text) return failure(text.error());
  lessons::Host host(device, {.kernel_file = lesson.kernel_file, .kernel_text = *text, .defines = {}, .job = nullptr, .seed = 1});
  auto outcome = lessons::run_lesson(lesson, host, values, nullptr);
  if (lesson.playground && host.program() && !host.program()->kernels.empty()) {
    if (auto good = lessons::check_texts(*host.program(), values); !good) outcome = failure(good.error());
  }
  const auto twin = lessons::numba_text(lesson);
  return Experiment{.lesson = &lesson,
                    .values = values,
                    .text = *text,
                    .device = device.info(),
                    .on_gpu = device.info().id == "cuda",
                    .outcome = std::move(outcome),
                    .failure = host.failure_of_compile(),
                    .program = host.program(),
                    .host_code = lessons::host_code(*text, host.defines(), host.calls()),
                    .numba_code = twin ? lessons::numba_code(*twin, host.defines(), host.calls()) : failure(twin.error())};
}

int complain(const Experiment& experiment) {
  if (experiment.failure) return complain(*experiment.failure, experiment.text);
  return complain(experiment.outcome.error());
}

Result<void> check(const PictureWords& words) {
  if (!parse_size(words.size)) {
    return failure("usage", say("--size {size} should read WIDTHxHEIGHT, both from 320 to 8192. Example: --size 1440x900.",
                                "size"_a = words.size));
  }
  return {};
}

Result<void> draw_page(const PictureWords& words, const Experiment& experiment) {
  const auto size = parse_size(words.size).value_or(std::pair{1440, 900});
  Session session = make_session(*experiment.lesson, words.light ? Appearance::light : Appearance::dark);
  session.lesson().values = experiment.values;
  session.presenting = words.present;
  if (!words.view.empty()) {
    const auto& views = experiment.lesson->views;
    const auto view = std::find(views.begin(), views.end(), words.view);
    if (view == views.end())
      return failure("usage", say("lesson {number} has no view '{view}'. It has: {views}.", "number"_a = experiment.lesson->number,
                                  "view"_a = words.view, "views"_a = fmt::format("{}", fmt::join(views, ", "))));
    session.lesson().slide = static_cast<std::size_t>(view - views.begin()) + 1;
  }
  for (const gpu::Profile& profile : gpu::profiles()) session.profiles.emplace_back(profile.name);
  if (const gpu::Profile* profile = gpu::find_profile(words.profile)) session.chosen.profile = profile->name;
  session.device = experiment.device.name;
  session.device_info = experiment.device;
  session.gpus = list_gpus(gpu::find_cuda_devices());
  for (std::size_t i = 0; experiment.on_gpu && i < session.gpus.found.size(); ++i) {
    if (session.gpus.found[i].name == experiment.device.name) session.chosen.gpu = static_cast<int>(i);
  }

  auto snapshot = std::make_shared<Snapshot>();
  snapshot->lesson = experiment.lesson;
  snapshot->values = experiment.values;
  snapshot->text = experiment.text;
  snapshot->device = experiment.device.name;
  snapshot->on_gpu = experiment.on_gpu;
  snapshot->program = experiment.program;
  snapshot->failure = experiment.failure;
  if (experiment.outcome) {
    snapshot->outcome = *experiment.outcome;
    snapshot->seconds = experiment.outcome->seconds;
  } else {
    snapshot->error = experiment.outcome.error();
  }
  show(session, std::move(snapshot));
  if (words.view.empty() || words.present) return picture(session, size.first, size.second, 1.0f, words.file);
  return view_picture(session, words.view, 1.0f, words.file);
}

}  // namespace warpbook::app
