// A CudaDevice on a scripted driver: the order of its calls, what a launch reports, and what devices say of themselves.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "gpu/attributes.h"
#include "gpu/cuda/nvidia_device.h"
#include "gpu/occupancy.h"
#include "tests/gpu/cuda/scenario.h"

namespace warpbook::gpu::testing {
namespace {

using Calls = std::vector<std::string>;

TEST(CudaDevice, AllocatesLaunchesAndReadsInOrder) {
  ScriptedDriver gpu;
  gpu.on_launch = add_one;
  {
    auto device = open(gpu);
    ASSERT_TRUE(device);
    gpu.forget_calls();
    auto a = device->allocate(ints("a", 4));
    auto out = device->allocate(ints("out", 4));
    ASSERT_TRUE(a && out);
    ASSERT_TRUE(write(*device, *a, {1, 2, 3, 4}));
    ASSERT_TRUE(device->fill(*out, Scalar::of(0)));
    EXPECT_EQ(gpu.calls(), (Calls{"ctxSetCurrent", "memAlloc", "ctxSetCurrent", "memAlloc", "ctxSetCurrent", "memcpyHtoD",
                                  "ctxSetCurrent", "memsetD32"}));
    gpu.forget_calls();
    const LaunchReport report = device->launch(add_request(program(), *a, *out, 4), nullptr);
    EXPECT_EQ(report.status, "ok") << say(report.message);
    EXPECT_EQ(gpu.calls(),
              (Calls{"ctxSetCurrent", "moduleLoadDataEx", "moduleGetFunction", "funcGetAttribute", "funcGetAttribute",
                     "funcGetAttribute", "eventRecord", "launchKernel", "eventRecord", "eventQuery", "eventElapsedTime"}));
    auto values = read(*device, *out);
    ASSERT_TRUE(values);
    EXPECT_EQ(*values, (std::vector<int>{2, 3, 4, 5}));
    device->release(*a);
    EXPECT_EQ(gpu.count("memFree"), 1);
  }
  EXPECT_EQ(gpu.misuse(), "");
  EXPECT_EQ(gpu.alive(), "");
}

/// A program with `.const .align 4 .b8 filt[8];`, which `add` uses.
ProgramPtr program_with_a_constant() {
  auto made = std::make_shared<Program>(*program());
  made->ptx += ".const .align 4 .b8 filt[8];\n";
  const std::size_t body = made->ptx.find(".entry add(\n) { ");
  made->ptx.insert(body + 17, "ld.const.u32 %r1, [filt]; ");
  made->variables = {{.symbol = "filt",
                      .type = "int",
                      .array = ints("filt", 2),
                      .constant = true,
                      .initialised = false,
                      .filled_by = "cudaMemcpyToSymbol"}};
  return made;
}

TEST(CudaDevice, VariablesKeepWhatTheyAreGiven) {
  ScriptedDriver gpu;
  auto device = open(gpu);
  const ProgramPtr given = program_with_a_constant();
  const Variable& filt = given->variables[0];
  const std::vector<int> values{5, 6};
  ASSERT_TRUE(device->write_variable(given, filt, std::as_bytes(std::span(values))));
  std::vector<int> read(2);
  ASSERT_TRUE(device->read_variable(given, filt, std::as_writable_bytes(std::span(read))));
  EXPECT_EQ(read, values);
  EXPECT_EQ(gpu.count("moduleLoadDataEx"), 1);
  const auto short_one = device->write_variable(given, filt, std::as_bytes(std::span(values).first(1)));
  ASSERT_FALSE(short_one);
  EXPECT_NE(short_one.error().message.find("8 bytes"), std::string::npos) << short_one.error().message;
  Variable absent = filt;
  absent.symbol = "absent";
  EXPECT_EQ(device->write_variable(given, absent, std::as_bytes(std::span(values))).error().code, "cudaErrorInvalidSymbol");
  EXPECT_EQ(gpu.misuse(), "");
}

TEST(CudaDevice, NamesTheVariablesThatNobodyFilled) {
  ScriptedDriver gpu;
  auto device = open(gpu);
  auto a = device->allocate(ints("a", 1));
  const ProgramPtr given = program_with_a_constant();
  const LaunchReport before = device->launch(add_request(given, *a, *a, 0), nullptr);
  ASSERT_EQ(before.unfilled.size(), 1U);
  EXPECT_EQ(before.unfilled[0].name, "filt");
  const std::vector<int> values{5, 6};
  ASSERT_TRUE(device->write_variable(given, given->variables[0], std::as_bytes(std::span(values))));
  EXPECT_TRUE(device->launch(add_request(given, *a, *a, 0), nullptr).unfilled.empty());
}

TEST(CudaDevice, LoadsAProgramOnce) {
  ScriptedDriver gpu;
  auto device = open(gpu);
  auto a = device->allocate(ints("a", 1));
  const ProgramPtr once = program();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(device->launch(add_request(once, *a, *a, 0), nullptr).ok());
  EXPECT_EQ(gpu.count("moduleLoadDataEx"), 1);
}

TEST(CudaDevice, ReportsMeasuredTimesAndObservesNothing) {
  ScriptedDriver gpu;
  gpu.on_launch = [](ScriptedDriver::Launch& launch) { launch.polls = 3; };
  auto device = open(gpu);
  auto a = device->allocate(ints("a", 1));
  LaunchRequest request = add_request(program(), *a, *a, 0);
  request.observe = Observe::all();
  const LaunchReport report = device->launch(request, nullptr);
  ASSERT_TRUE(report.times);
  EXPECT_DOUBLE_EQ(report.run_ms, 0.25);  // what the scripted events say
  EXPECT_GE(report.times->end, report.times->returned);
  EXPECT_GE(report.times->begin, 0);
  EXPECT_LE(report.times->begin, report.times->end);
  EXPECT_EQ(gpu.count("eventQuery"), 4);
  EXPECT_EQ(report.registers, 24);
  for (std::size_t kind = 0; kind < finding_kinds; ++kind)
    EXPECT_EQ(report.observed[static_cast<FindingKind>(kind)], Observation::not_observed);
  EXPECT_FALSE(report.model_us);
  EXPECT_FALSE(report.cycles);
}

TEST(CudaDevice, CapturesWhatAKernelPrints) {
  ScriptedDriver gpu;
  gpu.on_launch = [](ScriptedDriver::Launch& launch) { launch.out = "thread 3 says 7\n"; };
  auto device = open(gpu);
  auto a = device->allocate(ints("a", 1));
  ::testing::internal::CaptureStdout();
  const LaunchReport report = device->launch(add_request(program(true), *a, *a, 0), nullptr);
  std::printf("after\n");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "after\n");
  EXPECT_EQ(report.output, "thread 3 says 7\n");

