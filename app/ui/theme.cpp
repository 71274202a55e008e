#include "app/ui/theme.h"

#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "app/ui/fonts.h"
#include "gpu/finding_kinds.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

struct State {
  Theme both[2];  // by Appearance; fonts, spacing and radii are the same in both
  Theme now;
  float scale = 1;
  std::array<ImFont*, static_cast<std::size_t>(Face::count)> fonts{};
  std::array<float, static_cast<std::size_t>(Face::count)> lines{};  // CSS pixels
  std::string notice;
};
State theme_state;

/// "#RRGGBB" → ImU32, opaque.
std::optional<ImU32> colour_of(std::string_view text) {
  if (text.size() != 7 || text[0] != '#') return std::nullopt;
  unsigned rgb = 0;
  for (const char c : text.substr(1)) {
    unsigned digit = 0;
    if (c >= '0' && c <= '9')
      digit = static_cast<unsigned>(c - '0');
    else if (c >= 'A' && c <= 'F')
      digit = static_cast<unsigned>(c - 'A') + 10;
    else if (c >= 'a' && c <= 'f')
      digit = static_cast<unsigned>(c - 'a') + 10;
    else
      return std::nullopt;
    rgb = rgb * 16 + digit;
  }
  return IM_COL32((rgb >> 16) & 0xff, (rgb >> 8) & 0xff, rgb & 0xff, 0xff);
}

/// Reads what the tokens must have and remembers what was missing, so that one message names it all.
class Reader {
 public:
  explicit Reader(const toml::table& table) : table_(table) {}

