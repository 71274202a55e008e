// Copies to shared memory beside the program, committed and waited for thread by thread.
#pragma once
#pragma clang system_header

#include <warpbook/copies.h>

/// 4, 8 or 16 bytes from global to shared memory; the last `zeros` of them are zeros.
WARPBOOK_DEVICE void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros = 0) {
  const unsigned int fill = (unsigned int)zeros;
  if (bytes == 16) {
    zeros == 0 ? warpbook_copies::copy_whole_piece<16>(to, from) : warpbook_copies::copy_piece<16>(to, from, fill);
  } else if (bytes == 8) {
    zeros == 0 ? warpbook_copies::copy_whole_piece<8>(to, from) : warpbook_copies::copy_piece<8>(to, from, fill);
  } else if (bytes == 4) {
    zeros == 0 ? warpbook_copies::copy_whole_piece<4>(to, from) : warpbook_copies::copy_piece<4>(to, from, fill);
  } else {
    __trap();
  }
}
WARPBOOK_DEVICE void __pipeline_commit() { warpbook_copies::commit(); }
WARPBOOK_DEVICE void __pipeline_wait_prior(size_t groups) { warpbook_copies::wait_but(groups); }
