// Walk: what of A and B the kernel of lesson 17 loads, element by element and request by request, in a small product.
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

/// A launch of its own, of the plan's product with at most two tiles along each side. What was read beyond the end of a matrix
/// stands after its elements, with the reads of all blocks. Empty on a device that cannot trace, and where the
/// launch did not end well. The host's record stays as it was.
[[nodiscard]] Result<std::optional<Traced>> trace(Host& host, const Plan& chosen, Content content);

}  // namespace warpbook::lessons::matrices
