#include "lessons/arguments/array_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <png.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include "gpu/input_file.h"
#include "lessons/arguments/argument_spec.h"
#include "lessons/arguments/npy.h"

namespace warpbook::lessons {
namespace {

namespace fs = std::filesystem;
using Shape = std::vector<std::size_t>;

constexpr std::uint32_t largest_side = 1 << 14;                   // pixels of a picture
constexpr std::uintmax_t largest_text = std::uintmax_t{1} << 28;  // bytes of a .csv

tl::unexpected<Error> bad(const fs::path& path, std::string_view why) {
  return failure("bad_file", fmt::format("{} {}", path.string(), why));
}

tl::unexpected<Error> other_shape(const fs::path& path, const Shape& held, const Shape& asked) {
  return failure("usage", fmt::format("{} holds {} elements, and {} are asked for. Ask for [{}].", path.string(),
                                      fmt::join(held, " × "), fmt::join(asked, " × "), fmt::join(held, "x")));
}

std::string extension_of(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

// ---- pictures ----

class Picture {
 public:
  Picture() { image_.version = PNG_IMAGE_VERSION; }
  ~Picture() { png_image_free(&image_); }
  Picture(const Picture&) = delete;
  Picture& operator=(const Picture&) = delete;

  [[nodiscard]] Result<void> open(const fs::path& path) {
    if (const auto size = size_of_input(path); !size) return failure(size.error());
    if (png_image_begin_read_from_file(&image_, path.c_str()) == 0)
      return bad(path, fmt::format("is no readable PNG: {}.", image_.message));
    if (image_.width > largest_side || image_.height > largest_side) {
      return bad(path, fmt::format("is {} × {} pixels; {} a side are the most.", image_.width, image_.height, largest_side));
    }
    return {};
  }
  [[nodiscard]] Shape shape() const { return {image_.height, image_.width}; }

  /// 0 … 255 each, rows from the top.
  [[nodiscard]] Result<std::vector<png_byte>> samples(const fs::path& path, std::size_t channels) {
    image_.format = channels == 1 ? PNG_FORMAT_GRAY : channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
    std::vector<png_byte> samples(PNG_IMAGE_SIZE(image_));
    const png_color black{};
    if (png_image_finish_read(&image_, &black, samples.data(), 0, nullptr) == 0) {
      return bad(path, fmt::format("is damaged: {}.", image_.message));
    }
    return samples;
  }

 private:
  png_image image_{};
};

template <class T>
void append(std::vector<std::byte>& bytes, T value) {
  const auto* const from = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), from, from + sizeof value);
}

Result<std::vector<std::byte>> read_picture(const fs::path& path, gpu::ScalarType type, const Shape& asked) {
  Picture picture;
  if (auto opened = picture.open(path); !opened) return failure(opened.error());
  Shape shape = picture.shape();
  const std::size_t channels = asked.size() == 3 ? asked[2] : 1;
  if (asked.size() == 3 && (channels == 3 || channels == 4)) shape.push_back(channels);
  if (shape != asked) return other_shape(path, picture.shape(), asked);
  if (type == gpu::ScalarType::int8)
    return bad(path, "has samples up to 255, which int8 cannot hold. Take uint8, int32 or float32.");
  auto samples = picture.samples(path, channels);
  if (!samples) return failure(samples.error());
  std::vector<std::byte> bytes;
  bytes.reserve(samples->size() * gpu::size_of(type));
  for (const png_byte sample : *samples) {
    if (type == gpu::ScalarType::float32) {
      append(bytes, static_cast<float>(sample) / 255.0F);
    } else if (type == gpu::ScalarType::float64) {
      append(bytes, sample / 255.0);
    } else {
      const std::uint64_t wide = sample;
      const auto* const low = reinterpret_cast<const std::byte*>(&wide);
      bytes.insert(bytes.end(), low, low + gpu::size_of(type));
    }
  }
  return bytes;
}

// ---- text ----

struct TextTable {
  Shape shape;
  std::vector<std::string> numbers;
  std::vector<std::size_t> lines;  // of each number, from 1
};

Result<TextTable> read_table(const fs::path& path) {
  const auto size = size_of_input(path);
  if (!size) return failure(size.error());
  if (*size > largest_text) return bad(path, fmt::format("is {} MB of text. Save so much as .npy, with numpy.save.", *size >> 20));
  std::ifstream in(path, std::ios::binary);
  TextTable table;
  std::size_t columns = 0, rows = 0, number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::vector<std::string> fields;
    for (std::size_t at = 0; (at = line.find_first_not_of(",; \t\r", at)) != std::string::npos;) {
      const std::size_t end = std::min(line.find_first_of(",; \t\r", at), line.size());
      fields.push_back(line.substr(at, end - at));
      at = end;
    }
    if (fields.empty()) continue;
    const bool heading = rows == 0 && std::none_of(fields.begin(), fields.end(), [](const std::string& field) {
                           return parse_scalar(gpu::ScalarType::float64, field).has_value();
                         });
    if (heading) continue;
    if (rows > 0 && fields.size() != columns) {
      return bad(path, fmt::format("has {} numbers in line {}, and {} in those before. Every row needs as many.", fields.size(),
                                   number, columns));
    }
    columns = fields.size();
    ++rows;
    for (std::string& field : fields) {
      table.numbers.push_back(std::move(field));
      table.lines.push_back(number);
    }
  }
  if (table.numbers.empty()) return bad(path, "has no numbers in it.");
  table.shape = rows == 1 || columns == 1 ? Shape{table.numbers.size()} : Shape{rows, columns};
  return table;
}

