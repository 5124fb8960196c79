"""The MLP of job_folder.py in float64 numpy, written independently of any adapter: losses and fingerprints."""

import numpy

import lockstep_worker as lw


def initial(job):
    arrays = job.arrays("init")
    return {name: arrays.array(name).astype(numpy.float64) for name in arrays.names()}


def loss_and_gradients(w, x, labels):
    flat = w["fc1.weight"].reshape(7, 9)
    hidden = numpy.tanh(x @ flat.T + w["fc1.bias"])
    logits = hidden @ w["fc2.weight"].T + w["fc2.bias"]
    logits -= logits.max(1, keepdims=True)
    p = numpy.exp(logits)
    p /= p.sum(1, keepdims=True)
    rows = numpy.arange(len(x))
    loss = -numpy.log(p[rows, labels]).mean()
    p[rows, labels] -= 1
    p /= len(x)
    back = (p @ w["fc2.weight"]) * (1 - hidden ** 2)
    return loss, {"fc1.weight": (back.T @ x).reshape(7, 1, 3, 3), "fc1.bias": back.sum(0), "fc2.weight": p.T @ hidden,
                  "fc2.bias": p.sum(0)}


def update(recipe, rate, step, w, g, state):
    """One step of the recipe's optimizer, from its formula (step counts from 1)."""
    for name in w:
        first, second = state.setdefault(name, [numpy.zeros_like(w[name]), numpy.zeros_like(w[name])])
        if recipe["optimizer"] == "adamw":
            w[name] *= 1 - rate * recipe["weight_decay"]
            first[:] = recipe["beta1"] * first + (1 - recipe["beta1"]) * g[name]
            second[:] = recipe["beta2"] * second + (1 - recipe["beta2"]) * g[name] ** 2
            mean, square = first / (1 - recipe["beta1"] ** step), second / (1 - recipe["beta2"] ** step)
            w[name] -= rate * mean / (numpy.sqrt(square) + recipe["epsilon"])
            continue
        decayed = g[name] + recipe["weight_decay"] * w[name]
        first[:] = recipe["momentum"] * first + decayed
        w[name] -= rate * {"sgd": decayed, "momentum": first, "nesterov": decayed + recipe["momentum"] * first}[
            recipe["optimizer"]]


def norms(tensors):
    return {name: float(numpy.sqrt((value ** 2).sum())) for name, value in tensors.items()}


def run(job_file):
    """(losses by step, fingerprints of every step from 0 as {parameters, gradients})"""
    job = lw.Job(job_file)
    recipe, data, order, w, state = job.recipe, job.arrays("data"), lw.Order(job, 0), initial(job), {}
    images = data.array("train.image").reshape(50, 9) / 255.0
    labels = data.array("train.label")
    losses, prints = [], [{"parameters": norms(w), "gradients": {}}]
    for step in range(job.steps):
        indices = numpy.asarray(order.step(step))
        loss, g = loss_and_gradients(w, images[indices], labels[indices])
        before = norms(g)
        if recipe["clip"]:
            factor = min(1.0, recipe["clip"] / (sum(n * n for n in before.values()) ** 0.5 + 1e-6))
            g = {name: value * factor for name, value in g.items()}
        update(recipe, lw.learning_rate(recipe, job.steps, step), step + 1, w, g, state)
        losses.append(loss)
        prints.append({"parameters": norms(w), "gradients": before})
    return losses, prints


def test_accuracy(job_file):
    """Of the untrained model: for a job with rate 0."""
    job = lw.Job(job_file)
    data, w = job.arrays("data"), initial(job)
    x = data.array("test.image").reshape(21, 9) / 255.0
    logits = numpy.tanh(x @ w["fc1.weight"].reshape(7, 9).T + w["fc1.bias"]) @ w["fc2.weight"].T + w["fc2.bias"]
    return float((logits.argmax(1) == data.array("test.label")).mean())
