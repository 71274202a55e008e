// atom and red: every operation, type, order, scope and space. First each thread on memory of its own: the old value that comes
// back and the new one that is left. Then eight threads on one address: some order of the eight must explain all that came back.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tests/forms/lanewise.h"
#include "tests/forms/values.h"

namespace warpbook::gpu::test {
namespace {

using ptx::Type;

constexpr std::size_t threads = 500, block = 250, per_kernel = 50, rivals = 8;

struct Form {
  const Spelling* spelling = nullptr;
  std::string_view op;
  unsigned count = 1;
  bool returns = false, shared = false;

  [[nodiscard]] Type type() const { return spelling->type; }
  [[nodiscard]] unsigned width() const { return 8 * ptx::bytes_of(type()); }
};

Form form_of(const Spelling& s) {
  Form form{.spelling = &s, .op = {}, .returns = s.row->spelling == "atom"};
  for (const std::string_view op : {"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"})
    if (s.has(op)) form.op = op;
  for (const unsigned n : {2U, 4U, 8U})
    if (s.has("v" + std::to_string(n))) form.count = n;
  form.shared = s.has("shared") || s.has("shared::cta") || s.has("shared::cluster");
  return form;
}

/// The new value of an element. Floating-point additions and comparisons are those of add.rn, min and max.
u128 changed(const Form& form, u128 old, u128 b, u128 c) {
  const Type type = form.type();
  const u128 all = form.width() == 128 ? ~u128{0} : (u128{1} << form.width()) - 1;
  if (form.op == "exch") return b;
  if (form.op == "cas") return old == b ? c : old;
  if (form.op == "and") return old & b;
  if (form.op == "or") return old | b;
  if (form.op == "xor") return old ^ b;
  if (form.op == "inc") return old >= b ? 0 : old + 1;
  if (form.op == "dec") return old == 0 || old > b ? b : old - 1;
  const Arg args[] = {{type, old}, {type, b}};
  Spelling plain{.row = &ptx::row(form.op == "add"   ? ptx::Opcode::add
                                  : form.op == "min" ? ptx::Opcode::min
                                                     : ptx::Opcode::max),
                 .text = {},
                 .words = {},
                 .type = type};
  return (ptx::is_float(type) ? float_arithmetic(plain, args) : integer_arithmetic(plain, args)).bits & all;
}

bool same(Type type, u128 a, u128 b) {
  if (a == b || !ptx::is_float(type)) return a == b;
  return Answer{.bits = a, .kind = Answer::Kind::any_nan, .format = format_of(type)}.accepts(
      b, (u128{1} << 8 * ptx::bytes_of(type)) - 1);
}

std::string element_list(const Form& form, const std::string& name) {
  if (form.count == 1) return name + "0";
  std::string text = "{";
  for (unsigned e = 0; e < form.count; ++e) text += fmt::format("{}{}{}", e ? ", " : "", name, e);
  return text + "}";
}

/// A kernel's variables: %m: where the memory lies. Operands b and c, an element each, from slots 1 and 2 of the thread.
std::string prologue(const Form& any) {
  const unsigned bits = any.width();
  std::string text = fmt::format(
      ".reg .b{0} %b<8>, %c<8>, %d<8>;\n.reg .b64 %m, %sh, %x0, %x1, %y0, %y1;\n.reg .b32 %t;\n"
      "mov.u32 %t, %tid.x;\nmul.wide.u32 %sh, %t, 16;\nmov.u64 %m, sh;\nadd.u64 %sh, %sh, %m;\n"
      "ld.global.v2.b64 {{%x0, %x1}}, [%in];\n",
      bits);
  for (const auto& [name, slot] : {std::pair("%b", 1), std::pair("%c", 2)})
    for (unsigned e = 0; e < any.count; ++e)
      text += bits == 128 ? fmt::format("ld.global.v2.b64 {{%y0, %y1}}, [%in+{}];\nmov.b128 {}0, {{%y0, %y1}};\n",
                                        slot * threads * 16, name)
                          : fmt::format("ld.global.b{} {}{}, [%in+{}];\n", bits, name, e, slot * threads * 16 + e * bits / 8);
  return text;
}
std::string instruction(const Form& form, const std::string& at) {
  return fmt::format("{} {}[{}], {}{};\n", form.spelling->text, form.returns ? element_list(form, "%d") + ", " : "", at,
                     element_list(form, "%b"), form.op == "cas" ? ", " + element_list(form, "%c") : "");
}
std::string keep_result(const Form& form, std::size_t offset) {
  std::string text;
  for (unsigned e = 0; e < form.count && form.returns; ++e)
    text += form.width() == 128 ? fmt::format("mov.b128 {{%y0, %y1}}, %d0;\nst.global.v2.b64 [%out+{}], {{%y0, %y1}};\n", offset)
                                : fmt::format("st.global.b{} [%out+{}], %d{};\n", form.width(), offset + e * form.width() / 8, e);
  return text;
}

KernelText apart(std::span<const Form> some) {
  KernelText kernel{.module = fmt::format(".shared .align 16 .b8 sh[{}];", block * 16),
                    .parameters = {},
                    .body = prologue(some.front()),
                    .threads = threads,
                    .block = block,
                    .in_slots = 3,
                    .out_slots = 2 * some.size(),
                    .last_parameter = {}};
  for (std::size_t n = 0; n < some.size(); ++n) {
    const std::size_t memory = 2 * n * threads * 16, result = memory + threads * 16;
    const std::string space = some[n].shared ? "shared" : "global";
    kernel.body += some[n].shared ? "mov.u64 %m, %sh;\n" : fmt::format("add.u64 %m, %out, {};\n", memory);
    kernel.body +=
        fmt::format("st.{}.v2.b64 [%m], {{%x0, %x1}};\n", space) + instruction(some[n], "%m") + keep_result(some[n], result);
    if (some[n].shared)
      kernel.body += fmt::format("ld.shared.v2.b64 {{%y0, %y1}}, [%m];\nst.global.v2.b64 [%out+{}], {{%y0, %y1}};\n", memory);
  }
  return kernel;
}

std::string wrong_apart(const Form& form, std::span<const u128> in, std::span<const u128> out) {
  const u128 all = form.width() == 128 ? ~u128{0} : (u128{1} << form.width()) - 1;
  for (std::size_t t = 0; t < threads; ++t)
    for (unsigned at = 0; at < 128; at += form.width()) {
      const u128 old = in[t] >> at & all, b = in[threads + t] >> at & all, c = in[2 * threads + t] >> at & all;
      const bool touched = at < form.count * form.width();
      const u128 want = touched ? changed(form, old, b, c) : old, left = out[t] >> at & all, back = out[threads + t] >> at & all;
      if (!same(form.type(), want, left) || (touched && form.returns && old != back))
        return fmt::format("{} on {:#x} with {:#x}, {:#x} left {:#x}, not {:#x}, and gave {:#x}", form.spelling->text,
                           static_cast<u64>(old), static_cast<u64>(b), static_cast<u64>(c), static_cast<u64>(left),
                           static_cast<u64>(want), static_cast<u64>(back));
    }
  return {};
}

// --- Together. Threads 8k … 8k+7 meet at one address; the memory of thread 8k is what they share.

KernelText together(std::span<const Form> some) {
  KernelText kernel = apart(some);
  kernel.body = prologue(some.front()) +
                ".reg .b64 %o;\n.reg .pred %first;\nand.b32 %t, %i, 7;\nsetp.eq.u32 %first, %t, 0;\n"
                "mul.wide.u32 %o, %t, 16;\nsub.u64 %sh, %sh, %o;\n";
  kernel.threads = kernel.block = 248;
  for (std::size_t n = 0; n < some.size(); ++n) {
    const std::size_t memory = 2 * n * kernel.threads * 16, result = memory + kernel.threads * 16;
    const std::string space = some[n].shared ? "shared" : "global";
    kernel.body += some[n].shared ? "mov.u64 %m, %sh;\n" : fmt::format("add.u64 %m, %out, {};\nsub.u64 %m, %m, %o;\n", memory);
    kernel.body += fmt::format("@%first st.{}.v2.b64 [%m], {{%x0, %x1}};\nbar.sync 0;\n", space) + instruction(some[n], "%m") +
                   keep_result(some[n], result) + "bar.sync 0;\n";
    if (some[n].shared)
      kernel.body +=
          fmt::format("@%first ld.shared.v2.b64 {{%y0, %y1}}, [%m];\n@%first st.global.v2.b64 [%out+{}], {{%y0, %y1}};\n", memory);
  }
  return kernel;
}

/// Is there an order of the threads in `left` that leads from `now` to `last`, each finding what it got back?
bool explained(const Form& form, unsigned left, u128 now, u128 last, std::span<const u128> b, std::span<const u128> c,
               std::span<const u128> back) {
  if (!left) return same(form.type(), now, last);
  for (unsigned t = 0; t < rivals; ++t)
    if ((left >> t & 1) && (!form.returns || back[t] == now)) {
      if (explained(form, left & ~(1U << t), changed(form, now, b[t], c[t]), last, b, c, back)) return true;
      if (!form.returns) return false;  // what red does commutes: one order is as good as another
    }
  return false;
}

std::string wrong_together(const Form& form, std::span<const u128> in, std::span<const u128> out) {
  const std::size_t count = 248;
  const u128 all = form.width() == 128 ? ~u128{0} : (u128{1} << form.width()) - 1;
  for (std::size_t t = 0; t < count; t += rivals)
    for (unsigned e = 0; e < form.count; ++e) {
      u128 b[rivals], c[rivals], back[rivals];
      for (std::size_t r = 0; r < rivals; ++r) {
        const unsigned at = e * form.width();
        b[r] = in[threads + t + r] >> at & all, c[r] = in[2 * threads + t + r] >> at & all,
        back[r] = out[count + t + r] >> at & all;
      }
      if (!explained(form, (1U << rivals) - 1, in[t] >> e * form.width() & all, out[t] >> e * form.width() & all, b, c, back))
        return fmt::format("{}: no order of eight threads gives {:#x}", form.spelling->text,
                           static_cast<u64>(out[t] >> e * form.width() & all));
    }
  return {};
}

/// Slot 0: memory; 1 and 2: operands. For cas every other thread finds what it compares with. `small`: whole numbers, whose sums
/// are exact in every order.
std::vector<u128> operands(const Form& form, bool small) {
  const Type type = form.type();
  auto given = operands_of({type, type, type}, threads * form.count);
  std::vector<u128> in(3 * threads, 0);
  for (std::size_t slot = 0; slot < 3; ++slot)
    for (std::size_t t = 0; t < threads; ++t)
      for (unsigned e = 0; e < 128 / form.width(); ++e) {
        u128 value = given[slot == 1 && form.op == "cas" && t % 2 ? 0 : slot][(t * form.count + e) % (threads * form.count)];
        if (small) {
          // .inc and .dec of u32 commute only where all threads wrap at the same value.
          const u64 number = form.op == "cas" && slot < 2     ? (slot ? t % 3 : 0)
                             : type == Type::u32 && slot == 1 ? 5
                                                              : (t * 5 + slot * 3 + e) % 7;
          const Format format = format_of(type);
          const u64 bits = round(Number::integer(static_cast<s128>(number)), format, "rn");
          value = !ptx::is_float(type) ? number : 8 * ptx::bytes_of(type) == format.width() ? bits : bits << 16 | bits;
        }
        in[slot * threads + t] |= (value & (form.width() == 128 ? ~u128{0} : (u128{1} << form.width()) - 1)) << e * form.width();
      }
  return in;
}

Outcome prove(Bench& bench, std::span<const Spelling> spellings) {
  std::map<std::tuple<Type, unsigned, bool>, std::vector<Form>> groups;
  for (const Spelling& s : spellings) {
    const Form form = form_of(s);
    groups[{form.type(), form.count, form.op == "cas"}].push_back(form);
  }
  Outcome outcome;
  for (const auto& [key, all] : groups)
    for (std::size_t first = 0; first < all.size(); first += per_kernel) {
      const auto some = std::span(all).subspan(first, std::min(per_kernel, all.size() - first));
      const std::vector<u128> own = operands(some.front(), false), common = operands(some.front(), true);
      const auto alone = bench.run(apart(some), own);
      // The common operands are laid out for `threads`, as the kernel's text expects them.
      const auto met = bench.run(together(some), common);
      for (std::size_t n = 0; n < some.size(); ++n) {
        const std::string& text = some[n].spelling->text;
        std::string wrong = !alone ? text + ": " + alone.error().message : !met ? text + ": " + met.error().message : "";
        if (wrong.empty()) wrong = wrong_apart(some[n], own, std::span(*alone).subspan(2 * n * threads, 2 * threads));
        if (wrong.empty()) wrong = wrong_together(some[n], common, std::span(*met).subspan(2 * n * 248, 2 * 248));
        (wrong.empty() ? outcome.agreed : outcome.wrong).push_back(wrong.empty() ? text : wrong);
      }
    }
  return outcome;
}

}  // namespace

std::vector<Prover> atomic_provers() { return {{"atomics", "atom red", prove}}; }

}  // namespace warpbook::gpu::test
