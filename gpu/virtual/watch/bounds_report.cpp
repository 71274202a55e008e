// What is said of refused accesses: which thread, how far from what, and what to look at.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <string>

#include "gpu/address_windows.h"
#include "gpu/virtual/watch/access_words.h"
#include "gpu/virtual/watch/bounds.h"

namespace warpbook::gpu::watch {
namespace {

/// Whether this process can read an address: then the program has taken a pointer of its host code for one of the device's.
bool is_hosts(std::uint64_t address) {
  if (address >= global_base && address < global_base << 8) return false;  // the device's addresses (gpu/runtime)
  static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return msync(reinterpret_cast<void*>(address / page * page), page, MS_ASYNC) == 0;
}

/// What to look at first where an index is too large.
Message check_index(const Region& region, const Element& element, const vm::Access& access) {
  if (element.bytes == 0 || region.bytes < 2 * element.bytes) return to_say("Check how the line computes its index.");
  const std::uint64_t address = region.base + region.bytes - element.bytes;
  const Element last = LaunchContext::element_of(&region, access.space, address, access.site);
  return to_say("Check how the line computes its index: the last element is {element}.", "element"_a = last.name());
}

/// Does the host say what the elements are? What cudaMalloc gave has no type of its own.
bool is_typed(const Region& region, const Element& element) { return !region.untyped || region.buffer == 0 || element.bytes < 2; }

}  // namespace

Finding Bounds::describe_heap(const vm::Access& access, unsigned lane, const Element& element) const {
  const Place at = context_.place(access.site, access.warp, lane);
  Finding finding{
      .space = {}, .message = accessed(at, access.kind, element), .at = at, .buffer = {}, .index = element.index, .other = {}};
  Paragraph& text = finding.message;
  const vm::HeapBlock& block = *element.heap;
  const auto past = element.distance + static_cast<std::int64_t>(access.bytes) - static_cast<std::int64_t>(block.bytes);
  if (block.freed) {
    text.add(to_say("Line {line} has freed that block before.", "line"_a = block.freed_line));
    text.add(to_say("Free memory after its last use: let the threads that share it meet at a barrier first."));
  } else if (access.problem == vm::Access::Problem::misaligned) {
    text.add(to_say("It accesses {bytes} bytes at once, but the address {address:#x} is no multiple of {bytes}.",
                    "bytes"_a = access.bytes, "address"_a = access.address[lane]));
    text.add(to_say("A vector or wide type must start at a multiple of its size: check the cast and the index."));
  } else if (element.distance < 0) {
    const auto before = static_cast<std::uint64_t>(-element.distance);
    text.add(to_say_many(before, "That is {bytes} byte before the start of the block.",
                         "That is {bytes} bytes before the start of the block.", "bytes"_a = before));
    text.add(to_say("Check the smallest index this line can have."));
  } else {
    const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(past, 1));
    text.add(to_say_many(bytes, "The access ends {bytes} byte past the end of the block.",
                         "The access ends {bytes} bytes past the end of the block.", "bytes"_a = bytes));
    text.add(to_say("Check how the line computes its index; where it is right, ask malloc for more."));
  }
  return finding;
}

void Bounds::describe_local(const vm::Access& access, unsigned lane, Finding& finding) const {
  const DeclaredVariable* const array = context_.local_array(access.site);
  if (!array) {
    const auto given = with_thread(finding.at, "offset"_a = static_cast<std::int64_t>(access.address[lane]));
    finding.message = by_kind(access.kind,
                              given.to_say("Thread {thread} of block {block} reads outside its own local memory{at} (offset "
                                           "{offset}): an index of a local array is out of range."),
                              given.to_say("Thread {thread} of block {block} writes outside its own local memory{at} (offset "
                                           "{offset}): an index of a local array is out of range."),
                              given.to_say("Thread {thread} of block {block} updates outside its own local memory{at} (offset "
                                           "{offset}): an index of a local array is out of range."));
    finding.message.add(to_say("Check the bounds of the array on this line."));
    return;
  }
  finding.buffer = array->name;
  std::string declaration = array->type + ' ' + array->name;
  for (const std::uint64_t extent : array->extents) declaration += extent ? fmt::format("[{}]", extent) : "[]";
  const auto given = with_thread(finding.at, "array"_a = array->name, "declaration"_a = declaration, "line"_a = array->line);
  finding.message = by_kind(access.kind,
                            given.to_say("Thread {thread} of block {block} reads outside its own local memory{at}: an index of the "
                                         "local array `{array}`, declared as {declaration} in line {line}, is out of range."),
                            given.to_say("Thread {thread} of block {block} writes outside its own local memory{at}: an index of "
                                         "the local array `{array}`, declared as {declaration} in line {line}, is out of range."),
                            given.to_say("Thread {thread} of block {block} updates outside its own local memory{at}: an index of "
                                         "the local array `{array}`, declared as {declaration} in line {line}, is out of range."));
  finding.message.add(to_say("Check the smallest and the largest index that this line can have."));
}

