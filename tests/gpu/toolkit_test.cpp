// Where the toolkit's parts are looked for: folders made here, and NVRTC itself as pip would have installed it, seen by a process
// from which this machine's toolkit is hidden.
#include "gpu/toolkit.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "gpu/confinement.h"
#include "tests/gpu/one_compiler.h"

namespace warpbook::gpu {
namespace {

namespace fs = std::filesystem;

/// A folder of this test's, and an environment in which nothing but it leads to a toolkit.
class Packages : public testing::Test {
 protected:
  void SetUp() override {
    root = fs::temp_directory_path() / ("warpbook_toolkit_" + std::to_string(getpid()));
    fs::remove_all(root);
    fs::create_directories(root);
    for (const char* name : variables) {
      const char* const value = std::getenv(name);
      before.emplace_back(value == nullptr ? "" : value);
      unsetenv(name);
    }
  }
  void TearDown() override {
    for (std::size_t i = 0; i < std::size(variables); ++i)
      if (before[i].empty())
        unsetenv(variables[i]);
      else
        setenv(variables[i], before[i].c_str(), 1);
    fs::remove_all(root);
  }
  [[nodiscard]] fs::path folder(const std::string& name) const {
    fs::create_directories(root / name);
    return root / name;
  }
  /// An empty file.
  [[nodiscard]] fs::path file(const fs::path& path) const {
    fs::create_directories(path.parent_path());
    std::ofstream{path};
    return path;
  }

