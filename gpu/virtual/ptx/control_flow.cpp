#include "gpu/virtual/ptx/control_flow.h"

#include <algorithm>
#include <span>

#include "gpu/virtual/ptx/opcodes.h"

namespace warpbook::gpu::ptx {
namespace {

bool is_branch(const Instruction& i) { return i.op == Opcode::bra || i.op == Opcode::brx; }
bool ends_thread(const Instruction& i) { return row(i.op).effect == Effect::exit; }

/// Edges in one array: those of node n are to[first[n] … first[n + 1]).
struct Edges {
  std::vector<std::uint32_t> first, to;
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t node) const {
    return std::span(to).subspan(first[node], first[node + 1] - first[node]);
  }
};

Edges edges_of(std::uint32_t nodes, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs, bool reversed) {
  Edges edges;
  edges.first.assign(nodes + 1, 0);
  edges.to.resize(pairs.size());
  for (const auto& [from, to] : pairs) ++edges.first[(reversed ? to : from) + 1];
  for (std::uint32_t node = 0; node < nodes; ++node) edges.first[node + 1] += edges.first[node];
  std::vector<std::uint32_t> next(edges.first.begin(), edges.first.end() - 1);
  for (const auto& [from, to] : pairs) edges.to[next[reversed ? to : from]++] = reversed ? from : to;
  return edges;
}

struct Graph {
  std::vector<std::uint32_t> start;     // first pc of each block; one more: code.size()
  std::vector<std::uint32_t> block_at;  // block of each pc
  std::uint32_t end = 0;                // the virtual end's number: one past the last block
  Edges successors, predecessors;
};

template <class Visit>
void for_each_target(const Function& function, const Instruction& i, Visit&& visit) {
  if (i.op == Opcode::bra) visit(i.operands[0].index);
  if (i.op == Opcode::brx)
    for (const std::uint32_t target : function.branch_targets[i.operands[1].index]) visit(target);
}

void find_leaders(Function& function) {
  const auto size = static_cast<std::uint32_t>(function.code.size());
  function.is_leader.assign(size, 0);
  if (size > 0) function.is_leader[0] = 1;
  const auto lead = [&](std::uint32_t pc) {
    if (pc < size) function.is_leader[pc] = 1;
  };
  // A table may be shared by many brx: mark its targets once.
  std::vector<bool> table_done(function.branch_targets.size(), false);
  for (std::uint32_t pc = 0; pc < size; ++pc) {
    const Instruction& i = function.code[pc];
    if (is_branch(i) || ends_thread(i)) lead(pc + 1);
    if (i.op == Opcode::brx) {
      if (table_done[i.operands[1].index]) continue;
      table_done[i.operands[1].index] = true;
    }
    for_each_target(function, i, lead);
  }
}

/// By is_leader.
Graph blocks_of(const Function& function) {
  const auto size = static_cast<std::uint32_t>(function.code.size());
  Graph graph;
  graph.block_at.resize(size);
  for (std::uint32_t pc = 0; pc < size; ++pc) {
    if (function.is_leader[pc]) graph.start.push_back(pc);
    graph.block_at[pc] = static_cast<std::uint32_t>(graph.start.size()) - 1;
  }
  graph.end = static_cast<std::uint32_t>(graph.start.size());
  graph.start.push_back(size);

  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  const auto block_of = [&](std::uint32_t pc) { return pc < size ? graph.block_at[pc] : graph.end; };
  for (std::uint32_t block = 0; block < graph.end; ++block) {
    const std::uint32_t last = graph.start[block + 1] - 1;
    const Instruction& i = function.code[last];
    for_each_target(function, i, [&](std::uint32_t target) { pairs.emplace_back(block, block_of(target)); });
    if (ends_thread(i)) pairs.emplace_back(block, graph.end);
    if (!(is_branch(i) || ends_thread(i)) || i.guarded) pairs.emplace_back(block, block_of(last + 1));
  }

  // Blocks from which no path leads to the end: give the last of each such loop an edge there.
  const Edges backward = edges_of(graph.end + 1, pairs, true);
  std::vector<bool> reaches(graph.end + 1, false);
  std::vector<std::uint32_t> work;
  const auto spread_from = [&](std::uint32_t node) {
    reaches[node] = true;
    work.push_back(node);
    while (!work.empty()) {
      const std::uint32_t at = work.back();
      work.pop_back();
      for (const std::uint32_t before : backward.of(at)) {
        if (reaches[before]) continue;
        reaches[before] = true;
        work.push_back(before);
      }
    }
  };
  spread_from(graph.end);
  for (std::uint32_t block = graph.end; block-- > 0;) {
    if (reaches[block]) continue;
    pairs.emplace_back(block, graph.end);
    spread_from(block);
  }
  graph.successors = edges_of(graph.end + 1, pairs, false);
  graph.predecessors = edges_of(graph.end + 1, pairs, true);
  return graph;
}

/// Immediate post-dominators: Lengauer and Tarjan's dominators ("A fast algorithm for finding dominators in a flowgraph", 1979, the
/// simple version with path compression) of the reversed graph, whose root is the virtual end.
std::vector<std::uint32_t> post_dominators(const Graph& graph) {
  const std::uint32_t nodes = graph.end + 1;
  constexpr std::uint32_t none = no_pc;
  std::vector<std::uint32_t> number(nodes, none), vertex, parent(nodes, none), semi(nodes), label(nodes), ancestor(nodes, none),
      dominator(nodes, none);
  std::vector<std::vector<std::uint32_t>> bucket(nodes);
  vertex.reserve(nodes);

  // Depth-first numbering, with an explicit stack: hostile functions are deep.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stack{{graph.end, 0}};
  number[graph.end] = 0;
  vertex.push_back(graph.end);
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    const auto edges = graph.predecessors.of(node);
    if (next == edges.size()) {
      stack.pop_back();
      continue;
    }
    const std::uint32_t to = edges[next++];
    if (number[to] != none) continue;
    number[to] = static_cast<std::uint32_t>(vertex.size());
    parent[to] = node;
    vertex.push_back(to);
    stack.emplace_back(to, 0);
  }
  for (std::uint32_t node = 0; node < nodes; ++node) {
    semi[node] = number[node];
    label[node] = node;
  }