/// Of an access that may not begin at its address.
Paragraph Bounds::about_alignment(const vm::Access& access, unsigned lane, const Element& element, const Place& at) {
  const auto given = with_thread(at, "bytes"_a = access.bytes, "element"_a = element.name(), "address"_a = access.address[lane]);
  const bool named = element.is_named();
  Message what;
  if (access.space == ptx::Space::shared)
    what =
        named
            ? by_kind(
                  access.kind,
                  given.to_say("Thread {thread} of block {block} reads {bytes} bytes at {element} in one access{at}, but the first "
                               "of them is byte {address} of the block's shared memory, and {address} is no multiple of {bytes}."),
                  given.to_say(
                      "Thread {thread} of block {block} writes {bytes} bytes at {element} in one access{at}, but the first of them "
                      "is byte {address} of the block's shared memory, and {address} is no multiple of {bytes}."),
                  given.to_say(
                      "Thread {thread} of block {block} updates {bytes} bytes at {element} in one access{at}, but the first of "
                      "them is byte {address} of the block's shared memory, and {address} is no multiple of {bytes}."))
            : by_kind(
                  access.kind,
                  given.to_say(
                      "Thread {thread} of block {block} reads {bytes} bytes of shared memory in one access{at}, but the first of "
                      "them is byte {address} of the block's shared memory, and {address} is no multiple of {bytes}."),
                  given.to_say(
                      "Thread {thread} of block {block} writes {bytes} bytes of shared memory in one access{at}, but the first of "
                      "them is byte {address} of the block's shared memory, and {address} is no multiple of {bytes}."),
                  given.to_say(
                      "Thread {thread} of block {block} updates {bytes} bytes of shared memory in one access{at}, but the first of "
                      "them is byte {address} of the block's shared memory, and {address} is no multiple of {bytes}."));
  else
    what = named ? by_kind(access.kind,
                           given.to_say("Thread {thread} of block {block} reads {bytes} bytes at {element} in one access{at}, but "
                                        "the address {address:#x} is no multiple of {bytes}."),
                           given.to_say("Thread {thread} of block {block} writes {bytes} bytes at {element} in one access{at}, but "
                                        "the address {address:#x} is no multiple of {bytes}."),
                           given.to_say("Thread {thread} of block {block} updates {bytes} bytes at {element} in one access{at}, "
                                        "but the address {address:#x} is no multiple of {bytes}."))
                 : by_kind(access.kind,
                           given.to_say("Thread {thread} of block {block} reads {bytes} bytes in one access{at}, but their address "
                                        "{address:#x} is no multiple of {bytes}."),
                           given.to_say("Thread {thread} of block {block} writes {bytes} bytes in one access{at}, but their "
                                        "address {address:#x} is no multiple of {bytes}."),
                           given.to_say("Thread {thread} of block {block} updates {bytes} bytes in one access{at}, but their "
                                        "address {address:#x} is no multiple of {bytes}."));
  Paragraph text = what;
  text.add(
      to_say("A vector or wide type must start at a multiple of its size: check the cast and the index, or access one element at a "
             "time."));
  return text;
}

