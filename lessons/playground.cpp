#include "lessons/playground.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "gpu/struct_members.h"
#include "lessons/arguments/argument_check.h"

namespace warpbook::lessons {
namespace {

using gpu::ScalarType;

/// A type's name without const, volatile, pointers and what is said about them: "const float4 *__restrict__" → "float4".
std::string bare(std::string_view type) {
  std::string words(type.substr(0, type.find('*')));
  for (const std::string_view qualifier : {"const", "volatile"}) {
    for (std::size_t at = 0; (at = words.find(qualifier, at)) != std::string::npos;) words.erase(at, qualifier.size());
  }
  std::erase(words, ' ');
  return words;
}

/// CUDA's vector types by their element: float4, uchar3; and the 16-bit floats, as their bits.
std::optional<ScalarType> element_of(std::string_view type) {
  if (const auto vector = gpu::vector_type(type)) return vector->element;
  if (type.find("half") != std::string_view::npos || type.find("bfloat16") != std::string_view::npos) return ScalarType::uint16;
  if (type == "bool") return ScalarType::uint8;
  return std::nullopt;
}

bool is_whole(ScalarType type) { return type != ScalarType::float32 && type != ScalarType::float64; }

/// The default of one of these parameters, or of a struct's members.
std::string default_of(const gpu::Parameter& parameter, std::span<const gpu::Parameter> beside, bool square, bool in_struct) {
  if (is_struct(parameter)) {
    std::string members;
    for (const gpu::Parameter& member : parameter.members) {
      const auto type = type_of_input(member);
      members += fmt::format("{}{}{}", members.empty() ? "" : ",", type ? gpu::name_of(*type) : "",
                             default_of(member, parameter.members, square, true));
    }
    return members.empty() ? "" : "{" + members + "}";
  }
  const ScalarType type = type_of_input(parameter).value_or(ScalarType::int32);
  if (parameter.pointer) {
    const std::uint32_t width = parameter.pointee ? parameter.pointee->count : 1;
    const std::string shape = square ? fmt::format("[64x{}]", 64 * width) : fmt::format("[{}]", 4096 * width);
    // That a struct is const says nothing of what its pointers point to.
    const bool bits = parameter.pointee && !gpu::vector_type(bare(parameter.type)) && is_whole(type);  // of what may be floats
    if (bits || (!in_struct && !read_only(parameter))) return fmt::format("{}=zeros", shape);
    return fmt::format("{}{}", shape, is_whole(type) ? "=iota" : "=uniform:0:1:7");
  }
  if (!is_whole(type)) return "=1";
  const auto sizes = std::count_if(beside.begin(), beside.end(), [](const gpu::Parameter& each) {
    return !each.pointer && is_whole(type_of_input(each).value_or(ScalarType::float32)) && each.size >= 4;
  });
  if (parameter.size < 4) return "=1";
  return sizes == 1 ? "=4096" : "=64";
}

std::string default_input(const gpu::Program& program, const gpu::Kernel& kernel, std::size_t index) {
  return default_of(kernel.parameters[index], kernel.parameters, dimensions_of(program, kernel) > 1, false);
}

/// A text's first character tells what it is for.
bool suits(std::string_view text, const gpu::Parameter& parameter) {
  if (text.starts_with('{')) return !parameter.pointer && !parameter.element;
  return text.starts_with('[') == parameter.pointer && !is_struct(parameter);
}

}  // namespace

bool is_playground_text(std::string_view id) { return id == kernel_key || id.find('/') != std::string_view::npos; }

const gpu::Kernel* chosen_kernel(const gpu::Program& program, const Values& values) {
  for (const gpu::Kernel& kernel : program.kernels) {
    if (kernel.name == values.text(kernel_key)) return &kernel;
  }
  return program.kernels.empty() ? nullptr : &program.kernels.front();
}

int dimensions_of(const gpu::Program& program, const gpu::Kernel& kernel) {
  const std::string_view ptx = program.ptx;
  const std::size_t begin = std::min(ptx.find(" " + kernel.entry + "("), ptx.size());
  const std::string_view body = ptx.substr(begin, ptx.find(".entry", begin) - begin);
  const auto reads = [&](std::string_view axis) {
    return body.find(fmt::format("%tid.{}", axis)) != std::string_view::npos ||
           body.find(fmt::format("%ctaid.{}", axis)) != std::string_view::npos;
  };
  return reads("z") ? 3 : reads("y") ? 2 : 1;
}

void choose_kernel(const gpu::Program& program, const gpu::Kernel& kernel, Values& values) {
  values.set_text(kernel_key, kernel.name);
  const auto extents = [&](std::string_view axis) {
    return values.integer(fmt::format("threads{}", axis)) > 1 || values.integer(fmt::format("blocks{}", axis)) > 1;
  };
  const int present = extents("_z") ? 3 : extents("_y") ? 2 : 1, wanted = dimensions_of(program, kernel);
  if (present == wanted) return;
  constexpr std::array<std::array<int, 3>, 3> threads{{{128, 1, 1}, {16, 16, 1}, {8, 8, 4}}},
      blocks{{{32, 1, 1}, {4, 4, 1}, {2, 2, 4}}};
  constexpr std::array<std::string_view, 3> axes{"", "_y", "_z"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    values.set(fmt::format("threads{}", axes[axis]), threads[static_cast<std::size_t>(wanted - 1)][axis]);
    values.set(fmt::format("blocks{}", axes[axis]), blocks[static_cast<std::size_t>(wanted - 1)][axis]);
  }
}

std::string input_key(const gpu::Kernel& kernel, std::size_t parameter) {
  return kernel.name + "/" + kernel.parameters[parameter].name;
}

std::string input_text(const gpu::Program& program, const gpu::Kernel& kernel, std::size_t parameter, const Values& values) {
  const std::string_view said = values.text(input_key(kernel, parameter));
  if (said.empty() || !suits(said, kernel.parameters[parameter])) return default_input(program, kernel, parameter);
  const bool whole = said.starts_with('[') || said.starts_with('{') || said.starts_with('=');
  return whole ? std::string(said) : "=" + std::string(said);
}

Result<ArgumentSpec> input_of(const gpu::Program& program, const gpu::Kernel& kernel, std::size_t parameter, const Values& values) {
  const gpu::Parameter& declared = kernel.parameters[parameter];
  const std::string text = input_text(program, kernel, parameter, values);
  if (text.empty()) {
    return failure("usage",
                   fmt::format("{} is a struct of {} bytes ({}), whose members this file does not say plainly: give them in "
                               "their order, as in {{int32=16,int32=16,float32[16x16]=zeros}}.",
                               declared.name, declared.size, declared.type));
  }
  if (text.starts_with('{')) {
    auto spec = parse_argument_spec(text);
    if (!spec) return failure("usage", fmt::format("{}: {}", declared.name, spec.error().message));
    if (auto fits = check_argument(kernel, parameter, *spec, Types::exact); !fits) return failure(fits.error());
    return spec;
  }
  const ScalarType type = type_of_input(declared).value_or(ScalarType::int32);
  auto spec = parse_argument_spec(std::string(gpu::name_of(type)) + text);
  if (spec) return spec;
  std::string why = spec.error().message;
  if (!declared.pointer) {  // a field that holds a number and nothing else
    const auto number = parse_scalar(type, words_of(text).details);
    if (!number) why = number.error().message;
  }
  return failure("usage", fmt::format("{}: {}", declared.name, why));
}

Result<void> check_texts(const gpu::Program& program, const Values& values) {
  std::string kernels, inputs;
  for (const gpu::Kernel& kernel : program.kernels) {
    kernels += fmt::format("{}{}", kernels.empty() ? "" : ", ", kernel.name);
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i)
      inputs += fmt::format("{}{}", inputs.empty() ? "" : ", ", input_key(kernel, i));
  }
  for (const auto& [id, words] : values.texts()) {
    if (id == kernel_key) {
      if (chosen_kernel(program, values)->name != words)
        return failure("usage", fmt::format("kernel={}: this file has no kernel of that name. It has {}.", words, kernels));
      continue;
    }
    const gpu::Parameter* parameter = nullptr;
    for (const gpu::Kernel& kernel : program.kernels) {
      for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
        if (input_key(kernel, i) == id) parameter = &kernel.parameters[i];
      }
    }
    if (parameter == nullptr) return failure("usage", fmt::format("{}: there is no such parameter. There are {}.", id, inputs));
    if (suits(words, *parameter)) continue;
    const std::string said = fmt::format("{}={}: {} is", id, words, parameter->name);
    return failure("usage", parameter->pointer ? fmt::format("{} a pointer and takes an array, as in {}=[4096]=zeros.", said, id)
                            : is_struct(*parameter)
                                ? fmt::format("{} a struct and takes its members, as in {}={{int32=5,float32=1}}.", said, id)
                                : fmt::format("{} a number, as in {}=5.", said, id));
  }
  return {};
}

