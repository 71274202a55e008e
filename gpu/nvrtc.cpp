#include "gpu/nvrtc.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "gpu/builtin_headers.h"
#include "gpu/toolkit.h"

namespace warpbook::gpu {
namespace {

namespace fs = std::filesystem;

// The values of nvrtcResult (nvrtc.h) that are used.
constexpr int nvrtc_success = 0, nvrtc_out_of_memory = 1, nvrtc_compilation_error = 6;

constexpr const char* library_names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};

/// NVRTC opens its companion library by a bare name, which the loader finds only in its search path, or if the library is already
/// loaded. So load it here by its full path.
void open_builtins(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().starts_with("libnvrtc-builtins.so.")) dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL);
}

void* open_library() {
  // The library is never closed, so that RTLD_NODELETE is not needed.
  for (const char* name : library_names)
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
  for (const fs::path& folder : toolkit_library_folders())
    for (const char* name : library_names)
      if (void* handle = dlopen((folder / name).c_str(), RTLD_NOW | RTLD_LOCAL)) {
        open_builtins(folder);
        return handle;
      }
  return nullptr;
}

template <class Function>
bool resolve(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

std::string nvrtc_advice() {
  return "NVRTC is part of NVIDIA's CUDA Toolkit 12 or 13 and needs no GPU. The smallest way to have it is pip: in a Python "
         "environment (python3 -m venv), `pip install nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-cccl`, and "
         "start Warpbook with that environment active. A toolkit that does not lie in /usr/local/cuda is found by CUDA_PATH.";
}

Result<Nvrtc> Nvrtc::open() {
  void* library = open_library();
  if (library == nullptr) return failure("no_nvrtc", "libnvrtc was not found. " + nvrtc_advice());

  Nvrtc nvrtc;
  Table& t = nvrtc.table_;
  const bool complete =
      resolve(library, "nvrtcVersion", t.version) && resolve(library, "nvrtcGetNumSupportedArchs", t.supported_archs_count) &&
      resolve(library, "nvrtcGetSupportedArchs", t.supported_archs) && resolve(library, "nvrtcCreateProgram", t.create) &&
      resolve(library, "nvrtcDestroyProgram", t.destroy) && resolve(library, "nvrtcAddNameExpression", t.add_name) &&
      resolve(library, "nvrtcCompileProgram", t.compile) && resolve(library, "nvrtcGetLoweredName", t.lowered_name) &&
      resolve(library, "nvrtcGetProgramLogSize", t.log_size) && resolve(library, "nvrtcGetProgramLog", t.log) &&
      resolve(library, "nvrtcGetPTXSize", t.ptx_size) && resolve(library, "nvrtcGetPTX", t.ptx) &&
      resolve(library, "nvrtcGetCUBINSize", t.cubin_size) && resolve(library, "nvrtcGetCUBIN", t.cubin);
  int major = 0, minor = 0;
  if (!complete || t.version(&major, &minor) != nvrtc_success || major < 12)
    return failure("no_nvrtc", fmt::format("The NVRTC found here ({}.{}) is too old. {}", major, minor, nvrtc_advice()));
  nvrtc.version_ = fmt::format("{}.{}", major, minor);

  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(t.version), &info) != 0 && info.dli_fname != nullptr) {
    std::error_code unresolved;
    const fs::path real = fs::canonical(info.dli_fname, unresolved);
    nvrtc.path_ = unresolved ? std::string(info.dli_fname) : real.string();
    nvrtc.include_paths_ = toolkit_include_folders(info.dli_fname);
  }

  int count = 0;
  if (t.supported_archs_count(&count) != nvrtc_success || count <= 0)
    return failure("no_nvrtc", "NVRTC names no architecture that it can compile for. " + nvrtc_advice());
  nvrtc.architectures_.resize(static_cast<std::size_t>(count));
  if (t.supported_archs(nvrtc.architectures_.data()) != nvrtc_success)
    return failure("no_nvrtc", "NVRTC names no architecture that it can compile for. " + nvrtc_advice());
  std::sort(nvrtc.architectures_.begin(), nvrtc.architectures_.end());
  return nvrtc;
}

Nvrtc::Output Nvrtc::compile(const Input& input) const {
  Output output;
  std::vector<const char*> header_texts, header_names, options;
  for (const BuiltinHeader& header : builtin_headers()) {
    header_names.push_back(header.name);
    header_texts.push_back(header.text);
  }
  for (std::size_t i = 0; i < std::min(input.header_names.size(), input.header_texts.size()); ++i) {
    header_names.push_back(input.header_names[i].c_str());
    header_texts.push_back(input.header_texts[i].c_str());
  }
  for (const std::string& option : input.options) options.push_back(option.c_str());

  Program program = nullptr;
  if (table_.create(&program, input.text.c_str(), input.name.c_str(), static_cast<int>(header_names.size()), header_texts.data(),
                    header_names.data()) != nvrtc_success) {
    output.status = Output::Status::internal;
    return output;
  }
  for (const std::string& expression : input.name_expressions) (void)table_.add_name(program, expression.c_str());

  switch (table_.compile(program, static_cast<int>(options.size()), options.data())) {
    case nvrtc_success:
      output.status = Output::Status::ok;
      break;
    case nvrtc_out_of_memory:
      output.status = Output::Status::out_of_memory;
      break;
    case nvrtc_compilation_error:
      output.status = Output::Status::source;
      break;
    // Results 2 … 12: invalid program, input or option, internal error. An option may contain a learner's macro or name expression,
    // so the log is as important as for a compilation error.
    default:
      output.status = Output::Status::internal;
      break;
  }

  // NVRTC's sizes include the terminating zero.
  const auto text_of = [&](auto size_of_text, auto get) {
    std::size_t size = 0;
    std::string text;
    if (size_of_text(program, &size) == nvrtc_success && size > 1) {
      text.resize(size);
      if (get(program, text.data()) != nvrtc_success) text.clear();
      text.resize(std::min(text.find('\0'), text.size()));
    }
    return text;
  };
  output.log = text_of(table_.log_size, table_.log);
  if (output.status == Output::Status::ok) {
    output.ptx = text_of(table_.ptx_size, table_.ptx);
    if (std::size_t size = 0; input.wants_cubin && table_.cubin_size(program, &size) == nvrtc_success) {
      output.cubin.resize(size);
      if (table_.cubin(program, output.cubin.data()) != nvrtc_success) output.cubin.clear();
    }
    for (const std::string& expression : input.name_expressions) {
      const char* lowered = nullptr;
      const bool known = table_.lowered_name(program, expression.c_str(), &lowered) == nvrtc_success && lowered != nullptr;
      output.lowered_names.emplace_back(known ? lowered : "");
    }
  }
  (void)table_.destroy(&program);
  return output;
}

}  // namespace warpbook::gpu
