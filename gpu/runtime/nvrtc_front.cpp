// NVRTC in front of the toolkit's: a program that asks it for machine code (an architecture sm_86, nvrtcGetCUBIN) gets PTX, which
// cuModuleLoadData of the virtual GPU reads. All else is handed on. A library of its own, libnvrtc.so.12 and .13, that knows
// nothing of the others. Source: NVRTC's documentation (docs.nvidia.com/cuda/nvrtc).
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Program = void*;
constexpr const char* file_name = "libnvrtc.so." WARPBOOK_NVRTC;
constexpr int not_run_status = 78;  // gpu/program/journal.h

std::vector<std::filesystem::path> folders() {
  std::vector<std::filesystem::path> found;
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char* toolkit = std::getenv(variable)) found.push_back(std::filesystem::path(toolkit) / "lib64");
  found.emplace_back("/usr/local/cuda/lib64");
  std::string_view path = std::getenv("LD_LIBRARY_PATH") ? std::getenv("LD_LIBRARY_PATH") : "";
  while (!path.empty()) {
    const std::size_t end = std::min(path.find(':'), path.size());
    found.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return found;
}

void* toolkits() {
  static void* const library = [] {
    Dl_info own{};
    dladdr(reinterpret_cast<const void*>(&toolkits), &own);
    for (const std::filesystem::path& folder : folders()) {
      std::error_code error;
      const std::filesystem::path file = folder / file_name;
      if (!std::filesystem::exists(file, error) || std::filesystem::equivalent(file, own.dli_fname, error)) continue;
      if (void* const opened = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return opened;
    }
    std::fprintf(stderr,
                 "warpbook: not run: This program compiles with NVRTC, and %s was not found. Set CUDA_PATH to the toolkit.\n",
                 file_name);
    _exit(not_run_status);
  }();
  return library;
}

template <class... Arguments>
int hand_on(const char* name, Arguments... arguments) {
  auto* const function = reinterpret_cast<int (*)(Arguments...)>(dlsym(toolkits(), name));
  if (function) return function(arguments...);
  std::fprintf(stderr, "warpbook: not run: the toolkit's %s has no %s.\n", file_name, name);
  _exit(not_run_status);
}

std::mutex mutex;
std::set<Program> for_machines;  // programs that were compiled for an architecture sm_…

bool wants_machine_code(Program program) {
  const std::lock_guard lock(mutex);
  return for_machines.contains(program);
}

}  // namespace

extern "C" {

int nvrtcCompileProgram(Program program, int count, const char* const* given) {
  std::vector<std::string> options(given, given + count);
  bool machine = false;
  for (std::string& option : options) {
    const std::size_t at = option.find("sm_");
    const bool names_it = at == 0 || option.starts_with("-arch=") || option.starts_with("--gpu-architecture=");
    if (!names_it || at == std::string::npos) continue;
    option.replace(at, 3, "compute_");
    machine = true;
  }
  options.emplace_back("-lineinfo");
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());
  {
    const std::lock_guard lock(mutex);
    machine ? (void)for_machines.insert(program) : (void)for_machines.erase(program);
  }
  return hand_on("nvrtcCompileProgram", program, static_cast<int>(words.size()), static_cast<const char* const*>(words.data()));
}
int nvrtcGetCUBINSize(Program program, std::size_t* bytes) {
  return hand_on(wants_machine_code(program) ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize", program, bytes);
}
int nvrtcGetCUBIN(Program program, char* code) {
  return hand_on(wants_machine_code(program) ? "nvrtcGetPTX" : "nvrtcGetCUBIN", program, code);
}
int nvrtcDestroyProgram(Program* program) {
  if (program) {
    const std::lock_guard lock(mutex);
    for_machines.erase(*program);
  }
  return hand_on("nvrtcDestroyProgram", program);
}

int nvrtcVersion(int* major, int* minor) { return hand_on("nvrtcVersion", major, minor); }
int nvrtcGetNumSupportedArchs(int* count) { return hand_on("nvrtcGetNumSupportedArchs", count); }
int nvrtcGetSupportedArchs(int* all) { return hand_on("nvrtcGetSupportedArchs", all); }
int nvrtcCreateProgram(Program* program, const char* text, const char* name, int count, const char* const* headers,
                       const char* const* names) {
  return hand_on("nvrtcCreateProgram", program, text, name, count, headers, names);
}
int nvrtcAddNameExpression(Program program, const char* expression) {
  return hand_on("nvrtcAddNameExpression", program, expression);
}
int nvrtcGetLoweredName(Program program, const char* expression, const char** name) {
  return hand_on("nvrtcGetLoweredName", program, expression, name);
}
int nvrtcGetPTXSize(Program program, std::size_t* bytes) { return hand_on("nvrtcGetPTXSize", program, bytes); }
int nvrtcGetPTX(Program program, char* text) { return hand_on("nvrtcGetPTX", program, text); }
int nvrtcGetLTOIRSize(Program program, std::size_t* bytes) { return hand_on("nvrtcGetLTOIRSize", program, bytes); }
int nvrtcGetLTOIR(Program program, char* text) { return hand_on("nvrtcGetLTOIR", program, text); }
int nvrtcGetOptiXIRSize(Program program, std::size_t* bytes) { return hand_on("nvrtcGetOptiXIRSize", program, bytes); }
int nvrtcGetOptiXIR(Program program, char* text) { return hand_on("nvrtcGetOptiXIR", program, text); }
int nvrtcGetProgramLogSize(Program program, std::size_t* bytes) { return hand_on("nvrtcGetProgramLogSize", program, bytes); }
int nvrtcGetProgramLog(Program program, char* text) { return hand_on("nvrtcGetProgramLog", program, text); }
int nvrtcGetPCHHeapSize(std::size_t* bytes) { return hand_on("nvrtcGetPCHHeapSize", bytes); }
int nvrtcSetPCHHeapSize(std::size_t bytes) { return hand_on("nvrtcSetPCHHeapSize", bytes); }
int nvrtcGetPCHCreateStatus(Program program) { return hand_on("nvrtcGetPCHCreateStatus", program); }
int nvrtcGetPCHHeapSizeRequired(Program program, std::size_t* bytes) {
  return hand_on("nvrtcGetPCHHeapSizeRequired", program, bytes);
}
int nvrtcSetFlowCallback(Program program, int (*callback)(void*, void*), void* data) {
  return hand_on("nvrtcSetFlowCallback", program, callback, data);
}

const char* nvrtcGetErrorString(int result) {
  auto* const function = reinterpret_cast<const char* (*)(int)>(dlsym(toolkits(), "nvrtcGetErrorString"));
  return function ? function(result) : "NVRTC's text for this error was not found";
}

}  // extern "C"
