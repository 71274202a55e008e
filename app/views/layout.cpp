#include "app/views/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/text/numbers.h"
#include "gpu/message.h"

namespace warpbook::app {

bool overlap(const Box& a, const Box& b) { return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1; }

float overlap_area(const Box& a, const Box& b) {
  const float w = std::min(a.x1, b.x1) - std::max(a.x0, b.x0), h = std::min(a.y1, b.y1) - std::max(a.y0, b.y0);
  return w > 0 && h > 0 ? w * h : 0;
}

Box place_card(float width, float height, const Box& item, std::span<const Box> avoid, const Box& bounds, float gap) {
  struct Place {
    Box box;
    float far = 0;
  };
  std::vector<Place> places;
  const auto add = [&](float x, float y, float far) {
    // Slides into the bounds; a card larger than the bounds stays at their top left.
    x = std::max(std::min(x, bounds.x1 - width), bounds.x0);
    y = std::max(std::min(y, bounds.y1 - height), bounds.y0);
    const Box box{x, y, x + width, y + height};
    // Overlapping what it speaks of is the worst; then hiding what is wrong; then being far away.
    places.push_back(
        {box, far + std::abs(x + width / 2 - (item.x0 + item.x1) / 2) * 0.1f + std::abs(y + height / 2 - (item.y0 + item.y1) / 2)});
  };
  const float middle_x = (item.x0 + item.x1) / 2 - width * 0.25f, middle_y = (item.y0 + item.y1 - height) / 2;
  const float above = item.y0 - gap - height, below = item.y1 + gap, right = item.x1 + gap, left = item.x0 - gap - width;
  // Above and below first, then beside, then past the edges of what is marked wrong, then the corners.
  add(middle_x, above, 0);
  add(middle_x, below, height * 0.5f);
  for (const float x : {right, left}) {
    add(x, middle_y, height);
    add(x, above, height);
    add(x, below, height);
  }
  for (const Box& marked : avoid) {
    add(middle_x, marked.y0 - gap - height, height);
    add(middle_x, marked.y1 + gap, height);
  }
  for (const float x : {bounds.x0, bounds.x1}) {
    add(x, bounds.y0, 2 * height);
    add(x, bounds.y1, 2 * height);
  }
  const auto cost = [&](const Place& place) {
    float hidden = overlap_area(place.box, item) * 1e4f;
    for (const Box& marked : avoid) hidden += overlap_area(place.box, marked);
    return hidden * 1e3f + place.far;
  };
  return std::min_element(places.begin(), places.end(), [&](const Place& a, const Place& b) { return cost(a) < cost(b); })->box;
}

// ---- axes ----

std::vector<double> axis_ticks(double low, double high, int at_most) {
  std::vector<double> ticks;
  if (!(high >= low) || !std::isfinite(low) || !std::isfinite(high) || at_most < 1) return ticks;
  if (high == low) return {low};
  const double rough = (high - low) / at_most;
  double step = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    if (step * factor < rough * (1 - 1e-9)) continue;
    step *= factor;
    break;
  }
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + step * 1e-9 && ticks.size() < 1000; ++k) {
    ticks.push_back(k == 0 ? 0.0 : k * step);
  }
  return ticks;
}

// ---- thread map ----

std::uint32_t ThreadGrid::group() const { return unit == Unit::thread ? std::min(cells_a_line, 32u) : cells_a_line; }

float ThreadGrid::width() const {
  const std::uint32_t groups = (cells_a_line + group() - 1) / group();
  const float block = static_cast<float>(cells_a_line) * pitch + static_cast<float>(groups - 1) * warp_gap;
  const auto columns = static_cast<float>(std::min(blocks_a_line, places));
  return columns * block + (columns - 1) * block_gap;
}

float ThreadGrid::block_x(std::uint32_t block) const {
  const std::uint32_t groups = (cells_a_line + group() - 1) / group();
  const float one = static_cast<float>(cells_a_line) * pitch + static_cast<float>(groups - 1) * warp_gap;
  return static_cast<float>(block % blocks_a_line) * (one + block_gap);
}

Box ThreadGrid::cell(std::uint32_t block, std::uint32_t index) const {
  const std::uint32_t in_line = index % cells_a_line;
  const float x = block_x(block) + static_cast<float>(in_line / group()) * warp_gap;
  const float x0 = std::round(x + static_cast<float>(in_line) * pitch),
              x1 = std::round(x + static_cast<float>(in_line + 1) * pitch);
  const float y = static_cast<float>(line_of(block, index)) * line;
  return {x0, y, x1 - gap, y + line - (line >= 3 ? std::max(gap, 1.0f) : 0.0f)};
}

