#include "lessons/03_when_it_fails/runtime.h"

#include <algorithm>
#include <utility>

namespace warpbook::lessons {
namespace {

constexpr const char* success = "cudaSuccess";

}  // namespace

bool refused(const gpu::LaunchReport& report) { return !report.ok() && report.thread_instructions == 0 && !report.stopped; }

std::optional<double> Runtime::failed_at() const {
  if (!failing_) return std::nullopt;
  return failing_->at;
}

Runtime::Answered& Runtime::begin(std::string text) {
  calls_.push_back({.text = std::move(text), .begin = now_, .end = now_});
  return calls_.back();
}

void Runtime::notice() {
  if (failing_ && failing_->at <= now_ && stays_.empty()) stays_ = failing_->status;
}

bool Runtime::ends_at_once(Answered& call) {
  notice();
  if (stays_.empty()) return false;
  now_ += lookup_us;
  done(call, stays_);
  return true;
}

void Runtime::wait(Answered& call) {
  now_ += lookup_us;
  if (device_free_ > now_) {
    call.wait_begin = now_;
    call.wait_end = now_ = device_free_;
  }
  notice();
}

void Runtime::done(Answered& call, std::string answer) {
  call.end = now_;
  if (answer != success) last_ = answer;
  call.answer = std::move(answer);
}

void Runtime::call(std::string text, const HostCall& recorded) {
  Answered& call = begin(std::move(text));
  if (ends_at_once(call)) return;
  now_ += recorded.end - recorded.begin;
  if (recorded.kind == HostCall::Kind::copy_to_device) {
    call.device_end = now_;
    call.device_begin = now_ - (recorded.device_end - recorded.device_begin);
    device_free_ = std::max(device_free_, now_);
  }
  done(call, success);
}

void Runtime::launch(std::string text, const HostCall& recorded, const gpu::LaunchReport& report) {
  Answered& call = begin(std::move(text));
  if (ends_at_once(call)) {
    call.answer.clear();  // <<< >>> never returns an error
    return;
  }
  now_ += recorded.end - recorded.begin;
  if (refused(report)) {
    call.made = true;
    done(call, report.status);
    call.answer.clear();
    return;
  }
  call.end = now_;
  call.kernel = recorded.what;
  // A queued kernel begins after the previous one. After a failed one, it never begins.
  if (failing_) return;
  call.device_begin = std::max(call.begin + (recorded.end - recorded.begin) / launch_share_of_host, device_free_);
  call.device_end = device_free_ = call.device_begin + (recorded.device_end - recorded.device_begin);
  if (report.ok()) return;
  call.made = true;
  failing_ = Failing{report.status, call.device_end};
}

void Runtime::get_last_error() {
  Answered& call = begin("cudaGetLastError()");
  call.asks = true;
  now_ += lookup_us;
  call.end = now_;
  call.answer = stays_.empty() ? std::exchange(last_, success) : stays_;
}

void Runtime::synchronize() {
  Answered& call = begin("cudaDeviceSynchronize()");
  call.asks = true;
  if (ends_at_once(call)) return;
  wait(call);
  done(call, stays_.empty() ? success : stays_);
}

void Runtime::copy_back(std::string text, const HostCall& recorded) {
  Answered& call = begin(std::move(text));
  if (ends_at_once(call)) return;
  wait(call);
  if (stays_.empty()) {
    call.device_begin = now_;
    call.device_end = device_free_ = now_ += recorded.device_end - recorded.device_begin;
  }
  done(call, stays_.empty() ? success : stays_);
}

void Runtime::free(std::string text) {
  Answered& call = begin(std::move(text));
  if (ends_at_once(call)) return;
  wait(call);  // cudaFree waits for the device
  done(call, stays_.empty() ? success : stays_);
}

}  // namespace warpbook::lessons
