// FieldPicture: a field that lies in an OpenGL texture already. Who makes them is app/worker/opengl_pictures.h.
//
//     if (const FieldPicture* field = field_picture(figure.heat_picture)) bind(field->texture);
#pragma once

#include <cstdint>

#include "gpu/picture.h"

namespace warpbook::app {

/// A texture of format R32F, row 0 first; complete, whichever thread draws it.
struct FieldPicture : gpu::Picture {
  unsigned texture = 0;
  std::uint32_t width = 0, height = 0;
};

[[nodiscard]] inline const FieldPicture* field_picture(const gpu::PicturePtr& picture) {
  return dynamic_cast<const FieldPicture*>(picture.get());
}

}  // namespace warpbook::app
