// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <span>
#include <string>

#include "worker/jobs/frame/kind.hpp"
#include "worker/jobs/frame/reporter.hpp"

namespace kaname::compute {

/// kaname-compute with the verbs of these kinds of request; returns its exit code.
int compute_main(int argc, const char* const* argv, std::span<const Kind* const> kinds);

/// How a verb ended on one rank.
struct Outcome {
    int code = 0;          ///< exit code, see worker/run/exit_code.hpp
    bool gave_up = false;  ///< the verb threw
    bool told = false;     ///< this rank wrote the error event
};

/// Runs `verb` and turns what it throws into an exit code and one event on standard output: the
/// first rank's, but for a GPU's fault, which is told by the rank that has it, with its GPU
/// (`gpu`, a UUID, read after the verb has ended). Other ranks write to standard error.
Outcome guarded(int rank, const std::string& gpu, Reporter& reporter,
                const std::function<int()>& verb);

/// From now on a memory fault of this process is told as the damage of `file`, with exit code 2:
/// the HDF5 library ends in one on some damaged files, wherever it notices nothing itself.
void blame_memory_faults_on(const std::string& file);

}  // namespace kaname::compute
