#!/usr/bin/env python3
"""Runs a scene with each of its numbers at extreme values and tells what does not end as it should.

usage: extremes.py [--every N] [--offset K] [--seconds S] DOLLOP SCENE...

Each number (each vector as a whole) is set to 0, 1e-30, 1e-6 and 1e6 times its value, 1e30, and their negatives,
one at a time, and the scene runs for three frames. A run that takes longer than S seconds (20) must obey Ctrl-C;
the others must end with status 0, 2 with a message that names a parameter, or 3 with a message that names the
frame; and no file may hold a number that is not
finite. With --every N only every Nth run is made, from the Kth on: a sample. Status 1 where any run failed."""
import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile

FACTORS = (1e-6, 1e6)
VALUES = (0.0, 1e-30, 1e30)
SKIPPED = ("version", "frames.count", "record.", "camera.", "render.", "title")


def numbers_of(dollop, scene):
    """Pairs of path and list of numbers, of all parameters that are numbers."""
    listed = subprocess.run([dollop, "check", scene, "--all", "--json"], capture_output=True, text=True)
    found = []
    for entry in json.loads(listed.stdout or "[]"):
        path, value = entry["id"], entry["value"]
        if entry.get("origin") is None or path.startswith(SKIPPED):
            continue
        numbers = value if isinstance(value, list) else [value]
        if numbers and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in numbers):
            found.append((path, numbers, isinstance(value, list)))
    return found


def extremes(numbers):
    """Other numbers in their place."""
    seen = []
    for sign in (1, -1):
        for value in VALUES:
            seen.append([sign * value] * len(numbers))
        for factor in FACTORS:
            seen.append([sign * factor * v for v in numbers])
    return [v for k, v in enumerate(seen) if v not in seen[:k]]


def cases(dollop, scenes):
    for scene in scenes:
        for path, numbers, is_list in numbers_of(dollop, scene):
            for values in extremes(numbers):
                texts = ["%.17g" % v for v in values]
                text = "[%s]" % ", ".join(texts) if is_list else texts[0]
                yield scene, "%s=%s" % (path, text)


def bad_cell(folder):
    """The first cell of a table that is no finite number, as text; None where there is none."""
    for name in ("stats.csv", "probes.csv"):
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as table:
            for line, row in enumerate(table):
                for cell in row.strip().split(",") if line > 0 else []:
                    if "nan" in cell.lower() or "inf" in cell.lower():
                        return "%s: line %d: %s" % (name, line + 1, cell)
    return None


def stop(run):
    """What is wrong with a run that takes long and is told to end; None where it does."""
    run.send_signal(signal.SIGINT)
    try:
        run.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        run.kill()
        run.communicate()
        return "takes long and does not obey Ctrl-C"
    return None if run.returncode in (0, 2, 3, 130) else "status %d after Ctrl-C" % run.returncode


def judge(dollop, scene, setting, seconds):
    """What is wrong with one run; None where nothing is."""
    with tempfile.TemporaryDirectory() as folder:
        command = [dollop, "run", scene, "--set", setting, "--frames", "3", "--threads", "1", "--force",
                   "-o", folder, "--set", "record.preview=false"]
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            said = run.communicate(timeout=seconds)[1].strip()[-200:]
        except subprocess.TimeoutExpired:
            return stop(run)
        if run.returncode not in (0, 2, 3):
            return "status %d: %s" % (run.returncode, said)
        if run.returncode == 2 and ": " not in said:
            return "refused without a reason: %s" % said
        if run.returncode == 3 and "frame" not in said:
            return "diverged without a frame: %s" % said
        return bad_cell(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--offset", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("dollop")
    parser.add_argument("scenes", nargs="+")
    arguments = parser.parse_args()
    count = failures = 0
    for k, (scene, setting) in enumerate(cases(arguments.dollop, arguments.scenes)):
        if k % arguments.every != arguments.offset % arguments.every:
            continue
        count += 1
        wrong = judge(arguments.dollop, scene, setting, arguments.seconds)
        if wrong is not None:
            failures += 1
            print("%s: %s: %s" % (scene, setting, wrong), flush=True)
    print("%d runs, %d of them wrong" % (count, failures))
    return 1 if failures or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
