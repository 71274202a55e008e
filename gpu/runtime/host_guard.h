// HostGuard: with --observe memory, host code that accesses device memory ends the program, as it does on a GPU. (Without the guard
// it would work, because both use the same memory.) Memory from cudaMalloc is inaccessible (mprotect), except while one of CUDA's
// calls needs it.
//
//     guard.keep(address, bytes);            // a new allocation: inaccessible from now on
//     guard.open(address); … guard.close();  // for a copy; open_all() for a launch
//     guard.forget(address);
//
// The caller holds the library's mutex.
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
  void close();  // everything that was opened

 private:
  struct Closed {
    std::uint64_t bytes = 0;
    bool open = false;
  };
  std::map<std::uint64_t, Closed> kept_;  // by address
  std::vector<std::uint64_t> opened_;
};

}  // namespace warpbook::cudart
