#include "lessons/arguments/argument_buffers.h"

namespace warpbook::lessons {
namespace {

tl::unexpected<Error> given_back(gpu::Device& device, const gpu::Buffer& buffer, const Error& error) {
  device.release(buffer);
  return failure(error);
}

Result<gpu::Buffer> make_buffer(gpu::Device& device, const ArgumentPart& part) {
  const ArgumentSpec& spec = *part.spec;
  auto buffer = device.allocate(spec.array(part.name));
  if (!buffer) return failure(buffer.error());
  if (spec.content == ArgumentSpec::Content::value) {
    if (auto done = device.fill(*buffer, spec.value); !done) return given_back(device, *buffer, done.error());
  } else {
    if (const auto memory = device.mapped(*buffer); !memory.empty()) {
      if (auto made = make_initial_bytes(spec, memory); !made) return given_back(device, *buffer, made.error());
      // The bytes were written directly, so this only tells the device that they are initialised.
      if (auto done = device.write(*buffer, memory); !done) return given_back(device, *buffer, done.error());
      return *buffer;
    }
    auto bytes = initial_bytes(spec);
    if (!bytes) return given_back(device, *buffer, bytes.error());
    if (auto done = device.write(*buffer, *bytes); !done) return given_back(device, *buffer, done.error());
  }
  return *buffer;
}

}  // namespace

Result<GivenArgument> make_buffers(gpu::Device& device, const ArgumentSpec& spec, const gpu::Parameter& parameter) {
  GivenArgument given{.parts = parts_of(spec, parameter), .buffers = {}};
  for (const ArgumentPart& part : given.parts)
    if (auto fits = check_initial_bytes(*part.spec); !fits) return failure(fits.error());
  for (const ArgumentPart& part : given.parts) {
    if (!part.spec->is_array) continue;
    auto buffer = make_buffer(device, part);
    if (!buffer) return failure(buffer.error());
    given.buffers.push_back(std::move(*buffer));
  }
  return given;
}

}  // namespace warpbook::lessons
