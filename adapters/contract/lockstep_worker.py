"""The Python side of the adapter contract: with the standard library alone, for any Python from 3.6.

A whole adapter, but for the framework's own lines:

    import lockstep_worker as lw

    def work(job, rank, events):
        data, order, init = job.arrays("data"), lw.Order(job, rank), job.arrays("init")
        model = build(job.graph, init)                              # the framework's own
        events.ready(parameters=model.count, parameter_bytes=4 * model.count)
        for step in order.timed(events, barrier):                   # begins the timed region after the warm-up
            t0, indices = lw.now_ns(), order.mine(step)
            loss = train(model, data, indices, lw.learning_rate(job.recipe, job.steps, step))
            events.step(step + 1, t0, lw.now_ns(), samples=len(indices), tokens=len(indices), loss=loss)
        events.memory()

    lw.main(work, worker="mine", versions={"mine": "1.0"})

`step` in events counts finished steps (the first is 1); loops here count from 0.
"""

import json
import math
import mmap
import os
import socket
import struct
import sys
import threading
import time
import traceback

CONTRACT = 1
FLUSH_NS = 200000000


class Unsupported(Exception):
    """What this adapter does not do: an answer, not a failure."""

    def __init__(self, term, reason):
        Exception.__init__(self, "%s: %s" % (term, reason))
        self.term, self.reason = term, reason


class Stop(Exception):
    """A failure with a kind of the contract: non_finite_loss, out_of_memory, setup, peer_lost, internal."""

    def __init__(self, kind, message):
        Exception.__init__(self, message)
        self.kind = kind


def now_ns():
    """CLOCK_MONOTONIC, the clock of every stamp."""
    return time.monotonic_ns() if hasattr(time, "monotonic_ns") else int(time.monotonic() * 1e9)


# ---------------------------------------------------------------------------------------------------------------- job


class Job:
    """job.json: the fields of the contract as attributes, and the workload's parts by name."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.folder = os.path.dirname(self.path)
        with open(self.path, encoding="utf-8") as file:
            self.fields = json.load(file)
        if self.fields.get("contract") != CONTRACT:
            raise Stop("setup", "%s: contract: %r: must be %d" % (path, self.fields.get("contract"), CONTRACT))
        defaults = {"fabric": "", "warmup": 0, "seed": 1, "precision": "fp32", "threads": 1, "mode": "time",
                    "fingerprints": 2, "options": {}, "eval": {}}
        for name in ("launch_id", "workload", "ranks", "steps"):
            if name not in self.fields:
                raise Stop("setup", "%s: %s: is required" % (path, name))
            setattr(self, name, self.fields[name])
        for name, value in defaults.items():
            setattr(self, name, self.fields.get(name, value))
        self.strategy = self.fields["strategy"]["text"]
        self.graph = self.workload.get("graph", [])
        self.recipe = self.workload.get("recipe", {})
        self.inputs = self.workload.get("inputs", {})
        self.world = len(self.ranks)

    def path_of(self, relative):
        return os.path.join(self.folder, relative)

    def arrays(self, field):
        """The safetensors file of `init`, `data` or `order`, or None when the job names none."""
        return SafeTensors(self.path_of(self.fields[field])) if self.fields.get(field) else None


# -------------------------------------------------------------------------------------------------------- safetensors


class SafeTensors:
    """A safetensors file, mapped into memory. `view(name)` is raw bytes, `array(name)` a numpy array without a copy."""

    TYPES = {"F64": ("<f8", "d"), "F32": ("<f4", "f"), "F16": ("<f2", "e"), "I64": ("<i8", "q"), "I32": ("<i4", "i"),
             "I16": ("<i2", "h"), "I8": ("|i1", "b"), "U8": ("|u1", "B"), "BOOL": ("|b1", "?")}

    def __init__(self, path):
        # Populated: no page fault of the data falls into the timed region, and ranks share the pages.
        flags = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0)
        with open(path, "rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, flags=flags, prot=mmap.PROT_READ)
        (length,) = struct.unpack("<Q", self._map[:8])
        self.path = path
        self.header = json.loads(bytes(self._map[8:8 + length]).decode("utf-8"))
        self.metadata = self.header.pop("__metadata__", {})
        self._start = 8 + length

    def names(self):
        return sorted(self.header)

    def __contains__(self, name):
        return name in self.header

    def shape(self, name):
        return tuple(self._entry(name)["shape"])

    def view(self, name):
        begin, end = self._entry(name)["data_offsets"]
        return memoryview(self._map)[self._start + begin:self._start + end]

    def values(self, name):
        """A flat memoryview with the tensor's own type, for those without numpy."""
        return self.view(name).cast(self.TYPES[self._entry(name)["dtype"]][1])

    def array(self, name):
        import numpy
        entry = self._entry(name)
        flat = numpy.frombuffer(self.view(name), dtype=self.TYPES[entry["dtype"]][0])
        return flat.reshape(entry["shape"])

    def _entry(self, name):
        if name not in self.header:
            raise Stop("setup", "%s: %s: no such array; it has %s" % (self.path, name, ", ".join(self.names())))
        return self.header[name]


