// The arrows between rooms: which folder may include which, read from the sources, and that no library below app/ needs a window.
//
// A folder's rule is the longest entry of `rules` that its path begins with. To let a room see another, add it there, with a
// reason.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Rule {
  std::string_view folder;
  std::vector<std::string_view> may_include;  // folders end with '/' and mean the files directly in them; others are files
  bool window = false;                        // may it include ImGui, GLFW and OpenGL?
};

const std::vector<Rule> rules{
    {"gpu/", {"gpu/", "gpu/clang/clang.h"}},  // one library with gpu/clang/
    {"gpu/clang/", {"gpu/", "gpu/clang/"}},
    {"gpu/clang/include/", {}, true},      // texts for clang; programs with OpenGL include cuda_gl_interop.h
    {"gpu/cuda/", {"gpu/", "gpu/cuda/"}},  // never gpu/virtual/: neither device knows the other
    {"gpu/virtual/",
     {"gpu/", "gpu/virtual/", "gpu/virtual/ptx/", "gpu/virtual/watch/", "gpu/virtual/vm/", "gpu/virtual/vm/code/",
      "gpu/virtual/vm/memory/", "gpu/virtual/vm/exec/schedules.h", "gpu/virtual/vm/native/native.h",
      "gpu/virtual/vm/clock/clock.h"}},
    {"gpu/virtual/ptx/", {"gpu/", "gpu/virtual/ptx/"}},
    // The vm's folders, each above those that it may include. In the vm itself there are the events (observer.h) and what joins the
    // folders (decode).
    {"gpu/virtual/vm/ops/", {"gpu/message.h", "gpu/virtual/ptx/", "gpu/virtual/vm/ops/"}},
    {"gpu/virtual/vm/memory/", {"gpu/", "gpu/virtual/vm/memory/", "gpu/virtual/vm/observer.h"}},
    {"gpu/virtual/vm/analysis/", {"gpu/virtual/ptx/", "gpu/virtual/vm/ops/", "gpu/virtual/vm/analysis/"}},
    {"gpu/virtual/vm/code/",
     {"gpu/", "gpu/virtual/ptx/", "gpu/virtual/vm/observer.h", "gpu/virtual/vm/memory/", "gpu/virtual/vm/analysis/",
      "gpu/virtual/vm/code/"}},
    {"gpu/virtual/vm/exec/",
     {"gpu/", "gpu/virtual/ptx/", "gpu/virtual/vm/observer.h", "gpu/virtual/vm/ops/", "gpu/virtual/vm/memory/",
      "gpu/virtual/vm/analysis/", "gpu/virtual/vm/code/", "gpu/virtual/vm/exec/"}},
    {"gpu/virtual/vm/lanes/",
     {"gpu/", "gpu/virtual/ptx/", "gpu/virtual/vm/observer.h", "gpu/virtual/vm/ops/", "gpu/virtual/vm/memory/",
      "gpu/virtual/vm/analysis/", "gpu/virtual/vm/code/", "gpu/virtual/vm/exec/", "gpu/virtual/vm/lanes/"}},
    {"gpu/virtual/vm/native/",
     {"gpu/virtual/ptx/", "gpu/virtual/vm/observer.h", "gpu/virtual/vm/memory/", "gpu/virtual/vm/code/", "gpu/virtual/vm/exec/",
      "gpu/virtual/vm/native/"}},
    {"gpu/virtual/vm/clock/",
     {"gpu/", "gpu/virtual/ptx/", "gpu/virtual/vm/observer.h", "gpu/virtual/vm/code/", "gpu/virtual/vm/exec/",
      "gpu/virtual/vm/lanes/access.h", "gpu/virtual/vm/clock/"}},
    {"gpu/virtual/vm/",
     {"gpu/", "gpu/virtual/ptx/", "gpu/virtual/vm/", "gpu/virtual/vm/ops/", "gpu/virtual/vm/memory/", "gpu/virtual/vm/analysis/",
      "gpu/virtual/vm/code/", "gpu/virtual/vm/exec/", "gpu/virtual/vm/lanes/", "gpu/virtual/vm/clock/"}},
    {"gpu/virtual/watch/", {"gpu/", "gpu/virtual/ptx/", "gpu/virtual/watch/", "gpu/virtual/vm/observer.h"}},
    {"gpu/program/", {"gpu/", "gpu/program/"}},                                            // whole programs from outside: no device
    {"gpu/replay/", {"gpu/", "gpu/program/run_record.h", "gpu/replay/", "gpu/virtual/"}},  // a recorded launch, run again
    // texture.h: what it writes into device memory for the vm to read.
    {"gpu/runtime/",
     {"gpu/", "gpu/program/", "gpu/runtime/", "gpu/virtual/", "gpu/virtual/vm/ops/texture.h",
      "gpu/virtual/vm/memory/heap_limit.h"}},
    {"lessons/", {"gpu/", "gpu/program/run_record.h", "lessons/", "lessons/arguments/"}},
    {"lessons/arguments/", {"gpu/", "lessons/arguments/"}},
    // app/, from below: text, ui, views; text, session, worker; above both panels, shell, commands (app/README.md).
    {"app/text/", {"gpu/", "lessons/", "app/text/"}},
    {"app/ui/", {"gpu/", "lessons/", "app/text/", "app/ui/"}, true},
    // A view takes plain structs and asks nobody; catalog.h says where the shaders lie.
    {"app/views/",
     {"gpu/clock_report.h", "gpu/elements.h", "gpu/message.h", "gpu/picture.h", "gpu/report.h", "gpu/types.h", "gpu/result.h", "gpu/text.h",
      "lessons/catalog.h", "lessons/element_words.h", "lessons/figures.h", "lessons/sweep_chart.h", "app/text/numbers.h",
      "app/ui/draw.h", "app/ui/text_flow.h", "app/ui/theme.h", "app/ui/hit_area.h", "app/views/"},
     true},
    // Of what draws, the session knows two headers without ImGui.
    {"app/session/",
     {"gpu/", "lessons/", "lessons/arguments/", "app/text/", "app/session/", "app/ui/appearance.h", "app/views/view_memory.h"}},
    // The only room with devices and EGL. gpu/cuda/driver.h stays out of app/: the driver's calls are gpu/cuda's alone.
    {"app/worker/",
     {"gpu/", "gpu/virtual/profiles.h", "gpu/cuda/cuda_device.h", "gpu/cuda/interop.h", "gpu/replay/replay.h", "lessons/",
      "app/session/", "app/worker/", "app/views/field_picture.h"},
     true},
    {"app/panels/",
     {"gpu/", "lessons/", "lessons/arguments/", "app/text/", "app/ui/", "app/views/", "app/session/", "app/panels/"},
     true},
    {"app/shell/",
     {"gpu/", "gpu/virtual/profiles.h", "gpu/cuda/cuda_device.h", "lessons/", "lessons/arguments/", "app/text/", "app/ui/",
      "app/views/", "app/session/", "app/worker/", "app/panels/", "app/shell/"},
     true},
    {"app/commands/",
     {"gpu/", "gpu/virtual/profiles.h", "gpu/cuda/cuda_device.h", "gpu/cuda/interop.h", "gpu/clang/clang.h", "gpu/clang/headers.h",
      "gpu/program/", "lessons/", "lessons/arguments/", "app/ui/", "app/session/", "app/worker/", "app/shell/", "app/commands/"},
     true},  // GLFW in doctor.cpp, which says whether a window can be had
    {"app/main.cpp", {"gpu/compiler.h", "gpu/compiler_store.h", "app/commands/"}},
};

