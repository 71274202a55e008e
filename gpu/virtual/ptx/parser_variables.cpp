// Variables: of the module, of functions, and the names and extents of parameters.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "gpu/virtual/ptx/parser_impl.h"

namespace warpbook::gpu::ptx {

bool Parser::parse_variables(Space space, bool is_extern) {
  Variable common;
  common.space = space;
  common.is_extern = is_extern;
  bool aligned = false, describes_texture = false;
  std::uint8_t vector = 1;
  while (now_.kind == Token::Kind::dotted) {
    if (const std::uint8_t elements = accept(".v2") ? 2 : accept(".v4") ? 4 : 1; elements > 1) {
      vector = elements;
    } else if (accept(".align")) {
      std::uint64_t align = 0;
      if (!parse_unsigned(align, "an alignment")) return false;
      if (!std::has_single_bit(align) || align > 65'536) return fail("an alignment must be a power of two.");
      common.align = static_cast<std::uint32_t>(align);
      aligned = true;
    } else if (common.type == Type::none && (accept(".texref") || accept(".surfref"))) {
      // The description of a texture lies there, so that the variable's address is a handle.
      common.type = Type::b8;
      common.align = 8;
      aligned = describes_texture = true;
    } else if (accept(".attribute")) {
      if (!skip_parentheses()) return false;
    } else if (const Type type = type_of(now_.text.substr(1));
               type != Type::none && type != Type::pred && common.type == Type::none) {
      common.type = type;
      advance();
    } else {
      return fail(fmt::format("the virtual GPU does not know '{}' of a variable yet.", now_.text.substr(0, 80)));
    }
  }
  if (common.type == Type::none) return fail_unexpected("the type of a variable");
  if (vector * bytes_of(common.type) > 16) return fail("a vector has at most 128 bits.");
  if (!aligned) common.align = vector * bytes_of(common.type);
  const bool in_function = function_ && space != Space::global && space != Space::constant;
  do {
    Variable variable = common;
    std::string_view name;
    std::vector<std::uint64_t> extents;
    if (!parse_variable_name(variable, name, extents, vector)) return false;
    if (describes_texture) variable.size *= texture_description_bytes;
    // `.extern .shared name[]` is the dynamic part; `.extern` of another module's variable cannot be linked, only named.
    if (accept("=") && !parse_initialiser(variable, extents)) return false;
    if (space == Space::constant && !is_extern) {
      constant_bytes_ = (constant_bytes_ + variable.align - 1) / variable.align * variable.align + variable.size;
      if (constant_bytes_ > max_constant_bytes)
        return fail(fmt::format("with '{}' the '.const' variables take {} bytes, and CUDA has {} for them.", name, constant_bytes_,
                                max_constant_bytes));
    }
    Symbol symbol;
    symbol.kind = Symbol::Kind::variable;
    symbol.elements = vector;
    std::vector<Variable>& home = in_function ? function_->variables : module_.globals;
    symbol.variable = {in_function ? Operand::VariableRef::Where::function : Operand::VariableRef::Where::module,
                       static_cast<std::uint32_t>(home.size())};
    if (function_) {
      if (!declare(name, symbol)) return false;
      variable.name = unique_name(name);
      if (!in_function) moved_.push_back(symbol.variable.index);
    } else if (const auto [known, added] = module_names_.emplace(name, symbol); !added) {
      // `.extern` may precede the definition.
      const bool redeclared = known->second.kind == Symbol::Kind::variable;
      Variable* const earlier = redeclared ? &module_.globals[known->second.variable.index] : nullptr;
      if (!earlier || earlier->space != space || !(earlier->is_extern || is_extern))
        return fail(fmt::format("'{}' is declared twice.", name));
      if (earlier->is_extern) *earlier = std::move(variable);
      continue;
    }
    home.push_back(std::move(variable));
  } while (accept(","));
  return expect(";", "after a variable");
}

/// How many elements the braces that follow "=" hold, at the outermost level.
std::uint64_t Parser::count_initialisers() const {
  Lexer ahead(lexer_);  // behind the "="
  std::uint64_t count = 0;
  std::size_t depth = 0;
  Token last;
  for (Token token = ahead.next(); token.kind != Token::Kind::end && token.kind != Token::Kind::bad; token = ahead.next()) {
    const bool opens = token.is("{"), closes = token.is("}");
    if (depth == 0 && !opens) break;
    if (depth == 1 && (token.is(",") || closes) && !last.is("{") && !last.is(",")) ++count;
    depth += opens;
    depth -= closes;
    if (depth == 0) break;
    last = token;
  }
  return count;
}

bool Parser::parse_variable_name(Variable& variable, std::string_view& name, std::vector<std::uint64_t>& extents,
                                 std::uint8_t vector) {
  if (!parse_new_name(name, "the name of a variable")) return false;
  variable.name = name;
  std::uint64_t elements = 1;
  bool open = false;  // name[]
  while (accept("[")) {
    std::uint64_t extent = 0;
    if (is("]")) {
      if (!extents.empty()) return fail("only the first dimension may be left out.");
      open = true;
    } else {
      if (!parse_unsigned(extent, "a dimension")) return false;
      if (extent > max_variable_bytes || (elements > 0 && extent > max_variable_bytes / std::max<std::uint64_t>(elements, 1)))
        return fail(fmt::format("'{}' is larger than 4 GiB.", name));
      elements *= extent;
    }
    if (extents.size() >= max_nesting) return fail("too many dimensions.");
    extents.push_back(extent);
    if (!expect("]", "after a dimension")) return false;
  }
  if (vector > 1) {
    extents.push_back(vector);
    elements *= vector;
  }
  if (open && is("=")) {
    extents.front() = count_initialisers();
    if (extents.front() > max_variable_bytes / std::max<std::uint64_t>(elements, 1))
      return fail(fmt::format("'{}' is larger than 4 GiB.", name));
    elements *= extents.front();
    open = false;
  }
  variable.size = open ? 0 : elements * bytes_of(variable.type);
  if (variable.size > max_variable_bytes) return fail(fmt::format("'{}' is larger than 4 GiB.", name));
  return true;
}

}  // namespace warpbook::gpu::ptx
