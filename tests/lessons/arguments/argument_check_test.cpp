// Whether --arg fits the kernel's parameters.
#include "lessons/arguments/argument_check.h"

#include <gtest/gtest.h>

namespace warpbook::lessons {
namespace {

gpu::Parameter pointer(const char* type, const char* name, std::optional<gpu::ScalarType> element) {
  return {.name = name, .type = type, .pointer = true, .element = element, .size = 8, .align = 8};
}
gpu::Parameter scalar(const char* type, const char* name, std::optional<gpu::ScalarType> element, std::uint32_t size) {
  return {.name = name, .type = type, .pointer = false, .element = element, .size = size, .align = size};
}

gpu::Kernel kernel(std::vector<gpu::Parameter> parameters) {
  gpu::Kernel k;
  k.name = "scale";
  k.parameters = std::move(parameters);
  return k;
}

const gpu::Kernel scale =
    kernel({pointer("float*", "out", gpu::ScalarType::float32), scalar("float", "k", gpu::ScalarType::float32, 4),
            scalar("int", "n", gpu::ScalarType::int32, 4)});

Result<void> check(const gpu::Kernel& k, std::initializer_list<const char*> words, Types types = Types::exact) {
  std::vector<ArgumentSpec> specs;
  for (const char* word : words) specs.push_back(*parse_argument_spec(word));
  return check_arguments(k, specs, types);
}

void expect_refusal(const Result<void>& result, std::initializer_list<const char*> words) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "usage");
  for (const char* word : words)
    EXPECT_NE(result.error().message.find(word), std::string::npos) << word << " in " << result.error().message;
}

TEST(ArgumentCheck, WhatFits) {
  EXPECT_TRUE(check(scale, {"float32[8]=zeros", "float32=2", "int32=8"}));
  EXPECT_TRUE(check(kernel({}), {}));
}

TEST(ArgumentCheck, NamesTheParameterAndItsType) {
  expect_refusal(check(scale, {"float32[8]=zeros", "float32=2"}), {"3 parameters", "int n", "--arg int32=5"});
  expect_refusal(check(scale, {}), {"float* out", "float32[4096]=zeros"});
  expect_refusal(check(scale, {"float32[8]=zeros", "float32=2", "int32=8", "int32=9"}), {"4 --arg", "int32=9"});
  expect_refusal(check(scale, {"float32=1", "float32=2", "int32=8"}), {"'float* out'", "an array of float32", "float32=1"});
  expect_refusal(check(scale, {"int32[8]=zeros", "float32=2", "int32=8"}), {"'float* out'", "int32[8]"});
  expect_refusal(check(scale, {"float32[8]=zeros", "float64=2", "int32=8"}), {"'float k'", "float64=2", "float32=0.25"});
  expect_refusal(check(scale, {"float32[8]=zeros", "float32=2", "int32[8]=iota"}), {"'int n'", "one int32"});
  expect_refusal(check(scale, {"float32[8]=zeros", "float32=2", "uint32=8"}), {"'int n'", "uint32"});
}

TEST(ArgumentCheck, UnknownElementTypesGoBySize) {
  EXPECT_TRUE(check(kernel({pointer("float4*", "v", std::nullopt)}), {"float32[8]=zeros"}));
  EXPECT_TRUE(check(kernel({scalar("bool", "flag", std::nullopt, 1)}), {"uint8=1"}));
  expect_refusal(check(kernel({scalar("bool", "flag", std::nullopt, 1)}), {"int32=1"}), {"bool flag", "1 bytes"});
  expect_refusal(check(kernel({scalar("Params", "p", std::nullopt, 24)}), {"int32=1"}), {"Params p", "struct"});
}

gpu::Parameter structure(const char* type, const char* name, std::uint32_t size, std::vector<gpu::Parameter> members = {}) {
  return {.name = name, .type = type, .element = {}, .size = size, .align = 8, .members = std::move(members)};
}

