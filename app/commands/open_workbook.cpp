#include "app/commands/open_workbook.h"

#include "app/commands/exit_code.h"
#include "app/open_device.h"
#include "app/window.h"

namespace warpbook::app {

int open_workbook() {
  WindowOptions options;
  options.gpus = list_gpus(gpu::find_cuda_devices());
  const auto closed = open_window(options);
  return closed ? exit_clean : complain(closed.error());
}

}  // namespace warpbook::app
