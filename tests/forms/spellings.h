// Every spelling of every row of opcodes.def: "add.rz.ftz.sat.f32". For tests that walk all forms, and for the page of forms.
//
//     for (const Spelling& s : spellings_of(ptx::row(ptx::Opcode::add)))
//       if (s.has("ftz")) s.text …                          // "add.rn.ftz.f32"
//
// The words are kept as written, so that a test does not depend on the decoder's interpretation. Spellings that the decoder refuses
// are left out, and so are cache hints, which change no value. Of synonyms ("shared", "shared::cta") each is used in one spelling
// for each pair of types.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/virtual/ptx/opcodes.h"

namespace warpbook::gpu::test {

struct Spelling {
  const ptx::OpcodeRow* row = nullptr;
  std::string text;
  std::vector<std::string_view> words;  // suffixes that are not types
  ptx::Type type = ptx::Type::none, type2 = ptx::Type::none, type3 = ptx::Type::none;

  [[nodiscard]] bool has(std::string_view word) const { return std::find(words.begin(), words.end(), word) != words.end(); }
  [[nodiscard]] std::string form() const;  // opcode and types: "cvt.u8.f32"
};

[[nodiscard]] std::vector<Spelling> spellings_of(const ptx::OpcodeRow& row);

}  // namespace warpbook::gpu::test
