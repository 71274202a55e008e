// Describes the __shared__ variables of functions, from the PTX and the source.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "gpu/demangle.h"
#include "gpu/kernel_signatures.h"
#include "gpu/source_tokens.h"
#include "gpu/source_variables.h"
#include "gpu/struct_members.h"

namespace warpbook::gpu {
namespace {

/// A declaration in PTX: ".shared .align 4 .b8 _ZZ1kPfE4tile[128];", ".extern .shared .align 4 .b8 extra[];"
struct SharedInPtx {
  std::string symbol;
  std::uint64_t bytes = 0, line = 0;  // no bytes: the launch says how many
  bool external = false;
};

std::vector<SharedInPtx> shared_in_ptx(std::string_view ptx) {
  std::vector<SharedInPtx> found;
  for (std::uint64_t number = 1; !ptx.empty(); ++number) {
    std::string_view line = ptx.substr(0, ptx.find('\n'));
    ptx.remove_prefix(std::min(line.size() + 1, ptx.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    const bool external = line.starts_with(".extern");
    if (external) line.remove_prefix(std::min(line.find_first_not_of(" \t", std::string_view(".extern").size()), line.size()));
    const std::size_t end = line.find(';');
    if (!line.starts_with(".shared") || end == line.npos) continue;
    const Tokens tokens = tokens_of(line.substr(0, end));  // ".", "shared", ".", "align", "4", ".", "b8", name, "[", "128", "]"
    std::uint64_t element = 0, count = 1;
    std::size_t t = 2;
    for (; t + 1 < tokens.size() && tokens[t] == "."; t += 2) {
      const std::string_view word = tokens[t + 1];
      if (word == "align") {
        ++t;
      } else if (word.size() > 1) {
        std::from_chars(word.data() + 1, word.data() + word.size(), element);
        element /= 8;
      }
    }
    if (t >= tokens.size() || element == 0) continue;
    if (external)
      count = 0;
    else if (t + 2 < tokens.size() && tokens[t + 1] == "[")
      std::from_chars(tokens[t + 2].data(), tokens[t + 2].data() + tokens[t + 2].size(), count);
    found.push_back({std::string(tokens[t]), element * count, number, external});
  }
  return found;
}

/// A declaration in the source: "__shared__ float tile[16][17];"
struct SharedInSource {
  std::string name, type;
  std::vector<std::string> extents;
  std::uint32_t line = 0;
};

void read_declarator(const Tokens& part, std::string_view source, std::string& type, std::vector<SharedInSource>& into) {
  const auto bracket = std::find(part.begin(), part.end(), std::string_view("["));
  const auto end = std::find_if(part.begin(), bracket, [](std::string_view token) { return token == "=" || token == "{"; });
  if (end == part.begin() || !word(*(end - 1))) return;
  SharedInSource found;
  found.name = *(end - 1);
  Tokens spelled;
  for (auto token = part.begin(); token != end - 1; ++token) {
    if (*token == "(")
      token = part.begin() + static_cast<std::ptrdiff_t>(behind_bracket(part, static_cast<std::size_t>(token - part.begin())));
    if (token >= end - 1) break;
    if (!qualifier(*token) && !one_of(*token, {"extern", "static", "constexpr", "alignas", "__align__", ")"}))
      spelled.push_back(*token);
  }
  if (!spelled.empty()) type = joined(spelled);
  found.type = type;
  for (auto at = static_cast<std::size_t>(bracket - part.begin()); at < part.size() && part[at] == "[";) {
    const std::size_t behind = behind_bracket(part, at);
    found.extents.push_back(joined(Tokens(part.begin() + static_cast<std::ptrdiff_t>(at + 1),
                                          part.begin() + static_cast<std::ptrdiff_t>(std::max(behind, at + 2) - 1))));
    at = behind;
  }
  const auto before = static_cast<std::ptrdiff_t>((end - 1)->data() - source.data());
  found.line = static_cast<std::uint32_t>(1 + std::count(source.begin(), source.begin() + before, '\n'));
  into.push_back(std::move(found));
}

std::vector<SharedInSource> shared_in_source(std::string_view source) {
  std::vector<SharedInSource> found;
  const Tokens tokens = tokens_of(source);
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    if (tokens[t] != "__shared__") continue;
    std::size_t end = t + 1;
    while (end < tokens.size() && tokens[end] != ";") ++end;
    std::string type;
    for (const Tokens& part : split_at_commas(
             Tokens(tokens.begin() + static_cast<std::ptrdiff_t>(t + 1), tokens.begin() + static_cast<std::ptrdiff_t>(end))))
      if (!part.empty()) read_declarator(part, source, type, found);
    t = end;
  }
  return found;
}

class SharedTypes {
 public:
  explicit SharedTypes(DebugInfo& debug) : debug_(debug) {}

  /// 0: unknown.
  std::uint32_t named(const std::string& name) {
    for (std::uint32_t t = 1; t < debug_.types.size(); ++t)
      if (debug_.types[t].name == name && debug_.types[t].bytes > 0) return t;
    if (name == "bool") return add({.kind = DebugType::Kind::boolean, .name = name, .bytes = 1});
    if (const auto vector = vector_type(name)) {
      DebugType made{.kind = DebugType::Kind::structure, .name = name};
      const std::uint32_t element = named(std::string(vector->written));
      for (int m = 0; m < vector->width; ++m, made.bytes += debug_.types[element].bytes)
        made.members.push_back({std::string(1, "xyzw"[m]), element, made.bytes});
      return element == 0 ? 0 : add(std::move(made));
    }
    const auto scalar = element_type(name);
    if (!scalar) return 0;
    const bool floating = *scalar == ScalarType::float32 || *scalar == ScalarType::float64;
    const bool is_unsigned = name_of(*scalar).starts_with('u');
    return add({.kind = floating                         ? DebugType::Kind::floating
                        : name.find("char") != name.npos ? DebugType::Kind::character
                        : is_unsigned                    ? DebugType::Kind::unsigned_integer
                                                         : DebugType::Kind::signed_integer,
                .name = name,
                .bytes = size_of(*scalar)});
  }

  std::uint32_t array_of(std::uint32_t element, std::vector<std::uint64_t> extents) {
    DebugType made{.kind = DebugType::Kind::array,
                   .name = debug_.types[element].name,
                   .bytes = debug_.types[element].bytes,
                   .target = element};
    for (const std::uint64_t extent : extents) {
      made.name += extent == 0 ? "[]" : fmt::format("[{}]", extent);
      made.bytes *= extent;
    }
    made.extents = std::move(extents);
    return add(std::move(made));
  }

  [[nodiscard]] std::uint64_t bytes_of(std::uint32_t type) const { return debug_.types[type].bytes; }

 private:
  std::uint32_t add(DebugType made) {
    debug_.types.push_back(std::move(made));
    return static_cast<std::uint32_t>(debug_.types.size() - 1);
  }

  DebugInfo& debug_;
};

/// 0: the declared type does not have this size.
std::uint32_t declared_type(const SharedInSource& declared, std::uint64_t bytes, std::string_view source, Defines defines,
                            SharedTypes& types) {
  const std::uint32_t element = types.named(declared.type);
  if (element == 0) return 0;
  if (declared.extents.empty()) return types.bytes_of(element) == bytes ? element : 0;
  std::vector<std::uint64_t> extents;
  std::uint64_t count = 1, unknown = 0;
  for (const std::string& text : declared.extents) {
    const auto extent = constant_value(text, source, defines);
    unknown += extent && *extent > 0 ? 0 : 1;
    extents.push_back(extent && *extent > 0 ? static_cast<std::uint64_t>(*extent) : 0);
    count *= std::max<std::uint64_t>(extents.back(), 1);
  }
  const std::uint64_t whole = bytes / types.bytes_of(element);
  if (unknown == 1 && whole % count == 0)  // the size determines the one extent that the text does not give
    *std::find(extents.begin(), extents.end(), 0u) = whole / count;
  else if (unknown > 0)
    return 0;
  const std::uint64_t product = std::accumulate(extents.begin(), extents.end(), std::uint64_t{1}, std::multiplies<>());
  return product * types.bytes_of(element) == bytes ? types.array_of(element, std::move(extents)) : 0;
}

bool has_place(const DebugScope& scope, std::string_view symbol) {
  for (const DebugVariable& variable : scope.variables)
    for (const DebugVariable::LineRange& range : variable.ranges)
      if (range.place.name == symbol) return true;
  return std::any_of(scope.inner.begin(), scope.inner.end(), [&](const DebugScope& inner) { return has_place(inner, symbol); });
}

DebugVariable placed(const SharedInPtx& shared) {
  DebugVariable variable;
  variable.name = demangled(shared.symbol).value_or(shared.symbol);
  if (const std::size_t scope = variable.name.rfind("::"); scope != variable.name.npos) variable.name.erase(0, scope + 2);
  variable.ranges.push_back({.place = {.kind = DebugPlace::Kind::variable, .name = shared.symbol, .offset = 0}});
  return variable;
}

/// `extern __shared__ int extra[];`, in a function or outside.
void add_external(DebugInfo& debug, const SharedInPtx& shared, const std::vector<SharedInSource>& declared, SharedTypes& types) {
  DebugVariable variable = placed(shared);
  const bool known = std::any_of(debug.globals.begin(), debug.globals.end(),
                                 [&](const DebugVariable& each) { return each.name == variable.name; });
  const auto found = std::find_if(declared.begin(), declared.end(), [&](const SharedInSource& each) {
    return each.name == variable.name && each.extents == std::vector<std::string>{""};
  });
  if (known || found == declared.end()) return;
  const std::uint32_t element = types.named(found->type);
  if (element == 0) return;
  variable.type = types.array_of(element, {0});
  variable.line = found->line;
  debug.globals.push_back(std::move(variable));
}

}  // namespace

void add_shared_variables(DebugInfo& debug, std::string_view ptx, std::string_view source, Defines defines) {
  const std::vector<SharedInSource> declared = shared_in_source(source);
  SharedTypes types(debug);
  for (const SharedInPtx& shared : shared_in_ptx(ptx)) {
    if (shared.external) {
      add_external(debug, shared, declared, types);
      continue;
    }
    const auto function = std::find_if(debug.functions.begin(), debug.functions.end(),
                                       [&](const DebugFunction& each) { return each.body.holds(shared.line); });
    if (function == debug.functions.end() || has_place(function->body, shared.symbol)) continue;
    DebugVariable variable = placed(shared);
    // The first declaration after the function's head is the right one.
    for (const SharedInSource& each : declared) {
      if (each.name != variable.name || each.line < function->line || variable.type != 0) continue;
      variable.type = declared_type(each, shared.bytes, source, defines, types);
      variable.line = each.line;
    }
    // A shared variable exists for the whole life of the block, so it is added to the function's outermost block.
    DebugScope& body = function->body.inner.empty() ? function->body : function->body.inner.front();
    body.variables.push_back(std::move(variable));
  }
}

}  // namespace warpbook::gpu
