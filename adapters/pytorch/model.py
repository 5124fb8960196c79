"""The workload's graph as a torch module.

Each op becomes one function of the tensors before it; `OPS` is the table of them. Parameters keep the names of the
contract in `parameters_by_name`; dense weights are stored as [out, in] matrices, whatever dims the graph gives them.
"""

import math

import torch
import torch.nn.functional as F

import experts
from lockstep_worker import Unsupported


class GraphModel(torch.nn.Module):
    """forward(inputs: {name: tensor}) -> (logits of the loss op, [batch, (seq,) class]; auxiliary loss [batch] or
    None)."""

    def __init__(self, graph, inputs, init, dtype, data_count=1, dropout=0,
                 image_format=torch.contiguous_format):
        super().__init__()
        self.dtype, self.data_count, self.init, self.dropout = dtype, data_count, init, dropout
        self.image_format = image_format
        self.parameters_by_name = {}
        self.routed, self.penalized = {}, []  # of mixtures of experts: (experts, places) by router; with auxiliary loss
        # Dims of each tensor but batch, as (name, size) pairs.
        self.dims = {name: list(entry["dims"].items()) for name, entry in inputs.items()}
        self.uses = uses_of(graph)
        self.by_name = {op["name"]: op for op in graph}
        self.steps = []
        for op in graph:
            if op["op"] not in OPS:
                raise Unsupported(op["op"], "this adapter has no such op")
            OPS[op["op"]](self, op)

    def forward(self, inputs):
        tensors = dict(inputs)
        for name, source, function in self.steps:
            tensors[name] = function(*[tensors[s] for s in source])
        penalties = [tensors[name][2] for name in self.penalized]
        return tensors[self.logits], sum(penalties) if penalties else None

    # ---- for the builders of ops

    def add(self, op, dims, function, source=None):
        names = source if source is not None else op["in"]
        if op["op"] not in FUSED and op.get("activation"):
            function = then(function, activation_of(op, PLAIN_ACTIVATIONS))
        self.steps.append((op["name"], names if isinstance(names, list) else [names], function))
        self.dims[op["name"]] = dims

    def parameter(self, name, shape=None):
        """The parameter `name` with its initial value, made on first use."""
        if name not in self.parameters_by_name:
            value = torch.from_numpy(self.init.array(name).copy()).to(self.dtype)
            parameter = torch.nn.Parameter(value if shape is None else value.reshape(shape))
            self.register_parameter(name.replace(".", "__"), parameter)
            self.parameters_by_name[name] = parameter
        return self.parameters_by_name[name]


def uses_of(graph):
    """{tensor: [ops that read it]}"""
    uses = {}
    for op in graph:
        for name in op["in"] if isinstance(op["in"], list) else [op["in"]]:
            uses.setdefault(name, []).append(op)
    return uses


def sizes(dims):
    return [size for _, size in dims]


def split_seq(dims):
    """(the seq dim as a list, the other dims)"""
    return [d for d in dims if d[0] == "seq"], [d for d in dims if d[0] != "seq"]


# In place: the value before the activation is read by nobody else, and both backward passes use the result alone.
ACTIVATIONS = {None: lambda x: x, "relu": torch.relu_, "tanh": torch.tanh_,
               "gelu": lambda x: F.gelu(x, approximate="tanh")}


PLAIN_ACTIVATIONS = {"relu": torch.relu, "tanh": torch.tanh, "gelu": ACTIVATIONS["gelu"]}
FUSED = ("linear", "conv2d")  # they see to their activation themselves


def then(first, second):
    return lambda *tensors: second(first(*tensors))


def activation_of(op, known=ACTIVATIONS):
    name = op.get("activation")
    if name not in known:
        raise Unsupported("activation:%s" % name, "must be relu, gelu or tanh")
    return ACTIVATIONS[name]


# ------------------------------------------------------------------------------------------------------------ dense


