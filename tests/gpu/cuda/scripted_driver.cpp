#include "tests/gpu/cuda/scripted_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

namespace warpbook::gpu::testing {
namespace {

using Launch = ScriptedDriver::Launch;

struct Resource {
  unsigned gl_buffer = 0;
  bool mapped = false;
};

struct ContextState {
  CUresult broken = CUDA_SUCCESS;
  std::string out, err;                     // printed by kernels, and not yet by the host
  std::map<void*, double> streams, events;  // the model's time of each, in ms: when it is free, when it was reached
  std::map<void*, int> numbers;             // of streams and events, in the order in which they were made
  std::map<void*, std::string> modules;                                       // their PTX
  std::map<void*, std::pair<void*, std::string>> functions;                   // module, entry
  std::map<std::pair<void*, std::string>, std::vector<std::byte>> variables;  // by module and symbol
  std::map<std::uintptr_t, std::vector<std::byte>> memory, host;              // by address
  std::map<void*, Resource> resources;
  std::optional<Launch> running;  // the last launch, or one before it that does not end or fails
};

/// "stream 2"; the default one is 0.
std::string name_of_stream(const ContextState& context, CUstream stream) {
  return fmt::format("stream {}", stream == CU_STREAM_LEGACY ? 0 : context.numbers.at(stream));
}
bool is_stream(const ContextState& context, CUstream stream) {
  return stream == CU_STREAM_LEGACY || context.streams.contains(stream);
}
/// What is given to a stream now ends then. The default one waits for all, and all wait for it.
double work(ContextState& context, CUstream stream, double ms) {
  if (stream != CU_STREAM_LEGACY) return context.streams[stream] += ms;
  double end = 0;
  for (const auto& [handle, free] : context.streams) end = std::max(end, free);
  end += ms;
  for (auto& [handle, free] : context.streams) free = end;
  return end;
}

}  // namespace

struct ScriptedDriver::State {
  ScriptedDriver* script = nullptr;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> calls, enqueued;
  std::vector<Failure> failures;
  std::string failed_call;
  std::string misuse;
  std::map<void*, ContextState> contexts;
  std::uintptr_t next_handle = 0x1000;
  CUresult dead = CUDA_SUCCESS;  // the process is refused

  void wrong(std::string what) { misuse += what + "\n"; }
  /// A kernel of any context.
  [[nodiscard]] bool endless() const {
    return std::any_of(contexts.begin(), contexts.end(),
                       [](const auto& context) { return context.second.running && context.second.running->endless; });
  }
  void* handle() { return reinterpret_cast<void*>(next_handle += 0x10); }
};

namespace {

ScriptedDriver::State* the_state = nullptr;
thread_local void* current = nullptr;

/// One call: records it, and answers whether a script has it fail.
class Call {
 public:
  enum class Needs { nothing, context };
  explicit Call(const char* name, Needs needs = Needs::context) : lock_(the_state->mutex), state_(*the_state) {
    state_.calls.emplace_back(name);
    if (needs == Needs::context) {
      const auto found = state_.contexts.find(current);
      if (found == state_.contexts.end()) {
        state_.wrong(fmt::format("{} without a current context", name));
        answer_ = CUDA_ERROR_INVALID_CONTEXT;
        return;
      }
      context_ = &found->second;
      answer_ = context_->broken;
    }
    for (auto failure = state_.failures.begin(); failure != state_.failures.end(); ++failure) {
      const bool now = failure->name.empty() ? failure->call-- == 0 : failure->name == name;
      if (!now) continue;
      state_.failed_call = name;
      answer_ = failure->with;
      if (context_ != nullptr && (is_sticky(answer_) || failure->stays)) broken(answer_);
      if (!failure->always) state_.failures.erase(failure);
      break;
    }
  }

  [[nodiscard]] bool fails() const { return answer_ != CUDA_SUCCESS; }
  [[nodiscard]] CUresult answer() const { return answer_; }
  CUresult misused(const std::string& what) {
    state_.wrong(what);
    return CUDA_ERROR_INVALID_VALUE;
  }
  ScriptedDriver::State& state() { return state_; }
  ScriptedDriver& script() { return *state_.script; }
  ContextState& context() { return *context_; }
  void broken(CUresult result) {
    context_->broken = result;
    if (script().faults_stay) state_.dead = result;
  }
  /// Would wait for a kernel that does not end.
  bool never_returns(const char* name) {
    if (!state_.endless()) return false;
    state_.wrong(fmt::format("{} might wait for a kernel that does not end", name));
    return true;
  }

