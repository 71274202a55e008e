// Debug sections: the DWARF in a PTX text as an ELF file in memory, for a library to read.
//
//     Result<DebugSections> sections = debug_sections(ptx);
//     sections->elf;                                    // a file's bytes, with .debug_info, .debug_abbrev …
//     sections->symbol(address);                        // which variable of the PTX a DWARF address means
//
// A label's address is the number of its line in the text. A variable of the PTX has no line, so that it gets an invented address,
// which symbol() translates back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/result.h"

namespace warpbook::gpu {

struct DebugSections {
  struct Symbol {
    std::string_view name;
    std::int64_t offset = 0;
  };
  std::string elf;
  std::vector<std::string_view> symbols;  // views of the text

  /// An empty name: the address does not belong to a variable.
  [[nodiscard]] Symbol symbol(std::uint64_t address) const;
};

/// `ptx` must outlive the result.
[[nodiscard]] Result<DebugSections> debug_sections(std::string_view ptx);

}  // namespace warpbook::gpu
