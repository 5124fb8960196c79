#pragma once

#include <sqlite3.h>

#include <atomic>

#include "results/store/errors.h"
#include "results/store/sql.h"
#include "results/store/store.h"

namespace lockstep::store {

struct Store::Impl {
  std::string path;
  SQLite::Database db;
  std::atomic<bool> interrupted = false;  ///< set by another thread

  /// Between queries SQLite forgets that it was interrupted; a reader of many small ones must not. Inside guarded().
  void throw_where_interrupted() const {
    if (interrupted) throw SQLite::Exception("interrupted", SQLITE_INTERRUPT);
  }

  /// Runs `work` in one immediate transaction: it waits for its turn before it reads anything, so it never has to be
  /// repeated.
  template <class Work>
  auto write(Work&& work) {
    return guarded(path, [&] {
      SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
      auto result = work();
      transaction.commit();
      return result;
    });
  }

  /// Every row of a query through `read`.
  template <class Read, class... Values>
  auto rows(const std::string& sql, Read&& read, const Values&... values) {
    return guarded(path, [&] {
      Query query(db, sql, values...);
      std::vector<decltype(read(query))> out;
      throw_where_interrupted();
      while (query.next()) {
        out.push_back(read(query));
        throw_where_interrupted();
      }
      return out;
    });
  }

  template <class Read, class... Values>
  auto row(const std::string& sql, Read&& read, const Values&... values) {
    auto all = rows(sql, read, values...);
    return all.empty() ? std::nullopt : std::make_optional(std::move(all.front()));
  }
};

/// Inside a transaction: the row, where it is not there yet.
void insert_cell(SQLite::Database& db, const CellRow& row);
/// Inside a transaction; returns the hash.
std::string insert_environment(SQLite::Database& db, const EnvironmentRow& row);
/// Inside a transaction: the row, where it is not there yet; a missing hash is made.
bool insert_system(SQLite::Database& db, SystemRow row);
/// Inside a transaction: with the next free number, which is written into `row`.
void insert_campaign(SQLite::Database& db, CampaignRow& row);

}  // namespace lockstep::store
