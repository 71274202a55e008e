// Arrays: the device's buffers. Keeps each buffer's address and a copy of what the host last wrote, to restore it after a fault.
//
//     auto buffer = arrays.allocate({.name = "out", …}, Arrays::Place::device);
//     Result<CUdeviceptr> address = arrays.address(*buffer);      // allocates memory on the first call
//     arrays.forget(false);                                       // the context was destroyed, and all its memory with it
//     arrays.use(new_context);                                    // each array gets memory and contents at its next use
//
// After a fault, the GPU's memory cannot be read. So a copy of what the host writes is kept, up to `kept_limit` bytes in all; of a
// fill, only the value. What kernels wrote since then is lost. Mapped memory belongs to the host and survives unchanged.
//
// While a kernel that cannot be stopped is running (Context::kernel_left_behind), page-locked memory is neither allocated nor
// freed. Then new mapped arrays are refused with a sentence. Existing ones are only in ordinary host memory, and launches with them
// are refused. OpenGL gets its copy from ordinary memory.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "gpu/cuda/context.h"
#include "gpu/cuda/driver.h"
#include "gpu/cuda/shared_buffer.h"
#include "gpu/device.h"

namespace warpbook::gpu {

class Arrays {
 public:
  static constexpr std::size_t kept_limit = std::size_t{1} << 30;

  enum class Place {
    device,  // the GPU's own memory
    mapped   // pinned host memory that kernels access over the bus
  };

  explicit Arrays(DriverPtr driver) : driver_(std::move(driver)) {}

  void use(Context* context) { context_ = context; }
  /// left_behind: a kernel is still running in the context. An OpenGL buffer that this kernel has mapped cannot be unmapped; the
  /// array is copied from then on.
  void forget(bool left_behind);

  [[nodiscard]] Result<Buffer> allocate(const Array& array, Place place);
  void release(const Buffer& buffer);
  [[nodiscard]] Result<void> write(const Buffer& buffer, std::span<const std::byte> bytes);
  [[nodiscard]] Result<void> read(const Buffer& buffer, std::span<std::byte> bytes);
  [[nodiscard]] Result<void> fill(const Buffer& buffer, Scalar value);
  [[nodiscard]] Result<CUdeviceptr> address(const Buffer& buffer);
  /// The host's view of mapped memory. Empty for other arrays.
  [[nodiscard]] std::span<std::byte> mapped(const Buffer& buffer);

  /// The two addresses of a copy that the caller makes, between an array and mapped memory of the same size.
  struct Ends {
    CUdeviceptr device = 0;
    std::span<std::byte> host;
  };
  [[nodiscard]] Result<Ends> ends_of_copy(const Buffer& device, const Buffer& host);
  /// Tells the array that such a copy will write these bytes. Empty: the bytes are not known yet and cannot be kept.
  void expect(const Buffer& buffer, std::optional<std::span<const std::byte>> bytes);

  // Drawing (interop.h). An attached array is in the OpenGL buffer itself, or it has a pinned copy for OpenGL.
  // Shares memory if `shared` is set and it is possible. Otherwise the array is copied, and the result says why sharing failed.
  [[nodiscard]] Result<std::optional<Error>> attach(const Buffer& buffer, unsigned int gl_buffer, bool shared);
  /// Empty: OpenGL has the array. Otherwise the array's bytes in pinned memory.
  [[nodiscard]] Result<std::span<const std::byte>> publish(const Buffer& buffer);
  [[nodiscard]] Result<void> detach(const Buffer& buffer);
  void detach_all();

  /// The names of arrays whose contents forget() could not keep. The list is cleared.
  [[nodiscard]] std::vector<std::string> take_names_of_lost();
  /// Why a shared array became a copied one while it was used. The reason is cleared.
  [[nodiscard]] std::optional<Error> take_no_longer_shared();

 private:
  struct Stored {
    Buffer buffer;
    Place place = Place::device;
    CUdeviceptr address = 0;    // 0: no memory allocated in this context
    std::byte* host = nullptr;  // mapped: the host's view
    // What the host wrote last. Empty: nothing, or too much to keep.
    std::variant<std::monostate, std::vector<std::byte>, Scalar> known;
    bool too_much_to_keep =
        false;  // the contents are unknown: too much to keep, or an enqueued copy whose bytes were not known in time
    std::optional<SharedBuffer> shared;  // set if the array's memory belongs to OpenGL
    std::byte* pinned = nullptr;         // the copy for OpenGL, or …
    std::vector<std::byte> pageable;     // … the same, if no page-locked memory is available
    bool attached = false;

    [[nodiscard]] std::size_t bytes() const { return buffer.array.bytes(); }
  };

  [[nodiscard]] Result<Stored*> find(const Buffer& buffer, std::string_view doing);
  [[nodiscard]] Result<CUdeviceptr> ready(Stored& stored);
  [[nodiscard]] Result<void> give_memory(Stored& stored);
  [[nodiscard]] Result<void> restore(Stored& stored);
  [[nodiscard]] Result<void> put(Stored& stored, std::span<const std::byte> bytes);
  [[nodiscard]] Result<void> put(Stored& stored, Scalar value);
  [[nodiscard]] CUresult fill_words(CUdeviceptr address, std::uint64_t word, std::size_t count);
  /// Turns a shared array into a copied one. The contents of OpenGL's buffer are lost, which the returned error tells the caller.
  [[nodiscard]] Error stop_sharing(Stored& stored, Error why);
  /// Host memory for the copy that OpenGL takes.
  [[nodiscard]] Result<std::span<std::byte>> copy_of(Stored& stored);
  void free_copy(Stored& stored);
  void free_memory(Stored& stored);
  void keep(Stored& stored, std::span<const std::byte> bytes);
  void drop_known(Stored& stored);
  /// Whether a mapped array has no page-locked memory at present. Its contents are then only in `known`.
  [[nodiscard]] static bool on_the_host(const Stored& stored);
  [[nodiscard]] std::vector<std::byte>& kept(Stored& stored);

  DriverPtr driver_;
  Context* context_ = nullptr;
  BufferId next_id_ = 1;
  std::map<BufferId, Stored> stored_;
  std::size_t kept_bytes_ = 0;
  std::vector<std::string> lost_;
  std::optional<Error> no_longer_shared_;
};

}  // namespace warpbook::gpu
