// The panels: one row each in one table. The shell opens an ImGui window for each of them; a panel draws into it.
//
//     draw_workbook(session, actions, io.DisplaySize);     // between ImGui::NewFrame and ImGui::Render
//
// To add a panel: write panels/NAME.{h,cpp} with a draw function and add its row in panel_table.cpp. A panel asks for work through
// Actions only.
#pragma once

#include <imgui.h>

#include <span>
#include <string_view>

#include "app/panels/window_layout.h"
#include "app/session/session.h"

namespace warpbook::app {

struct Panel {
  std::string_view id;
  Rect Layout::*area;
  bool scrolls;
  bool (*shown)(const Session&);
  void (*draw)(Session&, Actions&, const Layout&);
};
[[nodiscard]] std::span<const Panel> panels();

/// One frame: draws all panels that are shown and what lies over them, then answers the keys that no text field has taken.
void draw_workbook(Session& session, Actions& actions, ImVec2 size);

}  // namespace warpbook::app
