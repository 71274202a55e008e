#include "tests/forms/spellings.h"

#include <fmt/format.h>

#include "tests/gpu/ptx/forms.h"

namespace warpbook::gpu::test {

using ptx::Type;
using ptx::test::RowForms;
using ptx::test::Suffix;

std::string Spelling::form() const {
  std::string name(row->spelling);
  for (const Type t : {type, type2})
    if (t != Type::none) name.append(1, '.').append(name_of(t));
  return name;
}

namespace {

/// What stands at each suffix of the row: 0 nothing, n the nth word.
using Choice = std::vector<std::size_t>;

Spelling spelling_of(const ptx::OpcodeRow& row, const RowForms& forms, Type type, Type type2, const Choice& choice) {
  Spelling s{.row = &row, .text = {}, .words = {}, .type = type, .type2 = type2};
  std::vector<std::string_view> words(choice.size());
  for (std::size_t at = 0; at < choice.size(); ++at) {
    const Suffix& suffix = forms.suffixes[at];
    if (suffix.kind != Suffix::Kind::words) {
      words[at] = "T";
    } else if (choice[at]) {
      words[at] = suffix.words[choice[at] - 1];
      if (suffix.name == "X" || suffix.name == "X?")
        s.type3 = ptx::type_of(words[at]);
      else
        s.words.push_back(words[at]);
    }
  }
  s.text = text_of(row, forms, type, type2, words);
  return s;
}

}  // namespace

std::vector<Spelling> spellings_of(const ptx::OpcodeRow& row) {
  const RowForms forms = ptx::test::forms_of(row);
  std::vector<Spelling> all;
  for (const Type type : forms.types)
    for (const Type type2 : forms.types2) {
      Choice choice(forms.suffixes.size(), 0);
      std::size_t at = 0;
      do {
        Spelling s = spelling_of(row, forms, type, type2, choice);
        if (ptx::decode_opcode(s.text)) all.push_back(std::move(s));
        for (at = 0; at < choice.size(); ++at) {
          const Suffix& suffix = forms.suffixes[at];
          if (suffix.kind != Suffix::Kind::words || suffix.name == "cache" || !suffix.goes_with(type)) continue;
          if (++choice[at] <= suffix.words.size()) break;
          choice[at] = 0;
        }
      } while (at < choice.size());
    }
  return all;
}

}  // namespace warpbook::gpu::test
