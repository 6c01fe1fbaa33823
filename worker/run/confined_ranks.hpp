// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "worker/run/confinement.hpp"

namespace kaname::run {

/// The first argument with which kaname-agent confines itself and becomes another program.
inline constexpr const char* kConfined = "confined";

/// Returns the command that mpirun or srun starts on each node in place of a rank's program. It
/// confines itself there, whoever started it, and then becomes the rank. The rank's own arguments
/// follow.
[[nodiscard]] std::vector<std::string> confined_rank(const std::filesystem::path& agent,
                                                     const Confinement& confinement);

/// The main program of such a start: `arguments` follow kConfined. The rank may besides reach TCP
/// ports, devices of InfiniBand and the session's folders that its MPI names; without such a name
/// the node's shared memory. Returns only when it fails, with the exit code, after a line on
/// standard error.
[[nodiscard]] int become_confined_rank(const std::vector<std::string>& arguments);

}  // namespace kaname::run