  /// Is [address, address + bytes) inside one allocation of this context, or inside a mapped OpenGL buffer?
  bool reaches(CUdeviceptr address, std::size_t bytes) {
    const auto inside = [&](std::uintptr_t base, std::size_t size) { return address >= base && address + bytes <= base + size; };
    for (const auto& [base, memory] : context_->memory)
      if (inside(base, memory.size())) return true;
    for (const auto& [symbol, memory] : context_->variables)
      if (inside(reinterpret_cast<std::uintptr_t>(memory.data()), memory.size())) return true;
    for (const auto& [base, memory] : context_->host)
      if (inside(base, memory.size())) return true;
    for (const auto& [handle, resource] : context_->resources) {
      auto& memory = script().gl_buffers.at(resource.gl_buffer);
      if (resource.mapped && inside(reinterpret_cast<std::uintptr_t>(memory.data()), memory.size())) return true;
    }
    return false;
  }

 private:
  std::unique_lock<std::mutex> lock_;
  ScriptedDriver::State& state_;
  ContextState* context_ = nullptr;
  CUresult answer_ = CUDA_SUCCESS;
};
constexpr auto nothing = Call::Needs::nothing;

#define ANSWER_IF_FAILING(call) \
  if ((call).fails()) return (call).answer()

// ---- the driver and its devices ------------------------------------------------------------------------------------

CUresult init(unsigned) {
  Call call("init", nothing);
  return call.answer();
}
CUresult driver_version(int* version) {
  Call call("driverGetVersion", nothing);
  ANSWER_IF_FAILING(call);
  *version = call.script().version;
  return CUDA_SUCCESS;
}
// Asked while an error is being described: neither counted nor failed.
CUresult error_name(CUresult, const char** name) {
  *name = "scripted";
  return CUDA_SUCCESS;
}
CUresult error_string(CUresult, const char** text) {
  *text = "scripted words";
  return CUDA_SUCCESS;
}
CUresult device_count(int* count) {
  Call call("deviceGetCount", nothing);
  ANSWER_IF_FAILING(call);
  *count = call.script().devices;
  return CUDA_SUCCESS;
}
CUresult device_get(CUdevice* device, int ordinal) {
  Call call("deviceGet", nothing);
  ANSWER_IF_FAILING(call);
  if (call.script().bad_devices.contains(ordinal)) return CUDA_ERROR_UNKNOWN;
  if (ordinal < 0 || ordinal >= call.script().devices) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}
CUresult device_name(char* name, int size, CUdevice) {
  Call call("deviceGetName", nothing);
  ANSWER_IF_FAILING(call);
  std::snprintf(name, static_cast<std::size_t>(size), "%s", call.script().name.c_str());
  return CUDA_SUCCESS;
}
CUresult device_memory(std::size_t* bytes, CUdevice) {
  Call call("deviceTotalMem", nothing);
  ANSWER_IF_FAILING(call);
  *bytes = call.script().memory_bytes;
  return CUDA_SUCCESS;
}
CUresult device_attribute(int* value, CUdevice_attribute attribute, CUdevice) {
  Call call("deviceGetAttribute", nothing);
  ANSWER_IF_FAILING(call);
  if (const auto odd = call.script().odd_attributes.find(static_cast<int>(attribute)); odd != call.script().odd_attributes.end())
    return odd->second;
  const auto found = call.script().attributes.find(static_cast<int>(attribute));
  if (found == call.script().attributes.end()) return CUDA_ERROR_INVALID_VALUE;
  *value = found->second;
  return CUDA_SUCCESS;
}

// ---- contexts ------------------------------------------------------------------------------------------------------

CUresult ctx_create(CUcontext* context, unsigned, CUdevice) {
  Call call("ctxCreate", nothing);
  ANSWER_IF_FAILING(call);
  if (call.state().dead != CUDA_SUCCESS) return call.state().dead;
  current = call.state().handle();
  call.state().contexts[current];
  *context = static_cast<CUcontext>(current);
  return CUDA_SUCCESS;
}
void print(ContextState& context) {
  std::fputs(std::exchange(context.out, {}).c_str(), stdout);
  std::fputs(std::exchange(context.err, {}).c_str(), stderr);
}
/// Even where it answers an error the context is gone, as CUDA does it with a broken one.
CUresult ctx_destroy(CUcontext context) {
  Call call("ctxDestroy", nothing);
  auto& contexts = call.state().contexts;
  const auto found = contexts.find(context);
  if (found == contexts.end()) return call.misused("ctxDestroy of a context that is none, or gone");
  (void)call.never_returns("ctxDestroy");
  print(found->second);
  contexts.erase(found);
  if (current == context) current = nullptr;
  call.state().changed.notify_all();
  return call.answer();
}
CUresult ctx_set_current(CUcontext context) {
  Call call("ctxSetCurrent", nothing);
  ANSWER_IF_FAILING(call);
  if (context != nullptr && !call.state().contexts.contains(context))
    return call.misused("ctxSetCurrent of a context that is gone");
  current = context;
  return CUDA_SUCCESS;
}
CUresult ctx_synchronize() {
  Call call("ctxSynchronize");
  if (call.state().contexts.contains(current)) {
    if (const auto& running = call.context().running; running && running->endless)
      return call.misused("ctxSynchronize would never return");
    print(call.context());
  }
  return call.answer();
}

// ---- memory --------------------------------------------------------------------------------------------------------

CUresult mem_alloc(CUdeviceptr* address, std::size_t bytes) {
  Call call("memAlloc");
  ANSWER_IF_FAILING(call);
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  std::size_t used = 0;
  for (const auto& [base, memory] : call.context().memory) used += memory.size();
  if (used + bytes > call.script().memory_bytes) return CUDA_ERROR_OUT_OF_MEMORY;
  std::vector<std::byte> memory(bytes, std::byte{0xcd});
  *address = reinterpret_cast<std::uintptr_t>(memory.data());
  call.context().memory[*address] = std::move(memory);
  return CUDA_SUCCESS;
}
CUresult mem_free(CUdeviceptr address) {
  Call call("memFree");
  ANSWER_IF_FAILING(call);
  return call.context().memory.erase(address) == 1 ? CUDA_SUCCESS : call.misused("memFree of memory that is not there");
}
CUresult mem_info(std::size_t* free, std::size_t* total) {
  Call call("memGetInfo");
  ANSWER_IF_FAILING(call);
  *total = *free = call.script().memory_bytes;
  for (const auto& [base, memory] : call.context().memory) *free -= memory.size();
  return CUDA_SUCCESS;
}
CUresult host_alloc(void** host, std::size_t bytes, unsigned) {
  Call call("memHostAlloc");
  ANSWER_IF_FAILING(call);
  if (call.never_returns("memHostAlloc")) return CUDA_ERROR_UNKNOWN;
  std::vector<std::byte> memory(bytes, std::byte{0xcd});
  *host = memory.data();
  call.context().host[reinterpret_cast<std::uintptr_t>(*host)] = std::move(memory);
  return CUDA_SUCCESS;
}
CUresult host_free(void* host) {
  Call call("memFreeHost");
  ANSWER_IF_FAILING(call);
  if (call.never_returns("memFreeHost")) return CUDA_ERROR_UNKNOWN;
  return call.context().host.erase(reinterpret_cast<std::uintptr_t>(host)) == 1
             ? CUDA_SUCCESS
             : call.misused("memFreeHost of memory that is not there");
}
CUresult host_pointer(CUdeviceptr* address, void* host, unsigned) {
  Call call("memHostGetDevicePointer");
  ANSWER_IF_FAILING(call);
  *address = reinterpret_cast<std::uintptr_t>(host);
  return call.reaches(*address, 1) ? CUDA_SUCCESS : call.misused("memHostGetDevicePointer of memory that is not there");
}
CUresult move(const char* name, CUdeviceptr device, std::size_t bytes, CUdeviceptr other, void* to, const void* from) {
  Call call(name);
  ANSWER_IF_FAILING(call);
  if (!call.reaches(device, bytes) || (other != 0 && !call.reaches(other, bytes)))
    return call.misused(fmt::format("{} outside of the context's memory", name));
  std::memcpy(to, from, bytes);
  return CUDA_SUCCESS;
}
CUresult host_to_device(CUdeviceptr to, const void* from, std::size_t bytes) {
  return move("memcpyHtoD", to, bytes, 0, reinterpret_cast<void*>(to), from);
}
CUresult device_to_host(void* to, CUdeviceptr from, std::size_t bytes) {
  return move("memcpyDtoH", from, bytes, 0, to, reinterpret_cast<void*>(from));
}
CUresult device_to_device(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return move("memcpyDtoD", to, bytes, from, reinterpret_cast<void*>(to), reinterpret_cast<void*>(from));
}
/// At once; `host` must be page-locked, for from other memory the real call waits.
CUresult move_in_stream(const char* name, CUdeviceptr device, void* host, std::size_t bytes, CUstream stream, bool to_device) {
  Call call(name);
  ANSWER_IF_FAILING(call);
  ContextState& context = call.context();
  if (!is_stream(context, stream)) return call.misused(fmt::format("{} into a stream that is gone", name));
  const bool locked = std::any_of(context.host.begin(), context.host.end(), [&](const auto& memory) {
    const auto at = reinterpret_cast<std::uintptr_t>(host);
    return at >= memory.first && at + bytes <= memory.first + memory.second.size();
  });
  if (!locked) return call.misused(fmt::format("{} of memory that is not page-locked", name));
  if (!call.reaches(device, bytes)) return call.misused(fmt::format("{} outside of the context's memory", name));
  if (to_device) {
    std::memcpy(reinterpret_cast<void*>(device), host, bytes);
  } else {
    std::memcpy(host, reinterpret_cast<void*>(device), bytes);
  }
  (void)work(context, stream, call.script().copy_ms);
  call.state().enqueued.push_back(fmt::format("copy {}, {}", to_device ? "in" : "out", name_of_stream(context, stream)));
  return CUDA_SUCCESS;
}
CUresult host_to_device_async(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  return move_in_stream("memcpyHtoDAsync", to, const_cast<void*>(from), bytes, stream, true);
}
CUresult device_to_host_async(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return move_in_stream("memcpyDtoHAsync", from, to, bytes, stream, false);
}
template <class T>
CUresult set(const char* name, CUdeviceptr to, T value, std::size_t count) {
  Call call(name);
  ANSWER_IF_FAILING(call);
  if (!call.reaches(to, count * sizeof value)) return call.misused(fmt::format("{} outside of memory", name));
  for (std::size_t i = 0; i < count; ++i) std::memcpy(reinterpret_cast<T*>(to) + i, &value, sizeof value);
  return CUDA_SUCCESS;
}
CUresult set8(CUdeviceptr to, unsigned char value, std::size_t count) { return set("memsetD8", to, value, count); }
CUresult set16(CUdeviceptr to, unsigned short value, std::size_t count) { return set("memsetD16", to, value, count); }
CUresult set32(CUdeviceptr to, unsigned value, std::size_t count) { return set("memsetD32", to, value, count); }

// ---- programs ------------------------------------------------------------------------------------------------------

CUresult module_load(CUmodule* module, const void* image, unsigned, CUjit_option*, void**) {
  Call call("moduleLoadDataEx");
  ANSWER_IF_FAILING(call);
  // As driver 580 has it: "Unexpected non-ASCII character".
  const std::string_view ptx = static_cast<const char*>(image);
  if (!call.script().takes_ptx && !ptx.starts_with("\x7f"
                                                   "ELF"))
    return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  if (std::any_of(ptx.begin(), ptx.end(), [](char c) { return static_cast<unsigned char>(c) > 127; }))
    return CUDA_ERROR_INVALID_PTX;
  void* const handle = call.state().handle();
  call.context().modules[handle] = static_cast<const char*>(image);
  *module = static_cast<CUmodule>(handle);
  return CUDA_SUCCESS;
}
CUresult module_unload(CUmodule module) {
  Call call("moduleUnload");
  ANSWER_IF_FAILING(call);
  return call.context().modules.erase(module) == 1 ? CUDA_SUCCESS : call.misused("moduleUnload of a module that is gone");
}
CUresult module_function(CUfunction* function, CUmodule module, const char* name) {
  Call call("moduleGetFunction");
  ANSWER_IF_FAILING(call);
  const auto found = call.context().modules.find(module);
  if (found == call.context().modules.end()) return call.misused("moduleGetFunction of a module that is gone");
  const bool machine_code = found->second.starts_with(
      "\x7f"
      "ELF");  // which it does not read
  if (!machine_code && found->second.find(fmt::format(".entry {}(", name)) == std::string::npos) return CUDA_ERROR_NOT_FOUND;
  void* const handle = call.state().handle();
  call.context().functions[handle] = {module, name};
  *function = static_cast<CUfunction>(handle);
  return CUDA_SUCCESS;
}
CUresult module_global(CUdeviceptr* address, std::size_t* bytes, CUmodule module, const char* name) {
  Call call("moduleGetGlobal");
  ANSWER_IF_FAILING(call);
  const auto found = call.context().modules.find(module);
  if (found == call.context().modules.end()) return call.misused("moduleGetGlobal of a module that is gone");
  const std::string declared = fmt::format(".b8 {}[", name);  // ".const .align 4 .b8 filt[20];"
  const std::size_t at = found->second.find(declared);
  if (at == std::string::npos) return CUDA_ERROR_NOT_FOUND;
  auto& memory = call.context().variables[{module, name}];
  memory.resize(std::stoul(found->second.substr(at + declared.size())));
  *address = reinterpret_cast<std::uintptr_t>(memory.data());
  *bytes = memory.size();
  return CUDA_SUCCESS;
}
CUresult function_attribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  Call call("funcGetAttribute");
  ANSWER_IF_FAILING(call);
  if (!call.context().functions.contains(function)) return call.misused("funcGetAttribute of a function that is gone");
  *value = attribute == CU_FUNC_ATTRIBUTE_NUM_REGS ? 24 : attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 0;
  return CUDA_SUCCESS;
}
CUresult set_function_attribute(CUfunction, CUfunction_attribute, int) {
  Call call("funcSetAttribute");
  return call.answer();
}
CUresult occupancy(int* blocks, CUfunction, int, std::size_t) {
  Call call("occupancyMaxActiveBlocksPerMultiprocessor");
  ANSWER_IF_FAILING(call);
  *blocks = 2;
  return CUDA_SUCCESS;
}

// ---- launches ------------------------------------------------------------------------------------------------------

CUresult launch(Call& call, bool cooperative, CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                unsigned bz, unsigned shared_bytes, CUstream stream, void** parameters) {
  ANSWER_IF_FAILING(call);
  const auto found = call.context().functions.find(function);
  if (found == call.context().functions.end()) return call.misused("a launch of a function that is gone");
  if (!is_stream(call.context(), stream)) return call.misused("a launch into a stream that is gone");
  Launch launch{.kernel = found->second.second,
                .grid = {gx, gy, gz},
                .block = {bx, by, bz},
                .shared_bytes = shared_bytes,
                .cooperative = cooperative,
                .parameters = parameters,
                .out = {},
                .err = {}};
  if (call.script().on_launch) call.script().on_launch(launch);
  ContextState& context = call.context();
  context.out += launch.out;
  context.err += launch.err;
  auto& running = context.running;
  if (!running || (!running->endless && running->result == CUDA_SUCCESS)) running = launch;
  (void)work(context, stream, call.script().kernel_ms);
  call.state().enqueued.push_back(fmt::format("{}, {}", launch.kernel, name_of_stream(context, stream)));
  return CUDA_SUCCESS;
}
CUresult launch_kernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                       unsigned shared_bytes, CUstream stream, void** parameters, void**) {
  Call call("launchKernel");
  return launch(call, false, function, gx, gy, gz, bx, by, bz, shared_bytes, stream, parameters);
}
CUresult launch_cooperative(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                            unsigned shared_bytes, CUstream stream, void** parameters) {
  Call call("launchCooperativeKernel");
  return launch(call, true, function, gx, gy, gz, bx, by, bz, shared_bytes, stream, parameters);
}
CUresult stream_create(CUstream* stream, unsigned) {
  Call call("streamCreate");
  ANSWER_IF_FAILING(call);
  *stream = static_cast<CUstream>(call.state().handle());
  call.context().numbers[*stream] = static_cast<int>(call.context().streams.size());  // 0: the context's own
  call.context().streams[*stream] = 0;
  return CUDA_SUCCESS;
}
CUresult stream_destroy(CUstream stream) {
  Call call("streamDestroy");
  ANSWER_IF_FAILING(call);
  return call.context().streams.erase(stream) == 1 ? CUDA_SUCCESS : call.misused("streamDestroy of a stream that is gone");
}
CUresult event_create(CUevent* event, unsigned) {
  Call call("eventCreate");
  ANSWER_IF_FAILING(call);
  *event = static_cast<CUevent>(call.state().handle());
  call.context().numbers[*event] = static_cast<int>(call.context().events.size());
  call.context().events[*event] = 0;
  return CUDA_SUCCESS;
}
CUresult event_destroy(CUevent event) {
  Call call("eventDestroy");
  ANSWER_IF_FAILING(call);
  return call.context().events.erase(event) == 1 ? CUDA_SUCCESS : call.misused("eventDestroy of an event that is gone");
}
CUresult event_record(CUevent event, CUstream stream) {
  Call call("eventRecord");
  ANSWER_IF_FAILING(call);
  ContextState& context = call.context();
  if (!context.events.contains(event) || !is_stream(context, stream)) return call.misused("eventRecord with a handle that is gone");
  context.events[event] = work(context, stream, 0);
  call.state().enqueued.push_back(fmt::format("event {}, {}", context.numbers[event], name_of_stream(context, stream)));
  return CUDA_SUCCESS;
}
CUresult stream_wait(CUstream stream, CUevent event, unsigned) {
  Call call("streamWaitEvent");
  ANSWER_IF_FAILING(call);
  ContextState& context = call.context();
  if (!context.events.contains(event) || !is_stream(context, stream))
    return call.misused("streamWaitEvent with a handle that is gone");
  if (stream != CU_STREAM_LEGACY) context.streams[stream] = std::max(context.streams[stream], context.events[event]);
  call.state().enqueued.push_back(fmt::format("wait for event {}, {}", context.numbers[event], name_of_stream(context, stream)));
  return CUDA_SUCCESS;
}
CUresult event_query(CUevent event) {
  Call call("eventQuery");
  ANSWER_IF_FAILING(call);
  if (!call.context().events.contains(event)) return call.misused("eventQuery of an event that is gone");
  auto& running = call.context().running;
  if (!running) return CUDA_SUCCESS;
  if (running->endless || running->polls-- > 0) return CUDA_ERROR_NOT_READY;
  if (running->result == CUDA_SUCCESS) return CUDA_SUCCESS;
  if (is_sticky(running->result)) call.broken(running->result);
  return running->result;
}
CUresult event_elapsed(float* milliseconds, CUevent begin, CUevent end) {
  Call call("eventElapsedTime");
  ANSWER_IF_FAILING(call);
  if (!call.context().events.contains(begin) || !call.context().events.contains(end))
    return call.misused("eventElapsedTime of an event that is gone");
  const bool modelled = call.script().copy_ms != 0 || call.script().kernel_ms != 0;
  *milliseconds = modelled ? static_cast<float>(call.context().events[end] - call.context().events[begin]) : 0.25f;
  return CUDA_SUCCESS;
}

