#include "lessons/arguments/argument_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "gpu/launch_check.h"

namespace warpbook::lessons {
namespace {

/// The declaration of a spec's member. nullptr: unknown.
const gpu::Parameter* member_of(const gpu::Parameter* parameter, const ArgumentSpec& spec, std::size_t index) {
  const bool known = parameter != nullptr && parameter->members.size() == spec.members.size();
  return known ? &parameter->members[index] : nullptr;
}

/// The memory layout of a spec, in the form of a declaration.
gpu::Parameter shape_of(const ArgumentSpec& spec, const gpu::Parameter* declared) {
  gpu::Parameter shape;
  if (!spec.is_struct()) {
    shape.size = shape.align = static_cast<std::uint32_t>(spec.is_array ? sizeof(std::uint64_t) : gpu::size_of(spec.type));
    return shape;
  }
  const bool known = member_of(declared, spec, 0) != nullptr;
  shape.align = known ? declared->align : 1;
  for (std::size_t i = 0; i < spec.members.size(); ++i) {
    shape.members.push_back(shape_of(spec.members[i], member_of(declared, spec, i)));
    shape.align = std::max(shape.align, shape.members.back().align);
  }
  const gpu::ParameterSlot last = gpu::parameter_slots(shape.members).back();
  shape.size = static_cast<std::uint32_t>((last.offset + last.size + shape.align - 1) / shape.align * shape.align);
  return shape;
}

void collect(const ArgumentPart& whole, const gpu::Parameter& shape, std::vector<ArgumentPart>& parts) {
  if (!whole.spec->is_struct()) {
    parts.push_back(whole);
    return;
  }
  const std::vector<gpu::ParameterSlot> slots = gpu::parameter_slots(shape.members);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    ArgumentPart member{.spec = &whole.spec->members[i],
                        .parameter = member_of(whole.parameter, *whole.spec, i),
                        .path = whole.path,
                        .offset = whole.offset + slots[i].offset,
                        .name = {}};
    member.path.push_back(i);
    member.name = fmt::format("{}.{}", whole.name, member.parameter ? member.parameter->name : std::to_string(i));
    collect(member, shape.members[i], parts);
  }
}

}  // namespace

std::vector<ArgumentPart> parts_of(const ArgumentSpec& spec, const gpu::Parameter& parameter) {
  std::vector<ArgumentPart> parts;
  collect({.spec = &spec, .parameter = &parameter, .path = {}, .offset = 0, .name = parameter.name}, shape_of(spec, &parameter),
          parts);
  return parts;
}

std::size_t bytes_of(const ArgumentSpec& spec, const gpu::Parameter& parameter) { return shape_of(spec, &parameter).size; }

gpu::Argument make_argument(const ArgumentSpec& spec, const gpu::Parameter& parameter, std::span<const gpu::Buffer> buffers) {
  if (!spec.is_struct()) {
    if (spec.is_array) return buffers.front();
    return spec.value;
  }
  gpu::Struct made{.bytes = std::vector<std::byte>(bytes_of(spec, parameter))};
  for (const ArgumentPart& part : parts_of(spec, parameter)) {
    if (part.spec->is_array) {
      made.pointers.push_back({part.offset, buffers[made.pointers.size()]});
    } else {
      std::memcpy(made.bytes.data() + part.offset, &part.spec->value.bits, gpu::size_of(part.spec->type));
    }
  }
  return made;
}

}  // namespace warpbook::lessons
