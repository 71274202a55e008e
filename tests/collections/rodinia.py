"""Rodinia for script/collections: how its programs are built today, the input that its repository does not hold, and their judges.

Few of them check their results. Most have a twin for OpenMP in the same repository: what both print or write must be the same numbers.
"""

import dataclasses
import random
import re


@dataclasses.dataclass
class Row:
    folder: str  # below cuda/
    build: str
    run: str  # DATA: where write_data() puts what it reads
    right: str = r"(?!)"  # in its own output; nothing without a pattern
    twin: str = ""  # below openmp/
    twin_build: str = ""
    twin_run: str = ""
    results: str = ""  # which of its lines; or the file it writes
    reference: object = None  # or: (folder of the data) → the numbers, computed here
    any_order: bool = False
    tolerance: float = 1e-4  # relative; single precision, another order of additions


def hotspot(data, side=128, steps=6):
    """The heat equation of hotspot's report, step by step: its twin for OpenMP takes steps of another length."""
    temperature, power = ([float(line) for line in (data / name).read_text().split()[:side * side]] for name in ("temperature.txt", "power.txt"))
    thickness, across, heat, conducts, ambient = 0.0005, 0.016 / side, 1.75e6, 100, 80.0
    step_by_capacity = (0.001 / (3e6 / (0.5 * thickness * heat))) / (0.5 * heat * thickness * across * across)
    beside, above = 2 * conducts * thickness, conducts * across * across / thickness  # conductances of a square cell
    for _ in range(steps):
        t = temperature
        temperature = [
            here + step_by_capacity * (power[at] + beside * (t[max(y - 1, 0) * side + x] + t[min(y + 1, side - 1) * side + x] +
                                                             t[y * side + max(x - 1, 0)] + t[y * side + min(x + 1, side - 1)] - 4 * here) +
                                       above * (ambient - here))
            for at, here in enumerate(t) for y, x in [divmod(at, side)]]
    return [number for at, value in enumerate(temperature) for number in (at, value)]


MAKE = "make CUDA_DIR=$TOOLS CUDA_LIB_DIR=$TOOLS CC=nvcc NVCC=nvcc CUDA_LIB='-lcuda -lcudart -lstdc++' OMP_LIB='-lgomp -lstdc++'"
SEED = 'C_C="gcc -include $WARPBOOK_COLLECTIONS/fixed_seed.h"'
GCC = "g++ -O2 -w -fopenmp -fpermissive"

ROWS = [
    Row("backprop", MAKE, "./backprop 4096"),
    Row("b+tree", MAKE, "./b+tree.out file DATA/b+tree.txt command DATA/b+tree_commands.txt", twin="b+tree", twin_build="make",
        twin_run="./b+tree.out core 2 file DATA/b+tree.txt command DATA/b+tree_commands.txt", results="output.txt"),
    Row("bfs", "nvcc -O2 bfs.cu -o bfs.out", "./bfs.out DATA/graph.txt", twin="bfs", twin_build=f"{GCC} bfs.cpp -o bfs",
        twin_run="./bfs 2 DATA/graph.txt", results="result.txt"),
    Row("dwt2d", MAKE, "./dwt2d picture.bmp -d 192x192 -f -5 -l 3"),
    # It also prints the clock rate, which cudaDeviceProp no longer holds.
    Row("gaussian", "nvcc -O2 -DclockRate=warpSize gaussian.cu -o gaussian", "./gaussian -s 64"),
    Row("hotspot", "nvcc -O2 hotspot.cu -o hotspot", "./hotspot 128 2 6 DATA/temperature.txt DATA/power.txt output.txt",
        reference=hotspot, results="output.txt"),
    Row("hotspot3D", "nvcc -O2 3D.cu -o hotspot3D", "./hotspot3D 64 8 20 DATA/power.txt DATA/temperature.txt output.txt",
        right=r"^Accuracy: \d\.\d+e-0[4-9]"),
    Row("huffman", "nvcc -O2 -I. main_test_cu.cu vlc_kernel_sm64huff.cu scan.cu pack_kernels.cu cpuencode.cpp stats_logger.cpp -o pavle",
        "./pavle DATA/words.bin", right=r"PASS"),
    Row("hybridsort", MAKE, "./hybridsort r"),
    Row("kmeans", "make CUDA_DIR=$TOOLS CUDA_LIB_DIR=$TOOLS", "./kmeans"),
    Row("lavaMD", f"{MAKE} {SEED} OUTPUT=1", "./lavaMD -boxes1d 4", twin="lavaMD", twin_build=f"make {SEED} OUTPUT=1",
        twin_run="./lavaMD -cores 2 -boxes1d 4", results="result.txt"),
    Row("lud", MAKE, "cuda/lud_cuda -s 128 -v", right=r">>>Verify<<<"),
    Row("nn", "nvcc -O2 nn_cuda.cu -o nn", "./nn DATA/hurricanes.txt -r 5 -lat 30 -lng 90", twin="nn",
        twin_build="gcc -O2 -w -fopenmp nn_openmp.c -o nn -lm", twin_run="./nn DATA/hurricanes.txt 5 30 90", results=r"-->.*",
        any_order=True),
    Row("nw", "nvcc -O2 -DTRACEBACK needle.cu -o needle", "./needle 256 10", twin="nw", twin_build=f"{GCC} needle.cpp -o needle",
        twin_run="./needle 256 10 2", results="result.txt"),
    Row("particlefilter", MAKE, "./particlefilter_float -x 64 -y 64 -z 5 -np 512"),
    Row("pathfinder", "nvcc -O2 -DBENCH_PRINT pathfinder.cu -o pathfinder", "./pathfinder 2000 50 20", twin="pathfinder",
        twin_build=f"{GCC} pathfinder.cpp -o pathfinder", twin_run="./pathfinder 2000 50", results=r"^(?:\d+ ){1000,}$"),
    # (Its sum is right for 512 · 2ⁿ pixels only: of other numbers it adds the wrong ones in its second round.)
    Row("srad/srad_v1", "nvcc -O2 main.cu -o srad", "./srad 20 0.5 128 128", twin="srad/srad_v1", twin_build="make",
        twin_run="./srad 20 0.5 128 128 2", results="image_out.pgm", tolerance=0.02),  # whole numbers of 255
    Row("srad/srad_v2", "nvcc -O2 -DOUTPUT srad.cu -o srad", "./srad 256 256 0 127 0 127 0.5 2", twin="srad/srad_v2",
        twin_build=f"{GCC} -DOUTPUT srad.cpp -o srad", twin_run="./srad 256 256 0 127 0 127 2 0.5 2", results=r"^(?:-?\d+\.\d+ )+$"),
    Row("streamcluster", MAKE, "./sc_gpu 10 20 32 512 512 100 none output.txt 1", twin="streamcluster",
        twin_build="make omp", twin_run="./sc_omp 10 20 32 512 512 100 none output.txt 1", results="output.txt"),
]


