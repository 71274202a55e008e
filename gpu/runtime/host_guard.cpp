#include "gpu/runtime/host_guard.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace warpbook::cudart {
namespace {

/// Every allocation has pages of its own (gpu/virtual/vm/memory/memory.h).
void protect(std::uint64_t address, std::uint64_t bytes, int how) {
  static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  (void)mprotect(reinterpret_cast<void*>(address), (std::max<std::uint64_t>(bytes, 1) + page - 1) / page * page, how);
}

}  // namespace

void HostGuard::keep(std::uint64_t address, std::uint64_t bytes) {
  kept_[address] = {bytes, false};
  protect(address, bytes, PROT_NONE);
}

void HostGuard::forget(std::uint64_t address) { kept_.erase(address); }

void HostGuard::forget_all() { kept_.clear(); }

void HostGuard::open(std::uint64_t address) {
  const auto found = kept_.find(address);
  if (found == kept_.end() || found->second.open) return;
  found->second.open = true;
  opened_.push_back(address);
  protect(address, found->second.bytes, PROT_READ | PROT_WRITE);
}

void HostGuard::open_all() {
  for (const auto& [address, closed] : kept_) open(address);
}

void HostGuard::close() {
  for (const std::uint64_t address : opened_)
    if (const auto found = kept_.find(address); found != kept_.end() && found->second.open) {
      found->second.open = false;
      protect(address, found->second.bytes, PROT_NONE);
    }
  opened_.clear();
}

}  // namespace warpbook::cudart
