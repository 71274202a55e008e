// The lessons on a device that observes nothing, looked into: through the worker, and drawn as a learner would see it.
// The pictures stay in WARPBOOK_PICTURES, where that names a folder, for looking at.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "app/shell/offscreen.h"
#include "app/ui/widgets.h"
#include "app/worker/open_device.h"
#include "app/worker/runner.h"
#include "lessons/catalog.h"
#include "tests/app/hardware.h"

namespace warpbook::app {
namespace {

using namespace std::chrono_literals;

struct Look {
  Session session;
  std::shared_ptr<const Inside> inside;
};

/// Runs a lesson on the hardware above and looks inside.
Look look_into(const std::string& lesson, const std::map<std::string, double>& values, bool faulty = false) {
  Look look{.session = make_session(*lessons::find_lesson(lesson), Appearance::dark), .inside = {}};
  Session& session = look.session;
  for (const auto& [name, value] : values) session.lesson().values.set(name, value);
  session.profiles = {"T4"};
  session.gpus.found = {{.name = "NVIDIA H200", .problem = {}}};
  Runner runner({.device = {.profile = "T4", .gpu = 0},
                 .wake = {},
                 .make_device = [faulty](gpu::Compiler& compiler, const DeviceKey& key) -> Result<std::unique_ptr<gpu::Device>> {
                   auto made = open_device(compiler, {.profile = key.profile, .gpu = {}});
                   if (!made || !key.gpu) return made;
                   return std::make_unique<test::Hardware>(std::move(*made), faulty);
                 }});
  runner.run({.lesson = session.open, .values = session.lesson().values, .text = session.lesson().text.str()});
  const auto end = std::chrono::steady_clock::now() + 120s;
  while (!look.inside && std::chrono::steady_clock::now() < end) {
    Runner::News news = runner.news();
    if (news.device) session.device = news.device->info.name, session.chosen = news.device->key;
    if (news.result) {
      show(session, news.result);
      runner.look_inside(news.result);
    }
    look.inside = news.inside;
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_TRUE(look.inside) << lesson;
  return look;
}

std::filesystem::path picture_file(const std::string& name) {
  const char* folder = std::getenv("WARPBOOK_PICTURES");
  return (folder != nullptr ? std::filesystem::path(folder) : std::filesystem::temp_directory_path()) / (name + ".png");
}

bool on_screen(const std::string& name) {
  for (const NamedRect& widget : named_widgets()) {
    if (widget.name == name) return true;
  }
  return false;
}

void draw(Session& session, const std::string& name) {
  const auto file = picture_file(name);
  auto drawn = picture(session, 1280, 800, 1.0f, file);
  ASSERT_TRUE(drawn) << drawn.error().message;
  if (std::getenv("WARPBOOK_PICTURES") == nullptr) std::filesystem::remove(file);
}

TEST(LookInside, a_race_on_a_gpu_is_seen_on_the_virtual_one) {
  Look look = look_into("05", {{"trials", 3}});
  Session& session = look.session;
  EXPECT_TRUE(session.lesson().shown->on_gpu);
  draw(session, "inside-before");
  EXPECT_TRUE(on_screen("look_inside"));
  EXPECT_FALSE(on_screen("look_inside/result"));
  ASSERT_EQ(session.lesson().observed()->report.observed[gpu::FindingKind::race], gpu::Observation::not_observed);

  show(session, look.inside);
  EXPECT_EQ(session.lesson().observed()->report.observed[gpu::FindingKind::race], gpu::Observation::observed);
  draw(session, "inside-dark");
  EXPECT_TRUE(on_screen("look_inside/result"));
  session.appearance = Appearance::light;
  draw(session, "inside-light");
  EXPECT_TRUE(on_screen("look_inside/result"));
}

TEST(LookInside, a_launch_that_failed_on_a_gpu_ends_well_on_the_virtual_one_and_is_found) {
  Look look = look_into("01", {{"threads", 128}, {"blocks", 33}, {"guard", 0}}, true);
  Session& session = look.session;
  EXPECT_FALSE(session.lesson().shown);
  EXPECT_TRUE(session.lesson().failed());
  show(session, look.inside);
  EXPECT_EQ(session.lesson().observed()->report.observed[gpu::FindingKind::memory], gpu::Observation::observed);
  draw(session, "inside-fault");
  EXPECT_TRUE(on_screen("look_inside/result"));
}

TEST(LookInside, a_field_that_steps_has_the_same_sum_on_both) {
  Look look = look_into("06", {{"side", 256}});
  const auto value = [](const Snapshot& snapshot, std::string_view name) {
    for (const lessons::Number& number : snapshot.outcome->numbers) {
      if (number.name == name) return number.value;
    }
    return -1.0;
  };
  ASSERT_TRUE(look.inside->there->outcome && look.inside->here->outcome);
  EXPECT_EQ(value(*look.inside->there, "sum_after"), value(*look.inside->here, "sum_after"));
  for (const auto state : look.inside->here->outcome->report.observed.of) EXPECT_NE(state, gpu::Observation::not_observed);
  show(look.session, look.inside);
  draw(look.session, "inside-field");
}

TEST(LookInside, a_result_that_is_no_longer_the_last_is_not_looked_into) {
  Look look = look_into("05", {{"trials", 1}});
  show(look.session, std::make_shared<const Snapshot>(*look.session.lesson().latest));
  show(look.session, look.inside);
  EXPECT_FALSE(look.session.lesson().inside);
}

}  // namespace
}  // namespace warpbook::app
