"""Makes Numba compile for the virtual GPU. `warpbook exec` puts this folder in front of PYTHONPATH; nothing that is installed changes.

Numba hands its kernels to NVIDIA's libNVVM. Where that is not installed, or wants a newer NVVM IR than this Numba writes, the NVPTX
back end of LLVM, which llvmlite has, makes PTX of the same IR. Kernels get line information, so that findings name Python's lines.
"""

import importlib.abc
import importlib.util
import os
import re
import sys


class NVVM:
    """What Numba asks of libNVVM before it writes IR: the version that this Numba knows best."""
    is_nvvm70 = True
    data_layout = None

    def get_ir_version(self):
        return 1, 6, 3, 0


class LibDevice:
    """NVIDIA's mathematics as bitcode, where the toolkit has it."""
    bc = None

    def get(self):
        file = os.environ.get("WARPBOOK_LIBDEVICE", "")
        if not file:
            return b""
        with open(file, "rb") as bitcode:
            return bitcode.read()


class CompilationUnit:
    """numba.cuda.cudadrv.nvvm.CompilationUnit: NVVM IR goes in, PTX comes out."""

    def __init__(self):
        self.texts, self.mathematics = [], b""

    def add_module(self, text):
        self.texts.append(text.decode())

    def lazy_add_module(self, bitcode):
        self.mathematics = bitcode

    def compile(self, **options):
        import llvmlite.binding as llvm

        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        machine = llvm.Target.from_triple("nvptx64-nvidia-cuda").create_target_machine(cpu="sm_75", opt=3)
        module = None
        for text in self.texts:
            text = re.sub(r"^!nvvmir\.version = .*$", "", text, flags=re.M)
            parsed = llvm.parse_assembly(text)
            if module is None:
                module = parsed
            else:
                module.link_in(parsed)
        module.triple, module.data_layout = "nvptx64-nvidia-cuda", str(machine.target_data)
        own = {function.name for function in module.functions if not function.is_declaration}
        if self.mathematics and any(f.is_declaration and f.name.startswith("__nv_") for f in module.functions):
            mathematics = llvm.parse_bitcode(self.mathematics)
            mathematics.triple, mathematics.data_layout = module.triple, module.data_layout
            module.link_in(mathematics)
            for function in module.functions:
                if not function.is_declaration and function.name not in own:
                    function.linkage = "internal"
        passes = llvm.create_module_pass_manager()
        machine.add_analysis_passes(passes)
        builder = llvm.create_pass_manager_builder()
        builder.opt_level = 2
        builder.inlining_threshold = 275
        builder.populate(passes)
        passes.add_global_dce_pass()
        passes.run(module)
        return machine.emit_assembly(module).encode()


def with_lines(jit):
    """numba.cuda.jit, with line information where the program does not say otherwise."""
    def lined(*arguments, **options):
        if not options.get("debug"):
            options.setdefault("lineinfo", True)
        return jit(*arguments, **options)

    lined.__doc__, lined.__wrapped__ = jit.__doc__, jit
    return lined


def change(name, module):
    if name == "numba.cuda.cudadrv.nvvm":
        module.NVVM, module.LibDevice, module.CompilationUnit = NVVM, LibDevice, CompilationUnit
        module.get_supported_ccs = lambda: ((7, 5),)
        module.get_arch_option = lambda major, minor: "compute_75"
    if name == "numba.cuda.decorators":
        module.jit = with_lines(module.jit)


class Finder(importlib.abc.MetaPathFinder):
    """Changes a module of Numba's as soon as it has been read."""
    wanted = {"numba.cuda.cudadrv.nvvm", "numba.cuda.decorators"}

    def find_spec(self, name, path, target=None):
        if name not in self.wanted:
            return None
        self.wanted.discard(name)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return None
        read = spec.loader.exec_module

        def exec_module(module):
            read(module)
            change(name, module)

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, Finder())

# The machine's own file of this name, which this one stands in front of.
here = os.path.dirname(os.path.abspath(__file__))
for folder in sys.path:
    other = os.path.join(folder or ".", "sitecustomize.py")
    if os.path.abspath(folder or ".") != here and os.path.isfile(other):
        spec = importlib.util.spec_from_file_location("_other_sitecustomize", other)
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
        break
