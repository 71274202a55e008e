// memory: accesses that the vm refused: past the end or before the start, misaligned, of the wrong space, stores to constants.
#pragma once

#include <unordered_map>

#include "gpu/virtual/watch/detector.h"

namespace warpbook::gpu::watch {

class Bounds : public Detector {
 public:
  static constexpr std::uint64_t null_page = 1 << 26;  // a null pointer and an index into an array of usual size

  using Detector::Detector;
  void on_access(const vm::Access& access) override {
    if (access.bad) refuse(access);
  }
  void finish() override;

 private:
  /// The elements that a finding's accesses missed; it shows the one nearest to the buffer, whichever thread came first.
  struct Missed {
    std::uint64_t nearest = ~std::uint64_t{0};  // bytes
    std::int64_t lowest = 0, highest = 0;
  };

  void refuse(const vm::Access& access);
  void refuse_heap(const vm::Access& access, unsigned lane);
  Finding describe(const vm::Access& access, unsigned lane, const Region* region) const;
  [[nodiscard]] static Paragraph about_form(const vm::Access& access, unsigned lane, const Element& element, const Place& at);
  [[nodiscard]] static Paragraph about_constant(const vm::Access& access, const Element& element, const Place& at);
  [[nodiscard]] static Paragraph about_alignment(const vm::Access& access, unsigned lane, const Element& element, const Place& at);
  [[nodiscard]] Paragraph about_shared(const vm::Access& access, unsigned lane, const Region* region, const Place& at) const;
  [[nodiscard]] Paragraph about_stray(const vm::Access& access, unsigned lane, const Place& at) const;
  [[nodiscard]] static Paragraph beside(const vm::Access& access, std::uint64_t address, const Region& region,
                                        const Element& element, const Place& at);
  [[nodiscard]] Paragraph about_global(const vm::Access& access, unsigned lane, const Region* region, const Place& at) const;
  Finding describe_heap(const vm::Access& access, unsigned lane, const Element& element) const;
  void describe_local(const vm::Access& access, unsigned lane, Finding& finding) const;
  template <class Describe>
  void note_missed(Finding* finding, const Missed& here, Describe describe_it);

  std::unordered_map<const Finding*, Missed> missed_;
};

}  // namespace warpbook::gpu::watch
