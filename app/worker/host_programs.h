// HostPrograms: prints the host's program for the open lesson whenever controls, text or device have changed, and puts it into the
// session. It does so on a thread of its own, because printing repeats what the host does before the launch, and that may fill
// large arrays (lessons/dry_run.h).
//
//     HostPrograms programs([] { glfwPostEmptyEvent(); });     // called when a program is ready
//     programs.poll(session);                                  // each frame, on the thread that draws
//
// It works only while a tab shows the program, or after want(true). When the controls change again, the job under way is cancelled.
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
  void want(bool wanted) { wanted_ = wanted; }  // print it even if no tab shows it

 private:
  std::function<void()> wake_;
  bool wanted_ = false;
  std::shared_ptr<HostProgram> asked_;  // of the job under way: what it is made from
  std::shared_ptr<gpu::Job> job_;
  std::future<std::shared_ptr<const HostProgram>> coming_;
};

}  // namespace warpbook::app
