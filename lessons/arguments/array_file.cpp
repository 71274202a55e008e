#include "lessons/arguments/array_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <functional>
#include <numeric>
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
constexpr std::uintmax_t largest_text = std::uintmax_t{1} << 28;  // bytes of a text file
constexpr std::size_t longest_number = 400;                       // characters: a float64 without an exponent

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
    return fits_its_file(path);
  }
  [[nodiscard]] Shape shape() const { return {image_.height, image_.width}; }

  /// Rows from the top; each sample is 0 … 255.
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
  /// Deflate expands a byte to at most 1,032 bytes (zlib's technical notes), so a tiny file that claims to be huge is damaged.
  [[nodiscard]] Result<void> fits_its_file(const fs::path& path) const {
    constexpr std::size_t most_of_a_byte = 1032, behind_the_sides = 26;
    std::array<char, behind_the_sides> start{};
    std::ifstream in(path, std::ios::binary);
    if (!in.read(start.data(), start.size())) return bad(path, "is no readable PNG: it ends within its header.");
    const int bits = start[24], colours = start[25];
    const std::size_t samples = colours == 2 ? 3 : colours == 4 ? 2 : colours == 6 ? 4 : 1;
    const std::size_t row = 1 + (std::size_t{image_.width} * static_cast<std::size_t>(std::max(bits, 1)) * samples + 7) / 8;
    std::error_code none;
    const std::uintmax_t size = fs::file_size(path, none);
    if (none || row * image_.height / most_of_a_byte <= size) return {};
    return bad(path, fmt::format("is damaged: it says that it is {} × {} pixels, and has {} bytes, in which so many have no room.",
                                 image_.width, image_.height, size));
  }

  png_image image_{};
};

Result<void> check_picture(Picture& picture, const fs::path& path, gpu::ScalarType type, const Shape& asked) {
  if (auto opened = picture.open(path); !opened) return opened;
  Shape shape = picture.shape();
  const std::size_t channels = asked.size() == 3 ? asked[2] : 1;
  if (asked.size() == 3 && (channels == 3 || channels == 4)) shape.push_back(channels);
  if (shape != asked) return other_shape(path, picture.shape(), asked);
  if (type == gpu::ScalarType::int8)
    return bad(path, "has samples up to 255, which int8 cannot hold. Take uint8, int32 or float32.");
  return {};
}

void put(std::span<std::byte> bytes, std::size_t element, std::size_t size, const void* value) {
  std::memcpy(bytes.data() + element * size, value, size);
}

Result<void> read_picture(const fs::path& path, gpu::ScalarType type, const Shape& asked, std::span<std::byte> bytes) {
  Picture picture;
  if (auto fits = check_picture(picture, path, type, asked); !fits) return fits;
  auto samples = picture.samples(path, asked.size() == 3 ? asked[2] : 1);
  if (!samples) return failure(samples.error());
  const std::size_t size = gpu::size_of(type);
  for (std::size_t i = 0; i < samples->size(); ++i) {
    const png_byte sample = (*samples)[i];
    if (type == gpu::ScalarType::float32) {
      const float part = static_cast<float>(sample) / 255.0F;
      put(bytes, i, size, &part);
    } else if (type == gpu::ScalarType::float64) {
      const double part = sample / 255.0;
      put(bytes, i, size, &part);
    } else {
      const std::uint64_t wide = sample;
      put(bytes, i, size, &wide);
    }
  }
  return {};
}

// ---- text ----

/// Iterates over the numbers of a table, line by line, without storing them.
class TextTable {
 public:
  explicit TextTable(const fs::path& path) : path_(path) {}

  /// `visit(field, line)` returns whether to continue. The result is an error in the table's form.
  template <class Visit>
  Result<void> read(Visit&& visit) {
    const auto size = size_of_input(path_);
    if (!size) return failure(size.error());
    if (*size > largest_text)
      return bad(path_, fmt::format("is {} MB of text. Save so much as .npy, with numpy.save.", *size >> 20));
    std::ifstream in(path_, std::ios::binary);
    std::size_t number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      std::size_t fields = 0;
      bool any_number = rows_ > 0;
      const auto each = [&](auto&& use) {
        for (std::size_t at = 0; (at = line.find_first_not_of(",; \t\r", at)) != std::string::npos;) {
          const std::size_t end = std::min(line.find_first_of(",; \t\r", at), line.size());
          if (!use(std::string_view(line).substr(at, end - at))) return false;
          at = end;
        }
        return true;
      };
      each([&](std::string_view field) {
        ++fields;
        any_number = any_number || parse_scalar(gpu::ScalarType::float64, field.substr(0, longest_number)).has_value();
        return true;
      });
      if (fields == 0 || !any_number) continue;  // a line of words above the numbers is a heading
      if (rows_ > 0 && fields != columns_) {
        return bad(path_, fmt::format("has {} numbers in line {}, and {} in those before. Every row needs as many.", fields, number,
                                      columns_));
      }
      columns_ = fields;
      ++rows_;
      if (!each([&](std::string_view field) { return visit(field, number); })) return {};
    }
    if (rows_ == 0) return bad(path_, "has no numbers in it.");
    return {};
  }

  [[nodiscard]] Shape shape() const { return rows_ == 1 || columns_ == 1 ? Shape{rows_ * columns_} : Shape{rows_, columns_}; }

 private:
  fs::path path_;
  std::size_t rows_ = 0, columns_ = 0;
};

