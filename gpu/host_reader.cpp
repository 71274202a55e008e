#include "gpu/host_reader.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "gpu/host_arrays.h"
#include "gpu/host_calls.h"
#include "gpu/host_statement.h"
#include "gpu/host_structs.h"
#include "gpu/source_tokens.h"
#include "gpu/source_values.h"
#include "gpu/struct_members.h"

namespace warpbook::gpu {
namespace {

constexpr std::size_t most_steps = 20'000;  // limit of statements, including those of called functions
constexpr int deepest_call = 8;
constexpr std::size_t longest_path = 16;        // most tokens of a member's path, as in &p.data
constexpr int deepest_nesting = 64;             // nesting of blocks and of namespaces
constexpr std::size_t most_calls_at_once = 16;  // most calls in one statement

struct HostFunction {
  std::string name;
  std::vector<std::string> parameters;
  std::vector<bool> by_reference;  // of each parameter: it may change the caller's variable
  std::size_t begin = 0, end = 0;  // the body's tokens, without the braces
};

/// Goes through a source's host functions, statement by statement.
class HostReader {
 public:
  HostReader(std::string_view source, const std::vector<std::string_view>& beside,
             const std::vector<std::pair<std::string, std::string>>& defines)
      : tokens_(tokens_of(source)), calls_(source, tokens_, values_, arrays_, structs_) {
    for (const auto& [name, value] : defines) values_.define(name, value);
    values_.read(source);
    for (const std::string_view text : beside) values_.read(text);
    values_.ask = [this](const std::string& words) { return arrays_.asked(words); };
    for (const std::string_view text : beside) {
      const Tokens tokens = tokens_of(text);
      constants_of(tokens);
    }
    declarations(0, tokens_.size());
  }

  std::vector<HostLaunch> take() {
    const auto start = std::find_if(functions_.begin(), functions_.end(), [](const auto& f) { return f.name == "main"; });
    const auto names = values_.names();
    const HostArrays::Places places = arrays_.places();
    const auto run = [&](const HostFunction& function) {
      values_.names() = names;
      arrays_.restore(places);
      calls_.forget_variables();
      for (const std::string& parameter : function.parameters) values_.set(parameter, std::nullopt);
      block(function.begin, function.end);
    };
    if (start != functions_.end()) run(*start);
    for (const HostFunction& function : functions_)
      if (function.name != "main") run(function);
    return calls_.take();
  }

 private:
  // ---- the file ----

  [[nodiscard]] std::string_view at(std::size_t i) const { return i < tokens_.size() ? tokens_[i] : std::string_view(); }
  [[nodiscard]] Tokens part(std::size_t begin, std::size_t end) const { return part_of(tokens_, begin, end); }

  /// The constants of a header: "const int N = 32;", "constexpr int N = 32;".
  void constants_of(const Tokens& tokens) {
    for (std::size_t i = 0; i + 4 < tokens.size(); ++i) {
      if (!one_of(tokens[i], {"const", "constexpr"})) continue;
      std::size_t name = i + 1;
      while (name + 1 < tokens.size() && word(tokens[name]) && word(tokens[name + 1])) ++name;
      if (name + 1 >= tokens.size() || tokens[name + 1] != "=") continue;
      const auto end = std::find(tokens.begin() + static_cast<std::ptrdiff_t>(name), tokens.end(), ";");
      values_.set(std::string(tokens[name]), values_.evaluate(Tokens(tokens.begin() + static_cast<std::ptrdiff_t>(name) + 2, end)));
    }
  }

  void declarations(std::size_t i, std::size_t end) {
    while (i < end) i = std::max(declaration(i, end), i + 1);
  }

