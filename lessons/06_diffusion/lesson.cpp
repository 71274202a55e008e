// Lesson 06: tiles in shared memory, the barrier between loading and using them, and a field that shows when the barrier is
// missing.
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "lessons/06_diffusion/field.h"
#include "lessons/06_diffusion/outcome.h"
#include "lessons/06_diffusion/steps.h"
#include "lessons/experiment.h"
#include "lessons/host.h"

namespace warpbook::lessons {
namespace {

using heat::Settings, heat::Stepper;

Result<Outcome> run(Host& host, const Values& values, gpu::Job* job) {
  const Stopwatch watch;
  const Settings settings = Settings::from(values);
  define_macros(host, diffusion(), values);
  const auto start = heat::jagged_field(settings.side);
  heat::Measured m = heat::begin(host, settings, start);
  Stepper stepper(host, settings);
  if (auto done = stepper.upload(*start, settings.side); !done) return failure(done.error());

  auto watched = heat::watch_one_step(host, settings, *start);
  if (!watched) return failure(watched.error());
  if (!watched->ok()) return without_results(std::move(*watched));
  auto inside = heat::look_inside(host, settings, *start);
  if (!inside) return failure(inside.error());
  m.inside = std::move(*inside);
  watched->lines = m.inside.lines;

  std::vector<double> times;
  for (std::uint32_t step = 0; step < settings.steps; ++step) {
    if (job != nullptr && job->cancelled)
      return failure("cancelled", fmt::format("Cancelled after {} of {} steps.", step, settings.steps));
    auto report = stepper.step();
    if (!report) return failure(report.error());
    if (!report->ok()) return without_results(std::move(*report));
    times.push_back(report->run_ms);
    if (step == 0) {
      auto heat = stepper.heat();
      if (!heat) return failure(heat.error());
      m.first_step = heat::compare(*heat, heat::reference_step(*start, settings.side, settings.coefficient).heat, settings.side,
                                   settings.tile);
      // From here on, progress counts steps, and cancelling takes effect between steps.
      host.watch_for_cancel(nullptr);
    }
    m.report = std::move(*report);
    if (job != nullptr) {
      job->blocks_total = settings.steps;
      job->blocks_done = step + 1;
    }
  }
  host.watch_for_cancel(job);

  auto heat = stepper.heat();
  if (!heat) return failure(heat.error());
  auto laplacian = stepper.laplacian();
  if (!laplacian) return failure(laplacian.error());
  m.report = with_findings_of(std::move(m.report), *watched);
  m.figure.step = settings.steps;
  m.figure.step_ms = heat::median(times);
  heat::measure_field(m, std::make_shared<const std::vector<float>>(std::move(*heat)));
  heat::measure_laplacian(m, std::make_shared<const std::vector<float>>(std::move(*laplacian)), true);
  Outcome outcome = heat::describe(m);
  outcome.seconds = watch.seconds();
  return outcome;
}

}  // namespace

const Lesson& diffusion() {
  static const Lesson lesson{
      .id = "06_diffusion",
      .number = "06",
      .title = "Shared memory and __syncthreads",
      .rail_title = "Shared memory",
      .kernel_file = "diffusion.cu",
      .kernel = "diffuse",
      .controls = {{.id = "side",
                    .label = to_say("Field"),
                    .initial = 2000,
                    .least = 64,
                    .most = 4096,
                    .logarithmic = true,
                    .help = to_say("Cells a side. Need not be a multiple of the tile.")},
                   {.id = "tile",
                    .label = to_say("Tile"),
                    .initial = 8,
                    .least = 4,
                    .most = 32,
                    .define = "TILE",
                    .help = to_say("Cells a side of the square that one block computes, a thread a cell.")},
                   {.id = "coefficient",
                    .label = to_say("Coefficient"),
                    .kind = Control::Kind::real,
                    .initial = 0.25,
                    .least = 0,
                    .most = 0.5,
                    .step = 0.01,
                    .help = to_say("Which part of its difference to each neighbour a cell gives to it in one step.")},
                   {.id = "steps",
                    .label = to_say("Steps a frame"),
                    .initial = 10,
                    .least = 1,
                    .most = 500,
                    .logarithmic = true,
                    .help = to_say("Steps between two pictures."),
                    .of_question = false},
                   {.id = "sync",
                    .label = to_say("__syncthreads"),
                    .kind = Control::Kind::toggle,
                    .initial = 1,
                    .define = "SYNC",
                    .help = to_say("Off: a warp may use cells of the tile that another warp has not stored yet.")},
                   {.id = "update",
                    .label = to_say("Update"),
                    .kind = Control::Kind::choice,
                    .initial = 1,
                    .most = 1,
                    .options = {{"in_place", to_say("In place")}, {"two_buffers", to_say("Two buffers")}},
                    .help = to_say("In place: a block overwrites cells that its neighbours may still have to read.")},
                   {.id = "kernel",
                    .label = to_say("Kernel"),
                    .kind = Control::Kind::choice,
                    .most = 1,
                    .options = {{"tiled", to_say("Tiled")}, {"fast", to_say("Fast")}},
                    .define = "FAST",
                    .help = to_say(
                        "Fast: no tile and no barrier. A thread computes a strip of 4 by 4 cells out of its registers, always "
                        "into a second buffer.")}},
      .presets = {{to_say("No barrier"), {{"sync", 0}, {"update", 1}, {"tile", 8}, {"coefficient", 0.25}, {"kernel", heat::tiled}}},
                  {to_say("In place"), {{"sync", 1}, {"update", 0}, {"tile", 8}, {"coefficient", 0.25}, {"kernel", heat::tiled}}},
                  {to_say("0.24"), {{"sync", 1}, {"update", 1}, {"coefficient", 0.24}}},
                  {to_say("0.26: blow-up"), {{"sync", 1}, {"update", 1}, {"coefficient", 0.26}}},
                  {to_say("Fast"), {{"coefficient", 0.25}, {"kernel", heat::fast}}}},
      .views = {"field", "memory_map", "sm_timeline", "occupancy"},
      .guesses = {"lost_share", "sum_lost", "races", "steps_per_second"},
      .more_macros = [](const Values& values) -> Macros {
        return {{"IN_PLACE", values.integer("update") == 0 ? "1" : "0"}, {"ROWS", fmt::format("{}", heat::strip_rows)}};
      },
      .run = run,
      .live = heat::go_live};
  return lesson;
}

}  // namespace warpbook::lessons
