#include "lessons/06_diffusion/steps.h"

#include <algorithm>
#include <utility>

namespace warpbook::lessons::heat {

Settings Settings::from(const Values& values) {
  return {.side = static_cast<std::uint32_t>(values.integer("side")),
          .tile = static_cast<std::uint32_t>(values.integer("tile")),
          .steps = static_cast<std::uint32_t>(values.integer("steps")),
          .coefficient = static_cast<float>(values.real("coefficient")),
          .sync = values.on("sync"),
          .in_place = values.integer("update") == 0 && values.integer("kernel") == tiled,
          .fast = values.integer("kernel") == Kernels::fast};
}

bool Settings::same_kernel(const Settings& other) const {
  return tile == other.tile && sync == other.sync && in_place == other.in_place && fast == other.fast;
}

Settings::Shape Settings::shape(std::uint32_t cells) const {
  const auto over = [cells](std::uint32_t size) { return (cells + size - 1) / size; };
  if (fast) return {.grid = {over(strips_wide), over(strip_rows * strip_warps)}, .block = {32, strip_warps}};
  return {.grid = {over(tile), over(tile)}, .block = {tile, tile}};
}

Result<void> Stepper::upload(std::span<const float> field, std::uint32_t side) {
  side_ = side;
  auto in = host_.to_device<float>("in", field, {side, side});
  if (!in) return failure(in.error());
  auto out = host_.zeros<float>("out", {side, side});
  if (!out) return failure(out.error());
  auto laplacian = host_.zeros<float>("lapl", {side, side});
  if (!laplacian) return failure(laplacian.error());
  in_ = *in, out_ = *out, laplacian_ = *laplacian;
  return {};
}

void Stepper::release() {
  for (const gpu::Buffer* buffer : {&in_, &out_, &laplacian_}) host_.release(*buffer);
}

Result<gpu::LaunchReport> Stepper::step(const LaunchOptions& options) {
  const auto [grid, block] = settings_.shape(side_);
  auto report = host_.launch(
      "diffuse", grid, block,
      {in_, out_, laplacian_, gpu::Scalar::of(static_cast<std::int32_t>(side_)), gpu::Scalar::of(settings_.coefficient)}, options);
  if (report && report->ok() && !settings_.in_place) std::swap(in_, out_);
  return report;
}

Result<gpu::LaunchReport> watch_one_step(Host& host, const Settings& settings, std::span<const float> field) {
  constexpr std::uint32_t watched_side = 256;  // enough tiles with neighbours, and quick to observe
  const Host::Unrecorded unrecorded(host);
  std::uint32_t side = std::min(watched_side, settings.side);
  if (side < settings.side) {  // incomplete tiles at the bottom, whose width is a multiple of 16 bytes if the whole field's is
    const std::uint32_t tile = settings.fast ? strip_rows : settings.tile;
    side -= (side + tile - settings.side % tile) % tile;
  }
  const std::size_t from = (settings.side - side) / 2;
  std::vector<float> piece(std::size_t{side} * side);
  for (std::size_t y = 0; y < side; ++y) {
    std::copy_n(&field[(from + y) * settings.side + from], side, &piece[y * side]);
  }
  Stepper stepper(host, settings);
  if (auto done = stepper.upload(piece, side); !done) return failure(done.error());
  // Only findings that make a step wrong. What makes it slow (bank conflicts of narrow tiles, divergence at the halo) is the topic
  // of other lessons.
  auto report = stepper.step({.observe = {.memory = true, .race = true, .init = true, .sync = true}});
  stepper.release();
  return report;
}

}  // namespace warpbook::lessons::heat
