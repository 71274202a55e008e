// Recorder: writes what the program does with CUDA into a record (gpu/program/run_record.h), for `warpbook exec --record FILE`.
//
//     if (Recorder* const recorder = runtime().recorder()) recorder->copied(bytes, "to_device");
//
// A call is written when it ends; what happened in it is noted meanwhile. A launch is written before it runs, with the contents of
// the memory that it can reach, so that it is there whatever the kernel does to the program. The caller holds the runtime's mutex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "gpu/program/run_record.h"
#include "gpu/runtime/api.h"
#include "gpu/virtual/virtual_device.h"

namespace warpbook::cudart {

struct Allocation;

class Recorder {
 public:
  /// nullptr: exec does not record, or the file cannot be made.
  [[nodiscard]] static std::unique_ptr<Recorder> create();

  void call_begins(const char* name, double device_us);
  void call_ends(double device_us);  // does nothing if it has ended already
  void call_failed(const char* error);
  // Of the call that is under way:
  void in_stream(cudaStream_t stream);
  void copied(std::size_t bytes, const char* direction);

  /// The kernel's arguments are Structs, as Runtime::request makes them.
  void launch_begins(const gpu::LaunchRequest& request, const gpu::Kernel& kernel, gpu::VirtualDevice& device,
                     const std::map<std::uint64_t, Allocation>& allocations);
  void launch_ends(const gpu::LaunchReport& report);

 private:
  struct Hash {
    std::uint64_t low = 0, high = 0;
    bool operator==(const Hash&) const = default;
  };
  struct HashOfHash {
    std::size_t operator()(const Hash& hash) const { return hash.low; }
  };
  struct Now {
    const char* name = "";
    double begin = 0, device_begin = 0;
    cudaStream_t stream = nullptr;
    std::uint64_t bytes = 0;
    std::string direction, error;
    std::optional<std::size_t> launch;
  };

  explicit Recorder(std::unique_ptr<gpu::RecordWriter> writer);
  [[nodiscard]] static Hash hash_of(const std::byte* bytes, std::size_t count);
  [[nodiscard]] std::uint32_t block(const std::byte* bytes, std::size_t count);
  [[nodiscard]] std::size_t module(const gpu::ProgramPtr& program);
  [[nodiscard]] nlohmann::ordered_json blocks(const std::byte* bytes, std::size_t count);
  [[nodiscard]] std::uint32_t number_of(cudaStream_t stream);  // 0: the default stream
  void remark_once(const std::string& sentence);

  std::unique_ptr<gpu::RecordWriter> writer_;
  std::optional<Now> now_;
  std::size_t calls_ = 0, launches_ = 0, kept_bytes_ = 0;
  std::unordered_map<Hash, std::uint32_t, HashOfHash> blocks_;
  std::map<std::uint64_t, std::size_t> modules_;  // by Program::id
  std::map<cudaStream_t, std::uint32_t> streams_;
  std::map<std::thread::id, std::uint32_t> threads_;
  std::vector<std::string> remarks_;
};

}  // namespace warpbook::cudart
