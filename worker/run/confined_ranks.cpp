// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/confined_ranks.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include <unistd.h>

#include "solvers/base/environment.hpp"
#include "solvers/base/error.hpp"
#include "worker/run/exit_code.hpp"
#include "worker/run/spawn.hpp"

namespace kaname::run {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReadOption = "--read";
constexpr const char* kWriteOption = "--write";
constexpr const char* kRankFollows = "--";

/// Adds what the MPI of this rank needs, and tells it where its shared memory goes. Open MPI's
/// daemons name a folder of the session, of one mpirun, in which all that ranks of a node share may
/// lie; its ranks have confinements of their own, so that none reads the memory of another.
void add_mpi(Confinement& confinement) {
    confinement.write.emplace_back("/dev/infiniband");
    const std::string session = environment("PMIX_SERVER_TMPDIR");
    if (session.empty()) {
        confinement.write.emplace_back("/dev/shm");
        return;
    }
    for (const char* name : {"PMIX_SERVER_TMPDIR", "OMPI_MCA_orte_jobfam_session_dir"}) {
        if (const std::string folder = environment(name); !folder.empty()) {
            confinement.write.emplace_back(folder);
        }
    }
    ::setenv("OMPI_MCA_btl_vader_backing_directory", session.c_str(), 1);
    ::setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 1);
}

}  // namespace

std::vector<std::string> confined_rank(const fs::path& agent, const Confinement& confinement) {
    std::vector<std::string> command = {agent.string(), kConfined};
    for (const fs::path& path : confinement.read) {
        command.insert(command.end(), {kReadOption, path.string()});
    }
    for (const fs::path& path : confinement.write) {
        command.insert(command.end(), {kWriteOption, path.string()});
    }
    command.emplace_back(kRankFollows);
    return command;
}

int become_confined_rank(const std::vector<std::string>& arguments) {
    Confinement confinement;
    auto next = arguments.begin();
    for (; next != arguments.end() && *next != kRankFollows; ++next) {
        const bool reads = *next == kReadOption;
        if ((!reads && *next != kWriteOption) || next + 1 == arguments.end()) {
            std::cerr << "kaname-agent " << kConfined << ": '" << *next << "' is no option of it\n";
            return kExitBadInput;
        }
        (reads ? confinement.read : confinement.write).emplace_back(*++next);
    }
    std::vector<std::string> rank(std::min(next + 1, arguments.end()), arguments.end());
    try {
        const std::string path = resolve_program(rank);
        add_mpi(confinement);
        const Fd ruleset = make_ruleset(confinement, Tcp::Allowed);
        const std::vector<char*> argv = pointers(rank);
        if (confine_self(ruleset.get())) {
            ::execv(path.c_str(), argv.data());
        }
        throw_not_started(path, errno);
    } catch (const Error& error) {
        std::cerr << error.what() << '\n';
        return exit_code(error.code());
    }
}

}  // namespace kaname::run