constexpr std::array<std::string_view, 6> window_headers{"imgui", "GLFW/", "glad/", "GL/", "EGL/", "X11/"};

const Rule* rule_of(std::string_view file) {
  const Rule* found = nullptr;
  for (const Rule& rule : rules) {
    if (file.starts_with(rule.folder) && (found == nullptr || rule.folder.size() > found->folder.size())) found = &rule;
  }
  return found;
}

// What is wrong with this #include line in this file; nothing where it may stand.
std::optional<std::string> objection(std::string_view file, std::string_view line) {
  const std::size_t hash = line.find_first_not_of(" \t");
  if (hash == std::string_view::npos || line[hash] != '#') return std::nullopt;
  const std::size_t word = line.find("include", hash);
  if (word == std::string_view::npos || line.find_first_not_of(" \t", hash + 1) != word) return std::nullopt;
  const std::size_t open = line.find_first_of("<\"", word);
  if (open == std::string_view::npos) return std::nullopt;
  const std::size_t close = line.find_first_of(">\"", open + 1);
  const std::string_view included = line.substr(open + 1, close - open - 1);
  const Rule* const rule = rule_of(file);
  if (rule == nullptr) return fmt::format("{} lies in no room that has a rule", file);

  for (const std::string_view prefix : window_headers) {
    if (included.starts_with(prefix) && !rule->window)
      return fmt::format("{} includes {}: only app/ knows windows", file, included);
  }
  if (line[open] == '<') return std::nullopt;
  for (const std::string_view allowed : rule->may_include) {
    const bool fits = allowed.ends_with('/')
                          ? included.starts_with(allowed) && included.find('/', allowed.size()) == std::string_view::npos
                          : included == allowed;
    // Of the folders below lessons/, a lesson sees its own.
    const std::string_view own = file.substr(0, file.rfind('/') + 1);
    const bool own_folder =
        own.starts_with("lessons/") && own.size() > std::string_view("lessons/").size() && included.starts_with(own);
    if (fits || own_folder) return std::nullopt;
  }
  return fmt::format("{} includes {}, which is not below it", file, included);
}

