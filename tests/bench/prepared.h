// Prepared: a launch on the virtual GPU with its kernel compiled and its arrays filled. For benchmarks.
//
//     Prepared launch("race.cu", "count", {{"USE_ATOMIC_ADD", "0"}});
//     launch.array<std::int32_t>("c", {1}, [](std::size_t) { return 0; });
//     launch.request.grid = {64}, launch.request.block = {64};
//     gpu::LaunchReport report = launch.launch();          // problem() says why nothing can be launched
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/compiler.h"
#include "gpu/device.h"
#include "lessons/catalog.h"

namespace warpbook::bench {

inline gpu::Device& device() {
  static gpu::Compiler compiler;
  static const std::unique_ptr<gpu::Device> made = [] {
    auto opened = gpu::make_virtual_device(compiler);
    if (!opened) {
      std::fprintf(stderr, "%s\n", opened.error().message.c_str());
      std::exit(5);
    }
    return std::move(*opened);
  }();
  return *made;
}

class Prepared {
 public:
  /// The kernel of a file in kernels/, or of any file if a path is given.
  Prepared(const std::filesystem::path& file, const std::string& kernel, std::vector<std::pair<std::string, std::string>> defines) {
    auto text = lessons::read_text(lessons::data_directory() / "kernels" / file);
    if (!text) {
      problem_ = text.error().message;
      return;
    }
    auto program =
        device().compile({.file = file.filename().string(), .text = *text, .defines = std::move(defines), .instantiate = {}});
    if (!program) {
      problem_ = program.error().message;
      return;
    }
    request.program = *program;
    request.kernel = kernel;
  }
  ~Prepared() {
    for (const gpu::Buffer& buffer : buffers_) device().release(buffer);
  }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  void scalar(gpu::Scalar value) { request.arguments.emplace_back(value); }

  template <class T, class F>
  void array(const char* name, std::vector<std::size_t> shape, F&& value_of) {
    auto buffer = device().allocate({.name = name, .type = gpu::scalar_type_of<T>(), .shape = std::move(shape)});
    if (!buffer) {
      problem_ = buffer.error().message;
      return;
    }
    std::vector<T> values(buffer->array.count());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(value_of(i));
    if (auto done = device().write(*buffer, std::as_bytes(std::span<const T>(values))); !done) problem_ = done.error().message;
    buffers_.push_back(*buffer);
    request.arguments.emplace_back(*buffer);
  }

  [[nodiscard]] gpu::LaunchReport launch() const { return device().launch(request); }
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] const std::vector<gpu::Buffer>& buffers() const { return buffers_; }

  gpu::LaunchRequest request;

 private:
  std::vector<gpu::Buffer> buffers_;
  std::string problem_;
};

}  // namespace warpbook::bench
