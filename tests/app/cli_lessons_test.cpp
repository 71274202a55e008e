// list, run, sweep, picture, devices and doctor, from outside.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/app/cli.h"

namespace warpbook::test {
namespace {

using nlohmann::json;

TEST(List, NamesEveryLesson) {
  const json list = warpbook({"list", "--json"}).json();
  std::set<std::string> ids;
  for (const json& lesson : list["lessons"]) {
    ids.insert(lesson["id"].get<std::string>());
    EXPECT_FALSE(lesson["title"].get<std::string>().empty());
    EXPECT_TRUE(lesson["kernels"].is_array());
  }
  for (const auto& entry : std::filesystem::directory_iterator(std::string(WARPBOOK_ROOT) + "/lessons")) {
    // The page of whole programs is a window's own: what it runs is `warpbook exec`.
    if (!entry.is_directory() || entry.path().filename() == "arguments" || entry.path().filename() == "programs") continue;
    EXPECT_TRUE(ids.contains(entry.path().filename())) << entry.path() << " is not in the catalog";
  }
  EXPECT_TRUE(list["exercises"].is_array());
  const std::string text = warpbook({"list"}).out;
  for (const std::string& id : ids) EXPECT_NE(text.find(id), std::string::npos);
}

/// A home of its own, with what a learner has kept in it.
class Next : public ::testing::Test {
 protected:
  Next() { std::filesystem::remove_all(home_); }
  void keep(const std::string& file, std::string_view text) {
    std::filesystem::create_directories((home_ / "warpbook" / file).parent_path());
    std::ofstream(home_ / "warpbook" / file) << text;
  }
  [[nodiscard]] Ran next(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), "next");
    return warpbook(more, "XDG_DATA_HOME=" + home_.string());
  }
  void finish(const std::string& id) {
    keep(id + "/progress.toml", "ran = true\nlooked = true\nchanged = true\n");
    const json list = warpbook({"list", "--json"}).json();
    for (const json& exercise : list["exercises"]) {
      if (exercise["lesson"] == id)
        keep(id + "/exercises/" + exercise["id"].get<std::string>() + "/progress.toml", "passed = true\n");
    }
  }
  std::filesystem::path home_ = scratch() / "home";
  /// The lessons that there are, in the course's order; the playground is none.
  [[nodiscard]] static std::vector<std::string> lessons() {
    std::vector<std::string> ids;
    const json list = warpbook({"list", "--json"}).json();
    for (const json& lesson : list["lessons"]) {
      if (lesson["id"] != "playground") ids.push_back(lesson["id"]);
    }
    return ids;
  }
};

TEST_F(Next, IsTheFirstLessonForANewLearner) {
  const Ran ran = next();
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("0 of "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("Next: 01  Your first kernel"), std::string::npos) << ran.out;
  EXPECT_FALSE(std::filesystem::exists(home_)) << "reading leaves no trace";
}

TEST_F(Next, GoesOnWhereTheLearnerIsAndLeavesOutWhatIsDone) {
  const std::vector<std::string> all = lessons();
  ASSERT_GE(all.size(), 4U);
  finish(all[0]);
  EXPECT_EQ(next({"--json"}).json()["next"]["id"], all[1]);
  keep("desk.toml", "lesson = \"07_histogram\"\n");
  keep("07_histogram/progress.toml", "ran = true\n");
  const json here = next({"--json"}).json();
  EXPECT_EQ(here["lessons_done"], 1);
  EXPECT_EQ(here["next"]["id"], "07_histogram") << "it was left open";
  EXPECT_EQ(here["next"]["stages"]["run"], true);
  EXPECT_EQ(here["next"]["stages"]["look"], false);
  EXPECT_EQ(here["next"]["exercises"].back()["passed"], false);
  finish("07_histogram");
  const auto after = std::find(all.begin(), all.end(), "07_histogram") + 1;
  ASSERT_LT(after, all.end());
  EXPECT_EQ(next({"--json"}).json()["next"]["id"], *after);
  for (const std::string& id : all) finish(id);
  EXPECT_TRUE(next({"--json"}).json()["next"].is_null());
  EXPECT_NE(next().out.find("your own kernels"), std::string::npos);
}