  std::vector<std::uint32_t> path;
  const auto evaluate = [&](std::uint32_t node) {
    if (ancestor[node] == none) return node;
    path.clear();
    for (std::uint32_t at = node; ancestor[ancestor[at]] != none; at = ancestor[at]) path.push_back(at);
    for (auto at = path.rbegin(); at != path.rend(); ++at) {
      if (semi[label[ancestor[*at]]] < semi[label[*at]]) label[*at] = label[ancestor[*at]];
      ancestor[*at] = ancestor[ancestor[*at]];
    }
    return label[node];
  };

  for (std::size_t at = vertex.size(); at-- > 1;) {
    const std::uint32_t node = vertex[at];
    for (const std::uint32_t before : graph.successors.of(node)) semi[node] = std::min(semi[node], semi[evaluate(before)]);
    bucket[vertex[semi[node]]].push_back(node);
    ancestor[node] = parent[node];
    for (const std::uint32_t waiting : bucket[parent[node]]) {
      const std::uint32_t best = evaluate(waiting);
      dominator[waiting] = semi[best] < semi[waiting] ? best : parent[node];
    }
    bucket[parent[node]].clear();
  }
  for (std::size_t at = 1; at < vertex.size(); ++at) {
    const std::uint32_t node = vertex[at];
    if (dominator[node] != vertex[semi[node]]) dominator[node] = dominator[dominator[node]];
  }
  return dominator;
}

// --- Uniformity -----------------------------------------------------------------------------------------------------------------

bool is_varying(Special special) {
  switch (special) {
    case Special::ntid_x:
    case Special::ntid_y:
    case Special::ntid_z:
    case Special::ctaid_x:
    case Special::ctaid_y:
    case Special::ctaid_z:
    case Special::nctaid_x:
    case Special::nctaid_y:
    case Special::nctaid_z:
    case Special::nwarpid:
    case Special::nsmid:
    case Special::gridid_lo:
    case Special::dynamic_smem_size:
    case Special::total_smem_size:
    case Special::aggr_smem_size:
    case Special::reserved_smem_begin:
    case Special::reserved_smem_end:
    case Special::reserved_smem_cap:
    case Special::reserved_smem_1:
    case Special::graph_exec:
    case Special::envreg:
      return false;
    default:
      return true;
  }
}

