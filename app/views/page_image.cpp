// A picture of a page, and its words.
#include <cstring>
#include <map>

#include "app/views/parts.h"
#include "app/views/pixel_texture.h"
#include "app/views/views.h"

namespace warpbook::app {

void release_page_images();  // figure.cpp

namespace {

std::map<const PageImage*, PixelTexture> textures;  // which keep their images, so no address comes twice
constexpr std::size_t most_textures = 64;           // of pages that were read anew, too

}  // namespace

void release_page_images() {
  for (auto& [image, texture] : textures) texture.release();
  textures.clear();
}

void draw_page_image(const std::shared_ptr<const PageImage>& image, float width, std::string_view caption) {
  const Sheet sheet = begin_view(width);
  const float wide = snap(std::min(width, px(static_cast<float>(image->width) / 2)));
  const float high = snap(wide * static_cast<float>(image->height) / static_cast<float>(image->width));
  if (textures.size() >= most_textures && !textures.contains(image.get())) release_page_images();
  PixelTexture& texture = textures[image.get()];
  const bool there = texture.show(image, 0, image->width, image->height, [&](std::vector<ImU32>& pixels) {
    std::memcpy(pixels.data(), image->rgba.data(), image->rgba.size());
  });
  if (there)
    sheet.draw->AddImageRounded(texture.id(), sheet.at, {sheet.at.x + wide, sheet.at.y + high}, {0, 0}, {1, 1}, IM_COL32_WHITE,
                                px(theme().radius.box));
  text_clipped(sheet.draw, Face::label, {sheet.at.x, sheet.at.y + high + px(8)}, width, theme().text.third, caption);
  end_view(sheet, high + px(8) + line_height(Face::label), false);
}

}  // namespace warpbook::app
