// The session and its worker together: what becomes of the learner's things when a GPU cannot be had, and when it can.
#include "app/shell/workbook.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "app/shell/offscreen.h"
#include "app/worker/open_device.h"
#include "lessons/catalog.h"
#include "tests/app/hardware.h"

namespace warpbook::app {
namespace {

using namespace std::chrono_literals;

class WorkbookOn : public testing::Test {
 protected:
  WorkbookOn() {
    session_.gpus.found = {{.name = "NVIDIA H200", .problem = {}}, {.name = "NVIDIA K80", .problem = {}}};
    session_.chosen = {.profile = "T4", .gpu = {}};
    session_.lesson().values.set("blocks", 31);
  }
  static Runner::Options options() {
    return {.device = {.profile = "T4", .gpu = {}},
            .wake = {},
            .make_device = [](gpu::Compiler& compiler, const DeviceKey& key) -> Result<std::unique_ptr<gpu::Device>> {
              if (key.gpu == 1) return failure("unsupported_device", "NVIDIA K80 has compute capability 3.7, which is too old.");
              auto made = open_device(compiler, {.profile = key.profile, .gpu = {}});
              if (!made || !key.gpu) return made;
              return std::make_unique<test::Hardware>(std::move(*made));
            }};
  }
  bool wait(const std::function<bool()>& condition) {
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() < begin + 60s) {
      book_.poll(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      book_.drawn();
      if (condition()) return true;
      std::this_thread::sleep_for(1ms);
    }
    return false;
  }
  double number(std::string_view name) {
    if (!session_.lesson().shown) return -1;
    for (const lessons::Number& each : session_.lesson().shown->outcome->numbers) {
      if (each.name == name) return each.value;
    }
    return -1;
  }

