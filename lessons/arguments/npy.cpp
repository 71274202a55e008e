#include "lessons/arguments/npy.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/input_file.h"
#include "gpu/output_file.h"

namespace warpbook::lessons {
namespace {

static_assert(std::endian::native == std::endian::little, "bytes go to and from .npy files as they are");

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t largest_header = std::size_t{1} << 20;  // NumPy's own have less than 128 bytes

struct TypeCode {
  gpu::ScalarType type;
  std::string_view code;
};
constexpr std::array<TypeCode, 10> type_codes{{{gpu::ScalarType::int8, "i1"},
                                               {gpu::ScalarType::uint8, "u1"},
                                               {gpu::ScalarType::int16, "i2"},
                                               {gpu::ScalarType::uint16, "u2"},
                                               {gpu::ScalarType::int32, "i4"},
                                               {gpu::ScalarType::uint32, "u4"},
                                               {gpu::ScalarType::int64, "i8"},
                                               {gpu::ScalarType::uint64, "u8"},
                                               {gpu::ScalarType::float32, "f4"},
                                               {gpu::ScalarType::float64, "f8"}}};

tl::unexpected<Error> refuse(const std::filesystem::path& path, std::string_view why) {
  return failure("bad_file", fmt::format("{} {}", path.string(), why));
}

// The text after "'key':" in the header's Python dictionary, without leading blanks.
std::optional<std::string_view> value_of(std::string_view header, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = fmt::format("{0}{1}{0}", quote, key);
    const std::size_t at = header.find(quoted);
    if (at == std::string_view::npos) continue;
    std::string_view rest = header.substr(at + quoted.size());
    const std::size_t colon = rest.find_first_not_of(' ');
    if (colon == std::string_view::npos || rest[colon] != ':') continue;
    rest.remove_prefix(colon + 1);
    const std::size_t begin = rest.find_first_not_of(' ');
    if (begin != std::string_view::npos) return rest.substr(begin);
  }
  return std::nullopt;
}

// Parses the shape: "(3, 4)", "(5,)", "()".
std::optional<std::vector<std::size_t>> parse_shape(std::string_view text) {
  if (text.empty() || text.front() != '(') return std::nullopt;
  const std::size_t close = text.find(')');
  if (close == std::string_view::npos) return std::nullopt;
  text = text.substr(1, close - 1);
  std::vector<std::size_t> shape;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" ,");
    if (begin == std::string_view::npos) return shape;
    text.remove_prefix(begin);
    std::size_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc{}) return std::nullopt;
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
}

// The array's size in bytes. Empty: it exceeds size_t.
std::optional<std::size_t> checked_bytes(const gpu::Array& array) {
  std::size_t bytes = gpu::size_of(array.type);
  for (const std::size_t extent : array.shape) {
    if (extent != 0 && bytes > std::numeric_limits<std::size_t>::max() / extent) return std::nullopt;
    bytes *= extent;
  }
  return bytes;
}

