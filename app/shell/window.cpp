#include "app/shell/window.h"

#define GLFW_INCLUDE_NONE  // OpenGL's header is glad's
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <glad/gl.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "app/panels/present.h"
#include "app/panels/shortcuts.h"
#include "app/panels/tour.h"
#include "app/shell/panel_table.h"
#include "app/shell/perform.h"
#include "app/shell/visible.h"
#include "app/shell/workbook.h"
#include "app/ui/key_pointer.h"
#include "app/ui/zoom.h"
#include "app/views/views.h"
#include "gpu/message.h"
#include "gpu/virtual/profiles.h"
#include "lessons/catalog.h"

namespace warpbook::app {
namespace {

constexpr float smallest_width = 1024, smallest_height = 700;  // CSS pixels
constexpr int settling_frames = 3;                             // after an event: hover, layout and caret follow a frame later
constexpr double caret_blink = 0.53, look_around = 5;          // seconds

/// What the key callbacks need; GLFW hands it back as the window's user pointer.
struct Desk {
  Session* session = nullptr;
  Workbook* book = nullptr;
  int frames_wanted = settling_frames;
};

Desk& desk_of(GLFWwindow* window) { return *static_cast<Desk*>(glfwGetWindowUserPointer(window)); }

std::optional<KeyEvent::Key> key_of(int key, bool ctrl) {
  using Key = KeyEvent::Key;
  switch (key) {
    case GLFW_KEY_LEFT:
      return Key::left;
    case GLFW_KEY_RIGHT:
      return Key::right;
    case GLFW_KEY_UP:
      return Key::up;
    case GLFW_KEY_DOWN:
      return Key::down;
    case GLFW_KEY_HOME:
      return Key::home;
    case GLFW_KEY_END:
      return Key::end;
    case GLFW_KEY_PAGE_UP:
      return Key::page_up;
    case GLFW_KEY_PAGE_DOWN:
      return Key::page_down;
    case GLFW_KEY_BACKSPACE:
      return Key::backspace;
    case GLFW_KEY_DELETE:
      return Key::erase;
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER:
      return Key::enter;
    case GLFW_KEY_TAB:
      return Key::tab;
    case GLFW_KEY_ESCAPE:
      return Key::escape;
    case GLFW_KEY_F3:
      return Key::find_next;
    default:
      break;
  }
  if (!ctrl) return std::nullopt;
  // Letters by what is printed on the key, not by where it is.
  const char* name = glfwGetKeyName(key, 0);
  switch (name != nullptr ? name[0] : '\0') {
    case 'a':
      return Key::a;
    case 'c':
      return Key::c;
    case 'f':
      return Key::f;
    case 'g':
      return Key::g;
    case 'v':
      return Key::v;
    case 'x':
      return Key::x;
    case 'y':
      return Key::y;
    case 'z':
      return Key::z;
    case '/':
      return Key::slash;
    default:
      return std::nullopt;
  }
}

/// GLFW names keys by their place on a US keyboard; what is printed on them counts.
int key_by_print(int key) {
  const char* name = glfwGetKeyName(key, 0);
  if (name == nullptr || name[0] == '\0' || name[1] != '\0' || key >= GLFW_KEY_KP_0) return key;
  switch (name[0]) {
    case '+':
    case '=':
      return GLFW_KEY_EQUAL;
    case '-':
      return GLFW_KEY_MINUS;
    case ',':
      return GLFW_KEY_COMMA;
    case '.':
      return GLFW_KEY_PERIOD;
    default:
      return name[0] == '0' ? GLFW_KEY_0 : key;
  }
}

bool slides_take_keys(const Session& session) {
  return session.presenting && session.overlay == Overlay::none && focused_widget() == nullptr && !ImGui::GetIO().WantTextInput;
}

bool repeats(Command command) {
  return command == Command::step_forward || command == Command::step_back || command == Command::larger ||
         command == Command::smaller;
}

void on_key(GLFWwindow* window, int key, int, int action, int modifiers) {
  Desk& desk = desk_of(window);
  desk.frames_wanted = settling_frames;
  if (action == GLFW_RELEASE) return;
  const bool ctrl = (modifiers & GLFW_MOD_CONTROL) != 0 && (modifiers & GLFW_MOD_ALT) == 0;
  const bool shift = (modifiers & GLFW_MOD_SHIFT) != 0;
  const auto command = command_of({.key = key_by_print(key), .ctrl = ctrl, .shift = shift}, slides_take_keys(*desk.session));
  if (command && (action == GLFW_PRESS || repeats(*command))) return perform(*command, *desk.session, *desk.book);
  if (const auto known = key_of(key, ctrl)) {
    desk.session->keys.push_back({.key = *known, .shift = shift, .ctrl = ctrl});
  }
}

void on_character(GLFWwindow* window, unsigned codepoint) {
  Desk& desk = desk_of(window);
  desk.frames_wanted = settling_frames;
  if (!ImGui::GetIO().WantTextInput) {
    if (const auto command = command_of({.character = codepoint}, slides_take_keys(*desk.session)))
      return perform(*command, *desk.session, *desk.book);
  }
  desk.session->keys.push_back({.codepoint = codepoint});
}

void on_anything(GLFWwindow* window) { desk_of(window).frames_wanted = settling_frames; }

#ifndef NDEBUG
void GLAD_API_PTR on_opengl_message(GLenum, GLenum type, GLuint id, GLenum severity, GLsizei, const GLchar* message, const void*) {
  if (severity == GL_DEBUG_SEVERITY_NOTIFICATION || type == GL_DEBUG_TYPE_PERFORMANCE) return;
  std::fprintf(stderr, "OpenGL %u: %s\n", id, message);
}
#endif

/// GLFW for as long as the window is open.
class Library {
 public:
  Library() : ready_(glfwInit() == GLFW_TRUE) {}
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (ready_) glfwTerminate();
  }
  [[nodiscard]] bool ready() const { return ready_; }