Result<std::vector<std::byte>> read_text_array(const fs::path& path, gpu::ScalarType type, const Shape& asked) {
  auto table = read_table(path);
  if (!table) return failure(table.error());
  if (table->shape != asked && !(asked.size() == 1 && asked[0] == table->numbers.size()))
    return other_shape(path, table->shape, asked);
  std::vector<std::byte> bytes;
  bytes.reserve(table->numbers.size() * gpu::size_of(type));
  for (std::size_t i = 0; i < table->numbers.size(); ++i) {
    const auto value = parse_scalar(type, table->numbers[i]);
    if (!value) return bad(path, fmt::format("cannot be read in line {}: {}", table->lines[i], value.error().message));
    const auto* const low = reinterpret_cast<const std::byte*>(&value->bits);
    bytes.insert(bytes.end(), low, low + gpu::size_of(type));
  }
  return bytes;
}

// ---- .npy ----

Result<NpyFile> read_numpy(const fs::path& path) {
  auto file = read_npy(path);
  if (file && file->array.shape.empty()) file->array.shape = {1};  // NumPy's zero-dimensional array
  return file;
}

Result<std::vector<std::byte>> read_numpy_array(const fs::path& path, gpu::ScalarType type, const Shape& asked) {
  auto file = read_numpy(path);
  if (!file) return failure(file.error());
  if (file->array.type != type || file->array.shape != asked) {
    return failure("usage", fmt::format("{} holds {}[{}], and {}[{}] is asked for. Ask for what it holds, or save it anew.",
                                        path.string(), gpu::name_of(file->array.type), fmt::join(file->array.shape, "x"),
                                        gpu::name_of(type), fmt::join(asked, "x")));
  }
  return std::move(file->bytes);
}

bool is_text(std::string_view extension) { return extension == ".csv" || extension == ".tsv" || extension == ".txt"; }

tl::unexpected<Error> unknown(const fs::path& path) {
  return failure(
      "usage", fmt::format("{} is no file that arrays are read from: those end in .npy, .png, .csv, .tsv or .txt.", path.string()));
}

}  // namespace

Result<std::vector<std::size_t>> shape_of_file(const fs::path& path) {
  const std::string extension = extension_of(path);
  if (extension == ".npy") {
    auto file = read_numpy(path);
    if (!file) return failure(file.error());
    return file->array.shape;
  }
  if (extension == ".png") {
    Picture picture;
    if (auto opened = picture.open(path); !opened) return failure(opened.error());
    return picture.shape();
  }
  if (!is_text(extension)) return unknown(path);
  auto table = read_table(path);
  if (!table) return failure(table.error());
  return table->shape;
}

Result<std::vector<std::byte>> read_array_file(const fs::path& path, gpu::ScalarType type, const Shape& shape) {
  const std::string extension = extension_of(path);
  if (extension == ".npy") return read_numpy_array(path, type, shape);
  if (extension == ".png") return read_picture(path, type, shape);
  return is_text(extension) ? read_text_array(path, type, shape) : unknown(path);
}

}  // namespace warpbook::lessons