  LaunchRequest short_of_room = add_request(program(true), *a, *a, 0);
  short_of_room.limits.max_output = 6;
  EXPECT_EQ(device->launch(short_of_room, nullptr).output, "thread");
}

TEST(CudaDevice, PassesScalarsPointersAndStructs) {
  ScriptedDriver gpu;
  struct Point {
    float x, y;
    const int* values;
    char tag;
  };
  Point seen{};
  double scalar = 0;
  int last = 0;
  gpu.on_launch = [&](ScriptedDriver::Launch& launch) {
    seen = launch.value<Point>(0);
    scalar = launch.value<double>(1);
    last = seen.values[2];
  };
  auto device = open(gpu);
  auto values = device->allocate(ints("values", 3));
  ASSERT_TRUE(values && device->fill(*values, Scalar::of(7)));
  auto made = std::make_shared<Program>(*program());
  Parameter point, number;
  point.name = "p";
  point.size = sizeof(Point);
  point.align = 8;
  number.name = "d";
  number.size = number.align = 8;
  made->kernels[0].parameters = {point, number};
  const Point given{1.5f, -2.0f, nullptr, 'q'};
  Struct bytes{.bytes = std::vector<std::byte>(sizeof given), .pointers = {{.offset = offsetof(Point, values), .buffer = *values}}};
  std::memcpy(bytes.bytes.data(), &given, sizeof given);
  LaunchRequest request{.program = made,
                        .kernel = "add",
                        .grid = {1},
                        .block = {1},
                        .arguments = {bytes, Scalar::of(0.25)},
                        .observe = {},
                        .seed = {},
                        .limits = {}};
  const LaunchReport report = device->launch(request, nullptr);
  ASSERT_TRUE(report.ok()) << say(report.message);
  EXPECT_EQ(seen.x, 1.5f);
  EXPECT_EQ(seen.y, -2.0f);
  EXPECT_EQ(seen.tag, 'q');
  EXPECT_EQ(last, 7);
  EXPECT_EQ(scalar, 0.25);

  request.arguments = {bytes, Scalar::of(1)};  // four bytes for eight
  const LaunchReport wrong = device->launch(request, nullptr);
  EXPECT_EQ(wrong.status, "cudaErrorInvalidValue");
  EXPECT_NE(say(wrong.message).find("`d` of `add` takes 8 bytes"), std::string::npos) << say(wrong.message);
}

TEST(CudaDevice, RefusesBadLaunchesInCudasWords) {
  ScriptedDriver gpu;
  auto device = open(gpu);
  auto a = device->allocate(ints("a", 1));
  const ProgramPtr add = program();
  const auto status = [&](auto change) {
    LaunchRequest request = add_request(add, *a, *a, 0);
    change(request);
    const LaunchReport report = device->launch(request, nullptr);
    EXPECT_TRUE(is_sentence(say(report.message))) << say(report.message);
    return report.status;
  };
  gpu.forget_calls();
  EXPECT_EQ(status([](LaunchRequest& r) { r.block = {1025}; }), "cudaErrorInvalidConfiguration");
  EXPECT_EQ(status([](LaunchRequest& r) { r.grid = {1, 65536}; }), "cudaErrorInvalidConfiguration");
  EXPECT_EQ(status([](LaunchRequest& r) { r.grid = {0}; }), "cudaErrorInvalidConfiguration");
  EXPECT_EQ(status([](LaunchRequest& r) { r.kernel = "sub"; }), "cudaErrorInvalidDeviceFunction");
  EXPECT_EQ(status([](LaunchRequest& r) { r.program = nullptr; }), "cudaErrorInvalidDeviceFunction");
  EXPECT_EQ(status([](LaunchRequest& r) { r.dynamic_shared_bytes = 300000; }), "cudaErrorInvalidValue");
  EXPECT_EQ(status([](LaunchRequest& r) { r.arguments.pop_back(); }), "cudaErrorInvalidValue");
  EXPECT_EQ(gpu.count("launchKernel"), 0);
}

TEST(CudaDevice, AsksForSharedMemoryBeyond48KiB) {
  ScriptedDriver gpu;
  auto device = open(gpu);
  auto a = device->allocate(ints("a", 1));
  LaunchRequest request = add_request(program(), *a, *a, 0);
  request.dynamic_shared_bytes = 48 * 1024;
  EXPECT_TRUE(device->launch(request, nullptr).ok());
  EXPECT_EQ(gpu.count("funcSetAttribute"), 0);
  request.dynamic_shared_bytes += 16;
  EXPECT_TRUE(device->launch(request, nullptr).ok());
  EXPECT_EQ(gpu.count("funcSetAttribute"), 1);
}

TEST(CudaDevice, LaunchesGridsThatWaitForThemselvesCooperatively) {
  ScriptedDriver gpu;
  auto device = open(gpu);
  auto out = device->allocate(ints("out", 1));
  LaunchRequest request{.program = program(),
                        .kernel = "grid",
                        .grid = {264},
                        .block = {32},
                        .arguments = {*out},
                        .observe = {},
                        .seed = {},
                        .limits = {}};
  EXPECT_TRUE(device->launch(request, nullptr).ok());
  EXPECT_EQ(gpu.count("launchCooperativeKernel"), 1);
  EXPECT_EQ(gpu.count("launchKernel"), 0);
  request.grid = {265};  // 132 multiprocessors hold two blocks each
  const LaunchReport report = device->launch(request, nullptr);
  EXPECT_EQ(report.status, "cudaErrorCooperativeLaunchTooLarge");
  EXPECT_NE(say(report.message).find("265"), std::string::npos) << say(report.message);
}

TEST(CudaDevice, LaunchesCooperativelyWhereItIsAskedTo) {
  ScriptedDriver gpu;
  auto device = open(gpu);
  auto a = device->allocate(ints("a", 1));
  LaunchRequest request = add_request(program(), *a, *a, 0);
  EXPECT_TRUE(device->launch(request, nullptr).ok());
  EXPECT_EQ(gpu.count("launchCooperativeKernel"), 0);
  request.cooperative = true;
  EXPECT_TRUE(device->launch(request, nullptr).ok());
  EXPECT_EQ(gpu.count("launchCooperativeKernel"), 1);
  request.grid = {265};
  EXPECT_EQ(device->launch(request, nullptr).status, "cudaErrorCooperativeLaunchTooLarge");
}

// A driver that is older than NVRTC, within one major version, refuses its PTX.
TEST(CudaDevice, LoadsMachineCodeWhereTheDriverIsOlderThanThePtx) {
  ScriptedDriver gpu;
  gpu.takes_ptx = false;
  auto context = Context::make(gpu.table(), 0);
  ASSERT_TRUE(context);
  DeviceInfo info = find_cuda_devices(gpu.table()).gpus[0].info;
  NvidiaDevice device(compiler(), gpu.table(), 0, 0, info, std::move(*context), true);
  if (!nvrtc_compiles()) GTEST_SKIP() << "Only NVRTC makes machine code.";
  const auto compiled = device.compile({.text = "extern \"C\" __global__ void add(const int* a, int* out, int n) {}"});
  ASSERT_TRUE(compiled) << compiled.error().message;
  EXPECT_TRUE(
      (*compiled)->machine_code.starts_with("\x7f"
                                            "ELF"));
  auto a = device.allocate(ints("a", 1));
  const LaunchReport report = device.launch(add_request(*compiled, *a, *a, 0), nullptr);
  EXPECT_TRUE(report.ok()) << say(report.message);
  EXPECT_EQ(compiler().compile((*compiled)->source, {.architecture = 90})->get()->machine_code, "");  // nobody asked for it
}

TEST(CudaDevice, MappedMemoryIsSeenByBothSides) {
  ScriptedDriver gpu;
  gpu.on_launch = add_one;
  auto device = open(gpu);
  auto a = device->allocate_mapped(ints("a", 2));
  auto out = device->allocate_mapped(ints("out", 2));
  ASSERT_TRUE(a && out);
  ASSERT_TRUE(write(*device, *a, {10, 20}));
  ASSERT_TRUE(device->fill(*out, Scalar::of(0)));
  LaunchRequest request = add_request(program(), *a, *out, 2);
  request.read_early = *out;
  const LaunchReport report = device->launch(request, nullptr);
  ASSERT_TRUE(report.ok()) << say(report.message);
  const auto seen = device->mapped(*out);
  ASSERT_EQ(seen.size(), 8u);
  EXPECT_EQ(reinterpret_cast<const int*>(seen.data())[1], 21);
  ASSERT_EQ(report.read_early.size(), 8u);
  EXPECT_EQ(reinterpret_cast<const int*>(report.read_early.data())[0], 11);  // the scripted kernel ends within its launch
  EXPECT_GE(report.times->read_begin, report.times->returned);
  EXPECT_GE(report.times->read_end, report.times->read_begin);
  auto plain = device->allocate(ints("plain", 2));
  EXPECT_TRUE(device->mapped(*plain).empty());
}

TEST(CudaDevice, FillsEveryElementSize) {
  ScriptedDriver gpu;
  auto device = open(gpu);
  const auto filled = [&](ScalarType type, Scalar value) {
    auto buffer = device->allocate({"x", type, {3}});
    EXPECT_TRUE(device->fill(*buffer, value));
    std::vector<std::byte> bytes(buffer->array.bytes());
    EXPECT_TRUE(device->read(*buffer, bytes));
    bool all = true;
    for (std::size_t i = 0; i < 3; ++i) all &= std::memcmp(bytes.data() + i * size_of(type), &value.bits, size_of(type)) == 0;
    return all;
  };
  EXPECT_TRUE(filled(ScalarType::int8, Scalar::of(std::int8_t{-3})));
  EXPECT_TRUE(filled(ScalarType::uint16, Scalar::of(std::uint16_t{0xabcd})));
  EXPECT_TRUE(filled(ScalarType::float32, Scalar::of(0.1f)));
  EXPECT_TRUE(filled(ScalarType::float64, Scalar::of(0.1)));
  EXPECT_TRUE(filled(ScalarType::int64, Scalar::of(std::int64_t{0})));
}

TEST(CudaDevice, FillsManyDoubles) {
  ScriptedDriver gpu;
  auto device = open(gpu);
  constexpr std::size_t count = (std::size_t{1} << 24) - 3;
  auto buffer = device->allocate({"x", ScalarType::float64, {count}});
  ASSERT_TRUE(buffer);
  gpu.forget_calls();
  ASSERT_TRUE(device->fill(*buffer, Scalar::of(0.1)));
  EXPECT_LE(gpu.calls().size(), 16u);  // and none that goes row by row
  std::vector<double> values(count);
  ASSERT_TRUE(device->read(*buffer, std::as_writable_bytes(std::span(values))));
  EXPECT_EQ(static_cast<std::size_t>(std::count(values.begin(), values.end(), 0.1)), count);
  EXPECT_EQ(gpu.misuse(), "");
}

TEST(CudaDevice, EmptyArraysAndReleasedOnes) {
  ScriptedDriver gpu;
  auto device = open(gpu);
  auto none = device->allocate(ints("none", 0));
  ASSERT_TRUE(none);
  EXPECT_TRUE(write(*device, *none, {}));
  EXPECT_TRUE(device->fill(*none, Scalar::of(1)));
  EXPECT_TRUE(read(*device, *none));
  auto a = device->allocate(ints("a", 1));
  device->release(*a);
  device->release(*a);
  const auto gone = write(*device, *a, {1});
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, "cudaErrorInvalidValue");
  EXPECT_EQ(device->launch(add_request(program(), *a, *none, 0), nullptr).status, "cudaErrorInvalidValue");
  EXPECT_EQ(gpu.misuse(), "");
}

