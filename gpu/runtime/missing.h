// Which of CUDA's names are here only to say that they are missing.
#pragma once

namespace warpbook::cudart {

[[nodiscard]] bool is_missing(const void* function);

}  // namespace warpbook::cudart
