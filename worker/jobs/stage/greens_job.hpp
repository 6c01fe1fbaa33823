// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/earth/structure.hpp"
#include "solvers/earth/volume_layout.hpp"
#include "solvers/fault/slip_model/read_slip_model.hpp"
#include "solvers/fault/slip_model/slip_sampler.hpp"
#include "solvers/fault/unit_source.hpp"
#include "worker/jobs/stage/solve_options.hpp"

namespace kaname::jobs {

enum class BoundaryKind { Free, Fixed, Roller };

/// A condition on a physical surface of the mesh file.
struct MeshBoundary {
    std::string name, field;
    bool roller = false;
    bool fixed[3] = {};  ///< east, north, up
};

/// Displacement [m] or traction [Pa] of one side: numbers, or a table's columns.
struct PrescribedSide {
    std::string name, field;  ///< name of the side; field for messages
    int place = 0;            ///< a side of the box, or an index in MeshFileFaults::boundaries
    bool traction = false;
    bool given[3] = {};  ///< east, north, up: the components that it prescribes
    double value[3] = {};
    std::string path = {};  ///< path of the table; empty: the numbers hold
    double reach_m = 0.0;
    int source = 0;  ///< index in BoundaryConditions::sources
};

/// A source without slip: the sides whose data grow alike.
struct BoundarySource {
    std::string id, sides;  ///< boundary; west+east
    SlipHistory history;
    std::string key;  ///< key of what the data say
};

/// Conditions on the sides of the box, in the order of mesh::Side, and the data of sides or of the
/// mesh file's surfaces.
struct BoundaryConditions {
    BoundaryKind kind[6] = {};
    bool fixed[6][3] = {};  ///< components that are fixed beside data
    std::vector<PrescribedSide> data;
    std::vector<BoundarySource> sources;
};

struct InterfaceGeometry {
    /// Name of the surface in a structure of volumes; it stands in place of the next lines.
    std::string of;
    std::string surface_path;
    double min_depth_m = 0.0, max_depth_m = 0.0, smoothing_length_m = 0.0;
    bool reaches_surface = false;
    double origin_lon_deg = 0.0, origin_lat_deg = 0.0, strike_deg = 0.0;
    double spacing_strike_m = 0.0, spacing_dip_m = 0.0;
    fault::Hat hat{};
};

/// Buried edges of a plane up to which a grid's outer patches slip in full.
struct OpenEdges {
    bool start = false, end = false, bottom = false;

