// The language that sentences are in (message.h): English, or one of those whose catalogue lies in the data's languages/ folder.
//
//     for (const LanguageChoice& each : languages_in(folder)) offer(each.code, each.name);     // "fr", "français"
//     if (const auto spoken = speak("fr", folder); !spoken) print(spoken.error().message);     // "unknown_language",
//     "bad_catalogue" speak_as_the_desktop(folder);
//
// A code is a language's, with a country where that matters: "fr", "pt_BR", "zh_TW". "pt_BR.UTF-8" means the same; where there is
// no pt_BR there is pt.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/result.h"

namespace warpbook {

class Translation;

struct LanguageChoice {
  std::string code;
  std::string name;  // as the language calls itself: the translation of "English" in the context "the name of this language"
};
/// Those with a catalogue that can be read, by code. English is among them only if there is another one.
[[nodiscard]] std::vector<LanguageChoice> languages_in(const std::filesystem::path& folder);

/// From now on every sentence is in this language. What was said before stays valid. On an error the language stays as it is.
[[nodiscard]] Result<void> speak(std::string_view code, const std::filesystem::path& folder);
/// In the first language of LANGUAGE, LC_ALL, LC_MESSAGES and LANG that there is; or in English.
void speak_as_the_desktop(const std::filesystem::path& folder);
/// "en", "fr"
[[nodiscard]] std::string language_in_force();

/// nullptr: English, which the source has.
[[nodiscard]] const Translation* translation_in_force();

}  // namespace warpbook
