#include "app/commands/junit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands/report_text.h"

namespace warpbook::app {
namespace {

std::string suite(const lessons::Exercise& exercise, std::size_t tests, std::size_t failures, std::size_t errors,
                  std::string_view cases) {
  return fmt::format("<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n{}</testsuite>\n",
                     escaped_for_markup(exercise.id), tests, failures, errors, cases);
}

}  // namespace

std::string junit_suite(const lessons::Exercise& exercise, const lessons::CheckReport& report) {
  if (report.compile_failure) return junit_suite(exercise, report.compile_failure->message);
  std::string cases;
  for (const lessons::CheckReport::Case& each : report.cases) {
    cases += fmt::format("<testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\">", escaped_for_markup(exercise.as_lesson.id),
                         escaped_for_markup(each.name), each.report.run_ms / 1000);
    if (each.verdict != lessons::Checks::Verdict::passed) {
      std::string words = each.message;
      for (const std::string& step : each.hints) words += fmt::format("\nHint: {}", step);
      cases += fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>", name_of(each.verdict), escaped_for_markup(each.message),
                           escaped_for_markup(words));
    }
    cases += "</testcase>\n";
  }
  return suite(exercise, report.cases.size(), report.cases.size() - report.passed(), 0, cases);
}

std::string junit_suite(const lessons::Exercise& exercise, std::string_view problem) {
  return suite(exercise, 1, 0, 1,
               fmt::format("<testcase classname=\"{}\" name=\"compiles\"><error message=\"{}\"/></testcase>\n",
                           escaped_for_markup(exercise.as_lesson.id), escaped_for_markup(problem)));
}

std::string junit_xml(std::span<const std::string> suites) {
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n{}</testsuites>\n", fmt::join(suites, ""));
}

}  // namespace warpbook::app