// ---- OpenGL --------------------------------------------------------------------------------------------------------

CUresult gl_list_devices(unsigned* found, CUdevice* devices, unsigned room, CUGLDeviceList) {
  Call call("glGetDevices");
  ANSWER_IF_FAILING(call);
  const auto& drawing = call.script().gl_devices;
  *found = static_cast<unsigned>(drawing.size());
  std::copy_n(drawing.begin(), std::min<std::size_t>(room, drawing.size()), devices);
  return CUDA_SUCCESS;
}
CUresult gl_register(CUgraphicsResource* resource, unsigned gl_buffer, unsigned) {
  Call call("graphicsGLRegisterBuffer");
  ANSWER_IF_FAILING(call);
  if (!call.script().gl_buffers.contains(gl_buffer)) return CUDA_ERROR_INVALID_VALUE;
  for (const auto& [handle, known] : call.context().resources)
    if (known.gl_buffer == gl_buffer) return call.misused("an OpenGL buffer is registered twice");
  for (const auto& [context, state] : call.state().contexts)
    for (const auto& [handle, known] : state.resources)
      if (known.gl_buffer == gl_buffer && known.mapped)
        return call.misused("an OpenGL buffer is registered that another context has mapped");
  *resource = static_cast<CUgraphicsResource>(call.state().handle());
  call.context().resources[*resource] = {.gl_buffer = gl_buffer};
  return CUDA_SUCCESS;
}
CUresult gl_unregister(CUgraphicsResource resource) {
  Call call("graphicsUnregisterResource");
  ANSWER_IF_FAILING(call);
  return call.context().resources.erase(resource) == 1 ? CUDA_SUCCESS : call.misused("a graphics resource is unregistered twice");
}
CUresult gl_map(const char* name, CUgraphicsResource resource, bool mapped) {
  Call call(name);
  ANSWER_IF_FAILING(call);
  const auto found = call.context().resources.find(resource);
  if (found == call.context().resources.end()) return call.misused(fmt::format("{} of a resource that is gone", name));
  if (found->second.mapped == mapped) return call.misused(fmt::format("{} twice", name));
  found->second.mapped = mapped;
  return CUDA_SUCCESS;
}
CUresult gl_map_one(unsigned, CUgraphicsResource* resources, CUstream) { return gl_map("graphicsMapResources", *resources, true); }
CUresult gl_unmap_one(unsigned, CUgraphicsResource* resources, CUstream) {
  return gl_map("graphicsUnmapResources", *resources, false);
}
CUresult gl_pointer(CUdeviceptr* address, std::size_t* bytes, CUgraphicsResource resource) {
  Call call("graphicsResourceGetMappedPointer");
  ANSWER_IF_FAILING(call);
  const auto found = call.context().resources.find(resource);
  if (found == call.context().resources.end() || !found->second.mapped) return call.misused("the address of what is not mapped");
  auto& memory = call.script().gl_buffers.at(found->second.gl_buffer);
  *address = reinterpret_cast<std::uintptr_t>(memory.data());
  *bytes = memory.size();
  return CUDA_SUCCESS;
}

}  // namespace

