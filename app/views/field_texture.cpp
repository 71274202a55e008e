#include "app/views/field_texture.h"

#include <glad/gl.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "app/views/field_picture.h"
#include "app/views/layout.h"
#include "lessons/catalog.h"

namespace warpbook::app {
namespace {

struct ColourMapShader {
  unsigned program = 0, vertices = 0;
  int range = -1, first_cell = -1, cells_a_pixel = -1, not_finite = -1;
  bool tried = false;
};
ColourMapShader shader;

unsigned compile(unsigned kind, const char* file) {
  std::ifstream in(lessons::data_directory() / "assets/shaders" / file);
  std::ostringstream text;
  text << in.rdbuf();
  const std::string source = text.str();
  if (source.empty()) return 0;
  const char* start = source.c_str();
  const unsigned id = glCreateShader(kind);
  glShaderSource(id, 1, &start, nullptr);
  glCompileShader(id);
  int good = 0;
  glGetShaderiv(id, GL_COMPILE_STATUS, &good);
  if (good != 0) return id;
  glDeleteShader(id);
  return 0;
}

/// Compiles the shader the first time; a failure is remembered, so that a broken file costs one attempt and not one a frame.
bool shader_ready() {
  if (shader.tried) return shader.program != 0;
  shader.tried = true;
  if (glad_glCreateShader == nullptr || glad_glGenVertexArrays == nullptr) {
    shader.tried = false;  // no context yet
    return false;
  }
  const unsigned vertex = compile(GL_VERTEX_SHADER, "colour_map.vert"), fragment = compile(GL_FRAGMENT_SHADER, "colour_map.frag");
  if (vertex != 0 && fragment != 0) {
    const unsigned program = glCreateProgram();
    glAttachShader(program, vertex);
    glAttachShader(program, fragment);
    glLinkProgram(program);
    int good = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &good);
    if (good != 0) {
      shader.program = program;
      shader.range = glGetUniformLocation(program, "range");
      shader.first_cell = glGetUniformLocation(program, "first_cell");
      shader.cells_a_pixel = glGetUniformLocation(program, "cells_a_pixel");
      shader.not_finite = glGetUniformLocation(program, "not_finite");
      glGenVertexArrays(1, &shader.vertices);
      int before = 0;
      glGetIntegerv(GL_CURRENT_PROGRAM, &before);
      glUseProgram(program);
      glUniform1i(glGetUniformLocation(program, "values"), 0);
      glUniform1i(glGetUniformLocation(program, "colours"), 1);
      glUseProgram(static_cast<unsigned>(before));
    } else {
      glDeleteProgram(program);
    }
  }
  if (vertex != 0) glDeleteShader(vertex);
  if (fragment != 0) glDeleteShader(fragment);
  return shader.program != 0;
}

/// What the frame had bound before, put back: views draw in the middle of somebody else's frame.
class SavedState {
 public:
  SavedState() {
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &framebuffer_);
    glGetIntegerv(GL_VIEWPORT, viewport_);
    glGetIntegerv(GL_CURRENT_PROGRAM, &program_);
    glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &vertices_);
    glGetIntegerv(GL_ACTIVE_TEXTURE, &unit_);
    glGetIntegerv(GL_PIXEL_UNPACK_BUFFER_BINDING, &unpack_);
    glGetIntegerv(GL_UNPACK_ROW_LENGTH, &row_length_);
    glGetIntegerv(GL_UNPACK_ALIGNMENT, &alignment_);
    for (int unit = 0; unit < 2; ++unit) {
      glActiveTexture(static_cast<GLenum>(GL_TEXTURE0 + unit));
      glGetIntegerv(GL_TEXTURE_BINDING_2D, &textures_[unit]);
    }
    blend_ = glIsEnabled(GL_BLEND);
    scissor_ = glIsEnabled(GL_SCISSOR_TEST);
    depth_ = glIsEnabled(GL_DEPTH_TEST);
    cull_ = glIsEnabled(GL_CULL_FACE);
  }
  ~SavedState() {
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(framebuffer_));
    glViewport(viewport_[0], viewport_[1], viewport_[2], viewport_[3]);
    glUseProgram(static_cast<GLuint>(program_));
    glBindVertexArray(static_cast<GLuint>(vertices_));
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, static_cast<GLuint>(unpack_));
    glPixelStorei(GL_UNPACK_ROW_LENGTH, row_length_);
    glPixelStorei(GL_UNPACK_ALIGNMENT, alignment_);
    for (int unit = 0; unit < 2; ++unit) {
      glActiveTexture(static_cast<GLenum>(GL_TEXTURE0 + unit));
      glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(textures_[unit]));
    }
    glActiveTexture(static_cast<GLenum>(unit_));
    set(GL_BLEND, blend_);
    set(GL_SCISSOR_TEST, scissor_);
    set(GL_DEPTH_TEST, depth_);
    set(GL_CULL_FACE, cull_);
  }
  SavedState(const SavedState&) = delete;
  SavedState& operator=(const SavedState&) = delete;

 private:
  static void set(GLenum what, GLboolean on) { on ? glEnable(what) : glDisable(what); }
  GLint framebuffer_ = 0, viewport_[4] = {}, program_ = 0, vertices_ = 0, unit_ = 0, unpack_ = 0, row_length_ = 0, alignment_ = 4,
        textures_[2] = {};
  GLboolean blend_ = 0, scissor_ = 0, depth_ = 0, cull_ = 0;
};

