// A check for options that take a whole number: what is negative, no number or too large is refused with a sentence, not wrapped
// around or cut to what fits.
//
//     command->add_option("--seed", options->seed, "…")->check(whole_number<std::uint64_t>());
#pragma once

#include <fmt/format.h>

#include <CLI/Validators.hpp>
#include <charconv>
#include <limits>
#include <string>

namespace warpbook::app {

template <class T>
[[nodiscard]] CLI::Validator whole_number() {
  return {[](const std::string& text) {
            T value = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (error == std::errc() && end == text.data() + text.size()) return std::string();
            return fmt::format("'{}' is no whole number from 0 to {}", text, std::numeric_limits<T>::max());
          },
          ""};
}

}  // namespace warpbook::app
