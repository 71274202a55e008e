// Programs: the page for whole CUDA programs. A program's record (gpu/program/run_record.h) is a text of the lesson's Values, and
// the launch that is looked at is another: a run of the lesson is that launch, made again on the virtual GPU.
//
//     values.set_text(record_key, "/home/ada/heat.record");
//     values.set_text(launch_key, "3");
//     const OpenRecord open = record_of(values);          // the record, or why it cannot be shown
//
// The device that such a run is given is a replay device (gpu/replay/replay.h), which app/worker makes.
#pragma once

#include <memory>
#include <string>

#include "gpu/program/run_record.h"
#include "lessons/lesson.h"

namespace warpbook::lessons {

inline constexpr std::string_view record_key = "record/file", launch_key = "record/launch";  // launches are numbered from 1

[[nodiscard]] const Lesson& programs();

/// A record as it lies on the disk. It is read once, and again when the file has changed. Thread-safe.
struct OpenRecord {
  std::shared_ptr<const gpu::RunRecord> record;  // nullptr: there is none
  Error why_not;                                 // with an empty message: no record is chosen
};
[[nodiscard]] OpenRecord record_of(const Values& values);

/// The index in RunRecord::launches of the launch that is looked at.
[[nodiscard]] std::size_t launch_in(const Values& values);

/// What the editor shows of the launch: the source that holds its kernel, or comments that say why it is not there.
[[nodiscard]] std::string source_text(const gpu::RunRecord& record, std::size_t launch);
/// The name of that file, without its folder.
[[nodiscard]] std::string source_name(const gpu::RunRecord& record, std::size_t launch);

/// "count", "scale<float>"; of Numba's "cudapy::__main__::add[abi:v1](Array<…>)" its "add".
[[nodiscard]] std::string short_kernel_name(const std::string& name);

/// What the host and the device did around a launch.
[[nodiscard]] HostTimeline timeline_of(const gpu::RunRecord& record, std::size_t launch);

}  // namespace warpbook::lessons
