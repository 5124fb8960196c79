"""One rank's training with torch: data, optimizer, steps, evaluation, fingerprints."""

import math

import numpy
import torch
import torch.distributed as dist
import torch.nn.functional as F

import lockstep_worker as lw
from model import GraphModel


class Inputs:
    """The arrays of one split ("train" or "test"), as they are stored; `batch(indices)` gathers and converts."""

    def __init__(self, job, data, split, dtype):
        self.dtype, self.parts, self.count = dtype, {}, None
        for name, entry in job.inputs.items():
            stored = torch.from_numpy(data.array("%s.%s" % (split, entry["array"])))
            if "window" in entry:
                stored = windows(stored, entry["window"], entry["stride"], entry.get("offset", 0))
            self.parts[name] = (stored, entry)
            self.count = len(stored) if self.count is None else min(self.count, len(stored))
        self.count = min(self.count, job.workload.get("samples", {}).get(split, self.count))

    def batch(self, indices):
        return {name: self.convert(stored.index_select(0, indices), entry)
                for name, (stored, entry) in self.parts.items()}

    def convert(self, values, entry):
        if entry["type"] == "index":
            return values.long()
        values = values.to(self.dtype)
        if entry.get("shift", 0):
            values.sub_(entry["shift"])
        return values.mul_(entry["scale"]) if entry.get("scale", 1) != 1 else values


def image_format(job):
    """channels_last unless told otherwise: torch's convolutions on a CPU took 0.55 to 0.8 of the time with it."""
    last = job.options.get("memory_format", "channels_last") == "channels_last"
    return torch.channels_last if last else torch.contiguous_format


def windows(array, window, stride, offset):
    """[samples, window] view of a flat array: sample i starts at i * stride + offset."""
    count = (len(array) - offset - window) // stride + 1
    return array.as_strided((count, window), (stride, 1), offset)


def trusted(numerator, denominator):
    """Their ratio; 1 where either is 0."""
    return torch.where((numerator > 0) & (denominator > 0), numerator / denominator, torch.ones_like(numerator))


class Lars(torch.optim.Optimizer):
    """Layer-wise adaptive rate scaling (You et al. 2017), in the form of docs/workloads.md; torch has none."""

    def __init__(self, parameters, recipe, decay):
        super().__init__(parameters, {"lr": recipe["lr"]})
        self.momentum, self.trust, self.decay = recipe["momentum"], recipe["trust"], decay

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for w in group["params"]:
                norm = w.norm()
                trust = trusted(self.trust * norm, w.grad.norm() + self.decay * norm)
                trust = torch.where(norm > 0, trust, torch.ones_like(trust))
                v = self.state[w].setdefault("v", torch.zeros_like(w))
                v.mul_(self.momentum).add_(w.grad.add(w, alpha=self.decay) * (group["lr"] * trust))
                w.sub_(v)


class Lamb(torch.optim.Optimizer):
    """LAMB (You et al. 2020), in the form of docs/workloads.md; torch has none."""

    def __init__(self, parameters, recipe, decay):
        super().__init__(parameters, {"lr": recipe["lr"]})
        self.betas, self.epsilon, self.decay = (recipe["beta1"], recipe["beta2"]), recipe["epsilon"], decay
        self.steps = 0

    @torch.no_grad()
    def step(self):
        self.steps += 1
        beta1, beta2 = self.betas
        for group in self.param_groups:
            for w in group["params"]:
                m = self.state[w].setdefault("m", torch.zeros_like(w))
                v = self.state[w].setdefault("v", torch.zeros_like(w))
                m.mul_(beta1).add_(w.grad, alpha=1 - beta1)
                v.mul_(beta2).addcmul_(w.grad, w.grad, value=1 - beta2)
                root = (v / (1 - beta2 ** self.steps)).sqrt_().add_(self.epsilon)
                u = (m / (1 - beta1 ** self.steps)).div_(root).add_(w, alpha=self.decay)
                w.sub_(u * (group["lr"] * trusted(w.norm(), u.norm())))


def make_optimizer(recipe, parameters):
    """The recipe's optimizer, in the fastest form that this torch has for the CPU."""
    name, version = recipe["optimizer"], tuple(int(part) for part in torch.__version__.split(".")[:2])
    speed = {"fused": True} if version >= (2, 4) else {"foreach": True}
    decay = recipe.get("weight_decay", 0) or 0
    if name == "adamw":
        return torch.optim.AdamW(parameters, lr=recipe["lr"], betas=(recipe["beta1"], recipe["beta2"]),
                                 eps=recipe["epsilon"], weight_decay=decay, **speed)
    if name in ("lars", "lamb"):
        return {"lars": Lars, "lamb": Lamb}[name](parameters, recipe, decay)
    if name not in ("sgd", "momentum", "nesterov"):
        raise lw.Unsupported("optimizer:" + name, "must be sgd, momentum, nesterov, adamw, lars or lamb")
    momentum = 0 if name == "sgd" else recipe["momentum"]
    return torch.optim.SGD(parameters, lr=recipe["lr"], momentum=momentum, nesterov=name == "nesterov",
                           weight_decay=decay, **speed)


def l2_norms(tensors):
    return {name: tensor.detach().double().norm().item() for name, tensor in tensors.items()}