Paragraph Bounds::about_constant(const vm::Access& access, const Element& element, const Place& at) {
  const auto given = with_thread(at, "element"_a = element.name(), "address"_a = element.address);
  Paragraph text;
  text.add(element.is_named() ? by_kind(access.kind,
                                        given.to_say("Thread {thread} of block {block} reads {element}{at}, which is "
                                                     "__constant__ memory: kernels can only read it."),
                                        given.to_say("Thread {thread} of block {block} writes {element}{at}, which is "
                                                     "__constant__ memory: kernels can only read it."),
                                        given.to_say("Thread {thread} of block {block} updates {element}{at}, which is "
                                                     "__constant__ memory: kernels can only read it."))
                              : by_kind(access.kind,
                                        given.to_say("Thread {thread} of block {block} reads address {address:#x}{at}, which "
                                                     "is __constant__ memory: kernels can only read it."),
                                        given.to_say("Thread {thread} of block {block} writes address {address:#x}{at}, which "
                                                     "is __constant__ memory: kernels can only read it."),
                                        given.to_say("Thread {thread} of block {block} updates address {address:#x}{at}, which "
                                                     "is __constant__ memory: kernels can only read it.")));
  text.add(to_say("Write to a buffer instead."));
  return text;
}

/// Of an access that lies in memory, but may not be made as it is; empty: it is none of these.
Paragraph Bounds::about_form(const vm::Access& access, unsigned lane, const Element& element, const Place& at) {
  const std::string_view space = ptx::name_of(access.space);
  const auto given = with_thread(at, "element"_a = element.name(), "address"_a = access.address[lane], "space"_a = space);
  Paragraph text;
  switch (access.problem) {
    case vm::Access::Problem::misaligned:
      return about_alignment(access, lane, element, at);
    case vm::Access::Problem::freed:
      text.add(by_kind(
          access.kind,
          given.to_say(
              "Thread {thread} of block {block} reads address {address:#x}{at}, which malloc gave and free has taken back."),
          given.to_say(
              "Thread {thread} of block {block} writes address {address:#x}{at}, which malloc gave and free has taken back."),
          given.to_say(
              "Thread {thread} of block {block} updates address {address:#x}{at}, which malloc gave and free has taken back.")));
      text.add(to_say("Free memory after its last use: let the threads that share it meet at a barrier first."));
      return text;
    case vm::Access::Problem::read_only:
      return about_constant(access, element, at);
    case vm::Access::Problem::wrong_space:
      text.add(by_kind(access.kind,
                       given.to_say("Thread {thread} of block {block} reads global memory through {address:#x}, which is an "
                                    "address of {space} memory{at}."),
                       given.to_say("Thread {thread} of block {block} writes global memory through {address:#x}, which is an "
                                    "address of {space} memory{at}."),
                       given.to_say("Thread {thread} of block {block} updates global memory through {address:#x}, which is an "
                                    "address of {space} memory{at}.")));
      text.add(to_say("Convert it with cvta, or leave the choice of the instruction to the compiler."));
      return text;
    default:
      return {};
  }
}

