#include "gpu/runtime/recorder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "gpu/program/finding_json.h"
#include "gpu/program/journal.h"
#include "gpu/runtime/arrays.h"
#include "gpu/runtime/runtime.h"

namespace warpbook::cudart {
namespace {

using Json = nlohmann::ordered_json;

double host_us() { return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string hexadecimal(const std::vector<std::byte>& bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

std::string mebibytes(std::size_t bytes) { return fmt::format("{} MiB", bytes >> 20); }

bool all_zero(const std::byte* bytes, std::size_t count) {
  return count == 0 || (bytes[0] == std::byte{0} && std::memcmp(bytes, bytes + 1, count - 1) == 0);
}

}  // namespace

Recorder::Recorder(std::unique_ptr<gpu::RecordWriter> writer) : writer_(std::move(writer)) {
  writer_->add({{"kind", "process"}, {"process", getpid()}});
}

std::unique_ptr<Recorder> Recorder::create() {
  const char *const wanted = std::getenv(gpu::record_variable), *const folder = std::getenv(gpu::journal_variable);
  if (!wanted || std::string_view(wanted) != "1" || !folder || !*folder) return nullptr;
  auto writer = gpu::RecordWriter::create(std::filesystem::path(folder) / fmt::format("{}.record", getpid()));
  return writer ? std::unique_ptr<Recorder>(new Recorder(std::move(writer))) : nullptr;
}

void Recorder::remark_once(const std::string& sentence) {
  if (std::find(remarks_.begin(), remarks_.end(), sentence) != remarks_.end()) return;
  remarks_.push_back(sentence);
  writer_->add({{"kind", "remark"}, {"sentence", sentence}});
}

void Recorder::call_begins(const char* name, double device_us) {
  now_.emplace();
  now_->name = name;
  now_->begin = host_us();
  now_->device_begin = device_us;
}

void Recorder::call_failed(const char* error) {
  if (now_) now_->error = error;
}
void Recorder::in_stream(cudaStream_t stream) {
  if (now_) now_->stream = stream;
}
void Recorder::copied(std::size_t bytes, const char* direction) {
  if (!now_) return;
  now_->bytes += bytes;
  now_->direction = direction;
}

std::uint32_t Recorder::number_of(cudaStream_t stream) {
  if (reinterpret_cast<std::uintptr_t>(stream) <= 2) return 0;  // CUDA's own names of the default stream
  return streams_.try_emplace(stream, static_cast<std::uint32_t>(streams_.size() + 1)).first->second;
}

void Recorder::call_ends(double device_us) {
  if (!now_) return;
  const Now call = *std::exchange(now_, std::nullopt);
  // nvcc's code looks the kernel up first, under the same name.
  const bool looks_up = std::string_view(call.name) == "a kernel's launch" && !call.launch && !call.stream && call.error.empty();
  if (looks_up) return;
  if (++calls_ > gpu::most_recorded_calls) {
    remark_once(fmt::format("The first {} calls are kept; the program made more.", gpu::most_recorded_calls));
    return;
  }
  Json json{{"kind", "call"}, {"name", call.name}, {"begin", call.begin}, {"end", host_us()}};
  if (const std::uint32_t thread =
          threads_.try_emplace(std::this_thread::get_id(), static_cast<std::uint32_t>(threads_.size())).first->second)
    json["thread"] = thread;
  if (const std::uint32_t stream = number_of(call.stream)) json["stream"] = stream;
  if (device_us > call.device_begin) json["device_begin"] = call.device_begin, json["device_end"] = device_us;
  if (call.bytes) json["bytes"] = call.bytes;
  if (!call.direction.empty()) json["direction"] = call.direction;
  if (call.launch) json["launch"] = *call.launch;
  if (!call.error.empty()) json["error"] = call.error;
  writer_->add(json);
}

Recorder::Hash Recorder::hash_of(const std::byte* bytes, std::size_t count) {
  // Two multiplicative hashes with different constants: 128 bits, so that two blocks of a run never count as one.
  Hash hash{0x9e3779b97f4a7c15 ^ count, 0xc2b2ae3d27d4eb4f};
  std::uint64_t word = 0;
  const auto mix = [&] {
    hash.low = (hash.low ^ word) * 0xff51afd7ed558ccd;
    hash.low ^= hash.low >> 33;
    hash.high = (hash.high + word) * 0xc4ceb9fe1a85ec53;
    hash.high ^= hash.high >> 29;
  };
  for (; count >= sizeof word; bytes += sizeof word, count -= sizeof word) {
    std::memcpy(&word, bytes, sizeof word);
    mix();
  }
  word = 0;
  std::memcpy(&word, bytes, count);
  mix();
  return hash;
}

std::uint32_t Recorder::block(const std::byte* bytes, std::size_t count) {
  if (all_zero(bytes, count)) return 0;
  const auto [found, fresh] = blocks_.try_emplace(hash_of(bytes, count), static_cast<std::uint32_t>(blocks_.size() + 1));
  if (fresh) {
    kept_bytes_ += count;
    writer_->add({{"kind", "block"}}, {bytes, count});
  }
  return found->second;
}

Json Recorder::blocks(const std::byte* bytes, std::size_t count) {
  Json numbers = Json::array();
  for (std::size_t at = 0; at < count; at += gpu::memory_block)
    numbers.push_back(block(bytes + at, std::min(gpu::memory_block, count - at)));
  return numbers;
}

std::size_t Recorder::module(const gpu::ProgramPtr& program) {
  const auto [found, fresh] = modules_.try_emplace(program->id, modules_.size());
  if (fresh) writer_->add({{"kind", "module"}}, std::as_bytes(std::span(program->ptx)));
  return found->second;
}

void Recorder::launch_begins(const gpu::LaunchRequest& request, const gpu::Kernel& kernel, gpu::VirtualDevice& device,
                             const std::map<std::uint64_t, Allocation>& allocations) {
  if (launches_ >= gpu::most_recorded_launches) {
    ++launches_;
    remark_once(fmt::format("The first {} launches are kept; the program made more.", gpu::most_recorded_launches));
    return;
  }
  Json json{{"kind", "launch"},
            {"kernel", kernel.name},
            {"entry", kernel.entry},
            {"module", module(request.program)},
            {"grid", gpu::dim3_json(request.grid)},
            {"block", gpu::dim3_json(request.block)},
            {"shared", request.dynamic_shared_bytes}};
  if (const std::uint32_t stream = now_ ? number_of(now_->stream) : 0) json["stream"] = stream;
  if (request.cooperative) json["cooperative"] = true;
  json["arguments"] = Json::array();
  for (const gpu::Argument& argument : request.arguments)
    if (const auto* const given = std::get_if<gpu::Struct>(&argument)) json["arguments"].push_back(hexadecimal(given->bytes));
  std::vector<gpu::Buffer> buffers = object_descriptions();
  for (const auto& [address, allocation] : allocations) buffers.push_back(allocation.buffer);
  std::size_t reached = 0;
  for (const gpu::Buffer& buffer : buffers) reached += buffer.array.bytes();
  const auto variables = device.variables(request.program);
  if (variables)
    for (const auto& variable : *variables) reached += variable.bytes;
  if (reached > gpu::most_launch_memory) {
    json["left_out"] =
        fmt::format("This launch can reach {} of memory, and a record keeps {} of a launch at most. It cannot be run again.",
                    mebibytes(reached), mebibytes(gpu::most_launch_memory));
  } else if (kept_bytes_ + reached > gpu::most_record_memory && kept_bytes_ > gpu::most_record_memory / 2) {
    json["left_out"] =
        fmt::format("The launches before this one have filled the record, which keeps {} of memory. It cannot be run again.",
                    mebibytes(gpu::most_record_memory));
  } else {
    json["memory"] = Json::array();
    for (const gpu::Buffer& buffer : buffers)
      json["memory"].push_back({{"name", buffer.array.name},
                                {"address", device.address(buffer)},
                                {"bytes", buffer.array.bytes()},
                                {"written", device.written(buffer)},
                                {"blocks", blocks(device.mapped(buffer).data(), buffer.array.bytes())}});
    for (std::size_t v = 0; variables && v < variables->size(); ++v) {
      const gpu::VirtualDevice::Placed& variable = (*variables)[v];
      json["memory"].push_back({{"name", variable.name},
                                {"address", variable.address},
                                {"bytes", variable.bytes},
                                {"variable", true},
                                {"constant", variable.constant},
                                {"blocks", blocks(device.memory().find(variable.address).host, variable.bytes)}});
    }
    if (device.memory().heap_pieces() > 0)
      json["remark"] =
          "Kernels before this one have called malloc(). What they were given is not kept, and a launch that uses it ends "
          "otherwise here.";
  }
  json["begin"] = host_us();
  writer_->add(json);
  if (now_) now_->launch = launches_;
  ++launches_;
}

void Recorder::launch_ends(const gpu::LaunchReport& report) {
  if (launches_ > gpu::most_recorded_launches) return;
  Json json{{"kind", "launch_end"}, {"status", report.status}, {"message", in_english(report.message)},
            {"end", host_us()},     {"run_ms", report.run_ms}, {"thread_instructions", report.thread_instructions}};
  if (report.model_us) json["model_us"] = *report.model_us;
  for (const gpu::Finding& finding : report.findings) json["findings"].push_back(gpu::finding_json(finding, report.kernel));
  writer_->add(json);
}

}  // namespace warpbook::cudart
