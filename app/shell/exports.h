// Exports: writes what the learner asks for into files: programs, tables, pictures (export_file.h says where).
//
//     exports.ask(session, {.kind = Export::Kind::csv});
//     exports.poll(session, host_programs);         // each frame
//     exports.draw_pictures(session, actions);      // between two frames: pictures are drawn with the window's OpenGL
//
// Files are written on a thread of their own. LessonState::exported says where a file is, or why it could not be written; for a
// sweep LessonState::sweep does. Animations are written by animations.h.
#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include "app/session/session.h"
#include "app/worker/host_programs.h"

namespace warpbook::app {

class Exports {
 public:
  void ask(Session& session, const Export& what);
  void poll(Session& session, HostPrograms& programs);
  void draw_pictures(Session& session, Actions& actions);
  [[nodiscard]] bool busy() const { return waiting_.has_value() || writing_.valid(); }

 private:
  struct Waiting {
    const lessons::Lesson* lesson = nullptr;
    Export what;
    std::shared_ptr<const lessons::Sweep> sweep = {};  // sweep_png: of this one
  };
  struct Written {
    const lessons::Lesson* lesson = nullptr;
    bool sweep = false;  // LessonState::sweep says so, not LessonState::exported
    std::string words;
    Result<std::filesystem::path> file;
  };
  void ask_sweep(Session& session, Export::Kind kind);
  void ask_results(LessonState& state);
  void write_sweep(Session& session, const std::string& extension,
                   std::function<Result<void>(const std::filesystem::path&)> writer);
  void draw_sweep_picture(Session& session);
  void write(std::string words, std::function<Result<std::filesystem::path>()> writer, bool sweep = false);

  std::optional<Waiting> waiting_;  // for a program to be printed, or a frame to be over
  const lessons::Lesson* lesson_ = nullptr;
  std::future<Written> writing_;
};

/// Draw a page, or one of its views, at the origin of the current ImGui window, `width` screen pixels wide. Return the height.
float draw_page_sheet(Session& session, Actions& actions, float width);
float draw_view_sheet(Session& session, Actions& actions, const std::string& view, float width);
inline constexpr float picture_width = 752;  // CSS pixels: as wide as the page

}  // namespace warpbook::app
