// The report of `warpbook exec` as one page of HTML that needs no other file and no network.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/commands/exec_report.h"
#include "app/commands/report_text.h"
#include "gpu/finding_kinds.h"
#include "gpu/message.h"
#include "gpu/shown_text.h"

namespace warpbook::app {
namespace {

using Wrong = ExecReport::Wrong;

constexpr std::string_view page_style = R"(
:root { color-scheme: light dark; --page: #fff; --raised: #f4f5f7; --line: #d9dde2; --first: #16191e; --second: #3d434b; --third: #6a717a;
  --memory: #b3263c; --race: #a34a0a; --init: #7c4176; --sync: #00686b; --cost: #2f5f9e; --bad: #b3261e; --good: #1b6e41; --bar: #2f6fb5; }
@media (prefers-color-scheme: dark) { :root { --page: #16191e; --raised: #1e2227; --line: #2d3238; --first: #eef0f3; --second: #c0c4cb;
  --third: #999fa7; --memory: #f2607a; --race: #ff9a5c; --init: #c08abb; --sync: #6cf5f5; --cost: #84b7fe; --bad: #ff6b6b; --good: #7fe6ae;
  --bar: #7fabe7; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--second); font: 16px/1.55 Inter, system-ui, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1, h2, strong, th { color: var(--first); }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .75rem; }
p { margin: .4rem 0; }
code, pre, .place { font-family: "JetBrains Mono", ui-monospace, monospace; font-size: .875rem; font-variant-ligatures: none; }
article { background: var(--raised); border: 1px solid var(--line); border-left: 4px solid var(--kind); border-radius: 6px;
  padding: .75rem 1rem; margin: 0 0 1rem; }
.kind { color: var(--kind); font-weight: 600; margin-right: .75rem; }
.place { color: var(--first); overflow-wrap: anywhere; }
.note { color: var(--third); font-size: .9rem; }
pre { margin: .6rem 0 0; padding: .5rem 0; overflow-x: auto; background: var(--page); border: 1px solid var(--line); border-radius: 4px;
  line-height: 1.5; }
pre div { display: inline-block; min-width: 100%; }
pre span { display: block; padding: 0 .75rem; white-space: pre; }
pre .here { background: color-mix(in srgb, var(--kind) 16%, transparent); color: var(--first); font-weight: 600; }
pre i { color: var(--third); font-style: normal; font-weight: 400; user-select: none; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .4rem 1rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; font-size: .9rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td:first-child { min-width: 11rem; }
td code { overflow-wrap: anywhere; }
.bar { height: .5rem; min-width: 6rem; background: var(--line); border-radius: 3px; margin-top: .5rem; }
.bar div { height: 100%; min-width: 2px; background: var(--bar); border-radius: 3px; }
footer { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem; }
)";

/// A sentence, in which what stands between ` ` is code.
std::string prose(std::string_view text) {
  std::string html;
  bool code = false;
  const bool paired = std::count(text.begin(), text.end(), '`') % 2 == 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = paired ? std::min(text.find('`', at), text.size()) : text.size();
    html += escaped_for_markup(text.substr(at, end - at));
    if (end < text.size()) {
      html += code ? "</code>" : "<code>";
      code = !code;
    }
    at = end + 1;
  }
  return html;
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

/// A line and those around it.
std::string code_excerpt(const std::string& source, std::uint32_t line) {
  constexpr std::uint32_t around = 2;
  if (line == 0 || source.empty() || line_of(source, line).empty()) return {};
  std::string html;
  const auto lines = static_cast<std::uint32_t>(std::count(source.begin(), source.end(), '\n')) + 1;
  for (std::uint32_t n = line > around ? line - around : 1; n <= std::min(line + around, lines); ++n)
    html += fmt::format("<span{}><i>{:>5}  </i>{}</span>", n == line ? " class=\"here\"" : "", n,
                        escaped_for_markup(shown_line(line_of(source, n), 0).text));
  return "<pre><div>" + html + "</div></pre>\n";
}

std::string article(std::string_view colour, std::string_view kind, const std::string& place, const std::string& body) {
  return fmt::format(
      "<article style=\"--kind: var(--{})\">\n<p><span class=\"kind\">{}</span><span class=\"place\">{}</span></p>\n{}</article>\n",
      colour, kind, escaped_for_markup(place), body);
}

std::string at_file(const std::string& file, std::uint32_t line) {
  return line > 0 ? fmt::format("{}:{}", file, line) : std::string();
}

std::string finding_html(const ExecReport::Found& found, const std::vector<std::string>& folders) {
  const gpu::Finding& finding = found.finding;
  const std::string_view kind = name_of(finding.kind);
  const bool cost = gpu::row_of(finding.kind).group == gpu::FindingGroup::cost;
  std::string body = fmt::format("<p>{}</p>\n", prose(in_sentences(say(finding.message))));
  if (!found.buffer.empty()) body += fmt::format("<p class=\"note\">{}</p>\n", prose(found.buffer));
  body += code_excerpt(source_text(finding.at.file, folders), finding.at.line);
  if (finding.other && (finding.other->line != finding.at.line || finding.other->file != finding.at.file)) {
    body += fmt::format("<p class=\"note\">The other access, <span class=\"place\">{}</span>:</p>\n",
                        escaped_for_markup(at_file(finding.other->file, finding.other->line)));
    body += code_excerpt(source_text(finding.other->file, folders), finding.other->line);
  }
  const std::string place = at_file(finding.at.file, finding.at.line) + (found.kernel.empty() ? "" : " in " + found.kernel);
  return article(cost ? "cost" : kind, kind, place, body);
}

std::string_view title_of(const Wrong& wrong) {
  if (wrong.kind == "fault") return "error in a kernel";
  if (wrong.kind == "refused") return "launch refused";
  if (wrong.kind == "ignored_error") return "error not looked at";
  if (wrong.kind == "leak") return "never freed";
  if (wrong.kind == "crash") return "crash";
  return "child process";
}

std::string wrong_html(const Wrong& wrong, const std::vector<std::string>& folders) {
  std::string body = fmt::format("<p>{}{}</p>\n", prose(in_sentences(wrong.sentence)),
                                 wrong.times > 1 && wrong.kind != "leak" ? fmt::format(" ({} times)", wrong.times) : "");
  body += code_excerpt(source_text(wrong.file, folders), static_cast<std::uint32_t>(std::max(wrong.line, 0)));
  return article("bad", title_of(wrong), at_file(wrong.file, static_cast<std::uint32_t>(std::max(wrong.line, 0))), body);
}

/// A heading, and what is below it or the sentence that there is nothing.
std::string section(std::string_view title, const std::string& body, std::string_view nothing) {
  return fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", title, body.empty() ? fmt::format("<p>{}</p>\n", nothing) : body);
}

std::string kernels_html(const ExecReport& report, const ProgramEnd& end) {
  if (report.kernels.empty()) return {};
  double all = 0;
  for (const auto& kernel : report.kernels) all += end.clock ? kernel.counters.model_us : kernel.counters.run_ms;
  std::string rows;
  for (const auto& kernel : report.kernels) {
    const double share = all > 0 ? (end.clock ? kernel.counters.model_us : kernel.counters.run_ms) / all : 0;
    rows += fmt::format("<tr><td><code>{}</code></td><td class=\"number\">{}</td><td class=\"number\">{}</td>",
                        escaped_for_markup(kernel.name), kernel.counters.launches, time_text(kernel.counters.run_ms));
    if (end.clock) rows += fmt::format("<td class=\"number\">{}</td>", time_text(kernel.counters.model_us / 1e3));
    rows += fmt::format("<td><div class=\"bar\" title=\"{0:.1f} %\"><div style=\"width: {0:.1f}%\"></div></div></td></tr>\n",
                        share * 100);
  }
  return fmt::format(
      "<div class=\"scroll\"><table>\n<thead><tr><th>Kernel</th><th class=\"number\">Launches</th><th class=\"number\">This "
      "machine</th>{}"
      "<th>Share</th></tr></thead>\n<tbody>\n{}</tbody>\n</table></div>\n<p class=\"note\">{}</p>\n",
      end.clock ? "<th class=\"number\">Model</th>" : "", rows,
      end.clock
          ? "Times of this machine are what the virtual GPU took. The model says how long the kernels would take on the device; "
            "the share is of the modelled time."
          : "Times are what the virtual GPU took on this machine, and not a GPU's. <code>--schedule clock</code> adds a model of "
            "those.");
}

std::string findings_html(const ExecReport& report) {
  std::string html;
  for (const ExecReport::Found& found : report.findings) html += finding_html(found, report.folders);
  return html;
}

std::string wrongs_html(const ExecReport& report, bool leaks, bool ignored) {
  std::string html;
  for (const Wrong& wrong : report.wrong)
    if (leaks == (wrong.kind == "leak") && ignored == (wrong.kind == "ignored_error")) html += wrong_html(wrong, report.folders);
  return html;
}

std::string summary_html(const ExecReport& report) {
  std::uint64_t launches = 0;
  for (const auto& kernel : report.kernels) launches += kernel.counters.launches;
  const std::uint64_t wrong = report.findings.size() + report.wrong.size();
  return fmt::format("<p><strong style=\"color: var(--{})\">{}</strong> {}, {}.</p>\n", wrong ? "bad" : "good",
                     wrong ? counted(wrong, "thing was found.", "things were found.") : "Nothing was found.",
                     counted(report.kernels.size(), "kernel", "kernels"), counted(launches, "launch", "launches"));
}

}  // namespace

std::string exec_html(const ExecReport& report, const ProgramEnd& end) {
  const std::string name = std::filesystem::path(end.program).filename().string();
  std::string body = fmt::format("<h1>{}</h1>\n<p>{}", escaped_for_markup(name),
                                 prose(report.not_run ? end.program + " was stopped." : ended_sentence(end)));
  for (const std::string& remark : report.remarks) body += " " + prose(in_sentences(remark));
  body += "</p>\n" + summary_html(report);
  const std::string watched =
      end.observe == "none"
          ? "Kernels were not watched. <code>--observe all</code> looks in them for races, accesses out of bounds, "
            "reads of what nobody has written, and barriers that not all threads reach."
          : fmt::format("Nothing was found. Looked for: {}.", escaped_for_markup(end.observe));
  body += section("Findings in kernels", findings_html(report), watched);
  if (const std::string errors = wrongs_html(report, false, false); !errors.empty()) body += section("Errors", errors, "");
  body += section("Errors that nobody looked at", wrongs_html(report, false, true),
                  "None: no call of CUDA's failed without the program asking.");
  body += section("Memory that was never freed", wrongs_html(report, true, false), "None.");
  body += section("Kernels", kernels_html(report, end), "No kernel was launched.");
  body += fmt::format("<footer class=\"note\">\n<p><code>{}</code></p>\n<p>Run by Warpbook on {}.</p>\n</footer>\n",
                      escaped_for_markup(end.command), escaped_for_markup(end.device));
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, "
      "initial-scale=1\">\n<title>{} · Warpbook</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
      escaped_for_markup(name), page_style, body);
}

}  // namespace warpbook::app
