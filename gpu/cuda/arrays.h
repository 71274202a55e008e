// Arrays: the device's buffers. Where each lies, what the host last put into it, and how it comes back after a fault.
//
//     auto buffer = arrays.allocate({.name = "out", …}, Arrays::Place::device);
//     Result<CUdeviceptr> address = arrays.address(*buffer);      // memory it gets at the latest here
//     arrays.forget(false);                                       // the context is gone, and all memory with it
//     arrays.use(new_context);                                    // each array gets memory and contents at its next use
//
// After a fault a GPU's memory cannot be read any more. So what the host writes is kept beside it, up to `kept_limit` bytes in all;
// a fill is kept as its value. What kernels wrote since is lost. Mapped memory is the host's own and survives whole.
//
// While a kernel that does not end runs (Context::kernel_left_behind), page-locked memory is neither allocated nor freed. New
// mapped arrays are refused with a sentence; those that had memory before lie in the host's alone, and are refused to kernels;
// OpenGL gets its copy from ordinary memory.
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
    mapped   // pinned memory of the host that kernels reach over the bus
  };

  explicit Arrays(DriverPtr driver) : driver_(std::move(driver)) {}

  void use(Context* context) { context_ = context; }
  /// left_behind: a kernel runs on in the context. An OpenGL buffer that it has mapped stays its own: the array is copied then.
  void forget(bool left_behind);

  [[nodiscard]] Result<Buffer> allocate(const Array& array, Place place);
  void release(const Buffer& buffer);
  [[nodiscard]] Result<void> write(const Buffer& buffer, std::span<const std::byte> bytes);
  [[nodiscard]] Result<void> read(const Buffer& buffer, std::span<std::byte> bytes);
  [[nodiscard]] Result<void> fill(const Buffer& buffer, Scalar value);
  [[nodiscard]] Result<CUdeviceptr> address(const Buffer& buffer);
  /// The host's view of mapped memory; empty for other places.
  [[nodiscard]] std::span<std::byte> mapped(const Buffer& buffer);

  /// Both ends of a copy that others make: between an array and mapped memory of the same size.
  struct Ends {
    CUdeviceptr device = 0;
    std::span<std::byte> host;
  };
  [[nodiscard]] Result<Ends> ends_of_copy(const Buffer& device, const Buffer& host);
  /// Such a copy puts these bytes into the array. Empty: bytes that nobody can know yet, and so cannot keep.
  void expect(const Buffer& buffer, std::optional<std::span<const std::byte>> bytes);

  // Drawing (interop.h). An attached array lies in the OpenGL buffer, or has a pinned copy beside it for OpenGL to take.
  /// Shared where `shared`, and where that succeeds; otherwise copied, and the answer says why the sharing failed.
  [[nodiscard]] Result<std::optional<Error>> attach(const Buffer& buffer, unsigned int gl_buffer, bool shared);
  /// Empty: OpenGL has the array. Otherwise its bytes, in pinned memory.
  [[nodiscard]] Result<std::span<const std::byte>> publish(const Buffer& buffer);
  [[nodiscard]] Result<void> detach(const Buffer& buffer);
  void detach_all();

  /// Names of arrays whose contents forget() could not keep; then none.
  [[nodiscard]] std::vector<std::string> take_names_of_lost();
  /// Why a shared array had to become a copied one during a use of it; then nothing.
  [[nodiscard]] std::optional<Error> take_no_longer_shared();

 private:
  struct Stored {
    Buffer buffer;
    Place place = Place::device;
    CUdeviceptr address = 0;    // 0: no memory in this context
    std::byte* host = nullptr;  // mapped: the host's view
    // What the host put into it last; nothing: it never did, or more than could be kept.
    std::variant<std::monostate, std::vector<std::byte>, Scalar> known;
    bool too_much_to_keep = false;       // or, of a copy between two others, not known when it was asked for
    std::optional<SharedBuffer> shared;  // its memory is OpenGL's
    std::byte* pinned = nullptr;         // the copy that OpenGL takes, or …
    std::vector<std::byte> pageable;     // … the same where page-locked memory is not to be had
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
  /// The array is copied from now on, and what OpenGL's buffer held is out of reach: the caller must be told.
  [[nodiscard]] Error stop_sharing(Stored& stored, Error why);
  /// Memory of the host for the copy that OpenGL takes.
  [[nodiscard]] Result<std::span<std::byte>> copy_of(Stored& stored);
  void free_copy(Stored& stored);
  void free_memory(Stored& stored);
  void keep(Stored& stored, std::span<const std::byte> bytes);
  void drop_known(Stored& stored);
  /// A mapped array without page-locked memory for now: all of it is what is kept.
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
