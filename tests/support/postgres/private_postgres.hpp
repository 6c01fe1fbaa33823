// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kaname::store {
class Connection;
}

namespace kaname::support {

/// A PostgreSQL server of this test or benchmark: its own folder, a unix socket and no network;
/// started on first use, ended and removed with the process. Its calls throw std::runtime_error
/// when one of its programs fails.
class PrivatePostgres {
public:
    /// For tests: it begins as a copy of the cluster template and flushes nothing.
    static PrivatePostgres& instance();
    /// For benchmarks: made by initdb with the settings that packages have, and flushed.
    static PrivatePostgres& durable();
    ~PrivatePostgres();
    PrivatePostgres(const PrivatePostgres&) = delete;
    PrivatePostgres& operator=(const PrivatePostgres&) = delete;

    /// Why there is none; empty when it runs. One that is installed and does not start throws.
    [[nodiscard]] const std::string& absent() const { return absent_; }
    /// Conninfo of a new, empty database.
    [[nodiscard]] std::string new_database() { return create_database("template1"); }
    /// Conninfo of a new database with all migrations and no rows; of instance() alone. The sixth
    /// before it is dropped, so that what tests leave does not reach the disk.
    [[nodiscard]] std::string new_migrated_database();
    /// Conninfo of a database with all migrations and no rows, while the answer is kept; of
    /// instance() alone. One that an earlier caller gave back is emptied for the next, which costs
    /// less than a new one. Its tables keep pages and statistics of what was there: tests of plans
    /// take a new one.
    [[nodiscard]] std::shared_ptr<const std::string> borrow_migrated_database();
    /// Ends all sessions and starts again, without a checkpoint, as after a crash.
    void crash_and_restart();

private:
    enum class Purpose { Test, Benchmark };
    explicit PrivatePostgres(Purpose purpose);
    int run(const std::string& program, const std::string& arguments) const;
    void tell(const std::string& statement, const std::string& database = "template1") const;
    [[nodiscard]] std::string conninfo(const std::string& database) const;
    std::string create_database(const std::string& source);
    void restore(const std::string& database);

    std::filesystem::path folder_, binaries_;
    std::string absent_, user_;
    int n_databases_ = 0, n_dropped_ = 0, n_lent_ = 0;
    std::vector<std::string> given_back_;  ///< names of lent databases that nobody uses
    std::map<std::string, std::unique_ptr<store::Connection>> restorers_;  ///< by database
};

}  // namespace kaname::support
