// FolderListing: what a folder holds that can be opened: folders, kernels (.cu) and PTX.
//
//     FolderListing listing = list_folder("/home/me/cuda");
//     for (const FolderListing::Entry& entry : listing.entries) show(entry.name);
//
// Hidden files are left out; folders come first, each sort by the alphabet, capitals aside. A folder that cannot be read has no
// entries and a sentence.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace warpbook::app {

struct FolderListing {
  struct Entry {
    std::string name;
    bool folder = false;
    std::string why_not;  // it cannot be opened, and why; empty: it can
  };
  std::filesystem::path folder;  // absolute; empty: nothing was listed yet
  std::vector<Entry> entries;
  std::string problem;       // why it could not be read; empty: it was
  std::size_t left_out = 0;  // of a large folder
};

/// What is looked for in it.
enum class ListedFiles : std::uint8_t {
  sources,  // .cu and .ptx
  programs  // programs, Python's scripts, and records of programs
};
[[nodiscard]] FolderListing list_folder(const std::filesystem::path& folder, ListedFiles files = ListedFiles::sources);

/// "~/x" with the user's home.
[[nodiscard]] std::string at_home(std::string path);

}  // namespace warpbook::app
