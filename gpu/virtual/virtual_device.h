// VirtualDevice: device 2 of the contract. Wires the rooms below it: compiler → ptx → vm → watch.
//
// Made by make_virtual_device() (device.h). Buffers live in vm::Memory; a program's module is parsed and its device variables
// are placed once, at its first launch, and keep their values between launches, as on hardware.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gpu/device.h"
#include "gpu/virtual/profiles.h"
#include "gpu/virtual/removed_code.h"
#include "gpu/virtual/vm/clock/clock.h"
#include "gpu/virtual/vm/exec/schedules.h"
#include "gpu/virtual/watch/watch.h"

namespace warpbook::gpu {

class VirtualDevice : public Device {
 public:
  VirtualDevice(Compiler& compiler, const Profile& profile);

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] tl::expected<ProgramPtr, CompileFailure> compile(const Source& source) override;
  [[nodiscard]] Result<Buffer> allocate(const Array& array) override;
  void release(const Buffer& buffer) override;
  [[nodiscard]] Result<void> write(const Buffer& buffer, std::span<const std::byte> bytes) override;
  [[nodiscard]] Result<void> read(const Buffer& buffer, std::span<std::byte> bytes) override;
  [[nodiscard]] Result<void> fill(const Buffer& buffer, Scalar value) override;
  [[nodiscard]] Result<void> write_variable(const ProgramPtr& program, const Variable& variable,
                                            std::span<const std::byte> bytes) override;
  [[nodiscard]] Result<void> read_variable(const ProgramPtr& program, const Variable& variable,
                                           std::span<std::byte> bytes) override;
  [[nodiscard]] std::span<std::byte> mapped(const Buffer& buffer) override;
  [[nodiscard]] LaunchReport launch(const LaunchRequest& request, Job* job) override;

  // For a host program that holds addresses itself, as CUDA's do (tests/collections): kernels take them as struct arguments.
  [[nodiscard]] const vm::Memory& memory() const { return memory_; }
  /// Accesses to released buffers are told as such from now on; later buffers get other addresses (vm::Memory::keep_released).
  void keep_released() { memory_.keep_released(); }
  [[nodiscard]] std::uint64_t address(const Buffer& buffer) const;
  void mark_written(const Buffer& buffer);
  void mark_written(const Buffer& buffer, std::uint64_t from, std::uint64_t bytes);
  /// A __device__ or __constant__ variable, by its name in PTX.
  [[nodiscard]] Result<vm::Extent> variable(const ProgramPtr& program, const std::string& name);
  /// The parts of a buffer that the host has written, from where to where (mark_written). What is not in them counts as
  /// uninitialised.
  [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>> written(const Buffer& buffer) const;
  /// The program's device variables, in the PTX's order.
  struct Placed {
    std::string name;
    std::uint64_t address = 0, bytes = 0;
    bool constant = false;
  };
  [[nodiscard]] Result<std::vector<Placed>> variables(const ProgramPtr& program);

  /// To run a launch of another device again: the addresses that the next buffers get, in the order in which they are allocated,
  /// and those that the next program's variables get, by name. Pointers that lie in that device's memory then mean the same here.
  struct Places {
    std::vector<std::uint64_t> buffers;
    std::map<std::string, std::uint64_t> variables;
  };
  void place(Places places);

 private:
  struct Allocated {
    Buffer buffer;
    std::uint64_t address = 0;
    std::map<std::uint64_t, std::uint64_t> written =
        {};               // by the host, from where to where; all of it once some kernel was given it
    bool filled = false;  // … by fill(), last: a memset runs on the device and leaves what it wrote in the L2
  };
  /// A program on this device: its module, and where its device variables lie.
  struct Loaded {
    ptx::Module module;
    std::vector<std::uint64_t> globals;  // by Module::globals; 0 for shared ones
    struct Decoded {
      vm::Image image;
      std::uint64_t parameters = 0;
      vm::SpareBlocks spare;
      struct {
        std::uint32_t threads = 0, shared_bytes = 0;
        unsigned blocks = 0;
      } resident;  // of the last launch
    };
    std::map<std::tuple<std::string, vm::Mode, bool>, std::unique_ptr<Decoded>> decoded;  // by entry; native
    ProgramPtr program;                                                                   // keeps the id in use
    std::set<std::string> given;  // symbols of the variables that the host has written
    std::map<std::string, std::vector<UnfilledVariable>>
        unfilled;                                // by kernel, as long as nothing more is given: it reads all the PTX
    std::map<std::string, RemovedCode> removed;  // by kernel
    /// As the source declares them; read when they are first asked for.
    [[nodiscard]] const DeclaredVariables& variables(const Source& source) const;
    mutable std::optional<DeclaredVariables> declared_variables;
  };

  [[nodiscard]] Result<Loaded*> load(const ProgramPtr& program);
  [[nodiscard]] Result<void> place_globals(Loaded& loaded);
  [[nodiscard]] Result<Loaded::Decoded*> decode(Loaded& loaded, const ptx::Function& function, vm::Mode mode, bool native);
  [[nodiscard]] Result<void> check(const LaunchRequest& request, const Kernel& kernel, const ptx::Function& function,
                                   std::uint32_t shared_bytes) const;
  [[nodiscard]] Result<std::vector<std::byte>> pack(const LaunchRequest& request, const Kernel& kernel,
                                                    const ptx::Function& function, const vm::Code& code) const;
  [[nodiscard]] static vm::LaunchInfo describe(const LaunchRequest& request, const Loaded& loaded, const ptx::Function& function,
                                               const vm::Layout& layout, std::uint32_t shared_bytes);
  class Launch;  // virtual_launch.cpp
  [[nodiscard]] vm::Allocation allocation_of(const Allocated& allocated, bool with_initialised) const;
  [[nodiscard]] vm::Allocation allocation_of(const ptx::Variable& variable, std::uint64_t address,
                                             const DeclaredVariables& variables) const;
  /// What only observers and the clock need to know of the launch: what lies where in memory.
  void describe_memory(const LaunchRequest& request, const Loaded& loaded, const vm::Layout& layout, vm::LaunchInfo& info) const;
  [[nodiscard]] unsigned resident_blocks(const Kernel& kernel, std::uint32_t threads, std::uint32_t shared_bytes) const;
  [[nodiscard]] std::vector<vm::ClockFigures::Placed> place(const LaunchRequest& request, const vm::LaunchInfo& info) const;
  /// The clock schedule's launch, from its first block to its report. rest: runs the blocks that a sampled launch leaves over.
  void run_on_clock(const LaunchRequest& request, vm::Machine& machine, unsigned resident,
                    const std::function<Result<void>(std::uint64_t)>& rest, LaunchReport& report,
                    std::vector<vm::SiteCycles>& sites);
  /// What warps did at each instruction, added to the lines that the instructions came from.
  static void add_warp_cycles(const std::vector<vm::SiteCycles>& sites, LaunchReport& report);
  void explain(const vm::Machine& machine, const LaunchRequest& request, const Loaded& loaded, LaunchReport& report) const;

  Compiler& compiler_;
  const Profile& profile_;
  std::string in_words_;  // "the T4 profile"
  DeviceInfo info_;
  vm::Memory memory_;
  vm::InstructionSet set_;
  BufferId next_buffer_ = 1;
  Places places_;  // wanted; those of buffers in reverse order
  std::map<BufferId, Allocated> buffers_;
  std::deque<vm::Freed> freed_;  // the last of them that were released
  std::map<std::uint64_t, std::unique_ptr<Loaded>> programs_;
};

}  // namespace warpbook::gpu
