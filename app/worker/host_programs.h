// HostPrograms: keeps the open lesson's host program (session.h) that of what is on screen, on a thread of its own: a rehearsal
// makes the experiment's inputs, and those may be many.
//
//     HostPrograms programs([] { glfwPostEmptyEvent(); });
//     programs.poll(session);                            // each frame; the drawing thread's
//
// Works only while a tab shows it or want() asked for it. The latest controls win: a rehearsal of others is cancelled.
#pragma once

#include <functional>
#include <future>
#include <memory>

#include "app/session/session.h"

namespace warpbook::app {

class HostPrograms {
 public:
  explicit HostPrograms(std::function<void()> wake) : wake_(std::move(wake)) {}
  ~HostPrograms();
  HostPrograms(const HostPrograms&) = delete;
  HostPrograms& operator=(const HostPrograms&) = delete;

  void poll(Session& session);
  void want(bool wanted) { wanted_ = wanted; }  // also while no tab shows it

 private:
  std::function<void()> wake_;
  bool wanted_ = false;
  std::shared_ptr<HostProgram> asked_;  // of the rehearsal under way: what it is of
  std::shared_ptr<gpu::Job> job_;
  std::future<std::shared_ptr<const HostProgram>> coming_;
};

}  // namespace warpbook::app