  void colour(const std::string& path, ImU32& into) {
    const auto text = table_.at_path(path).value<std::string_view>();
    const auto colour = text ? colour_of(*text) : std::nullopt;
    if (colour)
      into = *colour;
    else
      missing(path);
  }
  void ramp(const std::string& path, Ramp& into) {
    const toml::array* stops = table_.at_path(path).as_array();
    if (stops == nullptr || stops->empty()) return missing(path);
    into.clear();
    for (const auto& stop : *stops) {
      const auto text = stop.value<std::string_view>();
      const auto colour = text ? colour_of(*text) : std::nullopt;
      if (!colour) return missing(path);
      into.push_back(*colour);
    }
  }
  void length(const std::string& path, float& into) {
    const auto value = table_.at_path(path).value<double>();
    if (value)
      into = static_cast<float>(*value);
    else
      missing(path);
  }
  void word(const std::string& path, std::string& into) {
    const auto value = table_.at_path(path).value<std::string>();
    if (value)
      into = *value;
    else
      missing(path);
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  void missing(const std::string& path) { missing_ += (missing_.empty() ? "" : ", ") + path; }

  const toml::table& table_;
  std::string missing_;
};

void read_appearance(Reader& reader, const std::string& name, Theme& theme) {
  const auto group = [&](const std::string& section, std::initializer_list<std::pair<const char*, ImU32*>> rows) {
    for (const auto& [key, into] : rows) reader.colour(name + "." + section + "." + key, *into);
  };
  auto& b = theme.background;
  group("background", {{"window", &b.window},
                       {"page", &b.page},
                       {"raised", &b.raised},
                       {"control", &b.control},
                       {"hover", &b.hover},
                       {"pressed", &b.pressed},
                       {"segment", &b.segment},
                       {"plot", &b.plot},
                       {"line", &b.line},
                       {"line_strong", &b.line_strong}});
  auto& t = theme.text;
  group("text", {{"first", &t.first}, {"second", &t.second}, {"third", &t.third}, {"disabled", &t.disabled}});
  auto& h = theme.hand;
  group("hand", {{"fill", &h.fill},
                 {"hover", &h.hover},
                 {"pressed", &h.pressed},
                 {"on", &h.on},
                 {"text", &h.text},
                 {"line", &h.line},
                 {"tint", &h.tint}});
  auto& v = theme.verdict;
  group("verdict", {{"good", &v.good}, {"bad", &v.bad}, {"good_tint", &v.good_tint}, {"bad_tint", &v.bad_tint}});
  auto& s = theme.series;
  group("series", {{"blue", &s.blue},
                   {"orange", &s.orange},
                   {"green", &s.green},
                   {"violet", &s.violet},
                   {"pink", &s.pink},
                   {"stone", &s.stone}});
  for (const gpu::FindingRow& row : gpu::all_finding_kinds())
    reader.colour(name + ".finding." + std::string(row.name), theme.finding[static_cast<std::size_t>(row.kind)]);
  auto& w = theme.stall;
  group("stall", {{"issued", &w.issued},
                  {"global", &w.global},
                  {"shared", &w.shared},
                  {"atomic", &w.atomic},
                  {"barrier", &w.barrier},
                  {"dependency", &w.dependency},
                  {"ready", &w.ready},
                  {"idle", &w.idle}});
  auto& c = theme.code;
  group("code", {{"plain", &c.plain},
                 {"keyword", &c.keyword},
                 {"qualifier", &c.qualifier},
                 {"builtin", &c.builtin},
                 {"number", &c.number},
                 {"string", &c.string},
                 {"comment", &c.comment},
                 {"macro", &c.macro}});
  reader.ramp("colormap.heat", theme.ramp.heat);
  reader.ramp("colormap.sea", theme.ramp.sea);
  reader.ramp("colormap.diverging_" + name, theme.ramp.diverging);
  reader.ramp("colormap.blocks_" + name + "_even", theme.ramp.blocks_even);
  reader.ramp("colormap.blocks_" + name + "_odd", theme.ramp.blocks_odd);
}

void read_lengths(Reader& reader, Theme& theme) {
  auto& s = theme.space;
  const std::pair<const char*, float*> spaces[] = {{"unit", &s.unit},
                                                   {"page_padding", &s.page_padding},
                                                   {"gap", &s.gap},
                                                   {"gap_small", &s.gap_small},
                                                   {"control_height", &s.control_height},
                                                   {"row_height", &s.row_height},
                                                   {"rail_row", &s.rail_row},
                                                   {"header", &s.header},
                                                   {"rail", &s.rail},
                                                   {"rail_collapsed", &s.rail_collapsed},
                                                   {"bench", &s.bench},
                                                   {"bench_min", &s.bench_min},
                                                   {"bench_collapsed", &s.bench_collapsed}};
  for (const auto& [key, into] : spaces) reader.length(std::string("space.") + key, *into);
  auto& r = theme.radius;
  const std::pair<const char*, float*> radii[] = {{"bar", &r.bar}, {"control", &r.control}, {"box", &r.box}, {"card", &r.card}};
  for (const auto& [key, into] : radii) reader.length(std::string("radius.") + key, *into);
}

enum class Glyphs { text, digits };

/// What a face is baked from: a style of [type], or a relative of one.
struct FaceRow {
  Face face;
  const char* style;  // in [type]
  const char* file;   // another file than the style's; nullptr: the style's own
  float size;         // factor on the style's size: where the file differs, what makes the two stand well together
  Glyphs glyphs;
};

// JetBrains Mono against Inter at the same css size: 1.32 / 1.21 for ImGui's measure, times 0.93 because it looks larger.
constexpr float mono_beside_inter = 1.32f / 1.21f * 0.93f;

constexpr FaceRow face_rows[] = {
    {Face::caption, "caption", nullptr, 1, Glyphs::text},
    {Face::label, "label", nullptr, 1, Glyphs::text},
    {Face::body, "body", nullptr, 1, Glyphs::text},
    {Face::prose, "prose", nullptr, 1, Glyphs::text},
    {Face::head, "head", nullptr, 1, Glyphs::text},
    {Face::title, "title", nullptr, 1, Glyphs::text},
    {Face::figure, "figure", nullptr, 1, Glyphs::digits},
    {Face::result, "result", nullptr, 1, Glyphs::digits},
    {Face::hero, "hero", nullptr, 1, Glyphs::digits},
    {Face::code, "code", nullptr, 1, Glyphs::text},
    {Face::digits, "digits", nullptr, 1, Glyphs::text},
    {Face::prose_strong, "prose", "Inter-SemiBold", 1, Glyphs::text},
    {Face::prose_code, "prose", "JetBrainsMono-Regular", mono_beside_inter, Glyphs::text},
    {Face::label_strong, "label", "Inter-SemiBold", 1, Glyphs::text},
    {Face::body_strong, "body", "Inter-SemiBold", 1, Glyphs::text},
    {Face::label_code, "label", "JetBrainsMono-Regular", mono_beside_inter, Glyphs::text},
    {Face::digits_strong, "digits", "JetBrainsMono-Bold", 1, Glyphs::text},
    {Face::code_large, "code", nullptr, 16.0f / 13, Glyphs::text},
};
static_assert(std::size(face_rows) == static_cast<std::size_t>(Face::count));

// Latin-1, dashes and quotes, Greek, the arrows and operators that prose and axes use. ImGui keeps the pointer.
constexpr ImWchar text_ranges[] = {0x0020, 0x007e, 0x00a0, 0x00ff, 0x0391, 0x03c9, 0x2010, 0x2026, 0x2032, 0x2033, 0x2070, 0x2079,
                                   0x2080, 0x2089, 0x2190, 0x2193, 0x21d2, 0x21d2, 0x2202, 0x2202, 0x2207, 0x2207, 0x2211, 0x2212,
                                   0x221a, 0x221a, 0x221e, 0x221e, 0x2248, 0x2248, 0x2260, 0x2260, 0x2264, 0x2265, 0};
// Numbers only: + , - . 0-9 %, the letters of "not a number" and of exponents, the minus and infinity.
constexpr ImWchar digit_ranges[] = {0x0020, 0x0020, 0x0025, 0x0025, 0x002b, 0x002e, 0x0030, 0x0039, 0x0061,
                                    0x0062, 0x0065, 0x0066, 0x0069, 0x0069, 0x006d, 0x006f, 0x0072, 0x0072,
                                    0x0074, 0x0075, 0x2212, 0x2212, 0x221e, 0x221e, 0};

void add_missing_font(std::vector<std::string>& missing, const std::string& stem) {
  const std::string package(font_package(stem));
  const std::string& name = package.empty() ? stem : package;
  if (std::find(missing.begin(), missing.end(), name) == missing.end()) missing.push_back(name);
}

std::string notice_of(const std::vector<std::string>& missing) {
  if (missing.empty()) return {};
  if (missing.size() == 1)
    return say("Fonts are missing, so text looks plainer than it should. Install {font}.", "font"_a = missing.front());
  return say("Fonts are missing, so text looks plainer than it should. Install {font} and {other}.", "font"_a = missing[0],
             "other"_a = fmt::format("{}", fmt::join(missing.begin() + 1, missing.end(), ", ")));
}

void build_fonts(Reader& reader, float scale) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  atlas.Flags |= ImFontAtlasFlags_NoMouseCursors;
  // Oversampled, letters stand at fractions of a pixel. ImGui's FreeType builder would round every advance up to a whole one,
  // which spaces Inter out by 7 %.
  std::vector<std::string> missing;
  for (const FaceRow& row : face_rows) {
    const std::string style = std::string("type.") + row.style;
    std::string stem;
    float size = 0, line = 0;
    reader.word(style + ".font", stem);
    reader.length(style + ".imgui", size);
    reader.length(style + ".line", line);
    if (row.file != nullptr) stem = row.file;
    size *= row.size * scale;
    ImFontConfig config;
    config.PixelSnapH = false;
    config.OversampleH = scale < 1.5f ? 3 : 2;
    config.OversampleV = 1;
    const ImWchar* ranges = row.glyphs == Glyphs::digits ? digit_ranges : text_ranges;
    ImFont* font = nullptr;
    if (const auto file = find_font(stem)) font = atlas.AddFontFromFileTTF(file->c_str(), size, &config, ranges);
    if (font == nullptr) {
      add_missing_font(missing, stem);
      config.SizePixels = size;
      font = atlas.AddFontDefault(&config);
    }
    const auto index = static_cast<std::size_t>(row.face);
    theme_state.fonts[index] = font;
    theme_state.lines[index] = row.face == Face::code_large ? line * row.size : line;
  }
  theme_state.notice = notice_of(missing);
  atlas.Build();
  ImGui::GetIO().FontDefault = font(Face::body);
}