Paragraph Bounds::about_shared(const vm::Access& access, unsigned lane, const Region* region, const Place& at) const {
  const std::uint64_t address = access.address[lane];
  const Element element = LaunchContext::element_of(region, access.space, address, access.site);
  const std::int64_t offset = shared_offset(address);
  const std::uint64_t missed = offset < 0 ? static_cast<std::uint64_t>(-offset) : address + access.bytes - context_.shared_bytes();
  const auto given = with_thread(at, "element"_a = element.name(), "bytes"_a = missed, "size"_a = context_.shared_bytes());
  Paragraph text;
  if (offset < 0) {
    text.add(region ? by_kind(access.kind,
                              given.to_say_many(missed,
                                                "Thread {thread} of block {block} reads {element}, {bytes} byte before the start "
                                                "of the block's shared memory{at}.",
                                                "Thread {thread} of block {block} reads {element}, {bytes} bytes before the start "
                                                "of the block's shared memory{at}."),
                              given.to_say_many(missed,
                                                "Thread {thread} of block {block} writes {element}, {bytes} byte before the start "
                                                "of the block's shared memory{at}.",
                                                "Thread {thread} of block {block} writes {element}, {bytes} bytes before the start "
                                                "of the block's shared memory{at}."),
                              given.to_say_many(missed,
                                                "Thread {thread} of block {block} updates {element}, {bytes} byte before the start "
                                                "of the block's shared memory{at}.",
                                                "Thread {thread} of block {block} updates {element}, {bytes} bytes before the "
                                                "start of the block's shared memory{at}."))
                    : by_kind(access.kind,
                              given.to_say_many(missed,
                                                "Thread {thread} of block {block} reads shared memory, {bytes} byte before the "
                                                "start of the block's shared memory{at}.",
                                                "Thread {thread} of block {block} reads shared memory, {bytes} bytes before the "
                                                "start of the block's shared memory{at}."),
                              given.to_say_many(missed,
                                                "Thread {thread} of block {block} writes shared memory, {bytes} byte before the "
                                                "start of the block's shared memory{at}.",
                                                "Thread {thread} of block {block} writes shared memory, {bytes} bytes before the "
                                                "start of the block's shared memory{at}."),
                              given.to_say_many(missed,
                                                "Thread {thread} of block {block} updates shared memory, {bytes} byte before the "
                                                "start of the block's shared memory{at}.",
                                                "Thread {thread} of block {block} updates shared memory, {bytes} bytes before the "
                                                "start of the block's shared memory{at}.")));
    text.add(to_say("Check the smallest index this line can have."));
    return text;
  }
  text.add(region ? by_kind(access.kind,
                            given.to_say_many(missed,
                                              "Thread {thread} of block {block} reads {element}; the access ends {bytes} byte past "
                                              "the end of the block's {size} bytes of shared memory{at}.",
                                              "Thread {thread} of block {block} reads {element}; the access ends {bytes} bytes "
                                              "past the end of the block's {size} bytes of shared memory{at}."),
                            given.to_say_many(missed,
                                              "Thread {thread} of block {block} writes {element}; the access ends {bytes} byte "
                                              "past the end of the block's {size} bytes of shared memory{at}.",
                                              "Thread {thread} of block {block} writes {element}; the access ends {bytes} bytes "
                                              "past the end of the block's {size} bytes of shared memory{at}."),
                            given.to_say_many(missed,
                                              "Thread {thread} of block {block} updates {element}; the access ends {bytes} byte "
                                              "past the end of the block's {size} bytes of shared memory{at}.",
                                              "Thread {thread} of block {block} updates {element}; the access ends {bytes} bytes "
                                              "past the end of the block's {size} bytes of shared memory{at}."))
                  : by_kind(access.kind,
                            given.to_say_many(missed,
                                              "Thread {thread} of block {block} reads shared memory; the access ends {bytes} byte "
                                              "past the end of the block's {size} bytes of shared memory{at}.",
                                              "Thread {thread} of block {block} reads shared memory; the access ends {bytes} bytes "
                                              "past the end of the block's {size} bytes of shared memory{at}."),
                            given.to_say_many(missed,
                                              "Thread {thread} of block {block} writes shared memory; the access ends {bytes} byte "
                                              "past the end of the block's {size} bytes of shared memory{at}.",
                                              "Thread {thread} of block {block} writes shared memory; the access ends {bytes} "
                                              "bytes past the end of the block's {size} bytes of shared memory{at}."),
                            given.to_say_many(missed,
                                              "Thread {thread} of block {block} updates shared memory; the access ends {bytes} "
                                              "byte past the end of the block's {size} bytes of shared memory{at}.",
                                              "Thread {thread} of block {block} updates shared memory; the access ends {bytes} "
                                              "bytes past the end of the block's {size} bytes of shared memory{at}.")));
  text.add(region ? check_index(*region, element, access) : to_say("Check how the line computes its index."));
  text.add(
      to_say("Where the index is right, guard the line so that only threads with an element come to it, or make the array larger; "
             "the launch says how large an array declared with `[]` is."));
  return text;
}

