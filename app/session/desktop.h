// Desktop: asks the learner's desktop to open something: a folder in its file manager, an address in its browser.
//
//     DesktopAnswer answer = open_on_desktop("/home/me/Documents");
//     if (const std::string why = answer.problem(); !why.empty()) …     // a sentence; empty so far, or for good
//
// xdg-open does it, in a session of its own: it and what it starts may outlive the window. Nothing waits for it.
#pragma once

#include <atomic>
#include <memory>
#include <string>

namespace warpbook::app {

class DesktopAnswer {
 public:
  DesktopAnswer() = default;
  /// Something was asked for; whether it was opened is not known at once.
  [[nodiscard]] bool asked() const { return exit_code_ != nullptr; }
  /// Why it could not be opened, with what to do instead.
  [[nodiscard]] std::string problem() const;

 private:
  friend DesktopAnswer open_on_desktop(const std::string& what);
  std::string what_;
  std::shared_ptr<const std::atomic<int>> exit_code_;  // -1: it is still at it; empty: nothing was asked
};

/// `what`: an absolute path, or an address.
[[nodiscard]] DesktopAnswer open_on_desktop(const std::string& what);

}  // namespace warpbook::app
