// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/io/source_file.hpp"
#include "solvers/p2/dof_map.hpp"
#include "solvers/viscoelastic/model/volume_fields.hpp"
#include "solvers/viscoelastic/stepping/pack_solver.hpp"
#include "worker/jobs/geometry/domain.hpp"
#include "worker/jobs/greens/pack_runner.hpp"
#include "worker/jobs/greens/viscoelastic_stages.hpp"

namespace kaname::jobs {

/// Events whose motion is added up: solved as Green's functions of their slip models, packaged as
/// what happens, with the volume while it does.
class ScenarioStages final : public ViscoelasticStages {
public:
    [[nodiscard]] std::unique_ptr<StepRecorder> recorder(const PackContext& context) const override;

protected:
    void pack_sources(Packing& packing, bool only_these) const override;
};

/// Fields of a scenario from the results of its slip models and moved sides, in the order of
/// Scenario::models and GreensJob::boundary_sources:
/// `dataset.surface` at dataset.epochs_s (where results hold the surface) and `dataset.volume` at
/// the volume's epochs with the Coulomb stress change on its receivers (where there are epochs).
///   surface(t) = sum_m sum_k w_mk(t) U_mk,   volume(t) = sum_m of the stored snapshots of m
/// Strikes of receivers are from true north at their place, without one at the region's centre.
/// A field is a sum over all of them: with one that is missing or failed, or that does not hold the
/// field, the dataset gets none. `n_parts`: parts of the mesh, whose surface is that of the first.
/// Throws ValidationError for a receiver outside the model.
void add_fields(const GreensJob& job, const Domain& domain, const mesh::TetMesh& mesh,
                const p2::DofMap& dofs, const std::vector<std::optional<io::SourceResult>>& results,
                const Steps& steps, io::GreensDataset& dataset, int n_parts = 1);

/// Takes the volume snapshots of a scenario's slip models and moved sides while they are solved by
/// time steps. Does nothing where the context has no volume.
class VolumeRecorder final : public StepRecorder {
public:
    /// Throws InvalidArgument naming an epoch outside the solved range.
    explicit VolumeRecorder(const PackContext& context);

    void start(const std::vector<io::SourceResult>& results) override;
    void record(int step, viscoelastic::PackSolver& solver) override;
    void collect(std::vector<io::SourceResult>& results) const override;

private:
    [[nodiscard]] std::vector<double> weights_of(const std::string& source_id) const;

    comm::Comm& comm_;
    device::Queue& queue_;
    const Scenario* scenario_ = nullptr;
    std::optional<viscoelastic::VolumeFields> fields_;
    std::map<std::string, std::vector<double>> weights_;  ///< by source, [snapshots][steps]
};

/// Returns the verbs of the kind of request that a job is; kaname-compute calls the solvers by them
/// alone.
[[nodiscard]] const Stages& stages_of(const GreensJob& job);

}  // namespace kaname::jobs
