// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solvers/fault/split_nodes.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/p2/dof_map.hpp"
#include "solvers/p2/locate.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"
#include "worker/jobs/greens/observed_places.hpp"
#include "worker/jobs/greens/step_response.hpp"
#include "worker/jobs/greens/viscoelastic_stages.hpp"
#include "worker/jobs/stage/stage.hpp"

namespace kaname::jobs {

/// Rows of the dataset's [source][step] variables; sources may have different numbers of shifts.
class SolveColumns {
public:
    void add(const io::SourceResult* result) {
        rows_.push_back(result == nullptr ? Row{}
                                          : Row{result->iterations, result->residual,
                                                result->initial_residual, result->shift_per_s});
    }
    /// Pads every row to `n_steps` and moves them into the dataset.
    void move_to(io::GreensDataset& dataset, std::size_t n_steps, bool by_spectrum) {
        const auto append = [n_steps](auto& all, auto row, auto nothing) {
            row.resize(n_steps, nothing);
            all.insert(all.end(), row.begin(), row.end());
        };
        for (Row& row : rows_) {
            append(dataset.iterations, std::move(row.iterations), std::int32_t{-1});
            append(dataset.residual, std::move(row.residual),
                   std::numeric_limits<double>::quiet_NaN());
            append(dataset.initial_residual, std::move(row.initial_residual),
                   std::numeric_limits<double>::quiet_NaN());
            if (by_spectrum) {
                append(dataset.shift_per_s, std::move(row.shift_per_s),
                       std::numeric_limits<double>::quiet_NaN());
            }
        }
    }
    [[nodiscard]] std::size_t longest() const {
        std::size_t longest = 1;
        for (const Row& row : rows_) {
            longest = std::max(longest, row.iterations.size());
        }
        return longest;
    }

private:
    struct Row {
        std::vector<std::int32_t> iterations;
        std::vector<double> residual, initial_residual, shift_per_s;
    };
    std::vector<Row> rows_;
};

class Packing;
/// Adds the rows of a job that was solved by forces at its stations, and its fault_response.
void pack_by_forces(Packing& packing);

/// Packing holds what the packages of unit sources and of scenarios share: the dataset with
/// everything that does not depend on a source, and the reader of the job's results.
class Packing {
public:
    Packing(const GreensJob& job, const std::string& mesh_path, const SourceFiles& files);
    Packing(const Packing&) = delete;
    Packing& operator=(const Packing&) = delete;

    struct Read {
        std::optional<io::SourceResult> result;  ///< absent: missing
        std::vector<double> fields;  ///< [F][N][3] at the stations, true east, north, up
        std::int8_t status = 0;      ///< 0 missing, 1 done, 2 failed
        std::string failure;
    };
    [[nodiscard]] Read read(const std::string& source_id);
    /// Reads the result of a force, which has no fields at stations.
    [[nodiscard]] Read read_force(const std::string& force_id);
    /// Returns the response at the dataset's epochs.
    [[nodiscard]] StepResponse response(const SlipHistory& history) const;
    /// Returns the number of values of an epoch.
    [[nodiscard]] std::size_t width() const { return 3 * job.stations.size(); }

    /// The slip sources on the mesh, worked out once.
    [[nodiscard]] SlipOnMesh& slip();
    /// Forgets the sources that were added: the next dataset of the same job begins.
    void restart();
    /// Appends one source: motion [epochs][N][3], NaN where it is empty.
    void add(io::GreensDataset::Source row, const Read& read, std::vector<double> motion);
    /// Throws InvalidArgument when there is no source.
    void write(const std::string& dataset_path);

    const GreensJob& job;
    const SourceFiles& files;
    const JobGeometry geometry;
    const mesh::TetMesh mesh;
    const Steps steps;
    const p2::DofMap dofs;
    const fault::SplitNodes split;
    io::GreensDataset dataset;
    PackageSummary summary;

private:
    std::vector<p2::Location> places_;
    StationReader stations_;
    std::vector<double> convergences_;
    SolveColumns solves_;
    std::unique_ptr<SlipOnMesh> slip_;
    std::map<std::string, std::vector<std::string>> notes_;  ///< sources by what is said of them
    bool any_by_spectrum_ = false, any_by_steps_ = false;    ///< of the sources that are done
};

}  // namespace kaname::jobs
