#include "app/session/values_history.h"

#include <utility>

namespace warpbook::app {
namespace {

constexpr double one_step = 1;  // seconds
constexpr std::size_t most_steps = 200;

/// Keys whose values differ, or which only one of the two has.
template <class Map>
void add_differences(const Map& a, const Map& b, std::vector<std::string>& keys) {
  for (const auto& [key, value] : a) {
    const auto other = b.find(key);
    if (other == b.end() || other->second != value) keys.push_back(key);
  }
  for (const auto& [key, value] : b) {
    if (!a.contains(key)) keys.push_back(key);
  }
}

}  // namespace

std::string only_change(const lessons::Values& a, const lessons::Values& b) {
  std::vector<std::string> keys;
  add_differences(a.all(), b.all(), keys);
  add_differences(a.texts(), b.texts(), keys);
  return keys.size() == 1 ? keys.front() : std::string();
}

void ValuesHistory::note(const lessons::Values& before, const lessons::Values& after, double now) {
  if (before == after) return;
  const std::string changed = only_change(before, after);
  const bool same_step = !changed.empty() && changed == last_changed_ && now - last_at_ < one_step && after_.empty();
  last_changed_ = changed;
  last_at_ = now;
  after_.clear();
  if (same_step && !before_.empty()) {
    if (before_.back() == after) before_.pop_back();  // dragged back to where it began: nothing is to be undone
    return;
  }
  before_.push_back(before);
  if (before_.size() > most_steps) before_.erase(before_.begin());
}

std::optional<lessons::Values> ValuesHistory::undo(const lessons::Values& current) {
  if (before_.empty()) return std::nullopt;
  after_.push_back(current);
  lessons::Values values = std::move(before_.back());
  before_.pop_back();
  last_changed_.clear();
  return values;
}

std::optional<lessons::Values> ValuesHistory::redo(const lessons::Values& current) {
  if (after_.empty()) return std::nullopt;
  before_.push_back(current);
  lessons::Values values = std::move(after_.back());
  after_.pop_back();
  last_changed_.clear();
  return values;
}

}  // namespace warpbook::app