TEST_F(Next, TheListSaysWhichExercisesPassed) {
  const std::string home = "XDG_DATA_HOME=" + home_.string();
  keep("01_first_kernel/exercises/square/progress.toml", "passed = true\n");
  std::set<std::string> passed;
  const json list = warpbook({"list", "--json"}, home).json();
  for (const json& exercise : list["exercises"]) {
    ASSERT_TRUE(exercise["passed"].is_boolean());
    if (exercise["passed"]) passed.insert(exercise["id"]);
  }
  EXPECT_EQ(passed, std::set<std::string>{"square"});
  const std::string text = warpbook({"list"}, home).out;
  EXPECT_NE(text.find("write the kernel square (passed)\n"), std::string::npos) << text;
  EXPECT_NE(text.find(fmt::format("1 of {} exercises passed.", list["exercises"].size())), std::string::npos) << text;

  keep("01_first_kernel/exercises/square/progress.toml", "passed = = true\n");
  const Ran damaged = warpbook({"list", "--json"}, home);
  EXPECT_EQ(damaged.exit_code, 0) << "the list is still a list";
  EXPECT_TRUE(damaged.json()["exercises"][0]["passed"].is_null());
  EXPECT_NE(damaged.err.find("square/progress.toml"), std::string::npos) << damaged.err;
}

TEST_F(Next, SaysWhichFileIsDamaged) {
  keep("05_race_conditions/progress.toml", "ran = = true\n");
  const Ran ran = next();
  EXPECT_NE(ran.exit_code, 0);
  EXPECT_NE(ran.err.find("05_race_conditions/progress.toml"), std::string::npos) << ran.err;
}

// The lessons as they are, but for the sizes that make some of them long.
std::vector<std::string> run_quickly(const std::string& id) {
  std::vector<std::string> words{"run", id, "--json"};
  if (id == "05_race_conditions") words.insert(words.end(), {"--set", "trials=3"});
  if (id == "06_diffusion") words.insert(words.end(), {"--set", "side=128"});
  return words;
}

TEST(Run, EveryLessonAnswersWithTheAgreedKeys) {
  const json list = warpbook({"list", "--json"}).json();
  for (const json& lesson : list["lessons"]) {
    const Ran ran = warpbook(run_quickly(lesson["id"].get<std::string>()));
    EXPECT_TRUE(ran.exit_code == 0 || ran.exit_code == 1) << ran.err;
    const json answer = ran.json();
    std::set<std::string> keys;
    for (const auto& [key, value] : answer.items()) keys.insert(key);
    keys.erase("clock");  // where the lesson's launch has them
    keys.erase("lines");
    keys.erase("stopped");  // where a launch that fails is what the lesson shows
    EXPECT_EQ(keys, (std::set<std::string>{"lesson", "device", "compiler", "controls", "results", "findings", "not_observed",
                                           "timings"}));
    EXPECT_EQ(answer["lesson"], lesson["id"]);
    EXPECT_FALSE(answer["results"].empty());
    EXPECT_FALSE(answer["controls"].empty());
    EXPECT_EQ(ran.exit_code, answer["findings"].empty() ? 0 : 1);
  }
}

TEST(Run, ControlsAreObeyedAndShown) {
  const json answer =
      warpbook({"run", "05", "--set", "threads=32", "--set", "blocks=2", "--set", "atomic=on", "--set", "trials=1", "--json"})
          .json();
  EXPECT_EQ(answer["controls"]["threads"], 32);
  EXPECT_EQ(answer["controls"]["atomic"], true);
  EXPECT_EQ(answer["results"]["expected"], 64);
  EXPECT_EQ(answer["results"]["got"], 64);
}

TEST(Run, NumbersStandInOneColumnBesideTheLongestLabel) {
  if (!registers_are_known()) GTEST_SKIP() << "without NVRTC the row of the registers is not there";
  const std::string text = warpbook({"run", "09", "--set", "threads=64"}).out;
  const auto end_of_number = [&](std::string_view label) {
    const auto at = text.find(label);
    if (at == std::string::npos) return at;
    const auto line = text.rfind('\n', at) + 1;
    return text.substr(line, text.find('\n', at) - line).find_last_of("0123456789");
  };
  const auto first = end_of_number("Registers a thread ");
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_EQ(end_of_number("Cycles in which a scheduler issues nothing "), first) << text;
}

