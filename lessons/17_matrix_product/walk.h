// Walk: which elements of A and B the kernel of lesson 17 loads in a small product, element by element and request by request.
//
//     auto traced = trace(host, plan, Content::ones);
//     if (traced && *traced) print((*traced)->walk.a.loaded());
#pragma once

#include <optional>

#include "gpu/result.h"
#include "lessons/17_matrix_product/product.h"
#include "lessons/figures.h"
#include "lessons/host.h"

namespace warpbook::lessons::matrices {

struct Traced {
  TileWalk walk;
  MemoryMap requests;  // of block 0
};

/// Makes a launch of the plan's product with at most two tiles on each side. Reads outside a matrix come after its elements, with
/// the reads of all blocks. Empty if the device cannot trace or the launch failed. The host's record is unchanged.
[[nodiscard]] Result<std::optional<Traced>> trace(Host& host, const Plan& chosen, Content content);

}  // namespace warpbook::lessons::matrices
