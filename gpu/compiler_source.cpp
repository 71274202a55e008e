#include "gpu/compiler_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "gpu/shown_text.h"

namespace warpbook::gpu {
namespace {

constexpr std::string_view mark_of_utf8 = "\xEF\xBB\xBF";

bool wants_a_declaration(std::string_view message) {
  for (const std::string_view words : {"incomplete type", "namespace name", "not a template", "does not apply here"})
    if (message.find(words) != std::string_view::npos) return true;
  return false;
}

}  // namespace

std::string too_large_sentence(const std::string& file, std::uintmax_t bytes, std::size_t most) {
  return fmt::format(
      "{} has {:.1f} MiB, and Warpbook reads programs of up to {} MiB. Large tables belong in a file of their own: give "
      "them to the kernel as an array.",
      file, static_cast<double>(bytes) / (1 << 20), most >> 20);
}

bool is_readable(std::string_view text) {
  if (text.starts_with(mark_of_utf8)) return false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_at(text.substr(at, 4));
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string in_utf8(std::string_view text) {
  if (text.starts_with(mark_of_utf8)) text.remove_prefix(mark_of_utf8.size());
  std::string readable;
  readable.reserve(text.size());
  enum class In { code, line_comment, comment, literal } in = In::code;
  char quote = '"';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_at(text.substr(at, 4));
    const char c = text[at], next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (length == 0) {
      readable += in == In::literal ? fmt::format("\\{:03o}", static_cast<unsigned char>(c)) : "?";
      ++at;
      continue;
    }
    std::size_t taken = length;
    if (in == In::code && c == '/' && (next == '/' || next == '*')) {
      in = next == '/' ? In::line_comment : In::comment;
      taken = 2;
    } else if (in == In::code && (c == '"' || c == '\'')) {
      in = In::literal;
      quote = c;
    } else if (in == In::comment && c == '*' && next == '/') {
      in = In::code;
      taken = 2;
    } else if (in == In::literal && c == '\\' && character_at(text.substr(std::min(at + 1, text.size() - 1), 4)) == 1) {
      taken = 2;
    } else if ((in == In::literal && (c == quote || c == '\n')) || (in == In::line_comment && c == '\n')) {
      in = In::code;
    }
    readable += text.substr(at, taken);
    at += taken;
  }
  return readable;
}

Texts texts_of(const SourceAndHeaders& whole) {
  Texts texts{whole.source.text};
  for (const Header& header : whole.local.found) texts.push_back(header.text);
  return texts;
}

std::string plain_name(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '_' && c != '-') c = '_';
  return name.empty() ? "kernel.cu" : name;
}

std::string with_own_file_names(std::string ptx, const std::string& name, const std::string& file,
                                std::span<const Header> headers) {
  std::string escaped;
  for (const char c : file) escaped += c == '"' || c == '\\' || c == '\n' ? '_' : c;
  for (std::size_t at = ptx.find(".file"); at != std::string::npos; at = ptx.find(".file", at + 1)) {
    const std::size_t open = ptx.find('"', at), line = std::min(ptx.find('\n', at), ptx.size());
    if (open >= line) continue;
    const std::size_t close = ptx.find('"', open + 1);
    if (close >= line) continue;
    const std::string_view path = std::string_view(ptx).substr(open + 1, close - open - 1);
    const auto own = std::find_if(headers.begin(), headers.end(), [&](const Header& header) {
      return path.starts_with('/') && (path.substr(1) == name_for_compiler(header.name) || path.substr(1) == header.name);
    });
    if (own != headers.end())
      ptx.replace(open + 1, path.size(), own->name);
    else if (path.ends_with('/' + name))
      ptx.replace(open + 1, path.size(), escaped);
    else
      ptx.insert(open + 1, path.starts_with('/') ? "/include" : "/include/");
  }
  return ptx;
}

std::string missing_header(const CompileFailure& failure) {
  for (const Diagnostic& each : failure.diagnostics) {
    const std::string name = each.message.find("open source file") != std::string::npos ? quoted_word(each.message) : std::string();
    if (!name.empty() && !name.starts_with('/')) return name;  // a program's header never has an absolute path
  }
  return {};
}

DeviceSides::DeviceSides(const SourceAndHeaders& whole, const std::vector<std::string>& missing, const Refused& refused) {
  std::vector<std::string_view> texts{whole.source.text};
  for (const Header& header : whole.local.found) texts.push_back(header.text);
  files_.push_back(whole.source.file);
  for (const Header& header : whole.local.found) files_.push_back(header.name);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto lines = refused.find(files_[i]);
    of_.push_back(device_side(texts[i], missing, texts, lines == refused.end() ? std::set<int>{} : lines->second));
  }
}

