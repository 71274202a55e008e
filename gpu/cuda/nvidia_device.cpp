#include "gpu/cuda/nvidia_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpbook::gpu {

NvidiaDevice::NvidiaDevice(Compiler& compiler, DriverPtr driver, CUdevice device, int ordinal, DeviceInfo info,
                           std::unique_ptr<Context> context)
    : compiler_(compiler),
      driver_(std::move(driver)),
      device_(device),
      ordinal_(ordinal),
      info_(std::move(info)),
      context_(std::move(context)),
      arrays_(driver_) {
  arrays_.use(context_.get());
}

NvidiaDevice::~NvidiaDevice() {
  // The context takes all else with it; OpenGL's buffers are given back while their context still knows them.
  if (context_ && context_->make_current()) arrays_.detach_all();
}

tl::expected<ProgramPtr, CompileFailure> NvidiaDevice::compile(const Source& source) {
  return compiler_.compile(source, {.architecture = info_.compute_capability});
}

Result<void> NvidiaDevice::enter() {
  if (!lost_.empty()) return failure("cudaErrorDevicesUnavailable", lost_);
  if (auto current = context_->make_current(); current) return {};
  rebuild();
  if (!lost_.empty()) return failure("cudaErrorDevicesUnavailable", lost_);
  return {};
}

void NvidiaDevice::rebuild() {
  arrays_.forget();
  programs_.clear();
  context_.reset();
  auto made = Context::make(driver_, device_);
  if (made) {
    context_ = std::move(*made);
    arrays_.use(context_.get());
    return;
  }
  lost_ = fmt::format("{} cannot be used any more by this run of Warpbook: {} Go on with the virtual GPU, or start Warpbook again.",
                      info_.name, made.error().message);
}

std::string NvidiaDevice::aftermath() {
  if (!lost_.empty()) return " " + lost_;
  std::string text = " The GPU was set up anew; arrays hold again what the host last put into them.";
  if (const auto names = arrays_.take_names_of_lost(); !names.empty())
    text += fmt::format(" Too large to be kept, and so lost: {}.", fmt::join(names, ", "));
  return text;
}

Result<Buffer> NvidiaDevice::allocate(const Array& array) {
  return use([&] { return arrays_.allocate(array, Arrays::Place::device); });
}

Result<Buffer> NvidiaDevice::allocate_mapped(const Array& array) {
  return use([&] { return arrays_.allocate(array, Arrays::Place::mapped); });
}

void NvidiaDevice::release(const Buffer& buffer) {
  if (!enter()) {
    arrays_.release(buffer);  // there is no memory left to free
    return;
  }
  arrays_.release(buffer);
  if (context_->broken()) rebuild();
}

Result<void> NvidiaDevice::write(const Buffer& buffer, std::span<const std::byte> bytes) {
  return use([&] { return arrays_.write(buffer, bytes); });
}

Result<void> NvidiaDevice::read(const Buffer& buffer, std::span<std::byte> bytes) {
  return use([&] { return arrays_.read(buffer, bytes); });
}

Result<void> NvidiaDevice::fill(const Buffer& buffer, Scalar value) {
  return use([&] { return arrays_.fill(buffer, value); });
}

std::span<std::byte> NvidiaDevice::mapped(const Buffer& buffer) {
  if (!enter()) return {};
  const std::span<std::byte> seen = arrays_.mapped(buffer);
  if (!context_->broken()) return seen;
  rebuild();
  return {};
}

}  // namespace warpbook::gpu
