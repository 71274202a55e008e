#include "gpu/host_arrays.h"

#include <algorithm>
#include <array>
#include <utility>

#include "gpu/host_statement.h"
#include "gpu/text.h"

namespace warpbook::gpu {
namespace {

using Content = HostArray::Content;

Tokens inside(const Tokens& tokens, std::size_t open) {
  const std::size_t behind = behind_bracket(tokens, open);
  return {tokens.begin() + static_cast<std::ptrdiff_t>(open) + 1, tokens.begin() + static_cast<std::ptrdiff_t>(behind) - 1};
}

bool is_random(std::string_view token) {
  return token.starts_with("rand") || one_of(token, {"drand48", "dist", "distribution", "dis", "gen", "rng", "engine"});
}

bool allocates(std::string_view function) {
  return one_of(function, {"cudaMalloc", "cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc", "cudaMallocAsync"});
}
bool copies(std::string_view function) { return one_of(function, {"cudaMemcpy", "cudaMemcpyAsync", "memcpy"}); }
bool sets_bytes(std::string_view function) { return one_of(function, {"cudaMemset", "memset", "cudaMemsetAsync"}); }
bool fills_range(std::string_view function) { return one_of(function, {"fill", "iota", "generate"}); }

}  // namespace

HostArrays::HostArrays(SourceValues& values) : values_(values) { arrays_.emplace_back(); }  // number 0 means none

std::int64_t HostArrays::element_bytes(const std::string& type) {
  const auto size = values_.evaluate(tokens_of(words_.emplace_back("sizeof(" + type + ")")));
  return size ? size->as_whole() : 0;
}

HostArray& HostArrays::add(const std::string& name, std::int64_t element) {
  places_[name] = {.element = element, .array = arrays_.size(), .extents = 0, .row = 0};
  return arrays_.emplace_back();
}

std::optional<std::uint64_t> HostArrays::bytes_of(const std::vector<Tokens>& factors) const {
  std::int64_t bytes = 1;
  for (const Tokens& factor : factors) {
    const auto value = values_.evaluate(factor);
    if (!value || __builtin_mul_overflow(bytes, value->as_whole(), &bytes)) return std::nullopt;
  }
  return bytes > 0 ? std::optional(static_cast<std::uint64_t>(bytes)) : std::nullopt;
}

void HostArrays::declare_array(const std::string& name, std::int64_t element, const Tokens& declarator) {
  std::vector<Tokens> extents;
  std::size_t k = 1;
  while (k < declarator.size() && declarator[k] == "[") {
    extents.push_back(inside(declarator, k));
    k = behind_bracket(declarator, k);
  }
  const auto count = bytes_of(extents);
  HostArray& array = add(name, element);
  places_[name].extents = extents.size();
  if (extents.size() > 1)
    if (const auto row = values_.evaluate(extents.back())) places_[name].row = row->as_whole();
  if (count && element > 0) array.bytes = *count * static_cast<std::uint64_t>(element);
  if (k < declarator.size() && declarator[k] == "=") ++k;
  if (k == declarator.size()) return;
  if (declarator[k] == "{") return list(name, Tokens(declarator.begin() + static_cast<std::ptrdiff_t>(k), declarator.end()));
  array.content = Content::unknown;
}

void HostArrays::list(const std::string& name, const Tokens& values) {
  const Place place = places_[name];
  HostArray& array = arrays_[place.array];
  array.content = Content::unknown;
  std::vector<double> elements;
  const auto take = [&](const Tokens& one) {
    const auto value = elements.size() < most_listed_elements ? values_.evaluate(one) : std::nullopt;
    if (value) elements.push_back(value->as_real());
    return value.has_value();
  };
  for (const Tokens& part : split_at_commas(inside(values, 0))) {
    if (part.empty()) continue;  // a comma at the end
    if (part[0] != "{") {
      if (!take(part)) return;
      continue;
    }
    const std::size_t end = elements.size() + static_cast<std::size_t>(std::max<std::int64_t>(place.row, 0));
    if (place.row <= 0 || end > most_listed_elements) return;
    for (const Tokens& one : split_at_commas(inside(part, 0)))
      if (!one.empty() && !take(one)) return;
    if (elements.size() > end) return;
    elements.resize(end);
  }
  if (place.element > 0 && !array.bytes && !elements.empty())  // "h[]": as many as the list has
    array.bytes = elements.size() * static_cast<std::uint64_t>(place.element);
  const bool counted = array.bytes && place.element > 0;
  take_elements(array, std::move(elements),
                counted ? std::optional(*array.bytes / static_cast<std::uint64_t>(place.element)) : std::nullopt);
}

void HostArrays::take_elements(HostArray& array, std::vector<double> elements, std::optional<std::uint64_t> count) {
  const double first = elements.empty() ? 0 : elements.front();
  const bool zeros = std::all_of(elements.begin(), elements.end(), [](double value) { return value == 0; });
  array.elements.clear();
  array.content = Content::value;
  array.value = 0;
  if (zeros) return;
  array.content = Content::unknown;
  if (!count || *count > most_listed_elements || elements.size() > *count) return;
  elements.resize(*count);
  const bool same = std::all_of(elements.begin(), elements.end(), [&](double value) { return value == first; });
  bool counts = true;
  for (std::size_t i = 0; i < elements.size(); ++i) counts = counts && elements[i] == static_cast<double>(i);
  array.content = same ? Content::value : counts ? Content::iota : Content::list;
  array.value = first;
  if (array.content == Content::list) array.elements = std::move(elements);
}

void HostArrays::set_element(const Place& place, const Tokens& index, const Tokens& from) {
  HostArray& array = arrays_[place.array];
  const Content before = std::exchange(array.content, Content::unknown);
  const auto at = values_.evaluate(index), value = values_.evaluate(from);
  if (!at || !value || !array.bytes || place.element <= 0) return;
  const std::uint64_t count = *array.bytes / static_cast<std::uint64_t>(place.element);
  const std::int64_t element = at->as_whole();
  if (before == Content::unknown || before == Content::random || count > most_listed_elements) return;
  if (element < 0 || static_cast<std::uint64_t>(element) >= count) return;
  std::vector<double> elements = std::move(array.elements);
  elements.resize(count, before == Content::value ? array.value : 0);
  for (std::size_t i = 0; i < count && before == Content::iota; ++i) elements[i] = static_cast<double>(i);
  elements[static_cast<std::size_t>(element)] = value->as_real();
  take_elements(array, std::move(elements), count);
}

void HostArrays::declare_vector(const std::string& name, const std::string& type, std::string_view next, const Tokens& rest) {
  const std::size_t open = type.find('<'), close = type.rfind('>');
  const bool named = open != std::string::npos && close != std::string::npos;
  const std::string inside = named ? type.substr(open + 1, close - open - 1) : std::string();
  const std::size_t comma = std::min(inside.find(','), inside.size());  // std::array<float, 3>
  const std::int64_t element = named ? element_bytes(inside.substr(0, comma)) : 0;
  HostArray& array = add(name, element);
  if (comma < inside.size())
    if (const auto count = bytes_of({tokens_of(words_.emplace_back(inside.substr(comma + 1)))}); count && element > 0)
      array.bytes = *count * static_cast<std::uint64_t>(element);
  if (const auto brace = std::find(rest.begin(), rest.end(), "{"); next == "{" || (next == "=" && brace == rest.begin())) {
    Tokens values(rest);
    if (next == "{") values.insert(values.begin(), "{");
    return list(name, values);
  }
  if (next != "(" || rest.empty()) return;
  const std::vector<Tokens> given = split_at_commas(Tokens(rest.begin(), rest.end() - 1));
  const auto count = given.empty() ? std::nullopt : bytes_of({given[0]});
  if (count && element > 0) array.bytes = *count * static_cast<std::uint64_t>(element);
  const auto value = given.size() > 1 ? values_.evaluate(given[1]) : std::optional(Value::of(0));
  array.content = value ? Content::value : Content::unknown;
  if (value) array.value = value->as_real();
}

bool HostArrays::makes_memory(const Tokens& tokens) {
  return std::any_of(tokens.begin(), tokens.end(), [](std::string_view t) { return one_of(t, {"malloc", "calloc", "new"}); });
}

void HostArrays::assign(const std::string& name, const Tokens& from) {
  const std::int64_t element = places_[name].element;
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (k + 1 < from.size() && from[k + 1] == "(" && one_of(from[k], {"malloc", "calloc"})) {
      const auto bytes = bytes_of(split_at_commas(inside(from, k + 1)));
      HostArray& array = add(name, element);
      array.bytes = bytes;
      if (from[k] == "calloc") array.content = Content::value;
      return;
    }
    if (from[k] != "new") continue;
    const auto open = std::find(from.begin() + static_cast<std::ptrdiff_t>(k), from.end(), "[");
    if (open == from.end()) return;
    const std::int64_t each = element_bytes(joined(Tokens(from.begin() + static_cast<std::ptrdiff_t>(k) + 1, open)));
    const auto count = bytes_of({inside(from, static_cast<std::size_t>(open - from.begin()))});
    HostArray& array = add(name, each);
    if (count && each > 0) array.bytes = *count * static_cast<std::uint64_t>(each);
    return;
  }
  places_[name].array = named_in(from);
}

