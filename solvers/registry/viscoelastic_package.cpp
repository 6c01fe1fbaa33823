// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>

#include "solvers/base/sha256.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fem/dof_map.hpp"
#include "solvers/fem/locate.hpp"
#include "solvers/io/greens_dataset.hpp"
#include "solvers/io/mesh_file.hpp"
#include "solvers/io/source_file.hpp"
#include "solvers/registry/dataset_places.hpp"
#include "solvers/registry/station_points.hpp"
#include "solvers/registry/step_response.hpp"
#include "solvers/registry/surface_points.hpp"
#include "solvers/registry/table_sources.hpp"
#include "solvers/registry/viscoelastic_stages.hpp"

namespace kaname::registry {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string material_text(const earth::LayeredStructure& structure) {
    std::string text;
    for (const earth::Material& m : structure.materials) {
        char line[320];
        std::snprintf(line, sizeof line, "%s %.17g %.17g %.17g %.17g %.17g %.17g\n", m.name.c_str(),
                      m.lambda_pa, m.mu_pa, m.viscosity_pa_s.value_or(0.0),
                      m.relaxed_mu_pa.value_or(0.0), m.kelvin_mu_pa.value_or(0.0),
                      m.kelvin_viscosity_pa_s.value_or(0.0));
        text += line;
    }
    return text;
}

io::GreensDataset::Source describe(const Setup& setup, const sources::UnitSource& source) {
    const sources::FaultSurface& fault = setup.fault();
    const Vec3 centre = fault.point(source.patch.centre);
    io::GreensDataset::Source row;
    row.id = source.id;
    row.patch_id = source.patch.id;
    row.component = source.component;
    row.rake_deg = source.rake_rad / kDegree;
    set_centre(setup, centre, row);
    const double radius = std::max(source.patch.length_m, source.patch.width_m);
    row.strike_deg =
        true_azimuth_deg(setup, fault.strike_direction(source.patch.centre, radius), centre);
    row.dip_deg = std::acos(std::clamp(fault.normal(source.patch.centre).z, -1.0, 1.0)) / kDegree;
    row.length_m = source.patch.length_m;
    row.width_m = source.patch.width_m;
    const auto outline = source.outline(fault);
    for (int corner = 0; corner < 4; ++corner) {
        set_corner(setup, corner, outline[corner], row);
    }
    return row;
}

/// A source without slip has no place on a fault: its patch names the sides that move or are
/// loaded.
io::GreensDataset::Source describe(const BoundarySourceSpec& source) {
    io::GreensDataset::Source row;
    row.id = source.id;
    row.patch_id = source.sides;
    row.component = "boundary";
    for (double* number : {&row.rake_deg, &row.lon_deg, &row.lat_deg, &row.depth_m, &row.x_m,
                           &row.y_m, &row.strike_deg, &row.dip_deg, &row.length_m, &row.width_m}) {
        *number = kNaN;
    }
    for (auto* corners : {&row.outline_lon_deg, &row.outline_lat_deg, &row.outline_depth_m,
                          &row.outline_x_m, &row.outline_y_m}) {
        std::fill(std::begin(*corners), std::end(*corners), kNaN);
    }
    return row;
}

/// The dataset's row of each source: of a patch, of what tables say about a mesh's faults, or of
/// sides.
class SourceRows {
public:
    SourceRows(const GreensJob& job, const Setup& setup, const mesh::TetMesh& mesh,
               const fem::DofMap& dofs)
        : job_(job), setup_(setup) {
        if (setup.mesh_file() != nullptr) {
            split_ = sources::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz);
            tables_.emplace(job, setup, mesh, dofs, split_);
        }
    }
    [[nodiscard]] io::GreensDataset::Source row(const std::string& id) const {
        if (const int boundary = setup_.boundary_source(id); boundary >= 0) {
            return describe(job_.boundary_sources[boundary]);
        }
        return tables_ ? tables_->describe(id)
                       : describe(setup_, *std::ranges::find(setup_.sources(), id,
                                                             &sources::UnitSource::id));
    }

private:
    const GreensJob& job_;
    const Setup& setup_;
    sources::SplitNodes split_;
    std::optional<TableSources> tables_;
};

/// Reads a source's result; nullopt when it is missing or of another job.
std::optional<io::SourceResult> read_result(const SourceFiles& files, const std::string& id,
                                            const std::string& key) {
    const auto found = files.find(id);
    if (found == files.end() || !std::filesystem::exists(found->second)) {
        return std::nullopt;
    }
    io::SourceResult result = io::read_source_result(found->second);
    if (result.key != key) {
        return std::nullopt;
    }
    return result;
}

