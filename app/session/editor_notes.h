// EditorNotes: what stands under which line of the kernel, and which lines the learner has changed. Pure: no drawing.
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
  std::optional<gpu::FindingKind> kind;  // empty: the compiler's
  std::string title, message;            // "Race", "Thread (0,0,0) of block 3 …"
  std::string key;                       // stays the same as long as the note does: whether it is open is kept by it
  bool open_at_first = true;
};

/// The compiler's errors of the present text; else the findings of the last run, if it ran the present text. By line.
[[nodiscard]] std::vector<EditorNote> notes_of(const LessonState& state);

/// A finding as it is copied: "Race, race.cu line 9: Thread (32,0,0) of block …", and in how many orders it was seen.
[[nodiscard]] std::string finding_words(const gpu::Finding& finding, const gpu::LaunchReport& report);

/// The line that brings a header in, from 0: by its own #include, or else the first one of a header beside the file.
[[nodiscard]] std::size_t line_that_includes(const std::vector<std::string>& lines, const std::string& header);
/// Whether a place of this file is in one of the headers, and so on no line of the kernel's.
[[nodiscard]] bool in_header(const std::vector<gpu::Header>& headers, const std::string& file);

}  // namespace warpbook::app
