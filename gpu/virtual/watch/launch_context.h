// LaunchContext: what the detectors know of a launch: which thread, which source line, which element. The sentences that their
// findings share are in access_words.h.
//
//     LaunchContext context;  context.begin(launch_info);
//     const Place at = context.place(access.site, access.warp, lane);
//     const Element element = context.element(access.space, access.address[lane], access.site);
//     element.name()                                                  // counter[0]
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/report.h"
#include "gpu/virtual/vm/observer.h"

namespace warpbook::gpu::watch {

/// A buffer, module variable or shared variable, without its contents.
struct Region {
  std::uint64_t base = 0, bytes = 0;  // base: guest address, or offset in the block's shared memory
  BufferId buffer = 0;                // 0: not a host's buffer
  std::string name;
  std::size_t element_bytes = 4;
  bool integer = false, real = false, is_signed = false;  // how to print an element's value; none: as hexadecimal
  std::string type;                                       // "int32[4096]"; empty: unknown (a shared variable)
  bool constant = false;
  bool untyped = false;                           // bytes of PTX, or of cudaMalloc: elements are as large as what is accessed
  std::optional<DeclaredVariable> declared = {};  // as the source says; then elements are as large as it says
  std::uint32_t declared_at = 0;                  // where in it this begins
};

/// An element of a region; the region is null where an address belongs to none.
struct Element {
  const Region* region = nullptr;
  std::int64_t index = 0;  // may be negative or past the end
  std::uint64_t address = 0;
  std::size_t bytes = 0;                   // of the element
  std::int64_t distance = 0;               // bytes from the region's start
  std::uint32_t accessed = 0;              // bytes that a lane accesses
  std::optional<vm::HeapBlock> heap = {};  // instead of a region: the kernels' heap

  /// counter[0]; tile[1][2]; best.v; a variable of one element: total; empty: it has none, as what malloc gave.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] bool is_named() const { return !heap && region && !region->name.empty(); }
  [[nodiscard]] std::string buffer() const;  // the region's name; "malloc in line 5"; or nothing
  [[nodiscard]] bool is_known() const { return region || heap; }
};

class LaunchContext {
 public:
  void begin(const vm::LaunchInfo& launch);

  /// threadIdx of a warp's lane.
  [[nodiscard]] Dim3 thread(std::uint32_t warp, unsigned lane) const;
  [[nodiscard]] Place place(const vm::Site& site, vm::WarpId warp, unsigned lane) const;
  /// What a finding is told apart by: the source line, or the PTX line with the top bit set where there is none.
  [[nodiscard]] static std::uint32_t line_key(const vm::Site& site);

  /// A number for each instruction of the module, from 1; at most site_count().
  [[nodiscard]] std::uint32_t site_number(const vm::Site& site) const {
    if (site.function == last_function_) return last_first_ + site.pc;
    const auto function = static_cast<std::size_t>(site.function - first_function_);
    if (function >= first_site_.size()) return 0;
    last_function_ = site.function;
    return (last_first_ = first_site_[function] + 1) + site.pc;
  }
  [[nodiscard]] std::uint32_t site_count() const { return site_count_; }
  [[nodiscard]] vm::Site site(std::uint32_t number) const;