/// Takes the job's stations out of results that may have been made for other stations.
class StationReader {
public:
    StationReader(const GreensJob& job, const mesh::TetMesh& mesh, const fem::DofMap& dofs,
                  const std::vector<fem::Location>& places)
        : job_(job), mesh_(mesh), dofs_(dofs), places_(places) {}

    /// [F][N][3]. Throws NotFound naming a station that the result cannot give.
    std::vector<double> read(const io::SourceResult& result) {
        const std::size_t n_stored = result.station_xyz_m.size() / 3;
        if (result.station_xyz_m != known_for_ || plan_.empty()) {
            make_plan(result);
        }
        const std::size_t n_fields = result.n_fields();
        const std::size_t n_points = result.surface_m.size() / (3 * n_fields);
        std::vector<double> values;
        values.reserve(n_fields * plan_.size() * 3);
        for (std::size_t field = 0; field < n_fields; ++field) {
            const double* stored = result.displacement_m.data() + field * n_stored * 3;
            const float* surface = result.surface_m.data() + field * n_points * 3;
            for (const Place& place : plan_) {
                for (std::size_t comp = 0; comp < 3; ++comp) {
                    double value = 0.0;
                    if (place.stored >= 0) {
                        value = stored[3 * place.stored + comp];
                    }
                    for (std::size_t k = 0; k < 6 && place.stored < 0; ++k) {
                        value += place.stencil.weights[k] *
                                 double{surface[3 * place.stencil.points[k] + comp]};
                    }
                    values.push_back(value);
                }
            }
        }
        return values;
    }

private:
    struct Place {
        std::int64_t stored = -1;  ///< index in the result, or:
        SurfaceStencil stencil;
    };

    void make_plan(const io::SourceResult& result) {
        constexpr double kSamePlace_m = 1e-6;
        std::map<std::array<std::int64_t, 3>, std::int64_t> stored;
        const auto cell = [](double x, double y, double z) {
            return std::array{std::llround(x / kSamePlace_m), std::llround(y / kSamePlace_m),
                              std::llround(z / kSamePlace_m)};
        };
        const std::vector<double>& xyz = result.station_xyz_m;
        for (std::size_t k = 0; 3 * k < xyz.size(); ++k) {
            const auto at = cell(xyz[3 * k], xyz[3 * k + 1], xyz[3 * k + 2]);
            stored.emplace(std::array<std::int64_t, 3>{at[0], at[1], at[2]}, k);
        }
        plan_.clear();
        for (std::size_t k = 0; k < places_.size(); ++k) {
            const Vec3& x = places_[k].snapped;
            const auto at = cell(x.x, x.y, x.z);
            Place place;
            const auto found = stored.find({at[0], at[1], at[2]});
            if (found != stored.end()) {
                place.stored = found->second;
            } else {
                place.stencil = interpolate(result, k);
            }
            plan_.push_back(place);
        }
        known_for_ = xyz;
    }

    SurfaceStencil interpolate(const io::SourceResult& result, std::size_t station) {
        if (!surface_) {
            surface_ = find_surface_points(
                mesh_, dofs_, sources::split_fault_nodes(mesh_, dofs_.conn, dofs_.node_xyz));
        }
        const bool has_surface =
            result.surface_m.size() == 3 * surface_->places.size() * result.n_fields();
        const auto stencil = has_surface
                                 ? surface_stencil(*surface_, mesh_, places_[station].snapped)
                                 : std::nullopt;
        if (!stencil) {
            throw Error(ErrorCode::NotFound,
                        "the stored result of this source does not hold "
                        "station '" +
                            job_.stations[station].id + "'");
        }
        return *stencil;
    }

    const GreensJob& job_;
    const mesh::TetMesh& mesh_;
    const fem::DofMap& dofs_;
    const std::vector<fem::Location>& places_;
    std::vector<double> known_for_;
    std::vector<Place> plan_;
    std::optional<SurfacePoints> surface_;
};

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
            append(dataset.residual, std::move(row.residual), kNaN);
            append(dataset.initial_residual, std::move(row.initial_residual), kNaN);
            if (by_spectrum) {
                append(dataset.shift_per_s, std::move(row.shift_per_s), kNaN);
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

/// Grid east and north to true, [any][N][3]: true north lies `convergence` clockwise of grid north.
void to_true_north(std::vector<double>& u, const std::vector<double>& convergence) {
    for (std::size_t k = 0; 3 * k < u.size(); ++k) {
        const double c = std::cos(convergence[k % convergence.size()]);
        const double s = std::sin(convergence[k % convergence.size()]);
        const double east = u[3 * k];
        const double north = u[3 * k + 1];
        u[3 * k] = c * east - s * north;
        u[3 * k + 1] = s * east + c * north;
    }
}

}  // namespace

