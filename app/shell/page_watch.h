// PageWatch: while an author edits the open lesson's page or the glossary, the window shows within a second what was saved, and the
// page stays scrolled where it is.
//
//     watch.poll(session, now);      // looks at two files' times, once a second at most
//
// It looks only at files that this user may write: where nobody can edit them, it does nothing. Used on the thread that draws.
#pragma once

#include <filesystem>
#include <map>
#include <optional>

#include "app/session/session.h"

namespace warpbook::app {

class PageWatch {
 public:
  void poll(Session& session, double now);  // seconds
  /// Seconds until poll() looks again; empty: there is nothing to look at.
  [[nodiscard]] std::optional<double> wait(double now) const;

 private:
  [[nodiscard]] bool changed(const std::filesystem::path& file);

  std::map<std::filesystem::path, std::filesystem::file_time_type> seen_;
  double next_look_ = 0;
  bool editable_ = false;
};

}  // namespace warpbook::app
