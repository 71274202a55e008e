#include "gpu/kernel_signatures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <set>

#include "gpu/demangle.h"
#include "gpu/source_tokens.h"
#include "gpu/struct_members.h"
#include "gpu/text.h"

namespace warpbook::gpu {
namespace {

// ---- the source --------------------------------------------------------------------------------------------------

struct Written {
  std::string name, type;
};

Written parameter_of(Tokens tokens) {
  // Removes a default argument, then qualifiers that do not change the value.
  tokens.erase(std::find(tokens.begin(), tokens.end(), "="), tokens.end());
  std::erase_if(tokens, [](std::string_view t) {
    return one_of(t, {"__restrict__", "__restrict", "restrict", "__grid_constant__"});
  });

  // In "int (*f)(int)" and "float (&a)[3]", the name is the last word inside the first brackets.
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
    if (tokens[i] == "(" && (tokens[i + 1] == "*" || tokens[i + 1] == "&")) {
      Written written;
      for (std::size_t k = i; k < tokens.size() && tokens[k] != ")"; ++k)
        if (word(tokens[k])) written.name = tokens[k];
      std::erase(tokens, written.name);
      written.type = joined(tokens);
      return written;
    }

  // In "float a[3]", the name is before the first top-level bracket, and the type is a pointer.
  bool array = false;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i] == "[") {
      array = true;
      tokens.resize(i);
    }
  Written written;
  const auto types = std::count_if(tokens.begin(), tokens.end(), [](std::string_view t) { return word(t) && !qualifier(t); });
  const bool named = types >= 2 && word(tokens.back()) && !qualifier(tokens.back()) && !fundamental(tokens.back()) &&
                     tokens[tokens.size() - 2] != "::";
  if (named) {
    written.name = tokens.back();
    tokens.pop_back();
  }
  written.type = joined(tokens) + (array ? "*" : "");
  return written;
}

struct Signature {
  std::string_view name;
  std::vector<Written> parameters;
};

// Finds every `name ( … ) {` or `;` after a __global__, and also every other `name ( … ) {`, for kernels that a macro declares. The
// name is the word before brackets that no other word follows. Earlier words with brackets are attributes, such as
// __launch_bounds__(256), or macros.
std::vector<Signature> signatures_of(std::string_view source) {
  const Tokens tokens = tokens_of(source);
  const std::vector<std::size_t> behind_each = behind_brackets(tokens);
  std::vector<Signature> defined, declared, others;
  const auto read = [&](std::size_t name) {
    const std::size_t behind = behind_each[name + 1];
    Signature signature{tokens[name], {}};
    for (const Tokens& part : split_at_commas(Tokens(tokens.begin() + static_cast<std::ptrdiff_t>(name) + 2,
                                                     tokens.begin() + static_cast<std::ptrdiff_t>(std::max(behind, name + 3)) - 1)))
      signature.parameters.push_back(parameter_of(part));
    if (signature.parameters.size() == 1 && signature.parameters[0].name.empty() && signature.parameters[0].type == "void")
      signature.parameters.clear();
    return signature;
  };
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i] == "__global__") {
      for (std::size_t k = i + 1; k + 1 < tokens.size() && tokens[k] != "{" && tokens[k] != ";"; ++k) {
        if (tokens[k + 1] != "(" || !word(tokens[k])) continue;
        const std::size_t behind = behind_each[k + 1];
        if (behind < tokens.size() && (tokens[behind] == "{" || tokens[behind] == ";")) {
          (tokens[behind] == "{" ? defined : declared).push_back(read(k));
          break;
        }
        k = behind - 1;
      }
    } else if (word(tokens[i]) && tokens[i + 1] == "(") {
      const std::size_t behind = behind_each[i + 1];
      if (behind < tokens.size() && tokens[behind] == "{") others.push_back(read(i));
    }
  }
  defined.insert(defined.end(), declared.begin(), declared.end());
  defined.insert(defined.end(), others.begin(), others.end());
  return defined;
}

// ---- the mangled name --------------------------------------------------------------------------------------------

struct Demangled {
  std::string name;  // "n::scale<float, 3>"
  std::vector<std::string> types;
  bool typed = false;  // false: extern "C", without types
};

// The usual order of words: "const float*" instead of "float const*".
std::string readable_type(std::string type) {
  for (const std::string_view word_behind : {" const", " volatile"}) {
    const std::size_t at = type.find(word_behind);
    if (at == std::string::npos || type.find_first_of("*&(<") < at) continue;
    type.erase(at, word_behind.size());
    type = std::string(word_behind.substr(1)) + ' ' + type;
  }
  return type;
}

