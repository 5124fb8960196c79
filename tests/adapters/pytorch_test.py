"""The PyTorch adapter for real: 1 process, and ranks on gloo, against float64 numpy and against plain torch."""

import os
import random
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import job_folder as jf

try:
    import numpy
    import torch
    import numpy_mlp
    MISSING = None
except ImportError as error:
    MISSING = "%s (apt install python3-torch)" % error

WORKER = os.path.join(jf.ROOT, "adapters", "pytorch", "worker.py")


def train(workload, shapes, arrays, ranks=1, **fields):
    """(job file, exit statuses) of a run in a folder that stays until the process ends."""
    folder = tempfile.mkdtemp(prefix="lockstep-pytorch-", dir=SCRATCH.name)
    job = jf.make_job(folder, workload, shapes, arrays, ranks, **fields)
    return job, jf.run_worker(sys.executable, WORKER, job)


def mlp(ranks=1, recipe=None, **fields):
    return train(jf.mlp_workload(recipe), jf.MLP_SHAPES, jf.image_arrays(random.Random(5)), ranks, **fields)


SCRATCH = tempfile.TemporaryDirectory()


@unittest.skipIf(MISSING, "torch is missing: %s" % MISSING)
class Mlp(unittest.TestCase):

    def agree(self, job, ranks, places=11):
        losses, prints = numpy_mlp.run(job)
        numpy.testing.assert_allclose(jf.global_losses(job, ranks), losses, rtol=10.0 ** -places)
        found = jf.of_kind(jf.read_events(job), "fingerprint")
        self.assertEqual([print_["step"] for print_ in found], [0, 1, 2])
        for print_ in found:
            for part in ("parameters", "gradients"):
                expected = prints[print_["step"]][part]
                self.assertEqual(sorted(print_[part]), sorted(expected))
                for name, norm in expected.items():
                    self.assertAlmostEqual(print_[part][name] / norm, 1, places=places, msg=(part, name))

    def test_every_optimizer_equals_its_formula(self):
        for optimizer in ("sgd", "momentum", "nesterov", "adamw"):
            with self.subTest(optimizer):
                job, status = mlp(recipe={"optimizer": optimizer, "lr": 0.05})
                self.assertEqual(status, [0])
                self.agree(job, 1)

    def test_schedule_and_clipping(self):
        job, _ = mlp(recipe={"schedule": "cosine", "warmup_steps": 2, "final_lr_fraction": 0.1, "clip": 0.05})
        self.agree(job, 1)

    def test_two_ranks_with_ragged_batches(self):
        job, status = mlp(2, batches=[12, 11, 1, 7])  # a rank without a sample in the third step
        self.assertEqual(status, [0, 0])
        self.agree(job, 2)
        self.assertEqual([s["samples"] for s in jf.of_kind(jf.read_events(job, 1), "step")], [6, 5, 0, 3])

    def test_single_precision(self):
        job, _ = mlp(precision="fp32")
        self.agree(job, 1, places=5)

    def test_evaluation_counts_every_held_out_sample_once(self):
        for ranks in (1, 2):
            job, _ = mlp(ranks, recipe={"lr": 0.0, "weight_decay": 0.0}, mode="converge",
                         eval={"metric": "test_accuracy", "every": 2, "batch": 5})
            found = jf.of_kind(jf.read_events(job), "eval")
            self.assertEqual([(e["step"], e["samples_seen"]) for e in found], [(2, 24), (4, 43)])
            for event in found:
                self.assertAlmostEqual(event["value"], numpy_mlp.test_accuracy(job), places=12)

    def test_events_of_a_timed_run(self):
        job, _ = mlp(2, mode="time")
        for rank in range(2):
            events = jf.read_events(job, rank)
            self.assertEqual((events[0]["e"], events[-1]["e"]), ("hello", "done"))
            self.assertEqual([e["step"] for e in jf.of_kind(events, "step")], [1, 2, 3, 4])
            self.assertEqual(sorted(e["category"] for e in jf.of_kind(events, "memory")), ["pss", "rss"])
            self.assertEqual(jf.of_kind(events, "ready")[0]["parameters"], 7 * 9 + 7 + 4 * 7 + 4)
            self.assertEqual(jf.of_kind(events, "fingerprint"), [])

    def test_other_strategies_are_unsupported(self):
        job, status = mlp(2, strategy={"text": "dp2/zero3", "parsed": {}})
        self.assertEqual(status, [0, 0])
        self.assertEqual(jf.of_kind(jf.read_events(job), "unsupported")[0]["term"], "dp2/zero3")

    def test_a_loss_that_is_not_finite_ends_every_rank(self):
        job, status = mlp(2, recipe={"lr": 1e200}, batches=[12] * 6)
        self.assertNotIn(0, status)
        kinds = [jf.read_events(job, rank)[-1].get("kind") for rank in range(2)]
        self.assertIn("non_finite_loss", kinds)
        self.assertLessEqual(set(kinds), {"non_finite_loss", "peer_lost"})


