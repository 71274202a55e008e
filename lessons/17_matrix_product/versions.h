// Versions: times every version of lesson 17's kernel on the same matrices, for the roofline of the device.
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

/// Factor for rows and columns when a GPU is timed, so that the time is long enough to measure.
inline constexpr std::size_t times_on_gpu = 8;

/// The versions from the slowest to the fastest, then cuBLAS if the device has it, with the page's launch among them or last. A
/// version that does not compile or run (because the kernel was edited, or because it might read outside the arrays on a GPU) has
/// the time 0. The host's record and macros are unchanged.
[[nodiscard]] Result<Roofline> compare(Host& host, const Plan& chosen, Content content, const Product& product);

}  // namespace warpbook::lessons::matrices