  /// A new connection to the display, on which Mesa's software renderer draws instead of the display's driver. False: there is none
  /// to change to.
  bool change_to_software() {
    const char* const asked = std::getenv("LIBGL_ALWAYS_SOFTWARE");
    if (asked != nullptr && *asked != '\0') return false;
    glfwTerminate();
    setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
    setenv("GALLIUM_DRIVER", "llvmpipe", 1);
    ready_ = glfwInit() == GLFW_TRUE;
    return ready_;
  }

 private:
  bool ready_;
};

struct CloseWindow {
  void operator()(GLFWwindow* window) const { glfwDestroyWindow(window); }
};
using WindowHandle = std::unique_ptr<GLFWwindow, CloseWindow>;

Result<WindowHandle> create_window(const WindowOptions& options) {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
#ifndef NDEBUG
  glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, GLFW_TRUE);
#endif
  int width = options.width, height = options.height;
  if (GLFWmonitor* monitor = glfwGetPrimaryMonitor()) {
    int x = 0, y = 0, free_width = 0, free_height = 0;
    glfwGetMonitorWorkarea(monitor, &x, &y, &free_width, &free_height);
    float scale_x = 1, scale_y = 1;  // by which GLFW makes the window larger than it is asked for
    glfwGetMonitorContentScale(monitor, &scale_x, &scale_y);
    const auto fitting = [](int wanted, int free, float scale) {
      return free > 0 ? std::min(wanted, static_cast<int>(static_cast<float>(free) / scale)) : wanted;
    };
    width = fitting(width, free_width, scale_x);
    height = fitting(height, free_height, scale_y);
  }
  WindowHandle window(glfwCreateWindow(width, height, "Warpbook", nullptr, nullptr));
  if (!window) {
    return failure("no_opengl",
                   say("The window needs OpenGL 4.5. This display's driver does not offer it, and Mesa's software renderer is not "
                       "there to take its place. Install it (Debian: libgl1-mesa-dri), or update the graphics driver. `warpbook "
                       "picture` works without a display."));
  }
  glfwMakeContextCurrent(window.get());
  if (gladLoadGL(glfwGetProcAddress) == 0) {
    return failure("no_opengl", say("OpenGL 4.5 was promised, but its functions cannot be loaded. Update the graphics driver."));
  }
  glfwSwapInterval(1);
  return window;
}

/// A context for the worker that shares the window's objects: a window that is never shown. Empty where there is none to be had.
WindowHandle create_worker_context(GLFWwindow* window) {
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  WindowHandle hidden(glfwCreateWindow(16, 16, "Warpbook's worker", nullptr, window));
  glfwWindowHint(GLFW_VISIBLE, GLFW_TRUE);
  return hidden;
}

