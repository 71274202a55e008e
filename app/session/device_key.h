// DeviceKey: which device is to run, as the window, its worker and the command line name it.
//
//     runner.choose_device({.profile = "T4", .gpu = 0});      // the first NVIDIA GPU; should it fail, the T4 profile takes over
//     runner.choose_device({.profile = "T4", .gpu = {}});     // the virtual GPU
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warpbook::app {

struct DeviceKey {
  std::string profile;  // of the virtual GPU: what runs, or what takes over and looks inside where a GPU runs; empty: its default
  std::optional<int> gpu;  // number of the NVIDIA GPU that runs; empty: the virtual GPU
  friend bool operator==(const DeviceKey&, const DeviceKey&) = default;
};

/// The NVIDIA GPUs of this machine, or why there is none.
struct NvidiaGpus {
  struct Gpu {
    std::string name;     // "NVIDIA H200"
    std::string problem;  // why no kernel can run on it, as a sentence; empty: it can be chosen
  };
  std::vector<Gpu> found;  // by number
  std::string none;        // what stands in their place: "NVIDIA, no driver found"
  std::string why;         // … and why, as a sentence
};

}  // namespace warpbook::app
