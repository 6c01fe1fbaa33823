// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "solvers/earth/structure.hpp"
#include "solvers/earth/volume_spec.hpp"
#include "solvers/fault/slip_model/read_slip_model.hpp"
#include "solvers/fault/unit_source.hpp"

namespace kaname::jobs {

/// A Green's-function job in plain numbers: what kaname.v1.GreensBatch says, all defaults filled,
/// all files resolved to readable paths, every value already validated on its own.
/// SI units; longitudes, latitudes, strikes in degrees (true north); depths positive down.
struct RegionSpec {
    double centre_lon_deg = 0.0, centre_lat_deg = 0.0;
    double size_east_m = 0.0, size_north_m = 0.0, depth_m = 0.0;
    double azimuth_deg = 0.0;
    bool projected = true;  ///< false: x and y of the mesh file have no place on the globe
};

struct InterfaceSpec {
    /// Name of the surface in a structure of volumes; it stands in place of the next lines.
    std::string of;
    std::string surface_path;
    double min_depth_m = 0.0, max_depth_m = 0.0, smoothing_length_m = 0.0;
    bool reaches_surface = false;
    double origin_lon_deg = 0.0, origin_lat_deg = 0.0, strike_deg = 0.0;
    int n_strike = 0, n_dip = 0;
    double spacing_strike_m = 0.0, spacing_dip_m = 0.0;
    fault::Hat hat = fault::Hat::Bilinear;
};

struct PlaneSpec {
    double centre_lon_deg = 0.0, centre_lat_deg = 0.0;  ///< centre of the top edge
    double top_depth_m = 0.0, strike_deg = 0.0, dip_deg = 0.0, length_m = 0.0, width_m = 0.0;
    int n_strike = 1, n_dip = 1;
};

/// Slip of a source on one surface of the mesh file.
struct SlipTableSpec {
    std::string surface, path;
    double reach_m = 0.0;
    std::string field;  ///< for messages
};

struct SlipSourceSpec {
    std::string name;
    std::vector<SlipTableSpec> tables;
    std::string key;  ///< key of what the tables say: sources of the same name may differ
};

/// A condition on a physical surface of the mesh file.
struct MeshBoundarySpec {
    std::string name, field;
    bool roller = false;
    bool fixed[3] = {};  ///< east, north, up
};

/// A Gmsh file with its faults: physical surfaces, and slip on them from tables.
struct MeshFileSpec {
    struct Surface {
        std::string name, field;
        std::optional<double> strike_deg = std::nullopt;
    };
    std::string path, top = "top";
    std::string length_unit;  ///< m, km; empty: not said
    std::vector<Surface> surfaces;
    std::vector<SlipSourceSpec> sources;
    std::vector<MeshBoundarySpec> boundaries;
};

/// The planes of a scenario's slip models: one, or one for each group of segments in a plane.
struct PlaneOfSlipModel {};

/// Faults of a scenario in one mesh, which may touch, branch and cross.
struct SeveralFaultsSpec {
    struct Named {
        std::string name, field;  ///< "fault.several[0]"
        std::variant<InterfaceSpec, PlaneSpec> fault;
    };
    std::vector<Named> faults;
};

/// One slip direction to solve for on every patch.
struct ComponentSpec {
    std::string name;  ///< strike_slip, dip_slip, rake_<deg>
    double rake_deg = 0.0;
};

struct StationSpec {
    std::string id;
    double lon_deg = 0.0, lat_deg = 0.0;
    std::optional<double> depth_m;  ///< absent: on the model's surface
    std::string field;              ///< where it came from, for error messages
    double x_m = 0.0, y_m = 0.0;    ///< in place of longitude and latitude: RegionSpec::projected
};

/// How the unit slip of every source comes about, or the data of sides.
struct SlipHistory {
    std::string kind = "step";  ///< step, ramp, steady, exponential, logarithmic, table
    double duration_s = 0.0;    ///< duration of a ramp, or of a steady growth by 1
    double time_constant_s = 0.0;
    std::vector<double> times_s = {}, slip = {};  ///< rows of a table; equal times are a jump
};

/// A slip model as events refer to it; equal ones are one source.
struct SlipModelSpec {
    std::string id;     ///< id of the source: that of the first event with this model
    std::string field;  ///< "events[0].slip_model" or "events[0].patches", for messages
    std::string path;   ///< path of a file, or else:
    std::vector<slip_model::SlipPatch> patches;
    std::string format;            ///< format of the file; empty: found from the file
    slip_model::ReadOptions read;  ///< what the file leaves unsaid, but for its format
    /// Place where the coordinates of a file in a local frame are zero.
    struct Origin {
        double lon_deg = 0.0, lat_deg = 0.0, x_m = 0.0, y_m = 0.0;
    };
    std::optional<Origin> origin;
    bool constant = false;        ///< slip is constant in a patch, not bilinear between patches
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
struct ReceiverSpec {
    std::string name;
    double strike_deg = 0.0, dip_deg = 0.0, rake_deg = 0.0, friction = 0.4, skempton = 0.0;
    struct Place {
        double lon_deg, lat_deg, depth_m;
    };
    std::optional<Place> at;
};

struct VolumeSpec {
    std::vector<double> epochs_s;  ///< none: no volume
    std::vector<ReceiverSpec> receivers;
};

/// Events whose motion is added up. Its sources are the slip models.
struct Scenario {
    std::vector<SlipModelSpec> models;
    std::vector<ScenarioEvent> events;
    VolumeSpec volume;
};

/// Where a solve runs. It concerns the machine, not the job, and is no part of a result's key.
struct Placement {
    std::string device = "auto";  ///< auto, cpu, cuda
    int local_rank = 0;           ///< rank of this process among those of its machine
};

/// What a killed solve leaves behind to go on from; no part of a result's key either.
struct CheckpointOptions {
    std::string mode = "auto";  ///< auto, full (all of the predictor's history), none
    std::optional<double> interval_s = std::nullopt;  ///< absent: 60 s, or 20 write times
};

/// Sizes of the mesh of a structure of volumes, beside those of every mesh; 0: none.
struct VolumeSizes {
    struct Depth {
        double depth_m = 0.0, size_m = 0.0;  ///< elements above depth_m are no larger than size_m
    };
    double at_surface_m = 0.0, at_stations_m = 0.0;
    std::vector<Depth> by_depth;
    std::int64_t max_elements = 0;
    double thinnest_layer = 0.1;  ///< in element sizes: thinner layers merge with a neighbour
};

enum class BoundaryKind { Free, Fixed, Roller };

/// Displacement [m] or traction [Pa] of one side: numbers, or a table's columns.
struct BoundaryDataSpec {
    std::string name, field;  ///< name of the side; field for messages
    int place = 0;            ///< index in GreensJob::boundary, or in MeshFileSpec::boundaries
    bool traction = false;
    bool given[3] = {};  ///< east, north, up: the components that it prescribes
    double value[3] = {};
    std::string path = {};  ///< path of the table; empty: the numbers hold
    double reach_m = 0.0;
    int source = 0;  ///< index in GreensJob::boundary_sources
};

/// A source without slip: the sides whose data grow alike.
struct BoundarySourceSpec {
    std::string id, sides;  ///< boundary; west+east
    SlipHistory history;
    std::string key;  ///< key of what the data say
};

struct GreensJob {
    std::string name, title;
    RegionSpec region;
    earth::LayeredStructure structure;  ///< with `volumes` only its materials
    /// Surfaces and volumes in place of layers; build_volumes() makes the model of them.
    std::optional<earth::VolumeModelSpec> volumes;
    std::shared_ptr<const earth::BuiltVolumeModel> volume_model;  ///< shared with the job's copies
    VolumeSizes sizes;
    std::variant<InterfaceSpec, PlaneSpec, MeshFileSpec, PlaneOfSlipModel, SeveralFaultsSpec> fault;
    std::vector<ComponentSpec> components;
    std::vector<StationSpec> stations;
    double size_at_fault_m = 0.0, size_far_m = 0.0, growth = 0.3;
    int layers_above = 5, layers_below = 8;
    BoundaryKind boundary[6] = {};  ///< order of mesh::Side
    bool side_fixed[6][3] = {};     ///< components that are fixed beside data
    std::vector<BoundaryDataSpec> boundary_data;
    std::vector<BoundarySourceSpec> boundary_sources;
    double step_s = 0.0, end_s = 0.0,
           alpha = 0.5;                ///< step 0: a fifth of the shortest relaxation time
    double max_step_s = 0.0;           ///< > step_s: steps double every few steps up to it
    std::string time_method = "auto";  ///< auto, stepping, spectrum
    double spectrum_tolerance = 1e-5;
    std::vector<double> epochs_s;  ///< empty: every step
    SlipHistory slip_history;
    std::optional<Scenario> scenario;  ///< then there are no components
    std::string method = "default", predictor = "projection", element = "auto";
    /// Gravity acts on displaced surfaces of density; every material's density is then known.
    bool buoyancy = false;
    double tolerance = 1e-8;
    int max_iterations = 500;
    double snap_tolerance_m = 10000.0;
    bool store_surface = true;       ///< results hold the motion of the whole surface
    std::string specification_json;  ///< canonical, for provenance
    std::string solve_key;           ///< key of all that the sources of one solve share
    std::string version;
    Placement placement;
    CheckpointOptions checkpoint;
};

}  // namespace kaname::jobs
