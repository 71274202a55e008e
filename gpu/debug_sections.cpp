#include "gpu/debug_sections.h"

#include <gelf.h>
#include <libelf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

namespace warpbook::gpu {
namespace {

// A variable's invented address: far above every line number, and far enough from others that an offset never reaches another one.
constexpr std::uint64_t symbols_begin = std::uint64_t{1} << 48, symbol_bytes = std::uint64_t{1} << 24;

bool begins_symbol(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' || c == '.';
}
bool continues_symbol(char c) { return begins_symbol(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\0");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\0") - first + 1);
}

/// The lines of the text: those of its debug sections, and the labels in the rest.
struct DebugLines {
  std::unordered_map<std::string_view, std::uint64_t> labels;                        // label to line number
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>> sections;  // name, its lines

  explicit DebugLines(std::string_view ptx) {
    std::uint64_t number = 0;
    bool inside = false;
    while (!ptx.empty()) {
      ++number;
      const std::size_t end = ptx.find('\n');
      const std::string_view line = without_blanks(ptx.substr(0, end));
      ptx.remove_prefix(end == ptx.npos ? ptx.size() : end + 1);
      if (line.starts_with(".section")) {
        std::string_view name = without_blanks(line.substr(std::string_view(".section").size()));
        name = without_blanks(name.substr(0, name.find('{')));
        sections.emplace_back(name, std::vector<std::string_view>{});
        inside = line.find('{') != line.npos && !line.ends_with('}');  // clang closes an empty section on the same line
      } else if (line == "{" && !sections.empty() && sections.back().second.empty() && !inside) {
        inside = true;
      } else if (inside && line == "}") {
        inside = false;
      } else if (inside) {
        if (!line.empty()) sections.back().second.push_back(line);
      } else if (line.ends_with(':') && !line.empty() && begins_symbol(line.front())) {
        labels.emplace(line.substr(0, line.size() - 1), number);
      }
    }
  }
};

/// Assembles the directives of one section: ".b8 1,2", ".b32 .debug_loc+12", ".b64 $L__tmp3".
class SectionAssembler {
 public:
  SectionAssembler(const DebugLines& lines, DebugSections& out) : lines_(lines), out_(out) {}

  /// Empty: a line was not understood.
  [[nodiscard]] std::optional<std::string> assemble(const std::vector<std::string_view>& text) {
    std::string bytes;
    for (std::string_view line : text) {
      line = without_blanks(line.substr(0, line.find("//")));
      if (line.empty() || line.ends_with(':')) continue;
      const std::size_t blank = line.find_first_of(" \t");
      static constexpr std::array<std::pair<std::string_view, unsigned>, 4> widths{
          {{".b8", 1}, {".b16", 2}, {".b32", 4}, {".b64", 8}}};
      unsigned width = 0;
      for (const auto& [name, size] : widths)
        if (line.substr(0, blank) == name) width = size;
      if (width == 0 || blank == line.npos) return std::nullopt;
      for (std::string_view rest = line.substr(blank); !rest.empty();) {
        const std::size_t comma = rest.find(',');
        const auto value = value_of(without_blanks(rest.substr(0, comma)));
        if (!value) return std::nullopt;
        for (unsigned b = 0; b < width; ++b) bytes += static_cast<char>(*value >> (8 * b));
        rest.remove_prefix(comma == rest.npos ? rest.size() : comma + 1);
      }
    }
    return bytes;
  }

 private:
  /// A number, or a symbol plus or minus an offset.
  std::optional<std::uint64_t> value_of(std::string_view text) {
    std::uint64_t sum = 0;
    bool minus = false;
    do {
      const std::size_t sign = text.find_first_of("+-", 1);
      const auto part = part_of(without_blanks(text.substr(0, sign)));
      if (!part) return std::nullopt;
      sum = minus ? sum - *part : sum + *part;
      if (sign == text.npos) return sum;
      minus = text[sign] == '-';
      text = without_blanks(text.substr(sign + 1));
    } while (!text.empty());
    return std::nullopt;
  }

  std::optional<std::uint64_t> part_of(std::string_view text) {
    if (text.empty()) return std::nullopt;
    const bool negative = text.front() == '-';
    if (std::isdigit(static_cast<unsigned char>(text.front())) != 0 || negative) {
      if (negative) text.remove_prefix(1);
      const bool hex = text.starts_with("0x");
      if (hex) text.remove_prefix(2);
      std::uint64_t value = 0;
      const auto read = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
      if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
      return negative ? 0 - value : value;
    }
    if (text.starts_with(".debug_")) return 0;  // the start of a section
    for (const char c : text)
      if (!continues_symbol(c)) return std::nullopt;
    if (const auto label = lines_.labels.find(text); label != lines_.labels.end()) return label->second;
    const auto [known, fresh] = numbers_.emplace(text, out_.symbols.size());
    if (fresh) out_.symbols.push_back(text);
    return symbols_begin + known->second * symbol_bytes;
  }

