// PixelTexture: a small picture in an OpenGL texture, for ImDrawList::AddImage. Each pixel is drawn as it is, however large.
//
//     static PixelTexture picture;
//     if (picture.show(owner, columns, rows, [&](std::vector<ImU32>& pixels) { … })) draw->AddImage(picture.id(), a, b);
//
// `owner` and `look` say whether the pixels are the same as last time; they are made only when one has changed. Needs a current
// OpenGL context: without one show() answers false. One thread: the window's.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace warpbook::app {

class PixelTexture {
 public:
  PixelTexture() = default;
  PixelTexture(const PixelTexture&) = delete;
  PixelTexture& operator=(const PixelTexture&) = delete;

  /// `fill` gets rows × columns pixels, row 0 first.
  bool show(std::shared_ptr<const void> owner, std::uint32_t look, std::uint32_t columns, std::uint32_t rows,
            const std::function<void(std::vector<ImU32>&)>& fill);
  [[nodiscard]] ImTextureID id() const { return reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(texture_)); }
  void release();

 private:
  std::shared_ptr<const void> owner_;  // kept alive: its address says whether the data is new
  std::uint32_t look_ = 0;
  unsigned texture_ = 0;
};

}  // namespace warpbook::app
