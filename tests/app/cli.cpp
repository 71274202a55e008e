#include "tests/app/cli.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace warpbook::test {
namespace fs = std::filesystem;

namespace {

struct Scratch {
  fs::path folder = fs::temp_directory_path() / fmt::format("warpbook_cli_{}", getpid());
  Scratch() { fs::create_directories(folder); }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
};

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

bool registers_are_known() {
  static const bool known =
      warpbook({"launch", kernel_file("race.cu"), "count", "--grid", "1", "--block", "1", "--arg", "int32[1]=zeros"})
          .out.find("registers not known") == std::string::npos;
  return known;
}

const fs::path& scratch() {
  static const Scratch made;
  return made.folder;
}

std::string read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

fs::path write_file(const std::string& name, std::string_view text) {
  const fs::path file = scratch() / name;
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

std::string kernel_file(const std::string& name) { return std::string(WARPBOOK_ROOT) + "/kernels/" + name; }

int line_with(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) return 0;
  int line = 1;
  for (const char c : text.substr(0, at)) line += c == '\n' ? 1 : 0;
  return line;
}

Ran warpbook(const std::vector<std::string>& arguments, const std::string& environment) {
  return run_program(WARPBOOK_PROGRAM, arguments, environment);
}

Ran run_program(const std::string& program, const std::vector<std::string>& arguments, const std::string& environment) {
  const fs::path out = scratch() / "stdout", err = scratch() / "stderr";
  std::string command = fmt::format("env {} {}", environment, quoted(program));
  for (const std::string& argument : arguments) command += " " + quoted(argument);
  command += fmt::format(" >{} 2>{} </dev/null", quoted(out.string()), quoted(err.string()));
  const int status = std::system(command.c_str());
  Ran ran{.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1, .out = read_file(out), .err = read_file(err)};
  return ran;
}

Ran run_shell(const std::string& script, const std::string& environment) {
  static int count = 0;
  const fs::path folder = scratch() / fmt::format("shell_{}", ++count);
  fs::create_directories(folder);
  const fs::path file = folder / "script.sh";
  std::ofstream(file) << "cd " << quoted(folder.string()) << "\n" << script << "\n";
  return run_program("timeout", {"60", "bash", file.string()}, environment + " warpbook=" + quoted(WARPBOOK_PROGRAM));
}

nlohmann::json Ran::json() const {
  nlohmann::json value = nlohmann::json::parse(out, nullptr, false);
  EXPECT_FALSE(value.is_discarded()) << "no JSON: " << out << "\n" << err;
  return value.is_discarded() ? nlohmann::json() : value;
}

}  // namespace warpbook::test
