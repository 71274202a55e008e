#include "gpu/replay/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "gpu/device_variables.h"
#include "gpu/kernel_signatures.h"
#include "gpu/virtual/profiles.h"
#include "gpu/virtual/virtual_device.h"

namespace warpbook::gpu {

Result<ProgramPtr> recorded_program(Compiler& compiler, const RunRecord& record, std::size_t index) {
  if (index >= record.launches.size())
    return failure("usage", record.launches.empty() ? "This program has launched no kernel."
                                                    : fmt::format("The record has {} launches.", record.launches.size()));
  const RecordedLaunch& launch = record.launches[index];
  if (launch.module >= record.modules.size())
    return failure("bad_file", "The record is damaged: the code of this launch's kernel is missing.");
  const std::string named = record.source_file_of(launch);
  const std::filesystem::path file(named.empty() ? "program.ptx" : named);
  auto adopted = compiler.adopt_ptx(file.filename().string(), record.modules[launch.module]);
  if (!adopted) return failure("bad_file", adopted.error().message);
  auto program = std::make_shared<Program>(**adopted);
  if (const RecordedSource* const source = record.source_of(launch)) {
    program->source.text = source->text;
    program->source.folder = file.parent_path();
    program->kernels = list_kernels(program->ptx, source->text);
    program->variables = list_variables(program->ptx, source->text);
  }
  return started_anew(program);
}

namespace {

class ReplayDevice final : public VirtualDevice {
 public:
  ReplayDevice(Compiler& compiler, const Profile& profile, std::shared_ptr<const RunRecord> record, std::size_t launch,
               ProgramPtr program)
      : VirtualDevice(compiler, profile),
        record_(std::move(record)),
        launch_(record_->launches[launch]),
        program_(std::move(program)) {}

  /// Gives the program's variables their values.
  [[nodiscard]] Result<void> begin() {
    Places places;
    for (const RecordedMemory& memory : launch_.memory) {
      if (memory.variable)
        places.variables[memory.name] = memory.address;
      else
        places.buffers.push_back(memory.address);
    }
    place(std::move(places));
    for (const RecordedMemory& memory : launch_.memory) {
      if (!memory.variable) continue;
      const auto extent = variable(program_, memory.name);
      if (!extent) return failure(extent.error());
      const std::vector<std::byte> bytes = record_->contents(memory);
      std::memcpy(extent->host, bytes.data(), std::min<std::size_t>(bytes.size(), extent->high - extent->low));
    }
    return {};
  }

  [[nodiscard]] tl::expected<ProgramPtr, CompileFailure> compile(const Source&) override { return program_; }

  [[nodiscard]] Result<Buffer> allocate(const Array& array) override {
    const auto wanted = std::find_if(launch_.memory.begin() + static_cast<std::ptrdiff_t>(next_), launch_.memory.end(),
                                     [](const RecordedMemory& memory) { return !memory.variable; });
    auto buffer = VirtualDevice::allocate(array);
    if (!buffer || wanted == launch_.memory.end()) return buffer;
    next_ = static_cast<std::size_t>(wanted - launch_.memory.begin()) + 1;
    const std::vector<std::byte> bytes = record_->contents(*wanted);
    const auto memory = mapped(*buffer);
    std::memcpy(memory.data(), bytes.data(), std::min(bytes.size(), memory.size()));
    for (const auto& [from, to] : wanted->written)
      if (to > from) mark_written(*buffer, from, to - from);
    return buffer;
  }

 private:
  std::shared_ptr<const RunRecord> record_;
  const RecordedLaunch& launch_;
  ProgramPtr program_;
  std::size_t next_ = 0;  // of the memory, to be allocated
};

}  // namespace

Result<std::unique_ptr<Device>> make_replay_device(Compiler& compiler, std::shared_ptr<const RunRecord> record,
                                                   std::size_t launch) {
  auto program = recorded_program(compiler, *record, launch);
  if (!program) return failure(program.error());
  if (const std::string& why = record->launches[launch].left_out; !why.empty()) return failure("left_out", why);
  const Profile* const profile = find_profile(record->profile);
  if (!profile)
    return failure("unknown_profile",
                   fmt::format("The record asks for the profile {}, which this Warpbook does not have.", record->profile));
  auto device = std::make_unique<ReplayDevice>(compiler, *profile, std::move(record), launch, std::move(*program));
  if (auto begun = device->begin(); !begun) return failure(begun.error());
  return device;
}

}  // namespace warpbook::gpu
