// WARPBOOK_VECTORISED: a function that is built for several instruction sets, of which the loader takes the host's best.
//
//     WARPBOOK_VECTORISED bool all_of(const std::uint32_t* eight);
//
// For the sanitizers and for clang it is built once.
#pragma once

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#  define WARPBOOK_VECTORISED [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#  define WARPBOOK_VECTORISED
#endif
