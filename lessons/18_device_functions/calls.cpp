#include "lessons/18_device_functions/calls.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "gpu/demangle.h"

namespace warpbook::lessons {
namespace {

using gpu::HistoryStep;
using Call = CallTree::Call;

constexpr std::size_t most_kept = 4096;  // calls in a figure
constexpr std::uint32_t lanes = 32;      // of a warp

/// The unqualified name: "slope" for "slope(State const&, State&)".
std::string short_name(const std::string& symbol) {
  const std::string whole = gpu::demangled(symbol).value_or(symbol);
  return whole.substr(0, whole.find('('));
}

/// The number in the last brackets: "__local_depot1[320]". 0: there is none.
std::uint64_t in_brackets(std::string_view line) {
  const std::size_t open = line.rfind('[');
  std::uint64_t number = 0;
  if (open != std::string_view::npos) std::from_chars(line.data() + open + 1, line.data() + line.size(), number);
  return number;
}

/// Whether it is a declaration, ".local .align 4 .b8 name[320];", and not an instruction such as "ld.local.f32".
bool declares_local(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin != std::string_view::npos && line.substr(begin).starts_with(".local");
}

/// The size of a parameter: ".param .b32 name" or ".param .align 4 .b8 name[160]".
std::uint64_t bytes_of_parameter(std::string_view declared) {
  const std::size_t type = declared.find_last_of('.');
  if (type == std::string_view::npos || type + 2 >= declared.size()) return 0;
  std::uint64_t bits = 0;
  std::from_chars(declared.data() + type + 2, declared.data() + declared.size(), bits);
  return bits / 8 * std::max<std::uint64_t>(in_brackets(declared), 1);
}

/// The size of all parameters in a piece of PTX, including results.
std::uint64_t bytes_of_parameters(std::string_view text) {
  std::uint64_t bytes = 0;
  constexpr std::string_view word = ".param";
  for (std::size_t at = text.find(word); at != std::string_view::npos;) {
    const std::size_t begin = at + word.size(), end = std::min(text.find_first_of(",)", begin), text.size());
    bytes += bytes_of_parameter(text.substr(begin, end - begin));
    at = text.find(word, end);
  }
  return bytes;
}

/// The name in ".func (.param .b32 r) name (.param …)" or ".visible .entry name(…)".
std::string name_in(std::string_view head) {
  std::size_t at = head.find(".func");
  at = at != std::string_view::npos ? at + 5 : head.find(".entry") + 6;
  const auto blanks = [&] {
    while (at < head.size() && std::isspace(static_cast<unsigned char>(head[at])) != 0) ++at;
  };
  blanks();
  if (at < head.size() && head[at] == '(') at = head.find(')', at) + 1;
  blanks();
  std::size_t end = at;
  while (end < head.size() && (std::isalnum(static_cast<unsigned char>(head[end])) != 0 || head[end] == '_' || head[end] == '$'))
    ++end;
  return std::string(head.substr(at, end - at));
}

/// Builds the tree from the warp's instructions, in order.
class Builder {
 public:
  Builder(const gpu::History& history, const std::map<std::string, std::uint64_t>& bytes) : history_(history), bytes_(bytes) {
    stands_in_.fill(CallTree::none);
  }

  void add(const HistoryStep& step) {
    const std::optional<std::uint32_t> call = call_of(step);
    const std::uint64_t now = tree_.instructions++;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      if ((step.mask >> lane & 1) == 0) continue;
      if (call) stands_in_[lane] = *call;  // for a call that is not kept, they stay where they were
      line_of_[lane] = step.line;
    }
    if (!call) {
      tree_.whole = false;
      return;
    }
    Call& here = tree_.calls[*call];
    auto& stretches = here.stretches;
    if (!stretches.empty() && stretches.back().mask == step.mask && stretches.back().first + stretches.back().instructions == now)
      ++stretches.back().instructions;
    else
      stretches.push_back({.first = now, .instructions = 1, .mask = step.mask});
    ++tree_.functions[here.function].instructions;
    for (std::uint32_t at = *call; at != CallTree::none; at = tree_.calls[at].parent) tree_.calls[at].last = now + 1;
  }

  [[nodiscard]] CallTree take() { return std::move(tree_); }

