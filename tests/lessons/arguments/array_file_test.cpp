// Arrays from files: what each kind of file becomes, and what is refused rather than believed.
#include "lessons/arguments/array_file.h"

#include <gtest/gtest.h>
#include <png.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <span>
#include <string>

#include "lessons/arguments/npy.h"

namespace warpbook::lessons {
namespace {

namespace fs = std::filesystem;
using gpu::ScalarType;
using Shape = std::vector<std::size_t>;

class ArrayFile : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  fs::path write_png(const std::string& name, std::uint32_t width, std::uint32_t height, png_uint_32 format,
                     const std::vector<png_byte>& samples) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = height;
    image.format = format;
    EXPECT_NE(png_image_write_to_file(&image, (folder_ / name).c_str(), 0, samples.data(), 0, nullptr), 0);
    return folder_ / name;
  }
  template <class T>
  std::vector<T> values(const fs::path& path, ScalarType type, const Shape& shape) {
    const auto bytes = read_array_file(path, type, shape);
    EXPECT_TRUE(bytes) << (bytes ? "" : bytes.error().message);
    std::vector<T> out(bytes ? bytes->size() / sizeof(T) : 0);
    if (bytes) std::memcpy(out.data(), bytes->data(), bytes->size());
    return out;
  }
  std::string refused(const fs::path& path, ScalarType type, const Shape& shape) {
    const auto bytes = read_array_file(path, type, shape);
    EXPECT_FALSE(bytes) << path;
    return bytes ? "" : bytes.error().message;
  }

  fs::path folder_ = fs::temp_directory_path() / ("warpbook_array_file_" + std::to_string(::getpid()));
};

