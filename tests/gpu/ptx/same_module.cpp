#include "tests/gpu/ptx/same_module.h"

#include "gpu/virtual/ptx/parser.h"
#include "gpu/virtual/ptx/printer.h"

namespace warpbook::gpu::ptx::test {
namespace {

/// A bulk copy is printed as the loads and stores that the parser makes of it, and their text cannot say what they are part of.
bool written_out(Copy copy) { return copy == Copy::bulk_group || copy == Copy::counted || copy == Copy::has_come; }

std::string difference(const Module& in_a, const Function& a, const Module& in_b, const Function& b) {
  const std::string at = "function " + a.name + ": ";
  if (a.name != b.name || a.entry != b.entry || a.declaration != b.declaration) return at + "its head";
  if (a.parameters != b.parameters || a.results != b.results) return at + "parameters";
  if (a.variables != b.variables) return at + "variables";
  if (a.registers != b.registers) return at + "registers";
  if (a.branch_targets != b.branch_targets) return at + "jump tables";
  if (a.max_threads != b.max_threads || a.required_threads != b.required_threads) return at + "threads";
  if (a.code.size() != b.code.size()) return at + "number of instructions";
  for (std::size_t pc = 0; pc < a.code.size(); ++pc) {
    Instruction again = b.code[pc];
    again.ptx_line = a.code[pc].ptx_line;
    again.in_toolkit = a.code[pc].in_toolkit;
    if (written_out(a.code[pc].copy)) again.copy = a.code[pc].copy;
    if (again != a.code[pc]) return at + print(a, a.code[pc], in_a) + " became " + print(b, again, in_b);
  }
  if (a.reconverge != b.reconverge || a.is_uniform != b.is_uniform) return at + "control flow";
  return {};
}

}  // namespace

std::string difference(const Module& a, const Module& b) {
  if (a.version != b.version || a.target != b.target || a.address_size != b.address_size) return "version or target";
  if (a.files != b.files) return "files";
  if (a.globals != b.globals) return "variables of the module";
  if (a.functions.size() != b.functions.size()) return "number of functions";
  for (std::size_t f = 0; f < a.functions.size(); ++f)
    if (std::string found = difference(a, a.functions[f], b, b.functions[f]); !found.empty()) return found;
  return {};
}

std::string lost_by_printing(const Module& module) {
  const std::string text = print(module);
  const Result<Module> again = parse(text);
  if (!again) return "the printed text is refused: " + again.error().message;
  if (print(*again) != text) return "printed once more, the text is another";
  return difference(module, *again);
}

}  // namespace warpbook::gpu::ptx::test
