// What beginners write, with what NVRTC and clang say of it, and near misses of which nothing is known.
#include "gpu/common_mistakes.h"

#include <gtest/gtest.h>

#include <vector>

namespace warpbook::gpu {
namespace {

struct Mistake {
  std::string_view line, message, says;  // says: part of the sentence; empty: there is none
  int column = 0;
};

constexpr Mistake mistakes[] = {
    {"int j = threadidx.x;", "identifier \"threadidx\" is undefined", "Did you mean threadIdx? Capital letters count."},
    {"__syncthread();", "identifier \"__syncthread\" is undefined", "Did you mean __syncthreads?"},
    {"syncthreads();", "identifier \"syncthreads\" is undefined", "Did you mean __syncthreads?"},
    {"int i = blockIDX.x;", "identifier \"blockIDX\" is undefined", "Did you mean blockIdx?"},
    {"atomicadd(&a[0], 1);", "identifier \"atomicadd\" is undefined", "Did you mean atomicAdd?"},
    {"x += __shfl_down(x, 1);", "identifier \"__shfl_down\" is undefined", "has been called __shfl_down_sync since CUDA 9"},
    {"a[i] = offset;", "identifier \"offset\" is undefined", ""},
    {"a[i] = sum;", "identifier \"sum\" is undefined", ""},
    {"int i = threadIdx;", "no suitable conversion function from \"const uint3\" to \"int\" exists", "Write threadIdx.x"},
    {"int i = threadIdx;", "no viable conversion from 'const warpbook_threadIdx' to 'int'", "Write threadIdx.x"},
    {"int i = blockIdx.x * blockDim + threadIdx.x;", "no operator \"*\" matches these operands; operand types are: …",
     "blockDim has the parts"},
    {"int i = blockIdx.x * blockDim . x;", "no operator \"*\" matches these operands", ""},
    {"int i = my_threadIdx * s;", "invalid operands to binary expression ('S' and 'S')", ""},
    {"out[i] = in[i]^2;", "expression must have integral or unscoped enum type", "powf(x, y)"},
    {"out[i] = in[i]^2;", "invalid operands to binary expression ('const float' and 'int')", "no power"},
    {"out[i] = in[i] % 2;", "invalid operands to binary expression ('const float' and 'int')", "fmodf(x, y)"},
    {"out[i] = a + b;", "invalid operands to binary expression ('S' and 'S')", ""},
    {"atomicAdd(out[0], 1.0f);", "no instance of overloaded function \"atomicAdd\" matches the argument list",
     "write &out[0] as its first argument"},
    {"atomicAdd(bins[b[i]], 1);", "no matching function for call to 'atomicAdd'", "write &bins[b[i]] as"},
    {"atomicAdd(&s, 1);", "no matching function for call to 'atomicAdd'", "no atomicAdd takes these arguments"},
    {"  __shared__ alignas(16) float s[4];", "an attribute list cannot appear here", "write alignas(16) __shared__"},
    {"  int [[x]] i;", "an attribute list cannot appear here", ""},
    {"  in[i] = 1;", "expression must be a modifiable lvalue", "stores to something that is const"},
    {"  in[i] = 1;", "read-only variable is not assignable", "stores to something that is const"},
    {"  a[i] = 1;", "expected a \";\"", "Look at the end of line 1.", 3},
    {"__shared__ int n = 0;", "initializer not allowed for __shared__ variable", "if (threadIdx.x == 0) sum = 0;"},
    {"__shared__ int n = 0;", "initialization is not supported for __shared__ variables", "if (threadIdx.x == 0) sum = 0;"},
    {"cuda::atomic_ref<int> a(*b);", "name followed by \"::\" must be a class or namespace name", "#include <cuda/atomic>"},
    {"cuda::atomic_ref<int> a(*b);", "identifier \"cuda\" is undefined", "#include <cuda/atomic>"},
    {"cuda::plan p;", "identifier \"cuda\" is undefined", ""},
    {"mine::atomic a;", "name followed by \"::\" must be a class or namespace name", ""},
    {"abcg::grid a;", "name followed by \"::\" must be a class or namespace name", ""},
    {"namespace cg = cooperative_groups;", "name must be a namespace name", "#include <cooperative_groups.h>"},
    {"using namespace cooperative_groups;", "expected namespace name", "#include <cooperative_groups.h>"},
    {"auto all = cg::this_grid();", "identifier \"cg\" is undefined", "#include <cooperative_groups.h>"},
    {"  a[i] = 1 b;", "expected a \";\"", "", 12},
};

TEST(CommonMistakes, EachHasASentenceAndNearMissesHaveNone) {
  for (const Mistake& mistake : mistakes) {
    const std::vector<std::string_view> lines{"  int i = threadIdx.x", "", mistake.line};
    const std::string said = common_mistake(mistake.message, lines, 3, mistake.column);
    if (mistake.says.empty())
      EXPECT_EQ(said, "") << mistake.line;
    else
      EXPECT_NE(said.find(mistake.says), std::string::npos) << mistake.line << "\n" << said;
  }
}

TEST(CommonMistakes, ALineOutsideOfTheSourceIsNoMistake) {
  const std::vector<std::string_view> lines{"int i;"};
  for (const int line : {-1, 0, 2}) EXPECT_EQ(common_mistake("identifier \"threadidx\" is undefined", lines, line, 1), "");
}

}  // namespace
}  // namespace warpbook::gpu
