#include "app/shell/page_watch.h"

#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "lessons/catalog.h"

namespace warpbook::app {
namespace {
constexpr double between_looks = 0.8;  // seconds
}

bool PageWatch::changed(const std::filesystem::path& file) {
  std::error_code none;
  const auto time = std::filesystem::last_write_time(file, none);
  if (none) return false;  // an editor is just replacing it
  const auto [it, first] = seen_.try_emplace(file, time);
  if (first || it->second == time) return false;
  it->second = time;
  return true;
}

void PageWatch::poll(Session& session, double now) {
  if (now < next_look_) return;
  next_look_ = now + between_looks;
  const auto page = lessons::page_file(*session.open), glossary = lessons::glossary_file();
  editable_ = access(page.c_str(), W_OK) == 0;
  if (!editable_) return;
  const auto images_changed = [&] {
    bool any = false;
    for (const auto& [image, pixels] : session.lesson().images) any |= changed(page.parent_path() / image);
    return any;
  };
  const bool words = changed(glossary), text = changed(page), images = images_changed();
  if (words) read_glossary(session);
  if (words || text || images) {
    read_page(session);
    (void)images_changed();  // new ones are known from here on
  }
}

std::optional<double> PageWatch::wait(double now) const {
  if (!editable_) return std::nullopt;
  return std::max(next_look_ - now, 0.0);
}

}  // namespace warpbook::app
