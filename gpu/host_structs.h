// Host structs: the members of a host program's struct variables, found by reading the program without running it (host_launch.h).
//
//     HostStructs structs(values, arrays);
//     structs.declare("p", tokens_of("{4, 0.5f, d_x}"));                  // Params p = {4, 0.5f, d_x};
//     structs.assign("p.n", tokens_of("8"));                              // p.n = 8;
//     std::vector<HostMember> known = structs.members(tokens_of("p"));    // "0", "1", "2" and "n"
//
// A member is kept as a variable of its own, "p.n": a number in SourceValues, an array in HostArrays; both must outlive this
// object. A list gives members by position ("p.0"), since the order of a struct's members is not known here.
#pragma once

#include <string>
#include <vector>

#include "gpu/host_arrays.h"
#include "gpu/host_launch.h"
#include "gpu/source_tokens.h"
#include "gpu/source_values.h"

namespace warpbook::gpu {

class HostStructs {
 public:
  HostStructs(SourceValues& values, HostArrays& arrays) : values_(values), arrays_(arrays) {}

  /// Whether these tokens give all members of a struct: "{1, 2}", "{.n = 1}", "Params{1, 2}", "make_float3(1, 2, 3)".
  [[nodiscard]] static bool lists_members(const Tokens& tokens);

  /// Declares a variable with such a list, or as a copy of another. No tokens: without values.
  void declare(const std::string& name, const Tokens& from);
  /// "p.n = …"
  void assign(const std::string& path, const Tokens& from);
  /// Gives a struct's members to another variable.
  void copy(const std::string& from, const std::string& to);

  /// What is known of the struct in this expression: a variable's name, or a list. Empty: nothing.
  [[nodiscard]] std::vector<HostMember> members(const Tokens& tokens);

  /// The value of an argument: a number, an array, or a struct with its members.
  [[nodiscard]] HostArgument value_of(const Tokens& tokens);

 private:
  [[nodiscard]] std::vector<std::string> paths_below(const std::string& name) const;

  SourceValues& values_;
  HostArrays& arrays_;
};

}  // namespace warpbook::gpu
