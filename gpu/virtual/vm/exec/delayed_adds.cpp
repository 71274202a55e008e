#include "gpu/virtual/vm/exec/delayed_adds.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "gpu/virtual/vm/exec/block.h"

namespace warpbook::gpu::vm {
namespace {

constexpr std::uint64_t most_delayed_bytes = 256 * 1024;  // larger arrays hold data rather than counters
constexpr unsigned most_forced = 16;
constexpr std::size_t row_words = 16;  // a page is searched by rows, since most of it may be empty
static_assert(DelayedAdds::page_words % row_words == 0);

}  // namespace

DelayedAdds::Array* DelayedAdds::array_of(Worker& worker, const Extent& extent) {
  auto found = std::find_if(arrays_.begin(), arrays_.end(), [&](const Array& array) { return array.extent.low == extent.low; });
  if (found == arrays_.end()) {
    if (extent.high - extent.low > most_delayed_bytes) return nullptr;
    const std::size_t words = ((extent.high - extent.low + 3) / 4 + row_words - 1) / row_words * row_words;
    arrays_.push_back({.extent = extent,
                       .sums = std::vector<std::uint32_t>(words),
                       .touched = std::vector<std::uint8_t>((words + page_words - 1) / page_words)});
    found = std::prev(arrays_.end());
  }
  if (found->forced > most_forced) return nullptr;
  if (!found->pending) {
    // Whoever remembers this array must ask for it again, and so be noticed.
    for (Extent& remembered : worker.extents)
      if (remembered.low == extent.low) remembered = {};
    pending_ = found->pending = true;
  }
  return &*found;
}

void DelayedAdds::flush(Array& array) {
  if (!std::exchange(array.pending, false)) return;
  for (std::size_t page = 0; page < array.touched.size(); ++page) {
    if (!std::exchange(array.touched[page], 0)) continue;
    const std::size_t end = std::min(array.sums.size(), (page + 1) * page_words);
    for (std::size_t row = page * page_words; row < end; row += row_words) {
      std::uint32_t* const sums = &array.sums[row];
      std::uint32_t any = 0;
      for (std::size_t w = 0; w < row_words; ++w) any |= sums[w];
      if (!any) continue;
      for (std::size_t w = 0; w < row_words; ++w)
        if (const std::uint32_t sum = std::exchange(sums[w], 0))
          __atomic_fetch_add(reinterpret_cast<std::uint32_t*>(array.extent.host) + row + w, sum, __ATOMIC_RELAXED);
    }
  }
}

void DelayedAdds::touch(const Extent& extent) {
  for (Array& array : arrays_)
    if (array.extent.low == extent.low && array.pending) {
      flush(array);
      ++array.forced;
    }
}

void DelayedAdds::flush() {
  for (Array& array : arrays_) flush(array);
  pending_ = false;
}

}  // namespace warpbook::gpu::vm