    [[nodiscard]] bool any() const { return start || end || bottom; }
};

struct PlaneGeometry {
    double centre_lon_deg = 0.0, centre_lat_deg = 0.0;  ///< centre of the top edge
    double top_depth_m = 0.0, strike_deg = 0.0, dip_deg = 0.0, length_m = 0.0, width_m = 0.0;
    OpenEdges open = {};
};

/// One patch of a fault: its id, and where it stands in the grid of patches.
struct FaultPatch {
    std::string id;
    int column = 0, row = 0;  ///< along strike, down dip
};

/// Unit slip on a patch, one source of the dataset.
struct UnitSlip {
    std::string id;
    int patch = 0;          ///< index in FaultPatches::patches
    std::string component;  ///< name of the slip's direction
    double rake_deg = 0.0;
};

/// The patches of one fault and the sources on them, both in the order of the dataset.
struct FaultPatches {
    int n_strike = 0, n_dip = 0;
    std::vector<FaultPatch> patches;
    std::vector<UnitSlip> sources;
};

/// Slip of a source on one surface of the mesh file.
struct SurfaceSlip {
    std::string surface, path;
    double reach_m = 0.0;
    std::string field;  ///< for messages
};

struct SlipSource {
    std::string name;
    std::vector<SurfaceSlip> tables;
    std::string key;  ///< key of what the tables say: sources of the same name may differ
};

/// A Gmsh file with its faults: physical surfaces, and slip on them from tables.
struct MeshFileFaults {
    struct Surface {
        std::string name, field;
        std::optional<double> strike_deg = std::nullopt;
    };
    std::string path, top;
    std::string length_unit;  ///< m, km; empty: not said
    std::vector<Surface> surfaces;
    std::vector<SlipSource> sources;
    std::vector<MeshBoundary> boundaries;
};

/// The planes of a scenario's slip models: one, or one for each group of segments in a plane.
struct PlaneOfSlipModel {};

struct NamedFault {
    std::string name, field;  ///< "fault.several[0]"
    std::variant<InterfaceGeometry, PlaneGeometry> fault;
    FaultPatches patches = {};  ///< none in a scenario
};

/// Faults in one mesh, which may touch, branch and cross.
struct FaultsInOneMesh {
    std::vector<NamedFault> faults;
};

using FaultGeometry = std::variant<InterfaceGeometry, PlaneGeometry, MeshFileFaults,
                                   PlaneOfSlipModel, FaultsInOneMesh>;

/// A slip model as events refer to it; equal ones are one source.
struct SlipModelSource {
    std::string id;     ///< id of the source: that of the first event with this model
    std::string field;  ///< "events[0].slip_model", .patches or .at, for messages
    std::string path;   ///< path of a file, or else:
    std::vector<slip_model::SlipPatch> patches;
    /// A moment tensor at a point, true east, north and up, in place of both.
    struct Moment {
        double lon_deg = 0.0, lat_deg = 0.0, depth_m = 0.0;
        std::array<double, 6> moment_nm{};  ///< xx, yy, zz, yz, xz, xy
    };
    std::optional<Moment> moment;
    std::string format;            ///< format of the file; empty: found from the file
    slip_model::ReadOptions read;  ///< what the file leaves unsaid, but for its format
    /// Place where the coordinates of a file in a local frame are zero.
    struct Origin {
        double lon_deg = 0.0, lat_deg = 0.0, x_m = 0.0, y_m = 0.0;
    };
    std::optional<Origin> origin;
    slip_model::Interpolation interpolation = slip_model::Interpolation::Auto;
    double max_distance_m = 0.0;  ///< 0: one patch width
    std::string key;              ///< key of what the model says
};

struct ScenarioEvent {
    std::string name;
    int model = 0;  ///< index into Scenario::models
    double time_s = 0.0, scale = 1.0;
    SlipHistory history;
    int repeats = 1;
    double interval_s = 0.0;
};

/// Coulomb stress change in the whole volume, or at a place.
struct CoulombReceiver {
    std::string name;
    double strike_deg = 0.0, dip_deg = 0.0, rake_deg = 0.0, friction = 0.0, skempton = 0.0;
    struct Place {
        double lon_deg, lat_deg, depth_m;
    };
    std::optional<Place> at;
};

struct VolumeOutput {
    std::vector<double> epochs_s;  ///< none: no volume
    std::vector<CoulombReceiver> receivers;
};

/// Events whose motion is added up. Its sources are the slip models.
struct Scenario {
    std::vector<SlipModelSource> models;
    std::vector<ScenarioEvent> events;
    std::string total_id;  ///< id of the source that is the sum of all events
    VolumeOutput volume;
};

struct Region {
    double centre_lon_deg = 0.0, centre_lat_deg = 0.0;
    double size_east_m = 0.0, size_north_m = 0.0, depth_m = 0.0;
    double azimuth_deg = 0.0;
    bool projected = true;  ///< false: x and y of the mesh file have no place on the globe
};

struct Station {
    std::string id;
    double lon_deg = 0.0, lat_deg = 0.0;
    std::optional<double> depth_m;  ///< absent: on the model's surface
    std::string field;              ///< where it came from, for error messages
    double x_m = 0.0, y_m = 0.0;    ///< in place of longitude and latitude: Region::projected
    /// Unit vector (true east, north, up) along which alone motion is observed.
    std::optional<Vec3> look = std::nullopt;
};

/// A Green's-function job in plain numbers: what kaname.v1.GreensBatch says, with all defaults
/// filled, all files resolved to readable paths and every value already validated on its own. Zero
/// and the first of a choice's values mean nothing here but themselves: there are no defaults
/// beside those of proto/request.
/// SI units; longitudes, latitudes, strikes in degrees (true north); depths positive down.
struct GreensJob {
    std::string name, title;
    Region region;
    earth::LayeredStructure structure;  ///< with `volumes` only its materials
    /// Surfaces and the volumes between them, those of a request of layers too;
    /// build_volumes() makes the model of them. None with a mesh file.
    std::optional<earth::VolumeLayout> volumes;
    std::shared_ptr<const earth::BuiltVolumeModel> volume_model;  ///< shared with the job's copies
    FaultGeometry fault;
    FaultPatches patches;  ///< on an interface or a plane alone; none in a scenario
    SlipHistory slip_history;
    std::optional<Scenario> scenario;
    BoundaryConditions boundaries;
    std::vector<Station> stations;
    MeshOptions mesh;
    TimeOptions time;
    SolverOptions solver;
    /// Gravity acts on displaced surfaces of density; every material's density is then known.
    bool buoyancy = false;
    /// Forces at the stations are solved for in place of the sources' slip.
    bool by_receivers = false;
    OutputOptions output;
    Placement placement;
    std::string specification_json;  ///< canonical, for provenance
    std::string solve_key;           ///< key of all that the sources of one solve share
    std::string version;
};

}  // namespace kaname::jobs