def write_safetensors(path, tensors):
    """`tensors`: {name: (type such as "F32", shape, bytes)}. Writes aside, then renames."""
    header, offset = {}, 0
    for name, (kind, shape, data) in tensors.items():
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [offset, offset + len(data)]}
        offset += len(data)
    text = json.dumps(header).encode("utf-8")
    text += b" " * (-len(text) % 8)
    with open(path + ".part", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, _, data in tensors.values():
            file.write(data)
    os.replace(path + ".part", path)


# ---------------------------------------------------------------------------------------------------- order and recipe


class Order:
    """Which samples a rank sees: `mine(step)` is [d::D] of the step's indices, `count(step)` the global batch."""

    def __init__(self, job, rank):
        arrays = job.arrays("order")
        self.job = job
        self.indices, self.offsets = arrays.values("indices"), arrays.values("offsets")
        place = job.ranks[rank]
        self.data_index, self.data_count = place["data_index"], place["data_count"]
        if len(self.offsets) < job.steps + 1:
            raise Stop("setup", "the order has %d steps, the job %d" % (len(self.offsets) - 1, job.steps))

    def step(self, step):
        return self.indices[self.offsets[step]:self.offsets[step + 1]]

    def mine(self, step):
        """A flat (strided) memoryview; numpy.asarray takes it without a copy, list() too."""
        return self.step(step)[self.data_index::self.data_count]

    def count(self, step):
        return self.offsets[step + 1] - self.offsets[step]

    def timed(self, events, barrier=lambda: None):
        """Yields the steps from 0; meets the others in `barrier` where the timed region begins."""
        for step in range(self.job.steps):
            if step == self.job.warmup:
                reset_peak_memory()
                barrier()
                events.begin_timed()
            yield step
        events.end_timed()


def learning_rate(recipe, steps, step):
    """The rate of step `step` (from 0) of `steps`: linear warm-up, then constant, linear or cosine decay."""
    return recipe["lr"] * learning_rate_factor(recipe, steps, step)


def learning_rate_factor(recipe, steps, step):
    warmup = recipe.get("warmup_steps", 0) or 0
    if step < warmup:
        return (step + 1) / warmup
    final = recipe.get("final_lr_fraction", 0) or 0
    done = (step - warmup) / max(1, steps - warmup)
    schedule = recipe.get("schedule", "constant")
    if schedule == "constant":
        return 1.0
    if schedule == "linear":
        return 1 + (final - 1) * done
    if schedule == "cosine":
        return final + (1 - final) * 0.5 * (1 + math.cos(math.pi * done))
    raise Unsupported("schedule:%s" % schedule, "must be constant, linear or cosine")


# ------------------------------------------------------------------------------------------------------------- events


def _number(value):
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def _plain(value):
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


class Events:
    """Appends this rank's events. Steps of the timed region are kept and written every 200 ms and at its end."""

    def __init__(self, job, rank, role="worker"):
        name = "events.%s%d.jsonl" % ("rank" if role == "worker" else role, rank)
        self.rank, self.job, self.role = rank, job, role
        self._file = open(os.path.join(job.folder, name), "ab", buffering=0)
        self._lock = threading.Lock()
        self._timed, self._kept, self._flushed = False, [], now_ns()

    def emit(self, event_kind, **fields):
        """Any event, at once; fields that are None are left out."""
        event = {"e": event_kind, "t": now_ns()}
        event.update((key, _plain(value)) for key, value in fields.items() if value is not None)
        line = json.dumps(event, separators=(",", ":"), allow_nan=False)
        with self._lock:
            self._flush()
            self._file.write((line + "\n").encode("utf-8"))

    def hello(self, worker, versions, device="cpu"):
        self.emit("hello", contract=CONTRACT, worker=worker, versions=versions, pid=os.getpid(),
                  host=socket.gethostname(), rank=self.rank, world=self.job.world, role=self.role, device=device,
                  clock={"monotonic_ns": now_ns(), "utc_ns": int(time.time() * 1e9)})

    def ready(self, parameters, parameter_bytes, flops_per_sample=None):
        self.emit("ready", parameters=parameters, parameter_bytes=parameter_bytes, flops_per_sample=flops_per_sample)

    def step(self, step, t0, t1, samples, tokens, loss, bytes_sent=None, messages=None):
        """`loss` is the mean over this rank's `tokens` positions, which are its weight."""
        with self._lock:
            self._kept.append((now_ns(), step, t0, t1, samples, tokens, loss, bytes_sent, messages))
            if not self._timed or t1 - self._flushed >= FLUSH_NS:
                self._flush()

    def begin_timed(self):
        with self._lock:
            self._flush()
            self._timed = True

    def end_timed(self):
        with self._lock:
            self._timed = False
            self._flush()

    def evaluation(self, step, samples_seen, metric, value):
        self.emit("eval", step=step, samples_seen=samples_seen, metric=metric, value=value)

    def fingerprint(self, step, parameters, gradients):
        self.emit("fingerprint", step=step, parameters=parameters, gradients=gradients)

    def metric(self, name, step, value, unit=""):
        self.emit("metric", name=name, step=step, value=value, unit=unit)

    def memory(self):
        """Reports this process; call it after the timed region (it takes about a millisecond)."""
        use = process_memory()
        if use:
            self.emit("memory", category="rss", bytes=use["rss"], peak=use["peak_rss"])
            self.emit("memory", category="pss", bytes=use["pss"], peak=use["peak_pss"])

    def _flush(self):
        """With the lock held."""
        if self._kept:
            self._file.write("".join(map(_step_line, self._kept)).encode("utf-8"))
            self._kept = []
        self._flushed = now_ns()


def _step_line(entry):
    """By hand: json.dumps would take several microseconds inside the timed region."""
    t, step, t0, t1, samples, tokens, loss, sent, messages = entry
    counted = '' if sent is None else ',"bytes_sent":%d' % sent
    if messages is not None:
        counted += ',"messages":%d' % messages
    value = repr(float(loss)) if math.isfinite(loss) else '"%s"' % _number(loss)
    return ('{"e":"step","t":%d,"step":%d,"t0":%d,"t1":%d,"samples":%d,"tokens":%d,"loss":%s,"loss_weight":%d%s}\n' %
            (t, step, t0, t1, samples, tokens, value, tokens, counted))


# ------------------------------------------------------------------------------------------------------------- memory


def process_memory():
    """Bytes of this process: rss, peak_rss, pss and peak_pss = pss + (peak_rss - rss); None where /proc is silent."""
    try:
        status = _kib_fields("/proc/self/status", ("VmRSS", "VmHWM"))
        pss = _kib_fields("/proc/self/smaps_rollup", ("Pss",))["Pss"]
        rss, peak = status["VmRSS"], status["VmHWM"]
        return {"rss": rss, "peak_rss": peak, "pss": pss, "peak_pss": pss + max(0, peak - rss)}
    except (OSError, KeyError):
        return None


def reset_peak_memory():
    """Starts a new peak of RSS; False where the system does not let us."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        return True
    except OSError:
        return False


def _kib_fields(path, names):
    found = {}
    with open(path) as file:
        for line in file:
            key, _, rest = line.partition(":")
            if key in names:
                found[key] = int(rest.split()[0]) * 1024
    return found


# --------------------------------------------------------------------------------------------------------------- main


class Heartbeat:
    """Says every few seconds that the rank is alive, from a thread of its own."""

    def __init__(self, events, seconds=5.0):
        self._events, self._seconds, self._stop = events, seconds, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._stop.wait(self._seconds):
            self._events.emit("heartbeat")

    def stop(self):
        self._stop.set()
        self._thread.join()


def rank_from_environment():
    """RANK, else what Open MPI, PMI or Slurm say, else 0."""
    for name in ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"):
        if name in os.environ:
            return int(os.environ[name])
    return 0


def main(work, worker, versions, device="cpu", argv=None):
    """Runs `work(job, rank, events)` for job file argv[1] with hello, heartbeats and the last event around it. Ends the
    process with 0, or 1 after an error."""
    argv = sys.argv if argv is None else argv
    if len(argv) != 2:
        sys.exit("usage: %s JOB.json" % os.path.basename(argv[0]))
    job, rank = Job(argv[1]), rank_from_environment()
    events = Events(job, rank)
    events.hello(worker, versions() if callable(versions) else versions, device)
    heartbeat = Heartbeat(events)
    try:
        work(job, rank, events)
        heartbeat.stop()
        events.emit("done", steps=job.steps, status="ok")
    except Unsupported as answer:
        heartbeat.stop()
        events.emit("unsupported", term=answer.term, reason=answer.reason)
        events.emit("done", steps=0, status="unsupported")
    except BaseException as failure:  # the last words of a rank, whatever happened
        heartbeat.stop()
        traceback.print_exc()
        events.emit("error", kind=failure_kind(failure), message=str(failure) or type(failure).__name__)
        sys.exit(1)


def failure_kind(failure):
    if isinstance(failure, Stop):
        return failure.kind
    if isinstance(failure, ConnectionError) or "onnection closed by peer" in str(failure) or \
            "onnection reset by peer" in str(failure):
        return "peer_lost"
    if isinstance(failure, MemoryError) or "out of memory" in str(failure).lower():
        return "out_of_memory"
    if isinstance(failure, (ImportError, FileNotFoundError)):
        return "setup"
    return "internal"
