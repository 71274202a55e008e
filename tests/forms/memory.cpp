// ld, ldu, st: every width, vector, space, order and scope; what must be read or left is worked out byte by byte.
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <random>

#include "tests/forms/lanewise.h"

namespace warpbook::gpu::test {
namespace {

using ptx::Type;

constexpr std::size_t threads = 40, area = 32;  // a full warp and a part of one; bytes of memory a thread
constexpr std::size_t per_kernel = 64;

struct Access {
  const Spelling* spelling = nullptr;
  std::string space;  // as written, "" for a generic address
  unsigned count = 1, register_bytes = 0;
  [[nodiscard]] unsigned size() const { return ptx::bytes_of(spelling->type); }
};

Access access_of(const Spelling& s, bool wide) {
  Access access{.spelling = &s, .space = {}};
  for (const std::string_view word : s.words)
    for (const std::string_view space :
         {"const", "global", "local", "param", "param::entry", "param::func", "shared", "shared::cta", "shared::cluster"})
      if (word == space) access.space = word;
  for (const unsigned n : {2U, 4U, 8U})
    if (s.has("v" + std::to_string(n))) access.count = n;
  const bool may_be_wider = !ptx::is_float(s.type) && access.size() < 8;
  access.register_bytes = wide && may_be_wider ? 8 : std::max(access.size(), 2U);
  return access;
}

/// What all of a kernel's threads find in every space: their 32 bytes.
std::vector<std::byte> contents() {
  std::mt19937_64 random(3);
  std::vector<std::byte> bytes(threads * area);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

std::string braces(const std::string& name, unsigned count) {
  if (count == 1) return name + "0";
  std::string text = "{";
  for (unsigned e = 0; e < count; ++e) text += fmt::format("{}{}{}", e ? ", " : "", name, e);
  return text + "}";
}

std::string registers(const std::string& name, unsigned bytes) { return fmt::format(".reg .b{} {}<8>;\n", 8 * bytes, name); }

/// The thread's own piece of each space, its address in %generic, %global, %local, %const, %param, %shared.
std::string prologue(bool loads) {
  std::string text = fmt::format(
      ".reg .b64 %generic, %global, %local, %shared, %const, %param, %from, %own, %w<4>;\n.local .align 32 .b8 lo[{0}];\n"
      "mul.wide.u32 %own, %i, {0};\nld.param.u64 %from, [in];\nadd.u64 %from, %from, %own;\n"
      "mov.u64 %shared, sh;\nadd.u64 %shared, %shared, %own;\nmov.u64 %local, lo;\nmov.u64 %global, %from;\nmov.u64 %generic, "
      "%from;\n"
      "ld.global.v2.b64 {{%w0, %w1}}, [%from];\nld.global.v2.b64 {{%w2, %w3}}, [%from+16];\n",
      area);
  if (!loads) return text;
  return text +
         "mov.u64 %const, co;\nadd.u64 %const, %const, %own;\nmov.u64 %param, par;\nadd.u64 %param, %param, %own;\n"
         "st.shared.v2.b64 [%shared], {%w0, %w1};\nst.shared.v2.b64 [%shared+16], {%w2, %w3};\n"
         "st.local.v2.b64 [%local], {%w0, %w1};\nst.local.v2.b64 [%local+16], {%w2, %w3};\n";
}

std::string address(const Access& access) {
  if (access.space.empty()) return "[%generic]";
  return "[%" + access.space.substr(0, access.space.find(':')) + "]";
}

/// `before` fills a .param variable of a call, behind which `function` is called with it and with the address %to.
std::string call(const std::string& before, const std::string& function) {
  return "{\n.param .align 32 .b8 pf[32];\n.param .b64 po;\nst.param.v2.b64 [pf], {%w0, %w1};\nst.param.v2.b64 [pf+16], {%w2, "
         "%w3};\n" +
         before + "st.param.b64 [po], %to;\ncall.uni " + function + ", (pf, po);\n}\n";
}

// --- Loads: each element is stored as the register holds it, 16 bytes an element.

std::string stores_of(const Access& access, const std::string& to) {
  std::string text;
  for (unsigned e = 0; e < access.count; ++e)
    text += access.register_bytes == 16
                ? fmt::format("mov.b128 {{%lo, %hi}}, %q{0};\nst.global.v2.b64 [{1}+{2}], {{%lo, %hi}};\n", e, to, 16 * e)
                : fmt::format("st.global.b{0} [{1}+{2}], %v{3}_{0};\n", 8 * access.register_bytes, to, 16 * e, e);
  return text;
}
std::string load_registers() {
  std::string text = ".reg .b64 %lo, %hi;\n.reg .b128 %q0;\n";
  for (const unsigned bits : {16U, 32U, 64U})
    for (unsigned e = 0; e < 8; ++e) text += fmt::format(".reg .b{0} %v{1}_{0};\n", bits, e);
  return text;
}
std::string load_of(const Access& access, const std::string& from) {
  std::string to = access.count > 1 ? "{" : "";
  for (unsigned e = 0; e < access.count; ++e)
    to += (e ? ", " : "") +
          (access.register_bytes == 16 ? fmt::format("%q{}", e) : fmt::format("%v{}_{}", e, 8 * access.register_bytes));
  return fmt::format("{} {}{}, {};\n", access.spelling->text, to, access.count > 1 ? "}" : "", from);
}

KernelText loads(std::span<const Access> some) {
  const std::vector<std::byte> bytes = contents();
  std::string initial;
  for (const std::byte byte : bytes) initial += fmt::format("{}{}", initial.empty() ? "" : ", ", static_cast<unsigned>(byte));
  KernelText kernel{
      .module = fmt::format(".shared .align 32 .b8 sh[{0}];\n.const .align 32 .b8 co[{0}] = {{{1}}};\n", bytes.size(), initial),
      .parameters = fmt::format(", .param .align 32 .b8 par[{}]", bytes.size()),
      .body = prologue(true) + load_registers() +
              ".reg .b64 %to;\nmul.wide.u32 %own, %i, 128;\nld.param.u64 %to, [out];\nadd.u64 %to, %to, %own;\n",
      .threads = threads,
      .block = threads,
      .out_slots = 8 * some.size(),
      .last_parameter = bytes};
  for (std::size_t n = 0; n < some.size(); ++n) {
    if (some[n].space == "param::func") {
      kernel.module += fmt::format(
          ".func load{}(.param .align 32 .b8 p[32], .param .b64 o)\n{{\n.reg .b64 %o;\nld.param.b64 %o, [o];\n{}{}{}ret;\n}}\n", n,
          load_registers(), load_of(some[n], "[p]"), stores_of(some[n], "%o"));
      kernel.body += call("", fmt::format("load{}", n));
    } else {
      kernel.body += load_of(some[n], address(some[n])) + stores_of(some[n], "%to");
    }
    kernel.body += fmt::format("add.u64 %to, %to, {};\n", 128 * threads);
  }
  return kernel;
}

std::string wrong_load(const Access& access, std::span<const u128> out, std::span<const std::byte> bytes) {
  const unsigned bits = 8 * access.register_bytes;
  const u128 mask = bits == 128 ? ~u128{0} : (u128{1} << bits) - 1;
  for (std::size_t t = 0; t < threads; ++t)
    for (unsigned e = 0; e < access.count; ++e) {
      Arg element{access.spelling->type, 0};
      std::memcpy(&element.bits, &bytes[t * area + e * access.size()], access.size());
      const u128 want = static_cast<u128>(element.integer()) & mask, got = out[t * 8 + e] & mask;
      if (want != got)
        return fmt::format("{} gave {:#x} in element {}, not {:#x}", access.spelling->text, static_cast<u64>(got), e,
                           static_cast<u64>(want));
    }
  return {};
}

// --- Stores: the 32 bytes are filled, the form stores into them, and all of them are looked at.

KernelText stores(std::span<const Access> some) {
  const Access& any = some.front();
  KernelText kernel{.module = fmt::format(
                        ".shared .align 32 .b8 sh[{}];\n"
                        ".func keep(.param .align 32 .b8 p[32], .param .b64 o)\n{{\n.reg .b64 %o, %w<4>;\nld.param.b64 %o, [o];\n"
                        "ld.param.v2.b64 {{%w0, %w1}}, [p];\nld.param.v2.b64 {{%w2, %w3}}, [p+16];\n"
                        "st.global.v2.b64 [%o], {{%w0, %w1}};\nst.global.v2.b64 [%o+16], {{%w2, %w3}};\nret;\n}}\n",
                        threads * area),
                    .parameters = {},
                    .body = prologue(false) + registers("%v", any.register_bytes) +
                            ".reg .b64 %to;\nmul.wide.u32 %own, %i, 32;\nld.param.u64 %to, [out];\nadd.u64 %to, %to, %own;\n",
                    .threads = threads,
                    .block = threads,
                    .out_slots = 2 * some.size(),
                    .last_parameter = {}};
  // The values are the area's own bytes, read a little further on, so that no element is stored where it came from.
  for (unsigned e = 0; e < 8; ++e)
    kernel.body += any.register_bytes == 16 ? "mov.b128 %v0, {%w1, %w2};\n"
                                            : fmt::format("ld.global.b{} %v{}, [%from+{}];\n", 8 * any.register_bytes, e,
                                                          (e * any.register_bytes + 8) % area);
  for (const Access& access : some) {
    const std::string form = access.spelling->text + " ", values = ", " + braces("%v", access.count) + ";\n";
    const std::string space = access.space.substr(0, access.space.find(':'));
    if (space == "param") {
      kernel.body += call(form + "[pf]" + values, "keep");
    } else {
      const std::string at = space == "shared" || space == "local" ? "%" + space : "%to",
                        in = space.empty() || space == "global" ? "global" : space;
      kernel.body += fmt::format("st.{0}.v2.b64 [{1}], {{%w0, %w1}};\nst.{0}.v2.b64 [{1}+16], {{%w2, %w3}};\n", in, at) + form +
                     "[" + at + "]" + values;
      if (in != "global")
        kernel.body += fmt::format(
            "{{\n.reg .b64 %x0, %x1;\nld.{0}.v2.b64 {{%x0, %x1}}, [{1}];\nst.global.v2.b64 [%to], {{%x0, %x1}};\n"
            "ld.{0}.v2.b64 {{%x0, %x1}}, [{1}+16];\nst.global.v2.b64 [%to+16], {{%x0, %x1}};\n}}\n",
            in, at);
    }
    kernel.body += fmt::format("add.u64 %to, %to, {};\n", area * threads);
  }
  return kernel;
}

std::string wrong_store(const Access& access, std::span<const u128> out, std::span<const std::byte> bytes) {
  for (std::size_t t = 0; t < threads; ++t) {
    std::byte want[area];
    std::memcpy(want, &bytes[t * area], area);
    for (unsigned e = 0; e < access.count; ++e)
      std::memcpy(want + e * access.size(), &bytes[t * area + (e * access.register_bytes + 8) % area], access.size());
    if (std::memcmp(want, &out[t * 2], area) != 0) return access.spelling->text + " left other bytes";
  }
  return {};
}

/// As one kernel; in halves where that does not run, so that one access does not hide the others.
void some(Bench& bench, std::span<const Access> accesses, bool is_store, const std::vector<std::byte>& bytes, Outcome& outcome) {
  std::vector<u128> in(bytes.size() / 16);
  std::memcpy(in.data(), bytes.data(), bytes.size());
  const auto out = bench.run(is_store ? stores(accesses) : loads(accesses), in);
  if (!out && accesses.size() > 1) {
    some(bench, accesses.first(accesses.size() / 2), is_store, bytes, outcome);
    some(bench, accesses.subspan(accesses.size() / 2), is_store, bytes, outcome);
    return;
  }
  const std::size_t slots = (is_store ? 2 : 8) * threads;
  for (std::size_t n = 0; n < accesses.size(); ++n) {
    const std::string& text = accesses[n].spelling->text;
    const std::string wrong = !out       ? text + ": " + out.error().message
                              : is_store ? wrong_store(accesses[n], std::span(*out).subspan(n * slots, slots), bytes)
                                         : wrong_load(accesses[n], std::span(*out).subspan(n * slots, slots), bytes);
    (wrong.empty() ? outcome.agreed : outcome.wrong).push_back(wrong.empty() ? text : wrong);
  }
}

Outcome prove(Bench& bench, std::span<const Spelling> spellings) {
  const bool is_store = spellings.front().row->effect == ptx::Effect::store;
  const std::vector<std::byte> bytes = contents();
  std::map<unsigned, std::vector<Access>> groups;  // stores by the width of their registers
  for (std::size_t n = 0; n < spellings.size(); ++n) {
    const Access access = access_of(spellings[n], n % 2);
    groups[is_store ? access.register_bytes : 0].push_back(access);
  }
  Outcome outcome;
  for (const auto& [width, all] : groups)
    for (std::size_t first = 0; first < all.size(); first += per_kernel)
      some(bench, std::span(all).subspan(first, std::min(per_kernel, all.size() - first)), is_store, bytes, outcome);
  return outcome;
}

}  // namespace

std::vector<Prover> memory_provers() { return {{"memory", "ld ldu st", prove}}; }

}  // namespace warpbook::gpu::test
