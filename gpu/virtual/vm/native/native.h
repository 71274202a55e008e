// Makes native code (exec/native_code.h) for hosts with AVX-512 or AVX2.
//
//     prepare_native_code(image, Observed::no);   // once, when the image has been decoded
//
// There are three kinds of stretches (exec/native_code.h, NativeStart): for one warp of which all 32 lanes execute, for all such
// warps in lockstep, and for one warp of which some lanes execute. Within a stretch values stay in the host's registers. Those that
// nobody reads behind the stretch are never written to the warp's rows. NaNs are made canonical where they could be seen. A stretch
// for 32 lanes may contain a Flow::skip: the instructions that some lanes jump over then exist twice, once for 32 lanes and once
// for fewer. Where the launch is observed, stretches contain no requests to memory that have to be reported: their handlers report
// them.
#pragma once

#include "gpu/virtual/vm/code/code.h"

namespace warpbook::gpu::vm {

enum class Observed : bool { no, yes };

/// For an image decoded for Mode::fast or Mode::observed; sets Image::native where the host has AVX2 or AVX-512, and uses the
/// wider. The code is made when the kernel has run for a while, on a thread of its own, which no launch waits for.
/// WARPBOOK_INSTRUCTION_SET may say "avx2": nothing wider; "native" or "native-avx2": it is made here and now; "avx512",
/// "interpreted-avx2" or "generic": there is none. Without executable memory the image stays as it is.
void prepare_native_code(Image& image, Observed observed);

}  // namespace warpbook::gpu::vm
