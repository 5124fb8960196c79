#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::store {

inline void put(SQLite::Statement& statement, int index, int64_t value) { statement.bind(index, value); }
inline void put(SQLite::Statement& statement, int index, double value) { statement.bind(index, value); }  // NaN: NULL
inline void put(SQLite::Statement& statement, int index, const char* value) { statement.bind(index, value); }
inline void put(SQLite::Statement& statement, int index, const std::string& value) { statement.bind(index, value); }
template <class T>
void put(SQLite::Statement& statement, int index, const std::optional<T>& value) {
  if (value) {
    put(statement, index, *value);
  } else {
    statement.bind(index);
  }
}

/// A statement that is executed for many rows.
class Command {
 public:
  Command(SQLite::Database& db, const char* sql) : statement_(db, sql) {}

  /// Binds the values in order and executes; returns the number of rows changed.
  template <class... Values>
  int operator()(const Values&... values) {
    int index = 0;
    (put(statement_, ++index, values), ...);
    const int changed = statement_.exec();
    statement_.reset();
    return changed;
  }

 private:
  SQLite::Statement statement_;
};

/// Rows of a query, read column after column in order.
class Query {
 public:
  template <class... Values>
  Query(SQLite::Database& db, const std::string& sql, const Values&... values) : statement_(db, sql) {
    int index = 0;
    (put(statement_, ++index, values), ...);
  }

  bool next() {
    column_ = 0;
    return statement_.executeStep();
  }
  int64_t integer() { return statement_.getColumn(column_++).getInt64(); }
  std::string text() { return statement_.getColumn(column_++).getString(); }
  double real() { return optional_real().value_or(std::numeric_limits<double>::quiet_NaN()); }
  std::optional<int64_t> optional_integer() {
    const SQLite::Column column = statement_.getColumn(column_++);
    return column.isNull() ? std::nullopt : std::optional<int64_t>(column.getInt64());
  }
  std::optional<double> optional_real() {
    const SQLite::Column column = statement_.getColumn(column_++);
    return column.isNull() ? std::nullopt : std::optional<double>(column.getDouble());
  }
  std::vector<uint8_t> blob() {
    const SQLite::Column column = statement_.getColumn(column_++);
    const auto* data = static_cast<const uint8_t*>(column.getBlob());
    return {data, data + column.getBytes()};
  }

 private:
  SQLite::Statement statement_;
  int column_ = 0;
};

}  // namespace lockstep::store