TEST(CudaDevice, OutOfMemorySaysHowMuchThereIs) {
  ScriptedDriver gpu;
  gpu.memory_bytes = 1000;
  auto device = open(gpu);
  auto fits = device->allocate(ints("fits", 100));
  ASSERT_TRUE(fits);
  const auto too_big = device->allocate(ints("big", 200));
  ASSERT_FALSE(too_big);
  EXPECT_EQ(too_big.error().code, "cudaErrorMemoryAllocation");
  EXPECT_NE(too_big.error().message.find("`big` needs 800 bytes; of the GPU's 1000 bytes 600 are free"), std::string::npos)
      << too_big.error().message;
  EXPECT_TRUE(device->lost().empty());
  EXPECT_TRUE(device->fill(*fits, Scalar::of(1)));
}

TEST(CudaDevice, MeasuresManyLaunchesBetweenTwoEvents) {
  ScriptedDriver gpu;
  auto device = open(gpu);
  auto a = device->allocate(ints("a", 1));
  const std::vector<LaunchRequest> launches{add_request(program(), *a, *a, 0), add_request(program(), *a, *a, 0)};
  gpu.forget_calls();
  const auto us = device->measure_us(launches, 5);
  ASSERT_TRUE(us);
  EXPECT_DOUBLE_EQ(*us, 50);  // 0.25 ms over five rounds
  EXPECT_EQ(gpu.count("launchKernel"), 10);
  EXPECT_EQ(gpu.count("eventRecord"), 2);
  EXPECT_FALSE(device->measure_us({}, 5));
}

