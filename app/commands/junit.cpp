#include "app/commands/junit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands/report_text.h"
#include "gpu/shown_text.h"

namespace warpbook::app {
namespace {

/// Text of an element or an attribute. Control characters have no place in XML 1.0, and what a compiler says about a learner's file
/// may hold any bytes: they are shown as elsewhere, by escapes.
std::string escaped_in_xml(std::string_view text) {
  std::string safe;
  for (const char c : without_controls(text)) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        if (c != '\r') safe += c;
    }
  }
  return safe;
}

std::string suite(const lessons::Exercise& exercise, std::size_t tests, std::size_t failures, std::size_t errors,
                  std::string_view cases) {
  return fmt::format("<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n{}</testsuite>\n",
                     escaped_in_xml(exercise.id), tests, failures, errors, cases);
}

}  // namespace

std::string junit_suite(const lessons::Exercise& exercise, const lessons::CheckReport& report) {
  if (report.compile_failure) return junit_suite(exercise, report.compile_failure->message);
  std::string cases;
  for (const lessons::CheckReport::Case& each : report.cases) {
    cases += fmt::format("<testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\">", escaped_in_xml(exercise.as_lesson.id),
                         escaped_in_xml(each.name), each.report.run_ms / 1000);
    if (each.verdict != lessons::Checks::Verdict::passed) {
      std::string words = each.message;
      for (const std::string& step : each.hints) words += fmt::format("\nHint: {}", step);
      cases += fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>", name_of(each.verdict), escaped_in_xml(each.message),
                           escaped_in_xml(words));
    }
    cases += "</testcase>\n";
  }
  return suite(exercise, report.cases.size(), report.cases.size() - report.passed(), 0, cases);
}

std::string junit_suite(const lessons::Exercise& exercise, std::string_view problem) {
  return suite(exercise, 1, 0, 1,
               fmt::format("<testcase classname=\"{}\" name=\"compiles\"><error message=\"{}\"/></testcase>\n",
                           escaped_in_xml(exercise.as_lesson.id), escaped_in_xml(problem)));
}

std::string junit_xml(std::span<const std::string> suites) {
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n{}</testsuites>\n", fmt::join(suites, ""));
}

}  // namespace warpbook::app
