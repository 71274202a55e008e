// What may be read beside a .cu file, and what not.
#include "gpu/local_headers.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "gpu/compiler.h"

namespace warpbook::gpu {
namespace {

namespace fs = std::filesystem;

class Folder : public testing::Test {
 protected:
  Folder() : root_(fs::temp_directory_path() / ("warpbook_local_headers_" + std::to_string(getpid()))) {
    fs::remove_all(root_);
    fs::create_directories(folder());
  }
  ~Folder() override { fs::remove_all(root_); }

  [[nodiscard]] fs::path folder() const { return root_ / "project"; }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder() / name).parent_path());
    std::ofstream(folder() / name, std::ios::binary) << text;
  }
  [[nodiscard]] std::vector<std::string> names(const std::string& text) const {
    std::vector<std::string> all;
    for (const Header& each : local_headers(text, folder()).found) all.push_back(each.name);
    return all;
  }
  [[nodiscard]] std::string why_not(const std::string& name) const {
    const LocalHeaders local = local_headers("#include \"" + name + "\"\n", folder());
    EXPECT_TRUE(local.found.empty());
    return std::string(local.why_not(name));
  }

  const fs::path root_;
};

using Names = std::vector<std::string>;

TEST_F(Folder, IncludesAreFollowedFromTheFileThatHasThem) {
  write("a.h", "#include \"sub/b.h\"");
  write("sub/b.h", "  #  include \"c.h\"  // beside b.h\n#include \"../a.h\"\n");
  write("sub/c.h", "");
  write("c.h", "");
  EXPECT_EQ(names("#include \"a.h\"\n"), (Names{"a.h", "sub/b.h", "sub/c.h"}));
  EXPECT_EQ(names("#include <a.h>\n// #include \"a.h\"\nint include; \"c.h\"\n#include \"absent.h\"\n#include \"sub\""), Names{});
  EXPECT_TRUE(local_headers("#include \"a.h\"", {}).found.empty());
  EXPECT_TRUE(local_headers("#include \"a.h\"", folder() / "absent").found.empty());
}

TEST_F(Folder, NamesForTheCompilerCountFromTheFolder) {
  write("sub/b.h", "#include \"c.h\"\n#include \"absent.h\"\n");
  write("sub/c.h", "");
  write("stdint.h", "");
  const std::string text = "#include \"./sub/../sub/b.h\" // here\n#include \"stdint.h\"\n#include <stdint.h>\n";
  const LocalHeaders local = local_headers(text, folder());
  EXPECT_EQ(with_names_for_compiler(text, {}, local),
            "#include \"sub/b.h\" // here\n#include \"beside/stdint.h\"\n#include <stdint.h>\n");
  EXPECT_EQ(with_names_for_compiler(local.found[0].text, "sub/b.h", local), "#include \"sub/c.h\"\n#include \"absent.h\"\n");
  EXPECT_EQ(with_own_names("beside/stdint.h(3): error beside/other.h"), "stdint.h(3): error beside/other.h");
}

TEST_F(Folder, WhatLeadsOutIsRefused) {
  std::ofstream(root_ / "secret.h") << "int secret;";
  write("inside.h", "");
  fs::create_symlink(root_ / "secret.h", folder() / "link.h");
  fs::create_directory_symlink(root_, folder() / "up");
  fs::create_symlink("inside.h", folder() / "alias.h");
  fs::create_directories(root_ / "project_of_another");
  std::ofstream(root_ / "project_of_another/x.h") << "int secret;";
  for (const std::string& name : {std::string("../secret.h"), std::string("sub/../../secret.h"), (root_ / "secret.h").string(),
                                  (folder() / "inside.h").string(), std::string("link.h"), std::string("up/secret.h"),
                                  std::string("../project_of_another/x.h"), std::string("../project/inside.h")})
    EXPECT_NE(why_not(name).find("leads out of the folder"), std::string::npos) << name;
  EXPECT_EQ(names("#include \"alias.h\"\n"), Names{"alias.h"});
}

TEST_F(Folder, NoMoreIsReadThanAProgramHas) {
  std::string all;
  for (std::size_t i = 0; i <= most_headers; ++i) {
    write("h" + std::to_string(i) + ".h", "");
    all += "#include \"h" + std::to_string(i) + ".h\"\n";
  }
  const LocalHeaders many = local_headers(all, folder());
  EXPECT_EQ(many.found.size(), most_headers);
  EXPECT_NE(many.why_not("h" + std::to_string(most_headers) + ".h").find("one too many"), std::string::npos);

  write("half.h", std::string(most_header_bytes / 2, ' '));
  write("more.h", std::string(most_header_bytes / 2 + 1, ' '));
  const LocalHeaders large = local_headers("#include \"half.h\"\n#include \"more.h\"\n#include \"h1.h\"\n", folder());
  EXPECT_EQ(large.found.size(), 2u);
  EXPECT_NE(large.why_not("more.h").find("is too large"), std::string::npos);

  write("binary.h", std::string("a\0b", 3));
  EXPECT_NE(why_not("binary.h").find("is no text"), std::string::npos);
  write("a(1): error: b.h", "");
  EXPECT_NE(why_not("a(1): error: b.h").find("Rename it"), std::string::npos);
  ASSERT_EQ(mkfifo((folder() / "pipe.h").c_str(), 0600), 0);
  EXPECT_EQ(why_not("pipe.h"), "");  // as if it were not there; and nobody waits for it
}

TEST_F(Folder, TheCompilerSeesAHeaderThatHasChanged) {
  Compiler compiler;
  const Source source{.file = "k.cu",
                      .text = "#include \"v.h\"\n__global__ void k(int* a) { a[0] = V; }",
                      .defines = {},
                      .instantiate = {},
                      .folder = folder()};
  EXPECT_FALSE(compiler.compile(source));
  write("v.h", "#define V 1234567");
  const auto first = compiler.compile(source), again = compiler.compile(source);
  ASSERT_TRUE(first && again) << first.error().log;
  EXPECT_EQ((*first)->id, (*again)->id);
  EXPECT_NE((*first)->ptx.find("1234567"), std::string::npos);
  write("v.h", "#define V 7654321");
  const auto changed = compiler.compile(source);
  ASSERT_TRUE(changed);
  EXPECT_NE((*changed)->ptx.find("7654321"), std::string::npos);
}

}  // namespace
}  // namespace warpbook::gpu