std::optional<ThreadGrid::Hit> ThreadGrid::hit(float x, float y) const {
  if (x < 0 || y < 0 || y >= height()) return std::nullopt;
  const std::uint32_t groups = (cells_a_line + group() - 1) / group();
  const float one = static_cast<float>(cells_a_line) * pitch + static_cast<float>(groups - 1) * warp_gap;
  const auto column = static_cast<std::uint32_t>(x / (one + block_gap));
  if (column >= blocks_a_line) return std::nullopt;
  const float in_block = x - static_cast<float>(column) * (one + block_gap);
  const float a_group = static_cast<float>(group()) * pitch;
  const auto which = static_cast<std::uint32_t>(in_block / (a_group + warp_gap));
  const float in_group = in_block - static_cast<float>(which) * (a_group + warp_gap);
  if (which >= groups || in_group >= a_group) return std::nullopt;
  const auto row = static_cast<std::uint32_t>(y / line);
  const std::uint32_t in_line = which * group() + std::min(static_cast<std::uint32_t>(in_group / pitch), group() - 1);
  const Hit found{row / lines_a_block * blocks_a_line + column, row % lines_a_block * cells_a_line + in_line};
  if (in_line >= cells_a_line || found.block >= places || found.cell >= cells) return std::nullopt;
  return found;
}

ThreadGrid arrange_threads(const ThreadGridRequest& request) {
  const std::uint32_t threads = std::max(request.threads, 1u), warps = (threads + 31) / 32;
  const auto needed = static_cast<std::uint32_t>((std::uint64_t{request.elements} + threads - 1) / threads);
  const std::uint32_t places = std::max({request.blocks, needed, 1u});
  const float css = request.scale, least = 2 * css;

  // A cell is good at 5 × 9 CSS pixels. Several blocks on a line cost half (a row is no longer a block), several lines a block
  // a tenth, a cell a warp three quarters, a cell a block nearly all.
  ThreadGrid best;
  best.places = places;
  float best_score = -1;
  const auto consider = [&](ThreadGrid::Unit unit, std::uint32_t a_line, std::uint32_t a_block, float worth) {
    ThreadGrid g;
    g.unit = unit;
    g.threads = threads;
    g.places = places;
    g.cells = unit == ThreadGrid::Unit::thread ? threads : unit == ThreadGrid::Unit::warp ? warps : 1;
    g.blocks_a_line = a_line;
    g.lines_a_block = a_block;
    g.cells_a_line = a_block == 1 ? g.cells : (warps + a_block - 1) / a_block * 32;
    g.lines = (places + a_line - 1) / a_line * a_block;
    const std::uint32_t groups = (g.cells_a_line + g.group() - 1) / g.group();
    g.warp_gap = groups > 1 ? (a_line > 1 ? 3 : 8) * css : 0;
    const std::uint32_t in_a_block = unit == ThreadGrid::Unit::thread ? threads : g.cells * 8;
    if (a_line > 1) g.block_gap = (in_a_block >= 32 ? 8.0f : in_a_block >= 16 ? 3.0f : in_a_block >= 8 ? 1.0f : 0.0f) * css;
    const auto gaps = static_cast<float>((groups - 1) * a_line), block_gaps = static_cast<float>(a_line - 1);
    const float usable = request.width - gaps * g.warp_gap - block_gaps * g.block_gap;
    g.pitch = usable / static_cast<float>(g.cells_a_line * a_line);
    g.line = std::floor(std::min(request.tallest_css * css / static_cast<float>(g.lines), 9 * css));
    const bool threads_seen = unit == ThreadGrid::Unit::thread;
    if (g.pitch < (threads_seen ? least : 2 * least) || g.line < least) return;
    // Whole pixels look even; what is left over widens the gaps, unless that would tear the map apart.
    const float whole = std::floor(g.pitch), left = (g.pitch - whole) * static_cast<float>(g.cells_a_line * a_line);
    if (gaps + block_gaps > 0 && left / (gaps + block_gaps) <= 8 * css) {
      g.pitch = whole;
      const float wider = std::floor(left / (gaps + block_gaps));
      if (gaps > 0) g.warp_gap += wider;
      if (block_gaps > 0) g.block_gap += wider;
    }
    g.pitch = std::min(g.pitch, (threads_seen ? 24 : 64) * css);
    g.gap = g.pitch >= 3 * css ? std::max(1.0f, std::round(css)) : 0;
    const float score = worth * std::min(g.pitch / (5 * css), 1.0f) * std::min(g.line / (9 * css), 1.0f);
    if (score > best_score) {
      best_score = score;
      best = g;
    }
  };
  using enum ThreadGrid::Unit;
  consider(thread, 1, 1, 1.0f);
  for (std::uint32_t m = 2; m <= warps; m *= 2) consider(thread, 1, m, 0.9f);
  for (std::uint32_t k = 2; k < 2 * places && k <= 4096; k *= 2) consider(thread, k, 1, 0.5f);
  consider(warp, 1, 1, 0.25f);
  for (std::uint32_t k = 2; k < 2 * places && k <= 4096; k *= 2) {
    consider(warp, k, 1, 0.125f);
    consider(block, k, 1, 0.05f);
  }
  if (best_score < 0) {  // more blocks than pixels: the first ones, as many as fit
    const auto columns = static_cast<std::uint32_t>(std::max(request.width / least, 1.0f));
    const auto lines = static_cast<std::uint32_t>(std::max(request.tallest_css / 2, 1.0f));
    best.unit = block;
    best.threads = threads;
    best.cells = best.cells_a_line = 1;
    best.blocks_a_line = columns;
    best.lines = std::min(lines, (places + columns - 1) / columns);
    best.places = std::min(places, columns * best.lines);
    best.pitch = best.line = least;
  }
  return best;
}

