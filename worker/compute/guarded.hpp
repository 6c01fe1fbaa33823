// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "worker/compute/reporter.hpp"

namespace kaname::compute {

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

}  // namespace kaname::compute
