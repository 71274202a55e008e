// Lesson 19: what the course promises, on the virtual GPU. Peaks are worked out here from published figures; what the lesson knows
// of four devices is compared with the profiles, and the quiz with the profile and gpu/occupancy.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "gpu/arithmetic.h"
#include "gpu/attributes.h"
#include "gpu/occupancy.h"
#include "gpu/text.h"
#include "gpu/virtual/profiles.h"
#include "lessons/19_know_your_device/device_facts.h"
#include "lessons/answers.h"
#include "lessons/check.h"
#include "lessons/device_formula.h"
#include "lessons/exercise.h"
#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using testing::LessonRunOnce;
using testing::number;
using testing::Settings;

gpu::DeviceInfo profile_info(std::string_view name) { return gpu::device_info(*gpu::find_profile(name)); }
Attributes of_profile(std::string_view name) { return attributes_of(profile_info(name)); }

class KnowYourDevice : public LessonRunOnce {
 protected:
  KnowYourDevice() : LessonRunOnce("19") {}
};

// ---- the questions ----

TEST_F(KnowYourDevice, NoCallTellsTheCoresOfAMultiprocessor) {
  EXPECT_EQ(number(run({}), "not_told"), 3);
  for (const gpu::AttributeRow& row : gpu::attribute_table())
    EXPECT_EQ(lowered(row.name).find("core"), std::string::npos) << row.name << " would tell of cores";
}

TEST_F(KnowYourDevice, AT4HoldsSixteenThreadsForEachOf2560Cores) {
  EXPECT_EQ(number(run({}), "cores"), 40 * 64);
  EXPECT_EQ(number(run({}), "cores_of_one"), 64);
  EXPECT_EQ(number(run({}), "threads"), 40 * 1024);
  EXPECT_EQ(number(run({}), "threads_a_core"), 16);
}

TEST_F(KnowYourDevice, TheDocumentsGtx850mHas640Cores) {
  EXPECT_EQ(number(run({}), "gtx_850m"), 640);
  EXPECT_EQ(derived("Cores of a multiprocessor", of_profile("GTX 850M")), 128);
  EXPECT_EQ(told_by(of_profile("GTX 850M"), "multiProcessorCount"), 5);
}

// ---- what the kernel measures ----

TEST_F(KnowYourDevice, TheKernelFindsTheUnitsOfAT4) {
  EXPECT_NEAR(number(preset("All cores busy"), "measured"), 64, 0.5);
  EXPECT_NEAR(number(preset("float64"), "measured"), 2, 0.05);
  EXPECT_TRUE(testing::figure<Chip>(preset("float64")).measured_float64);
  for (const Preset& each : lesson().presets)
    EXPECT_EQ(number(preset(in_english(each.label)), "wrong"), 0) << in_english(each.label);
}

TEST_F(KnowYourDevice, AWarpHasOnlyTheUnitsOfItsScheduler) {
  EXPECT_NEAR(number(preset("One warp"), "measured"), 16, 1);
  EXPECT_LE(number(preset("One warp"), "measured"), 16);
  EXPECT_NEAR(number(preset("Four warps"), "measured"), 64, 4);
  EXPECT_NEAR(number(preset("float64, one warp"), "measured"), 0.5, 0.02) << "an instruction takes 64 cycles";
}

TEST_F(KnowYourDevice, ItComesCloseToTheUnitsOfOtherProfilesAndNeverPassesThem) {
  gpu::Compiler compiler;
  for (const char* name : {"GTX 850M", "Teaching", "A40"}) {
    const auto other = gpu::make_virtual_device(compiler, name);
    ASSERT_TRUE(other) << name;
    Host host(**other, {.kernel_file = lesson().kernel_file, .kernel_text = kernel(), .defines = {}});
    const auto outcome = lesson().run(host, values({}), nullptr);
    ASSERT_TRUE(outcome) << outcome.error().message;
    const int units = gpu::find_profile(name)->lanes.fp32;
    EXPECT_EQ(number(*outcome, "cores_of_one"), units) << name;
    EXPECT_LE(number(*outcome, "measured"), units + 0.5) << name;
    EXPECT_GE(number(*outcome, "measured"), 0.95 * units) << name;
    EXPECT_EQ(number(*outcome, "not_told"), 3) << name;
  }
}

// ---- what is known ----

TEST(DeviceFacts, KnownDevicesAreTheProfiles) {
  ASSERT_EQ(known_devices().size(), 4U);
  for (const KnownDevice& known : known_devices()) {
    ASSERT_NE(gpu::find_profile(known.name), nullptr) << known.name;
    for (const auto& [name, value] : of_profile(known.name)) {
      EXPECT_EQ(told_by(known.attributes, name), static_cast<double>(value)) << known.name << " " << name;
    }
    if (known.name != "GTX 850M") {
      EXPECT_EQ(known.attributes.size(), of_profile(known.name).size()) << known.name;
    }
  }
}

