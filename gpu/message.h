// Messages: every sentence that a person reads, in the language that is in force (language.h). English is written in the source,
// and is what stands where a translation is missing.
//
//     say("Settings");                                                                  // a fixed sentence
//     say("Block {block} has {threads} threads.", "block"_a = b, "threads"_a = n);      // with named values, as fmt writes them
//     say_many(n, "{n} block waits.", "{n} blocks wait.", "n"_a = n);                   // the language's own plural for n
//     say_in("a tab of the bench", "Host");                                             // a short word, and what it is
//     constexpr ToSay titles[] = {to_say("Settings"), to_say("Shortcuts")};             // a table of constants …
//     text(say(titles[i]));                                                             // … is worded when it is drawn
//     Message later = to_say("Thread {thread} waits.", "thread"_a = t);                 // a sentence without a language …
//     text(say(later));                                                                 // … and its wording
//     Paragraph all = later;  all.add(to_say("Nobody wakes it."));                      // several of them, one behind the other
//     const auto given = with("thread"_a = t, "at"_a = SourceLine{12});                 // sentences that have the same values
//     return writes ? given.to_say("Thread {thread} writes{at}.") : given.to_say("Thread {thread} reads{at}.");
//
// A sentence is whole: other languages put words and values in another order, so that nothing can be joined to it before or after.
// Where a condition chooses a word, write a sentence for each case. `script/messages` finds the sentences in the source by the
// names of these functions, so that what is passed to them is a literal.
//
// The compiler refuses a sentence that names a value which is not given, has a value without a name, leaves a given value out, or
// asks for a format that the value does not have. A translation that cannot be formatted is not used: the English sentence is.
//
// All of it may be called on any thread.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace warpbook {

/// A fixed sentence in some language: text that lives as long as the program and ends in a null character.
class Wording : public std::string_view {
 public:
  constexpr Wording() : std::string_view("") {}
  /// `found ? "" : say("Nothing was found.")`
  // NOLINTNEXTLINE: nothing reads the same in all languages
  consteval Wording(const char (&)[1]) : Wording() {}
  /// For message.cpp: `text` is a literal, or lies in a translation, none of which is ever given back.
  static constexpr Wording of(std::string_view text) { return Wording(text); }
  // NOLINTNEXTLINE: a sentence is wanted as a string as often as a view
  operator std::string() const { return std::string(data(), size()); }
  [[nodiscard]] const char* c_str() const { return data(); }

 private:
  constexpr explicit Wording(std::string_view text) : std::string_view(text) {}
};

// ---- named values ----

template <std::size_t N>
struct ValueName {
  char text[N]{};
  consteval ValueName(const char (&name)[N]) {
    for (std::size_t i = 0; i < N; ++i) text[i] = name[i];
  }
};

/// A value that a sentence names: a reference to what has a name of its own, and otherwise (T is no reference) the value.
template <ValueName Name, class T>
struct NamedValue {
  using type = std::remove_cvref_t<T>;
  static constexpr const char* name() { return Name.text; }
  T value;
};

template <ValueName Name>
struct NameOfValue {
  template <class T>
  constexpr NamedValue<Name, T> operator=(T&& value) const {
    return {std::forward<T>(value)};
  }
};

inline namespace literals {
template <ValueName Name>
consteval NameOfValue<Name> operator""_a() {
  return {};
}
}  // namespace literals

