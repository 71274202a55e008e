#include "lessons/case_launch.h"

#include <utility>

#include "lessons/arguments/argument_buffers.h"
#include "lessons/playground.h"

namespace warpbook::lessons {
namespace {

/// Releases a case's buffers.
class Lent {
 public:
  explicit Lent(gpu::Device& device) : device_(device) {}
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  ~Lent() {
    for (const GivenArgument& each : all) {
      for (const gpu::Buffer& buffer : each.buffers) device_.release(buffer);
    }
  }
  std::vector<GivenArgument> all;
  [[nodiscard]] gpu::BufferId buffer(std::size_t array) const {
    for (const GivenArgument& each : all) {
      if (array < each.buffers.size()) return each.buffers[array].id;
      array -= each.buffers.size();
    }
    return 0;
  }

 private:
  gpu::Device& device_;
};

}  // namespace

Result<Launched> launch_once(gpu::Device& device, const Compiled& compiled, const Exercise::Case& one, const CaseOptions& options,
                             gpu::Job* job) {
  const gpu::Kernel& kernel = *compiled.kernel;
  gpu::LaunchRequest request{.program = compiled.program,
                             .kernel = kernel.name,
                             .grid = one.grid,
                             .block = one.block,
                             .dynamic_shared_bytes = one.shared_bytes,
                             .observe = options.observe,
                             .schedule = options.schedule,
                              .seed = options.seed,
                              .limits = {.max_seconds = options.max_seconds}};
  Lent lent(device);
  for (std::size_t i = 0; i < one.arguments.size(); ++i) {
    auto given = make_buffers(device, one.arguments[i], kernel.parameters[i]);
    if (!given) return failure(given.error());
    request.arguments.push_back(make_argument(one.arguments[i], kernel.parameters[i], given->buffers));
    lent.all.push_back(std::move(*given));
  }
  if (options.traced) request.observe.trace = {lent.buffer(*options.traced)};
  Launched launched{.report = device.launch(request, job)};
  if (launched.report.status == "cancelled") return failure("cancelled", "Cancelled. Press Check to start again.");
  if (!launched.report.ok()) return launched;
  for (std::size_t i = 0; i < lent.all.size(); ++i) {
    auto buffer = lent.all[i].buffers.begin();
    for (const ArgumentPart& part : lent.all[i].parts) {
      if (!part.spec->is_array) continue;
      ArrayAfter after{.argument = i,
                       .spec = part.spec,
                       .name = part.name,
                       .read_only = part.parameter != nullptr && read_only(*part.parameter),
                       .bytes = std::vector<std::byte>(part.spec->array().bytes())};
      if (auto done = device.read(*buffer++, after.bytes); !done) return failure(done.error());
      launched.arrays.push_back(std::move(after));
    }
  }
  return launched;
}

}  // namespace warpbook::lessons