Result<Shape> shape_of_table(const fs::path& path) {
  TextTable table(path);
  if (auto read = table.read([](std::string_view, std::size_t) { return true; }); !read) return failure(read.error());
  return table.shape();
}

Result<void> check_table(const fs::path& path, const Shape& asked) {
  auto shape = shape_of_table(path);
  if (!shape) return failure(shape.error());
  const std::size_t count = std::accumulate(shape->begin(), shape->end(), std::size_t{1}, std::multiplies<>());
  if (*shape != asked && !(asked.size() == 1 && asked[0] == count)) return other_shape(path, *shape, asked);
  return {};
}

Result<void> read_text_array(const fs::path& path, gpu::ScalarType type, const Shape& asked, std::span<std::byte> bytes) {
  if (auto fits = check_table(path, asked); !fits) return fits;
  const std::size_t size = gpu::size_of(type);
  std::size_t element = 0;
  Result<void> problem;
  TextTable table(path);
  auto read = table.read([&](std::string_view field, std::size_t line) {
    const auto value = parse_scalar(type, field);
    if (!value)
      problem = bad(path, fmt::format("cannot be read in line {}: {}", line, value.error().message));
    else if (element == bytes.size() / size)
      problem = bad(path, "was changed while it was read. Try again.");
    else
      put(bytes, element++, size, &value->bits);
    return problem.has_value();
  });
  if (!read) return read;
  return problem;
}

// ---- .npy ----

Result<gpu::Array> numpy_header(const fs::path& path) {
  auto array = read_npy_header(path);
  if (array && array->shape.empty()) array->shape = {1};  // NumPy's zero-dimensional array
  return array;
}

Result<void> check_numpy(const fs::path& path, gpu::ScalarType type, const Shape& asked) {
  auto array = numpy_header(path);
  if (!array) return failure(array.error());
  if (array->type == type && array->shape == asked) return {};
  return failure("usage",
                 fmt::format("{} holds {}[{}], and {}[{}] is asked for. Ask for what it holds, or save it anew.", path.string(),
                             gpu::name_of(array->type), fmt::join(array->shape, "x"), gpu::name_of(type), fmt::join(asked, "x")));
}

Result<void> read_numpy_array(const fs::path& path, gpu::ScalarType type, const Shape& asked, std::span<std::byte> bytes) {
  if (auto fits = check_numpy(path, type, asked); !fits) return fits;
  return read_npy_elements(path, bytes);
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
    auto array = numpy_header(path);
    if (!array) return failure(array.error());
    return array->shape;
  }
  if (extension == ".png") {
    Picture picture;
    if (auto opened = picture.open(path); !opened) return failure(opened.error());
    return picture.shape();
  }
  return is_text(extension) ? shape_of_table(path) : unknown(path);
}

Result<void> check_array_file(const fs::path& path, gpu::ScalarType type, const Shape& shape) {
  const std::string extension = extension_of(path);
  if (extension == ".npy") return check_numpy(path, type, shape);
  if (extension == ".png") {
    Picture picture;
    return check_picture(picture, path, type, shape);
  }
  return is_text(extension) ? check_table(path, shape) : unknown(path);
}

Result<void> read_array_file(const fs::path& path, gpu::ScalarType type, const Shape& shape, std::span<std::byte> bytes) {
  const std::string extension = extension_of(path);
  if (extension == ".npy") return read_numpy_array(path, type, shape, bytes);
  if (extension == ".png") return read_picture(path, type, shape, bytes);
  return is_text(extension) ? read_text_array(path, type, shape, bytes) : unknown(path);
}

Result<std::vector<std::byte>> read_array_file(const fs::path& path, gpu::ScalarType type, const Shape& shape) {
  if (auto fits = check_array_file(path, type, shape); !fits) return failure(fits.error());
  std::vector<std::byte> bytes(gpu::Array{.name = {}, .type = type, .shape = shape}.bytes());
  if (auto read = read_array_file(path, type, shape, bytes); !read) return failure(read.error());
  return bytes;
}

}  // namespace warpbook::lessons