Demangled parts_of(const std::string& entry) {
  Demangled result{entry, {}, false};
  const std::optional<std::string> whole = demangled(entry);
  if (!whole) return result;
  std::string text = *whole;
  if (text.starts_with("void ")) text.erase(0, 5);  // a template's return type
  // NVRTC has its own name for unnamed namespaces.
  if (const std::size_t at = text.find("_GLOBAL__N__"); at != std::string::npos)
    if (const std::size_t end = text.find("::", at); end != std::string::npos) text.erase(at, end + 2 - at);
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  if (const std::size_t at = text.find(unnamed); at != std::string::npos) text.erase(at, unnamed.size());
  if (!text.ends_with(')')) return result;
  std::size_t open = text.size();
  for (int depth = 0; open-- > 0;) {
    if (text[open] == ')') ++depth;
    if (text[open] == '(' && --depth == 0) break;
  }
  if (open >= text.size()) return result;
  result.name = text.substr(0, open);
  result.typed = true;
  std::string part;
  int depth = 0;
  for (std::size_t i = open + 1; i + 1 < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '<' || c == '[') ++depth;
    if (c == ')' || c == '>' || c == ']') --depth;
    if (c == ',' && depth == 0) {
      result.types.push_back(readable_type(part));
      part.clear();
    } else if (!(c == ' ' && part.empty())) {
      part += c;
    }
  }
  if (!part.empty()) result.types.push_back(readable_type(part));
  return result;
}

// ---- PTX ---------------------------------------------------------------------------------------------------------

struct EntryParameter {
  std::string name;
  std::string_view type;
  std::uint32_t size = 0, align = 0;
  bool pointer = false;
};

struct Entry {
  std::string name;
  std::vector<EntryParameter> parameters;
  std::string_view body;
};

// Splits PTX into words: ".param[24]" becomes ".param", "[", "24", "]".
Tokens ptx_tokens(std::string_view text) {
  Tokens tokens;
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
    } else if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
      ++i;
    } else {
      std::size_t end = i + 1;
      if (is_word(text[i]) || text[i] == '.' || text[i] == '%')
        while (end < text.size() && (is_word(text[end]) || text[end] == '.')) ++end;
      tokens.push_back(text.substr(i, end - i));
      i = end;
    }
  }
  return tokens;
}

std::uint32_t number(std::string_view text) {
  std::uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The size of a type: 8 for ".u64".
std::uint32_t bytes_of(std::string_view type) {
  const std::size_t digits = type.find_first_of("0123456789");
  return digits == std::string_view::npos ? 0 : number(type.substr(digits)) / 8;
}

EntryParameter ptx_parameter(const Tokens& tokens) {
  EntryParameter p;
  std::uint32_t align = 0, count = 1;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view t = tokens[i];
    if (t == ".ptr") {
      // In ".u64 .ptr .global .align 4 name", the alignment is that of the pointed-to memory.
      p.pointer = true;
      while (i + 1 < tokens.size() && tokens[i + 1].front() == '.') i += tokens[i + 1] == ".align" ? 2 : 1;
    } else if (t == ".align" && i + 1 < tokens.size()) {
      align = number(tokens[++i]);
    } else if (t == "[" && i + 1 < tokens.size()) {
      count = number(tokens[i + 1]);
      break;
    } else if (t.front() == '.' && t != ".param") {
      p.type = t;
    } else if (t.front() != '.') {
      p.name = t;
    }
  }
  p.size = bytes_of(p.type) * count;
  p.align = align != 0 ? align : bytes_of(p.type);
  return p;
}

std::vector<Entry> entries_of(std::string_view ptx) {
  std::vector<Entry> entries;
  constexpr std::string_view keyword = ".entry";
  std::size_t line = 0;  // the start of the current line
  for (std::size_t at = ptx.find(keyword); at != std::string_view::npos;) {
    for (std::size_t end = ptx.find('\n', line); end < at; end = ptx.find('\n', line)) line = end + 1;
    const std::size_t remark = ptx.substr(line, at - line).find("//");
    if (remark != std::string_view::npos) {
      at = ptx.find(keyword, std::min(ptx.find('\n', at), ptx.size()));
      continue;
    }
    line = at;  // no comment begins before it on this line
    std::size_t i = at + keyword.size();
    while (i < ptx.size() && std::isspace(static_cast<unsigned char>(ptx[i])) != 0) ++i;
    Entry entry;
    while (i < ptx.size() && is_word(ptx[i])) entry.name += ptx[i++];
    const std::size_t next = std::min(ptx.find(keyword, i), ptx.size());  // npos if the keyword does not occur
    const std::string_view own = ptx.substr(0, next);
    const std::size_t brace = std::min(own.find('{', i), next);
    const std::size_t open = own.find('(', i);
    if (open < brace) {
      const std::size_t close = std::min(own.find(')', open), brace);
      for (const Tokens& part : split_at_commas(ptx_tokens(ptx.substr(open + 1, close - open - 1))))
        entry.parameters.push_back(ptx_parameter(part));
    }
    entry.body = own.substr(brace, std::min(own.find("\n}", brace), next) - brace);
    entries.push_back(std::move(entry));
    at = next == ptx.size() ? std::string_view::npos : next;
  }
  return entries;
}