  /// Reads a function, a variable or a namespace. Returns the index after it.
  std::size_t declaration(std::size_t begin, std::size_t end) {
    std::size_t arguments = 0;
    bool device = false;
    for (std::size_t i = begin; i < end; ++i) {
      const std::string_view token = at(i);
      if (one_of(token, {"__global__", "__device__"})) device = true;
      if (token == "__host__") device = false;  // for both sides
      if (token == "(" || token == "[") {
        if (token == "(" && arguments == 0 && i > begin && word(at(i - 1))) arguments = i;
        i = behind_bracket(tokens_, i) - 1;
      } else if (token == "=") {
        while (i < end && at(i) != ";") i = one_of(at(i), {"(", "[", "{"}) ? behind_bracket(tokens_, i) : i + 1;
        variable(begin, i, device);
        return i + 1;
      } else if (token == ";") {
        if (arguments == 0) variable(begin, i, device);
        return i + 1;
      } else if (token == "{") {
        const std::size_t behind = behind_bracket(tokens_, i);
        if (one_of(at(begin), {"namespace", "extern"}) && arguments == 0) {
          if (nesting_ >= deepest_nesting) return behind;
          ++nesting_;
          declarations(i + 1, behind - 1);
          --nesting_;
        } else if (at(begin) == "enum") {
          enumerators(i + 1, behind - 1);
        } else if (arguments != 0 && !device) {
          HostFunction function{
              .name = std::string(at(arguments - 1)), .parameters = {}, .by_reference = {}, .begin = i + 1, .end = behind - 1};
          for (const Tokens& parameter : split_at_commas(part(arguments + 1, behind_bracket(tokens_, arguments) - 1))) {
            function.parameters.emplace_back(name_in(parameter));
            function.by_reference.push_back(std::any_of(parameter.begin(), parameter.end(), [](std::string_view t) {
              return one_of(t, {"&", "*"});
            }));
          }
          functions_.push_back(std::move(function));
        } else if (arguments != 0) {
          calls_.kernel(std::string(at(arguments - 1)), part(arguments + 1, behind_bracket(tokens_, arguments) - 1));
        }
        return behind;
      }
    }
    return end;
  }

  /// A variable outside functions. Of the device's variables only managed ones are read by the host as its own.
  void variable(std::size_t begin, std::size_t end, bool device) {
    const Tokens tokens = part(begin, end);
    const auto marked = [&](std::string_view mark) { return std::find(tokens.begin(), tokens.end(), mark) != tokens.end(); };
    const std::string name(name_in(tokens));
    if (marked("__constant__")) calls_.constant(name);
    if (marked("__managed__")) {
      while (begin < end && one_of(at(begin), {"__device__", "__managed__", "static"})) ++begin;
      calls_.managed(name);
    } else if (device || marked("__constant__")) {
      return;
    }
    simple(begin, end);
  }

  void enumerators(std::size_t begin, std::size_t end) {
    std::int64_t next = 0;
    for (const Tokens& one : split_at_commas(part(begin, end))) {
      if (one.empty()) continue;
      if (one.size() > 2 && one[1] == "=") {
        const auto value = values_.evaluate(Tokens(one.begin() + 2, one.end()));
        if (!value) return;
        next = value->as_whole();
      }
      values_.set(std::string(one[0]), Value::of(next++));
    }
  }

  // ---- statements ----

  void block(std::size_t i, std::size_t end) {
    while (i < end && steps_ < most_steps) i = std::max(statement(i, end), i + 1);
  }

  std::size_t end_of_simple(std::size_t i, std::size_t end) const {
    while (i < end && at(i) != ";") i = one_of(at(i), {"(", "[", "{"}) ? behind_bracket(tokens_, i) : i + 1;
    return std::min(i, end);
  }

  std::size_t behind_statement(std::size_t i, std::size_t end) const {
    for (std::size_t ifs = 0;; ++i) {
      for (; i < end && one_of(at(i), {"if", "for", "while", "switch"}); i = behind_bracket(tokens_, i + 1)) ifs += at(i) == "if";
      i = at(i) == "{" ? behind_bracket(tokens_, i) : end_of_simple(i, end) + 1;
      if (ifs == 0 || at(i) != "else") return i;
      --ifs;
    }
  }

