#include "gpu/debug_info.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fmt/format.h>
#include <libelf.h>

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "gpu/debug_sections.h"

namespace warpbook::gpu {
namespace {

// Limits the work for a hostile text, in which entries may refer to each other in a circle.
constexpr std::size_t most_entries = std::size_t{1} << 20;
constexpr int deepest_entry = 64;

struct ReadElfEnd {
  void operator()(Elf* elf) const { elf_end(elf); }
};
struct DwarfEnd {
  void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};

std::optional<std::uint64_t> number_attribute(Dwarf_Die& die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  if (dwarf_attr_integrate(&die, attribute, &found) == nullptr || dwarf_formudata(&found, &value) != 0) return std::nullopt;
  return value;
}

std::string text_attribute(Dwarf_Die& die, unsigned attribute) {
  Dwarf_Attribute found;
  if (dwarf_attr_integrate(&die, attribute, &found) == nullptr) return {};
  const char* text = dwarf_formstring(&found);
  return text == nullptr ? std::string() : text;
}

/// Follows an attribute to another entry. False: there is no such attribute.
bool entry_attribute(Dwarf_Die& die, unsigned attribute, Dwarf_Die& to) {
  Dwarf_Attribute found;
  return dwarf_attr_integrate(&die, attribute, &found) != nullptr && dwarf_formref_die(&found, &to) != nullptr;
}

template <class Visit>
void for_children(Dwarf_Die& die, std::size_t& entries, const Visit& visit) {
  Dwarf_Die child;
  if (dwarf_child(&die, &child) != 0) return;
  do {
    if (++entries > most_entries) return;
    visit(child);
  } while (dwarf_siblingof(&child, &child) == 0);
}

/// A register's number encodes its name: the bytes of "%r1", with the first one highest.
std::string register_name(std::uint64_t number) {
  std::string name;
  for (int shift = 56; shift >= 0; shift -= 8)
    if (const auto c = static_cast<char>(number >> shift); c != '\0') name += c;
  return name.starts_with('%') ? name : std::string();
}

class DwarfReader {
 public:
  DwarfReader(const DebugSections& sections, DebugInfo& out) : sections_(sections), out_(out) { out_.types.resize(1); }

  void read(Dwarf* dwarf) {
    std::size_t header = 0;
    for (Dwarf_Off at = 0, next = 0; dwarf_nextcu(dwarf, at, &next, &header, nullptr, nullptr, nullptr) == 0; at = next) {
      Dwarf_Die unit;
      if (dwarf_offdie(dwarf, at + header, &unit) == nullptr) continue;
      for_children(unit, entries_, [&](Dwarf_Die& die) { read_top(die, 0); });
    }
  }

 private:
  void read_top(Dwarf_Die& die, int depth) {
    if (depth > deepest_entry) return;
    switch (dwarf_tag(&die)) {
      case DW_TAG_variable:
        out_.globals.push_back(variable(die, {}));
        break;
      case DW_TAG_subprogram: {
        DebugFunction function;
        if (!range(die, function.body)) break;  // an abstract function, which only describes inlined calls
        function.symbol = text_attribute(die, DW_AT_MIPS_linkage_name);
        if (function.symbol.empty()) function.symbol = text_attribute(die, DW_AT_linkage_name);
        function.name = text_attribute(die, DW_AT_name);
        if (function.symbol.empty()) function.symbol = function.name;
        function.line = static_cast<std::uint32_t>(number_attribute(die, DW_AT_decl_line).value_or(0));
        read_scope(die, function.symbol, function.body, depth);
        place_unmoved_parameters(function);
        out_.functions.push_back(std::move(function));
        break;
      }
      case DW_TAG_namespace:
        for_children(die, entries_, [&](Dwarf_Die& child) { read_top(child, depth + 1); });
        break;
      default:
        break;
    }
  }

