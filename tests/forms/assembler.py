#!/usr/bin/env python3
"""NVIDIA's assembler as an oracle, where the CUDA Toolkit has it; no GPU is needed.

ptxas computes what it can while it assembles. So the same instruction on the same numbers is given to it, alone in a kernel, and to
the virtual GPU: where the machine code turns out to be that of a kernel which stores a constant, the constant must be ours.

    tests/forms/assembler.py [--seed N] [--each N] [--video N] [--build FOLDER]

--each: tries of a spelling (video instructions: --video, 0 leaves them out). Each difference is a line. Not all of them are faults of
ours: the ISA leaves the approximations' last digits and a NaN's bits open, and ptxas does not take bfe's and bfi's 64-bit positions
modulo 256, as the ISA has it.
"""

import argparse
import collections
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PTXAS = pathlib.Path(os.environ.get("CUDA_PATH", "/usr/local/cuda")) / "bin/ptxas"
HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
REGISTERS = ".reg .b16 %h<9>; .reg .b32 %r<9>, %low, %high, %x; .reg .b64 %d<9>, %out; .reg .pred %p<9>;\nld.param.u64 %out, [out];\n"
EDGES = {
    "h": [0, 1, 2, 0x7FFF, 0x8000, 0xFFFF, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 0x8001, 0x03FF, 0x3555, 0x00FF, 0x3F80, 0x7F80, 0x7FC0],
    "r": [0, 1, 2, 31, 32, 33, 63, 64, 2**31 - 1, 2**31, 2**32 - 1, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000,
          0x80000001, 0x007FFFFF, 0x00800000, 0x7F7FFFFF, 0x3EAAAAAB, 0x40490FDB, 0x4F000000, 0xCF000000, 0x5F000000, 0x3C003C00],
    "d": [0, 1, 2, 2**63 - 1, 2**63, 2**64 - 1, 0x3FF0 << 48, 0xBFF0 << 48, 0x7FF0 << 48, 0xFFF0 << 48, 0x7FF8 << 48, 2**63 + 1,
          2**52 - 1, 1 << 52, 0x7FEFFFFFFFFFFFFF, 0x3FD5555555555555, 0x400921FB54442D18, 0x43E0 << 48, 0xC3E0 << 48, 0x41DFFFFFFFC00000],
}
BITS = {"h": 16, "r": 32, "d": 64}
RESULT = {"h": "cvt.u32.u16 %low, %h0;", "r": "mov.b32 %low, %r0;", "d": "mov.b64 {%low, %high}, %d0;", "p": "selp.b32 %low, 1, 0, %p0;"}

Test = collections.namedtuple("Test", "spelling operands text halves")


def tests(options, chance):
    spellings = subprocess.run([options.build / "ptx_forms", "--spellings"], check=True, capture_output=True, text=True).stdout
    for line in spellings.splitlines():
        spelling, *classes = line.split()
        for _ in range(options.video if spelling.startswith("v") else options.each):
            before, operands, values = "", [f"%{classes[0]}0"], []
            for n, kind in enumerate(classes[1:], 1):
                value = chance.randrange(256)
                if kind == "p":
                    before += f"setp.eq.u32 %p{n}, {value % 2}, 1; "
                elif kind != "i":
                    if chance.random() < 0.75 or kind != "r":
                        value = chance.choice(EDGES[kind]) if chance.random() < 0.75 else chance.getrandbits(BITS[kind])
                    before += f"mov.b{BITS[kind]} %{kind}{n}, {value:#x}; "
                operands.append(str(value) if kind == "i" else f"%{kind}{n}")
                values.append(f"{value:#x}")
            yield Test(spelling, values, f"{before}{spelling} {', '.join(operands)}; {RESULT[classes[0]]}", 1 + (classes[0] == "d"))


def ours(some, options, folder):
    """[(low, high)]"""
    body = "".join(f"mov.b32 %high, 0; {t.text} st.global.v2.u32 [%out+{8 * n}], {{%low, %high}};\n" for n, t in enumerate(some))
    (folder / "ours.ptx").write_text(f"{HEAD}.visible .entry k(.param .u64 out) {{\n{REGISTERS}{body}ret; }}\n")
    subprocess.run([options.build / "warpbook", "launch", folder / "ours.ptx", "k", "--grid=1", "--block=1", "--profile=H200",
                    f"--arg=uint32[{2 * len(some)}]=zeros", f"--save=0={folder / 'ours.npy'}"], check=True, stdout=subprocess.DEVNULL)
    raw = (folder / "ours.npy").read_bytes()
    words = struct.unpack(f"<{2 * len(some)}I", raw[10 + struct.unpack_from("<H", raw, 8)[0]:])
    return list(zip(words[::2], words[1::2]))


def assembled(bodies, folder):
    """The machine code of a kernel each, None where ptxas refuses it. The word to be stored is in %x."""
    kernels = "".join(f".visible .entry k{n}(.param .u64 out) {{\n{REGISTERS}{b}\nst.global.u32 [%out], %x;\nret; }}\n" for n, b in enumerate(bodies))
    (folder / "theirs.ptx").write_text(HEAD + kernels)
    done = subprocess.run([PTXAS, "-arch=sm_90", folder / "theirs.ptx", "-o", folder / "theirs.cubin"], capture_output=True)
    if done.returncode:
        half = len(bodies) // 2
        return assembled(bodies[:half], folder) + assembled(bodies[half:], folder) if half else [None]
    elf = (folder / "theirs.cubin").read_bytes()
    at, = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", elf, at + n * size) for n in range(count)]
    name = lambda s: elf[sections[names][4] + s[0]:].split(b"\0", 1)[0].decode()
    code = {name(s): elf[s[4]:s[4] + s[5]] for s in sections}
    return [code[f".text.k{n}"] for n in range(len(bodies))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=3)
    parser.add_argument("--video", type=int, default=0)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    options = parser.parse_args()
    if not PTXAS.exists():
        sys.exit(f"There is no {PTXAS}: it comes with the CUDA Toolkit's compiler, nvcc. Set CUDA_PATH to a toolkit that has it.")
    all_tests = list(tests(options, random.Random(options.seed)))
    agree, differ, folded = 0, 0, set()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        one, other, zero = assembled([f"mov.u32 %x, {n};" for n in (0x12345678, 0x6DCBA987, 0)], folder)
        word = [n for n in range(len(one)) if one[n] != other[n]]  # where a constant's bytes are

        def constant(code):
            if code is None or len(code) != len(one):
                return 0 if code == zero else None
            changed = [n for n in range(len(one)) if code[n] != one[n]]
            return int.from_bytes(bytes(code[n] for n in word), "little") if set(changed) <= set(word) else 0 if code == zero else None

        for first in range(0, len(all_tests), 400):
            some = all_tests[first:first + 400]
            mine = ours(some, options, folder)
            halves = [(t, m[half], ("%low", "%high")[half]) for t, m in zip(some, mine) for half in range(t.halves)]
            for (test, value, register), code in zip(halves, assembled([f"{t.text} mov.b32 %x, {r};" for t, _, r in halves], folder)):
                theirs = constant(code)
                if theirs is None:
                    continue
                folded.add(test.spelling)
                agree, differ = agree + (theirs == value), differ + (theirs != value)
                if theirs != value:
                    print(f"{test.spelling} {', '.join(test.operands)}: {register[1:]} word {theirs:#x}, ours {value:#x}", flush=True)
    print(f"{len(folded)} of {len({t.spelling for t in all_tests})} spellings computed by ptxas: {agree} words agree, {differ} differ.")


if __name__ == "__main__":
    main()