TEST(Layering, IncludesPointDownwards) {
  int files = 0;
  for (const char* const room : {"gpu", "lessons", "app"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(WARPBOOK_ROOT) / room)) {
      const std::string extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp" && extension != ".def") continue;
      ++files;
      const std::string file = entry.path().lexically_relative(WARPBOOK_ROOT).generic_string();
      std::ifstream source(entry.path());
      int number = 0;
      for (std::string line; std::getline(source, line);) {
        ++number;
        if (const auto why = objection(file, line)) ADD_FAILURE() << file << ":" << number << ": " << *why;
      }
    }
  }
  EXPECT_GT(files, 40) << "the sources were not found";
}

// The rules themselves: each line must be refused; its neighbour must not.
TEST(Layering, RulesSeeWhatPointsUpwards) {
  EXPECT_TRUE(objection("gpu/compiler.cpp", "#include \"lessons/host.h\""));
  EXPECT_TRUE(objection("gpu/compiler.cpp", "#include \"gpu/virtual/profiles.h\""));
  EXPECT_TRUE(objection("gpu/cuda/cuda_device.cpp", "#include \"gpu/virtual/profiles.h\""));
  EXPECT_TRUE(objection("gpu/cuda/interop.h", "#include <GL/gl.h>"));
  EXPECT_TRUE(objection("gpu/virtual/virtual_device.cpp", "#include \"gpu/cuda/context.h\""));
  EXPECT_TRUE(objection("app/worker/runner.cpp", "#include \"gpu/cuda/driver.h\""));
  EXPECT_TRUE(objection("gpu/virtual/ptx/parser.cpp", "#include \"gpu/virtual/vm/exec/warp.h\""));
  EXPECT_TRUE(objection("gpu/virtual/vm/exec/warp.cpp", "#  include \"gpu/virtual/watch/watch.h\""));
  EXPECT_TRUE(objection("gpu/virtual/watch/races.cpp", "#include \"gpu/virtual/vm/exec/warp.h\""));
  EXPECT_TRUE(objection("gpu/virtual/vm/exec/warp.cpp", "#include \"gpu/virtual/vm/lanes/handlers.h\""));
  EXPECT_TRUE(objection("gpu/virtual/vm/exec/block.cpp", "#include \"gpu/virtual/vm/native/native.h\""));
  EXPECT_TRUE(objection("gpu/virtual/vm/analysis/atomics.cpp", "#include \"gpu/virtual/vm/code/code.h\""));
  EXPECT_TRUE(objection("gpu/virtual/vm/ops/float.h", "#include \"gpu/virtual/vm/exec/warp.h\""));
  EXPECT_TRUE(objection("gpu/virtual/virtual_device.cpp", "#include \"gpu/virtual/vm/lanes/access.h\""));
  EXPECT_TRUE(objection("gpu/virtual/watch/races.cpp", "#include <imgui.h>"));
  EXPECT_TRUE(objection("lessons/host.cpp", "#include \"app/ui/theme.h\""));
  EXPECT_TRUE(objection("lessons/host.cpp", "#include \"gpu/virtual/virtual_device.h\""));
  EXPECT_TRUE(objection("lessons/07_race/lesson.cpp", "#include \"lessons/07_histogram/bins.h\""));
  EXPECT_TRUE(objection("lessons/07_race/lesson.cpp", "#include <GLFW/glfw3.h>"));
  EXPECT_TRUE(objection("app/views/field.cpp", "#include \"gpu/device.h\""));
  EXPECT_TRUE(objection("app/views/field.cpp", "#include \"app/session/session.h\""));
  EXPECT_TRUE(objection("app/panels/rail.cpp", "#include \"app/commands/launch_plan.h\""));
  EXPECT_TRUE(objection("app/panels/rail.cpp", "#include \"app/shell/panel_table.h\""));
  EXPECT_TRUE(objection("app/panels/rail.cpp", "#include \"app/worker/runner.h\""));
  EXPECT_TRUE(objection("app/worker/runner.cpp", "#include \"app/shell/workbook.h\""));
  EXPECT_TRUE(objection("app/worker/runner.cpp", "#include \"app/views/views.h\""));
  EXPECT_TRUE(objection("app/session/session.cpp", "#include \"app/ui/theme.h\""));
  EXPECT_TRUE(objection("app/session/session.cpp", "#include <imgui.h>"));
  EXPECT_TRUE(objection("app/ui/widgets.cpp", "#include \"app/session/session.h\""));
  EXPECT_TRUE(objection("app/text/highlight.cpp", "#include \"app/ui/draw.h\""));
  EXPECT_TRUE(objection("app/commands/run.cpp", "#include \"app/panels/page.h\""));
  EXPECT_TRUE(objection("app/new.cpp", "#include \"gpu/device.h\""));
  EXPECT_TRUE(objection("app/worker/runner.cpp", "#include \"gpu/virtual/vm/exec/warp.h\""));
  EXPECT_TRUE(objection("tools/new.cpp", "#include \"gpu/device.h\""));

  EXPECT_FALSE(objection("gpu/cuda/cuda_device.cpp", "#include \"gpu/device.h\""));
  EXPECT_FALSE(objection("app/worker/runner.cpp", "#include \"gpu/cuda/cuda_device.h\""));
  EXPECT_FALSE(objection("gpu/virtual/watch/races.cpp", "#include \"gpu/virtual/vm/observer.h\""));
  EXPECT_FALSE(objection("gpu/virtual/virtual_device.cpp", "#include \"gpu/virtual/watch/watch.h\""));
  EXPECT_FALSE(objection("gpu/virtual/vm/lanes/control.cpp", "#include \"gpu/virtual/vm/exec/block.h\""));
  EXPECT_FALSE(objection("gpu/virtual/vm/decode.cpp", "#include \"gpu/virtual/vm/lanes/handlers.h\""));
  EXPECT_FALSE(objection("lessons/07_race/lesson.cpp", "#include \"lessons/07_race/bins.h\""));
  EXPECT_FALSE(objection("lessons/host.cpp", "#include <vector>"));
  EXPECT_FALSE(objection("app/views/field.cpp", "#include <imgui.h>"));
  EXPECT_FALSE(objection("app/worker/opengl_pictures.h", "#include \"app/views/field_picture.h\""));
  EXPECT_FALSE(objection("app/session/session.h", "#include \"app/ui/appearance.h\""));
  EXPECT_FALSE(objection("app/panels/rail.cpp", "#include \"app/session/session.h\""));
  EXPECT_FALSE(objection("app/shell/workbook.cpp", "#include \"app/worker/runner.h\""));
  EXPECT_FALSE(objection("gpu/compiler.cpp", "// #include \"lessons/host.h\""));
}

