#include "lessons/playground.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "gpu/device_variables.h"
#include "gpu/host_launch.h"
#include "gpu/report.h"
#include "gpu/struct_members.h"
#include "lessons/arguments/argument_check.h"
#include "lessons/arguments/variable_spec.h"

namespace warpbook::lessons {
namespace {

using gpu::ScalarType;

constexpr std::string_view variable_prefix = "__device__/";          // not a valid name of a kernel
constexpr std::uint32_t default_elements = 4096;                     // default size of arrays
constexpr std::uint64_t largest_own_array = std::uint64_t{1} << 30;  // bytes; for larger arrays the default size is used

/// The type's name without const, volatile, pointers and qualifiers: "float4" for "const float4 *__restrict__".
std::string bare(std::string_view type) {
  std::string words(type.substr(0, type.find('*')));
  for (const std::string_view qualifier : {"const", "volatile"}) {
    for (std::size_t at = 0; (at = words.find(qualifier, at)) != std::string::npos;) words.erase(at, qualifier.size());
  }
  std::erase(words, ' ');
  return words;
}

/// The element type of CUDA's vectors (float4, uchar3), and of 16-bit floats as raw bits.
std::optional<ScalarType> element_of(std::string_view type) {
  if (const auto vector = gpu::vector_type(type)) return vector->element;
  if (type.find("half") != std::string_view::npos || type.find("bfloat16") != std::string_view::npos) return ScalarType::uint16;
  if (type == "bool") return ScalarType::uint8;
  return std::nullopt;
}

bool is_whole(ScalarType type) { return type != ScalarType::float32 && type != ScalarType::float64; }

/// Whether the array's integers may be the bits of floats: an array of structs of mixed types.
bool holds_bits(const gpu::Parameter& parameter) {
  return parameter.pointee && !gpu::vector_type(bare(parameter.type)) &&
         is_whole(type_of_input(parameter).value_or(ScalarType::int32));
}

/// Whether the text's first character fits the parameter's kind.
bool suits(std::string_view text, const gpu::Parameter& parameter) {
  if (text.starts_with('{')) return !parameter.pointer && !parameter.element;
  return text.starts_with('[') == parameter.pointer && !is_struct(parameter);
}

/// The shape of arrays without a size of their own: one row, or a matrix if the launch has two dimensions.
struct Elements {
  std::size_t rows = 1, columns = 4096;
  [[nodiscard]] std::size_t count() const { return rows * columns; }
  [[nodiscard]] std::size_t along_a_side() const {
    return rows > 1 ? std::min(rows, columns) : static_cast<std::size_t>(std::sqrt(static_cast<double>(columns)));
  }
};

/// The default input of a parameter or of a struct's member.
std::string default_of(const gpu::Parameter& parameter, std::span<const gpu::Parameter> beside, const Elements& elements,
                       bool in_struct) {
  if (is_struct(parameter)) {
    std::string members;
    for (const gpu::Parameter& member : parameter.members) {
      const auto type = type_of_input(member);
      members += fmt::format("{}{}{}", members.empty() ? "" : ",", type ? gpu::name_of(*type) : "",
                             default_of(member, parameter.members, elements, true));
    }
    return members.empty() ? "" : "{" + members + "}";
  }
  const ScalarType type = type_of_input(parameter).value_or(ScalarType::int32);
  if (parameter.pointer) {
    const std::size_t columns = elements.columns * (parameter.pointee ? parameter.pointee->count : 1);
    const std::string shape = elements.rows > 1 ? fmt::format("[{}x{}]", elements.rows, columns) : fmt::format("[{}]", columns);
    // A const struct may have pointers to memory that the kernel writes.
    const bool zeros = holds_bits(parameter) || (!in_struct && !read_only(parameter));
    return fmt::format("{}={}", shape, zeros ? "zeros" : is_whole(type) ? "iota" : "uniform:0:1:7");
  }
  if (!is_whole(type) || parameter.size < 4) return "=1";
  const auto sizes = std::count_if(beside.begin(), beside.end(), [](const gpu::Parameter& each) {
    return !each.pointer && is_whole(type_of_input(each).value_or(ScalarType::float32)) && each.size >= 4;
  });
  return fmt::format("={}", sizes == 1 ? elements.count() : elements.along_a_side());
}

std::string number_of(double number, ScalarType type) {
  return is_whole(type)                ? fmt::format("{:.0f}", number)
         : type == ScalarType::float32 ? fmt::format("{}", static_cast<float>(number))
                                       : fmt::format("{}", number);
}

std::string list_of(const std::vector<double>& elements, ScalarType type) {
  std::string list;
  for (const double element : elements) list += (list.empty() ? "" : ",") + number_of(element, type);
  return list;
}

std::string content_of(const gpu::HostArray& array, const gpu::Parameter& parameter, ScalarType type) {
  using Content = gpu::HostArray::Content;
  const std::string_view any = is_whole(type) ? "iota" : "uniform:0:1:7";
  switch (array.content) {
    case Content::none:
      return "zeros";
    case Content::unknown:
      return std::string(holds_bits(parameter) ? "zeros" : any);
    case Content::value:
      return array.value == 0 ? "zeros" : array.value == 1 ? "ones" : number_of(array.value, type);
    case Content::iota:
      return "iota";
    case Content::random:
      return holds_bits(parameter) ? "zeros" : is_whole(type) ? "uniform:0:100:7" : "uniform:0:1:7";
    case Content::list:
      return holds_bits(parameter) ? "zeros" : list_of(array.elements, type);
  }
  return "zeros";
}

/// A matrix if the launch has two dimensions, and if the array is as large as the adjacent numbers or the launch say.
std::string shape_of(std::size_t count, const gpu::HostLaunch& launch) {
  const std::string one_row = fmt::format("[{}]", count);
  if (!launch.grid || !launch.block || launch.grid->y * launch.block->y == 1) return one_row;
  const std::size_t across = std::size_t{launch.grid->x} * launch.block->x, down = std::size_t{launch.grid->y} * launch.block->y;
  std::vector<std::size_t> extents{across, down};
  for (const gpu::HostArgument& each : launch.arguments)
    if (each.number && *each.number >= 2 && *each.number < 1e9) extents.push_back(static_cast<std::size_t>(*each.number));
  for (const std::size_t columns : extents) {
    if (count % columns != 0) continue;
    const std::size_t rows = count / columns;
    if (rows > 1 && columns <= across && rows <= down && std::ranges::find(extents, rows) != extents.end())
      return fmt::format("[{}x{}]", rows, columns);
  }
  return one_row;
}

/// The host program's value of a parameter or of a struct's member. Empty: unknown.
std::string own_value(const gpu::HostLaunch& launch, const gpu::HostArgument& given, const gpu::Parameter& parameter,
                      const Elements& elements);

/// A struct of which some member is known; the others have their defaults.
std::string own_struct(const gpu::HostLaunch& launch, const gpu::HostArgument& given, const gpu::Parameter& parameter,
                       const Elements& elements) {
  std::string members;
  bool any = false;
  for (std::size_t i = 0; i < parameter.members.size(); ++i) {
    const gpu::Parameter& member = parameter.members[i];
    std::string value;
    for (const gpu::HostMember& known : given.members)  // a name that is assigned comes after the list
      if (known.name == member.name || (value.empty() && known.name == std::to_string(i)))
        value = own_value(launch, known.value, member, elements);
    any = any || !value.empty();
    if (value.empty()) value = default_of(member, parameter.members, elements, true);
    const auto type = type_of_input(member);
    members += fmt::format("{}{}{}", members.empty() ? "" : ",", type ? gpu::name_of(*type) : "", value);
  }
  return any ? "{" + members + "}" : std::string();
}

std::string own_value(const gpu::HostLaunch& launch, const gpu::HostArgument& given, const gpu::Parameter& parameter,
                      const Elements& elements) {
  if (is_struct(parameter)) return own_struct(launch, given, parameter, elements);
  const auto type = type_of_input(parameter);
  if (!type) return {};
  if (parameter.pointer) {
    if (!given.array || !given.array->bytes) return {};
    const std::size_t count = *given.array->bytes / gpu::size_of(*type);
    if (count == 0 || *given.array->bytes > largest_own_array) return {};
    std::string content = content_of(*given.array, parameter, *type);
    if (given.array->content == gpu::HostArray::Content::list && given.array->elements.size() != count) content = "zeros";
    return fmt::format("{}={}", shape_of(count, launch), content);
  }
  if (!given.number) return {};
  const std::string number = number_of(*given.number, *type);
  return parse_scalar(*type, number) ? "=" + number : std::string();
}

/// The parameter's value in the file's host program. Empty: unknown.
std::string own_input(const gpu::HostLaunch* launch, const gpu::Kernel& kernel, std::size_t index, const Elements& elements) {
  if (launch == nullptr || launch->arguments.size() != kernel.parameters.size()) return {};
  return own_value(*launch, launch->arguments[index], kernel.parameters[index], elements);
}

const gpu::HostLaunch* own_launch(const gpu::Program& program, const gpu::Kernel& kernel) {
  return gpu::launch_of(*program.launches, kernel.name);
}

/// The components of indices that a kernel reads, found in its PTX.
struct Axes {
  bool y = false, z = false;
  [[nodiscard]] int count() const { return z ? 3 : y ? 2 : 1; }
};
Axes axes_read(std::string_view ptx, const gpu::Kernel& kernel, std::string_view index) {
  const std::size_t begin = std::min(ptx.find(" " + kernel.entry + "("), ptx.size());
  const std::string_view body = ptx.substr(begin, ptx.find(".entry", begin) - begin);
  const auto reads = [&](std::string_view axis) { return body.find(fmt::format("%{}.{}", index, axis)) != std::string_view::npos; };
  return {.y = reads("y"), .z = reads("z")};
}

/// The highest dimension of any index: 1, 2 or 3.
int dimensions_read(std::string_view ptx, const gpu::Kernel& kernel) {
  return std::max(axes_read(ptx, kernel, "tid").count(), axes_read(ptx, kernel, "ctaid").count());
}

int dimensions_of(const LaunchShape& shape) {
  return Axes{.y = shape.grid.y > 1 || shape.block.y > 1, .z = shape.grid.z > 1 || shape.block.z > 1}.count();
}

/// A launch for 4096 elements, 64 × 64 elements or 16³ elements, with 4096 threads and as many dimensions as the kernel reads.
LaunchShape default_shape(const gpu::Program& program, const gpu::Kernel& kernel, const std::optional<gpu::Dim3>& own_block) {
  const Axes threads = axes_read(program.ptx, kernel, "tid"), blocks = axes_read(program.ptx, kernel, "ctaid");
  const int all = std::max(threads.count(), blocks.count());
  const std::uint32_t side = all == 1 ? default_elements : all == 2 ? 64 : 16;
  constexpr std::array<gpu::Dim3, 3> usual{{{128, 1, 1}, {16, 16, 1}, {8, 8, 4}}};
  LaunchShape shape{
      .grid = {}, .block = own_block.value_or(usual[static_cast<std::size_t>(threads.count() - 1)]), .shared_bytes = 0};
  if (!own_block && all > 1 && threads.count() == 1) shape.block = {side, 1, 1};
  const auto cover = [](std::uint32_t extent, std::uint32_t by) { return (extent + by - 1) / by; };
  if (blocks.count() >= 2) shape.grid.y = cover(side, shape.block.y);
  if (blocks.count() == 3) shape.grid.z = cover(side, shape.block.z);
  const auto so_far = static_cast<std::uint32_t>(shape.block.count() * shape.grid.y * shape.grid.z);
  shape.grid.x = std::max(cover(side, shape.block.x), all > blocks.count() ? cover(default_elements, so_far) : 1);
  return shape;
}

bool can_be_set(const gpu::HostLaunch& launch) {
  const auto within = [](const gpu::Dim3& dim, const gpu::Dim3& most) {
    return dim.x <= most.x && dim.y <= most.y && dim.z <= most.z;
  };
  return launch.grid && launch.block && launch.dynamic_shared_bytes && within(*launch.grid, most_blocks) &&
         within(*launch.block, most_threads) && *launch.dynamic_shared_bytes <= most_shared_bytes;
}

bool any_input_said(const gpu::Kernel& kernel, const Values& values) {
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i)
    if (const std::string_view said = values.text(input_key(kernel, i)); !said.empty() && suits(said, kernel.parameters[i]))
      return true;
  return false;
}

std::string default_input(const gpu::Program& program, const gpu::Kernel& kernel, std::size_t index) {
  const gpu::HostLaunch* const launch = own_launch(program, kernel);
  const bool square = dimensions_read(program.ptx, kernel) > 1;
  Elements elements{.rows = square ? 64U : 1U, .columns = square ? 64U : default_elements};
  if (launch != nullptr) {  // as many elements as threads
    const LaunchShape shape = proposed_shape(program, kernel);
    elements = {.rows = std::size_t{shape.grid.y} * shape.block.y, .columns = std::size_t{shape.grid.x} * shape.block.x};
    elements.columns *= std::size_t{shape.grid.z} * shape.block.z;
  }
  if (std::string own = own_input(launch, kernel, index, elements); !own.empty()) return own;
  return default_of(kernel.parameters[index], kernel.parameters, elements, false);
}

}  // namespace