void IndexRun::add(std::int64_t index) {
  first = count == 0 ? index : std::min(first, index);
  last = count == 0 ? index : std::max(last, index);
  ++count;
}

std::string IndexRun::blocks() const {
  if (count == 1) return say("block {block}", "block"_a = grouped(first));
  if (one_run()) return say("blocks {first} to {last}", "first"_a = grouped(first), "last"_a = grouped(last));
  return say("{n} blocks", "n"_a = grouped(static_cast<long long>(count)));
}

std::string IndexRun::elements() const {
  if (count == 1) return say("element {element}", "element"_a = grouped(first));
  if (one_run()) return say("elements {first} to {last}", "first"_a = grouped(first), "last"_a = grouped(last));
  return say("{n} elements", "n"_a = grouped(static_cast<long long>(count)));
}

// ---- interleaving ----

std::uint64_t warp_key(const lessons::Interleaving::Row& row) { return std::uint64_t{row.block} << 32 | row.warp; }

std::vector<std::size_t> choose_lanes(std::span<const lessons::Interleaving::Row> rows, std::size_t at_most,
                                      std::span<const std::uint64_t> picked) {
  std::vector<std::size_t> chosen;
  const auto choose = [&](std::size_t row) {
    if (chosen.size() < at_most && std::find(chosen.begin(), chosen.end(), row) == chosen.end()) chosen.push_back(row);
  };
  std::optional<std::size_t> final_store;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].kept > 0 && (!final_store || rows[i].store_reached >= rows[*final_store].store_reached)) final_store = i;
  }
  if (final_store) choose(*final_store);
  for (auto key = picked.rbegin(); key != picked.rend(); ++key) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return warp_key(r) == *key; });
    if (row != rows.end()) choose(static_cast<std::size_t>(row - rows.begin()));
  }
  for (std::size_t i = 0; i < rows.size() && chosen.size() < at_most; ++i) choose(i);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

// ---- trials ----

float TrialAxis::x(double value) const {
  const auto place = [](double v) { return v >= 1 ? std::log2(v) : -0.5 * (1 - std::max(v, 0.0)); };
  const double from = place(low), to = place(high);
  const double t = to > from ? (place(value) - from) / (to - from) : 0;
  return x0 + static_cast<float>(std::clamp(t, 0.0, 1.0)) * (x1 - x0);
}

std::vector<TrialCluster> cluster_trials(std::span<const lessons::Trials::Bar> bars, const TrialAxis& axis, float apart) {
  std::vector<TrialCluster> clusters;
  float start = 0;
  for (const auto& bar : bars) {
    const float x = axis.x(static_cast<double>(bar.value));
    if (clusters.empty() || x - start >= apart) {
      clusters.push_back({bar.value, bar.value, 0, x});
      start = x;
    }
    TrialCluster& cluster = clusters.back();
    cluster.high = bar.value;
    cluster.count += bar.count;
  }
  return clusters;
}