def linear(model, op):
    seq, contracted = split_seq(model.dims[op["in"]])
    out = list(op["out"].items())
    shape = (math.prod(sizes(out)), math.prod(sizes(contracted)))
    tied = op.get("weight")
    weight = model.parameter(tied or op["name"] + ".weight", shape)
    bias = model.parameter(op["name"] + ".bias", shape[:1]) if op.get("bias", tied is None) else None
    if feeds_lstm(model, op):
        model.dims[op["name"]] = seq + out  # torch's LSTM does this product itself
        return
    activation = activation_of(op)
    flat = len(contracted) > 1
    start, lead = 1 + len(seq), sizes(seq)
    unflat = sizes(out) if len(out) > 1 else None

    def run(x):
        y = activation(F.linear(x.flatten(start) if flat else x, weight, bias))
        return y if unflat is None else y.view(-1, *lead, *unflat)

    model.add(op, seq + out, run)


def feeds_lstm(model, op):
    return any(use["op"] == "lstm" for use in model.uses.get(op["name"], []))


def lstm(model, op):
    """torch's fused LSTM over the linear that makes the gates: its weight and bias are the input's, the bias of the
    state stays zero without gradient."""
    gates = model.by_name.get(op["in"])
    if not gates or gates["op"] != "linear" or gates.get("activation") or len(model.uses[op["in"]]) > 1:
        raise Unsupported("lstm", "%s must be fed by a linear that feeds nothing else" % op["name"])
    seq, (_, hidden) = split_seq(model.dims[op["in"]])
    width, state = math.prod(sizes(split_seq(model.dims[gates["in"]])[1])), hidden[1]
    module = torch.nn.LSTM(width, state, batch_first=True).to(model.dtype)
    zeros = torch.nn.Parameter(torch.zeros(4 * state, dtype=model.dtype), requires_grad=False)
    has_bias = gates["name"] + ".bias" in model.parameters_by_name
    module.weight_ih_l0 = model.parameter(gates.get("weight") or gates["name"] + ".weight")
    module.weight_hh_l0 = model.parameter(op["name"] + ".weight", (4 * state, state))
    module.bias_ih_l0 = model.parameter(gates["name"] + ".bias") if has_bias else zeros
    module.bias_hh_l0 = zeros
    model.add(op, seq + [hidden], lambda x: module(x)[0], source=[gates["in"]])


def embedding(model, op):
    table = model.parameter(op["name"] + ".table")
    model.add(op, model.dims[op["in"]] + list(op["out"].items()), lambda x: F.embedding(x, table))


def positions(model, op):
    table = model.parameter(op["name"] + ".table")
    model.add(op, model.dims[op["in"]], lambda x: x + table)


# ------------------------------------------------------------------------------------------------------ convolutions


def pair(value):
    return list(value) if isinstance(value, (list, tuple)) else [value, value]


def padding_of(op):
    """(padding that torch's op does itself, as [height, width]; what F.pad must add before it, or None)"""
    pad = op.get("pad", 0)
    top, bottom, left, right = pad if isinstance(pad, list) else [pad] * 4
    if top == bottom and left == right:
        return [top, left], None, (top + bottom, left + right)
    return [0, 0], [left, right, top, bottom], (top + bottom, left + right)


