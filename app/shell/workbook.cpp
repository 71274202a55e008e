#include "app/shell/workbook.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "app/session/earlier_texts.h"
#include "app/session/folder_listing.h"
#include "app/session/prediction.h"
#include "app/ui/theme.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/language.h"
#include "gpu/message.h"
#include "gpu/output_file.h"
#include "gpu/virtual/profiles.h"
#include "lessons/catalog.h"
#include "lessons/kept_file.h"
#include "lessons/programs.h"

namespace warpbook::app {
namespace {

constexpr double typing_pause = 0.15;   // seconds without a key before the compiler is asked
constexpr double while_writing = 0.05;  // seconds between looks whether a file is written

constexpr std::uintmax_t largest_source = 1 << 20;  // bytes

bool is_source(const std::filesystem::path& path) {
  const auto extension = path.extension();
  return extension == ".cu" || extension == ".cuh" || extension == ".cpp" || extension == ".h" || extension == ".ptx";
}

Result<std::string> read_source(const std::string& path) {
  const auto wrong = [&](std::string why) { return failure("bad_file", std::move(why)); };
  const auto file = "file"_a = path;
  if (path.ends_with(".ptx")) return wrong(say("{file} is PTX, and the editor is for CUDA C++. `warpbook launch` runs PTX.", file));
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none))
    return wrong(say("{file} is not a file. Check the path, or drop the file on the window.", file));
  if (std::filesystem::file_size(path, none) > largest_source)
    return wrong(say("{file} is larger than 1 MiB, which is more than a kernel's source.", file));
  auto text = lessons::read_kept(path, largest_source);  // which waits for nothing, whatever the file has become
  if (!text || !*text) return wrong(say("{file} cannot be read. Check its permissions.", file));
  if ((*text)->find('\0') != std::string::npos) return wrong(say("{file} is no text.", file));
  return std::move(**text);
}

/// Whose the problem is, as a title: "NVIDIA H200 cannot be used".
std::string title_of(const DeviceKey& key, const NvidiaGpus& gpus) {
  if (!key.gpu) return say("The virtual GPU cannot be made");
  const auto number = static_cast<std::size_t>(*key.gpu);
  return number < gpus.found.size() ? say("{gpu} cannot be used", "gpu"_a = gpus.found[number].name)
                                    : std::string(say("The GPU cannot be used"));
}

}  // namespace

Workbook::Workbook(Session& session, Runner::Options options, std::filesystem::path keep_in)
    : session_(session),
      autosave_(std::move(keep_in)),
      host_programs_(options.wake),
      program_run_(options.wake),
      runner_(std::move(options)) {
  autosave_.restore(session_);
  autosave_.survey(session_);
  for (const gpu::Profile& profile : gpu::profiles()) session_.profiles.emplace_back(profile.name);
  compile_at_ = 0;
  if (!autosave_.folder().empty()) session_.kept_in = autosave_.folder().string();
  session_.other_windows = autosave_.of_other_windows();
  make_again();
}

Runner::Request Workbook::request() const {
  const LessonState& state = session_.lesson();
  return {.lesson = session_.open, .values = state.values, .text = state.text.str(), .folder = state.folder};
}

bool Workbook::quick() const {
  const LessonState& state = session_.lesson();
  const bool sweeping = session_.activity.kind == Activity::Kind::sweeping;  // which a run would end
  return session_.rerun && !sweeping && !automatic_run_waits(session_) && state.shown && !state.shown->live &&
         state.shown->seconds < session_.quick_run;
}

