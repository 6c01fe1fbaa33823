// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solvers/h5/file.hpp"
#include "solvers/io/dataset/fields.hpp"
#include "solvers/io/dataset/group_writer.hpp"
#include "solvers/io/dataset/reduced_matrices.hpp"
#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::io {

/// Holds the response of the whole fault to forces at the stations of a dataset. By reciprocity it
/// gives the motion due to any slip on the fault without mesh and solves. R forces, E epochs of the
/// dataset, B split nodes of the fault in the order of fault::SplitNodes.
struct FaultResponse {
    struct Force {
        std::string id;               ///< "STATION/east", "/north", "/up", "/look"
        std::int32_t station = 0;     ///< index of the dataset's station
        std::int32_t component = -1;  ///< 0 east, 1 north, 2 up; -1: along the station's look
        double along[3] = {};         ///< true east, north, up
        std::string failure;          ///< empty when done
        std::int64_t iterations = 0;  ///< of all its solves
        std::int64_t solves = 0;
    };
    std::vector<Force> forces;
    std::int64_t n_nodes = 0;
    /// [R][E][B][3] m at the station along the force per m of slip at a node (plus side relative to
    /// the other, in the frame of the mesh); NaN of a force that has failed.
    std::vector<double> traction;
    /// The elements that touch the fault, as a mesh of their own; its split nodes are those above.
    mesh::TetMesh around;
};

/// The part of a mesh that FaultResponse keeps: elements with a vertex on a fault, their vertices
/// in the order of the mesh's, so that split nodes keep their order too.
[[nodiscard]] mesh::TetMesh around_faults(const mesh::TetMesh& mesh);

/// Group fault_response (docs/user/dataset.md).
void write_fault_response(h5::File& file, const FaultResponse& response,
                          std::span<const double> epochs_s);
/// Throws InvalidArgument naming the file where it has none, or of wrong sizes.
[[nodiscard]] FaultResponse read_fault_response(const std::string& path);

/// Describes one event in a scenario's dataset.
struct ScenarioEventRow {
    std::string name;
    std::string source_id;  ///< its slip model: the first event that has it
    std::string history;    ///< step, ramp, ...
    double time_s = 0.0, interval_s = 0.0;
    double scale = 1.0, repeats = 1.0;
    double moment_nm = 0.0, mw = 0.0;  ///< each time it happens, on the meshed fault
    double max_slip_m = 0.0;
    /// Slip times area on the meshed fault over that of the model's patches; NaN for slip at
    /// points.
    double potency_ratio = 0.0;
};

/// Group "events" with the dimension event, their names, and a variable per member. Nothing is
/// written without events, and none are read where there is no group.
void write_events(const GroupWriter& root, const std::vector<ScenarioEventRow>& events);
[[nodiscard]] std::vector<ScenarioEventRow> read_events(const h5::File& file);

/// Holds the content of one greens.h5: S sources, T epochs, N stations, K steps (incl. the
/// coseismic one).
struct GreensDataset {
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    static constexpr std::int8_t kDone = 1;  ///< status of a source whose values are known
    /// How a unit source's slip falls off from its patch's centre; None for other slip.
    enum class Hat : std::int8_t { None, Uniform, Bilinear, Bicubic };
    struct Source {
        std::string id, patch_id, component;
        double rake_deg = 0.0;
        double lon_deg = 0.0, lat_deg = 0.0, depth_m = 0.0;  ///< patch centre
        double strike_deg = 0.0, dip_deg = 0.0;              ///< true strike at the patch centre
        double length_m = kNone, width_m = kNone;            ///< size of a grid's patch, else NaN
        double outline_lon_deg[4] = {}, outline_lat_deg[4] = {}, outline_depth_m[4] = {};
        std::int8_t status = 0;                              ///< 0 missing, 1 done, 2 failed
        std::string failure;                                 ///< empty when done
        double x_m = 0.0, y_m = 0.0;                         ///< patch centre, model frame
        double outline_x_m[4] = {}, outline_y_m[4] = {};     ///< outline, model frame
        double patch_area_m2 = kNone;                        ///< area of that patch as it is bent
        double slip_length_m = kNone, slip_width_m = kNone;  ///< extent of the slip
        double slip_area_m2 = kNone;                         ///< area of the faces that slip
        double potency_m3 = kNone;                           ///< int slip dA; 1 m for unit slip
        double rigidity_pa = kNone;                          ///< int mu slip dA / potency
        std::int32_t grid_row = -1, grid_column = -1;        ///< down dip, along strike
        Hat hat = Hat::None;
        std::vector<std::int32_t> neighbours = {};  ///< sources [S]; -1: none there
        std::string fault = {};  ///< name of the fault that it slips on, where there are several
        double spectrum_error = kNone;  ///< bound over the largest change; NaN: not by spectrum
    };
    struct Station {
        std::string id;
        double lon_deg = 0.0, lat_deg = 0.0, depth_m = 0.0;  ///< requested
        double snapped_lon_deg = 0.0, snapped_lat_deg = 0.0, snapped_depth_m = 0.0;
        double x_m = 0.0, y_m = 0.0, snapped_x_m = 0.0, snapped_y_m = 0.0;  ///< unprojected
        /// Unit vector along which alone the station is observed; NaN: in all directions.
        double look_east = kNone, look_north = kNone, look_up = kNone;
    };
    /// Reduced model of a source that was solved by relaxation spectrum: with it and
    /// u(t) = fields[0] + sum_i c_i(t) fields[1 + i] other times, viscosities and linear rheologies
    /// are answered without solving again (docs/theory/viscoelastic.md).
    struct Reduced {
        ReducedMatrices matrices;
        std::vector<double> fields;  ///< [1 + n][N][3] east, north, up; none where missing
    };
    std::string name, title;
    std::vector<Source> sources;
    std::vector<double> epochs_s;
    std::vector<Station> stations;
    std::vector<double> greens;       ///< [S][T][N][3] east, north, up, m per m; NaN if missing
    std::vector<Reduced> reduced;     ///< [S] after a spectrum, else none
    std::vector<double> step_time_s;  ///< [K]; NaN at the shifts of a spectrum
    std::vector<double> shift_per_s;  ///< [S][K] a spectrum's shifts, NaN coseismic; else none
    std::vector<std::int32_t> iterations;  ///< [S][K], -1 missing
    std::vector<double> residual;          ///< [S][K] final ||r||/||f||
    std::vector<double> initial_residual;  ///< [S][K] before the first iteration
    std::string crs_wkt, specification_json, kaname_version, mesh_sha256, material_sha256;
    bool projected = true;  ///< false: places are x, y [m] of the mesh, not of the globe
    bool unit_slip = true;  ///< false: the slip of the sources' tables [m]
    std::vector<ScenarioEventRow> events;  ///< a scenario's events, else none
    std::string slip_history = "step";     ///< kind of the source-time function
    double tolerance = 0.0;
    std::int64_t dof = 0;
    /// These four give the choices in effect, never auto: p2 or nodal_dilatation; elastic, stepping
    /// or spectrum; as solver.method; none or buoyancy. They are empty in files from before they
    /// were recorded.
    std::string element, time_method, solver_method, gravity;
    std::string predicted_error;           ///< for people, as before the run; empty: not predicted
    std::vector<std::string> warnings;     ///< for people: what to know of this dataset
    std::optional<SurfaceFields> surface;  ///< a scenario's fields: groups of field_groups.hpp
    std::optional<VolumeDataset> volume;
    /// `fault_response` is set for a dataset made from forces; reading leaves it out
    /// (read_fault_response).
    std::optional<FaultResponse> fault_response;
};

