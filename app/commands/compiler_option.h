// --compiler, which every command that compiles has: WARPBOOK_COMPILER said on the command line.
//
//     add_compiler_option(*command);
#pragma once

#include <CLI/App.hpp>

namespace warpbook::app {

/// Must be parsed before the first compile. An unknown name is wrong usage.
void add_compiler_option(CLI::App& command);

}  // namespace warpbook::app
