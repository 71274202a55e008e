#include "gpu/host_structs.h"

#include <algorithm>
#include <utility>

#include "gpu/host_statement.h"

namespace warpbook::gpu {
namespace {

const std::string temporary = "{}";  // not a valid name of a variable

std::size_t opening(const Tokens& tokens) {
  const auto open = std::find_if(tokens.begin(), tokens.end(), [](std::string_view token) { return one_of(token, {"{", "("}); });
  return static_cast<std::size_t>(open - tokens.begin());
}

}  // namespace

bool HostStructs::lists_members(const Tokens& tokens) {
  const std::size_t open = opening(tokens);
  if (open >= tokens.size() || behind_bracket(tokens, open) != tokens.size()) return false;
  if (tokens[open] == "(") return open == 1 && tokens[0].starts_with("make_");
  return std::all_of(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(open),
                     [](std::string_view token) { return word(token) || token == "::"; }) &&
         (open == 0 || tokens[0] != "dim3");
}

void HostStructs::declare(const std::string& name, const Tokens& from) {
  for (const std::string& path : paths_below(name)) {
    values_.names().erase(path);
    arrays_.forget(path);
  }
  if (from.empty()) return;
  if (!lists_members(from)) return copy(joined(from), name);
  const std::size_t open = opening(from);
  std::size_t position = 0;
  const Tokens inside(from.begin() + static_cast<std::ptrdiff_t>(open) + 1, from.end() - 1);
  for (const Tokens& part : split_arguments(inside)) {
    const bool designated = part.size() > 3 && part[0] == "." && part[2] == "=";
    const std::string member = designated ? std::string(part[1]) : std::to_string(position++);
    assign(name + "." + member, designated ? Tokens(part.begin() + 3, part.end()) : part);
  }
}

void HostStructs::assign(const std::string& path, const Tokens& from) {
  arrays_.forget(path);
  values_.set(path, std::nullopt);
  if (HostArrays::makes_memory(from)) {
    arrays_.declare_pointer(path, 0);
    return arrays_.assign(path, from);
  }
  if (const auto value = values_.evaluate(from)) return values_.set(path, value);
  if (const std::size_t array = points(from) ? arrays_.named_in(from) : 0; array != 0) arrays_.point(path, array);
}

void HostStructs::copy(const std::string& from, const std::string& to) {
  for (const std::string& path : paths_below(from)) {
    const std::string member = to + path.substr(from.size());
    values_.set(member, values_.get(path));
    if (const auto place = arrays_.places().find(path); place != arrays_.places().end()) arrays_.point(member, place->second.array);
  }
}

std::vector<std::string> HostStructs::paths_below(const std::string& name) const {
  std::vector<std::string> paths;
  const std::string prefix = name + ".";
  const auto collect = [&](const auto& named) {
    for (auto at = named.lower_bound(prefix); at != named.end() && at->first.starts_with(prefix); ++at) paths.push_back(at->first);
  };
  collect(values_.names());
  collect(arrays_.places());
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

std::vector<HostMember> HostStructs::members(const Tokens& tokens) {
  std::string name;
  if (lists_members(tokens)) {
    name = temporary;
    declare(name, tokens);
  } else if (!tokens.empty()) {
    std::size_t at = tokens.front() == "*" ? 1 : 0;
    if (at < tokens.size()) name = path_at(tokens, at);
    if (at + 1 != tokens.size()) return {};
  }
  std::vector<HostMember> known;
  const HostArrays::Places& places = arrays_.places();
  for (const std::string& path : paths_below(name)) {
    HostMember member{.name = path.substr(name.size() + 1), .value = {}};
    const auto value = values_.get(path);
    if (value && value->kind != Value::Kind::shape) member.value.number = value->as_real();
    if (const auto place = places.find(path); place != places.end() && place->second.array != 0)
      member.value.array = arrays_.array(place->second.array);
    known.push_back(std::move(member));
  }
  return known;
}

HostArgument HostStructs::value_of(const Tokens& tokens) {
  HostArgument argument{.text = joined(tokens), .number = {}, .array = {}, .members = {}};
  if (lists_members(tokens)) {
    argument.members = members(tokens);
  } else if (const auto value = values_.evaluate(tokens); value && value->kind != Value::Kind::shape) {
    argument.number = value->as_real();
  } else if (const std::size_t array = points(tokens) ? arrays_.named_in(tokens) : 0; array != 0) {
    argument.array = arrays_.array(array);
  } else {
    argument.members = members(tokens);
  }
  return argument;
}

}  // namespace warpbook::gpu
