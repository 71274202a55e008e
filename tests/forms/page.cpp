#include "tests/forms/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace warpbook::gpu::test {

Proof prove(Bench& bench, const ptx::OpcodeRow& row) {
  Proof proof{.prover = {}, .spellings = spellings_of(row), .outcome = {}};
  const auto prover = std::find_if(provers().begin(), provers().end(), [&](const Prover& p) { return p.knows(row); });
  if (prover == provers().end()) return proof;
  proof.prover = prover->name;
  proof.outcome = prover->prove(bench, proof.spellings);
  return proof;
}

namespace {

/// How many of a form's (or a suffix's) spellings agreed.
struct Count {
  std::size_t agreed = 0, all = 0;
  [[nodiscard]] bool proven() const { return agreed == all; }
};

template <class Map>
std::size_t proven_in(const Map& counts) {
  return static_cast<std::size_t>(
      std::count_if(counts.begin(), counts.end(), [](const auto& entry) { return entry.second.proven(); }));
}

}  // namespace

std::string page_of(Bench& bench) {
  std::string rows;
  Count forms, suffixes, spellings;
  for (const ptx::OpcodeRow& row : ptx::opcode_table()) {
    const Proof proof = prove(bench, row);
    const std::set<std::string> agreed(proof.outcome.agreed.begin(), proof.outcome.agreed.end());
    std::map<std::string, Count> by_form, by_word;
    for (const Spelling& s : proof.spellings) {
      const bool good = agreed.contains(s.text);
      const auto count = [&](Count& at) { at.agreed += good, ++at.all; };
      count(by_form[s.form()]);
      count(spellings);
      for (const std::string_view word : s.words) count(by_word[std::string(word)]);
    }
    forms.agreed += proven_in(by_form), forms.all += by_form.size();
    suffixes.agreed += proven_in(by_word), suffixes.all += by_word.size();
    rows += fmt::format("\n## {}\n\nOperands: `{}`. Oracle: `tests/forms/{}.cpp`.\n\n", row.spelling,
                        row.shape.empty() ? "none" : row.shape, proof.prover);
    std::string list;
    for (const auto& [form, count] : by_form)
      list += fmt::format("{}`{}`{}", list.empty() ? "" : ", ", form, count.proven() ? "" : " (**unproven**)");
    rows += fmt::format("{}; {} of {} spellings agree.\n", list, agreed.size(), proof.spellings.size());
    list.clear();
    for (const auto& [word, count] : by_word)
      list += fmt::format("{}`.{}`{}", list.empty() ? "" : ", ", word, count.proven() ? "" : " (**unproven**)");
    if (!list.empty()) rows += fmt::format("\nSuffixes: {}.\n", list);
  }
  return fmt::format(
             "# What the virtual GPU executes\n\nMade by `script/test --forms`, which runs every spelling on edge values and "
             "random ones "
             "and compares each lane with an oracle written from the text of the PTX ISA. {} opcodes; {} of {} combinations of "
             "opcode and "
             "types, {} of {} suffixes, and {} of {} spellings of them together agree in every lane. Hints to caches (`.ca`, "
             "`.L2::evict_last` …) change no value and are not counted.\n"
             "\nWritten out in these when they are read: `mov.v2` and `.v4`, `!%p` and `%r + 1` as operands, `shfl` and `vote` "
             "without "
             "`.sync` (`compound_forms.ptx`, `votes_of_warps_in_step.ptx`), `.f32x2`, `.f32.f16`, `.f32.bf16` and `min` and `max` "
             "of three "
             "(`floats_of_sm_100.ptx`), `cp.async.bulk`, `cp.reduce.async.bulk`, `st.async`, "
             "`red.async` (`copies_on_the_side.ptx`, all in `tests/cases/launch`).\n",
             ptx::opcode_table().size(), forms.agreed, forms.all, suffixes.agreed, suffixes.all, spellings.agreed, spellings.all) +
         rows;
}

}  // namespace warpbook::gpu::test