TEST(DeviceFacts, TheGtx850mHasWhatItToldTheDocumentsProgram) {
  const Attributes& told = known_devices().front().attributes;
  // A few from each part of document 004's list.
  for (const auto& [name, value] : std::map<std::string, double>{{"clockRate", 901500},
                                                                 {"memoryClockRate", 1001000},
                                                                 {"memoryBusWidth", 128},
                                                                 {"asyncEngineCount", 1},
                                                                 {"globalL1CacheSupported", 0},
                                                                 {"localL1CacheSupported", 1},
                                                                 {"kernelExecTimeoutEnabled", 1},
                                                                 {"maxSurface1DLayered.layers", 2048},
                                                                 {"maxSurfaceCubemapLayered.layers", 2046},
                                                                 {"maxTexture1DLinear", 134217728},
                                                                 {"maxTexture2DLinear.pitch", 1048544},
                                                                 {"maxTexture3DAlt.y", 2048},
                                                                 {"memPitch", 2147483647},
                                                                 {"textureAlignment", 512},
                                                                 {"texturePitchAlignment", 32},
                                                                 {"pciBusID", 1}}) {
    EXPECT_EQ(told_by(told, name), value) << name;
  }
  std::set<std::string_view> names;
  for (const gpu::AttributeRow& row : gpu::attribute_table()) names.insert(row.name);
  for (const auto& [name, value] : told) EXPECT_TRUE(names.contains(name)) << name << " is no attribute";
}

TEST(DeviceFacts, EveryAttributeSaysWhatItMeansForALaunch) {
  for (const gpu::AttributeRow& row : gpu::attribute_table()) EXPECT_TRUE(for_a_launch(row.name).ends_with('.')) << row.name;
  EXPECT_EQ(for_a_launch("maxTexture3DAlt.z"), for_a_launch("maxTexture1D")) << "they have one sentence together";
  EXPECT_NE(for_a_launch("maxTexture1DLinear"), for_a_launch("maxTexture1D"));
  EXPECT_EQ(for_a_launch("coresPerMultiprocessor"), "");
}

// ---- what follows ----

TEST(DeviceFacts, PeaksAreThoseOfThePublishedFigures) {
  struct Peaks {
    const char* name;
    double float32, float64, bandwidth;  // 10⁹ a second
  };
  // Multiprocessors × units × 2 × GHz; the bandwidths are the data sheets', but the 850M's: 2 × 1.001 GHz × 128 bits.
  for (const auto& [name, float32, float64, bandwidth] :
       {Peaks{"GTX 850M", 5 * 128 * 2 * 0.9015, 5 * 4 * 2 * 0.9015, 32.032},
        Peaks{"T4", 40 * 64 * 2 * 1.59, 40 * 2 * 2 * 1.59, 320}, Peaks{"A40", 84 * 128 * 2 * 1.74, 84 * 2 * 2 * 1.74, 696},
        Peaks{"H200", 132 * 128 * 2 * 1.98, 132 * 64 * 2 * 1.98, 4800}}) {
    const Attributes told = of_profile(name);
    EXPECT_NEAR(*derived("Peak of float32", told), float32, 1e-6 * float32) << name;
    EXPECT_NEAR(*derived("Peak of float64", told), float64, 1e-6 * float64) << name;
    EXPECT_NEAR(*derived("Peak bandwidth", told), bandwidth, 1e-3 * bandwidth) << name;
    EXPECT_NEAR(*derived("Operations for each byte", told), float32 / bandwidth, 2e-3 * float32 / bandwidth) << name;
    const gpu::DeviceInfo info = profile_info(name);
    const gpu::ArithmeticPeak peak = gpu::arithmetic_peak(info);
    EXPECT_NEAR(*derived("Peak of float32", told), peak.float32 / 1e9, 1e-6 * float32) << name;
    EXPECT_NEAR(*derived("Peak of float64", told), peak.float64 / 1e9, 1e-6 * float64) << name;
    EXPECT_NEAR(*derived("Peak bandwidth", told), info.memory_gb_per_s, 0.01 * bandwidth) << name;
  }
}

TEST(DeviceFacts, SharesOfAThread) {
  const auto registers = [](const char* name) { return *derived("Registers for each thread", of_profile(name)); };
  EXPECT_EQ(registers("GTX 850M"), 32);
  EXPECT_EQ(registers("T4"), 64);
  EXPECT_NEAR(registers("A40"), 65536 / 1536.0, 1e-9);
  EXPECT_EQ(registers("H200"), 32);
  EXPECT_EQ(derived("Shared memory for each thread", of_profile("GTX 850M")), 32);
  EXPECT_EQ(derived("Threads for each core", of_profile("A40")), 12);
  EXPECT_EQ(derived("Cores", of_profile("A40")), 10752);
  EXPECT_EQ(derived("Cores", of_profile("H200")), 16896);
}