class Trainer:
    """Model, optimizer and data of one rank. The model is wrapped in DDP where there are several."""

    def __init__(self, job, rank, events):
        self.job, self.rank, self.events = job, rank, events
        self.dtype = torch.float64 if job.precision == "fp64" else torch.float32
        self.order, data = lw.Order(job, rank), job.arrays("data")
        self.world = self.order.data_count
        self.model = GraphModel(job.graph, job.inputs, job.arrays("init"), self.dtype, self.world,
                                job.recipe.get("dropout", 0) or 0, image_format(job))
        self.parameters = self.model.parameters_by_name
        self.train_data = Inputs(job, data, "train", self.dtype)
        self.test_data = Inputs(job, data, "test", self.dtype) if job.eval.get("metric") else None
        self.forward = self.wrapped() if self.world > 1 else self.model
        self.optimizer = make_optimizer(job.recipe, list(self.parameters.values()))
        self.rates = [lw.learning_rate(job.recipe, job.steps, step) for step in range(job.steps)]
        self.batches = [torch.from_numpy(numpy.asarray(self.order.mine(step))) for step in range(job.steps)]
        self.prints = job.fingerprints if job.mode == "verify" and rank == 0 else 0

    def wrapped(self):
        options = self.job.options
        return torch.nn.parallel.DistributedDataParallel(
            self.model, gradient_as_bucket_view=True, broadcast_buffers=False,
            bucket_cap_mb=float(options.get("bucket_cap_mb", 25)))

    def run(self):
        if self.prints:
            self.events.fingerprint(0, l2_norms(self.parameters), {})
        for step in self.order.timed(self.events, dist.barrier if self.world > 1 else lambda: None):
            self.step(step)
            every = self.job.eval.get("every", 0)
            if self.test_data and ((every and (step + 1) % every == 0) or step + 1 == self.job.steps):
                self.evaluate(step + 1)

    def step(self, step):
        t0 = lw.now_ns()
        indices, total = self.batches[step], self.order.count(step)
        samples = len(indices)
        # A rank without a sample takes part with one that weighs nothing: DDP waits for its gradients.
        batch = self.train_data.batch(indices if samples else torch.tensor([self.order.step(step)[0]]))
        self.optimizer.param_groups[0]["lr"] = self.rates[step]
        self.optimizer.zero_grad(set_to_none=True)
        loss, positions = self.loss(self.forward(batch), batch)
        # DDP averages over ranks; the loss is the mean over the global batch.
        weight = samples * self.world / total
        (loss if weight == 1 else loss * weight).backward()
        self.update(step + 1)
        # On a CPU the value is there: reading it waits for nothing.
        value = loss.item() if samples else 0.0
        self.events.step(step + 1, t0, lw.now_ns(), samples, positions if samples else 0, value)
        if not math.isfinite(value):
            raise lw.Stop("non_finite_loss", "the loss of step %d is %r" % (step + 1, value))

    def update(self, finished):
        """Clips, steps; fingerprints the first steps of a verification."""
        gradients = None
        if finished <= self.prints:
            gradients = l2_norms({name: p.grad for name, p in self.parameters.items()})
        clip = self.job.recipe.get("clip")
        if clip:
            torch.nn.utils.clip_grad_norm_(self.parameters.values(), clip)
        self.optimizer.step()
        if gradients is not None:
            self.events.fingerprint(finished, l2_norms(self.parameters), gradients)

    def loss(self, outputs, batch):
        """(mean over this rank's positions, in training with the auxiliary loss; their number)"""
        logits, penalty = outputs
        labels = batch[self.model.labels]
        if logits.dim() > 2:
            logits = logits.flatten(0, -2)
        if self.model.loss_op == "binary_cross_entropy":
            mean = F.binary_cross_entropy_with_logits(logits.flatten(), labels.to(logits.dtype))
        else:
            mean = F.cross_entropy(logits, labels.reshape(-1))
        return mean if penalty is None or not self.model.training else mean + penalty.mean(), labels.numel()

    def guesses(self, logits):
        binary = self.model.loss_op == "binary_cross_entropy"
        return (logits.flatten() > 0).long() if binary else logits.argmax(-1)

    def evaluate(self, finished):
        """Each held-out sample once, dealt out over the ranks; the sums meet in one all-reduce."""
        self.model.eval()
        sums = torch.zeros(3, dtype=torch.float64)  # loss, right, positions
        mine = torch.arange(self.order.data_index, self.test_data.count, self.world)
        with torch.no_grad():
            for indices in mine.split(self.job.eval.get("batch") or 256):
                batch = self.test_data.batch(indices)
                outputs = self.model(batch)
                loss, positions = self.loss(outputs, batch)
                right = (self.guesses(outputs[0]) == batch[self.model.labels]).sum()
                sums += torch.tensor([loss.item() * positions, right.item(), positions], dtype=torch.float64)
        self.model.train()
        if self.world > 1:
            dist.all_reduce(sums)
        if self.rank == 0:
            loss, right, positions = sums.tolist()
            metric = self.job.eval["metric"]
            value = {"test_accuracy": right / positions, "bits_per_byte": loss / positions / math.log(2)}[metric]
            self.events.evaluation(finished, int(self.order.offsets[finished]), metric, value)