TEST(CudaDevice, MayBeUsedFromAnotherThreadEachTime) {
  ScriptedDriver gpu;
  auto device = open(gpu);
  std::thread([&] { EXPECT_TRUE(device->allocate(ints("a", 1))); }).join();
  EXPECT_TRUE(device->allocate(ints("b", 1)));
  EXPECT_EQ(gpu.misuse(), "");
}

TEST(CudaDevices, AreListedWithEveryAttribute) {
  ScriptedDriver gpu;
  gpu.devices = 2;
  const CudaSetup setup = find_cuda_devices(gpu.table());
  EXPECT_EQ(setup.missing, "");
  EXPECT_EQ(setup.version, "13.0");
  ASSERT_EQ(setup.gpus.size(), 2u);
  const DeviceInfo& info = setup.gpus[1].info;
  EXPECT_EQ(info.id, "cuda");
  EXPECT_FALSE(info.is_model);
  EXPECT_EQ(info.compute_capability, 90);
  EXPECT_EQ(info.multiprocessors, 132);
  EXPECT_EQ(info.max_block, (Dim3{1024, 1024, 64}));
  EXPECT_EQ(info.shared_per_block_optin, 232448u);
  EXPECT_NEAR(info.memory_gb_per_s, 4022.8, 0.1);                // 2.619 GHz × 6144 bits × 2 / 8
  EXPECT_EQ(info.attributes.size(), gpu.attributes.size() + 1);  // and totalGlobalMem
  for (const Attribute& attribute : info.attributes) EXPECT_TRUE(is_sentence(attribute.meaning)) << attribute.name;
  // The calculator works with what the driver says.
  const auto o = occupancy(info, {.threads_per_block = 256, .registers_per_thread = 32});
  ASSERT_TRUE(o) << o.error().message;
  EXPECT_EQ(o->warps, 64);
}

