#include "gpu/runtime/calls.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstring>
#include <string_view>

#include "gpu/runtime/recorder.h"

namespace warpbook::cudart {
namespace {

constexpr std::uint64_t most_failures_told = 1000;

thread_local const char* outermost = nullptr;
thread_local cudaError_t last_error = cudaSuccess;
std::uint64_t failures_told = 0;
bool unlooked = false;  // an error was reported that the program has not checked
bool lost_told = false;
thread_local bool runtime_called = false;

struct ErrorRow {
  cudaError_t error;
  const char *name, *text;
};
constexpr ErrorRow error_rows[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
#define CUDART_ERROR(name, number, text) {number, "cudaError" #name, text},
#include "gpu/runtime/errors.def"
#undef CUDART_ERROR
};

thread_local std::string why_it_fails;

void tell_failure(cudaError_t error) {
  gpu::ProgramJournal* const journal = runtime().journal();
  if (!journal || failures_told >= most_failures_told) return;
  if (error == runtime().lost()) {  // every later call returns the same error
    if (lost_told) return;
    lost_told = true;
  }
  ++failures_told;
  unlooked = true;
  const char* const kind = error == cudaErrorInitializationError ? "forked" : "failed";  // an error of a child process after fork()
  nlohmann::ordered_json line{{"kind", kind}, {"call", current_call()}, {"error", name_of_error(error)}, {"at", call_place()}};
  if (!why_it_fails.empty()) line["why"] = why_it_fails;
  journal->add(line);
}

/// The file that contains an address, and the address relative to it.
struct CodePlace {
  std::string file;
  std::uint64_t address = 0;
};
CodePlace code_place(const void* address, const Dl_info& info) {
  const auto* header = static_cast<const ElfW(Ehdr)*>(info.dli_fbase);
  const auto at = reinterpret_cast<std::uint64_t>(address);
  CodePlace place{info.dli_fname, header->e_type == ET_EXEC ? at : at - reinterpret_cast<std::uint64_t>(info.dli_fbase)};
  // The program's own name is its argv[0], which may be relative to a working directory that it has left.
  if (!place.file.starts_with('/')) {
    std::array<char, PATH_MAX> self{};
    if (readlink("/proc/self/exe", self.data(), self.size() - 1) > 0) place.file = self.data();
  }
  return place;
}

}  // namespace

Call::Call(const char* name) : lock_(runtime().mutex), before_(outermost) {
  if (outermost) return;
  outermost = name;
  why_it_fails.clear();
  if (std::string_view(name).starts_with("cuda")) runtime_called = true;
  if (gpu::ProgramJournal* const journal = runtime().journal()) journal->count_call();
  if (Recorder* const recorder = runtime().recorder()) recorder->call_begins(name, runtime().device_us());
}

Call::~Call() {
  outermost = before_;
  if (before_ || !lock_.owns_lock()) return;
  if (Recorder* const recorder = runtime().recorder()) recorder->call_ends(runtime().device_us());
  runtime().close_device_memory();
}

void Call::unlock() {
  if (Recorder* const recorder = runtime().recorder()) recorder->call_ends(runtime().device_us());
  runtime().close_device_memory();
  lock_.unlock();
}

cudaError_t Call::done(cudaError_t error) const {
  if (error == cudaSuccess) return error;
  last_error = error;
  if (before_) return error;
  tell_failure(error);
  if (Recorder* const recorder = runtime().recorder()) recorder->call_failed(name_of_error(error));
  return error;
}

cudaError_t because(cudaError_t error, std::string why) {
  why_it_fails = std::move(why);
  return error;
}

cudaError_t Call::waited() const { return done(runtime().lost()); }

const char* current_call() { return outermost ? outermost : "the program"; }

nlohmann::ordered_json call_place() {
  constexpr std::size_t most_told = 6;
  std::array<void*, 16> frames{};
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  Dl_info own{};
  dladdr(reinterpret_cast<const void*>(&runtime), &own);
  auto place = nlohmann::ordered_json::array();
  for (int f = 0; f < count && place.size() < most_told; ++f) {
    Dl_info info{};
    // A return address may already belong to the next source line.
    const void* const address = static_cast<const std::byte*>(frames[static_cast<std::size_t>(f)]) - 1;
    if (!dladdr(address, &info) || !info.dli_fname || info.dli_fbase == own.dli_fbase) continue;
    const CodePlace at = code_place(address, info);
    place.push_back({at.file, at.address});
  }
  return place;
}

bool has_called_runtime() { return runtime_called; }

void looked_at_errors() {
  if (!unlooked) return;
  unlooked = false;
  if (gpu::ProgramJournal* const journal = runtime().journal()) journal->add({{"kind", "looked"}});
}

cudaError_t error_of(const std::string& name) {
  for (const ErrorRow& row : error_rows)
    if (name == row.name) return row.error;
  return cudaErrorUnknown;
}

const char* name_of_error(cudaError_t error) {
  for (const ErrorRow& row : error_rows)
    if (row.error == error) return row.name;
  return "unrecognized error code";
}

}  // namespace warpbook::cudart

using namespace warpbook;
using cudart::Call;

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  const Call call(__func__);
  if (error != cudaSuccess) cudart::looked_at_errors();
  return cudart::name_of_error(error);
}

const char* cudaGetErrorString(cudaError_t error) {
  const Call call(__func__);
  if (error != cudaSuccess) cudart::looked_at_errors();
  for (const auto& row : cudart::error_rows)
    if (row.error == error) return row.text;
  return "unrecognized error code";
}

cudaError_t cudaPeekAtLastError() {
  const Call call(__func__);
  cudart::looked_at_errors();
  return cudart::last_error;
}

// The error of a fault is permanent once the program has seen it.
cudaError_t cudaGetLastError() {
  const Call call(__func__);
  cudart::looked_at_errors();
  const cudaError_t error = cudart::last_error;
  if (cudart::runtime().lost() == cudaSuccess || error != cudart::runtime().lost()) cudart::last_error = cudaSuccess;
  return error;
}

}  // extern "C"
