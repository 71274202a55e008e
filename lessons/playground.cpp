#include "lessons/playground.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

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
  constexpr std::array<std::pair<std::string_view, ScalarType>, 12> vectors{{{"char", ScalarType::int8},
                                                                             {"uchar", ScalarType::uint8},
                                                                             {"short", ScalarType::int16},
                                                                             {"ushort", ScalarType::uint16},
                                                                             {"int", ScalarType::int32},
                                                                             {"uint", ScalarType::uint32},
                                                                             {"long", ScalarType::int64},
                                                                             {"ulong", ScalarType::uint64},
                                                                             {"longlong", ScalarType::int64},
                                                                             {"ulonglong", ScalarType::uint64},
                                                                             {"float", ScalarType::float32},
                                                                             {"double", ScalarType::float64}}};
  for (const auto& [name, element] : vectors) {
    if (type.size() == name.size() + 1 && type.starts_with(name) && type.back() >= '1' && type.back() <= '4') return element;
  }
  if (type.find("half") != std::string_view::npos || type.find("bfloat16") != std::string_view::npos) return ScalarType::uint16;
  if (type == "bool") return ScalarType::uint8;
  return std::nullopt;
}

bool is_whole(ScalarType type) { return type != ScalarType::float32 && type != ScalarType::float64; }

std::string default_input(const gpu::Program& program, const gpu::Kernel& kernel, std::size_t index) {
  const gpu::Parameter& parameter = kernel.parameters[index];
  const ScalarType type = type_of_input(parameter).value_or(ScalarType::int32);
  if (parameter.pointer) {
    const std::string shape = dimensions_of(program, kernel) > 1 ? "[64x64]" : "[4096]";
    if (!read_only(parameter)) return shape + "=zeros";
    return shape + (is_whole(type) ? "=iota" : "=uniform:0:1:7");
  }
  if (!is_whole(type)) return "=1";
  const auto sizes = std::count_if(kernel.parameters.begin(), kernel.parameters.end(), [](const gpu::Parameter& each) {
    return !each.pointer && is_whole(type_of_input(each).value_or(ScalarType::float32)) && each.size >= 4;
  });
  if (parameter.size < 4) return "=1";
  return sizes == 1 ? "=4096" : "=64";
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
  const bool fits = !said.empty() && said.starts_with('[') == kernel.parameters[parameter].pointer;
  if (!fits) return default_input(program, kernel, parameter);
  return kernel.parameters[parameter].pointer || said.starts_with('=') ? std::string(said) : "=" + std::string(said);
}

Result<ArgumentSpec> input_of(const gpu::Program& program, const gpu::Kernel& kernel, std::size_t parameter, const Values& values) {
  const auto type = type_of_input(kernel.parameters[parameter]);
  if (!type) {
    return failure(
        "usage",
        fmt::format("{} of {} is a struct ({}), and those cannot be given here. Give its members one by one, as parameters "
                    "of their own.",
                    kernel.parameters[parameter].name, kernel.name, kernel.parameters[parameter].type));
  }
  auto spec = parse_argument_spec(std::string(gpu::name_of(*type)) + input_text(program, kernel, parameter, values));
  if (spec) return spec;
  std::string why = spec.error().message;
  if (!kernel.parameters[parameter].pointer) {  // a field that holds a number and nothing else
    const auto number = parse_scalar(*type, words_of(input_text(program, kernel, parameter, values)).details);
    if (!number) why = number.error().message;
  }
  return failure("usage", fmt::format("{}: {}", kernel.parameters[parameter].name, why));
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
    if (words.starts_with('[') != parameter->pointer) {
      return failure("usage", parameter->pointer
                                  ? fmt::format("{}={}: {} is a pointer and takes an array, as in {}=[4096]=zeros.", id, words,
                                                parameter->name, id)
                                  : fmt::format("{}={}: {} is a number, as in {}=5.", id, words, parameter->name, id));
    }
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
