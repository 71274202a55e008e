#include "app/views/common_scale.h"

#include <algorithm>

namespace warpbook::app {
namespace {

template <class T>
void join_most(T& a, T& b) {
  a = b = std::max(a, b);
}

void join(lessons::HostTimeline& a, lessons::HostTimeline& b) { join_most(a.end, b.end); }
void join(lessons::Interleaving& a, lessons::Interleaving& b) { join_most(a.end, b.end); }
void join(lessons::Field& a, lessons::Field& b) {
  a.low = b.low = std::min(a.low, b.low);
  join_most(a.high, b.high);
  join_most(a.laplacian_limit, b.laplacian_limit);
}
template <class T>
void join(T&, T&) {}

}  // namespace

std::pair<lessons::Figure, lessons::Figure> on_common_scale(lessons::Figure a, lessons::Figure b) {
  std::visit(
      [&](auto& first) {
        if (auto* const second = std::get_if<std::decay_t<decltype(first)>>(&b)) join(first, *second);
      },
      a);
  return {std::move(a), std::move(b)};
}

}  // namespace warpbook::app
