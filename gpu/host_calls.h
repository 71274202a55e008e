// Host calls: what a host program gives to the device: kernel launches, and values of device variables. For host_reader.cpp only;
// host_launch.h says what is followed.
//
//     HostCalls calls(source, tokens, values, arrays, structs);
//     calls.kernel("add", tokens_of("const float* a, float* b"));
//     calls.launches(begin, end);                              // of a statement's tokens: add<<<1, 32>>>(a, b)
//     std::vector<HostLaunch> all = calls.take();
//
// All arguments of the constructor must outlive this object.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/host_arrays.h"
#include "gpu/host_launch.h"
#include "gpu/host_structs.h"
#include "gpu/source_tokens.h"
#include "gpu/source_values.h"

namespace warpbook::gpu {

class HostCalls {
 public:
  HostCalls(std::string_view source, const Tokens& tokens, SourceValues& values, HostArrays& arrays, HostStructs& structs);

  // Declarations of the source.
  void kernel(const std::string& name, const Tokens& parameters);
  void constant(const std::string& name) { constants_.insert(name); }
  void managed(const std::string& name) { managed_.push_back(name); }

  /// cudaMemcpyToSymbol(variable, source, bytes, offset). `certain`: not in a branch whose condition is unknown.
  void fills_variable(const std::vector<Tokens>& given, bool certain);
  void forget_variables() { variables_.clear(); }

  /// Records the launches in a statement, from its first token to behind its last. A place in the source counts once.
  void launches(std::size_t begin, std::size_t end);

  /// All launches, in the order in which they were recorded.
  [[nodiscard]] std::vector<HostLaunch> take() { return std::move(launches_); }

 private:
  [[nodiscard]] std::string_view at(std::size_t i) const { return i < tokens_.size() ? tokens_[i] : std::string_view(); }
  [[nodiscard]] Tokens part(std::size_t begin, std::size_t end) const { return part_of(tokens_, begin, end); }
  [[nodiscard]] HostLaunch launch(std::string kernel, std::size_t token, const std::vector<Tokens>& shape,
                                  const std::vector<Tokens>& given);
  [[nodiscard]] std::vector<HostMember> variables_now();
  void lose_what_it_writes(const std::string& kernel, const std::vector<Tokens>& given);
  [[nodiscard]] std::optional<Dim3> dim_of(const Tokens& tokens) const;
  [[nodiscard]] int line_of_token(std::size_t token) const;

  const std::string_view source_;
  const Tokens& tokens_;
  SourceValues& values_;
  HostArrays& arrays_;
  HostStructs& structs_;
  std::map<std::string, std::vector<bool>, std::less<>> kernels_;  // of each parameter: whether it is only read
  std::map<std::string, HostArgument> variables_;                  // that cudaMemcpyToSymbol filled
  std::set<std::string> constants_;                                // names of __constant__ variables
  std::vector<std::string> managed_;                               // names of __managed__ variables
  std::set<std::size_t> seen_;                                     // tokens of launches that were recorded
  std::vector<HostLaunch> launches_;
  std::vector<std::size_t> line_ends_;
};

}  // namespace warpbook::gpu
