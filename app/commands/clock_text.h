// What the clock schedule's model says of a launch, and what each source line cost, in JSON and in words. Pure.
//
//     if (report.clock) json["clock"] = clock_json(*report.clock);
//     json["lines"] = lines_json(report, program.source.text);
//     print(clock_text(report, program.source.text));          // empty where no model ran
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "gpu/report.h"

namespace warpbook::app {

/// All of ClockReport but its timeline. Sums are those of the whole launch also where it was "sampled".
[[nodiscard]] nlohmann::ordered_json clock_json(const gpu::ClockReport& clock);

/// An object a source line, by line. null: not observed; 0: looked, and there was none. `source` gives each line its "text".
[[nodiscard]] nlohmann::ordered_json lines_json(const gpu::LaunchReport& report, std::string_view source);

/// Some lines of text: time, occupancy, what warps waited for, bytes moved, and the lines where they stood longest.
[[nodiscard]] std::string clock_text(const gpu::LaunchReport& report, std::string_view source);

/// The timeline as Chrome's trace events (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU), which
/// Perfetto opens: a process an SM, a thread a warp, a slice a span. A cycle is written as a microsecond.
[[nodiscard]] nlohmann::ordered_json trace_events(const gpu::LaunchReport& report, std::string_view source);

}  // namespace warpbook::app