TEST_F(ArrayFile, TextIsARowAColumnOrATable) {
  const fs::path table = write("t.csv", "x,y,z\n1,2,3\r\n\n4; 5 ;6\n");
  EXPECT_EQ(*shape_of_file(table), (Shape{2, 3}));
  EXPECT_EQ(values<float>(table, ScalarType::float32, {2, 3}), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values<std::int8_t>(table, ScalarType::int8, {6}), (std::vector<std::int8_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(*shape_of_file(write("row.tsv", "1\t2\t3")), (Shape{3}));
  EXPECT_EQ(*shape_of_file(write("column.txt", "1\n2\n3\n4\n")), (Shape{4}));
  EXPECT_EQ(values<double>(write("d.csv", "1e-3, -inf"), ScalarType::float64, {2})[0], 1e-3);
  EXPECT_EQ(*shape_of_file(write("CAPITALS.CSV", "1,2")), (Shape{2}));
}

TEST_F(ArrayFile, TextThatIsWrongIsNamedWithItsLine) {
  EXPECT_NE(refused(write("ragged.csv", "1,2\n3\n"), ScalarType::int32, {2, 2}).find("line 2"), std::string::npos);
  EXPECT_NE(refused(write("word.csv", "1,2\n3,four\n"), ScalarType::int32, {2, 2}).find("line 2"), std::string::npos);
  EXPECT_NE(refused(write("big.csv", "1\n300\n"), ScalarType::int8, {2}).find("127"), std::string::npos);
  EXPECT_NE(refused(write("half.csv", "1.5"), ScalarType::int32, {1}).find("line 1"), std::string::npos);
  EXPECT_NE(refused(write("empty.csv", "a,b\n"), ScalarType::int32, {1}).find("no numbers"), std::string::npos);
  EXPECT_NE(refused(write("t.csv", "1,2,3"), ScalarType::int32, {4}).find("[3]"), std::string::npos) << "what to ask for instead";
}

TEST_F(ArrayFile, PicturesAreGreyOrColouredAndScaledForFloats) {
  const fs::path grey = write_png("g.png", 3, 2, PNG_FORMAT_GRAY, {0, 51, 102, 153, 204, 255});
  EXPECT_EQ(*shape_of_file(grey), (Shape{2, 3}));
  EXPECT_EQ(values<std::uint8_t>(grey, ScalarType::uint8, {2, 3}), (std::vector<std::uint8_t>{0, 51, 102, 153, 204, 255}));
  EXPECT_EQ(values<std::int32_t>(grey, ScalarType::int32, {2, 3})[4], 204);
  EXPECT_FLOAT_EQ(values<float>(grey, ScalarType::float32, {2, 3})[1], 0.2F);
  EXPECT_EQ(values<double>(grey, ScalarType::float64, {2, 3})[5], 1.0);
  const fs::path colour = write_png("c.png", 1, 2, PNG_FORMAT_RGB, {255, 0, 0, 1, 2, 3});
  EXPECT_EQ(values<std::uint8_t>(colour, ScalarType::uint8, {2, 1, 3}), (std::vector<std::uint8_t>{255, 0, 0, 1, 2, 3}));
  EXPECT_EQ(values<std::uint8_t>(colour, ScalarType::uint8, {2, 1, 4})[3], 255) << "opaque";
  EXPECT_NE(refused(grey, ScalarType::uint8, {3, 2}).find("[2x3]"), std::string::npos);
  EXPECT_NE(refused(grey, ScalarType::int8, {2, 3}).find("int8"), std::string::npos);
}

TEST_F(ArrayFile, WhatIsNoPictureNoArrayAndNoFileIsRefused) {
  EXPECT_NE(refused(write("no.png", "not a picture"), ScalarType::uint8, {1, 1}).find("no readable PNG"), std::string::npos);
  EXPECT_FALSE(shape_of_file(write("no.npy", "not an array")));
  EXPECT_FALSE(shape_of_file(folder_ / "absent.csv"));
  EXPECT_FALSE(shape_of_file(folder_ / "absent.png"));
  EXPECT_NE(shape_of_file(write("x.jpg", "")).error().message.find(".png"), std::string::npos);
  EXPECT_FALSE(shape_of_file(folder_)) << "a folder";
}

TEST_F(ArrayFile, NumPysTypeAndShapeAreTheirOwn) {
  const std::vector<float> x{1, 2, 3, 4};
  ASSERT_TRUE(
      write_npy(folder_ / "x.npy", {.name = {}, .type = ScalarType::float32, .shape = {2, 2}}, std::as_bytes(std::span(x))));
  EXPECT_EQ(*shape_of_file(folder_ / "x.npy"), (Shape{2, 2}));
  EXPECT_EQ(values<float>(folder_ / "x.npy", ScalarType::float32, {2, 2}), x);
  EXPECT_NE(refused(folder_ / "x.npy", ScalarType::float64, {2, 2}).find("float32[2x2]"), std::string::npos);
}

// ---- what a file says of itself ----

TEST_F(ArrayFile, ATinyPictureThatSaysItIsHugeIsRefusedByItsHeader) {
  // IHDR alone: 16384 × 16384, 8 bits, red, green, blue and alpha; 1 GiB of samples from 100 bytes.
  std::string png("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x40\0\0\0\x40\0\x08\x06\0\0\0", 29);
  png += "\xa9\xc8\x10\x84";  // its checksum
  png += std::string("\0\0\0\x37IDAT", 8) + std::string(59, '\0');
  const fs::path file = write("huge.png", png);
  const auto shape = shape_of_file(file);
  ASSERT_FALSE(shape);
  EXPECT_NE(shape.error().message.find("says that it is 16384 × 16384 pixels, and has 100 bytes"), std::string::npos) << shape.error().message;
  EXPECT_FALSE(read_array_file(file, ScalarType::uint8, {16384, 16384, 4}));
}

TEST_F(ArrayFile, APictureOfOneColourIsSmallAndTaken) {
  const fs::path file = write_png("black.png", 4096, 4096, PNG_FORMAT_GRAY, std::vector<png_byte>(4096 * 4096));
  EXPECT_LT(fs::file_size(file), 4096u * 4096u / 200);
  EXPECT_EQ(values<std::uint8_t>(file, ScalarType::uint8, {4096, 4096}).size(), 4096u * 4096u);
}

TEST_F(ArrayFile, ShapesAreComparedBeforeElementsAreRead) {
  // A header and 64 GiB that the file system does not keep: whoever reads them needs as much memory.
  const std::uintmax_t elements = std::uintmax_t{1} << 36;
  const std::string head = "{'descr': '|u1', 'fortran_order': False, 'shape': (" + std::to_string(elements) + ",), }";
  const fs::path file = write("sparse.npy", std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(118) + '\0' + head + std::string(117 - head.size(), ' ') + '\n');
  fs::resize_file(file, 128 + elements);
  EXPECT_EQ(*shape_of_file(file), (Shape{elements}));
  EXPECT_NE(refused(file, ScalarType::uint8, {16}).find("Ask for what it holds"), std::string::npos);
  EXPECT_FALSE(check_array_file(file, ScalarType::int32, {elements}));
  EXPECT_TRUE(check_array_file(file, ScalarType::uint8, {elements}));
}

TEST_F(ArrayFile, IntoMemoryOfTheCallers) {
  std::array<std::int16_t, 6> numbers{};
  const fs::path file = write("t.csv", "1,2,3\n4,5,6\n");
  ASSERT_TRUE(read_array_file(file, ScalarType::int16, {2, 3}, std::as_writable_bytes(std::span(numbers))));
  EXPECT_EQ(numbers, (std::array<std::int16_t, 6>{1, 2, 3, 4, 5, 6}));
}

}  // namespace
}  // namespace warpbook::lessons