TEST(CudaDevices, OneOddAttributeHidesNoGpu) {
  ScriptedDriver gpu;
  gpu.odd_attributes = {{1, CUDA_ERROR_NOT_SUPPORTED}};  // maxThreadsPerBlock
  const CudaSetup setup = find_cuda_devices(gpu.table());
  ASSERT_EQ(setup.gpus.size(), 1u) << setup.missing;
  EXPECT_EQ(setup.gpus[0].problem, "");
  EXPECT_EQ(setup.gpus[0].info.attributes.size(), gpu.attributes.size());
  EXPECT_EQ(setup.gpus[0].info.max_threads_per_block, 1024);  // as any GPU has
  EXPECT_TRUE(open(gpu));
}

TEST(CudaDevices, OneBadGpuHidesNoOther) {
  ScriptedDriver gpu;
  gpu.devices = 3;
  gpu.bad_devices = {1};
  const CudaSetup setup = find_cuda_devices(gpu.table());
  EXPECT_EQ(setup.missing, "");
  ASSERT_EQ(setup.gpus.size(), 3u);
  EXPECT_EQ(setup.gpus[0].problem, "");
  EXPECT_EQ(setup.gpus[1].info.name, "GPU 1");
  EXPECT_TRUE(is_sentence(setup.gpus[1].problem)) << setup.gpus[1].problem;
  EXPECT_EQ(setup.gpus[2].ordinal, 2);
  EXPECT_EQ(setup.gpus[2].problem, "");
  EXPECT_FALSE(make_cuda_device(compiler(), gpu.table(), 1));
  EXPECT_TRUE(make_cuda_device(compiler(), gpu.table(), 2));
}

