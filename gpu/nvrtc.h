// Nvrtc: NVIDIA's runtime compiler. It is loaded at run time, so that one binary runs with or without it.
//
//     Result<Nvrtc> nvrtc = Nvrtc::open();
//     if (!nvrtc) return failure(nvrtc.error());   // a sentence that says what to install
//     auto result = nvrtc->compile({.name = "add.cu", .text = text, .options = {"-arch=compute_75"}});
//
// Looked for in the loader's path, then in the folders of toolkit.h, which include pip's packages. Only the compiler's child
// process uses it, so that untrusted source is never compiled in the program's own process.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gpu/result.h"

namespace warpbook::gpu {

class Nvrtc {
 public:
  [[nodiscard]] static Result<Nvrtc> open();

  struct Input {
    std::string name, text;
    std::vector<std::string> options;
    std::vector<std::string> name_expressions;                      // template instances to compile
    std::vector<std::string> header_names = {}, header_texts = {};  // in memory, in addition to the builtin headers
    bool wants_cubin = false;                                       // the options name a real architecture (sm_90)
  };
  struct Output {
    enum class Status { ok, source, out_of_memory, internal };
    Status status = Status::ok;
    std::string log, ptx, cubin;
    std::vector<std::string> lowered_names;  // one for each name expression; empty if NVRTC does not know it
  };
  [[nodiscard]] Output compile(const Input& input) const;

  [[nodiscard]] const std::string& version() const { return version_; }                           // "13.0"
  [[nodiscard]] const std::string& path() const { return path_; }                                 // of the loaded library
  [[nodiscard]] const std::vector<std::string>& include_paths() const { return include_paths_; }  // of the toolkit's headers
  [[nodiscard]] const std::vector<int>& architectures() const { return architectures_; }          // 75, 80 …, ascending

 private:
  using Program = void*;
  struct Table {
    int (*version)(int*, int*) = nullptr;
    int (*supported_archs_count)(int*) = nullptr;
    int (*supported_archs)(int*) = nullptr;
    int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
    int (*destroy)(Program*) = nullptr;
    int (*add_name)(Program, const char*) = nullptr;
    int (*compile)(Program, int, const char* const*) = nullptr;
    int (*lowered_name)(Program, const char*, const char**) = nullptr;
    int (*log_size)(Program, std::size_t*) = nullptr;
    int (*log)(Program, char*) = nullptr;
    int (*ptx_size)(Program, std::size_t*) = nullptr;
    int (*ptx)(Program, char*) = nullptr;
    int (*cubin_size)(Program, std::size_t*) = nullptr;
    int (*cubin)(Program, char*) = nullptr;
  };
  Table table_;
  std::string version_, path_;
  std::vector<std::string> include_paths_;
  std::vector<int> architectures_;
};

/// A sentence that says what to install; part of Status::advice.
[[nodiscard]] std::string nvrtc_advice();

}  // namespace warpbook::gpu
