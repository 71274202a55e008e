// A variable of the environment that a test changes: afterwards it is as it was, so that the tests behind it run as they were asked
// to.
//
//     const KeptVariable kept("WARPBOOK_COMPILER");
//     setenv("WARPBOOK_COMPILER", "clang", 1);
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace warpbook::test {

class KeptVariable {
 public:
  explicit KeptVariable(std::string name) : name_(std::move(name)) {
    if (const char* const value = std::getenv(name_.c_str())) before_ = value;
  }
  ~KeptVariable() {
    if (before_)
      setenv(name_.c_str(), before_->c_str(), 1);
    else
      unsetenv(name_.c_str());
  }
  KeptVariable(const KeptVariable&) = delete;
  KeptVariable& operator=(const KeptVariable&) = delete;

 private:
  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace warpbook::test
