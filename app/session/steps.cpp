#include "app/session/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <tuple>
#include <utility>

#include "app/session/variable_rows.h"
#include "app/text/numbers.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using gpu::History;
using gpu::RegisterRow;
using gpu::WarpRef;

template <class T>
T as(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::string element_text(const gpu::HistoryArray& array, std::uint64_t address) {
  const std::uint64_t within = address - array.base;
  return fmt::format("{}[{}]", array.name, within / gpu::size_of(array.type));
}

/// Four bytes of an array as its elements print; of wider elements, their bits.
std::string word_text(const gpu::HistoryArray* array, std::uint32_t word) {
  if (array && array->type == gpu::ScalarType::float32) return fmt::format("{:.6g}", as<float>(word));
  if (array && array->type == gpu::ScalarType::uint32) return std::to_string(word);
  if (!array || gpu::size_of(array->type) == 4) return std::to_string(static_cast<std::int32_t>(word));
  return fmt::format("{:#x}", word);
}

/// A word in the room of a narrow cell: floats lose digits.
std::string brief_text(const gpu::HistoryArray* array, std::uint32_t word) {
  constexpr std::size_t room = 5;
  std::string words = word_text(array, word);
  for (int digits = 4; digits > 0 && words.size() > room && array && array->type == gpu::ScalarType::float32; --digits)
    words = fmt::format("{:.{}g}", as<float>(word), digits);
  return words;
}

bool is_address(std::string_view type) { return type.ends_with("64") && !type.starts_with("f"); }

/// What 32 values have in common, as short as it can be said.
std::string summary(const History& history, const RegisterRow& row) {
  const auto text_of = [&](unsigned lane) { return value_text(history, row.type, row.lanes[lane]); };
  const auto first = static_cast<unsigned>(std::countr_zero(row.written)),
             last = 31u - static_cast<unsigned>(std::countl_zero(row.written));
  if (row.type == "pred") {
    const int yes = [&] {
      int n = 0;
      for (unsigned l = 0; l < 32; ++l) n += (row.written >> l & 1u) && row.lanes[l];
      return n;
    }();
    const int all = std::popcount(row.written);
    return yes == all ? std::string(say("true in all"))
           : yes == 0 ? std::string(say("false in all"))
                      : say("true in {lanes} of {all}", "lanes"_a = yes, "all"_a = all);
  }
  bool same = true, even = true;
  const std::uint64_t apart = first < last ? row.lanes[first + 1] - row.lanes[first] : 0;
  for (unsigned l = first; l <= last; ++l) {
    if (!(row.written >> l & 1u)) {
      even = false;
      continue;
    }
    same &= row.lanes[l] == row.lanes[first];
    if (l > first) even &= row.lanes[l] - row.lanes[l - 1] == apart;
  }
  if (same)
    return std::popcount(row.written) == 32 ? std::string(say("same in all"))
                                            : say("same in {n}", "n"_a = std::popcount(row.written));
  const bool integer = row.type.front() != 'f';
  const auto step = row.bytes == 8 ? static_cast<std::int64_t>(apart) : std::int64_t{static_cast<std::int32_t>(apart)};
  if (even && integer && last > first + 1 && !is_address(row.type))
    return say("{first} … {last}, {step:+} a lane", "first"_a = text_of(first), "last"_a = text_of(last), "step"_a = step);
  if (even || is_address(row.type)) return fmt::format("{} … {}", text_of(first), text_of(last));
  std::string few;
  int shown = 0;
  for (unsigned l = first; l <= last && shown < 4; ++l)
    if (row.written >> l & 1u) few += (shown++ ? ", " : "") + text_of(l);
  return few + " …";
}

/// Whether an instruction's text names a register: "%r1" is not in "%r12".
bool names(std::string_view text, std::string_view reg) {
  for (std::size_t at = text.find(reg); at != text.npos; at = text.find(reg, at + 1))
    if (at + reg.size() == text.size() || !std::isdigit(static_cast<unsigned char>(text[at + reg.size()]))) return true;
  return false;
}

std::string lanes_words(const StepView& view) {
  const int born = std::popcount(view.born), on = std::popcount(view.lanes.on), waiting = std::popcount(view.lanes.waiting);
  if (view.instruction.empty()) return say("the warp has ended");
  if (on == born) return say("all {n} lanes on", "n"_a = born);
  const int over = born - on - waiting;
  const auto some = "on"_a = on;
  const auto all = "all"_a = born;
  const auto wait = "waiting"_a = waiting;
  const auto ended = "ended"_a = over;
  if (waiting > 0 && over > 0) return say("{on} of {all} lanes on, {waiting} wait, {ended} ended", some, all, wait, ended);
  if (waiting > 0) return say("{on} of {all} lanes on, {waiting} wait", some, all, wait);
  if (over > 0) return say("{on} of {all} lanes on, {ended} ended", some, all, ended);
  return say("{on} of {all} lanes on", some, all);
}

void prepare_registers(const Stepper& stepper, StepView& view) {
  const History& history = stepper.replay->history();
  for (const RegisterRow& row : stepper.replay->registers(stepper.warp)) {
    StepView::Row shown;
    shown.name = row.name;
    shown.type = row.type;
    for (unsigned l = 0; l < 32; ++l)
      shown.lanes.push_back(row.written >> l & 1u ? value_text(history, row.type, row.lanes[l]) : "–");
    shown.value = shown.lanes[view.lane];
    shown.all = summary(history, row);
    shown.changed = row.changed != 0;
    shown.used = names(view.instruction, row.name);
    view.registers.push_back(std::move(shown));
  }
  // "%f2" before "%f10", and always in the same place.
  const auto key = [](const StepView::Row& row) {
    const std::size_t digits = row.name.find_last_not_of("0123456789") + 1;
    const std::string number = row.name.substr(digits);
    return std::tuple(row.name.substr(0, digits), number.size(), number);
  };
  std::stable_sort(view.registers.begin(), view.registers.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

void prepare_memory(const Stepper& stepper, StepView& view) {
  const History& history = stepper.replay->history();
  const gpu::HistoryArray* before = nullptr;
  std::uint32_t expected = 0;
  for (const gpu::SharedWord& word : stepper.replay->shared(stepper.warp.block)) {
    const gpu::HistoryArray* array = history.find(true, word.offset);
    const bool begins = view.shared.empty() || array != before || word.offset != expected;
    before = array;
    expected = word.offset + 4;
    std::string name = array ? shared_element(stepper.steps->launches[stepper.launch], *array, word.offset) : std::string();
    if (name.empty()) name = array ? element_text(*array, word.offset) : fmt::format("+{}", word.offset);
    view.shared.push_back({.name = std::move(name),
                           .value = word_text(array, word.value),
                           .brief = brief_text(array, word.value),
                           .changed = word.changed,
                           .begins_run = begins});
  }
  view.shared_title = say("Shared memory of block {block}", "block"_a = stepper.warp.block);
  auto stored = stepper.replay->global();
  if (stepper.one_warp) std::erase_if(stored, [&](const gpu::GlobalWord& word) { return word.by != stepper.warp; });
  if (stored.empty()) return;
  const gpu::HistoryArray* array = history.find(false, stored.front().address);
  view.stored = fmt::format("{}: {} → {}", array ? element_text(*array, stored.front().address) : std::string(say("device memory")),
                            word_text(array, stored.front().before), word_text(array, stored.front().after));
  if (stored.size() > 1) view.stored = say("{stored} and {n} more", "stored"_a = view.stored, "n"_a = stored.size() - 1);
}

void prepare(Stepper& stepper) {
  StepView view;
  const Steps::Launch& launch = stepper.steps->launches[stepper.launch];
  const History& history = *launch.history;
  view.position = stepper.replay->position();
  view.end = history.steps().size();
  if (!stepper.one_warp && view.position < view.end) stepper.warp = history.steps()[view.position].warp;
  view.warp = say("Block {block}, warp {warp}", "block"_a = stepper.warp.block, "warp"_a = stepper.warp.warp);
  const auto threads = static_cast<std::uint32_t>(launch.block.count()) - 32 * stepper.warp.warp;
  view.born = threads >= 32 ? ~0u : (1u << threads) - 1;
  const auto next = history.next_of(view.position, stepper.warp);
  if (next) {
    view.line = history.steps()[*next].line;
    view.instruction = history.text_of(*next);
    view.lanes = stepper.replay->lanes(stepper.warp);
  }
  view.where =
      view.position == view.end
          ? say("End, after {n} steps", "n"_a = grouped(static_cast<long long>(view.end + history.dropped())))
          : say("Step {step} of {steps}", "step"_a = grouped(static_cast<long long>(view.position + history.dropped() + 1)),
                "steps"_a = grouped(static_cast<long long>(view.end + history.dropped())));
  if (launch.clocked && view.position < view.end)
    view.where = say("{step}, cycle {cycle} (model)", "step"_a = view.where,
                     "cycle"_a = grouped(static_cast<long long>(history.steps()[view.position].cycle)));
  view.lanes_words = lanes_words(view);
  const std::uint32_t on = view.lanes.on ? view.lanes.on : view.born;
  const unsigned wanted = stepper.lane.value_or(static_cast<unsigned>(std::countr_zero(on)));
  view.lane = view.born >> wanted & 1u ? wanted : 0;
  if (stepper.ptx || !launch.debug) prepare_registers(stepper, view);
  prepare_variables(stepper, view);
  prepare_memory(stepper, view);
  stepper.bring_changed = std::any_of(view.shared.begin(), view.shared.end(), [](const auto& cell) { return cell.changed; });
  stepper.follow_line = view.line != 0 && view.line != stepper.view.line;
  stepper.view = std::move(view);
}

std::optional<WarpRef> course(const Stepper& stepper) { return stepper.one_warp ? std::optional(stepper.warp) : std::nullopt; }

}  // namespace

std::string value_text(const History& history, std::string_view type, std::uint64_t bits) {
  if (type == "pred") return bits ? "true" : "false";
  if (type == "f32") return fmt::format("{:.6g}", as<float>(bits));
  if (type == "f64") return fmt::format("{:.9g}", as<double>(bits));
  if (type == "s16") return std::to_string(static_cast<std::int16_t>(bits));
  if (type == "s32") return std::to_string(static_cast<std::int32_t>(bits));
  if (type.ends_with("32") || type.ends_with("16") || type.ends_with("8"))
    return type.starts_with("f") || type.starts_with("b1") ? fmt::format("{:#x}", bits)
                                                           : std::to_string(static_cast<std::uint32_t>(bits));
  if (const gpu::HistoryArray* array = history.find(false, bits)) return "&" + element_text(*array, bits);
  constexpr std::int64_t readable = 1'000'000'000'000;
  const auto number = static_cast<std::int64_t>(bits);
  return number > -readable && number < readable ? std::to_string(number) : fmt::format("{:#x}", bits);
}

void take(Stepper& stepper, std::shared_ptr<const Steps> steps) {
  stepper.steps = std::move(steps);
  stepper.replay.reset();
  stepper.view = {};
  // The last kernel is the one that a lesson leads to.
  if (!stepper.steps->launches.empty()) choose_launch(stepper, stepper.steps->launches.size() - 1);
}

void choose_launch(Stepper& stepper, std::size_t launch) {
  stepper.launch = launch;
  stepper.line_room = most_expressions(stepper.steps->launches[launch]);
  const auto& history = stepper.steps->launches[launch].history;
  stepper.replay.emplace(history);
  stepper.lane.reset();
  stepper.scroll = stepper.scroll_registers = stepper.scroll_shared = 0;
  if (!history->warps().empty() && !std::binary_search(history->warps().begin(), history->warps().end(), stepper.warp))
    stepper.warp = history->warps().front();
  to_start(stepper);
}

void to_step(Stepper& stepper, std::size_t position) {
  if (!stepper.replay) return;
  stepper.replay->to(position);
  prepare(stepper);
}

void stride(Stepper& stepper, Way way) {
  if (!stepper.replay) return;
  const History& history = stepper.replay->history();
  const std::size_t from = stepper.replay->position();
  to_step(stepper, way == Way::forward ? history.next(from, stepper.by, course(stepper))
                                       : history.previous(from, stepper.by, course(stepper)));
}

void to_start(Stepper& stepper) {
  if (!stepper.replay) return;
  to_step(stepper, stepper.one_warp ? stepper.replay->history().next_of(0, stepper.warp).value_or(0) : 0);
}

void to_end(Stepper& stepper) {
  if (stepper.replay) to_step(stepper, stepper.replay->history().steps().size());
}

bool run_to_line(Stepper& stepper, std::uint32_t line) {
  if (!stepper.replay) return false;
  const History& history = stepper.replay->history();
  // Out of the line's present run first, so that a loop's next round is meant.
  const std::size_t from = stepper.replay->position();
  auto found = history.next_on_line(stepper.view.line == line ? history.next(from, gpu::Stride::line, course(stepper)) - 1 : from,
                                    line, course(stepper));
  if (!found) {
    const std::size_t start = stepper.one_warp ? history.next_of(0, stepper.warp).value_or(0) : 0;
    found = start < history.steps().size() && history.steps()[start].line == line
                ? std::optional(start)
                : history.next_on_line(start, line, course(stepper));
  }
  if (!found) return false;
  to_step(stepper, *found);
  return true;
}

void choose_warp(Stepper& stepper, Way way) {
  if (!stepper.replay) return;
  const auto& warps = stepper.replay->history().warps();
  if (warps.empty()) return;
  auto at = static_cast<std::size_t>(std::lower_bound(warps.begin(), warps.end(), stepper.warp) - warps.begin());
  at = way == Way::forward ? (at + 1) % warps.size() : (at + warps.size() - 1) % warps.size();
  stepper.warp = warps[at];
  stepper.one_warp = true;
  prepare(stepper);
}

void choose_all_warps(Stepper& stepper, bool all) {
  stepper.one_warp = !all;
  if (stepper.replay) prepare(stepper);
}

void show_ptx(Stepper& stepper, bool on) {
  stepper.ptx = on;
  if (!on && stepper.by == gpu::Stride::instruction) stepper.by = gpu::Stride::line;
  if (stepper.replay) prepare(stepper);
}

void choose_lane(Stepper& stepper, unsigned lane) {
  stepper.lane = lane;
  if (stepper.replay) prepare(stepper);
}

}  // namespace warpbook::app
