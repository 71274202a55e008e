// driver_api.h beside NVIDIA's own headers: every constant, handle, enumeration and function type must be equal in the binary
// interface. Most of it is proven by the compiler. Without the CUDA Toolkit there is nothing to compare with.
#include "gpu/cuda/driver_api.h"

#include <gtest/gtest.h>

#if __has_include(<cuda.h>) && __has_include(<driver_types.h>)

#  include <algorithm>
#  include <type_traits>
#  include <vector>

#  include "gpu/attributes.h"
#  include "gpu/cuda/driver.h"

namespace warpbook::gpu::testing {
// cuda.h makes macros of these names.
const CUstream our_legacy_stream = CU_STREAM_LEGACY;
constexpr auto our_mapped_memory = CU_MEMHOSTALLOC_DEVICEMAP;
}  // namespace warpbook::gpu::testing

#  include <cuda.h>
#  include <driver_types.h>
#  if __has_include(<GL/gl.h>) && __has_include(<cudaGL.h>)
#    include <cudaGL.h>
#    define WARPBOOK_HAS_CUDA_GL 1
#  endif

namespace warpbook::gpu::testing {
namespace {

/// The same to the processor: equal types, or our enumerations and handles beside theirs, however deep behind pointers.
template <class Ours, class Theirs>
struct Same : std::is_same<Ours, Theirs> {};
template <class Ours, class Theirs>
struct Same<Ours*, Theirs*> : Same<Ours, Theirs> {};
template <class Ours, class Theirs>
struct Same<const Ours, const Theirs> : Same<Ours, Theirs> {};
template <class Ours, class... Of, class Theirs, class... From>
struct Same<Ours(Of...), Theirs(From...)> : std::false_type {};
template <class Ours, class... Of, class Theirs, class... From>
requires(sizeof...(Of) == sizeof...(From)) struct Same<Ours(Of...), Theirs(From...)>
    : std::bool_constant<Same<Ours, Theirs>::value && (Same<Of, From>::value && ...)> {
};

template <class Ours, class Theirs>
struct SameEnumeration : std::bool_constant<sizeof(Ours) == sizeof(Theirs) && alignof(Ours) == alignof(Theirs) &&
                                            std::is_same_v<std::underlying_type_t<Ours>, std::underlying_type_t<Theirs>>> {};
template <>
struct Same<CUresult, ::CUresult> : SameEnumeration<CUresult, ::CUresult> {};
template <>
struct Same<CUdevice_attribute, ::CUdevice_attribute> : SameEnumeration<CUdevice_attribute, ::CUdevice_attribute> {};
template <>
struct Same<CUfunction_attribute, ::CUfunction_attribute> : SameEnumeration<CUfunction_attribute, ::CUfunction_attribute> {};
template <>
struct Same<CUjit_option, ::CUjit_option> : SameEnumeration<CUjit_option, ::CUjit_option> {};
template <>
struct Same<CUctx_st, ::CUctx_st> : std::true_type {};
template <>
struct Same<CUmod_st, ::CUmod_st> : std::true_type {};
template <>
struct Same<CUfunc_st, ::CUfunc_st> : std::true_type {};
template <>
struct Same<CUstream_st, ::CUstream_st> : std::true_type {};
template <>
struct Same<CUevent_st, ::CUevent_st> : std::true_type {};
template <>
struct Same<CUgraphicsResource_st, ::CUgraphicsResource_st> : std::true_type {};

static_assert(Same<CUdeviceptr, ::CUdeviceptr>::value && Same<CUdevice, ::CUdevice>::value);
static_assert(Same<CUcontext, ::CUcontext>::value && Same<CUmodule, ::CUmodule>::value && Same<CUfunction, ::CUfunction>::value);
static_assert(Same<CUstream, ::CUstream>::value && Same<CUevent, ::CUevent>::value);
static_assert(Same<CUgraphicsResource, ::CUgraphicsResource>::value);
// It can tell the difference.
static_assert(!Same<CUstream, ::CUevent>::value && !Same<CUresult*, ::CUjit_option*>::value &&
              !Same<int(int), int(unsigned)>::value);
static_assert(!Same<CUresult(int), ::CUresult(int, int)>::value && !Same<const int*, int*>::value);

// Every entry point that is called.
#  define DRIVER_ENTRY(member, symbol, parameters) \
    static_assert(Same<decltype(Driver::member), decltype(&::symbol)>::value, #symbol);
#  define DRIVER_ENTRY_OLDER(member, symbol, parameters)
#  ifdef WARPBOOK_HAS_CUDA_GL
template <>
struct Same<CUGLDeviceList, ::CUGLDeviceList> : SameEnumeration<CUGLDeviceList, ::CUGLDeviceList> {};
static_assert(static_cast<int>(CU_GL_DEVICE_LIST_ALL) == static_cast<int>(::CU_GL_DEVICE_LIST_ALL));
#  else
#    define DRIVER_ENTRY_GL(member, symbol, parameters)
#  endif
#  include "gpu/cuda/driver.def"

// Every result: the driver's number, and the runtime's of the name beside it.
#  define DRIVER_RESULT(driver, number, runtime)                                    \
    static_assert(static_cast<int>(driver) == static_cast<int>(::driver), #driver); \
    static_assert(static_cast<int>(driver) == static_cast<int>(::runtime), #runtime);
#  include "gpu/cuda/driver_results.def"

#  define SAME_NUMBER(name) static_assert(static_cast<int>(name) == static_cast<int>(::name), #  name)
SAME_NUMBER(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_NUMBER(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
SAME_NUMBER(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME_NUMBER(CU_COMPUTEMODE_PROHIBITED);
SAME_NUMBER(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_NUMBER(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME_NUMBER(CU_FUNC_ATTRIBUTE_NUM_REGS);
SAME_NUMBER(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME_NUMBER(CU_JIT_ERROR_LOG_BUFFER);
SAME_NUMBER(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME_NUMBER(CU_CTX_SCHED_BLOCKING_SYNC);
SAME_NUMBER(CU_CTX_MAP_HOST);
SAME_NUMBER(CU_STREAM_DEFAULT);
SAME_NUMBER(CU_STREAM_NON_BLOCKING);
SAME_NUMBER(CU_EVENT_DEFAULT);
SAME_NUMBER(CU_GRAPHICS_REGISTER_FLAGS_NONE);
static_assert(our_mapped_memory == CU_MEMHOSTALLOC_DEVICEMAP);
#  undef SAME_NUMBER

TEST(DriverApi, TheLegacyStreamIsTheToolkits) {
  EXPECT_EQ(static_cast<const void*>(our_legacy_stream), static_cast<const void*>(CU_STREAM_LEGACY));
}

// Every attribute that the toolkit knows has its row in gpu/attributes.def, under its number.
TEST(DriverApi, EveryAttributeOfTheToolkitHasItsRow) {
  std::vector<int> numbers;
  for (const AttributeRow& row : attribute_table())
    if (row.number != 0) numbers.push_back(row.number);
  std::sort(numbers.begin(), numbers.end());
  for (int number = 1; number < CU_DEVICE_ATTRIBUTE_MAX; ++number)
    EXPECT_TRUE(std::binary_search(numbers.begin(), numbers.end(), number)) << "CUdevice_attribute " << number;
  const auto number_of = [](std::string_view name) {
    for (const AttributeRow& row : attribute_table())
      if (row.name == name) return row.number;
    return -1;
  };
  EXPECT_EQ(number_of("regsPerBlock"), CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  EXPECT_EQ(number_of("sharedMemPerBlockOptin"), CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  EXPECT_EQ(number_of("major"), static_cast<int>(::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
  EXPECT_EQ(number_of("computeMode"), static_cast<int>(::CU_DEVICE_ATTRIBUTE_COMPUTE_MODE));
  EXPECT_EQ(number_of("maxBlocksPerMultiProcessor"), CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
}

}  // namespace
}  // namespace warpbook::gpu::testing

#else

TEST(DriverApi, EqualsTheToolkits) {
  GTEST_SKIP() << "NVIDIA's cuda.h was not there when this was built, so nothing could be compared with it.";
}

#endif
