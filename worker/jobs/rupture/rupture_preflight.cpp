// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/aderdg/face_tables.hpp"
#include "solvers/aderdg/plasticity.hpp"
#include "solvers/base/text.hpp"
#include "solvers/io/dataset/wave_datasets.hpp"
#include "solvers/rupture/fault_setup.hpp"
#include "worker/jobs/ader_dg/mesh_places.hpp"
#include "worker/jobs/geometry/available_memory.hpp"
#include "worker/jobs/rupture/fault_checks.hpp"
#include "worker/jobs/rupture/rupture_model.hpp"
#include "worker/jobs/rupture/rupture_package.hpp"

namespace kaname::jobs {
namespace {

void append(const FaultFindings& from, SeismicPreflight& to) {
    to.violations.insert(to.violations.end(), from.violations.begin(), from.violations.end());
    to.warnings.insert(to.warnings.end(), from.warnings.begin(), from.warnings.end());
    to.notes.insert(to.notes.end(), from.notes.begin(), from.notes.end());
}

void refuse_others(const RuptureJob& job, std::vector<Violation>& broken) {
    if (!job.forces.empty()) {
        broken.push_back({"green.method",
                          "must not be reciprocal in a rupture: seismograms of "
                          "forces do not know how it goes on"});
    }
    if (job.faults.empty()) {
        broken.push_back({"faults", "must be one or more, got none"});
    }
}

/// Checks that receivers lie on their faults, where these are planes; other faults are known with
/// their mesh.
void check_receivers(const RuptureJob& job, const FaultParameters& parameters,
                     std::vector<Violation>& broken) {
    for (const RuptureReceiver& receiver : job.fault_receivers) {
        if (!parameters.knows(receiver.fault)) {
            continue;
        }
        const FaultAxes& axes = parameters.axes(receiver.fault);
        const auto within = [&](const char* key, double at, double low, double high) {
            const double slack = 1e-9 * (high - low);
            if (!(at >= low - slack && at <= high + slack)) {
                broken.push_back({receiver.field, "fault receiver " + receiver.id +
                                                      " must lie on its fault, " + key +
                                                      " within " + number(low) + " to " +
                                                      number(high) + " m, got " + number(at)});
            }
        };
        within("along", receiver.along_m, -0.5 * axes.length_m, 0.5 * axes.length_m);
        within("down", receiver.down_m, 0.0, axes.width_m);
    }
}

template <class Zone>
void check_zones(const std::vector<Zone>& zones, const FaultParameters& parameters,
                 std::vector<Violation>& broken) {
    for (const Zone& zone : zones) {
        if (!parameters.knows(zone.fault)) {
            continue;
        }
        const FaultAxes& axes = parameters.axes(zone.fault);
        const double x = std::max(0.0, std::abs(zone.along_m) - 0.5 * axes.length_m);
        const double y = std::max({0.0, -zone.down_m, zone.down_m - axes.width_m});
        if (std::hypot(x, y) >= zone.radius_m) {
            broken.push_back({zone.field, "nucleation must reach its fault, got along " +
                                              number(zone.along_m) + " m, down " +
                                              number(zone.down_m) + " m with a radius of " +
                                              number(zone.radius_m) + " m"});
        }
    }
}

void check_times(const RuptureJob& job, SeismicPreflight& found) {
    for (const double time_s : job.fault_snapshots_s) {
        if (!(time_s >= 0.0 && time_s <= job.end_s)) {
            found.violations.push_back({"output.fault_snapshots_s",
                                        "must be within 0 to time.end_s = " + number(job.end_s) +
                                            ", got " + number(time_s)});
            return;
        }
    }
    if (job.nucleation_s >= job.end_s) {
        found.warnings.push_back("nucleation takes " + number(job.nucleation_s) +
                                 " s, and the run ends at " + number(job.end_s) + " s");
    }
}

void tell_of_sources(std::size_t sources, std::size_t points, SeismicPreflight& found) {
    found.notes.push_back(
        "sources of known motion that radiate in the same run: " + std::to_string(sources) +
        ", of " + std::to_string(points) + " point sources");
}

/// Returns the places of a source's points in the model's frame.
std::vector<Vec3> points_of(const RuptureJob& job, const SeismicJob::Source& source,
                            double spacing_m) {
    if (!source.rupture) {
        return {wanted_place(job, source.at, "", source.field).at_m};
    }
    std::vector<Vec3> points;
    for (const slip_model::KinematicPoint& point :
         rupture_points(job, *source.rupture, rupture_field(source), spacing_m)) {
        points.push_back(point.at_m);
    }
    return points;
}

/// Distance of the nearest of these places from a rectangle [m].
double distance_from(const FaultAxes& axes, const std::vector<Vec3>& places) {
    double nearest_m = std::numeric_limits<double>::infinity();
    for (const Vec3& at_m : places) {
        const auto [along, down] = axes.place(at_m);
        const double x = std::max(0.0, std::abs(along) - 0.5 * axes.length_m);
        const double y = std::max({0.0, -down, down - axes.width_m});
        const double off = dot(at_m - axes.at(along, down), axes.normal());
        nearest_m = std::min(nearest_m, std::hypot(x, y, off));
    }
    return nearest_m;
}

/// Counts the sources beside the faults. Names those so near to a plane that the mesh may have them
/// in an element beside it, where they are refused.
void look_at_sources(const RuptureJob& job, const SeismicMeshPlan& plan,
                     const FaultParameters& parameters, const std::vector<FaultSample>& samples,
                     SeismicPreflight& found) {
    if (job.sources.empty() || !found.violations.empty()) {
        return;
    }
    double slowest = std::numeric_limits<double>::infinity();
    for (const earth::Material& material : plan.materials()) {
        slowest = std::min(slowest, slowest_m_per_s(material));
    }
    const double spacing_m = slowest / job.mesh.max_frequency_hz / kPointsPerWavelength;
    std::vector<double> edges_m(job.faults.size(), 0.0);
    for (const FaultSample& sample : samples) {
        double& edge_m = edges_m[static_cast<std::size_t>(sample.place.fault)];
        edge_m = std::max(edge_m, sample.edge_m);
    }
    constexpr std::size_t kNamed = 4;
    std::size_t points = 0, near = 0;
    std::string names;
    for (const SeismicJob::Source& source : job.sources) {
        const std::vector<Vec3> places = points_of(job, source, spacing_m);
        points += places.size();
        for (std::size_t k = 0; k < job.faults.size(); ++k) {
            if (!parameters.knows(k)) {
                continue;
            }
            const double nearest_m = distance_from(parameters.axes(k), places);
            if (nearest_m < edges_m[k] && near++ < kNamed) {
                names += (names.empty() ? "" : ", ") + source.id + " (" +
                         formatted("%.3g m", nearest_m) + " from fault " + job.faults[k].id +
                         ", elements of " + formatted("%.3g m", edges_m[k]) + ")";
            }
        }
    }
    tell_of_sources(job.sources.size(), points, found);
    if (near > 0) {
        found.warnings.push_back(
            "sources nearer to a fault than its elements are long may lie in one beside it, which "
            "the mesh then refuses: " +
            names + (near > kNamed ? " and " + std::to_string(near - kNamed) + " more" : ""));
    }
}

/// F of Drucker-Prager is convex in stress and cohesion, which are linear between rows: where no
/// row yields nothing does.
void warn_of_yield(const RuptureJob& job, SeismicPreflight& found) {
    if (!job.plasticity) {
        return;
    }
    const RupturePlasticity& p = *job.plasticity;
    std::vector<double> depths;
    for (const auto& row : p.stress.rows) {
        depths.push_back(row.depth_m);
    }
    for (const auto& row : p.cohesion_pa.rows) {
        depths.push_back(row.depth_m);
    }
    for (const double depth_m : depths) {
        const auto [xx, yy, zz, xy, yz, xz] = p.stress.at(depth_m);
        const double mean = (xx + yy + zz) / 3.0, angle = std::atan(p.friction);
        const double j2 = 0.5 * ((xx - mean) * (xx - mean) + (yy - mean) * (yy - mean) +
                                 (zz - mean) * (zz - mean)) +
                          xy * xy + yz * yz + xz * xz;
        const double strength =
            p.cohesion_pa.at(depth_m)[0] * std::cos(angle) - mean * std::sin(angle);
        if (std::sqrt(j2) > strength) {
            found.warnings.push_back(
                "plasticity: the initial stress yields already at a depth of " + number(depth_m) +
                " m, its shear stress is " + formatted("%.3g MPa", std::sqrt(j2) / 1e6) +
                " and the strength " + formatted("%.3g MPa", strength / 1e6));
            return;
        }
    }
}

/// Adds the sizes of the faults' results to the dataset. Adds to memory the known fields at the
/// points of faces, and traces of both sides at the times where friction is solved.
void set_sizes(const RuptureJob& job, const std::vector<FaultSample>& samples,
               SeismicPreflight& found) {
    double faces = 0.0;
    for (const FaultSample& sample : samples) {
        faces += sample.area_m2 / (0.433 * sample.edge_m * sample.edge_m);  // regular triangles
    }
    const auto fields = static_cast<double>(io::RuptureDataset::kFields.size());
    const auto snapshots = static_cast<double>(job.fault_snapshots_s.size());
    const double series = static_cast<double>(io::RuptureDataset::kSeries.size()) *
                          static_cast<double>(job.fault_receivers.size()) *
                          static_cast<double>(found.epochs);
    const double kept = 4.0 * (faces * 2.0 * snapshots + series);
    found.dataset_bytes += kept + 4.0 * faces * fields;
    const rupture::FaultRule rule = aderdg::fault_rule(job.mesh.order - 1);
    const double known = (rupture::Given::kFields + rupture::Kept::kFields) * rule.padded();
    const double traces = 2.0 * 6.0 * rule.n_times() * rule.padded();
    found.solve_bytes += faces * 8.0 * (known + traces) + kept;
    if (job.plasticity) {
        found.solve_bytes += aderdg::plasticity_bytes(found.tets, wave_params(job, 1).precision);
    }
    found.gpu_bytes = found.solve_bytes;
    warn_of_memory(found.solve_bytes, found.available_bytes, found.warnings);
    found.notes.push_back("about " + std::to_string(std::llround(faces)) + " faces with friction");
}

}  // namespace

SeismicPreflight preflight_rupture(const RuptureJob& job) {
    SeismicPreflight found;
    refuse_others(job, found.violations);
    if (!found.violations.empty()) {
        return found;
    }
    found = preflight_seismic(job);
    found.method = kRuptureMethod;
    check_times(job, found);
    warn_of_yield(job, found);
    try {
        const SeismicMeshPlan plan = plan_mesh(job);
        if (std::holds_alternative<MeshOfOnesOwn>(job.mesh.model)) {
            SeismicMesh mesh = plan.build();
            const std::vector<FaultTriangle> triangles = fault_triangles(mesh.model);
            const RuptureModel model = rupture_in_mesh(job, std::move(mesh));
            const std::vector<FaultSample> samples = samples_of(triangles);
            append(check_faults(job, model.parameters, samples), found);
            if (!job.sources.empty()) {
                std::size_t points = 0;
                for (const SeismicSource& source : model.seismic.sources) {
                    points += source.points.size();
                }
                tell_of_sources(job.sources.size(), points, found);
            }
            set_sizes(job, samples, found);
            return found;
        }
        const auto parameters =
            std::make_shared<const FaultParameters>(job, fault_axes(job.mesh, nullptr));
        for (std::size_t k = 0; k < job.faults.size(); ++k) {
            if (!parameters->knows(k)) {
                found.notes.push_back("fault " + job.faults[k].id +
                                      " is no plane: its numbers and receivers are looked at when "
                                      "the mesh is there");
            }
        }
        check_receivers(job, *parameters, found.violations);
        check_zones(job.smooth_nucleation, *parameters, found.violations);
        check_zones(job.forced_nucleation, *parameters, found.violations);
        const std::vector<FaultSample> samples = samples_of_planes(job.mesh, plan.materials());
        append(check_faults(job, parameters, samples), found);
        look_at_sources(job, plan, *parameters, samples, found);
        set_sizes(job, samples, found);
    } catch (const ValidationError& error) {
        const std::vector<Violation> broken = in_specification(error.violations());
        if (found.violations.empty()) {  // else told by preflight_seismic
            found.violations = broken;
        }
    }
    return found;
}

MeshSummary mesh_rupture(const RuptureJob& job, const std::string& mesh_path,
                         const MeshProgress& progress) {
    const SeismicMeshPlan plan = plan_mesh(job);
    try {
        SeismicMesh mesh =
            plan.build([&](double fraction, const char* stage) { progress(fraction, stage); });
        MeshSummary summary = write_seismic_mesh(mesh_path, mesh);
        const std::size_t told = mesh.notes.size();
        // Faults, tables and receivers on the mesh as it is: wrong ones end the job here.
        const RuptureModel model = rupture_in_mesh(job, std::move(mesh));
        for (std::size_t k = told; k < model.seismic.warnings.size(); ++k) {
            summary.text += model.seismic.warnings[k] + "\n";
        }
        return summary;
    } catch (const ValidationError& error) {
        throw ValidationError(in_specification(error.violations()));
    }
}

}  // namespace kaname::jobs
