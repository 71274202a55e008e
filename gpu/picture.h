// Picture: what an array held at one moment, kept where a window can draw it without the host having read it.
//
//     PicturePtr heat = pictures->take(buffer);        // on the thread that uses the device
//     if (!heat) read(buffer, bytes);                  // it cannot be had: the host's copy, as ever
//
// Whoever implements PictureTaker knows what a Picture is; to everybody else it is a handle. Holding it keeps it from being
// overwritten; any thread may let go of it.
#pragma once

#include <memory>

namespace warpbook::gpu {

struct Buffer;  // device.h

class Picture {
 public:
  virtual ~Picture() = default;
};
using PicturePtr = std::shared_ptr<const Picture>;

class PictureTaker {
 public:
  virtual ~PictureTaker() = default;
  /// Of a two-dimensional float32 array. Empty: it cannot be had.
  [[nodiscard]] virtual PicturePtr take(const Buffer& buffer) = 0;
  /// After the array was released.
  virtual void forget(const Buffer& buffer) = 0;
};

}  // namespace warpbook::gpu
