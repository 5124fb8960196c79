#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reference_trainer/plan/terms/table.h"
#include "results/store/store.h"

namespace lockstep::gui {

/// Whether a system does a term, as far as this program and the store know.
struct TermAnswer {
  enum class Kind : uint8_t {
    unknown,      ///< nothing of it in the store
    works,        ///< the reference trainer's table or the adapter says so
    ran,          ///< nobody says so, but launches finished
    unsupported,  ///< `why` says why
  };
  Kind kind = Kind::unknown;
  std::string why;               ///< the reason; of what works: the framework's own name for it
  int64_t held = 0, failed = 0;  ///< cells by their newest proof of equal work
  std::string failure;           ///< why the first of them failed
};

/// All terms of one system.
struct SystemAnswers {
  std::string system;                       ///< as cells have it: "pytorch:env=torch-2.15"
  std::map<std::string, TermAnswer> terms;  ///< by written term: "/zero1"; each term of the table
};

/// The systems of the whole store, the reference trainer first whether it has cells or not. The reference trainer
/// answers by the table of terms of this program, others by what their adapters claimed when they ran; where a store
/// has no claims, by the launches that finished or were refused. Cells on fabric null prove nothing.
std::vector<SystemAnswers> system_answers(store::Store& store);

/// The rows of the table that a cell's strategy is made of; none of a text that this version cannot read, nor of a
/// variant of lockstep exec.
std::vector<const terms::Row*> rows_of_cell(const store::CellRow& cell);

/// "works: torch.nn.parallel.DistributedDataParallel", "unsupported, because ...".
std::string words_of(const TermAnswer& answer);
/// "held in 5 cells", "FAILED in 1 of 6 cells"; empty where there is no proof.
std::string proof_words(const TermAnswer& answer);

}  // namespace lockstep::gui
