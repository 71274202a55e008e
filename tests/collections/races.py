"""For script/collections: suites of small kernels, some with a bug planted in them that their names tell. Launched watched; right is
who finds what the name says and nothing else.

HiRace's artifact holds the CUDA half of the Indigo suite (irregular codes on graphs; https://github.com/burtscher/IndigoSuite), ScoR's
microbenchmarks are of atomics, locks and fences of several scopes.
"""

import json
import random
import re
import shutil
import struct
import subprocess

GRAPH, BLOCKS, THREADS = "power_law_200n_1000e.egr", 256, 64  # enough threads for each of its codes


def launch(warpbook, source, kernel, grid, block, arguments, expected, env, seconds):
    """(verdict, why); expected: the kinds of finding"""
    command = [warpbook, "launch", source, kernel, f"--grid={grid}", f"--block={block}", *(f"--arg={a}" for a in arguments)]
    done = subprocess.run([*command, "--observe=memory,race,sync", f"--max-seconds={seconds}", "--json"], env=env, capture_output=True, text=True)
    if not done.stdout:
        return "not run", done.stderr.strip().splitlines()[-1]
    report = json.loads(done.stdout)
    found = {"race" if f["kind"] == "sync" else f["kind"]: f["message"] for f in report["findings"]}
    if extra := sorted(found.keys() - expected):
        return "wrong", found[extra[0]]
    missing = expected - found.keys()
    return ("wrong", f"no {' or '.join(sorted(missing))} found") if missing else ("right", "")


def write_npy(path, numbers):
    head = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({len(numbers)},), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(numbers)}i", *numbers))


def indigo(folder):
    """(source, arguments of launch)"""
    raw = (folder / "indigo/input" / GRAPH).read_bytes()
    nodes, edges, *lists = struct.unpack(f"<{len(raw) // 4}i", raw)
    chance = random.Random(1)
    parts = {"nindex": lists[: nodes + 1], "nlist": lists[nodes + 1 : nodes + 1 + edges],
             "data1": [chance.randrange(nodes) for _ in range(edges)], "data2": [chance.randrange(edges) for _ in range(edges)]}
    parts["data1"][0] = parts["data2"][0] = 0  # some codes count there
    for name, numbers in parts.items():
        write_npy(folder / f"{name}.npy", numbers)
    arguments = [f"int32[{len(numbers)}]=@{folder / name}.npy" for name, numbers in parts.items()]
    arguments.append(f"int32={nodes}")
    for source in sorted((folder / "indigo/indigo_sources").rglob("*.cu")):
        for header in (folder / "indigo/indigo_include").glob("*.h"):
            shutil.copy(header, source.parent)
        expected = {"race"} if re.search(r"(atomic|guard|race|sync)Bug", source.stem) else set()
        expected |= {"memory"} if "boundsBug" in source.stem else set()
        yield source, ("test_kernel", BLOCKS, THREADS, arguments, expected)


def scor(folder):
    for source in sorted((folder / "microbenchmarks/src").glob("*.cu")):
        text = source.read_text()
        parameters = re.search(r"void kmain\(([^)]*)\)", text)[1]
        arguments = ["uint32[64]=0" if "*" in p else "uint32=0" for p in parameters.split(",") if p.strip()]
        blocks, threads = (re.search(rf"#define {name}\s+(\d+)", text)[1] for name in ("NBLOCKS", "TPERBLK"))
        yield source, ("kmain", blocks, threads, arguments, {"race"} if source.stem.startswith("race") else set())
