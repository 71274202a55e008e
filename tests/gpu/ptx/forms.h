// The forms of the opcode table, for tests that walk all of them: what opcodes.def says of a row, as lists.
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

/// One class of suffixes that a row allows.
struct Suffix {
  std::string_view name;                // the class: "rnd"
  std::vector<std::string_view> words;  // "rn" …; empty where types stand
  enum class Kind { words, type, type2 } kind = Kind::words;
  bool required = false;
  std::vector<Type> only;  // with these types; empty: with all
  [[nodiscard]] bool goes_with(Type type) const;
};

struct RowForms {
  std::vector<Type> types, types2;  // { Type::none } where the row has none
  std::vector<Suffix> suffixes;     // in the order in which they are printed
};

[[nodiscard]] RowForms forms_of(const OpcodeRow& row);

/// words: by suffix of `forms`, empty where it is left out.
[[nodiscard]] std::string text_of(const OpcodeRow& row, const RowForms& forms, Type type, Type type2,
                                  std::span<const std::string_view> words);

}  // namespace warpbook::gpu::ptx::test
