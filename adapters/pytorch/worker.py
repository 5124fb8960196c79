"""PyTorch's worker: `worker.py JOB.json` trains as rank RANK of WORLD_SIZE, `worker.py probe` tells what is here."""

import json
import os
import platform
import re
import sys
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "contract"))

import lockstep_worker as lw

WORKER = "pytorch"
NATIVE = {"serial": "one process", "dp{n}": "DistributedDataParallel"}


def blas_in_use():
    """The matrix library that this process has loaded, from its memory map: what torch was built for says too little,
    as the distribution's libblas.so.3 is an alternative."""
    with open("/proc/self/maps") as maps:
        text = maps.read()
    for name, pattern in (("MKL", r"libmkl_"), ("OpenBLAS", r"libopenblas"), ("BLIS", r"libblis"),
                          ("ATLAS", r"libatlas"), ("reference BLAS", r"libblas\.so")):
        if re.search(pattern, text):
            return name
    return "inside torch"


def versions():
    import numpy
    import torch
    config = torch.__config__.show()
    built_for = re.search(r"BLAS_INFO=(\w+)", config)
    threads = re.search(r"(OpenMP|OMP)[^\n]*", config)
    found = {"torch": torch.__version__, "numpy": numpy.__version__, "python": platform.python_version(),
             "interpreter": sys.executable, "blas": blas_in_use()}
    if built_for and built_for.group(1) == "mkl" and found["blas"] == "inside torch":
        found["blas"] = "MKL"
    if threads:
        found["openmp"] = threads.group(0).strip()
    found["onednn"] = "yes" if torch.backends.mkldnn.is_available() else "no"
    return found


def probe():
    """Prints versions and capabilities as one JSON object."""
    import torch
    import torch.distributed as dist
    gloo = dist.is_available() and dist.is_gloo_available() if hasattr(dist, "is_gloo_available") else \
        dist.is_available()
    native = dict(NATIVE) if gloo else {"serial": NATIVE["serial"]}
    attention = hasattr(torch.nn.functional, "scaled_dot_product_attention")
    print(json.dumps({"contract": lw.CONTRACT, "worker": WORKER, "versions": versions(),
                      "capabilities": {"strategies": native, "fabrics": ["gloo"] if gloo else [],
                                       "precisions": ["fp32", "fp64"], "devices": ["cpu"],
                                       "fused_attention": attention}}))


def check_strategy(job):
    """The number of ranks of `serial` or `dpN`; everything else is unsupported."""
    match = re.match(r"^(?:serial|dp(\d+))$", job.strategy)
    if not match:
        raise lw.Unsupported(job.strategy, "this adapter does serial and dp{n} (DistributedDataParallel)")
    ranks = int(match.group(1) or 1)
    if ranks != job.world:
        raise lw.Stop("setup", "strategy %s needs %d ranks, the job has %d" % (job.strategy, ranks, job.world))
    if ranks > 1 and job.fabric.split(":")[0] != "gloo":
        raise lw.Unsupported("fabric:" + job.fabric, "this adapter's ranks talk over gloo")


def work(job, rank, events):
    import torch
    check_strategy(job)
    torch.set_num_threads(job.threads)
    warnings.filterwarnings("ignore", message=".*not writable.*")  # the data is mapped; nobody writes to it
    from training import Trainer
    if job.world > 1:
        import torch.distributed as dist
        # They meet in a file of the run folder: over TCP a rank that is there first tries again only after a second. The
        # port, the launch's own, only tells it from what a killed start may have left there.
        meeting = os.path.join(job.folder, "rendezvous.%s" % os.environ.get("MASTER_PORT", "0"))
        dist.init_process_group("gloo", init_method="file://" + meeting, rank=rank, world_size=job.world)
    trainer = Trainer(job, rank, events)
    sizes = [p.numel() * p.element_size() for p in trainer.parameters.values()]
    events.ready(parameters=sum(p.numel() for p in trainer.parameters.values()), parameter_bytes=sum(sizes))
    if job.world > 1:
        # A ring all-reduce sends this; gloo does not count. Modelled, and named so.
        events.metric("bytes_sent_modelled", 0, 2 * (job.world - 1) / job.world * sum(sizes), "B")
    trainer.run()
    events.memory()
    if job.world > 1:
        dist.destroy_process_group()


if __name__ == "__main__":
    if sys.argv[1:] == ["probe"]:
        probe()
    else:
        lw.main(work, WORKER, versions)
        # All is written; torch would take another 0.2 s to take itself apart.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