/// Where a file is written or a line printed by something else than what checks that it arrived. Files: gpu/output_file.h; what a
/// command prints: app/commands/standard_streams.h. Some write what no learner has named.
TEST(Layering, FilesAreWrittenAndLinesPrintedInOnePlace) {
  const std::vector<std::string_view> own_files{"gpu/compiler_scratch.cpp",  // into its folder
                                                "app/shell/window.cpp"};     // what window tests look at
  const std::vector<std::string_view> writing{"std::ofstream", "std::fopen(", "stbi_write_png(", "EGifOpenFileName("};
  const std::vector<std::string_view> printing{"fmt::print(", "std::printf(", "std::puts(", "std::cout"};
  int files = 0;
  for (const char* const room : {"gpu", "lessons", "app"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(WARPBOOK_ROOT) / room)) {
      if (entry.path().extension() != ".cpp") continue;
      ++files;
      const std::string file = entry.path().lexically_relative(WARPBOOK_ROOT).generic_string();
      const bool may_write = std::find(own_files.begin(), own_files.end(), file) != own_files.end();
      std::ifstream source(entry.path());
      int number = 0;
      for (std::string line; std::getline(source, line);) {
        ++number;
        const auto has = [&](std::string_view word) {
          const std::size_t at = line.find(word);
          return at != std::string::npos && line.find('"') > at && line.find("//") > at;  // not in a text, not in a comment
        };
        if (!may_write && std::any_of(writing.begin(), writing.end(), has))
          ADD_FAILURE() << file << ":" << number << ": files are written by gpu/output_file.h: " << line;
        if (std::any_of(printing.begin(), printing.end(), has))
          ADD_FAILURE() << file << ":" << number << ": commands print by app/commands/standard_streams.h: " << line;
      }
    }
  }
  EXPECT_GT(files, 40) << "the sources were not found";
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  std::array<char, 65536> chunk{};
  for (std::size_t n = 0; (n = std::fread(chunk.data(), 1, chunk.size(), pipe)) > 0;) text.append(chunk.data(), n);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