TEST(Run, TextShowsTheLinesOfFindings) {
  const Ran ran = warpbook({"run", "05", "--set", "trials=1"});
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_NE(ran.out.find("race.cu:"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("c[0] += 1"), std::string::npos) << ran.out;
}

TEST(Run, FiguresByLineAreThoseOfItsKernel) {
  const json answer = warpbook({"run", "05", "--set", "trials=1", "--json"}).json();
  const std::string source = read_file(kernel_file("race.cu"));
  ASSERT_TRUE(answer.contains("lines"));
  const int line = line_with(source, "c[0] += 1");
  bool found = false;
  for (const json& each : answer["lines"]) {
    if (each["line"] != line) continue;
    found = true;
    EXPECT_EQ(each["text"], "c[0] += 1;");
    EXPECT_EQ(each["active_lanes"], 32.0);
    EXPECT_GE(each["warp_instructions"].get<int>(), 128 * 3);  // load, add, store of 128 warps
  }
  EXPECT_TRUE(found) << answer["lines"].dump();
}

TEST(Sweep, GoesOverOneControlOrTwo) {
  const Ran one = warpbook({"sweep", "01", "--over", "blocks=31..33:1", "--result", "untouched", "--set", "threads=128"});
  ASSERT_EQ(one.exit_code, 0) << one.err;
  EXPECT_NE(one.out.find("            31            128\n            32              0\n"), std::string::npos) << one.out;

  const std::string csv = (scratch() / "sweep.csv").string();
  const Ran two =
      warpbook({"sweep", "01", "--over", "threads=64,128", "--over", "guard", "--set", "blocks=40", "--csv", csv, "--json"});
  ASSERT_EQ(two.exit_code, 0) << two.err;
  const json answer = two.json();
  EXPECT_EQ(answer["lesson"], "01_first_kernel");
  EXPECT_EQ(answer["over"], (json{"threads", "guard"}));
  EXPECT_EQ(answer["controls"], (json{{"blocks", 40}, {"synchronise", true}}));
  ASSERT_EQ(answer["points"].size(), 4u);
  EXPECT_EQ(answer["points"][1]["at"], (json{{"threads", 128}, {"guard", false}}));
  EXPECT_EQ(answer["points"][1]["results"]["outside"], 1024);
  EXPECT_EQ(answer["points"][3]["results"]["outside"], 0);
  const std::string table = read_file(csv);
  EXPECT_EQ(table.rfind("threads,guard,status,written,untouched,", 0), 0u) << table;
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 5);
}

