// Modifiers: the words that may follow an opcode ("rn", "ftz", "shared::cta"), in the classes that opcodes.def names, and the
// field of an Instruction that each sets. Used by opcodes.cpp only.
//
//     const WordClass* rounding = find_word_class("rnd");
//     set(decoded, rounding->words[0].field, rounding->words[0].value);
#pragma once

#include <string_view>
#include <vector>

#include "gpu/virtual/ptx/opcodes.h"

namespace warpbook::gpu::ptx {

/// Which field of an Instruction a suffix sets. `none`: the suffix says nothing that the virtual GPU needs.
enum class Field : std::uint8_t {
  none,
  rounding,
  compare,
  boolean,
  part,
  space,
  atomic,
  order,
  scope,
  shuffle,
  vote,
  barrier,
  prmt,
  testp,
  vector,
  ftz,
  sat,
  approx,
  full,
  carry_out,
  xorsign_abs,
  nan,
  uniform,
  to,
  clamp,
  wrap,
  edge,
  geometry,
  shiftamt,
  relu,
  noftz,
  non_coherent,
  aligned,
  cache_policy
};

struct Word {
  std::string_view text;  // may hold a dot: "red.popc" is two suffixes
  Field field = Field::none;
  std::uint8_t value = 1;
};

struct WordClass {
  std::string_view name;
  std::vector<Word> words;
  bool repeatable = false;
};

/// nullptr: opcodes.def names a class that there is not. Classes live as long as the program.
[[nodiscard]] const WordClass* find_word_class(std::string_view name);

[[nodiscard]] std::uint8_t get(const Instruction& instruction, Field field);  // 0: not set
void set(DecodedOpcode& decoded, Field field, std::uint8_t value);

/// What a row cannot say: which of its modifiers and types go together. Empty: this combination exists; otherwise what is wrong.
[[nodiscard]] std::string_view wrong_combination(const Instruction& instruction);

}  // namespace warpbook::gpu::ptx
