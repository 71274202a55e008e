// HostGuard: with --observe memory, device memory that the host's own code uses ends the program, as it does on a GPU. (Without it,
// the two sides' memory is one.) What cudaMalloc gave is closed to this process, and open only while one of CUDA's calls needs it.
//
//     guard.keep(address, bytes);            // a new allocation: closed from here on
//     guard.open(address); … guard.close();  // for a copy; open_all() for a launch
//     guard.forget(address);
//
// Under the library's mutex, as everything is.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace warpbook::cudart {

class HostGuard {
 public:
  void keep(std::uint64_t address, std::uint64_t bytes);
  void forget(std::uint64_t address);
  void forget_all();
  void open(std::uint64_t address);
  void open_all();
  void close();  // what was opened

 private:
  struct Closed {
    std::uint64_t bytes = 0;
    bool open = false;
  };
  std::map<std::uint64_t, Closed> kept_;  // by address
  std::vector<std::uint64_t> opened_;
};

}  // namespace warpbook::cudart