InputWords words_of(std::string_view input) {
  InputWords words;
  const std::size_t equals = std::min(input.find('='), input.size());
  const std::string_view shape = input.substr(0, equals), content = input.substr(std::min(equals + 1, input.size()));
  if (shape.size() >= 2) words.shape = shape.substr(1, shape.size() - 2);
  if (content == "zeros" || content == "ones" || content == "iota") {
    words.content = content;
  } else if (content.starts_with('@')) {
    words.content = "file";
    words.details = content.substr(1);
  } else if (content.starts_with("uniform") || content.starts_with("normal")) {
    const std::size_t colon = content.find(':');
    words.content = content.substr(0, colon);
    if (colon != std::string_view::npos) words.details = content.substr(colon + 1);
  } else {
    words.content = "value";
    words.details = content;
  }
  return words;
}

std::string text_of(const InputWords& words) {
  const std::string shape = words.shape.empty() ? std::string() : "[" + words.shape + "]";
  if (words.content == "file") return shape + "=@" + words.details;
  if (words.content == "value") return shape + "=" + words.details;
  if (words.content == "uniform" || words.content == "normal") return shape + "=" + words.content + ":" + words.details;
  return shape + "=" + words.content;
}

std::optional<gpu::ScalarType> type_of_input(const gpu::Parameter& parameter) {
  if (parameter.element) return parameter.element;
  if (!parameter.members.empty()) return std::nullopt;
  if (parameter.pointer && parameter.pointee) return parameter.pointee->type;
  if (const auto element = element_of(bare(parameter.type));
      element && (parameter.pointer || gpu::size_of(*element) == parameter.size)) {
    return element;
  }
  if (parameter.pointer) return ScalarType::float32;
  switch (parameter.size) {
    case 1:
      return ScalarType::uint8;
    case 2:
      return ScalarType::uint16;
    case 4:
      return ScalarType::int32;
    case 8:
      return ScalarType::int64;
    default:
      return std::nullopt;
  }
}

bool read_only(const gpu::Parameter& parameter) {
  return parameter.pointer &&
         std::string_view(parameter.type).substr(0, parameter.type.find('*')).find("const") != std::string_view::npos;
}

}  // namespace warpbook::lessons
