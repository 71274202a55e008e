#include "tests/forms/bench.h"

#include <fmt/format.h>

namespace warpbook::gpu::test {

Bench::Bench() : own_(std::move(*make_virtual_device(compiler_))), device_(own_.get()) {}

Result<std::vector<u128>> Bench::run(const KernelText& kernel, std::span<const u128> in) {
  const std::string text = fmt::format(
      ".version 8.6\n.target sm_90\n.address_size 64\n{}\n"
      ".visible .entry k(.param .u64 in, .param .u64 out{})\n{{\n"
      ".reg .b64 %in, %out, %offset;\n.reg .b32 %i, %size, %block;\n"
      "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n"
      "mov.u32 %i, %tid.x;\nmov.u32 %size, %ntid.x;\nmov.u32 %block, %ctaid.x;\nmad.lo.u32 %i, %block, %size, %i;\n"
      "mul.wide.u32 %offset, %i, 16;\nadd.u64 %in, %in, %offset;\nadd.u64 %out, %out, %offset;\n{}\nret;\n}}\n",
      kernel.module, kernel.parameters, kernel.body);
  const auto program = compiler_.adopt_ptx("forms.ptx", text);
  if (!program) return failure("cudaErrorInvalidPtx", program.error().message);
  const auto words = [&](std::size_t slots) { return Array{"slots", ScalarType::uint64, {2 * std::max<std::size_t>(slots, 1)}}; };
  const Buffer from = *device_->allocate(words(in.size())), to = *device_->allocate(words(kernel.out_slots * kernel.threads));
  (void)device_->write(from, std::as_bytes(in));
  (void)device_->fill(to, Scalar::of(std::uint64_t{0x5555555555555555}));
  LaunchRequest request{.program = *program,
                        .kernel = "k",
                        .grid = {static_cast<std::uint32_t>(kernel.threads / kernel.block)},
                        .block = {static_cast<std::uint32_t>(kernel.block)},
                        .arguments = {from, to},
                        .observe = {},
                        .cooperative = kernel.cooperative,
                        .seed = {},
                        .limits = {}};
  if (!kernel.last_parameter.empty()) request.arguments.emplace_back(gpu::Struct{kernel.last_parameter});
  const LaunchReport report = device_->launch(request);
  std::vector<u128> out(std::max<std::size_t>(kernel.out_slots * kernel.threads, 1));
  (void)device_->read(to, std::as_writable_bytes(std::span(out)));
  device_->release(from);
  device_->release(to);
  if (!report.ok()) return failure(report.status, say(report.message));
  return out;
}

}  // namespace warpbook::gpu::test
