#include "app/commands/exec_record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <set>
#include <span>

#include "app/commands/standard_streams.h"
#include "gpu/input_file.h"
#include "gpu/message.h"
#include "gpu/output_file.h"
#include "gpu/program/run_record.h"
#include "gpu/toolkit.h"

namespace warpbook::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t most_output = std::size_t{1} << 20;  // bytes that are kept
constexpr std::size_t most_sources = 64;

void put(OutputFile& file, const Json& json, std::string_view data = {}) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  file.write(gpu::piece_head(text, std::as_bytes(std::span(data))));
  file.write(text);
  file.write(data);
}

/// The records of the program's processes, by their number.
std::vector<fs::path> parts_in(const fs::path& folder) {
  std::vector<fs::path> parts;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".record") parts.push_back(entry.path());
  std::sort(parts.begin(), parts.end(),
            [](const fs::path& a, const fs::path& b) { return std::atol(a.stem().c_str()) < std::atol(b.stem().c_str()); });
  return parts;
}

/// Headers of the toolkit and of the system are no part of anybody's program.
bool is_systems(const std::string& file) {
  if (file.starts_with("/usr/") || file.find("/crt/") != std::string::npos) return true;
  const auto within = [&](const fs::path& root) { return !root.empty() && file.starts_with(root.string() + "/"); };
  const auto roots = gpu::toolkit_roots();
  return std::any_of(roots.begin(), roots.end(), within);
}

void close_both(std::array<int, 2>& pipe) {
  for (int& end : pipe) {
    if (end >= 0) close(end);
    end = -1;
  }
}

}  // namespace

OutputCopy::OutputCopy() {
  ready_ = pipe2(out_.data(), O_CLOEXEC) == 0 && pipe2(err_.data(), O_CLOEXEC) == 0 && pipe2(stop_.data(), O_CLOEXEC) == 0;
}

OutputCopy::~OutputCopy() {
  end();
  close_both(out_);
  close_both(err_);
  close_both(stop_);
}

void OutputCopy::in_child() const {
  dup2(out_[1], STDOUT_FILENO);
  dup2(err_[1], STDERR_FILENO);
}

void OutputCopy::begin() {
  close(out_[1]);
  close(err_[1]);
  out_[1] = err_[1] = -1;
  for (const int end : {out_[0], err_[0]}) fcntl(end, F_SETFL, O_NONBLOCK);
  thread_ = std::thread([this] { pass_on(); });
}

void OutputCopy::end() {
  if (!thread_.joinable()) return;
  close(stop_[1]);
  stop_[1] = -1;
  thread_.join();
}

void OutputCopy::pass_on() {
  std::array<char, 1 << 16> bytes{};
  std::array<pollfd, 3> ends{pollfd{out_[0], POLLIN, 0}, pollfd{err_[0], POLLIN, 0}, pollfd{stop_[0], POLLIN, 0}};
  bool stopping = false;
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    if (poll(ends.data(), ends.size(), stopping ? 0 : -1) < 0 && errno != EINTR) return;
    stopping = stopping || ends[2].revents != 0;
    bool any = false;
    for (int e = 0; e < 2; ++e) {
      pollfd& end = ends[static_cast<std::size_t>(e)];
      if (end.fd < 0 || end.revents == 0) continue;
      const ssize_t count = read(end.fd, bytes.data(), bytes.size());
      if (count > 0) {
        any = true;
        const std::string_view text(bytes.data(), static_cast<std::size_t>(count));
        e == 0 ? write_out(text) : write_err(text);
        if (e == 0) flush_out();
        if (text_.size() < most_output) text_.append(text.substr(0, most_output - text_.size()));
      } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
        end.fd = -1;
      }
    }
    if (stopping && !any) return;
  }
}

Result<void> write_record(const fs::path& file, const RecordedRun& run, const fs::path& folder) {
  auto out = OutputFile::open(file);
  if (!out) return failure(out.error());
  out->write(gpu::record_head());
  Json program{{"kind", "program"},      {"command", run.command}, {"words", run.words},
               {"profile", run.profile}, {"observe", run.observe}, {"schedule", run.schedule}};
  if (run.seed) program["seed"] = *run.seed;
  put(*out, program);
  std::set<std::string> named;
  for (const fs::path& part : parts_in(folder)) {
    const auto bytes = read_input(part);
    if (!bytes) continue;
    out->write(gpu::whole_pieces(*bytes));  // its end may be missing, as the program may have been killed
    for (const std::string& module : gpu::modules_in(*bytes))
      for (const std::string& source : gpu::files_of(module)) named.insert(source);
  }
  std::size_t sources = 0;
  for (const std::string& name : named) {
    if (is_systems(name)) continue;
    const std::string text = source_text(name, run.folders);
    if (text.empty()) continue;
    if (++sources > most_sources) {
      put(*out, {{"kind", "remark"},
                 {"sentence", say("The texts of the first {n} sources are kept; the program has more.", "n"_a = most_sources)}});
      break;
    }
    put(*out, {{"kind", "source"}, {"file", name}}, text);
  }
  if (run.output.size() >= most_output)
    put(*out,
        {{"kind", "remark"}, {"sentence", std::string(say("The first MiB of the program's output is kept; it printed more."))}});
  put(*out, {{"kind", "output"}}, run.output);
  put(*out, {{"kind", "end"}, {"ended", run.ended}}, run.report);
  return out->close();
}

}  // namespace warpbook::app
