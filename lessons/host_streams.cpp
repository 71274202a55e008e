// The concurrent part of Host: streams, events, asynchronous copies.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lessons/host_impl.h"

namespace warpbook::lessons {

const std::optional<gpu::LaunchReport>& Host::failed_in_stream() {
  impl_->perform();
  impl_->untold = false;
  return impl_->failed;
}

Stream Host::new_stream() {
  impl_->perform();
  const Stream stream{impl_->clock.new_stream()};
  impl_->note({.kind = HostCall::Kind::create_stream, .stream = stream.id});
  return stream;
}

HostArray Host::host_array(const gpu::Array& array, std::span<const std::byte> bytes, HostMemory memory) {
  impl_->perform();
  impl_->free_locked(false);
  const Stopwatch watch;
  const bool locks = memory == HostMemory::pinned && impl_->batch.possible();
  HostArray made(array, bytes, memory);
  if (locks) {
    auto buffer = impl_->device.allocate_mapped(array);
    const auto seen = buffer ? impl_->device.mapped(*buffer) : std::span<std::byte>{};
    if (seen.size() == bytes.size()) {
      std::copy(bytes.begin(), bytes.end(), seen.begin());
      made.locked_ = *buffer;
      *made.bytes_ = {};
      impl_->locked.emplace_back(made.bytes_, *buffer);
    } else {
      made.memory_ = HostMemory::pageable;
      if (buffer) impl_->device.release(*buffer);
    }
  }
  const double took = us(watch);
  HostCall call{.kind = HostCall::Kind::allocate_host, .what = array.name, .array = array, .pinned = made.pinned()};
  impl_->keep(call, bytes);
  call.begin = impl_->clock.now;
  call.end = call.wait_begin = impl_->clock.now += locks ? took : made.pinned() ? allocate_us : lookup_us;
  impl_->record(std::move(call));
  return made;
}

namespace {

Result<void> same_size(const gpu::Buffer& buffer, const gpu::Array& array) {
  if (buffer.array.bytes() == array.bytes()) return {};
  return warpbook::failure(
      "cudaErrorInvalidValue",
      fmt::format("`{}` has {} bytes and `{}` has {}: they are copied as a whole, so both must be of one size.", buffer.array.name,
                  buffer.array.bytes(), array.name, array.bytes()));
}

}  // namespace

Result<void> Host::copy_async(const gpu::Buffer& to, const HostArray& from, Stream stream) {
  if (auto fits = same_size(to, from.array_); !fits) return fits;
  HostCall call{.kind = HostCall::Kind::copy_to_device,
                .what = to.array.name,
                .array = to.array,
                .host_array = from.array().name,
                .pinned = from.pinned(),
                .stream = stream.id};
  if (from.locked_) return impl_->give_copy(std::move(call), to, *from.locked_);
  if (auto settled = impl_->settle(); !settled) return settled;
  const Stopwatch watch;
  if (auto done = impl_->device.write(to, *from.bytes_); !done) return done;
  impl_->copy_async(call, from.bytes_->size(), watch);
  impl_->record(std::move(call));
  return {};
}

Result<void> Host::copy_async(const HostArray& to, const gpu::Buffer& from, Stream stream) {
  if (auto fits = same_size(from, to.array_); !fits) return fits;
  HostCall call{.kind = HostCall::Kind::copy_to_host,
                .what = from.array.name,
                .array = from.array,
                .host_array = to.array().name,
                .pinned = to.pinned(),
                .stream = stream.id};
  if (to.locked_) return impl_->give_copy(std::move(call), from, *to.locked_);
  if (auto settled = impl_->settle(); !settled) return settled;
  const Stopwatch watch;
  if (auto done = impl_->device.read(from, *to.bytes_); !done) return done;
  impl_->copy_async(call, to.bytes_->size(), watch);
  impl_->record(std::move(call));
  return {};
}

Event Host::record(Stream stream) {
  impl_->events.push_back(std::max(impl_->clock.done(stream.id), impl_->clock.now + lookup_us));
  const Event event{static_cast<std::uint32_t>(impl_->events.size())};
  HostCall call{.kind = HostCall::Kind::record_event, .stream = stream.id, .event = event.id};
  if (impl_->batch.possible()) {
    impl_->give({.kind = gpu::StreamOperation::Kind::record_event}, std::move(call));
  } else {
    impl_->note(std::move(call));
  }
  return event;
}

void Host::wait(Stream stream, Event event) {
  HostCall call{.kind = HostCall::Kind::wait_event, .stream = stream.id, .event = event.id};
  if (impl_->batch.possible()) return impl_->give({.kind = gpu::StreamOperation::Kind::wait_event}, std::move(call));
  impl_->clock.hold(stream.id, impl_->events.at(event.id - 1));
  impl_->note(std::move(call));
}

void Host::synchronize(Stream stream) {
  impl_->perform();
  impl_->wait_until({.kind = HostCall::Kind::synchronize_stream, .stream = stream.id}, impl_->clock.done(stream.id));
}

void Host::synchronize(Event event) {
  impl_->perform();
  impl_->wait_until({.kind = HostCall::Kind::synchronize_event, .event = event.id}, impl_->events.at(event.id - 1));
}

double Host::elapsed(Event from, Event to) {
  impl_->perform();
  impl_->note({.kind = HostCall::Kind::elapsed, .event = to.id, .from_event = from.id});
  return impl_->events.at(to.id - 1) - impl_->events.at(from.id - 1);
}

std::span<const std::byte> Host::read_bytes(const HostArray& array) {
  impl_->perform();
  impl_->note({.kind = HostCall::Kind::read_host, .what = array.array().name, .array = array.array(), .pinned = array.pinned()});
  if (array.locked_) return impl_->device.mapped(*array.locked_);
  return *array.bytes_;
}

}  // namespace warpbook::lessons