unsigned make_texture(GLint filter) {
  unsigned id = 0;
  glGenTextures(1, &id);
  glBindTexture(GL_TEXTURE_2D, id);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  return id;
}

}  // namespace

bool FieldTexture::upload(const float* values, std::uint32_t side, std::uint32_t stride, std::uint32_t out_side) {
  glActiveTexture(GL_TEXTURE0);
  if (values_ == 0) values_ = make_texture(GL_NEAREST);
  glBindTexture(GL_TEXTURE_2D, values_);
  if (values_side_ != out_side) {
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R32F, static_cast<GLsizei>(out_side), static_cast<GLsizei>(out_side), 0, GL_RED, GL_FLOAT,
                 nullptr);
    values_side_ = out_side;
  }
  if (buffers_[0] == 0) glGenBuffers(2, buffers_);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffers_[next_buffer_]);
  next_buffer_ ^= 1;
  const auto bytes = static_cast<GLsizeiptr>(std::size_t{out_side} * out_side * sizeof(float));
  glBufferData(GL_PIXEL_UNPACK_BUFFER, bytes, nullptr, GL_STREAM_DRAW);  // orphans what the driver may still read
  auto* mapped =
      static_cast<float*>(glMapBufferRange(GL_PIXEL_UNPACK_BUFFER, 0, bytes, GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT));
  if (mapped == nullptr) return false;
  if (out_side < side) {
    average_down(values, side, mapped, out_side);
  } else {
    for (std::uint32_t y = 0; y < side; ++y) {
      std::memcpy(mapped + std::size_t{y} * side, values + std::size_t{y} * stride, side * sizeof(float));
    }
  }
  if (glUnmapBuffer(GL_PIXEL_UNPACK_BUFFER) == GL_FALSE) return false;  // the buffer was lost: the next frame tries again
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, static_cast<GLsizei>(out_side), static_cast<GLsizei>(out_side), GL_RED, GL_FLOAT,
                  nullptr);
  return true;
}

bool FieldTexture::colour(unsigned texture, std::uint32_t x, std::uint32_t y, std::uint32_t cells, const Look& look) {
  const auto pixels = static_cast<GLsizei>(look.pixels);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
  if (table_ == 0 || ramp_ != *look.ramp) {
    glActiveTexture(GL_TEXTURE1);
    if (table_ == 0) table_ = make_texture(GL_LINEAR);
    glBindTexture(GL_TEXTURE_2D, table_);
    std::vector<ImU32> colours(256);
    for (std::size_t i = 0; i < colours.size(); ++i) colours[i] = sample(*look.ramp, static_cast<float>(i) / 255.0f);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 256, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, colours.data());
    ramp_ = *look.ramp;
  }
  glActiveTexture(GL_TEXTURE0);
  if (picture_ == 0) picture_ = make_texture(GL_LINEAR);
  if (pixels_ != look.pixels) {
    glBindTexture(GL_TEXTURE_2D, picture_);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, pixels, pixels, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    pixels_ = look.pixels;
  }
  if (framebuffer_ == 0) glGenFramebuffers(1, &framebuffer_);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer_);
  glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, picture_, 0);
  if (glCheckFramebufferStatus(GL_DRAW_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) return false;
  glViewport(0, 0, pixels, pixels);
  for (const GLenum what : {GL_BLEND, GL_SCISSOR_TEST, GL_DEPTH_TEST, GL_CULL_FACE}) glDisable(what);
  glBindTexture(GL_TEXTURE_2D, texture);
  glActiveTexture(GL_TEXTURE1);
  glBindTexture(GL_TEXTURE_2D, table_);
  glUseProgram(shader.program);
  glUniform2f(shader.range, look.low, look.high > look.low ? look.high : look.low + 1);
  const float each = static_cast<float>(cells) / static_cast<float>(look.pixels);
  glUniform2f(shader.first_cell, static_cast<float>(x), static_cast<float>(y));
  glUniform2f(shader.cells_a_pixel, each, each);
  const ImVec4 bad = ImGui::ColorConvertU32ToFloat4(theme().verdict.bad);
  glUniform4f(shader.not_finite, bad.x, bad.y, bad.z, 1);
  glBindVertexArray(shader.vertices);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  low_ = look.low;
  high_ = look.high;
  return true;
}

