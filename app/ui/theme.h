// Theme: assets/tokens.toml as colours, fonts and spacing. The only source of a colour, a font or a gap in app/.
//
//     load_theme(data_directory() / "assets/tokens.toml", Appearance::dark, 1.0f);   // once, before the first frame
//     draw->AddRectFilled(a, b, theme().background.raised, px(theme().radius.box));
//     ImGui::PushFont(font(Face::head));
//
// Colours are ImU32 (sRGB, opaque). Lengths in the tokens are CSS pixels: px() turns them into screen pixels.
#pragma once

#include <imgui.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "app/ui/appearance.h"
#include "gpu/report.h"
#include "gpu/result.h"

namespace warpbook::app {

/// Named text styles of tokens.toml [type]; body_strong and prose_strong are their SemiBold, prose_code and label_code JetBrains
/// Mono at the size that matches. code_large is presentation's: 32 where its smallest text is 24.
enum class Face {
  caption,
  label,
  body,
  prose,
  head,
  title,
  figure,
  result,
  hero,
  code,
  digits,
  prose_strong,
  prose_code,
  label_strong,
  body_strong,
  label_code,
  digits_strong,
  code_large,
  count
};

using Ramp = std::vector<ImU32>;  // evenly spaced stops, interpolated linearly in sRGB

struct Theme {
  Appearance appearance = Appearance::dark;
  struct {
    ImU32 window, page, raised, control, hover, pressed, segment, plot, line, line_strong;
  } background{};
  struct {
    ImU32 first, second, third, disabled;
  } text{};
  struct {
    ImU32 fill, hover, pressed, on, text, line, tint;
  } hand{};
  struct {
    ImU32 good, bad, good_tint, bad_tint;
  } verdict{};
  struct {
    ImU32 blue, orange, green, violet, pink, stone;
  } series{};
  std::array<ImU32, gpu::finding_kinds> finding{};  // by FindingKind
  struct {
    ImU32 issued, global, shared, atomic, barrier, dependency, ready, idle;
  } stall{};
  struct {
    ImU32 plain, keyword, qualifier, builtin, number, string, comment, macro;
  } code{};
  struct {
    Ramp heat, sea, diverging, blocks_even, blocks_odd;
  } ramp;  // diverging and blocks: of this appearance
  struct {
    float unit = 8, page_padding = 24, gap = 16, gap_small = 8, control_height = 32, row_height = 24, rail_row = 32, header = 56,
          rail = 208, rail_collapsed = 56, bench = 480, bench_min = 400, bench_collapsed = 48;
  } space;
  struct {
    float bar = 2, control = 4, box = 8, card = 8;
  } radius;
};

/// Needs an ImGui context; builds the fonts into its atlas and sets its style. Fails when the tokens cannot be read.
[[nodiscard]] Result<void> load_theme(const std::filesystem::path& tokens, Appearance appearance, float scale);
void switch_appearance(Appearance appearance);  // colours only; fonts stay
[[nodiscard]] const Theme& theme();
/// What is not as it should be, as a sentence: a font that is missing and was replaced. Empty: all is well.
[[nodiscard]] const std::string& theme_notice();

[[nodiscard]] ImFont* font(Face face);
[[nodiscard]] float line_height(Face face);  // screen pixels
[[nodiscard]] float px(float css);           // screen pixels of a CSS length
[[nodiscard]] ImU32 mix(ImU32 a, ImU32 b, float t);
[[nodiscard]] ImU32 with_alpha(ImU32 colour, float alpha);
[[nodiscard]] ImU32 sample(const Ramp& ramp, float t);  // t clamped to 0 … 1

}  // namespace warpbook::app
