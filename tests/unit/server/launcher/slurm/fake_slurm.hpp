// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "solvers/base/files.hpp"

namespace kaname::launcher {

/// sbatch, squeue, sacct and scancel in a folder that comes first in PATH. Each notes its arguments
/// in <name>.calls and runs what the test wrote into <name>.do, in bash.
class FakeSlurm {
public:
    FakeSlurm() : old_path_(std::getenv("PATH")) {
        for (const char* name : {"sbatch", "squeue", "sacct", "scancel"}) {
            const std::filesystem::path program = folder() / name;
            std::ofstream(program)
                << "#!/bin/bash\ncd '" << folder().string() << "'\nprintf '%s ' \"$@\" >> " << name
                << ".calls; echo >> " << name << ".calls\n[ -e " << name << ".do ] || exit 0\n. ./"
                << name << ".do\n";
            std::filesystem::permissions(program, std::filesystem::perms::owner_all);
        }
        ::setenv("PATH", (folder().string() + ":" + old_path_).c_str(), 1);
        says("sacct", "echo 'Slurm accounting storage is disabled' >&2; exit 1");
        queue("");
    }
    ~FakeSlurm() { ::setenv("PATH", old_path_.c_str(), 1); }
    FakeSlurm(const FakeSlurm&) = delete;
    FakeSlurm& operator=(const FakeSlurm&) = delete;

    [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
    void says(const std::string& program, const std::string& bash) {
        std::ofstream(folder() / (program + ".do")) << bash << "\n";
    }
    /// The lines of squeue's answer, without its first.
    void queue(const std::string& lines) {
        says("squeue", "echo 'JOBID|NAME|STATE|REASON'; printf '" + lines + "'");
    }
    [[nodiscard]] std::string calls(const std::string& program) const {
        return read_file_if_any(folder() / (program + ".calls"));
    }
    [[nodiscard]] int n_calls(const std::string& program) const {
        int n = 0;
        for (const char letter : calls(program)) {
            n += letter == '\n' ? 1 : 0;
        }
        return n;
    }

private:
    TemporaryFolder folder_;
    std::string old_path_;
};

}  // namespace kaname::launcher
