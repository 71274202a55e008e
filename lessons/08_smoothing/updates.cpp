#include "lessons/08_smoothing/updates.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

namespace warpbook::lessons {
namespace {

using gpu::AccessRecord;

/// A plain load with its store, or an atomic (then both are the same record).
struct Update {
  const AccessRecord* load = nullptr;
  const AccessRecord* store = nullptr;
  std::uint32_t kept = 0;
  [[nodiscard]] bool atomic() const { return load == store; }
  [[nodiscard]] std::uint32_t lanes() const { return static_cast<std::uint32_t>(std::popcount(store->mask)); }
};

std::uint32_t first_lane(const AccessRecord& record) { return static_cast<std::uint32_t>(std::countr_zero(record.mask)); }
/// If several lanes store to one element, the virtual GPU keeps the highest lane's value.
std::uint32_t last_lane(const AccessRecord& record) { return 31 - static_cast<std::uint32_t>(std::countl_zero(record.mask)); }

float value(const AccessRecord& record, std::uint32_t lane) { return std::bit_cast<float>(record.value[lane]); }
std::int64_t millionths(float number) { return std::llround(double{number} * 1e6); }

/// All lanes of a block's request have the same output, so the first lane's index is that of all.
std::vector<Update> pair_up(const gpu::LaunchReport& report, gpu::BufferId outputs, std::int32_t output) {
  std::vector<const AccessRecord*> issued;
  for (const AccessRecord& record : report.trace) {
    if (record.shared || record.buffer != outputs || record.mask == 0) continue;
    if (record.index[first_lane(record)] == output) issued.push_back(&record);
  }
  std::stable_sort(issued.begin(), issued.end(), [](const auto* l, const auto* r) { return l->issued < r->issued; });
  std::vector<Update> updates;
  for (std::size_t k = 0; k < issued.size(); ++k) {
    const AccessRecord& record = *issued[k];
    if (record.kind == AccessRecord::Kind::atomic) updates.push_back({&record, &record});
    if (record.kind != AccessRecord::Kind::store) continue;
    const AccessRecord* load = nullptr;
    for (std::size_t before = k; before-- > 0 && load == nullptr;) {
      const AccessRecord& other = *issued[before];
      const bool same_warp = other.block == record.block && other.warp == record.warp;
      if (same_warp && other.kind == AccessRecord::Kind::load && (other.mask & record.mask) != 0) load = &other;
    }
    if (load != nullptr) updates.push_back({load, &record});
  }
  std::stable_sort(updates.begin(), updates.end(),
                   [](const Update& l, const Update& r) { return l.store->reached < r.store->reached; });
  return updates;
}

/// The value of the output after update k.
float value_after(const std::vector<Update>& updates, std::size_t k, float final_value) {
  if (!updates[k].atomic()) return value(*updates[k].store, last_lane(*updates[k].store));
  return k + 1 < updates.size() ? value(*updates[k + 1].load, first_lane(*updates[k + 1].load)) : final_value;
}

/// Walks back from the final value along the loads that led to it. One lane of a plain store is kept, and all lanes of an atomic.
void account(std::vector<Update>& updates, float final_value) {
  std::size_t k = updates.size();
  while (k > 0) {
    Update& update = updates[--k];
    update.kept = update.atomic() ? update.lanes() : 1;
    if (update.atomic()) continue;
    const float read = value(*update.load, first_lane(*update.load));
    while (k > 0 && (updates[k - 1].store->reached > update.load->reached ||
                     (updates[k - 1].store->reached == update.load->reached && value_after(updates, k - 1, final_value) != read))) {
      --k;
    }
  }
}

}  // namespace

std::optional<Interleaving> updates_of(const gpu::LaunchReport& report, gpu::BufferId outputs, std::int32_t output,
                                       float final_value) {
  std::vector<Update> updates = pair_up(report, outputs, output);
  if (updates.empty()) return std::nullopt;
  account(updates, final_value);
  Interleaving figure{.element = fmt::format("x[{}]", output), .atomic = true, .final_value = millionths(final_value)};
  figure.values.push_back({0, millionths(value(*updates.front().load, first_lane(*updates.front().load)))});
  for (std::size_t k = 0; k < updates.size(); ++k) {
    const auto& [load, store, kept] = updates[k];
    const bool atomic = updates[k].atomic();
    figure.rows.push_back({.block = store->block,
                           .warp = store->warp,
                           .load_issued = load->issued,
                           .load_reached = load->reached,
                           .load_done = load->done,
                           .store_issued = atomic ? load->issued : store->issued,
                           .store_reached = store->reached,
                           .read = millionths(value(*load, first_lane(*load))),
                           .stored = millionths(value_after(updates, k, final_value)),
                           .lanes = updates[k].lanes(),
                           .kept = kept,
                           .lost = updates[k].lanes() - kept});
    figure.atomic = figure.atomic && atomic;
    figure.kept += kept;
    figure.lost += updates[k].lanes() - kept;
    figure.values.push_back({store->reached, figure.rows.back().stored});
    figure.end = std::max({figure.end, store->reached, store->done, load->done});
  }
  std::stable_sort(figure.rows.begin(), figure.rows.end(),
                   [](const auto& l, const auto& r) { return l.load_issued < r.load_issued; });
  figure.title = figure.lost > 0
                     ? fmt::format("x[{}] in millionths: {} of {} terms are in it", output, figure.kept, figure.kept + figure.lost)
                     : fmt::format("x[{}] in millionths: every term is added to the sum before it", output);
  return figure;
}

}  // namespace warpbook::lessons
