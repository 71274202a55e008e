#include "gpu/cuda/arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace warpbook::gpu {
namespace {

/// CUDA refuses to allocate 0 bytes, but an empty array needs an address as well.
std::size_t at_least_one(std::size_t bytes) { return std::max<std::size_t>(bytes, 1); }

}  // namespace

Result<Arrays::Stored*> Arrays::find(const Buffer& buffer, std::string_view doing) {
  const auto found = stored_.find(buffer.id);
  if (found == stored_.end())
    return failure("cudaErrorInvalidValue",
                   fmt::format("`{}` cannot be {}: it is not an array of this device, or was released.", buffer.array.name, doing));
  return &found->second;
}

// ---- memory --------------------------------------------------------------------------------------------------------

Result<Buffer> Arrays::allocate(const Array& array, Place place) {
  const BufferId id = next_id_++;
  Stored& stored = stored_[id];
  stored.buffer = {id, array};
  stored.place = place;
  if (auto given = give_memory(stored); !given) {
    stored_.erase(id);
    return failure(given.error());
  }
  return stored.buffer;
}

Result<void> Arrays::give_memory(Stored& stored) {
  const std::size_t bytes = at_least_one(stored.bytes());
  const std::string what = fmt::format("`{}` ({} bytes) could not be allocated", stored.buffer.array.name, bytes);
  if (stored.place == Place::device) {
    CUdeviceptr address = 0;
    const CUresult result = driver_->memAlloc(&address, bytes);
    if (auto done = context_->check(result, what); !done) {
      std::size_t free = 0, total = 0;
      if (result != CUDA_ERROR_OUT_OF_MEMORY || driver_->memGetInfo(&free, &total) != CUDA_SUCCESS) return done;
      return failure(
          "cudaErrorMemoryAllocation",
          fmt::format("`{}` needs {} bytes; of the GPU's {} bytes {} are free. Use smaller arrays, or end other programs "
                      "that use the GPU.",
                      stored.buffer.array.name, bytes, total, free));
    }
    stored.address = address;
    return {};
  }
  if (Context::kernel_left_behind())
    return failure(
        "cudaErrorMemoryAllocation",
        fmt::format("`{}` is to be page-locked memory of the host, and CUDA may wait for ever for such memory while a kernel "
                    "that does not end still runs on the GPU. Start Warpbook again.",
                    stored.buffer.array.name));
  void* host = nullptr;
  if (auto done = context_->check(driver_->memHostAlloc(&host, bytes, CU_MEMHOSTALLOC_DEVICEMAP), what); !done) return done;
  CUdeviceptr address = 0;
  if (auto done = context_->check(driver_->memHostGetDevicePointer(&address, host, 0), what); !done) {
    (void)context_->check(driver_->memFreeHost(host), "Pinned memory could not be given back");
    return done;
  }
  stored.host = static_cast<std::byte*>(host);
  stored.address = address;
  return {};
}

void Arrays::free_memory(Stored& stored) {
  // If freeing fails, the memory is freed with the context. A sticky error is reported by the next call.
  if (stored.host != nullptr) {
    // While an abandoned kernel is running, the memory is not freed before the context is destroyed.
    if (!Context::kernel_left_behind())
      (void)context_->check(driver_->memFreeHost(stored.host), "Pinned memory could not be given back");
  } else if (stored.address != 0) {
    (void)context_->check(driver_->memFree(stored.address), "The GPU's memory could not be given back");
  }
  stored.host = nullptr;
  stored.address = 0;
}

void Arrays::release(const Buffer& buffer) {
  const auto found = stored_.find(buffer.id);
  if (found == stored_.end()) return;
  Stored& stored = found->second;
  if (context_ != nullptr) {
    if (stored.shared) stored.shared->unregister(*driver_, *context_);
    free_copy(stored);
    free_memory(stored);
  }
  drop_known(stored);
  stored_.erase(found);
}

Result<CUdeviceptr> Arrays::address(const Buffer& buffer) {
  auto stored = find(buffer, "used");
  if (!stored) return failure(stored.error());
  return ready(**stored);
}

Result<CUdeviceptr> Arrays::ready(Stored& stored) {
  if (stored.shared) {
    auto address = stored.shared->map(*driver_, *context_, stored.bytes());
    if (address || context_->broken()) return address;
    return failure(stop_sharing(stored, address.error()));
  }
  if (stored.address == 0) {
    if (auto given = give_memory(stored); !given) return failure(given.error());
    if (auto restored = restore(stored); !restored) {
      free_memory(stored);  // the next use allocates again
      return failure(restored.error());
    }
  }
  return stored.address;
}

