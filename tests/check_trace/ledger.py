"""Where the time went according to the stored tables, with which all pages are compared."""

from collections import defaultdict

# The names of docs/schema.md, "ledger", in its order.
ENTRIES = ("Tensor Core kernels", "other kernels", "exposed communication", "exposed copies",
           "waiting for data", "host synchronization", "allocation", "host work before the launch",
           "launch latency", "dependency", "waiting for another rank", "unknown",
           "hidden communication", "hidden copies",
           "data loading", "recording cost", "I/O", "launches", "copy calls", "allocation calls",
           "other CUDA calls", "ops and Python", "waiting for the GPU", "nothing recorded")
GPU_ENTRIES = ENTRIES[:12]
BUSY = ENTRIES[:4]
CAUSES = ENTRIES[4:12]
HOST_ENTRIES = ENTRIES[14:]
KERNEL_ENTRIES = ENTRIES[:3]
# docs/metrics.md, "Where the time goes".
KERNELS = "kernels"
VERDICT_IDS = {KERNELS: "gpu-bound", "exposed communication": "communication-bound",
               "waiting for another rank": "communication-bound", "exposed copies": "copy-bound",
               "waiting for data": "input-bound", "data loading": "input-bound",
               "host synchronization": "sync-bound", "allocation": "allocation-bound",
               "launch latency": "latency-bound", "dependency": "dependency-bound",
               "unknown": "unknown", "nothing recorded": "unknown",
               "host work before the launch": "cpu-bound", "launches": "cpu-bound",
               "copy calls": "cpu-bound", "other CUDA calls": "cpu-bound", "ops and Python": "cpu-bound",
               "allocation calls": "allocation-bound", "waiting for the GPU": "sync-bound",
               "recording cost": "recording-bound", "I/O": "io-bound"}


def group_of(entry):
    return KERNELS if entry in ENTRIES[:2] else entry


class Ledger:
    """Sums of the stored ledger over the analyzed steps."""

    def __init__(self, sql):
        aggregation = sql["aggregation"][0]
        self.first, self.last = aggregation["first"], aggregation["last"]
        self.iterations = self.last - self.first + 1
        self.batch_size = aggregation["batch_size"]
        self.explanation = aggregation["name"]
        self.devices = {row["device"]: row for row in sql.get("device", [])}
        self.used_devices = {d for d, row in self.devices.items() if row["count"] > 0}
        self.recorded_work = bool(self.used_devices)
        self._read_totals(sql)
        self._read_windows(sql)
        self.view = GPU_ENTRIES if self.gpus else HOST_ENTRIES
        self.capacity = sum(self.window[d] for d in self.gpus) if self.gpus else sum(
            self.host_windows.values())
        self.idle = sum(self.of(cause) for cause in CAUSES)
        self.busy = sum(self.of(entry) for entry in BUSY)
        self.kernel_busy = sum(self.of(entry) for entry in KERNEL_ENTRIES)

    def _read_totals(self, sql):
        rows = sql.get("total", [])
        self.gpu_entries = defaultdict(dict)  # by device
        host = defaultdict(int)
        for row in rows:
            name = ENTRIES[row["entry"]]
            if row["device"] is None:
                host[name] += row["ns"]
            else:
                self.gpu_entries[row["device"]][name] = row["ns"]
        # GPUs that did nothing in these steps are left out of all figures, unless none did
        # anything.
        self.gpus = [d for d, entries in self.gpu_entries.items()
                     if any(entry in BUSY for entry in entries)] or list(self.gpu_entries)
        self.sources = len({row["source"] for row in rows}) or 1
        self.entries = dict(host)
        for device in self.gpus:
            for name, ns in self.gpu_entries[device].items():
                self.entries[name] = self.entries.get(name, 0) + ns

    def _read_windows(self, sql):
        self.window = defaultdict(int)
        for row in sql.get("window", []):
            if self.first <= row["number"] <= self.last:
                self.window[row["device"]] += row["stop"] - row["start"]
        self.host_windows = defaultdict(int)
        self.total = 0
        self.synchronizations = 0
        for row in sql.get("iteration", []):
            self.total = max(self.total, row["number"] + 1)
            if self.first <= row["number"] <= self.last:
                self.host_windows[row["source"]] += row["window_stop"] - row["window_start"]
                self.synchronizations += row["synchronizations"]

    def of(self, entry):
        return self.entries.get(entry, 0)

    def share(self, ns):
        """A duration as percent of the time that the breakdown covers."""
        return 100.0 * ns / self.capacity if self.capacity else None

    def groups(self):
        """The groups that a verdict can name, with their times."""
        groups = defaultdict(int)
        for entry in self.view:
            groups[group_of(entry)] += self.of(entry)
        return dict(groups)

    @property
    def processes(self):
        return sum(1 for length in self.host_windows.values() if length > 0) or 1

    def identifies_gpus(self):
        """Whether rank and number identify a GPU: not if several files have no rank."""
        keys = {(device["rank"], device["ordinal"]) for device in self.devices.values()}
        return len(keys) == len(self.devices)

    @property
    def gpu_steps(self):
        """The number of steps over which figures are averaged: those of each GPU, or process."""
        return self.iterations * (len(self.gpus) or self.processes)

    @property
    def host_steps(self):
        return self.iterations * self.processes