TEST(ArgumentCheck, StructsOfUnknownMembersGoBySize) {
  const gpu::Kernel k = kernel({structure("Params", "p", 16)});
  EXPECT_TRUE(check(k, {"{int8=1,int64=2}"})) << "padding before the wider member";
  EXPECT_TRUE(check(k, {"{int64=1,int8=2}"})) << "and behind the last";
  EXPECT_TRUE(check(k, {"{int32=1,int32=1,float32[2]=zeros}"}));
  EXPECT_TRUE(check(k, {"{{int8=1,int32=2},{int32=1},{int32=2}}"}));
  EXPECT_TRUE(check(k, {"{int8=1,int64=2}"}, Types::sizes));
  expect_refusal(check(k, {"{int8=1,int64=2,int8=3}"}), {"16 bytes", "24 bytes", "int8 at 0, int64 at 8, int8 at 16", "'{"});
  expect_refusal(check(k, {"{int32=1,int32=2,int32=3}"}), {"16 bytes", "12 bytes"});
  expect_refusal(check(k, {"int64=1"}), {"16 bytes", "one number, int64 (8 bytes)", "'{int32="});
  expect_refusal(check(k, {"float32[2]=zeros"}), {"an array, float32[2]", "'{int32="});
  expect_refusal(check(k, {"{int32=1}"}, Types::sizes), {"16 bytes", "4 bytes"});
  EXPECT_TRUE(check(kernel({scalar("Pair", "p", std::nullopt, 8)}), {"{int32=1,int32=2}"})) << "as well as a number of its size";
  expect_refusal(check(kernel({scalar("Pair", "p", std::nullopt, 8)}), {"{int32=1}"}), {"'Pair p'", "{int32}"});
}

TEST(ArgumentCheck, StructsOfKnownMembersGoByThem) {
  const gpu::Kernel k =
      kernel({structure("Matrix", "A", 16,
                        {scalar("int", "width", gpu::ScalarType::int32, 4), scalar("int", "height", gpu::ScalarType::int32, 4),
                         pointer("float*", "elements", gpu::ScalarType::float32)})});
  EXPECT_TRUE(check(k, {"{int32=1,int32=2,float32[2]=iota}"}));
  expect_refusal(check(k, {"{int32=1,float32[2]=iota}"}),
                 {"2 members", "the 3 of {int width, int height, float* elements}", "'{int32=5,int32=5,float32[4096]=zeros}'"});
  expect_refusal(check(k, {"{int32=1,int32[2]=iota,float32[2]=iota}"}),
                 {"Member 1 of A", "'int height'", "one int32", "an array, int32[2]"});
  expect_refusal(check(k, {"{int32=1,int32=2,int64=3}"}), {"Member 2 of A", "'float* elements'", "an array of float32"});
  expect_refusal(check(k, {"{int32=1,int32=2,{float32[2]=iota}}"}), {"Member 2 of A", "a struct, {float32[2]}"});
  expect_refusal(check(k, {"{float32=1,int32=2,float32[2]=iota}"}), {"Member 0 of A", "one int32"});
  expect_refusal(check(k, {"int64=1"}), {"a struct of 16 bytes", "{int32=5,int32=5,float32[4096]=zeros}"});
}

TEST(ArgumentCheck, StructsAreForStructs) {
  expect_refusal(check(scale, {"{float32[8]=zeros}", "float32=2", "int32=8"}), {"'float* out'", "an array of float32", "a struct"});
  expect_refusal(check(scale, {"float32[8]=zeros", "{float32=2}", "int32=8"}), {"'float k'", "one float32", "a struct, {float32}"});
  expect_refusal(check(scale, {"float32[8]=zeros", "float32=2", "{int32=8}"}), {"'int n'", "one int32", "a struct, {int32}"});
}

TEST(ArgumentCheck, BracesThatTheShellTookApart) {
  const gpu::Kernel k = kernel({structure(
      "Params", "p", 8, {scalar("int", "a", gpu::ScalarType::int32, 4), scalar("int", "b", gpu::ScalarType::int32, 4)})});
  expect_refusal(check(k, {"int32=1", "int32=2"}), {"2 --arg", "quotes", "--arg '{int32=5,int32=5}'"});
}

TEST(ArgumentCheck, PtxKnowsOnlySizes) {
  const gpu::Kernel ptx = kernel(
      {scalar(".u64", "scale_param_0", gpu::ScalarType::uint64, 8), scalar(".u32", "scale_param_1", gpu::ScalarType::uint32, 4)});
  EXPECT_TRUE(check(ptx, {"float32[8]=zeros", "int32=8"}, Types::sizes));
  EXPECT_TRUE(check(ptx, {"int64=8", "float32=8"}, Types::sizes));
  expect_refusal(check(ptx, {"float32[8]=zeros", "int64=8"}, Types::sizes), {"scale_param_1", "4 bytes"});
  expect_refusal(check(ptx, {"float32[8]=zeros", "float32[8]=zeros"}, Types::sizes), {"scale_param_1"});
}

}  // namespace
}  // namespace warpbook::lessons