/// A value that the language has its own way to write: " (line 12)", or " (PTX line 34)", and nothing for line 0, where the place
/// is not known. It stands directly behind a word: "Thread 3 reads{at}."
struct SourceLine {
  std::uint32_t number = 0;
  bool of_ptx = false;  // where the PTX names no lines of a source
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

// ---- sentences, checked when they are compiled ----

namespace message_parts {

inline constexpr std::size_t longest_sentence = 2000, most_values = 16;

// What the compiler names where a sentence is wrong: none of these can be called while compiling.
void the_sentence_names_a_value_that_is_not_given();
void the_sentence_leaves_a_given_value_out();
void the_sentence_has_a_field_without_a_name();
void the_sentence_has_a_brace_without_its_partner();
void the_sentence_is_too_long();

constexpr bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool continues_name(char c) { return begins_name(c) || (c >= '0' && c <= '9'); }

/// The sentence with its values' numbers in place of their names, as fmt checks it.
struct Numbered {
  char text[longest_sentence + 2 * most_values]{};
  std::size_t size = 0;
  constexpr void add(char c) { text[size++] = c; }
};

template <class... Values>
constexpr Numbered numbered(std::string_view sentence, bool may_leave_out) {
  constexpr std::size_t count = sizeof...(Values);
  const std::string_view names[count + 1] = {Values::name()..., ""};
  bool used[count + 1]{};
  Numbered result;
  if (sentence.size() > longest_sentence) the_sentence_is_too_long();
  int depth = 0;
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    const char c = sentence[i];
    result.add(c);
    const bool doubled = i + 1 < sentence.size() && sentence[i + 1] == c;
    if (depth == 0 && (c == '{' || c == '}') && doubled) {
      result.add(c);
      ++i;
    } else if (c == '{') {
      ++depth;
      std::size_t end = i + 1;
      while (end < sentence.size() && continues_name(sentence[end])) ++end;
      const std::string_view name = sentence.substr(i + 1, end - i - 1);
      if (name.empty() || !begins_name(name.front())) the_sentence_has_a_field_without_a_name();
      std::size_t value = 0;
      while (value < count && names[value] != name) ++value;
      if (value == count) the_sentence_names_a_value_that_is_not_given();
      used[value] = true;
      if (value >= 10) result.add(static_cast<char>('0' + value / 10));
      result.add(static_cast<char>('0' + value % 10));
      i = end - 1;
    } else if (c == '}' && --depth < 0) {
      the_sentence_has_a_brace_without_its_partner();
    }
  }
  if (depth != 0) the_sentence_has_a_brace_without_its_partner();
  for (std::size_t i = 0; i < count; ++i) {
    if (!used[i] && !may_leave_out) the_sentence_leaves_a_given_value_out();
  }
  return result;
}

/// A fixed sentence is not formatted: its braces are its own, unless they look like a field.
constexpr void check_fixed(std::string_view sentence) {
  if (sentence.size() > longest_sentence) the_sentence_is_too_long();
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    if (sentence[i] != '{') continue;
    std::size_t end = i + 1;
    while (end < sentence.size() && continues_name(sentence[end])) ++end;
    const bool field = end > i + 1 && end < sentence.size() && (sentence[end] == '}' || sentence[end] == ':');
    if (field) the_sentence_names_a_value_that_is_not_given();
  }
}

template <bool MayLeaveOut, class... Values>
struct Checked {
  std::string_view english;
  consteval Checked(const char* sentence) : english(sentence) {
    if constexpr (sizeof...(Values) == 0) {
      check_fixed(english);
    } else {
      [[maybe_unused]] const Numbered by_number = numbered<Values...>(english, MayLeaveOut);
#if !defined(__clang__) || __clang_major__ >= 17  // before, clang takes no consteval call's argument from another one
      const fmt::format_string<const typename Values::type&...> formats(fmt::string_view(by_number.text, by_number.size));
      static_cast<void>(formats);
#endif
    }
  }
};

/// What a literal must be to be a short word's context.
struct Context {
  std::string_view words;
  consteval Context(const char* context) : words(context) {}
};

/// One of these is given: a sentence, or both forms of one; then `count` chooses.
struct Forms {
  std::string_view context, english, many;
  std::uint64_t count = 1;
};
[[nodiscard]] Wording fixed(const Forms& forms);
[[nodiscard]] std::string formatted(const Forms& forms, fmt::format_args values);
[[nodiscard]] std::string worded(const SourceLine& line);

}  // namespace message_parts

/// A sentence as a parameter: a literal that names each of `Values` once at least, and nothing else.
template <class... Values>
using Sentence = message_parts::Checked<false, std::type_identity_t<Values>...>;
/// The form for one thing: it may leave values out, as "One block waits." does.
template <class... Values>
using SentenceOfOne = message_parts::Checked<true, std::type_identity_t<Values>...>;