TEST(CudaDevices, WithoutItsComputeCapabilityAGpuSaysSo) {
  ScriptedDriver gpu;
  gpu.odd_attributes = {{75, CUDA_ERROR_UNKNOWN}};  // major
  const CudaSetup setup = find_cuda_devices(gpu.table());
  ASSERT_EQ(setup.gpus.size(), 1u);
  EXPECT_NE(setup.gpus[0].problem.find("did not tell its compute capability"), std::string::npos) << setup.gpus[0].problem;
}

TEST(CudaDevices, AttributeTableKnowsEachNumberOnce) {
  std::vector<int> numbers;
  for (const AttributeRow& row : attribute_table()) {
    if (row.number != 0) numbers.push_back(row.number);
    EXPECT_TRUE(is_sentence(std::string(row.meaning))) << row.name;
  }
  std::sort(numbers.begin(), numbers.end());
  EXPECT_EQ(std::adjacent_find(numbers.begin(), numbers.end()), numbers.end());
}

TEST(CudaDevices, WhatCannotRunSaysWhy) {
  {
    ScriptedDriver gpu;
    gpu.attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_MODE] = CU_COMPUTEMODE_PROHIBITED;
    const CudaSetup setup = find_cuda_devices(gpu.table());
    ASSERT_EQ(setup.gpus.size(), 1u);
    EXPECT_NE(setup.gpus[0].problem.find("compute mode"), std::string::npos);
    const auto device = make_cuda_device(compiler(), gpu.table());
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().code, "unsupported_device");
  }
  {
    ScriptedDriver gpu;
    gpu.attributes[75] = 3;
    gpu.attributes[76] = 5;
    const auto device = make_cuda_device(compiler(), gpu.table());
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().code, "unsupported_device");
    EXPECT_NE(device.error().message.find("3.5"), std::string::npos) << device.error().message;
  }
  {
    ScriptedDriver gpu;
    gpu.devices = 0;
    const CudaSetup setup = find_cuda_devices(gpu.table());
    EXPECT_EQ(setup.code, "cudaErrorNoDevice");
    EXPECT_TRUE(is_sentence(setup.missing)) << setup.missing;
    EXPECT_EQ(make_cuda_device(compiler(), gpu.table()).error().code, "missing_device");
  }
}

