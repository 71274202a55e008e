#include "app/views/pixel_texture.h"

#include <glad/gl.h>

namespace warpbook::app {

bool PixelTexture::show(std::shared_ptr<const void> owner, std::uint32_t look, std::uint32_t columns, std::uint32_t rows,
                        const std::function<void(std::vector<ImU32>&)>& fill) {
  if (glad_glGenTextures == nullptr) return false;  // no context
  if (texture_ != 0 && owner == owner_ && look == look_) return true;
  std::vector<ImU32> pixels(std::size_t{columns} * rows);
  fill(pixels);
  int bound = 0, unpack = 0, row_length = 0, alignment = 4;
  glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
  glGetIntegerv(GL_PIXEL_UNPACK_BUFFER_BINDING, &unpack);
  glGetIntegerv(GL_UNPACK_ROW_LENGTH, &row_length);
  glGetIntegerv(GL_UNPACK_ALIGNMENT, &alignment);
  if (texture_ == 0) glGenTextures(1, &texture_);
  glBindTexture(GL_TEXTURE_2D, texture_);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, static_cast<GLsizei>(columns), static_cast<GLsizei>(rows), 0, GL_RGBA, GL_UNSIGNED_BYTE,
               pixels.data());
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, static_cast<GLuint>(unpack));
  glPixelStorei(GL_UNPACK_ROW_LENGTH, row_length);
  glPixelStorei(GL_UNPACK_ALIGNMENT, alignment);
  glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(bound));
  owner_ = std::move(owner);
  look_ = look;
  return true;
}

void PixelTexture::release() {
  if (texture_ != 0 && glad_glDeleteTextures != nullptr) glDeleteTextures(1, &texture_);
  texture_ = 0;
  owner_.reset();
}

}  // namespace warpbook::app