  void read_scope(Dwarf_Die& die, std::string_view function, DebugScope& scope, int depth) {
    if (depth > deepest_entry) return;
    for_children(die, entries_, [&](Dwarf_Die& child) {
      const int tag = dwarf_tag(&child);
      if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) {
        DebugVariable found = variable(child, function);
        found.parameter = tag == DW_TAG_formal_parameter;
        if (!found.name.empty()) scope.variables.push_back(std::move(found));
      } else if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) {
        DebugScope inner;
        if (!range(child, inner)) return;
        if (tag == DW_TAG_inlined_subroutine) inner.inlined = text_attribute(child, DW_AT_name);
        read_scope(child, function, inner, depth + 1);
        scope.inner.push_back(std::move(inner));
      }
    });
  }

  /// clang gives no location for a struct parameter that the function never writes: it is read where the launch put it.
  void place_unmoved_parameters(DebugFunction& function) const {
    std::size_t index = 0;
    for (DebugVariable& each : function.body.variables) {
      if (!each.parameter) continue;
      if (each.ranges.empty() && out_.types[each.type].kind == DebugType::Kind::structure)
        each.ranges.push_back(
            {.place = {
                 .kind = DebugPlace::Kind::parameter, .name = fmt::format("{}_param_{}", function.symbol, index), .offset = 0}});
      ++index;
    }
  }

  static bool range(Dwarf_Die& die, DebugScope& scope) {
    Dwarf_Addr low = 0, high = 0;
    if (dwarf_lowpc(&die, &low) != 0 || dwarf_highpc(&die, &high) != 0) return false;
    scope.first = low;
    scope.end = high;
    return true;
  }

  DebugVariable variable(Dwarf_Die& die, std::string_view function) {
    DebugVariable found;
    found.name = text_attribute(die, DW_AT_name);
    found.type = type_of(die, 0);
    found.line = static_cast<std::uint32_t>(number_attribute(die, DW_AT_decl_line).value_or(0));
    Dwarf_Attribute at;
    if (dwarf_attr_integrate(&die, DW_AT_const_value, &at) != nullptr) {
      Dwarf_Sword value = 0;
      if (dwarf_formsdata(&at, &value) == 0)
        found.ranges.push_back({.place = {.kind = DebugPlace::Kind::constant, .name = {}, .offset = value}});
      return found;
    }
    if (dwarf_attr_integrate(&die, DW_AT_location, &at) == nullptr) return found;
    Dwarf_Op* ops = nullptr;
    std::size_t count = 0;
    if (dwarf_getlocation(&at, &ops, &count) == 0) {  // one location for the variable's whole life
      if (const auto kept = place(ops, count, function)) found.ranges.push_back({.place = *kept});
      return found;
    }
    Dwarf_Addr base = 0, first = 0, end = 0;
    for (std::ptrdiff_t next = 0;
         (next = dwarf_getlocations(&at, next, &base, &first, &end, &ops, &count)) > 0 && ++entries_ < most_entries;)
      if (const auto kept = place(ops, count, function)) found.ranges.push_back({first, end, *kept});
    return found;
  }

  [[nodiscard]] std::optional<DebugPlace> place(const Dwarf_Op* ops, std::size_t count, std::string_view function) const {
    if (count == 0) return std::nullopt;
    const Dwarf_Op& first = ops[0];
    std::int64_t offset = 0;
    for (std::size_t n = 1; n < count; ++n) {
      if (ops[n].atom == DW_OP_plus_uconst)
        offset += static_cast<std::int64_t>(ops[n].number);
      else if (ops[n].atom != DW_OP_stack_value)
        return std::nullopt;
    }
    if (first.atom == DW_OP_regx) {
      std::string name = register_name(first.number);
      if (name.empty()) return std::nullopt;
      return DebugPlace{DebugPlace::Kind::reg, std::move(name), offset};
    }
    if (first.atom == DW_OP_addr) {
      const DebugSections::Symbol symbol = sections_.symbol(first.number);
      if (symbol.name.empty()) return std::nullopt;
      const bool parameter =
          !function.empty() && symbol.name.starts_with(function) && symbol.name.substr(function.size()).starts_with("_param_");
      const bool frame = symbol.name.starts_with("__local_depot");
      return DebugPlace{frame       ? DebugPlace::Kind::frame
                        : parameter ? DebugPlace::Kind::parameter
                                    : DebugPlace::Kind::variable,
                        std::string(symbol.name), symbol.offset + offset};
    }
    if (first.atom >= DW_OP_lit0 && first.atom <= DW_OP_lit31)
      return DebugPlace{DebugPlace::Kind::constant, {}, first.atom - DW_OP_lit0};
    if (first.atom >= DW_OP_const1u && first.atom <= DW_OP_consts)
      return DebugPlace{DebugPlace::Kind::constant, {}, static_cast<std::int64_t>(first.number)};
    return std::nullopt;
  }