  std::size_t statement(std::size_t i, std::size_t end) {
    ++steps_;
    if (nesting_ >= deepest_nesting) return behind_statement(i, end);
    ++nesting_;
    const std::size_t behind = known_statement(i, end);
    --nesting_;
    return behind;
  }

  std::size_t known_statement(std::size_t i, std::size_t end) {
    const std::string_view first = at(i);
    if (first == ";") return i + 1;
    if (first == "{") {
      const std::size_t behind = behind_bracket(tokens_, i);
      block(i + 1, behind - 1);
      return behind;
    }
    if (first == "if") return branch(i, end);
    if (first == "for" || first == "while" || first == "switch") return loop(i, end);
    if (first == "do" || first == "else" || first == "try") return i + 1;
    if (first == "case" || first == "default") {
      while (i < end && at(i) != ":") ++i;
      return i + 1;
    }
    if (first == "return" || one_of(first, {"break", "continue", "goto", "using", "typedef", "delete", "throw"}))
      return end_of_simple(i, end) + 1;
    const std::size_t stop = end_of_simple(i, end);
    simple(i, stop);
    return stop + 1;
  }

  /// An if or a switch. The program is started without arguments, so argc is 1 and branches for more are skipped. If a condition is
  /// unknown, both branches are read, and what they change is unknown afterwards.
  std::size_t branch(std::size_t i, std::size_t end) {
    const std::size_t behind_condition = behind_bracket(tokens_, i + 1);
    const std::size_t behind_then = behind_statement(behind_condition, end);
    const bool has_else = at(behind_then) == "else";
    const std::size_t behind_all = has_else ? behind_statement(behind_then + 1, end) : behind_then;
    values_.set("argc", Value::of(1));
    given_away(i + 1, behind_condition);
    const auto condition = values_.evaluate(part(i + 2, behind_condition - 1));
    if (condition) {
      if (condition->truth())
        statement(behind_condition, end);
      else if (has_else)
        statement(behind_then + 1, end);
      return behind_all;
    }
    unsure([&] {
      statement(behind_condition, end);
      if (has_else) statement(behind_then + 1, end);
    });
    return behind_all;
  }

  /// Reads a loop's body once, as in its first iteration.
  std::size_t loop(std::size_t i, std::size_t end) {
    const std::size_t behind_head = behind_bracket(tokens_, i + 1);
    const std::size_t behind_all = behind_statement(behind_head, end);
    const std::size_t loops_before = loop_variables_.size();
    given_away(i + 1, behind_head);
    if (at(i) == "for") {
      const std::size_t stop = end_of_simple(i + 2, behind_head - 1);
      if (stop < behind_head - 1) {
        simple(i + 2, stop);
        if (const std::string_view name = name_in(part(i + 2, stop)); !name.empty()) loop_variables_.emplace_back(name);
        changed_.insert(loop_variables_.empty() ? std::string() : loop_variables_.back());
      }
    }
    unsure([&] { statement(behind_head, end); });
    for (std::size_t k = loops_before; k < loop_variables_.size(); ++k) values_.set(loop_variables_[k], std::nullopt);
    loop_variables_.resize(loops_before);
    return behind_all;
  }

  /// Runs `change`. Variables that it assigns are unknown afterwards, unless they were declared inside.
  void unsure(const std::function<void()>& change) {
    const std::set<std::string> before = std::exchange(changed_, {});
    ++unsure_;
    change();
    --unsure_;
    for (const std::string& name : changed_) values_.set(name, std::nullopt);
    changed_.insert(before.begin(), before.end());
  }

  // ---- declarations, assignments and calls ----

  void simple(std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    calls_.launches(begin, end);
    memory_calls(begin, end);
    if (!calls_function(begin, end)) {
      given_away(begin, end);
      if (!declares(begin, end)) assigns(begin, end);
    }
  }