def language_inputs(seq):
    entry = {"array": "bytes", "dims": {"seq": seq}, "type": "index", "window": seq, "stride": seq}
    return {"tokens": dict(entry, offset=0), "targets": dict(entry, offset=1)}


def language_arrays(count):
    dice = random.Random(9)
    return {"%s.bytes" % split: ("U8", (count,), bytes(dice.randrange(16) for _ in range(count)))
            for split in ("train", "test")}


GPT = [{"op": "embedding", "name": "embed", "in": "tokens", "vocab": 16, "out": {"hidden": 8}},
       {"op": "positions", "name": "pos", "in": "embed"},
       {"op": "layer_norm", "name": "ln1", "in": "pos"},
       {"op": "linear", "name": "qkv", "in": "ln1", "out": {"gate": 3, "heads": 2, "head_dim": 4}},
       {"op": "attention", "name": "att", "in": "qkv"},
       {"op": "linear", "name": "proj", "in": "att", "out": {"hidden": 8}},
       {"op": "add", "name": "res", "in": ["pos", "proj"]},
       {"op": "linear", "name": "fc", "in": "res", "out": {"ffn": 8}, "activation": "gelu"},
       {"op": "linear", "name": "head", "in": "fc", "out": {"vocab": 16}, "weight": "embed.table"},
       {"op": "softmax_cross_entropy", "name": "loss", "in": ["head", "targets"]}]
GPT_SHAPES = {"embed.table": (16, 8), "pos.table": (6, 8), "ln1.gamma": (8,), "ln1.beta": (8,),
              "qkv.weight": (3, 2, 4, 8), "qkv.bias": (3, 2, 4), "proj.weight": (8, 2, 4), "proj.bias": (8,),
              "fc.weight": (8, 8), "fc.bias": (8,)}

LSTM = [{"op": "embedding", "name": "embed", "in": "tokens", "vocab": 16, "out": {"hidden": 5}},
        {"op": "linear", "name": "gates", "in": "embed", "out": {"gate": 4, "hidden": 7}},
        {"op": "lstm", "name": "cell", "in": "gates"},
        {"op": "linear", "name": "head", "in": "cell", "out": {"vocab": 16}},
        {"op": "softmax_cross_entropy", "name": "loss", "in": ["head", "targets"]}]
LSTM_SHAPES = {"embed.table": (16, 5), "gates.weight": (4, 7, 5), "gates.bias": (4, 7), "cell.weight": (4, 7, 7),
               "head.weight": (16, 7), "head.bias": (16,)}

CNN = [{"op": "conv2d", "name": "c1", "in": "image", "out": {"chan_out": 3}, "kernel": 2, "pad": [1, 0, 1, 0],
        "activation": "tanh"},
       {"op": "avg_pool", "name": "pool", "in": "c1", "kernel": 2, "stride": 1},
       {"op": "conv2d", "name": "c2", "in": "pool", "out": {"chan_out": 2}, "kernel": [2, 1], "pad": 1, "bias": False},
       {"op": "gelu", "name": "act", "in": "c2"},
       {"op": "reshape", "name": "flat", "in": "act", "out": {"hidden": 24}},
       {"op": "linear", "name": "fc", "in": "flat", "out": {"class": 4}},
       {"op": "softmax_cross_entropy", "name": "loss", "in": ["fc", "label"]}]
CNN_SHAPES = {"c1.weight": (3, 1, 2, 2), "c1.bias": (3,), "c2.weight": (2, 3, 2, 1), "fc.weight": (4, 24),
              "fc.bias": (4,)}


