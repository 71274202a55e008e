// What may stand where a learner's file is expected, and cannot be read as one.
//
//     for (const InTheWay& way : all_in_the_way()) { way.put(file); const auto before = seen_at(file); … EXPECT_EQ(seen_at(file),
//     before); }
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace warpbook::test {

struct InTheWay {
  std::string name;
  std::string words;  // of the sentence that says so
  std::function<void(const std::filesystem::path&)> put;
};

/// The kind of what has this name, which one it is, and how large.
inline std::string seen_at(const std::filesystem::path& file) {
  struct stat there {};
  if (::lstat(file.c_str(), &there) != 0) return "nothing";
  return std::to_string(there.st_mode) + " " + std::to_string(there.st_ino) + " " + std::to_string(there.st_size);
}

inline std::vector<InTheWay> all_in_the_way() {
  namespace fs = std::filesystem;
  constexpr std::uintmax_t hundreds_of_megabytes = 300U << 20U;
  return {{"a folder", "it is a folder", [](const fs::path& file) { fs::create_directories(file / "in it"); }},
          {"a FIFO", "it is a named pipe", [](const fs::path& file) { ::mkfifo(file.c_str(), 0600); }},
          {"a device without end", "it is a device", [](const fs::path& file) { fs::create_symlink("/dev/zero", file); }},
          {"a link to itself", "Too many levels of symbolic links", [](const fs::path& file) { fs::create_symlink(file, file); }},
          {"a link that leads nowhere", "a link to a file that does not exist",
           [](const fs::path& file) { fs::create_symlink("/nowhere/kernel.cu", file); }},
          {"hundreds of megabytes", "larger than 16 MiB", [](const fs::path& file) {
             { const std::ofstream made(file); }
             fs::resize_file(file, hundreds_of_megabytes);
           }}};
}

}  // namespace warpbook::test
