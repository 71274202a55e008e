#include <fmt/format.h>

#include <CLI/App.hpp>
#include <memory>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/exit_code.h"
#include "app/commands/report_text.h"
#include "app/commands/standard_streams.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/message.h"
#include "gpu/virtual/profiles.h"

namespace warpbook::app {
namespace {

using Json = nlohmann::ordered_json;

struct Shown {
  std::string id, name, profile;
  bool is_model = false;
  std::vector<gpu::Attribute> attributes;
  std::string note;
  std::string choice = "virtual";  // for --device
};

std::vector<Shown> all_devices(const gpu::CudaSetup& cuda) {
  std::vector<Shown> devices;
  for (const gpu::Profile& profile : gpu::profiles()) {
    gpu::DeviceInfo info = gpu::device_info(profile);
    devices.push_back(
        {info.id, info.name, std::string(profile.name), info.is_model, std::move(info.attributes), std::string(profile.note)});
  }
  for (const gpu::CudaGpu& gpu : cuda.gpus) {
    devices.push_back({gpu.info.id, gpu.info.name, {}, gpu.info.is_model, gpu.info.attributes, gpu.problem});
    devices.back().choice = gpu.ordinal == 0 ? "cuda" : fmt::format("cuda:{}", gpu.ordinal);
  }
  return devices;
}

void print_devices_json(const std::vector<Shown>& devices, const gpu::CudaSetup& cuda) {
  Json list = Json::array();
  for (const Shown& device : devices) {
    Json attributes = Json::array();
    for (const gpu::Attribute& a : device.attributes) {
      attributes.push_back({{"name", a.name}, {"value", a.value}, {"unit", a.unit}, {"meaning", a.meaning}});
    }
    list.push_back({{"id", device.id},
                    {"name", device.name},
                    {"profile", device.profile.empty() ? Json() : Json(device.profile)},
                    {"is_model", device.is_model},
                    {"attributes", std::move(attributes)}});
  }
  Json json{{"devices", std::move(list)}, {"missing", Json::array()}};
  if (!cuda.missing.empty()) json["missing"].push_back({{"id", "cuda"}, {"reason", cuda.missing}});
  print_out("{}\n", dump(json, 2));
}

void print_devices_text(const std::vector<Shown>& devices, const gpu::CudaSetup& cuda) {
  for (const Shown& device : devices) {
    print_out("{}\n", device.name);
    if (device.profile.empty()) {
      print_out("  --device {}\n", device.choice);
    } else {
      print_out("  --device virtual --profile '{}'\n", device.profile);
    }
    if (!device.note.empty()) print_out("  {}\n", device.note);
    for (const gpu::Attribute& a : device.attributes) {
      print_out("  {:<28} {:>14} {:<9}  {}\n", a.name, a.value, a.unit, a.meaning);
    }
    print_out("\n");
  }
  print_out("On a virtual GPU limits are exact; times and cycles come from a model with its profile's figures.\n");
  if (!cuda.missing.empty()) print_out("NVIDIA GPU: {}\n", cuda.missing);
}

}  // namespace

void add_devices(CLI::App& program, int& exit_code) {
  auto* const command = program.add_subcommand("devices", say("every attribute of every device, the virtual GPU's profiles first"));
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, say("one JSON object instead of text"));
  command->callback([json, &exit_code] {
    const gpu::CudaSetup cuda = gpu::find_cuda_devices();
    const std::vector<Shown> devices = all_devices(cuda);
    if (*json) {
      print_devices_json(devices, cuda);
    } else {
      print_devices_text(devices, cuda);
    }
    exit_code = exit_clean;
  });
}

}  // namespace warpbook::app
