#include "app/worker/opengl_pictures.h"

#include <glad/gl.h>

#include <chrono>
#include <mutex>
#include <utility>
#include <vector>

#include "app/worker/egl_context.h"

namespace warpbook::app {
namespace {

constexpr auto longest_copy = std::chrono::seconds(2);  // a driver that takes longer has lost its GPU

unsigned make_texture(std::uint32_t width, std::uint32_t height) {
  unsigned id = 0;
  glGenTextures(1, &id);
  glBindTexture(GL_TEXTURE_2D, id);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexStorage2D(GL_TEXTURE_2D, 1, GL_R32F, static_cast<GLsizei>(width), static_cast<GLsizei>(height));
  return id;
}

unsigned make_buffer(std::size_t bytes) {
  unsigned name = 0;
  glGenBuffers(1, &name);
  glBindBuffer(GL_ARRAY_BUFFER, name);
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(bytes), nullptr, GL_DYNAMIC_DRAW);
  glBindBuffer(GL_ARRAY_BUFFER, 0);
  return name;
}

}  // namespace

/// Textures that nobody holds. Pictures come back from whichever thread lets go of them last; each of them has an OpenGL context
/// of the same share group.
struct OpenGLPictures::Textures {
  struct Free {
    unsigned texture = 0;
    std::uint32_t width = 0, height = 0;
    GLsync drawn = nullptr;  // passed when what was drawn from it is done
  };
  std::mutex mutex;
  std::vector<Free> free;

  [[nodiscard]] std::optional<Free> find(std::uint32_t width, std::uint32_t height) {
    const std::lock_guard lock(mutex);
    for (auto it = free.begin(); it != free.end(); ++it) {
      if (it->width != width || it->height != height) continue;
      const Free found = *it;
      free.erase(it);
      return found;
    }
    return std::nullopt;
  }
  ~Textures() {
    for (const Free& each : free) {
      glDeleteSync(each.drawn);
      glDeleteTextures(1, &each.texture);
    }
  }
};

OpenGLPictures::OpenGLPictures(gpu::GraphicsInterop& graphics) : graphics_(graphics), textures_(std::make_shared<Textures>()) {
  graphics_.drawn_by(opengl_renderer());
  (void)graphics_.examine();  // so that path() speaks of this context
}

OpenGLPictures::~OpenGLPictures() {
  for (const auto& [id, each] : attached_) {
    if (each.buffer == 0) continue;
    graphics_.detach(each.array);
    glDeleteBuffers(1, &each.buffer);
  }
}

unsigned OpenGLPictures::attach(const gpu::Buffer& buffer) {
  const auto [it, fresh] = attached_.try_emplace(buffer.id, Attached{buffer, 0});
  if (!fresh) return it->second.buffer;
  unsigned name = make_buffer(buffer.array.bytes());
  if (graphics_.attach(buffer, name)) {
    it->second.buffer = name;
    it->second.shared = graphics_.path().kind == gpu::DrawPath::Kind::shared;
  } else {
    glDeleteBuffers(1, &name);
  }
  return it->second.buffer;
}

/// A buffer that was shared and is copied into from now on may still be a kernel's that does not end: it is left alone, with its
/// memory.
unsigned OpenGLPictures::buffer_for_copies(Attached& attached) {
  if (std::exchange(attached.shared, false)) attached.buffer = make_buffer(attached.array.array.bytes());
  return attached.buffer;
}

gpu::PicturePtr OpenGLPictures::take(const gpu::Buffer& buffer) {
  const gpu::Array& array = buffer.array;
  if (array.type != gpu::ScalarType::float32 || array.shape.size() != 2) return nullptr;
  const auto height = static_cast<std::uint32_t>(array.shape[0]), width = static_cast<std::uint32_t>(array.shape[1]);
  if (attach(buffer) == 0) return nullptr;
  const auto bytes = graphics_.publish(buffer);
  if (!bytes) return nullptr;
  const unsigned source = bytes->empty() ? attached_.at(buffer.id).buffer : buffer_for_copies(attached_.at(buffer.id));
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, source);
  if (!bytes->empty()) glBufferSubData(GL_PIXEL_UNPACK_BUFFER, 0, static_cast<GLsizeiptr>(bytes->size()), bytes->data());

  Textures::Free target{.texture = 0, .width = width, .height = height};
  if (const auto used = textures_->find(width, height)) {
    target = *used;
    glWaitSync(target.drawn, 0, GL_TIMEOUT_IGNORED);
    glDeleteSync(target.drawn);
    glBindTexture(GL_TEXTURE_2D, target.texture);
  } else {
    target.texture = make_texture(width, height);
  }
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, static_cast<GLsizei>(width), static_cast<GLsizei>(height), GL_RED, GL_FLOAT, nullptr);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
  // Waits here, on the worker, so that the window's thread never does.
  const GLsync copied = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  const auto limit = std::chrono::duration_cast<std::chrono::nanoseconds>(longest_copy).count();
  const GLenum waited = glClientWaitSync(copied, GL_SYNC_FLUSH_COMMANDS_BIT, static_cast<GLuint64>(limit));
  glDeleteSync(copied);

  struct Held final : FieldPicture {
    std::weak_ptr<Textures> home;
    Held() = default;
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() override {
      if (const auto textures = home.lock()) {
        const GLsync drawn = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
        glFlush();  // another context waits for it
        const std::lock_guard lock(textures->mutex);
        textures->free.push_back({texture, width, height, drawn});
      } else {
        glDeleteTextures(1, &texture);
      }
    }
  };
  auto picture = std::make_shared<Held>();
  picture->texture = target.texture;
  picture->width = width;
  picture->height = height;
  picture->home = textures_;
  if (waited == GL_TIMEOUT_EXPIRED || waited == GL_WAIT_FAILED) return nullptr;
  return picture;
}

void OpenGLPictures::forget(const gpu::Buffer& buffer) {
  const auto it = attached_.find(buffer.id);
  if (it == attached_.end()) return;
  if (it->second.buffer != 0) glDeleteBuffers(1, &it->second.buffer);
  attached_.erase(it);
}

}  // namespace warpbook::app
