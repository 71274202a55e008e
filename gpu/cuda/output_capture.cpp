#include "gpu/cuda/output_capture.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>

namespace warpbook::gpu {

OutputCapture::OutputCapture() {
  // Output that the host has buffered so far does not belong to the kernel.
  std::fflush(stdout);
  std::fflush(stderr);
  out_.start(STDOUT_FILENO);
  err_.start(STDERR_FILENO);
}

OutputCapture::~OutputCapture() { (void)end(); }

OutputCapture::Text OutputCapture::end() {
  std::fflush(stdout);
  std::fflush(stderr);
  return {out_.stop(), err_.stop()};
}

void OutputCapture::Redirected::start(int which) {
  memory = memfd_create("kernel output", MFD_CLOEXEC);
  if (memory < 0) return;
  saved = dup(which);
  if (saved >= 0 && dup2(memory, which) >= 0) {
    descriptor = which;
    return;
  }
  if (saved >= 0) close(saved);
  close(memory);
  saved = memory = -1;
}

std::string OutputCapture::Redirected::stop() {
  if (descriptor < 0) return {};
  dup2(saved, descriptor);
  close(saved);
  std::string text;
  std::array<char, 65536> chunk{};
  lseek(memory, 0, SEEK_SET);
  for (ssize_t n = 0; (n = read(memory, chunk.data(), chunk.size())) > 0;) text.append(chunk.data(), static_cast<std::size_t>(n));
  close(memory);
  descriptor = saved = memory = -1;
  return text;
}

}  // namespace warpbook::gpu
