// PageWatch: an author's hand on the text. While the open lesson's page or the glossary is edited, the window shows what is saved
// within a second, where the reader stands.
//
//     watch.poll(session, now);      // looks at two files' times, once a second at most
//
// Only files that this user may write are looked at: where nobody can edit, nothing is polled. The drawing thread's.
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
