// The lane-wise handlers for one instruction set; gpu/CMakeLists.txt gives this file its -march.
// The sanitizers need to look at this source once only: they get the generic build.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#  include "gpu/virtual/vm/lanes/handlers_alu.h"
#  include "gpu/virtual/vm/lanes/handlers_atomic.h"
#  include "gpu/virtual/vm/lanes/handlers_memory.h"
#  include "gpu/virtual/vm/lanes/handlers_table.h"
#else
#  include "gpu/virtual/vm/lanes/handlers.h"
namespace warpbook::gpu::vm::avx512 {  // never chosen
Handlers lanewise_handler(const ptx::Instruction&, Widths) { return nullptr; }
Handlers memory_handler(const ptx::Instruction&, Widths, Addressing, bool) { return nullptr; }
Handlers atomic_handler(const ptx::Instruction&, Addressing, bool, bool) { return nullptr; }
}  // namespace warpbook::gpu::vm::avx512
#endif
