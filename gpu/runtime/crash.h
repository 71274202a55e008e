// Writes into the journal where a program's own code crashed. It does not allocate memory, because the heap may be corrupt.
//
//     tell_crashes(journal.get());     // when the journal exists; nullptr: stop
//
// If the program handles the signal itself, nothing is done. In any case the program ends as it would have ended.
#pragma once

#include "gpu/program/journal.h"

namespace warpbook::cudart {

void tell_crashes(gpu::ProgramJournal* journal);

}  // namespace warpbook::cudart
