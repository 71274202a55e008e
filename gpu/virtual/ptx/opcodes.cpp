#include "gpu/virtual/ptx/opcodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <unordered_map>

#include "gpu/virtual/ptx/modifiers.h"

namespace warpbook::gpu::ptx {
namespace {

constexpr auto table = [] {
  using namespace trait;
  return std::array{
#define WARPBOOK_OPCODE(id, spelling, shape, types, modifiers, effect, ...) \
  OpcodeRow{Opcode::id, spelling, shape, types, modifiers, Effect::effect, Traits{__VA_ARGS__}},
#include "gpu/virtual/ptx/opcodes.def"
#undef WARPBOOK_OPCODE
  };
}();

// --- The table, compiled ------------------------------------------------------------------------------------------------------

using TypeSet = std::uint32_t;
constexpr TypeSet bit(Type type) { return TypeSet{1} << static_cast<unsigned>(type); }

struct Modifier {
  enum class Kind : std::uint8_t { words, type, type2, type3 } kind = Kind::words;
  const WordClass* words = nullptr;
  bool required = false;
  TypeSet only = ~TypeSet{0};
};

bool applies(const Modifier& modifier, Type type) { return modifier.only == ~TypeSet{0} || (modifier.only & bit(type)); }

struct Alternative {
  std::vector<std::string_view> asks_for;  // any of these suffixes; empty: always
  Shape shape;
};

struct CompiledRow {
  TypeSet types[3] = {};
  std::vector<Modifier> modifiers;
  std::vector<Alternative> alternatives;
};

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(at), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

TypeSet types_in(std::string_view list, char separator) {
  TypeSet set = 0;
  for (const std::string_view name : split(list, separator)) {
    if (name == "b")
      set |= bit(Type::b16) | bit(Type::b32) | bit(Type::b64);
    else if (name == "i")
      set |= bit(Type::u16) | bit(Type::s16) | bit(Type::u32) | bit(Type::s32) | bit(Type::u64) | bit(Type::s64);
    else if (name == "f")
      set |= bit(Type::f32) | bit(Type::f64);
    else if (name == "h")
      set |= bit(Type::f16) | bit(Type::f16x2) | bit(Type::bf16) | bit(Type::bf16x2);
    else {
      assert(type_of(name) != Type::none);
      set |= bit(type_of(name));
    }
  }
  return set;
}

OperandShape operand_shape(std::string_view token) {
  using Kind = OperandShape::Kind;
  static const std::unordered_map<std::string_view, Kind> kinds{{"T", Kind::type},
                                                                {"U", Kind::type2},
                                                                {"W", Kind::wide},
                                                                {"T+", Kind::at_least_type},
                                                                {"U+", Kind::at_least_type2},
                                                                {"V", Kind::value},
                                                                {"M", Kind::move},
                                                                {"A", Kind::address_value},
                                                                {"addr", Kind::any_address},
                                                                {"mem", Kind::memory},
                                                                {"imm", Kind::integer},
                                                                {"f32imm", Kind::float32},
                                                                {"label", Kind::label},
                                                                {"table", Kind::table},
                                                                {"call", Kind::call},
                                                                {"pred", Kind::pred},
                                                                {"u32", Kind::u32},
                                                                {"u64", Kind::u64},
                                                                {"coordinates", Kind::coordinates}};
  OperandShape shape;
  if (token.starts_with('=')) {
    shape.destination = true;
    token.remove_prefix(1);
  }
  if (token.ends_with('?')) {
    (token.find('|') == token.npos ? shape.optional : shape.pair_optional) = true;
    token.remove_suffix(1);
  }
  if (token.ends_with("|pred")) {
    shape.pair = true;
    token.remove_suffix(5);
  }
  if (token.ends_with('_')) {
    shape.may_sink = true;
    token.remove_suffix(1);
  }
  assert(kinds.contains(token));
  shape.kind = kinds.at(token);
  return shape;
}

CompiledRow compile(const OpcodeRow& source) {
  CompiledRow compiled;
  const std::vector<std::string_view> lists = split(source.types, '/');
  assert(lists.size() <= std::size(compiled.types));
  for (std::size_t list = 0; list < lists.size(); ++list) compiled.types[list] = types_in(lists[list], ' ');

  for (std::string_view item : split(source.modifiers, ' ')) {
    Modifier modifier;
    if (item.starts_with('!')) {
      modifier.required = true;
      item.remove_prefix(1);
    }
    if (const std::size_t colon = item.find(':'); colon != item.npos) {
      modifier.only = types_in(item.substr(colon + 1), ',');
      item = item.substr(0, colon);
    }
    if (item == "T" || item == "T?" || item == "U" || item == "X" || item == "X?") {
      modifier.kind = item[0] == 'U' ? Modifier::Kind::type2 : item[0] == 'X' ? Modifier::Kind::type3 : Modifier::Kind::type;
      modifier.required = !item.ends_with('?');
    } else {
      modifier.words = find_word_class(item);
      assert(modifier.words);
    }
    compiled.modifiers.push_back(modifier);
  }

  if (source.shape.empty()) compiled.alternatives.emplace_back();
  for (std::string_view text : split(source.shape, '/')) {
    Alternative alternative;
    if (const std::size_t arrow = text.find('>'); arrow != text.npos) {
      alternative.asks_for = split(text.substr(0, arrow), ' ');
      text.remove_prefix(arrow + 1);
    }
    for (const std::string_view token : split(text, ' ')) alternative.shape.push_back(operand_shape(token));
    compiled.alternatives.push_back(std::move(alternative));
  }
  return compiled;
}

const std::vector<CompiledRow>& compiled_table() {
  static const std::vector<CompiledRow> rows = [] {
    std::vector<CompiledRow> all;
    for (const OpcodeRow& source : table) all.push_back(compile(source));
    return all;
  }();
  return rows;
}

/// The row whose spelling is the longest that `text` starts with, at a dot.
const OpcodeRow* find_row(std::string_view text) {
  static const std::unordered_map<std::string_view, const OpcodeRow*> by_spelling = [] {
    std::unordered_map<std::string_view, const OpcodeRow*> map;
    for (const OpcodeRow& source : table) map.emplace(source.spelling, &source);
    return map;
  }();
  while (true) {
    if (const auto found = by_spelling.find(text); found != by_spelling.end()) return found->second;
    const std::size_t dot = text.rfind('.');
    if (dot == text.npos) return nullptr;
    text = text.substr(0, dot);
  }
}

/// What an instruction that is not in the table belongs to, and what to do without it.
std::string_view why_missing(std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> families[] = {
      {"tld4", ". Read the four texels one by one."},
      {"txq", ". Pass the texture's size as a parameter."},
      {"sured", ": surfaces have no atomics here. Use atomicAdd on an array."},
      {"suq", ". Pass the surface's size as a parameter."},
      {"wmma", ": it has no tensor cores. Multiply with ordinary arithmetic, or run this on an NVIDIA GPU."},
      {"mma", ": it has no tensor cores. Multiply with ordinary arithmetic, or run this on an NVIDIA GPU."},
      {"wgmma", ": it has no tensor cores. Multiply with ordinary arithmetic, or run this on an NVIDIA GPU."},
      {"tcgen05", ": it has no tensor cores. Multiply with ordinary arithmetic, or run this on an NVIDIA GPU."},
      {"ldmatrix", ": it has no tensor cores. Read the elements one by one."},
      {"stmatrix", ": it has no tensor cores. Write the elements one by one."},
      {"movmatrix", ": it has no tensor cores. Exchange the elements with __shfl_sync."},
      {"multimem", ": it is one GPU alone, without multimem addresses."}};
  const std::string_view opcode = text.substr(0, text.find('.'));
  for (const auto& [family, why] : families)
    if (opcode == family) return why;
  if (text.starts_with("tensormap"))
    return ": it has no tensor memory accelerator. Copy with cp.async or with ordinary loads and stores.";
  return " yet.";
}

bool is_packed(Type type) { return type == Type::f16x2 || type == Type::bf16x2 || type == Type::e4m3x2 || type == Type::e5m2x2; }

/// What the ISA says a missing suffix means, where something other than the field's default.
void fill_defaults(Instruction& i) {
  if (i.op == Opcode::atom || i.op == Opcode::red) {
    if (i.order == Order::weak) i.order = Order::relaxed;
    if (i.scope == Scope::none) i.scope = Scope::gpu;
  }
  if (i.op == Opcode::fence && i.order == Order::weak) i.order = Order::acq_rel;
  if (i.op == Opcode::bar) i.aligned = true;
  if (i.op == Opcode::ldu) i.space = Space::global;
}

}  // namespace

std::span<const OpcodeRow> opcode_table() { return table; }
const OpcodeRow& row(Opcode op) { return table[static_cast<std::size_t>(op)]; }

namespace {

Copy copy_of(Opcode op) {
  if (op == Opcode::cp_async) return Copy::group;
  const bool arrives = op == Opcode::cp_async_mbarrier_arrive || op == Opcode::cp_async_mbarrier_arrive_noinc;
  return arrives ? Copy::arrives : Copy::none;
}

/// Reads an opcode's suffixes by its row of the table. Each step returns what is wrong; empty: nothing.
class OpcodeReader {
 public:
  OpcodeReader(const OpcodeRow& source, std::string_view text)
      : source_(source),
        compiled_(compiled_table()[static_cast<std::size_t>(source.op)]),
        suffixes_(split(text.substr(source.spelling.size()), '.')),
        used_(suffixes_.size(), false) {
    i_.op = source.op;
    i_.copy = copy_of(source.op);
  }

