#include "app/commands/cc_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "gpu/message.h"

namespace warpbook::app {
namespace {

namespace fs = std::filesystem;

constexpr int newest_architecture = 90;  // that each version of clang knows which gpu::find_clang accepts

/// How an option of nvcc is treated.
enum class Use {
  common,      // given to both passes, as it is
  host,        // given to the host's pass
  link,        // given to the linker
  host_words,  // its value, several words with commas or blanks between them, is given to the host's pass
  link_words,  // its value is given to the linker
  ignored,     // concerns only NVIDIA's compiler, or clang does it anyway
  output,
  language,
  architecture,
  action,  // what is to be made
};
struct Option {
  std::string_view name;
  Use use;
  bool value = false;        // it has a value: -o heat, -oheat, --output-file=heat
  std::string_view as = {};  // clang's name for it, where it is another one
};
// Source: "NVIDIA CUDA Compiler Driver", the section on nvcc's command options.
constexpr Option options[] = {
    {"-o", Use::output, true},
    {"--output-file", Use::output, true},
    {"-x", Use::language, true},
    {"--x", Use::language, true},
    {"-c", Use::action},
    {"--compile", Use::action},
    {"-dc", Use::action},
    {"--device-c", Use::action},
    {"-ptx", Use::action},
    {"--ptx", Use::action},
    {"-fatbin", Use::action},
    {"--fatbin", Use::action},
    {"-arch", Use::architecture, true},
    {"--gpu-architecture", Use::architecture, true},
    {"-gencode", Use::architecture, true},
    {"--generate-code", Use::architecture, true},
    {"-code", Use::ignored, true},
    {"--gpu-code", Use::ignored, true},
    {"-I", Use::common, true},
    {"--include-path", Use::common, true, "-I"},
    {"-isystem", Use::common, true},
    {"--system-include", Use::common, true, "-isystem"},
    {"-include", Use::common, true},
    {"--pre-include", Use::common, true, "-include"},
    {"-D", Use::common, true},
    {"--define-macro", Use::common, true, "-D"},
    {"-U", Use::common, true},
    {"--undefine-macro", Use::common, true, "-U"},
    {"-std", Use::common, true, "-std="},
    {"--std", Use::common, true, "-std="},
    {"-MF", Use::host, true},
    {"-MT", Use::host, true},
    {"-MQ", Use::host, true},
    {"-MD", Use::host},
    {"-MMD", Use::host},
    {"-MP", Use::host},
    {"-g", Use::ignored},  // the host's code always has its lines
    {"--debug", Use::ignored},
    {"-pg", Use::ignored},
    {"--profile", Use::ignored},
    {"-w", Use::host},
    {"--disable-warnings", Use::host, false, "-w"},
    {"-O", Use::host, true},
    {"--optimize", Use::host, true, "-O"},
    {"-L", Use::link, true},
    {"--library-path", Use::link, true, "-L"},
    {"-l", Use::link, true},
    {"--library", Use::link, true, "-l"},
    {"-shared", Use::link},
    {"--shared", Use::link, false, "-shared"},
    {"-pthread", Use::link},
    {"-static-libstdc++", Use::link},
    {"-Xcompiler", Use::host_words, true},
    {"--compiler-options", Use::host_words, true},
    {"-Xlinker", Use::link_words, true},
    {"--linker-options", Use::link_words, true},
    {"-G", Use::action},
    {"--device-debug", Use::action},
    {"-fmad", Use::action, true},
    {"--fmad", Use::action, true},
    {"-ccbin", Use::ignored, true},
    {"--compiler-bindir", Use::ignored, true},
    {"-Xptxas", Use::ignored, true},
    {"--ptxas-options", Use::ignored, true},
    {"-Xnvlink", Use::ignored, true},
    {"--nvlink-options", Use::ignored, true},
    {"-Xcudafe", Use::ignored, true},
    {"-diag-suppress", Use::ignored, true},
    {"--diag-suppress", Use::ignored, true},
    {"-maxrregcount", Use::ignored, true},
    {"--maxrregcount", Use::ignored, true},
    {"-cudart", Use::ignored, true},
    {"--cudart", Use::ignored, true},
    {"-cudadevrt", Use::ignored, true},
    {"--default-stream", Use::ignored, true},
    {"-default-stream", Use::ignored, true},
    {"-m", Use::ignored, true},
    {"--machine", Use::ignored, true},
    {"-m64", Use::ignored},
    {"-t", Use::ignored, true},
    {"--threads", Use::ignored, true},
    {"-rdc", Use::ignored, true},
    {"--relocatable-device-code", Use::ignored, true},
    {"-ftz", Use::ignored, true},
    {"--ftz", Use::ignored, true},
    {"-prec-div", Use::ignored, true},
    {"--prec-div", Use::ignored, true},
    {"-prec-sqrt", Use::ignored, true},
    {"--prec-sqrt", Use::ignored, true},
    {"-use_fast_math", Use::ignored},  // clang's functions are the exact ones
    {"--use_fast_math", Use::ignored},
    {"-lineinfo", Use::ignored},
    {"--generate-line-info", Use::ignored},
    {"--extended-lambda", Use::ignored},
    {"-extended-lambda", Use::ignored},
    {"--expt-extended-lambda", Use::ignored},
    {"-expt-extended-lambda", Use::ignored},
    {"--expt-relaxed-constexpr", Use::ignored},
    {"-expt-relaxed-constexpr", Use::ignored},
    {"-Wno-deprecated-gpu-targets", Use::ignored},
    {"--Wno-deprecated-gpu-targets", Use::ignored},
    {"-res-usage", Use::ignored},
    {"--resource-usage", Use::ignored},
    {"-restrict", Use::ignored},
    {"--restrict", Use::ignored},
    {"-dlto", Use::ignored},
    {"-src-in-ptx", Use::ignored},
    {"-noeh", Use::ignored},
    {"-keep", Use::ignored},
    {"--keep", Use::ignored},
    {"-v", Use::ignored},
    {"--verbose", Use::ignored},
};

struct Found {
  const Option* option = nullptr;  // null: not known
  std::string value;
  bool two_words = false;
};

/// The longest name that the word begins with: -I../common is -I with a value, and -include is not -I.
Found option_in(const std::vector<std::string>& given, std::size_t at) {
  const std::string_view word = given[at];
  Found found;
  for (const Option& option : options) {
    if (!word.starts_with(option.name) || (found.option && found.option->name.size() >= option.name.size())) continue;
    const std::string_view rest = word.substr(option.name.size());
    const bool joined = option.value && option.name.size() == 2 && option.name[1] != '-';
    if (!rest.empty() && !(option.value && (joined || rest.front() == '='))) continue;
    found = {&option, std::string(rest.starts_with('=') ? rest.substr(1) : rest), option.value && rest.empty()};
  }
  if (found.two_words && at + 1 < given.size()) found.value = given[at + 1];
  return found;
}

/// -Xcompiler -Wall,-Wextra and -Xcompiler "-Wall -Wextra".
void add_split(std::vector<std::string>& to, std::string_view words) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find_first_of(", "), words.size());
    if (end > 0) to.emplace_back(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

/// 80 of "sm_80" and of "arch=compute_80,code=sm_80"; 0: none is named.
int architecture_in(std::string_view value) {
  const std::size_t at = value.find('_');
  int number = 0;
  if (at != std::string_view::npos) std::from_chars(value.data() + at + 1, value.data() + value.size(), number);
  return number;
}

Result<CcInput::Kind> kind_of(const std::string& file, const std::string& language) {
  using Kind = CcInput::Kind;
  const std::string ending = fs::path(file).extension().string();
  const auto is = [&](std::initializer_list<std::string_view> all) { return std::ranges::find(all, ending) != all.end(); };
  if (is({".o", ".a", ".so"}) || file.find(".so.") != std::string::npos) return Kind::object;
  if (language == "cu" || (language.empty() && is({".cu"}))) return Kind::cuda;
  if (language == "c++" || (language.empty() && is({".cpp", ".cc", ".cxx", ".C"}))) return Kind::cpp;
  if (language == "c" || (language.empty() && is({".c"}))) return Kind::c;
  return failure("usage",
                 say("it is not known what {file} is: cc takes sources (.cu, .cpp, .cc, .cxx, .c) and what was compiled (.o, "
                     ".a, .so). -x cu says that files of other names are CUDA C++.",
                     "file"_a = file));
}

// Libraries of the toolkit with kernels of their own.
constexpr std::array<std::string_view, 14> toolkits_libraries{"cublas",   "cublasLt", "cufft",      "cufftw", "curand",
                                                              "cusolver", "cusparse", "nvrtc",      "nvjpeg", "cudnn",
                                                              "nccl",     "nppc",     "nvToolsExt", "cupti"};

/// The driver's calls are in the runtime library, too.
void add_library(CcPlan& plan, const std::string& name) {
  if (name == "cudart" || name == "cudart_static" || name == "cudadevrt" || name == "cuda") return;
  if (std::ranges::find(toolkits_libraries, name) != toolkits_libraries.end())
    plan.left_out.push_back(name);
  else
    plan.link.push_back("-l" + name);
}

void act(CcPlan& plan, std::string_view name, const std::string& value) {
  if (name == "-G" || name == "--device-debug") {
    plan.device_debug = true;
  } else if (name.ends_with("fmad")) {
    if (value == "false") plan.kernels.emplace_back("-ffp-contract=off");
  } else {
    plan.goal = name.ends_with("ptx")      ? CcPlan::Goal::ptx
                : name.ends_with("fatbin") ? CcPlan::Goal::fat_binary
                                           : CcPlan::Goal::object;
  }
}

void add_option(CcPlan& plan, std::string& language, const Found& found) {
  const Option& option = *found.option;
  const std::string name(option.as.empty() ? option.name : option.as);
  const auto add = [&](std::vector<std::string>& to) {
    if (!option.value || name.ends_with('=') || (name.size() == 2 && name != "-U")) {
      to.push_back(name + found.value);
      return;
    }
    to.push_back(name);
    to.push_back(found.value);
  };
  switch (option.use) {
    case Use::common:
      add(plan.common);
      break;
    case Use::host:
      add(plan.host);
      break;
    case Use::link:
      if (name == "-l")
        add_library(plan, found.value);
      else
        add(plan.link);
      break;
    case Use::host_words:
      add_split(plan.host, found.value);
      for (const char* both : {"-fopenmp", "-pthread"})  // the linker needs them, too
        if (found.value.find(both) != std::string::npos) plan.link.emplace_back(both);
      break;
    case Use::link_words:
      plan.link.push_back("-Wl," + found.value);
      break;
    case Use::output:
      plan.output = found.value;
      break;
    case Use::language:
      language = found.value == "cuda" ? "cu" : found.value;
      break;
    case Use::architecture:
      plan.architecture = std::clamp(architecture_in(found.value), plan.architecture, newest_architecture);
      break;
    case Use::action:
      act(plan, option.name, found.value);
      break;
    case Use::ignored:
      break;
  }
}

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Without clang's OpenMP, which is a package of its own, pragmas are not followed, and each parallel region has one thread.
bool has_openmp(const CcTools& tools) { return fs::exists(fs::path(tools.clang.resources) / "include" / "omp.h"); }

/// Of omp.h, where clang has none; they come after all others.
std::string openmp_headers(const CcTools& tools) { return tools.headers + "/openmp"; }

/// What both passes over a CUDA source begin with. CUDA 11.8 is the newest that clang 16 knows; programs see our headers' version.
std::vector<std::string> cuda_words(const CcPlan& plan, const CcTools& tools) {
  std::vector<std::string> words{tools.clang.path, "-x",         "cuda",      "--cuda-path=/nonexistent",
                                 "-nocudainc",     "-nocudalib", "-std=c++17"};
  words = with(std::move(words),
               {"-Wno-unknown-cuda-version", "-Wno-register", "-Wno-unused-command-line-argument", "-Xclang",
                "-target-sdk-version=11.8", "-DWARPBOOK_CC", "-isystem", tools.headers, "-include", "warpbook_cuda.h"});
  if (!tools.overlay.empty()) words = with(std::move(words), {"-ivfsoverlay", tools.overlay});
  return with(with(std::move(words), {"-idirafter", openmp_headers(tools)}), plan.common);
}

}  // namespace

Result<CcPlan> cc_plan(const std::vector<std::string>& given) {
  CcPlan plan;
  std::string language;
  for (std::size_t w = 0; w < given.size(); ++w) {
    const std::string& word = given[w];
    if (!word.starts_with('-')) {
      const auto kind = kind_of(word, language);
      if (!kind) return failure(kind.error());
      plan.inputs.push_back({word, *kind});
      continue;
    }
    const Found found = option_in(given, w);
    if (!found.option) {
      // Warnings, features and the processor: clang's names are gcc's.
      const bool compilers = word.starts_with("-W") || word.starts_with("-f") || word.starts_with("-m");
      if (!compilers)
        return failure("usage", say("cc does not know the option {option}. It takes the common options of nvcc; an option of the "
                                    "host's compiler follows -Xcompiler.",
                                    "option"_a = word));
      plan.host.push_back(word);
      continue;
    }
    if (found.two_words) {
      if (w + 1 == given.size()) return failure("usage", say("the option {option} needs a value after it.", "option"_a = word));
      ++w;
    }
    add_option(plan, language, found);
  }
  if (plan.inputs.empty()) return failure("usage", say("cc needs a file to compile: warpbook cc -o heat heat.cu"));
  const auto is_source = [](const CcInput& input) { return input.kind != CcInput::Kind::object; };
  if (plan.goal != CcPlan::Goal::program && !plan.output.empty() && std::ranges::count_if(plan.inputs, is_source) > 1)
    return failure("usage",
                   say("-o names one file, and more than one would be made. Leave -o out, or compile the files one at a time."));
  for (const CcInput& input : plan.inputs)
    if ((plan.goal == CcPlan::Goal::ptx || plan.goal == CcPlan::Goal::fat_binary) && input.kind != CcInput::Kind::cuda)
      return failure("usage", say("{file} is no CUDA source, and PTX is made of kernels only.", "file"_a = input.file));
  return plan;
}

std::string cc_output(const CcPlan& plan, const CcInput& input) {
  if (!plan.output.empty()) return plan.output;
  const char* const ending = plan.goal == CcPlan::Goal::ptx ? ".ptx" : plan.goal == CcPlan::Goal::fat_binary ? ".fatbin" : ".o";
  return fs::path(input.file).filename().replace_extension(ending).string();
}

void find_gcc(CcTools& tools) {
  std::error_code ignored;
  if (fs::exists("/usr/bin/gcc", ignored)) tools.gcc = "/usr/bin/gcc";
  if (fs::exists("/usr/bin/g++", ignored)) tools.gxx = "/usr/bin/g++";
}

std::vector<std::string> ptx_command(const CcPlan& plan, const CcTools& tools, const std::string& source,
                                     const std::string& output) {
  std::vector<std::string> words = cuda_words(plan, tools);
  words = with(std::move(words), {"--cuda-device-only", "-S", "-fno-verbose-asm", "-ffp-contract=fast"});
  words = with(std::move(words), gpu::clang_kernel_options(plan.architecture, plan.device_debug, true));
  words = with(std::move(words), plan.kernels);
  // The host's pass shows the same warnings.
  return with(std::move(words), {"-w", "-o", output, source});
}

std::vector<std::string> object_command(const CcPlan& plan, const CcTools& tools, const CcInput& input,
                                        const std::string& fat_binary, const std::string& output) {
  const bool cpp = input.kind == CcInput::Kind::cpp, cuda = input.kind == CcInput::Kind::cuda;
  const std::string& gccs = cpp ? tools.gxx : tools.gcc;
  const bool by_clang = cuda || gccs.empty();
  std::vector<std::string> words;
  if (cuda) {
    // -gdwarf-aranges: exec finds lines by it. -fwrapv: programs compare a kernel's int, which wraps around, with the host's.
    words = with(cuda_words(plan, tools),
                 {"--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", fat_binary, "-gdwarf-aranges", "-fwrapv"});
  } else {
    words = {by_clang ? tools.clang.path : gccs, "-x", cpp ? "c++" : "c", "-isystem", tools.headers};
    if (by_clang) words = with(std::move(words), {"-gdwarf-aranges", "-idirafter", openmp_headers(tools)});
    if (cpp) words.emplace_back("-std=c++17");
    words = with(std::move(words), plan.common);
  }
  for (const std::string& option : plan.host)
    if (option != "-fopenmp" || !by_clang || has_openmp(tools)) words.push_back(option);
  return with(std::move(words), {"-fPIC", "-g", "-c", "-o", output, input.file});
}

std::vector<std::string> link_command(const CcPlan& plan, const CcTools& tools, const std::vector<std::string>& objects) {
  std::vector<std::string> words{tools.clang.path, "--driver-mode=g++", "-o", plan.output.empty() ? "a.out" : plan.output};
  words = with(std::move(words), objects);
  for (const std::string& option : plan.link) {
    if (option != "-fopenmp" || has_openmp(tools)) words.push_back(option);
    if (option == "-fopenmp") words.emplace_back("-lgomp");  // for files that gcc has compiled, and the functions of omp.h
  }
  return with(std::move(words), {"-L" + tools.runtime_folder, "-l:libcudart.so.12", "-Wl,-rpath," + tools.runtime_folder, "-lm",
                                 "-lpthread", "-ldl"});
}

std::string with_pure_virtual(std::string ptx) {
  constexpr std::string_view declaration = ".extern .func __cxa_pure_virtual\n()\n;";
  if (const std::size_t at = ptx.find(declaration); at != std::string::npos)
    ptx.replace(at, declaration.size(), ".weak .func __cxa_pure_virtual\n()\n{ trap; }");
  return ptx;
}

std::string_view defined_elsewhere(std::string_view ptx) {
  constexpr std::array<std::string_view, 4> built_in{"vprintf", "malloc", "free", "__assertfail"};
  for (const std::string_view kind : {".extern .func", ".extern .global", ".extern .const"}) {
    for (std::size_t at = ptx.find(kind); at != std::string_view::npos; at = ptx.find(kind, at + 1)) {
      std::string_view declared = ptx.substr(at, ptx.find_first_of(";[", at) - at);
      if (kind.ends_with("func")) {
        // .extern .func (.param .b32 result) name (parameters): the name is the last word before the parameters.
        const std::size_t open = declared.rfind('(');
        if (open != std::string_view::npos) declared = declared.substr(0, open);
      }
      while (!declared.empty() && (declared.back() == ' ' || declared.back() == '\n' || declared.back() == '\t'))
        declared.remove_suffix(1);
      const std::string_view name = declared.substr(declared.find_last_of(" \t\n)") + 1);
      if (std::ranges::find(built_in, name) == built_in.end()) return name;
    }
  }
  return {};
}

}  // namespace warpbook::app
