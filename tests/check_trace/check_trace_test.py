"""The checker reports every kind of contradiction: real responses with one altered value."""

import copy
import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from checks import check
from command import EXIT_FINE, EXIT_USAGE, EXIT_VIOLATIONS
from program import Program, built_program

FOLDER = Path(__file__).resolve().parent
DATA = FOLDER.parent / "data"

# Small recordings with a CUDA graph and a spread, with hardware counters, with clean stretches, and
# with advice.
GRAPH = DATA / "h200" / "resnet18_cuda_graph_inference.pt.trace.json.gz"
COUNTERS = DATA / "capture"
STRETCHES = DATA / "stretches" / "alternating.wscap"
ADVICE = DATA / "h200" / "captured_graph_inference.wscap"
CPU_ONLY = FOLDER.parent / "fuzz" / "seeds" / "chrome" / "onnxruntime_cpu.json"


def the_program():
    return os.environ.get("WARPSIGHT_PROGRAM") or built_program()


_read = {}


def answers(trace):
    """The program's output for a recording, read once."""
    if trace not in _read:
        program = Program(the_program(), os.cpu_count() or 1)
        with tempfile.TemporaryDirectory() as folder:
            profile = Path(folder) / "profile.warpsight"
            program.import_trace(trace, profile)
            _read[trace] = program.ask(str(trace), trace, profile, Path(folder))
    return copy.deepcopy(_read[trace])


def violations(said):
    return check(said).violations


def replace_once(text, old, new):
    if old not in text:
        raise AssertionError(f"{old!r} is not in the text")
    return text.replace(old, new, 1)


def _on_screen(pattern, new):
    def doctor(a):
        a.screens[100], count = re.subn(pattern, new, a.screens[100], count=1)
        a.direct = a.screens[100]
        assert count == 1, pattern
    return doctor


def _set(path, value):
    """Changes a value inside a response: ("api", "dashboard", "idle", "ns")."""
    def doctor(a):
        at = getattr(a, path[0])
        for key in path[1:-1]:
            at = at[key]
        assert path[-1] in at if isinstance(at, dict) else path[-1] < len(at), path
        at[path[-1]] = value(at[path[-1]]) if callable(value) else value
    return doctor


def _row(report, column, value, row=0):
    return _set(("reports", report, "rows", row, column), value)


