#include "tests/gpu/ptx/random_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tests/gpu/ptx/forms.h"

namespace warpbook::gpu::ptx::test {
namespace {

constexpr unsigned labels = 4;

const std::vector<RowForms>& all_forms() {
  static const std::vector<RowForms> all = [] {
    std::vector<RowForms> forms;
    for (const OpcodeRow& row : opcode_table()) forms.push_back(forms_of(row));
    return forms;
  }();
  return all;
}

class Statement {
 public:
  explicit Statement(const Below& below) : below_(below) {}

  std::string write() {
    const std::size_t at = below_(static_cast<unsigned>(opcode_table().size()));
    const OpcodeRow& row = opcode_table()[at];
    if (row.op == Opcode::call) return "call.uni (pv), mix, (pw);";
    // Most suffixes go together; where the row cannot say which do not, ask for others.
    for (int attempt = 0; attempt < 40; ++attempt) {
      const Result<DecodedOpcode> decoded = decode_opcode(text_ = opcode(row, all_forms()[at]));
      if (decoded && !decoded->shapes.empty()) return statement(*decoded);
    }
    return "mov.u32 %r0, 1;";
  }

 private:
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[below_(static_cast<unsigned>(all.size()))];
  }

  std::string opcode(const OpcodeRow& row, const RowForms& forms) {
    const Type type = one_of(forms.types), type2 = one_of(forms.types2);
    std::vector<std::string_view> words(forms.suffixes.size());
    for (std::size_t s = 0; s < words.size(); ++s) {
      const Suffix& suffix = forms.suffixes[s];
      if (!suffix.goes_with(type) || (!suffix.required && below_(3) != 2)) continue;
      words[s] = suffix.kind == Suffix::Kind::words ? one_of(suffix.words) : "T";
    }
    return text_of(row, forms, type, type2, words);
  }

  std::string statement(const DecodedOpcode& decoded) {
    const Instruction& i = decoded.instruction;
    const Shape& shape = *decoded.shapes[below_(static_cast<unsigned>(decoded.shapes.size()))];
    std::string text = below_(5) == 4 ? fmt::format("@{}%p{} ", below_(2) ? "!" : "", below_(4)) : std::string();
    text += text_;
    const char* separator = " ";
    for (const OperandShape& wanted : shape) {
      if (wanted.optional && below_(2) == 0) break;
      const bool texture = has(i.op, trait::texture);
      text += separator + std::string(texture && wanted.kind == OperandShape::Kind::u64 ? "[" : "") + operand(i, wanted);
      if (wanted.kind == OperandShape::Kind::coordinates) text += "]";
      separator = ", ";
      if (wanted.pair && (!wanted.pair_optional || below_(2))) text += fmt::format("|%p{}", below_(4));
    }
    if (decoded.cache_policy) text += ", %d1";
    return text + ";";
  }

  std::string operand(const Instruction& i, const OperandShape& wanted) {
    using Kind = OperandShape::Kind;
    if (wanted.destination && wanted.may_sink && below_(5) == 4) return "_";
    static constexpr Type wider[] = {Type::none, Type::u16, Type::u32, Type::none, Type::u64};
    switch (wanted.kind) {
      case Kind::type:
        return value(i.type, wanted.destination, false);
      case Kind::type2:
        return value(i.type2, wanted.destination, false);
      case Kind::at_least_type:
        return value(i.type, wanted.destination, true);
      case Kind::at_least_type2:
        return value(i.type2, wanted.destination, true);
      case Kind::wide:
        return value(wider[std::min(bytes_of(i.type), 4U)], wanted.destination, false);
      case Kind::value: {
        if (i.vector == 1) return value(i.type, wanted.destination, true);
        std::string text = "{";
        for (unsigned e = 0; e < i.vector; ++e) {
          text += e ? ", " : "";
          text += wanted.destination && below_(8) == 7 ? "_" : value(i.type, wanted.destination, true);
        }
        return text + "}";
      }
      case Kind::move:
        return moved(i, wanted.destination);
      case Kind::address_value: {
        const std::string name = i.to ? std::string() : variable_in(i.space);
        return name.empty() || below_(2) ? value(i.type, false, false) : name;
      }
      case Kind::any_address:
        return value(Type::u64, false, false, true);
      case Kind::memory:
        return memory(i);
      case Kind::coordinates: {
        const bool four = i.geometry != Geometry::d1 && i.geometry != Geometry::d2 && i.geometry != Geometry::array_1d;
        if (i.geometry == Geometry::d1) return below_(2) ? value(Type::u32, false, false) : "{%r1}";
        return four ? "{%r0, %r1, %r2, %r3}" : "{%r2, 0f3F000000}";
      }
      case Kind::integer:
        return std::to_string(below_(64));
      case Kind::float32:
        return "0f3F000000";
      case Kind::label:
        return fmt::format("L{}", below_(labels));
      case Kind::table:
        return "T0";
      case Kind::pred:
        return value(Type::pred, wanted.destination, false);
      case Kind::u32:
        return value(Type::u32, wanted.destination, false);
      case Kind::u64:
        return value(Type::u64, wanted.destination, false);
      default:
        return "%r0";
    }
  }

