// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace kaname::support {

/// A PostgreSQL server of this test or benchmark: its own folder, a unix socket and no network;
/// started on first use, ended and removed with the process. Its calls throw std::runtime_error
/// when one of its programs fails.
class PrivatePostgres {
public:
    static PrivatePostgres& instance();
    ~PrivatePostgres();
    PrivatePostgres(const PrivatePostgres&) = delete;
    PrivatePostgres& operator=(const PrivatePostgres&) = delete;

    /// Why there is none; empty when it runs. One that is installed and does not start throws.
    [[nodiscard]] const std::string& absent() const { return absent_; }
    /// Conninfo of a new, empty database.
    [[nodiscard]] std::string new_database();
    /// Ends all sessions and starts again, without a checkpoint, as after a crash.
    void crash_and_restart();

private:
    PrivatePostgres();
    int run(const std::string& program, const std::string& arguments) const;

    std::filesystem::path folder_, binaries_;
    std::string absent_;
    int n_databases_ = 0;
};

}  // namespace kaname::support
