#include "gpu/virtual/ptx/source_positions.h"

#include <algorithm>

namespace warpbook::gpu::ptx {
namespace {

constexpr int max_inlining = 256;  // a chain of .loc's may be a circle in hostile text

bool is_toolkit(std::string_view file) { return file.find("/include/") != file.npos; }

}  // namespace

std::uint32_t SourcePositions::add(const Location& at, const Location& caller) {
  Entry entry{at, caller, no_location};
  if (caller.file != 0)
    if (const auto found = latest_.find(caller); found != latest_.end()) entry.caller_entry = found->second;
  const auto id = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back(entry);
  latest_[at] = id;
  return id;
}

Location SourcePositions::resolve(const std::vector<std::string>& files, std::uint32_t id) const {
  if (id == no_location) return {};
  const auto own = [&](const Location& at) { return at.file < files.size() && !is_header(files[at.file]); };
  const Location innermost = entries_[id].at;
  for (int step = 0; step < max_inlining && id != no_location; ++step) {
    const Entry& entry = entries_[id];
    if (own(entry.at)) return entry.at;
    if (entry.caller.file == 0) break;
    if (own(entry.caller)) return entry.caller;
    id = entry.caller_entry;
  }
  return innermost;
}

bool SourcePositions::in_toolkit(const std::vector<std::string>& files, std::uint32_t id) const {
  return id != no_location && entries_[id].at.file < files.size() && is_toolkit(files[entries_[id].at.file]);
}

bool is_header(std::string_view file) {
  if (is_toolkit(file)) return true;
  const std::size_t slash = file.rfind('/');
  const std::string_view name = slash == file.npos ? file : file.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos) return false;  // NVRTC's "default_program"
  const std::string_view extension = name.substr(dot);
  return extension == ".h" || extension == ".hpp" || extension == ".hxx" || extension == ".inl";
}

void strip_working_directory(std::vector<std::string>& files) {
  // The compiled file is the first .cu; without one, the first that is no header. (A header of kernels may be named .cuh.)
  auto compiled = std::ranges::find_if(files, [](const std::string& file) { return file.ends_with(".cu"); });
  if (compiled == files.end())
    compiled = std::ranges::find_if(files, [](const std::string& file) { return !file.empty() && !is_header(file); });
  if (compiled == files.end() || compiled->rfind('/') == std::string::npos) return;
  const std::string folder = compiled->substr(0, compiled->rfind('/') + 1);
  for (std::string& file : files)
    if (file.size() > folder.size() && file.starts_with(folder) && file.find('/', folder.size()) == file.npos)
      file.erase(0, folder.size());
}

}  // namespace warpbook::gpu::ptx
