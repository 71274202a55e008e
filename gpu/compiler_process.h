// CompilerProcess: the parent's view of a compiler's child process. Starts it, holds its socket, and kills it.
//
//     CompilerProcess child(Tool::nvrtc);
//     if (const std::string why = child.start(hello); !why.empty()) say(why);
//     if (send(child.socket(), request)) trouble = receive(child.socket(), answer, deadline);      // compiler_protocol.h
//
// It owns the process and its scratch folder: both are gone when this object is destroyed. Not thread-safe.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/compiler_protocol.h"

namespace warpbook::gpu {

class CompilerProcess {
 public:
  explicit CompilerProcess(Tool tool) : tool_(tool) {}
  ~CompilerProcess() { stop(); }
  CompilerProcess(const CompilerProcess&) = delete;
  CompilerProcess& operator=(const CompilerProcess&) = delete;

  [[nodiscard]] bool alive() const;
  /// Returns an empty string, or why it could not be started.
  [[nodiscard]] std::string start(ChildHello& hello);
  void stop();
  /// Kills it. Returns its exit code, or −1 if a signal ended it.
  int end();
  /// Waits up to half a second for a child that has closed its socket and is about to exit.
  int reap();
  [[nodiscard]] int socket() const { return socket_; }
  /// The settings by which the child finds its compiler: environment variables and the kind of confinement.
  [[nodiscard]] std::vector<std::string> surroundings() const;
  /// Resident memory in bytes.
  [[nodiscard]] std::uint64_t resident() const;

 private:
  std::optional<int> wait_for(int flags);
  bool spawn(int socket);

  Tool tool_;
  std::string scratch_;  // the scratch folder of a compiler program; removed here if the child could not do it
  pid_t pid_ = -1;
  int socket_ = -1;
};

}  // namespace warpbook::gpu
