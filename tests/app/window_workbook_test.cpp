// The workbook in its window: what a hand does, and what then stands on the screen.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/app/window_words.h"

namespace warpbook::test {
namespace {

TEST(Workbook, ControlsRunAndNumbers) {
  const Window window;
  EXPECT_EQ(word(window, "lesson"), "01_first_kernel");
  set_control(window, "blocks", "31");
  window.click("run");
  EXPECT_TRUE(window.wait([&] { return number(window, "untouched") == 996; })) << window.state()["numbers"].dump();
  set_control(window, "threads", "64");
  window.click("run");
  EXPECT_TRUE(window.wait([&] { return number(window, "untouched") == 4096 - 31 * 64; })) << window.state()["numbers"].dump();
  EXPECT_EQ(word(window, "status"), "ok");

  // What cannot be is refused at the field, and the value stays.
  window.click("control/threads");
  window.key("ctrl+a");
  window.type("5000");
  window.key("Return");
  window.key("Escape");
  EXPECT_EQ(window.state()["values"]["threads"], 64);
  EXPECT_TRUE(window.running()) << window.complaints();
}

TEST(Workbook, RaceAndItsRemedy) {
  const Window window;
  open_lesson(window, "05", "05_race_conditions");
  set_control(window, "trials", "3");
  window.click("run");
  ASSERT_TRUE(window.wait([&] { return number(window, "expected") == 4096; }, 60)) << seen(window);
  EXPECT_LE(number(window, "got"), 128);
  const auto findings = window.state()["findings"].dump();
  EXPECT_NE(findings.find("race"), std::string::npos) << findings;

  window.click("control/atomic", 0.1);
  ASSERT_TRUE(window.wait([&] { return window.state()["values"]["atomic"] == 1; }));
  window.click("run");
  EXPECT_TRUE(window.wait([&] { return number(window, "got") == 4096; }, 60)) << window.state()["numbers"].dump();
  EXPECT_EQ(window.state()["findings"].dump().find("race"), std::string::npos);
}

TEST(Workbook, EditingTheKernelCompilesAsOneTypes) {
  const Window window;
  window.click("run");
  ASSERT_TRUE(window.wait([&] { return number(window, "written") == 3200; }, 60));
  window.click("editor", 0.5, 0.05);
  window.key("ctrl+Home");
  window.type("wrong ");
  EXPECT_TRUE(window.wait([&] { return !window.state()["compile_errors"].empty(); })) << seen(window);
  EXPECT_TRUE(window.state()["edited"].get<bool>());
  EXPECT_GE(window.state()["compile_errors"][0]["line"].get<int>(), 1);
  EXPECT_EQ(number(window, "written"), 3200) << "the last good result stays";
  window.click("reset");
  EXPECT_TRUE(window.wait([&] { return window.state()["compile_errors"].empty() && !window.state()["edited"].get<bool>(); }))
      << seen(window);
}

TEST(Workbook, GuessAppearanceAndBack) {
  const Window window;
  open_lesson(window, "05", "05_race_conditions");
  window.click("guess/got");
  window.type("4096");
  window.key("Return");
  EXPECT_TRUE(window.wait([&] { return window.state()["guesses"].contains("got"); })) << seen(window);
  EXPECT_EQ(window.state()["guesses"]["got"], 4096);
  window.click("appearance");
  EXPECT_TRUE(window.wait([&] { return word(window, "appearance") == "light"; }));
  open_lesson(window, "01", "01_first_kernel");
  open_lesson(window, "05", "05_race_conditions");
  EXPECT_EQ(window.state()["guesses"]["got"], 4096) << "a lesson is found as it was left";
}

TEST(Workbook, ACrashLosesNothing) {
  Window window;
  set_control(window, "blocks", "31");
  window.click("editor", 0.5, 0.05);
  window.key("ctrl+Home");
  window.type("//mine ");
  window.click("appearance");
  const auto lesson = window.kept() / "01_first_kernel";
  const auto kept = [&](const std::filesystem::path& file, const std::string& words) {
    std::ifstream in(file);
    return std::string(std::istreambuf_iterator<char>(in), {}).find(words) != std::string::npos;
  };
  ASSERT_TRUE(window.wait([&] {
    return kept(lesson / "kernel.cu", "//mine ") && kept(lesson / "progress.toml", "blocks = 31") &&
           kept(window.kept() / "desk.toml", "light = true");
  })) << seen(window);

  window.restart();
  EXPECT_TRUE(window.wait([&] { return window.state()["values"]["blocks"] == 31; })) << seen(window);
  EXPECT_TRUE(window.state()["edited"].get<bool>());
  EXPECT_EQ(word(window, "appearance"), "light");
  window.click("reset");
  EXPECT_TRUE(window.wait([&] { return !std::filesystem::exists(lesson / "kernel.cu"); })) << seen(window);
}

TEST(Workbook, LongRunsCanBeCancelled) {
  const Window window;
  open_lesson(window, "05", "05_race_conditions");
  set_control(window, "threads", "1024");
  set_control(window, "blocks", "256");
  set_control(window, "trials", "1000");
  window.click("run");
  ASSERT_TRUE(window.wait([&] { return word(window, "activity") == "running"; }));
  window.click("cancel");
  EXPECT_TRUE(window.wait([&] { return word(window, "activity") == "idle"; }, 5)) << seen(window);
  EXPECT_TRUE(window.running()) << window.complaints();
}

TEST(Workbook, HeatIsDrawnWithTheMouse) {
  const Window window;
  open_lesson(window, "06", "06_diffusion");
  set_control(window, "side", "256");
  window.click("run");
  ASSERT_TRUE(window.wait([&] { return word(window, "activity") == "live" && number(window, "steps") > 0; }, 60)) << seen(window);
  EXPECT_EQ(number(window, "drawn"), 0);
  ASSERT_TRUE(window.wait_for("view/field"));
  window.drag("view/field", 0.3, 0.3, 0.6, 0.5);
  EXPECT_TRUE(window.wait([&] { return number(window, "drawn") > 0; })) << window.state()["numbers"].dump();
  window.click("run");  // it says Pause now
  EXPECT_TRUE(window.wait([&] { return word(window, "activity") == "idle"; }));
  const double steps = number(window, "steps");
  window.key("F9");  // anything that makes it draw again
  EXPECT_EQ(number(window, "steps"), steps);
  EXPECT_TRUE(window.running()) << window.complaints();
}

TEST(Workbook, ALaunchIsSteppedThrough) {
  const Window window;
  set_control(window, "blocks", "4");
  window.click("tab/steps");
  const auto stepper = [&] { return window.state().contains("stepper") ? window.state()["stepper"] : nlohmann::json::object(); };
  ASSERT_TRUE(window.wait([&] { return !stepper().empty(); }, 60)) << seen(window);
  const auto position = [&] { return stepper().value("position", -1); };
  const int first = position();
  window.key("F10");
  ASSERT_TRUE(window.wait([&] { return position() > first; })) << stepper().dump();
  const int once = position();
  window.click("stepper/step");
  ASSERT_TRUE(window.wait([&] { return position() > once; })) << stepper().dump();
  window.key("shift+F10");
  EXPECT_TRUE(window.wait([&] { return position() == once; })) << stepper().dump();
  // A line's number runs to it.
  window.click("line/10");
  EXPECT_TRUE(window.wait([&] { return stepper().value("line", 0) == 10; })) << stepper().dump();
  EXPECT_EQ(stepper()["variables"]["i"][5], "5") << stepper().dump();
  EXPECT_EQ(stepper()["variables"]["n"][0], "4096") << stepper().dump();
  EXPECT_TRUE(stepper()["variables"].contains("a[i]")) << stepper().dump();
  // PTX and registers behind a switch.
  EXPECT_TRUE(stepper()["registers"].empty()) << stepper().dump();
  window.click("stepper/ptx");
  EXPECT_TRUE(window.wait([&] { return !stepper()["registers"].empty(); })) << stepper().dump();
  window.click("stepper/by_instruction");
  const int line = position();
  window.click("stepper/step");
  EXPECT_TRUE(window.wait([&] { return position() > line && stepper().value("line", 0) == 10; })) << stepper().dump();
  window.click("stepper/ptx");
  EXPECT_TRUE(window.wait([&] { return stepper()["registers"].empty(); })) << stepper().dump();
  window.click("stepper/warp_after");
  EXPECT_TRUE(window.wait([&] { return stepper().value("warp", "") == "Block 0, warp 1"; })) << stepper().dump();
  window.click("stepper/end");
  EXPECT_TRUE(window.wait([&] { return position() == stepper().value("end", 0); })) << stepper().dump();
  // What has changed since is said, and recorded again when it is asked for.
  set_control(window, "blocks", "8");
  const int end = stepper().value("end", 0);
  window.click("stepper/again");
  EXPECT_TRUE(window.wait([&] { return stepper().value("end", 0) == 2 * end; }, 60)) << stepper().dump();
  window.click("tab/kernel");
  EXPECT_TRUE(window.wait([&] { return stepper().empty(); }));
  EXPECT_TRUE(window.running()) << window.complaints();
}

TEST(Workbook, SweepsShowExportAndSetControls) {
  const Window window;
  set_control(window, "blocks", "40");
  window.click("sweep");
  ASSERT_TRUE(window.wait_for("sweep/start"));
  const auto sweep = [&](const std::string& key) {
    const auto state = window.state();
    return state.is_object() && state.contains("sweep") ? state["sweep"][key] : nlohmann::json();
  };
  window.click("sweep/over/threads");
  window.click("sweep/over/guard");
  ASSERT_TRUE(window.wait([&] { return sweep("over") == nlohmann::json({"threads", "guard"}); })) << seen(window);
  window.click("sweep/threads/from");
  window.key("ctrl+a");
  window.type("64");
  window.key("Return");
  window.click("sweep/start");
  // 64 to 1024 in powers of two, without and with the guard: 40 blocks are too few for 4096 elements, then too many.
  ASSERT_TRUE(window.wait([&] { return sweep("running") == false && sweep("tried") == 10; }, 60)) << seen(window);
  EXPECT_EQ(sweep("result"), "written");
  EXPECT_EQ(sweep("values")[0], 40 * 64);
  EXPECT_EQ(sweep("values")[9], 4096);

  window.click("sweep/result");
  window.click("sweep/result/outside");
  EXPECT_TRUE(window.wait([&] { return sweep("result") == "outside"; })) << seen(window);
  EXPECT_EQ(sweep("values")[1], 40 * 128 - 4096);
  EXPECT_EQ(sweep("values")[6], 0);

  window.click("sweep/point/3");
  EXPECT_TRUE(window.wait([&] { return window.state()["values"]["threads"] == 512 && window.state()["values"]["guard"] == 0; }))
      << seen(window);

  const auto ends_with = [&](const std::string& end) {
    const auto file = sweep("exported");
    return file.is_string() && file.get<std::string>().ends_with(end);
  };
  window.click("sweep/csv");
  ASSERT_TRUE(window.wait([&] { return ends_with(".csv"); })) << seen(window);
  std::ifstream csv(sweep("exported").get<std::string>());
  std::string head;
  std::getline(csv, head);
  EXPECT_EQ(head.rfind("threads,guard,status,written,", 0), 0u) << head;
  window.click("sweep/png");
  ASSERT_TRUE(window.wait([&] { return ends_with(".png"); })) << seen(window);
  EXPECT_GT(std::filesystem::file_size(sweep("exported").get<std::string>()), 5000u);

  window.click("sweep/back");
  EXPECT_TRUE(window.wait_for("control/threads"));
  EXPECT_TRUE(window.running()) << window.complaints();
}

TEST(Workbook, DevicesStandInOneList) {
  const Window window;
  ASSERT_TRUE(window.wait([&] { return word(window, "device").starts_with("Virtual GPU"); })) << seen(window);
  const std::string before = word(window, "device");
  window.click("device/virtual");
  ASSERT_TRUE(window.wait_for("profile/T4"));
  EXPECT_TRUE(window.find("gpu/none") || window.find("gpu/0")) << "a GPU, or why there is none";
  // What cannot be chosen does nothing, and the list stays.
  if (window.find("gpu/none")) {
    window.click("gpu/none");
    EXPECT_TRUE(window.find("profile/T4"));
    EXPECT_EQ(word(window, "device"), before);
  }
  std::string other;
  const auto state = window.state();  // kept: the loop refers into it
  for (const auto& widget : state["widgets"]) {
    const std::string name = widget["name"];
    if (name.starts_with("profile/") && before.find(name.substr(8)) == std::string::npos) other = name;
  }
  ASSERT_FALSE(other.empty());
  window.click(other);
  EXPECT_TRUE(window.wait([&] { return word(window, "device").find(other.substr(8)) != std::string::npos; })) << seen(window);
  EXPECT_FALSE(window.find("profile/T4")) << "choosing closes the list";
}

}  // namespace
}  // namespace warpbook::test
