// JUnit: a check as the XML that graders and CI servers read: a testsuite an exercise, a testcase a case.
//
//     std::ofstream(file) << junit_xml(exercise, report);
//
// A case that does not pass has a <failure> whose type is the verdict and whose text says what to do. A kernel that does not
// compile, or cannot be launched as the exercise does, is one testcase, "compiles", with an <error>.
#pragma once

#include <string>
#include <string_view>

#include "lessons/check.h"

namespace warpbook::app {

[[nodiscard]] std::string junit_xml(const lessons::Exercise& exercise, const lessons::CheckReport& report);
[[nodiscard]] std::string junit_xml(const lessons::Exercise& exercise, std::string_view problem);

}  // namespace warpbook::app
