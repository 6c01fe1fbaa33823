// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

#include "solvers/base/sha256.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fem/dof_map.hpp"
#include "solvers/fem/locate.hpp"
#include "solvers/io/greens_dataset.hpp"
#include "solvers/io/mesh_file.hpp"
#include "solvers/io/source_file.hpp"
#include "solvers/registry/time_interpolation.hpp"
#include "solvers/registry/viscoelastic_stages.hpp"

namespace kaname::registry {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string material_text(const earth::LayeredStructure& structure) {
    std::string text;
    for (const earth::Material& m : structure.materials) {
        char line[256];
        std::snprintf(line, sizeof line, "%s %.17g %.17g %.17g\n", m.name.c_str(), m.lambda_pa,
                      m.mu_pa, m.viscosity_pa_s.value_or(0.0));
        text += line;
    }
    return text;
}

double true_azimuth_deg(const Setup& setup, const Vec3& direction, const earth::LonLat& at) {
    const double grid = std::atan2(direction.x, direction.y);
    const double degrees = (grid - setup.projection().convergence(at)) / kDegree;
    return std::fmod(degrees + 720.0, 360.0);
}

io::GreensDataset::Source describe(const Setup& setup, const sources::UnitSource& source) {
    const sources::FaultSurface& fault = setup.fault();
    const Vec3 centre = fault.point(source.patch.centre);
    const auto lonlat = setup.projection().inverse({centre.x, centre.y});
    io::GreensDataset::Source row;
    row.id = source.id;
    row.patch_id = source.patch.id;
    row.component = source.component;
    row.rake_deg = source.rake_rad / kDegree;
    row.lon_deg = lonlat.lon_deg;
    row.lat_deg = lonlat.lat_deg;
    row.depth_m = -centre.z;
    const double radius = std::max(source.patch.length_m, source.patch.width_m);
    row.strike_deg =
        true_azimuth_deg(setup, fault.strike_direction(source.patch.centre, radius), lonlat);
    row.dip_deg = std::acos(std::clamp(fault.normal(source.patch.centre).z, -1.0, 1.0)) / kDegree;
    row.length_m = source.patch.length_m;
    row.width_m = source.patch.width_m;
    const auto outline = source.outline(fault);
    for (int corner = 0; corner < 4; ++corner) {
        const auto at = setup.projection().inverse({outline[corner].x, outline[corner].y});
        row.outline_lon_deg[corner] = at.lon_deg;
        row.outline_lat_deg[corner] = at.lat_deg;
        row.outline_depth_m[corner] = -outline[corner].z;
    }
    return row;
}

/// Reads a source's result; nullopt when it is missing, unreadable or of another job.
std::optional<io::SourceResult> read_result(const std::string& path, const std::string& key) {
    if (!std::filesystem::exists(path)) {
        return std::nullopt;
    }
    io::SourceResult result = io::read_source_result(path);
    if (result.key != key) {
        return std::nullopt;
    }
    return result;
}

}  // namespace

PackageSummary ViscoelasticStages::package(const GreensJob& job, const std::string& mesh_path,
                                           const std::string& work_dir,
                                           const std::string& dataset_path) const {
    const Setup setup(job);
    const mesh::TetMesh mesh = io::read_mesh(mesh_path);
    const Steps steps = time_steps(job);
    io::GreensDataset dataset;
    dataset.name = job.name;
    dataset.title = job.title;
    dataset.crs_wkt = setup.projection().wkt();
    dataset.specification_json = job.specification_json;
    dataset.kaname_version = job.version;
    dataset.mesh_sha256 = io::mesh_sha256(mesh);
    dataset.material_sha256 = sha256_hex(material_text(job.structure));
    dataset.tolerance = job.tolerance;
    dataset.dof = 3 * fem::DofMap(mesh).n_nodes();
    for (int step = 0; step <= steps.n; ++step) {
        dataset.step_time_s.push_back(step * steps.dt_s);
    }
    dataset.epochs_s = job.epochs_s.empty() ? dataset.step_time_s : job.epochs_s;

    const auto places = fem::locate_points(mesh, setup.stations());
    std::vector<double> convergence;
    for (std::size_t k = 0; k < job.stations.size(); ++k) {
        const StationSpec& station = job.stations[k];
        const auto snapped = setup.projection().inverse({places[k].snapped.x, places[k].snapped.y});
        dataset.stations.push_back({station.id, station.lon_deg, station.lat_deg,
                                    station.depth_m.value_or(0.0), snapped.lon_deg, snapped.lat_deg,
                                    -places[k].snapped.z + 0.0});
        convergence.push_back(setup.projection().convergence(snapped));
    }

    const std::size_t n_stations = job.stations.size();
    const std::size_t n_epochs = dataset.epochs_s.size();
    const std::size_t n_steps = dataset.step_time_s.size();
    const TimeInterpolation interpolation(dataset.step_time_s, dataset.epochs_s);
    PackageSummary summary;
    summary.epochs = static_cast<std::int64_t>(n_epochs);
    summary.stations = static_cast<std::int64_t>(n_stations);
    for (const sources::UnitSource& source : setup.sources()) {
        io::GreensDataset::Source row = describe(setup, source);
        const auto result = read_result(source_path(work_dir, source.id),
                                        source_key(job, dataset.mesh_sha256, source.id));
        const std::size_t base = dataset.greens.size();
        dataset.greens.resize(base + n_epochs * n_stations * 3, kNaN);
        if (!result) {
            row.status = 0;
            ++summary.sources_missing;
            dataset.iterations.insert(dataset.iterations.end(), n_steps, -1);
            dataset.residual.insert(dataset.residual.end(), n_steps, kNaN);
            dataset.initial_residual.insert(dataset.initial_residual.end(), n_steps, kNaN);
            dataset.sources.push_back(row);
            continue;
        }
        row.status = result->failed ? 2 : 1;
        row.failure = result->failure;
        result->failed ? ++summary.sources_failed : ++summary.sources_done;
        dataset.iterations.insert(dataset.iterations.end(), result->iterations.begin(),
                                  result->iterations.end());
        dataset.residual.insert(dataset.residual.end(), result->residual.begin(),
                                result->residual.end());
        dataset.initial_residual.insert(dataset.initial_residual.end(),
                                        result->initial_residual.begin(),
                                        result->initial_residual.end());
        const std::vector<double> at_epochs =
            interpolation.apply(result->displacement_m, n_stations * 3);
        for (std::size_t k = 0; k < n_epochs * n_stations && !result->failed; ++k) {
            // Grid east and north to true: true north lies `convergence` clockwise of grid north.
            const double c = std::cos(convergence[k % n_stations]);
            const double s = std::sin(convergence[k % n_stations]);
            const double* u = at_epochs.data() + 3 * k;
            double* out = dataset.greens.data() + base + 3 * k;
            out[0] = c * u[0] - s * u[1];
            out[1] = s * u[0] + c * u[1];
            out[2] = u[2];
            for (int comp = 0; comp < 3; ++comp) {
                summary.max_displacement_m =
                    std::max(summary.max_displacement_m, std::abs(out[comp]));
            }
        }
        dataset.sources.push_back(row);
    }
    io::write_greens_dataset(dataset_path, dataset);
    return summary;
}

}  // namespace kaname::registry
