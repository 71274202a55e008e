#include <cstdlib>
#include <optional>

#include "tests/fuzz/subject.h"

namespace warpbook::gpu::test {

TinyGpu::TinyGpu() : device_(std::move(*make_virtual_device(compiler_))) {
  memory_ = *device_->allocate({"memory", ScalarType::uint32, {4096}});
}

Fate TinyGpu::run(const std::string& text) {
  const auto program = compiler_.adopt_ptx("fuzz.ptx", text);
  if (!program) return Fate::refused;
  Fate fate = Fate::parsed;
  std::size_t kernels = 0;
  for (const Kernel& kernel : (*program)->kernels) {
    if (++kernels > 2) break;
    struct Way {
      Schedule schedule = Schedule::fast;
      Observe observe = {};
      std::optional<std::uint64_t> seed = 1;  // without one there may be native code
    };
    static const Observe usual{.memory = true, .race = true, .init = true, .trace = {}};  // not every block is looked at
    for (const Way& way : {Way{}, Way{.observe = Observe::all()}, Way{.schedule = Schedule::clock}, Way{.observe = {}, .seed = {}},
                           Way{.observe = usual, .seed = {}}}) {
      (void)device_->fill(memory_, Scalar::of(std::uint32_t{3}));
      LaunchRequest request{.program = *program,
                            .kernel = kernel.entry,
                            .grid = {3},
                            .block = {48},
                            .arguments = {},
                            .observe = way.observe,
                            .schedule = way.schedule,
                            .seed = way.seed,
                            .limits = {.max_seconds = 0.01, .max_output = 1 << 12, .max_findings = 8}};
      for (const Parameter& parameter : kernel.parameters) {
        if (parameter.size > 4096) return fate;
        if (parameter.size == 8)
          request.arguments.emplace_back(memory_);
        else
          request.arguments.emplace_back(Struct{.bytes = std::vector<std::byte>(parameter.size, std::byte{7})});
      }
      const LaunchReport report = device_->launch(request);
      if (report.ok() == !report.message.empty()) std::abort();
      if (report.thread_instructions)
        fate = Fate::ran;
      else
        break;  // refused, and it would be again
    }
  }
  return fate;
}

}  // namespace warpbook::gpu::test
