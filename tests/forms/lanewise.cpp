#include "tests/forms/lanewise.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <random>

#include "tests/forms/values.h"

namespace warpbook::gpu::test {
namespace {

using ptx::OperandShape;
using ptx::Type;
using Kind = OperandShape::Kind;

constexpr std::size_t threads = 500, per_kernel = 100;

/// One instruction of the kernel: a spelling with its registers.
struct Instance {
  const Spelling* spelling = nullptr;
  std::vector<Type> results, sources;
  std::vector<std::optional<u64>> constants;  // by source: written into the text instead of a register
  unsigned register_bytes = 0;                // of results and integer sources that may be wider than their type; 0: as the type
  bool negated = false;                       // "!%p"
  bool carries = false;                       // the last source is the carry before, the second result the carry behind

  [[nodiscard]] auto group() const { return std::tuple(sources, register_bytes); }
};

Type type_of(const OperandShape& shape, const Spelling& s) {
  switch (shape.kind) {
    case Kind::type2:
    case Kind::at_least_type2:
      return s.type2;
    case Kind::wide:
      return ptx::is_signed(s.type) ? (ptx::bytes_of(s.type) == 2 ? Type::s32 : Type::s64)
                                    : (ptx::bytes_of(s.type) == 2 ? Type::u32 : Type::u64);
    case Kind::pred:
      return Type::pred;
    case Kind::u32:
    case Kind::integer:
      return Type::u32;
    default:
      return s.type;
  }
}

/// Registers have 16, 32, 64 or 128 bits.
unsigned register_bytes(Type type, unsigned wide) {
  return wide && type != Type::pred && type <= Type::s64 ? wide : std::max(ptx::bytes_of(type), 2U);
}
std::string name_of_class(Type type, unsigned wide) {
  return type == Type::pred ? "p" : std::to_string(8 * register_bytes(type, wide));
}

std::vector<Instance> instances_of(const Spelling& spelling) {
  const ptx::Shape& shape = *ptx::decode_opcode(spelling.text)->shapes.front();
  Instance one{.spelling = &spelling, .results = {}, .sources = {}, .constants = {}};
  bool extends = false;
  std::size_t table = shape.size(), predicates = 0;  // lop3's operand that must be a constant
  for (const OperandShape& operand : shape) {
    const Type type = type_of(operand, spelling);
    if (operand.kind == Kind::integer) table = one.sources.size();
    (operand.destination ? one.results : one.sources).push_back(type);
    if (operand.pair) one.results.push_back(Type::pred);
    extends |= operand.kind == Kind::at_least_type;
    predicates += operand.kind == Kind::pred && !operand.destination;
  }
  one.constants.resize(one.sources.size());
  const std::string_view opcode = spelling.row->spelling;
  if (spelling.has("cc") || opcode == "addc" || opcode == "subc" || opcode == "madc") {
    one.carries = true;
    one.sources.push_back(Type::pred);
    one.results.push_back(Type::pred);
  }
  std::vector<Instance> all;
  for (unsigned lut = 1; lut < 256; lut += table < shape.size() ? 11 : 256) {
    if (table < shape.size()) one.constants[table] = lut;
    all.push_back(one);
  }
  if (extends) {
    all.push_back(one);
    all.back().register_bytes = 8;
  }
  if (predicates && !spelling.words.empty()) {
    all.push_back(one);
    all.back().negated = true;
  }
  // One operand as a constant, another with each spelling. There are none of the halves.
  static std::mt19937_64 random(5);
  const std::size_t source = random() % one.constants.size();
  const Type type = one.sources[source];
  if (type != Type::pred && source != table && !(ptx::is_float(type) && type != Type::f32 && type != Type::f64) &&
      ptx::bytes_of(type) < 16) {
    const std::vector<u128> edges = edges_of(type);
    all.push_back(one);
    all.back().constants[source] = random() % 2 ? static_cast<u64>(edges[random() % edges.size()]) : random_of(type, random);
  }
  return all;
}

std::string literal(Type type, u64 bits) {
  return type == Type::f32   ? fmt::format("0f{:08X}", bits)
         : type == Type::f64 ? fmt::format("0d{:016X}", bits)
                             : fmt::format("{:#x}", bits);
}

class Run {
 public:
  Run(Bench& bench, const Oracle& oracle) : bench_(bench), oracle_(oracle) {}

