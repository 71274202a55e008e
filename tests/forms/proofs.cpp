#include "tests/forms/proofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <vector>

#include "gpu/virtual/ptx/parser.h"
#include "tests/gpu/ptx/forms.h"

namespace warpbook::gpu::test {
namespace {

namespace fs = std::filesystem;
using ptx::Effect;
using ptx::Opcode;
using ptx::OpcodeRow;
using ptx::Type;
using ptx::test::RowForms;
using ptx::test::Suffix;

const fs::path root = fs::path(WARPBOOK_ROOT) / "tests";

std::string read(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string form(std::string_view spelling, Type type, Type type2) {
  std::string text(spelling);
  for (const Type t : {type, type2})
    if (t != Type::none) text.append(1, '.').append(name_of(t));
  return text;
}

class Collector {
 public:
  explicit Collector(Compiler& compiler) : compiler_(compiler) {}

  Proofs run() {
    for (const char* const folder : {"cases/launch", "cases/findings"})
      for (const fs::path& file : files_in(root / folder)) {
        if (file.extension() == ".cu") cuda(read(file), file.lexically_relative(root / "cases").string());
        if (file.extension() == ".ptx") text(read(file), file.lexically_relative(root / "cases").string(), true);
      }
    for (const fs::path& file : files_in(root / "cases/ptx"))
      if (file.extension() == ".ptx") text(read(file), file.lexically_relative(root / "cases").string(), false);
    for (const fs::path& file : files_in(root / "gpu"))
      if (file.string().ends_with("_test.cpp")) source(read(file), file.filename().string().starts_with("ops_"));
    return std::move(proofs_);
  }

 private:
  void cuda(const std::string& source_text, const std::string& name) {
    const auto program = compiler_.compile({.file = "proof.cu", .text = source_text, .defines = {}, .instantiate = {}},
                                           {.architecture = 90, .resource_usage = false, .line_info = false});
    if (program) text((*program)->ptx, name, true);
  }

  void text(const std::string& ptx_text, const std::string& name, bool runs) {
    const auto module = ptx::parse(ptx_text);
    if (!module) return;  // a case of an error
    for (const ptx::Function& function : module->functions)
      for (const ptx::Instruction& i : function.code) {
        const OpcodeRow& row = ptx::row(i.op);
        if (!runs && row.effect != Effect::hint && row.effect != Effect::fence) continue;
        add(i, row, name);
      }
  }

  void add(const ptx::Instruction& i, const OpcodeRow& row, const std::string& name) {
    proofs_.opcodes[i.op].insert(name);
    proofs_.forms[form(row.spelling, i.type, i.type2)].insert(name);
    std::string rest = ptx::opcode_text(i).substr(row.spelling.size());
    for (std::size_t at = 0; at < rest.size();) {
      const std::size_t end = std::min(rest.find('.', at + 1), rest.size());
      proofs_.suffixes[std::string(row.spelling) + rest.substr(at, end - at)].insert(name);
      at = end;
    }
  }

  /// A test's source: its raw strings with kernels, and the ops:: functions it calls, under the test that they stand in.
  void source(const std::string& code, bool semantics) {
    static const std::regex token(R"re((?:TYPED_)?TEST(?:_F|_P)?\((\w+), (\w+)\)|R"(?:\w*)\(|\bops::(\w+))re");
    std::string test;
    for (std::sregex_iterator at(code.begin(), code.end(), token), end; at != end; ++at) {
      const std::smatch& found = *at;
      if (found[1].matched) {
        test = found.str(1) + "." + found.str(2);
      } else if (found[3].matched) {
        if (semantics && !test.empty()) function(found.str(3), test);
      } else {
        const auto from = static_cast<std::size_t>(found.position() + found.length());
        const std::string raw = code.substr(from, code.find(")\"", from) - from);
        if (raw.find("__global__") != raw.npos && !test.empty()) cuda(raw, test);
      }
    }
  }

  /// ops::shf_l_wrap is shf.l's, ops::and_ and's: the longest opcode that the name begins with.
  void function(const std::string& name, const std::string& test) {
    const OpcodeRow* best = nullptr;
    std::size_t length = 0;
    for (const OpcodeRow& row : ptx::opcode_table()) {
      std::string id(row.spelling);
      std::replace(id.begin(), id.end(), '.', '_');
      if (!(name == id || name.starts_with(id + "_")) || id.size() <= length) continue;
      best = &row;
      length = id.size();
    }
    if (best) proofs_.opcodes[best->op].insert(test);
  }

  Compiler& compiler_;
  Proofs proofs_;
};

/// The first few, so that a line stays a line.
std::string in_words(const Names* names) {
  if (!names || names->empty()) return "**unproven**";
  std::string words;
  std::size_t shown = 0;
  for (const std::string& name : *names) {
    if (++shown > 3) return words + fmt::format(" and {} more", names->size() - 3);
    words += fmt::format("{}`{}`", words.empty() ? "" : ", ", name);
  }
  return words;
}

const Names* find(const std::map<std::string, Names>& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

/// Does the combination of types exist, with whatever suffixes it needs?
bool exists(const OpcodeRow& row, const RowForms& forms, Type type, Type type2) {
  std::vector<std::size_t> choice(forms.suffixes.size(), 0);
  for (;;) {
    std::vector<std::string_view> words(forms.suffixes.size());
    for (std::size_t s = 0; s < words.size(); ++s) {
      const Suffix& suffix = forms.suffixes[s];
      if (suffix.kind != Suffix::Kind::words)
        words[s] = "T";
      else if (suffix.goes_with(type) && choice[s] < suffix.words.size() + !suffix.required)
        words[s] = suffix.required ? suffix.words[choice[s]] : choice[s] ? suffix.words[choice[s] - 1] : std::string_view();
    }
    if (ptx::decode_opcode(ptx::test::text_of(row, forms, type, type2, words))) return true;
    // The next choice: of what is required, and of roundings and hints that some types need.
    std::size_t s = 0;
    for (; s < choice.size(); ++s) {
      const Suffix& suffix = forms.suffixes[s];
      if (suffix.kind != Suffix::Kind::words || suffix.name == "cache" || suffix.name == "scope" || !suffix.goes_with(type))
        continue;
      if (++choice[s] < suffix.words.size() + !suffix.required) break;
      choice[s] = 0;
    }
    if (s == choice.size()) return false;
  }
}

}  // namespace

Proofs collect_proofs(Compiler& compiler) { return Collector(compiler).run(); }

std::string forms_page(const Proofs& proofs) {
  std::string rows;
  std::size_t forms_there = 0, forms_proven = 0, words_there = 0, words_proven = 0;
  for (const OpcodeRow& row : ptx::opcode_table()) {
    const RowForms forms = ptx::test::forms_of(row);
    const auto opcode = proofs.opcodes.find(row.op);
    rows += fmt::format("\n## {}\n\nOperands: `{}`. Proven by {}.\n", row.spelling, row.shape.empty() ? "none" : row.shape,
                        in_words(opcode == proofs.opcodes.end() ? nullptr : &opcode->second));
    std::string table;
    for (const Type type : forms.types)
      for (const Type type2 : forms.types2) {
        if (!exists(row, forms, type, type2)) continue;
        const std::string text = form(row.spelling, type, type2);
        const Names* const names = find(proofs.forms, text);
        ++forms_there;
        forms_proven += names != nullptr;
        table += fmt::format("| `{}` | {} |\n", text, in_words(names));
      }
    rows += "\n| form | run by |\n| --- | --- |\n" + table;
    std::string words;
    for (const Suffix& suffix : forms.suffixes)
      for (const std::string_view word : suffix.words) {
        if (suffix.name == "cache") continue;  // hints: they never change a value
        const std::string first = fmt::format("{}.{}", row.spelling, word.substr(0, word.find('.')));
        const bool proven = find(proofs.suffixes, first) != nullptr;
        ++words_there;
        words_proven += proven;
        words += fmt::format("{}`.{}`{}", words.empty() ? "" : ", ", word, proven ? "" : " (unproven)");
      }
    if (!words.empty()) rows += fmt::format("\nSuffixes: {}.\n", words);
  }
  return fmt::format(
             "# What the virtual GPU executes\n\nMade from the opcode table and the tests by `script/test --forms`. {} opcodes; {} "
             "of {} "
             "combinations of opcode and types, and {} of {} suffixes, run in a case whose result is checked; the semantics tests "
             "hold more "
             "types than this page can tell.\n",
             ptx::opcode_table().size(), forms_proven, forms_there, words_proven, words_there) +
         rows;
}

}  // namespace warpbook::gpu::test
