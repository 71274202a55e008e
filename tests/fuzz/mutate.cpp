#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "gpu/virtual/ptx/opcodes.h"
#include "tests/gpu/ptx/random_module.h"

namespace warpbook::gpu::test {
namespace {

struct Piece {
  std::size_t from = 0, length = 0;
};

class Mutator {
 public:
  Mutator(std::string_view text, std::mt19937_64& random) : text_(text), random_(random) {}

  std::string run() {
    for (unsigned n = 1 + below(4) / 3 * below(4); n-- > 0;) once();
    return std::move(text_);
  }

 private:
  unsigned below(std::size_t n) { return static_cast<unsigned>(random_() % std::max<std::size_t>(n, 1)); }

  /// Some line, with its end.
  Piece line() const {
    const std::size_t at = random_() % (text_.size() + 1);
    const std::size_t before = text_.rfind('\n', at ? at - 1 : 0);
    const std::size_t from = before == text_.npos ? 0 : before + 1, end = text_.find('\n', from);
    return {from, (end == text_.npos ? text_.size() : end + 1) - from};
  }

  /// Some word, number or name: what a name may hold, at or after a random place.
  Piece word() const {
    const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '%' || c == '$'; };
    std::size_t from = random_() % (text_.size() + 1);
    while (from < text_.size() && !in_word(text_[from])) ++from;
    while (from > 0 && in_word(text_[from - 1])) --from;
    std::size_t end = from;
    while (end < text_.size() && in_word(text_[end])) ++end;
    return {from, end - from};
  }
  std::string at(Piece piece) const { return text_.substr(piece.from, piece.length); }
  void replace(Piece piece, const std::string& with) { text_.replace(piece.from, piece.length, with); }

  /// A word of the same kind as `old`: another register for a register, another number for a number.
  std::string another(const std::string& old) {
    static constexpr std::array<std::string_view, 22> numbers{"0",
                                                              "1",
                                                              "2",
                                                              "-1",
                                                              "31",
                                                              "32",
                                                              "33",
                                                              "63",
                                                              "64",
                                                              "255",
                                                              "256",
                                                              "65535",
                                                              "65536",
                                                              "2147483647",
                                                              "-2147483648",
                                                              "4294967295",
                                                              "4294967296",
                                                              "9223372036854775807",
                                                              "0x8000000000000000",
                                                              "0f7FC00000",
                                                              "0fFF800000",
                                                              "0d7FF0000000000000"};
    if (!old.empty() && std::isdigit(static_cast<unsigned char>(old[0]))) return std::string(numbers[below(numbers.size())]);
    for (int attempt = 0; attempt < 20; ++attempt) {
      std::string found = at(word());
      if (!found.empty() && !old.empty() && found != old && found[0] == old[0]) return found;
    }
    return at(word());
  }

  void once() {
    if (text_.empty()) text_ = "\n";
    switch (below(12)) {
      case 0:
        return replace(line(), "");
      case 1: {
        const std::string copied = at(line());
        text_.insert(line().from, copied);
        return;
      }
      case 2: {
        const std::string copied = at(line());
        return replace(line(), copied);
      }
      case 3:
      case 4: {
        // With registers of this text's own: they are named alike by most who emit PTX.
        Piece before = line();
        for (int attempt = 0; attempt < 9 && at(before).find("%r") == text_.npos; ++attempt) before = line();
        text_.insert(before.from, ptx::test::random_statement([&](unsigned n) { return below(n); }) + "\n");
        return;
      }
      case 5: {
        const auto table = ptx::opcode_table();
        static constexpr std::array<std::string_view, 16> types{"u8",  "s8",  "u16", "s16", "u32", "s32", "u64", "s64",
                                                                "f16", "f32", "f64", "b8",  "b16", "b32", "b64", "pred"};
        const Piece old = word();
        return replace(old, std::string(ptx::type_of(at(old)) != ptx::Type::none ? types[below(types.size())]
                                                                                 : table[below(table.size())].spelling));
      }
      case 10: {
        const std::size_t where = below(text_.size());
        static constexpr std::string_view alphabet = "{}[]();,.:%@!|<>=+-*/0123456789abfrx_$\n \"";
        text_[where] = alphabet[below(alphabet.size())];
        return;
      }
      case 11:
        text_.erase(below(text_.size()), 1 + below(30));
        return;
      default: {
        const Piece old = word();
        return replace(old, another(at(old)));
      }
    }
  }

  std::string text_;
  std::mt19937_64& random_;
};

}  // namespace

std::string mutated(std::string_view text, std::mt19937_64& random) { return Mutator(text, random).run(); }

}  // namespace warpbook::gpu::test