// ---- bins ----

float BinColumns::edge(std::uint32_t column) const {
  return std::round(x0 + (x1 - x0) * static_cast<float>(std::min(column * group, bins)) / static_cast<float>(bins));
}

BinColumns arrange_bins(std::uint32_t bins, float width, float scale) {
  BinColumns c;
  c.bins = std::max(bins, 1u);
  const float side = (width < 640 * scale ? 104 : 112) * scale;
  c.x0 = side;
  c.x1 = std::max(width - side, side + 1);
  while (c.group < c.bins && (c.x1 - c.x0) / static_cast<float>((c.bins + c.group - 1) / c.group) < 3 * scale) c.group *= 2;
  c.columns = (c.bins + c.group - 1) / c.group;
  c.labelled = c.group == 1 && (c.x1 - c.x0) / static_cast<float>(c.columns) >= 20 * scale;
  return c;
}

// ---- field ----

void average_down(const float* cells, std::uint32_t side, float* out, std::uint32_t out_side) {
  // The cells of each pixel along one axis and the share each has in it; both axes use the same.
  struct Span {
    std::uint32_t first = 0, count = 0;
  };
  const double ratio = static_cast<double>(side) / out_side;
  const auto most = static_cast<std::uint32_t>(ratio) + 2;
  std::vector<Span> spans(out_side);
  std::vector<float> shares(static_cast<std::size_t>(out_side) * most);
  for (std::uint32_t p = 0; p < out_side; ++p) {
    const double from = p * ratio, to = std::min((p + 1) * ratio, static_cast<double>(side));
    spans[p].first = static_cast<std::uint32_t>(from);
    for (std::uint32_t cell = spans[p].first; cell < side && cell < to && spans[p].count < most; ++cell) {
      const double share = (std::min(to, cell + 1.0) - std::max(from, static_cast<double>(cell))) / (to - from);
      if (share < 1e-9 && spans[p].count > 0) break;  // a rounding's worth of the next cell
      shares[static_cast<std::size_t>(p) * most + spans[p].count++] = static_cast<float>(share);
    }
  }
  // Rows first, in memory order, so that the field is read once; then the columns of the few sums that are left.
  constexpr std::uint32_t wide = 16;  // a fixed trip count, so that -O2 makes vectors of it too
  std::vector<float> sums(side);
  for (std::uint32_t py = 0; py < out_side; ++py) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    for (std::uint32_t k = 0; k < spans[py].count; ++k) {
      const float share = shares[static_cast<std::size_t>(py) * most + k];
      const float* __restrict row = cells + static_cast<std::size_t>(spans[py].first + k) * side;
      float* __restrict sum = sums.data();
      std::uint32_t x = 0;
      for (; x + wide <= side; x += wide) {
        for (std::uint32_t i = 0; i < wide; ++i) sum[x + i] += share * row[x + i];
      }
      for (; x < side; ++x) sum[x] += share * row[x];
    }
    for (std::uint32_t px = 0; px < out_side; ++px) {
      const float* share = shares.data() + static_cast<std::size_t>(px) * most;
      const float* cell = sums.data() + spans[px].first;
      float sum = 0;
      for (std::uint32_t k = 0; k < spans[px].count; ++k) sum += share[k] * cell[k];
      out[static_cast<std::size_t>(py) * out_side + px] = sum;
    }
  }
}

LensRegion place_lens(std::uint32_t side, std::uint32_t tile, double x, double y, float size) {
  LensRegion lens;
  tile = std::clamp(tile, 1u, std::max(side, 1u));
  lens.tiles = std::min(tile <= 8 ? 4u : 2u, std::max(side / tile, 1u));
  lens.cells = lens.tiles * tile;
  lens.cell_px = std::max(std::floor(size / static_cast<float>(lens.cells)), 1.0f);
  const auto start = [&](double at) {
    const auto cell = static_cast<std::uint32_t>(std::clamp(at, 0.0, 1.0) * side);
    const std::uint32_t first = std::max(std::min(cell / tile, side / tile), lens.tiles / 2) - lens.tiles / 2;
    return std::min(first, side / tile - lens.tiles) * tile;
  };
  lens.x = start(x);
  lens.y = start(y);
  return lens;
}

}  // namespace warpbook::app
