// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/dataset/greens_layout.hpp"

#include "solvers/h5/file.hpp"
#include "solvers/io/dataset/greens_slice.hpp"

namespace kaname::io {

SolveRecords read_solve_records(const std::string& path) {
    require_greens(path);
    const h5::File file(path, h5::File::Mode::Read);
    SolveRecords records;
    records.sources = file.read_strings("source");
    records.status = file.read<std::int8_t>("status", {records.sources.size()});
    records.step_time_s = file.read<double>("step_time", {h5::kAny});
    const h5::Dims by_step = {records.sources.size(), records.step_time_s.size()};
    records.iterations = file.read<std::int32_t>("iterations", by_step);
    records.residual = file.read<double>("residual", by_step);
    records.initial_residual = file.read<double>("initial_residual", by_step);
    if (file.has("shift")) {
        records.shift_per_s = file.read<double>("shift", by_step);
    }
    return records;
}

}  // namespace kaname::io