  /// The element at an address inside a region; no region where it is inside none. `site` accesses it.
  [[nodiscard]] Element element(ptx::Space space, std::uint64_t address, const vm::Site& site) const;
  /// The same for an address that may lie outside of `region`.
  [[nodiscard]] static Element element_of(const Region* region, ptx::Space space, std::uint64_t address, const vm::Site& site);
  /// An element of the heap's piece that an address is in or lies nearest to; no heap where it is not the heap's.
  [[nodiscard]] Element heap_element(std::uint64_t address, const vm::Site& site) const;
  /// Whether these words stand in the source; whether it includes this header: <cuda/barrier>.
  [[nodiscard]] bool is_written(std::string_view words) const { return source_.find(words) != std::string_view::npos; }
  [[nodiscard]] bool includes(std::string_view header) const { return is_written("<" + std::string(header) + ">"); }
  /// A line of the source; empty: there is none.
  [[nodiscard]] std::string_view source_line(std::uint32_t line) const;
  /// The source includes the toolkit's barrier objects; on older GPUs they count in atomics.
  [[nodiscard]] bool uses_barrier_objects() const { return includes("cuda/barrier") || includes("cuda/pipeline"); }
  [[nodiscard]] const vm::HeapBlocks* heap() const { return heap_; }
  /// The local array that an instruction most likely accesses, by what its line says; nullptr: several could be meant, or none.
  [[nodiscard]] const DeclaredVariable* local_array(const vm::Site& site) const;
  /// The region nearest to an access, inside or not; null when there is none at all.
  [[nodiscard]] const Region* nearest_global(std::uint64_t address, std::uint64_t bytes) const;
  [[nodiscard]] const Region* nearest_shared(std::uint64_t offset) const;

  /// The buffer that the host had released before the launch and that an address is in; null: none.
  [[nodiscard]] const vm::Freed* freed_at(std::uint64_t address) const;
  /// The region that an address is in; null: in none.
  [[nodiscard]] const Region* find(ptx::Space space, std::uint64_t address) const;
  [[nodiscard]] const Region* find_global(std::uint64_t address) const;
  [[nodiscard]] const Region* find_shared(std::uint64_t offset) const;
  [[nodiscard]] std::uint64_t shared_bytes() const { return shared_bytes_; }
  [[nodiscard]] std::uint64_t reserved_shared_bytes() const { return reserved_shared_bytes_; }  // at their end
  [[nodiscard]] Dim3 grid() const { return grid_; }
  [[nodiscard]] Dim3 block() const { return block_; }
  [[nodiscard]] std::uint32_t threads_per_block() const { return threads_per_block_; }
  [[nodiscard]] std::uint32_t warps_per_block() const { return (threads_per_block_ + 31) / 32; }
  [[nodiscard]] std::uint64_t warps() const { return grid_.count() * warps_per_block(); }
  /// The lanes of a warp that the block's size gives threads to.
  [[nodiscard]] std::uint32_t lanes_of(std::uint32_t warp) const;

  /// Does a file of the module, a header of the toolkit for example, end so?
  [[nodiscard]] bool has_file(std::string_view ending) const;

 private:
  const ptx::Module* module_ = nullptr;
  const ptx::Function* first_function_ = nullptr;
  std::vector<std::uint32_t> first_site_;
  std::uint32_t site_count_ = 0;
  mutable const ptx::Function* last_function_ = nullptr;  // whose site was numbered last, and its first number
  mutable std::uint32_t last_first_ = 0;
  Dim3 grid_, block_;
  std::uint32_t threads_per_block_ = 0;
  std::uint64_t shared_bytes_ = 0, reserved_shared_bytes_ = 0;
  const vm::HeapBlocks* heap_ = nullptr;
  std::string_view source_;
  std::vector<DeclaredVariable> local_arrays_;
  std::vector<Region> global_, shared_;  // sorted by base
  std::vector<vm::Freed> freed_;
  mutable const Region* last_ = nullptr;  // where the last address was found
};

/// Shared addresses are 32 bits wide: an offset below zero wraps to the top.
[[nodiscard]] std::int64_t shared_offset(std::uint64_t address);
/// An element's value as its type prints it, or a vector's: `(5, 6)`; `bits` are its low bytes.
[[nodiscard]] std::string value_text(const Region* region, std::uint64_t bits, std::size_t bytes, const vm::Site& site);

[[nodiscard]] inline std::uint32_t line_of(const vm::Site& site) { return site.function ? site.instruction().line : 0; }

}  // namespace warpbook::gpu::watch