/// The variables of a space (".shared ") that are declared in this text, by name. Dynamic ones have the size 0.
std::map<std::string, std::uint32_t, std::less<>> variables_of(std::string_view ptx, std::string_view space) {
  std::map<std::string, std::uint32_t, std::less<>> bytes;
  for (std::size_t at = ptx.find(space); at != std::string_view::npos; at = ptx.find(space, at + 1)) {
    // The text before it in its statement: "st", or a comment.
    constexpr std::size_t longest_head = 80;
    const std::string_view before = ptx.substr(at - std::min(at, longest_head), std::min(at, longest_head));
    const std::size_t begin = before.find_last_of("\n;{}") + 1;  // npos + 1 = 0
    const std::string_view head = before.substr(begin);
    if (head.find("//") != std::string_view::npos ||
        trimmed(head).find_first_not_of(".abcdefghijklmnopqrstuvwxyz ") != std::string_view::npos ||
        (!trimmed(head).empty() && !trimmed(head).starts_with('.')))
      continue;
    const std::size_t from = at + space.size();
    const EntryParameter variable = ptx_parameter(ptx_tokens(ptx.substr(from, std::min(ptx.find(';', from), ptx.size()) - from)));
    bytes[variable.name] += variable.size;
  }
  return bytes;
}

/// The size of all shared variables that an entry uses.
std::uint32_t shared_bytes_of(const std::map<std::string, std::uint32_t, std::less<>>& variables, const Entry& entry) {
  if (variables.empty()) return 0;
  std::set<std::string_view> named;
  std::uint32_t bytes = 0;
  for (const std::string_view token : ptx_tokens(entry.body)) {
    const auto known = variables.find(token.substr(0, token.find('.')));
    if (known != variables.end() && named.insert(known->first).second) bytes += known->second;
  }
  return bytes;
}

// If the type is unknown, a parameter that is loaded and then converted to a global address is a pointer.
bool used_as_pointer(const Entry& entry, const std::string& parameter) {
  const std::size_t load = entry.body.find('[' + parameter + ']');
  if (load == std::string_view::npos) return false;
  const std::size_t begin = entry.body.find_last_of("\n;{}", load) + 1;  // of the instruction
  const Tokens tokens = ptx_tokens(entry.body.substr(begin, load - begin));
  const auto target = std::find_if(tokens.begin(), tokens.end(), [](std::string_view t) { return t.front() == '%'; });
  if (target == tokens.end()) return false;
  for (std::size_t at = entry.body.find("cvta.to.global"); at != std::string_view::npos;
       at = entry.body.find("cvta.to.global", at + 1)) {
    const Tokens convert = ptx_tokens(entry.body.substr(at, entry.body.find(';', at) - at));
    if (!convert.empty() && convert.back() == *target) return true;
  }
  return false;
}

std::string_view last_component(std::string_view name) {
  name = name.substr(0, name.find('<'));
  const std::size_t at = name.rfind("::");
  return at == std::string_view::npos ? name : name.substr(at + 2);
}

std::optional<ScalarType> scalar_of_ptx(std::string_view type) {
  if (type == ".f32") return ScalarType::float32;
  if (type == ".f64") return ScalarType::float64;
  return std::nullopt;  // PTX does not distinguish int from unsigned
}

}  // namespace