class Uniformity {
 public:
  Uniformity(const Function& function, const Graph& graph, const std::vector<std::uint32_t>& dominator)
      : function_(function), graph_(graph), dominator_(dominator) {}

  void run() {
    const auto registers = static_cast<std::uint32_t>(function_.registers.size());
    varying_.assign(registers, false);
    parted_.assign(graph_.end + 1, false);
    list_users(registers);
    for (std::uint32_t pc = 0; pc < function_.code.size(); ++pc) visit(pc);
    while (!work_.empty()) {
      const std::uint32_t reg = work_.back();
      work_.pop_back();
      for (std::uint32_t at = first_user_[reg]; at < first_user_[reg + 1]; ++at) visit(users_[at]);
    }
  }
  /// A branch at which the whole block goes one way.
  [[nodiscard]] bool is_uniform(const Instruction& i) const { return is_branch(i) && (i.uniform || !varies_branch(i)); }
  [[nodiscard]] const std::vector<bool>& varying() const { return varying_; }

 private:
  template <class Visit>
  void for_each_register(const Instruction& i, std::size_t from, std::size_t to, Visit&& visit) const {
    for (std::size_t at = from; at < to; ++at) {
      const Operand& operand = i.operands[at];
      if (operand.kind == Operand::Kind::reg) visit(operand.index);
      if (operand.kind == Operand::Kind::address && operand.base == Operand::Base::reg) visit(operand.index);
      for (const Operand& element : operand.elements)
        if (element.kind == Operand::Kind::reg) visit(element.index);
    }
  }

  /// Which instructions read a register, so that each is looked at again only when one of its sources changes.
  void list_users(std::uint32_t registers) {
    first_user_.assign(registers + 1, 0);
    const auto for_each_use = [&](auto&& visit) {
      for (std::uint32_t pc = 0; pc < function_.code.size(); ++pc) {
        const Instruction& i = function_.code[pc];
        for_each_register(i, i.destinations, i.operands.size(), [&](std::uint32_t reg) { visit(reg, pc); });
        if (i.guarded) visit(i.guard, pc);
      }
    };
    for_each_use([&](std::uint32_t reg, std::uint32_t) { ++first_user_[reg + 1]; });
    for (std::uint32_t reg = 0; reg < registers; ++reg) first_user_[reg + 1] += first_user_[reg];
    users_.resize(first_user_.back());
    std::vector<std::uint32_t> next(first_user_.begin(), first_user_.end() - 1);
    for_each_use([&](std::uint32_t reg, std::uint32_t pc) { users_[next[reg]++] = pc; });
  }

  [[nodiscard]] bool varies_branch(const Instruction& i) const {
    bool varies = i.guarded && varying_[i.guard];
    if (i.op == Opcode::brx) for_each_register(i, 0, 1, [&](std::uint32_t reg) { varies |= varying_[reg]; });
    return varies;
  }

  [[nodiscard]] bool reads_varying(const Instruction& i) const {
    bool varies = i.guarded && varying_[i.guard];
    for_each_register(i, i.destinations, i.operands.size(), [&](std::uint32_t reg) { varies |= varying_[reg]; });
    for (std::size_t at = i.destinations; at < i.operands.size(); ++at) {
      const Operand& operand = i.operands[at];
      varies |= operand.kind == Operand::Kind::special && is_varying(operand.special);
      // Every thread has its own local memory; its address is the same number for all, but that is nobody's promise.
      if (operand.kind == Operand::Kind::variable) varies |= operand.variable.where == Operand::VariableRef::Where::function;
    }
    return varies;
  }

  [[nodiscard]] bool makes_varying(const Instruction& i) const {
    switch (row(i.op).effect) {
      case Effect::none:
        return has(i.op, trait::carry | trait::stack);  // both may vary
      case Effect::load: {
        const Operand& from = i.operands[i.destinations];
        if (i.space == Space::constant) return false;
        const bool own_parameter =
            from.base == Operand::Base::variable && from.variable.where == Operand::VariableRef::Where::parameter;
        return !(i.space == Space::param && function_.entry && own_parameter);
      }
      case Effect::hint:
        return false;
      default:
        return true;
    }
  }