/// Reads the array's type and shape and checks the file's size. Afterwards `in` is at the first element.
Result<gpu::Array> read_header(const std::filesystem::path& path, std::ifstream& in) {
  const auto file_size = size_of_input(path);
  if (!file_size) return failure(file_size.error());
  in.open(path, std::ios::binary);

  std::array<char, 8> start{};
  if (!in.read(start.data(), start.size()) || std::string_view(start.data(), magic.size()) != magic) {
    return refuse(path, "is no .npy file: it does not start with NumPy's mark. Write one with numpy.save(\"file.npy\", array).");
  }
  const int version = start[6];
  if (version < 1 || version > 3) return refuse(path, fmt::format("has .npy version {}; versions 1 to 3 are known.", version));
  std::uint32_t header_size = 0;
  if (version == 1) {
    std::uint16_t size = 0;
    in.read(reinterpret_cast<char*>(&size), sizeof size);
    header_size = size;
  } else {
    in.read(reinterpret_cast<char*>(&header_size), sizeof header_size);
  }
  if (!in || header_size > largest_header) return refuse(path, "is damaged: its header has no sensible length.");
  std::string header(header_size, '\0');
  if (!in.read(header.data(), header_size)) return refuse(path, "is damaged: it ends within its header.");

  const auto descr = value_of(header, "descr");
  const auto order = value_of(header, "fortran_order");
  const auto shape_text = value_of(header, "shape");
  if (!descr || !order || !shape_text) return refuse(path, "is damaged: its header lacks descr, fortran_order or shape.");

  if (descr->front() != '\'' && descr->front() != '"') {
    return refuse(path, "holds records of several fields. Save one plain array with numpy.save.");
  }
  const std::string_view type_text = descr->substr(1, descr->find(descr->front(), 1) - 1);
  std::optional<gpu::ScalarType> type;
  for (const TypeCode& known : type_codes) {
    if (type_text.size() == 3 && type_text.substr(1) == known.code) type = known.type;
  }
  if (!type) {
    return refuse(
        path,
        fmt::format("holds elements of type '{}'. Convert them first, for example with array.astype(numpy.float32).", type_text));
  }
  if (type_text.front() == '>')
    return refuse(path, "is big-endian. Convert it first: array.astype(array.dtype.newbyteorder('<')).");

  auto shape = parse_shape(*shape_text);
  if (!shape) return refuse(path, "is damaged: its header's shape cannot be read.");
  if (order->starts_with("True") && shape->size() > 1) {
    return refuse(path, "is in Fortran order. Convert it first: numpy.save(\"file.npy\", numpy.ascontiguousarray(array)).");
  }

  gpu::Array array{.name = {}, .type = *type, .shape = std::move(*shape)};
  const auto bytes = checked_bytes(array);
  const std::uintmax_t rest = *file_size - static_cast<std::uintmax_t>(in.tellg());
  if (!bytes || *bytes > rest)
    return refuse(path, fmt::format("is cut off: {} bytes of elements are left of what its shape needs.", rest));
  return array;
}

}  // namespace

Result<gpu::Array> read_npy_header(const std::filesystem::path& path) {
  std::ifstream in;
  return read_header(path, in);
}

Result<void> read_npy_elements(const std::filesystem::path& path, std::span<std::byte> bytes) {
  std::ifstream in;
  const auto array = read_header(path, in);
  if (!array) return failure(array.error());
  if (array->bytes() != bytes.size()) return refuse(path, "was changed while it was read. Try again.");
  if (!in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
    return refuse(path, "could not be read to its end.");
  return {};
}

Result<void> write_npy(const std::filesystem::path& path, const gpu::Array& array, std::span<const std::byte> bytes) {
  std::string shape = "(";
  for (std::size_t i = 0; i < array.shape.size(); ++i) shape += fmt::format("{}{}", i == 0 ? "" : ", ", array.shape[i]);
  shape += array.shape.size() == 1 ? ",)" : ")";
  std::string_view code;
  for (const TypeCode& known : type_codes) {
    if (known.type == array.type) code = known.code;
  }
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': {}, }}",
                                   gpu::size_of(array.type) == 1 ? '|' : '<', code, shape);
  // The elements must begin at a multiple of 64 bytes. The header is padded with blanks and ends with a newline.
  constexpr std::size_t before_header = magic.size() + 2 + 2;
  header.append(63 - (before_header + header.size()) % 64, ' ');
  header += '\n';

  auto out = OutputFile::open(path);
  if (!out) return failure(out.error());
  const auto header_size = static_cast<std::uint16_t>(header.size());
  out->write(magic);
  out->write(std::string_view("\x01\x00", 2));
  out->write(std::as_bytes(std::span(&header_size, 1)));
  out->write(header);
  out->write(bytes);
  return out->close();
}

}  // namespace warpbook::lessons
