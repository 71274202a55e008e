// OutputCapture: captures what a kernel prints. CUDA writes printf's text to the process's stdout and assert's to its stderr when
// the host synchronises. While a capture exists, both file descriptors are redirected into memory.
//
//     OutputCapture capture;
//     launch_and_wait();
//     auto [out, err] = capture.end();
//
// The descriptors belong to the whole process, so output of other threads is captured too. If they cannot be redirected, the output
// stays where it was and end() is empty.
#pragma once

#include <string>

namespace warpbook::gpu {

class OutputCapture {
 public:
  OutputCapture();
  ~OutputCapture();
  OutputCapture(const OutputCapture&) = delete;
  OutputCapture& operator=(const OutputCapture&) = delete;

  struct Text {
    std::string out, err;
  };
  /// Restores the descriptors. Call it once.
  [[nodiscard]] Text end();

 private:
  struct Redirected {
    int descriptor = -1, saved = -1, memory = -1;
    void start(int which);
    [[nodiscard]] std::string stop();
  };
  Redirected out_, err_;
};

}  // namespace warpbook::gpu
