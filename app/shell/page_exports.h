// PageExports: what the page's Export writes: programs, tables, pictures, each into a file of its own (exports.h).
//
//     exports.ask(session, {.kind = Export::Kind::csv});
//     exports.poll(session, host_programs);         // each frame
//     exports.draw_pictures(session, actions);      // between two frames: pictures are drawn with the window's OpenGL
//
// Files are written on a thread of its own. Where they went, or why not, stands in LessonState::exported.
#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <string>

#include "app/session/session.h"
#include "app/worker/host_programs.h"

namespace warpbook::app {

class PageExports {
 public:
  void ask(Session& session, const Export& what);
  void poll(Session& session, HostPrograms& programs);
  void draw_pictures(Session& session, Actions& actions);
  [[nodiscard]] bool busy() const { return waiting_.has_value() || writing_.valid(); }

 private:
  struct Waiting {
    const lessons::Lesson* lesson = nullptr;
    Export what;
  };
  struct Written {
    const lessons::Lesson* lesson = nullptr;
    std::string words;
    Result<std::filesystem::path> file;
  };
  void write(std::string words, std::function<Result<std::filesystem::path>()> writer);

  std::optional<Waiting> waiting_;  // for a program to be printed, or a frame to be over
  const lessons::Lesson* lesson_ = nullptr;
  std::future<Written> writing_;
};

/// Sheets for pictures: drawn at the origin of the current ImGui window, `width` screen pixels wide; the height they took.
float draw_page_sheet(Session& session, Actions& actions, float width);
float draw_view_sheet(Session& session, Actions& actions, const std::string& view, float width);
inline constexpr float picture_width = 752;  // CSS pixels: the page's

}  // namespace warpbook::app
