// Host arrays: the arrays that a host program allocates, their sizes and contents, found by reading the program without running it
// (host_launch.h).
//
//     HostArrays arrays(values);
//     arrays.declare_array("h", 4, tokens_of("h[64]"));
//     arrays.call("cudaMalloc", {tokens_of("&d"), tokens_of("64 * sizeof(float)")});
//     arrays.call("cudaMemcpy", {tokens_of("d"), tokens_of("h"), …});
//     const HostArray* given = arrays.named_in(tokens_of("d"));      // 256 bytes
//
// A variable is a pointer into an array; several variables may point into the same one. SourceValues evaluates expressions and must
// outlive this object.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/host_launch.h"
#include "gpu/source_tokens.h"
#include "gpu/source_values.h"

namespace warpbook::gpu {

class HostArrays {
 public:
  /// Where a variable points.
  struct Place {
    std::int64_t element = 0;  // bytes of an element; 0: unknown
    std::size_t array = 0;     // index of the array; 0: unknown
    std::size_t extents = 0;   // dimensions of an array type: 2 for "h[4][8]"; 0 for pointers and vectors
    std::int64_t row = 0;      // elements of the last of several dimensions: 8 for "h[4][8]"
  };
  using Places = std::map<std::string, Place, std::less<>>;

  explicit HostArrays(SourceValues& values);

  /// The size in bytes of a type, as written. 0: unknown.
  [[nodiscard]] std::int64_t element_bytes(const std::string& type);

  // Declarations. `declarator`: the tokens from the name on.
  void declare_pointer(const std::string& name, std::int64_t element) {
    places_[name] = {.element = element, .array = 0, .extents = 0, .row = 0};
  }
  void declare_array(const std::string& name, std::int64_t element, const Tokens& declarator);  // "h[N][M]", perhaps with "= {0}"
  void declare_vector(const std::string& name, const std::string& type, std::string_view next, const Tokens& rest);  // "(n, 1.0f)"
  [[nodiscard]] static bool makes_memory(const Tokens& tokens);                                                      // malloc, new

  [[nodiscard]] bool has(std::string_view name) const { return places_.find(name) != places_.end(); }
  void forget(const std::string& name) { places_.erase(name); }
  /// `name` = malloc(bytes), new float[n], another pointer.
  void assign(const std::string& name, const Tokens& from);
  /// Gives the array of this variable a list's values: "{1, 2, 3}", nested for several dimensions. Missing elements are 0.
  void list(const std::string& name, const Tokens& values);
  /// "a[i] = …" in loops over these variables: finds the value of every element by evaluating a few of them. Outside loops one
  /// element changes. `certain`: not in a branch whose condition is unknown.
  void assign_element(const Tokens& target, const Tokens& from, const std::vector<std::string>& loop_variables, bool certain);
  /// Whether this function is modelled: cudaMalloc, cudaMemcpy, memset, std::fill …; other calls are ignored.
  [[nodiscard]] static bool knows(std::string_view function);
  void call(std::string_view function, const std::vector<Tokens>& given);

  /// The array that this expression points into. 0: none.
  [[nodiscard]] std::size_t named_in(const Tokens& tokens) const;
  [[nodiscard]] const HostArray& array(std::size_t number) const { return arrays_[number]; }
  void point(const std::string& name, std::size_t array) { places_[name] = {.element = 0, .array = array, .extents = 0, .row = 0}; }
  /// What is in the array is unknown from now on.
  void lose(std::size_t array) { arrays_[array].content = HostArray::Content::unknown; }

  /// The value of sizeof(array) or vector.size(), for SourceValues::ask.
  [[nodiscard]] std::optional<Value> asked(const std::string& words) const;

  /// To restore the pointers at the end of a function.
  [[nodiscard]] const Places& places() const { return places_; }
  void restore(Places places) { places_ = std::move(places); }

 private:
  HostArray& add(const std::string& name, std::int64_t element);
  [[nodiscard]] std::optional<std::uint64_t> bytes_of(const std::vector<Tokens>& factors) const;
  void allocate(const Tokens& pointer, const Tokens& size);
  void copy(const Tokens& to, const Tokens& from);
  void fill_bytes(const Tokens& to, const Tokens& byte);
  void fill_range(std::string_view how, const std::vector<Tokens>& given);
  void set_element(const Place& place, const Tokens& index, const Tokens& from);
  /// Which kind of content these elements are; `count`: of the whole array, where it is known.
  static void take_elements(HostArray& array, std::vector<double> elements, std::optional<std::uint64_t> count);

  SourceValues& values_;
  Places places_;
  std::vector<HostArray> arrays_;
  std::deque<std::string> words_;  // owns the text of tokens that are not part of the source
};

}  // namespace warpbook::gpu
