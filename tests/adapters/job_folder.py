"""Makes run folders with a job for the tests of Python workers, and reads back what the workers wrote."""

import json
import os
import random
import struct
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), os.pardir, os.pardir))
sys.path.insert(0, os.path.join(ROOT, "adapters", "contract"))

import lockstep_worker as lw

RECIPE = {"optimizer": "momentum", "lr": 0.1, "momentum": 0.9, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8,
          "weight_decay": 0.01, "batch": 12, "schedule": "constant", "warmup_steps": 0, "final_lr_fraction": 0,
          "clip": None, "precision": "fp32", "seed": 1, "dropout": 0}


def floats(values):
    return struct.pack("<%df" % len(values), *values)


def mlp_workload(recipe=None, activation="tanh"):
    graph = [{"op": "linear", "name": "fc1", "in": "image", "out": {"hidden": 7}, "activation": activation},
             {"op": "linear", "name": "fc2", "in": "fc1", "out": {"class": 4}},
             {"op": "softmax_cross_entropy", "name": "loss", "in": ["fc2", "label"]}]
    inputs = {"image": {"array": "image", "dims": {"chan_in": 1, "height": 3, "width": 3}, "type": "real", "shift": 0,
                        "scale": 1 / 255},
              "label": {"array": "label", "dims": {}, "type": "index"}}
    return {"id": "mlp", "preset": "micro", "inputs": inputs, "graph": graph, "recipe": dict(RECIPE, **(recipe or {})),
            "samples": {"train": 50, "test": 21}}


MLP_SHAPES = {"fc1.weight": (7, 1, 3, 3), "fc1.bias": (7,), "fc2.weight": (4, 7), "fc2.bias": (4,)}


def image_arrays(dice):
    def pixels(count):
        return bytes(dice.randrange(256) for _ in range(count * 9))

    def labels(count):
        return bytes(dice.randrange(4) for _ in range(count))

    return {"train.image": ("U8", (50, 1, 3, 3), pixels(50)), "train.label": ("U8", (50,), labels(50)),
            "test.image": ("U8", (21, 1, 3, 3), pixels(21)), "test.label": ("U8", (21,), labels(21))}


def product(shape):
    size = 1
    for length in shape:
        size *= length
    return size


def make_job(folder, workload, shapes, arrays, ranks=1, batches=None, scale=0.3, **fields):
    """Writes job.json and its arrays; `batches` are the global batch sizes of the steps."""
    os.makedirs(folder, exist_ok=True)
    dice, batches = random.Random(3), batches or [12, 12, 7, 12]
    tensors = {name: ("F32", shape, floats([dice.gauss(0, scale) for _ in range(product(shape))]))
               for name, shape in shapes.items()}
    lw.write_safetensors(os.path.join(folder, "init.safetensors"), tensors)
    lw.write_safetensors(os.path.join(folder, "data.safetensors"), arrays)
    train = workload["samples"]["train"]
    indices = [dice.randrange(train) for _ in range(sum(batches))]
    offsets = [sum(batches[:i]) for i in range(len(batches) + 1)]
    lw.write_safetensors(os.path.join(folder, "order.safetensors"), {
        "indices": ("I64", (len(indices),), struct.pack("<%dq" % len(indices), *indices)),
        "offsets": ("I64", (len(offsets),), struct.pack("<%dq" % len(offsets), *offsets))})
    job = {"contract": 1, "launch_id": "test", "workload": workload,
           "strategy": {"text": "serial" if ranks == 1 else "dp%d" % ranks, "parsed": {}},
           "fabric": "" if ranks == 1 else "gloo",
           "ranks": [{"data_index": d, "data_count": ranks, "stage": 0, "roles": ["worker"]} for d in range(ranks)],
           "init": "init.safetensors", "data": "data.safetensors", "order": "order.safetensors",
           "steps": len(batches), "warmup": 1, "seed": 1, "precision": "fp64", "threads": 1, "mode": "verify",
           "fingerprints": 2, "eval": {"metric": "", "every": 0, "batch": 5}, "options": {}}
    job.update(fields)
    with open(os.path.join(folder, "job.json"), "w", encoding="utf-8") as file:
        json.dump(job, file)
    return os.path.join(folder, "job.json")


def free_port():
    import socket
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run_worker(python, worker, job_file, seconds=120):
    """Starts every rank as the adapter's manifest does; returns the exit statuses."""
    with open(job_file, encoding="utf-8") as file:
        world = len(json.load(file)["ranks"])
    shared = dict(os.environ, WORLD_SIZE=str(world), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free_port()),
                  GLOO_SOCKET_IFNAME="lo", OMP_NUM_THREADS="1")
    ranks = []
    for rank in range(world):
        with open(os.path.join(os.path.dirname(job_file), "stderr.rank%d.log" % rank), "wb") as log:
            ranks.append(subprocess.Popen([python, worker, job_file], stderr=log,
                                          env=dict(shared, RANK=str(rank), LOCAL_RANK=str(rank))))
    try:
        return [rank.wait(timeout=seconds) for rank in ranks]
    finally:
        for rank in ranks:
            rank.kill()


def read_events(job_file, rank=0):
    with open(os.path.join(os.path.dirname(job_file), "events.rank%d.jsonl" % rank), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def of_kind(events, kind):
    return [event for event in events if event["e"] == kind]


def global_losses(job_file, world):
    sums = {}
    for rank in range(world):
        for step in of_kind(read_events(job_file, rank), "step"):
            loss, weight = sums.get(step["step"], (0.0, 0))
            sums[step["step"]] = (loss + step["loss"] * step["loss_weight"], weight + step["loss_weight"])
    return [loss / weight for _, (loss, weight) in sorted(sums.items())]
