// Host arrays: the memory that a host program makes, how large it is and what it puts into it, for those who read the program
// without running it (host_launch.h).
//
//     HostArrays arrays(values);
//     arrays.declare_array("h", 4, tokens_of("h[64]"));
//     arrays.call("cudaMalloc", {tokens_of("&d"), tokens_of("64 * sizeof(float)")});
//     arrays.call("cudaMemcpy", {tokens_of("d"), tokens_of("h"), …});
//     const HostArray* given = arrays.named_in(tokens_of("d"));      // 256 bytes
//
// A variable that points somewhere is one of its places; several variables may have one array. What an expression comes to is the
// SourceValues' matter, which must outlive this object.
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
  /// What a variable points to.
  struct Place {
    std::int64_t element = 0;  // bytes of an element; 0: not known
    std::size_t array = 0;     // 0: no array that is known
    std::size_t extents = 0;   // of "h[4][8]" 2; of pointers and vectors none
  };
  using Places = std::map<std::string, Place, std::less<>>;

  explicit HostArrays(SourceValues& values);

  /// Bytes of one value of a type, as written; 0: not known.
  [[nodiscard]] std::int64_t element_bytes(const std::string& type);

  // Declarations. `declarator`: from the name on.
  void declare_pointer(const std::string& name, std::int64_t element) {
    places_[name] = {.element = element, .array = 0, .extents = 0};
  }
  void declare_array(const std::string& name, std::int64_t element, const Tokens& declarator);  // "h[N][M]", "= {0}" perhaps
  void declare_vector(const std::string& name, const std::string& type, std::string_view next, const Tokens& rest);  // "(n, 1.0f)"
  [[nodiscard]] static bool makes_memory(const Tokens& tokens);                                                      // malloc, new

  [[nodiscard]] bool has(std::string_view name) const { return places_.find(name) != places_.end(); }
  void forget(const std::string& name) { places_.erase(name); }
  /// `name` = malloc(bytes), new float[n], another pointer.
  void assign(const std::string& name, const Tokens& from);
  /// "a[i] = …" in loops over these variables: what it puts into every element, seen at some of them.
  void assign_element(const Tokens& target, const Tokens& from, const std::vector<std::string>& loop_variables);
  /// cudaMalloc, cudaMemcpy, memset, std::fill …; others change nothing.
  [[nodiscard]] static bool knows(std::string_view function);
  void call(std::string_view function, const std::vector<Tokens>& given);

  /// Number of the array that these words name; 0: none.
  [[nodiscard]] std::size_t named_in(const Tokens& tokens) const;
  [[nodiscard]] const HostArray& array(std::size_t number) const { return arrays_[number]; }
  void point(const std::string& name, std::size_t array) { places_[name] = {.element = 0, .array = array, .extents = 0}; }

  /// sizeof of an array, size() of a vector, as SourceValues::ask has it.
  [[nodiscard]] std::optional<Value> asked(const std::string& words) const;

  /// To go back to behind a function's end.
  [[nodiscard]] Places places() const { return places_; }
  void restore(Places places) { places_ = std::move(places); }

 private:
  HostArray& add(const std::string& name, std::int64_t element);
  [[nodiscard]] std::optional<std::uint64_t> bytes_of(const std::vector<Tokens>& factors) const;
  void allocate(const Tokens& pointer, const Tokens& size);
  void copy(const Tokens& to, const Tokens& from);
  void fill_bytes(const Tokens& to, const Tokens& byte);
  void fill_range(std::string_view how, const std::vector<Tokens>& given);

  SourceValues& values_;
  Places places_;
  std::vector<HostArray> arrays_;
  std::deque<std::string> words_;  // what tokens of ours are views of
};

}  // namespace warpbook::gpu