/// ImGui's own widgets are used for scrolling and tooltips only; they take their looks from the tokens too.
void style_imgui() {
  const Theme& t = theme_state.now;
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();
  style.WindowPadding = style.FramePadding = style.ItemSpacing = ImVec2(0, 0);
  style.WindowBorderSize = style.ChildBorderSize = 0;
  style.PopupBorderSize = 1;
  style.WindowRounding = style.ChildRounding = 0;
  style.PopupRounding = px(t.radius.card);
  style.ScrollbarSize = px(10);
  style.ScrollbarRounding = px(5);
  style.GrabMinSize = px(24);
  const auto set = [&](ImGuiCol slot, ImU32 colour) { style.Colors[slot] = ImGui::ColorConvertU32ToFloat4(colour); };
  set(ImGuiCol_Text, t.text.first);
  set(ImGuiCol_WindowBg, t.background.window);
  set(ImGuiCol_ChildBg, with_alpha(t.background.window, 0));
  set(ImGuiCol_PopupBg, t.background.raised);
  set(ImGuiCol_Border, t.background.line_strong);
  set(ImGuiCol_ScrollbarBg, with_alpha(t.background.window, 0));
  set(ImGuiCol_ScrollbarGrab, t.background.line);
  set(ImGuiCol_ScrollbarGrabHovered, t.background.line_strong);
  set(ImGuiCol_ScrollbarGrabActive, t.background.line_strong);
  set(ImGuiCol_NavHighlight, t.hand.line);
}

}  // namespace

