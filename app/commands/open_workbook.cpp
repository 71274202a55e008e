#include "app/commands/open_workbook.h"

#include <fmt/format.h>

#include "app/commands/exit_code.h"
#include "app/commands/language_choice.h"
#include "app/shell/restart.h"
#include "app/shell/window.h"
#include "app/worker/open_device.h"
#include "gpu/language.h"
#include "lessons/catalog.h"
#include "lessons/progress.h"

namespace warpbook::app {

int open_workbook(const std::string& file, std::optional<int> gpu) {
  WindowOptions options;
  options.file = file;
  options.keep_in = lessons::progress_directory();
  if (!options.keep_in.empty()) {
    if (const auto desk = lessons::Progress(options.keep_in).load_desk()) {
      if (!desk->lesson.empty()) options.lesson = lessons::find_lesson(desk->lesson);
      options.appearance = desk->light ? Appearance::light : Appearance::dark;
      options.device.profile = desk->profile;
      options.desk = *desk;
      // A catalogue may be gone since; then it stays the desktop's language.
      if (!desk->language.empty() && !language_was_asked_for())
        static_cast<void>(speak(desk->language, lessons::language_directory()));
    } else {
      (void)complain(desk.error());
    }
  }
  options.device.gpu = gpu;
  options.gpus = list_gpus(gpu::find_cuda_devices());
  const auto closed = open_window(options);
  if (!closed) return complain(closed.error());
  if (!closed->restart_with) return exit_clean;
  // Without the file: what stood in the playground is kept, as all is, and may differ from it.
  return complain(restart_program("/proc/self/exe", {"warpbook", "--device", fmt::format("cuda:{}", *closed->restart_with)}));
}

}  // namespace warpbook::app
