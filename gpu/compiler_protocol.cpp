#include "gpu/compiler_protocol.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace warpbook::gpu {
namespace {

constexpr std::uint64_t largest_message = std::uint64_t{1} << 28;

}  // namespace

int nearest_architecture(const std::vector<int>& known, int wanted) {
  int nearest = known.front();
  for (const int architecture : known)
    if (architecture <= wanted) nearest = architecture;
  return nearest;
}

std::string_view name_of(Tool tool) {
  switch (tool) {
    case Tool::nvrtc:
      return "NVRTC";
    case Tool::nvcc:
      return "nvcc";
    case Tool::clang:
      return "clang";
  }
  return "";
}

std::string_view Reader::take(std::uint64_t count) {
  if (!ok_ || count > bytes_.size()) {
    ok_ = false;
    return {};
  }
  const std::string_view part = bytes_.substr(0, count);
  bytes_.remove_prefix(count);
  return part;
}

void Reader::get(std::string& text) {
  std::uint64_t size = 0;
  get(size);
  text = take(size);
}

void Reader::get(std::vector<std::string>& texts) {
  std::uint64_t count = 0;
  get(count);
  texts.clear();
  for (std::uint64_t i = 0; i < count && ok_; ++i) get(texts.emplace_back());
}

bool send_bytes(int socket, std::string_view bytes) {
  const std::uint64_t size = bytes.size();
  std::string message(reinterpret_cast<const char*>(&size), sizeof size);
  message += bytes;
  for (std::size_t sent = 0; sent < message.size();) {
    const ssize_t n = ::send(socket, message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

std::optional<ReceiveProblem> receive_bytes(int socket, std::string& bytes, Deadline deadline, const std::function<bool()>& watch) {
  const auto read_exactly = [&](char* to, std::size_t count) -> std::optional<ReceiveProblem> {
    while (count > 0) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
      if (left <= 0) return ReceiveProblem::late;
      pollfd waiting{socket, POLLIN, 0};
      const int ready = poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(left, watch ? 20 : 1'000'000)));
      if (ready == 0 && watch && !watch()) return ReceiveProblem::refused;
      if (ready <= 0) continue;  // nothing to read yet, or a signal
      const ssize_t n = recv(socket, to, count, MSG_DONTWAIT);
      if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (n <= 0) return ReceiveProblem::closed;
      to += n;
      count -= static_cast<std::size_t>(n);
    }
    return std::nullopt;
  };
  std::uint64_t size = 0;
  if (const auto problem = read_exactly(reinterpret_cast<char*>(&size), sizeof size)) return problem;
  if (size > largest_message) return ReceiveProblem::garbled;
  bytes.resize(size);
  return read_exactly(bytes.data(), bytes.size());
}

}  // namespace warpbook::gpu