  Result<DecodedOpcode> read(std::string_view text) {
    std::string wrong = read_types();  // first: which words a suffix may be depends on them
    if (wrong.empty()) wrong = read_words();
    if (wrong.empty()) wrong = what_is_missing();
    if (wrong.empty()) {
      fill_defaults(i_);
      wrong = wrong_combination(i_);
    }
    if (!wrong.empty()) return failure("cudaErrorInvalidPtx", fmt::format("'{}': {}.", text, wrong));
    choose_shapes();
    return std::move(decoded_);
  }

 private:
  std::string read_types() {
    for (std::size_t m = 0; m < compiled_.modifiers.size(); ++m) {
      const Modifier& modifier = compiled_.modifiers[m];
      if (modifier.kind == Modifier::Kind::words) continue;
      const std::size_t which = modifier.kind == Modifier::Kind::type ? 0 : modifier.kind == Modifier::Kind::type2 ? 1 : 2;
      for (std::size_t at = 0; at < suffixes_.size(); ++at) {
        const Type type = used_[at] ? Type::none : type_of(suffixes_[at]);
        if (type == Type::none) continue;
        if (!(compiled_.types[which] & bit(type)))
          return fmt::format("'{}' does not work on the type '.{}' here", source_.spelling, suffixes_[at]);
        (which == 0 ? i_.type : which == 1 ? i_.type2 : i_.type3) = type;
        filled_ |= std::uint64_t{1} << m;
        used_[at] = true;
        break;
      }
    }
    return {};
  }

