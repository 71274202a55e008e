// Gif: pictures, one after the other, into a GIF file that shows them over and over.
//
//     auto gif = GifFile::create("field.gif", width, height, 12);        // 12 a second
//     for (const Pixels& picture : pictures) if (auto done = gif->add(picture); !done) return done;
//     Result<void> whole = gif->close();
//
// A picture has 256 colours of its own, chosen by the library. Pictures have the size that the file was made with. Of a file that
// was not closed nothing is left. Errors: as gpu/output_file.h says.
#pragma once

#include <filesystem>
#include <memory>

#include "app/shell/canvas.h"
#include "gpu/output_file.h"
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
  explicit GifFile(OutputFile file) : file_(std::make_unique<OutputFile>(std::move(file))) {}
  [[nodiscard]] Error problem(int reason) const;
  std::unique_ptr<OutputFile> file_;  // outlives gif_, which writes into it to its end
  std::unique_ptr<GifFileType, Close> gif_;
  int width_ = 0, height_ = 0, hundredths_ = 0;
};

}  // namespace warpbook::app
