// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "solvers/io/source_file.hpp"
#include "solvers/registry/pack_runner.hpp"
#include "solvers/viscoelastic/pack_solver.hpp"
#include "solvers/viscoelastic/volume_fields.hpp"

namespace kaname::registry {

/// Takes the volume snapshots of a scenario's slip models and moved sides while they are solved by
/// time steps. Does nothing where the context has no volume.
///
/// For a checkpoint: collect() may be called after any step and then leaves all that there is in
/// SourceResult::volume of rank 0; start() goes on from results that hold one, on any ranks.
class VolumeRecorder {
public:
    /// Throws InvalidArgument naming an epoch outside the solved range.
    explicit VolumeRecorder(const PackContext& context);

    /// One result per lane, with its source's id. Collective.
    void start(const std::vector<io::SourceResult>& results);
    void record(int step, viscoelastic::PackSolver& solver);
    /// A source that failed has none. Collective.
    void collect(std::vector<io::SourceResult>& results) const;

private:
    [[nodiscard]] std::vector<double> weights_of(const std::string& source_id) const;

    comm::Comm& comm_;
    device::Queue& queue_;
    const Scenario* scenario_ = nullptr;
    std::optional<viscoelastic::VolumeFields> fields_;
    std::map<std::string, std::vector<double>> weights_;  ///< of each source, [snapshots][steps]
};

}  // namespace kaname::registry
