#include "lessons/figures.h"

#include <tuple>
#include <utility>
#include <variant>

namespace warpbook::lessons {

Figure::Figure() = default;
Figure::Figure(const Figure& other) = default;
Figure::Figure(Figure&& other) noexcept = default;
Figure& Figure::operator=(const Figure& other) = default;
Figure& Figure::operator=(Figure&& other) noexcept = default;
Figure::~Figure() = default;

template <class Kind>
void Figure::assign(Kind kind) {
  FigureKinds::operator=(std::move(kind));
}

namespace {

template <class... Kinds>
constexpr std::tuple<void (Figure::*)(Kinds)...> assign_of(const std::variant<Kinds...>*) {
  return {&Figure::assign<Kinds>...};
}
// Has assign compiled for each kind.
[[maybe_unused, gnu::used]] constexpr auto assign_of_each_kind = assign_of(static_cast<const FigureKinds*>(nullptr));

}  // namespace
}  // namespace warpbook::lessons
