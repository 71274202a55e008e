#!/usr/bin/python3
"""Warpbook's virtual GPU beside its peers on the same work, in one run: what script/bench --peers starts.

    compare.py --ours build/warpbook_peer --opencl build/peer_opencl --twin build/peer_twin [--rounds 5] [--quick] [--json FILE]

Peers take turns with Warpbook, round by round, so that a busy machine is unfair to nobody; times are medians over all rounds.
The twins are plain C++ without any check (twins.cpp): what this CPU can do. Oclgrind and Numba's simulator get smaller sizes, and are compared by what they do in a second. Everybody's results must agree.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"  # the distribution's, which has the distribution's Numba

# What is done, at which size by Warpbook and PoCL, by Oclgrind, by Numba's simulator.
WORKS = [
    ("diffusion", "diffusion step {0}², 8×8 tiles", 2000, 256, 32),
    ("matmul", "matrix product {0}², 16×16 tiles", 512, 64, 32),
    ("matmul", "matrix product {0}², 16×16 tiles", 1024, None, None),
    ("histogram_global", "histogram of {0:,}, 256 bins, global", 10_000_000, 100_000, 8192),
    ("histogram_shared", "histogram of {0:,}, 10 bins, a block's own", 10_000_000, 100_000, 8192),
    ("sum", "sum of {0:,} floats, tree of 128", 1 << 24, 1 << 16, 4096),
    ("race", "racing counter, 64 × 64 threads", 0, 0, 0),
]
# Watched beside not, small as a learner's and at the full size.
OBSERVED = [
    ("diffusion", "diffusion {0}²", 512),
    ("diffusion", "diffusion {0}²", 2000),
    ("matmul", "matrix product {0}²", 256),
    ("matmul", "matrix product {0}²", 512),
    ("sum", "sum of {0:,}", 1 << 20),
    ("sum", "sum of {0:,}", 1 << 24),
    ("histogram_global", "histogram of {0:,}, global", 10_000_000),
    ("histogram_shared", "histogram of {0:,}, a block's own", 10_000_000),
    ("race", "racing counter, {0} × {0} threads", 64),
]
WITHOUT_ATOMICS = ("diffusion", "matmul", "sum", "race")


class Failed(Exception):
    pass


def run(command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, check=False)
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")
    return json.loads(done.stdout)


class Timed:
    """All times of one peer on one work."""

    def __init__(self, who, label, size):
        self.who, self.label, self.size = who, label, size
        self.ms, self.threads, self.instructions, self.check = [], 0, 0, None

    def add(self, answer):
        self.ms += answer["ms"]
        self.threads = answer["threads"]
        self.instructions = answer.get("thread_instructions", self.instructions)
        self.check = answer["check"]

    @property
    def median(self):
        return statistics.median(self.ms)

    @property
    def threads_a_second(self):
        return self.threads / self.median * 1e3

    @property
    def instructions_a_second(self):
        return self.instructions / self.median * 1e3


class Contest:
    def __init__(self, options):
        self.ours_program, self.opencl_program, self.twin_program = options.ours, options.opencl, options.twin
        self.rounds = 1 if options.quick else options.rounds
        self.repeat = 1 if options.quick else 3
        self.shrink = 8 if options.quick else 1
        self.timed = {}

    def ours(self, work, size, *more, core=None):
        pinned = ["taskset", "-c", str(core)] if core is not None else []
        return run([*pinned, self.ours_program, work, str(size), "--repeat", launches(work, self.repeat), *more])

    def opencl(self, vendor, work, size, repeat):
        return run([self.opencl_program, work, str(size), "--repeat", launches(work, repeat)], OCL_ICD_VENDORS=vendor)

    def twin(self, work, size):
        return run([self.twin_program, work, str(size), "--repeat", launches(work, self.repeat)])

    def numba(self, work, size):
        return run([PYTHON, os.path.join(HERE, "numba_simulator.py"), work, str(size)])

    def note(self, who, work, label, size, answer):
        key = (who, work, size)
        self.timed.setdefault(key, Timed(who, label.format(size), size)).add(answer)
        return self.timed[key]

    def run_all(self):
        for turn in range(self.rounds):
            for work, label, size, small, tiny in WORKS:
                size = size // self.shrink
                say(f"round {turn + 1} of {self.rounds}: {label.format(size)}")
                ours = self.note("Warpbook", work, label, size, self.ours(work, size))
                pocl = self.note("PoCL", work, label, size, self.opencl("pocl.icd", work, size, self.repeat))
                agree(ours, pocl, work)
                agree(ours, self.note("C++ twin", work, label, size, self.twin(work, size)), work)
                if work == "sum":
                    self.note("Warpbook, fast kernel", work, label, size, self.ours(work, size, "--fast"))
                # The slow ones are steady; two rounds of them are enough.
                if small is None or turn > 1:
                    continue
                for who, at, play in (
                    ("Oclgrind", small, lambda n, w=work: self.opencl("/usr/lib/oclgrind/liboclgrind-rt-icd.so", w, n, 1)),
                    ("Numba simulator", tiny, lambda n, w=work: self.numba(w, n)),
                ):
                    peer = self.note(who, work, label, at, play(at))
                    same = self.note("Warpbook", work, label, at, self.ours(work, at))
                    peer.instructions = same.instructions
                    agree(same, peer, work)
                pocl.instructions = ours.instructions
            for timed in self.timed.values():
                if timed.who in ("PoCL", "C++ twin"):
                    timed.instructions = next(
                        t.instructions for t in self.timed.values() if t.who == "Warpbook" and t.label == timed.label
                    )

    def best(self, who, work, size=None):
        """Warpbook's at full size, or a peer's at its own."""
        found = [t for (w, k, _), t in self.timed.items() if w == who and k == work and (size is None or t.size == size)]
        return max(found, key=lambda t: t.size)

    def extras(self):
        """Prices and scaling, of Warpbook alone: alternating, as above."""
        core = sorted(os.sched_getaffinity(0))[0]
        size = 10_000_000 // self.shrink
        keys = ["cores global", "cores shared"] + [label.format(n) for _, label, n in OBSERVED]
        pairs = {key: ([], []) for key in keys}
        for turn in range(self.rounds):
            say(f"round {turn + 1} of {self.rounds}: cores and observers")
            for kind in ("global", "shared"):
                one, all_ = pairs["cores " + kind]
                one += self.ours("histogram_" + kind, size, core=core)["ms"]
                all_ += self.ours("histogram_" + kind, size)["ms"]
            for work, label, n in OBSERVED:
                off, on = pairs[label.format(n)]
                off += self.ours(work, n)["ms"]
                on += self.ours(work, n, "--observe", "memory,race,init")["ms"]
        return {key: (statistics.median(a), statistics.median(b)) for key, (a, b) in pairs.items()}


def launches(work, repeat):
    """What takes microseconds or a few milliseconds is repeated by everybody until caches and clocks have settled."""
    return str(repeat * 100 if work == "race" else repeat)


def agree(ours, theirs, work):
    """A fast wrong answer is no answer. The counter races: there any value from 1 to 4096 is one that CUDA allows."""
    if work == "race":
        right = 1 <= theirs.check <= 4096 and 1 <= ours.check <= 4096
    else:
        right = abs(ours.check - theirs.check) <= 1e-4 * max(abs(ours.check), abs(theirs.check), 1)
    if not right:
        raise Failed(f"{theirs.who} and Warpbook disagree on {ours.label}: {theirs.check} and {ours.check}")


def say(words):
    print(words, file=sys.stderr, flush=True)


def machine():
    flags, name = "", platform.processor()
    with open("/proc/cpuinfo", encoding="utf-8") as cpuinfo:
        for line in cpuinfo:
            if line.startswith("flags"):
                flags = line.split(":")[1].split()
            if line.startswith("model name"):
                name = line.split(":")[1].strip()
    level = "AVX-512" if "avx512f" in flags else "AVX2" if "avx2" in flags else "SSE2"
    return {"cpu": name, "cores": len(os.sched_getaffinity(0)), "instruction_set": level, "load": os.getloadavg()[0]}


def versions():
    names = {"PoCL": "pocl-opencl-icd", "Oclgrind": "oclgrind", "Numba": "python3-numba"}
    found = {}
    for name, package in names.items():
        answer = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], capture_output=True, text=True, check=False)
        found[name] = answer.stdout.split("-")[0].split("+")[0]
    return found


def number(value):
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def table(head, rows):
    widths = [max(len(str(row[i])) for row in [head, *rows]) for i in range(len(head))]
    lines = ["| " + " | ".join(str(cell).ljust(width) for cell, width in zip(row, widths)) + " |" for row in [head, *rows]]
    lines.insert(1, "| " + " | ".join("-" * width for width in widths) + " |")
    return "\n".join(lines)


def goals(contest, extras, avx512, cores):
    """What is asked for, what was measured: (words, measured, goal, reached)."""
    rows = []

    def at_most(words, measured, goal, unit):
        rows.append((words, f"{number(measured)} {unit}", f"≤ {number(goal)} {unit}", measured <= goal))

    def at_least(words, measured, goal, unit):
        rows.append((words, f"{number(measured)} {unit}", f"≥ {number(goal)} {unit}", measured >= goal))

    best = contest.best
    diffusion = best("Warpbook", "diffusion").median
    at_most("diffusion against PoCL in this run", diffusion / best("PoCL", "diffusion").median, 1, "×")
    at_most("diffusion step", diffusion, 16 if avx512 else 22, "ms")
    for size, goal in ((512, 60 if avx512 else 90), (1024, 600 if avx512 else 800)):
        at_most(f"matrix product {size}²", best("Warpbook", "matmul", size).median, goal, "ms")
    for work, label, size, _, _ in WORKS:
        if work in WITHOUT_ATOMICS and work != "race":
            speed = best("Warpbook", work, size).instructions_a_second / 1e9
            at_least(f"thread-instructions, {label.format(size)}", speed, 8 if avx512 else 5, "G/s")
    for work, label, size, _, _ in WORKS:
        mine, twin = best("Warpbook", work, size).median, best("C++ twin", work, size).median
        at_most(f"beside a C++ twin, {label.format(size)}", mine / twin, 2 if avx512 else 3, "×")
    for kind in ("global", "shared"):
        one, all_ = extras["cores " + kind]
        at_least(f"histogram in {kind} memory: {cores} cores against 1", one / all_, 1, "×")
    for who, goal in (("Oclgrind", 1000), ("Numba simulator", 10_000)):
        for work in dict.fromkeys(work for work, *_ in WORKS):
            factor = best("Warpbook", work).instructions_a_second / best(who, work).instructions_a_second
            at_least(f"against {who}, {work.replace('_', ' ')}", factor, goal, "×")
    for _, label, n in OBSERVED:
        off, on = extras[label.format(n)]
        at_most(f"memory, race and init observed, {label.format(n)}", on / off, 12, "×")
    at_most("a launch of 4096 threads, from request to report", best("Warpbook", "race").median, 1, "ms")
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ours", required=True)
    parser.add_argument("--opencl", required=True)
    parser.add_argument("--twin", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="small sizes, one round: to see that everybody runs")
    parser.add_argument("--json")
    options = parser.parse_args()
    contest = Contest(options)
    host, peers = machine(), versions()
    try:
        contest.run_all()
        extras = contest.extras()
    except Failed as failed:
        say(str(failed))
        return 1

    print(f"{time.strftime('%Y-%m-%d')}, {host['cpu']}, {host['cores']} cores, {host['instruction_set']}, load {host['load']:.1f}")
    print(", ".join(f"{name} {version}" for name, version in peers.items()) + f"; medians of {contest.rounds} rounds\n")
    rows = []
    for timed in contest.timed.values():
        full = contest.best("Warpbook", next(k[1] for k, t in contest.timed.items() if t is timed))
        if timed.who.startswith("Warpbook") and timed.size not in [w[2] // contest.shrink for w in WORKS]:
            continue  # Warpbook at a slow peer's size, run to count instructions and to compare results
        same = contest.best("Warpbook", "matmul", timed.size) if timed.label.startswith("matrix") and timed.who in ("PoCL", "C++ twin") else full
        against = "" if timed.who.startswith("Warpbook") else f"{number(same.instructions_a_second / timed.instructions_a_second)}×"
        rows.append(
            (
                timed.label,
                timed.who,
                number(timed.median),
                number(timed.threads_a_second / 1e6),
                number(timed.instructions_a_second / 1e9),
                against,
            )
        )
    rows.sort(key=lambda row: [w[1].split(" ")[0] for w in WORKS].index(row[0].split(" ")[0]))
    print(table(("work", "by", "ms", "M threads/s", "G thread-instructions/s", "Warpbook to it"), rows))
    print("\nA peer's instructions are those that Warpbook executes for the same work at the same size. The last column compares them by")
    print("the second: threads a second where a thread's work does not grow with the size (diffusion, sum, counter).\n")
    if not options.quick:
        reached = goals(contest, extras, host["instruction_set"] == "AVX-512", host["cores"])
        print(table(("goal", "measured", "asked for", ""), [(w, m, g, "reached" if r else "not yet") for w, m, g, r in reached]))
    if options.json:
        os.makedirs(os.path.dirname(options.json) or ".", exist_ok=True)
        with open(options.json, "w", encoding="utf-8") as file:
            everything = [
                {"by": t.who, "work": t.label, "ms": t.ms, "threads": t.threads, "thread_instructions": t.instructions}
                for t in contest.timed.values()
            ]
            json.dump({"machine": host, "peers": peers, "times": everything, "extras": extras}, file, indent=1)
    return 0


sys.exit(main())
