// Result<T>: the return type of functions that can fail. No exception crosses a library's boundary.
//
//     Result<int> parsed = parse(text);
//     if (!parsed) return failure(parsed.error());
//     use(*parsed);
//
// An Error is a sentence for the learner (what, where, what to try next) and a short code for programs: a CUDA error name
// ("cudaErrorInvalidConfiguration") or one of our own ("missing_file").
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace warpbook {

struct Error {
  std::string code;
  std::string message;
};

template <class T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> failure(Error error) { return tl::unexpected<Error>(std::move(error)); }
[[nodiscard]] inline tl::unexpected<Error> failure(std::string code, std::string message) {
  return tl::unexpected<Error>(Error{std::move(code), std::move(message)});
}

}  // namespace warpbook
