#include "gpu/local_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include "gpu/builtin_headers.h"

namespace warpbook::gpu {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view beside = "beside/";
constexpr std::size_t most_tried = 4 * most_headers;  // limit of different names in quotes that are looked up

/// An `#include "name"` and the position of the name.
struct Include {
  std::size_t at = 0;
  std::string_view name;
};

std::vector<Include> includes_of(std::string_view text) {
  std::vector<Include> includes;
  const auto skip_blanks = [&](std::size_t at) { return std::min(text.find_first_not_of(" \t", at), text.size()); };
  for (std::size_t line = 0; line < text.size();) {
    const std::size_t end = std::min(text.find('\n', line), text.size());
    std::size_t at = skip_blanks(line);
    line = end + 1;
    if (at >= end || text[at] != '#') continue;
    at = skip_blanks(at + 1);
    if (!text.substr(at).starts_with("include")) continue;
    at = skip_blanks(at + 7);
    if (at >= end || text[at] != '"') continue;
    const std::size_t close = text.find('"', at + 1);
    if (close < end) includes.push_back({at + 1, text.substr(at + 1, close - at - 1)});
  }
  return includes;
}

/// The path relative to the .cu file's folder. It may lead out of the folder.
fs::path place_of(std::string_view written, std::string_view of) {
  return (fs::path(of).parent_path() / fs::path(written)).lexically_normal();
}

bool leads_out(const fs::path& from_folder) { return from_folder.is_absolute() || *from_folder.begin() == ".."; }

bool lies_in(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

/// Whether all characters are safe in the compiler's messages.
bool plain(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) >= ' ' && std::string_view("\"\\():").find(c) == std::string_view::npos;
  });
}

class HeaderReader {
 public:
  explicit HeaderReader(const fs::path& folder) : folder_(folder) {}

  LocalHeaders read(std::string_view text) {
    follow(text, {});
    for (std::size_t i = 0; i < local_.found.size(); ++i) {
      const Header header = local_.found[i];  // a copy, because adding headers moves the others
      follow(header.text, header.name);
    }
    return std::move(local_);
  }

 private:
  void follow(std::string_view text, std::string_view of) {
    for (const Include& include : includes_of(text)) {
      const fs::path place = place_of(include.name, of);
      if (include.name.empty() || place.empty() || !tried_.insert(place.generic_string()).second) continue;
      if (tried_.size() > most_tried) return;  // each one is looked up on the disk
      if (const std::string why = take(place); !why.empty() && local_.why_not(include.name).empty())
        local_.refused.emplace_back(include.name, fmt::format("\"{}\" {}", include.name, why));
    }
  }

  /// Reads the file, if it may be read. Returns the reason for which it may not, as the end of a sentence. Empty: it was read, or
  /// it does not exist.
  std::string take(const fs::path& place) {
    constexpr std::string_view out =
        "leads out of the folder in which this file lies, and Warpbook reads headers only there and below. Copy it beside this "
        "file.";
    if (leads_out(place)) return std::string(out);
    std::error_code missing;
    const fs::path file = fs::canonical(folder_ / place, missing);
    if (missing || !fs::is_regular_file(file, missing)) return {};
    if (!lies_in(file, folder_)) return std::string(out);
    const std::string name = place.generic_string();
    if (!plain(name)) return "has characters in its name that a header here may not have. Rename it.";
    if (local_.found.size() >= most_headers)
      return fmt::format("is one too many: Warpbook reads {} headers of a program, and no more.", most_headers);
    const std::uintmax_t size = fs::file_size(file, missing);
    if (missing || bytes_ + size > most_header_bytes)
      return fmt::format("is too large: the headers of a program may have {} MiB in all.", most_header_bytes >> 20);
    std::ifstream in(file, std::ios::binary);
    std::string text(static_cast<std::size_t>(size), '\0');
    in.read(text.data(), static_cast<std::streamsize>(size));
    if (!in.good() && size > 0) return "cannot be read. May you?";
    if (text.find('\0') != std::string::npos) return "is no text.";
    bytes_ += text.size();
    local_.found.push_back({name, std::move(text)});
    return {};
  }

  const fs::path folder_;  // with links followed
  std::uintmax_t bytes_ = 0;
  std::set<std::string, std::less<>> tried_;  // by path
  LocalHeaders local_;
};

}  // namespace

bool LocalHeaders::has(std::string_view name) const {
  return std::any_of(found.begin(), found.end(), [&](const Header& each) { return each.name == name; });
}

std::string_view LocalHeaders::why_not(std::string_view written) const {
  const auto each = std::find_if(refused.begin(), refused.end(), [&](const auto& one) { return one.first == written; });
  return each == refused.end() ? std::string_view() : std::string_view(each->second);
}

LocalHeaders local_headers(std::string_view text, const fs::path& folder) {
  std::error_code missing;
  const fs::path real = folder.empty() ? fs::path() : fs::canonical(folder, missing);
  return real.empty() || missing ? LocalHeaders() : HeaderReader(real).read(text);
}

std::string name_for_compiler(std::string_view name) {
  const auto builtin = builtin_headers();
  const bool taken = std::any_of(builtin.begin(), builtin.end(), [&](const BuiltinHeader& each) { return each.name == name; });
  return std::string(taken ? beside : std::string_view()) + std::string(name);
}

std::string with_names_for_compiler(std::string_view text, std::string_view of, const LocalHeaders& local) {
  std::string named;
  std::size_t from = 0;
  for (const Include& include : includes_of(text)) {
    const std::string name = place_of(include.name, of).generic_string();
    if (!local.has(name)) continue;
    named += std::string(text.substr(from, include.at - from)) + name_for_compiler(name);
    from = include.at + include.name.size();
  }
  return named + std::string(text.substr(from));
}

std::string with_own_names(std::string text) {
  for (const BuiltinHeader& each : builtin_headers()) {
    const std::string name = std::string(beside) + each.name;
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) text.erase(at, beside.size());
  }
  return text;
}

}  // namespace warpbook::gpu