  // --- Types ---

  std::uint32_t type_of(Dwarf_Die& die, int depth) {
    Dwarf_Die to;
    return entry_attribute(die, DW_AT_type, to) ? type(to, depth + 1) : 0;
  }

  std::uint32_t type(Dwarf_Die& die, int depth) {
    if (depth > deepest_entry) return 0;
    const Dwarf_Off offset = dwarf_dieoffset(&die);
    if (const auto known = types_.find(offset); known != types_.end()) return known->second;
    const int tag = dwarf_tag(&die);
    if (tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || tag == DW_TAG_typedef) {
      DebugType renamed = out_.types[type_of(die, depth)];
      const std::string own = tag == DW_TAG_typedef ? text_attribute(die, DW_AT_name) : std::string();
      if (!own.empty()) renamed.name = own;
      if (tag == DW_TAG_const_type && renamed.kind != DebugType::Kind::pointer) renamed.name = "const " + renamed.name;
      return add(offset, std::move(renamed));
    }
    // A struct may contain a pointer to itself, so it is registered before its members are read.
    const std::string name = text_attribute(die, DW_AT_name);
    const std::uint32_t index = add(offset, {.name = name});
    DebugType made = described(die, tag, depth);
    if (made.name.empty()) made.name = name;
    if (made.bytes == 0) made.bytes = number_attribute(die, DW_AT_byte_size).value_or(0);
    out_.types[index] = std::move(made);
    return index;
  }

  std::uint32_t add(Dwarf_Off offset, DebugType made) {
    const auto index = static_cast<std::uint32_t>(out_.types.size());
    out_.types.push_back(std::move(made));
    types_[offset] = index;
    return index;
  }

  DebugType described(Dwarf_Die& die, int tag, int depth) {
    DebugType made;
    switch (tag) {
      case DW_TAG_base_type:
        made.kind = kind_of_encoding(number_attribute(die, DW_AT_encoding).value_or(0));
        break;
      case DW_TAG_pointer_type:
      case DW_TAG_reference_type:
      case DW_TAG_rvalue_reference_type:
        made.kind = DebugType::Kind::pointer;
        made.reference = tag != DW_TAG_pointer_type;
        made.bytes = 8;
        made.target = type_of(die, depth);
        made.name = (made.target == 0 ? "void" : out_.types[made.target].name) + (made.reference ? "&" : "*");
        break;
      case DW_TAG_array_type:
        describe_array(die, made, depth);
        break;
      case DW_TAG_structure_type:
      case DW_TAG_class_type:
      case DW_TAG_union_type:
        made.kind = DebugType::Kind::structure;
        describe_members(die, made, depth);
        break;
      case DW_TAG_enumeration_type:
        made.kind = DebugType::Kind::enumeration;
        for_children(die, entries_, [&](Dwarf_Die& child) {
          Dwarf_Attribute value;
          Dwarf_Sword number = 0;
          if (dwarf_tag(&child) == DW_TAG_enumerator && dwarf_attr(&child, DW_AT_const_value, &value) != nullptr &&
              dwarf_formsdata(&value, &number) == 0)
            made.values.emplace_back(number, text_attribute(child, DW_AT_name));
        });
        break;
      default:
        break;
    }
    return made;
  }

  static DebugType::Kind kind_of_encoding(std::uint64_t encoding) {
    switch (encoding) {
      case DW_ATE_boolean:
        return DebugType::Kind::boolean;
      case DW_ATE_float:
        return DebugType::Kind::floating;
      case DW_ATE_signed:
        return DebugType::Kind::signed_integer;
      case DW_ATE_unsigned:
        return DebugType::Kind::unsigned_integer;
      case DW_ATE_signed_char:
      case DW_ATE_unsigned_char:
      case DW_ATE_UTF:
        return DebugType::Kind::character;
      default:
        return DebugType::Kind::unknown;
    }
  }