ScriptedDriver::ScriptedDriver() : state_(std::make_unique<State>()) {
  state_->script = this;
  the_state = state_.get();
  current = nullptr;
  attributes = {{75, 9},        {76, 0},       {16, 132},       {10, 32},     {13, 1980000}, {1, 1024},   {2, 1024},
                {3, 1024},      {4, 64},       {5, 2147483647}, {6, 65535},   {7, 65535},    {39, 2048},  {106, 32},
                {12, 65536},    {82, 65536},   {8, 49152},      {97, 232448}, {81, 233472},  {111, 1024}, {9, 65536},
                {38, 52428800}, {36, 2619000}, {37, 6144},      {20, 0}};
}

ScriptedDriver::~ScriptedDriver() {
  end_endless();
  (void)alive();
  the_state = nullptr;
}

CublasPtr ScriptedDriver::scripted_cublas() { return the_state->script->cublas; }

Driver ScriptedDriver::entries() const {
  Driver t;
  t.open_cublas = scripted_cublas;
  t.init = init;
  t.driverGetVersion = driver_version;
  t.getErrorName = error_name;
  t.getErrorString = error_string;
  t.deviceGetCount = device_count;
  t.deviceGet = device_get;
  t.deviceGetName = device_name;
  t.deviceTotalMem = device_memory;
  t.deviceGetAttribute = device_attribute;
  t.ctxCreate = ctx_create;
  t.ctxDestroy = ctx_destroy;
  t.ctxSetCurrent = ctx_set_current;
  t.ctxSynchronize = ctx_synchronize;
  t.memAlloc = mem_alloc;
  t.memFree = mem_free;
  t.memGetInfo = mem_info;
  t.memHostAlloc = host_alloc;
  t.memFreeHost = host_free;
  t.memHostGetDevicePointer = host_pointer;
  t.memcpyHtoD = host_to_device;
  t.memcpyDtoH = device_to_host;
  t.memcpyHtoDAsync = host_to_device_async;
  t.memcpyDtoHAsync = device_to_host_async;
  t.memcpyDtoD = device_to_device;
  t.memsetD8 = set8;
  t.memsetD16 = set16;
  t.memsetD32 = set32;
  t.moduleLoadDataEx = module_load;
  t.moduleUnload = module_unload;
  t.moduleGetFunction = module_function;
  t.moduleGetGlobal = module_global;
  t.funcGetAttribute = function_attribute;
  t.funcSetAttribute = set_function_attribute;
  t.occupancyMaxActiveBlocksPerMultiprocessor = occupancy;
  t.launchKernel = launch_kernel;
  t.launchCooperativeKernel = launch_cooperative;
  t.streamCreate = stream_create;
  t.streamDestroy = stream_destroy;
  t.streamWaitEvent = stream_wait;
  t.eventCreate = event_create;
  t.eventDestroy = event_destroy;
  t.eventRecord = event_record;
  t.eventQuery = event_query;
  t.eventElapsedTime = event_elapsed;
  t.glGetDevices = gl_list_devices;
  t.graphicsGLRegisterBuffer = gl_register;
  t.graphicsUnregisterResource = gl_unregister;
  t.graphicsMapResources = gl_map_one;
  t.graphicsUnmapResources = gl_unmap_one;
  t.graphicsResourceGetMappedPointer = gl_pointer;
  t.version = version;
  t.path = "scripted";
  return t;
}