  const DebugLines& lines_;
  DebugSections& out_;
  std::unordered_map<std::string_view, std::size_t> numbers_;
};

struct WrittenElfEnd {
  void operator()(Elf* elf) const { elf_end(elf); }
};

/// An anonymous file in memory, because libelf can only write into files.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("debug information", MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::optional<std::string> contents() const {
    const off_t size = lseek(descriptor_, 0, SEEK_END);
    if (size < 0) return std::nullopt;
    std::string bytes(static_cast<std::size_t>(size), '\0');
    if (pread(descriptor_, bytes.data(), bytes.size(), 0) != size) return std::nullopt;
    return bytes;
  }

 private:
  int descriptor_;
};

bool add_section(Elf* elf, Elf64_Word name, Elf64_Word type, std::string& bytes) {
  Elf_Scn* section = elf_newscn(elf);
  Elf_Data* data = section == nullptr ? nullptr : elf_newdata(section);
  Elf64_Shdr* header = section == nullptr ? nullptr : elf64_getshdr(section);
  if (data == nullptr || header == nullptr) return false;
  data->d_buf = bytes.data();
  data->d_size = bytes.size();
  data->d_type = ELF_T_BYTE;
  data->d_align = 1;
  header->sh_name = name;
  header->sh_type = type;
  return true;
}

std::optional<std::string> elf_file(std::vector<std::pair<std::string, std::string>> sections) {
  if (elf_version(EV_CURRENT) == EV_NONE) return std::nullopt;
  const MemoryFile file;
  if (file.descriptor() < 0) return std::nullopt;
  const std::unique_ptr<Elf, WrittenElfEnd> elf(elf_begin(file.descriptor(), ELF_C_WRITE, nullptr));
  Elf64_Ehdr* header = elf ? elf64_newehdr(elf.get()) : nullptr;
  if (header == nullptr) return std::nullopt;
  header->e_ident[EI_DATA] = ELFDATA2LSB;
  header->e_machine = EM_CUDA;
  header->e_type = ET_EXEC;  // its addresses are final, without relocations
  header->e_version = EV_CURRENT;
  std::string names(1, '\0');
  std::vector<Elf64_Word> begins;
  sections.emplace_back(".shstrtab", "");
  for (const auto& [name, bytes] : sections) {
    begins.push_back(static_cast<Elf64_Word>(names.size()));
    names += name + '\0';
  }
  for (std::size_t s = 0; s < sections.size(); ++s) {
    const bool last = s + 1 == sections.size();
    if (!add_section(elf.get(), begins[s], last ? SHT_STRTAB : SHT_PROGBITS, last ? names : sections[s].second))
      return std::nullopt;
  }
  header->e_shstrndx = static_cast<Elf64_Half>(sections.size());  // section 0 is reserved
  if (elf_update(elf.get(), ELF_C_WRITE) < 0) return std::nullopt;
  return file.contents();
}

}  // namespace

DebugSections::Symbol DebugSections::symbol(std::uint64_t address) const {
  if (address < symbols_begin) return {};
  const std::uint64_t number = (address - symbols_begin) / symbol_bytes;
  if (number >= symbols.size()) return {};
  return {symbols[number], static_cast<std::int64_t>((address - symbols_begin) % symbol_bytes)};
}

Result<DebugSections> debug_sections(std::string_view ptx) {
  const DebugLines lines(ptx);
  DebugSections out;
  SectionAssembler assembler(lines, out);
  std::map<std::string, std::string> sections;
  for (const auto& [name, text] : lines.sections) {
    if (!name.starts_with(".debug_")) continue;
    const auto bytes = assembler.assemble(text);
    if (!bytes) return failure("bad_debug_info", "The PTX has a debug section that cannot be read.");
    sections[std::string(name)] += *bytes;
  }
  if (!sections.contains(".debug_info") || !sections.contains(".debug_abbrev"))
    return failure("no_debug_info", "The PTX has no debug information: compile it with nvcc -G, or with clang -O0 -g.");
  auto elf = elf_file({sections.begin(), sections.end()});
  if (!elf) return failure("bad_debug_info", "No file in memory could be made for the debug information.");
  out.elf = std::move(*elf);
  return out;
}

}  // namespace warpbook::gpu
