// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/earth/structure.hpp"
#include "solvers/earth/volume_spec.hpp"
#include "solvers/jobs/spec/boundary_spec.hpp"
#include "solvers/jobs/spec/fault_spec.hpp"
#include "solvers/jobs/spec/mesh_spec.hpp"
#include "solvers/jobs/spec/scenario_spec.hpp"
#include "solvers/jobs/spec/solver_spec.hpp"
#include "solvers/jobs/spec/time_spec.hpp"

namespace kaname::jobs {

struct RegionSpec {
    double centre_lon_deg = 0.0, centre_lat_deg = 0.0;
    double size_east_m = 0.0, size_north_m = 0.0, depth_m = 0.0;
    double azimuth_deg = 0.0;
    bool projected = true;  ///< false: x and y of the mesh file have no place on the globe
};

struct StationSpec {
    std::string id;
    double lon_deg = 0.0, lat_deg = 0.0;
    std::optional<double> depth_m;  ///< absent: on the model's surface
    std::string field;              ///< where it came from, for error messages
    double x_m = 0.0, y_m = 0.0;    ///< in place of longitude and latitude: RegionSpec::projected
    /// Unit vector (true east, north, up) along which alone motion is observed.
    std::optional<Vec3> look = std::nullopt;
};

/// A Green's-function job in plain numbers: what kaname.v1.GreensBatch says, with all defaults
/// filled, all files resolved to readable paths and every value already validated on its own. Zero
/// and the first of a choice's values mean nothing here but themselves: there are no defaults
/// beside those of proto/spec.
/// SI units; longitudes, latitudes, strikes in degrees (true north); depths positive down.
struct GreensJob {
    std::string name, title;
    RegionSpec region;
    earth::LayeredStructure structure;  ///< with `volumes` only its materials
    /// Surfaces and the volumes between them, those of a specification of layers too;
    /// build_volumes() makes the model of them. None with a mesh file.
    std::optional<earth::VolumeModelSpec> volumes;
    std::shared_ptr<const earth::BuiltVolumeModel> volume_model;  ///< shared with the job's copies
    FaultSpec fault;
    PatchGridSpec patches;  ///< on an interface or a plane alone; none in a scenario
    SlipHistory slip_history;
    std::optional<Scenario> scenario;
    BoundarySpec boundaries;
    std::vector<StationSpec> stations;
    MeshSpec mesh;
    TimeSpec time;
    SolverSpec solver;
    /// Gravity acts on displaced surfaces of density; every material's density is then known.
    bool buoyancy = false;
    /// Forces at the stations are solved for in place of the sources' slip.
    bool by_receivers = false;
    OutputSpec output;
    Placement placement;
    std::string specification_json;  ///< canonical, for provenance
    std::string solve_key;           ///< key of all that the sources of one solve share
    std::string version;
};

}  // namespace kaname::jobs