  static constexpr const char* variables[] = {
      "CUDA_PATH", "CUDA_HOME", "VIRTUAL_ENV", "HOME", packages_variable, "WARPBOOK_CONFINEMENT", "WARPBOOK_COMPILER"};
  fs::path root;
  std::vector<std::string> before;
};

std::vector<fs::path> below(const std::vector<fs::path>& paths, const fs::path& root) {
  std::vector<fs::path> found;
  std::copy_if(paths.begin(), paths.end(), std::back_inserter(found),
               [&](const fs::path& path) { return path.string().starts_with(root.string()); });
  return found;
}

TEST_F(Packages, OfTheEnvironmentComeBeforeTheUsersAndNewPythonsBeforeOldOnes) {
  const fs::path old = folder("home/.local/lib/python3.9/site-packages/nvidia");
  const fs::path recent = folder("home/.local/lib/python3.11/site-packages/nvidia");
  const fs::path own = folder("venv/lib/python3.12/site-packages/nvidia");
  (void)folder("home/.local/lib/python3.13/site-packages/numpy");
  setenv("HOME", (root / "home").c_str(), 1);
  EXPECT_EQ(below(toolkit_packages(), root), (std::vector{recent, old}));
  setenv("VIRTUAL_ENV", (root / "venv").c_str(), 1);
  EXPECT_EQ(below(toolkit_packages(), root), (std::vector{own, recent, old}));
  setenv(packages_variable, (old.string() + ":" + own.string()).c_str(), 1);
  EXPECT_EQ(toolkit_packages(), (std::vector{old, own}));
}

TEST_F(Packages, LibrariesOfTheNewestCudaComeFirstAndNamedToolkitsBeforeAll) {
  const fs::path nvidia = folder("venv/lib/python3/dist-packages/nvidia");
  for (const char* part : {"cuda_runtime/include", "cuda_nvrtc/lib", "cublas/lib", "cu13/lib", "cu12/lib", "cu9/lib"})
    fs::create_directories(nvidia / part);
  setenv("VIRTUAL_ENV", (root / "venv").c_str(), 1);
  setenv("CUDA_PATH", (root / "named").c_str(), 1);
  EXPECT_EQ(below(toolkit_library_folders(), root),
            (std::vector{root / "named/lib64", root / "named/lib", nvidia / "cu13/lib", nvidia / "cu12/lib", nvidia / "cu9/lib",
                         nvidia / "cublas/lib", nvidia / "cuda_nvrtc/lib"}));
}

TEST_F(Packages, HeadersAreThoseBesideTheLibrary) {
  const fs::path nvidia = folder("venv/lib/python3.11/site-packages/nvidia");
  const fs::path thirteen = file(nvidia / "cu13/lib/libnvrtc.so.13"), twelve = file(nvidia / "cuda_nvrtc/lib/libnvrtc.so.12");
  (void)file(nvidia / "cu13/include/cuda_fp16.h");
  (void)file(nvidia / "cuda_runtime/include/cuda_fp16.h");
  for (const char* part : {"cu13/include/cccl", "cuda_nvrtc/include", "cuda_cccl/include"}) fs::create_directories(nvidia / part);
  EXPECT_EQ(toolkit_include_folders(thirteen),
            (std::vector{(nvidia / "cu13/include").string(), (nvidia / "cu13/include/cccl").string()}));
  EXPECT_EQ(toolkit_include_folders(twelve),
            (std::vector{(nvidia / "cuda_nvrtc/include").string(), (nvidia / "cuda_runtime/include").string(),
                         (nvidia / "cuda_cccl/include").string()}));
  // A toolkit of several levels, reached by a link.
  const fs::path real = file(root / "cuda/targets/x86_64-linux/lib/libnvrtc.so.13.0.88");
  (void)file(root / "cuda/targets/x86_64-linux/include/cuda_fp16.h");
  (void)folder("links");
  fs::create_symlink(real, root / "links/libnvrtc.so.13");
  EXPECT_EQ(toolkit_include_folders(root / "links/libnvrtc.so.13"),
            std::vector{(root / "cuda/targets/x86_64-linux/include").string()});
}

// ---- NVRTC itself, hidden and found again -------------------------------------------------------------------------------

constexpr int ok = 0, not_allowed = 77, broken = 1;

bool bind(const fs::path& what, const fs::path& where) {
  std::error_code problem;
  if (fs::is_directory(what)) {
    fs::create_directories(where, problem);
  } else {
    fs::create_directories(where.parent_path(), problem);
    std::ofstream{where};
  }
  return mount(what.c_str(), where.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0;
}
bool hide(const fs::path& folder) { return mount("none", folder.c_str(), "tmpfs", 0, nullptr) == 0; }

constexpr const char* kernel_with_headers = R"(
#include <cuda/std/version>
#include <cuda_fp16.h>
__global__ void k(__half* a) { a[threadIdx.x] = __float2half(threadIdx.x * 0.5f); })";

/// Compiles there, and tells what went wrong.
int compile_hidden(const fs::path& packages) {
  setenv("WARPBOOK_COMPILER", "nvrtc", 1);
  Compiler own;
  const auto program = own.compile({.file = "k.cu", .text = kernel_with_headers});
  if (!program) std::cerr << program.error().message << '\n' << program.error().log;
  if (program && !(*program)->compiler.starts_with("NVRTC")) std::cerr << "compiled by " << (*program)->compiler;
  // Nothing else is readable, and no folder of this machine is seen.
  const auto leak = own.compile({.file = "k.cu", .text = "#include \"/etc/hostname\"\n__global__ void k() {}"});
  if (leak || leak.error().log.find(packages.string()) != std::string::npos) std::cerr << "a file of the system was read";
  const bool good =
      program && (*program)->compiler.starts_with("NVRTC") && !leak && (*program)->ptx.find(packages.string()) == std::string::npos;
  return good ? ok : broken;
}

/// In a process of its own, with mounts of its own: lays NVRTC out as pip does, hides the toolkit, compiles.
int lay_out_and_compile(const fs::path& library, const fs::path& include, const fs::path& venv, bool thirteen) {
  if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return not_allowed;
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return not_allowed;
  const fs::path nvidia = venv / "lib/python3.11/site-packages/nvidia";
  bool laid_out = true;
  if (thirteen) {
    laid_out = bind(library.parent_path(), nvidia / "cu13/lib") && bind(include, nvidia / "cu13/include");
  } else {
    const fs::path lib = nvidia / "cuda_nvrtc/lib";
    laid_out = bind(library, lib / "libnvrtc.so.12") && bind(include, nvidia / "cuda_runtime/include") &&
               bind(include / "cccl", nvidia / "cuda_cccl/include") && hide(nvidia / "cuda_runtime/include/cccl");
    for (const auto& entry : fs::directory_iterator(library.parent_path()))
      if (const std::string name = entry.path().filename().string(); name.starts_with("libnvrtc-builtins"))
        laid_out = laid_out && bind(entry.path(), lib / name);
  }
  if (!laid_out || !hide(library.parent_path()) || !hide(include)) return not_allowed;
  setenv("VIRTUAL_ENV", venv.c_str(), 1);
  return compile_hidden(nvidia);
}

class PipsNvrtc : public Packages, public testing::WithParamInterface<std::tuple<const char*, bool>> {};

TEST_P(PipsNvrtc, IsFoundWithItsHeadersAndConfined) {
  const auto [confinement, thirteen] = GetParam();
  const fs::path library = compiler().status().nvrtc.path;
  const std::vector<std::string> include = toolkit_include_folders(library);
  if (library.empty() || include.empty() || !fs::exists(fs::path(include[0]) / "cccl"))
    GTEST_SKIP() << "There is no NVRTC of CUDA 13 with its headers here to be laid out as pip does.";
  if (*confinement != '\0') setenv("WARPBOOK_CONFINEMENT", confinement, 1);
  const bool available = std::string_view(confinement) == "bubblewrap"
                             ? std::system("bwrap --unshare-all --ro-bind / / true >/dev/null 2>&1") == 0
                             : best_confinement() == FileConfinement::landlock || *confinement != '\0';
  if (!available) GTEST_SKIP() << "This machine has nothing to confine a process with in this way.";
  unsetenv("LD_LIBRARY_PATH");
  const pid_t child = fork();
  if (child == 0) _exit(lay_out_and_compile(library, include[0], root / "venv", thirteen));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == not_allowed) GTEST_SKIP() << "Nobody may mount anything here, so the toolkit cannot be hidden.";
  EXPECT_EQ(WEXITSTATUS(status), ok);
}

using Case = std::tuple<const char*, bool>;
INSTANTIATE_TEST_SUITE_P(Layouts, PipsNvrtc,
                         testing::Values(Case("", false), Case("", true), Case("early", false), Case("bubblewrap", true)),
                         [](const auto& test) {
                           const std::string confinement = std::get<0>(test.param);
                           return (confinement.empty() ? "landlock" : confinement) + (std::get<1>(test.param) ? "_13" : "_12");
                         });

}  // namespace
}  // namespace warpbook::gpu
