#include "gpu/translation.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "gpu/input_file.h"
#include "gpu/text.h"

namespace warpbook {
namespace {

/// C's expressions of one variable, from the operator that binds least to the one that binds most. Both sides of an operator are
/// worked out, as neither has an effect.
class PluralExpression {
 public:
  PluralExpression(std::string_view text, std::uint64_t n) : text_(text), n_(n) {}

  std::optional<std::uint64_t> value() {
    const std::uint64_t result = choice();
    blanks();
    if (!good_ || at_ != text_.size()) return std::nullopt;
    return result;
  }

 private:
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(std::string_view sign) {
    blanks();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  /// `sign`, unless it is the beginning of `longer`.
  bool take(std::string_view sign, std::string_view longer) {
    blanks();
    return !text_.substr(at_).starts_with(longer) && take(sign);
  }

  std::uint64_t choice() {
    if (++depth_ > 64) good_ = false;
    if (!good_) return 0;
    const std::uint64_t condition = either();
    std::uint64_t result = condition;
    if (take("?")) {
      const std::uint64_t yes = choice();
      good_ = good_ && take(":");
      const std::uint64_t no = choice();
      result = condition != 0 ? yes : no;
    }
    --depth_;
    return result;
  }
  std::uint64_t either() {
    std::uint64_t left = both();
    while (take("||")) left = static_cast<std::uint64_t>((both() != 0) | (left != 0));
    return left;
  }
  std::uint64_t both() {
    std::uint64_t left = equal();
    while (take("&&")) left = static_cast<std::uint64_t>((equal() != 0) & (left != 0));
    return left;
  }
  std::uint64_t equal() {
    std::uint64_t left = ordered();
    for (;;) {
      if (take("=="))
        left = static_cast<std::uint64_t>(left == ordered());
      else if (take("!="))
        left = static_cast<std::uint64_t>(left != ordered());
      else
        return left;
    }
  }
  std::uint64_t ordered() {
    std::uint64_t left = sum();
    for (;;) {
      if (take("<="))
        left = static_cast<std::uint64_t>(left <= sum());
      else if (take(">="))
        left = static_cast<std::uint64_t>(left >= sum());
      else if (take("<"))
        left = static_cast<std::uint64_t>(left < sum());
      else if (take(">"))
        left = static_cast<std::uint64_t>(left > sum());
      else
        return left;
    }
  }
  std::uint64_t sum() {
    std::uint64_t left = product();
    for (;;) {
      if (take("+"))
        left += product();
      else if (take("-"))
        left -= product();
      else
        return left;
    }
  }
  std::uint64_t product() {
    std::uint64_t left = single();
    for (;;) {
      const bool times = take("*"), over = !times && take("/");
      if (!times && !over && !take("%")) return left;
      const std::uint64_t right = single();
      if (!times && right == 0) {
        good_ = false;
        return 0;
      }
      left = times ? left * right : over ? left / right : left % right;
    }
  }
  std::uint64_t single() {
    if (++depth_ > 64) good_ = false;
    std::uint64_t result = 0;
    if (!good_) return 0;
    if (take("!", "!=")) {
      result = static_cast<std::uint64_t>(single() == 0);
    } else if (take("(")) {
      result = choice();
      good_ = good_ && take(")");
    } else if (take("n")) {
      result = n_;
    } else {
      blanks();
      const char* const from = text_.data() + at_;
      const auto [end, error] = std::from_chars(from, text_.data() + text_.size(), result);
      good_ = good_ && error == std::errc();
      at_ += static_cast<std::size_t>(end - from);
    }
    --depth_;
    return result;
  }

  std::string_view text_;
  std::uint64_t n_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool good_ = true;
};

tl::unexpected<Error> bad(std::string_view what) { return failure("bad_catalogue", std::string(what)); }

/// What follows `name` in a line of the catalogue's head.
std::string_view field(std::string_view head, std::string_view name) {
  for (std::size_t at = 0; at < head.size();) {
    const std::size_t end = std::min(head.find('\n', at), head.size());
    const std::string_view line = head.substr(at, end - at);
    if (line.starts_with(name)) return trimmed(line.substr(name.size()));
    at = end + 1;
  }
  return {};
}

}  // namespace

std::optional<std::uint64_t> plural_form(std::string_view expression, std::uint64_t n) {
  return PluralExpression(expression, n).value();
}

// The bytes stay where they are: entries_ views them.
Translation::Translation(Translation&& other) noexcept
    : bytes_(std::move(other.bytes_)),
      entries_(std::move(other.entries_)),
      plural_(std::move(other.plural_)),
      forms_(other.forms_) {}

Result<Translation> Translation::read(const std::filesystem::path& file) {
  auto bytes = read_input(file);
  if (!bytes) return failure(bytes.error());
  auto translation = of(std::move(*bytes));
  if (!translation) {
    return failure("bad_catalogue",
                   fmt::format("{} is not a catalogue that msgfmt has written: {}", file.string(), translation.error().message));
  }
  return translation;
}

Result<Translation> Translation::of(std::string bytes) {
  Translation translation;
  translation.bytes_ = std::move(bytes);
  // Views into a short string would not survive its move.
  if (translation.bytes_.size() < 64) translation.bytes_.reserve(64);
  if (const auto read = translation.index(); !read) return failure(read.error());
  return translation;
}

// The format: seven numbers (a magic one, a revision, how many sentences, where the two tables of lengths and places begin), all as
// the machine that wrote the file has them.
Result<void> Translation::index() {
  constexpr std::uint32_t magic = 0x950412de, magic_reversed = 0xde120495;
  const auto raw = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value |= std::uint32_t{static_cast<unsigned char>(bytes_[at + i])} << (8 * i);
    return value;
  };
  if (bytes_.size() < 28) return bad("it is too short.");
  const bool reversed = raw(0) == magic_reversed;
  if (!reversed && raw(0) != magic) return bad("it does not begin as one.");
  const auto number = [&](std::size_t at) { return reversed ? __builtin_bswap32(raw(at)) : raw(at); };
  if (number(4) >> 16 > 1) return bad("its format is newer than this program.");
  const std::size_t count = number(8), sentences = number(12), translations = number(16);
  const auto table_fits = [&](std::size_t table) { return table <= bytes_.size() && count <= (bytes_.size() - table) / 8; };
  if (!table_fits(sentences) || !table_fits(translations)) return bad("its tables lie outside of it.");
  const auto text = [&](std::size_t entry) -> std::optional<std::string_view> {
    const std::size_t length = number(entry), at = number(entry + 4);
    if (at >= bytes_.size() || length >= bytes_.size() - at || bytes_[at + length] != '\0') return std::nullopt;
    return std::string_view(bytes_).substr(at, length);
  };
  for (std::size_t i = 0; i < count; ++i) {
    const auto english = text(sentences + 8 * i), there = text(translations + 8 * i);
    if (!english || !there) return bad(fmt::format("sentence {} lies outside of it.", i + 1));
    if (english->empty()) {
      if (const auto head = read_plurals(*there); !head) return head;
      continue;
    }
    entries_.emplace(english->substr(0, english->find('\0')), *there);
  }
  return {};
}

Result<void> Translation::read_plurals(std::string_view head) {
  const std::string_view type = field(head, "Content-Type:");
  if (const auto at = lowered(type).find("charset="); at != std::string::npos && lowered(type).substr(at + 8) != "utf-8")
    return bad("its text is not in UTF-8.");
  const std::string_view rule = field(head, "Plural-Forms:");
  if (rule.empty()) return {};
  const auto forms = rule.find("nplurals="), plural = rule.find("plural=", forms == std::string_view::npos ? 0 : forms + 9);
  if (forms == std::string_view::npos || plural == std::string_view::npos) return bad("it does not say how plurals are made.");
  std::from_chars(rule.data() + forms + 9, rule.data() + rule.size(), forms_);
  const std::string_view expression = rule.substr(plural + 7);
  plural_ = std::string(trimmed(expression.substr(0, expression.find(';'))));
  for (std::uint64_t n = 0; n <= 200; ++n) {
    const auto form = plural_form(plural_, n);
    if (!form || *form >= forms_) return bad("its rule for plurals does not hold for every number.");
  }
  return {};
}

const std::string_view* Translation::entry(std::string_view context, std::string_view english) const {
  const auto found = context.empty() ? entries_.find(english)
                                     : entries_.find(std::string_view(std::string(context) + '\4' + std::string(english)));
  return found == entries_.end() || found->second.empty() ? nullptr : &found->second;
}

std::optional<std::string_view> Translation::find(std::string_view context, std::string_view english) const {
  const std::string_view* const there = entry(context, english);
  if (there == nullptr) return std::nullopt;
  return there->substr(0, there->find('\0'));
}

std::optional<std::string_view> Translation::find(std::string_view context, std::string_view english, std::uint64_t count) const {
  const std::string_view* const there = entry(context, english);
  if (there == nullptr) return std::nullopt;
  std::string_view rest = *there;
  const std::uint64_t form = plural_form(plural_, count).value_or(forms_);
  for (std::uint64_t i = 0; i < form; ++i) {
    const auto end = rest.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(end + 1);
  }
  const std::string_view chosen = rest.substr(0, rest.find('\0'));
  if (chosen.empty()) return std::nullopt;
  return chosen;
}

}  // namespace warpbook
