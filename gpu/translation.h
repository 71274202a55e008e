// Translation: a catalogue of GNU gettext, as msgfmt writes it (.mo): English sentences and what they are in one language.
//
//     auto french = Translation::read("fr.mo");
//     if (french) french->find("", "Settings");                        // "Réglages"
//     french->find("", "{n} block waits.", 5);                         // the form that French has for five
//
// Read here, because the C library's gettext() needs the language's locale to be installed, Boost.Locale brings ICU with it, and
// libgettextpo is for editors of catalogues. The file may be anybody's: nothing in it is believed before it is checked.
// Error: "bad_catalogue", with what is wrong.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "gpu/result.h"

namespace warpbook {

/// The expression that a catalogue chooses a plural's form with: "n != 1", "n%10==1 && n%100!=11 ? 0 : 1" …, C's arithmetic of one
/// variable. Empty: it is none.
[[nodiscard]] std::optional<std::uint64_t> plural_form(std::string_view expression, std::uint64_t n);

class Translation {
 public:
  [[nodiscard]] static Result<Translation> read(const std::filesystem::path& file);
  /// The same of a file's contents.
  [[nodiscard]] static Result<Translation> of(std::string bytes);

  // The views refer to the text, which would move.
  Translation(Translation&&) noexcept;
  Translation& operator=(Translation&&) = delete;
  ~Translation() = default;

  /// Empty: it is not translated. What is found lives as long as the translation and ends in a null character.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view context, std::string_view english) const;
  [[nodiscard]] std::optional<std::string_view> find(std::string_view context, std::string_view english, std::uint64_t count) const;
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  Translation() = default;
  [[nodiscard]] Result<void> index();
  [[nodiscard]] Result<void> read_plurals(std::string_view head);
  [[nodiscard]] const std::string_view* entry(std::string_view context, std::string_view english) const;

  std::string bytes_;
  std::unordered_map<std::string_view, std::string_view> entries_;  // by context, a \4, and the sentence; forms with nulls between
  std::string plural_ = "n != 1";                                   // gettext's own where a catalogue says nothing
  std::uint64_t forms_ = 2;
};

}  // namespace warpbook
