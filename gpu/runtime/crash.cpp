#include "gpu/runtime/crash.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

namespace warpbook::cudart {
namespace {

gpu::ProgramJournal* told_to = nullptr;
std::array<std::byte, std::size_t{128} << 10> own_stack;  // a separate stack, because the program's may have overflowed

/// Builds text without allocating memory.
struct Text {
  std::array<char, 8192> bytes;
  std::size_t length = 0;
  template <class... Values>
  void add(const char* form, Values... values) {
    const int written = std::snprintf(bytes.data() + length, bytes.size() - length, form, values...);
    if (written > 0) length = std::min(bytes.size() - 1, length + static_cast<std::size_t>(written));
  }
};

void* instruction_of(const void* context) {
  const auto* const machine = &static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<void*>(machine->gregs[REG_RIP]);
#else
  return reinterpret_cast<void*>(machine->pc);
#endif
}

/// Adds a frame in the form of call_place() (calls.h). Frames of this library are left out.
void add_frame(Text& text, const void* address, bool& first) {
  Dl_info info{}, own{};
  dladdr(reinterpret_cast<const void*>(&add_frame), &own);
  if (!dladdr(address, &info) || !info.dli_fname || info.dli_fbase == own.dli_fbase) return;
  const auto* const header = static_cast<const ElfW(Ehdr)*>(info.dli_fbase);
  const auto at = reinterpret_cast<std::uint64_t>(address);
  std::array<char, PATH_MAX> self{};
  if (*info.dli_fname != '/' && readlink("/proc/self/exe", self.data(), self.size() - 1) > 0) info.dli_fname = self.data();
  if (std::strpbrk(info.dli_fname, "\"\\\n")) return;
  text.add("%s[\"%s\",%llu]", first ? "" : ",", info.dli_fname,
           static_cast<unsigned long long>(header->e_type == ET_EXEC ? at : at - reinterpret_cast<std::uint64_t>(info.dli_fbase)));
  first = false;
}

void tell(int signal, siginfo_t* about, void* context) {
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  sigaction(signal, &plain, nullptr);
  if (gpu::ProgramJournal* const journal = std::exchange(told_to, nullptr)) {
    std::array<void*, 24> frames{};
    const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
    void* const instruction = instruction_of(context);
    const auto end = frames.begin() + count;
    auto frame = std::find(frames.begin(), end, instruction);
    frame = frame == end ? frames.begin() : frame + 1;
    Text text;
    text.add("{\"kind\":\"crash\",\"signal\":%d,\"address\":%llu,\"at\":[", signal,
             static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(about->si_addr)));
    bool first = true;
    add_frame(text, instruction, first);
    // A return address may already belong to the next source line.
    for (; frame < end; ++frame) add_frame(text, static_cast<const std::byte*>(*frame) - 1, first);
    text.add("]}\n");
    journal->add_text({text.bytes.data(), text.length});
  }
  if (about->si_code <= 0) raise(signal);  // the signal was sent by a process: the instruction will not fault again
}

}  // namespace

void tell_crashes(gpu::ProgramJournal* journal) {
  told_to = journal;
  if (!journal) return;
  std::array<void*, 1> unused{};
  (void)backtrace(unused.data(), 1);  // the first call loads libraries, so make it now
  stack_t before{};
  if (sigaltstack(nullptr, &before) == 0 && (before.ss_flags & SS_DISABLE)) {
    stack_t stack{};
    stack.ss_sp = own_stack.data();
    stack.ss_size = own_stack.size();
    sigaltstack(&stack, nullptr);
  }
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;  // the program has its own handler
    struct sigaction ours {};
    ours.sa_sigaction = tell;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(signal, &ours, nullptr);
  }
}

}  // namespace warpbook::cudart
