// Prints the page of forms: script/test --forms. With --spellings: what assembler.py asks NVIDIA's assembler about, a line a
// spelling and shape of what computes registers from registers, its operands by their class ("h" 16 bits, "r" 32, "d" 64, "p" a
// predicate, "i" a small number): "shl.b64 d d r".
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "tests/forms/page.h"

namespace warpbook::gpu::test {
namespace {

char class_of(const ptx::OperandShape& operand, const ptx::Instruction& i) {
  using Kind = ptx::OperandShape::Kind;
  const auto of_width = [](unsigned bytes) { return bytes <= 2 ? 'h' : bytes == 4 ? 'r' : bytes == 8 ? 'd' : '?'; };
  const auto of_type = [&](ptx::Type type) { return type == ptx::Type::pred ? 'p' : of_width(ptx::bytes_of(type)); };
  switch (operand.kind) {
    case Kind::type:
    case Kind::at_least_type:
    case Kind::move:
      return of_type(i.type);
    case Kind::type2:
    case Kind::at_least_type2:
      return of_type(i.type2);
    case Kind::wide:
      return of_width(2 * ptx::bytes_of(i.type));
    case Kind::pred:
      return 'p';
    case Kind::u32:
      return 'r';
    case Kind::integer:
      return 'i';
    default:
      return '?';
  }
}

void print_spellings() {
  for (const ptx::OpcodeRow& row : ptx::opcode_table()) {
    using enum ptx::Opcode;
    if (row.effect != ptx::Effect::none || row.op == alloca || row.op == stacksave || row.op == stackrestore || row.op == mapa ||
        row.op == getctarank)
      continue;
    for (const Spelling& spelling : spellings_of(row)) {
      const ptx::DecodedOpcode decoded = *ptx::decode_opcode(spelling.text);
      for (const ptx::Shape* const shape : decoded.shapes) {
        std::string operands;
        for (const ptx::OperandShape& operand : *shape)
          if (!operand.optional) operands += fmt::format(" {}", class_of(operand, decoded.instruction));
        const bool pair = std::any_of(shape->begin(), shape->end(), [](const auto& o) { return o.pair && !o.pair_optional; });
        if (!pair && operands.find('?') == operands.npos) fmt::print("{}{}\n", spelling.text, operands);
      }
    }
  }
}

}  // namespace
}  // namespace warpbook::gpu::test

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--spellings") {
    warpbook::gpu::test::print_spellings();
    return 0;
  }
  warpbook::gpu::test::Bench bench;
  const std::string page = warpbook::gpu::test::page_of(bench);
  std::fwrite(page.data(), 1, page.size(), stdout);
}
