#include "gpu/host_launch.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "gpu/kernel_signatures.h"
#include "gpu/source_tokens.h"
#include "gpu/source_values.h"

namespace warpbook::gpu {
namespace {

constexpr std::size_t most_host_launches = 256;
constexpr std::size_t most_steps = 20'000;  // statements gone through, calls included
constexpr int deepest_call = 8;

struct HostFunction {
  std::string name;
  std::vector<std::string> parameters;
  std::size_t begin = 0, end = 0;  // of its body, without the braces
};

/// What a variable of the host's points to.
struct Place {
  std::int64_t element = 0;  // bytes of what it points to; 0: not known
  std::size_t array = 0;     // in arrays_; 0: none
};

/// Goes through a source's host functions, statement by statement.
class HostReader {
 public:
  HostReader(std::string_view source, const std::vector<std::string_view>& beside,
             const std::vector<std::pair<std::string, std::string>>& defines)
      : source_(source), tokens_(tokens_of(source)) {
    for (const auto& [name, value] : defines) values_.define(name, value);
    values_.read(source);
    for (const std::string_view text : beside) values_.read(text);
    values_.ask = [this](const std::string& words) { return asked(words); };
    arrays_.emplace_back();  // number 0 is none
    for (std::size_t at = source.find('\n'); at != std::string_view::npos; at = source.find('\n', at + 1)) line_ends_.push_back(at);
    for (const std::string_view text : beside) {
      const Tokens tokens = tokens_of(text);
      constants_of(tokens);
    }
    declarations(0, tokens_.size());
  }