Texts DeviceSides::texts() const {
  Texts all;
  for (const DeviceSide& side : of_) all.push_back(side.text);
  return all;
}

std::vector<std::string> DeviceSides::names() const {
  std::vector<std::string> all;
  for (const DeviceSide& side : of_)
    for (const DeviceSide::LeftOut& each : side.left_out) all.push_back(each.name);
  return all;
}

bool DeviceSides::nothing_left_out() const {
  return std::all_of(of_.begin(), of_.end(), [](const DeviceSide& side) { return side.left_out.empty(); });
}

bool DeviceSides::nothing_unmarked() const {
  return std::all_of(of_.begin(), of_.end(), [](const DeviceSide& side) { return side.unmarked.empty(); });
}

bool DeviceSides::lacks(std::string_view word) const {
  return std::any_of(of_.begin(), of_.end(), [&](const DeviceSide& side) { return side.lacks(word); });
}

bool DeviceSides::any_kernel() const {
  return std::any_of(of_.begin(), of_.end(), [](const DeviceSide& s) { return s.text.find("__global__") != std::string::npos; });
}

std::vector<std::string> DeviceSides::launches() const {
  std::vector<std::string> all;
  for (const DeviceSide& side : of_) all.insert(all.end(), side.launches.begin(), side.launches.end());
  return all;
}

bool DeviceSides::add_refused(const std::vector<Diagnostic>& diagnostics, Refused& refused) const {
  bool any = false;
  for (const Diagnostic& each : diagnostics) {
    if (each.severity != Diagnostic::Severity::error) continue;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (files_[i] != each.file) continue;
      const auto& unmarked = of_[i].unmarked;
      const bool own = std::any_of(unmarked.begin(), unmarked.end(),
                                   [&](const auto& one) { return one.line <= each.line && each.line <= one.last_line; });
      if (own && refused[each.file].insert(each.line).second) any = true;
    }
  }
  return any;
}

bool DeviceSides::left_out(const Diagnostic& at, const std::vector<std::string>& wanted) const {
  const auto file = std::find(files_.begin(), files_.end(), at.file);
  if (file == files_.end()) return false;
  const auto& out = of_[static_cast<std::size_t>(file - files_.begin())].left_out;
  return std::any_of(out.begin(), out.end(), [&](const DeviceSide::LeftOut& each) {
    return at.line >= each.line && at.line <= each.last_line &&
           std::none_of(wanted.begin(), wanted.end(), [&](const std::string& name) { return each.is(name); });
  });
}

CompileFailure why_not(CompileFailure device, const CompileFailure& all, const DeviceSides& sides,
                       const std::vector<std::string>& missing, const SourceAndHeaders& whole) {
  std::vector<std::string> wanted;  // names that the device code needs
  for (Diagnostic& each : device.diagnostics) {
    if (each.message.find("namespace \"std\" has no member") != std::string::npos && !missing_header(all).empty()) return all;
    const std::string name = each.message.ends_with("is undefined") ? quoted_word(each.message) : std::string();
    if (name.empty() && !wants_a_declaration(each.message)) continue;
    if (sides.lacks(name)) {
      wanted.push_back(name);
      each.message = host_function_sentence(name);
    } else if (!missing.empty() && &each == &device.diagnostics.front()) {
      const std::string_view why = whole.local.why_not(missing.front());
      const std::string_view cannot = whole.searched_headers() == nullptr
                                          ? "cannot be included: copy what you need of it into this file"
                                          : "is neither in this file's folder nor below it";
      each.message += why.empty()
                          ? fmt::format(". Perhaps \"{}\" declares it, which {}", missing.front(), cannot)
                          : fmt::format(". Perhaps a header declares it that is not read: {}", why.substr(0, why.size() - 1));
    }
  }
  // NVRTC's message about a host function that a kernel calls points at the declaration only.
  std::vector<Diagnostic> own;
  for (const Diagnostic& each : all.diagnostics) {
    if (!sides.left_out(each, wanted)) own.push_back(each);
  }
  if (!wanted.empty() && missing_header(all).empty() && !own.empty()) device.diagnostics = std::move(own);
  const bool any_error = std::any_of(device.diagnostics.begin(), device.diagnostics.end(),
                                     [](const Diagnostic& each) { return each.severity == Diagnostic::Severity::error; });
  if (any_error) device.message = whole.explain(device.diagnostics);
  return device;
}

}  // namespace warpbook::gpu
