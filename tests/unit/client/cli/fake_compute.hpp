// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "client/cli/atomic_file.hpp"
#include "client/cli/compute_runner.hpp"

namespace kaname::cli {

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
    [[nodiscard]] ComputeRunner runner() const { return ComputeRunner(program()); }

private:
    TemporaryFolder folder_;
};

}  // namespace kaname::cli