template <class T>
inline constexpr bool is_named_value = false;
template <ValueName Name, class T>
inline constexpr bool is_named_value<NamedValue<Name, T>> = true;
template <class... Values>
concept NamedValues = sizeof...(Values) > 0 && (is_named_value<Values> && ...);

// ---- now ----

[[nodiscard]] inline Wording say(Sentence<> sentence) {
  return message_parts::fixed({.context = {}, .english = sentence.english, .many = {}});
}
[[nodiscard]] inline Wording say_in(message_parts::Context context, Sentence<> sentence) {
  return message_parts::fixed({.context = context.words, .english = sentence.english, .many = {}});
}
[[nodiscard]] inline Wording say_many(std::uint64_t count, Sentence<> one, Sentence<> many) {
  return message_parts::fixed({.context = {}, .english = one.english, .many = many.english, .count = count});
}

template <class... Values>
requires NamedValues<Values...>
[[nodiscard]] std::string say(Sentence<Values...> sentence, const Values&... values) {
  return message_parts::formatted({.context = {}, .english = sentence.english, .many = {}},
                                  fmt::make_format_args(fmt::arg(Values::name(), values.value)...));
}
template <class... Values>
requires NamedValues<Values...>
[[nodiscard]] std::string say_in(message_parts::Context context, Sentence<Values...> sentence, const Values&... values) {
  return message_parts::formatted({.context = context.words, .english = sentence.english, .many = {}},
                                  fmt::make_format_args(fmt::arg(Values::name(), values.value)...));
}
template <class... Values>
requires NamedValues<Values...>
[[nodiscard]] std::string say_many(std::uint64_t count, SentenceOfOne<Values...> one, Sentence<Values...> many,
                                   const Values&... values) {
  return message_parts::formatted({.context = {}, .english = one.english, .many = many.english, .count = count},
                                  fmt::make_format_args(fmt::arg(Values::name(), values.value)...));
}

// ---- later ----

/// A fixed sentence without a language, for tables of constants.
struct ToSay {
  std::string_view english, context;
  [[nodiscard]] constexpr bool empty() const { return english.empty(); }
};
[[nodiscard]] consteval ToSay to_say(Sentence<> sentence) { return {.english = sentence.english, .context = {}}; }
[[nodiscard]] consteval ToSay to_say_in(message_parts::Context context, Sentence<> sentence) {
  return {.english = sentence.english, .context = context.words};
}
/// Its wording; of an empty one nothing.
[[nodiscard]] Wording say(const ToSay& sentence);

/// A sentence and its values, without a language: what a room that does not speak returns, and what JSON can show. (How messages
/// are copied, moved and destroyed is compiled once, in message.cpp, since nearly every file does it.)
struct Message {
  struct Value {
    std::string name;
    std::variant<std::int64_t, std::uint64_t, float, double, std::string, SourceLine> value;
    friend bool operator==(const Value&, const Value&) = default;
  };
  std::string_view english, context, many;  // literals; `many` is empty where there is one form
  std::uint64_t count = 1;
  std::vector<Value> values;

  Message();
  Message(const Message& other);
  Message(Message&& other) noexcept;
  Message& operator=(const Message& other);
  Message& operator=(Message&& other) noexcept;
  ~Message();
  // NOLINTNEXTLINE: a fixed sentence is a message without values
  Message(const ToSay& fixed);
  [[nodiscard]] bool empty() const { return english.empty(); }
  void add(const char* name, std::int64_t value);
  void add(const char* name, std::uint64_t value);
  void add(const char* name, float value);
  void add(const char* name, double value);
  void add(const char* name, std::string_view value);
  void add(const char* name, const SourceLine& value);
  friend bool operator==(const Message& a, const Message& b);
};
/// In the language that is in force, and in English whatever is in force.
[[nodiscard]] std::string say(const Message& message);
[[nodiscard]] std::string in_english(const Message& message);

