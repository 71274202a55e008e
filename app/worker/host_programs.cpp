#include "app/worker/host_programs.h"

#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/device_side.h"
#include "lessons/catalog.h"
#include "lessons/dry_run.h"

namespace warpbook::app {
namespace {

std::vector<std::string_view> texts_of(const std::vector<gpu::Header>& headers) {
  std::vector<std::string_view> texts;
  for (const gpu::Header& header : headers) texts.push_back(header.text);
  return texts;
}

std::shared_ptr<const HostProgram> print(const HostProgram& asked, const gpu::DeviceInfo& info, gpu::Job& job) {
  auto program = std::make_shared<HostProgram>(asked);
  const auto rehearsal = lessons::dry_run(*asked.lesson, asked.values, asked.text, info, asked.program, &job);
  if (!rehearsal.problem.empty()) {
    program->cuda = program->numba = failure("no_program", rehearsal.problem);
    return program;
  }
  const std::vector<gpu::Header> headers = asked.program ? asked.program->headers : std::vector<gpu::Header>();
  const std::vector<std::string_view> beside = texts_of(headers);
  const std::string kernels = asked.program ? gpu::without_host_code(asked.text, asked.program->left_out, beside) : asked.text;
  program->cuda = lessons::host_code(kernels, rehearsal.defines, rehearsal.calls);
  if (program->cuda) program->cuda->headers = headers;
  const auto twin = lessons::numba_text(*asked.lesson);
  program->numba = twin ? lessons::numba_code(*twin, rehearsal.defines, rehearsal.calls) : failure(twin.error());
  return program;
}

}  // namespace

HostPrograms::~HostPrograms() {
  if (job_) job_->cancelled = true;
}

void HostPrograms::poll(Session& session) {
  const bool ready = coming_.valid() && coming_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  if (ready) {
    auto program = coming_.get();
    if (!job_->cancelled) show(session, std::move(program));
  }
  LessonState& state = session.lesson();
  const bool looked_at = wanted_ || (!state.stepper.open && (state.tab == BenchTab::host || state.tab == BenchTab::numba));
  if (!looked_at || session.device.empty() || (state.host && is_current(*state.host, session))) return;
  if (coming_.valid()) {
    if (!is_current(*asked_, session)) job_->cancelled = true;
    return;
  }
  asked_ = std::make_shared<HostProgram>(HostProgram{.lesson = session.open,
                                                     .values = state.values,
                                                     .text = state.text.str(),
                                                     .device = session.device,
                                                     .program = state.program,
                                                     .cuda = failure("no_program", ""),
                                                     .numba = failure("no_program", "")});
  job_ = std::make_shared<gpu::Job>();
  coming_ = std::async(std::launch::async, [asked = asked_, info = session.device_info, job = job_, wake = wake_] {
    auto program = print(*asked, info, *job);
    if (wake) wake();
    return program;
  });
}

}  // namespace warpbook::app
