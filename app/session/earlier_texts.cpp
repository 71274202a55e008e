#include "app/session/earlier_texts.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <string_view>
#include <utility>

#include "gpu/message.h"

namespace warpbook::app {
namespace {

using Earlier = lessons::Kept::Earlier;

bool has_nothing(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

/// By the moment, so that the files stand in their order, and by the text: a clock that is set back names no other text's file.
std::string new_name(std::string_view text) {
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 16777619U;
  return fmt::format("{:%Y-%m-%d_%H-%M-%S}_{:08x}.cu", fmt::localtime(std::time(nullptr)), hash);
}

/// The line by which somebody knows it again: the first that is no remark and no #include.
std::string_view telling_line(std::string_view text) {
  std::string_view first;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    if (has_nothing(line)) continue;
    if (first.empty()) first = line;
    if (!line.starts_with("//") && !line.starts_with('#')) return line;
  }
  return first;
}

}  // namespace

void set_earlier(LessonState& state) {
  const std::string text = state.text.str();
  if (text == state.shipped || text == state.opened || has_nothing(text)) return;
  auto& all = state.earlier;
  const auto same = std::find_if(all.begin(), all.end(), [&](const Earlier& each) { return each.kernel == text; });
  if (same != all.end()) {
    same->folder = state.folder.string();
    same->values = state.values;
    std::rotate(same, same + 1, all.end());  // the newest
    return;
  }
  all.push_back({.file = new_name(text), .kernel = text, .folder = state.folder.string(), .values = state.values});
  if (all.size() > lessons::most_earlier) all.erase(all.begin());
}

const Earlier* offered(const LessonState& state) {
  const std::string text = state.text.str();
  const auto found =
      std::find_if(state.earlier.rbegin(), state.earlier.rend(), [&](const Earlier& each) { return each.kernel != text; });
  return found == state.earlier.rend() ? nullptr : &*found;
}

std::string describe(const Earlier& earlier) {
  constexpr std::size_t most_shown = 60;
  std::string line(telling_line(earlier.kernel).substr(0, most_shown));
  while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0x80U) != 0) line.pop_back();  // no half of a character
  std::replace(line.begin(), line.end(), '`', '\'');
  const auto lines = std::count(earlier.kernel.begin(), earlier.kernel.end(), '\n') + (earlier.kernel.ends_with('\n') ? 0 : 1);
  return say_many(static_cast<std::uint64_t>(lines), "{n} line, with `{line}`", "{n} lines, with `{line}`", "n"_a = lines,
                  "line"_a = line);
}

void put_back(Session& session, Actions& actions) {
  LessonState& state = session.lesson();
  const Earlier* const found = offered(state);
  if (found == nullptr) return;
  const Earlier earlier = *found;
  set_earlier(state);
  state.text.select_all();
  state.text.insert(earlier.kernel);  // an edit like any other: it can be undone
  state.folder = earlier.folder;
  state.just_opened = false;
  state.history.clear();
  actions.set_values(earlier.values);
  actions.text_changed();
}

}  // namespace warpbook::app