/// Writes HDF5 that netCDF-4 readers open (dimension scales, CF-1.10 attributes, grid_mapping), to
/// `path`.part, flushed, then renamed: a reader never sees half a file. `greens` is float64,
/// chunked by station block. Variables (dimension S is `source`, T `epoch`, N `station`, K `step`):
///   greens(source, epoch, station, component)   m per m of slip; NaN where missing
///   source, station, component, patch_id(source), slip_component(source), failure(source)  text
///   epoch                     s since slip; "s" stays a number in xarray ("seconds" would not)
///   rake, strike, dip, patch_{lon,lat,depth,x,y,z}(source)   degrees, m
///   outline_{lon,lat,depth,x,y,z}(source, corner), status(source)
///   patch_{length,width,area}, slip_{length,width,area}, potency, rigidity(source)
///   hat, grid_row, grid_column(source), neighbours(source, neighbour)
///   fault(source)             text, only where unit sources are on several faults
///   station_{lon,lat,depth}(station) requested, snapped_{lon,lat,depth}(station) used
///   station_look_{east,north,up}(station) only where a station has one: greens then is d (d . u)
///   iterations, residual, initial_residual(source, step), step_time(step)
///   spectrum_error(source)    only where a source was solved by relaxation spectrum
///   shift(source, step)       1/s, only of a relaxation spectrum; with it one group
///   reduced_model/<index of source>: fields [1 + n][N][3] and the matrices of io/reduced_matrices
///   warning                   text, only where there are some
/// In a scenario the sources are `total` and its events, which the group `events` describes
/// (scenario_events.hpp).
/// Unprojected: no {patch,outline}_{lon,lat}, {station,snapped}_{x,y} in place of _{lon,lat},
/// attribute crs "none", no variable crs. Slip from tables: greens in m, attribute unit "m".
///   crs (scalar)              grid mapping, attribute crs_wkt: the model's projection
/// A scenario also has the groups surface and volume: field_groups.hpp.
/// Depths are positive down. docs/user/dataset.md defines every variable. Throws InvalidArgument
/// when a shape disagrees or S, T, N or K is 0, Unavailable on I/O.
void write_greens_dataset(const std::string& path, const GreensDataset& dataset);
/// Stations that stand together in the file: reading whole multiples of them reads nothing twice.
[[nodiscard]] std::size_t stations_per_chunk(std::size_t sources, std::size_t epochs,
                                             std::size_t stations);
/// The fields of a scenario's groups may be many times larger than all the rest.
enum class FieldGroups { Read, LeaveOut };
/// Throws NotFound, or InvalidArgument naming what is missing or truncated.
[[nodiscard]] GreensDataset read_greens_dataset(const std::string& path,
                                                FieldGroups fields = FieldGroups::Read);
/// Sources, stations, epochs, events and attributes: `greens`, what the solver recorded, reduced
/// models and fields stay empty, so that the memory does not grow with them. Throws as
/// read_greens_dataset.
[[nodiscard]] GreensDataset read_greens_rows(const std::string& path);

}  // namespace kaname::io
