#include "app/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/session/prediction.h"
#include "gpu/message.h"
#include "lessons/arguments/array_file.h"
#include "lessons/catalog.h"
#include "lessons/exercise.h"
#include "lessons/playground.h"

namespace warpbook::app {
namespace {

constexpr std::size_t most_past_runs = 1000;

Result<std::shared_ptr<const PageImage>> read_image(const std::filesystem::path& file) {
  auto shape = lessons::shape_of_file(file);
  if (!shape) return failure(shape.error());
  shape->push_back(4);
  auto pixels = lessons::read_array_file(file, gpu::ScalarType::uint8, *shape);
  if (!pixels) return failure(pixels.error());
  return std::make_shared<const PageImage>(PageImage{.width = static_cast<std::uint32_t>((*shape)[1]),
                                                     .height = static_cast<std::uint32_t>((*shape)[0]),
                                                     .rgba = std::move(*pixels)});
}

Result<std::map<std::string, std::shared_ptr<const PageImage>>> read_images(const lessons::Page& page,
                                                                            const lessons::Lesson& lesson) {
  std::map<std::string, std::shared_ptr<const PageImage>> images;
  for (const lessons::Block& block : page.blocks) {
    if (block.kind != lessons::Block::Kind::image) continue;
    auto image = read_image(lessons::page_file(lesson).parent_path() / block.name);
    if (!image) return failure(image.error());
    images[block.name] = std::move(*image);
  }
  return images;
}

/// The launch that the file asks for, unless the learner has set another; of a file that was just opened in any case.
void take_launch(const Compiled& compiled, LessonState& state) {
  const lessons::LaunchShape untouched = lessons::shape_in(lessons::Values::defaults(compiled.lesson->controls));
  if (std::exchange(state.just_opened, false) || (!state.program && lessons::shape_in(state.values) == untouched))
    lessons::take_launch(*compiled.program, state.values);
  else if (state.program)
    lessons::follow_program(*state.program, *compiled.program, state.values);
}

/// An exercise whose cases all pass.
bool passes(const Snapshot& snapshot) {
  if (snapshot.lesson->exercise == nullptr) return false;
  double passed = 0, cases = 0;
  for (const lessons::Number& number : snapshot.outcome->numbers) {
    if (number.name == "passed") passed = number.value;
    if (number.name == "cases") cases = number.value;
  }
  return passed == cases;
}

}  // namespace

void open_lesson(Session& session, const lessons::Lesson& lesson) {
  session.open = &lesson;
  session.hover.reset();
  session.typing = {};
  const auto [it, fresh] = session.lessons.try_emplace(lesson.id);
  if (!fresh) return;
  LessonState& state = it->second;
  state.values = lessons::Values::defaults(lesson.controls);
  state.editor_macros = lessons::macros_of(lesson, state.values);
  if (auto text = lessons::kernel_text(lesson)) {
    state.shipped = *text;
    state.text.assign(*text);
  } else {
    state.page_problem = text.error().message;
  }
  if (lesson.exercise != nullptr) {
    if (const auto solution = lessons::read_text(solution_file(*lesson.exercise)))
      state.solution.text.assign(*solution);
    else
      state.page_problem = solution.error().message;
    if (lesson.exercise->kind == lessons::ExerciseKind::choose) {
      const auto given = lessons::read_text(lesson.exercise->folder / "kernel.cu");
      if (given) state.given.text.assign(*given);
      if (!given) state.page_problem = given.error().message;
    }
  }
  const std::string no_kernel = std::exchange(state.page_problem, {});
  read_page(session);
  if (!no_kernel.empty()) state.page_problem = no_kernel;
}

void read_page(Session& session) {
  LessonState& state = session.lesson();
  const auto markdown = lessons::page_text(*session.open);
  auto page = markdown ? lessons::parse_page(*markdown, *session.open) : Result<lessons::Page>(failure(markdown.error()));
  auto images = page ? read_images(*page, *session.open) : failure(page.error());
  state.page_problem = images ? std::string() : images.error().message;
  if (!images) return;
  state.images = std::move(*images);
  state.page = std::move(*page);
  state.places = {};
  lessons::mark_terms(state.page, session.glossary.all);
}

void read_glossary(Session& session) {
  const auto words = lessons::read_text(lessons::glossary_file());
  auto glossary = words ? lessons::parse_glossary(*words) : Result<lessons::Glossary>(failure(words.error()));
  session.glossary.problem = glossary ? std::string() : glossary.error().message;
  if (glossary) session.glossary.all = std::move(*glossary);
}

lessons::Done LessonState::done(const std::set<std::string>& passed) const {
  const bool predicted = std::all_of(page.blocks.begin(), page.blocks.end(), [&](const lessons::Block& block) {
    if (!block.asks()) return true;
    const auto guess = guesses.find(block.name);
    return guess != guesses.end() && (!guess->second.answers.empty() || guess->second.skipped);
  });
  return {
      .predicted = predicted, .ran = ran_ever, .looked = looked_ever, .changed = changed_ever, .made = lessons::made(page, passed)};
}

std::vector<lessons::StageDone> stages_of(const Session& session, const lessons::Lesson& lesson) {
  if (const auto open = session.lessons.find(lesson.id); open != session.lessons.end())
    return lessons::stages_of(open->second.page, open->second.done(session.passed));
  const auto kept = session.stages.find(lesson.id);
  return kept == session.stages.end() ? std::vector<lessons::StageDone>() : kept->second;
}

bool has_missed(const Session& session, const lessons::Lesson& lesson) {
  const auto open = session.lessons.find(lesson.id);
  if (open == session.lessons.end()) return session.missed.contains(lesson.id);
  const LessonState& state = open->second;
  return std::any_of(state.page.blocks.begin(), state.page.blocks.end(), [&](const lessons::Block& block) {
    const auto guess = state.guesses.find(block.name);
    return block.asks() && guess != state.guesses.end() && lessons::is_missed(block, guess->second.answers);
  });
}

LessonsDone lessons_done(const Session& session) {
  LessonsDone all;
  for (const lessons::Lesson* lesson : lessons::all_lessons()) {
    if (!lessons::counts(*lesson)) continue;
    ++all.of;
    if (lessons::all_done(stages_of(session, *lesson))) ++all.done;
  }
  return all;
}

void open_overlay(Session& session, Overlay overlay) {
  session.overlay = overlay;
  session.overlay_fresh = true;
  session.typing = {};
}

bool LessonState::failed() const { return latest && latest != shown && !(latest->error && latest->error->code == "compile_error"); }

const lessons::Outcome* LessonState::observed() const {
  if (inside && inside->here->outcome) return &*inside->here->outcome;
  return reported ? &*reported->outcome : nullptr;
}

void LessonState::note_change() {
  changed_since_run = !shown || shown->values != values || shown->text != text.str();
  changed_ever = changed_ever || (shown && changed_since_run);
}

Session make_session(const lessons::Lesson& lesson, Appearance appearance) {
  Session session;
  session.appearance = appearance;
  read_glossary(session);
  open_lesson(session, lesson);
  for (const lessons::Lesson* each : lessons::all_lessons()) {
    const auto text = lessons::page_text(*each);
    const auto page = text ? lessons::parse_page(*text, *each) : Result<lessons::Page>(failure(text.error()));
    if (page) session.stages[each->id] = lessons::stages_of(*page, {});
  }
  return session;
}

bool has_more(const lessons::Lesson& lesson) {
  return std::any_of(lesson.controls.begin(), lesson.controls.end(), [](const lessons::Control& c) { return c.later; });
}

bool only_needed(const Session& session) { return has_more(*session.open) && !session.lessons.at(session.open->id).more; }

std::string_view run_word(const lessons::Lesson& lesson) { return lesson.exercise != nullptr ? say("Check") : say("Run"); }

void show(Session& session, std::shared_ptr<const Snapshot> snapshot) {
  if (!snapshot || snapshot->lesson == nullptr) return;
  const auto it = session.lessons.find(snapshot->lesson->id);
  if (it == session.lessons.end()) return;
  LessonState& state = it->second;
  state.changed_since_run = snapshot->values != state.values || snapshot->text != state.text.str();
  if (snapshot->outcome) {
    state.reported = snapshot;
    state.ran_ever = true;
    state.ran_quickly = snapshot->live || snapshot->seconds < session.soon_made_again;
    if (passes(*snapshot)) session.passed.insert(snapshot->lesson->exercise->id);
    // Of a check, the launch that failed is a part of the answer.
    if (snapshot->outcome->whole() || snapshot->lesson->exercise != nullptr) {
      state.shown = snapshot;
      record_verdicts(state, *snapshot);
      if (!snapshot->live && state.past.size() < most_past_runs)
        state.past.push_back({.values = snapshot->values, .numbers = snapshot->outcome->numbers});
    }
  }
  if (snapshot->program || snapshot->failure) {
    show(session,
         std::make_shared<const Compiled>(Compiled{
             .lesson = snapshot->lesson, .text = snapshot->text, .program = snapshot->program, .failure = snapshot->failure}));
  }
  state.inside.reset();
  state.latest = std::move(snapshot);
}

void show(Session& session, std::shared_ptr<const Compiled> compiled) {
  if (!compiled || compiled->lesson == nullptr) return;
  const auto it = session.lessons.find(compiled->lesson->id);
  if (it == session.lessons.end()) return;
  LessonState& state = it->second;
  if (compiled->program) {
    if (compiled->lesson->playground && compiled->text == state.text.str()) take_launch(*compiled, state);
    state.program = compiled->program;
  }
  state.compiled = std::move(compiled);
}

void show(Session& session, std::shared_ptr<const HostProgram> program) {
  const auto it = session.lessons.find(program->lesson->id);
  if (it == session.lessons.end()) return;
  const auto put = [](CodeView& view, const Result<lessons::HostCode>& code) {
    const std::string text = code ? code->text : std::string();
    const std::size_t line = code ? code->launch_line : 0;
    if (text != view.text.str()) view.text.assign(text);
    if (view.marked != line) view.bring_marked = true;
    view.marked = line;
  };
  put(it->second.host_view, program->cuda);
  put(it->second.numba_view, program->numba);
  it->second.host = std::move(program);
}

bool is_current(const HostProgram& program, const Session& session) {
  const LessonState& state = session.lessons.at(session.open->id);
  return program.lesson == session.open && program.values == state.values && program.device == session.device &&
         program.program == state.program && program.text == state.text.str();
}

void show(Session& session, std::shared_ptr<const Inside> inside) {
  if (!inside) return;
  const auto it = session.lessons.find(inside->of->lesson->id);
  if (it == session.lessons.end() || it->second.latest != inside->of) return;
  record_verdicts(it->second, *inside->here);
  it->second.inside = std::move(inside);
  it->second.bring_inside = true;
}

void show(Session& session, std::shared_ptr<const Steps> steps) {
  if (!steps) return;
  const auto it = session.lessons.find(steps->lesson->id);
  if (it != session.lessons.end()) take(it->second.stepper, std::move(steps));
}

void SweepState::show(std::shared_ptr<const lessons::Sweep> sweep) {
  if (last && last->state != lessons::Sweep::State::running && sweep->state == lessons::Sweep::State::running) exported.clear();
  last = std::move(sweep);
  const auto results = lessons::results_of(*last);
  const bool there = std::any_of(results.begin(), results.end(), [&](const lessons::Number& n) { return n.name == result; });
  chart = lessons::chart_of(*last, there ? result : lessons::first_result(*last));
}

void SweepState::choose(const std::string& number) {
  result = number;
  if (last) chart = lessons::chart_of(*last, number);
}

void show(Session& session, std::shared_ptr<const lessons::Sweep> sweep) {
  const auto it = session.lessons.find(sweep->lesson->id);
  if (it != session.lessons.end()) it->second.sweep.show(std::move(sweep));
}

lessons::SweepPlan sweep_plan(const Session& session) {
  const LessonState& state = session.lessons.at(session.open->id);
  lessons::SweepPlan plan{
      .lesson = session.open, .values = state.values, .text = state.text.str(), .axes = {}, .folder = state.folder};
  for (const std::string& id : state.sweep.over) {
    for (const lessons::Control& control : session.open->controls) {
      if (control.id != id) continue;
      const auto range = state.sweep.ranges.find(id);
      plan.axes.push_back(range == state.sweep.ranges.end() ? lessons::axis_of(control)
                                                            : lessons::axis_of(control, range->second.from, range->second.to));
    }
  }
  return plan;
}

InsideOffer inside_offer(const Session& session) {
  const LessonState& state = session.lessons.at(session.open->id);
  const bool gpu_chosen = session.chosen.gpu.has_value();
  const Snapshot* const last = state.latest.get();
  if (last == nullptr || !last->on_gpu) {
    return {.offered = gpu_chosen,
            .why_not = last == nullptr
                           ? say("Run first. Then the virtual GPU repeats the run and shows what the hardware cannot observe.")
                           : say("This result is the virtual GPU's, so it is observed already. Run on the GPU first.")};
  }
  std::string why_not;
  if (last->error && last->error->code == "compile_error") {
    why_not = say("The kernel does not compile: nothing has run.");
  } else if (session.activity.kind == Activity::Kind::live) {
    why_not = say("Pause first. Then both devices make a run from the same start.");
  } else if (session.activity.kind != Activity::Kind::idle) {
    why_not = say("Wait for what is running, or cancel it.");
  } else if (state.inside) {
    why_not = say("You have looked inside: both results stand on the page, below the numbers.");
  } else if (last->live && !gpu_chosen) {
    why_not = say("Choose the GPU first: to be compared, both devices make a run from the same start.");
  }
  return {.offered = true, .why_not = std::move(why_not)};
}

const lessons::Figure* find_figure(const Snapshot& snapshot, const std::string& view) {
  if (!snapshot.outcome) return nullptr;
  const auto& figures = snapshot.outcome->figures;
  const auto found = std::find_if(figures.begin(), figures.end(), [&](const auto& f) { return lessons::view_of(f) == view; });
  return found == figures.end() ? nullptr : &*found;
}

}  // namespace warpbook::app
