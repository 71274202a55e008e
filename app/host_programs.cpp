#include "app/host_programs.h"

#include <chrono>
#include <utility>

#include "gpu/device_side.h"
#include "lessons/catalog.h"
#include "lessons/rehearsal.h"

namespace warpbook::app {
namespace {

/// The names of the headers among what was left out, without their brackets.
std::vector<std::string> headers_of(const std::vector<std::string>& left_out) {
  std::vector<std::string> headers;
  for (const std::string& name : left_out) {
    if (name.starts_with('<') || name.starts_with('"')) headers.push_back(name.substr(1, name.size() - 2));
  }
  return headers;
}

/// At most one blank line in a row.
std::string without_gaps(const std::string& text) {
  std::string closed;
  bool blank = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    const bool empty = line.find_first_not_of(" \t\r") == std::string_view::npos;
    if (!empty) closed += std::string(line) + '\n';
    if (empty && !blank) closed += '\n';
    blank = empty;
    at = end + 1;
  }
  return closed;
}

std::shared_ptr<const HostProgram> print(const HostProgram& asked, const gpu::DeviceInfo& info, gpu::Job& job) {
  auto program = std::make_shared<HostProgram>(asked);
  const auto rehearsal = lessons::rehearse(*asked.lesson, asked.values, asked.text, info, asked.program, &job);
  if (!rehearsal.problem.empty()) {
    program->cuda = program->numba = failure("no_program", rehearsal.problem);
    return program;
  }
  const bool whole = asked.program && !asked.program->left_out.empty();  // with a host's part of its own
  const std::string text = whole ? gpu::device_side(asked.text, headers_of(asked.program->left_out)).text : asked.text;
  program->cuda = lessons::host_code(whole ? without_gaps(text) : text, rehearsal.defines, rehearsal.calls);
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
