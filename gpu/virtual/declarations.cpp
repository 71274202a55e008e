#include "gpu/virtual/declarations.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "gpu/demangle.h"

namespace warpbook::gpu {
namespace {

/// "void n::scale<float>(float*)" → "scale"
std::string function_name(std::string_view text) {
  int depth = 0;
  std::size_t end = text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>') --depth;
    if (text[i] == '(' && depth == 0) {
      end = i;
      break;
    }
  }
  text = text.substr(0, end);
  if (text.ends_with('>')) text = text.substr(0, text.find('<'));
  const std::size_t start = text.find_last_of(" :");
  return std::string(start == std::string_view::npos ? text : text.substr(start + 1));
}

/// Of what PTX calls a variable, its pieces in their order.
using Pieces = std::map<std::pair<std::string, std::string>, std::map<std::uint32_t, vm::SharedVariable*>>;

void place_pieces(const Pieces& all, const DeclaredVariables& source) {
  for (const auto& [whole, pieces] : all) {
    const DeclaredVariable* declared = source.find(whole.second, whole.first, DeclaredVariable::Where::shared);
    if (!declared) continue;
    std::vector<std::uint64_t> sizes;
    for (const auto& [number, variable] : pieces) sizes.push_back(variable->bytes);
    const auto places = places_of_pieces(*declared, sizes);
    if (!places) continue;
    std::size_t n = 0;
    for (const auto& [number, variable] : pieces) {
      variable->declared = *declared;
      variable->declared_at = (*places)[n++];
    }
  }
}

}  // namespace

SymbolName read_symbol(const std::string& symbol) {
  SymbolName read;
  std::string mangled = symbol;
  if (const std::size_t at = mangled.rfind("_$_"); at != std::string::npos && at + 3 < mangled.size()) {
    std::uint32_t piece = 0;
    const auto [end, error] = std::from_chars(mangled.data() + at + 3, mangled.data() + mangled.size(), piece);
    if (error == std::errc{} && end == mangled.data() + mangled.size()) {
      read.piece = piece;
      mangled.resize(at);
    }
  }
  const std::string full = demangled(mangled).value_or(mangled);
  const std::size_t colon = full.rfind("::");
  read.name = colon == std::string::npos ? full : full.substr(colon + 2);
  if (colon != std::string::npos) read.function = function_name(std::string_view(full).substr(0, colon));
  return read;
}

void declare_shared(std::vector<vm::SharedVariable>& variables, const DeclaredVariables& source) {
  Pieces pieces;
  for (vm::SharedVariable& variable : variables) {
    SymbolName symbol = read_symbol(variable.name);
    variable.symbol = std::exchange(variable.name, symbol.name);
    if (symbol.piece) {
      pieces[{symbol.function, symbol.name}][*symbol.piece] = &variable;
      continue;
    }
    const DeclaredVariable* declared = source.find(symbol.name, symbol.function, DeclaredVariable::Where::shared);
    if (declared && takes(*declared, variable.bytes)) variable.declared = *declared;
  }
  place_pieces(pieces, source);
}

void declare_global(vm::Allocation& allocation, const std::string& symbol, const DeclaredVariables& source) {
  const SymbolName read = read_symbol(symbol);
  allocation.name = read.name;
  const DeclaredVariable* declared = source.find(read.name, {}, DeclaredVariable::Where::module);
  if (declared && !read.piece && takes(*declared, allocation.bytes)) allocation.declared = *declared;
}

void declare_pointed_to(std::vector<vm::Allocation>& allocations, const std::vector<Argument>& arguments, const Kernel& kernel,
                        std::string_view source) {
  for (std::size_t i = 0; i < std::min(arguments.size(), kernel.parameters.size()); ++i) {
    const auto* const buffer = std::get_if<Buffer>(&arguments[i]);
    if (!buffer || !kernel.parameters[i].pointee) continue;
    const auto found = std::ranges::find(allocations, buffer->id, &vm::Allocation::buffer);
    if (found == allocations.end()) continue;
    auto declared = pointed_to(source, buffer->array.name, kernel.parameters[i].type);
    if (declared && takes(*declared, found->bytes)) found->declared = std::move(declared);
  }
}

}  // namespace warpbook::gpu