TEST(DeviceFacts, WhatIsNotKnownIsLeftOut) {
  Attributes told = of_profile("T4");
  told["major"] = 77;
  told["memoryClockRate"] = 0;
  for (const char* name : {"Cores", "Cores of a multiprocessor", "Threads for each core", "Peak of float32", "Peak of float64",
                           "Peak bandwidth", "Operations for each byte"}) {
    EXPECT_FALSE(derived(name, told)) << name;
  }
  EXPECT_EQ(derived("Threads at the same time", told), 40960);
  EXPECT_FALSE(derived("Moons", told));
  for (const DeviceTable::Row& row : table_of("nothing", {}).rows) {
    if (row.derived) {
      EXPECT_FALSE(row.values.front()) << row.name;
    }
  }
  const Chip chip = chip_of(told);
  EXPECT_EQ(chip.float32_units, 0);
  EXPECT_EQ(chip_of({}).facts.size(), 0U);
}

// ---- the figures ----

TEST_F(KnowYourDevice, TheTableHasWhatTheDeviceTellsBesideFourOthers) {
  const auto& table = testing::figure<DeviceTable>(run({}));
  const Attributes told = of_profile("T4");
  ASSERT_EQ(table.devices.size(), 5U);
  std::size_t own = 0;
  bool attributes = false;
  std::set<std::string> names;
  for (const DeviceTable::Row& row : table.rows) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    ASSERT_EQ(row.values.size(), table.devices.size()) << row.name;
    EXPECT_FALSE(row.meaning.empty()) << row.name;
    EXPECT_FALSE(row.derived && attributes) << "derived ones first";
    attributes = attributes || !row.derived;
    if (row.derived) {
      EXPECT_EQ(row.values[0], row.values[2]) << row.name << ": the device is a T4";
      EXPECT_FALSE(row.launch.empty()) << row.name;
    } else {
      EXPECT_EQ(row.values[0], told_by(told, row.name)) << row.name;
      own += row.values[0].has_value();
    }
  }
  EXPECT_EQ(own, told.size());
  EXPECT_TRUE(names.contains("maxTexture1D")) << "which only the GTX 850M has told";
}

TEST_F(KnowYourDevice, TheChipTellsOfEachPartAndWhoHasToldIt) {
  const auto& chip = testing::figure<Chip>(run({}));
  EXPECT_EQ(chip.title, "40 multiprocessors × 64 cores = 2560 cores");
  EXPECT_EQ(chip.warps, 32);
  EXPECT_EQ(chip.float64_units, 2);
  std::set<Chip::Part> parts;
  const Attributes told = of_profile("T4");
  for (const Chip::Fact& fact : chip.facts) {
    parts.insert(fact.part);
    EXPECT_FALSE(fact.meaning.empty()) << fact.name;
    if (fact.attribute.empty()) {
      EXPECT_FALSE(fact.source.empty()) << fact.name;
      const bool of_units = fact.name == "Cores of a multiprocessor" || fact.name == "Units for float64 of a multiprocessor";
      EXPECT_EQ(fact.follows, !of_units) << fact.name;
    } else {
      EXPECT_EQ(fact.value, told_by(told, fact.attribute)) << fact.name;
    }
  }
  EXPECT_EQ(parts.size(), Chip::parts);
}

// ---- the quiz ----

/// Each answer beside what is worked out in another way: by the figures of the table, and by gpu/occupancy.h.
TEST(DeviceFiguresExercise, ItsAnswersAreThoseOfEveryDevice) {
  const auto found = find_exercise("device_figures");
  ASSERT_TRUE(found);
  const auto& questions = (*found)->questions;
  ASSERT_EQ(questions.size(), 8U);
  for (const char* const name : {"T4", "GTX 850M", "A40", "H200"}) {
    SCOPED_TRACE(name);
    const DeviceFigures device(profile_info(name));
    const auto answer = [&](std::size_t i) { return device.value(questions[i].answer).value_or(-1); };
    const Attributes told = of_profile(name);
    EXPECT_EQ(answer(0), *derived("Cores", told));
    EXPECT_EQ(answer(1), *derived("Threads at the same time", told));
    const auto blocks = [&](const gpu::OccupancyRequest& request) {
      const auto fit = gpu::occupancy(profile_info(name), request);
      return fit ? fit->blocks : -1;
    };
    EXPECT_EQ(answer(2), blocks({.threads_per_block = 640, .registers_per_thread = 16}));
    EXPECT_EQ(answer(3), blocks({.threads_per_block = 32, .registers_per_thread = 16}));
    const int registers = static_cast<int>(answer(4)), all = static_cast<int>(*told_by(told, "maxThreadsPerMultiProcessor")) / 256;
    EXPECT_EQ(blocks({.threads_per_block = 256, .registers_per_thread = registers}), all);
    EXPECT_LT(blocks({.threads_per_block = 256, .registers_per_thread = registers + 1}), all);
    EXPECT_EQ(answer(5), blocks({.threads_per_block = 128, .registers_per_thread = 16, .dynamic_shared_bytes = 20 * 1024}));
    EXPECT_NEAR(answer(6), *derived("Peak of float32", told), 1e-6 * answer(6));
    EXPECT_NEAR(answer(7), *derived("Peak bandwidth", told), 1e-6 * answer(7));
    for (const Question& question : questions) {
      for (const auto& [wrong, why] : question.why) EXPECT_EQ(device.fill_in(why).find("{device"), std::string::npos) << why;
    }
  }
}

