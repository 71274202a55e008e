// Steps: lesson 06's heat equation on the device: the launch configuration, the field's buffers, and a step that is observed.
//
//     Stepper stepper(host, Settings::from(values));
//     Result<void> there = stepper.upload(*field, side);
//     Result<gpu::LaunchReport> report = stepper.step();
//     Result<std::vector<float>> heat = stepper.heat();
//
// Fields are square and row-major. The lesson defines the kernel's macros: define_macros(). Errors are the host's.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "lessons/host.h"
#include "lessons/lesson.h"

namespace warpbook::lessons::heat {

enum Kernels { tiled, fast };

// The fast kernel: a warp has 32 strips side by side, each 4 cells wide and strip_rows high. A block has strip_warps warps.
inline constexpr std::uint32_t strips_wide = 32 * 4, strip_rows = 4, strip_warps = 8;

struct Settings {
  std::uint32_t side = 0, tile = 0, steps = 0;
  float coefficient = 0;
  bool sync = true, in_place = false, fast = false;

  static Settings from(const Values& values);
  [[nodiscard]] bool same_kernel(const Settings& other) const;
  struct Shape {
    gpu::Dim3 grid, block;
  };
  [[nodiscard]] Shape shape(std::uint32_t cells) const;  // of a launch for cells² cells
};

/// The field on the device. Two buffers alternate; in-place stepping uses only the first one.
class Stepper {
 public:
  Stepper(Host& host, const Settings& settings) : host_(host), settings_(settings) {}

  /// Takes effect with the next step.
  void use(const Settings& settings) { settings_ = settings; }

  [[nodiscard]] Result<void> upload(std::span<const float> field, std::uint32_t side);
  void release();
  [[nodiscard]] Result<gpu::LaunchReport> step(const LaunchOptions& options = {});

  [[nodiscard]] Result<std::vector<float>> heat() { return host_.copy_to_host<float>(in_); }
  [[nodiscard]] Result<std::vector<float>> laplacian() { return host_.copy_to_host<float>(laplacian_); }
  /// The same, into memory of the caller.
  [[nodiscard]] Result<void> read_heat(std::span<float> into) { return host_.copy_to_host(in_, std::as_writable_bytes(into)); }
  [[nodiscard]] Result<void> read_laplacian(std::span<float> into) {
    return host_.copy_to_host(laplacian_, std::as_writable_bytes(into));
  }
  [[nodiscard]] std::array<gpu::Buffer, 3> arrays() const { return {in_, out_, laplacian_}; }
  [[nodiscard]] gpu::PicturePtr heat_picture() { return host_.picture(in_); }
  [[nodiscard]] gpu::PicturePtr laplacian_picture() { return host_.picture(laplacian_); }
  [[nodiscard]] Result<void> put_heat(std::span<const float> field) { return host_.write(in_, std::as_bytes(field)); }

 private:
  Host& host_;
  Settings settings_;
  std::uint32_t side_ = 0;
  gpu::Buffer in_, out_, laplacian_;
};

/// One step on the middle part of the field, observed for errors. The part has incomplete tiles at its edges if the whole field
/// has. Its findings hold for the whole field, because all tiles are alike.
[[nodiscard]] Result<gpu::LaunchReport> watch_one_step(Host& host, const Settings& settings, std::span<const float> field);

}  // namespace warpbook::lessons::heat
