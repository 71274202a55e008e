// OutputCapture: what a kernel prints. CUDA writes printf's text to the process's stdout and assert's to its stderr, when the host
// synchronises; while a capture lives, both file descriptors lead into memory.
//
//     OutputCapture capture;
//     launch_and_wait();
//     auto [out, err] = capture.end();
//
// The descriptors are the process's: what another thread prints meanwhile is caught too. Where they cannot be redirected, the text
// goes where it always went, and end() is empty.
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
  /// Puts the descriptors back. Once.
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