Result<void> load_theme(const std::filesystem::path& tokens, Appearance appearance, float scale) {
  toml::table table;
  try {
    table = toml::parse_file(tokens.string());
  } catch (const toml::parse_error& error) {
    return failure("missing_file",
                   say("The theme {file} cannot be read: {why}. Set WARPBOOK_DATA to the folder that holds assets/.",
                       "file"_a = tokens.filename().string(), "why"_a = error.description()));
  }
  Reader reader(table);
  theme_state.scale = scale;
  for (const auto& [look, name] : {std::pair{Appearance::dark, "dark"}, std::pair{Appearance::light, "light"}}) {
    Theme& theme = theme_state.both[static_cast<std::size_t>(look)];
    theme.appearance = look;
    read_appearance(reader, name, theme);
    read_lengths(reader, theme);
  }
  build_fonts(reader, scale);
  if (!reader.missing().empty()) {
    return failure("missing_file", say("The theme {file} has no usable {entry}. Restore the file.",
                                       "file"_a = tokens.filename().string(), "entry"_a = reader.missing()));
  }
  switch_appearance(appearance);
  return {};
}

void switch_appearance(Appearance appearance) {
  theme_state.now = theme_state.both[static_cast<std::size_t>(appearance)];
  style_imgui();
}

const Theme& theme() { return theme_state.now; }
const std::string& theme_notice() { return theme_state.notice; }

ImFont* font(Face face) { return theme_state.fonts[static_cast<std::size_t>(face)]; }
float line_height(Face face) { return px(theme_state.lines[static_cast<std::size_t>(face)]); }
float px(float css) { return css * theme_state.scale; }

ImU32 mix(ImU32 a, ImU32 b, float t) {
  t = std::clamp(t, 0.0f, 1.0f);
  ImU32 mixed = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    const auto x = static_cast<float>((a >> shift) & 0xff), y = static_cast<float>((b >> shift) & 0xff);
    mixed |= static_cast<ImU32>(std::lround(x + (y - x) * t)) << shift;
  }
  return mixed;
}

ImU32 with_alpha(ImU32 colour, float alpha) {
  const auto a = static_cast<ImU32>(std::lround(std::clamp(alpha, 0.0f, 1.0f) * 255));
  return (colour & ~IM_COL32_A_MASK) | (a << IM_COL32_A_SHIFT);
}

ImU32 sample(const Ramp& ramp, float t) {
  if (ramp.empty()) return 0;
  const float at = std::clamp(t, 0.0f, 1.0f) * static_cast<float>(ramp.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(at), ramp.size() - 1);
  const auto above = std::min(below + 1, ramp.size() - 1);
  return mix(ramp[below], ramp[above], at - static_cast<float>(below));
}

}  // namespace warpbook::app