std::size_t HostArrays::named_in(const Tokens& tokens) const {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view first = tokens[i];
    if (const std::string path = path_at(tokens, i); !path.empty())
      for (const std::string_view name : {std::string_view(path), first})
        if (const auto found = places_.find(name); found != places_.end() && found->second.array != 0) return found->second.array;
  }
  return 0;
}

void HostArrays::assign_element(const Tokens& target, const Tokens& from, const std::vector<std::string>& loop_variables,
                                bool certain) {
  const auto place = places_.find(target[0]);
  if (place == places_.end() || place->second.array == 0) return;
  HostArray& array = arrays_[place->second.array];
  const bool one_index = behind_bracket(target, 1) == target.size();
  if (loop_variables.empty() && one_index && certain)
    return set_element(place->second, Tokens(target.begin() + 2, target.end() - 1), from);
  array.content = Content::unknown;
  if (loop_variables.empty() || !one_index) return;
  if (std::any_of(from.begin(), from.end(), is_random)) {
    array.content = Content::random;
    return;
  }
  const Tokens index(target.begin() + 2, target.end() - 1);
  constexpr std::array<std::int64_t, 5> tried{3, 0, 7, 12, 4099};
  bool same = true, counts = true;
  std::optional<double> first;
  const auto names = values_.names();
  for (std::size_t k = 0; k < tried.size(); ++k) {
    for (std::size_t v = 0; v < loop_variables.size(); ++v)
      values_.set(loop_variables[v], Value::of(tried[k] + static_cast<std::int64_t>(v * k)));
    const auto value = values_.evaluate(from), element = values_.evaluate(index);
    same = same && value && (!first || *first == value->as_real());
    counts = counts && value && element && value->as_real() == element->as_real();
    if (value && !first) first = value->as_real();
  }
  values_.names() = names;
  if (same && first) {
    array.content = Content::value;
    array.value = *first;
  } else if (counts) {
    array.content = Content::iota;
  }
}