  std::vector<HostLaunch> take() {
    const auto start = std::find_if(functions_.begin(), functions_.end(), [](const auto& f) { return f.name == "main"; });
    const auto names = values_.names();
    const auto places = places_;
    const auto run = [&](const HostFunction& function) {
      values_.names() = names;
      places_ = places;
      for (const std::string& parameter : function.parameters) values_.set(parameter, std::nullopt);
      block(function.begin, function.end);
    };
    if (start != functions_.end()) run(*start);
    for (const HostFunction& function : functions_)
      if (function.name != "main") run(function);
    std::stable_sort(launches_.begin(), launches_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<HostLaunch> all;
    for (auto& [order, launch] : launches_) all.push_back(std::move(launch));
    return all;
  }

 private:
  // ---- the file ----

  [[nodiscard]] std::string_view at(std::size_t i) const { return i < tokens_.size() ? tokens_[i] : std::string_view(); }
  [[nodiscard]] Tokens part(std::size_t begin, std::size_t end) const {
    end = std::min(end, tokens_.size());
    if (begin >= end) return {};
    return {tokens_.begin() + static_cast<std::ptrdiff_t>(begin), tokens_.begin() + static_cast<std::ptrdiff_t>(end)};
  }

  /// A header's constants: "const int N = 32;", "constexpr int N = 32;"
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

  /// A function, a variable, a namespace; returns what stands behind it.
  std::size_t declaration(std::size_t begin, std::size_t end) {
    std::size_t arguments = 0;
    bool device = false;
    for (std::size_t i = begin; i < end; ++i) {
      const std::string_view token = at(i);
      if (one_of(token, {"__global__", "__device__"})) device = true;
      if (token == "__host__") device = false;  // both
      if (token == "(" || token == "[") {
        if (token == "(" && arguments == 0 && i > begin && word(at(i - 1))) arguments = i;
        i = behind_bracket(tokens_, i) - 1;
      } else if (token == "=") {
        while (i < end && at(i) != ";") i = one_of(at(i), {"(", "[", "{"}) ? behind_bracket(tokens_, i) : i + 1;
        if (!device) simple(begin, i);
        return i + 1;
      } else if (token == ";") {
        if (!device && arguments == 0) simple(begin, i);
        return i + 1;
      } else if (token == "{") {
        const std::size_t behind = behind_bracket(tokens_, i);
        if (one_of(at(begin), {"namespace", "extern"}) && arguments == 0) {
          declarations(i + 1, behind - 1);
        } else if (at(begin) == "enum") {
          enumerators(i + 1, behind - 1);
        } else if (arguments != 0 && !device) {
          HostFunction function{.name = std::string(at(arguments - 1)), .parameters = {}, .begin = i + 1, .end = behind - 1};
          for (const Tokens& parameter : split_at_commas(part(arguments + 1, behind_bracket(tokens_, arguments) - 1)))
            function.parameters.emplace_back(name_in(parameter));
          functions_.push_back(std::move(function));
        }
        return behind;
      }
    }
    return end;
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

  /// "a" of "float *a = nullptr" and of "int a[3]"
  static std::string_view name_in(const Tokens& declarator) {
    std::string_view name;
    for (const std::string_view token : declarator) {
      if (one_of(token, {"=", "[", "(", "{"})) break;
      if (word(token)) name = token;
    }
    return name;
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
    if (at(i) == "{") return behind_bracket(tokens_, i);
    if (one_of(at(i), {"if", "for", "while", "switch"})) {
      std::size_t behind = behind_statement(behind_bracket(tokens_, i + 1), end);
      if (at(i) == "if" && at(behind) == "else") behind = behind_statement(behind + 1, end);
      return behind;
    }
    return end_of_simple(i, end) + 1;
  }

  std::size_t statement(std::size_t i, std::size_t end) {
    ++steps_;
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

  /// Started without arguments, argc is 1: what asks for more is passed over. What cannot be decided is gone through, and what it
  /// changes is not known afterwards.
  std::size_t branch(std::size_t i, std::size_t end) {
    const std::size_t behind_condition = behind_bracket(tokens_, i + 1);
    const std::size_t behind_then = behind_statement(behind_condition, end);
    const bool has_else = at(behind_then) == "else";
    const std::size_t behind_all = has_else ? behind_statement(behind_then + 1, end) : behind_then;
    values_.set("argc", Value::of(1));
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

  /// Once through its body, as the first time.
  std::size_t loop(std::size_t i, std::size_t end) {
    const std::size_t behind_head = behind_bracket(tokens_, i + 1);
    const std::size_t behind_all = behind_statement(behind_head, end);
    const std::size_t loops_before = loop_variables_.size();
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

  /// What `change` assigns is not known afterwards, unless it was declared there.
  void unsure(const std::function<void()>& change) {
    const std::set<std::string> before = std::exchange(changed_, {});
    change();
    for (const std::string& name : changed_) values_.set(name, std::nullopt);
    changed_.insert(before.begin(), before.end());
  }

  // ---- declarations, assignments and calls ----

  void simple(std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    launches(begin, end);
    memory_calls(begin, end);
    if (calls_function(begin, end)) return;
    if (declares(begin, end)) return;
    assigns(begin, end);
  }

  /// The token before which the declarator's initialiser stands: "=", "(", "[", "{" or the end.
  static std::size_t behind_name(const Tokens& tokens) {
    std::size_t k = 0;
    int angles = 0;
    for (; k < tokens.size(); ++k) {
      angles += tokens[k] == "<" ? 1 : tokens[k] == ">" ? -1 : 0;
      if (angles == 0 && one_of(tokens[k], {"=", "(", "[", "{"})) break;
    }
    return k;
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
    places_.erase(name);
    const std::string_view next = declarator.size() > 1 ? declarator[1] : std::string_view();
    const Tokens rest(declarator.begin() + std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(declarator.size())),
                      declarator.end());
    const std::int64_t element = element_bytes(type);
    if (type.find("vector") != std::string::npos) return declare_vector(name, type, next, rest);
    if (next == "[") return declare_array(name, element, declarator);
    if (pointer || (type == "auto" && next == "=" && makes_memory(rest))) {
      places_[name] = {.element = element, .array = 0};
      if (next == "=") points_to(name, rest);
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
    std::optional<Value> value;
    if (next == "=") value = values_.evaluate(rest);
    if (next == "(" || next == "{") value = values_.evaluate(Tokens(rest.begin(), rest.empty() ? rest.end() : rest.end() - 1));
    if (value && value->kind == Value::Kind::real && is_whole_type(type)) value = Value::of(value->as_whole());
    if (value && value->kind == Value::Kind::whole && one_of(type, {"float", "double"})) value = Value::real(value->as_real());
    values_.set(name, value);
  }

  static Tokens braces_as_brackets(Tokens tokens) {
    for (std::string_view& token : tokens) token = token == "{" ? "(" : token == "}" ? ")" : token;
    return tokens;
  }

  static bool is_whole_type(const std::string& type) {
    const auto element = element_type(type);
    return element && *element != ScalarType::float32 && *element != ScalarType::float64;
  }
  std::int64_t element_bytes(const std::string& type) const {
    const auto size = values_.evaluate(tokens_of(size_words_.emplace_back("sizeof(" + type + ")")));
    return size ? size->as_whole() : 0;
  }

  /// "float h[N][M]", with "= {0}" perhaps.
  void declare_array(const std::string& name, std::int64_t element, const Tokens& declarator) {
    std::optional<std::int64_t> bytes = element;
    std::size_t k = 1;
    while (k < declarator.size() && declarator[k] == "[") {
      const std::size_t behind = behind_bracket(declarator, k);
      const auto extent = values_.evaluate(Tokens(declarator.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                                                  declarator.begin() + static_cast<std::ptrdiff_t>(behind) - 1));
      bytes = bytes && extent && *bytes > 0 ? std::optional(*bytes * extent->as_whole()) : std::nullopt;
      k = behind;
    }
    HostArray& array = new_array(name, element);
    if (bytes && *bytes > 0) array.bytes = static_cast<std::uint64_t>(*bytes);
    const Tokens initial(declarator.begin() + static_cast<std::ptrdiff_t>(k), declarator.end());
    if (joined(initial) == "={0}" || joined(initial) == "={}" || joined(initial) == "={0.0f}")
      array.content = HostArray::Content::value;
  }

  /// "std::vector<float> h(n)", "(n, 1.0f)"
  void declare_vector(const std::string& name, const std::string& type, std::string_view next, const Tokens& rest) {
    const std::size_t open = type.find('<'), close = type.rfind('>');
    const std::int64_t element =
        open == std::string::npos || close == std::string::npos ? 0 : element_bytes(type.substr(open + 1, close - open - 1));
    HostArray& array = new_array(name, element);
    if (next != "(" || rest.empty()) return;
    const std::vector<Tokens> given = split_at_commas(Tokens(rest.begin(), rest.end() - 1));
    const auto count = given.empty() ? std::nullopt : values_.evaluate(given[0]);
    if (count && element > 0 && count->as_whole() >= 0) array.bytes = static_cast<std::uint64_t>(count->as_whole() * element);
    const auto value = given.size() > 1 ? values_.evaluate(given[1]) : std::optional(Value::of(0));
    if (!value) return;
    array.content = HostArray::Content::value;
    array.value = value->as_real();
  }

  HostArray& new_array(const std::string& name, std::int64_t element) {
    places_[name] = {.element = element, .array = arrays_.size()};
    return arrays_.emplace_back();
  }

  static bool makes_memory(const Tokens& tokens) {
    return std::any_of(tokens.begin(), tokens.end(), [](std::string_view t) { return one_of(t, {"malloc", "calloc", "new"}); });
  }

  /// `name` = malloc(bytes), calloc(n, size), new float[n], another pointer.
  void points_to(const std::string& name, const Tokens& from) {
    Place& place = places_[name];
    for (std::size_t k = 0; k < from.size(); ++k) {
      const bool calls = k + 1 < from.size() && from[k + 1] == "(";
      if (calls && one_of(from[k], {"malloc", "calloc"})) {
        const std::size_t behind = behind_bracket(from, k + 1);
        const std::vector<Tokens> given = split_at_commas(
            Tokens(from.begin() + static_cast<std::ptrdiff_t>(k) + 2, from.begin() + static_cast<std::ptrdiff_t>(behind) - 1));
        std::optional<std::int64_t> bytes = 1;
        for (const Tokens& one : given) {
          const auto value = values_.evaluate(one);
          bytes = bytes && value ? std::optional(*bytes * value->as_whole()) : std::nullopt;
        }
        HostArray& array = new_array(name, place.element);
        if (bytes && *bytes > 0) array.bytes = static_cast<std::uint64_t>(*bytes);
        if (from[k] == "calloc") array.content = HostArray::Content::value;
        return;
      }
      if (from[k] == "new") {
        const auto open = std::find(from.begin() + static_cast<std::ptrdiff_t>(k), from.end(), "[");
        if (open == from.end()) return;
        const std::int64_t element = element_bytes(joined(Tokens(from.begin() + static_cast<std::ptrdiff_t>(k) + 1, open)));
        const std::size_t behind = behind_bracket(from, static_cast<std::size_t>(open - from.begin()));
        const auto count = values_.evaluate(Tokens(open + 1, from.begin() + static_cast<std::ptrdiff_t>(behind) - 1));
        HostArray& array = new_array(name, element);
        if (count && element > 0 && count->as_whole() > 0) array.bytes = static_cast<std::uint64_t>(count->as_whole() * element);
        return;
      }
    }
    place.array = array_named_in(from);
  }

  [[nodiscard]] std::size_t array_named_in(const Tokens& tokens) const {
    for (const std::string_view token : tokens)
      if (const auto found = places_.find(token); found != places_.end() && found->second.array != 0) return found->second.array;
    return 0;
  }

  void assigns(std::size_t begin, std::size_t end) {
    const Tokens tokens = part(begin, end);
    if (tokens.size() >= 3 && word(tokens[0]) && ((tokens[1] == "+" && tokens[2] == "+") || (tokens[1] == "-" && tokens[2] == "-")))
      return assign(std::string(tokens[0]), tokens[1], {"1"});
    const auto equals = std::find(tokens.begin(), tokens.end(), "=");
    if (equals == tokens.end() || equals == tokens.begin()) return;
    const Tokens target(tokens.begin(), equals), from(equals + 1, tokens.end());
    if (target.size() == 1) return assign(std::string(target[0]), {}, from);
    if (target.size() == 2 && word(target[0]) && one_of(target[1], {"+", "-", "*", "/", "%", "&", "|", "^"}))
      return assign(std::string(target[0]), target[1], from);
    if (target.size() == 3 && target[1] == ".") return assign_member(std::string(target[0]), target[2], from);
    if (target.size() >= 4 && target[1] == "[" && word(target[0])) assign_element(target, from);
  }

  void assign(const std::string& name, std::string_view op, const Tokens& from) {
    changed_.insert(name);
    if (places_.contains(name)) return points_to(name, from);
    Tokens whole = from;
    if (!op.empty()) {
      whole.insert(whole.begin(), "(");
      whole.insert(whole.begin(), op);
      whole.insert(whole.begin(), name_of_variable(name));
      whole.push_back(")");
    }
    values_.set(name, values_.evaluate(whole));
  }
  std::string_view name_of_variable(const std::string& name) const { return size_words_.emplace_back(name); }

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

  /// "a[i] = 2.0f * i" in a loop: what it puts into every element, seen at some of them.
  void assign_element(const Tokens& target, const Tokens& from) {
    const auto place = places_.find(target[0]);
    if (place == places_.end() || place->second.array == 0) return;
    HostArray& array = arrays_[place->second.array];
    const std::size_t behind = behind_bracket(target, 1);
    if (loop_variables_.empty() || behind != target.size()) return;
    const auto random = [](std::string_view t) {
      return t.find("rand") != std::string_view::npos || t.find("dist") != std::string_view::npos || t == "gen";
    };
    if (std::any_of(from.begin(), from.end(), random)) {
      array.content = HostArray::Content::random;
      return;
    }
    const Tokens index(target.begin() + 2, target.end() - 1);
    array.content = HostArray::Content::unknown;
    constexpr std::array<std::int64_t, 4> tried{3, 0, 7, 12};
    bool same = true, counts = true;
    std::optional<double> first;
    const auto names = values_.names();
    for (std::size_t k = 0; k < tried.size(); ++k) {
      for (std::size_t v = 0; v < loop_variables_.size(); ++v)
        values_.set(loop_variables_[v], Value::of(tried[k] + static_cast<std::int64_t>(v * k)));
      const auto value = values_.evaluate(from), element = values_.evaluate(index);
      same = same && value && (!first || *first == value->as_real());
      counts = counts && value && element && value->as_real() == element->as_real();
      if (value && !first) first = value->as_real();
    }
    values_.names() = names;
    if (same && first) {
      array.content = HostArray::Content::value;
      array.value = *first;
    } else if (counts) {
      array.content = HostArray::Content::iota;
    }
  }

  /// A call of one of the file's host functions, as a statement: gone through with what it is given.
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
    const auto places = places_;
    const auto loops = std::exchange(loop_variables_, {});
    std::vector<std::pair<std::optional<Value>, std::size_t>> passed;
    for (const Tokens& argument : given) passed.emplace_back(values_.evaluate(argument), array_named_in(argument));
    for (std::size_t i = 0; i < function->parameters.size() && i < passed.size(); ++i) {
      values_.set(function->parameters[i], passed[i].first);
      places_.erase(function->parameters[i]);
      if (passed[i].second != 0) places_[function->parameters[i]] = {.element = 0, .array = passed[i].second};
    }
    ++call_depth_;
    block(function->begin, function->end);
    --call_depth_;
    values_.names() = names;
    places_ = places;
    loop_variables_ = loops;
    const bool assigned = at(begin + 1) == "=";
    return !assigned;
  }

  // ---- CUDA's calls ----

  void memory_calls(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i + 1 < end; ++i) {
      if (!word(at(i)) || at(i + 1) != "(") continue;
      const std::size_t behind = behind_bracket(tokens_, i + 1);
      const std::vector<Tokens> given = split_at_commas(part(i + 2, behind - 1));
      if (one_of(at(i), {"cudaMalloc", "cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc", "cudaMallocAsync"}) &&
          given.size() >= 2)
        allocate(given[0], given[1]);
      else if (one_of(at(i), {"cudaMemcpy", "cudaMemcpyAsync"}) && given.size() >= 3)
        copy(given[0], given[1]);
      else if (one_of(at(i), {"cudaMemset", "memset", "cudaMemsetAsync"}) && given.size() >= 3)
        fill_bytes(given[0], given[1]);
      else if (one_of(at(i), {"fill", "iota", "generate"}) && given.size() >= 3)
        fill_range(at(i), given);
    }
  }

  void allocate(const Tokens& pointer, const Tokens& size) {
    std::string name;
    for (const std::string_view token : pointer)
      if (word(token) && !qualifier(token) && !fundamental(token)) name = token;
    if (name.empty()) return;
    const auto bytes = values_.evaluate(size);
    HostArray& array = new_array(name, places_[name].element);
    if (bytes && bytes->as_whole() > 0) array.bytes = static_cast<std::uint64_t>(bytes->as_whole());
  }

  void copy(const Tokens& to, const Tokens& from) {
    const std::size_t target = array_named_in(to), origin = array_named_in(from);
    if (target == 0 || target == origin) return;
    arrays_[target].content = origin == 0 ? HostArray::Content::unknown : arrays_[origin].content;
    arrays_[target].value = origin == 0 ? 0 : arrays_[origin].value;
  }

  void fill_bytes(const Tokens& to, const Tokens& byte) {
    const std::size_t target = array_named_in(to);
    const auto value = values_.evaluate(byte);
    if (target == 0) return;
    const bool zero = value && !value->truth();
    arrays_[target].content = zero ? HostArray::Content::value : HostArray::Content::unknown;
    arrays_[target].value = 0;
  }

  /// std::fill(v.begin(), v.end(), 1.0f), std::iota(v.begin(), v.end(), 0)
  void fill_range(std::string_view how, const std::vector<Tokens>& given) {
    const std::size_t target = array_named_in(given[0]);
    if (target == 0) return;
    HostArray& array = arrays_[target];
    array.content = HostArray::Content::unknown;
    const auto value = values_.evaluate(given[2]);
    if (how == "generate") array.content = HostArray::Content::random;
    if (how == "fill" && value) {
      array.content = HostArray::Content::value;
      array.value = value->as_real();
    }
    if (how == "iota" && value && value->as_real() == 0) array.content = HostArray::Content::iota;
  }

  /// sizeof of an array, size() of a vector.
  std::optional<Value> asked(const std::string& words) const {
    const bool size = words.starts_with("sizeof(");
    const std::string name = size ? words.substr(7, words.size() - 8) : words.substr(0, words.find_first_of(".-"));
    if (size && name.starts_with('*')) {
      const auto place = places_.find(name.substr(1));
      return place != places_.end() && place->second.element > 0 ? std::optional(Value::of(place->second.element)) : std::nullopt;
    }
    const auto place = places_.find(name);
    if (place == places_.end() || place->second.array == 0) return std::nullopt;
    const HostArray& array = arrays_[place->second.array];
    if (!array.bytes || (!size && (words.find("size()") == std::string::npos || place->second.element <= 0))) return std::nullopt;
    const auto bytes = static_cast<std::int64_t>(*array.bytes);
    return Value::of(size ? bytes : bytes / place->second.element);
  }

  /// kernel<<<grid, block, shared>>>(arguments)
  void launches(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin + 1; i + 2 < end; ++i) {
      if (at(i) != "<" || at(i + 1) != "<" || at(i + 2) != "<") continue;
      std::size_t close = i + 3;
      while (close + 2 < end && !(at(close) == ">" && at(close + 1) == ">" && at(close + 2) == ">" && at(close + 3) == "("))
        ++close;
      if (at(close + 3) != "(") continue;
      std::size_t name = i;  // "scale<float>": back over the template's arguments
      int angles = 0;
      do {
        --name;
        angles += at(name) == ">" ? 1 : at(name) == "<" ? -1 : 0;
      } while (name > begin && (angles > 0 || !word(at(name))));
      const std::size_t order = name;
      if (!seen_.insert(order).second || launches_.size() >= most_host_launches) continue;
      while (name >= begin + 2 && at(name - 1) == "::" && word(at(name - 2))) name -= 2;
      launches_.emplace_back(next_order_++, launch(joined(part(name, i)), order, split_at_commas(part(i + 3, close)),
                                                   split_at_commas(part(close + 4, behind_bracket(tokens_, close + 3) - 1))));
    }
  }

  HostLaunch launch(std::string kernel, std::size_t token, const std::vector<Tokens>& shape, const std::vector<Tokens>& given) {
    HostLaunch launch{.kernel = std::move(kernel),
                      .line = line_of_token(token),
                      .grid = {},
                      .block = {},
                      .dynamic_shared_bytes = 0,
                      .arguments = {}};
    if (!shape.empty()) launch.grid = dim_of(shape[0]);
    if (shape.size() > 1) launch.block = dim_of(shape[1]);
    if (shape.size() > 2) {
      const auto bytes = values_.evaluate(shape[2]);
      launch.dynamic_shared_bytes =
          bytes && bytes->as_whole() >= 0 ? std::optional(static_cast<std::uint32_t>(bytes->as_whole())) : std::nullopt;
    }
    for (const Tokens& one : given) {
      HostArgument argument{.text = joined(one), .number = {}, .array = {}};
      if (const std::size_t array = array_named_in(one); array != 0)
        argument.array = arrays_[array];
      else if (const auto value = values_.evaluate(one); value && value->kind != Value::Kind::shape)
        argument.number = value->as_real();
      launch.arguments.push_back(std::move(argument));
    }
    return launch;
  }

  std::optional<Dim3> dim_of(const Tokens& tokens) const {
    const auto value = values_.evaluate(tokens[0] == "{" ? with_dim3(tokens) : tokens);
    if (!value) return std::nullopt;
    Dim3 dim = value->dim;
    if (value->kind != Value::Kind::shape) {
      const std::int64_t extent = value->as_whole();
      if (extent < 1 || extent > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
      dim = {static_cast<std::uint32_t>(extent), 1, 1};
    }
    return dim.x > 0 && dim.y > 0 && dim.z > 0 ? std::optional(dim) : std::nullopt;
  }
  static Tokens with_dim3(const Tokens& tokens) {
    Tokens made = braces_as_brackets(tokens);
    made.insert(made.begin(), "dim3");
    return made;
  }

  int line_of_token(std::size_t token) const {
    const auto position = static_cast<std::size_t>(tokens_[token].data() - source_.data());
    return 1 + static_cast<int>(std::lower_bound(line_ends_.begin(), line_ends_.end(), position) - line_ends_.begin());
  }

  const std::string_view source_;
  const Tokens tokens_;
  SourceValues values_;
  std::vector<HostFunction> functions_;
  std::map<std::string, Place, std::less<>> places_;
  std::vector<HostArray> arrays_;
  std::vector<std::string> loop_variables_;  // of the loops around what is read
  std::set<std::string> changed_;            // variables, since the innermost branch or loop that is not sure
  std::set<std::size_t> seen_;
  std::vector<std::pair<std::size_t, HostLaunch>> launches_;  // with their order
  std::vector<std::size_t> line_ends_;
  mutable std::deque<std::string> size_words_;  // what tokens of ours are views of
  std::size_t steps_ = 0, next_order_ = 0;
  int call_depth_ = 0;
};

}  // namespace

bool HostLaunch::complete() const {
  return grid && block && dynamic_shared_bytes && std::all_of(arguments.begin(), arguments.end(), [](const HostArgument& argument) {
           return argument.number || (argument.array && argument.array->bytes);
         });
}

std::vector<HostLaunch> host_launches(std::string_view source, const std::vector<std::string_view>& beside,
                                      const std::vector<std::pair<std::string, std::string>>& defines) {
  if (source.find("<<<") == std::string_view::npos) return {};
  return HostReader(source, beside, defines).take();
}

const HostLaunch* launch_of(const std::vector<HostLaunch>& launches, std::string_view kernel) {
  const auto bare = [](std::string_view name) {
    name = name.substr(0, name.find('<'));
    const std::size_t scope = name.rfind("::");
    return scope == std::string_view::npos ? name : name.substr(scope + 2);
  };
  const HostLaunch* by_name = nullptr;
  for (const HostLaunch& launch : launches) {
    if (normalised(launch.kernel) == kernel) return &launch;
    if (by_name == nullptr && bare(launch.kernel) == bare(kernel)) by_name = &launch;
  }
  return by_name;
}

}  // namespace warpbook::gpu