bool is_playground_text(std::string_view id) { return id == kernel_key || id.find('/') != std::string_view::npos; }

const gpu::Kernel* chosen_kernel(const gpu::Program& program, const Values& values) {
  for (const gpu::Kernel& kernel : program.kernels) {
    if (kernel.name == values.text(kernel_key)) return &kernel;
  }
  for (const gpu::HostLaunch& launch : *program.launches) {
    for (const gpu::Kernel& kernel : program.kernels) {
      if (own_launch(program, kernel) == &launch) return &kernel;
    }
  }
  return program.kernels.empty() ? nullptr : &program.kernels.front();
}

LaunchShape shape_in(const Values& values) {
  const auto extents = [&](std::string_view what) {
    const auto along = [&](std::string_view axis) {
      return static_cast<std::uint32_t>(values.integer(fmt::format("{}{}", what, axis)));
    };
    return gpu::Dim3{along(""), along("_y"), along("_z")};
  };
  return {
      .grid = extents("blocks"), .block = extents("threads"), .shared_bytes = static_cast<std::uint32_t>(values.integer("shared"))};
}

void set_shape(const LaunchShape& shape, Values& values) {
  const auto set = [&](std::string_view what, const gpu::Dim3& extents) {
    values.set(fmt::format("{}", what), extents.x);
    values.set(fmt::format("{}_y", what), extents.y);
    values.set(fmt::format("{}_z", what), extents.z);
  };
  set("blocks", shape.grid);
  set("threads", shape.block);
  values.set("shared", shape.shared_bytes);
}