void Workbook::poll(double now) {
  now_ = now;
  Runner::News news = runner_.news();
  session_.activity = news.activity;
  if (news.problem) {
    session_.device_problem = {
        .title = title_of(news.problem->key, session_.gpus), .error = std::move(news.problem->error), .restart_with = {}};
    if (news.problem->key.gpu) {
      session_.device_problem.error.message += " ";
      session_.device_problem.error.message += say("The virtual GPU has taken over.");
    }
    const bool helps = session_.device_problem.error.code == "device_lost" || gpu::kernel_left_behind();
    if (helps && !autosave_.folder().empty()) session_.device_problem.restart_with = news.problem->key.gpu;
  }
  if (news.device) {
    session_.device = news.device->info.name;
    session_.device_info = std::move(news.device->info);
    session_.chosen = news.device->key;
  }
  if (news.result) show(session_, news.result);
  if (pause_when_shown_ && news.result && news.result->live) {
    pause_when_shown_ = false;
    runner_.pause();
  }
  if (news.inside) show(session_, news.inside);
  if (news.steps) show(session_, news.steps);
  if (news.sweep) show(session_, news.sweep);
  if (news.compiled && news.compiled->lesson != nullptr) {
    show(session_, news.compiled);
    const bool current = news.compiled->lesson == session_.open && news.compiled->text == session_.lesson().text.str();
    if (current && news.compiled->program && run_when_compiled_) {
      run_when_compiled_ = false;
      run();
    }
  }
  if (compile_at_ && now >= *compile_at_) {
    compile_at_.reset();
    runner_.compile(request());
  }
  if (const auto ended = program_run_.poll(session_.program)) {
    session_.program.problem = ended->problem;
    if (!ended->record.empty()) open_record(ended->record);
  }
  exports_.poll(session_, host_programs_);
  animations_.poll(session_);
  host_programs_.poll(session_);
  autosave_.poll(session_, now);
  page_watch_.poll(session_, now);
}

void Workbook::drawn() {
  runner_.shown();
  exports_.draw_pictures(session_, *this);
  animations_.drawn(session_, *this, now_);
}

std::optional<double> Workbook::wait() const {
  std::optional<double> next = autosave_.wait(now_);
  const auto sooner = [&](double seconds) { next = next ? std::min(*next, seconds) : seconds; };
  if (const auto look = page_watch_.wait(now_)) sooner(*look);
  if (compile_at_) sooner(std::max(*compile_at_ - now_, 0.0));
  if (exports_.busy() || animations_.busy()) sooner(while_writing);
  return next;
}

bool Workbook::animating() const { return session_.activity.kind != Activity::Kind::idle || program_run_.running(); }

void Workbook::close() {
  session_.restart_with.reset();
  close_when_kept();
}

void Workbook::restart_with_gpu(int gpu) {
  session_.restart_with = gpu;
  close_when_kept();
}

void Workbook::close_when_kept() {
  autosave_.write(session_);
  session_.close = session_.not_kept.empty();
  if (session_.close) return;
  session_.presenting = false;
  session_.tour.reset();  // its callouts would lie over the question
  open_overlay(session_, Overlay::closing);
}

void Workbook::open(const lessons::Lesson& lesson) {
  if (session_.activity.kind == Activity::Kind::live)
    runner_.pause();
  else
    runner_.cancel();
  autosave_.write(session_);
  const bool fresh = !session_.lessons.contains(lesson.id);
  open_lesson(session_, lesson);
  if (fresh) autosave_.restore(session_);
  run_when_compiled_ = pause_when_shown_ = false;
  if (!session_.lesson().compiled) compile_at_ = now_;
  if (fresh) make_again();
}

void Workbook::run() {
  pause_when_shown_ = false;
  if (shows_program(session_) && !has_launches(session_)) return run_program(session_.program.line);
  const LessonState& state = session_.lesson();
  const bool compiling = !state.compiled || state.compiled->text != state.text.str();
  run_when_compiled_ = state.just_opened && compiling;  // not before the file's own launch is known
  if (run_when_compiled_) return;
  if (session_.open->live) {
    session_.activity.kind = Activity::Kind::live;
    runner_.start_live(request());
  } else {
    session_.activity.kind = Activity::Kind::running;
    runner_.run(request());
  }
}

void Workbook::make_again() {
  const LessonState& state = session_.lesson();
  if (!state.ran_ever || !state.ran_quickly || state.latest || !session_.rerun || automatic_run_waits(session_)) return;
  compile_at_.reset();  // a run compiles, too
  run();
  pause_when_shown_ = session_.open->live != nullptr;
}

void Workbook::pause() { runner_.pause(); }

void Workbook::cancel() { runner_.cancel(); }

void Workbook::start_again() {
  runner_.cancel();
  run();
}

void Workbook::set_values(const lessons::Values& values) {
  LessonState& state = session_.lesson();
  const auto before = lessons::macros_of(*session_.open, state.values);
  state.values = values;
  state.note_change();
  if (session_.activity.kind == Activity::Kind::live) {
    runner_.change_live(values);
  } else if (quick()) {
    run();
  } else if (lessons::macros_of(*session_.open, values) != before) {
    compile_at_ = now_ + typing_pause;
  }
}

