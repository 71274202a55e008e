// Appearance: whether the workbook is dark or light. A header of its own, so that the session can name it without ImGui.
#pragma once

namespace warpbook::app {

enum class Appearance { dark, light };

}  // namespace warpbook::app
