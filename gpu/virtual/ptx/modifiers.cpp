#include "gpu/virtual/ptx/modifiers.h"

#include <algorithm>

namespace warpbook::gpu::ptx {
namespace {

template <class T>
constexpr Word word(std::string_view text, Field field, T value) {
  return {text, field, static_cast<std::uint8_t>(value)};
}

const std::vector<WordClass>& word_classes() {
  constexpr Field R = Field::rounding, C = Field::compare, B = Field::boolean, S = Field::space, A = Field::atomic,
                  O = Field::order;
  const Word rn = word("rn", R, Rounding::rn), rz = word("rz", R, Rounding::rz), rm = word("rm", R, Rounding::rm),
             rp = word("rp", R, Rounding::rp);
  const Word lo = word("lo", Field::part, Part::lo), hi = word("hi", Field::part, Part::hi);
  const Word approx{"approx", Field::approx};
  const Word and_ = word("and", B, Boolean::and_), or_ = word("or", B, Boolean::or_), xor_ = word("xor", B, Boolean::xor_);
  const Word global = word("global", S, Space::global), shared = word("shared", S, Space::shared),
             shared_cta = word("shared::cta", S, Space::shared),
             // Every block is a cluster of its own here, so the cluster's shared memory is the block's.
      shared_cluster = word("shared::cluster", S, Space::shared), local = word("local", S, Space::local),
             constant = word("const", S, Space::constant), param = word("param", S, Space::param),
             param_entry = word("param::entry", S, Space::param), param_func = word("param::func", S, Space::param);
  const Word weak = word("weak", O, Order::weak), volatile_ = word("volatile", O, Order::volatile_),
             relaxed = word("relaxed", O, Order::relaxed), acquire = word("acquire", O, Order::acquire),
             release = word("release", O, Order::release), acq_rel = word("acq_rel", O, Order::acq_rel),
             sc = word("sc", O, Order::sc), mmio = word("mmio.relaxed", O, Order::mmio);
  const Word add = word("add", A, AtomicOp::add), min = word("min", A, AtomicOp::min), max = word("max", A, AtomicOp::max),
             inc = word("inc", A, AtomicOp::inc), dec = word("dec", A, AtomicOp::dec), aand = word("and", A, AtomicOp::and_),
             aor = word("or", A, AtomicOp::or_), axor = word("xor", A, AtomicOp::xor_), exch = word("exch", A, AtomicOp::exch),
             cas = word("cas", A, AtomicOp::cas);
  constexpr Field G = Field::geometry;
  const Word d1 = word("1d", G, Geometry::d1), d2 = word("2d", G, Geometry::d2), d3 = word("3d", G, Geometry::d3),
             array_1d = word("a1d", G, Geometry::array_1d), array_2d = word("a2d", G, Geometry::array_2d),
             cube = word("cube", G, Geometry::cube), array_cube = word("acube", G, Geometry::array_cube);
  const Word all = word("all", Field::vote, Vote::all), any = word("any", Field::vote, Vote::any);
  static const std::vector<WordClass> classes{
      {"rnd", {rn, rz, rm, rp}},
      {"rn", {rn}},
      {"cvt_rnd",
       {rn, rz, rm, rp, word("rna", R, Rounding::rna), word("rni", R, Rounding::rni), word("rzi", R, Rounding::rzi),
        word("rmi", R, Rounding::rmi), word("rpi", R, Rounding::rpi)}},
      {"quotient", {approx, {"full", Field::full}, rn, rz, rm, rp}},
      {"approx_rnd", {approx, rn, rz, rm, rp}},
      {"approx", {approx}},
      {"ftz", {{"ftz", Field::ftz}}},
      {"sat", {{"sat", Field::sat}}},
      {"satfinite", {{"satfinite", Field::sat}}},
      {"cc", {{"cc", Field::carry_out}}},
      {"nan", {{"NaN", Field::nan}}},
      {"xorsign_abs", {{"xorsign.abs", Field::xorsign_abs}}},
      {"relu", {{"relu", Field::relu}}},
      {"noftz", {{"noftz", Field::noftz}}},
      {"part", {lo, hi, word("wide", Field::part, Part::wide)}},
      {"lohi", {lo, hi}},
      {"testp",
       {word("finite", Field::testp, TestP::finite), word("infinite", Field::testp, TestP::infinite),
        word("number", Field::testp, TestP::number), word("notanumber", Field::testp, TestP::notanumber),
        word("normal", Field::testp, TestP::normal), word("subnormal", Field::testp, TestP::subnormal)}},
      {"shiftamt", {{"shiftamt", Field::shiftamt}}},
      {"clamp_wrap", {{"clamp", Field::clamp}, {"wrap", Field::wrap}}},
      {"geometry", {d1, d2, d3, array_1d, array_2d, cube, array_cube}},
      {"surface_geometry", {d1, d2, d3, array_1d, array_2d}},
      {"edge",
       {word("trap", Field::edge, Edge::trap), word("clamp", Field::edge, Edge::clamp), word("zero", Field::edge, Edge::zero)}},
      {"v4", {word("v4", Field::vector, 4)}},
      {"vec4", {word("v2", Field::vector, 2), word("v4", Field::vector, 4)}},
      {"boolop", {and_, or_}},
      {"bool", {and_, or_, xor_}},
      {"prmt",
       {word("f4e", Field::prmt, Prmt::f4e), word("b4e", Field::prmt, Prmt::b4e), word("rc8", Field::prmt, Prmt::rc8),
        word("ecl", Field::prmt, Prmt::ecl), word("ecr", Field::prmt, Prmt::ecr), word("rc16", Field::prmt, Prmt::rc16)}},
      {"compare",
       {word("eq", C, Compare::eq), word("ne", C, Compare::ne), word("lt", C, Compare::lt), word("le", C, Compare::le),
        word("gt", C, Compare::gt), word("ge", C, Compare::ge), word("lo", C, Compare::lo), word("ls", C, Compare::ls),
        word("hi", C, Compare::hi), word("hs", C, Compare::hs), word("equ", C, Compare::equ), word("neu", C, Compare::neu),
        word("ltu", C, Compare::ltu), word("leu", C, Compare::leu), word("gtu", C, Compare::gtu), word("geu", C, Compare::geu),
        word("num", C, Compare::num), word("nan", C, Compare::nan)}},
      {"video_compare",
       {word("eq", C, Compare::eq), word("ne", C, Compare::ne), word("lt", C, Compare::lt), word("le", C, Compare::le),
        word("gt", C, Compare::gt), word("ge", C, Compare::ge)}},
      {"video_second", {add, min, max}},
      {"video_sum", {add}},
      {"to", {{"to", Field::to}}},
      {"space", {constant, global, local, param, param_entry, param_func, shared, shared_cta, shared_cluster}},
      {"window", {constant, global, local, param, param_entry, shared, shared_cta, shared_cluster}},
      {"store_space", {global, local, param, param_func, shared, shared_cta, shared_cluster}},
      {"atomic_space", {global, shared, shared_cta, shared_cluster}},
      {"prefetch_space", {global, local, constant, param}},
      {"global", {global}},
      {"shared", {shared, shared_cta, shared_cluster}},
      {"shared_cluster", {shared_cluster}},
      {"shared_global", {word("shared.global", S, Space::shared), word("shared::cta.global", S, Space::shared)}},
      {"load_order", {weak, volatile_, relaxed, acquire, mmio}},
      {"store_order", {weak, volatile_, relaxed, release, mmio}},
      {"atomic_order", {relaxed, acquire, release, acq_rel}},
      {"red_order", {relaxed, release}},
      {"fence_order", {sc, acq_rel, acquire, release}},
      {"proxy", {{"async.global"}, {"async.shared::cta"}, {"async.shared::cluster"}, {"async"}, {"alias"}}},
      {"relaxed", {relaxed}},
      {"acquire", {acquire, relaxed}},
      {"release", {release, relaxed}},
      {"scope",
       {word("cta", Field::scope, Scope::cta), word("cluster", Field::scope, Scope::cluster), word("gpu", Field::scope, Scope::gpu),
        word("sys", Field::scope, Scope::sys)}},
      {"level",
       {word("cta", Field::scope, Scope::cta), word("gl", Field::scope, Scope::gpu), word("sys", Field::scope, Scope::sys)}},
      {"nc", {{"nc", Field::non_coherent}}},
      {"vec", {word("v2", Field::vector, 2), word("v4", Field::vector, 4), word("v8", Field::vector, 8)}},
      {"atomic", {add, min, max, inc, dec, aand, aor, axor, exch, cas}},
      {"red", {add, min, max, inc, dec, aand, aor, axor}},
      {"redux", {add, min, max, aand, aor, axor}},
      {"cta", {{"cta", Field::none}}},
      {"mask", {{"mask", Field::none}}},
      {"sync", {{"sync", Field::none}}},
      {"aligned", {{"aligned", Field::aligned}}},
      {"uni", {{"uni", Field::uniform}}},
      {"barrier",
       {word("sync", Field::barrier, Barrier::sync), word("arrive", Field::barrier, Barrier::arrive),
        word("red.popc", Field::barrier, Barrier::red_popc), word("red.and", Field::barrier, Barrier::red_and),
        word("red.or", Field::barrier, Barrier::red_or)}},
      {"shuffle",
       {word("up", Field::shuffle, Shuffle::up), word("down", Field::shuffle, Shuffle::down),
        word("bfly", Field::shuffle, Shuffle::bfly), word("idx", Field::shuffle, Shuffle::idx)}},
      {"vote", {all, any, word("uni", Field::vote, Vote::uni), word("ballot", Field::vote, Vote::ballot)}},
      {"match", {all, any}},
      // Hints to caches: they change time on hardware, never a value.
      {"cache",
       {{"ca"},
        {"cg"},
        {"cs"},
        {"lu"},
        {"cv"},
        {"wb"},
        {"wt"},
        {"L1"},
        {"L2"},
        {"L1::evict_normal"},
        {"L1::evict_unchanged"},
        {"L1::evict_first"},
        {"L1::evict_last"},
        {"L1::no_allocate"},
        {"L2::evict_normal"},
        {"L2::evict_unchanged"},
        {"L2::evict_first"},
        {"L2::evict_last"},
        {"L2::64B"},
        {"L2::128B"},
        {"L2::256B"},
        {"L2::cache_hint", Field::cache_policy}},
       true}};
  return classes;
}

}  // namespace

const WordClass* find_word_class(std::string_view name) {
  const std::vector<WordClass>& classes = word_classes();
  const auto found = std::find_if(classes.begin(), classes.end(), [&](const WordClass& c) { return c.name == name; });
  return found == classes.end() ? nullptr : &*found;
}

std::uint8_t get(const Instruction& i, Field field) {
  switch (field) {
    case Field::none:
    case Field::cache_policy:
      return 0;
    case Field::rounding:
      return static_cast<std::uint8_t>(i.rounding);
    case Field::compare:
      return static_cast<std::uint8_t>(i.compare);
    case Field::boolean:
      return static_cast<std::uint8_t>(i.boolean);
    case Field::part:
      return static_cast<std::uint8_t>(i.part);
    case Field::space:
      return static_cast<std::uint8_t>(i.space);
    case Field::atomic:
      return static_cast<std::uint8_t>(i.atomic);
    case Field::order:
      return static_cast<std::uint8_t>(i.order);
    case Field::scope:
      return static_cast<std::uint8_t>(i.scope);
    case Field::shuffle:
      return static_cast<std::uint8_t>(i.shuffle);
    case Field::vote:
      return static_cast<std::uint8_t>(i.vote);
    case Field::barrier:
      return static_cast<std::uint8_t>(i.barrier);
    case Field::prmt:
      return static_cast<std::uint8_t>(i.prmt);
    case Field::testp:
      return static_cast<std::uint8_t>(i.testp);
    case Field::vector:
      return i.vector;
    case Field::ftz:
      return i.ftz;
    case Field::sat:
      return i.sat;
    case Field::approx:
      return i.approx;
    case Field::full:
      return i.full;
    case Field::carry_out:
      return i.carry_out;
    case Field::xorsign_abs:
      return i.xorsign;
    case Field::nan:
      return i.nan;
    case Field::uniform:
      return i.uniform;
    case Field::to:
      return i.to;
    case Field::clamp:
      return i.clamp;
    case Field::wrap:
      return i.wrap;
    case Field::edge:
      return static_cast<std::uint8_t>(i.edge);
    case Field::geometry:
      return static_cast<std::uint8_t>(i.geometry);
    case Field::shiftamt:
      return i.shiftamt;
    case Field::relu:
      return i.relu;
    case Field::noftz:
      return i.noftz;
    case Field::non_coherent:
      return i.non_coherent;
    case Field::aligned:
      return i.aligned;
  }
  return 0;
}

void set(DecodedOpcode& decoded, Field field, std::uint8_t value) {
  Instruction& i = decoded.instruction;
  switch (field) {
    case Field::none:
      break;
    case Field::cache_policy:
      decoded.cache_policy = true;
      break;
    case Field::rounding:
      i.rounding = static_cast<Rounding>(value);
      break;
    case Field::compare:
      i.compare = static_cast<Compare>(value);
      break;
    case Field::boolean:
      i.boolean = static_cast<Boolean>(value);
      break;
    case Field::part:
      i.part = static_cast<Part>(value);
      break;
    case Field::space:
      i.space = static_cast<Space>(value);
      break;
    case Field::atomic:
      i.atomic = static_cast<AtomicOp>(value);
      break;
    case Field::order:
      i.order = static_cast<Order>(value);
      break;
    case Field::scope:
      i.scope = static_cast<Scope>(value);
      break;
    case Field::shuffle:
      i.shuffle = static_cast<Shuffle>(value);
      break;
    case Field::vote:
      i.vote = static_cast<Vote>(value);
      break;
    case Field::barrier:
      i.barrier = static_cast<Barrier>(value);
      break;
    case Field::prmt:
      i.prmt = static_cast<Prmt>(value);
      break;
    case Field::testp:
      i.testp = static_cast<TestP>(value);
      break;
    case Field::vector:
      i.vector = value;
      break;
    case Field::ftz:
      i.ftz = true;
      break;
    case Field::sat:
      i.sat = true;
      break;
    case Field::approx:
      i.approx = true;
      break;
    case Field::full:
      i.full = true;
      break;
    case Field::carry_out:
      i.carry_out = true;
      break;
    case Field::xorsign_abs:
      i.xorsign = i.abs = true;
      break;
    case Field::nan:
      i.nan = true;
      break;
    case Field::uniform:
      i.uniform = true;
      break;
    case Field::to:
      i.to = true;
      break;
    case Field::clamp:
      i.clamp = true;
      break;
    case Field::wrap:
      i.wrap = true;
      break;
    case Field::edge:
      i.edge = static_cast<Edge>(value);
      break;
    case Field::geometry:
      i.geometry = static_cast<Geometry>(value);
      break;
    case Field::shiftamt:
      i.shiftamt = true;
      break;
    case Field::relu:
      i.relu = true;
      break;
    case Field::noftz:
      i.noftz = true;
      break;
    case Field::non_coherent:
      i.non_coherent = true;
      break;
    case Field::aligned:
      i.aligned = true;
      break;
  }
}

}  // namespace warpbook::gpu::ptx