bool HostArrays::knows(std::string_view function) {
  return allocates(function) || copies(function) || sets_bytes(function) || fills_range(function);
}

void HostArrays::call(std::string_view function, const std::vector<Tokens>& given) {
  if (given.size() >= 2 && allocates(function)) return allocate(given[0], given[1]);
  if (given.size() < 3) return;
  if (copies(function)) return copy(given[0], given[1]);
  if (sets_bytes(function)) return fill_bytes(given[0], given[1]);
  if (fills_range(function)) return fill_range(function, given);
}

void HostArrays::allocate(const Tokens& pointer, const Tokens& size) {
  std::string name;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == "[") break;
    const std::string_view first = pointer[i];
    if (std::string path = path_at(pointer, i); !path.empty() && !qualifier(first) && !fundamental(first)) name = std::move(path);
  }
  if (name.empty()) return;
  const auto bytes = bytes_of({size});
  add(name, places_[name].element).bytes = bytes;
}

/// The contents that the host stored in the source array are unknown.
void HostArrays::copy(const Tokens& to, const Tokens& from) {
  const std::size_t target = named_in(to), origin = named_in(from);
  if (target == 0 || target == origin) return;
  const HostArray& source = arrays_[origin];
  arrays_[target].content = source.content == Content::none ? Content::unknown : source.content;
  arrays_[target].value = source.value;
  arrays_[target].elements = source.elements;
}

void HostArrays::fill_bytes(const Tokens& to, const Tokens& byte) {
  const std::size_t target = named_in(to);
  if (target == 0) return;
  const auto value = values_.evaluate(byte);
  arrays_[target].content = value && !value->truth() ? Content::value : Content::unknown;
  arrays_[target].value = 0;
}

/// std::fill(v.begin(), v.end(), 1.0f), std::iota(v.begin(), v.end(), 0)
void HostArrays::fill_range(std::string_view how, const std::vector<Tokens>& given) {
  const std::size_t target = named_in(given[0]);
  if (target == 0) return;
  HostArray& array = arrays_[target];
  array.content = how == "generate" ? Content::random : Content::unknown;
  const auto value = values_.evaluate(given[2]);
  if (how == "fill" && value) {
    array.content = Content::value;
    array.value = value->as_real();
  }
  if (how == "iota" && value && value->as_real() == 0) array.content = Content::iota;
}

std::optional<Value> HostArrays::asked(const std::string& words) const {
  const bool size = words.starts_with("sizeof(");
  const std::string name = size ? words.substr(7, words.size() - 8) : words.substr(0, words.find_first_of(".-"));
  const bool pointed_to = name.starts_with('*');
  const auto brackets = static_cast<std::size_t>(std::count(name.begin(), name.end(), '['));
  if (size && (pointed_to || brackets > 0)) {  // the size of an element, not of a row
    const auto place =
        places_.find(pointed_to ? trimmed(std::string_view(name).substr(1)) : std::string_view(name).substr(0, name.find('[')));
    if (place == places_.end() || place->second.element <= 0) return std::nullopt;
    const bool all_of_them = std::max<std::size_t>(place->second.extents, 1) == (pointed_to ? 1 : brackets);
    return all_of_them ? std::optional(Value::of(place->second.element)) : std::nullopt;
  }
  const auto place = places_.find(name);
  if (place == places_.end() || place->second.array == 0) return std::nullopt;
  const HostArray& array = arrays_[place->second.array];
  if (size && place->second.extents == 0) return std::nullopt;  // the size of the pointer or of the vector object
  if (!array.bytes || (!size && (words.find("size()") == std::string::npos || place->second.element <= 0))) return std::nullopt;
  const auto bytes = static_cast<std::int64_t>(*array.bytes);
  return Value::of(size ? bytes : bytes / place->second.element);
}

}  // namespace warpbook::gpu