bool is_window_symbol(std::string_view name) {
  const auto upper_after = [&](std::size_t n) { return name.size() > n && name[n] >= 'A' && name[n] <= 'Z'; };
  return name.starts_with("_ZN5ImGui") || name.find("10ImDrawList") != std::string_view::npos || name.starts_with("glfw") ||
         name.starts_with("glad") || (name.starts_with("gl") && upper_after(2)) || (name.starts_with("egl") && upper_after(3));
}

TEST(Layering, LibrariesBelowAppNeedNoWindow) {
  EXPECT_TRUE(is_window_symbol("_ZN5ImGui3EndEv"));
  EXPECT_TRUE(is_window_symbol("glfwInit"));
  EXPECT_TRUE(is_window_symbol("glClear"));
  EXPECT_FALSE(is_window_symbol("glob"));

  std::size_t symbols = 0;
  for (std::string_view rest = WARPBOOK_ARCHIVES; !rest.empty();) {
    const std::size_t cut = rest.find(':');
    const std::string archive(rest.substr(0, cut));
    rest.remove_prefix(cut == std::string_view::npos ? rest.size() : cut + 1);
    const std::string listing = output_of(fmt::format("'{}' --undefined-only --format=posix '{}'", WARPBOOK_NM, archive));
    for (std::string_view lines = listing; !lines.empty();) {
      const std::size_t end = lines.find('\n');
      const std::string_view name = lines.substr(0, std::min(lines.find(' '), end));
      ++symbols;
      EXPECT_FALSE(is_window_symbol(name)) << archive << " needs " << name;
      lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
    }
  }
  EXPECT_GT(symbols, 100u) << "no library was read";
}

}  // namespace
