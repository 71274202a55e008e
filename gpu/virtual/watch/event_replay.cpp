#include "gpu/virtual/watch/event_replay.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "gpu/virtual/watch/races.h"

namespace warpbook::gpu::watch {

// Of all recordings: some 8 MB of steps. Blocks in corners, at edges and in between differ, so that there are several recordings.
constexpr std::size_t most_steps = 1 << 14;
constexpr unsigned most_attempts = 64;

vm::Replay* EventReplay::replay_of(std::uint32_t block) {
  if (recorded_) accept_recorded();
  if (recordings_.empty() && stopped_recording_) return nullptr;
  last_block_ = block;
  last_ = &running_.of(block, [](Running&) {});
  last_->replay.next = recordings_.empty() ? nullptr : recordings_.front()->known.data();
  if (recordings_.empty()) begin_recording(*last_, nullptr, 0);
  return &last_->replay;
}

EventReplay::Running* EventReplay::find(std::uint32_t block) {
  if (last_ && last_block_ == block) return last_;
  last_block_ = block;
  return last_ = running_.find(block);
}

void EventReplay::on_step(const vm::Access& access) {
  Running* const running = find(access.warp.block);
  if (!running) return;
  if (running->replay.next) end_replay(*running, access.warp.block);
  if (running != recorded_block_) return;
  Step* const step = access.step ? new_step() : nullptr;
  if (!step) return end_recording();
  step->access = access;
  for (unsigned lane = 0; lane < step->address.size(); ++lane)
    step->address[lane] = access.mask >> lane & 1 ? access.address[lane] : 0;
  step->access.address = step->address.data();
  step->access.value = nullptr;
  step->access.words = nullptr;
  recording_->known.push_back({.inst = access.step,
                               .warp = access.warp.warp,
                               .mask = access.mask,
                               .address = access.same_in_blocks ? nullptr : step->address.data(),
                               .loads = {}});
}

void EventReplay::on_synchronise(const vm::Synchronisation& event) {
  Running* const running = find(event.warp.block);
  if (!running) return;
  if (running->replay.next && !event.known_step) end_replay(*running, event.warp.block);
  if (running != recorded_block_) return;
  Step* const step = event.step ? new_step() : nullptr;
  if (!step) return end_recording();
  step->barrier = true;
  if (init_) step->written = std::make_shared<const Uninitialised::Written>(init_->shared_of(event.warp.block));
  recording_->known.push_back({.inst = event.step, .loads = {}});
}

void EventReplay::after_barrier(std::uint32_t block, const vm::SharedLoads& wanted) {
  if (!recorded_block_ || find(block) != recorded_block_ || recording_->steps.empty() || !recording_->steps.back().barrier) return;
  const Step& barrier = recording_->steps.back();
  recording_->known.back().loads = {.any = wanted.any,
                                    .known = wanted.known && barrier.written ? barrier.written->words() : nullptr};
}

void EventReplay::on_block_end(std::uint32_t block) {
  if (recorded_block_ && find(block) == recorded_block_) end_recording();
  last_ = nullptr;
  running_.end(block);
}

/// The detectors are told what the block did since its last barrier, and everything from here on.
void EventReplay::end_replay(Running& running, std::uint32_t block) {
  const vm::ReplayStep* const at = std::exchange(running.replay.next, nullptr);
  const auto recording = std::ranges::find_if(recordings_, [&](const auto& candidate) {
    const auto& known = candidate->known;
    return !std::less<>()(at, known.data()) && std::less<>()(at, known.data() + known.size());
  });
  const auto before = static_cast<std::size_t>(at - (*recording)->known.data());
  std::vector<const Step*> since;
  const Step* barrier = nullptr;
  std::size_t n = before;
  for (const Recording* w = recording->get(); w && !barrier; n = w->steps_before, w = w->before)
    while (n && !barrier) {
      const Step& step = w->steps[--n];
      if (step.barrier)
        barrier = &step;
      else
        since.push_back(&step);
    }
  if (barrier && init_) init_->shared_of(block) = *barrier->written;
  for (; !since.empty(); since.pop_back()) {
    vm::Access access = since.back()->access;
    access.warp.block = block;
    ++findings_.moment;
    if (races_ && Races::needs(access)) races_->on_access(access, findings_.moment);
    if (init_) init_->on_access(access);
  }
  begin_recording(running, recording->get(), before);
}

void EventReplay::begin_recording(Running& running, Recording* before, std::size_t steps_before) {
  if (recording_ || recorded_ || stopped_recording_) return;
  stopped_recording_ = ++attempts_ == most_attempts;
  recording_ = std::make_unique<Recording>();
  recording_->before = before;
  recording_->steps_before = steps_before;
  recorded_block_ = &running;
}

/// nullptr: there are too many steps already.
EventReplay::Step* EventReplay::new_step() {
  if (steps_ == most_steps) {
    stopped_recording_ = true;
    return nullptr;
  }
  ++steps_;
  return &recording_->steps.emplace_back();
}

void EventReplay::end_recording() {
  recorded_block_ = nullptr;
  if (recording_->steps.empty()) {
    if (!recording_->before) stopped_recording_ = true;
    recording_.reset();
    return;
  }
  recording_->known.push_back({.loads = {}});
  recorded_ = std::move(recording_);
  if (races_) mark_ = races_->mark();
}

/// Other blocks may follow a recording once the detectors have examined it and found nothing.
void EventReplay::accept_recorded() {
  if (races_ && !races_->has_delivered(mark_)) return;
  std::unique_ptr<Recording> recording = std::move(recorded_);
  if (findings_.in_shared() || (races_ && races_->findings_in_shared())) {
    stopped_recording_ = true;
    return;
  }
  if (recording->before) {
    vm::ReplayStep& at = recording->before->known[recording->steps_before];
    recording->known.front().other = std::exchange(at.other, recording->known.data());
  }
  recordings_.push_back(std::move(recording));
}

}  // namespace warpbook::gpu::watch
