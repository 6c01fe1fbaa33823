// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kaname::io {

/// Holds the solver's record of a dataset's S sources and K steps (incl. the coseismic one).
struct SolveRecords {
    std::vector<std::string> sources;      ///< ids [S]
    std::vector<std::int8_t> status;       ///< [S] 0 missing, 1 done, 2 failed
    std::vector<double> step_time_s;       ///< [K]; NaN at the shifts of a spectrum
    std::vector<std::int32_t> iterations;  ///< [S][K], -1 missing
    std::vector<double> residual;          ///< [S][K] final ||r||/||f||
    std::vector<double> initial_residual;  ///< [S][K] before the first iteration
    std::vector<double> shift_per_s;       ///< [S][K] a spectrum's shifts; else none
};

/// Reads the records of greens.h5, without its values. Throws as read_greens_dataset.
[[nodiscard]] SolveRecords read_solve_records(const std::string& path);

}  // namespace kaname::io