def window_dims(dims, channels, kernel, stride, padded):
    (height, h), (width, w) = dims[1], dims[2]
    return [channels, (height, (h + padded[0] - kernel[0]) // stride[0] + 1),
            (width, (w + padded[1] - kernel[1]) // stride[1] + 1)]


def conv2d(model, op):
    kernel, stride = pair(op["kernel"]), pair(op.get("stride", 1))
    own, extra, padded = padding_of(op)
    weight = model.parameter(op["name"] + ".weight")
    weight.data = weight.data.contiguous(memory_format=model.image_format)
    bias = model.parameter(op["name"] + ".bias") if op.get("bias", True) else None
    activation = activation_of(op)

    def run(x):
        x = x if extra is None else F.pad(x, extra)
        return activation(F.conv2d(x, weight, bias, stride, own))

    channels = list(op["out"].items())[0]
    model.add(op, window_dims(model.dims[op["in"]], channels, kernel, stride, padded), run)


def pool(function, outside):
    """A pooling op; `outside` is the value of what padding adds."""

    def build(model, op):
        kernel = pair(op["kernel"])
        stride = pair(op.get("stride", op["kernel"]))
        own, extra, padded = padding_of(op)
        dims = model.dims[op["in"]]

        def run(x):
            return function(x if extra is None else F.pad(x, extra, value=outside), kernel, stride, own)

        model.add(op, window_dims(dims, dims[0], kernel, stride, padded), run)

    return build


def batch_norm(model, op):
    group = op.get("norm_group", 0)
    if model.data_count > 1:
        raise Unsupported("batch_norm", "DDP deals samples out, so statistics over the global batch or consecutive "
                          "samples need communication that torch has on GPUs alone")
    name, channels = op["name"], model.dims[op["in"]][0][1]
    gamma, beta = model.parameter(name + ".gamma"), model.parameter(name + ".beta")
    mean, variance = torch.zeros(channels, dtype=model.dtype), torch.ones(channels, dtype=model.dtype)
    momentum, epsilon = op.get("momentum", 0.1), op.get("epsilon", 1e-5)

    def norm(x):
        return F.batch_norm(x, mean, variance, gamma, beta, model.training, momentum, epsilon)

    def run(x):
        """Groups of samples in order, each normalized as a batch of its own; in evaluation there are none."""
        whole = not model.training or group == 0 or group >= len(x)
        return norm(x) if whole else torch.cat([norm(part) for part in x.split(group)])

    model.add(op, model.dims[op["in"]], run)


# --------------------------------------------------------------------------------------------------------- the others


def layer_norm(model, op):
    gamma, beta = model.parameter(op["name"] + ".gamma"), model.parameter(op["name"] + ".beta")
    shape, epsilon = list(gamma.shape), op.get("epsilon", 1e-5)
    model.add(op, model.dims[op["in"]], lambda x: F.layer_norm(x, shape, gamma, beta, epsilon))


def attention(model, op):
    dims = model.dims[op["in"]]
    heads = [d for d in dims if d[0] != "gate"]
    length, width = dims[0][1], dims[-1][1]
    product = attention_product(length, width, model.dtype, op.get("causal", True))

    def run(x):
        q, k, v = (part.transpose(1, 2) for part in x.unbind(2))
        return product(q, k, v).transpose(1, 2)

    model.add(op, heads, run)


def attention_product(length, width, dtype, causal):
    """softmax(q k / sqrt(width) + mask) v for [batch, heads, seq, head_dim]."""
    if hasattr(F, "scaled_dot_product_attention"):
        return lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=causal)
    mask = torch.zeros((length, length), dtype=dtype)
    if causal:
        mask.fill_(float("-inf")).triu_(1)
    scale = 1 / math.sqrt(width)

    def run(q, k, v):
        batch, heads = q.shape[:2]
        q, k, v = (x.reshape(batch * heads, length, width) for x in (q, k, v))
        scores = torch.baddbmm(mask, q, k.transpose(1, 2), alpha=scale)
        return torch.bmm(torch.softmax(scores, -1), v).view(batch, heads, length, width)

    return run


def reshape(model, op):
    seq, _ = split_seq(model.dims[op["in"]])
    out = list(op["out"].items())
    if seq and math.prod(sizes(out)) != math.prod(sizes(model.dims[op["in"]])):
        out = seq + out
    shape = sizes(out)
    model.add(op, out, lambda x: x.reshape(-1, *shape))


def dropout(model, op):
    if op.get("rate", model.dropout):
        raise Unsupported("dropout", "the masks must be the workload's own (Philox by sample); torch draws others")
    model.add(op, model.dims[op["in"]], lambda x: x)


def axis_of(model, op, source):
    """(index of op["axis"] in the dims, which have no batch; the dims)"""
    dims = model.dims[source]
    return [name for name, _ in dims].index(op["axis"]), list(dims)


def narrow(model, op):
    axis, dims = axis_of(model, op, op["in"])
    begin, size = op.get("begin", 0), op["size"]
    dims[axis] = (dims[axis][0], size)
    model.add(op, dims, lambda x: x.narrow(axis + 1, begin, size))


def pad(model, op):
    axis, dims = axis_of(model, op, op["in"])
    begin, size = op.get("begin", 0), op["size"]
    widths = [0, 0] * (len(dims) - 1 - axis) + [begin, size - begin - dims[axis][1]]  # F.pad: from the last dim on
    dims[axis] = (dims[axis][0], size)
    model.add(op, dims, lambda x: F.pad(x, widths))


def join(model, op):
    axis, dims = axis_of(model, op, op["in"][0])
    dims[axis] = (dims[axis][0], sum(model.dims[name][axis][1] for name in op["in"]))
    model.add(op, dims, lambda *parts: torch.cat(parts, axis + 1))


def local_response_norm(model, op):
    """torch divides the sum by the window's size; the workload's alpha, as the paper's, stands before the sum."""
    size = op.get("size", 5)
    alpha, exponent, offset = op.get("alpha", 1e-4) * size, op.get("exponent", 0.75), op.get("offset", 2)
    model.add(op, model.dims[op["in"]], lambda x: F.local_response_norm(x, size, alpha, exponent, offset))


def patches(model, op):
    (_, channels), (_, height), (_, width) = model.dims[op["in"]]
    side = op["size"]
    down, across, each = height // side, width // side, channels * side * side

    def run(x):
        squares = x.reshape(-1, channels, down, side, across, side)
        return squares.permute(0, 2, 4, 1, 3, 5).reshape(-1, down * across, each)

    model.add(op, [("seq", down * across), ("hidden", each)], run)


def class_token(model, op):
    token = model.parameter(op["name"] + ".token")
    (_, length), hidden = model.dims[op["in"]]
    model.add(op, [("seq", length + 1), hidden],
              lambda x: torch.cat([token.expand(len(x), 1, -1), x], 1))


def select_positions(model, op):
    (_, hidden), (chosen,) = model.dims[op["in"][0]], model.dims[op["in"][1]]
    model.add(op, [chosen, hidden], lambda x, places: x.gather(1, places.unsqueeze(-1).expand(-1, -1, x.shape[-1])))


def elementwise(function):
    return lambda model, op: model.add(op, model.dims[op["in"]], function)


def residual(model, op):
    model.add(op, model.dims[op["in"][0]], lambda a, b: a + b)


def embedding_bag(model, op):
    """Sums of rows of tables that lie one after the other; ids count modulo their table's rows."""
    (_, tables), (_, each) = model.dims[op["in"]]
    rows = [min(n, op.get("max_rows", 0) or n) for n in op["rows"][:tables]]
    size = torch.tensor(rows).view(1, tables, 1)
    first = (size.cumsum(1) - size)
    weight = model.parameter(op["name"] + ".tables")

    def run(ids):
        flat = (ids % size + first).view(-1, each)
        return F.embedding_bag(flat, weight, mode="sum").view(len(ids), tables, -1)

    model.add(op, [("table", tables)] + list(op["out"].items()), run)


def pairwise_dot(model, op):
    (_, vectors), (hidden, _) = model.dims[op["in"]]
    first, second = torch.tril_indices(vectors, vectors, -1)
    model.add(op, [(hidden, len(first))], lambda x: torch.bmm(x, x.transpose(1, 2))[:, first, second])


def loss(model, op):
    model.logits, model.labels = op["in"]
    model.loss_op = op["op"]


OPS = {
    "linear": linear, "conv2d": conv2d, "max_pool": pool(F.max_pool2d, float("-inf")),
    "avg_pool": pool(F.avg_pool2d, 0.0), "relu": elementwise(torch.relu), "tanh": elementwise(torch.tanh),
    "gelu": elementwise(ACTIVATIONS["gelu"]), "batch_norm": batch_norm, "layer_norm": layer_norm,
    "embedding": embedding, "positions": positions, "attention": attention, "lstm": lstm, "add": residual,
    "reshape": reshape, "dropout": dropout, "narrow": narrow, "pad": pad, "join": join,
    "local_response_norm": local_response_norm, "patches": patches, "class_token": class_token,
    "select_positions": select_positions, "softmax_cross_entropy": loss, "embedding_bag": embedding_bag,
    "pairwise_dot": pairwise_dot, "binary_cross_entropy": loss, **experts.OPS,
}
