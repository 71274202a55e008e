// ArgumentSpec: one argument of a kernel as text: an `--arg` of `warpbook launch`, a row of the playground.
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
//              @FILE               .npy, .png, .csv: as array_file.h says; in a struct without a comma in its name
//     struct   {SPEC,SPEC,…}         by value: its members in their order; an array is a pointer to it, braces a struct in it
//                                    {int32=16,int32=16,float32[16x16]=zeros}
// SEED may be left out and is then 0. Errors are usage errors (code "usage"): a sentence with the offending text and an example.
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
  enum class Content : std::uint8_t { value, iota, uniform, normal, file };

  std::string text;  // as typed
  gpu::ScalarType type = gpu::ScalarType::int32;
  bool is_array = false;
  std::vector<std::size_t> shape;  // slowest dimension first; empty for a scalar
  Content content = Content::value;
  gpu::Scalar value;             // Content::value
  double first = 0, second = 0;  // uniform: LO and HI; normal: MEAN and SD
  std::uint64_t seed = 0;
  std::string file;
  std::vector<ArgumentSpec> members;  // of a struct, which has at least one; of it all else but `text` means nothing

  [[nodiscard]] bool is_struct() const { return !members.empty(); }
  [[nodiscard]] gpu::Array array(std::string name = {}) const { return {std::move(name), type, shape}; }
  /// "int32[64x64]", "float32" or "{int32, float32[8]}": what messages call it.
  [[nodiscard]] std::string type_text() const;
};

[[nodiscard]] Result<ArgumentSpec> parse_argument_spec(std::string_view text);

/// What an array holds before the launch, or a scalar's bytes; reads the file of Content::file. A struct: argument_parts.h.
[[nodiscard]] Result<std::vector<std::byte>> initial_bytes(const ArgumentSpec& spec);

/// A number of this type, range-checked: "300" is no int8.
[[nodiscard]] Result<gpu::Scalar> parse_scalar(gpu::ScalarType type, std::string_view text);

}  // namespace warpbook::lessons
