// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "solvers/io/source_file.hpp"
#include "solvers/jobs/greens/pack_runner.hpp"
#include "solvers/viscoelastic/model/volume_fields.hpp"
#include "solvers/viscoelastic/stepping/pack_solver.hpp"

namespace kaname::jobs {

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

}  // namespace kaname::jobs
