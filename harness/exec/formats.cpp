#include "harness/exec/formats.h"

#include <fmt/ranges.h>

#include "adapters/contract/failure.h"
#include "adapters/contract/nearest.h"

namespace lockstep::exec {
namespace {

constexpr std::string_view kName = "abcdefghijklmnopqrstuvwxyz_0123456789";

// As logs print it: with thousands separators, "nan" and "inf" too.
constexpr std::string_view kNumber =
    R"([-+]?(?i:nan|inf(?:inity)?|(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?))";

std::vector<std::string> names() {
  std::vector<std::string> all{"auto"};
  for (const LogFormat& format : formats()) all.push_back(format.name);
  return all;
}

}  // namespace

std::span<const LogFormat> formats() {
  static const std::vector<LogFormat> table{
      // step: 10  loss:  6.13841  memory: 49.66GiB(52.28%)  tps: 5,856  tflops: 339.16  mfu: 34.29%
      // tps is of one device, over the steps since the line before.
      {"torchtitan",
       {R"((?<!validate )step:\s*{step}\s+loss:\s*{loss}(?:.*?\btps:\s*{tokens_of_a_device_per_s})?)"
        R"((?:.*?\bmfu:\s*{mfu_percent}%)?)"},
       "pytorch/torchtitan, torchtitan/components/metrics.py"},
      //  iteration       10/     100 | consumed samples:           80 | elapsed time per iteration (ms): 86.2 |
      //  learning rate: 9.150E-06 | global batch size:     8 | lm loss: 2.504220E+00 | loss scale: 1.0 |
      {"megatron",
       {R"(\biteration\s+{step}/\s*{total} \|.*?elapsed time per iteration \(ms\):\s*{mean_ms})",
        R"(\biteration\s+\d+/.*?\| global batch size:\s*{samples} \|)",
        R"(\biteration\s+\d+/.*?\| lm[ _]loss:\s*{loss} \|)"},
       "NVIDIA/Megatron-LM, megatron/training/training.py"},
      // iter 10: loss 4.1215, time 123.45ms, mfu 1.20%
      // The time is that of this one iteration, with an evaluation before it.
      {"nanogpt",
       {R"(\biter {step}: loss {loss}, time {time_ms}ms(?:, mfu {mfu_percent}%)?)"},
       "karpathy/nanoGPT, train.py"},
      // Epoch 0:  22%|##2       | 4/18 [00:17<01:02,  4.47s/it, loss=10.072, v_num=0]
      {"lightning",
       {R"(^Epoch {epoch}:\s*\d+%\|[^|]*\|\s*{batch}/{total} \[)",
        R"(^Epoch \d+:.*\[.*[ ,](?:train_)?loss(?:_step)?={loss})"},
       "Lightning-AI/pytorch-lightning, the bar of TQDMProgressBar; a step is a batch"},
      //  10%|#         | 100/1000 [00:10<01:30, 10.00it/s]
      // {'loss': 2.1, 'grad_norm': 0.9, 'learning_rate': 5e-05, 'epoch': 0.1}   every logging_steps
      {"hf-trainer",
       {R"(^\s*\d+%\|[^|]*\|\s*{step}/{total} \[[^\]]*(?:it/s|s/it)[^\]]*\])", R"(\{'loss': '?{loss}'?,.*'epoch': )"},
       "huggingface/transformers, Trainer with its progress bar"},
      // [2023-07-25 21:03:21,037] [INFO] [logging.py:96:log_dist] [Rank 0] step=35, skipped=0, lr=[2e-06], mom=[[0.9,
      // 0.95]]
      // ... epoch=0/micro_step=35/global_step=35, RunningAvgSamplesPerSec=7.86, CurrSamplesPerSec=8.00,
      // MemAllocated=...
      {"deepspeed",
       {R"(\[Rank 0\] step={step}, skipped={skipped_steps}, lr=)",
        R"(\bglobal_step={step}, .*\bCurrSamplesPerSec={samples_per_s})"},
       "deepspeedai/DeepSpeed, runtime/engine.py and utils/timer.py"},
  };
  return table;
}

std::string written_out(std::string_view expression) {
  std::string out;
  for (size_t at = 0; at < expression.size();) {
    const size_t end = expression[at] == '{' ? expression.find_first_not_of(kName, at + 1) : std::string_view::npos;
    const bool group = end != std::string_view::npos && expression[end] == '}' && end > at + 1 &&
                       (expression[at + 1] < '0' || expression[at + 1] > '9');  // {2} and {1,3} are quantifiers
    if (group) {
      out += fmt::format("(?<{}>{})", expression.substr(at + 1, end - at - 1), kNumber);
      at = end + 1;
    } else {
      out += expression[at++];
    }
  }
  return out;
}

LogFormat format_of(const std::string& text) {
  for (const LogFormat& format : formats()) {
    if (format.name == text) return format;
  }
  const bool named = text.find("(?<") != std::string::npos || text.find("(?P<") != std::string::npos;
  if (named || written_out(text) != text) return {"the given expression", {text}, kGiven};
  const std::vector<std::string> known = names();
  refuse({"", "--log", text,
          fmt::format("is none of {}, and no regular expression with named groups", fmt::join(known, ", ")),
          fmt::format("did you mean {}? An expression: --log 'iter {{step}}: loss {{loss}}'", nearest(text, known))});
}

}  // namespace lockstep::exec