def write_data(folder):
    """What the programs read, small, from one seed."""
    some = random.Random(1)
    folder.mkdir(exist_ok=True)

    def write(name, lines):
        (folder / name).write_text("".join(f"{line}\n" for line in lines))

    nodes = 4000
    degrees = [some.randint(1, 6) for _ in range(nodes)]
    starts = [sum(degrees[:n]) for n in range(nodes)]
    edges = [f"{some.randrange(nodes)} 1" for _ in range(sum(degrees))]
    write("graph.txt", [nodes, *(f"{s} {d}" for s, d in zip(starts, degrees)), "", 0, "", len(edges), *edges])

    keys = list(range(10000))
    some.shuffle(keys)
    write("b+tree.txt", [len(keys), *keys])
    write("b+tree_commands.txt", ["j 600 300", "k 1000", "\n" * (1 << 17)])  # so long that malloc clears what lies behind

    cells = 64 * 64 * 8  # of hotspot3D; hotspot reads the first 128²
    write("temperature.txt", [f"{some.uniform(320, 345):.4f}" for _ in range(cells)])
    write("power.txt", [f"{some.uniform(0, 0.001):.7f}" for _ in range(cells)])

    (folder / "words.bin").write_bytes(bytes(min(255, int(some.expovariate(0.05))) for _ in range(1 << 18)))

    write("hurricanes.db", [f"{some.randint(1950, 2004):4} {some.randint(1, 12):2} {some.randint(1, 28):2} {some.choice([0, 6, 12, 18]):2} "
                            f"{some.randint(1, 28):2} {'NOBODY':9} {some.uniform(7, 70):5.1f} {some.uniform(0, 358):5.1f} "
                            f"{some.randint(10, 165):4} {some.randint(0, 900):4}" for _ in range(3000)])
    write("hurricanes.txt", [folder / "hurricanes.db"])

    for pictures in ("dwt2d", "srad"):
        (folder / pictures).mkdir(exist_ok=True)
    (folder / "dwt2d/picture.bmp").write_bytes(some.randbytes(192 * 192 * 3))
    write("srad/image.pgm", ["P2", "458 502", "255", *(some.randint(0, 255) for _ in range(458 * 502))])


def numbers(row, folder, output):
    """The results as numbers."""
    if re.fullmatch(r"\w+\.\w+", row.results):
        found = [(folder / row.results).read_text()]
    else:
        found = re.findall(row.results, output, re.M)
    all_of = [float(n) for text in found for n in re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?", text)]
    return sorted(all_of) if row.any_order else all_of


def difference(row, mine, others):
    """"" where they are the same."""
    if not mine or len(mine) != len(others):
        return f"{len(mine)} numbers, its twin has {len(others)}"
    for at, (m, o) in enumerate(zip(mine, others)):
        if not abs(m - o) <= row.tolerance * max(1, abs(o)):
            return f"number {at} is {m}, its twin's {o}"
    return ""
