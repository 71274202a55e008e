// What to do about an error of clang's whose words do not say that `warpbook cc` is in the way, and what cc is laxer about than
// nvcc.
//
//     for (const std::string& sentence : cc_advice("heat.cu:1:10: fatal error: 'thrust/scan.h' file not found"))
//       print_err("warpbook: {}\n", sentence);     // thrust/scan.h belongs to the CUDA Toolkit, …
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpbook::app {

/// Of the kernels' PTX: what compiles here and not with nvcc for today's GPUs. Each sentence once.
[[nodiscard]] std::vector<std::string> cc_warnings(std::string_view ptx);

/// `errors`: all that clang printed. Each sentence once.
[[nodiscard]] std::vector<std::string> cc_advice(std::string_view errors);

}  // namespace warpbook::app