bool FieldTexture::same_look(const Look& look) const {
  return pixels_ == look.pixels && low_ == look.low && high_ == look.high && ramp_ == *look.ramp;
}

bool FieldTexture::show_picture(const gpu::PicturePtr& picture, std::uint32_t side, std::uint32_t x, std::uint32_t y,
                                std::uint32_t cells, const Look& look) {
  const FieldPicture& field = *field_picture(picture);
  if (field.width != side || field.height != side) return false;
  if (picture_taken_ == picture && x_ == x && y_ == y && shown_cells_ == cells && same_look(look)) return true;
  const SavedState saved;
  picture_taken_ = picture;
  data_.reset();
  x_ = x;
  y_ = y;
  shown_cells_ = cells;
  return colour(field.texture, x, y, cells, look);
}

bool FieldTexture::show(const Source& source, std::uint32_t side, const Look& look) {
  if (side == 0 || look.pixels == 0 || !shader_ready()) return false;
  if (field_picture(source.picture) != nullptr) return show_picture(source.picture, side, 0, 0, side, look);
  const Data& data = source.data;
  if (!data || data->size() < std::size_t{side} * side) return false;
  const std::uint32_t out_side = std::min(side, look.pixels);
  const bool same_data = data_ == data && side_ == side && values_side_ == out_side;
  if (same_data && same_look(look)) return true;
  const SavedState saved;
  if (!same_data) {
    if (!upload(data->data(), side, side, out_side)) return false;
    data_ = data;
    picture_taken_.reset();
    side_ = side;
  }
  return colour(values_, 0, 0, out_side, look);
}

bool FieldTexture::show_region(const Source& source, std::uint32_t side, std::uint32_t x, std::uint32_t y, std::uint32_t cells,
                               const Look& look) {
  const bool inside = std::uint64_t{x} + cells <= side && std::uint64_t{y} + cells <= side;
  if (cells == 0 || look.pixels == 0 || !inside || !shader_ready()) return false;
  if (field_picture(source.picture) != nullptr) return show_picture(source.picture, side, x, y, cells, look);
  const Data& data = source.data;
  if (!data || data->size() < std::size_t{side} * side) return false;
  const bool same_data = data_ == data && side_ == side && values_side_ == cells && x_ == x && y_ == y;
  if (same_data && same_look(look)) return true;
  const SavedState saved;
  if (!same_data) {
    if (!upload(data->data() + std::size_t{y} * side + x, cells, side, cells)) return false;
    data_ = data;
    picture_taken_.reset();
    side_ = side;
    x_ = x;
    y_ = y;
  }
  return colour(values_, 0, 0, cells, look);
}

void FieldTexture::release() {
  if (values_ != 0) glDeleteTextures(1, &values_);
  if (picture_ != 0) glDeleteTextures(1, &picture_);
  if (table_ != 0) glDeleteTextures(1, &table_);
  if (framebuffer_ != 0) glDeleteFramebuffers(1, &framebuffer_);
  if (buffers_[0] != 0) glDeleteBuffers(2, buffers_);
  values_ = picture_ = table_ = framebuffer_ = buffers_[0] = buffers_[1] = 0;
  values_side_ = pixels_ = side_ = 0;
  data_.reset();
  picture_taken_.reset();
}

void release_field_shader() {
  if (shader.program != 0) glDeleteProgram(shader.program);
  if (shader.vertices != 0) glDeleteVertexArrays(1, &shader.vertices);
  shader = {};
}

}  // namespace warpbook::app
