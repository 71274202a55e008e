// Variable rows: the source's variables where a stepper stands, as the stepper's table shows them.
//
//     prepare_variables(stepper, view);      // fills view.groups
//
// Pure: no window. The order of the rows is the source's and does not change from step to step.
#pragma once

#include <cstddef>
#include <string>

#include "app/session/steps.h"

namespace warpbook::app {

/// What has changed is what stepper.view, the view before, shows differently for the same warp.
void prepare_variables(const Stepper& stepper, StepView& view);

/// The most variables and expressions that a line which was executed names, at most four: room for them is kept in the table.
[[nodiscard]] std::size_t most_expressions(const Steps::Launch& launch);

/// The element of a shared array that begins at an offset of the block's shared memory, as the source indexes it: "tile[2][5]".
/// Empty: no variable of the source, or it is no array of four-byte elements.
[[nodiscard]] std::string shared_element(const Steps::Launch& launch, const gpu::HistoryArray& array, std::uint64_t offset);

}  // namespace warpbook::app
