#include "gpu/virtual/ptx/module.h"

#include <algorithm>
#include <array>

namespace warpbook::gpu::ptx {
namespace {

struct TypeFacts {
  std::string_view name;
  unsigned bytes;
  bool is_float, is_signed;
};

// In the order of Type.
constexpr std::array<TypeFacts, 26> type_facts{
    {{"none", 0, false, false},   {"pred", 4, false, false},  {"b8", 1, false, false},    {"b16", 2, false, false},
     {"b32", 4, false, false},    {"b64", 8, false, false},   {"b128", 16, false, false}, {"u8", 1, false, false},
     {"u16", 2, false, false},    {"u32", 4, false, false},   {"u64", 8, false, false},   {"s8", 1, false, true},
     {"s16", 2, false, true},     {"s32", 4, false, true},    {"s64", 8, false, true},    {"f16", 2, true, false},
     {"f16x2", 4, true, false},   {"bf16", 2, true, false},   {"bf16x2", 4, true, false}, {"f32", 4, true, false},
     {"f64", 8, true, false},     {"u16x2", 4, false, false}, {"s16x2", 4, false, true},  {"e4m3x2", 2, false, false},
     {"e5m2x2", 2, false, false}, {"tf32", 4, false, false}}};
static_assert(type_facts.size() == static_cast<std::size_t>(Type::tf32) + 1);

// In the order of Space.
constexpr std::array<std::string_view, 8> space_names{"generic", "reg", "sreg", "const", "global", "local", "param", "shared"};
static_assert(space_names.size() == static_cast<std::size_t>(Space::shared) + 1);

const TypeFacts& facts(Type type) { return type_facts[static_cast<std::size_t>(type)]; }

}  // namespace

unsigned bytes_of(Type type) { return facts(type).bytes; }
bool is_float(Type type) { return facts(type).is_float; }
bool is_signed(Type type) { return facts(type).is_signed; }
std::string_view name_of(Type type) { return facts(type).name; }
std::string_view name_of(Space space) { return space_names[static_cast<std::size_t>(space)]; }

bool copies_asynchronously(const Module& module) {
  return std::ranges::any_of(module.functions, [](const Function& function) {
    return std::ranges::any_of(function.code, [](const Instruction& i) { return i.copy != Copy::none; });
  });
}

bool lost_copies(const Module& module) {
  const bool before = module.target.size() == 5 && module.target.starts_with("sm_") && module.target < "sm_80";
  return before && std::ranges::any_of(module.files, [](const std::string& file) {
           return file.ends_with("/cuda_pipeline_helpers.h") || file.ends_with("/__memcpy_async/cp_async_fallback.h");
         });
}

}  // namespace warpbook::gpu::ptx
