#include <fmt/format.h>

#include <CLI/App.hpp>
#include <array>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/device_choice.h"
#include "app/commands/exit_code.h"
#include "app/commands/lesson_choice.h"
#include "app/commands/outputs.h"
#include "app/commands/page_picture.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

struct PictureOptions {
  LessonChoice choice;
  DeviceChoice device;
  PictureWords words;
};

int draw(PictureOptions& options) {
  options.words.profile = options.device.profile;
  auto lesson = options.choice.lesson(LessonChoice::Exercises::too);
  if (!lesson) return complain(lesson.error());
  auto values = options.choice.values(**lesson);
  if (!values) return complain(values.error());
  if (auto good = check(options.words); !good) return complain(good.error());
  const std::array outputs{Output{"", options.words.file, {".png"}}};
  if (auto good = check_outputs(outputs, inputs_of(*values)); !good) return complain(good.error());
  gpu::Compiler compiler;
  auto device = options.device.open(compiler);
  if (!device) return complain(device.error());
  auto experiment = run_experiment(**device, **lesson, *values);
  if (!experiment) return complain(experiment.error());
  if (auto drawn = draw_page(options.words, *experiment); !drawn) return complain(drawn.error());
  // A page that could only say what failed is drawn too; the exit code says so.
  if (!experiment->outcome) return complain(*experiment);
  return experiment->outcome->whole() ? exit_clean : exit_launch_failed;
}

}  // namespace

void add_picture(CLI::App& program, int& exit_code) {
  auto* const command = program.add_subcommand("picture", say("a lesson's page with its results, as a PNG file; needs no display"));
  auto options = std::make_shared<PictureOptions>();
  options->choice.add_to(*command);
  command->add_option("FILE", options->words.file, say("what to write: page.png"))->required()->type_name("");
  options->device.add_to(*command);
  auto* const light = command->add_flag("--light", options->words.light, say("in the light appearance"));
  command->add_flag("--dark")->description(say("in the dark appearance (default)"))->excludes(light);
  command->add_flag("--present", options->words.present, say("as on a projector: numbers and kernel large, or --view"));
  command->add_option("--size", options->words.size, say("of the window in pixels (1440x900)"))->type_name("WxH");
  command->add_option("--view", options->words.view, say("this view alone, as pages name it: interleaving"))->type_name("NAME");
  command->footer(say(
      "\nExamples:\n  warpbook picture 05 race.png --set trials=100 --light\n  warpbook picture 05 warps.png --view interleaving\n"
      "  warpbook picture square exercise.png"));
  command->callback([options, &exit_code] { exit_code = draw(*options); });
}

}  // namespace warpbook::app