  /// Variables whose address a call gets, as in scanf("%d", &n), are unknown afterwards, and so is an array that is given to a
  /// function which is not known here.
  void given_away(std::size_t begin, std::size_t end) {
    if (begin + 1 < end && word(at(begin)) && at(begin + 1) == "(") {
      const std::vector<Tokens> given = split_arguments(part(begin + 2, behind_bracket(tokens_, begin + 1) - 1));
      const bool known = HostArrays::knows(at(begin)) && given.size() >= 2;
      if (!known && !one_of(at(begin), {"cudaFree", "free", "printf"}))
        for (const Tokens& argument : given)
          if (const std::size_t array = argument.size() == 1 ? arrays_.named_in(argument) : 0; array != 0) arrays_.lose(array);
    }
    for (std::size_t i = begin + 1; i + 1 < end; ++i) {
      if (at(i) != "&" || !one_of(at(i - 1), {"(", ","}) || !word(at(i + 1))) continue;
      const std::size_t call = at(i - 1) == "(" && i >= begin + 2 ? i - 2 : begin;
      if (one_of(at(begin), {"cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"}) || one_of(at(call), {"dim3"})) continue;
      std::size_t last = 0;
      lose(path_at(part(i + 1, std::min(end, i + longest_path)), last));
    }
  }

  bool declares(std::size_t begin, std::size_t end) {
    const std::vector<Tokens> parts = split_at_commas(part(begin, end));
    if (parts.empty() || parts[0].size() < 2) return false;
    const std::size_t name = behind_name(parts[0]);
    if (name < 2 || !word(parts[0][name - 1])) return false;
    Tokens type(parts[0].begin(), parts[0].begin() + static_cast<std::ptrdiff_t>(name) - 1);
    const auto of_type = [](std::string_view t) {
      return word(t) || one_of(t, {"::", "*", "&", "<", ">", ","}) || t.find_first_not_of("0123456789") == std::string_view::npos;
    };
    if (!word(type[0]) || !std::all_of(type.begin(), type.end(), of_type)) return false;
    std::erase_if(type, [](std::string_view t) {
      return one_of(t, {"const", "static", "constexpr", "*", "&", "register", "volatile", "inline"});
    });
    if (type.empty()) return false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Tokens declarator = parts[i];
      if (i == 0) declarator.erase(declarator.begin(), declarator.begin() + static_cast<std::ptrdiff_t>(name) - 1);
      const bool pointer = i == 0 ? std::count(parts[0].begin(), parts[0].begin() + static_cast<std::ptrdiff_t>(name), "*") > 0
                                  : !declarator.empty() && declarator[0] == "*";
      std::erase_if(declarator, [first = true](std::string_view t) mutable { return first && (first = t == "*" || t == "&"); });
      if (!declarator.empty() && word(declarator[0])) declare(joined(type), pointer, declarator);
    }
    return true;
  }