float scale_of(GLFWwindow* window) {
  float x = 1, y = 1;
  glfwGetWindowContentScale(window, &x, &y);
  return std::max(x, 0.5f);
}

/// The display's scale times the learner's.
float wanted_scale(GLFWwindow* window, const Session& session) {
  int width = 0, height = 0;
  glfwGetFramebufferSize(window, &width, &height);
  if (session.presenting) return present_scale(static_cast<float>(width), static_cast<float>(height));
  const float display = scale_of(window);
  return display * fitting_zoom(session.zoom, static_cast<float>(width), static_cast<float>(height), display);
}

/// The window on the whole monitor, and back where it was.
class FullScreen {
 public:
  void follow(GLFWwindow* window, bool wanted) {
    if (wanted == on_) return;
    on_ = wanted;
    GLFWmonitor* const monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode* const mode = monitor != nullptr ? glfwGetVideoMode(monitor) : nullptr;
    if (wanted && mode != nullptr) {
      glfwGetWindowPos(window, &x_, &y_);
      glfwGetWindowSize(window, &width_, &height_);
      glfwSetWindowMonitor(window, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
    } else if (width_ > 0) {
      glfwSetWindowMonitor(window, nullptr, x_, y_, width_, height_, GLFW_DONT_CARE);
    }
  }

 private:
  bool on_ = false;
  int x_ = 0, y_ = 0, width_ = 0, height_ = 0;
};

/// Writes what is on screen and what can be clicked, when it has changed.
class WidgetLog {
 public:
  WidgetLog() {
    if (const char* file = std::getenv("WARPBOOK_WIDGETS"); file != nullptr && *file != '\0') file_ = file;
  }
  void write(const Session& session) {
    if (file_.empty()) return;
    std::string now = visible_as_json(session);
    if (now == last_) return;
    // Beside it, then over it: whoever reads never sees half a file.
    const std::string fresh = file_ + ".new";
    std::ofstream(fresh) << now << '\n';
    if (std::rename(fresh.c_str(), file_.c_str()) == 0) last_ = std::move(now);
  }