/// Text that is in no catalogue and the same in all languages: what a file or another program says.
[[nodiscard]] Message as_it_is(std::string text);

/// Messages that are read one behind the other. Each of them is a whole sentence, or several.
struct Paragraph {
  std::vector<Message> sentences;  // none of them empty

  Paragraph();
  Paragraph(const Paragraph& other);
  Paragraph(Paragraph&& other) noexcept;
  Paragraph& operator=(const Paragraph& other);
  Paragraph& operator=(Paragraph&& other) noexcept;
  ~Paragraph();
  // NOLINTNEXTLINE: one message is a short paragraph
  Paragraph(Message message);
  // NOLINTNEXTLINE: and so is a fixed sentence
  Paragraph(const ToSay& fixed);
  void add(Message message);
  void add(const ToSay& fixed);
  void add(Paragraph more);
  [[nodiscard]] bool empty() const { return sentences.empty(); }
  friend bool operator==(const Paragraph& a, const Paragraph& b);
};
[[nodiscard]] std::string say(const Paragraph& paragraph);
[[nodiscard]] std::string in_english(const Paragraph& paragraph);

namespace message_parts {

template <class T>
void keep(Message& message, const char* name, const T& value) {
  if constexpr (std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, SourceLine>)
    message.add(name, value);
  else if constexpr (std::signed_integral<T> && !std::same_as<T, char>)
    message.add(name, std::int64_t{value});
  else if constexpr (std::unsigned_integral<T> && !std::same_as<T, bool>)
    message.add(name, std::uint64_t{value});
  else
    message.add(name, std::string_view(value));  // characters and truths are no words: say it with a sentence for each
}

}  // namespace message_parts

template <class... Values>
requires NamedValues<Values...>
[[nodiscard]] Message to_say(Sentence<Values...> sentence, const Values&... values) {
  Message message;
  message.english = sentence.english;
  (message_parts::keep(message, Values::name(), values.value), ...);
  return message;
}
template <class... Values>
requires NamedValues<Values...>
[[nodiscard]] Message to_say_many(std::uint64_t count, SentenceOfOne<Values...> one, Sentence<Values...> many,
                                  const Values&... values) {
  Message message;
  message.english = one.english;
  message.many = many.english;
  message.count = count;
  (message_parts::keep(message, Values::name(), values.value), ...);
  return message;
}

/// Values that several sentences share, of which one is chosen. A sentence may leave some of them out.
template <class... Values>
class GivenValues {
 public:
  explicit GivenValues(Values... values) : values_(std::move(values)...) {}

  [[nodiscard]] Message to_say(SentenceOfOne<Values...> sentence) const { return made(sentence.english, {}, 1); }
  [[nodiscard]] Message to_say_many(std::uint64_t count, SentenceOfOne<Values...> one, SentenceOfOne<Values...> many) const {
    return made(one.english, many.english, count);
  }

 private:
  [[nodiscard]] Message made(std::string_view english, std::string_view many, std::uint64_t count) const {
    Message message;
    message.english = english;
    message.many = many;
    message.count = count;
    std::apply([&](const Values&... values) { (message_parts::keep(message, Values::name(), values.value), ...); }, values_);
    return message;
  }

  std::tuple<Values...> values_;
};
template <class... Values>
requires NamedValues<Values...>
[[nodiscard]] GivenValues<Values...> with(Values... values) { return GivenValues<Values...>(std::move(values)...); }

}  // namespace warpbook

template <>
struct fmt::formatter<warpbook::Wording> : fmt::formatter<fmt::string_view> {
  template <class Where>
  auto format(const warpbook::Wording& wording, Where& where) const {
    return fmt::formatter<fmt::string_view>::format(fmt::string_view(wording.data(), wording.size()), where);
  }
};

template <>
struct fmt::formatter<warpbook::SourceLine> : fmt::formatter<fmt::string_view> {
  template <class Where>
  auto format(const warpbook::SourceLine& line, Where& where) const {
    return fmt::formatter<fmt::string_view>::format(warpbook::message_parts::worded(line), where);
  }
};