def gpt_loss(w, tokens, targets):
    """The GPT graph, op by op in plain torch, attention as a loop over heads and positions."""
    def gelu(x):
        return 0.5 * x * (1 + torch.tanh((2 / numpy.pi) ** 0.5 * (x + 0.044715 * x ** 3)))

    x = w["embed.table"][tokens] + w["pos.table"]
    centred = x - x.mean(-1, keepdim=True)
    normal = centred / (centred.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt() * w["ln1.gamma"] + w["ln1.beta"]
    qkv = torch.einsum("bsi,ghdi->bsghd", normal, w["qkv.weight"]) + w["qkv.bias"]
    mixed = torch.zeros(x.shape[0], x.shape[1], 2, 4, dtype=x.dtype)
    for head in range(2):
        for at in range(x.shape[1]):
            q, k, v = qkv[:, at, 0, head], qkv[:, :at + 1, 1, head], qkv[:, :at + 1, 2, head]
            p = torch.softmax((q[:, None] * k).sum(-1) / 2.0, -1)
            mixed[:, at, head] = (p[..., None] * v).sum(1)
    x = x + torch.einsum("bshd,ohd->bso", mixed, w["proj.weight"]) + w["proj.bias"]
    logits = gelu(x @ w["fc.weight"].T + w["fc.bias"]) @ w["embed.table"].T
    return -torch.log_softmax(logits, -1).gather(-1, targets[..., None]).mean()


MOE = [{"op": "embedding", "name": "embed", "in": "tokens", "vocab": 16, "out": {"hidden": 8}},
       {"op": "linear", "name": "router", "in": "embed", "out": {"expert": 3}, "bias": False},
       {"op": "route", "name": "route", "in": "router", "choices": 2, "capacity_factor": 0.8, "routing_group": 3,
        "balance": 0.25},
       {"op": "dispatch", "name": "sent", "in": ["embed", "route"]},
       {"op": "expert_linear", "name": "fc1", "in": "sent", "out": {"ffn": 5}, "activation": "tanh"},
       {"op": "expert_linear", "name": "fc2", "in": "fc1", "out": {"hidden": 8}, "bias": False},
       {"op": "combine", "name": "back", "in": ["fc2", "route"]},
       {"op": "add", "name": "res", "in": ["embed", "back"]},
       {"op": "linear", "name": "head", "in": "res", "out": {"vocab": 16}},
       {"op": "softmax_cross_entropy", "name": "loss", "in": ["head", "targets"]}]
MOE_SHAPES = {"embed.table": (16, 8), "router.weight": (3, 8), "fc1.weight": (3, 5, 8), "fc1.bias": (3, 5),
              "fc2.weight": (3, 8, 5), "head.weight": (16, 8), "head.bias": (16,)}


def moe_loss(w, tokens, targets):
    """The mixture of experts token by token: groups of 3 tokens, ceil(0.8 * 2 * 3 / 3) = 2 places an expert."""
    x = w["embed.table"][tokens]
    out, penalty = [], 0
    for sample in x:
        for group in sample.split(3):
            probs = torch.softmax(group @ w["router.weight"].T, -1)
            order = probs.argsort(-1, descending=True)
            used, rows = [0, 0, 0], [token for token in group]
            for choice in range(2):
                for at in range(3):
                    expert = int(order[at, choice])
                    if used[expert] == 2:
                        continue
                    used[expert] += 1
                    gate = probs[at, expert] / (probs[at, order[at, 0]] + probs[at, order[at, 1]])
                    made = torch.tanh(w["fc1.weight"][expert] @ group[at] + w["fc1.bias"][expert])
                    rows[at] = rows[at] + gate * (w["fc2.weight"][expert] @ made)
            out += rows
            share = torch.tensor([float((order[:, 0] == expert).sum()) / 3 for expert in range(3)], dtype=x.dtype)
            penalty = penalty + 0.25 * 3 * (share * probs.mean(0)).sum() / 2 / len(x)  # 2 groups a sample
    logits = torch.stack(out).view(*x.shape) @ w["head.weight"].T + w["head.bias"]
    return penalty - torch.log_softmax(logits, -1).gather(-1, targets[..., None]).mean()


def lstm_loss(w, tokens, targets):
    x = w["embed.table"][tokens]
    h = c = torch.zeros(x.shape[0], 7, dtype=x.dtype)
    outputs = []
    for at in range(x.shape[1]):
        gates = (torch.einsum("bi,ghi->gbh", x[:, at], w["gates.weight"]) + w["gates.bias"][:, None] +
                 torch.einsum("bi,ghi->gbh", h, w["cell.weight"]))
        i, f, g, o = gates[0].sigmoid(), gates[1].sigmoid(), gates[2].tanh(), gates[3].sigmoid()
        c = f * c + i * g
        h = o * c.tanh()
        outputs.append(h)
    logits = torch.stack(outputs, 1) @ w["head.weight"].T + w["head.bias"]
    return -torch.log_softmax(logits, -1).gather(-1, targets[..., None]).mean()


@unittest.skipIf(MISSING, "torch is missing: %s" % MISSING)
class OtherGraphs(unittest.TestCase):
    """The first loss and gradient norms against the same graph written out by hand."""

    def language(self, graph, shapes, loss, seq=6):
        workload = {"id": "lm", "preset": "micro", "inputs": language_inputs(seq), "graph": graph,
                    "recipe": dict(jf.RECIPE, optimizer="adamw", lr=0.01), "samples": {"train": 30, "test": 30}}
        for ranks in (1, 2):
            job, status = train(workload, shapes, language_arrays(30 * seq + 1), ranks, batches=[5, 4, 5],
                                eval={"metric": "bits_per_byte", "every": 0, "batch": 7})
            self.assertEqual(status, [0] * ranks)
            parsed = jf.lw.Job(job)
            arrays, stored = parsed.arrays("init"), parsed.arrays("data").array("train.bytes").astype("int64")
            w = {name: torch.tensor(arrays.array(name)).double().requires_grad_() for name in arrays.names()}
            indices = list(jf.lw.Order(parsed, 0).step(0))
            tokens = torch.tensor(numpy.stack([stored[i * seq:i * seq + seq] for i in indices]))
            targets = torch.tensor(numpy.stack([stored[i * seq + 1:i * seq + seq + 1] for i in indices]))
            value = loss(w, tokens, targets)
            value.backward()
            self.assertAlmostEqual(jf.global_losses(job, ranks)[0], value.item(), places=12)
            found = jf.of_kind(jf.read_events(job), "fingerprint")[1]["gradients"]
            for name, parameter in w.items():
                self.assertAlmostEqual(found[name], parameter.grad.norm().item(), places=12, msg=name)
            self.assertGreater(jf.of_kind(jf.read_events(job), "eval")[-1]["value"], 1)

    def test_gpt_with_tied_weights(self):
        self.language(GPT, GPT_SHAPES, gpt_loss)

    def test_mixture_of_experts(self):
        self.language(MOE, MOE_SHAPES, moe_loss)

    def test_lstm(self):
        self.language(LSTM, LSTM_SHAPES, lstm_loss)

    def test_cnn_on_two_ranks_equals_one(self):
        workload = dict(jf.mlp_workload(), graph=CNN)
        losses = []
        for ranks in (1, 2):
            job, status = train(workload, CNN_SHAPES, jf.image_arrays(random.Random(5)), ranks)
            self.assertEqual(status, [0] * ranks)
            losses.append(jf.global_losses(job, ranks))
        numpy.testing.assert_allclose(losses[1], losses[0], rtol=1e-12)
        parsed = jf.lw.Job(job)
        w = {name: torch.tensor(parsed.arrays("init").array(name)).double() for name in CNN_SHAPES}
        indices = numpy.asarray(jf.lw.Order(parsed, 0).step(0))
        x = torch.tensor(parsed.arrays("data").array("train.image")[indices] / 255.0)
        x = torch.nn.functional.pad(x, (1, 0, 1, 0)).unfold(2, 2, 1).unfold(3, 2, 1)
        x = torch.tanh(torch.einsum("bchwij,ocij->bohw", x, w["c1.weight"]) + w["c1.bias"][:, None, None])
        x = torch.nn.functional.pad(x.unfold(2, 2, 1).unfold(3, 2, 1).mean((-1, -2)), (1, 1, 1, 1))
        x = torch.einsum("bchwi,oci->bohw", x.unfold(2, 2, 1), w["c2.weight"][..., 0])
        x = 0.5 * x * (1 + torch.tanh((2 / numpy.pi) ** 0.5 * (x + 0.044715 * x ** 3)))
        logits = x.flatten(1) @ w["fc.weight"].T + w["fc.bias"]
        labels = torch.tensor(parsed.arrays("data").array("train.label")[indices]).long()
        expected = -torch.log_softmax(logits, -1).gather(1, labels[:, None]).mean().item()
        self.assertAlmostEqual(losses[0][0], expected, places=12)


if __name__ == "__main__":
    unittest.main()
