// Fields that lie in the GPU's memory are drawn as the host's would be, on both paths and from a thread of their own. The GPU is
// a fake: it "shares" by writing into the OpenGL buffer itself. OpenGL is real.
#include "app/worker/opengl_pictures.h"

#include <glad/gl.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <thread>

#include "app/ui/theme.h"
#include "app/views/field_texture.h"
#include "app/worker/egl_context.h"
#include "app/worker/open_device.h"
#include "app/worker/runner.h"
#include "lessons/catalog.h"
#include "tests/app/hardware.h"

namespace warpbook::app {
namespace {

class FakeInterop final : public gpu::GraphicsInterop {
 public:
  explicit FakeInterop(gpu::DrawPath::Kind kind) : path_{kind, "As the test has it."} {}

  std::map<gpu::BufferId, std::vector<float>> memory;
  std::map<gpu::BufferId, unsigned> attached;
  bool refuses = false;

  gpu::DrawPath examine() override { return path_; }
  Result<void> attach(const gpu::Buffer& buffer, unsigned gl_buffer) override {
    if (refuses) return failure("cudaErrorMemoryAllocation", "There is no pinned memory left.");
    attached[buffer.id] = gl_buffer;
    return {};
  }
  Result<std::span<const std::byte>> publish(const gpu::Buffer& buffer) override {
    const auto bytes = std::as_bytes(std::span<const float>(memory.at(buffer.id)));
    if (path_.kind == gpu::DrawPath::Kind::pinned_copy) return bytes;
    glNamedBufferSubData(attached.at(buffer.id), 0, static_cast<GLsizeiptr>(bytes.size()), bytes.data());
    return std::span<const std::byte>();
  }
  void detach(const gpu::Buffer& buffer) override { attached.erase(buffer.id); }
  const gpu::DrawPath& path() const override { return path_; }

 private:
  gpu::DrawPath path_;
};

std::vector<float> waves(std::uint32_t side, float phase) {
  std::vector<float> field(std::size_t{side} * side);
  for (std::uint32_t y = 0; y < side; ++y) {
    for (std::uint32_t x = 0; x < side; ++x)
      field[std::size_t{y} * side + x] =
          0.5f + 0.5f * std::sin(0.37f * static_cast<float>(x) + 0.11f * static_cast<float>(y) + phase);
  }
  return field;
}

gpu::Buffer array(gpu::BufferId id, std::uint32_t side) {
  return {.id = id, .array = {.name = "heat", .type = gpu::ScalarType::float32, .shape = {side, side}}};
}

std::vector<std::uint8_t> pixels(const FieldTexture& texture, std::uint32_t side) {
  std::vector<std::uint8_t> rgba(std::size_t{side} * side * 4);
  glBindTexture(GL_TEXTURE_2D, static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(texture.id())));
  glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, rgba.data());
  return rgba;
}

int largest_difference(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  EXPECT_EQ(a.size(), b.size());
  int largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(int{a[i]} - int{b[i]}));
  return largest;
}

/// The window's context, current here, and the worker's.
class OpenGLPicturesOn : public testing::TestWithParam<gpu::DrawPath::Kind> {
 protected:
  void SetUp() override {
    auto first = EglContext::open();
    ASSERT_TRUE(first) << first.error().message;
    window_ = std::move(*first);
    auto second = EglContext::open(window_.get());
    ASSERT_TRUE(second) << second.error().message;
    worker_ = std::move(*second);
    ImGui::CreateContext();
    ASSERT_TRUE(load_theme(lessons::data_directory() / "assets" / "tokens.toml", Appearance::dark, 1));
    look_ = {.pixels = 100, .low = 0, .high = 1, .ramp = &theme().ramp.heat};
  }
  void TearDown() override {
    from_gpu_.release();
    from_host_.release();
    release_field_shader();
    ImGui::DestroyContext();
    worker_.reset();
    window_.reset();
  }
  template <class Work>
  void on_worker(Work work) {
    std::thread([&] {
      ASSERT_TRUE(worker_->make_current());
      work();
      worker_->release();
    }).join();
  }
  void expect_same(const gpu::PicturePtr& picture, const std::vector<float>& field, std::uint32_t side) {
    ASSERT_TRUE(from_gpu_.show({.data = nullptr, .picture = picture}, side, look_));
    ASSERT_TRUE(from_host_.show({.data = std::make_shared<const std::vector<float>>(field)}, side, look_));
    // The shader averages in another order than the host does.
    EXPECT_LE(largest_difference(pixels(from_gpu_, look_.pixels), pixels(from_host_, look_.pixels)), 1);
  }

  std::unique_ptr<EglContext> window_, worker_;
  FieldTexture from_gpu_, from_host_;
  FieldTexture::Look look_;
};

TEST_P(OpenGLPicturesOn, a_field_looks_as_if_the_host_had_drawn_it) {
  FakeInterop interop(GetParam());
  for (const std::uint32_t side : {64U, 100U, 333U}) {  // larger than the picture, of its size, and averaged by no whole number
    const auto field = interop.memory[side] = waves(side, 0);
    gpu::PicturePtr picture;
    on_worker([&] {
      OpenGLPictures pictures(interop);
      picture = pictures.take(array(side, side));
    });
    ASSERT_TRUE(picture);
    expect_same(picture, field, side);
    ASSERT_TRUE(from_gpu_.show_region({.data = nullptr, .picture = picture}, side, 7, 5, 24, look_));
    ASSERT_TRUE(from_host_.show_region({.data = std::make_shared<const std::vector<float>>(field)}, side, 7, 5, 24, look_));
    EXPECT_EQ(largest_difference(pixels(from_gpu_, 100), pixels(from_host_, 100)), 0) << "the lens shows raw cells";
  }
  EXPECT_TRUE(interop.attached.empty()) << "who attaches, detaches";
}

