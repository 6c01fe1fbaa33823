// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include "solvers/base/text.hpp"
#include "solvers/comm/comm.hpp"
#include "worker/jobs/ader_dg/mesh_places.hpp"
#include "worker/jobs/ader_dg/near_field.hpp"
#include "worker/jobs/ader_dg/seismic_model.hpp"
#include "worker/jobs/ader_dg/seismic_package.hpp"
#include "worker/jobs/ader_dg/wave_resolution.hpp"
#include "worker/jobs/geometry/available_memory.hpp"

namespace kaname::jobs {
namespace {

constexpr double kMeasured_s = 0.4;

/// BoxCheck checks that places are in the box and below the ground of its model, which facets of
/// the mesh may miss a little.
class BoxCheck {
public:
    BoxCheck(const SeismicJob& job, const SeismicMeshPlan& plan) : job_(job), plan_(plan) {
        double slowest = std::numeric_limits<double>::infinity();
        for (const earth::Material& material : plan.materials()) {
            slowest = std::min(slowest, slowest_m_per_s(material));
        }
        wavelength_m_ = slowest / job.mesh.max_frequency_hz;
        if (const auto* box = std::get_if<LayeredBox>(&job.mesh.model)) {
            half_[0] = 0.5 * box->size_x_m;
            half_[1] = 0.5 * box->size_y_m;
            depth_m_ = box->depth_m;
            level_top_ = true;
        } else if (const auto* earth = std::get_if<EarthBox>(&job.mesh.model)) {
            half_[0] = 0.5 * earth->size_east_m;
            half_[1] = 0.5 * earth->size_north_m;
            depth_m_ = earth->depth_m;
            azimuth_rad_ = earth->azimuth_rad;
        }
    }

    void check(const WavePlace& at, const std::string& field) {
        const WantedPlace wanted = wanted_place(job_, at, "", field);
        const auto [x, y] = in_box(wanted.at_m);
        check("", "x", x, {-half_[0], half_[0]}, kRounding, field + ".at");
        check("", "y", y, {-half_[1], half_[1]}, kRounding, field + ".at");
        if (!wanted.on_the_ground) {
            check("", "z", wanted.at_m.z, {-depth_m_, level_top_ ? 0.0 : kHighest_m}, kRounding,
                  field + ".at");
        }
    }

    /// Checks the corners of patches, and the points of a slip model, of which the first one that
    /// is outside is named. Throws as rupture_points; returns the points.
    std::vector<slip_model::KinematicPoint> check_rupture(const SeismicJob::Source& source) {
        const auto corners = patch_corners(job_, *source.rupture);
        for (std::size_t k = 0; k < corners.size(); ++k) {
            const std::string field = patch_field(source, k);
            const double slack_m = kStandsOut * norm(corners[k].back() - corners[k].front());
            (void)std::ranges::all_of(corners[k], [&](const Vec3& corner) {
                return is_inside(corner, slack_m, "every corner ", field);
            });
        }
        auto points = rupture_points(job_, *source.rupture, rupture_field(source),
                                     wavelength_m_ / kPointsPerWavelength);
        (void)std::ranges::all_of(points, [&](const slip_model::KinematicPoint& point) {
            return !corners.empty() || is_inside(point.at_m, kOutsideTolerance * wavelength_m_,
                                                 "every point ", rupture_field(source));
        });
        return points;
    }
    [[nodiscard]] std::vector<Violation> take() { return std::move(broken_); }

private:
    static constexpr double kHighest_m = 1e4;
    static constexpr double kRounding = 1e-9;   ///< of a side
    static constexpr double kStandsOut = 0.01;  ///< of a patch, by which its rounding sticks out
    using Range = std::array<double, 2>;

    /// The box's frame is turned clockwise by the azimuth.
    [[nodiscard]] std::array<double, 2> in_box(const Vec3& x) const {
        const double c = std::cos(azimuth_rad_), s = std::sin(azimuth_rad_);
        return {c * x.x - s * x.y, s * x.x + c * x.y};
    }

    bool check(const std::string& what, const char* axis, double here, const Range& range,
               double slack, const std::string& field) {
        const auto [low, high] = range;
        const double beyond = slack * (high - low);
        if (here >= low - beyond && here <= high + beyond) {
            return true;
        }
        broken_.push_back({field, "must be in the model, " + what + axis + " within " +
                                      number(low) + " to " + number(high) + " m, got " +
                                      number(here)});
        return false;
    }

    /// Adds at most one violation.
    bool is_inside(const Vec3& at_m, double tolerance_m, const std::string& what,
                   const std::string& field) {
        const auto [x, y] = in_box(at_m);
        const auto side = [&](const char* axis, double here, double low, double high) {
            return check(what, axis, here, {low, high}, tolerance_m / (high - low), field);
        };
        if (!side("x", x, -half_[0], half_[0]) || !side("y", y, -half_[1], half_[1]) ||
            !side("z", at_m.z, -depth_m_, level_top_ ? 0.0 : kHighest_m)) {
            return false;
        }
        const Vec3 below{at_m.x, at_m.y, at_m.z - tolerance_m};
        if (level_top_ || plan_.material_at(below) != nullptr) {
            return true;
        }
        broken_.push_back(
            {field, "must be in the model, " + what + "below its ground, got " + place_text(at_m)});
        return false;
    }