std::span<std::byte> Arrays::mapped(const Buffer& buffer) {
  const auto found = stored_.find(buffer.id);
  if (found == stored_.end() || found->second.place != Place::mapped) return {};
  if (on_the_host(found->second)) return kept(found->second);
  if (!ready(found->second)) return {};
  return {found->second.host, found->second.bytes()};
}

// ---- contents ------------------------------------------------------------------------------------------------------

Result<void> Arrays::put(Stored& stored, std::span<const std::byte> bytes) {
  if (on_the_host(stored)) {
    std::copy(bytes.begin(), bytes.end(), kept(stored).begin());
    return {};
  }
  auto address = ready(stored);
  if (!address) return failure(address.error());
  if (bytes.empty()) return {};
  if (stored.host != nullptr) {
    std::memcpy(stored.host, bytes.data(), bytes.size());
    return {};
  }
  return context_->check(driver_->memcpyHtoD(*address, bytes.data(), bytes.size()),
                         fmt::format("`{}` could not be copied to the GPU", stored.buffer.array.name));
}

Result<void> Arrays::put(Stored& stored, Scalar value) {
  if (on_the_host(stored)) return {};  // the value of the fill is kept
  auto address = ready(stored);
  if (!address) return failure(address.error());
  const std::size_t size = size_of(stored.buffer.array.type), count = stored.buffer.array.count();
  if (count == 0) return {};
  if (stored.host != nullptr) {
    for (std::size_t at = 0; at < stored.bytes(); at += size) std::memcpy(stored.host + at, &value.bits, size);
    return {};
  }
  const auto low = static_cast<std::uint32_t>(value.bits), high = static_cast<std::uint32_t>(value.bits >> 32);
  const auto set = [&]() -> CUresult {
    switch (size) {
      case 1:
        return driver_->memsetD8(*address, static_cast<unsigned char>(low), count);
      case 2:
        return driver_->memsetD16(*address, static_cast<unsigned short>(low), count);
      case 4:
        return driver_->memsetD32(*address, low, count);
      default:
        return low == high ? driver_->memsetD32(*address, low, count * 2) : fill_words(*address, value.bits, count);
    }
  };
  return context_->check(set(), fmt::format("`{}` could not be filled", stored.buffer.array.name));
}

/// CUDA fills memory with words of at most 32 bits. So the first piece is copied from the host and then doubled repeatedly.
CUresult Arrays::fill_words(CUdeviceptr address, std::uint64_t word, std::size_t count) {
  const std::vector<std::uint64_t> piece(std::min(count, std::size_t{1} << 16), word);
  const std::size_t bytes = count * sizeof word;
  std::size_t there = piece.size() * sizeof word;
  CUresult result = driver_->memcpyHtoD(address, piece.data(), there);
  for (; result == CUDA_SUCCESS && there < bytes; there = std::min(2 * there, bytes))
    result = driver_->memcpyDtoD(address + there, address, std::min(there, bytes - there));
  return result;
}

Result<void> Arrays::write(const Buffer& buffer, std::span<const std::byte> bytes) {
  auto stored = find(buffer, "written");
  if (!stored) return failure(stored.error());
  if ((*stored)->bytes() != bytes.size())
    return failure("cudaErrorInvalidValue",
                   fmt::format("`{}` holds {} bytes, {} were to be written.", buffer.array.name, (*stored)->bytes(), bytes.size()));
  // Keep the bytes first, so that the array is restored with them if the copy faults.
  keep(**stored, bytes);
  return put(**stored, bytes);
}

Result<void> Arrays::fill(const Buffer& buffer, Scalar value) {
  auto stored = find(buffer, "filled");
  if (!stored) return failure(stored.error());
  drop_known(**stored);
  (*stored)->known = value;
  return put(**stored, value);
}

Result<void> Arrays::read(const Buffer& buffer, std::span<std::byte> bytes) {
  auto stored = find(buffer, "read");
  if (!stored) return failure(stored.error());
  if ((*stored)->bytes() != bytes.size())
    return failure("cudaErrorInvalidValue",
                   fmt::format("`{}` holds {} bytes, {} were to be read.", buffer.array.name, (*stored)->bytes(), bytes.size()));
  if (on_the_host(**stored)) {
    const std::vector<std::byte>& all = kept(**stored);
    std::copy(all.begin(), all.end(), bytes.begin());
    return {};
  }
  auto address = ready(**stored);
  if (!address) return failure(address.error());
  if (bytes.empty()) return {};
  if ((*stored)->host != nullptr) {
    std::memcpy(bytes.data(), (*stored)->host, bytes.size());
    return {};
  }
  return context_->check(driver_->memcpyDtoH(bytes.data(), *address, bytes.size()),
                         fmt::format("`{}` could not be copied from the GPU", buffer.array.name));
}

