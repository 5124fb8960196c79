#pragma once

// The table of strategy terms: one row a technique, in the order in which passes are printed. A technique that this
// version does not do stands here with its reason. Longer than our files usually are, because it is one visible table.
// Include it in table.cpp alone.

#include <initializer_list>

#include "reference_trainer/plan/terms/table.h"

namespace lockstep::terms {

constexpr Row row(Kind kind, std::string_view name, std::string_view meaning, std::initializer_list<Parameter> takes,
                  std::string_view needs) {
  Row out;
  out.kind = kind, out.name = name, out.meaning = meaning, out.needs = needs;
  for (const Parameter& parameter : takes) out.parameters[static_cast<size_t>(out.parameter_count++)] = parameter;
  return out;
}
constexpr Row does(Kind kind, std::string_view name, std::string_view meaning, std::initializer_list<Parameter> takes,
                   std::string_view needs, std::string_view where) {
  Row out = row(kind, name, meaning, takes, needs);
  out.where = where;
  return out;
}
constexpr Row lacks(Kind kind, std::string_view name, std::string_view meaning, std::initializer_list<Parameter> takes,
                    std::string_view needs, std::string_view because) {
  Row out = row(kind, name, meaning, takes, needs);
  out.because = because;
  return out;
}
constexpr Row excludes(Row out, std::string_view conflicts, std::string_view why) {
  out.conflicts = conflicts, out.conflict_why = why;
  return out;
}

constexpr Parameter whole(std::string_view key, double least, double most, bool required = true) {
  return {key, Value::integer, least, most, "", required};
}
constexpr Parameter number(std::string_view key, double least, double most, bool required = true) {
  return {key, Value::number, least, most, "", required};
}
constexpr Parameter size(std::string_view key, double least, double most, bool required = true) {
  return {key, Value::size, least, most, "", required};
}
constexpr Parameter word(std::string_view key, std::string_view words, bool required = true) {
  return {key, Value::word, 0, 0, words, required};
}

constexpr Parameter rules_or(std::string_view words) { return {"", Value::layout, 0, 0, words}; }
constexpr Parameter ops_or(std::string_view words) { return {"", Value::ops, 0, 0, words}; }

constexpr double kMany = 1 << 20;
constexpr double kGiB = 1 << 30;
constexpr Parameter kMicrobatches = whole("m", 1, 65536);
constexpr Parameter kServers = whole("servers", 1, kMany, false);

constexpr std::string_view kOrder = "this version lacks communication that crosses the end of a step";
constexpr std::string_view kServer = "this version lacks parameter servers and arrival order";
constexpr std::string_view kPeriodic = "this version lacks replicas that differ between agreements";
constexpr std::string_view kNeighbours = "this version lacks exchange between neighbours";
constexpr std::string_view kClients = "this version lacks lists of samples for each client";
constexpr std::string_view kWire = "this version lacks codecs on the wire";
constexpr std::string_view kPrograms = "this version lacks this collective program";

// clang-format off
constexpr std::array kRows = {
    // Axes. `serial` is the mesh without one.
    does(Kind::axis, "dp", "data parallel: each rank takes a share of the batch, gradients are averaged", {}, "", "reference_trainer/plan/rules/dp.cpp"),
    does(Kind::axis, "tp", "tensor parallel: weights split over hidden, heads, channels", {}, "", "reference_trainer/plan/rules/tp.cpp"),
    does(Kind::axis, "pp", "pipeline parallel: consecutive layers on different ranks", {}, "", "reference_trainer/plan/pipeline.cpp"),
    does(Kind::axis, "cp", "context parallel: sequence split from both ends, ring attention", {}, "", "reference_trainer/plan/rules/cp.cpp"),
    does(Kind::axis, "ep", "expert parallel: samples over these ranks too, experts (or embedding tables) on different ones, all-to-all", {}, "", "reference_trainer/plan/rules/ep.cpp"),
    does(Kind::axis, "h", "spatial: height split, with halos", {}, "", "reference_trainer/plan/rules/spatial.cpp"),
    does(Kind::axis, "w", "spatial: width split, with halos", {}, "", "reference_trainer/plan/rules/spatial.cpp"),

    // Layouts: where each tensor lies.
    does(Kind::layout, "layout", "what of each op is split, by rules in place of its axes' own: a table by name (docs/plan.md says which), rules, or a file", {rules_or("megatron|vocab|filter|channel|one_weird_trick|sfb|grid15d")}, "tp|dp|cp|ep|h|w", "reference_trainer/plan/rules/named_layouts.cpp"),
    does(Kind::layout, "stages", "how a pipeline's stages are cut: balanced by FLOPs and what crosses (the default), by measured costs from a file, either within what a rank may need (fit); equal numbers of layers; or before the ops that are named", {ops_or("balanced|equal"), size("fit", 1, 1024 * 1024 * kGiB, false)}, "pp", "reference_trainer/plan/cut_choice.cpp"),
    does(Kind::layout, "sp", "sequence parallel between the tensor-parallel products", {}, "tp", "reference_trainer/plan/rules/sp.cpp"),
    does(Kind::layout, "sync_bn", "batch norm over the samples, rows or columns of several ranks: sums are added up over them, forward and backward", {}, "dp|h|w", "reference_trainer/plan/expansions/batch_norm.cpp"),

    // Schedules: the order of forward and backward over stages.
    does(Kind::schedule, "naive", "one stage at work at a time", {}, "pp", "reference_trainer/plan/schedule/naive.cpp"),
    excludes(does(Kind::schedule, "gpipe", "all forwards, then all backwards, then a flush", {kMicrobatches}, "pp", "reference_trainer/plan/schedule/gpipe.cpp"), "accum", "a schedule has microbatches of its own"),
    excludes(does(Kind::schedule, "1f1b", "one forward, one backward, with a flush", {kMicrobatches}, "pp", "reference_trainer/plan/schedule/one_f_one_b.cpp"), "accum", "a schedule has microbatches of its own"),
    excludes(does(Kind::schedule, "interleaved", "1f1b with v chunks of layers a rank", {kMicrobatches, whole("v", 2, 1024)}, "pp", "reference_trainer/plan/schedule/interleaved.cpp"), "accum", "a schedule has microbatches of its own"),
    excludes(does(Kind::schedule, "zb_h1", "zero bubble, weight gradients fill the drain, memory of 1f1b", {kMicrobatches}, "pp", "reference_trainer/plan/schedule/zb_h1.cpp"), "accum", "a schedule has microbatches of its own"),
    excludes(does(Kind::schedule, "zb_h2", "zero bubble with about twice the activations", {kMicrobatches}, "pp", "reference_trainer/plan/schedule/zb_h2.cpp"), "accum", "a schedule has microbatches of its own"),
    excludes(does(Kind::schedule, "gems", "two replicas in opposite directions, one at a time", {kMicrobatches}, "pp", "reference_trainer/plan/schedule/gems.cpp"), "accum", "a schedule has microbatches of its own"),
    excludes(does(Kind::schedule, "chimera", "two pipelines in opposite directions at once", {kMicrobatches}, "pp", "reference_trainer/plan/schedule/chimera.cpp"), "accum", "a schedule has microbatches of its own"),
    excludes(does(Kind::schedule, "arrival", "whichever message is there runs next", {kMicrobatches}, "pp", "reference_trainer/train/arrival.cpp"), "accum", "a schedule has microbatches of its own"),
    excludes(does(Kind::schedule, "pipedream", "1f1b without a flush: m microbatches an update, on weights of versions that are kept, or predicted", {word("weights", "stash|vertical|2bw|predict", false), whole("m", 1, 65536, false)}, "pp", "reference_trainer/plan/schedule/pipedream.cpp"), "accum", "a schedule has microbatches of its own"),

    // Passes: when work and communication happen.
    excludes(does(Kind::pass, "accum", "gradient accumulation: m microbatches a step, one reduction", {kMicrobatches}, "", "reference_trainer/plan/plan.cpp"), "gpipe,1f1b,interleaved,zb_h1,zb_h2,gems,chimera,arrival,pipedream", "a schedule has microbatches of its own"),
    does(Kind::pass, "amp", "mixed precision: activations and their gradients lie in memory and travel in 16 bits, weights are read rounded, master weights stay as they are; fp16 scales the loss (so much, or as high as gradients allow). Products are computed in the run's precision", {word("", "bf16|fp16"), number("scale", 1, 1 << 24, false)}, "", "reference_trainer/plan/mixed.cpp"),
    does(Kind::pass, "recompute", "activations made again in the backward pass", {word("", "full|selective|sqrt", false), whole("every", 1, 65536, false)}, "", "reference_trainer/plan/recompute.cpp"),
    does(Kind::pass, "partition_activations", "checkpoints of recomputation shared out over tp, gathered before they are read again", {}, "tp", "reference_trainer/plan/partition_checkpoints.cpp"),
    does(Kind::pass, "offload", "optimizer arrays in files, in memory a window at a time during the update", {word("", "disk")}, "", "reference_trainer/train/mapped_memory.cpp"),
    excludes(does(Kind::pass, "zero1", "optimizer state sharded over dp", {}, "dp", "reference_trainer/plan/zero.cpp"), "zero2,zero3,hsdp", "each level includes the ones below it"),
    excludes(does(Kind::pass, "zero2", "optimizer state and gradients sharded over dp", {}, "dp", "reference_trainer/plan/zero.cpp"), "zero1,zero3,hsdp", "each level includes the ones below it"),
    excludes(does(Kind::pass, "zero3", "parameters too sharded over dp (fully sharded data parallel), a layer gathered at a time", {}, "dp", "reference_trainer/plan/zero.cpp"), "zero1,zero2,bucket,hsdp", "each level includes the ones below it, and zero3's buckets are the layers"),
    excludes(does(Kind::pass, "hsdp", "hybrid sharding: zero's shards (of level 3, unless said) inside groups of dp ranks, replicated across them", {whole("group", 2, kMany), whole("level", 1, 3, false)}, "dp", "reference_trainer/plan/zero.cpp"), "zero1,zero2,zero3", "its level says what is sharded"),
    excludes(does(Kind::pass, "bucket", "gradients reduced in buckets of this size, while the backward pass goes on", {size("", 1, 64 * kGiB)}, "dp", "reference_trainer/plan/buckets.cpp"), "zero3", "zero3's buckets are the layers"),
    lacks(Kind::pass, "overlap", "reduction during the backward pass", {}, "dp", "bucket:SIZE overlaps already: write that"),
    lacks(Kind::pass, "priority", "first layers' gradients first, in slices", {size("", 1, kGiB)}, "dp", kOrder),
    does(Kind::pass, "prefetch", "gathers of parameters (zero3) that begin so many ahead of use", {whole("", 1, 1024)}, "dp", "reference_trainer/plan/prefetch.cpp"),

    // Policies: with whom and when replicas agree.
    does(Kind::policy, "bsp", "bulk synchronous: all ranks agree at each step (the default)", {}, "dp", "reference_trainer/plan/expand.cpp"),
    lacks(Kind::policy, "backup", "the first gradients of a step count, the last k are dropped", {whole("k", 1, kMany), kServers}, "dp", kServer),
    lacks(Kind::policy, "absp", "partial work of slow workers is taken when the first is done", {kServers}, "dp", kServer),
    lacks(Kind::policy, "ssp", "stale synchronous: no worker more than s clocks ahead", {whole("s", 0, kMany), kServers}, "dp", kServer),
    lacks(Kind::policy, "essp", "stale synchronous, fresh parameters pushed at once", {whole("s", 0, kMany), kServers}, "dp", kServer),
    lacks(Kind::policy, "vap", "asynchronous while unseen changes stay below a value", {number("delta", 0, 1e9), kServers}, "dp", kServer),
    lacks(Kind::policy, "delay", "bounded delay: task k waits for all tasks up to k - tau", {whole("tau", 0, kMany), kServers}, "dp", kServer),
    lacks(Kind::policy, "async", "each gradient is applied as it arrives", {kServers}, "dp", kServer),
    lacks(Kind::policy, "downpour", "asynchronous, with periods of push and fetch", {whole("push", 1, kMany), whole("fetch", 1, kMany), kServers}, "dp", kServer),
    lacks(Kind::policy, "hogwild", "threads change shared parameters without locks", {}, "dp", kServer),
    lacks(Kind::policy, "softsync", "an update for each c gradients", {whole("c", 1, kMany), kServers}, "dp", kServer),
    lacks(Kind::policy, "stale_rate", "asynchronous, the rate divided by the gradient's staleness", {kServers}, "dp", kServer),
    lacks(Kind::policy, "dcasgd", "asynchronous with delay compensation", {number("lambda", 0, 1e9), kServers}, "dp", kServer),
    lacks(Kind::policy, "coding", "gradient coding: any n - s workers give the exact sum", {whole("s", 1, kMany)}, "dp", kServer),
    lacks(Kind::policy, "r2sp", "pushes staggered in a fixed order", {kServers}, "dp", kServer),
    lacks(Kind::policy, "lag", "a gradient is sent only when it changed enough", {number("threshold", 0, 1e9)}, "dp", kServer),
    lacks(Kind::policy, "gaia", "updates between data centres only when significant", {number("threshold", 0, 1)}, "dp", kServer),
    lacks(Kind::policy, "local", "local SGD: h steps apart, then the mean of the models", {whole("h", 1, kMany)}, "dp", kPeriodic),
    lacks(Kind::policy, "postlocal", "bulk synchronous first, local SGD from a step on", {whole("h", 1, kMany), whole("from", 0, 1e9)}, "dp", kPeriodic),
    lacks(Kind::policy, "hierlocal", "local SGD with an inner and an outer period", {whole("inner", 1, kMany), whole("outer", 1, kMany)}, "dp", kPeriodic),
    lacks(Kind::policy, "bmuf", "block-wise model-update filtering", {whole("h", 1, kMany), number("momentum", 0, 1), number("rate", 0, 10)}, "dp", kPeriodic),
    lacks(Kind::policy, "sma", "synchronous model averaging: corrected towards the mean at each step", {number("rate", 0, 1)}, "dp", kPeriodic),
    lacks(Kind::policy, "easgd", "elastic averaging with a centre", {whole("h", 1, kMany), number("alpha", 0, 0.5), kServers}, "dp", kPeriodic),
    lacks(Kind::policy, "eamsgd", "elastic averaging with momentum", {whole("h", 1, kMany), number("alpha", 0, 0.5), kServers}, "dp", kPeriodic),
    lacks(Kind::policy, "mpca", "penalty towards a shared model, decoupled sharing", {number("penalty", 0, 1e9)}, "dp", kPeriodic),
    lacks(Kind::policy, "average", "trained apart, averaged once at the end", {}, "dp", kPeriodic),
    lacks(Kind::policy, "ensemble", "trained apart, predictions averaged", {}, "dp", kPeriodic),
    lacks(Kind::policy, "fedavg", "federated averaging over a share of the clients", {number("share", 0, 1), whole("epochs", 1, kMany)}, "dp", kClients),
    lacks(Kind::policy, "gossip", "D-PSGD: models mixed with neighbours at each step", {word("", "ring|torus|exponential|complete")}, "dp", kNeighbours),
    lacks(Kind::policy, "adpsgd", "asynchronous gossip of pairs", {}, "dp", kNeighbours),
    lacks(Kind::policy, "gosgd", "sum-weighted gossip to random peers", {number("q", 0, 1)}, "dp", kNeighbours),
    lacks(Kind::policy, "sgp", "push-sum on directed graphs", {}, "dp", kNeighbours),
    lacks(Kind::policy, "ako", "a different part of the gradient to each peer a round", {whole("parts", 1, kMany)}, "dp", kNeighbours),

    // Wrappers: state around a codec.
    lacks(Kind::wrapper, "ef", "error feedback: what was not sent is added next time", {}, "dp", kWire),
    lacks(Kind::wrapper, "choco", "compressed gossip with copies of the neighbours", {number("", 0, 1)}, "dp", kNeighbours),
    lacks(Kind::wrapper, "dcd", "compressed differences between neighbours", {}, "dp", kNeighbours),
    lacks(Kind::wrapper, "ecd", "compressed extrapolations between neighbours", {}, "dp", kNeighbours),

    // Codecs: what goes on the wire.
    lacks(Kind::codec, "fp16", "gradients in 16-bit floats", {}, "dp", kWire),
    lacks(Kind::codec, "bf16", "gradients in bfloat16", {}, "dp", kWire),
    lacks(Kind::codec, "onebit", "signs and two means a column", {}, "dp", kWire),
    lacks(Kind::codec, "twobit", "-T, 0 or T", {number("", 0, 1e9)}, "dp", kWire),
    lacks(Kind::codec, "strom", "index and sign of entries beyond a fixed threshold", {number("", 0, 1e9)}, "dp", kWire),
    lacks(Kind::codec, "qsgd", "stochastic levels of the norm", {whole("", 1, 65536)}, "dp", kWire),
    lacks(Kind::codec, "terngrad", "stochastic -1, 0, 1 of a shared maximum", {}, "dp", kWire),
    lacks(Kind::codec, "signsgd", "signs, decided by majority", {}, "dp", kWire),
    lacks(Kind::codec, "natural", "stochastic powers of two", {}, "dp", kWire),
    lacks(Kind::codec, "diana", "quantized differences to a learned shift", {}, "dp", kWire),
    lacks(Kind::codec, "onebit_adam", "variance frozen after warm-up, momentum in one bit", {whole("warmup", 1, 1e9)}, "dp", kWire),
    lacks(Kind::codec, "threshold", "entries beyond a static threshold", {number("", 0, 1e9)}, "dp", kWire),
    lacks(Kind::codec, "topk", "the largest share of the entries", {number("", 0, 1)}, "dp", kWire),
    lacks(Kind::codec, "gtopk", "the largest share, selected again at each merge", {number("", 0, 1)}, "dp", kWire),
    lacks(Kind::codec, "randk", "a random share of the entries, by a shared seed", {number("", 0, 1)}, "dp", kWire),
    lacks(Kind::codec, "unbiased", "entries dropped at random, the rest scaled", {number("", 0, 1)}, "dp", kWire),
    lacks(Kind::codec, "dgc", "deep gradient compression: top share, momentum correction, warm-up", {number("", 0, 1)}, "dp", kWire),
    lacks(Kind::codec, "adacomp", "sparse by the residual's local activity", {}, "dp", kWire),
    lacks(Kind::codec, "sbc", "sparse binary compression", {number("", 0, 1)}, "dp", kWire),
    lacks(Kind::codec, "stc", "sparse ternary compression", {number("", 0, 1)}, "dp", kWire),
    lacks(Kind::codec, "sketch", "count sketch", {whole("", 1, 1e9)}, "dp", kWire),
    lacks(Kind::codec, "powersgd", "rank-r factors, by a power iteration", {whole("", 1, 65536)}, "dp", kWire),
    lacks(Kind::codec, "atomo", "sparse in the singular vectors", {whole("", 1, 65536)}, "dp", kWire),

    // Collectives: the algorithm of each reduction.
    does(Kind::collective, "auto", "chosen by operation, group size and bytes (the default)", {}, "dp", "reference_trainer/comm/choose.cpp"),
    does(Kind::collective, "ring", "ring reduce-scatter and all-gather", {}, "dp", "reference_trainer/plan/collective/ring.cpp"),
    does(Kind::collective, "rabenseifner", "recursive halving and doubling, any rank count", {}, "dp", "reference_trainer/plan/collective/rabenseifner.cpp"),
    does(Kind::collective, "tree", "binomial tree: reduce, then broadcast", {}, "dp", "reference_trainer/plan/collective/tree.cpp"),
    does(Kind::collective, "direct", "every pair at once: one round of reduce-scatter, one of all-gather", {}, "dp", "reference_trainer/plan/collective/direct.cpp"),
    does(Kind::collective, "native", "the transport's own all-reduce", {}, "dp", "reference_trainer/plan/collective/native.cpp"),
    lacks(Kind::collective, "linear", "a root takes one vector after the other", {}, "dp", kPrograms),
    lacks(Kind::collective, "doubling", "recursive doubling of whole vectors", {}, "dp", kPrograms),
    lacks(Kind::collective, "double_tree", "two complementary binary trees, pipelined", {}, "dp", kPrograms),
    lacks(Kind::collective, "pipelined_tree", "a tree with k chunks under way", {whole("k", 1, 65536)}, "dp", kPrograms),
    lacks(Kind::collective, "hierarchical", "inside nodes, between nodes, inside nodes", {whole("group", 2, kMany)}, "dp", kPrograms),
    lacks(Kind::collective, "torus", "rings along two dimensions", {whole("x", 2, kMany)}, "dp", kPrograms),
    lacks(Kind::collective, "byteps", "spare machines join as summation servers", {kServers}, "dp", kServer),
    lacks(Kind::collective, "sparse", "recursive doubling of index-value streams", {}, "dp", kWire),
};
// clang-format on

}  // namespace lockstep::terms
