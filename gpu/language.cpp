#include "gpu/language.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "gpu/message.h"
#include "gpu/translation.h"

namespace warpbook {
namespace {

namespace fs = std::filesystem;

std::atomic<const Translation*> in_force = nullptr;

/// What has been read, by file. Nothing is ever given back: a Wording refers to its text.
struct Read {
  std::mutex mutex;
  std::map<fs::path, std::unique_ptr<const Translation>> translations;
  std::string code = "en";  // of the one in force
};
Read& all_read() {
  static auto* const all = new Read;  // never destroyed: other threads may speak until the very end
  return *all;
}

/// "pt_BR.UTF-8@latin" → "pt_BR"
std::string_view bare(std::string_view code) { return code.substr(0, code.find_first_of(".@")); }

bool is_english(std::string_view code) {
  return code == "C" || code == "POSIX" || code == "en" || code.starts_with("en_") || code.starts_with("en-");
}

/// The catalogue for this code, and the code that it has itself.
std::optional<std::pair<std::string, fs::path>> catalogue(std::string_view asked, const fs::path& folder) {
  const auto is_plain = [](char c) { return message_parts::continues_name(c) || c == '-' || c == '.' || c == '@'; };
  if (!std::all_of(asked.begin(), asked.end(), is_plain)) return std::nullopt;  // it becomes a file's name
  std::string code(bare(asked));
  std::replace(code.begin(), code.end(), '-', '_');
  if (code.empty()) return std::nullopt;
  for (;;) {
    const fs::path file = folder / (code + ".mo");
    std::error_code none;
    if (fs::is_regular_file(file, none)) return std::pair(code, file);
    const auto country = code.rfind('_');
    if (country == std::string::npos) return std::nullopt;
    code.resize(country);
  }
}

/// `all_read().mutex` is held.
Result<const Translation*> read(const fs::path& file) {
  auto& kept = all_read().translations[file];
  if (kept == nullptr) {
    auto translation = Translation::read(file);
    if (!translation) return failure(translation.error());
    kept = std::make_unique<const Translation>(std::move(*translation));
  }
  return kept.get();
}

std::vector<std::string> codes_in(const fs::path& folder) {
  std::vector<std::string> codes;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (entry.path().extension() == ".mo") codes.push_back(entry.path().stem());
  }
  std::sort(codes.begin(), codes.end());
  return codes;
}

void use(const Translation* translation, std::string code) {
  in_force.store(translation, std::memory_order_release);
  all_read().code = std::move(code);
}

}  // namespace

const Translation* translation_in_force() { return in_force.load(std::memory_order_acquire); }

std::string language_in_force() {
  const std::lock_guard lock(all_read().mutex);
  return all_read().code;
}

std::vector<LanguageChoice> languages_in(const fs::path& folder) {
  const std::lock_guard lock(all_read().mutex);
  std::vector<LanguageChoice> found;
  for (const std::string& code : codes_in(folder)) {
    const auto translation = read(folder / (code + ".mo"));
    if (!translation) continue;
    constexpr ToSay name = to_say_in("the name of this language", "English");
    found.push_back({code, std::string((*translation)->find(name.context, name.english).value_or(code))});
  }
  if (!found.empty()) found.insert(found.begin(), {"en", "English"});
  return found;
}

Result<void> speak(std::string_view code, const fs::path& folder) {
  const std::lock_guard lock(all_read().mutex);
  const auto there = catalogue(code, folder);
  if (!there) {
    if (is_english(bare(code))) {
      use(nullptr, "en");
      return {};
    }
    const auto others = codes_in(folder);
    return failure("unknown_language", others.empty()
                                           ? say("there is no language '{code}': Warpbook has English (en) alone.", "code"_a = code)
                                           : say("there is no language '{code}'. There are en and these: {others}.",
                                                 "code"_a = code, "others"_a = fmt::format("{}", fmt::join(others, ", "))));
  }
  const auto translation = read(there->second);
  if (!translation) return failure(translation.error());
  use(*translation, there->first);
  return {};
}

void speak_as_the_desktop(const fs::path& folder) {
  const auto value = [](const char* name) {
    const char* const words = std::getenv(name);
    return std::string(words == nullptr ? "" : words);
  };
  std::string locale = value("LC_ALL");
  if (locale.empty()) locale = value("LC_MESSAGES");
  if (locale.empty()) locale = value("LANG");
  // As gettext has it: LANGUAGE is a list that counts only where the locale is not C.
  const bool plain = locale.empty() || bare(locale) == "C" || bare(locale) == "POSIX";
  const std::string list = plain ? std::string() : value("LANGUAGE") + ":" + locale;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(':', at), list.size());
    const std::string code = list.substr(at, end - at);
    if (!code.empty() && speak(code, folder)) return;
    at = end + 1;
  }
}

}  // namespace warpbook
