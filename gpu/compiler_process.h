// CompilerProcess: the compiler's child, seen from outside. It is started, asked over its socket, and killed.
//
//     CompilerProcess child(Tool::nvrtc);
//     if (const std::string why = child.start(hello); !why.empty()) say(why);
//     if (send(child.socket(), request)) trouble = receive(child.socket(), answer, deadline);      // compiler_protocol.h
//
// It owns the process: what is left of it ends with this object. Not thread-safe.
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
  /// Kills it and returns its exit code, or −1 where a signal ended it.
  int end();
  /// For a child that has closed its socket, and so is ending by itself; it gets half a second for that.
  int reap();
  [[nodiscard]] int socket() const { return socket_; }
  /// What it finds its compiler by: variables of the environment, and how it would be confined.
  [[nodiscard]] std::vector<std::string> surroundings() const;
  /// Bytes of physical memory it holds now.
  [[nodiscard]] std::uint64_t resident() const;

 private:
  std::optional<int> wait_for(int flags);
  bool spawn(int socket);

  Tool tool_;
  std::string scratch_;  // a program's, to be removed where the child could not
  pid_t pid_ = -1;
  int socket_ = -1;
};

}  // namespace warpbook::gpu