 private:
  /// The call that the step belongs to. Empty: there are too many to keep.
  std::optional<std::uint32_t> call_of(const HistoryStep& step) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(step.mask));  // all active lanes are in the same call
    const std::uint32_t from = stands_in_[lane];
    const auto known = call_in_.find(step.frame);
    // A frame is reused after its call has returned. Lanes that are in the call or in a nested call continue it; other lanes begin
    // a new one. (The first instruction of a function does not show this, because the clock schedule's order differs from the
    // text's.)
    if (known != call_in_.end() && is_within(from, known->second)) return known->second;
    call_in_.erase(step.frame);
    if (tree_.calls.size() == most_kept) return {};
    Call call{.function = function_of(step.function), .lanes = step.mask, .first = tree_.instructions};
    if (step.caller != gpu::no_frame) {
      const auto outer = call_in_.find(step.caller);
      if (outer == call_in_.end()) return {};  // the caller was not kept
      call.parent = outer->second;
      call.depth = tree_.calls[outer->second].depth + 1;
      call.line = line_of_[lane];
      call.stack = tree_.calls[outer->second].stack;
    }
    CallTree::Function& function = tree_.functions[call.function];
    ++function.calls;
    call.stack += function.bytes.value_or(0);
    tree_.calls.push_back(std::move(call));
    const auto number = static_cast<std::uint32_t>(tree_.calls.size() - 1);
    call_in_[step.frame] = number;
    return number;
  }

  /// Whether `call` is `outer` or nested in it.
  [[nodiscard]] bool is_within(std::uint32_t call, std::uint32_t outer) const {
    while (call != CallTree::none && call != outer) call = tree_.calls[call].parent;
    return call == outer;
  }

  std::uint32_t function_of(std::uint32_t number) {
    const auto [at, fresh] = function_.try_emplace(number, static_cast<std::uint32_t>(tree_.functions.size()));
    if (fresh) {
      const std::string& symbol = history_.functions()[number].name;
      CallTree::Function function{.name = short_name(symbol)};
      if (const auto found = bytes_.find(symbol); found != bytes_.end()) function.bytes = found->second;
      tree_.functions.push_back(std::move(function));
    }
    return at->second;
  }

  const gpu::History& history_;
  const std::map<std::string, std::uint64_t>& bytes_;
  CallTree tree_;
  std::map<std::uint32_t, std::uint32_t> function_;  // function of the history to function of the tree
  std::map<std::uint32_t, std::uint32_t> call_in_;   // by frame: its present call
  std::array<std::uint32_t, lanes> stands_in_{};     // by lane: the call of its last instruction
  std::array<std::uint32_t, lanes> line_of_{};       // by lane: the line of that instruction
};

/// The number of calls of each lane, without the kernel.
std::array<std::uint32_t, lanes> calls_by_lane(const CallTree& tree) {
  std::array<std::uint32_t, lanes> made{};
  for (const Call& call : tree.calls) {
    if (call.parent == CallTree::none) continue;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) made[lane] += call.lanes >> lane & 1;
  }
  return made;
}

/// Whether a warp's kept steps start at the kernel's beginning: for some n, the first n steps are the kernel's first n instructions
/// in any order.
bool begins_with_kernel(const gpu::History& history, std::span<const std::uint32_t> steps) {
  std::vector<bool> seen;
  std::size_t distinct = 0;
  for (const std::uint32_t index : steps) {
    const HistoryStep& step = history.steps()[index];
    if (step.caller != gpu::no_frame) return false;
    if (step.pc >= seen.size()) seen.resize(step.pc + 1);
    if (seen[step.pc]) return false;
    seen[step.pc] = true;
    if (++distinct == seen.size()) return true;
  }
  return false;
}

}  // namespace

std::map<std::string, std::uint64_t> stack_bytes(std::string_view ptx) {
  std::map<std::string, std::uint64_t> bytes;
  std::string name;  // of the function whose body is being read
  while (!ptx.empty()) {
    // A head ends at its body or, for a declaration, at a semicolon.
    const std::size_t end = std::min(ptx.find('\n'), ptx.size());
    const std::string_view line = ptx.substr(0, end);
    const bool entry = line.find(".entry ") != std::string_view::npos;
    if ((entry || line.find(".func") != std::string_view::npos) && line.find("//") == std::string_view::npos) {
      const std::size_t stop = std::min(ptx.find_first_of("{;"), ptx.size());
      const std::string_view head = ptx.substr(0, stop);
      if (stop < ptx.size() && ptx[stop] == '{') {
        name = name_in(head);
        bytes[name] = entry ? 0 : bytes_of_parameters(head);
      }
      ptx.remove_prefix(std::min(stop + 1, ptx.size()));
      continue;
    }
    if (!name.empty() && declares_local(line)) bytes[name] += in_brackets(line);
    ptx.remove_prefix(std::min(end + 1, ptx.size()));
  }
  return bytes;
}

CallTree calls_of(const gpu::History& history, const std::map<std::string, std::uint64_t>& bytes) {
  const gpu::WarpRef* longest = nullptr;
  std::uint64_t most = 0;
  for (const gpu::WarpRef& warp : history.warps()) {
    const auto steps = history.steps_of(warp);
    if (history.dropped() > 0 && !begins_with_kernel(history, steps)) continue;
    std::uint64_t instructions = 0;
    for (const std::uint32_t index : steps) instructions += static_cast<std::uint64_t>(std::popcount(history.steps()[index].mask));
    if (longest != nullptr && instructions <= most) continue;
    longest = &warp;
    most = instructions;
  }
  if (longest == nullptr) return {};
  Builder builder(history, bytes);
  for (const std::uint32_t index : history.steps_of(*longest)) {
    if (history.steps()[index].mask != 0) builder.add(history.steps()[index]);
  }
  CallTree tree = builder.take();
  tree.block = longest->block;
  tree.warp = longest->warp;
  return tree;
}

std::uint32_t most_calls(const CallTree& tree) {
  const auto made = calls_by_lane(tree);
  return *std::max_element(made.begin(), made.end());
}

std::uint32_t fewest_calls(const CallTree& tree) {
  const auto made = calls_by_lane(tree);
  std::uint32_t fewest = most_calls(tree);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    if (!tree.calls.empty() && (tree.calls.front().lanes >> lane & 1) != 0) fewest = std::min(fewest, made[lane]);
  }
  return fewest;
}

}  // namespace warpbook::lessons
