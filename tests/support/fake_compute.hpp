// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "solvers/base/files.hpp"
#include "worker/run/compute_runner.hpp"

namespace kaname {

/// A kaname-compute that does what a few lines of shell say.
class FakeCompute {
public:
    explicit FakeCompute(const std::string& body) {
        write_file(program(), "#!/bin/sh\n" + body + "\n");
        std::filesystem::permissions(program(), std::filesystem::perms::owner_all);
    }
    [[nodiscard]] std::filesystem::path program() const {
        return folder_.path() / "kaname-compute";
    }
    [[nodiscard]] std::filesystem::path file(const std::string& name) const {
        return folder_.path() / name;
    }
    [[nodiscard]] run::ComputeRunner runner() const { return run::ComputeRunner(program()); }

private:
    TemporaryFolder folder_;
};

}  // namespace kaname
