// The page of forms: what the virtual GPU executes, and what was proven of it. Every spelling is run for it, as forms_test does.
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
  std::string_view prover;  // empty: nobody
  std::vector<Spelling> spellings;
  Outcome outcome;
};

[[nodiscard]] Proof prove(Bench& bench, const ptx::OpcodeRow& row);
[[nodiscard]] std::string page_of(Bench& bench);

}  // namespace warpbook::gpu::test
