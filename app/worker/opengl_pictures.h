// OpenGLPictures: copies fields from the GPU's memory into OpenGL textures, on the worker. The window draws the textures.
//
//     OpenGLPictures pictures(*device.graphics());          // the worker's OpenGL context is current, and remains so
//     gpu::PicturePtr heat = pictures.take(buffer);
//     if (const FieldPicture* field = field_picture(heat)) bind(field->texture);     // on the thread that draws
//
// The first take() of an array attaches it to an OpenGL buffer (gpu/cuda/interop.h). Every take() copies that buffer into a
// texture, within the GPU's memory, or through pinned memory if CUDA and OpenGL cannot share. A texture is used again when nobody
// holds it and OpenGL has finished drawing from it. Ownership: destroyed before the device, while its context is current. Textures
// that are still held outlive it.
#pragma once

#include <map>
#include <memory>

#include "app/views/field_picture.h"
#include "gpu/cuda/interop.h"
#include "gpu/device.h"
#include "gpu/picture.h"

namespace warpbook::app {

class OpenGLPictures final : public gpu::PictureTaker {
 public:
  explicit OpenGLPictures(gpu::GraphicsInterop& graphics);
  ~OpenGLPictures() override;
  OpenGLPictures(const OpenGLPictures&) = delete;
  OpenGLPictures& operator=(const OpenGLPictures&) = delete;

  [[nodiscard]] gpu::PicturePtr take(const gpu::Buffer& buffer) override;
  void forget(const gpu::Buffer& buffer) override;

 private:
  struct Textures;
  [[nodiscard]] unsigned attach(const gpu::Buffer& buffer);

  gpu::GraphicsInterop& graphics_;
  struct Attached {
    gpu::Buffer array;
    unsigned buffer = 0;  // OpenGL's name; 0: the array could not be attached
    bool shared = false;  // the device's kernels write into it
  };
  [[nodiscard]] static unsigned buffer_for_copies(Attached& attached);
  std::map<gpu::BufferId, Attached> attached_;
  std::shared_ptr<Textures> textures_;
};

}  // namespace warpbook::app
