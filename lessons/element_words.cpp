#include "lessons/element_words.h"

#include <fmt/format.h>

#include <span>

#include "gpu/elements.h"

namespace warpbook::lessons {

double value_of(const gpu::Scalar& scalar) { return gpu::element_value(scalar.type, std::as_bytes(std::span(&scalar.bits, 1)), 0); }

std::string text_of(const gpu::Scalar& scalar) {
  return gpu::element_text(scalar.type, std::as_bytes(std::span(&scalar.bits, 1)), 0);
}

std::string writer_of(const Checks::Wrong::Element& element) {
  if (!element.writes) return "not observed";
  if (element.writes->count == 0) return "no thread";
  const gpu::Place& last = *element.writes->last;
  const std::string thread = gpu::to_string(last.thread), block = gpu::to_string(last.block);
  if (element.writes->count == 1) return fmt::format("thread {} of block {}", thread, block);
  return fmt::format("thread {} of block {}, the last of {}", thread, block, element.writes->count);
}

}  // namespace warpbook::lessons
