#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/stats/estimate.h"

/// A report as plain data: built once from a snapshot, checked by `lint`, written by one small renderer a format.
namespace lockstep::report {

/// What a column or an axis measures. It decides which mean is allowed and whether a base has to be named.
enum class Quantity : uint8_t {
  name,   ///< text, or what identifies a row
  count,  ///< launches, steps, ranks; also plain numbers such as p
  cost,   ///< time, memory, bytes, loss: adds up
  rate,   ///< samples a second
  ratio   ///< of two costs or rates: against a named base
};

/// How several values became the one that is shown.
enum class Centre : uint8_t { none, median, arithmetic_mean, harmonic_mean, geometric_mean, hodges_lehmann };

/// One entry of a table. A number has its full precision in `estimate`; `text` is what people read.
struct Value {
  std::string text;
  stats::Estimate estimate;  ///< NaN and infinities are kept; of text: not used
  bool numeric = false;
  std::string missing;   ///< why there is no number; `text` is "-", or a word that needs no reason
  bool unequal = false;  ///< the cell's proof of equal work failed: `text` ends in kUnequal, which a note explains
};

/// The mark of numbers of a cell that does not do the work of the others.
inline constexpr std::string_view kUnequal = "(!)";

struct Column {
  std::string key;    ///< member of `report --json` and header in CSV, with the unit of `estimate`: "step_s"
  std::string title;  ///< for people: "time a step"
  std::string unit;   ///< of `text`: "ms"; empty for names, counts and ratios
  Quantity quantity = Quantity::name;
  Centre centre = Centre::none;
  bool deterministic = true;  ///< the same in every launch: counts, texts, a single launch's record
  bool ranged = false;        ///< its values may have intervals: CSV has columns for them
  std::string interval;       ///< what the interval is; "none: WHY" where there is none
  std::string base;           ///< of a ratio: what it is against
};

struct Row {
  std::string cell;  ///< the cell's text; empty where the row is of no single cell
  std::vector<Value> values;
};

struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::vector<std::string> notes;
};

/// How a figure draws its table.
enum class Mark : uint8_t {
  dots,  ///< a row a line: first column the label, each numeric column a dot with its interval
  line,  ///< first column the curve, then x and y; the points of a curve are joined
  bars   ///< a row a bar: first column the label, numeric columns stacked
};

struct Axis {
  std::string title;
  std::string unit;
  double scale = 1;         ///< units of `estimate` in one unit of the axis: 1e3 for "ktokens/s" of tokens/s
  bool continuous = false;  ///< values between two shown ones exist: a line may join them
};

struct Figure {
  std::string title;
  Mark mark = Mark::dots;
  Axis x, y;                    ///< y of dots and bars: the rows' names
  std::optional<double> bound;  ///< the best there can be, drawn as a line; on the axis's scale
  Table table;                  ///< what it draws, shown beside it
};

struct Section {
  std::string title;
  std::vector<std::string> paragraphs;
  std::vector<std::string> findings;  ///< one sentence each
  std::vector<std::string> commands;  ///< each can be pasted
  std::vector<Figure> figures;
  std::vector<Table> tables;
  bool wide = false;  ///< tables too wide for paper: only in HTML and CSV
};

/// What was kept the same and what was varied: "machine", "versions", "launches", ...
struct Fact {
  std::string name, text;
};

struct ReportModel {
  std::string title;
  std::vector<Fact> setup;
  std::string parallel_time;  ///< how the time of a parallel launch is measured
  std::string methods;        ///< the paragraph for a paper
  std::vector<Section> sections;
};

}  // namespace lockstep::report