LaunchShape proposed_shape(const gpu::Program& program, const gpu::Kernel& kernel) {
  const gpu::HostLaunch* const launch = own_launch(program, kernel);
  if (launch == nullptr) return default_shape(program, kernel, std::nullopt);
  if (can_be_set(*launch)) return {.grid = *launch->grid, .block = *launch->block, .shared_bytes = *launch->dynamic_shared_bytes};
  const bool usable = launch->block && launch->block->count() <= most_threads.x && launch->block->z <= most_threads.z;
  LaunchShape shape = default_shape(program, kernel, usable ? launch->block : std::nullopt);
  if (launch->dynamic_shared_bytes) shape.shared_bytes = std::min(*launch->dynamic_shared_bytes, most_shared_bytes);
  return shape;
}

void choose_kernel(const gpu::Program& program, const gpu::Kernel& kernel, Values& values) {
  const gpu::Kernel* const present = chosen_kernel(program, values);
  values.set_text(kernel_key, kernel.name);
  const LaunchShape shape = shape_in(values);
  const bool set_by_hand = present != nullptr && shape != proposed_shape(program, *present);
  if (set_by_hand && own_launch(program, kernel) == nullptr && dimensions_of(shape) == dimensions_read(program.ptx, kernel)) return;
  set_shape(proposed_shape(program, kernel), values);
}

