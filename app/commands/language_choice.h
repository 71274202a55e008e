// The language that commands and the window speak: --language, or else WARPBOOK_LANGUAGE, or else the desktop's.
//
//     if (const auto chosen = choose_language(argc, argv); !chosen) return complain(chosen.error());
//     add_language_option(program);        // which says so in the help
#pragma once

#include <CLI/App.hpp>

#include "gpu/result.h"

namespace warpbook::app {

/// Before anything is worded, the help included. What --language says becomes WARPBOOK_LANGUAGE, for the processes that this one
/// starts. Error: "unknown_language", "bad_catalogue".
[[nodiscard]] Result<void> choose_language(int argc, const char* const* argv);
void add_language_option(CLI::App& program);
/// Whether somebody asked for a language, so that the one of the window's settings does not count.
[[nodiscard]] bool language_was_asked_for();

}  // namespace warpbook::app