  std::string read_words() {
    for (std::size_t at = 0; at < suffixes_.size(); ++at) {
      if (used_[at]) continue;
      bool of_another_type = false;
      for (std::size_t m = 0; m < compiled_.modifiers.size() && !used_[at]; ++m) of_another_type |= !read_word(at, m);
      if (used_[at]) continue;
      if (of_another_type) return fmt::format("the suffix '.{}' does not go with the type '.{}'", suffixes_[at], name_of(i_.type));
      if (type_of(suffixes_[at]) != Type::none)
        return fmt::format("'{}' takes no further type '.{}'", source_.spelling, suffixes_[at]);
      return fmt::format("the virtual GPU does not know the suffix '.{}' of '{}'", suffixes_[at], source_.spelling);
    }
    return {};
  }

  /// Takes the suffix as a word of this modifier, if it is one. False: it is, but only for another type.
  bool read_word(std::size_t at, std::size_t m) {
    const Modifier& modifier = compiled_.modifiers[m];
    if (modifier.kind != Modifier::Kind::words) return true;
    if ((filled_ >> m & 1) && !modifier.words->repeatable) return true;
    for (const Word& candidate : modifier.words->words) {
      const std::size_t dot = candidate.text.find('.');
      const bool two = dot != candidate.text.npos;
      if (suffixes_[at] != candidate.text.substr(0, dot)) continue;
      if (two && !(at + 1 < suffixes_.size() && suffixes_[at + 1] == candidate.text.substr(dot + 1))) continue;
      if (!applies(modifier, i_.type)) return false;
      set(decoded_, candidate.field, candidate.value);
      filled_ |= std::uint64_t{1} << m;
      used_[at] = true;
      if (two) used_[at + 1] = true;
      break;
    }
    return true;
  }