  Outcome all(std::span<const Spelling> spellings) {
    std::map<std::tuple<std::vector<Type>, unsigned>, std::vector<Instance>> groups;
    for (const Spelling& spelling : spellings)
      for (Instance& instance : instances_of(spelling)) groups[instance.group()].push_back(std::move(instance));
    for (const auto& [key, instances] : groups)
      for (std::size_t first = 0; first < instances.size(); first += per_kernel)
        some(std::span(instances).subspan(first, std::min(per_kernel, instances.size() - first)));
    Outcome outcome;
    for (const Spelling& spelling : spellings)
      if (const auto found = wrong_.find(&spelling); found != wrong_.end())
        outcome.wrong.push_back(found->second);
      else
        outcome.agreed.push_back(spelling.text);
    return outcome;
  }

 private:
  void some(std::span<const Instance> instances) {
    const Instance& any = instances.front();
    const auto operands = operands_of(any.sources, threads);
    KernelText kernel{.module = {}, .parameters = {}, .body = declarations(any), .last_parameter = {}};
    kernel.in_slots = any.sources.size();
    kernel.out_slots = instances.size();
    for (std::size_t n = 0; n < instances.size(); ++n) kernel.body += text_of(instances[n], n);
    std::vector<u128> in;
    for (std::size_t o = 0; o < operands.size(); ++o)  // what lies above a type's bits in its register must not matter
      for (const u128 bits : operands[o])
        in.push_back(any.sources[o] == Type::pred || ptx::bytes_of(any.sources[o]) == 16
                         ? bits
                         : bits | ~u128{0x1234567} << 8 * ptx::bytes_of(any.sources[o]));
    const auto out = bench_.run(kernel, in);
    if (!out && instances.size() > 1) {  // one that does not run must not hide the others
      some(instances.first(instances.size() / 2));
      some(instances.subspan(instances.size() / 2));
      return;
    }
    for (std::size_t n = 0; n < instances.size(); ++n) {
      const Instance& instance = instances[n];
      if (!out) {
        wrong_.emplace(instance.spelling, instance.spelling->text + ": " + out.error().message);
        continue;
      }
      std::vector<Arg> args(any.sources.size());
      for (std::size_t lane = 0; lane < threads; ++lane) {
        for (std::size_t o = 0; o < args.size(); ++o) args[o] = {any.sources[o], operands[o][lane]};
        if (instance.negated)
          for (Arg& arg : args) arg.bits ^= arg.type == Type::pred;
        for (std::size_t o = 0; o < instance.constants.size(); ++o)
          if (instance.constants[o]) args[o].bits = *instance.constants[o];
        check(instance, args, (*out)[n * threads + lane]);
      }
    }
  }

  void check(const Instance& instance, Args args, u128 got) {
    Answer answer = oracle_(*instance.spelling, args);
    const Type result = instance.results.front();
    const unsigned bits = 8 * register_bytes(result, instance.register_bytes), second = instance.results.size() > 1 ? 65 : 0;
    if (result != Type::pred && ptx::bytes_of(result) * 8 < bits)
      answer.bits = static_cast<u128>(Arg{result, answer.bits}.integer());
    const u128 mask = second ? (((u128{1} << bits) - 1) | u128{1} << 64) : bits == 128 ? ~u128{0} : (u128{1} << bits) - 1;
    if (answer.accepts(got, mask)) return;
    std::string operands;
    for (const Arg& arg : args) operands += fmt::format("{}{:#x}", operands.empty() ? "" : ", ", arg.low());
    wrong_.emplace(instance.spelling, fmt::format("{} ({}) gave {:#x}, not {:#x}", instance.spelling->text, operands,
                                                  static_cast<u64>(got & mask), static_cast<u64>(answer.bits & mask)));
  }