TEST(DeviceFiguresExercise, ThePageShowsTheFiguresOfTheDevice) {
  EXPECT_EQ(DeviceFigures(profile_info("T4")).fill_in("{device: name}: {device: threads}, {device: clock / 1000000} {x}"),
            profile_info("T4").name + ": 1,024, 1.59 {x}");
  EXPECT_EQ(DeviceFigures(gpu::DeviceInfo{}).fill_in("{device: name}: {device: cores}, {device: reserved}"), "the device: –, –")
      << "none yet";
}

TEST(DeviceFiguresExercise, ADeviceThatDoesNotTellAFigureIsNotAskedForIt) {
  const auto found = find_exercise("device_figures");
  ASSERT_TRUE(found);
  gpu::DeviceInfo silent = profile_info("T4");
  std::erase_if(silent.attributes, [](const gpu::Attribute& each) { return each.name == "memoryClockRate"; });
  const auto report = check_answers(**found, {.file = "mine.txt", .text = "1 = 2560\n8 = 320\n"}, silent);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->cases[0].verdict, Checks::Verdict::passed);
  EXPECT_NE(report->cases[7].message.find("does not tell all that this question asks for"), std::string::npos)
      << report->cases[7].message;
}

// ---- the kernel ----

TEST(BlocksThatFitExercise, ItsFiguresAreThoseOfTheProfiles) {
  const auto found = find_exercise("blocks_that_fit");
  ASSERT_TRUE(found);
  constexpr std::array<const char*, 4> profiles{"T4", "T4", "GTX 850M", "A40"};
  ASSERT_EQ((*found)->cases.size(), profiles.size());
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const Exercise::Case& one = (*found)->cases[i];
    EXPECT_NE(one.name.find(profiles[i]), std::string::npos) << one.name;
    const Attributes told = of_profile(profiles[i]);
    const auto given = [&](std::size_t argument) {
      return std::stod(one.arguments[argument].text.substr(std::string("int32=").size()));
    };
    EXPECT_EQ(given(3), told_by(told, "maxThreadsPerMultiProcessor")) << one.name;
    EXPECT_EQ(given(4), told_by(told, "maxBlocksPerMultiProcessor")) << one.name;
    EXPECT_EQ(given(5) * 1024, told_by(told, "sharedMemPerMultiprocessor")) << one.name;
    EXPECT_EQ(given(6) * 1024, told_by(told, "reservedSharedMemPerBlock")) << one.name;
  }
}

/// The exercise's own rule, which its reference follows block by block, beside gpu/occupancy.h.
TEST(BlocksThatFitExercise, ItsRuleIsTheToolkits) {
  for (const char* name : {"T4", "GTX 850M", "A40"}) {
    const Attributes told = of_profile(name);
    const auto figure = [&](const char* attribute) { return static_cast<int>(told_by(told, attribute).value_or(0)); };
    for (int threads = 1; threads <= 1024; threads += 31) {
      for (int kib = 0; kib <= 48; ++kib) {
        const int each = 1024 * kib + figure("reservedSharedMemPerBlock");
        int blocks =
            std::min(figure("maxBlocksPerMultiProcessor"), figure("maxThreadsPerMultiProcessor") / 32 / ((threads + 31) / 32));
        if (each > 0) blocks = std::min(blocks, figure("sharedMemPerMultiprocessor") / each);
        const auto fit = gpu::occupancy(profile_info(name), {.threads_per_block = threads,
                                                             .registers_per_thread = 16,
                                                             .dynamic_shared_bytes = static_cast<std::size_t>(kib) * 1024});
        ASSERT_TRUE(fit) << name << " " << threads << " " << kib;
        ASSERT_EQ(fit->blocks, blocks) << name << ", " << threads << " threads, " << kib << " KiB";
      }
    }
  }
}

}  // namespace
}  // namespace warpbook::lessons
