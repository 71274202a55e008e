// The parser's insides, shared by parser.cpp (directives), parser_variables.cpp, parser_names.cpp, parser_instruction.cpp
// (instructions and operands), parser_fit.cpp (do they fit), parser_constant.cpp (numbers, constant expressions, initial values),
// parser_registers.cpp (vectors and parts of registers), parser_compound.cpp and parser_async.cpp (what is several instructions
// here). Nobody else includes this; use parser.h.
//
// Every parse_… returns false after it has called fail(); the first failure stays.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "gpu/virtual/ptx/lexer.h"
#include "gpu/virtual/ptx/opcodes.h"
#include "gpu/virtual/ptx/source_positions.h"

namespace warpbook::gpu::ptx {

// Limits that keep hostile text from exhausting memory or the stack; far above what a compiler emits.
inline constexpr std::size_t max_text_bytes = std::size_t{32} << 20;
inline constexpr std::size_t max_instructions = 1'000'000;
inline constexpr std::size_t max_ways = 1'000'000;  // of a function's jumps by tables, which may be shared
inline constexpr std::size_t max_registers = 1'000'000;
inline constexpr std::size_t max_ranges = 256;  // %r<n> declarations of a function
inline constexpr std::uint64_t max_variable_bytes = std::uint64_t{1} << 32;
inline constexpr std::uint64_t max_initialised_bytes = std::uint64_t{64} << 20;  // of the whole module
inline constexpr std::uint64_t max_constant_bytes = 65'536;                      // CUDA's (Programming Guide, table of limits)
inline constexpr std::size_t max_nesting = 64;                                   // scopes, initialisers, expressions
inline constexpr std::uint32_t max_files = 65'536;

[[nodiscard]] std::string_view kind_in_words(const Operand& operand);

/// A whole number.
[[nodiscard]] Operand constant_operand(std::uint64_t bits);

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text), whole_(text) {}
  [[nodiscard]] Result<Module> run();

 private:
  struct Symbol {
    enum class Kind : std::uint8_t { reg, variable, function } kind = Kind::reg;
    std::uint32_t index = 0;    // register, function
    std::uint8_t elements = 1;  // of a vector: of registers, which follow `index`, or of each element of a variable
    Operand::VariableRef variable;
  };
  struct RegisterRange {  // %r<count>
    std::string_view prefix;
    std::uint32_t first = 0, count = 0;
    std::uint8_t elements = 1;  // of each
  };
  struct Compound {             // what parser_compound.cpp has to do with an instruction
    std::uint8_t elements = 1;  // of a vector that `mov` moves
    bool lacks_mask = false;    // shfl, vote without .sync
    bool asynchronous = false;  // parser_async.cpp
    bool packed = false;        // .f32x2
    Type narrow = Type::none;   // f16, bf16: of the first operands of a sum or product of .f32
  };
  struct Pending {  // a label's name, not yet seen
    std::string_view name;
    std::uint32_t line = 0;
    bool in_table = false;
    std::uint32_t pc_or_table = 0, at = 0;  // operand of an instruction, or entry of a table
  };
  struct Scope {
    std::unordered_map<std::string_view, Symbol> names;
    std::vector<RegisterRange> ranges;
    std::unordered_map<std::string_view, std::uint32_t> labels, tables;
    std::vector<Pending> pending, pending_tables;
  };
  struct RegisterParameter {
    std::string name;
    Type type = Type::none;
    bool element = false;           // of a vector: the text has no such name
    Operand::VariableRef variable;  // where it is passed; its register has this one's place in the list
  };
  struct Constant {         // the value of a constant expression
    Type type = Type::s64;  // s64, u64, f32, f64
    std::uint64_t bits = 0;
  };

  // Tokens
  void advance() { now_ = lexer_.next(); }
  [[nodiscard]] bool is(std::string_view text) const { return now_.is(text); }
  [[nodiscard]] bool accept(std::string_view text);
  [[nodiscard]] bool expect(std::string_view text, std::string_view where);
  [[nodiscard]] Token peek() const { return Lexer(lexer_).next(); }
  bool fail(const std::string& sentence) { return fail_at(now_.line, sentence); }
  bool fail_at(std::uint32_t line, const std::string& sentence, std::string_view code = "cudaErrorInvalidPtx");
  bool fail_unexpected(std::string_view wanted);
  [[nodiscard]] Error located_error();

  // Module level (parser.cpp)
  [[nodiscard]] bool parse_module();
  [[nodiscard]] bool parse_header(std::string_view directive);
  [[nodiscard]] bool parse_target();
  [[nodiscard]] bool parse_file();
  [[nodiscard]] bool skip_statement();
  [[nodiscard]] bool skip_section();
  [[nodiscard]] bool skip_parentheses();
  [[nodiscard]] bool parse_function(bool entry, bool is_extern);
  [[nodiscard]] bool parse_function_directives(Function& function);
  [[nodiscard]] bool parse_parameters(std::vector<Variable>& out, std::unordered_map<std::string_view, Symbol>& names,
                                      Operand::VariableRef::Where where);
  [[nodiscard]] bool parse_body();
  [[nodiscard]] bool parse_statement();
  [[nodiscard]] bool parse_registers();
  [[nodiscard]] bool parse_label(std::string_view name, std::uint32_t line);
  [[nodiscard]] bool parse_loc();
  [[nodiscard]] bool declare(std::string_view name, Symbol symbol);
  [[nodiscard]] bool close_scope();
  [[nodiscard]] std::string unique_name(std::string_view name);
  void name_moved_variables();
  void rename_what_hides(Function& function);
  [[nodiscard]] static std::optional<std::uint32_t> number_in_range(std::string_view name, const RegisterRange& range);
  [[nodiscard]] bool overlaps(std::string_view prefix, std::uint64_t count) const;
  [[nodiscard]] bool name_is_taken(const std::string& name) const;

  // Variables (parser_variables.cpp)
  [[nodiscard]] bool parse_variables(Space space, bool is_extern);
  [[nodiscard]] bool parse_new_name(std::string_view& name, const char* what);
  [[nodiscard]] std::uint64_t count_initialisers() const;
  [[nodiscard]] bool parse_variable_name(Variable& variable, std::string_view& name, std::vector<std::uint64_t>& extents,
                                         std::uint8_t vector);

  // Initialisers (parser_constant.cpp)
  [[nodiscard]] bool parse_initialiser(Variable& variable, const std::vector<std::uint64_t>& extents);
  [[nodiscard]] bool parse_initialiser_level(Variable& variable, const std::vector<std::uint64_t>& extents, std::size_t level,
                                             std::uint64_t first, std::uint64_t count);
  [[nodiscard]] bool parse_initial_element(Variable& variable, std::uint64_t element);
  [[nodiscard]] bool finish_masked(Variable& variable);

  // Registers (parser_registers.cpp)
  void add_vector(std::string_view name, Type type, std::uint8_t elements);
  [[nodiscard]] bool parse_register(const Symbol& symbol, Operand& out);
  [[nodiscard]] bool fit_parts(Instruction& i, std::string& why);
  [[nodiscard]] bool parse_register_parameter(std::vector<Variable>& out, std::unordered_map<std::string_view, Symbol>& names,
                                              Operand::VariableRef::Where where);
  [[nodiscard]] bool begin_register_parameters();
  [[nodiscard]] bool pass_register_parameters(Operand::VariableRef::Where where);
  [[nodiscard]] bool parse_alias();
  [[nodiscard]] static bool called_alike(const Function& one, const Function& other);
  void resolve_aliases();

  // What is several instructions (parser_compound.cpp)
  [[nodiscard]] Operand register_operand(std::uint32_t index) const;
  [[nodiscard]] Operand temporary(Type type);
  void emit(std::string_view opcode, std::vector<Operand> operands);
  [[nodiscard]] std::string_view plain_opcode(std::string_view text, Compound& compound);
  [[nodiscard]] bool parse_sum(Operand& out);
  [[nodiscard]] bool prepare(Instruction& i, const Compound& compound, const Shape& shape, std::string& why);
  [[nodiscard]] bool pack_halves(Instruction& i, const Shape& shape, std::string& why);
  [[nodiscard]] bool parse_special_vector(Operand& out);
  [[nodiscard]] bool add_move(Instruction move, const Operand& to, const Operand& from, std::string& why);
  [[nodiscard]] bool parse_vector_move(Instruction& move, std::uint8_t elements, std::string_view text);
  void pass_predicates(Instruction& call, std::vector<Instruction>& behind);
  [[nodiscard]] static bool is_asynchronous(std::string_view text);
  [[nodiscard]] bool copy_address(const Operand& address, Operand& out);
  [[nodiscard]] bool parse_asynchronous(const Instruction& guard, std::string_view text);
  struct AsynchronousCopy;  // what its words and operands say
  [[nodiscard]] bool unknown_asynchronous(const Instruction& guard, std::string_view text);
  /// Emits a branch to the instruction with this index.
  void jump(std::size_t to, bool guarded, bool negated, std::uint32_t predicate);
  /// Emits an instruction whose spelling is made from words of the source; false: there is none.
  [[nodiscard]] bool made(const AsynchronousCopy& copy, const std::string& spelling, std::vector<Operand> operands);
  [[nodiscard]] bool store_or_reduce(const AsynchronousCopy& copy, std::uint64_t& bytes);
  [[nodiscard]] bool copy_in_bulk(const AsynchronousCopy& copy);
  [[nodiscard]] bool copy_step(const AsynchronousCopy& copy, const Operand& to, const Operand& from, std::uint64_t step);

  // Constants (parser_constant.cpp)
  [[nodiscard]] bool parse_number(Constant& out);
  [[nodiscard]] bool parse_constant(Constant& out) { return parse_conditional(out, 0); }
  [[nodiscard]] bool parse_conditional(Constant& out, std::size_t depth);
  [[nodiscard]] bool parse_binary(Constant& out, int least, std::size_t depth);
  [[nodiscard]] bool parse_unary(Constant& out, std::size_t depth);
  [[nodiscard]] bool apply(std::string_view symbol, Constant& left, const Constant& right);
  [[nodiscard]] bool parse_unsigned(std::uint64_t& out, std::string_view what);
  [[nodiscard]] bool starts_constant() const;

  // Instructions (parser_instruction.cpp)
  [[nodiscard]] bool parse_instruction();
  [[nodiscard]] bool parse_opcode(Instruction& out, const DecodedOpcode*& decoded, std::string_view& text, Compound& compound);
  [[nodiscard]] bool parse_operands(std::vector<Operand>& out, std::uint64_t& pairs, bool texture = false);
  [[nodiscard]] bool parse_texture(std::vector<Operand>& out);
  [[nodiscard]] bool parse_operand(Operand& out, std::size_t depth = 0);
  [[nodiscard]] bool parse_element(const Symbol& symbol, Operand& out);
  [[nodiscard]] bool parse_address(Operand& out);
  [[nodiscard]] bool parse_call(Instruction& call, std::vector<Instruction>& behind);
  [[nodiscard]] bool parse_call_operands(Instruction& call);
  [[nodiscard]] bool parse_branch(Instruction& branch);

  // Do the operands fit? (parser_fit.cpp)
  [[nodiscard]] bool fit(Instruction& i, const Shape& shape, std::uint64_t pairs, std::string& why);
  [[nodiscard]] bool fit_operand(Instruction& i, const OperandShape& shape, Operand& operand, std::string& why);
  [[nodiscard]] bool fit_value(const Instruction& i, Type type, bool at_least, Operand& operand, std::string& why);
  [[nodiscard]] bool fit_vector(const Instruction& i, bool destination, Operand& operand, std::string& why);
  [[nodiscard]] bool fit_variable_address(const Instruction& i, const Operand& operand, std::string& why) const;
  [[nodiscard]] bool fit_coordinates(const Instruction& i, Operand& operand, std::string& why);
  [[nodiscard]] bool fit_move(const Instruction& i, bool destination, Operand& operand, std::string& why);
  [[nodiscard]] bool fit_memory(Instruction& i, const Operand& operand, std::string& why);
  [[nodiscard]] bool fit_parameter(const Instruction& i, const Operand& operand, const Variable& variable, std::string& why) const;
  [[nodiscard]] const Variable& variable_of(const Operand::VariableRef& ref) const;
  [[nodiscard]] std::optional<Symbol> find(std::string_view name) const;
  [[nodiscard]] std::optional<std::uint32_t> find_register(std::string_view name) const;

  Lexer lexer_;
  std::string_view whole_;
  Token now_;
  Module module_;
  std::optional<Error> error_;
  std::uint32_t error_line_ = 0, error_location_ = no_location;  // of the PTX text; of .loc
  std::unordered_map<std::string_view, Symbol> module_names_;
  std::vector<std::uint32_t> moved_;                             // of the module's variables: those that functions declare
  std::unordered_map<std::string_view, DecodedOpcode> opcodes_;  // decoded once a spelling
  std::unordered_set<std::string> kept_texts_;                   // spellings that the text does not hold
  std::size_t instructions_ = 0, registers_ = 0, ranges_ = 0;
  std::uint64_t initialised_bytes_ = 0, constant_bytes_ = 0;
  struct Masked {  // mask(name) initialisers, byte after byte
    std::uint64_t offset = 0;
    Symbol symbol;
    std::int64_t addend = 0;
    bool generic = false;
    unsigned byte = 0;
  };
  std::vector<Masked> masked_;

  std::vector<std::pair<std::uint32_t, std::uint32_t>> aliases_;  // function, the one that it stands for

  // Of the function being parsed
  std::vector<RegisterParameter> register_parameters_;
  Function* function_ = nullptr;
  std::vector<Scope> scopes_;  // [0]: parameters, [1]: the body, then nested braces
  std::unordered_set<std::string> taken_;
  std::vector<RegisterRange> taken_ranges_;
  std::unordered_map<std::string, std::uint32_t> renamed_;
  SourcePositions positions_;
  std::uint32_t loc_ = no_location;
};

}  // namespace warpbook::gpu::ptx