Result<Arrays::Ends> Arrays::ends_of_copy(const Buffer& device, const Buffer& host) {
  auto address = this->address(device);
  if (!address) return failure(address.error());
  auto locked = find(host, "copied");
  if (!locked) return failure(locked.error());
  if ((*locked)->place != Place::mapped)
    return failure(
        "cudaErrorInvalidValue",
        fmt::format("`{}` is not page-locked memory of the host, which a copy beside other work needs.", host.array.name));
  if (auto there = ready(**locked); !there) return failure(there.error());
  const std::size_t bytes = stored_.at(device.id).bytes();
  if (bytes != (*locked)->bytes())
    return failure("cudaErrorInvalidValue", fmt::format("`{}` holds {} bytes and `{}` {}: they are copied as a whole.",
                                                        device.array.name, bytes, host.array.name, (*locked)->bytes()));
  return Ends{*address, {(*locked)->host, bytes}};
}

void Arrays::expect(const Buffer& buffer, std::optional<std::span<const std::byte>> bytes) {
  const auto found = stored_.find(buffer.id);
  if (found == stored_.end()) return;
  if (bytes) return keep(found->second, *bytes);
  drop_known(found->second);
  found->second.too_much_to_keep = true;
}

void Arrays::drop_known(Stored& stored) {
  if (const auto* bytes = std::get_if<std::vector<std::byte>>(&stored.known)) kept_bytes_ -= bytes->size();
  stored.known = std::monostate{};
  stored.too_much_to_keep = false;
}

void Arrays::keep(Stored& stored, std::span<const std::byte> bytes) {
  if (auto* known = std::get_if<std::vector<std::byte>>(&stored.known); known != nullptr && known->size() == bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), known->begin());
    return;
  }
  drop_known(stored);
  stored.too_much_to_keep = kept_bytes_ + bytes.size() > kept_limit;
  if (stored.too_much_to_keep) return;
  try {
    stored.known = std::vector<std::byte>(bytes.begin(), bytes.end());
    kept_bytes_ += bytes.size();
  } catch (const std::bad_alloc&) {
    stored.too_much_to_keep = true;
  }
}

bool Arrays::on_the_host(const Stored& stored) {
  return stored.place == Place::mapped && stored.host == nullptr && Context::kernel_left_behind();
}

std::vector<std::byte>& Arrays::kept(Stored& stored) {
  if (auto* const known = std::get_if<std::vector<std::byte>>(&stored.known)) return *known;
  const Scalar* const fill = std::get_if<Scalar>(&stored.known);
  const std::size_t size = size_of(stored.buffer.array.type);
  std::vector<std::byte> bytes(stored.bytes());
  for (std::size_t at = 0; fill != nullptr && at + size <= bytes.size(); at += size) std::memcpy(&bytes[at], &fill->bits, size);
  kept_bytes_ += bytes.size();
  stored.too_much_to_keep = false;
  return stored.known.emplace<std::vector<std::byte>>(std::move(bytes));
}

Result<void> Arrays::restore(Stored& stored) {
  if (const auto* bytes = std::get_if<std::vector<std::byte>>(&stored.known)) return put(stored, *bytes);
  if (const auto* value = std::get_if<Scalar>(&stored.known)) return put(stored, *value);
  return {};
}

// ---- faults --------------------------------------------------------------------------------------------------------

void Arrays::forget(bool left_behind) {
  for (auto& [id, stored] : stored_) {
    if (stored.host != nullptr) keep(stored, {stored.host, stored.bytes()});
    if (stored.shared && stored.shared->mapped() && left_behind) {
      stored.shared.reset();  // CUDA cannot register it twice, and the kernel is still writing to it
      no_longer_shared_ =
          Error{"cudaErrorAlreadyMapped",
                fmt::format("the kernel that does not end still has the OpenGL buffer of `{}`.", stored.buffer.array.name)};
      if (stored.too_much_to_keep) lost_.push_back(stored.buffer.array.name);
    } else if (stored.shared) {
      stored.shared->forget();  // OpenGL keeps its contents
    } else if (stored.too_much_to_keep) {
      lost_.push_back(stored.buffer.array.name);
    }
    stored.address = 0;
    stored.host = stored.pinned = nullptr;
  }
  context_ = nullptr;
}

std::vector<std::string> Arrays::take_names_of_lost() { return std::exchange(lost_, {}); }

// ---- drawing -------------------------------------------------------------------------------------------------------

Result<std::span<std::byte>> Arrays::copy_of(Stored& stored) {
  if (stored.pinned == nullptr && Context::kernel_left_behind()) {
    stored.pageable.resize(stored.bytes());
    return stored.pageable;
  }
  if (stored.pinned == nullptr) {
    void* pinned = nullptr;
    auto done = context_->check(driver_->memHostAlloc(&pinned, at_least_one(stored.bytes()), 0),
                                fmt::format("Pinned memory to copy `{}` through could not be had", stored.buffer.array.name));
    if (!done) return failure(done.error());
    stored.pinned = static_cast<std::byte*>(pinned);
  }
  return std::span(stored.pinned, stored.bytes());
}