  Session session_ = make_session(*lessons::find_lesson("01"), Appearance::dark);
  Workbook book_{session_, options()};
};

TEST_F(WorkbookOn, a_gpu_that_cannot_be_used_is_told_and_everything_stays) {
  book_.run();
  ASSERT_TRUE(wait([&] { return number("untouched") == 996; }));
  const auto result = session_.lesson().shown;
  const std::string text = session_.lesson().text.str() + "// mine\n";
  session_.lesson().text.assign(text);

  book_.choose_device({.profile = "T4", .gpu = 1});
  ASSERT_TRUE(wait([&] { return !session_.device_problem.title.empty() && !session_.device.empty(); }));
  EXPECT_EQ(session_.device_problem.title, "NVIDIA K80 cannot be used");
  EXPECT_EQ(session_.device_problem.error.message,
            "NVIDIA K80 has compute capability 3.7, which is too old. The virtual GPU has taken over.");
  EXPECT_EQ(session_.chosen, (DeviceKey{.profile = "T4", .gpu = {}}));
  EXPECT_FALSE(session_.device_problem.restart_with) << "it would be as old after that";
  EXPECT_EQ(session_.lesson().values.real("blocks"), 31);
  EXPECT_EQ(session_.lesson().text.str(), text);
  EXPECT_TRUE(session_.lesson().shown);
  if (const char* folder = std::getenv("WARPBOOK_PICTURES")) {
    EXPECT_TRUE(picture(session_, 1280, 800, 1.0f, std::filesystem::path(folder) / "problem.png"));
  }
  // Another choice ends the problem.
  book_.choose_device({.profile = "T4", .gpu = 0});
  ASSERT_TRUE(wait([&] { return session_.device == "NVIDIA H200"; }));
  EXPECT_TRUE(session_.device_problem.title.empty());
}

// After a fault that stays only a new program can use the GPU: that is offered where the work is kept.
TEST(WorkbookThatIsKept, offers_to_begin_anew_with_a_gpu_that_was_lost) {
  const auto folder = std::filesystem::temp_directory_path() / ("warpbook_lost_" + std::to_string(::getpid()));
  for (const bool kept : {true, false}) {
    Session session = make_session(*lessons::find_lesson("02"), Appearance::dark);
    session.gpus.found = {{.name = "NVIDIA H200", .problem = {}}};
    session.chosen = {.profile = "T4", .gpu = 0};
    const auto make = [](gpu::Compiler& compiler, const DeviceKey& key) -> Result<std::unique_ptr<gpu::Device>> {
      auto made = open_device(compiler, {.profile = key.profile, .gpu = {}});
      if (!made || !key.gpu) return made;
      return std::make_unique<test::Hardware>(std::move(*made), true, "CUDA refuses this program.");
    };
    Workbook book(session, {.device = session.chosen, .wake = {}, .make_device = make}, kept ? folder : std::filesystem::path());
    book.run();
    const auto begin = std::chrono::steady_clock::now();
    while (session.device_problem.title.empty() && std::chrono::steady_clock::now() < begin + 60s) {
      book.poll(0);
      std::this_thread::sleep_for(1ms);
    }
    EXPECT_EQ(session.device_problem.error.message, "CUDA refuses this program. The virtual GPU has taken over.");
    EXPECT_EQ(session.device_problem.restart_with, kept ? std::optional(0) : std::nullopt);
  }
  std::filesystem::remove_all(folder);
}

TEST_F(WorkbookOn, a_run_on_a_gpu_can_be_looked_into_once_and_a_new_run_forgets_it) {
  EXPECT_FALSE(inside_offer(session_).offered) << "the virtual GPU is observed already";
  book_.choose_device({.profile = "T4", .gpu = 0});
  ASSERT_TRUE(wait([&] { return session_.device == "NVIDIA H200"; }));
  EXPECT_TRUE(inside_offer(session_).offered);
  EXPECT_FALSE(inside_offer(session_).why_not.empty()) << "nothing has run";
  book_.run();
  ASSERT_TRUE(wait([&] { return session_.lesson().shown && session_.activity.kind == Activity::Kind::idle; }));
  EXPECT_EQ(inside_offer(session_).why_not, "");

  book_.look_inside();
  EXPECT_FALSE(inside_offer(session_).why_not.empty()) << "it is being looked into";
  ASSERT_TRUE(wait([&] { return session_.lesson().inside && session_.activity.kind == Activity::Kind::idle; }));
  EXPECT_FALSE(inside_offer(session_).why_not.empty()) << "both results stand on the page";
  EXPECT_EQ(session_.device, "NVIDIA H200") << "the GPU stays chosen";
  const auto looked_into = session_.lesson().latest;
  book_.run();
  ASSERT_TRUE(wait([&] { return session_.lesson().latest != looked_into; }));
  EXPECT_FALSE(session_.lesson().inside);
}

TEST_F(WorkbookOn, dropped_files_go_to_the_playground) {
  const auto folder = std::filesystem::temp_directory_path() / ("warpbook_dropped_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string kernel = folder / "mine.cu", data = folder / "x.csv", binary = folder / "binary.cu";
  std::ofstream(kernel) << "extern \"C\" __global__ void mine(int* x) { x[0] = 5; }";
  std::ofstream(binary, std::ios::binary) << std::string("a\0b", 3);
  const std::string shipped = *lessons::kernel_text(*lessons::find_lesson("playground"));

  book_.drop({binary});
  EXPECT_EQ(session_.open->id, "playground");
  EXPECT_NE(session_.brought.problem.find("no text"), std::string::npos) << session_.brought.problem;
  EXPECT_EQ(session_.lesson().text.str(), shipped) << "nothing is lost";
  book_.drop({kernel});
  EXPECT_EQ(session_.brought.problem, "");
  EXPECT_NE(session_.lesson().text.str().find("mine"), std::string::npos);
  session_.lesson().text.undo();
  EXPECT_EQ(session_.lesson().text.str(), shipped) << "what stood there can be had back";
  session_.lesson().text.redo();
  book_.drop({data, folder / "notes.ptx"});
  EXPECT_EQ(session_.brought.data, data);
  EXPECT_NE(session_.brought.problem.find("PTX"), std::string::npos);
  ASSERT_TRUE(wait([&] { return session_.lesson().program && session_.lesson().program->find("mine") != nullptr; }));
  book_.run();
  ASSERT_TRUE(wait([&] { return number("x_most") == 5; }));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace warpbook::app
