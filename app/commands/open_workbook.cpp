#include "app/commands/open_workbook.h"

#include "app/commands/exit_code.h"
#include "app/commands/nvidia_driver.h"
#include "app/window.h"

namespace warpbook::app {

int open_workbook() {
  WindowOptions options;
  options.gpus = gpus_of(probe_nvidia_driver());
  const auto closed = open_window(options);
  return closed ? exit_clean : complain(closed.error());
}

}  // namespace warpbook::app
