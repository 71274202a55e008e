// The forms of the opcode table as lists, for tests that run all of them.
//
//     for (const OpcodeRow& row : opcode_table())
//       for (Type type : forms_of(row).types) …
//
//     text_of(row, Type::f32, Type::none, {"rn", "ftz"})   // "add.rn.ftz.f32"
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/virtual/ptx/opcodes.h"

namespace warpbook::gpu::ptx::test {

/// A class of suffixes that a row permits.
struct Suffix {
  std::string_view name;                // the class: "rnd"
  std::vector<std::string_view> words;  // "rn" …; empty: types
  enum class Kind { words, type, type2 } kind = Kind::words;
  bool required = false;
  std::vector<Type> only;  // only with these types; empty: with all
  [[nodiscard]] bool goes_with(Type type) const;
};

struct RowForms {
  std::vector<Type> types, types2;  // { Type::none } if the row has none
  std::vector<Suffix> suffixes;     // in the order in which they are printed
};

[[nodiscard]] RowForms forms_of(const OpcodeRow& row);

/// words: by suffix of `forms`, empty where it is left out.
[[nodiscard]] std::string text_of(const OpcodeRow& row, const RowForms& forms, Type type, Type type2,
                                  std::span<const std::string_view> words);

}  // namespace warpbook::gpu::ptx::test
