// Fonts: where the typefaces named in assets/tokens.toml lie on this machine.
//
//     if (auto file = find_font("Inter-Regular")) atlas.add(*file);
//     else say("Install fonts-inter.");
//
// Looks through the XDG data directories' `fonts` folders (the same places fontconfig looks by default), once a process.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbook::app {

/// By file name without extension; .otf and .ttf.
[[nodiscard]] std::optional<std::filesystem::path> find_font(std::string_view stem);

/// Debian's package for a typeface's file name, for advice; empty where unknown.
[[nodiscard]] std::string_view font_package(std::string_view stem);

}  // namespace warpbook::app
