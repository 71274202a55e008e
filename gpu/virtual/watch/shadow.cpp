#include "gpu/virtual/watch/shadow.h"

namespace warpbook::gpu::watch {
namespace {

void spread(const EvenSlot& even, Slots& slots) {
  if (even.stamp == 0) return;
  for (unsigned j = 0; j < cells; ++j) slots.thread[j] = even.thread(j);
  slots.stamp.fill(even.stamp);
  slots.site.fill(even.site);
}

/// 32 bytes' cells from the 8 words they lie in, the first of which is `first_word`.
void spread(const Slots& words, unsigned first_word, Slots& bytes) {
  for (unsigned j = 0; j < cells; ++j) {
    bytes.thread[j] = words.thread[first_word + j / 4];
    bytes.stamp[j] = words.stamp[first_word + j / 4];
    bytes.site[j] = words.site[first_word + j / 4];
  }
}

}  // namespace

void Segment::split_to_words() {
  words = std::make_unique<Cells>();
  spread(write, words->write);
  spread(reads[0], words->reads[0]);
  spread(reads[1], words->reads[1]);
  write = {};
  reads = {};
}

void Segment::split_to_bytes() {
  if (!words) split_to_words();
  bytes = std::make_unique<std::array<Cells, 4>>();
  by_byte = true;
  for (unsigned quarter = 0; quarter < 4; ++quarter) {
    Cells& to = (*bytes)[quarter];
    const unsigned first = quarter * 8;
    spread(words->write, first, to.write);
    for (unsigned j = 0; j < cells; ++j) to.value[j] = words->value[first + j / 4] >> (j % 4 * 8) & 0xffu;
    for (std::size_t i = 0; i < 2; ++i) spread(words->reads[i], first, to.reads[i]);
    if (!words->strong) continue;
    to.strong = std::make_unique<StrongCells>();
    for (std::size_t i = 0; i < 2; ++i) {
      spread(words->strong->writes[i], first, to.strong->writes[i]);
      spread(words->strong->reads[i], first, to.strong->reads[i]);
    }
  }
  words.reset();
}

void Segment::make_even(const EvenSlot& last_write) {
  words.reset();
  write = last_write;
  reads = {};
}

}  // namespace warpbook::gpu::watch
