// A control in one line, for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lessons/lesson.h"

namespace warpbook::lessons::testing {

inline Control control(std::string id, Control::Kind kind, double initial, double least, double most,
                       std::vector<Control::Option> options = {}) {
  Control made;
  made.label = as_it_is(id);
  made.id = std::move(id);
  made.kind = kind;
  made.initial = initial;
  made.least = least;
  made.most = most;
  made.options = std::move(options);
  return made;
}

}  // namespace warpbook::lessons::testing