 private:
  std::string file_, last_;
};

Result<void> apply_scale(Session& session, float scale) {
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  auto loaded = load_theme(lessons::data_directory() / "assets" / "tokens.toml", session.appearance, scale);
  if (!loaded) return loaded;
  ImGui_ImplOpenGL3_CreateFontsTexture();
  return {};
}

Result<void> keep_open(GLFWwindow* window, Session& session, Workbook& book, Desk& desk) {
  float scale = wanted_scale(window, session);
  if (auto applied = apply_scale(session, scale); !applied) return applied;
  if (session.notice.empty()) session.notice = theme_notice();
  WidgetLog log;
  FullScreen full_screen;
  float limited_at = 0;  // the display's scale
  while (!session.close) {
    if (desk.frames_wanted > 0 || book.animating() || key_pointer_moves()) {
      glfwPollEvents();
    } else {
      double seconds = ImGui::GetIO().WantTextInput ? caret_blink : look_around;
      if (const auto due = book.wait()) seconds = std::min(seconds, *due);
      if (const double due = hint_wait(); due > 0) seconds = std::min(seconds, due);
      glfwWaitEventsTimeout(std::max(seconds, 0.001));
    }
    desk.frames_wanted = std::max(desk.frames_wanted - 1, 0);
    if (const float now = wanted_scale(window, session); now != scale) {
      scale = now;
      if (auto applied = apply_scale(session, scale); !applied) return applied;
    }
    // Only when it has changed: the window is told of its own new limits, and would draw for that.
    if (const float display = scale_of(window); display != limited_at) {
      limited_at = display;
      glfwSetWindowSizeLimits(window, static_cast<int>(std::min(smallest_width * display, 4096.0f)),
                              static_cast<int>(std::min(smallest_height * display, 4096.0f)), GLFW_DONT_CARE, GLFW_DONT_CARE);
    }
    full_screen.follow(window, session.full_screen);
    book.poll(glfwGetTime());
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    apply_key_pointer();
    ImGui::NewFrame();
    draw_workbook(session, book, ImGui::GetIO().DisplaySize);
    ImGui::Render();
    int width = 0, height = 0;
    glfwGetFramebufferSize(window, &width, &height);
    glViewport(0, 0, width, height);
    const ImVec4 background = ImGui::ColorConvertU32ToFloat4(theme().background.page);
    glClearColor(background.x, background.y, background.z, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    glfwSwapBuffers(window);
    book.drawn();
    log.write(session);
  }
  return {};
}

Session session_of(const WindowOptions& options) {
  const lessons::Lesson& first = options.lesson != nullptr ? *options.lesson : *lessons::all_lessons().front();
  Session session = make_session(first, options.appearance);
  session.gpus = options.gpus;
  session.chosen = options.device;
  session.zoom = static_cast<float>(options.desk.zoom);
  session.rerun = options.desk.rerun;
  session.compiler = gpu::compiler_choice_named(options.desk.compiler).value_or(gpu::CompilerChoice::automatic);
  if (std::getenv("WARPBOOK_COMPILER") != nullptr) session.asked_compiler = gpu::compiler_choice();
  session.language = options.desk.language;
  session.languages = lessons::language_directory();
  session.rail_folded = options.desk.rail_folded;
  session.bench_width = options.desk.bench_width;
  session.toured = options.desk.toured;
  session.kept_in = options.keep_in.string();
  if (const gpu::Profile* profile = gpu::find_profile(options.device.profile)) session.chosen.profile = profile->name;
  return session;
}

}  // namespace

Result<WindowClosed> open_window(const WindowOptions& options) {
  Library library;
  if (!library.ready()) {
    return failure(
        "no_display",
        say("There is no display to open a window on. Start Warpbook in a desktop session, or draw a lesson to a file with "
            "`warpbook picture LESSON FILE.png`."));
  }
  auto created = create_window(options);
  // The driver may have an older OpenGL, as Direct3D's under WSL.
  if (!created && library.change_to_software()) created = create_window(options);
  if (!created) return failure(created.error());
  GLFWwindow* window = created->get();
#ifndef NDEBUG
  glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
  glDebugMessageCallback(on_opengl_message, nullptr);
#endif

  Session session = session_of(options);
  gpu::prefer_compiler(session.compiler);
  // Outlives the worker that uses it.
  const WindowHandle worker_context = session.gpus.found.empty() ? nullptr : create_worker_context(window);
  std::function<bool(bool)> opengl;
  if (worker_context) {
    opengl = [context = worker_context.get()](bool current) {
      glfwMakeContextCurrent(current ? context : nullptr);
      return !current || glfwGetCurrentContext() == context;
    };
  }
  Workbook book(session,
                {.device = session.chosen, .wake = [] { glfwPostEmptyEvent(); }, .make_device = {}, .opengl = std::move(opengl)},
                options.keep_in);
  if (!options.file.empty())
    book.open_file(options.file);
  else if (!session.toured && session.other_windows.empty())
    start_tour(session, book);

  // Ours first: ImGui's backend calls on to what it finds installed.
  Desk desk{.session = &session, .book = &book};
  glfwSetWindowUserPointer(window, &desk);
  glfwSetKeyCallback(window, on_key);
  glfwSetCharCallback(window, on_character);
  glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int, int, int) { on_anything(w); });
  glfwSetScrollCallback(window, [](GLFWwindow* w, double, double) { on_anything(w); });
  glfwSetCursorPosCallback(window, [](GLFWwindow* w, double, double) { on_anything(w); });
  glfwSetCursorEnterCallback(window, [](GLFWwindow* w, int) { on_anything(w); });
  glfwSetWindowFocusCallback(window, [](GLFWwindow* w, int) { on_anything(w); });
  glfwSetDropCallback(window, [](GLFWwindow* w, int count, const char** paths) {
    on_anything(w);
    desk_of(w).book->drop({paths, paths + count});
  });
  glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { on_anything(w); });
  glfwSetWindowCloseCallback(window, [](GLFWwindow* w) {
    on_anything(w);
    desk_of(w).book->close();
    glfwSetWindowShouldClose(w, GLFW_FALSE);  // Session::close ends the loop
  });
  glfwSetWindowRefreshCallback(window, [](GLFWwindow* w) { on_anything(w); });

  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui_ImplGlfw_InitForOpenGL(window, true);
  take_keys_over();
  ImGui_ImplOpenGL3_Init("#version 450");
  const Result<void> ended = keep_open(window, session, book, desk);
  release_view_resources();
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
  if (!ended) return failure(ended.error());
  return WindowClosed{.restart_with = session.restart_with};
}

}  // namespace warpbook::app
