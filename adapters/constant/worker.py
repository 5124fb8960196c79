"""A trivial baseline: follows the order, keeps the initial weights, reports the loss of a uniform guess."""

import json
import math
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "contract"))

import lockstep_worker as lw

STEP_SECONDS = 0.0005


def classes(job):
    """The size of the softmax, from the shape of the last linear's weight; 2 where that is unknown."""
    loss = job.graph[-1]["in"][0]
    made_by = [op for op in job.graph if op["name"] == loss]
    return list(made_by[0]["out"].values())[-1] if made_by and "out" in made_by[0] else 2


def norms(arrays):
    return {name: math.sqrt(sum(value * value for value in arrays.values(name))) for name in arrays.names()}


def work(job, rank, events):
    if job.world != 1:
        raise lw.Unsupported(job.strategy, "the constant baseline has one process")
    init, order = job.arrays("init"), lw.Order(job, rank)
    parameters = sum(len(init.values(name)) for name in init.names())
    events.ready(parameters=parameters, parameter_bytes=4 * parameters)
    prints = norms(init) if job.mode == "verify" else {}
    if prints:
        events.fingerprint(0, prints, {})
    for step in order.timed(events):
        t0, samples = lw.now_ns(), len(order.mine(step))
        time.sleep(STEP_SECONDS)
        events.step(step + 1, t0, lw.now_ns(), samples, samples, math.log(classes(job)))
        if prints and step < job.fingerprints:
            events.fingerprint(step + 1, prints, dict.fromkeys(prints, 0.0))
    events.memory()


if __name__ == "__main__":
    if sys.argv[1:] == ["probe"]:
        print(json.dumps({"contract": lw.CONTRACT, "worker": "constant", "versions": {"constant": "1"},
                          "capabilities": {"strategies": {"serial": "one process"}}}))
    else:
        lw.main(work, "constant", {"constant": "1"})
