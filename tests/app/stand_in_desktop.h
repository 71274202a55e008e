// A stand-in for the desktop: what asks xdg-open to open something asks this, which opens nothing and writes down what it was
// given.
//
//     const StandInDesktop desktop(folder);             // this process, and what it starts from now on
//     EXPECT_EQ(desktop.opened(), "/home/me/Documents\n");
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace warpbook::test {

class StandInDesktop {
 public:
  /// Its program and what it writes lie in a folder of the test's.
  explicit StandInDesktop(const std::filesystem::path& folder) : opened_(folder / "opened") {
    namespace fs = std::filesystem;
    const fs::path program = folder / "bin" / "xdg-open";
    if (!fs::exists(program)) {  // it may be running
      fs::create_directories(program.parent_path());
      std::ofstream(program) << "#!/bin/sh\necho \"$1\" >> '" << opened_.string() << "'\n";
      fs::permissions(program, fs::perms::owner_all);
    }
    path_ = std::getenv("PATH");
    const std::string first = program.parent_path().string() + ":";
    if (!path_.starts_with(first)) path_ = first + path_;
  }
  /// For the environment of a program; use_here() for this one's.
  [[nodiscard]] const std::string& path() const { return path_; }
  void use_here() const { ::setenv("PATH", path_.c_str(), 1); }

  [[nodiscard]] std::string opened() const {
    std::ifstream in(opened_);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::filesystem::path opened_;
  std::string path_;
};

}  // namespace warpbook::test
