#include "tests/gpu/ptx/forms.h"

#include <algorithm>

#include "gpu/virtual/ptx/modifiers.h"

namespace warpbook::gpu::ptx::test {
namespace {

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(at), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::vector<Type> types_in(std::string_view list, char separator) {
  using enum Type;
  std::vector<Type> types;
  const auto add = [&](std::initializer_list<Type> more) { types.insert(types.end(), more); };
  for (const std::string_view name : split(list, separator)) {
    if (name == "b")
      add({b16, b32, b64});
    else if (name == "i")
      add({u16, s16, u32, s32, u64, s64});
    else if (name == "f")
      add({f32, f64});
    else if (name == "h")
      add({f16, f16x2, bf16, bf16x2});
    else
      add({type_of(name)});
  }
  return types;
}

}  // namespace

bool Suffix::goes_with(Type type) const { return only.empty() || std::find(only.begin(), only.end(), type) != only.end(); }

RowForms forms_of(const OpcodeRow& row) {
  RowForms forms;
  const std::vector<std::string_view> lists = split(row.types, '/');
  if (!lists.empty()) forms.types = types_in(lists[0], ' ');
  if (lists.size() > 1) forms.types2 = types_in(lists[1], ' ');
  if (forms.types.empty()) forms.types = {Type::none};
  if (forms.types2.empty()) forms.types2 = {Type::none};
  for (std::string_view item : split(row.modifiers, ' ')) {
    Suffix suffix;
    suffix.required = item.starts_with('!');
    if (suffix.required) item.remove_prefix(1);
    if (const std::size_t colon = item.find(':'); colon != item.npos) {
      suffix.only = types_in(item.substr(colon + 1), ',');
      item = item.substr(0, colon);
    }
    suffix.name = item;
    if (item == "T" || item == "T?" || item == "U") {
      suffix.kind = item == "U" ? Suffix::Kind::type2 : Suffix::Kind::type;
      suffix.required = item != "T?";
    } else if (item == "X" || item == "X?") {  // a third type: cvt.pack has one
      suffix.required = item == "X";
      for (const Type third : types_in(lists.at(2), ' ')) suffix.words.push_back(name_of(third));
    } else if (const WordClass* words = find_word_class(item)) {
      for (const Word& word : words->words) suffix.words.push_back(word.text);
    }
    forms.suffixes.push_back(std::move(suffix));
  }
  return forms;
}

std::string text_of(const OpcodeRow& row, const RowForms& forms, Type type, Type type2, std::span<const std::string_view> words) {
  std::string text(row.spelling);
  for (std::size_t s = 0; s < forms.suffixes.size(); ++s) {
    const Type here = forms.suffixes[s].kind == Suffix::Kind::type2 ? type2 : type;
    const std::string_view word = forms.suffixes[s].kind == Suffix::Kind::words                             ? words[s]
                                  : here == Type::none || (!forms.suffixes[s].required && words[s].empty()) ? std::string_view()
                                                                                                            : name_of(here);
    if (!word.empty()) text.append(1, '.').append(word);
  }
  return text;
}

}  // namespace warpbook::gpu::ptx::test