def _more(number):
    return number + max(1, abs(number) // 7)


# GPU 0 is the one that worked.
UNUSED = {"rule": "gpu-unused", "problem": "1 of the 2 GPUs that the program sees did nothing.",
          "recommendation": "", "assumes": "", "confidence": "high", "combined": False,
          "predicts": False, "predicted_step_ns": None, "predicted_speedup": None,
          "predicted_low": None, "predicted_high": None, "saving_ns": None, "evidence": [{"text": "GPU 0: no kernel", "time_ns_per_step": None,
                                           "count_per_step": None}]}

# One or more for each kind of identity: several if the number appears in several places.
DOCTORED = [
    ("step", GRAPH, _set(("api", "dashboard", "step", "average_ns"), _more)),
    ("step", GRAPH, _on_screen(r"(?m)^Step( +)[\d.]+ ms", r"Step\g<1>9.99 ms")),
    ("step", GRAPH, _set(("advise", "step_ns"), _more)),
    ("spread", GRAPH, _on_screen(r"± [\d.]+", "± 3.33")),
    ("spread", CPU_ONLY, _set(("api", "dashboard", "step", "deviation_ns"), 0)),
    ("rate", ADVICE, _on_screen(r"[\d,]+ samples/s", "17 samples/s")),
    ("rate", ADVICE, _set(("api", "dashboard", "step", "samples_per_second"), _more)),
    ("iterations", GRAPH, _set(("info", "iterations"), _more)),
    ("iterations", GRAPH, _set(("api", "dashboard", "iterations", "explanation"), "7 iterations")),
    ("windows", GRAPH, _row("steps", "Window (ns)", _more)),
    ("windows", GRAPH, _row("steps", "Kernels", _more)),
    ("windows", GRAPH, lambda a: a.sql["accounting"][0].update(ns=1)),
    ("windows", STRETCHES, lambda a: a.sql["clean stretch"].clear()),
    ("clean", STRETCHES, _set(("info", "clean_step_ns"), _more)),
    ("clean", STRETCHES, _set(("info", "recording_added_ns"), _more)),
    ("clean", STRETCHES, _set(("api", "dashboard", "step", "clean", "steps"), _more)),
    ("clean", STRETCHES, _on_screen(r"without the profiler [\d.]+ µs", "without the profiler 1 µs")),
    ("clean", STRETCHES, lambda a: [row.update(ns=1) for row in a.sql["timed step"]]),
    ("clean", STRETCHES, _set(("api", "dashboard", "step", "clean", "low_ns"), _more)),
    ("clean", GRAPH, _set(("info", "clean_step_ns"), 5)),
    ("speed-ups", STRETCHES, _set(("advise_all", "unprofiled_step_ns"), _more)),
    ("shares", GRAPH, _set(("api", "dashboard", "resources", 0, "percent"), lambda p: p + 1)),
    ("shares", GRAPH, _set(("info", "breakdown_ns", "other kernels"), _more)),
    ("shares", GRAPH, _on_screen(r"other kernels [\d.]+ %", "other kernels 12.3 %")),
    ("shares", GRAPH, _on_screen(r"▓▓▓▓▓", "█████")),
    ("shares", GRAPH, _row("gaps", "Idle (%)", 101.0)),
    ("idle", GRAPH, _row("gaps", "Total (ns)", _more)),
    ("idle", GRAPH, _set(("api", "dashboard", "idle", "causes", 3, "name"), "CPU-bound launching")),
    ("idle", GRAPH, _on_screen(r"(GPU idle +)[\d.]+ %", r"\g<1>77.7 %")),
    ("verdict", GRAPH, _set(("api", "dashboard", "verdict", "group"), "launch latency")),
    ("verdict", GRAPH, _on_screen(r"(Most time +)Kernels: [\d.]+ %", r"\g<1>Kernels: 10.0 %")),
    ("verdict", GRAPH, _set(("info", "verdict_group"), "GPU-bound")),
    ("utilization", GRAPH, _set(("info", "gpu_utilization"), 0.5)),
    ("utilization", GRAPH, _row("gpus", "Utilization (%)", 12.5)),
    ("gpus", GRAPH, _set(("api", "dashboard", "gpus"), 8)),
    ("gpus", GRAPH, lambda a: a.reports["gpus"]["rows"].append(a.reports["gpus"]["rows"][0])),
    ("gpus", GRAPH, lambda a: a.advise_all["findings"].append(UNUSED)),
    ("communication", GRAPH, _row("gpus", "Exposed Communication (ns)", 5)),
    ("communication", GRAPH, lambda a: a.reports["communication"]["rows"].append(
        {"Name": "all_reduce", "Exposed (ns)": 0, "Total Time (ns)": 5, "Overlap (%)": 100.0})),
    ("tensor-cores", GRAPH, _set(("api", "dashboard", "tensor_cores", "percent"), 50.0)),
    ("tensor-cores", COUNTERS, _on_screen(r"[\d.]+ % \(measured\)", "50.0 % (measured)")),
    ("tensor-cores", COUNTERS, lambda a: [row.update(count=0) for row in a.sql["class"]]),
    ("tensor-cores", COUNTERS, _row("tensor_core", "Uses TC", False)),
    ("tensor-cores", COUNTERS, lambda a: [row.update({"TC Source": "name"})
                                          for row in a.reports["kernel"]["rows"]]),
    ("ops", GRAPH, _row("detail", "Total GPU Time (ns)", _more)),
    ("ops", CPU_ONLY, lambda a: a.api["dashboard"]["top_ops"].clear()),
    ("kernels", GRAPH, _set(("info", "kernel_sum_ns"), _more)),
    ("kernels", GRAPH, lambda a: a.sql["kernels"][0].update(ns=1)),
    ("per-step", ADVICE, _set(("advise_all", "findings", 0, "evidence", 0, "time_ns_per_step"),
                              10 ** 12)),
    ("speed-ups", ADVICE, _set(("advise_all", "findings", 0, "predicted_speedup"), 3.0)),
    ("speed-ups", ADVICE, _on_screen(r"[\d.]+x faster", "1.99x faster")),
    ("speed-ups", ADVICE, _set(("advise_all", "findings", 0, "predicted_low"), 99.0)),
    ("speed-ups", ADVICE, lambda a: setattr(a, "advise_text", re.sub(
        r"(?m)^(Range +)[\d.]+x", r"\g<1>9.99x", a.advise_text))),
    ("speed-ups", ADVICE, _set(("info", "iteration_source"), "none")),
    ("advice", ADVICE, _on_screen(r"Change first ", "Worth trying ")),
    ("speed-ups", ADVICE, _on_screen(r"faster · [\d.]+ µs →", "faster · 9.99 µs →")),
    ("speed-ups", ADVICE, _set(("advise_all", "unprofiled_step_ns"), 10 ** 12)),
    ("advice", ADVICE, _set(("api", "dashboard", "advice", 0, "rule"), "tf32")),
    ("advice", ADVICE, _set(("api", "dashboard", "advice_total"), 99)),
    ("advice", ADVICE, _on_screen(r"1  host-sync", "1  tf32")),
    ("synchronizations", ADVICE, lambda a: a.reports["gaps"]["notes"].append(
        "The host waited for the GPU 12,345 times (host synchronizations).")),
    ("what-if", ADVICE, _set(("what_if", "current_step_ns"), _more)),
    ("what-if", ADVICE, lambda a: setattr(a, "what_if_text", a.what_if_text.replace(
        " measured", "9 s measured", 1))),
    ("guidance", ADVICE, lambda a: a.api["dashboard"]["guidance"].append(
        {"text": "The GPU is idle for 99.0 % of the time, mostly allocation (1.0 %); the longest "
                 "such interval lasts 2.00 s."})),
    ("tables", GRAPH, lambda a: a.tables["gaps"][1].__setitem__(1, "77")),
    ("tables", GRAPH, _set(("api", "report gpus", "total"), 2)),
    ("iterations", ADVICE, lambda a: a.reports["gaps"]["notes"].append(
        "In iteration 77 the GPU ran nothing for 1 ns of 2 ns (50.0 %).")),
    ("words", GRAPH, lambda a: a.reports["gaps"]["notes"].append("waits for synchronisation")),
    ("words", GRAPH, lambda a: a.reports["gaps"]["notes"].append("per aggregated iterations")),
    ("trust", GRAPH, _set(("api", "dashboard", "trust", "sentence"), "All is well.")),
    ("missing", CPU_ONLY, _set(("info", "gpu_utilization"), 0.0)),
    ("missing", CPU_ONLY, lambda a: setattr(a, "info_text", re.sub(
        r"(?m)^GPU utilization .*$", "GPU utilization        0.0 %", a.info_text))),
    ("layout", GRAPH, lambda a: a.screens.update({160: a.screens[160] + " " * 200 + "x\n"})),
    ("layout", GRAPH, lambda a: setattr(a, "direct", a.direct.replace("Kernels", "Kernel "))),
]


class RealAnswers(unittest.TestCase):
    def test_agree(self):
        for trace in (GRAPH, COUNTERS, STRETCHES, ADVICE, CPU_ONLY):
            self.assertEqual(violations(answers(trace)), [], trace)


class DoctoredAnswers(unittest.TestCase):
    def test_are_complained_of(self):
        for i, (identity, trace, doctor) in enumerate(DOCTORED):
            with self.subTest(identity=identity, number=i, trace=trace.name):
                said = answers(trace)
                doctor(said)
                found = violations(said)
                self.assertTrue(any(line.startswith(identity + ": ") for line in found), found)

    def test_cover_every_kind_of_identity(self):
        kinds = set()
        for trace in (GRAPH, COUNTERS, STRETCHES, ADVICE, CPU_ONLY):
            kinds |= set(check(answers(trace)).checked)
        self.assertEqual(kinds, {identity for identity, _, _ in DOCTORED})


class EveryNumber(unittest.TestCase):
    """The checker detects a change of any number."""

    def test_on_the_one_screen(self):
        for trace in (GRAPH, STRETCHES, ADVICE):
            for width in (100, 160):
                text = answers(trace).screens[width]
                missed = []
                for match in self._numbers(text):
                    said = answers(trace)
                    said.screens[width] = (text[:match.start()] + self._another(match[0])
                                           + text[match.end():])
                    if not violations(said):
                        line = text[text.rfind("\n", 0, match.start()) + 1:].split("\n")[0]
                        missed.append((match[0], line))
                self.assertEqual(missed, [], f"{trace.name}, {width} columns")

    @staticmethod
    def _numbers(text):
        """Figures, not the digits of names."""
        units = r"x faster| (?:ns|µs|ms|s|of|more|samples)\b| %|  [a-z]"
        return list(re.finditer(rf"(?<![\w.,_/-])\d[\d,]*(?:\.\d+)?(?={units})", text))

    @staticmethod
    def _another(number):
        """The same number with another first digit."""
        first = "2" if number[0] == "1" else "1"
        return first + number[1:]

    def test_of_the_dashboard(self):
        # Positions on the timeline and the description of the system are not compared.
        parts = ("step", "verdict", "gpu_utilization", "resources", "idle", "kernels",
                 "tensor_cores", "summary", "iterations", "top_ops", "advice", "advice_total",
                 "gpus")
        board = answers(ADVICE).api["dashboard"]
        places = [place for place in self._leaves(board) if place[0] in parts]
        missed = []
        for place in places:
            said = answers(ADVICE)
            at = said.api["dashboard"]
            for key in place[:-1]:
                at = at[key]
            at[place[-1]] = _more(at[place[-1]]) if at[place[-1]] else 7
            if not violations(said):
                missed.append(place)
        self.assertEqual(missed, [])
        self.assertGreater(len(places), 60)

    def _leaves(self, value, place=()):
        if isinstance(value, dict):
            for key, item in value.items():
                yield from self._leaves(item, place + (key,))
        elif isinstance(value, list):
            for i, item in enumerate(value):
                yield from self._leaves(item, place + (i,))
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield place

    def test_of_info(self):
        # Numbers that only the importer knows.
        others = {"files", "ops", "api_calls", "trace_ns", "problems", "devices"}
        missed = []
        for place in self._leaves(answers(ADVICE).info):
            if place[0] in others:
                continue
            said = answers(ADVICE)
            at = said.info
            for key in place[:-1]:
                at = at[key]
            at[place[-1]] = _more(at[place[-1]]) if at[place[-1]] else 7
            if not violations(said):
                missed.append(place)
        self.assertEqual(missed, [])


# A wrapper that runs the program and changes one number of `info --format json`.
WRAPPER = """#!{python}
import subprocess, sys
kept = subprocess.PIPE if "info" in sys.argv else None
done = subprocess.run([{program!r}, *sys.argv[1:]], stdout=kept)
if "info" in sys.argv:
    text = done.stdout.decode()
    sys.stdout.write(text.replace('"gpu_utilization": 0.', '"gpu_utilization": 0.0'))
sys.exit(done.returncode)
"""


class TheProgram(unittest.TestCase):
    """From the command line, on files."""

    def _run(self, *arguments):
        return subprocess.run([sys.executable, FOLDER, *map(str, arguments)],
                              capture_output=True, text=True, check=False)

    def test_is_fine_with_the_real_program(self):
        done = self._run("--program", the_program(), GRAPH)
        self.assertEqual(done.returncode, EXIT_FINE, done.stdout + done.stderr)
        self.assertIn("statements agree", done.stdout)

    def test_complains_of_a_program_that_alters_one_number(self):
        program = str(the_program())
        with tempfile.TemporaryDirectory() as folder:
            wrapper = Path(folder) / "warpsight"
            wrapper.write_text(WRAPPER.format(python=sys.executable, program=program))
            wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)
            done = self._run("--program", wrapper, GRAPH)
        self.assertEqual(done.returncode, EXIT_VIOLATIONS, done.stdout + done.stderr)
        self.assertRegex(done.stdout,
                         r"utilization: GPU utilization: info --format json says \S+, SQL")

    def test_says_what_it_cannot_read(self):
        self.assertEqual(self._run("no such file").returncode, EXIT_USAGE)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "notes.json"
            path.write_text(json.dumps({"notes": 1}))
            done = self._run(path)
        self.assertEqual(done.returncode, EXIT_USAGE)
        self.assertIn("not checked", done.stdout)


if __name__ == "__main__":
    unittest.main()
