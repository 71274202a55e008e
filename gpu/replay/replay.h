// Replay: a virtual GPU on which a recorded launch (gpu/program/run_record.h) runs again, exactly as in its program.
//
//     auto device = make_replay_device(compiler, *record, 3);                 // for the launch with this index
//     auto program = (*device)->compile({});                                  // the recorded one, whatever the source is
//     for (const RecordedMemory* memory : buffers_of(launch)) buffers.push_back(*(*device)->allocate({.name = "a", …}));
//     (*device)->launch({.program = *program, .kernel = launch.entry, .arguments = arguments_of(launch), …});
//
// The device has the record's profile. What is allocated on it, in the order of the record, gets the recorded address and contents,
// so that pointers in arguments and in memory mean what they meant; the variables of the program have their recorded values.
// Further allocations are like any other.
//
// Errors are sentences: what the record has left out; "cudaErrorMemoryAllocation": this machine has not enough memory for it.
#pragma once

#include <memory>
#include <vector>

#include "gpu/device.h"
#include "gpu/program/run_record.h"
#include "gpu/result.h"

namespace warpbook::gpu {

/// The launch's program, with its source where the record has it.
[[nodiscard]] Result<ProgramPtr> recorded_program(Compiler& compiler, const RunRecord& record, std::size_t launch);

/// The record is kept as long as the device needs it; the compiler must outlive the device.
[[nodiscard]] Result<std::unique_ptr<Device>> make_replay_device(Compiler& compiler, std::shared_ptr<const RunRecord> record,
                                                                 std::size_t launch);

}  // namespace warpbook::gpu
