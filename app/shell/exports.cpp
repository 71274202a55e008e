#include "app/shell/exports.h"

#include <chrono>
#include <cmath>
#include <span>
#include <utility>

#include "app/panels/export_menu.h"
#include "app/panels/page.h"
#include "app/panels/page_figures.h"
#include "app/shell/canvas.h"
#include "app/shell/export_file.h"
#include "app/views/sweep.h"
#include "gpu/message.h"
#include "gpu/output_file.h"
#include "lessons/sweep.h"

namespace warpbook::app {
namespace {

namespace fs = std::filesystem;

constexpr float tallest_picture = 8000;  // CSS pixels

/// A program alone is a file; one with inputs or headers is a folder with all of them, so that no earlier program loses its own.
Result<fs::path> put_program(const lessons::HostCode& code, const std::string& name, const std::string& extension,
                             const fs::path& folder) {
  const bool alone = code.inputs.empty() && code.headers.empty();
  auto file = export_file(name, alone ? extension : std::string(), folder);
  if (!file) return file;
  const fs::path program = alone ? *file : *file / (name + extension);
  std::error_code problem;
  if (!alone) {
    if (!fs::create_directory(*file, problem))
      return failure("cannot_write", say("The folder {folder} cannot be made.", "folder"_a = file->string()));
  }
  if (auto done = write_file(program, code.text); !done) return failure(done.error());
  for (const lessons::InputFile& input : code.inputs) {
    if (auto done = write_file(program.parent_path() / input.name, *input.bytes); !done) return failure(done.error());
  }
  for (const gpu::Header& header : code.headers) {
    const fs::path beside = program.parent_path() / header.name;
    fs::create_directories(beside.parent_path(), problem);  // where that fails, so does writing
    if (auto done = write_file(beside, header.text); !done) return failure(done.error());
  }
  return program;
}

}  // namespace

float draw_page_sheet(Session& session, Actions& actions, float width) {
  Layout layout;
  layout.page = {{0, 0}, {width, ImGui::GetIO().DisplaySize.y}};
  draw_printed_page(session, actions, layout);
  return ImGui::GetCursorScreenPos().y;
}

float draw_view_sheet(Session& session, Actions& actions, const std::string& view, float width) {
  const float padding = px(theme().space.page_padding);
  return draw_page_figure(session, actions, view,
                          {.at = {padding, padding}, .width = width - 2 * padding, .stale = is_stale(session, session.lesson())}) +
         2 * padding;
}

void Exports::ask(Session& session, const Export& what) {
  if (busy()) return;
  lesson_ = session.open;
  if (what.kind == Export::Kind::sweep_csv || what.kind == Export::Kind::sweep_png) return ask_sweep(session, what.kind);
  LessonState& state = session.lesson();
  state.exported = {.words = say("Writing …"), .path = {}, .failed = false, .busy = true};
  if (what.kind == Export::Kind::csv) return ask_results(state);
  waiting_ = {.lesson = session.open, .what = what};
}

void Exports::ask_results(LessonState& state) {
  if (!state.shown) {
    state.exported = {.words = say("There are no results yet: run first."), .path = {}, .failed = true, .busy = false};
    return;
  }
  auto past = state.past;
  if (!past.empty() && !state.shown->live) past.pop_back();  // the one that is shown
  write(say("The results are written, a row a value."),
        [lesson = lesson_, shown = state.shown, past = std::move(past), beside = state.folder]() -> Result<fs::path> {
          auto file = export_file(lesson->id, ".csv", beside);
          if (!file) return file;
          if (auto done = write_file(*file, lessons::results_csv(*lesson, shown->values, *shown->outcome, past)); !done)
            return failure(done.error());
          return file;
        });
}

void Exports::ask_sweep(Session& session, Export::Kind kind) {
  const SweepState& state = session.lesson().sweep;
  if (!state.last) return;
  if (kind == Export::Kind::sweep_png) {  // it is drawn between two frames
    waiting_ = {.lesson = session.open, .what = {.kind = kind, .view = {}}, .sweep = state.last};
    return;
  }
  write_sweep(session, ".csv", [sweep = state.last](const fs::path& file) { return write_file(file, lessons::csv_of(*sweep)); });
}

void Exports::write_sweep(Session& session, const std::string& extension, std::function<Result<void>(const fs::path&)> writer) {
  const SweepState& state = session.lesson().sweep;
  std::string name = state.last->lesson->id + " " + state.chart.result + " over";
  for (const lessons::SweepAxis& axis : state.chart.axes) name += " " + axis.control;
  write(
      {},
      [name = std::move(name), extension, writer = std::move(writer), beside = session.lesson().folder]() -> Result<fs::path> {
        auto file = export_file(name, extension, beside);
        if (!file) return file;
        if (auto done = writer(*file); !done) return failure(done.error());
        return file;
      },
      true);
}

void Exports::write(std::string words, std::function<Result<fs::path>()> writer, bool sweep) {
  writing_ = std::async(std::launch::async, [lesson = lesson_, sweep, words = std::move(words), writer = std::move(writer)] {
    return Written{.lesson = lesson, .sweep = sweep, .words = words, .file = writer()};
  });
}

void Exports::poll(Session& session, HostPrograms& programs) {
  if (writing_.valid() && writing_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    const Written written = writing_.get();
    LessonState& state = session.lessons.at(written.lesson->id);
    std::string path = written.file ? written.file->string() : std::string();
    if (written.sweep) {
      state.sweep.export_failed = !written.file;
      state.sweep.exported = written.file ? std::move(path) : written.file.error().message;
    } else {
      state.exported = {.words = written.file ? written.words : written.file.error().message,
                        .path = std::move(path),
                        .failed = !written.file,
                        .busy = false};
    }
  }
  const bool program = waiting_ && (waiting_->what.kind == Export::Kind::cuda || waiting_->what.kind == Export::Kind::numba);
  if (program && waiting_->lesson != session.open) {  // another lesson was opened meanwhile
    session.lessons.at(waiting_->lesson->id).exported = {};
    waiting_.reset();
  }
  programs.want(program && waiting_);
  if (!program || !waiting_) return;
  LessonState& state = session.lesson();
  if (!state.host || !is_current(*state.host, session)) return;
  const bool numba = waiting_->what.kind == Export::Kind::numba;
  waiting_.reset();
  programs.want(false);
  std::string words = numba ? say("The program is written. Run it with python3; it needs Numba.")
                            : say("The program is written. Compile it with nvcc.");
  if (numba && state.edited()) words = say("The program is written, with the lesson's own kernel: your edit is in CUDA C++ alone.");
  write(std::move(words), [host = state.host, numba, id = session.open->id, beside = state.folder]() -> Result<fs::path> {
    const auto& code = numba ? host->numba : host->cuda;
    if (!code) return failure(code.error());
    return put_program(*code, id, numba ? ".py" : ".cu", beside);
  });
}

void Exports::draw_sweep_picture(Session& session) {
  const auto sweep = std::exchange(waiting_, std::nullopt)->sweep;
  const SweepState& state = session.lesson().sweep;
  if (state.last != sweep) return;  // another lesson is open by now
  Pixels pixels = draw_aside(static_cast<int>(px(sweep_sheet_width)), static_cast<int>(px(sweep_sheet_height)),
                             theme().background.page, [&] { draw_sweep_sheet(state.chart); });
  write_sweep(session, ".png", [pixels = std::move(pixels)](const fs::path& file) { return write_png(pixels, file); });
}

void Exports::draw_pictures(Session& session, Actions& actions) {
  if (waiting_ && waiting_->what.kind == Export::Kind::sweep_png) return draw_sweep_picture(session);
  if (!waiting_ || (waiting_->what.kind != Export::Kind::view && waiting_->what.kind != Export::Kind::page)) return;
  const Waiting wanted = *std::exchange(waiting_, std::nullopt);
  if (wanted.lesson != session.open) return;
  Session copy = session;  // what a picture's drawing does to it stays there
  copy.typing = {};
  copy.keys.clear();
  copy.lesson().exported = {};
  const UnnamedWidgets unnamed;
  const bool whole = wanted.what.kind == Export::Kind::page;
  const float width = std::round(px(picture_width));
  float height = std::round(px(tallest_picture));
  Pixels pixels;
  for (int pass = 0; pass < 2; ++pass) {  // the first one only measures
    float used = 0;
    pixels = draw_aside(static_cast<int>(width), static_cast<int>(height), theme().background.page, [&] {
      used = whole ? draw_page_sheet(copy, actions, width) : draw_view_sheet(copy, actions, wanted.what.view, width);
    });
    height = std::min(std::ceil(used), height);
  }
  const std::string name = wanted.lesson->id + (whole ? " page" : " " + view_words(wanted.what.view));
  write(say("The picture is written."), [pixels = std::move(pixels), name, beside = session.lesson().folder]() -> Result<fs::path> {
    auto file = export_file(name, ".png", beside);
    if (!file) return file;
    if (auto done = write_png(pixels, *file); !done) return failure(done.error());
    return file;
  });
}

}  // namespace warpbook::app
