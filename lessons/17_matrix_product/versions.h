// Versions: every version of lesson 17's kernel, timed on the same matrices and drawn under the roofs of the device.
//
//     auto roofline = compare(host, plan, Content::ones, product);   // product: of multiply() with this plan
//     for (const Roofline::Version& version : roofline->versions) print(version.letter, version.label, version.us);
#pragma once

#include <cstddef>

#include "gpu/result.h"
#include "lessons/17_matrix_product/product.h"
#include "lessons/figures.h"
#include "lessons/host.h"

namespace warpbook::lessons::matrices {

/// As many rows and columns where a GPU is timed: they are worth measuring.
inline constexpr std::size_t times_on_gpu = 8;

/// The versions from the slowest to the fastest, then cuBLAS where the device has it; and the page's launch among them, or last. A
/// version that does not compile or run, because the kernel was edited, or on a GPU because it could read outside, has the time 0.
/// The host's record and its macros stay as they were.
[[nodiscard]] Result<Roofline> compare(Host& host, const Plan& chosen, Content content, const Product& product);

}  // namespace warpbook::lessons::matrices
