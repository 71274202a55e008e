// FieldTexture: a field of float32 in an OpenGL texture, coloured by a shader for ImGui::Image.
//
//     static FieldTexture heat;
//     heat.show(field.heat, field.side, {.pixels = 512, .low = 0, .high = 1, .ramp = &theme().ramp.heat});
//     ImGui::Image(heat.id(), ImVec2(512, 512));
//
// Values of the host's memory: reading them once is the least a frame can do, so a field shown smaller than it is, is averaged to
// pixels while it is written into a mapped pixel buffer, and only the pixels travel on (2000² at 512 px: 1 MiB, not 16). Values
// that are in a texture already (opengl_pictures.h) stay there, and the shader averages. A field shown larger than it is keeps its
// cells. Nothing is done while data, size, range and colours are the same. Needs a current OpenGL 3.3 context with glad loaded;
// without one show() answers false and draws nothing. One thread: the window's.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "app/ui/theme.h"
#include "gpu/picture.h"

namespace warpbook::app {

class FieldTexture {
 public:
  struct Look {
    std::uint32_t pixels = 1;  // the picture's side
    float low = 0, high = 1;
    const Ramp* ramp = nullptr;
  };
  using Data = std::shared_ptr<const std::vector<float>>;
  /// A field as the host has it, and where there is one, as it lies in the GPU's memory: then that is drawn.
  struct Source {
    Data data;
    gpu::PicturePtr picture = {};
  };

  FieldTexture() = default;
  FieldTexture(const FieldTexture&) = delete;
  FieldTexture& operator=(const FieldTexture&) = delete;

  /// The whole field. False where OpenGL, the shaders or the data are missing.
  bool show(const Source& source, std::uint32_t side, const Look& look);
  /// `cells`² cells from (x, y), each drawn as it is.
  bool show_region(const Source& source, std::uint32_t side, std::uint32_t x, std::uint32_t y, std::uint32_t cells,
                   const Look& look);

  [[nodiscard]] ImTextureID id() const { return reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(picture_)); }
  void release();

 private:
  bool upload(const float* values, std::uint32_t side, std::uint32_t stride, std::uint32_t out_side);
  bool show_picture(const gpu::PicturePtr& picture, std::uint32_t side, std::uint32_t x, std::uint32_t y, std::uint32_t cells,
                    const Look& look);
  /// `cells` a side from (x, y) of a texture.
  bool colour(unsigned texture, std::uint32_t x, std::uint32_t y, std::uint32_t cells, const Look& look);
  [[nodiscard]] bool same_look(const Look& look) const;

  Data data_;                               // kept alive: its address says whether the data is new
  gpu::PicturePtr picture_taken_;           // the same, where the values are the GPU's
  std::uint32_t side_ = 0, x_ = 0, y_ = 0;  // what of it was uploaded, or shown of a picture
  std::uint32_t shown_cells_ = 0;           // of a picture
  std::uint32_t values_side_ = 0, pixels_ = 0;
  float low_ = 0, high_ = 0;
  Ramp ramp_;
  unsigned values_ = 0, picture_ = 0, framebuffer_ = 0, table_ = 0;
  unsigned buffers_[2] = {0, 0};  // in turn, so that a write never waits for the last upload
  int next_buffer_ = 0;
};

/// Frees the shader that all field textures share.
void release_field_shader();

}  // namespace warpbook::app
