"""The Python side of the contract, with the standard library alone."""

import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import job_folder as jf
import random

lw = jf.lw


class InFolder(unittest.TestCase):

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)

    def job(self, ranks=1, **fields):
        return jf.make_job(self.scratch.name, jf.mlp_workload(), jf.MLP_SHAPES, jf.image_arrays(random.Random(5)),
                           ranks, **fields)


class Jobs(InFolder):

    def test_another_contract_is_refused(self):
        with self.assertRaisesRegex(lw.Stop, "contract: 2: must be 1"):
            lw.Job(self.job(contract=2))

    def test_unknown_fields_are_ignored(self):
        self.assertEqual(lw.Job(self.job(assignment=[[1]])).steps, 4)

    def test_ranks_share_every_step_without_overlap(self):
        job = lw.Job(self.job(3))
        orders = [lw.Order(job, rank) for rank in range(3)]
        for step in range(4):
            everything = list(orders[0].step(step))
            shares = [list(order.mine(step)) for order in orders]
            self.assertEqual(shares, [everything[d::3] for d in range(3)])
            self.assertEqual(sum(map(len, shares)), orders[0].count(step))


class Arrays(InFolder):

    def test_written_and_read_back(self):
        path = os.path.join(self.scratch.name, "a.safetensors")
        lw.write_safetensors(path, {"x": ("F32", (2, 1), jf.floats([1.5, -2.0])), "n": ("U8", (3,), b"abc")})
        arrays = lw.SafeTensors(path)
        self.assertEqual((arrays.names(), arrays.shape("x")), (["n", "x"], (2, 1)))
        self.assertEqual(list(arrays.values("x")), [1.5, -2.0])
        self.assertEqual(bytes(arrays.view("n")), b"abc")
        with self.assertRaisesRegex(lw.Stop, "no such array; it has n, x"):
            arrays.view("y")


class Rates(unittest.TestCase):

    def test_warm_up_then_decay(self):
        recipe = {"lr": 2.0, "warmup_steps": 2, "schedule": "cosine", "final_lr_fraction": 0.5}
        self.assertEqual([lw.learning_rate(recipe, 6, s) for s in (0, 1, 2, 4)], [1.0, 2.0, 2.0, 1.5])
        recipe["schedule"] = "linear"
        self.assertEqual([lw.learning_rate(recipe, 6, s) for s in (2, 3, 4)], [2.0, 1.75, 1.5])
        self.assertEqual(lw.learning_rate({"lr": 3.0}, 6, 5), 3.0)


class EventFiles(InFolder):

    def test_steps_of_the_timed_region_wait(self):
        job = lw.Job(self.job())
        events = lw.Events(job, 0)
        path = os.path.join(self.scratch.name, "events.rank0.jsonl")
        events.begin_timed()
        now = lw.now_ns()
        events.step(1, now, now, 2, 2, float("nan"))
        self.assertEqual(os.path.getsize(path), 0)
        events.step(2, now, now + lw.FLUSH_NS + 1, 2, 2, 0.25, bytes_sent=8, messages=1)
        with open(path) as file:
            first, second = map(json.loads, file)
        self.assertEqual((first["loss"], second["loss"], second["bytes_sent"]), ("NaN", 0.25, 8))

    def run_main(self, work):
        lw.main(work, "test", {}, argv=["x", self.job()])
        return jf.read_events(os.path.join(self.scratch.name, "job.json"))

    def test_last_words(self):
        def fine(job, rank, events):
            events.memory()

        def cannot(job, rank, events):
            raise lw.Unsupported("dp9", "too many")

        def fails(job, rank, events):
            raise MemoryError("no more")

        self.assertEqual(self.run_main(fine)[-1]["status"], "ok")
        self.assertEqual(jf.of_kind(self.run_main(cannot), "unsupported")[0]["term"], "dp9")
        with open(os.devnull, "w") as sys.stderr, self.assertRaises(SystemExit):
            self.run_main(fails)
        sys.stderr = sys.__stderr__
        last = jf.read_events(os.path.join(self.scratch.name, "job.json"))[-1]
        self.assertEqual((last["e"], last["kind"]), ("error", "out_of_memory"))


class Constant(InFolder):

    def test_events_are_in_order_and_the_work_is_not_done(self):
        job = self.job()
        worker = os.path.join(jf.ROOT, "adapters", "constant", "worker.py")
        self.assertEqual(jf.run_worker(sys.executable, worker, job), [0])
        events = jf.read_events(job)
        self.assertEqual([e["e"] for e in events if e["e"] != "memory"],
                         ["hello", "ready", "fingerprint", "step", "fingerprint", "step", "fingerprint", "step", "step",
                          "done"])
        initial, first, second = jf.of_kind(events, "fingerprint")
        self.assertEqual(initial["parameters"], second["parameters"])
        self.assertEqual(set(first["gradients"].values()), {0.0})  # the proof fails by these


if __name__ == "__main__":
    unittest.main()