TEST(CudaDevices, NvrtcAndDriverMustFit) {
  if (!nvrtc_compiles() || std::stoi(compiler().status().version) < 13) GTEST_SKIP() << "There is no NVRTC 13 here.";
  {
    ScriptedDriver gpu;
    gpu.attributes[75] = 7;  // Volta
    const auto device = make_cuda_device(compiler(), gpu.table());
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().code, "unsupported_device");
    EXPECT_NE(device.error().message.find("compute capability 7.0, and NVRTC 13"), std::string::npos) << device.error().message;
    EXPECT_NE(device.error().message.find("7.5"), std::string::npos);
  }
  {
    ScriptedDriver gpu;
    gpu.version = 12040;
    const auto device = make_cuda_device(compiler(), gpu.table());
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().code, "unsupported_device");
    EXPECT_NE(device.error().message.find("knows CUDA 12.4"), std::string::npos) << device.error().message;
    EXPECT_EQ(gpu.count("ctxCreate"), 0);
  }
}

TEST(CudaDevices, WhatClangMakesIsLoadedByEveryDriver) {
  if (const auto clang = compiler().status().clang; !clang.available) GTEST_SKIP() << clang.problem;
  const CompilerChoice before = compiler_choice();
  prefer_compiler(CompilerChoice::clang);
  ScriptedDriver gpu;
  gpu.version = 12000;
  gpu.attributes[75] = 7;  // Volta, for which NVRTC 13 compiles no more
  gpu.attributes[76] = 0;
  const auto device = make_cuda_device(compiler(), gpu.table());
  EXPECT_TRUE(device) << device.error().message;
  prefer_compiler(before);
}

TEST(CudaDriver, LoadsPtxOfItsOwnVersionAndMachineCodeOfItsMajorOne) {
  EXPECT_EQ(what_loads(13000, 13000), Loads::ptx);
  EXPECT_EQ(what_loads(13010, 12080), Loads::ptx);
  EXPECT_EQ(what_loads(12020, 12080), Loads::machine_code);
  EXPECT_EQ(what_loads(12080, 13000), Loads::nothing);
}