  [[nodiscard]] std::string what_is_missing() const {
    for (std::size_t m = 0; m < compiled_.modifiers.size(); ++m) {
      const Modifier& modifier = compiled_.modifiers[m];
      if ((filled_ >> m & 1) || !modifier.required || !applies(modifier, i_.type)) continue;
      if (modifier.kind != Modifier::Kind::words) return "a type suffix is missing";
      std::string words;
      for (const Word& candidate : modifier.words->words) words += fmt::format("{}.{}", words.empty() ? "" : ", ", candidate.text);
      return fmt::format("one of these suffixes is missing: {}", words);
    }
    return {};
  }

  void choose_shapes() {
    for (const Alternative& alternative : compiled_.alternatives) {
      const bool asked = alternative.asks_for.empty() ||
                         std::any_of(alternative.asks_for.begin(), alternative.asks_for.end(), [&](std::string_view asked_word) {
                           return std::find(suffixes_.begin(), suffixes_.end(), asked_word) != suffixes_.end();
                         });
      // What a row cannot say: cvt takes two sources where it packs them.
      if (i_.op == Opcode::cvt && (alternative.shape.size() == 3) != (i_.type2 == Type::f32 && is_packed(i_.type))) continue;
      // A conditional alternative excludes the unconditional ones after it.
      if (!asked) continue;
      if (alternative.asks_for.empty() && !decoded_.shapes.empty() && !compiled_.alternatives.front().asks_for.empty()) break;
      decoded_.shapes.push_back(&alternative.shape);
    }
  }

