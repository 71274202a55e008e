// Random modules that are well-formed by construction: instructions of every form in the opcode table, between labels, with
// variables, initial values, a function and its calls.
//
//     random_module([&](unsigned n) { return rng() % n; }, 40);      // text that parse() must accept
//     random_statement(below);                                       // one instruction of such a module: "@%p1 add.s32 %r2, …;"
//
// `below(n)` must return a number in [0, n), so that rapidcheck or a fuzzer controls the choices. 0 is the simplest one.
#pragma once

#include <functional>
#include <string>

namespace warpbook::gpu::ptx::test {

using Below = std::function<unsigned(unsigned)>;

[[nodiscard]] std::string random_statement(const Below& below);
[[nodiscard]] std::string random_module(const Below& below, unsigned instructions);

}  // namespace warpbook::gpu::ptx::test
