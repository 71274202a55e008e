// Directives: the module, its variables and functions. Longer than other files: these functions call each other as PTX's grammar
// nests, and the parts that stand alone have files of their own (parser_*.cpp).
#include "gpu/virtual/ptx/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "gpu/shown_text.h"
#include "gpu/virtual/ptx/control_flow.h"
#include "gpu/virtual/ptx/parser_impl.h"

namespace warpbook::gpu::ptx {
namespace {

/// Space::generic: not the directive of a memory space.
Space space_of_directive(std::string_view directive) {
  if (directive == ".global") return Space::global;
  if (directive == ".const") return Space::constant;
  if (directive == ".shared") return Space::shared;
  if (directive == ".local") return Space::local;
  if (directive == ".param") return Space::param;
  return Space::generic;
}

bool is_linkage(std::string_view directive) {
  return directive == ".visible" || directive == ".extern" || directive == ".weak" || directive == ".common";
}

/// "sm_75", "sm_90a", "compute_75": PTX ISA 9.0, ".target".
bool is_target(std::string_view text) {
  static constexpr std::string_view with_letters[] = {"90a",  "100a", "100f", "101a", "101f", "103a", "103f",
                                                      "110a", "110f", "120a", "120f", "121a", "121f"};
  static constexpr int numbers[] = {10, 11, 12, 13, 20, 21, 30, 32, 35, 37,  50,  52,  53,  60,  61, 62,
                                    70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121};
  for (const std::string_view family : {"sm_", "compute_"}) {
    if (!text.starts_with(family)) continue;
    text.remove_prefix(family.size());
    if (std::ranges::find(with_letters, text) != std::end(with_letters)) return true;
    return std::ranges::any_of(numbers, [&](int number) { return text == fmt::format("{}", number); });
  }
  return false;
}

}  // namespace

// --- Tokens -------------------------------------------------------------------------------------------------------------------

bool Parser::fail_at(std::uint32_t line, const std::string& sentence, std::string_view code) {
  if (!error_) {
    error_ = Error{std::string(code), sentence};
    error_line_ = line;
    error_location_ = function_ ? loc_ : no_location;
  }
  return false;
}

/// The first failure with its lines. The names of files stand behind the code, so the rest of the text is looked through for them.
Error Parser::located_error() {
  while (now_.kind != Token::Kind::end && now_.kind != Token::Kind::bad)
    if (!accept(".file"))
      advance();
    else if (!parse_file())
      break;
  const Location at = positions_.resolve(module_.files, error_location_);
  error_->message =
      fmt::format("PTX line {}{}: {}", error_line_, at.line ? fmt::format(" (source line {})", at.line) : "", error_->message);
  return *error_;
}

bool Parser::fail_unexpected(std::string_view wanted) {
  if (now_.kind == Token::Kind::end) return fail(fmt::format("the text ends where {} is expected.", wanted));
  // Hostile text may hold one token of megabytes.
  return fail(fmt::format("{} is expected, not '{}'.", wanted, now_.text.substr(0, 80)));
}

bool Parser::accept(std::string_view text) {
  if (!is(text)) return false;
  advance();
  return true;
}

bool Parser::expect(std::string_view text, std::string_view where) {
  if (accept(text)) return true;
  return fail_unexpected(fmt::format("'{}' {}", text, where));
}

// --- The module -----------------------------------------------------------------------------------------------------------------

Result<Module> Parser::run() {
  if (whole_.size() > max_text_bytes)
    return failure("cudaErrorInvalidPtx",
                   fmt::format("The PTX text has {} bytes; at most {} are taken.", whole_.size(), max_text_bytes));
  advance();
  const bool parsed = parse_module();
  if (!parsed || error_) return failure(located_error());
  strip_working_directory(module_.files);
  while (!module_.files.empty() && module_.files.back().empty()) module_.files.pop_back();
  name_moved_variables();
  for (Function& function : module_.functions) {
    rename_what_hides(function);
    std::size_t ways = 0;
    for (const Instruction& i : function.code)
      if (i.op == Opcode::brx) ways += function.branch_targets[i.operands[1].index].size();
    if (ways > max_ways)
      return failure("cudaErrorInvalidPtx", fmt::format("'{}' has jump tables of {} ways in all; at most {} are taken.",
                                                        cut(function.name, 80), ways, max_ways));
    for (Instruction& i : function.code) {
      const Location at = positions_.resolve(module_.files, i.file);
      // What has no position where others have one is libdevice's.
      const bool in_toolkit = at.line ? positions_.in_toolkit(module_.files, i.file) : !module_.files.empty();
      i.file = at.file;
      i.line = at.line;
      i.column = at.column;
      i.in_toolkit = in_toolkit;
    }
    analyse_control_flow(function);
  }
  return std::move(module_);
}

bool Parser::parse_module() {
  if (!is(".version")) return fail("PTX starts with '.version'; this does not look like PTX.");
  while (now_.kind != Token::Kind::end) {
    if (accept(";")) continue;
    if (now_.kind != Token::Kind::dotted) return fail_unexpected("a directive such as '.entry' or '.global'");
    bool is_extern = false;
    while (now_.kind == Token::Kind::dotted && is_linkage(now_.text)) {
      is_extern |= is(".extern");
      advance();
    }
    const std::string_view directive = now_.text;
    const Space space = now_.kind == Token::Kind::dotted ? space_of_directive(directive) : Space::generic;
    if (is(".entry") || is(".func")) {
      advance();
      if (!parse_function(directive == ".entry", is_extern)) return false;
    } else if (space == Space::global || space == Space::constant || space == Space::shared) {
      advance();
      if (!parse_variables(space, is_extern)) return false;
    } else if (!parse_header(directive)) {
      return false;
    }
  }
  resolve_aliases();
  return !module_.target.empty() || fail("PTX must name its '.target', such as sm_75.");
}

bool Parser::parse_header(std::string_view directive) {
  if (accept(".version")) {
    const std::string_view version = now_.text;
    const std::size_t dot = version.find('.');
    int major = 0;
    if (now_.kind != Token::Kind::number || dot == version.npos ||
        std::from_chars(version.data(), version.data() + dot, major).ptr != version.data() + dot)
      return fail_unexpected("a version such as 9.0");
    if (major < 6 || major > 9)
      return fail_at(now_.line, fmt::format("PTX ISA {} is not known here; the virtual GPU reads 6.0 to 9.0.", version),
                     "cudaErrorUnsupportedPtxVersion");
    module_.version = version;
    advance();
    return true;
  }
  if (accept(".target")) return parse_target();
  if (accept(".address_size")) {
    std::uint64_t size = 0;
    if (!parse_unsigned(size, "the address size")) return false;
    if (size != 64) return fail("the virtual GPU has 64-bit addresses only ('.address_size 64').");
    return true;
  }
  if (accept(".file")) return parse_file();
  if (accept(".section")) return skip_section();
  if (accept(".pragma")) return skip_statement();
  if (accept(".loc")) return parse_loc();
  if (accept(".alias")) return parse_alias();
  return fail_unexpected(fmt::format("a directive that the virtual GPU knows (it has no '{}' yet)", directive.substr(0, 80)));
}

bool Parser::parse_target() {
  if (now_.kind != Token::Kind::word) return fail_unexpected("a target such as sm_75");
  if (!is_target(now_.text))
    return fail(fmt::format("there is no target '{}'. It is an architecture of NVIDIA's, such as sm_75.", cut(now_.text, 40)));
  module_.target = now_.text;
  advance();
  while (accept(",")) {  // no bearing on what runs
    static constexpr std::string_view known[] = {"debug", "texmode_unified", "texmode_independent", "map_f64_to_f32"};
    if (std::ranges::find(known, now_.text) == std::end(known) && !is_target(now_.text))
      return fail(fmt::format("'.target' does not know '{}'.", cut(now_.text, 40)));
    advance();
  }
  return true;
}

bool Parser::parse_file() {
  std::uint64_t number = 0;
  if (!parse_unsigned(number, "the number of a file")) return false;
  if (number >= max_files) return fail(fmt::format("file number {} is too large.", number));
  if (now_.kind != Token::Kind::string) return fail_unexpected("a file name in quotes");
  if (module_.files.size() <= number) module_.files.resize(number + 1);
  module_.files[number] = now_.text;
  advance();
  while (accept(",")) {  // its date and size
    std::uint64_t ignored = 0;
    if (!parse_unsigned(ignored, "a file's date or size")) return false;
  }
  return true;
}

bool Parser::skip_statement() {
  while (now_.kind != Token::Kind::end && now_.kind != Token::Kind::bad && !is(";")) advance();
  return expect(";", "at the end of the directive");
}

/// Debug information: nothing in it changes what runs.
bool Parser::skip_section() {
  while (now_.kind != Token::Kind::end && now_.kind != Token::Kind::bad && !is("{")) advance();
  if (!expect("{", "after .section")) return false;
  while (now_.kind != Token::Kind::end && now_.kind != Token::Kind::bad && !is("}")) advance();
  return expect("}", "at the end of .section");
}

bool Parser::skip_parentheses() {
  if (!expect("(", "here")) return false;
  for (std::size_t open = 1; open > 0; advance()) {
    if (now_.kind == Token::Kind::end || now_.kind == Token::Kind::bad) return fail_unexpected("')'");
    open += is("(");
    open -= is(")");
  }
  return true;
}

// --- Functions ------------------------------------------------------------------------------------------------------------------

bool Parser::called_alike(const Function& one, const Function& other) {
  const auto same = [](const std::vector<Variable>& a, const std::vector<Variable>& b) {
    return std::ranges::equal(a, b, {}, &Variable::size, &Variable::size);
  };
  return same(one.parameters, other.parameters) && same(one.results, other.results);
}

bool Parser::parse_function(bool entry, bool is_extern) {
  Function function;
  function.entry = entry;
  function.declaration = true;
  scopes_.assign(1, {});
  register_parameters_.clear();
  while (is(".attribute")) {
    advance();
    if (!skip_parentheses()) return false;
  }
  if (is("(") && !parse_parameters(function.results, scopes_[0].names, Operand::VariableRef::Where::result)) return false;
  const std::uint32_t line = now_.line;
  std::string_view name;
  if (!parse_new_name(name, "the name of a function")) return false;
  function.name = name;
  if (is("(") && !parse_parameters(function.parameters, scopes_[0].names, Operand::VariableRef::Where::parameter)) return false;
  if (entry && !register_parameters_.empty()) return fail_at(line, "a kernel's parameters are '.param', not '.reg'.");
  if (!parse_function_directives(function)) return false;

  std::uint32_t index = 0;
  if (const auto known = module_names_.find(name); known != module_names_.end()) {
    if (known->second.kind != Symbol::Kind::function)
      return fail_at(line, fmt::format("'{}' is already the name of a variable.", name));
    index = known->second.index;
    Function& earlier = module_.functions[index];
    // Calls were checked against the declaration, so the definition must agree with it.
    if (!called_alike(earlier, function) || earlier.entry != entry)
      return fail_at(line, fmt::format("'{}' differs from its earlier declaration.", name));
    if (accept(";")) return true;
    if (!earlier.declaration) return fail_at(line, fmt::format("'{}' is defined twice.", name));
    earlier = std::move(function);
  } else {
    index = static_cast<std::uint32_t>(module_.functions.size());
    module_.functions.push_back(std::move(function));
    Symbol symbol;
    symbol.kind = Symbol::Kind::function;
    symbol.index = index;
    module_names_.emplace(name, symbol);
    if (accept(";")) return true;
  }
  if (is_extern) return fail(fmt::format("'{}' is '.extern' and cannot have a body here.", name));
  if (!is("{")) return fail_unexpected("'{' or ';' after the head of a function");
  function_ = &module_.functions[index];
  function_->declaration = false;
  const bool parsed = parse_body();
  function_ = nullptr;
  return parsed;
}

bool Parser::parse_function_directives(Function& function) {
  while (now_.kind == Token::Kind::dotted) {
    const std::string_view directive = now_.text;
    const bool maximum = directive == ".maxntid", required = directive == ".reqntid", cluster = directive == ".reqnctapercluster";
    const bool hint = directive == ".minnctapersm" || directive == ".maxnctapersm" || directive == ".maxnreg" ||
                      directive == ".maxclusterrank" || directive == ".abi_preserve" || directive == ".abi_preserve_control";
    if (directive == ".noreturn" || directive == ".explicitcluster" || directive == ".blocksareclusters") {
      advance();
      continue;
    }
    if (directive == ".pragma") {
      if (!skip_statement()) return false;
      continue;
    }
    if (!maximum && !required && !cluster && !hint)
      return fail(fmt::format("the virtual GPU does not know the directive '{}' of a function yet.", directive.substr(0, 80)));
    advance();
    std::uint64_t product = 1;
    do {
      std::uint64_t extent = 0;
      if (!parse_unsigned(extent, "a number of threads")) return false;
      if (extent > 0xffffffffU || product * extent > 0xffffffffU) return fail(fmt::format("'{}' is too large.", directive));
      product *= extent;
    } while (accept(","));
    if (maximum) function.max_threads = static_cast<std::uint32_t>(product);
    if (required) function.required_threads = static_cast<std::uint32_t>(product);
    if (cluster) function.cluster_blocks = static_cast<std::uint32_t>(product);
  }
  return true;
}

bool Parser::parse_parameters(std::vector<Variable>& out, std::unordered_map<std::string_view, Symbol>& names,
                              Operand::VariableRef::Where where) {
  if (!expect("(", "before parameters")) return false;
  while (!is(")")) {
    if (accept(".reg")) {
      if (!parse_register_parameter(out, names, where)) return false;
      if (!accept(",")) break;
      continue;
    }
    if (!expect(".param", "at a parameter")) return false;
    Variable parameter;
    parameter.space = Space::param;
    bool aligned = false, pointee = false;
    while (now_.kind == Token::Kind::dotted) {
      if (accept(".align")) {
        std::uint64_t align = 0;
        if (!parse_unsigned(align, "an alignment")) return false;
        if (!std::has_single_bit(align) || align > 4096) return fail("an alignment must be a power of two.");
        // After .ptr it is the alignment of what is pointed to.
        if (!pointee) parameter.align = static_cast<std::uint32_t>(align);
        aligned |= !pointee;
      } else if (accept(".ptr")) {
        parameter.is_pointer = pointee = true;
      } else if (pointee && space_of_directive(now_.text) != Space::generic) {
        advance();
      } else if (const Type type = type_of(now_.text.substr(1));
                 type != Type::none && type != Type::pred && parameter.type == Type::none) {
        parameter.type = type;
        advance();
      } else {
        return fail(fmt::format("the virtual GPU does not know '{}' of a parameter yet.", now_.text.substr(0, 80)));
      }
    }
    if (parameter.type == Type::none) return fail_unexpected("the type of a parameter");
    if (!aligned) parameter.align = bytes_of(parameter.type);
    std::string_view name;
    std::vector<std::uint64_t> extents;
    if (!parse_variable_name(parameter, name, extents, 1)) return false;
    Symbol symbol;
    symbol.kind = Symbol::Kind::variable;
    symbol.variable = {where, static_cast<std::uint32_t>(out.size())};
    if (name != "_" && !names.emplace(name, symbol).second) return fail(fmt::format("'{}' is declared twice.", name));
    out.push_back(std::move(parameter));
    if (!accept(",")) break;
  }
  return expect(")", "after parameters");
}

bool Parser::parse_body() {
  taken_.clear();
  taken_ranges_.clear();
  renamed_.clear();
  for (const auto& [name, symbol] : scopes_[0].names) taken_.emplace(name);
  if (!begin_register_parameters()) return false;
  positions_.begin_function();
  loc_ = no_location;
  ranges_ = 0;
  do {
    if (is("{")) {
      if (scopes_.size() > max_nesting) return fail("braces are nested too deeply.");
      scopes_.emplace_back();
      advance();
    } else if (is("}")) {
      if (!close_scope()) return false;
      advance();
    } else if (now_.kind == Token::Kind::end) {
      return fail("the text ends within a function.");
    } else if (!parse_statement()) {
      return false;
    }
  } while (scopes_.size() > 1);
  return pass_register_parameters(Operand::VariableRef::Where::result);
}

bool Parser::parse_statement() {
  if (accept(";")) return true;
  if (now_.kind == Token::Kind::dotted) {
    if (accept(".loc")) return parse_loc();
    if (accept(".reg")) return parse_registers();
    if (accept(".pragma")) return skip_statement();
    if (accept(".file")) return parse_file();
    const bool is_extern = accept(".extern");
    if (const Space space = space_of_directive(now_.text); space != Space::generic) {
      advance();
      return parse_variables(space, is_extern);
    }
    return fail(fmt::format("the virtual GPU does not know the directive '{}' yet.", now_.text.substr(0, 80)));
  }
  if (now_.kind == Token::Kind::word && peek().is(":")) {
    const std::uint32_t line = now_.line;
    std::string_view name;
    if (!parse_new_name(name, "a label")) return false;
    advance();
    return parse_label(name, line);
  }
  if (now_.kind != Token::Kind::word && !is("@")) return fail_unexpected("an instruction");
  return parse_instruction();
}

/// Of whatever is declared.
bool Parser::parse_new_name(std::string_view& name, const char* what) {
  if (now_.kind != Token::Kind::word) return fail_unexpected(what);
  name = now_.text;
  Special special;
  std::uint32_t number = 0;
  if (special_of(std::string(name) + ".x", special, number) || special_of(name, special, number))
    return fail(fmt::format("'{}' is the name of a special register: give this one another.", name));
  advance();
  return true;
}

bool Parser::parse_registers() {
  if (now_.kind != Token::Kind::dotted) return fail_unexpected("the type of registers");
  const std::uint8_t elements = accept(".v2") ? 2 : accept(".v4") ? 4 : 1;
  const Type type = now_.kind == Token::Kind::dotted ? type_of(now_.text.substr(1)) : Type::none;
  if (type == Type::none || (elements > 1 && (type == Type::pred || elements * bytes_of(type) > 16)))
    return fail(fmt::format("the virtual GPU has no registers of type '{}' yet.", now_.text.substr(0, 80)));
  advance();
  do {
    std::string_view name;
    if (!parse_new_name(name, "the name of a register")) return false;
    std::uint64_t count = 1;
    const bool range = accept("<");
    if (range) {
      // Not a constant expression: its '>' would be taken for "greater than".
      Constant number;
      if (now_.kind != Token::Kind::number) return fail_unexpected("a number of registers");
      if (!parse_number(number)) return false;
      count = number.bits;
      if (!expect(">", "after the number of registers")) return false;
    }
    if (count > max_registers || registers_ + count > max_registers)
      return fail(fmt::format("more than {} registers in one module.", max_registers));
    registers_ += count * elements;
    const auto first = static_cast<std::uint32_t>(function_->registers.size());
    const bool nested = scopes_.size() > 2;
    if (!range) {
      Symbol symbol;
      symbol.index = first;
      symbol.elements = elements;
      if (!declare(name, symbol)) return false;
      if (elements > 1)
        add_vector(name, type, elements);
      else
        function_->registers.push_back({unique_name(name), type});
      continue;
    }
    if (++ranges_ > max_ranges) return fail(fmt::format("more than {} ranges of registers in one function.", max_ranges));
    if (overlaps(name, count)) return fail(fmt::format("registers '{}<{}>' are declared twice in the same braces.", name, count));
    scopes_.back().ranges.push_back({name, first, static_cast<std::uint32_t>(count), elements});
    const RegisterRange& declared = scopes_.back().ranges.back();
    const auto in_range = [&](std::string_view known) { return number_in_range(known, declared).has_value(); };
    // At the top of a function few names can be hidden: the module's and the parameters'.
    const bool hides =
        nested || std::any_of(taken_.begin(), taken_.end(), in_range) ||
        std::any_of(module_names_.begin(), module_names_.end(), [&](const auto& known) { return in_range(known.first); });
    for (std::uint64_t at = 0; at < count; ++at) {
      std::string numbered = fmt::format("{}{}", name, at);
      if (elements > 1)
        add_vector(numbered, type, elements);
      else
        function_->registers.push_back({hides ? unique_name(numbered) : std::move(numbered), type});
    }
    if (!nested) taken_ranges_.push_back(scopes_.back().ranges.back());
  } while (accept(","));
  return expect(";", "after registers");
}

bool Parser::parse_label(std::string_view name, std::uint32_t line) {
  Scope& scope = scopes_.back();
  const auto pc = static_cast<std::uint32_t>(function_->code.size());
  if (accept(".branchtargets")) {
    const auto table = static_cast<std::uint32_t>(function_->branch_targets.size());
    function_->branch_targets.emplace_back();
    if (!scope.tables.emplace(name, table).second) return fail_at(line, fmt::format("the label '{}' is defined twice.", name));
    do {
      if (now_.kind != Token::Kind::word) return fail_unexpected("a label");
      scope.pending.push_back(
          {now_.text, now_.line, true, table, static_cast<std::uint32_t>(function_->branch_targets[table].size())});
      function_->branch_targets[table].push_back(0);
      if (++instructions_ > max_instructions) return fail("too many branch targets in one module.");
      advance();
    } while (accept(","));
    return expect(";", "after .branchtargets");
  }
  // Both only say what an indirect call may reach; the vm checks the callee it finds.
  if (accept(".callprototype") || accept(".calltargets")) return skip_statement();
  if (!scope.labels.emplace(name, pc).second) return fail_at(line, fmt::format("the label '{}' is defined twice.", name));
  return true;
}

bool Parser::parse_loc() {
  const auto position = [this](Location& at) {
    std::uint64_t file = 0, line = 0, column = 0;
    if (!parse_unsigned(file, "a file") || !parse_unsigned(line, "a line") || !parse_unsigned(column, "a column")) return false;
    if (file > 0xffffffffU || line > 0xffffffffU || column > 0xffffffffU) return fail("this position is too large.");
    at = {static_cast<std::uint32_t>(file), static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(column)};
    return true;
  };
  Location at, caller;
  if (!position(at)) return false;
  while (accept(",")) {
    if (accept("function_name")) {
      if (now_.kind != Token::Kind::word) return fail_unexpected("a label");
      advance();
      Constant offset;
      if (is("+") && !parse_constant(offset)) return false;
    } else if (accept("inlined_at")) {
      if (!position(caller)) return false;
    } else {
      return fail_unexpected("'function_name' or 'inlined_at'");
    }
  }
  loc_ = positions_.add(at, caller);
  return true;
}

}  // namespace warpbook::gpu::ptx
