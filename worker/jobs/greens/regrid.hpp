// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <span>
#include <string>
#include <vector>

#include "solvers/io/dataset/greens_dataset.hpp"
#include "worker/jobs/geometry/sources/source_set.hpp"
#include "worker/jobs/stage/greens_job.hpp"

namespace kaname::jobs {

/// Writes the dataset that `job` would give, whose patches or slip tables may differ from those of
/// the dataset at `dataset_path`, from that one's fault_response: no mesh, no solve. All else of
/// the job is that dataset's, whose epochs, stations and slip history it keeps.
/// Throws InvalidArgument where the dataset has no fault_response or is of another fault, where a
/// source cannot slip on its meshed fault (ValidationError), and as io::read_greens_dataset.
void regrid(const GreensJob& job, const std::string& dataset_path, const std::string& output_path);

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