  std::string value(Type type, bool destination, bool at_least, bool always_register = false) {
    const bool constant = !destination && !always_register && below_(4) == 3;
    if (type == Type::pred) return fmt::format("%p{}", below_(4));
    const unsigned bytes = bytes_of(type);
    if (constant && type == Type::f32) return fmt::format("0f{:08X}", below_(2) ? 0x7fc00001u : below_(0x7fffffffu));
    if (constant && type == Type::f64) return fmt::format("0d{:08X}{:08X}", below_(0x7fffffffu), below_(0x7fffffffu));
    if (constant && !is_float(type) && bytes <= 8)
      return below_(2) ? fmt::format("-{}", below_(9)) : fmt::format("{:#x}", below_(0x7fffffffu));
    if (bytes == 1 || (bytes == 2 && at_least && type <= Type::s64 && below_(2))) return fmt::format("%r{}", below_(8));
    const char* const prefix = bytes == 2 ? "%h" : bytes == 8 ? "%d" : bytes == 16 ? "%x" : "%r";
    return fmt::format("{}{}", prefix, below_(4));
  }

  /// mov's operands: a vector of parts on one side only, special registers, addresses. below_(…) of the source follows the
  /// destination's.
  std::string moved(const Instruction& i, bool destination) {
    const unsigned bytes = bytes_of(i.type);
    const bool parts = i.type != Type::pred && (bytes == 4 || bytes == 8) && below_(4) == 3;
    if (destination) {
      unpacked_ = parts;
      return parts ? vector(bytes, true) : value(i.type, true, false);
    }
    if (!unpacked_ && parts) return vector(bytes, false);
    if (!is_float(i.type) && i.type != Type::pred && below_(3) == 2) {
      static constexpr std::array<std::string_view, 5> words{"%tid.x", "%ntid.y", "%laneid", "%lanemask_lt", "%envreg3"},
          longs{"%clock64", "%globaltimer", "g+8", "mix", "s"};
      if (bytes == 4 && !unpacked_) return std::string(words[below_(words.size())]);
      if (bytes == 8 && !unpacked_) return std::string(longs[below_(longs.size())]);
    }
    return value(i.type, false, false);
  }
  std::string vector(unsigned bytes, bool destination) {
    const Type half = bytes == 4 ? Type::b16 : Type::b32;
    return fmt::format("{{{}, {}}}", value(half, destination, false), value(half, destination, false));
  }

  static std::string variable_in(Space space) {
    switch (space) {
      case Space::global:
        return "g";
      case Space::shared:
        return "s";
      case Space::constant:
        return "c";
      case Space::local:
        return "l";
      default:
        return {};
    }
  }

  std::string memory(const Instruction& i) {
    const bool of_barrier = row(i.op).effect == Effect::fence || std::string_view(row(i.op).spelling).starts_with("mbarrier");
    const std::string name = i.space == Space::generic && of_barrier ? "s" : variable_in(i.space);
    // Beside a parameter nothing may be read: every offset is within this one.
    if (i.space == Space::param) return fmt::format("[pm{:+}]", static_cast<int>(below_(256)));
    const unsigned from = below_(4);
    const std::string base = !name.empty() && from == 3 ? name : from == 2 ? "%r2" : fmt::format("%d{}", below_(4));
    return below_(2) ? fmt::format("[{}{:+}]", base, static_cast<int>(below_(256)) - 64) : "[" + base + "]";
  }

  const Below& below_;
  std::string text_;
  bool unpacked_ = false;
};

std::string body(const Below& below, unsigned instructions) {
  static const bool wide = std::any_of(opcode_table().begin(), opcode_table().end(),
                                       [](const OpcodeRow& row) { return row.types.find("b128") != row.types.npos; });
  std::string text = wide ? ".reg .b128 %x<4>;\n" : "";
  text +=
      ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %d<4>;\n"
      ".local .align 16 .b8 l[64]; .param .b32 pv; .param .b32 pw; .param .align 32 .b8 pm[512];\nT0: .branchtargets L0, L1, L2, "
      "L3;\n";
  for (unsigned n = 0; n < instructions; ++n) {
    if (n < labels) text += fmt::format("L{}:\n", n);
    if (below(6) == 5) text += fmt::format(".loc 1 {} {}\n", 1 + below(90), below(20));
    text += random_statement(below) + "\n";
  }
  for (unsigned l = instructions; l < labels; ++l) text += fmt::format("L{}:\n", l);
  return text;
}

std::string variable(const Below& below, const char* space, const char* name) {
  static constexpr std::array<std::string_view, 6> types{"b32", "u8", "s16", "f32", "u64", "f64"};
  const std::string_view type = types[below(types.size())];
  std::string text = fmt::format(".{} .align {} .{} {}[16]", space, 8u << below(3), type, name);
  const bool values = std::string_view(space) != "shared" && below(2);
  if (!values) return text + ";\n";
  text += " = {";
  const unsigned count = 1 + below(16);
  for (unsigned v = 0; v < count; ++v) text += fmt::format("{}{}{}", v ? ", " : "", below(120), type[0] == 'f' ? ".5" : "");
  return text + "};\n";
}

}  // namespace

std::string random_statement(const Below& below) { return Statement(below).write(); }

std::string random_module(const Below& below, unsigned instructions) {
  std::string text = fmt::format(".version 8.{}\n.target sm_{}\n.address_size 64\n", below(6), below(2) ? "90" : "75");
  text += ".file 1 \"kernel.cu\"\n";
  text += variable(below, "global", "g") + variable(below, "shared", "s") + variable(below, "const", "c");
  text += ".func (.param .b32 result) mix(.param .b32 a) {\n" + body(below, instructions / 4) + "ret;\n}\n";
  text += ".global .u64 table[3] = {g, generic(c)+8, mix};\n";
  text += ".visible .entry k(.param .u64 .ptr .global .align 8 p, .param .align 4 .b8 q[12])\n.maxntid 128, 1, 1\n{\n" +
          body(below, instructions) + "ret;\n}\n";
  return text;
}

}  // namespace warpbook::gpu::ptx::test