  void describe_array(Dwarf_Die& die, DebugType& made, int depth) {
    made.kind = DebugType::Kind::array;
    made.target = type_of(die, depth);
    std::uint64_t elements = 1;
    std::string extents;
    for_children(die, entries_, [&](Dwarf_Die& child) {
      if (dwarf_tag(&child) != DW_TAG_subrange_type) return;
      auto count = number_attribute(child, DW_AT_count);
      if (const auto last = number_attribute(child, DW_AT_upper_bound); !count && last) count = *last + 1;
      made.extents.push_back(count.value_or(0));
      elements *= made.extents.back();
      extents += count && *count != 0 ? fmt::format("[{}]", *count) : "[]";
    });
    made.bytes = elements * out_.types[made.target].bytes;
    made.name = out_.types[made.target].name + extents;
  }

  void describe_members(Dwarf_Die& die, DebugType& made, int depth) {
    for_children(die, entries_, [&](Dwarf_Die& child) {
      const int tag = dwarf_tag(&child);
      if (tag != DW_TAG_member && tag != DW_TAG_inheritance) return;
      Dwarf_Attribute at;
      std::uint64_t offset = 0;
      if (dwarf_attr(&child, DW_AT_data_member_location, &at) != nullptr) {
        Dwarf_Op* ops = nullptr;
        std::size_t count = 0;
        Dwarf_Word number = 0;
        if (dwarf_formudata(&at, &number) == 0)
          offset = number;
        else if (dwarf_getlocation(&at, &ops, &count) == 0 && count == 1 && ops[0].atom == DW_OP_plus_uconst)
          offset = ops[0].number;
      } else if (tag == DW_TAG_member && number_attribute(child, DW_AT_external)) {
        return;  // a static member is not part of the object
      }
      made.members.push_back(
          {tag == DW_TAG_member ? text_attribute(child, DW_AT_name) : std::string(), type_of(child, depth), offset});
    });
  }

  const DebugSections& sections_;
  DebugInfo& out_;
  std::unordered_map<Dwarf_Off, std::uint32_t> types_;
  std::size_t entries_ = 0;
};

void collect_visible(const DebugScope& scope, std::uint64_t ptx_line, std::vector<const DebugVariable*>& into) {
  for (const DebugScope& inner : scope.inner)
    if (inner.holds(ptx_line)) collect_visible(inner, ptx_line, into);
  for (const DebugVariable& variable : scope.variables) into.push_back(&variable);
}

}  // namespace

const DebugPlace* DebugVariable::place_at(std::uint64_t ptx_line) const {
  for (const LineRange& range : ranges)
    if (ptx_line >= range.first && ptx_line < range.end) return &range.place;
  return nullptr;
}

const DebugFunction* DebugInfo::find(std::string_view symbol) const {
  const auto found = std::find_if(functions.begin(), functions.end(), [&](const auto& each) { return each.symbol == symbol; });
  return found == functions.end() ? nullptr : &*found;
}

Result<DebugInfo> read_debug_info(std::string_view ptx) {
  auto sections = debug_sections(ptx);
  if (!sections) return failure(sections.error());
  elf_version(EV_CURRENT);
  const std::unique_ptr<Elf, ReadElfEnd> elf(elf_memory(sections->elf.data(), sections->elf.size()));
  const std::unique_ptr<Dwarf, DwarfEnd> dwarf(elf ? dwarf_begin_elf(elf.get(), DWARF_C_READ, nullptr) : nullptr);
  if (!dwarf) return failure("bad_debug_info", fmt::format("The PTX's debug information cannot be read: {}.", dwarf_errmsg(-1)));
  DebugInfo info;
  DwarfReader(*sections, info).read(dwarf.get());
  return info;
}

std::vector<const DebugVariable*> visible(const DebugFunction& function, std::uint64_t ptx_line) {
  std::vector<const DebugVariable*> found;
  collect_visible(function.body, ptx_line, found);
  return found;
}

}  // namespace warpbook::gpu