PackageSummary ViscoelasticStages::package(const GreensJob& job, const std::string& mesh_path,
                                           const SourceFiles& files, bool only_these,
                                           const std::string& dataset_path) const {
    const Setup setup(job);
    const mesh::TetMesh mesh = io::read_mesh(mesh_path);
    const Steps steps = time_steps(job);
    io::GreensDataset dataset;
    dataset.name = job.name;
    dataset.title = job.title;
    dataset.projected = setup.projected();
    dataset.unit_slip = setup.mesh_file() == nullptr;
    dataset.crs_wkt = setup.projected() ? setup.projection().wkt() : "";
    dataset.specification_json = job.specification_json;
    dataset.kaname_version = job.version;
    dataset.mesh_sha256 = io::mesh_sha256(mesh);
    dataset.material_sha256 = sha256_hex(material_text(job.structure));
    dataset.tolerance = job.tolerance;
    const fem::DofMap dofs(mesh);
    dataset.dof = 3 * dofs.n_nodes();
    const std::vector<double> step_time_s = steps.grid.times_s();
    dataset.epochs_s = job.epochs_s.empty() ? step_time_s : job.epochs_s;

    const std::vector<fem::Location> places =
        fem::locate_points(mesh, station_points(job, setup, mesh));
    StationReader stations(job, mesh, dofs, places);
    std::vector<double> convergences;
    for (std::size_t k = 0; k < job.stations.size(); ++k) {
        dataset.stations.push_back(station_row(setup, job.stations[k], places[k].snapped));
        convergences.push_back(convergence(setup, places[k].snapped));
    }
    const SourceRows rows(job, setup, mesh, dofs);

    const std::size_t width = job.stations.size() * 3;
    const std::size_t n_epochs = dataset.epochs_s.size();
    const auto response_of = [&](const SlipHistory& history) {
        return StepResponse(steps, SourceTimeFunction(history, job.end_s), dataset.epochs_s);
    };
    const StepResponse of_slip = response_of(job.slip_history);
    std::vector<StepResponse> of_sides;
    for (const BoundarySourceSpec& source : job.boundary_sources) {
        of_sides.push_back(response_of(source.history));
    }
    dataset.slip_history = job.slip_history.kind;
    SolveColumns solves;
    PackageSummary summary;
    summary.epochs = static_cast<std::int64_t>(n_epochs);
    summary.stations = static_cast<std::int64_t>(job.stations.size());
    for (const std::string& id : setup.source_ids()) {
        if (only_these && !files.contains(id)) {
            continue;
        }
        io::GreensDataset::Source row = rows.row(id);
        const auto result = read_result(files, id, source_key(job, dataset.mesh_sha256, id));
        std::vector<double> fields;
        try {
            if (result && !result->failed) {
                fields = stations.read(*result);
            }
        } catch (const Error& error) {
            row.failure = error.what();
        }
        const bool missing = !result || !row.failure.empty();
        if (missing) {
            ++summary.sources_missing;
        } else {
            row.status = result->failed ? 2 : 1;
            row.failure = result->failure;
            result->failed ? ++summary.sources_failed : ++summary.sources_done;
        }
        solves.add(missing ? nullptr : &*result);
        std::vector<double> motion(n_epochs * width, kNaN);
        io::GreensDataset::Reduced reduced;
        if (row.status == 1) {
            to_true_north(fields, convergences);
            const int boundary = setup.boundary_source(id);
            motion = (boundary < 0 ? of_slip : of_sides[boundary]).motion(*result, fields, width);
            for (const double value : motion) {
                summary.max_displacement_m = std::max(summary.max_displacement_m, std::abs(value));
            }
            if (steps.spectrum) {
                reduced = {result->reduced, std::move(fields)};
            }
        }
        dataset.greens.insert(dataset.greens.end(), motion.begin(), motion.end());
        if (steps.spectrum) {
            dataset.reduced.push_back(std::move(reduced));
        }
        dataset.sources.push_back(row);
    }
    if (dataset.sources.empty()) {
        throw Error(ErrorCode::InvalidArgument, "no source to package");
    }
    dataset.step_time_s = step_time_s;
    if (steps.spectrum) {
        dataset.step_time_s.assign(solves.longest(), kNaN);
        dataset.step_time_s.front() = 0.0;
    }
    solves.move_to(dataset, dataset.step_time_s.size(), steps.spectrum);
    io::write_greens_dataset(dataset_path, dataset);
    return summary;
}

SourceFiles ViscoelasticStages::find_results(const GreensJob& job,
                                             const std::string& work_dir) const {
    SourceFiles files;
    const Setup setup(job);
    for (const std::string& id : setup.source_ids()) {
        const std::string path = source_path(work_dir, id);
        if (std::filesystem::exists(path)) {
            files.emplace(id, path);
        }
    }
    return files;
}

}  // namespace kaname::registry