DriverPtr ScriptedDriver::table() const { return std::make_shared<const Driver>(entries()); }

void ScriptedDriver::fail(Failure failure) {
  const std::lock_guard lock(state_->mutex);
  state_->failures.push_back(std::move(failure));
}

void ScriptedDriver::end_endless() {
  const std::lock_guard lock(state_->mutex);
  for (auto& [handle, context] : state_->contexts)
    if (context.running) context.running->endless = false;
  state_->changed.notify_all();
}

std::vector<std::string> ScriptedDriver::calls() {
  const std::lock_guard lock(state_->mutex);
  return state_->calls;
}

int ScriptedDriver::count(const std::string& call) {
  const auto all = calls();
  return static_cast<int>(std::count(all.begin(), all.end(), call));
}

std::vector<std::string> ScriptedDriver::enqueued() {
  const std::lock_guard lock(state_->mutex);
  return state_->enqueued;
}

void ScriptedDriver::forget_calls() {
  const std::lock_guard lock(state_->mutex);
  state_->calls.clear();
  state_->enqueued.clear();
}

std::string ScriptedDriver::failed_call() {
  const std::lock_guard lock(state_->mutex);
  return state_->failed_call;
}

std::string ScriptedDriver::misuse() {
  const std::lock_guard lock(state_->mutex);
  return state_->misuse;
}

std::string ScriptedDriver::held() {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait_for(lock, std::chrono::seconds(2), [&] { return state_->contexts.size() <= 1; });
  std::string text;
  for (const auto& [handle, context] : state_->contexts)
    if (!context.memory.empty() || !context.host.empty() || !context.resources.empty())
      text += fmt::format("{} arrays, {} pinned, {} graphics resources\n", context.memory.size(), context.host.size(),
                          context.resources.size());
  return text;
}

std::string ScriptedDriver::alive() {
  std::unique_lock lock(state_->mutex);
  // A context may still be on its way to its end, on a thread of its own.
  state_->changed.wait_for(lock, std::chrono::seconds(2), [&] { return state_->contexts.empty(); });
  std::string text;
  for (const auto& [handle, context] : state_->contexts)
    text += fmt::format("a context with {} streams, {} events, {} modules, {} arrays, {} pinned, {} graphics resources\n",
                        context.streams.size(), context.events.size(), context.modules.size(), context.memory.size(),
                        context.host.size(), context.resources.size());
  return text;
}

}  // namespace warpbook::gpu::testing