TEST(CudaDriver, StartsOrSaysWhyNot) {
  const auto answer = [](CUresult result) {
    ScriptedDriver gpu;
    gpu.fail({.name = "init", .with = result});
    const auto driver = start_driver(gpu.entries());
    EXPECT_FALSE(driver);
    return driver ? Error{} : driver.error();
  };
  const std::vector<std::tuple<CUresult, const char*, const char*>> cases{
      {CUDA_ERROR_NO_DEVICE, "cudaErrorNoDevice", "sees no GPU"},
      {CUDA_ERROR_STUB_LIBRARY, "cudaErrorStubLibrary", "stub"},
      {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "cudaErrorSystemDriverMismatch", "Restart"},
      {CUDA_ERROR_UNKNOWN, "cudaErrorUnknown", "kernel module"},
      {CUDA_ERROR_DEVICE_UNAVAILABLE, "cudaErrorDevicesUnavailable", "another program"},
      {CUDA_ERROR_OUT_OF_MEMORY, "cudaErrorMemoryAllocation", "could not start"},
  };
  for (const auto& [result, name, words] : cases) {
    const Error error = answer(result);
    EXPECT_EQ(error.code, name);
    EXPECT_NE(error.message.find(words), std::string::npos) << error.message;
    EXPECT_TRUE(is_sentence(error.message)) << error.message;
  }
  ScriptedDriver old;
  old.version = 11080;
  const auto driver = start_driver(old.entries());
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().code, "no_driver");
  EXPECT_NE(driver.error().message.find("11.8"), std::string::npos);
  ScriptedDriver fine;
  EXPECT_TRUE(start_driver(fine.entries()));
}

TEST(CudaDriver, NamesErrorsAsTheRuntimeDoes) {
  EXPECT_EQ(cuda_name(CUDA_ERROR_ILLEGAL_ADDRESS), "cudaErrorIllegalAddress");
  EXPECT_EQ(cuda_name(CUDA_ERROR_OUT_OF_MEMORY), "cudaErrorMemoryAllocation");
  EXPECT_EQ(cuda_name(CUDA_ERROR_LAUNCH_FAILED), "cudaErrorLaunchFailure");
  EXPECT_EQ(cuda_name(static_cast<CUresult>(910)), "cudaErrorUnknown");  // of graphs, which nothing here makes
  EXPECT_TRUE(is_sticky(CUDA_ERROR_ASSERT));
  EXPECT_FALSE(is_sticky(CUDA_ERROR_OUT_OF_MEMORY));
  EXPECT_FALSE(is_sticky(CUDA_ERROR_INVALID_VALUE));
}

// The toolkit's stub loads like a driver, with that driver's name, and has no GPU behind it.
TEST(CudaDriver, ToolkitsStubIsNoDriver) {
  if (!std::filesystem::exists(WARPBOOK_CUDA_STUB)) GTEST_SKIP() << "this toolkit came without its stubs";
  // In a process of its own, for a loaded library stays.
  const auto meet_the_stub = [] {
    if (dlopen(WARPBOOK_CUDA_STUB, RTLD_NOW) == nullptr) std::exit(2);
    const CudaSetup setup = find_cuda_devices();
    std::fprintf(stderr, "%s: %s", setup.code.c_str(), setup.missing.c_str());
    std::exit(setup.driver ? 1 : 0);
  };
  EXPECT_EXIT(meet_the_stub(), ::testing::ExitedWithCode(0), "cudaErrorStubLibrary: .*the CUDA Toolkit's stub.*virtual GPU");
}

// Where there is no driver, the whole way from dlopen says so; where there is one, it opens.
TEST(CudaDriver, OfThisMachineOpensOrIsMissingInASentence) {
  const CudaSetup setup = find_cuda_devices();
  if (setup.driver) {
    EXPECT_FALSE(setup.version.empty());
  } else {
    EXPECT_TRUE(is_sentence(setup.missing)) << setup.missing;
    EXPECT_FALSE(setup.code.empty());
  }
}

}  // namespace
}  // namespace warpbook::gpu::testing
