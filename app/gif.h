// Gif: pictures, one after the other, into a GIF file that shows them over and over.
//
//     auto gif = GifFile::create("field.gif", width, height, 12);        // 12 a second
//     for (const Pixels& picture : pictures) if (auto done = gif->add(picture); !done) return done;
//     Result<void> whole = gif->close();
//
// A picture has 256 colours of its own, chosen by the library. Pictures have the size that the file was made with. A file that was
// not closed is no whole one; who gives up removes it. Error: "cannot_write".
#pragma once

#include <filesystem>
#include <memory>

#include "app/canvas.h"
#include "gpu/result.h"

struct GifFileType;

namespace warpbook::app {

class GifFile {
 public:
  [[nodiscard]] static Result<GifFile> create(const std::filesystem::path& file, int width, int height, int pictures_a_second);
  [[nodiscard]] Result<void> add(const Pixels& picture);
  [[nodiscard]] Result<void> close();

 private:
  struct Close {
    void operator()(GifFileType* gif) const;
  };
  GifFile() = default;
  std::filesystem::path file_;
  std::unique_ptr<GifFileType, Close> gif_;
  int width_ = 0, height_ = 0, hundredths_ = 0;
};

}  // namespace warpbook::app
