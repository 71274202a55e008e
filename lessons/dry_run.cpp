#include "lessons/dry_run.h"

#include <cstring>
#include <map>
#include <memory>

namespace warpbook::lessons {
namespace {

/// A device that allocates and releases arrays. A launch does not change them.
class Stage final : public gpu::Device {
 public:
  /// Like a GPU without traces, because what a lesson computes from a trace is not part of the host program.
  Stage(gpu::DeviceInfo info, gpu::ProgramPtr program) : info_(std::move(info)), program_(std::move(program)) {
    info_.is_model = false;
  }

  [[nodiscard]] const gpu::DeviceInfo& info() const override { return info_; }
  [[nodiscard]] tl::expected<gpu::ProgramPtr, gpu::CompileFailure> compile(const gpu::Source&) override { return program_; }
  [[nodiscard]] Result<gpu::Buffer> allocate(const gpu::Array& array) override {
    const gpu::Buffer buffer{++last_, array};
    memory_[buffer.id].resize(array.bytes());
    return buffer;
  }
  void release(const gpu::Buffer& buffer) override { memory_.erase(buffer.id); }
  [[nodiscard]] Result<void> write(const gpu::Buffer& buffer, std::span<const std::byte> bytes) override {
    if (!bytes.empty()) std::memcpy(memory_.at(buffer.id).data(), bytes.data(), bytes.size());
    return {};
  }
  [[nodiscard]] Result<void> read(const gpu::Buffer& buffer, std::span<std::byte> bytes) override {
    if (!bytes.empty()) std::memcpy(bytes.data(), memory_.at(buffer.id).data(), bytes.size());
    return {};
  }
  [[nodiscard]] Result<void> fill(const gpu::Buffer&, gpu::Scalar) override { return {}; }
  [[nodiscard]] std::span<std::byte> mapped(const gpu::Buffer& buffer) override { return memory_.at(buffer.id); }
  [[nodiscard]] gpu::LaunchReport launch(const gpu::LaunchRequest& request, gpu::Job*) override {
    gpu::LaunchReport report;
    report.kernel = request.kernel;
    report.device = info_.name;
    report.grid = request.grid;
    report.block = request.block;
    report.status = "ok";
    return report;
  }

 private:
  gpu::DeviceInfo info_;
  gpu::ProgramPtr program_;
  std::map<gpu::BufferId, std::vector<std::byte>> memory_;
  gpu::BufferId last_ = 0;
};

gpu::ProgramPtr stand_in(const Lesson& lesson) {
  gpu::Kernel kernel;
  kernel.name = kernel.entry = lesson.kernel;
  auto program = std::make_shared<gpu::Program>();
  program->kernels.push_back(std::move(kernel));
  return program;
}

}  // namespace

DryRun dry_run(const Lesson& lesson, const Values& values, const std::string& text, const gpu::DeviceInfo& info,
               gpu::ProgramPtr program, gpu::Job* job) {
  if (lesson.exercise != nullptr) {
    return {.problem = "A check is no program: it launches the kernel once for every case, beside a kernel that is right."};
  }
  Stage stage(info, program ? std::move(program) : stand_in(lesson));
  Host host(stage, {.kernel_file = lesson.kernel_file, .kernel_text = text, .defines = {}, .job = job});
  auto outcome = lesson.run(host, values, job);
  DryRun dry{.problem = {}, .defines = host.defines(), .calls = host.calls()};
  if (!outcome) dry.problem = outcome.error().message;
  return dry;
}

}  // namespace warpbook::lessons