/// Of an address that is in none of the launch's buffers, nor near one of them.
Paragraph Bounds::about_stray(const vm::Access& access, unsigned lane, const Place& at) const {
  const std::uint64_t address = access.address[lane];
  const vm::Freed* const freed = address < null_page ? nullptr : context_.freed_at(address);
  const auto given = with_thread(at, "address"_a = address, "byte"_a = freed ? address - freed->base : 0,
                                 "buffer"_a = freed ? freed->name : std::string());
  Paragraph text;
  if (address < null_page) {
    text.add(
        address == 0
            ? by_kind(access.kind, given.to_say("Thread {thread} of block {block} reads address 0{at}: a null pointer."),
                      given.to_say("Thread {thread} of block {block} writes address 0{at}: a null pointer."),
                      given.to_say("Thread {thread} of block {block} updates address 0{at}: a null pointer."))
            : by_kind(
                  access.kind,
                  given.to_say("Thread {thread} of block {block} reads address {address:#x}{at}: a null pointer plus an index."),
                  given.to_say("Thread {thread} of block {block} writes address {address:#x}{at}: a null pointer plus an index."),
                  given.to_say(
                      "Thread {thread} of block {block} updates address {address:#x}{at}: a null pointer plus an index.")));
    text.add(to_say("Pass a buffer for every pointer parameter, and check pointers that the kernel computes."));
  } else if (freed) {
    text.add(by_kind(
        access.kind,
        given.to_say("Thread {thread} of block {block} reads byte {byte} of `{buffer}`{at}, which was freed before this launch."),
        given.to_say("Thread {thread} of block {block} writes byte {byte} of `{buffer}`{at}, which was freed before this launch."),
        given.to_say(
            "Thread {thread} of block {block} updates byte {byte} of `{buffer}`{at}, which was freed before this launch.")));
    text.add(to_say("Free memory after the last launch that uses it, or pass the pointer that is meant."));
  } else if (is_hosts(address)) {
    text.add(by_kind(access.kind,
                     given.to_say("Thread {thread} of block {block} reads address {address:#x}{at}, which lies in the host's "
                                  "memory: a pointer from malloc or new, or to a variable of the host's code."),
                     given.to_say("Thread {thread} of block {block} writes address {address:#x}{at}, which lies in the host's "
                                  "memory: a pointer from malloc or new, or to a variable of the host's code."),
                     given.to_say("Thread {thread} of block {block} updates address {address:#x}{at}, which lies in the host's "
                                  "memory: a pointer from malloc or new, or to a variable of the host's code.")));
    text.add(
        to_say("Kernels reach only the device's memory: allocate it with cudaMalloc, copy the data there with cudaMemcpy, and pass "
               "that pointer."));
  } else {
    text.add(by_kind(
        access.kind,
        given.to_say("Thread {thread} of block {block} reads address {address:#x}{at}, which lies in no buffer of this launch."),
        given.to_say("Thread {thread} of block {block} writes address {address:#x}{at}, which lies in no buffer of this launch."),
        given.to_say(
            "Thread {thread} of block {block} updates address {address:#x}{at}, which lies in no buffer of this launch.")));
    text.add(to_say("Check the pointer and the index it is computed from: an index that overflowed int is a common cause."));
  }
  return text;
}