void Arrays::free_copy(Stored& stored) {
  if (stored.pinned != nullptr && !Context::kernel_left_behind())
    (void)context_->check(driver_->memFreeHost(stored.pinned), "Pinned memory could not be given back");
  stored.pinned = nullptr;
  stored.pageable = {};
}

Result<std::optional<Error>> Arrays::attach(const Buffer& buffer, unsigned int gl_buffer, bool shared) {
  auto found = find(buffer, "drawn");
  if (!found) return failure(found.error());
  Stored& stored = **found;
  if (stored.attached || stored.place == Place::mapped)
    return failure("cudaErrorInvalidValue",
                   fmt::format("`{}` {}.", buffer.array.name,
                               stored.attached ? "is drawn from an OpenGL buffer already"
                                               : "is mapped memory, which the host can draw from as it is"));
  auto own = ready(stored);
  if (!own) return failure(own.error());
  std::optional<Error> why_not;
  if (shared) {
    SharedBuffer opengl(gl_buffer);
    auto address = opengl.map(*driver_, *context_, stored.bytes());
    Result<void> moved = {};
    if (!address) {
      moved = failure(address.error());
    } else if (stored.bytes() != 0) {
      moved =
          context_->check(driver_->memcpyDtoD(*address, *own, stored.bytes()), "The array could not be moved to OpenGL's buffer");
    }
    if (moved) {
      free_memory(stored);
      stored.shared = opengl;
      stored.attached = true;
      return why_not;
    }
    if (context_->broken()) return failure(moved.error());
    opengl.unregister(*driver_, *context_);
    why_not = moved.error();
  }
  if (auto copy = copy_of(stored); !copy) return failure(copy.error());
  stored.attached = true;
  return why_not;
}

Error Arrays::stop_sharing(Stored& stored, Error why) {
  stored.shared->unregister(*driver_, *context_);
  stored.shared.reset();
  no_longer_shared_ = why;
  why.message += fmt::format(" `{}` is copied for drawing from now on, and holds again what the host last put into it.",
                             stored.buffer.array.name);
  return why;
}

Result<std::span<const std::byte>> Arrays::publish(const Buffer& buffer) {
  auto found = find(buffer, "drawn");
  if (!found) return failure(found.error());
  Stored& stored = **found;
  if (!stored.attached)
    return failure("cudaErrorInvalidValue", fmt::format("`{}` is not attached to an OpenGL buffer.", buffer.array.name));
  if (stored.shared) {
    auto unmapped = stored.shared->unmap(*driver_, *context_);
    if (unmapped) return std::span<const std::byte>{};
    return failure(context_->broken() ? unmapped.error() : stop_sharing(stored, unmapped.error()));
  }
  auto address = ready(stored);
  if (!address) return failure(address.error());
  auto copy = copy_of(stored);
  if (!copy) return failure(copy.error());
  if (!copy->empty()) {
    auto copied = context_->check(driver_->memcpyDtoH(copy->data(), *address, copy->size()),
                                  fmt::format("`{}` could not be copied for drawing", buffer.array.name));
    if (!copied) return failure(copied.error());
  }
  return std::span<const std::byte>(*copy);
}

Result<void> Arrays::detach(const Buffer& buffer) {
  const auto found = stored_.find(buffer.id);
  if (found == stored_.end()) return {};
  Stored& stored = found->second;
  stored.attached = false;
  free_copy(stored);
  if (!stored.shared) return {};
  auto from = stored.shared->map(*driver_, *context_, stored.bytes());
  auto moved = from ? give_memory(stored) : Result<void>(failure(from.error()));
  if (moved && stored.bytes() != 0)
    moved = context_->check(driver_->memcpyDtoD(stored.address, *from, stored.bytes()),
                            "The array could not be moved out of OpenGL's buffer");
  if (!moved) {
    free_memory(stored);  // allocated again at the next use
    moved.error().message += fmt::format(" `{}` holds again what the host last put into it.", buffer.array.name);
  }
  stored.shared->unregister(*driver_, *context_);
  stored.shared.reset();
  return moved;
}

void Arrays::detach_all() {
  for (auto& [id, stored] : stored_) {
    if (stored.shared) stored.shared->unregister(*driver_, *context_);
    stored.shared.reset();
    stored.attached = false;
  }
}

std::optional<Error> Arrays::take_no_longer_shared() { return std::exchange(no_longer_shared_, std::nullopt); }

}  // namespace warpbook::gpu
