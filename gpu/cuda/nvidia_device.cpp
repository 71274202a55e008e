#include "gpu/cuda/nvidia_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gpu/device_variables.h"

namespace warpbook::gpu {

NvidiaDevice::NvidiaDevice(Compiler& compiler, DriverPtr driver, CUdevice device, int ordinal, DeviceInfo info,
                           std::unique_ptr<Context> context, bool machine_code)
    : compiler_(compiler),
      driver_(std::move(driver)),
      device_(device),
      ordinal_(ordinal),
      info_(std::move(info)),
      machine_code_(machine_code),
      context_(std::move(context)),
      arrays_(driver_) {
  arrays_.use(context_.get());
}

NvidiaDevice::~NvidiaDevice() {
  // Destroying the context frees everything in it. OpenGL's buffers are unregistered first, while the context still exists.
  if (context_ && context_->make_current()) {
    arrays_.detach_all();
    // While an abandoned kernel is running, no call that might wait for it is made.
    if (cublas_handle_ != nullptr && !Context::kernel_left_behind()) (void)cublas_->destroy(cublas_handle_);
  }
}

tl::expected<ProgramPtr, CompileFailure> NvidiaDevice::compile(const Source& source) {
  return compiler_.compile(source, {.architecture = info_.compute_capability, .machine_code = machine_code_});
}

Result<void> NvidiaDevice::enter() {
  if (!lost_.empty()) return failure("cudaErrorDevicesUnavailable", lost_);
  auto current = context_->make_current();
  if (current) return {};
  rebuild();
  return failure(current.error().code, current.error().message + " " + say(aftermath_));
}

void NvidiaDevice::leave() {
  if (const auto why = arrays_.take_no_longer_shared()) path_ = copied(*why);
  if (!context_->broken()) return;
  untold_ = context_->cause();
  rebuild();
  untold_->message += " " + say(aftermath_);
}

void NvidiaDevice::rebuild() {
  arrays_.forget(context_->abandoned());
  if (const auto why = arrays_.take_no_longer_shared()) path_ = copied(*why);
  programs_.clear();
  cublas_handle_ = nullptr;  // it was destroyed with its context
  const std::string cause = context_->cause().code;
  context_.reset();
  auto made = Context::make(driver_, device_);
  if (!made) {
    // CUDA documents such faults: from then on, all calls of the whole process fail.
    const auto given = with("gpu"_a = info_.name, "why"_a = made.error().message);
    aftermath_ = made.error().code == cause
                     ? given.to_say(
                           "After such a fault CUDA refuses {gpu} to the program that met it. Go on with the virtual GPU, or "
                           "start Warpbook again.")
                     : given.to_say(
                           "{gpu} cannot be used any more by this run of Warpbook: {why} Go on with the virtual GPU, or "
                           "start Warpbook again.");
    lost_ = say(aftermath_);
    return;
  }
  context_ = std::move(*made);
  arrays_.use(context_.get());
  aftermath_ = to_say("The GPU was set up anew; arrays hold again what the host last put into them.");
  if (const auto names = arrays_.take_names_of_lost(); !names.empty())
    aftermath_.add(to_say("Not kept, and so lost: {arrays}.", "arrays"_a = fmt::format("{}", fmt::join(names, ", "))));
}

Result<Buffer> NvidiaDevice::allocate(const Array& array) {
  return use([&] { return arrays_.allocate(array, Arrays::Place::device); });
}

Result<Buffer> NvidiaDevice::allocate_mapped(const Array& array) {
  return use([&] { return arrays_.allocate(array, Arrays::Place::mapped); });
}

void NvidiaDevice::release(const Buffer& buffer) {
  use_without_answer([&] { arrays_.release(buffer); });
  arrays_.release(buffer);  // if the context cannot be made current, its memory is gone anyway
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

Result<CUdeviceptr> NvidiaDevice::address_of(const ProgramPtr& program, CUmodule module, const Variable& variable,
                                             std::size_t bytes) {
  CUdeviceptr address = 0;
  std::size_t has = 0;
  const CUresult result = driver_->moduleGetGlobal(&address, &has, module, variable.symbol.c_str());
  if (result == CUDA_ERROR_NOT_FOUND)
    return failure("cudaErrorInvalidSymbol",
                   fmt::format("{} has no device variable `{}`.", program->source.file, variable.array.name));
  if (auto found = context_->check(result, fmt::format("`{}` was not found in the loaded program", variable.array.name)); !found)
    return failure(found.error());
  if (auto fits = check_variable_bytes(variable, has, bytes); !fits) return failure(fits.error());
  return address;
}

Result<void> NvidiaDevice::write_variable(const ProgramPtr& program, const Variable& variable, std::span<const std::byte> bytes) {
  return use([&]() -> Result<void> {
    auto loaded = load(program);
    if (!loaded) return failure(loaded.error());
    auto address = address_of(program, (*loaded)->module, variable, bytes.size());
    if (!address) return failure(address.error());
    auto done = context_->check(driver_->memcpyHtoD(*address, bytes.data(), bytes.size()),
                                fmt::format("`{}` could not be written", variable.array.name));
    if (done) given_variables_[program->id][variable.symbol].assign(bytes.begin(), bytes.end());
    return done;
  });
}

Result<void> NvidiaDevice::read_variable(const ProgramPtr& program, const Variable& variable, std::span<std::byte> bytes) {
  return use([&]() -> Result<void> {
    auto loaded = load(program);
    if (!loaded) return failure(loaded.error());
    auto address = address_of(program, (*loaded)->module, variable, bytes.size());
    if (!address) return failure(address.error());
    return context_->check(driver_->memcpyDtoH(bytes.data(), *address, bytes.size()),
                           fmt::format("`{}` could not be read", variable.array.name));
  });
}

std::set<std::string> NvidiaDevice::given_to(const Program& program) const {
  std::set<std::string> symbols;
  if (const auto given = given_variables_.find(program.id); given != given_variables_.end())
    for (const auto& [symbol, bytes] : given->second) symbols.insert(symbol);
  return symbols;
}

Result<void> NvidiaDevice::restore_variables(const ProgramPtr& program, CUmodule module) {
  const auto given = given_variables_.find(program->id);
  if (given == given_variables_.end()) return {};
  for (const Variable& variable : program->variables) {
    const auto bytes = given->second.find(variable.symbol);
    if (bytes == given->second.end()) continue;
    auto address = address_of(program, module, variable, bytes->second.size());
    if (!address) return failure(address.error());
    auto done = context_->check(driver_->memcpyHtoD(*address, bytes->second.data(), bytes->second.size()),
                                fmt::format("`{}` could not be written", variable.array.name));
    if (!done) return done;
  }
  return {};
}

std::span<std::byte> NvidiaDevice::mapped(const Buffer& buffer) {
  std::span<std::byte> seen;
  use_without_answer([&] {
    seen = arrays_.mapped(buffer);
    if (context_->broken()) seen = {};
  });
  return seen;
}

}  // namespace warpbook::gpu
