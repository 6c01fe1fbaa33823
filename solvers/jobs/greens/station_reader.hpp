// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "solvers/io/source_file.hpp"
#include "solvers/jobs/greens/surface_points.hpp"
#include "solvers/jobs/spec/greens_job.hpp"
#include "solvers/p2/dof_map.hpp"
#include "solvers/p2/locate.hpp"

namespace kaname::jobs {

/// Takes the job's stations out of results that may have been made for other stations.
class StationReader {
public:
    /// All is borrowed; places: where the job's stations are in the mesh, in the first of its
    /// parts.
    StationReader(const GreensJob& job, const mesh::TetMesh& mesh, const p2::DofMap& dofs,
                  const std::vector<p2::Location>& places, int n_parts)
        : job_(job), mesh_(mesh), dofs_(dofs), places_(places), n_parts_(n_parts) {}

    /// [F][N][3]. Throws NotFound naming a station that the result cannot give.
    [[nodiscard]] std::vector<double> read(const io::SourceResult& result);

private:
    struct Place {
        std::int64_t stored = -1;  ///< index in the result, or:
        SurfaceStencil stencil;
    };
    void make_plan(const io::SourceResult& result);
    [[nodiscard]] SurfaceStencil interpolate(const io::SourceResult& result, std::size_t station);

    const GreensJob& job_;
    const mesh::TetMesh& mesh_;
    const p2::DofMap& dofs_;
    const std::vector<p2::Location>& places_;
    int n_parts_;
    std::vector<double> known_for_;
    std::vector<Place> plan_;
    std::optional<SurfacePoints> surface_;
};

}  // namespace kaname::jobs