void Workbook::text_changed() {
  session_.lesson().note_change();
  compile_at_ = now_ + typing_pause;
  run_when_compiled_ = session_.activity.kind == Activity::Kind::live || quick();
}

void Workbook::open_record(const std::filesystem::path& file) {
  if (!shows_program(session_)) open(lessons::programs());
  runner_.cancel();
  take_record(session_, file);
  compile_at_ = now_;
  const auto opened = lessons::record_of(session_.lesson().values);
  if (!opened.record) session_.program.problem = opened.why_not.message;
  if (opened.record && !opened.record->launches.empty()) run();
}

void Workbook::run_program(const std::string& line) {
  if (!shows_program(session_)) open(lessons::programs());
  session_.program.line = line;
  session_.program.problem.clear();
  auto words = words_of(line);
  if (words && words->empty()) words = failure("usage", say("Type a program first, such as ./heat 64."));
  if (!words) {
    session_.program.problem = words.error().message;
    return;
  }
  words->front() = at_home(words->front());
  session_.program.output.clear();
  session_.program.running = true;
  program_run_.start(std::move(*words), session_.program.observe);
}

void Workbook::choose_launch(int number) {
  app::choose_launch(session_, number);
  session_.lesson().note_change();
  compile_at_ = now_;
  run();
}

void Workbook::open_file(const std::string& path) {
  const std::string wanted = at_home(path);
  if (gpu::is_record(wanted)) {
    session_.program.problem.clear();
    std::error_code unknown;
    return open_record(std::filesystem::absolute(wanted, unknown));
  }
  session_.brought.path = path;
  session_.brought.problem.clear();
  const lessons::Lesson* const playground = lessons::find_lesson("playground");
  if (session_.open != playground) open(*playground);
  const std::string file = at_home(path);
  auto text = read_source(file);
  if (!text) {
    session_.brought.problem = text.error().message;
    return;
  }
  std::error_code unknown;
  LessonState& state = session_.lesson();
  set_earlier(state);
  state.folder = std::filesystem::absolute(file, unknown).parent_path();
  state.text.select_all();
  state.text.insert(*text);  // an edit like any other: it can be undone
  state.opened = state.text.str();
  const auto texts = state.values.texts();
  for (const auto& [id, words] : texts) state.values.set_text(id, "");  // the inputs of the file before
  state.just_opened = true;
  text_changed();
}

void Workbook::drop(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (is_source(path) || gpu::is_record(path)) {
      open_file(path);
    } else {
      const lessons::Lesson* const playground = lessons::find_lesson("playground");
      if (session_.open != playground) open(*playground);
      session_.brought.data = path;
    }
  }
}

void Workbook::choose_device(const DeviceKey& key) {
  const bool was_live = session_.activity.kind == Activity::Kind::live;
  session_.chosen = key;
  session_.device.clear();
  session_.device_problem = {};
  session_.lesson().changed_since_run = true;
  runner_.choose_device(key);
  if (was_live || quick()) run();
}

void Workbook::look_inside() {
  session_.activity.kind = Activity::Kind::looking;
  runner_.look_inside(session_.lesson().latest);
}

void Workbook::record() {
  session_.activity.kind = Activity::Kind::recording;
  runner_.record(request());
}

void Workbook::sweep(lessons::SweepPlan plan) {
  run_when_compiled_ = false;
  session_.lesson().sweep.exported.clear();
  session_.activity.kind = Activity::Kind::sweeping;
  runner_.sweep(std::move(plan));
}

void Workbook::export_as(const Export& what) {
  const bool of_sweep = what.kind == Export::Kind::sweep_csv || what.kind == Export::Kind::sweep_png;
  if (exports_.busy() || (animations_.busy() && !of_sweep)) return;
  if (what.kind == Export::Kind::field || what.kind == Export::Kind::steps)
    animations_.ask(session_, what);
  else
    exports_.ask(session_, what);
}

void Workbook::draw_heat(double x, double y, double radius) { runner_.draw_heat(x, y, radius); }

void Workbook::set_appearance(Appearance appearance) {
  session_.appearance = appearance;
  switch_appearance(appearance);
}

void Workbook::set_compiler(gpu::CompilerChoice compiler) {
  if (session_.compiler == compiler) return;
  session_.compiler = compiler;
  gpu::prefer_compiler(compiler);
  text_changed();  // what was compiled before is another compiler's
}

void Workbook::set_language(const std::string& code) {
  if (speak(code, session_.languages)) session_.language = code;
}

}  // namespace warpbook::app
