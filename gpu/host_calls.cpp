#include "gpu/host_calls.h"

#include <algorithm>
#include <limits>

#include "gpu/host_statement.h"

namespace warpbook::gpu {
namespace {

constexpr std::size_t most_host_launches = 256;
constexpr std::size_t longest_shape = 256;  // most tokens between <<< and >>>

std::string_view kernel_name(std::string_view written) {  // "n::scale<float>" is scale
  written = written.substr(0, written.find('<'));
  return written.substr(written.rfind(':') + 1);
}

Tokens with_dim3(const Tokens& tokens) {
  Tokens made = braces_as_brackets(tokens);
  made.insert(made.begin(), "dim3");
  return made;
}

}  // namespace

HostCalls::HostCalls(std::string_view source, const Tokens& tokens, SourceValues& values, HostArrays& arrays, HostStructs& structs)
    : source_(source), tokens_(tokens), values_(values), arrays_(arrays), structs_(structs) {
  for (std::size_t at = source.find('\n'); at != std::string_view::npos; at = source.find('\n', at + 1)) line_ends_.push_back(at);
}

void HostCalls::kernel(const std::string& name, const Tokens& parameters) {
  std::vector<bool>& reads = kernels_[name];
  reads.clear();
  for (const Tokens& parameter : split_at_commas(parameters)) {
    const auto star = std::find(parameter.begin(), parameter.end(), "*");
    reads.push_back(std::find(parameter.begin(), star, "const") != star);
  }
}

void HostCalls::fills_variable(const std::vector<Tokens>& given, bool certain) {
  if (given.size() < 3 || given[0].empty() || given[1].empty()) return;
  const auto offset = given.size() > 3 ? values_.evaluate(given[3]) : std::optional(Value::of(0));
  const Tokens source = given[1][0] == "&" ? Tokens(given[1].begin() + 1, given[1].end()) : given[1];
  HostArgument value = structs_.value_of(source);
  if (value.array) {
    const auto bytes = values_.evaluate(given[2]);
    if (!bytes || bytes->as_whole() <= 0) value.array->content = HostArray::Content::unknown;
    if (bytes) value.array->bytes = static_cast<std::uint64_t>(bytes->as_whole());
  }
  if (!offset || offset->truth() || !certain) value = {.text = {}, .number = {}, .array = {}, .members = {}};
  variables_.insert_or_assign(std::string(given[0].back()), std::move(value));
}

void HostCalls::launches(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin + 1; i + 2 < end; ++i) {
    if (at(i) != "<" || at(i + 1) != "<" || at(i + 2) != "<") continue;
    std::size_t close = i + 3;
    const std::size_t last = std::min(end, i + longest_shape);
    while (close + 2 < last && !(at(close) == ">" && at(close + 1) == ">" && at(close + 2) == ">" && at(close + 3) == "(")) ++close;
    if (at(close + 3) != "(") continue;
    std::size_t name = i;  // "scale<float>": goes back over the template's arguments
    int angles = 0;
    do {
      --name;
      angles += at(name) == ">" ? 1 : at(name) == "<" ? -1 : 0;
    } while (name > begin && (angles > 0 || !word(at(name))));
    const std::size_t token = name;
    if (!seen_.insert(token).second || launches_.size() >= most_host_launches) continue;
    while (name >= begin + 2 && at(name - 1) == "::" && word(at(name - 2))) name -= 2;
    launches_.push_back(launch(joined(part(name, i)), token, split_arguments(part(i + 3, close)),
                               split_arguments(part(close + 4, behind_bracket(tokens_, close + 3) - 1))));
  }
}

HostLaunch HostCalls::launch(std::string kernel, std::size_t token, const std::vector<Tokens>& shape,
                             const std::vector<Tokens>& given) {
  HostLaunch launch{.kernel = std::move(kernel),
                    .line = line_of_token(token),
                    .grid = {},
                    .block = {},
                    .dynamic_shared_bytes = 0,
                    .arguments = {},
                    .variables = variables_now()};
  if (!shape.empty()) launch.grid = dim_of(shape[0]);
  if (shape.size() > 1) launch.block = dim_of(shape[1]);
  if (shape.size() > 2) {
    const auto bytes = values_.evaluate(shape[2]);
    launch.dynamic_shared_bytes =
        bytes && bytes->as_whole() >= 0 ? std::optional(static_cast<std::uint32_t>(bytes->as_whole())) : std::nullopt;
  }
  for (const Tokens& one : given) launch.arguments.push_back(structs_.value_of(one));
  lose_what_it_writes(launch.kernel, given);
  return launch;
}

std::vector<HostMember> HostCalls::variables_now() {
  std::vector<HostMember> now;
  for (const auto& [name, value] : variables_) now.push_back({.name = name, .value = value});
  for (const std::string& name : managed_) now.push_back({.name = name, .value = structs_.value_of({name})});
  return now;
}

/// After a launch nothing is known of what the kernel may write: arrays that are not const, and every variable but constants.
void HostCalls::lose_what_it_writes(const std::string& kernel, const std::vector<Tokens>& given) {
  const auto declared = kernels_.find(kernel_name(kernel));
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::size_t array = points(given[i]) ? arrays_.named_in(given[i]) : 0;
    const bool reads = declared != kernels_.end() && i < declared->second.size() && declared->second[i];
    if (array != 0 && !reads) arrays_.lose(array);
  }
  for (auto& [name, value] : variables_)
    if (!constants_.contains(name)) value = {.text = {}, .number = {}, .array = {}, .members = {}};
  for (const std::string& name : managed_) {
    if (const std::size_t array = arrays_.named_in({name}); array != 0) arrays_.lose(array);
    if (values_.has(name)) values_.set(name, std::nullopt);
  }
}

std::optional<Dim3> HostCalls::dim_of(const Tokens& tokens) const {
  const auto value = values_.evaluate(tokens[0] == "{" ? with_dim3(tokens) : tokens);
  if (!value) return std::nullopt;
  Dim3 dim = value->dim;
  if (value->kind != Value::Kind::shape) {
    const std::int64_t extent = value->as_whole();
    if (extent < 1 || extent > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
    dim = {static_cast<std::uint32_t>(extent), 1, 1};
  }
  return dim.x > 0 && dim.y > 0 && dim.z > 0 ? std::optional(dim) : std::nullopt;
}

int HostCalls::line_of_token(std::size_t token) const {
  const auto position = static_cast<std::size_t>(tokens_[token].data() - source_.data());
  return 1 + static_cast<int>(std::lower_bound(line_ends_.begin(), line_ends_.end(), position) - line_ends_.begin());
}

}  // namespace warpbook::gpu
