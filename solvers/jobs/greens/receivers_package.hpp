// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/jobs/geometry/source_set.hpp"

namespace kaname::jobs {

/// Unit or tabled slip of all sources on a fault, and the motion that it causes at stations whose
/// forces have been solved for.
class SlipResponse {
public:
    /// Rows of the dataset and slip of the sources; one that cannot slip there has status 2.
    SlipResponse(SlipOnMesh& slip, std::span<const std::string> source_ids);

    [[nodiscard]] std::vector<io::GreensDataset::Source> rows() const { return rows_; }
    /// Puts what one force says into greens [S][E][N][3]: traction [E][B][3].
    void add(const io::FaultResponse::Force& force, std::span<const double> traction,
             std::size_t n_stations, std::span<double> greens) const;

private:
    struct Slipping {
        std::size_t node;
        Vec3 slip;
    };
    std::vector<io::GreensDataset::Source> rows_;
    std::vector<std::vector<Slipping>> slip_;  ///< [S], none where a source has failed
};

}  // namespace kaname::jobs
