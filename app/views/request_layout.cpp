#include "app/views/request_layout.h"

#include <algorithm>
#include <map>
#include <set>

namespace warpbook::app {
namespace {

constexpr std::int64_t line_bytes = 128, sector_bytes = 32;

bool takes_part(const gpu::AccessRecord& record, std::uint32_t lane) {
  return (record.mask >> lane & 1) != 0 && record.index[lane] >= 0;
}

std::uint32_t elements_of(const gpu::AccessRecord& record, std::uint32_t element_bytes) {
  return std::max(record.bytes / element_bytes, 1u);
}

}  // namespace

GlobalTouch touch_of(const gpu::AccessRecord& record, std::uint32_t element_bytes, std::size_t most_lines) {
  element_bytes = std::max(element_bytes, 1u);
  const std::int64_t a_line = std::max<std::int64_t>(line_bytes / element_bytes, 1);
  std::map<std::int64_t, TouchedLine> lines;  // by number
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if (!takes_part(record, lane)) continue;
    for (std::uint32_t k = 0; k < elements_of(record, element_bytes); ++k) {
      const std::int64_t element = record.index[lane] + std::int64_t{k};
      TouchedLine& line = lines[element / a_line];
      line.first = element / a_line * a_line;
      line.lanes.resize(static_cast<std::size_t>(a_line));
      line.lanes[static_cast<std::size_t>(element % a_line)] |= 1u << lane;
      line.sectors |= 1u << (element % a_line * element_bytes / sector_bytes);
    }
  }
  GlobalTouch touch;
  for (auto& [number, line] : lines) {
    for (std::uint32_t sector = 0; sector < 4; ++sector) touch.sectors += line.sectors >> sector & 1;
    for (const std::uint32_t lanes : line.lanes) touch.asked_bytes += lanes != 0 ? element_bytes : 0;
    if (touch.lines.size() < most_lines)
      touch.lines.push_back(std::move(line));
    else
      ++touch.lines_left_out;
  }
  return touch;
}

BankTouch banks_of(const gpu::AccessRecord& record) {
  BankTouch touch;
  const std::uint32_t words = std::max(record.bytes / 4, 1u), together = std::max(32 / words, 1u);  // lanes served together
  for (std::uint32_t first = 0; first < 32; first += together) {
    std::array<std::set<std::int64_t>, 32> wanted;
    std::map<std::int64_t, std::uint32_t> lanes_on;  // a word
    for (std::uint32_t lane = first; lane < first + together; ++lane) {
      if (!takes_part(record, lane)) continue;
      for (std::uint32_t k = 0; k < words; ++k) {
        const std::int64_t word = record.index[lane] + std::int64_t{k};
        const auto bank = static_cast<std::size_t>(word % 32);
        wanted[bank].insert(word);
        ++lanes_on[word];
        auto& here = touch.banks[bank];
        auto found = std::find_if(here.begin(), here.end(), [&](const BankTouch::Word& w) { return w.word == word; });
        if (found == here.end()) found = here.insert(here.end(), {.word = word});
        found->lanes |= 1u << lane;
      }
    }
    for (std::uint32_t bank = 0; bank < 32; ++bank) {
      auto passes = static_cast<std::uint32_t>(wanted[bank].size());
      if (record.kind == gpu::AccessRecord::Kind::atomic) {
        passes = 0;
        for (const std::int64_t word : wanted[bank]) passes += lanes_on[word];
      }
      if (passes > touch.passes) touch.passes = passes, touch.busiest = bank;
    }
  }
  for (auto& bank : touch.banks) std::sort(bank.begin(), bank.end(), [](const auto& a, const auto& b) { return a.word < b.word; });
  return touch;
}

std::size_t rows_of(const gpu::AccessRecord& record, std::uint32_t element_bytes) {
  const std::int64_t a_line = std::max<std::int64_t>(line_bytes / std::max(element_bytes, 1u), 1);
  std::array<std::int64_t, 64> rows;  // an access is not larger than a line, so it touches two of them at most
  std::size_t count = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if (!takes_part(record, lane)) continue;
    const std::int64_t first = record.index[lane], last = first + elements_of(record, std::max(element_bytes, 1u)) - 1;
    rows[count++] = first / a_line;
    rows[count++] = last / a_line;
  }
  std::sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count));
  return static_cast<std::size_t>(std::unique(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count)) - rows.begin());
}

std::vector<ElementVisit> visits_of(std::span<const gpu::AccessRecord> requests, std::uint32_t buffer, std::int64_t element,
                                    std::uint32_t element_bytes) {
  std::vector<ElementVisit> visits;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const gpu::AccessRecord& record = requests[i];
    if (record.shared != (buffer == 0) || (buffer != 0 && record.buffer != buffer)) continue;
    const std::int64_t count = elements_of(record, std::max(element_bytes, 1u));
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if (takes_part(record, lane) && element >= record.index[lane] && element < record.index[lane] + count)
        visits.push_back({i, lane});
    }
  }
  return visits;
}

}  // namespace warpbook::app
