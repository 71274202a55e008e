// A language for tests, made of the sentences in the source by `script/messages --pseudo`: accents on the letters, a third longer,
// and brackets at both ends, so that whatever is drawn without brackets was never passed to say().
//
//     PseudoLanguage pseudo;      // is spoken from here on
//     text == "⟦Séttíñgs éóé⟧"
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "gpu/language.h"

namespace warpbook::test {

class PseudoLanguage {
 public:
  PseudoLanguage() : folder_(std::filesystem::temp_directory_path() / fmt::format("warpbook_pseudo_{}", ::getpid())) {
    std::filesystem::create_directories(folder_);
    const std::string po = (folder_ / "xx.po").string(), mo = (folder_ / "xx.mo").string();
    const std::string made =
        fmt::format("'{}/script/messages' --pseudo '{}' && msgfmt --output-file='{}' '{}'", WARPBOOK_ROOT, po, mo, po);
    EXPECT_EQ(std::system(made.c_str()), 0) << "these tests need gettext: script/bootstrap installs it";
    const auto spoken = speak("xx", folder_);
    EXPECT_TRUE(spoken) << spoken.error().message;
  }
  ~PseudoLanguage() {
    EXPECT_TRUE(speak("en", folder_));
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  PseudoLanguage(const PseudoLanguage&) = delete;
  PseudoLanguage& operator=(const PseudoLanguage&) = delete;

  /// With its catalogue: what the window's settings offer.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

}  // namespace warpbook::test
