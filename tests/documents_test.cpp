// Documents name only what exists: paths in READMEs, documents and comments lead to files of this tree, and tests that they name
// are there. Names are resolved against the tree, so that a moved or renamed file is found by the texts that still name it.
//
// A path counts if it begins with a folder of the tree's root ("gpu/device.h"), or, in a Markdown file, if it lies beside that
// file. Paths with a placeholder ("lessons/NN_name/lesson.cpp") are not checked; `*` and `{a,b}` stand for what they stand for in a
// shell.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 8> top_folders{"app", "assets", "docs", "gpu", "kernels", "lessons", "script", "tests"};

/// The files of the tree, without what a build or a run leaves in it, relative to its root; and their folders.
struct Tree {
  std::set<std::string> files, folders, names;  // names: of files, without their folders

  Tree() {
    for (const auto& entry : fs::directory_iterator(WARPBOOK_ROOT))
      if (entry.is_regular_file()) add(entry.path());
    for (const std::string_view top : top_folders)
      for (const auto& entry : fs::recursive_directory_iterator(fs::path(WARPBOOK_ROOT) / top))
        if (entry.is_regular_file()) add(entry.path());
  }
  void add(const fs::path& path) {
    const fs::path file = path.lexically_relative(WARPBOOK_ROOT);
    files.insert(file.generic_string());
    names.insert(file.filename().generic_string());
    for (fs::path folder = file.parent_path(); !folder.empty(); folder = folder.parent_path())
      folders.insert(folder.generic_string());
  }
};

const Tree& tree() {
  static const Tree only;
  return only;
}

/// "a.{h,cpp}" is "a.h" and "a.cpp".
std::vector<std::string> expanded(const std::string& path) {
  const std::size_t open = path.find('{'), close = path.find('}', open);
  if (open == std::string::npos || close == std::string::npos) return {path};
  std::vector<std::string> all;
  for (std::size_t at = open + 1; at <= close;) {
    const std::size_t end = std::min(path.find(',', at), close);
    for (std::string& each : expanded(path.substr(0, open) + path.substr(at, end - at) + path.substr(close + 1)))
      all.push_back(std::move(each));
    at = end + 1;
  }
  return all;
}

/// Whether a file or a folder has this path, in which `*` stands for any characters but '/'.
bool exists(std::string path) {
  if (path.ends_with('/')) path.pop_back();
  if (path.find('*') == std::string::npos) return tree().files.contains(path) || tree().folders.contains(path);
  std::string pattern;
  for (const char c : path)
    pattern += c == '*' ? "[^/]*" : std::isalnum(static_cast<unsigned char>(c)) != 0 ? std::string(1, c) : fmt::format("\\{}", c);
  const std::regex fits(pattern);
  const auto matches = [&](const std::string& each) { return std::regex_match(each, fits); };
  return std::ranges::any_of(tree().files, matches) || std::ranges::any_of(tree().folders, matches);
}

/// A word in capitals, or one between angle brackets, stands for a name: "FILE.cu", "NN_name", "<kind>".
bool has_placeholder(std::string_view path) {
  static const std::regex placeholder("(^|/)(NN_|NAME|FILE|ID|[A-Z]{2,}\\.)|[<>…$]|\\bname\\b|name_test");
  return std::regex_search(path.begin(), path.end(), placeholder);
}

