#include "tests/forms/prover.h"

namespace warpbook::gpu::test {

bool Prover::knows(const ptx::OpcodeRow& row) const {
  for (std::size_t at = 0; at < opcodes.size();) {
    const std::size_t end = std::min(opcodes.find(' ', at), opcodes.size());
    if (opcodes.substr(at, end - at) == row.spelling) return true;
    at = end + 1;
  }
  return false;
}

const std::vector<Prover>& provers() {
  static const std::vector<Prover> all = [] {
    std::vector<Prover> list;
    for (const auto& some :
         {integer_provers(), float_provers(), approximation_provers(), comparison_provers(), conversion_provers(), video_provers(),
          memory_provers(), atomic_provers(), texture_provers(), warp_provers(), barrier_provers(), control_provers()})
      list.insert(list.end(), some.begin(), some.end());
    return list;
  }();
  return all;
}

}  // namespace warpbook::gpu::test