void use_own_launch(const gpu::Program& program, const gpu::Kernel& kernel, Values& values) {
  set_shape(proposed_shape(program, kernel), values);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) values.set_text(input_key(kernel, i), "");
}

bool is_own_launch(const gpu::Program& program, const gpu::Kernel& kernel, const Values& values) {
  return shape_in(values) == proposed_shape(program, kernel) && !any_input_said(kernel, values);
}

void follow_program(const gpu::Program& before, const gpu::Program& now, Values& values) {
  const gpu::Kernel* const old = chosen_kernel(before, values);
  if (old != nullptr && shape_in(values) == proposed_shape(before, *old)) take_launch(now, values);
}

void take_launch(const gpu::Program& program, Values& values) {
  if (const gpu::Kernel* const kernel = chosen_kernel(program, values)) set_shape(proposed_shape(program, *kernel), values);
}

std::string about_launch(const gpu::Program& program, const gpu::Kernel& kernel, const Values& values) {
  const gpu::HostLaunch* const launch = own_launch(program, kernel);
  if (launch == nullptr) return {};
  const LaunchShape proposed = proposed_shape(program, kernel);
  if (shape_in(values) != proposed)
    return fmt::format("Line {} launches it otherwise: a grid of {} and blocks of {}.", launch->line, gpu::to_string(proposed.grid),
                       gpu::to_string(proposed.block));
  if (!can_be_set(*launch))
    return fmt::format(
        "Line {} launches it with a shape that only a run of the host program tells, or that is too large here. "
        "This launch has {} threads.",
        launch->line, proposed.grid.count() * proposed.block.count());
  if (any_input_said(kernel, values))
    return fmt::format("Grid and block are those of line {}, where the file launches it; some inputs are your own.", launch->line);
  if (!launch->complete())
    return fmt::format(
        "Grid and block are those of line {}. What else is given there, only a run of the host program tells: it has "
        "default values here.",
        launch->line);
  return fmt::format("Grid, block and inputs are those of line {}, where the file launches it.", launch->line);
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
  if (!declared.pointer) {  // a number, not an array
    const auto number = parse_scalar(type, words_of(text).details);
    if (!number) why = number.error().message;
  }
  return failure("usage", fmt::format("{}: {}", declared.name, why));
}

