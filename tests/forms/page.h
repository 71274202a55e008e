// The page of forms: what the virtual GPU executes and which forms are proven. Every spelling is run for it, as in forms_test.
//
//     Bench bench;
//     Proof proof = prove(bench, ptx::row(ptx::Opcode::add));
//     std::string page = page_of(bench);     // of all rows, as Markdown
#pragma once

#include <string>

#include "tests/forms/prover.h"

namespace warpbook::gpu::test {

/// Of one row.
struct Proof {
  std::string_view prover;  // empty: none
  std::vector<Spelling> spellings;
  Outcome outcome;
};

[[nodiscard]] Proof prove(Bench& bench, const ptx::OpcodeRow& row);
[[nodiscard]] std::string page_of(Bench& bench);

}  // namespace warpbook::gpu::test
