// ArgumentSpec: a kernel's argument as text: an `--arg` of `warpbook launch`, or a row of the playground.
//
//     Result<ArgumentSpec> spec = parse_argument_spec("float32[2000x2000]=uniform:0:1:7");
//     Result<std::vector<std::byte>> bytes = initial_bytes(*spec);     // row-major, spec->array().bytes() of them
//
// The grammar, in kernel-parameter order on the command line:
//     scalar   TYPE=NUMBER                       int32=5   float32=0.25
//     array    TYPE[N], TYPE[NxM…] = CONTENT     int32[4096]=iota   float32[64x64]=zeros
//     CONTENT  iota                0, 1, 2 …; integers wrap to their type
//              uniform:LO:HI:SEED  LO ≤ value < HI, integers too (generators.h)
//              normal:MEAN:SD:SEED integers are rounded to the nearest and clamped to their type
//              zeros | ones | NUMBER
//              NUMBER,NUMBER,…     each element, in order: int32[3]=4,8,15
//              @FILE               .npy, .png, .csv (array_file.h); inside a struct the file's name must not contain a comma
//     struct   {SPEC,SPEC,…}         by value: the specs of its members; an array stands for a pointer, braces for a nested struct
//                                    {int32=16,int32=16,float32[16x16]=zeros}
// SEED is optional; the default is 0. Errors are usage errors (code "usage"): a sentence with the wrong text and an example.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/result.h"
#include "gpu/types.h"

namespace warpbook::lessons {

struct ArgumentSpec {
  enum class Content : std::uint8_t { value, iota, uniform, normal, file, list };

  std::string text;  // as typed
  gpu::ScalarType type = gpu::ScalarType::int32;
  bool is_array = false;
  std::vector<std::size_t> shape;  // slowest dimension first; empty for a scalar
  Content content = Content::value;
  gpu::Scalar value;             // Content::value
  double first = 0, second = 0;  // uniform: LO and HI; normal: MEAN and SD
  std::uint64_t seed = 0;
  std::string file;
  std::vector<gpu::Scalar> elements;  // Content::list: as many as the shape says
  std::vector<ArgumentSpec> members;  // of a struct, not empty; then only `text` has a meaning besides

  [[nodiscard]] bool is_struct() const { return !members.empty(); }
  [[nodiscard]] gpu::Array array(std::string name = {}) const { return {std::move(name), type, shape}; }
  /// The type in messages: "int32[64x64]", "float32" or "{int32, float32[8]}".
  [[nodiscard]] std::string type_text() const;
};

[[nodiscard]] Result<ArgumentSpec> parse_argument_spec(std::string_view text);

/// The initial contents of an array, or a scalar's bytes. Reads the file of Content::file. For a struct see argument_parts.h.
[[nodiscard]] Result<std::vector<std::byte>> initial_bytes(const ArgumentSpec& spec);

/// Parses a number of this type, with a range check: "300" is not an int8.
[[nodiscard]] Result<gpu::Scalar> parse_scalar(gpu::ScalarType type, std::string_view text);

}  // namespace warpbook::lessons
