#include "gpu/program/code_places.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>

namespace warpbook::gpu {
namespace {

// Uses the file only. libdw must not search for separate debug information, which might access the network.
int no_other_file(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*, GElf_Word, char**) { return -1; }

const Dwfl_Callbacks file_alone{dwfl_linux_proc_find_elf, no_other_file, dwfl_offline_section_address, nullptr};

/// The place of a call that was inlined: the call's line in the calling function.
CodePlace call_of(Dwarf_Die* inlined, Dwarf_Die* unit) {
  CodePlace place;
  Dwarf_Attribute attribute;
  Dwarf_Word file = 0, line = 0;
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) == 0) place.line = static_cast<int>(line);
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) == 0 &&
      dwarf_getsrcfiles(unit, &files, &count) == 0 && file < count)
    if (const char* name = dwarf_filesrc(files, file, nullptr, nullptr)) place.file = name;
  return place;
}

}  // namespace

struct CodePlaces::Impl {
  struct File {
    Dwfl* session = nullptr;
    Dwfl_Module* module = nullptr;
    Dwarf_Addr bias = 0;
  };
  std::map<std::string, File> files;

  File& open(const std::string& name) {
    const auto [found, fresh] = files.try_emplace(name);
    File& file = found->second;
    if (!fresh) return file;
    file.session = dwfl_begin(&file_alone);
    if (!file.session) return file;
    dwfl_report_begin(file.session);
    file.module = dwfl_report_offline(file.session, "", name.c_str(), -1);
    dwfl_report_end(file.session, nullptr, nullptr);
    if (file.module) (void)dwfl_module_getelf(file.module, &file.bias);
    return file;
  }
};

CodePlaces::CodePlaces() : impl_(std::make_unique<Impl>()) {}
CodePlaces::~CodePlaces() {
  for (auto& [name, file] : impl_->files)
    if (file.session) dwfl_end(file.session);
}

std::vector<CodePlace> CodePlaces::of(const std::string& name, std::uint64_t address) {
  Impl::File& file = impl_->open(name);
  if (!file.module) return {};
  const Dwarf_Addr at = address + file.bias;
  std::vector<CodePlace> places(1);
  if (const char* function = dwfl_module_addrname(file.module, at)) places[0].function = function;
  if (Dwfl_Line* line = dwfl_module_getsrc(file.module, at)) {
    int number = 0;
    if (const char* source = dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr)) {
      places[0].file = source;
      places[0].line = number;
    }
  }
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = dwfl_module_addrdie(file.module, at, &bias);
  Dwarf_Die* scopes = nullptr;
  const int count = unit ? dwarf_getscopes(unit, at - bias, &scopes) : 0;
  for (int s = 0; s < count; ++s)
    if (dwarf_tag(&scopes[s]) == DW_TAG_inlined_subroutine) {
      CodePlace call = call_of(&scopes[s], unit);
      call.function = places[0].function;
      places.push_back(std::move(call));
    }
  std::free(scopes);
  return places;
}

namespace {

/// Calls `use` for every symbol of a table that is defined in this file.
template <class Use>
void each_defined_symbol(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, Use use) {
  Elf_Data* const data = elf_getdata(section, nullptr);
  if (!data || header.sh_entsize == 0) return;
  for (std::size_t n = 0; n < header.sh_size / header.sh_entsize; ++n) {
    GElf_Sym symbol;
    if (!gelf_getsym(data, static_cast<int>(n), &symbol) || symbol.st_shndx == SHN_UNDEF) continue;
    if (const char* name = elf_strptr(elf, header.sh_link, symbol.st_name)) use(std::string_view(name));
  }
}

}  // namespace

ProgramKind kind_of_program(const std::string& file) {
  ProgramKind kind;
  elf_version(EV_CURRENT);
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return kind;
  Elf* const elf = elf_begin(descriptor, ELF_C_READ_MMAP, nullptr);
  kind.elf = elf && elf_kind(elf) == ELF_K_ELF;
  bool fat_binary = false, shared_runtime = false;
  std::size_t names = 0;
  if (kind.elf) elf_getshdrstrndx(elf, &names);
  for (Elf_Scn* section = nullptr; kind.elf && (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header)) continue;
    if (const char* name = elf_strptr(elf, names, header.sh_name); name && std::strcmp(name, ".nv_fatbin") == 0) fat_binary = true;
    if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
      each_defined_symbol(elf, section, header, [&](std::string_view name) {
        if (name == "__cudaRegisterFatBinary") kind.own_runtime = true;
      });
    if (header.sh_type != SHT_DYNAMIC || header.sh_entsize == 0) continue;
    Elf_Data* const data = elf_getdata(section, nullptr);
    for (std::size_t n = 0; data && n < header.sh_size / header.sh_entsize; ++n) {
      GElf_Dyn entry;
      if (!gelf_getdyn(data, static_cast<int>(n), &entry) || entry.d_tag != DT_NEEDED) continue;
      if (const char* name = elf_strptr(elf, header.sh_link, entry.d_un.d_val)) kind.libraries.emplace_back(name);
    }
  }
  for (const std::string& library : kind.libraries) shared_runtime |= library.starts_with("libcudart.so");
  if (fat_binary && !shared_runtime) kind.own_runtime = true;  // a stripped program with a static runtime
  if (elf) elf_end(elf);
  close(descriptor);
  return kind;
}

}  // namespace warpbook::gpu
