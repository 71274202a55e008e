// What the race detector says: which of the accesses that race it shows, and in which words.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/virtual/watch/access_words.h"
#include "gpu/virtual/watch/races.h"

namespace warpbook::gpu::watch {
namespace {

constexpr std::string_view same_value_words = "Both store the same value";  // how the sentences of about_same_value() begin

enum class Does : std::uint8_t { reads, writes, updates };

/// The one that is shown first, and the other one, with the same values: "Thread {thread} … {element}{at} and thread {other} …".
template <class Given>
Message raced_in_block(const Given& given, Does first, Does second) {
  using enum Does;
  if (first == reads)
    return second == updates ? given.to_say(
                                   "Thread {thread} of block {block} reads {element}{at} and thread {other} of the same block "
                                   "updates it atomically{other_at}.")
                             : given.to_say(
                                   "Thread {thread} of block {block} reads {element}{at} and thread {other} of the same block "
                                   "writes it{other_at}.");
  if (first == updates)
    return second == reads ? given.to_say(
                                 "Thread {thread} of block {block} updates {element}{at} and thread {other} of the same block "
                                 "reads it{other_at}.")
                           : given.to_say(
                                 "Thread {thread} of block {block} updates {element}{at} and thread {other} of the same block "
                                 "writes it{other_at}.");
  if (second == updates)
    return given.to_say(
        "Thread {thread} of block {block} writes {element}{at} and thread {other} of the same block updates it "
        "atomically{other_at}.");
  return second == reads
             ? given.to_say(
                   "Thread {thread} of block {block} writes {element}{at} and thread {other} of the same block reads it{other_at}.")
             : given.to_say(
                   "Thread {thread} of block {block} writes {element}{at} and thread {other} of the same block writes "
                   "it{other_at}.");
}

/// The same of threads in two blocks.
template <class Given>
Message raced_between_blocks(const Given& given, Does first, Does second) {
  using enum Does;
  if (first == reads)
    return second == updates ? given.to_say(
                                   "Thread {thread} of block {block} reads {element}{at} and thread {other} of block {other_block} "
                                   "updates it atomically{other_at}.")
                             : given.to_say(
                                   "Thread {thread} of block {block} reads {element}{at} and thread {other} of block {other_block} "
                                   "writes it{other_at}.");
  if (first == updates)
    return second == reads ? given.to_say(
                                 "Thread {thread} of block {block} updates {element}{at} and thread {other} of block {other_block} "
                                 "reads it{other_at}.")
                           : given.to_say(
                                 "Thread {thread} of block {block} updates {element}{at} and thread {other} of block {other_block} "
                                 "writes it{other_at}.");
  if (second == updates)
    return given.to_say(
        "Thread {thread} of block {block} writes {element}{at} and thread {other} of block {other_block} updates it "
        "atomically{other_at}.");
  return second == reads ? given.to_say(
                               "Thread {thread} of block {block} writes {element}{at} and thread {other} of block {other_block} "
                               "reads it{other_at}.")
                         : given.to_say(
                               "Thread {thread} of block {block} writes {element}{at} and thread {other} of block {other_block} "
                               "writes it{other_at}.");
}

/// The second of two sentences: of a place without a name, the first one has said which.
template <class Given>
Message does_so_too(const Given& given, Does second, bool same_block) {
  switch (second) {
    case Does::reads:
      return same_block ? given.to_say("Thread {other} of the same block reads it{other_at}.")
                        : given.to_say("Thread {other} of block {other_block} reads it{other_at}.");
    case Does::writes:
      return same_block ? given.to_say("Thread {other} of the same block writes it{other_at}.")
                        : given.to_say("Thread {other} of block {other_block} writes it{other_at}.");
    case Does::updates:
      break;
  }
  return same_block ? given.to_say("Thread {other} of the same block updates it atomically{other_at}.")
                    : given.to_say("Thread {other} of block {other_block} updates it atomically{other_at}.");
}

}  // namespace

std::uint64_t Races::value_of(unsigned lane, std::uint64_t address, std::uint32_t bytes, bool& known) const {
  const std::uint64_t at = address - access_->address[lane];
  known = values_known() && access_->kind == vm::Access::Kind::store && at + bytes <= 8;
  if (!known) return 0;
  const std::uint64_t bits = value_in(lane) >> (8 * at);
  return bytes >= 8 ? bits : bits & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

/// Does a lane's weak store, which is at this cell now, leave all its bytes as earlier weak stores have left them?
bool Races::stores_what_was_stored(const Cells& cells, unsigned cell, unsigned lane, std::uint64_t address) const {
  const std::uint64_t begin = access_->address[lane];
  const auto first = cell - static_cast<unsigned>((address - begin) / granule_);
  for (std::uint32_t done = 0; done < access_->bytes; done += granule_) {
    const unsigned c = first + done / granule_;
    bool known = false;
    const std::uint64_t value = value_of(lane, begin + done, granule_, known);
    const bool was_known = cells.write.stamp[c] != 0 && (cells.write.site[c] & value_known);
    if (!known || !was_known || cells.value[c] != static_cast<std::uint32_t>(value)) return false;
  }
  return true;
}

/// Do these neighbouring lanes all store the same?
bool Races::stores_one_value(unsigned lane, unsigned n) const {
  std::uint64_t differ = 0;
  for (unsigned j = 1; j < n; ++j) differ |= value_in(lane + j) ^ value_in(lane);
  return differ << (64 - 8 * access_->bytes) == 0;
}

void Races::check(const Slots& slots, unsigned cell, ThreadId thread, std::uint64_t address, bool before_write, bool before_strong,
                  const Cells* written) {
  const Epoch before{slots.thread[cell], slots.stamp[cell]};
  if (before.stamp == 0 || settling_ || ordered(before, thread)) return;
  if (reported_lanes_ >> (thread & 31) & 1) return;
  const bool same_value = mode_ == Mode::weak_write && written && stores_what_was_stored(*written, cell, thread & 31, address);
  tell({before, slots.site[cell], before_write, before_strong, same_value}, thread, address);
}

/// This thread's access races with an earlier one.
void Races::tell(const Earlier& earlier, ThreadId thread, std::uint64_t address) {
  const std::uint32_t lane = thread & 31;
  if (reported_lanes_ >> lane & 1) return;
  reported_lanes_ |= 1u << lane;

  const auto& [before, flags, before_write, before_strong, stores_the_same] = earlier;
  const ThreadId before_thread = order_.issuer(before.thread);
  const bool under_way = before_thread != before.thread;
  const bool strong = mode_ != Mode::weak_read && mode_ != Mode::weak_write;
  const bool write = mode_ != Mode::weak_read && mode_ != Mode::strong_read;
  const int weight = weight_of(thread, before.thread, write && before_write);
  const ptx::Space space = access_->space;
  const Element element = context_.element(space, address, access_->site);
  const bool same_value = stores_the_same && !under_way;
  const bool in_toolkit = access_->site.instruction().in_toolkit;
  if (const Recent* known = known_race(flags, weight, element.region))
    if (!known->same_value() || (same_value && !in_toolkit)) return known->count(1);
  Race race;
  race.weight = weight;
  race.now = {thread, access_->site, write, strong, (site_ & is_atomic) != 0, (site_ & block_scope) != 0};
  race.before = {before_thread, context_.site(flags & site_mask), before_write,
                 before_strong, (flags & is_atomic) != 0,         (flags & block_scope) != 0,
                 under_way};
  if (under_way) {
    race.begin_ordered = ordered({before_thread, before.stamp}, thread);
    race.copy =
        copies_.progress(order_.warp_of(before_thread), race.before.site.instruction().copy, before_thread & 31, space, address);
  }
  race.address = address;
  race.region = element.region;
  race.same_value = same_value;
  if (race.same_value) {
    const std::uint32_t bytes = access_->bytes;
    bool whole = false;
    const std::uint64_t bits = value_of(lane, access_->address[lane], std::min(bytes, 8u), whole);
    race.value = value_text(race.region, bits, bytes, access_->site);
  }
  const std::uint32_t other_lane = before.thread & 31;
  race.same_instruction = (before.thread ^ thread) < 32 && before.stamp == now_ && (flags & site_mask) == (site_ & site_mask) &&
                          (access_->mask >> other_lane & 1) && access_->address[other_lane] / granule_ <= address / granule_ &&
                          address < access_->address[other_lane] + access_->bytes;

  // The toolkit's own headers count on the hardware there.
  const bool one_instruction = (before.thread ^ thread) < 32 && (flags & site_mask) == (site_ & site_mask);
  if (race.same_value && one_instruction && in_toolkit) return;

  // Which of the two a learner should look at first: the write, and of two writes the one that is not atomic, or the later line.
  const std::uint32_t line_now = LaunchContext::line_key(race.now.site);
  const std::uint32_t line_before = LaunchContext::line_key(race.before.site);
  const auto rank = [](const Side& side) { return (side.strong ? 0 : 2) + (side.write ? 1 : 0); };
  const int rank_now = rank(race.now), rank_before = rank(race.before);
  const bool swap = rank_now != rank_before ? rank_before > rank_now : line_before > line_now;
  if (swap) std::swap(race.now, race.before);
  const FindingKey key{.kind = FindingKind::race,
                       .line = swap ? line_before : line_now,
                       .other_line = swap ? line_now : line_before,
                       .space = std::string{ptx::name_of(space)},
                       .buffer = element.buffer()};
  Finding* finding =
      findings_.note(key, 1, [&] { return Finding{.space = {}, .message = {}, .at = {}, .buffer = {}, .index = {}, .other = {}}; });
  Recent& recent = recent_[recent_of(site_, flags)] = {site_, flags, space, element.region, finding, nullptr};
  if (!finding) return;
  const auto [entry, fresh] = races_.try_emplace(finding, race);
  recent.race = &entry->second;
  const bool always_same_value = (fresh || entry->second.same_value) && same_value;
  // Of the many that a line can have, show the one that tells most: a race between blocks is not mended by __syncwarp.
  if (fresh || race.weight > entry->second.weight) {
    entry->second = race;
    finding->at = context_.place(race.now.site, order_.warp_of(race.now.thread), race.now.thread & 31);
    finding->other = context_.place(race.before.site, order_.warp_of(race.before.thread), race.before.thread & 31);
    finding->index = element.is_known() ? std::optional{element.index} : std::nullopt;
  }
  entry->second.same_value = always_same_value;
}

void Races::finish() {
  RaceAdvice advice(context_);
  std::erase_if(races_, [&](const auto& entry) {
    const bool none = is_guess(entry.second, advice);
    if (none) findings_.take_back(entry.first);
    return none;
  });
  for (auto& [finding, race] : races_) {
    finding->message = told(race, *finding, advice);
    if (finding->threads > 1)
      finding->message.add(to_say("This line has {accesses} such accesses.", "accesses"_a = finding->threads));
  }
  put_same_values_last();
}

/// A loop around atomicCAS begins with a plain read, in CUDA's guide, too: where it is out of date, atomicCAS finds that out.
bool Races::is_guess(const Race& race, RaceAdvice& advice) {
  const auto plain_read = [](const Side& side) { return !side.write && !side.strong; };
  const auto atomic = [](const Side& side) { return side.atomic && side.strong; };
  if (plain_read(race.now) && atomic(race.before)) return advice.guesses(race.now.site);
  return plain_read(race.before) && atomic(race.now) && advice.guesses(race.before.site);
}

Paragraph Races::told(const Race& race, const Finding& finding, RaceAdvice& advice) const {
  if (race.now.under_way || race.before.under_way) return told_of_copy(race, finding);
  Paragraph text = who_raced(race, finding);
  text.add(cause_and_advice(race, finding, advice));
  return text;
}

/// Which two threads, and what they did to which place.
Paragraph Races::who_raced(const Race& race, const Finding& finding) const {
  const Side &a = race.now, &b = race.before;
  const Place &at = finding.at, &other = *finding.other;
  const bool same_block = order_.same_block(a.thread, b.thread), same_line = at.line == other.line;
  const ptx::Space space = finding.space == "shared" ? ptx::Space::shared : ptx::Space::global;
  const Element element = context_.element(space, race.address, a.site);
  const auto does = [](const Side& side) {
    return side.strong && side.atomic ? Does::updates : side.write ? Does::writes : Does::reads;
  };
  const auto given =
      with_thread(at, "element"_a = element.name(), "other"_a = to_string(other.thread), "other_block"_a = to_string(other.block),
                  "other_at"_a = SourceLine{same_line ? 0 : other.line}, "lane"_a = a.thread & 31, "other_lane"_a = b.thread & 31);
  if (!element.is_named()) {
    using Kind = vm::Access::Kind;
    const Does first = does(a);
    Paragraph text = accessed(at,
                              first == Does::updates  ? Kind::atomic
                              : first == Does::writes ? Kind::store
                                                      : Kind::load,
                              element);
    text.add(does_so_too(given, does(b), same_block));
    return text;
  }
  if (a.atomic && b.atomic)
    return given.to_say(
        "Thread {thread} of block {block} and thread {other} of block {other_block} both update {element}{at} atomically.");
  if (race.same_instruction)
    return given.to_say(
        "Lanes {other_lane} and {lane} of one warp, threads {other} and {thread} of block {block}, write {element} in the same "
        "instruction{at}.");
  if (a.write && b.write && !a.atomic && !b.atomic && same_line)
    return same_block ? given.to_say("Threads {thread} and {other} of block {block} both write {element}{at}.")
                      : given.to_say(
                            "Thread {thread} of block {block} and thread {other} of block {other_block} both write {element}{at}.");
  return same_block ? raced_in_block(given, does(a), does(b)) : raced_between_blocks(given, does(a), does(b));
}

RaceToExplain Races::explain(const Race& race, const Finding& finding) const {
  const Side &a = race.now, &b = race.before;
  RaceToExplain all{.now = {a.site, finding.at, a.write, a.strong},
                    .before = {b.site, *finding.other, b.write, b.strong},
                    .same_warp = (a.thread ^ b.thread) < 32,
                    .same_block = order_.same_block(a.thread, b.thread),
                    .shared_memory = finding.space == "shared",
                    .signals_used = signals_used_,
                    .atomics_used = atomics_used_};
  const vm::Site& writer = a.write ? a.site : b.site;
  for (const auto& [other, its] : races_)
    all.others_write_it |= its.now.write && its.before.write && !its.now.strong && !its.before.strong &&
                           other->buffer == finding.buffer && its.now.site.function == writer.function &&
                           (its.now.site.pc == writer.pc || its.before.site.pc == writer.pc);
  return all;
}

/// Where what two stores of one value store comes from. What the text leaves open, another race may tell: of a store and of a load
/// that its value came from.
RaceAdvice::Stored Races::stored_by(const Race& race, RaceAdvice& advice) const {
  RaceAdvice::Stored worst = RaceAdvice::Stored::elsewhere;
  for (const Side* side : {&race.now, &race.before}) {
    const RaceAdvice::Stored its = advice.stored_by(side->site);
    if (its == RaceAdvice::Stored::same_place) return its;
    if (its == RaceAdvice::Stored::perhaps) worst = its;
    for (const auto& [other, another] : races_)
      for (const Side* load : {&another.now, &another.before})
        if (!load->write && another.region == race.region && advice.comes_from(side->site, load->site))
          return RaceAdvice::Stored::same_place;
  }
  return worst;
}

/// Two stores of one value; empty: it is an update of the place, which says more. Each first sentence begins with same_value_words.
Paragraph Races::about_same_value(const Race& race, const RaceToExplain& all, RaceAdvice& advice) const {
  const RaceAdvice::Stored stored = stored_by(race, advice);
  if (stored == RaceAdvice::Stored::same_place) return {};
  const auto given = with("value"_a = race.value);
  Paragraph index = advice.about_index(all);
  const bool equal = index.empty();
  if (equal) index = advice.about_equal_indices(all);
  Paragraph text;
  if (stored == RaceAdvice::Stored::perhaps) {
    text.add(
        given.to_say("Both store the same value {value} this time, but it was computed from what the kernel has read, so another "
                     "time the two may differ."));
    text.add(index.empty() ? Paragraph(to_say("Let one thread write it, or give each an element of its own.")) : index);
  } else if (advice.looks_first(race.now.site) || advice.looks_first(race.before.site)) {
    text.add(
        given.to_say("Both store the same value {value}, but each has looked at the place first, and both may find it as it was."));
    text.add(to_say("Where only one thread may go on, use atomicCAS: it compares and stores in one step."));
  } else if (equal && !index.empty() && advice.stores_constant(race.now.site)) {
    text.add(given.to_say("Both store the same value {value}."));
    text.add(
        to_say("Where the line marks what several threads find, that is harmless on today's hardware, though CUDA does not promise "
               "it. Where each thread should have an element of its own, the index is wrong: look at how it is made."));
  } else if (!index.empty()) {
    text.add(given.to_say("Both store the same value {value}, which may hide a mistake."));
    text.add(index);
  } else {
    text.add(given.to_say("Both store the same value {value}: harmless on today's hardware, but CUDA does not promise it."));
    text.add(to_say("Let one thread write it. If each thread should have an element of its own, the index is wrong."));
  }
  return text;
}

/// Of the findings about one buffer, those come first that tell of two values or of an update: where all threads store one value,
/// the result may be right.
void Races::put_same_values_last() {
  std::map<std::pair<std::string, std::string>, std::vector<Finding*>> by_place;
  for (Finding& finding : findings_.kept())
    if (races_.contains(&finding)) by_place[{finding.space, finding.buffer}].push_back(&finding);
  for (const auto& [place, findings] : by_place) {
    std::vector<Finding> in_order;
    for (Finding* finding : findings) in_order.push_back(std::move(*finding));
    std::ranges::stable_partition(in_order, [](const Finding& finding) {
      return std::ranges::none_of(finding.message.sentences,
                                  [](const Message& each) { return each.english.starts_with(same_value_words); });
    });
    for (std::size_t n = 0; n < findings.size(); ++n) *findings[n] = std::move(in_order[n]);
  }
}

/// Why it is a race, and what to try.
Paragraph Races::cause_and_advice(const Race& race, const Finding& finding, RaceAdvice& advice) const {
  const Side &a = race.now, &b = race.before;
  const RaceToExplain all = explain(race, finding);
  if (race.same_value) {
    if (Paragraph text = about_same_value(race, all, advice); !text.empty()) return text;
  }
  if (a.strong && b.strong) {
    if (!a.block_scope && !b.block_scope) return about_volatile(race, all, advice);
    Paragraph text = to_say("One of the two is an atomic of block scope, which is atomic within its own block only.");
    text.add(
        to_say("Use the form of the whole device: atomicAdd, not atomicAdd_block; cuda::thread_scope_device, not "
               "cuda::thread_scope_block."));
    return text;
  }
  if (race.same_instruction) {
    if (Paragraph index = advice.about_index(all); !index.empty()) return index;
    if (Paragraph equal = advice.about_equal_indices(all); !equal.empty()) return equal;
    Paragraph text;
    if (advice.stored_by(a.site) == RaceAdvice::Stored::same_place) {
      text.add(to_say("Each reads it before it writes, so one of the two updates is lost."));
      text.add(advice.atomic_for(a.site));
    } else {
      text.add(to_say("Which value stays is undefined."));
      text.add(to_say("Let one lane write it, or give each lane an element of its own."));
    }
    return text;
  }
  return a.strong == b.strong ? advice.text(all) : about_weak(race, all, advice);
}

/// Both are ordered like atomics, but at least one of them is only volatile.
Paragraph Races::about_volatile(const Race& race, const RaceToExplain& all, RaceAdvice& advice) {
  if (Paragraph signal = advice.about_signal(all); !signal.empty()) return signal;
  Paragraph text;
  if (advice.is_update(all)) {
    text.add(
        to_say("Nothing orders the two: each reads the place before it writes, which volatile does not make one step, so one of "
               "the two updates is lost."));
    text.add(advice.atomic_for(race.now.write ? race.now.site : race.before.site));
  } else {
    text.add(to_say("Nothing orders the two: volatile alone orders nothing."));
    text.add(to_say("Use an atomic."));
  }
  if (all.atomics_used)
    text.add(to_say("Where a lock guards it, call __threadfence() after taking the lock and before giving it back."));
  return text;
}

/// One of the two is an atomic, or volatile, and the other is not.
Paragraph Races::about_weak(const Race& race, const RaceToExplain& all, RaceAdvice& advice) {
  const Side &strong = race.now.strong ? race.now : race.before, &weak = race.now.strong ? race.before : race.now;
  if ((strong.write && !weak.write) || !strong.atomic) {
    if (Paragraph signal = advice.about_signal(all); !signal.empty()) return signal;
  }
  Paragraph text;
  if (weak.write && advice.stores_constant(weak.site) && strong.site.instruction().atomic == ptx::AtomicOp::cas) {
    text.add(to_say("Nothing orders the two. An atomic protects only against other atomics."));
    text.add(
        to_say("Where this store gives a lock back, call __threadfence() before it, and make it an atomic as well: atomicExch."));
  } else if (strong.atomic) {
    text.add(to_say("Nothing orders the two."));
    text.add(
        all.same_warp
            ? to_say(
                  "An atomic protects only against other atomics: make both accesses atomic, or put __syncwarp() between the two.")
        : all.same_block ? to_say("An atomic protects only against other atomics: make both accesses atomic, or put "
                                  "__syncthreads() between the two.")
                         : to_say("An atomic protects only against other atomics: make both accesses atomic, or split the kernel "
                                  "into two launches."));
  } else {
    text.add(to_say("Nothing orders the two: volatile alone orders nothing."));
    text.add(
        all.same_block
            ? advice.barrier_for(all)
            : Paragraph(to_say(
                  "Call __threadfence() before signalling and after seeing the signal, or split the kernel into two launches.")));
  }
  return text;
}

}  // namespace warpbook::gpu::watch
