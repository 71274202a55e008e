#include "gpu/compiler_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <utility>

#include "gpu/input_file.h"
#include "gpu/output_file.h"

namespace warpbook::gpu {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;
constexpr std::uint64_t bytes_after_clearing = most_bytes / 4 * 3;
constexpr unsigned stores_between_looks = 64;  // how often the total size is checked

struct Kept {
  std::mutex mutex;
  fs::path folder;
  unsigned stored = 0;
};

Kept& kept() {
  static Kept only;
  return only;
}

fs::path folder() {
  const std::lock_guard lock(kept().mutex);
  return kept().folder;
}

/// FNV-1a (Fowler, Noll, Vo), 64 bits. It names files and detects damage. Correctness does not depend on it, because the whole key
/// is compared.
std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

/// The time of the last change. A folder's changes when a package manager replaces files in it. 0: it does not exist.
std::int64_t time_of_change(const std::string& path) {
  std::error_code problem;
  const auto time = fs::last_write_time(path, problem).time_since_epoch().count();
  return problem ? 0 : static_cast<std::int64_t>(time);
}

/// Identifies a version of a file by its size and modification time. 0 and 0: it does not exist.
std::pair<std::uint64_t, std::int64_t> stamp_of(const std::string& path) {
  std::error_code problem;
  const std::uintmax_t size = fs::file_size(path, problem);
  if (problem) return {0, 0};
  return {size, time_of_change(path)};
}

/// The folders of the compiler's headers: all hidden paths except the child's scratch folder, which is deleted with the child.
std::vector<std::string> header_folders(const ChildHello& hello) {
  std::vector<std::string> folders = hello.hidden_paths;
  if (!hello.scratch.empty()) std::erase_if(folders, [&](const std::string& path) { return path.starts_with(hello.scratch); });
  return folders;
}

std::string key_of(Tool tool, const ChildHello& hello, CompileRequest request) {
  request.max_seconds = 0;
  request.max_bytes = 0;
  const auto [size, time] = stamp_of(hello.path);
  Writer writer;
  writer(std::string(WARPBOOK_COMPILING_CODE), tool, hello.version, hello.path, size, time);
  for (const std::string& folder : header_folders(hello)) writer(folder, time_of_change(folder));
  request.fields(writer);
  return writer.bytes();
}

std::string key_of(Tool tool, const std::vector<std::string>& surroundings) {
  Writer writer;
  writer(std::string(WARPBOOK_COMPILING_CODE), tool, surroundings);
  return writer.bytes();
}

fs::path file_of(const fs::path& folder, const std::string& key) { return folder / fmt::format("{:016x}", hash_of(key)); }

/// The stored answer for a key. Empty: there is none, or it is damaged.
std::string recall(const std::string& key) {
  const fs::path where = folder();
  if (where.empty()) return {};
  const fs::path file = file_of(where, key);
  const Result<std::string> bytes = read_input(file, most_bytes);
  if (!bytes) return {};
  Reader reader(*bytes);
  std::uint64_t hash = 0;
  std::string its_key, content;
  reader(hash, its_key, content);
  if (!reader.complete() || its_key != key || hash != hash_of(content)) return {};
  std::error_code unimportant;
  fs::last_write_time(file, fs::file_time_type::clock::now(), unimportant);  // marks it as used
  return content;
}

/// Removes the least recently used files if there are too many.
void clear(const fs::path& folder) {
  struct File {
    fs::file_time_type used;
    std::uint64_t bytes;
    fs::path path;
  };
  std::vector<File> files;
  std::uint64_t all = 0;
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end; entry.increment(problem)) {
    std::error_code gone;
    File file{entry->last_write_time(gone), entry->file_size(gone), entry->path()};
    if (gone) continue;
    all += file.bytes;
    files.push_back(std::move(file));
  }
  if (all <= most_bytes) return;
  std::ranges::sort(files, {}, &File::used);
  for (const File& file : files) {
    if (all <= bytes_after_clearing) break;
    if (fs::remove(file.path, problem)) all -= file.bytes;
  }
}

void keep(const std::string& key, const std::string& content) {
  const fs::path where = folder();
  if (where.empty()) return;
  std::error_code problem;
  fs::create_directories(where, problem);
  if (problem) return;
  Writer writer;
  writer(hash_of(content), key, content);
  (void)write_file(file_of(where, key), writer.bytes());
  const bool looks = [] {
    const std::lock_guard lock(kept().mutex);
    return kept().stored++ % stores_between_looks == 0;
  }();
  if (looks) clear(where);
}

}  // namespace

void keep_compiled_in(const fs::path& folder) {
  const std::lock_guard lock(kept().mutex);
  kept().folder = folder;
}

fs::path usual_compiled_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  if (const fs::path own = variable("WARPBOOK_COMPILED"); !own.empty()) return own == "off" ? fs::path() : own;
  if (const fs::path cache = variable("XDG_CACHE_HOME"); cache.is_absolute()) return cache / "warpbook/compiled";
  if (const fs::path home = variable("HOME"); !home.empty()) return home / ".cache/warpbook/compiled";
  return {};
}

std::optional<KeptAnswer> recall_answer(Tool tool, const ChildHello& hello, const CompileRequest& request) {
  const std::string content = recall(key_of(tool, hello, request));
  if (content.empty()) return std::nullopt;
  KeptAnswer answer;
  Reader reader(content);
  reader(answer.compile_ms, answer.hidden_paths);
  answer.answer.fields(reader);
  return reader.complete() ? std::optional(std::move(answer)) : std::nullopt;
}

void keep_answer(Tool tool, const ChildHello& hello, const CompileRequest& request, KeptAnswer answer) {
  Writer writer;
  writer(answer.compile_ms, answer.hidden_paths);
  answer.answer.fields(writer);
  keep(key_of(tool, hello, request), writer.bytes());
}

std::optional<ChildHello> recall_hello(Tool tool, const std::vector<std::string>& surroundings) {
  const std::string content = recall(key_of(tool, surroundings));
  if (content.empty()) return std::nullopt;
  ChildHello hello;
  std::uint64_t size = 0;
  std::int64_t time = 0;
  Reader reader(content);
  reader(size, time);
  hello.fields(reader);
  if (!reader.complete() || std::pair(size, time) != stamp_of(hello.path)) return std::nullopt;
  return hello;
}

void keep_hello(Tool tool, const std::vector<std::string>& surroundings, ChildHello hello) {
  hello.hidden_paths = header_folders(hello);
  hello.scratch.clear();
  const auto [size, time] = stamp_of(hello.path);
  if (size == 0) return;
  Writer writer;
  writer(size, time);
  hello.fields(writer);
  keep(key_of(tool, surroundings), writer.bytes());
}

}  // namespace warpbook::gpu
