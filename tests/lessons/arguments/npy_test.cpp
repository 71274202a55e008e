// .npy files: round trips, what NumPy writes, and what is refused rather than believed.
#include "lessons/arguments/npy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace warpbook::lessons {
namespace {

namespace fs = std::filesystem;

struct NpyFile {
  gpu::Array array;
  std::vector<std::byte> bytes;
};

Result<NpyFile> read_npy(const fs::path& path) {
  auto array = read_npy_header(path);
  if (!array) return failure(array.error());
  NpyFile file{.array = std::move(*array), .bytes = {}};
  file.bytes.resize(file.array.bytes());
  if (auto read = read_npy_elements(path, file.bytes); !read) return failure(read.error());
  return file;
}

class Npy : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  // A file as NumPy writes it: magic, version, length, header, elements.
  fs::path npy(const std::string& header, const std::string& elements, int version = 1) {
    std::string bytes = "\x93NUMPY";
    bytes += static_cast<char>(version);
    bytes += '\0';
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
    return write("a.npy", bytes + header + elements);
  }
  std::string refused(const fs::path& path) {
    auto file = read_npy(path);
    EXPECT_FALSE(file);
    return file ? std::string() : file.error().message;
  }

  const fs::path folder_ = fs::temp_directory_path() / ("warpbook_npy_" + std::to_string(::getpid()));
};

template <class T>
T element(const NpyFile& file, std::size_t index) {
  T value{};
  std::memcpy(&value, file.bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

TEST_F(Npy, RoundTripKeepsTypeShapeAndBits) {
  for (const std::string_view name :
       {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"}) {
    const gpu::Array array{.name = {}, .type = *gpu::scalar_type(name), .shape = {3, 5}};
    std::vector<std::byte> bytes(array.bytes());
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 37);
    ASSERT_TRUE(write_npy(folder_ / "r.npy", array, bytes));
    auto back = read_npy(folder_ / "r.npy");
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->array.type, array.type);
    EXPECT_EQ(back->array.shape, array.shape);
    EXPECT_EQ(back->bytes, bytes);
  }
}

TEST_F(Npy, ElementsBeginAtAMultipleOf64) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{12345}, std::size_t{1} << 20}) {
    const gpu::Array array{.name = {}, .type = gpu::ScalarType::uint8, .shape = {n}};
    ASSERT_TRUE(write_npy(folder_ / "w.npy", array, std::vector<std::byte>(n)));
    EXPECT_EQ((fs::file_size(folder_ / "w.npy") - n) % 64, 0u);
  }
}

TEST_F(Npy, ReadsVersionsOneToThree) {
  const std::string elements("\x01\x00\x00\x00\x02\x00\x00\x00", 8);
  for (const int version : {1, 2, 3}) {
    auto file = read_npy(npy("{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }\n", elements, version));
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->array.shape, std::vector<std::size_t>{2});
    EXPECT_EQ(element<std::int32_t>(*file, 1), 2);
  }
}

TEST_F(Npy, FortranOrderOfOneDimensionIsNoDifference) {
  EXPECT_TRUE(read_npy(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (3,), }\n", "abc")));
  EXPECT_NE(refused(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (1, 3), }\n", "abc")).find("ascontiguousarray"),
            std::string::npos);
}

TEST_F(Npy, RefusesWithAReason) {
  const std::string plain = "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }\n";
  EXPECT_NE(refused(folder_ / "nothing.npy").find("no file"), std::string::npos);
  EXPECT_NE(refused(write("a.txt", "1 2 3")).find("numpy.save"), std::string::npos);
  EXPECT_NE(refused(write("short.npy", "\x93NUM")).find("is no .npy"), std::string::npos);
  EXPECT_NE(refused(npy(plain, std::string(15, 'x'))).find("cut off"), std::string::npos);
  EXPECT_NE(refused(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }\n", "abcd")).find("big-endian"),
            std::string::npos);
  EXPECT_NE(refused(npy("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }\n", "abcdefgh")).find("'<c8'"),
            std::string::npos);
  EXPECT_NE(refused(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }\n", "abcd")).find("fields"),
            std::string::npos);
  EXPECT_NE(refused(npy("{'descr': '<f4', 'shape': (1,), }\n", "abcd")).find("lacks"), std::string::npos);
  EXPECT_NE(refused(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }\n", "abcd")).find("shape"), std::string::npos);
  // A shape whose bytes overflow 64 bits must not pass as a small one.
  EXPECT_NE(refused(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387905, 4), }\n", "abcd")).find("cut off"),
            std::string::npos);
  EXPECT_NE(refused(npy(plain, "", 9)).find("version 9"), std::string::npos);
}

// Whatever the header says: an answer, never a crash. Each prefix of a good file, and each byte of it damaged.
TEST_F(Npy, DamagedFilesAreAnswered) {
  const gpu::Array array{.name = {}, .type = gpu::ScalarType::int32, .shape = {2, 2}};
  ASSERT_TRUE(write_npy(folder_ / "good.npy", array, std::vector<std::byte>(16)));
  std::ifstream in(folder_ / "good.npy", std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t n = 0; n < good.size(); ++n) EXPECT_FALSE(read_npy(write("cut.npy", good.substr(0, n)))) << n;
  for (std::size_t at = 0; at < 90; ++at) {
    for (const char c : {'\0', '\'', '(', '9', '\xff'}) {
      std::string bad = good;
      bad[at] = c;
      auto file = read_npy(write("bad.npy", bad));
      EXPECT_LE(file ? file->bytes.size() : 0, good.size());
    }
  }
}

TEST_F(Npy, UnwritablePlaceIsSaid) {
  const gpu::Array array{.name = {}, .type = gpu::ScalarType::int32, .shape = {1}};
  auto done = write_npy(folder_ / "no" / "such" / "folder.npy", array, std::vector<std::byte>(4));
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("folder.npy"), std::string::npos);
}

}  // namespace
}  // namespace warpbook::lessons
