#include "gpu/virtual/watch/courses.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "gpu/virtual/watch/races.h"

namespace warpbook::gpu::watch {

// In all ways: some 8 MB of steps; corners, edges and what else differs.
constexpr std::size_t most_steps = 1 << 14;
constexpr unsigned most_tries = 64;

vm::Course* Courses::course_of(std::uint32_t block) {
  if (noted_) settle();
  if (ways_.empty() && no_more_) return nullptr;
  last_block_ = block;
  last_ = &running_.of(block, [](Running&) {});
  last_->course.next = ways_.empty() ? nullptr : ways_.front()->known.data();
  if (ways_.empty()) begin_noting(*last_, nullptr, 0);
  return &last_->course;
}

Courses::Running* Courses::find(std::uint32_t block) {
  if (last_ && last_block_ == block) return last_;
  last_block_ = block;
  return last_ = running_.find(block);
}

void Courses::hear_step(const vm::Access& access) {
  Running* const running = find(access.warp.block);
  if (!running) return;
  if (running->course.next) leave(*running, access.warp.block);
  if (running != noted_running_) return;
  Step* const step = access.step ? new_step() : nullptr;
  if (!step) return end_noting();
  step->access = access;
  for (unsigned lane = 0; lane < step->address.size(); ++lane)
    step->address[lane] = access.mask >> lane & 1 ? access.address[lane] : 0;
  step->access.address = step->address.data();
  step->access.value = nullptr;
  step->access.words = nullptr;
  noting_->known.push_back({.inst = access.step,
                            .warp = access.warp.warp,
                            .mask = access.mask,
                            .address = access.same_in_blocks ? nullptr : step->address.data(),
                            .loads = {}});
}

void Courses::hear(const vm::Synchronisation& event) {
  Running* const running = find(event.warp.block);
  if (!running) return;
  if (running->course.next && !event.known_step) leave(*running, event.warp.block);
  if (running != noted_running_) return;
  Step* const step = event.step ? new_step() : nullptr;
  if (!step) return end_noting();
  step->barrier = true;
  if (init_) step->written = std::make_shared<const Uninitialised::Written>(init_->shared_of(event.warp.block));
  noting_->known.push_back({.inst = event.step, .loads = {}});
}

void Courses::note(std::uint32_t block, const vm::SharedLoads& wanted) {
  if (!noted_running_ || find(block) != noted_running_ || noting_->steps.empty() || !noting_->steps.back().barrier) return;
  const Step& barrier = noting_->steps.back();
  noting_->known.back().loads = {.any = wanted.any, .known = wanted.known && barrier.written ? barrier.written->words() : nullptr};
}

void Courses::on_block_end(std::uint32_t block) {
  if (noted_running_ && find(block) == noted_running_) end_noting();
  last_ = nullptr;
  running_.end(block);
}

/// All is told from here on, and what it did since its last barrier.
void Courses::leave(Running& running, std::uint32_t block) {
  const vm::SharedStep* const at = std::exchange(running.course.next, nullptr);
  const auto way = std::ranges::find_if(ways_, [&](const auto& candidate) {
    const auto& known = candidate->known;
    return !std::less<>()(at, known.data()) && std::less<>()(at, known.data() + known.size());
  });
  const auto before = static_cast<std::size_t>(at - (*way)->known.data());
  std::vector<const Step*> since;
  const Step* barrier = nullptr;
  std::size_t n = before;
  for (const Way* w = way->get(); w && !barrier; n = w->steps_before, w = w->before)
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
    if (races_ && Races::cares(access)) races_->on_access(access, findings_.moment);
    if (init_) init_->on_access(access);
  }
  begin_noting(running, way->get(), before);
}

void Courses::begin_noting(Running& running, Way* before, std::size_t steps_before) {
  if (noting_ || noted_ || no_more_) return;
  no_more_ = ++tries_ == most_tries;
  noting_ = std::make_unique<Way>();
  noting_->before = before;
  noting_->steps_before = steps_before;
  noted_running_ = &running;
}

/// nullptr: there are enough.
Courses::Step* Courses::new_step() {
  if (steps_ == most_steps) {
    no_more_ = true;
    return nullptr;
  }
  ++steps_;
  return &noting_->steps.emplace_back();
}

void Courses::end_noting() {
  noted_running_ = nullptr;
  if (noting_->steps.empty()) {
    if (!noting_->before) no_more_ = true;
    noting_.reset();
    return;
  }
  noting_->known.push_back({.loads = {}});
  noted_ = std::move(noting_);
  if (races_) mark_ = races_->mark();
}

/// Others may take a way once it was looked at and nothing found.
void Courses::settle() {
  if (races_ && !races_->has_told(mark_)) return;
  std::unique_ptr<Way> way = std::move(noted_);
  if (findings_.in_shared() || (races_ && races_->findings_in_shared())) {
    no_more_ = true;
    return;
  }
  if (way->before) {
    vm::SharedStep& at = way->before->known[way->steps_before];
    way->known.front().other = std::exchange(at.other, way->known.data());
  }
  ways_.push_back(std::move(way));
}

}  // namespace warpbook::gpu::watch