  const OpcodeRow& source_;
  const CompiledRow& compiled_;
  const std::vector<std::string_view> suffixes_;
  std::vector<bool> used_;    // which suffixes were read
  std::uint64_t filled_ = 0;  // one bit a modifier of the row
  DecodedOpcode decoded_;
  Instruction& i_ = decoded_.instruction;
};

}  // namespace

Result<DecodedOpcode> decode_opcode(std::string_view text) {
  const OpcodeRow* source = find_row(text);
  if (!source)
    return failure("cudaErrorInvalidPtx", fmt::format("the virtual GPU has no instruction '{}'{}", text, why_missing(text)));
  return OpcodeReader(*source, text).read(text);
}

std::string opcode_text(const Instruction& i) {
  std::string text(row(i.op).spelling);
  for (const Modifier& modifier : compiled_table()[static_cast<std::size_t>(i.op)].modifiers) {
    if (modifier.kind != Modifier::Kind::words) {
      const Type type = modifier.kind == Modifier::Kind::type ? i.type : modifier.kind == Modifier::Kind::type2 ? i.type2 : i.type3;
      if (type != Type::none) text.append(1, '.').append(name_of(type));
      continue;
    }
    if (!applies(modifier, i.type)) continue;
    for (const Word& candidate : modifier.words->words) {
      const bool constant = candidate.field == Field::none && modifier.required;  // "sync" of "shfl.sync"
      const std::uint8_t value = get(i, candidate.field);
      if (!constant && (value == 0 || value != candidate.value)) continue;
      text.append(1, '.').append(candidate.text);
      break;
    }
  }
  return text;
}

namespace {

// In the order of Special.
constexpr std::array<std::string_view, 42> special_names{"%tid.x",
                                                         "%tid.y",
                                                         "%tid.z",
                                                         "%ntid.x",
                                                         "%ntid.y",
                                                         "%ntid.z",
                                                         "%ctaid.x",
                                                         "%ctaid.y",
                                                         "%ctaid.z",
                                                         "%nctaid.x",
                                                         "%nctaid.y",
                                                         "%nctaid.z",
                                                         "%laneid",
                                                         "%warpid",
                                                         "%nwarpid",
                                                         "%smid",
                                                         "%nsmid",
                                                         "%gridid",
                                                         "%lanemask_eq",
                                                         "%lanemask_le",
                                                         "%lanemask_lt",
                                                         "%lanemask_ge",
                                                         "%lanemask_gt",
                                                         "%clock",
                                                         "%clock_hi",
                                                         "%clock64",
                                                         "%globaltimer",
                                                         "%globaltimer_lo",
                                                         "%globaltimer_hi",
                                                         "%dynamic_smem_size",
                                                         "%total_smem_size",
                                                         "%aggr_smem_size",
                                                         "%reserved_smem_offset_begin",
                                                         "%reserved_smem_offset_end",
                                                         "%reserved_smem_offset_cap",
                                                         "%reserved_smem_offset_1",
                                                         "%current_graph_exec",
                                                         "%cluster_ctarank",
                                                         "%cluster_nctarank",
                                                         "%envreg1",
                                                         "%envreg2",
                                                         "%envreg"};
static_assert(special_names.size() == static_cast<std::size_t>(Special::envreg) + 1);

// Every block is a cluster of its own, so what PTX says of clusters is known otherwise.
constexpr std::pair<std::string_view, Special> special_aliases[] = {
    {"%cluster_ctaid.x", Special::cluster_zero}, {"%cluster_ctaid.y", Special::cluster_zero},
    {"%cluster_ctaid.z", Special::cluster_zero}, {"%is_explicit_cluster", Special::cluster_zero},
    {"%cluster_nctaid.x", Special::cluster_one}, {"%cluster_nctaid.y", Special::cluster_one},
    {"%cluster_nctaid.z", Special::cluster_one}, {"%clusterid.x", Special::ctaid_x},
    {"%clusterid.y", Special::ctaid_y},          {"%clusterid.z", Special::ctaid_z},
    {"%nclusterid.x", Special::nctaid_x},        {"%nclusterid.y", Special::nctaid_y},
    {"%nclusterid.z", Special::nctaid_z},        {"%reserved_smem_offset_0", Special::reserved_smem_begin}};

}  // namespace

std::string_view name_of(Special special) { return special_names[static_cast<std::size_t>(special)]; }

bool special_of(std::string_view name, Special& special, std::uint32_t& index) {
  index = 0;
  constexpr std::string_view envreg = "%envreg";
  if (name.starts_with(envreg) && name.size() > envreg.size() && name.size() <= envreg.size() + 2) {
    for (const char digit : name.substr(envreg.size())) {
      if (digit < '0' || digit > '9') return false;
      index = index * 10 + static_cast<std::uint32_t>(digit - '0');
    }
    special = index == 1 ? Special::workspace_high : index == 2 ? Special::workspace_low : Special::envreg;
    return index < 32;
  }
  for (std::size_t at = 0; at < static_cast<std::size_t>(Special::envreg); ++at) {
    if (special_names[at] != name) continue;
    special = static_cast<Special>(at);
    return true;
  }
  for (const auto& [alias, meaning] : special_aliases) {
    if (alias != name) continue;
    special = meaning;
    return true;
  }
  return false;
}

Type type_of(std::string_view name) {
  static const std::unordered_map<std::string_view, Type> types = [] {
    std::unordered_map<std::string_view, Type> map;
    for (auto type = static_cast<std::uint8_t>(Type::pred); type <= static_cast<std::uint8_t>(Type::tf32); ++type)
      map.emplace(name_of(static_cast<Type>(type)), static_cast<Type>(type));
    return map;
  }();
  const auto found = types.find(name);
  return found == types.end() ? Type::none : found->second;
}

}  // namespace warpbook::gpu::ptx
