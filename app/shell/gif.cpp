#include "app/shell/gif.h"

#include <gif_lib.h>

#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/message.h"

namespace warpbook::app {
namespace {

constexpr int most_colours = 256;

int put(GifFileType* gif, const GifByteType* bytes, int count) {
  auto& file = *static_cast<OutputFile*>(gif->UserData);
  file.write(std::as_bytes(std::span(bytes, static_cast<std::size_t>(count))));
  return file.state() ? count : 0;
}

struct FreeColours {
  void operator()(ColorMapObject* colours) const { GifFreeMapObject(colours); }
};
using Colours = std::unique_ptr<ColorMapObject, FreeColours>;

}  // namespace

/// Why the library has stopped: mostly because the file took no more.
Error GifFile::problem(int reason) const {
  if (auto written = file_->state(); !written) return written.error();
  const char* const why = GifErrorString(reason);
  return {"write_failed", say("The pictures of the animation could not be packed: {why}. Is the machine out of memory?",
                              "why"_a = why != nullptr ? std::string_view(why) : say("unknown reason"))};
}

void GifFile::Close::operator()(GifFileType* gif) const { EGifCloseFile(gif, nullptr); }

Result<GifFile> GifFile::create(const std::filesystem::path& file, int width, int height, int pictures_a_second) {
  auto opened = OutputFile::open(file);
  if (!opened) return failure(opened.error());
  GifFile made(std::move(*opened));
  int reason = 0;
  made.width_ = width;
  made.height_ = height;
  made.hundredths_ = static_cast<int>(std::lround(100.0 / pictures_a_second));
  made.gif_.reset(EGifOpen(made.file_.get(), put, &reason));
  if (!made.gif_) return failure(made.problem(reason));
  GifFileType* const gif = made.gif_.get();
  EGifSetGifVersion(gif, true);  // 89a: with extensions
  // "NETSCAPE2.0" is how all programs say that it goes round; 0 times is for ever.
  constexpr std::array<GifByteType, 3> for_ever = {1, 0, 0};
  const bool good =
      EGifPutScreenDesc(gif, width, height, 8, 0, nullptr) == GIF_OK &&
      EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE) == GIF_OK && EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0") == GIF_OK &&
      EGifPutExtensionBlock(gif, for_ever.size(), for_ever.data()) == GIF_OK && EGifPutExtensionTrailer(gif) == GIF_OK;
  if (!good) return failure(made.problem(gif->Error));
  return made;
}

Result<void> GifFile::add(const Pixels& picture) {
  if (picture.width != width_ || picture.height != height_)
    return failure("cannot_write", say("The pictures of an animation must all have the same size."));
  const auto cells = static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
  std::vector<GifByteType> red(cells), green(cells), blue(cells), indices(cells);
  for (std::size_t i = 0; i < cells; ++i) {
    red[i] = picture.rgb[3 * i];
    green[i] = picture.rgb[3 * i + 1];
    blue[i] = picture.rgb[3 * i + 2];
  }
  const Colours colours(GifMakeMapObject(most_colours, nullptr));
  int count = most_colours;
  if (!colours || GifQuantizeBuffer(static_cast<unsigned>(width_), static_cast<unsigned>(height_), &count, red.data(), green.data(),
                                    blue.data(), indices.data(), colours->Colors) != GIF_OK)
    return failure(problem(E_GIF_ERR_NOT_ENOUGH_MEM));
  GifFileType* const gif = gif_.get();
  const GraphicsControlBlock shown{
      .DisposalMode = DISPOSE_DO_NOT, .UserInputFlag = false, .DelayTime = hundredths_, .TransparentColor = NO_TRANSPARENT_COLOR};
  std::array<GifByteType, 4> control{};
  EGifGCBToExtension(&shown, control.data());
  bool good = EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, control.size(), control.data()) == GIF_OK &&
              EGifPutImageDesc(gif, 0, 0, width_, height_, false, colours.get()) == GIF_OK;
  for (int y = 0; good && y < height_; ++y)
    good = EGifPutLine(gif, &indices[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_)], width_) == GIF_OK;
  if (!good) return failure(problem(gif->Error));
  return {};
}

Result<void> GifFile::close() {
  int reason = 0;
  if (EGifCloseFile(gif_.release(), &reason) != GIF_OK) return failure(problem(reason));
  return file_->close();
}

}  // namespace warpbook::app