/// What is wrong with the names in a line of a file; empty: nothing.
std::vector<std::string> objections(const std::string& file, const std::string& line) {
  std::vector<std::string> all;
  const fs::path folder = fs::path(file).parent_path();
  static const std::regex path("[A-Za-z0-9_.*{},-]+(/[A-Za-z0-9_.*{},<>…-]+)+/?");
  for (std::sregex_iterator it(line.begin(), line.end(), path), end; it != end; ++it) {
    std::string found = it->str();
    const std::size_t at = static_cast<std::size_t>(it->position());
    if (at > 0 && std::string_view("/<$:~@\"").find(line[at - 1]) != std::string_view::npos)
      continue;  // an address, or part of a longer path
    while (found.ends_with('.') || found.ends_with(',') || found.ends_with('-')) found.pop_back();
    const std::string top = found.substr(0, found.find('/'));
    if (std::ranges::find(top_folders, top) == top_folders.end() || has_placeholder(found)) continue;
    for (const std::string& each : expanded(found)) {
      const bool beside = exists((folder / each).lexically_normal().generic_string());
      const bool without_extension = exists(each + ".h") || exists(each + ".cpp");
      if (!exists(each) && !beside && !without_extension) all.push_back(fmt::format("there is no {}", each));
    }
  }
  static const std::regex test("\\b[a-z0-9_]+_test\\b(\\.[a-z]+)?");
  for (std::sregex_iterator it(line.begin(), line.end(), test), end; it != end; ++it) {
    const std::string name = it->str(), stem = name.substr(0, name.find('.'));
    static const std::string programs = [] {
      std::ifstream cmake(fs::path(WARPBOOK_ROOT) / "tests/CMakeLists.txt");
      return std::string(std::istreambuf_iterator<char>(cmake), {});
    }();
    const bool program = std::regex_search(programs, std::regex("\\b" + stem + "\\b"));
    const bool source = tree().names.contains(stem + ".cpp") || tree().names.contains(stem + ".py");
    if (!has_placeholder(name) && !program && !source) all.push_back(fmt::format("there is no test {}", name));
  }
  static const std::regex document("[A-Za-z0-9_./-]+\\.md\\b");
  for (std::sregex_iterator it(line.begin(), line.end(), document), end; it != end; ++it) {
    if (!tree().names.contains(fs::path(it->str()).filename()) && !it->str().starts_with("out/") && !has_placeholder(it->str()))
      all.push_back(fmt::format("there is no document {}", it->str()));
  }
  return all;
}

/// The part of a line that is for readers: all of a document's, the comments of a source.
std::string words_of(const fs::path& file, const std::string& line) {
  const std::string extension = file.extension();
  if (extension == ".md") return line;
  const bool hash = extension == ".py" || extension == ".sh" || extension == ".txt" || extension.empty();
  const std::size_t at = line.find(hash ? "# " : "// ");
  return at == std::string::npos || (at > 0 && line[at - 1] == ':') ? std::string() : line.substr(at);
}

bool is_read(const std::string& file) {
  const std::string extension = fs::path(file).extension();
  // Test cases and lessons' pages are texts of others: sources to compile, prose for learners.
  if (file.starts_with("tests/cases/") || file.ends_with("text.en.md") || file == "tests/documents_test.cpp") return false;
  return extension == ".md" || extension == ".h" || extension == ".cpp" || extension == ".def" || extension == ".cu" ||
         file.ends_with("CMakeLists.txt") || file.starts_with("script/");
}

TEST(Documents, NameOnlyWhatExists) {
  int files = 0;
  for (const std::string& file : tree().files) {
    if (!is_read(file)) continue;
    ++files;
    std::ifstream text(fs::path(WARPBOOK_ROOT) / file);
    int number = 0;
    for (std::string line; std::getline(text, line);) {
      ++number;
      for (const std::string& why : objections(file, words_of(file, line))) ADD_FAILURE() << file << ":" << number << ": " << why;
    }
  }
  EXPECT_GT(files, 400) << "the tree was not found";
}

TEST(Documents, NamesThatLeadNowhereAreSeen) {
  const auto wrong = [](const std::string& line) { return objections("gpu/README.md", line).size(); };
  EXPECT_EQ(wrong("see gpu/no_such_file.h and `gpu/device.h`"), 1U);
  EXPECT_EQ(wrong("gpu/device.{h,xyz}"), 1U);
  EXPECT_EQ(wrong("tests/gpu/nothing_*.cpp, tests/gpu/compiler_*.cpp"), 1U);
  EXPECT_EQ(wrong("no_such_test breaks"), 1U);
  EXPECT_EQ(wrong("as no_such_document.md says"), 1U);

  EXPECT_EQ(wrong("gpu/cuda/ and app/README.md; layering_test, gpu_test"), 0U);
  EXPECT_EQ(wrong("lessons/NN_name/lesson.cpp, kernels/NAME.py, tests/lessons/NN_name_test.cpp"), 0U);
  EXPECT_EQ(wrong("https://example.org/gpu/nothing.h"), 0U);
  EXPECT_EQ(wrong("docs.nvidia.com/cuda/nothing and either/or"), 0U);
  EXPECT_EQ(wrong("lessons/*/lesson.cpp"), 0U);
}

}  // namespace