  void declare(const std::string& type, bool pointer, const Tokens& declarator) {
    const std::string name(declarator[0]);
    changed_.erase(name);
    arrays_.forget(name);
    const std::string_view next = declarator.size() > 1 ? declarator[1] : std::string_view();
    const Tokens rest(declarator.begin() + std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(declarator.size())),
                      declarator.end());
    const std::int64_t element = arrays_.element_bytes(type);
    if (type.find("vector") != std::string::npos || type.find("array<") != std::string::npos)
      return arrays_.declare_vector(name, type, next, rest);
    if (next == "[") return arrays_.declare_array(name, element, declarator);
    if (pointer || (type == "auto" && next == "=" && HostArrays::makes_memory(rest))) {
      arrays_.declare_pointer(name, element);
      if (next == "=") arrays_.assign(name, rest);
      return;
    }
    if (type == "dim3") {
      Tokens made{"dim3"};
      if (next == "=") {
        made = rest;
        if (!made.empty() && made[0] == "{") made.insert(made.begin(), "dim3");
      } else if (next == "(" || next == "{") {
        made.insert(made.end(), declarator.begin() + 1, declarator.end());
      } else {
        made = {"dim3", "(", ")"};
      }
      return values_.set(name, values_.evaluate(braces_as_brackets(made)));
    }
    if (element <= 0 || vector_type(type)) {
      Tokens given = next == "=" ? rest : Tokens();
      if (next == "{") given.assign(declarator.begin() + 1, declarator.end());
      structs_.declare(name, given);
      if (HostStructs::lists_members(given)) return values_.set(name, std::nullopt);
    }
    std::optional<Value> value;
    if (next == "=") value = values_.evaluate(rest);
    if (next == "(" || next == "{") value = values_.evaluate(Tokens(rest.begin(), rest.empty() ? rest.end() : rest.end() - 1));
    if (value && value->kind == Value::Kind::real && is_whole_type(type)) value = Value::of(value->as_whole());
    if (value && value->kind == Value::Kind::whole && one_of(type, {"float", "double"})) value = Value::real(value->as_real());
    values_.set(name, value);
  }

  void assigns(std::size_t begin, std::size_t end) {
    const Tokens tokens = with_member_as_name(part(begin, end));
    if (tokens.size() >= 3 && word(tokens[0]) && ((tokens[1] == "+" && tokens[2] == "+") || (tokens[1] == "-" && tokens[2] == "-")))
      return assign(std::string(tokens[0]), tokens[1], {"1"});
    const auto equals = std::find(tokens.begin(), tokens.end(), "=");
    if (equals == tokens.end() || equals == tokens.begin()) return;
    const Tokens target(tokens.begin(), equals), from(equals + 1, tokens.end());
    if (target.size() == 1) return assign(std::string(target[0]), {}, from);
    if (target.size() == 2 && word(target[0]) && one_of(target[1], {"+", "-", "*", "/", "%", "&", "|", "^"}))
      return assign(std::string(target[0]), target[1], from);
    if (target.size() == 3 && target[1] == ".") return assign_member(std::string(target[0]), target[2], from);
    if (target.size() >= 4 && target[1] == "[" && word(target[0]))
      arrays_.assign_element(target, from, loop_variables_, unsure_ == 0);
  }

  /// "p.n = 4" with one token for "p.n", unless p is a dim3.
  Tokens with_member_as_name(const Tokens& tokens) {
    if (tokens.empty() || !word(tokens[0])) return tokens;
    if (const auto value = values_.get(tokens[0]); value && value->kind == Value::Kind::shape) return tokens;
    std::size_t last = 0;
    const std::string path = path_at(tokens, last);
    if (last == 0) return tokens;
    Tokens named{name_of_variable(path)};
    named.insert(named.end(), tokens.begin() + static_cast<std::ptrdiff_t>(last) + 1, tokens.end());
    return named;
  }

  void assign(const std::string& name, std::string_view op, const Tokens& from) {
    changed_.insert(name);
    if (op.empty() && (name.find('.') != std::string::npos)) return structs_.assign(name, from);
    if (op.empty() && HostStructs::lists_members(from)) return structs_.declare(name, from);
    if (arrays_.has(name)) return arrays_.assign(name, from);
    Tokens whole = from;
    if (!op.empty()) {
      whole.insert(whole.begin(), "(");
      whole.insert(whole.begin(), op);
      whole.insert(whole.begin(), name_of_variable(name));
      whole.push_back(")");
    }
    values_.set(name, values_.evaluate(whole));
  }
  std::string_view name_of_variable(const std::string& name) { return names_.emplace_back(name); }

  void assign_member(const std::string& name, std::string_view field, const Tokens& from) {
    changed_.insert(name);
    auto value = values_.get(name);
    const auto extent = values_.evaluate(from);
    if (!value || value->kind != Value::Kind::shape) return;
    if (!extent) return values_.set(name, std::nullopt);
    const auto number = static_cast<std::uint32_t>(extent->as_whole());
    (field == "x" ? value->dim.x : field == "y" ? value->dim.y : value->dim.z) = number;
    values_.set(name, value);
  }

