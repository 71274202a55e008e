#include "gpu/message.h"

#include <fmt/args.h>

#include <concepts>
#include <optional>
#include <utility>
#include <variant>

#include "gpu/language.h"
#include "gpu/translation.h"

namespace warpbook {
namespace message_parts {
namespace {

std::string_view in_source(const Forms& forms) { return forms.many.empty() || forms.count == 1 ? forms.english : forms.many; }

std::optional<std::string_view> translated(const Forms& forms) {
  const Translation* const translation = translation_in_force();
  if (translation == nullptr) return std::nullopt;
  return forms.many.empty() ? translation->find(forms.context, forms.english)
                            : translation->find(forms.context, forms.english, forms.count);
}

}  // namespace

Wording fixed(const Forms& forms) { return Wording::of(translated(forms).value_or(in_source(forms))); }

std::string formatted(const Forms& forms, fmt::format_args values) {
  if (const auto words = translated(forms)) {
    try {
      return fmt::vformat(fmt::string_view(words->data(), words->size()), values);
    } catch (const fmt::format_error&) {  // a field that there is no value for, or a format that the value does not have
    }
  }
  const std::string_view words = in_source(forms);
  return fmt::vformat(fmt::string_view(words.data(), words.size()), values);
}

std::string worded(const SourceLine& line) {
  if (line.number == 0) return {};
  // Translators: it stands behind the words for what a thread reads or writes, or for what it does; it begins with its blank.
  return line.of_ptx ? say(" (PTX line {line})", "line"_a = line.number) : say(" (line {line})", "line"_a = line.number);
}

}  // namespace message_parts

namespace {

std::string english_line(const SourceLine& line) {
  if (line.number == 0) return {};
  return line.of_ptx ? fmt::format(" (PTX line {})", line.number) : fmt::format(" (line {})", line.number);
}

std::string worded(const Message& message, bool english) {
  const message_parts::Forms forms{
      .context = message.context, .english = message.english, .many = message.many, .count = message.count};
  if (message.values.empty()) return english ? std::string(message_parts::in_source(forms)) : message_parts::fixed(forms);
  fmt::dynamic_format_arg_store<fmt::format_context> values;
  for (const Message::Value& each : message.values)
    std::visit(
        [&]<class T>(const T& value) {
          if constexpr (std::same_as<T, SourceLine>)
            values.push_back(fmt::arg(each.name.c_str(), english ? english_line(value) : message_parts::worded(value)));
          else
            values.push_back(fmt::arg(each.name.c_str(), value));
        },
        each.value);
  if (!english) return message_parts::formatted(forms, values);
  const std::string_view words = message_parts::in_source(forms);
  return fmt::vformat(fmt::string_view(words.data(), words.size()), values);
}

std::string worded(const Paragraph& paragraph, bool english) {
  std::string text;
  for (const Message& message : paragraph.sentences) {
    if (!text.empty()) text += ' ';
    text += worded(message, english);
  }
  return text;
}

}  // namespace

Wording say(const ToSay& sentence) {
  // The catalogue's entry for no text at all is its head.
  if (sentence.english.empty()) return {};
  return message_parts::fixed({.context = sentence.context, .english = sentence.english, .many = {}});
}

Message::Message() = default;
Message::Message(const Message& other) = default;
Message::Message(Message&& other) noexcept = default;
Message& Message::operator=(const Message& other) = default;
Message& Message::operator=(Message&& other) noexcept = default;
Message::~Message() = default;
Message::Message(const ToSay& fixed) : english(fixed.english), context(fixed.context) {}
void Message::add(const char* name, std::int64_t value) { values.push_back({name, value}); }
void Message::add(const char* name, std::uint64_t value) { values.push_back({name, value}); }
void Message::add(const char* name, float value) { values.push_back({name, value}); }
void Message::add(const char* name, double value) { values.push_back({name, value}); }
void Message::add(const char* name, std::string_view value) { values.push_back({name, std::string(value)}); }
void Message::add(const char* name, const SourceLine& value) { values.push_back({name, value}); }
bool operator==(const Message& a, const Message& b) = default;

Paragraph::Paragraph() = default;
Paragraph::Paragraph(const Paragraph& other) = default;
Paragraph::Paragraph(Paragraph&& other) noexcept = default;
Paragraph& Paragraph::operator=(const Paragraph& other) = default;
Paragraph& Paragraph::operator=(Paragraph&& other) noexcept = default;
Paragraph::~Paragraph() = default;
Paragraph::Paragraph(Message message) { add(std::move(message)); }
Paragraph::Paragraph(const ToSay& fixed) : Paragraph(Message(fixed)) {}
void Paragraph::add(Message message) {
  if (!message.empty()) sentences.push_back(std::move(message));
}
void Paragraph::add(const ToSay& fixed) { add(Message(fixed)); }
void Paragraph::add(Paragraph more) {
  for (Message& message : more.sentences) sentences.push_back(std::move(message));
}
bool operator==(const Paragraph& a, const Paragraph& b) = default;

std::string say(const Message& message) { return message.empty() ? std::string() : worded(message, false); }
std::string in_english(const Message& message) { return message.empty() ? std::string() : worded(message, true); }

Message as_it_is(std::string text) {
  Message message;
  message.english = "{text}";
  message.values.push_back({"text", std::move(text)});
  return message;
}

std::string say(const Paragraph& paragraph) { return worded(paragraph, false); }
std::string in_english(const Paragraph& paragraph) { return worded(paragraph, true); }

}  // namespace warpbook
