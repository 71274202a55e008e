// JUnit: a check as the XML that graders and CI servers read: a testsuite an exercise, a testcase a case.
//
//     std::ofstream(file) << junit_xml(std::array{junit_suite(square, report)});
//
// A case that does not pass has a <failure> whose type is the verdict and whose text says what to do. A kernel that does not
// compile, or cannot be launched as the exercise does, is one testcase, "compiles", with an <error>.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lessons/check.h"

namespace warpbook::app {

/// The testsuite of an exercise, or of why it could not be checked.
[[nodiscard]] std::string junit_suite(const lessons::Exercise& exercise, const lessons::CheckReport& report);
[[nodiscard]] std::string junit_suite(const lessons::Exercise& exercise, std::string_view problem);
/// The whole file.
[[nodiscard]] std::string junit_xml(std::span<const std::string> suites);

}  // namespace warpbook::app