namespace {

/// How far outside of a buffer an access lies; of one whose type is known.
template <class Given>
Message beside_typed(vm::Access::Kind kind, const Given& given, std::uint64_t missed, bool before) {
  if (before)
    return by_kind(
        kind,
        given.to_say_many(
            missed, "Thread {thread} of block {block} reads {element}, {bytes} byte before the start of `{buffer}`, {type}{at}.",
            "Thread {thread} of block {block} reads {element}, {bytes} bytes before the start of `{buffer}`, {type}{at}."),
        given.to_say_many(
            missed, "Thread {thread} of block {block} writes {element}, {bytes} byte before the start of `{buffer}`, {type}{at}.",
            "Thread {thread} of block {block} writes {element}, {bytes} bytes before the start of `{buffer}`, {type}{at}."),
        given.to_say_many(
            missed, "Thread {thread} of block {block} updates {element}, {bytes} byte before the start of `{buffer}`, {type}{at}.",
            "Thread {thread} of block {block} updates {element}, {bytes} bytes before the start of `{buffer}`, {type}{at}."));
  return by_kind(
      kind,
      given.to_say_many(
          missed,
          "Thread {thread} of block {block} reads {element}; the access ends {bytes} byte past the end of `{buffer}`, {type}{at}.",
          "Thread {thread} of block {block} reads {element}; the access ends {bytes} bytes past the end of `{buffer}`, "
          "{type}{at}."),
      given.to_say_many(
          missed,
          "Thread {thread} of block {block} writes {element}; the access ends {bytes} byte past the end of `{buffer}`, {type}{at}.",
          "Thread {thread} of block {block} writes {element}; the access ends {bytes} bytes past the end of `{buffer}`, "
          "{type}{at}."),
      given.to_say_many(missed,
                        "Thread {thread} of block {block} updates {element}; the access ends {bytes} byte past the end of "
                        "`{buffer}`, {type}{at}.",
                        "Thread {thread} of block {block} updates {element}; the access ends {bytes} bytes past the end of "
                        "`{buffer}`, {type}{at}."));
}

/// Of one that the host has allocated without a type.
template <class Given>
Message beside_untyped(vm::Access::Kind kind, const Given& given, std::uint64_t missed, bool before) {
  if (before)
    return by_kind(kind,
                   given.to_say_many(missed,
                                     "Thread {thread} of block {block} reads {element}, {bytes} byte before the start of "
                                     "`{buffer}`, {elements} elements of {size} bytes{at}.",
                                     "Thread {thread} of block {block} reads {element}, {bytes} bytes before the start of "
                                     "`{buffer}`, {elements} elements of {size} bytes{at}."),
                   given.to_say_many(missed,
                                     "Thread {thread} of block {block} writes {element}, {bytes} byte before the start of "
                                     "`{buffer}`, {elements} elements of {size} bytes{at}.",
                                     "Thread {thread} of block {block} writes {element}, {bytes} bytes before the start of "
                                     "`{buffer}`, {elements} elements of {size} bytes{at}."),
                   given.to_say_many(missed,
                                     "Thread {thread} of block {block} updates {element}, {bytes} byte before the start of "
                                     "`{buffer}`, {elements} elements of {size} bytes{at}.",
                                     "Thread {thread} of block {block} updates {element}, {bytes} bytes before the start of "
                                     "`{buffer}`, {elements} elements of {size} bytes{at}."));
  return by_kind(kind,
                 given.to_say_many(missed,
                                   "Thread {thread} of block {block} reads {element}; the access ends {bytes} byte past the end of "
                                   "`{buffer}`, {elements} elements of {size} bytes{at}.",
                                   "Thread {thread} of block {block} reads {element}; the access ends {bytes} bytes past the end "
                                   "of `{buffer}`, {elements} elements of {size} bytes{at}."),
                 given.to_say_many(missed,
                                   "Thread {thread} of block {block} writes {element}; the access ends {bytes} byte past the end "
                                   "of `{buffer}`, {elements} elements of {size} bytes{at}.",
                                   "Thread {thread} of block {block} writes {element}; the access ends {bytes} bytes past the end "
                                   "of `{buffer}`, {elements} elements of {size} bytes{at}."),
                 given.to_say_many(missed,
                                   "Thread {thread} of block {block} updates {element}; the access ends {bytes} byte past the end "
                                   "of `{buffer}`, {elements} elements of {size} bytes{at}.",
                                   "Thread {thread} of block {block} updates {element}; the access ends {bytes} bytes past the end "
                                   "of `{buffer}`, {elements} elements of {size} bytes{at}."));
}

/// Of one for a single element.
template <class Given>
Message beside_single(vm::Access::Kind kind, const Given& given, std::uint64_t missed, bool before) {
  if (before)
    return by_kind(
        kind,
        given.to_say_many(missed,
                          "Thread {thread} of block {block} reads {element}, {bytes} byte before the start of `{buffer}`{at}.",
                          "Thread {thread} of block {block} reads {element}, {bytes} bytes before the start of `{buffer}`{at}."),
        given.to_say_many(missed,
                          "Thread {thread} of block {block} writes {element}, {bytes} byte before the start of `{buffer}`{at}.",
                          "Thread {thread} of block {block} writes {element}, {bytes} bytes before the start of `{buffer}`{at}."),
        given.to_say_many(missed,
                          "Thread {thread} of block {block} updates {element}, {bytes} byte before the start of `{buffer}`{at}.",
                          "Thread {thread} of block {block} updates {element}, {bytes} bytes before the start of `{buffer}`{at}."));
  return by_kind(
      kind,
      given.to_say_many(
          missed, "Thread {thread} of block {block} reads {element}; the access ends {bytes} byte past the end of `{buffer}`{at}.",
          "Thread {thread} of block {block} reads {element}; the access ends {bytes} bytes past the end of `{buffer}`{at}."),
      given.to_say_many(
          missed, "Thread {thread} of block {block} writes {element}; the access ends {bytes} byte past the end of `{buffer}`{at}.",
          "Thread {thread} of block {block} writes {element}; the access ends {bytes} bytes past the end of `{buffer}`{at}."),
      given.to_say_many(
          missed,
          "Thread {thread} of block {block} updates {element}; the access ends {bytes} byte past the end of `{buffer}`{at}.",
          "Thread {thread} of block {block} updates {element}; the access ends {bytes} bytes past the end of `{buffer}`{at}."));
}

}  // namespace