  /// A statement that calls one of the file's host functions: reads the function with these arguments.
  bool calls_function(std::size_t begin, std::size_t end) {
    std::size_t name = begin;
    while (name < end && at(name) != "(" && at(name) != "<") ++name;
    if (name == begin || name >= end || at(name) != "(" || call_depth_ >= deepest_call) return false;
    const std::string_view called = at(name - 1);
    if (name - 1 > begin && at(name - 2) != "=" && at(name - 2) != "::") return false;
    const auto function = std::find_if(functions_.begin(), functions_.end(), [&](const auto& f) { return f.name == called; });
    if (function == functions_.end() || function->name == "main") return false;
    const std::vector<Tokens> given = split_at_commas(part(name + 1, behind_bracket(tokens_, name) - 1));
    const auto names = values_.names();
    const HostArrays::Places places = arrays_.places();
    const auto loops = std::exchange(loop_variables_, {});
    std::vector<std::pair<std::optional<Value>, std::size_t>> passed;
    for (const Tokens& argument : given) passed.emplace_back(values_.evaluate(argument), arrays_.named_in(argument));
    for (std::size_t i = 0; i < function->parameters.size() && i < passed.size(); ++i) {
      values_.set(function->parameters[i], passed[i].first);
      arrays_.forget(function->parameters[i]);
      if (passed[i].second != 0) arrays_.point(function->parameters[i], passed[i].second);
      structs_.copy(variable_given(given[i]), function->parameters[i]);
    }
    ++call_depth_;
    block(function->begin, function->end);
    --call_depth_;
    values_.names() = names;
    arrays_.restore(places);
    loop_variables_ = loops;
    for (std::size_t i = 0; i < given.size() && i < function->parameters.size(); ++i)
      if (function->by_reference[i]) lose(variable_given(given[i]));
    const bool assigned = at(begin + 1) == "=";
    return !assigned;
  }

  /// What a function may have changed through a reference is unknown.
  void lose(const std::string& name) {
    if (name.empty()) return;
    if (values_.has(name)) {
      values_.set(name, std::nullopt);
      changed_.insert(name);
    }
    structs_.declare(name, {});
  }

  // ---- CUDA's calls ----

  void memory_calls(std::size_t begin, std::size_t end) {
    std::size_t calls = 0;
    for (std::size_t i = begin; i + 1 < end && calls < most_calls_at_once; ++i) {
      if (at(i + 1) == "(" && one_of(at(i), {"cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"})) {
        ++calls;
        calls_.fills_variable(split_arguments(part(i + 2, behind_bracket(tokens_, i + 1) - 1)), unsure_ == 0);
      }
      if (!HostArrays::knows(at(i)) || at(i + 1) != "(") continue;
      ++calls;
      arrays_.call(at(i), split_arguments(part(i + 2, behind_bracket(tokens_, i + 1) - 1)));
    }
  }

  const Tokens tokens_;
  SourceValues values_;
  std::vector<HostFunction> functions_;
  HostArrays arrays_{values_};
  HostStructs structs_{values_, arrays_};
  HostCalls calls_;
  std::vector<std::string> loop_variables_;  // of the loops around the current statement
  std::set<std::string> changed_;            // variables assigned since the start of the innermost uncertain branch or loop
  std::deque<std::string> names_;            // owns the text of tokens that are not part of the source
  std::size_t steps_ = 0;
  int call_depth_ = 0, nesting_ = 0, unsure_ = 0;
};

}  // namespace

std::vector<HostLaunch> read_host_launches(std::string_view source, const std::vector<std::string_view>& beside,
                                           const std::vector<std::pair<std::string, std::string>>& defines) {
  return HostReader(source, beside, defines).take();
}

}  // namespace warpbook::gpu
