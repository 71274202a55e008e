#include "tests/forms/scenes.h"

#include <fmt/format.h>

#include <set>

namespace warpbook::gpu::test {
namespace {

std::string filled(std::string_view text, const Spelling& s) {
  std::string space = "global";
  for (const std::string_view word : s.words)
    for (const std::string_view name : {"const", "global", "local", "param", "shared"})
      if (word.substr(0, word.find(':')) == name) space = name;
  std::string result(text);
  const std::pair<std::string_view, std::string> places[] = {{"{op}", s.text},
                                                             {"{bits}", std::to_string(8 * ptx::bytes_of(s.type))},
                                                             {"{space}", space},
                                                             {"{at}", space == "shared" ? "[%a]" : "[%generic]"}};
  for (const auto& [place, words] : places)
    for (std::size_t at = 0; (at = result.find(place, at)) != result.npos; at += words.size())
      result.replace(at, place.size(), words);
  return result;
}

bool applies(const Scene& scene, const Spelling& s) {
  const std::string opcodes = " " + std::string(scene.opcodes) + " ", opcode = " " + std::string(s.row->spelling) + " ";
  if (opcodes.find(opcode) == opcodes.npos) return false;
  return scene.when.empty() || (scene.when[0] == '!' ? !s.has(scene.when.substr(1)) : s.has(scene.when));
}

/// What is wrong; empty: nothing.
std::string play(Bench& bench, const Scene& scene, const Spelling& s) {
  KernelText kernel{.module = filled(scene.module, s),
                    .parameters = {},
                    .threads = scene.threads,
                    .block = scene.threads,
                    .in_slots = 16,
                    .out_slots = 1,
                    .last_parameter = {}};
  kernel.body = ".reg .b64 %d, %a, %b, %c;\n.reg .b32 %r, %s, %t, %u;\n.reg .pred %p, %q;\nmov.u64 %d, 0;\n" +
                filled(scene.body, s) + "\nst.global.b64 [%out], %d;\n";
  std::vector<u128> in(16 * scene.threads);
  for (std::size_t n = 0; n < in.size(); ++n) in[n] = n * 3 + 1;
  const auto out = bench.run(kernel, in);
  if (!out) return out.error().code == scene.status ? "" : s.text + ": " + out.error().code + ": " + out.error().message;
  if (scene.status != "ok") return s.text + " did not end with " + std::string(scene.status);
  for (std::size_t t = 0; t < scene.threads; ++t)
    if (const u64 got = static_cast<u64>((*out)[t]), want = scene.expect(s, t); got != want)
      return fmt::format("{}: thread {} has {}, not {}", s.text, t, got, want);
  return {};
}

}  // namespace

std::vector<Prover> provers_of(std::string_view file, std::vector<Scene> scenes) {
  std::vector<Prover> provers;
  std::set<std::string_view> done;
  const auto prove = [scenes](Bench& bench, std::span<const Spelling> spellings) {
    Outcome outcome;
    for (const Spelling& s : spellings) {
      std::string wrong = s.text + ": no scene is for it";
      for (const Scene& scene : scenes) {
        if (!applies(scene, s)) continue;
        wrong = play(bench, scene, s);
        if (!wrong.empty()) break;
      }
      (wrong.empty() ? outcome.agreed : outcome.wrong).push_back(wrong.empty() ? s.text : wrong);
    }
    return outcome;
  };
  for (const Scene& scene : scenes)
    if (done.insert(scene.opcodes).second) provers.push_back({file, scene.opcodes, prove});
  return provers;
}

}  // namespace warpbook::gpu::test