std::string variable_key(const gpu::Variable& variable) { return std::string(variable_prefix) + variable.array.name; }

std::string own_variable(const gpu::Program& program, const gpu::Kernel& kernel, const gpu::Variable& variable) {
  const gpu::HostLaunch* const launch = own_launch(program, kernel);
  if (launch == nullptr) return {};
  const std::string_view name = variable.array.name;
  const std::size_t scope = name.rfind("::");
  const auto known =
      std::ranges::find(launch->variables, scope == std::string_view::npos ? name : name.substr(scope + 2), &gpu::HostMember::name);
  if (known == launch->variables.end()) return {};
  const ScalarType type = variable.array.type;
  const std::size_t count = variable.array.count();
  const gpu::HostArgument& value = known->value;
  if (count == 1 && value.number && parse_scalar(type, number_of(*value.number, type))) return "=" + number_of(*value.number, type);
  if (count == 1 || !value.array || value.array->bytes != variable.array.bytes()) return {};
  using Content = gpu::HostArray::Content;
  const gpu::HostArray& array = *value.array;
  const std::string shape = fmt::format("[{}]=", fmt::join(variable.array.shape, "x"));
  if (array.content == Content::value) return shape + number_of(array.value, type);
  if (array.content == Content::iota) return shape + "iota";
  if (array.content == Content::list && array.elements.size() == count) return shape + list_of(array.elements, type);
  return {};
}

std::string variable_text(const gpu::Variable& variable, const Values& values, const std::string& own) {
  const bool single = variable.array.count() == 1;
  const std::string_view said = values.text(variable_key(variable));
  if ((said.empty() || said.starts_with('[') == single) && !own.empty()) return own;
  if (said.empty() || said.starts_with('[') == single)
    return single ? "=0" : fmt::format("[{}]=zeros", fmt::join(variable.array.shape, "x"));
  return said.starts_with('[') || said.starts_with('=') ? std::string(said) : "=" + std::string(said);
}

Result<ArgumentSpec> variable_of(const gpu::Variable& variable, const Values& values, const std::string& own) {
  auto spec = parse_argument_spec(std::string(gpu::name_of(variable.array.type)) + variable_text(variable, values, own));
  if (!spec) return failure("usage", fmt::format("{}: {}", variable.array.name, spec.error().message));
  if (auto fits = check_variable(variable, *spec); !fits) return failure(fits.error());
  return spec;
}

std::vector<const gpu::Variable*> fields_of(const gpu::Program& program, const gpu::Kernel& kernel) {
  std::vector<const gpu::Variable*> fields = gpu::used_variables(program, kernel);
  std::erase_if(fields, [&](const gpu::Variable* variable) {
    return variable->initialised && own_variable(program, kernel, *variable).empty();
  });
  return fields;
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
    if (id.starts_with(variable_prefix)) {
      const auto variable = find_variable(program, std::string_view(id).substr(variable_prefix.size()));
      if (!variable) return failure(variable.error());
      if (auto input = variable_of(**variable, values, {}); !input) return failure(input.error());
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
    words.content = content.find(',') == std::string_view::npos ? "value" : "list";
    words.details = content;
  }
  return words;
}

std::string text_of(const InputWords& words) {
  const std::string shape = words.shape.empty() ? std::string() : "[" + words.shape + "]";
  if (words.content == "file") return shape + "=@" + words.details;
  if (words.content == "value" || words.content == "list") return shape + "=" + words.details;
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
