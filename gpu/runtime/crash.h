// Where a program's own code crashed: told to the journal while it ends, without memory of the C library's, which may be what is
// broken.
//
//     tell_crashes(journal.get());     // once there is one; nullptr: no longer
//
// A program that handles the signal itself is left alone, and every program ends as it would have ended.
#pragma once

#include "gpu/program/journal.h"

namespace warpbook::cudart {

void tell_crashes(gpu::ProgramJournal* journal);

}  // namespace warpbook::cudart
