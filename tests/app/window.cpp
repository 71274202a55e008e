#include "tests/app/window.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/app/stand_in_desktop.h"

namespace warpbook::test {
namespace fs = std::filesystem;

namespace {

std::string read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Starts a program; its standard error goes to `log`, and descriptor `keep`, if any, stays open in it.
pid_t start(std::vector<std::string> words, const std::vector<std::pair<std::string, std::string>>& environment,
            const fs::path& log) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  return child;
}

void stop(pid_t process) {
  if (process <= 0) return;
  kill(process, SIGTERM);
  for (int i = 0; i < 50; ++i) {
    if (waitpid(process, nullptr, WNOHANG) != 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
}

}  // namespace

Window::Window(int width, int height, double scale, Learner learner, Driver driver) : driver_(driver) {
  static int opened = 0;
  folder_ = fs::temp_directory_path() / fmt::format("warpbook_window_{}_{}", getpid(), opened++);
  fs::create_directories(kept());
  if (learner == Learner::known) std::ofstream(kept() / "desk.toml") << "toured = true\n";

  // The server chooses a free display and writes its number into a pipe.
  std::array<int, 2> pipe_ends{};
  EXPECT_EQ(pipe(pipe_ends.data()), 0);
  server_ = start({"Xvfb", "-displayfd", std::to_string(pipe_ends[1]), "-screen", "0", fmt::format("{}x{}x24", width, height),
                   "-nolisten", "tcp", "-noreset"},  // without it the server forgets what was said below
                  {}, folder_ / "server.log");
  close(pipe_ends[1]);
  std::array<char, 32> number{};
  const ssize_t got = read(pipe_ends[0], number.data(), number.size() - 1);
  close(pipe_ends[0]);
  EXPECT_GT(got, 0) << "Xvfb did not start: " << read_file(folder_ / "server.log");
  display_ = fmt::format(":{}", std::atoi(number.data()));

  if (scale != 1) {
    const std::string say = fmt::format("DISPLAY={} xprop -root -f RESOURCE_MANAGER 8s -set RESOURCE_MANAGER 'Xft.dpi: {}'",
                                        display_, static_cast<int>(96 * scale));
    EXPECT_EQ(std::system(say.c_str()), 0) << say;
  }
  start_program();
}

void Window::start_program() {
  program_ = start({WARPBOOK_PROGRAM},
                   {{"DISPLAY", display_},
                    {"WARPBOOK_WIDGETS", (folder_ / "widgets.json").string()},
                    {"XDG_CONFIG_HOME", (folder_ / "config").string()},
                    {"XDG_DATA_HOME", (folder_ / "data").string()},
                    {"XDG_DOCUMENTS_DIR", documents().string()},
                    {"PATH", StandInDesktop(folder_).path()},
                    // Mesa's older software renderer ends at OpenGL 3.3.
                    driver_ == Driver::old ? std::pair<std::string, std::string>{"GALLIUM_DRIVER", "softpipe"}
                                           : std::pair<std::string, std::string>{"LIBGL_ALWAYS_SOFTWARE", "1"}},
                   folder_ / "program.log");
  EXPECT_TRUE(wait_for("run", 60)) << complaints();
}

void Window::restart() {
  kill(program_, SIGKILL);
  waitpid(program_, nullptr, 0);
  fs::remove(folder_ / "widgets.json");
  start_program();
}

Window::~Window() {
  stop(program_);
  stop(server_);
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string Window::opened() const { return StandInDesktop(folder_).opened(); }

std::string Window::complaints() const { return read_file(folder_ / "program.log"); }

bool Window::running() const {
  if (program_ > 0 && waitpid(program_, nullptr, WNOHANG) == program_) program_ = -1;
  return program_ > 0;
}

nlohmann::json Window::state() const {
  nlohmann::json value = nlohmann::json::parse(read_file(folder_ / "widgets.json"), nullptr, false);
  return value.is_object() ? value : nlohmann::json::object();
}

std::optional<Window::Area> Window::find(const std::string& name) const {
  const nlohmann::json now = state();
  if (!now.contains("widgets")) return std::nullopt;
  for (const nlohmann::json& widget : now["widgets"]) {
    if (widget["name"] == name) return Area{widget["x"], widget["y"], widget["width"], widget["height"]};
  }
  return std::nullopt;
}

bool Window::wait(const std::function<bool()>& condition, double seconds) const {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end && running()) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return condition();
}

bool Window::wait_for(const std::string& name, double seconds) const {
  return wait([&] { return find(name).has_value(); }, seconds);
}

void Window::xdotool(const std::string& words) const {
  const std::string command = fmt::format("DISPLAY={} xdotool {} >/dev/null 2>&1", display_, words);
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

namespace {

/// Whether a question of the page is open, and Run has not asked for its answer yet.
bool asks_before_running(const nlohmann::json& state) {
  if (state.value("asked_to_predict", true) || state.value("slide", -1) >= 0) return false;
  for (const auto& question : state["questions"]) {
    if (question["open"] == true) return true;
  }
  return false;
}

}  // namespace

void Window::click(const std::string& name, double fraction_x, double fraction_y) const {
  ASSERT_NO_FATAL_FAILURE(point(name, fraction_x, fraction_y));
  const bool will_ask = name == "run" && asks_before_running(state());
  // Pressed for a few frames, as by a hand: the interface looks at it once a frame.
  xdotool("mousedown 1 sleep 0.1 mouseup 1 sleep 0.1");
  if (!will_ask) return;
  ASSERT_TRUE(wait([&] { return state().value("asking", false); })) << "it asks for a prediction first";
  xdotool("mousedown 1 sleep 0.1 mouseup 1 sleep 0.1");
}

void Window::point(const std::string& name, double fraction_x, double fraction_y) const {
  ASSERT_TRUE(wait_for(name)) << "there is no widget " << name;
  constexpr int moves = 20;  // what still scrolls or unfolds is followed until it rests
  for (int move = 0; move < moves; ++move) {
    // A list that has just opened is laid out again in its second frame, and is not shown in between.
    ASSERT_TRUE(wait_for(name)) << "the widget " << name << " went away";
    const std::optional<Area> area = find(name);
    if (!area) continue;
    const int x = static_cast<int>(area->x + area->width * fraction_x);
    const int y = static_cast<int>(area->y + area->height * fraction_y);
    xdotool(fmt::format("mousemove {} {}", x, y));
    // Once the program has seen the mouse there, it has handled the keys before it, however slow the machine is. What begins to
    // scroll only now may have stood where no mouse comes to.
    const auto moved = [&] {
      const std::optional<Area> now = find(name);
      return !now || now->x != area->x || now->y != area->y;
    };
    ASSERT_TRUE(wait([&] {
      return moved() || state()["pointer"] == nlohmann::json{{"x", x}, {"y", y}};
    })) << "the mouse does not reach "
        << name << " at " << x << ", " << y << ": " << state()["pointer"];
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    const std::optional<Area> now = find(name);
    if (now && now->x == area->x && now->y == area->y) return;
  }
  FAIL() << "the widget " << name << " does not come to rest";
}

void Window::double_click(const std::string& name, double fraction_x, double fraction_y) const {
  ASSERT_NO_FATAL_FAILURE(point(name, fraction_x, fraction_y));
  xdotool("click --repeat 2 --delay 100 1 sleep 0.1");
}

void Window::drag(const std::string& name, double from_x, double from_y, double to_x, double to_y) const {
  ASSERT_NO_FATAL_FAILURE(point(name, from_x, from_y));
  const Area area = *find(name);
  const auto at = [&](double x, double y) {
    return fmt::format("mousemove {} {}", static_cast<int>(area.x + area.width * x), static_cast<int>(area.y + area.height * y));
  };
  std::string words = "mousedown 1 sleep 0.1";
  for (int step = 1; step <= 8; ++step) {
    const double t = step / 8.0;
    words += " " + at(from_x + (to_x - from_x) * t, from_y + (to_y - from_y) * t) + " sleep 0.05";
  }
  xdotool(words + " mouseup 1 sleep 0.1");
}

void Window::type(const std::string& text) const { xdotool(fmt::format("type --delay 30 '{}'", text)); }
void Window::key(const std::string& name, double rest) const { xdotool(fmt::format("key --delay 20 {} sleep {}", name, rest)); }

}  // namespace warpbook::test