    const SeismicJob& job_;
    const SeismicMeshPlan& plan_;
    double wavelength_m_ = 0.0;
    double half_[2] = {}, depth_m_ = 0.0, azimuth_rad_ = 0.0;
    bool level_top_ = false;
    std::vector<Violation> broken_;
};

void check_places(const SeismicJob& job, const SeismicMeshPlan& plan, Preflight& found) {
    BoxCheck box(job, plan);
    std::vector<Violation> in_liquids;
    for (const SeismicJob::Source& source : job.sources) {
        if (!source.rupture) {
            box.check(source.at, source.field);
            const WantedPlace wanted = wanted_place(job, source.at, "", source.field);
            const earth::Material* material =
                wanted.on_the_ground ? nullptr : plan.material_at(wanted.at_m);
            if (material != nullptr) {
                if (auto broken = shear_in_liquid(source, material->mu_pa)) {
                    in_liquids.push_back(*std::move(broken));
                }
            }
        }
    }
    for (const WaveReceiver& receiver : job.receivers) {
        box.check(receiver.at, receiver.field);
    }
    std::vector<Violation> in_files;
    for (const SeismicJob::Source& source : job.sources) {
        if (source.rupture) {
            try {
                double highest_hz = 0.0, moment_nm = 0.0;
                const auto points = box.check_rupture(source);
                for (const slip_model::KinematicPoint& point : points) {
                    highest_hz = std::max(highest_hz, point.rate.highest_hz());
                    const earth::Material* rock = plan.material_at(point.at_m);
                    moment_nm += (rock == nullptr ? 0.0 : rock->mu_pa) *
                                 slip_model::scalar_moment(point.moment_nm);
                }
                found.notes.push_back(moment_note(source.id, points.size(), moment_nm));
                if (auto text = too_high(job, source.id, highest_hz)) {
                    found.warnings.push_back(*std::move(text));
                }
            } catch (const ValidationError& error) {
                in_files.insert(in_files.end(), error.violations().begin(),
                                error.violations().end());
            }
        }
    }
    found.violations = box.take();
    found.violations.insert(found.violations.end(), in_liquids.begin(), in_liquids.end());
    found.violations.insert(found.violations.end(), in_files.begin(), in_files.end());
    found.violations = told_once(job, std::move(found.violations));
}

void warn_of_near_receivers(const SeismicJob& job, const SeismicMeshPlan& plan, Preflight& found) {
    if (auto text = near_receivers(job, moment_places(job, plan), receiver_places(job))) {
        found.warnings.push_back(*std::move(text));
    }
}

void warn_of_frequencies(const SeismicJob& job, Preflight& found) {
    for (const SeismicJob::Source& source : job.sources) {
        if (!source.rupture) {
            if (auto text = too_high(job, source.id, source.time.highest_hz())) {
                found.warnings.push_back(*std::move(text));
            }
        }
        if (!job.method_note.empty()) {
            break;  // all have one time function
        }
    }
}

std::string clusters_text(const aderdg::Clusters& clusters) {
    std::string text = "clusters of elements by their steps, from " +
                       formatted("%.3g s", clusters.step_s) + " on:";
    for (const std::int64_t n : clusters.elements) {
        text += " " + std::to_string(n);
    }
    return text + "; " + formatted("%.4g", updates_per_s(clusters)) +
           " updates of elements for a second of signal, " + formatted("%.2g", gain_of(clusters)) +
           " times fewer than with one step for all";
}

void set_sizes(const SeismicJob& job, const SeismicMeshPlan::Estimate& mesh,
               SeismicPreflight& found) {
    const aderdg::Clusters& clusters = mesh.clusters;
    const double macro_s = clusters.macro_step_s();
    found.vertices = mesh.count.vertices;
    found.tets = mesh.count.tets;
    found.dof = unknowns_of(found.tets, job);
    found.sources = std::ssize(job.names());
    found.packs = packs_of(found.sources);
    found.stations = std::ssize(job.receivers);
    found.steps = std::max<std::int64_t>(1, std::llround(std::ceil(job.end_s / macro_s)));
    found.epochs = job.n_samples();
    found.method = kWavesMethod;
    found.step_s = clusters.step_s;
    found.longest_step_s = macro_s;
    found.end_s = job.end_s;
    found.updates = updates_per_s(clusters) * job.end_s;
    found.notes.push_back(clusters_text(clusters));
    if (!job.method_note.empty()) {
        found.notes.push_back(job.method_note);
    }
    // Triangles of the ground: of a tenth of the elements' two-thirds power, times two.
    const double triangles = 2.0 * std::pow(static_cast<double>(found.tets), 2.0 / 3.0);
    const double per_source =
        3.0 * static_cast<double>(found.epochs) * static_cast<double>(found.stations) +
        triangles * (2.0 + 3.0 * static_cast<double>(job.snapshots_s.size())) +
        (job.volume_snapshots ? 3.0 * static_cast<double>(found.tets * std::ssize(job.snapshots_s))
                              : 0.0);
    const std::int64_t lanes = std::min(kWavePack, found.sources);
    // By reciprocity there are rows of sources and solves of forces; else a row for each solve, and
    // one for a spontaneous rupture with all its sources.
    const auto n_sources =
        static_cast<double>(job.forces.empty() ? std::ssize(job.names()) : std::ssize(job.sources));
    found.dataset_bytes = 4.0 * per_source * n_sources;
    // Six strains of a place serve the six components of a moment there.
    const double recorded =
        job.forces.empty() ? per_source : static_cast<double>(found.epochs) * n_sources;
    found.solve_bytes =
        aderdg::solver_bytes(found.tets, job.quality.empty() ? 0 : job.band.mechanisms,
                             wave_params(job, static_cast<int>(lanes))) +
        4.0 * recorded * double(lanes);
    found.gpu_bytes = found.solve_bytes;
    found.available_bytes = available_bytes();
    warn_of_memory(found.solve_bytes, found.available_bytes, found.warnings);
}

}  // namespace

SeismicPreflight preflight_seismic(const SeismicJob& job) {
    SeismicPreflight found;
    try {
        const SeismicMeshPlan plan = plan_mesh(job);
        if (std::holds_alternative<MeshOfOnesOwn>(job.mesh.model)) {
            found.warnings = place_in_mesh(job, plan.build()).warnings;
        } else {
            check_places(job, plan, found);
            warn_of_frequencies(job, found);
            if (found.violations.empty()) {
                warn_of_near_receivers(job, plan, found);
                const std::vector<std::string> sides = side_warnings(job);
                found.warnings.insert(found.warnings.end(), sides.begin(), sides.end());
            }
        }
        set_sizes(job, plan.estimate(wave_params(job, 1)), found);
    } catch (const ValidationError& error) {
        const std::vector<Violation> broken = in_specification(error.violations());
        found.violations.insert(found.violations.end(), broken.begin(), broken.end());
    }
    return found;
}

MeshSummary mesh_seismic(const SeismicJob& job, const std::string& mesh_path,
                         const MeshProgress& progress) {
    const SeismicMeshPlan plan = plan_mesh(job);
    try {
        const SeismicMesh mesh =
            plan.build([&](double fraction, const char* stage) { progress(fraction, stage); });
        return write_seismic_mesh(mesh_path, mesh);
    } catch (const ValidationError& error) {
        throw ValidationError(in_specification(error.violations()));
    }
}

std::string seismic_speed_key(const SeismicJob& job) {
    const bool single = job.precision == aderdg::Precision::Single;
    return "seismic-" + std::to_string(job.mesh.order) + (single ? "-32" : "-64") + "-" +
           std::to_string(job.quality.empty() ? 0 : job.band.mechanisms);
}

double measure_seismic_speed(const SeismicJob& job) {
    using Clock = std::chrono::steady_clock;
    // A cube of rock whose elements have edges of some hundred metres.
    SeismicJob small;
    earth::Material rock;
    rock.name = "rock";
    rock.density_kg_m3 = 2700.0;
    rock.mu_pa = rock.lambda_pa = 3e10;
    earth::LayeredStructure layers;
    layers.materials = {rock};
    layers.layers = {{0, {}}};
    small.mesh.model = LayeredBox{4000.0, 4000.0, 4000.0, layers};
    small.mesh.max_frequency_hz = 3.0;
    small.mesh.order = job.mesh.order;
    small.mesh.elements_per_wavelength = 3.0;
    small.precision = job.precision;
    small.quality = job.quality.empty()
                        ? std::map<std::string, SeismicJob::Quality>{}
                        : std::map<std::string, SeismicJob::Quality>{{"rock", {200.0, 100.0}}};
    small.band = job.band;
    small.end_s = small.interval_s = 100.0;
    const int lanes = static_cast<int>(std::min(kWavePack, std::ssize(job.names())));
    const SeismicModel model = place_in_mesh(small, plan_mesh(small).build());
    comm::SerialComm comm;
    const auto solver = aderdg::make_wave_solver(model.waves, wave_params(small, lanes), {}, comm);
    solver->advance(1);
    const auto start = Clock::now();
    double seconds = 0.0;
    std::int64_t steps = 0;
    do {
        solver->advance(1);
        ++steps;
        seconds = std::chrono::duration<double>(Clock::now() - start).count();
    } while (seconds < kMeasured_s);
    return seconds / static_cast<double>(steps * solver->clusters().updates()) / lanes;
}

}  // namespace kaname::jobs