TEST(Sweep, RefusesWhatItCannotSweep) {
  const Ran unknown = warpbook({"sweep", "01", "--over", "bins"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("threads, blocks, guard, synchronise"), std::string::npos) << unknown.err;
  const Ran result = warpbook({"sweep", "01", "--over", "guard", "--result", "speed"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("written"), std::string::npos) << result.err;
  EXPECT_EQ(warpbook({"sweep", "01"}).exit_code, 2);
  EXPECT_EQ(warpbook({"sweep", "01", "--over", "guard", "--csv", "/no/such/folder/x.csv"}).exit_code, 2);
}

const std::string without_a_display = std::string("-u DISPLAY -u WAYLAND_DISPLAY ") + with_opengl;

// Width and height from a PNG's header.
std::pair<unsigned, unsigned> png_size(const std::string& bytes) {
  if (bytes.size() < 24 || bytes.compare(0, 8, "\x89PNG\r\n\x1a\n") != 0) return {0, 0};
  const auto word = [&](std::size_t at) {
    unsigned value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
  };
  return {word(16), word(20)};
}

TEST(Picture, DrawsAPageWithoutADisplay) {
  const std::string file = (scratch() / "page.png").string();
  const Ran ran = warpbook({"picture", "05", file, "--set", "trials=1", "--size", "1280x800", "--light"}, without_a_display);
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(png_size(read_file(file)), (std::pair{1280u, 800u}));
  EXPECT_GT(read_file(file).size(), 20000u) << "an empty page compresses to less";
}

TEST(Picture, AViewAloneIsAsHighAsItIs) {
  const std::string file = (scratch() / "view.png").string();
  const Ran ran = warpbook({"picture", "05", file, "--set", "trials=1", "--view", "interleaving"}, without_a_display);
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const auto [width, height] = png_size(read_file(file));
  EXPECT_EQ(width, 752u);
  EXPECT_TRUE(height > 200 && height < 1000) << height;
  const Ran none = warpbook({"picture", "05", file, "--set", "trials=1", "--view", "field"}, without_a_display);
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("interleaving"), std::string::npos) << none.err;
}

TEST(Run, WritesATable) {
  const std::string file = (scratch() / "results.csv").string();
  const Ran ran = warpbook({"run", "01", "--set", "blocks=31", "--set", "threads=128", "--csv", file});
  EXPECT_TRUE(ran.exit_code == 0 || ran.exit_code == 1) << ran.err;
  EXPECT_NE(read_file(file).find("1,result,untouched,,128,,Untouched\r\n"), std::string::npos);
  EXPECT_EQ(warpbook({"run", "01", "--csv", "/no/such/folder/results.csv"}).exit_code, 2);
}

TEST(Picture, RunDrawsOneToo) {
  const std::string file = (scratch() / "run.png").string();
  const Ran ran = warpbook({"run", "01", "--picture", file, "--json"}, without_a_display);
  EXPECT_TRUE(ran.exit_code == 0 || ran.exit_code == 1) << ran.err;
  EXPECT_EQ(ran.json()["lesson"], "01_first_kernel");
  EXPECT_EQ(png_size(read_file(file)).first, 1440u);
}

TEST(Export, WritesTheProgramAndItsLargeInputs) {
  const auto file = scratch() / "heat.cu";
  const Ran ran = warpbook({"export", "06", file.string(), "--set", "side=256"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const std::string text = read_file(file.string());
  EXPECT_NE(text.find("diffuse<<<dim3(32, 32), dim3(8, 8)>>>(in, out, lapl, 256, 0.25f);"), std::string::npos) << text;
  EXPECT_EQ(std::filesystem::file_size(scratch() / "diffuse_in.bin"), 256u * 256 * 4);
}

TEST(Export, WritesNumbaToo) {
  const auto file = scratch() / "race.py";
  const Ran ran = warpbook({"export", "05", file.string(), "--set", "trials=1", "--set", "blocks=3"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(read_file(file.string()).find("    count[3, 64](c)\n"), std::string::npos);
  const auto other = scratch() / "own.py";
  ASSERT_EQ(warpbook({"export", "playground", other.string(), "--set", "kernel=saxpy", "--set", "saxpy/n=7"}).exit_code, 0);
  EXPECT_NE(read_file(other.string()).find("    saxpy[(4, 4), (16, 16)](x, y, np.float32(1.0), 7)\n"), std::string::npos)
      << read_file(other.string());
}

TEST(Playground, SaysWhichWordsMeanNothing) {
  const auto says = [](const std::string& setting, const std::string& words) {
    const Ran ran = warpbook({"run", "playground", "--set", setting});
    EXPECT_EQ(ran.exit_code, 2) << setting;
    EXPECT_NE(ran.err.find(words), std::string::npos) << ran.err;
  };
  says("kernel=nosuch", "It has mandelbrot, saxpy");
  says("mandelbrot/zz=5", "saxpy/n");
  says("mandelbrot/width=[5]=ones", "width is a number");
  says("saxpy/x=5", "x is a pointer");
  const Ran ran = warpbook({"run", "playground", "--set", "kernel=saxpy", "--set", "saxpy/n=7", "--set", "threads_y=1", "--set",
                            "blocks_y=1", "--json"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("\"y_changed\":7"), std::string::npos) << ran.out;
}

TEST(Export, SaysWhatItCannotWrite) {
  EXPECT_EQ(warpbook({"export", "01", "add.txt"}).exit_code, 2);
  EXPECT_EQ(warpbook({"export", "01", "/no/such/folder/add.cu"}).exit_code, 2);
}

TEST(Picture, SweepsAreChartsAndHeatMaps) {
  const std::string line = (scratch() / "line.png").string(), map = (scratch() / "map.png").string();
  const Ran one = warpbook({"sweep", "01", "--over", "threads=32..1024", "--picture", line}, without_a_display);
  ASSERT_EQ(one.exit_code, 0) << one.err;
  const Ran two =
      warpbook({"sweep", "01", "--over", "threads=32..1024", "--over", "guard", "--light", "--picture", map}, without_a_display);
  ASSERT_EQ(two.exit_code, 0) << two.err;
  EXPECT_EQ(png_size(read_file(line)), (std::pair{1920u, 1200u}));
  EXPECT_GT(read_file(line).size(), 20000u);
  EXPECT_GT(read_file(map).size(), 20000u);
  EXPECT_EQ(warpbook({"sweep", "01", "--over", "guard", "--picture", "x.jpg"}).exit_code, 2);
}

TEST(Devices, EveryProfileWithEveryAttribute) {
  const json answer = warpbook({"devices", "--json"}).json();
  std::set<std::string> profiles;
  for (const json& device : answer["devices"]) {
    if (device["id"] != "virtual") continue;
    profiles.insert(device["profile"].get<std::string>());
    std::set<std::string> names;
    for (const json& attribute : device["attributes"]) names.insert(attribute["name"].get<std::string>());
    for (const char* const name :
         {"multiProcessorCount", "warpSize", "maxThreadsPerBlock", "maxGridSize.y", "sharedMemPerBlock", "totalGlobalMem"}) {
      EXPECT_TRUE(names.contains(name)) << device["name"] << " lacks " << name;
    }
  }
  for (const char* const name : {"T4", "A40", "H200", "GTX 850M"}) EXPECT_TRUE(profiles.contains(name)) << name;
  const bool has_cuda = answer["devices"].back()["id"] == "cuda";
  EXPECT_NE(has_cuda, !answer["missing"].empty()) << "either a GPU is listed or the reason for its absence";
  EXPECT_NE(warpbook({"devices"}).out.find("maxThreadsPerBlock"), std::string::npos);
}

TEST(Doctor, SaysAWordToEachPart) {
  const Ran ran = warpbook({"doctor"}, with_opengl);
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  for (const char* const part : {"NVRTC", "NVIDIA driver", "OpenGL", "Fonts", "Display"}) {
    EXPECT_NE(ran.out.find(part), std::string::npos) << part << " in " << ran.out;
  }
  const Ran without =
      warpbook({"doctor"}, "ASAN_OPTIONS=detect_leaks=0 XDG_DATA_HOME=/nonexistent XDG_DATA_DIRS=/nonexistent HOME=/nonexistent");
  EXPECT_EQ(without.exit_code, 5) << without.out;
  EXPECT_NE(without.out.find("fonts-inter"), std::string::npos) << without.out;
}

// The toolkit's stub loads like a driver and has no GPU behind it.
TEST(Doctor, TellsTheToolkitsStubFromADriver) {
  const std::filesystem::path stub = WARPBOOK_CUDA_STUB;
  if (!std::filesystem::exists(stub)) GTEST_SKIP() << "this toolkit came without its stubs";
  const std::filesystem::path folder = scratch() / "stub";
  std::filesystem::create_directories(folder);
  std::filesystem::create_symlink(stub, folder / "libcuda.so.1");
  const std::string environment = "ASAN_OPTIONS=detect_leaks=0 LD_LIBRARY_PATH=" + folder.string();
  const Ran ran = warpbook({"doctor"}, environment);
  EXPECT_EQ(ran.exit_code, 0) << ran.out;
  EXPECT_NE(ran.out.find("the CUDA Toolkit's stub"), std::string::npos) << ran.out;
  const json answer = warpbook({"devices", "--json"}, environment).json();
  EXPECT_NE(answer["missing"][0]["reason"].get<std::string>().find("cudaErrorStubLibrary"), std::string::npos);
  const Ran refused = warpbook({"run", "01", "--device", "cuda"}, environment);
  EXPECT_EQ(refused.exit_code, 5) << refused.err;
  EXPECT_NE(refused.err.find("stub"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace warpbook::test
