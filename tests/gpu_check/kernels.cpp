// Every kernel of kernels/, in every variant, on both devices with the same arrays. Integers must be equal; floats may differ by
// the stated share of the largest value, since two compilers may contract or order operations differently. A kernel that races
// has a range that CUDA allows.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>

#include "gpu/matrix_library.h"
#include "lessons/catalog.h"
#include "tests/gpu_check/sections.h"

namespace warpbook::gpu_check {
namespace {

using gpu::Dim3;
using gpu::Scalar;
using gpu::ScalarType;
using Defines = std::vector<std::pair<std::string, std::string>>;

struct Input {
  gpu::Array array;
  std::vector<std::byte> bytes;
};

struct Case {
  std::string name, file, kernel;
  Defines defines;
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0;
  std::vector<std::variant<Scalar, Input>> arguments;
  double tolerance = 0;  // of floats, by the largest magnitude of the array
  /// For a kernel that races: the bounds of every value, given that of a correct run. Empty: results must agree.
  std::function<std::pair<double, double>(double right)> range;
  Defines right;          // … the macros of the correct run
  bool anything = false;  // it races so that any value may come out: it must only end
};

template <class T, class F>
Input array(const std::string& name, std::vector<std::size_t> shape, F value_of) {
  Input input{.array = {name, gpu::scalar_type_of<T>(), std::move(shape)}, .bytes = {}};
  std::vector<T> values(input.array.count());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(value_of(i));
  input.bytes.resize(values.size() * sizeof(T));
  std::memcpy(input.bytes.data(), values.data(), input.bytes.size());
  return input;
}
template <class T>
Input zeros(const std::string& name, std::vector<std::size_t> shape) {
  return array<T>(name, std::move(shape), [](std::size_t) { return 0; });
}
/// Scattered, in [-1, 1), with ten significant bits.
double scattered(std::size_t i) { return static_cast<double>(i * 2654435761U % 2048) / 1024.0 - 1.0; }

Scalar number(std::size_t n) { return Scalar::of(static_cast<std::int32_t>(n)); }
std::uint32_t over(std::size_t n, std::size_t each) { return static_cast<std::uint32_t>((n + each - 1) / each); }

void add_cases(std::vector<Case>& cases) {
  for (const std::uint32_t blocks : {31U, 32U, 33U}) {
    cases.push_back({.name = fmt::format("add, {} blocks", blocks),
                     .file = "add.cu",
                     .kernel = "add",
                     .defines = {{"GUARD", "1"}},
                     .grid = {blocks},
                     .block = {128},
                     .arguments = {array<std::int32_t>("a", {4096}, [](std::size_t i) { return i * i; }),
                                   array<std::int32_t>("b", {4096}, [](std::size_t i) { return 7 * i; }),
                                   zeros<std::int32_t>("out", {4096}), number(4096)}});
  }
}

void race_cases(std::vector<Case>& cases) {
  Case atomic{.name = "count, atomic",
              .file = "race.cu",
              .kernel = "count",
              .defines = {{"USE_ATOMIC_ADD", "1"}},
              .grid = {64},
              .block = {64},
              .arguments = {zeros<std::int32_t>("c", {1})}};
  Case racing = atomic;
  racing.name = "count, racing: 1 to 4096";
  racing.defines = {{"USE_ATOMIC_ADD", "0"}};
  racing.right = atomic.defines;
  racing.range = [](double right) { return std::pair(1.0, right); };
  cases.push_back(std::move(atomic));
  cases.push_back(std::move(racing));
}

void histogram_cases(std::vector<Case>& cases) {
  for (const std::size_t n : {std::size_t{1001}, std::size_t{100'003}}) {
    for (const int bins : {10, 256}) {
      const auto one = [&](const std::string& name, Defines defines, int words) {
        return Case{
            .name = fmt::format("histogram of {}, {} bins, {}", n, bins, name),
            .file = "histogram.cu",
            .kernel = "histogram",
            .defines = std::move(defines),
            .grid = {40},
            .block = {96},
            .shared_bytes = static_cast<std::uint32_t>(words) * 4,
            .arguments = {array<float>("x", {n}, [](std::size_t i) { return 4.5 * scattered(i); }), number(n), Scalar::of(-4.0F),
                          Scalar::of(4.0F), zeros<std::int32_t>("bins", {static_cast<std::size_t>(bins)}), Scalar::of(bins)}};
      };
      const Defines atomic = {{"ATOMIC", "1"}, {"SHARED_BINS", "0"}};
      cases.push_back(one("global atomics", atomic, 0));
      cases.push_back(one("shared atomics", {{"ATOMIC", "1"}, {"SHARED_BINS", "1"}}, bins));
      cases.push_back(one("fast, 32 copies", {{"FAST", "1"}, {"COPIES", "32"}}, 32 * bins));
      cases.push_back(one("fast, 3 copies", {{"FAST", "1"}, {"COPIES", "3"}}, 3 * bins));
      for (const bool shared : {false, true}) {
        Case racing = one(shared ? "racing in shared memory" : "racing", {{"ATOMIC", "0"}, {"SHARED_BINS", shared ? "1" : "0"}},
                          shared ? bins : 0);
        racing.right = atomic;
        racing.range = [](double right) { return std::pair(std::min(right, 1.0), right); };
        cases.push_back(std::move(racing));
      }
    }
  }
}

void diffusion_cases(std::vector<Case>& cases) {
  for (const std::size_t n : {std::size_t{64}, std::size_t{300}, std::size_t{301}, std::size_t{514}}) {
    const auto one = [&](const std::string& name, Defines defines, Dim3 grid, Dim3 block) {
      return Case{.name = fmt::format("diffuse {}², {}", n, name),
                  .file = "diffusion.cu",
                  .kernel = "diffuse",
                  .defines = std::move(defines),
                  .grid = grid,
                  .block = block,
                  .arguments = {array<float>("in", {n, n}, scattered), zeros<float>("out", {n, n}), zeros<float>("lapl", {n, n}),
                                number(n), Scalar::of(0.24F)},
                  .tolerance = 1e-6};
    };
    const auto tiled = [&](const std::string& name, std::uint32_t tile, const char* sync, const char* in_place) {
      return one(name, {{"TILE", std::to_string(tile)}, {"SYNC", sync}, {"IN_PLACE", in_place}}, {over(n, tile), over(n, tile)},
                 {tile, tile});
    };
    for (const std::uint32_t tile : {4U, 7U, 8U, 16U, 32U}) cases.push_back(tiled(fmt::format("tile {}", tile), tile, "1", "0"));
    cases.push_back(one("fast", {{"FAST", "1"}, {"ROWS", "4"}}, {over(n, 128), over(n, 32)}, {32, 8}));
    for (const bool barrier : {false, true}) {
      Case racing = tiled(barrier ? "in place: any value" : "no barrier: any value", 8, barrier ? "1" : "0", barrier ? "1" : "0");
      racing.anything = true;
      cases.push_back(std::move(racing));
    }
  }
}

void playground_cases(std::vector<Case>& cases) {
  cases.push_back({.name = "mandelbrot: within a step where a compiler rounds otherwise",
                   .file = "playground.cu",
                   .kernel = "mandelbrot",
                   .grid = {5, 4},
                   .block = {16, 16},
                   .arguments = {zeros<float>("steps", {60, 70}), number(70), number(60), number(64)},
                   .tolerance = 1.0 / 64});
  cases.push_back(
      {.name = "saxpy",
       .file = "playground.cu",
       .kernel = "saxpy",
       .grid = {8},
       .block = {128},
       .arguments = {array<float>("x", {1000}, scattered), array<float>("y", {1000}, scattered), Scalar::of(0.7F), number(1000)},
       .tolerance = 1e-6});
}

void reduction_cases(std::vector<Case>& cases) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{33}, std::size_t{65'379}}) {
    for (const std::uint32_t threads : {96U, 256U}) {
      for (int step = 0; step < 7; ++step) {
        const std::uint32_t blocks = step >= 5 ? 37 : over(n, threads);
        cases.push_back({.name = fmt::format("sum_blocks of {}, version {}, {} threads", n, step, threads),
                         .file = "reduction.cu",
                         .kernel = "sum_blocks",
                         .defines = {{"VERSION", std::to_string(step)}, {"THREADS", std::to_string(threads)}},
                         .grid = {blocks},
                         .block = {threads},
                         .shared_bytes = step >= 1 && step <= 3 ? threads * 4 : 0,
                         .arguments = {array<float>("data", {n}, scattered), number(n), zeros<float>("out", {blocks})},
                         .tolerance = 1e-6});
      }
    }
  }
}

void who_cases(std::vector<Case>& cases) {
  constexpr std::size_t width = 60, height = 41, depth = 3;
  for (const bool swapped : {false, true}) {
    const Dim3 blocks{over(width, 8), over(height, 8), 1};
    cases.push_back({.name = swapped ? "who, x and y swapped" : "who",
                     .file = "who.cu",
                     .kernel = "who",
                     .defines = {{"SWAPPED", swapped ? "1" : "0"}, {"GUARD", "1"}, {"WRONG_ROW", "0"}},
                     .grid = swapped ? Dim3{blocks.y, blocks.x, 1} : blocks,
                     .block = {8, 8, 4},
                     .arguments = {zeros<int>("out", {depth, height, width}), number(width), number(height), number(depth)}});
  }
}

void hypot_cases(std::vector<Case>& cases) {
  for (const int way : {0, 1, 2}) {
    cases.push_back({.name = fmt::format("hypot_stride, way {}", way),
                     .file = "hypot.cu",
                     .kernel = "hypot_stride",
                     .defines = {{"WAY", std::to_string(way)}},
                     .grid = {way == 0 ? 79U : 7U},
                     .block = {128},
                     .arguments = {array<float>("a", {10'007}, scattered),
                                   array<float>("b", {10'007}, [](std::size_t i) { return scattered(i + 5); }),
                                   zeros<float>("c", {10'007}), number(10'007)},
                     .tolerance = 1e-6});
  }
}

void smoothing_cases(std::vector<Case>& cases) {
  constexpr std::size_t n = 601;
  constexpr std::uint32_t s = 20;
  for (int version = 0; version <= 5; ++version) {
    const bool per_weight = version <= 2 || version == 5;
    const std::uint32_t weights = version < 2 ? 2 * s : 2 * s + 1;
    Case one{.name = fmt::format("smooth, version {}", version),
             .file = "smoothing.cu",
             .kernel = "smooth",
             .defines = {{"VERSION", std::to_string(version)}},
             .grid = {per_weight ? static_cast<std::uint32_t>(n) : over(n, 128)},
             .block = {per_weight ? weights : 128},
             .shared_bytes = version == 5 ? weights * 4 : 0,
             .arguments = {array<float>("a", {2 * s + 1}, scattered), array<float>("z", {n + 2 * s}, scattered),
                           zeros<float>("x", {n}), number(n), number(s)},
             .tolerance = 1e-5};  // atomics add in any order
    one.anything = version == 0;
    cases.push_back(std::move(one));
  }
}

void work_cases(std::vector<Case>& cases) {
  for (const char* items : {"1", "2", "8"}) {
    for (const char* min_blocks : {"0", "4"}) {
      cases.push_back({.name = fmt::format("work, {} items, at least {} blocks", items, min_blocks),
                       .file = "work.cu",
                       .kernel = "work",
                       .defines = {{"ITEMS", items}, {"STEPS", "10"}, {"THREADS", "256"}, {"MIN_BLOCKS", min_blocks}},
                       .grid = {7},
                       .block = {256},
                       .arguments = {array<float>("x", {10'007}, scattered), zeros<float>("y", {10'007}), number(10'007)},
                       .tolerance = 1e-6});
    }
  }
}

void branch_cases(std::vector<Case>& cases) {
  for (const int by : {0, 1, 2}) {
    for (const int shape : {0, 1, 2}) {
      cases.push_back({.name = fmt::format("branch by {}, shape {}", by, shape),
                       .file = "branch.cu",
                       .kernel = "branch",
                       .defines = {{"BY", std::to_string(by)}, {"SHAPE", std::to_string(shape)}, {"STEPS", "20"}},
                       .grid = {9},
                       .block = {128},
                       .arguments = {array<float>("x", {1100}, [](std::size_t i) { return std::abs(scattered(i)); }),
                                     zeros<float>("y", {1100}), number(1100)},
                       .tolerance = 1e-6});
    }
  }
}

void transpose_cases(std::vector<Case>& cases) {
  constexpr std::size_t width = 70, height = 45;
  const auto one = [&](const std::string& name, Defines defines, Dim3 grid, Dim3 block) {
    cases.push_back({.name = "transpose, " + name,
                     .file = "transpose.cu",
                     .kernel = "transpose",
                     .defines = std::move(defines),
                     .grid = grid,
                     .block = block,
                     .arguments = {array<float>("in", {height, width}, scattered), zeros<float>("out", {width, height}),
                                   number(width), number(height)}});
  };
  const Dim3 tiles{over(width, 32), over(height, 32), 1};
  one("directly", {{"MODE", "0"}}, tiles, {32, 32, 1});
  for (const char* columns : {"32", "33", "34"})
    one(std::string("a tile ") + columns + " wide", {{"MODE", "1"}, {"TILE_WIDTH", columns}}, tiles, {32, 32, 1});
  one("a thread a row", {{"MODE", "2"}}, {1}, {64});
  one("a struct of arrays", {{"MODE", "3"}}, {1}, {64});
  for (const char* by_row : {"0", "1"})
    one(std::string("a table, by row ") + by_row, {{"MODE", "4"}, {"TABLE_BY_ROW", by_row}}, tiles, {32, 32, 1});
}

void warps_cases(std::vector<Case>& cases) {
  // Where lanes leave, only what no lane reads from them is compared.
  const std::array<const char*, 5> patterns{"down", "butterfly", "prefix sum", "votes", "tiles of 8"};
  for (int pattern = 0; pattern < 5; ++pattern) {
    for (const int absent : {0, 1}) {
      if (absent == 1 && pattern != 2 && pattern != 3) continue;
      const auto one_less = [](std::size_t i) { return static_cast<std::int32_t>(i % 5) - 1; };
      const auto nobody = [](std::size_t) { return -1; };
      cases.push_back({.name = fmt::format("lanes talk: {}{}", patterns[static_cast<std::size_t>(pattern)],
                                           absent == 1 ? ", eight have left" : ""),
                       .file = "warps.cu",
                       .kernel = "talk",
                       .defines = {{"PATTERN", std::to_string(pattern)}, {"ABSENT", std::to_string(absent)}, {"TILE", "8"}},
                       .grid = {1},
                       .block = {32},
                       .arguments = {array<std::int32_t>("in", {24}, one_less), number(24),
                                     array<std::int32_t>("out", {32}, nobody), array<std::int32_t>("log", {576}, nobody)}});
    }
  }
}

void relax_cases(std::vector<Case>& cases) {
  for (const int steps : {1, 64, 4096}) {
    cases.push_back({.name = fmt::format("relax, {} steps", steps),
                     .file = "relax.cu",
                     .kernel = "relax",
                     .defines = {{"STEPS", std::to_string(steps)}},
                     .grid = {8},
                     .block = {128},
                     .arguments = {array<float>("values", {1000}, scattered), number(1000)},
                     .tolerance = 1e-6});
  }
}

void roof_cases(std::vector<Case>& cases) {
  for (const int structs : {0, 1}) {
    for (const int in_float64 : {0, 1}) {
      cases.push_back({.name = fmt::format("curve{}{}", structs == 1 ? " of structs" : "", in_float64 == 1 ? ", in float64" : ""),
                       .file = "roof.cu",
                       .kernel = "curve",
                       .defines = {{"STEPS", "20"}, {"STRUCTS", std::to_string(structs)}, {"DOUBLE", std::to_string(in_float64)}},
                       .grid = {3},
                       .block = {64},
                       .arguments = {array<float>("x", {4000}, scattered), zeros<float>("y", {192}), number(1000)},
                       .tolerance = 1e-4});
    }
  }
}

void matmul_cases(std::vector<Case>& cases) {
  constexpr std::size_t m = 37, k = 45, n = 70;
  const auto positive = [](std::size_t i) { return std::abs(scattered(i)); };
  const auto one = [&](const std::string& name, int version, int mended, std::size_t rows, Dim3 grid, Dim3 block) {
    const std::string on = std::to_string(mended);
    cases.push_back(
        {.name = "product, " + name,
         .file = "matmul.cu",
         .kernel = "product",
         .defines = {{"VERSION", std::to_string(version)}, {"LESS", "1"}, {"WHOLE", "1"}, {"FLOAT", on}, {"ALONG_ROWS", on}},
         .grid = grid,
         .block = block,
         .arguments = {array<float>("A", {rows, k}, positive), array<float>("B", {k, n}, positive), zeros<float>("out", {n}),
                       number(rows), number(k), number(n)},
         .tolerance = 1e-5});
  };
  const Dim3 block{16, 16, 1};
  one("an element a thread", 0, 1, m, {over(m, 16), over(n, 16), 1}, block);
  one("tiles, a double sum down columns", 1, 0, m, {over(m, 16), over(n, 16), 1}, block);
  one("tiles, mended", 1, 1, m, {over(m, 16), over(n, 16), 1}, block);
  one("2 x 2 elements a thread", 2, 1, m, {over(m, 32), over(n, 32), 1}, block);
  one("4 x 4 elements a thread", 3, 1, m, {over(m, 64), over(n, 64), 1}, block);
  one("a single row", 4, 1, 1, {over(n, 64), over(k, 8), 1}, {64});
}

void ensemble_cases(std::vector<Case>& cases) {
  constexpr std::size_t members = 37, ring = 32;
  for (const int work : {0, 1}) {
    for (const int by_value : {0, 1}) {
      for (const int inlined : {0, 1}) {
        for (const int halved : {0, 1}) {
          if (work == 1 && by_value == 1) continue;  // of a thread a member only
          cases.push_back({.name = fmt::format("ensemble, {}{}{}{}", work == 0 ? "a thread a member" : "a thread a cell",
                                               by_value == 1 ? ", by value" : "", inlined == 1 ? "" : ", not inlined",
                                               halved == 1 ? ", recursive" : ""),
                           .file = "ensemble.cu",
                           .kernel = "ensemble",
                           .defines = {{"WORK", std::to_string(work)},
                                       {"BY_VALUE", std::to_string(by_value)},
                                       {"INLINED", std::to_string(inlined)},
                                       {"HALVED", std::to_string(halved)}},
                           .grid = {static_cast<std::uint32_t>(work == 0 ? 2 : members)},
                           .block = {static_cast<std::uint32_t>(work == 0 ? 32 : ring)},
                           .arguments = {array<float>("x", {members * ring}, [](std::size_t i) { return 3 + 6 * scattered(i); }),
                                         zeros<float>("time", {members}), number(members), Scalar::of(0.05F)},
                           .tolerance = 1e-5});
        }
      }
    }
  }
}

/// The twelve kernels of lesson 21 without their mistakes; and as they were, those that break no rule and only compute something
/// else. The others may do anything on a GPU, or never end.
void clinic_cases(std::vector<Case>& cases) {
  struct Launch {
    const char* name;
    Dim3 grid, block;
    std::size_t n, elements;
    std::uint32_t shared_bytes = 0;
    bool breaks_no_rule = false;
  };
  const Launch launches[] = {{"index", {4}, {256}, 1024, 1024},
                             {"barrier", {4}, {256}, 1024, 1024},
                             {"branch", {4}, {256}, 1000, 1000},
                             {"beyond", {4}, {256}, 1024, 1024},
                             {"unset", {4}, {256}, 1024, 4},
                             {"swapped", {3, 4}, {16, 8}, 1536, 1536, 0, true},
                             {"overflow", {4}, {256}, 1024, 1024, 0, true},
                             {"tail", {4}, {250}, 1000, 4, 0, true},
                             {"grid", {20}, {32}, 1024, 1026},
                             {"misaligned", {4}, {250}, 1000, 1000, 1252},
                             {"halo", {16}, {64}, 1024, 1024, 0, true},
                             {"reused", {4}, {256}, 1024, 1024}};
  int number_of_case = 0;
  for (const Launch& launch : launches) {
    ++number_of_case;
    const int scale = number_of_case == 7 ? 16000 : 1;
    for (const bool mended : {true, false}) {
      if (!mended && !launch.breaks_no_rule) continue;
      cases.push_back(
          {.name = fmt::format("broken kernel {}, {}{}", number_of_case, launch.name, mended ? ", mended" : ""),
           .file = "clinic.cu",
           .kernel = "broken",
           .defines = {{"CASE", std::to_string(number_of_case)}, {"MENDED", mended ? "1" : "0"}},
           .grid = launch.grid,
           .block = launch.block,
           .shared_bytes = launch.shared_bytes,
           .arguments = {array<std::int32_t>("x", {launch.n}, [scale](std::size_t i) { return scale * 128 * (1 + scattered(i)); }),
                         number(launch.n), zeros<std::int32_t>("out", {launch.elements})}});
    }
  }
}

void cores_cases(std::vector<Case>& cases) {
  for (const int in_float64 : {0, 1}) {
    cases.push_back({.name = fmt::format("busy{}", in_float64 == 1 ? ", in float64" : ""),
                     .file = "cores.cu",
                     .kernel = "busy",
                     .defines = {{"DOUBLE", std::to_string(in_float64)}},
                     .grid = {3},
                     .block = {64},
                     .arguments = {zeros<float>("y", {192}), number(100)},
                     .tolerance = 1e-3});
  }
}

void last_cases(std::vector<Case>& cases) {
  static constexpr std::uint32_t blocks = 40, threads = 128;
  const auto one = [&](const std::string& name, int version, bool races) {
    Case last{.name = "total, " + name,
              .file = "last.cu",
              .kernel = "total",
              .defines = {{"VERSION", std::to_string(version)}, {"RESET", "1"}},
              .grid = {blocks},
              .block = {threads},
              .arguments = {array<std::int32_t>("x", {blocks * threads}, [](std::size_t i) { return 1 + i % 24; }),
                            zeros<std::int32_t>("partial", {blocks}), zeros<std::int32_t>("count", {1}),
                            zeros<std::int32_t>("out", {1})}};
    if (races) {
      // A sum that is not seen counts as 0, and tickets of block scope may be taken twice: then nobody comes last.
      last.range = [](double right) { return std::pair{0.0, right > 0 ? std::max(right, double{blocks}) : double{blocks}}; };
      last.right = {{"VERSION", "2"}, {"RESET", "1"}};
    }
    cases.push_back(std::move(last));
  };
  one("the ticket alone", 0, true);
  one("one fence", 1, true);
  one("two fences", 2, false);
  one("volatile", 3, true);
  one("fences for the block", 4, true);
  one("acquire and release", 5, false);
  one("block scope", 6, true);
  one("a barrier", 7, true);
}

struct Ran {
  gpu::LaunchReport report;
  std::vector<std::pair<gpu::Array, std::vector<std::byte>>> arrays;
  std::string problem;
};

Ran run(gpu::Device& device, const Case& wanted, const Defines& defines) {
  Ran ran;
  auto program = compile_file(device, lessons::data_directory() / "kernels" / wanted.file, defines);
  if (!program) {
    ran.problem = program.error().message;
    return ran;
  }
  gpu::LaunchRequest request{.program = *program, .kernel = wanted.kernel, .grid = wanted.grid, .block = wanted.block};
  request.dynamic_shared_bytes = wanted.shared_bytes;
  std::vector<gpu::Buffer> buffers;
  for (const auto& argument : wanted.arguments) {
    if (const auto* scalar = std::get_if<Scalar>(&argument)) {
      request.arguments.emplace_back(*scalar);
      continue;
    }
    const auto& input = std::get<Input>(argument);
    auto buffer = device.allocate(input.array);
    if (buffer) {
      buffers.push_back(*buffer);
      request.arguments.emplace_back(*buffer);
      if (auto done = device.write(*buffer, input.bytes); !done) ran.problem = done.error().message;
    } else {
      ran.problem = buffer.error().message;
    }
  }
  if (ran.problem.empty()) {
    ran.report = device.launch(request);
    if (!ran.report.ok()) ran.problem = ran.report.status + ": " + say(ran.report.message);
  }
  for (const gpu::Buffer& buffer : buffers) {
    std::vector<std::byte> bytes(buffer.array.bytes());
    if (ran.problem.empty()) {
      if (auto done = device.read(buffer, bytes); !done) ran.problem = done.error().message;
    }
    ran.arrays.emplace_back(buffer.array, std::move(bytes));
    device.release(buffer);
  }
  return ran;
}

std::vector<double> values_of(const std::pair<gpu::Array, std::vector<std::byte>>& array) {
  std::vector<double> values(array.first.count());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (array.first.type == ScalarType::float32) {
      float value;
      std::memcpy(&value, &array.second[4 * i], 4);
      values[i] = double{value};
    } else {
      std::int32_t value;
      std::memcpy(&value, &array.second[4 * i], 4);
      values[i] = value;
    }
  }
  return values;
}

/// What is wrong; empty: nothing. `detail` says what was compared.
std::string compare(const Case& wanted, const Ran& gpu, const Ran& reference, std::string& detail) {
  std::size_t compared = 0, equal = 0;
  double worst = 0;
  for (std::size_t a = 0; a < gpu.arrays.size(); ++a) {
    const std::vector<double> got = values_of(gpu.arrays[a]), right = values_of(reference.arrays[a]);
    double largest = 0;
    for (const double value : right) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < got.size(); ++i) {
      ++compared;
      equal += got[i] == right[i];
      if (wanted.range) {
        if (gpu.arrays[a].first.name == "x") continue;
        const auto [low, high] = wanted.range(right[i]);
        if (!(got[i] >= low && got[i] <= high))
          return fmt::format("{}[{}] is {}, not in {} … {}", gpu.arrays[a].first.name, i, got[i], low, high);
        continue;
      }
      const double off = std::abs(got[i] - right[i]);
      worst = std::max(worst, off);
      if (!(off <= wanted.tolerance * largest))
        return fmt::format("{}[{}] is {:.9g}, on the virtual GPU {:.9g}", gpu.arrays[a].first.name, i, got[i], right[i]);
    }
  }
  detail = wanted.range        ? fmt::format("{} values in their range", compared)
           : equal == compared ? fmt::format("{} values equal", compared)
                               : fmt::format("{} of {} values equal, the others within {:.2g}", equal, compared, worst);
  return {};
}

/// A product by the maker's library beside the same in float64, with sides that are no multiple of anything and all different.
void check_library(gpu::Device& device, Report& report) {
  gpu::MatrixLibrary* const library = device.matrix_library();
  if (library == nullptr) return report.note("No library for products of matrices was found: lesson 17 shows no time of one.");
  constexpr std::size_t m = 301, k = 157, n = 83;
  const auto put = [&](const Input& input) -> Result<gpu::Buffer> {
    auto buffer = device.allocate(input.array);
    if (!buffer) return buffer;
    if (auto written = device.write(*buffer, input.bytes); !written) return failure(written.error());
    return buffer;
  };
  const auto elements = [](std::size_t first) { return [first](std::size_t i) { return scattered(first + i); }; };
  const auto a = put(array<float>("A", {m, k}, elements(0))), b = put(array<float>("B", {k, n}, elements(m * k)));
  const auto c = put(zeros<float>("C", {m, n}));
  Result<double> us = !a ? failure(a.error()) : !b ? failure(b.error()) : !c ? failure(c.error()) : library->multiply(*a, *b, *c);
  std::vector<float> got(m * n);
  if (us) us = library->multiply(*a, *b, *c);  // the first one loads what it needs
  if (us) {
    if (auto read = device.read(*c, std::as_writable_bytes(std::span(got))); !read) us = failure(read.error());
  }
  double worst = 0;
  for (std::size_t i = 0; us && i < got.size(); ++i) {
    double right = 0;
    for (std::size_t j = 0; j < k; ++j) right += scattered(i / n * k + j) * scattered(m * k + j * n + i % n);
    worst = std::max(worst, std::abs(got[i] - right));
  }
  report.check("matmul.cu: " + library->name(), us && worst < 1e-4,
               us ? fmt::format("{} × {} × {} in {:.1f} µs, within {:.2g} of the product in float64", m, k, n, *us, worst)
                  : us.error().message);
  for (const auto& buffer : {a, b, c})
    if (buffer) device.release(*buffer);
}

}  // namespace

void check_kernels(const Bench& bench, Report& report) {
  report.section("Every kernel on both devices");
  std::vector<Case> cases;
  add_cases(cases);
  race_cases(cases);
  histogram_cases(cases);
  diffusion_cases(cases);
  reduction_cases(cases);
  playground_cases(cases);
  who_cases(cases);
  hypot_cases(cases);
  smoothing_cases(cases);
  work_cases(cases);
  transpose_cases(cases);
  branch_cases(cases);
  warps_cases(cases);
  relax_cases(cases);
  roof_cases(cases);
  matmul_cases(cases);
  ensemble_cases(cases);
  cores_cases(cases);
  last_cases(cases);
  clinic_cases(cases);
  for (const Case& wanted : cases) {
    const Ran gpu = run(bench.gpu, wanted, wanted.defines);
    if (!gpu.problem.empty() || wanted.anything) {
      report.check(wanted.name, gpu.problem.empty(), gpu.problem.empty() ? "it ended" : gpu.problem);
      continue;
    }
    const Ran reference = run(bench.reference, wanted, wanted.right.empty() ? wanted.defines : wanted.right);
    std::string detail;
    std::string wrong = reference.problem.empty() ? compare(wanted, gpu, reference, detail) : "virtual GPU: " + reference.problem;
    report.check(wanted.name, wrong.empty(), wrong.empty() ? detail : wrong);
  }
  check_library(bench.gpu, report);
  // A kernel that nobody added here would go unnoticed.
  for (const auto& entry : std::filesystem::directory_iterator(lessons::data_directory() / "kernels")) {
    const std::string file = entry.path().filename().string();
    if (entry.path().extension() != ".cu" || file == "fail.cu") continue;  // which fails on purpose, as the faults do
    const bool known = std::any_of(cases.begin(), cases.end(), [&](const Case& c) { return c.file == file; });
    if (!known) report.note(fmt::format("{} is not compared: it has no case in tests/gpu_check/kernels.cpp.", file));
  }
}

}  // namespace warpbook::gpu_check