  void visit(std::uint32_t pc) {
    const Instruction& i = function_.code[pc];
    const std::uint32_t block = graph_.block_at[pc];
    const bool parts_threads = is_branch(i) || ends_thread(i);
    if (is_branch(i) && varies_branch(i)) part_from(block);
    // A guarded exit parts nobody who goes on.
    if (parts_threads || i.destinations == 0) return;
    if (parted_[block] || makes_varying(i) || reads_varying(i)) mark_destinations(i);
  }

  void mark_destinations(const Instruction& i) {
    for_each_register(i, 0, i.destinations, [&](std::uint32_t reg) {
      if (varying_[reg]) return;
      varying_[reg] = true;
      work_.push_back(reg);
    });
  }

  [[nodiscard]] bool only_ends(std::uint32_t block) const {
    if (block == graph_.end) return true;
    const std::uint32_t first = graph_.start[block];
    return graph_.start[block + 1] == first + 1 && ends_thread(function_.code[first]) && !function_.code[first].guarded;
  }

  /// Threads part at the end of `block`: what is defined before they meet again may differ.
  void part_from(std::uint32_t block) {
    if (seen_from_.empty()) seen_from_.assign(graph_.end + 1, no_pc);
    if (expanded_.empty()) expanded_.assign(graph_.end + 1, false);
    if (expanded_[block]) return;
    expanded_[block] = true;
    const std::uint32_t meet = dominator_[block];
    const auto successors = graph_.successors.of(block);
    const auto leaving = std::count_if(successors.begin(), successors.end(), [&](std::uint32_t to) { return only_ends(to); });
    if (successors.size() - static_cast<std::size_t>(leaving) <= 1) return;
    std::vector<std::uint32_t> work(successors.begin(), successors.end());
    while (!work.empty()) {
      const std::uint32_t at = work.back();
      work.pop_back();
      // Each branch walks anew: where an earlier branch's threads met, this one's may still be apart.
      if (at == meet || at == graph_.end || seen_from_[at] == block) continue;
      seen_from_[at] = block;
      part(at);
      if (++steps_ > max_steps) return part_everything();
      for (const std::uint32_t next : graph_.successors.of(at)) work.push_back(next);
    }
  }

  void part(std::uint32_t block) {
    if (parted_[block]) return;
    parted_[block] = true;
    for (std::uint32_t pc = graph_.start[block]; pc < graph_.start[block + 1]; ++pc) mark_destinations(function_.code[pc]);
  }

  /// Enormous functions: no branch is worth more time, and "varying" is always safe to say.
  void part_everything() {
    for (std::uint32_t block = 0; block < graph_.end; ++block) {
      part(block);
      expanded_[block] = true;
    }
  }

  static constexpr std::size_t max_steps = 4'000'000;
  std::size_t steps_ = 0;
  std::vector<std::uint32_t> seen_from_;
  const Function& function_;
  const Graph& graph_;
  const std::vector<std::uint32_t>& dominator_;
  std::vector<bool> varying_, parted_, expanded_;
  std::vector<std::uint32_t> first_user_, users_, work_;
};

}  // namespace

void analyse_control_flow(Function& function) {
  const auto size = static_cast<std::uint32_t>(function.code.size());
  function.reconverge.assign(size, no_pc);
  function.is_reconvergence.assign(size, 0);
  find_leaders(function);
  const Graph graph = blocks_of(function);
  const std::vector<std::uint32_t> dominator = post_dominators(graph);
  for (std::uint32_t pc = 0; pc < size; ++pc) {
    const Instruction& i = function.code[pc];
    if (!is_branch(i)) continue;
    const std::uint32_t meet = dominator[graph.block_at[pc]];
    function.reconverge[pc] = graph.start[std::min(meet, graph.end)];
    if ((i.guarded || i.op == Opcode::brx) && function.reconverge[pc] < size)
      function.is_reconvergence[function.reconverge[pc]] = 1;
  }
  Uniformity uniformity(function, graph, dominator);
  uniformity.run();
  function.is_uniform.assign(size, 0);
  for (std::uint32_t pc = 0; pc < size; ++pc) function.is_uniform[pc] = uniformity.is_uniform(function.code[pc]);
}

std::vector<bool> varying_registers(const Function& function) {
  const Graph graph = blocks_of(function);
  const std::vector<std::uint32_t> dominator = post_dominators(graph);
  Uniformity uniformity(function, graph, dominator);
  uniformity.run();
  return uniformity.varying();
}

}  // namespace warpbook::gpu::ptx
