// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "worker/agent/stages/pack.hpp"
#include "worker/agent/stages/watch.hpp"

namespace kaname::agent {

/// Has files in a folder, and notes what it is told.
class FakeHolder final : public Holder {
public:
    std::string add_file(const std::string& text) {
        const std::string hash = sha256_hex(text);
        write_file(folder.path() / hash, text);
        return hash;
    }

    std::filesystem::path fetch(const std::string& label, const std::string& sha256) override {
        if (!std::filesystem::exists(folder.path() / sha256)) {
            throw InputMissing("input " + label + " is lost", server_away);
        }
        return folder.path() / sha256;
    }
    [[nodiscard]] std::filesystem::path files() const override { return folder.path(); }
    void set_progress(double, double, const std::string& text) override {
        progress.push_back(text);
    }
    void put_log(const std::string& piece) override {
        if (n_log_refusals > 0) {
            --n_log_refusals;
            throw Error(log_error, "refused");
        }
        log += piece;
    }
    void put_checkpoint(const std::filesystem::path& file, int step) override {
        checkpoints[step] = read_file_if_any(file);
    }
    void say(const std::string& line) override { said.push_back(line); }
    [[nodiscard]] bool stopping() const override { return stop; }
    [[nodiscard]] bool wanted() const override { return !dropped; }

    TemporaryFolder folder;
    std::vector<std::string> progress, said;
    std::map<int, std::string> checkpoints;  ///< bytes by step
    std::string log;
    ErrorCode log_error = ErrorCode::Unavailable;
    int n_log_refusals = 0;
    bool server_away = false, stop = false, dropped = false;
};

}  // namespace kaname::agent
