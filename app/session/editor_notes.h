// EditorNotes: the sentences under the kernel's lines: the compiler's errors and the device's findings. Pure: no drawing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "gpu/report.h"

namespace warpbook::app {

struct EditorNote {
  std::size_t line = 0;                  // from 0
  std::size_t begin = 0, end = 0;        // bytes of the line that are underlined
  std::optional<gpu::FindingKind> kind;  // empty: an error of the compiler
  std::string title, message;            // "Race", "Thread (0,0,0) of block 3 …"
  std::string key;                       // of LessonState::notes; the same for the same note after another run
  bool open_at_first = true;
};

/// The compiler's errors in the present text; if there are none, the findings of the last run, if it ran the present text. Sorted
/// by line.
[[nodiscard]] std::vector<EditorNote> notes_of(const LessonState& state);

/// A finding as it is copied: "Race, race.cu line 9: Thread (32,0,0) of block …", with the number of orders it was seen in.
[[nodiscard]] std::string finding_words(const gpu::Finding& finding, const gpu::LaunchReport& report);

/// The line that includes a header, from 0. If no line names this header, the first line that includes a header in quotes.
[[nodiscard]] std::size_t line_that_includes(const std::vector<std::string>& lines, const std::string& header);
/// Whether `file` is one of the headers, so that its lines are not lines of the kernel.
[[nodiscard]] bool in_header(const std::vector<gpu::Header>& headers, const std::string& file);

}  // namespace warpbook::app
