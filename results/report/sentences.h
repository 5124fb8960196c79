#pragma once

#include <string>
#include <vector>

#include "results/snapshot/comparisons.h"
#include "results/snapshot/snapshot.h"

namespace lockstep::report {

/// A stretch of a sentence, and the comparisons that it is about: their numbers in the list; none: words between them.
struct Span {
  std::string text;
  std::vector<size_t> about;
};

/// Its label, "2 ranks against 1, reference dp2 on threads", which is about all comparisons of the sentence; then
/// words, and what was found of each comparison: "gpt-austen:tiny 1.27x [1.20, 1.36]".
using Sentence = std::vector<Span>;

/// What a campaign's table supports, in words, a paragraph each: system against system at one rank, several ranks
/// against one, fabric against fabric, variant against variant; then how it was decided. Empty where nothing can be
/// compared.
std::vector<Sentence> sentences_of(const snapshot::CampaignSnapshot& snapshot,
                                   const std::vector<snapshot::Comparison>& comparisons);
/// The same as texts.
std::vector<std::string> sentences(const snapshot::CampaignSnapshot& snapshot,
                                   const std::vector<snapshot::Comparison>& comparisons);

/// The spans as one text.
std::string text_of(const Sentence& sentence);

}  // namespace lockstep::report