std::optional<ScalarType> element_type(std::string_view type) {
  int pointers = 0, longs = 0, words = 0;
  bool is_unsigned = false, is_signed = false, is_short = false, is_char = false, is_int = false;
  std::string_view named;
  for (const std::string_view token : tokens_of(type)) {
    if (token == "*" || token == "&") {
      ++pointers;
    } else if (qualifier(token) || token == "std" || token == "::") {
      continue;
    } else {
      ++words;
      if (token == "unsigned")
        is_unsigned = true;
      else if (token == "signed")
        is_signed = true;
      else if (token == "short")
        is_short = true;
      else if (token == "char")
        is_char = true;
      else if (token == "int")
        is_int = true;
      else if (token == "long")
        ++longs;
      else if (!named.empty())
        return std::nullopt;
      else
        named = token;
    }
  }
  if (pointers > 1 || words == 0) return std::nullopt;
  if (!named.empty()) {
    struct Alias {
      std::string_view name;
      ScalarType type;
    };
    constexpr std::array<Alias, 20> aliases{
        {{"float", ScalarType::float32},   {"double", ScalarType::float64},  {"bool", ScalarType::uint8},
         {"int8_t", ScalarType::int8},     {"uint8_t", ScalarType::uint8},   {"int16_t", ScalarType::int16},
         {"uint16_t", ScalarType::uint16}, {"int32_t", ScalarType::int32},   {"uint32_t", ScalarType::uint32},
         {"int64_t", ScalarType::int64},   {"uint64_t", ScalarType::uint64}, {"size_t", ScalarType::uint64},
         {"ptrdiff_t", ScalarType::int64}, {"intptr_t", ScalarType::int64},  {"uintptr_t", ScalarType::uint64},
         {"uchar", ScalarType::uint8},     {"ushort", ScalarType::uint16},   {"uint", ScalarType::uint32},
         {"ulong", ScalarType::uint64},    {"clock_t", ScalarType::int64}}};
    for (const Alias& alias : aliases)
      if (alias.name == named && words == 1) return alias.type;
    return std::nullopt;
  }
  if (is_char) return is_unsigned ? ScalarType::uint8 : ScalarType::int8;
  if (is_short) return is_unsigned ? ScalarType::uint16 : ScalarType::int16;
  if (longs > 0) return is_unsigned ? ScalarType::uint64 : ScalarType::int64;
  if (is_int || is_unsigned || is_signed) return is_unsigned ? ScalarType::uint32 : ScalarType::int32;
  return std::nullopt;
}

std::string normalised(std::string_view name) { return joined(tokens_of(name)); }

std::vector<Kernel> list_kernels(std::string_view ptx, std::string_view source,
                                 const std::vector<std::pair<std::string, std::string>>& instantiated) {
  std::vector<Kernel> kernels;
  const std::vector<Signature> signatures = signatures_of(source);
  const auto shared_variables = variables_of(ptx, ".shared ");
  std::map<std::string_view, std::vector<const Signature*>> by_name;  // in the order of the signatures
  for (const Signature& signature : signatures) by_name[signature.name].push_back(&signature);
  const std::map<std::string_view, std::string_view> expressions = [&] {
    std::map<std::string_view, std::string_view> all;
    for (const auto& [expression, lowered] : instantiated) all[lowered] = expression;
    return all;
  }();
  for (const Entry& entry : entries_of(ptx)) {
    const Demangled mangled = parts_of(entry.name);
    const bool is_template = mangled.name.find('<') != std::string::npos;
    Kernel kernel{.name = normalised(mangled.name), .entry = entry.name, .parameters = {}, .registers = {}, .spill_bytes = {}};
    if (const auto asked = expressions.find(entry.name); asked != expressions.end()) kernel.name = normalised(asked->second);

    const Signature* written = nullptr;
    if (const auto known = by_name.find(last_component(mangled.name)); known != by_name.end()) {
      for (const Signature* each : known->second) {
        if (each->parameters.size() != entry.parameters.size()) continue;
        written = each;
        break;
      }
    }
    const bool typed = mangled.typed && mangled.types.size() == entry.parameters.size();
    for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
      const EntryParameter& in_ptx = entry.parameters[i];
      Parameter parameter{
          .name = {}, .type = {}, .pointer = in_ptx.pointer, .element = {}, .size = in_ptx.size, .align = in_ptx.align};
      const std::string resolved = typed ? mangled.types[i] : std::string();
      if (written != nullptr) {
        parameter.name = written->parameters[i].name;
        // In a template, the type as written contains the template's parameters ("T*"), so that the resolved type is more
        // informative.
        parameter.type = is_template && typed ? resolved : written->parameters[i].type;
      } else {
        parameter.type = resolved;
        if (source.empty()) parameter.name = in_ptx.name;
      }
      if (parameter.name.empty()) parameter.name = fmt::format("argument {}", i + 1);
      const std::string& speaking = resolved.empty() ? parameter.type : resolved;
      if (!speaking.empty()) {
        parameter.pointer = parameter.pointer || speaking.find_first_of("*&") != std::string::npos;
        parameter.element = element_type(speaking);
      } else {
        parameter.pointer = parameter.pointer || used_as_pointer(entry, in_ptx.name);
        if (!parameter.pointer) parameter.element = scalar_of_ptx(in_ptx.type);
      }
      if (!parameter.pointer && !parameter.element)
        parameter.members = struct_members(source, speaking, parameter.size, parameter.align);
      if (parameter.pointer && !parameter.element) parameter.pointee = struct_numbers(source, speaking);
      kernel.parameters.push_back(std::move(parameter));
    }
    kernel.shared_bytes = shared_bytes_of(shared_variables, entry);
    for (const auto& [name, bytes] : variables_of(entry.body, ".local ")) kernel.local_bytes += bytes;
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace warpbook::gpu
