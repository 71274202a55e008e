// Panels: the window's parts, a row a panel in one table, and where each stands.
//
//     draw_workbook(session, actions, io.DisplaySize);     // between ImGui::NewFrame and ImGui::Render
//
// To add a panel: write panels/NAME.{h,cpp} with a draw function and add its row in panels.cpp. A panel draws into a window that
// the shell has opened for it, as large as its rectangle, and asks for work through Actions only.
#pragma once

#include <imgui.h>

#include <optional>
#include <span>
#include <string_view>

#include "app/session.h"
#include "app/widgets.h"

namespace warpbook::app {

inline constexpr float panel_padding = 16;  // within the bench and what lies on it, CSS pixels

/// Where the panels stand, in screen pixels.
struct Layout {
  Rect rail, page, bench;
  bool rail_collapsed = false;
  bool rail_can_unfold = false;  // there is room for the whole of it
  bool bench_strip = false;      // folded to a strip; its rectangle is the strip's
};
/// The collapse order. `rail_folded`: by the learner, or because the lesson wants its room for a view. `bench_width`: CSS
/// pixels, by the learner; empty: the window's share.
[[nodiscard]] Layout arrange(float width, float height, bool rail_folded, bool bench_unfolded, std::optional<double> bench_width);

struct Panel {
  std::string_view id;
  Rect Layout::*area;
  bool scrolls;
  bool (*shown)(const Session&);
  void (*draw)(Session&, Actions&, const Layout&);
};
[[nodiscard]] std::span<const Panel> panels();

void draw_workbook(Session& session, Actions& actions, ImVec2 size);

}  // namespace warpbook::app
