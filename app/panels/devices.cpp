#include "app/panels/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gpu/message.h"

namespace warpbook::app {
namespace {

constexpr float caption_height = 28;

std::string label_of(const NvidiaGpus& gpus, std::size_t number) {
  const std::string& name = gpus.found[number].name;
  const bool alone = std::count_if(gpus.found.begin(), gpus.found.end(), [&](const auto& gpu) { return gpu.name == name; }) == 1;
  return alone ? name : fmt::format("{} ({})", name, number);
}

void caption(std::string_view words, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  text(ImGui::GetWindowDrawList(), Face::caption, {at.x + px(10), at.y + px(caption_height) - line_height(Face::caption) - px(4)},
       theme().text.third, words);
  ImGui::Dummy({width, px(caption_height)});
}

/// The whole list; what was chosen.
std::optional<DeviceKey> list(const Session& session) {
  std::optional<DeviceKey> chosen;
  float width = px(220);
  for (std::size_t i = 0; i < session.gpus.found.size(); ++i)
    width = std::max(width, text_width(Face::label_strong, label_of(session.gpus, i)) + px(44));
  caption(say("Virtual GPU"), width);
  for (const std::string& profile : session.profiles) {
    const DeviceKey key{.profile = profile, .gpu = {}};
    if (list_row("profile/" + profile, say("{profile} profile", "profile"_a = profile), key == session.chosen, width)) chosen = key;
  }
  caption(say("NVIDIA GPU"), width);
  for (std::size_t i = 0; i < session.gpus.found.size(); ++i) {
    const DeviceKey key{.profile = session.chosen.profile, .gpu = static_cast<int>(i)};
    if (list_row(fmt::format("gpu/{}", i), label_of(session.gpus, i), key == session.chosen, width, session.gpus.found[i].problem))
      chosen = key;
  }
  if (session.gpus.found.empty()) (void)list_row("gpu/none", session.gpus.none, false, width, session.gpus.why);
  return chosen;
}

}  // namespace

void draw_devices(Session& session, Actions& actions, const Rect& area) {
  const NvidiaGpus& gpus = session.gpus;
  const bool on_gpu = session.chosen.gpu.has_value();
  std::vector<Segment> items;
  items.push_back({.name = "device/virtual",
                   .label = session.chosen.profile.empty()
                                ? std::string(say("Virtual GPU"))
                                : say("Virtual GPU · {profile} profile", "profile"_a = session.chosen.profile),
                   .chevron = !on_gpu || gpus.found.empty()});
  if (!gpus.found.empty()) {
    const auto number = on_gpu ? static_cast<std::size_t>(*session.chosen.gpu) : 0;
    const std::size_t shown = std::min(number, gpus.found.size() - 1);
    const std::string& problem = gpus.found[shown].problem;
    items.push_back({.name = "device/cuda",
                     .label = label_of(gpus, shown),
                     .enabled = problem.empty() || gpus.found.size() > 1,
                     .chevron = on_gpu,
                     .hint = problem});
  } else if (!gpus.none.empty()) {
    items.push_back({.name = "device/cuda", .label = gpus.none, .enabled = false, .hint = gpus.why});
  }
  const Rect box = rect(area.a.x, area.centre().y - px(16), area.width(), px(32));
  std::optional<DeviceKey> chosen;
  // The device that runs opens the list; the other one is a click away.
  if (const auto clicked = segments(box, items, on_gpu ? 1 : 0, Face::label)) {
    if (on_gpu == (*clicked == 1)) {
      ImGui::OpenPopup("devices");
    } else if (on_gpu) {
      chosen = DeviceKey{.profile = session.chosen.profile, .gpu = {}};
    } else if (gpus.found.size() == 1) {
      chosen = DeviceKey{.profile = session.chosen.profile, .gpu = 0};
    } else {
      ImGui::OpenPopup("devices");
    }
  }
  ImGui::SetNextWindowPos({box.a.x, box.b.y + px(4)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(4), px(4)});
  if (ImGui::BeginPopup("devices", ImGuiWindowFlags_NoMove)) {
    if (const auto of_list = list(session)) {
      ImGui::CloseCurrentPopup();
      chosen = of_list;
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
  if (chosen && *chosen != session.chosen) actions.choose_device(*chosen);
}

}  // namespace warpbook::app
