#include "gpu/program/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>

namespace warpbook::gpu {
namespace {

constexpr std::array<char, 8> journal_mark{'W', 'B', 'J', 'R', 'N', 'L', '0', '1'};
constexpr std::size_t journal_step = std::size_t{1} << 20;
constexpr std::size_t journal_most = std::size_t{256} << 20;  // bytes; further lines are dropped

}  // namespace

struct ProgramJournal::Header {
  std::array<char, 8> mark;
  std::uint32_t process, kernels, running;  // running: a kernel's number + 1; 0: none
  std::uint32_t unused;
  std::uint64_t calls, line_bytes, made_ns;
  std::array<KernelCounters, most_kernels> counters;
};

std::unique_ptr<ProgramJournal> ProgramJournal::create(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / fmt::format("{}.journal", getpid());
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) return nullptr;
  const std::size_t bytes = (sizeof(Header) / journal_step + 1) * journal_step;
  void* at = MAP_FAILED;
  if (ftruncate(descriptor, static_cast<off_t>(bytes)) == 0)
    at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (at == MAP_FAILED) {
    close(descriptor);
    return nullptr;
  }
  auto* header = static_cast<Header*>(at);
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  header->made_ns = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
  header->process = static_cast<std::uint32_t>(getpid());
  header->mark = journal_mark;
  return std::unique_ptr<ProgramJournal>(new ProgramJournal(descriptor, header, bytes));
}

ProgramJournal::~ProgramJournal() {
  munmap(header_, bytes_);
  close(descriptor_);
}

std::uint32_t ProgramJournal::kernel(const std::string& name) {
  const std::uint32_t number = std::min(header_->kernels, most_kernels - 1);
  if (header_->kernels < most_kernels) {
    header_->kernels += 1;
    add({{"kind", "kernel"}, {"number", number}, {"name", number + 1 < most_kernels ? name : "further kernels"}});
  }
  return number;
}

KernelCounters& ProgramJournal::counters(std::uint32_t kernel) { return header_->counters[kernel]; }
void ProgramJournal::running(std::uint32_t kernel) { header_->running = kernel + 1; }
void ProgramJournal::idle() { header_->running = 0; }
void ProgramJournal::count_call() { header_->calls += 1; }

void ProgramJournal::add(const nlohmann::ordered_json& line) {
  add_text(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void ProgramJournal::add_text(std::string_view text) {
  const std::size_t end = sizeof(Header) + header_->line_bytes;
  if (end + text.size() > bytes_) {
    const std::size_t bytes = ((end + text.size()) / journal_step + 1) * journal_step;
    if (bytes > journal_most || ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) return;
    void* const at = mremap(header_, bytes_, bytes, MREMAP_MAYMOVE);
    if (at == MAP_FAILED) return;
    header_ = static_cast<Header*>(at);
    bytes_ = bytes;
  }
  std::memcpy(reinterpret_cast<char*>(header_) + end, text.data(), text.size());
  header_->line_bytes += text.size();
}

namespace {

/// Reads the journal's lines, up to the first incomplete one.
void read_lines(std::string_view text, ProgramRun& run) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return;
    auto line = nlohmann::ordered_json::parse(text.substr(0, end), nullptr, false);
    text.remove_prefix(end + 1);
    if (!line.is_object()) return;
    if (line.value("kind", "") == "kernel") {
      const auto number = line.value("number", std::size_t{0});
      if (number < run.kernels.size()) run.kernels[number].name = line.value("name", "");
    } else {
      run.lines.push_back(std::move(line));
    }
  }
}

}  // namespace

std::vector<ProgramRun> read_journals(const std::filesystem::path& folder) {
  std::vector<std::pair<std::uint64_t, ProgramRun>> runs;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().extension() != ".journal") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    using Header = ProgramJournal::Header;
    if (bytes.size() < sizeof(Header)) continue;
    const auto header = std::make_unique<Header>();
    std::memcpy(static_cast<void*>(header.get()), bytes.data(), sizeof(Header));
    if (header->mark != journal_mark || header->kernels > ProgramJournal::most_kernels) continue;
    ProgramRun run;
    run.process = header->process;
    run.calls = header->calls;
    run.kernels.resize(header->kernels);
    for (std::size_t k = 0; k < run.kernels.size(); ++k) run.kernels[k].counters = header->counters[k];
    read_lines(
        std::string_view(bytes).substr(sizeof(Header), std::min<std::size_t>(header->line_bytes, bytes.size() - sizeof(Header))),
        run);
    if (header->running > 0 && header->running <= run.kernels.size()) run.running = run.kernels[header->running - 1].name;
    runs.emplace_back(header->made_ns, std::move(run));
  }
  std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<ProgramRun> in_order;
  for (auto& [made, run] : runs) in_order.push_back(std::move(run));
  return in_order;
}

}  // namespace warpbook::gpu
