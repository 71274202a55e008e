#include "lessons/arguments/argument_buffers.h"

namespace warpbook::lessons {
namespace {

Result<gpu::Buffer> make_buffer(gpu::Device& device, const ArgumentPart& part) {
  const ArgumentSpec& spec = *part.spec;
  auto buffer = device.allocate(spec.array(part.name));
  if (!buffer) return failure(buffer.error());
  if (spec.content == ArgumentSpec::Content::value) {
    if (auto done = device.fill(*buffer, spec.value); !done) return failure(done.error());
  } else {
    auto bytes = initial_bytes(spec);
    if (!bytes) return failure(bytes.error());
    if (auto done = device.write(*buffer, *bytes); !done) return failure(done.error());
  }
  return *buffer;
}

}  // namespace

Result<GivenArgument> make_buffers(gpu::Device& device, const ArgumentSpec& spec, const gpu::Parameter& parameter) {
  GivenArgument given{.parts = parts_of(spec, parameter), .buffers = {}};
  for (const ArgumentPart& part : given.parts) {
    if (!part.spec->is_array) continue;
    auto buffer = make_buffer(device, part);
    if (!buffer) return failure(buffer.error());
    given.buffers.push_back(std::move(*buffer));
  }
  return given;
}

}  // namespace warpbook::lessons