  static std::string declarations(const Instance& any) {
    std::string text = ".reg .pred %dp, %dq;\n.reg .b32 %t;\n";
    for (const unsigned bits : {16, 32, 64, 128}) text += fmt::format(".reg .b{0} %d{0};\n", bits);
    for (std::size_t o = 0; o < any.sources.size(); ++o) {
      const Type type = any.sources[o];
      const std::size_t offset = o * threads * 16;
      if (type == Type::pred)
        text += fmt::format(".reg .pred %a{0};\nld.global.b32 %t, [%in+{1}];\nsetp.ne.u32 %a{0}, %t, 0;\n", o, offset);
      else
        text += fmt::format(".reg .b{1} %a{0};\nld.global.b{1} %a{0}, [%in+{2}];\n", o,
                            8 * register_bytes(type, any.register_bytes), offset);
    }
    return text;
  }

  static std::string text_of(const Instance& instance, std::size_t slot) {
    const std::size_t offset = slot * threads * 16;
    const std::string result = "%d" + name_of_class(instance.results.front(), instance.register_bytes);
    const bool pair = instance.results.size() > 1, subtracts = instance.spelling->row->spelling.starts_with("sub");
    const std::size_t written = instance.sources.size() - instance.carries;
    std::string text;
    if (instance.carries)
      text = fmt::format("selp.u32 %t, 1, 0, %a{};\n{}\n", written, subtracts ? "sub.cc.u32 %t, 0, %t;" : "add.cc.u32 %t, %t, -1;");
    text += instance.spelling->text + " " + result + (pair && !instance.carries ? "|%dq" : "");
    for (std::size_t o = 0; o < written; ++o)
      text += instance.constants[o] ? ", " + literal(instance.sources[o], *instance.constants[o])
                                    : fmt::format(", {}%a{}", instance.negated && instance.sources[o] == Type::pred ? "!" : "", o);
    text += ";\n";
    if (instance.carries) text += fmt::format("{}c.u32 %t, 0, 0;\nsetp.ne.u32 %dq, %t, 0;\n", subtracts ? "sub" : "add");
    const auto store = [&](Type type, const std::string& name, std::size_t at) {
      text += type == Type::pred
                  ? fmt::format("selp.u32 %t, 1, 0, {};\nst.global.b32 [%out+{}], %t;\n", name, at)
                  : fmt::format("st.global.b{} [%out+{}], {};\n", 8 * register_bytes(type, instance.register_bytes), at, name);
    };
    store(instance.results.front(), result, offset);
    if (pair) store(Type::pred, "%dq", offset + 8);
    return text;
  }

  Bench& bench_;
  const Oracle& oracle_;
  std::map<const Spelling*, std::string> wrong_;
};

}  // namespace

s128 Arg::integer() const {
  const unsigned width = 8 * ptx::bytes_of(type);
  if (width == 128) return static_cast<s128>(bits);
  const u128 value = bits & ((u128{1} << width) - 1);
  return ptx::is_signed(type) && (value >> (width - 1) & 1) ? static_cast<s128>(value) - (s128{1} << width)
                                                            : static_cast<s128>(value);
}

bool Answer::accepts(u128 got, u128 mask) const {
  if (!halves.empty()) return halves[0].accepts(got & 0xffff, 0xffff) && halves[1].accepts(got >> 16 & 0xffff, 0xffff);
  switch (kind) {
    case Kind::exact:
      return (bits & mask) == (got & mask);
    case Kind::any_nan:
      for (unsigned at = 0, width = format.width(); at < 64 && (mask >> at & 1); at += width) {
        const u64 element = u64{2} * format.sign() - 1, want = static_cast<u64>(bits >> at) & element,
                  is = static_cast<u64>(got >> at) & element;
        if (want != is && !(format.is_nan(want) && format.is_nan(is))) return false;
      }
      return true;
    case Kind::between: {
      const Number number = Number::of(static_cast<u64>(got), format);
      const f128 value = number.is_infinite() ? power_of_two(16000) * (number.negative ? -1 : 1) : number.value;
      return !number.is_nan() && least <= value && value <= most;
    }
    case Kind::undefined:
      return true;
  }
  return false;
}

std::function<Outcome(Bench&, std::span<const Spelling>)> lanewise(Oracle oracle) {
  return
      [oracle = std::move(oracle)](Bench& bench, std::span<const Spelling> spellings) { return Run(bench, oracle).all(spellings); };
}

}  // namespace warpbook::gpu::test
