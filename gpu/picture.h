// Picture: the contents of an array at one moment, in a form that a window can draw without a copy to the host.
//
//     PicturePtr heat = pictures->take(buffer);        // on the thread that uses the device
//     if (!heat) read(buffer, bytes);                  // not available: read the array as usual
//
// Only the implementation of PictureTaker knows what a Picture is; for others it is an opaque handle. A Picture is not overwritten
// while somebody holds it. Any thread may release it.
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
  /// Takes a picture of a two-dimensional float32 array. nullptr: not available.
  [[nodiscard]] virtual PicturePtr take(const Buffer& buffer) = 0;
  /// Call it after the array was released.
  virtual void forget(const Buffer& buffer) = 0;
};

}  // namespace warpbook::gpu
