"""Mixtures of experts: the ops route, dispatch, expert_linear and combine, with torch's own tensor functions.

A router (k = 1: Fedus et al. 2021; k = 2: Lepikhin et al. 2020) gives each token places at its likeliest experts. What
flows from `route` is a triple: gates [batch, seq, k], places [batch, seq, k] as rows of all experts' places, of which
one behind the last is for choices that found none, and the auxiliary loss a sample [batch].
"""

import math

import torch
import torch.nn.functional as F


def route(model, op):
    (_, seq), (_, experts) = model.dims[op["in"]]
    choices, group = op.get("choices", 1), op.get("routing_group", seq)
    weight = op.get("balance", 0.01)
    tokens = min(group, seq)
    places = math.ceil(op.get("capacity_factor", 1.25) * choices * tokens / experts)
    capacity = places * (seq // tokens)

    def run(logits):
        probs = torch.softmax(logits, -1)
        gates, chosen = probs.topk(choices, -1)
        if choices > 1:
            gates = gates / gates.sum(-1, keepdim=True)
        spots, penalties = [], []
        for first, some, their in groups(chosen.flatten(0, 1), probs.flatten(0, 1), group):
            hits = F.one_hot(some, experts)
            if group < seq:
                limit, number = places, first + torch.arange(len(some))
                sample, before = number // (seq // group), number % (seq // group) * places
            else:
                limit, number = some.shape[1] // seq * capacity, first + torch.arange(len(some))
                sample, before = number * (group // seq), torch.zeros_like(number)
            at = turns(hits)
            row = ((sample[:, None, None] + at // capacity) * experts + some) * capacity
            row = row + before[:, None, None] + at % capacity
            spots.append(torch.where(at < limit, row, torch.full_like(row, -1)).flatten(0, 1))
            share = hits[:, :, 0].to(their.dtype).mean(1)
            penalties.append((weight * experts * (share * their.mean(1)).sum(-1), some.shape[1]))
        last = len(logits) * experts * capacity
        spots = torch.cat(spots).view(chosen.shape)
        return gates, torch.where(spots < 0, torch.full_like(spots, last), spots), of_samples(penalties, seq)

    model.add(op, model.dims[op["in"]], run)
    model.routed[op["name"]] = (experts, capacity)
    if weight:
        model.penalized.append(op["name"])


def groups(chosen, probs, group):
    """(number of the first group, choices [groups, tokens, k], probabilities [groups, tokens, experts]) of the groups
    of full size, then of a smaller one at the end."""
    full = len(chosen) // group
    for first, begin, end in ((0, 0, full * group), (full, full * group, len(chosen))):
        if begin < end:
            size = min(group, end - begin)
            yield first, chosen[begin:end].view(-1, size, chosen.shape[-1]), \
                probs[begin:end].view(-1, size, probs.shape[-1])


def turns(hits):
    """Of each choice [groups, tokens, k] how many went to its expert before it: first choices before second ones."""
    in_order = hits.transpose(1, 2).flatten(1, 2)
    counted = ((in_order.cumsum(1) - 1) * in_order).sum(-1)
    return counted.view(len(hits), hits.shape[2], hits.shape[1]).transpose(1, 2)


def of_samples(penalties, seq):
    """The auxiliary loss a sample: the mean over its groups, or that of the group that it is part of."""
    out = []
    for values, tokens in penalties:
        if tokens < seq:
            out.append(values.view(-1, seq // tokens).mean(1))
        else:
            out.append(values.repeat_interleave(tokens // seq))
    return torch.cat(out)


def dispatch(model, op):
    _, hidden = model.dims[op["in"][0]]
    experts, capacity = model.routed[op["in"][1]]

    def run(x, routed):
        places = routed[1]
        rows = x.unsqueeze(2).expand(-1, -1, places.shape[-1], -1).flatten(0, 2)
        all_places = x.new_zeros(len(x) * experts * capacity + 1, x.shape[-1])
        return all_places.index_copy(0, places.flatten(), rows)[:-1].view(len(x), experts, capacity, -1)

    model.add(op, [("expert", experts), ("capacity", capacity), hidden], run)


def expert_linear(model, op):
    experts, capacity, _ = model.dims[op["in"]]
    out = list(op["out"].items())
    weight = model.parameter(op["name"] + ".weight")
    bias = model.parameter(op["name"] + ".bias") if op.get("bias", True) else None

    def run(x):
        rows = x.transpose(0, 1).flatten(1, 2)  # [expert, batch x capacity, in]
        turned = weight.transpose(1, 2)
        y = torch.bmm(rows, turned) if bias is None else torch.baddbmm(bias.unsqueeze(1), rows, turned)
        return y.view(experts[1], len(x), capacity[1], -1).transpose(0, 1)

    model.add(op, [experts, capacity] + out, run)


def combine(model, op):
    _, _, hidden = model.dims[op["in"][0]]
    seq = model.dims[op["in"][1]][0]

    def run(y, routed):
        gates, places, _ = routed
        rows = torch.cat([y.flatten(0, 2), y.new_zeros(1, y.shape[-1])])
        found = rows.index_select(0, places.flatten()).view(*places.shape, -1)
        return (found * gates.unsqueeze(-1)).sum(2)

    model.add(op, [seq, hidden], run)


OPS = {"route": route, "dispatch": dispatch, "expert_linear": expert_linear, "combine": combine}