/// Of an address outside of `region`, the buffer that is meant.
Paragraph Bounds::beside(const vm::Access& access, std::uint64_t address, const Region& region, const Element& element,
                         const Place& at) {
  const bool before = address < region.base;
  const std::uint64_t missed = before ? region.base - address : address + access.bytes - (region.base + region.bytes);
  if (is_typed(region, element)) {
    const auto given =
        with_thread(at, "element"_a = element.name(), "bytes"_a = missed, "buffer"_a = region.name, "type"_a = region.type);
    return beside_typed(access.kind, given, missed, before);
  }
  const std::uint64_t elements = region.bytes / element.bytes;
  const auto given = with_thread(at, "element"_a = element.name(), "bytes"_a = missed, "buffer"_a = region.name,
                                 "elements"_a = elements, "size"_a = element.bytes);
  if (elements != 1) return beside_untyped(access.kind, given, missed, before);
  Paragraph text = beside_single(access.kind, given, missed, before);
  text.add(given.to_say("`{buffer}` has one element of {size} bytes."));
  return text;
}

/// `region`: the buffer that is meant; null: there is none.
Paragraph Bounds::about_global(const vm::Access& access, unsigned lane, const Region* region, const Place& at) const {
  const std::uint64_t address = access.address[lane];
  if (!region || address < null_page) return about_stray(access, lane, at);
  const Element element = LaunchContext::element_of(region, access.space, address, access.site);
  Paragraph text = beside(access, address, *region, element, at);
  if (address < region->base) {
    text.add(to_say("Check how the line computes its index: the first element has index 0."));
    text.add(to_say(
        "Where some threads have no such element, guard the line: `if (i >= 1)` keeps thread 0 from reading element `i - 1`."));
    return text;
  }
  text.add(check_index(*region, element, access));
  text.add(
      to_say("Where the index is right and there are more threads than elements, guard the line: `if (i < n)`, where i is that "
             "index and n the number of elements."));
  return text;
}

/// `region`: what it was meant for; null: that is not known.
Finding Bounds::describe(const vm::Access& access, unsigned lane, const Region* region) const {
  const Place at = context_.place(access.site, access.warp, lane);
  Finding finding{.space = {}, .message = {}, .at = at, .buffer = {}, .index = {}, .other = {}};
  const Element element = LaunchContext::element_of(region, access.space, access.address[lane], access.site);
  if (region) finding.index = element.index;
  finding.message = about_form(access, lane, element, at);
  if (!finding.message.empty()) return finding;
  if (access.space == ptx::Space::shared)
    finding.message = about_shared(access, lane, region, at);
  else if (access.space == ptx::Space::local)
    describe_local(access, lane, finding);
  else
    finding.message = about_global(access, lane, region, at);
  return finding;
}

}  // namespace warpbook::gpu::watch