TEST_P(OpenGLPicturesOn, a_picture_that_is_held_is_not_overwritten_by_the_next_ones) {
  constexpr std::uint32_t side = 128;
  FakeInterop interop(GetParam());
  const auto first = interop.memory[1] = waves(side, 0);
  gpu::PicturePtr held, last;
  std::vector<float> field;
  on_worker([&] {
    OpenGLPictures pictures(interop);
    held = pictures.take(array(1, side));
    for (int frame = 1; frame <= 20; ++frame) {
      field = interop.memory[1] = waves(side, static_cast<float>(frame));
      last = pictures.take(array(1, side));
    }
    EXPECT_EQ(interop.attached.size(), 1U);
  });
  expect_same(held, first, side);
  expect_same(last, field, side);
  const unsigned before = field_picture(last)->texture;
  EXPECT_NE(field_picture(held)->texture, before);
  EXPECT_LE(before, 12U) << "textures are used again, not made for every frame";
}

TEST_P(OpenGLPicturesOn, what_cannot_be_attached_is_left_to_the_host) {
  FakeInterop interop(GetParam());
  interop.refuses = true;
  interop.memory[1] = waves(8, 0);
  on_worker([&] {
    OpenGLPictures pictures(interop);
    EXPECT_FALSE(pictures.take(array(1, 8)));
    EXPECT_FALSE(pictures.take({.id = 2, .array = {.name = "line", .type = gpu::ScalarType::float32, .shape = {8}}}));
    pictures.forget(array(1, 8));
  });
}

/// The whole way: lesson 06 steps on a device whose fields reach OpenGL on the worker, and the window draws what is published.
TEST(OpenGLPictures, a_live_field_is_drawn_by_the_window_and_given_back_at_the_end) {
  auto window = EglContext::open();
  ASSERT_TRUE(window) << window.error().message;
  const auto worker = EglContext::open(window->get());
  ASSERT_TRUE(worker) << worker.error().message;
  std::shared_ptr<const std::set<gpu::BufferId>> attached;
  std::atomic<int> current{0};
  gpu::PicturePtr picture;
  {
    Runner runner({.device = {.profile = "T4", .gpu = 0},
                   .wake = {},
                   .make_device = [&](gpu::Compiler& compiler, const DeviceKey& key) -> Result<std::unique_ptr<gpu::Device>> {
                     auto made = open_device(compiler, {.profile = key.profile, .gpu = {}});
                     if (!made || !key.gpu) return made;
                     auto hardware = std::make_unique<test::Hardware>(std::move(*made));
                     attached = hardware->attached();
                     return hardware;
                   },
                   .opengl =
                       [&](bool on) {
                         current += on ? 1 : -1;
                         if (!on) (*worker)->release();
                         return !on || (*worker)->make_current();
                       }});
    const lessons::Lesson& lesson = *lessons::find_lesson("06");
    lessons::Values values = lessons::Values::defaults(lesson.controls);
    values.set("side", 128);
    auto text = lessons::kernel_text(lesson);
    ASSERT_TRUE(text);
    runner.start_live({.lesson = &lesson, .values = values, .text = *text});
    std::shared_ptr<const Snapshot> last;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < end) {
      if (const auto news = runner.news(); news.result) last = news.result;
      runner.shown();
      const auto* const field = last && last->outcome ? std::get_if<lessons::Field>(&last->outcome->figures[0]) : nullptr;
      if (field != nullptr && field->heat_picture && field->step >= 30) {
        picture = field->heat_picture;
        EXPECT_TRUE(field->laplacian_picture);
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_TRUE(picture);
    EXPECT_EQ(last->drawing.word, "pinned copy");
    EXPECT_NE(last->drawing.sentence.find("another GPU"), std::string::npos);
    EXPECT_EQ(current, 1);
    std::vector<float> seen(128 * 128);
    glBindTexture(GL_TEXTURE_2D, field_picture(picture)->texture);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RED, GL_FLOAT, seen.data());
    EXPECT_GT(*std::max_element(seen.begin(), seen.end()), 0.0f);
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](float each) { return std::isfinite(each); }));
    runner.choose_device({.profile = "T4", .gpu = {}});
    while (current != 0 && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(current, 0) << "the virtual GPU needs no OpenGL on the worker";
  }
  EXPECT_TRUE(attached->empty()) << "what was attached was given back with its array";
  picture.reset();  // after everything that made it
}

INSTANTIATE_TEST_SUITE_P(BothPaths, OpenGLPicturesOn,
                         testing::Values(gpu::DrawPath::Kind::shared, gpu::DrawPath::Kind::pinned_copy),
                         [](const auto& each) { return each.param == gpu::DrawPath::Kind::shared ? "shared" : "pinned"; });

}  // namespace
}  // namespace warpbook::app
