// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/ader_dg/seismic_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "solvers/aderdg/layout.hpp"
#include "solvers/aderdg/tet_topology.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "worker/jobs/ader_dg/mesh_places.hpp"
#include "worker/jobs/ader_dg/near_field.hpp"

namespace kaname::jobs {
namespace {

constexpr double kTold_m = 1.0;  ///< places that were moved farther are told of

/// Fits the mechanisms of materials that have quality factors, and gives the others as many without
/// any weight.
void add_mechanisms(const SeismicJob& job, const std::vector<std::string>& materials,
                    std::vector<aderdg::Solid>& solids) {
    if (job.quality.empty()) {
        return;
    }
    constexpr double kElastic = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < solids.size(); ++k) {
        const auto found = job.quality.find(materials[k]);
        const auto [qp, qs] =
            found == job.quality.end() ? SeismicJob::Quality{kElastic, kElastic} : found->second;
        solids[k] = aderdg::anelastic_solid(
            {solids[k].density_kg_m3, solids[k].vp_m_per_s(), solids[k].vs_m_per_s(), qp, qs},
            job.band);
    }
}

class Placer {
public:
    Placer(const SeismicJob& job, SeismicMesh mesh) : job_(job), elastic_(mesh.model.solids) {
        model_.waves = std::move(mesh.model);
        model_.resolution = mesh.resolution;
        model_.warnings = std::move(mesh.notes);
        double slowest = std::numeric_limits<double>::infinity();
        for (const aderdg::Solid& solid : elastic_) {
            slowest = std::min(slowest, slowest_speed_m_per_s(solid));
        }
        wavelength_m_ = slowest / job.mesh.max_frequency_hz;
        add_mechanisms(job, mesh.materials, model_.waves.solids);
    }

    SeismicModel place() {
        attempt([&] { place_points(); });
        for (std::size_t k = 0; k < job_.sources.size(); ++k) {
            if (job_.sources[k].rupture) {
                attempt([&] { place_rupture(k); });
            }
        }
        if (!job_.forces.empty() && broken_.empty()) {
            attempt([&] { model_.strains = strain_points(job_, model_.waves, model_.sources); });
        }
        if (!broken_.empty()) {
            throw ValidationError(told_once(job_, std::move(broken_)));
        }
        model_.ground = find_ground(model_.waves.mesh);
        model_.ground_points = model_.ground.middles(model_.waves.mesh);
        model_.snapshot_points = model_.ground_points;
        for (std::size_t e = 0; e < model_.waves.mesh.tets.size() && job_.volume_snapshots; ++e) {
            model_.snapshot_points.push_back(middle_of(static_cast<std::int64_t>(e)));
        }
        warn_of_frequencies();
        return std::move(model_);
    }

private:
    template <class Work>
    void attempt(const Work& work) {
        try {
            work();
        } catch (const ValidationError& error) {
            broken_.insert(broken_.end(), error.violations().begin(), error.violations().end());
        }
    }

    /// Receivers, and sources that are points.
    void place_points() {
        std::vector<WantedPlace> wanted;
        for (const SeismicJob::Source& source : job_.sources) {
            if (!source.rupture) {
                wanted.push_back(
                    wanted_place(job_, source.at, "source " + source.id, source.field + ".at"));
            }
        }
        for (const WaveReceiver& receiver : job_.receivers) {
            wanted.push_back(
                wanted_place(job_, receiver.at, "receiver " + receiver.id, receiver.field + ".at"));
        }
        const FoundPlaces found =
            find_places(model_.waves.mesh, wanted, kOutsideTolerance * wavelength_m_);
        std::size_t next = 0;
        for (const SeismicJob::Source& source : job_.sources) {
            if (!source.rupture) {
                if (auto broken = shear_in_liquid(source, solid_at(found.places[next]).mu_pa)) {
                    broken_.push_back(*std::move(broken));
                }
            }
            model_.sources.push_back(source.rupture ? SeismicSource()
                                                    : at_a_point(source, found.places[next++]));
        }
        model_.receivers.assign(found.places.begin() + static_cast<std::ptrdiff_t>(next),
                                found.places.end());
        warn_of_near_receivers();
        for (std::size_t k = 0; k < wanted.size(); ++k) {
            if (!wanted[k].on_the_ground && found.moved_m[k] > kTold_m) {
                model_.warnings.push_back(wanted[k].name + " is " +
                                          formatted("%.3g m", found.moved_m[k]) +
                                          " outside of the mesh and was moved to its surface");
            }
        }
    }

    [[nodiscard]] const aderdg::Solid& solid_at(const aderdg::PointInTet& at) const {
        return elastic_[static_cast<std::size_t>(
            model_.waves.mesh.material[static_cast<std::size_t>(at.tet)])];
    }

    void warn_of_near_receivers() {
        std::vector<MomentPlace> sources;
        for (std::size_t k = 0; k < job_.sources.size() && job_.method_note.empty(); ++k) {
            for (const aderdg::PointSource& point : model_.sources[k].points) {
                if (point.force_n == std::array<double, 3>{}) {
                    sources.push_back({job_.sources[k].id, point.at.at_m,
                                       slowest_speed_m_per_s(solid_at(point.at))});
                }
            }
        }
        std::vector<std::pair<std::string, Vec3>> receivers;
        for (std::size_t k = 0; k < job_.receivers.size(); ++k) {
            receivers.emplace_back(job_.receivers[k].id, model_.receivers[k].at_m);
        }
        if (auto text = near_receivers(job_, sources, receivers)) {
            model_.warnings.push_back(*std::move(text));
        }
    }

    static SeismicSource at_a_point(const SeismicJob::Source& source,
                                    const aderdg::PointInTet& at) {
        SeismicSource made;
        made.at_m = at.at_m;
        made.force_n = source.force_n;
        made.moment_nm = source.moment_nm;
        made.highest_hz = source.time.highest_hz();
        const source_time::TimeFunction& time = source.time;
        made.function = [time](double t_s) { return time.at(t_s); };
        const auto any = [](const auto& numbers) {
            return std::ranges::any_of(numbers, [](double x) { return x != 0.0; });
        };
        if (any(source.force_n)) {
            const source_time::Span span = time.span();
            made.points.push_back(
                {0, at, source.force_n, {}, made.function, span.from_s, span.until_s});
        }
        if (any(source.moment_nm)) {
            const source_time::Span span = time.moment_rate_span();
            made.points.push_back({0,
                                   at,
                                   {},
                                   source.moment_nm,
                                   [time](double t_s) { return time.moment_rate_at(t_s); },
                                   span.from_s,
                                   span.until_s});
        }
        return made;
    }

    void check_corners(const SeismicJob::Source& source) const;
    void place_rupture(std::size_t k);

    [[nodiscard]] aderdg::PointInTet middle_of(std::int64_t tet) const {
        Vec3 sum;
        for (const std::int32_t v : model_.waves.mesh.tets[static_cast<std::size_t>(tet)]) {
            sum += model_.waves.mesh.xyz[static_cast<std::size_t>(v)];
        }
        return {tet, 0.25 * sum};
    }

    void warn_of_frequencies() {
        for (std::size_t k = 0; k < job_.sources.size(); ++k) {
            if (auto text = too_high(job_, job_.sources[k].id, model_.sources[k].highest_hz)) {
                model_.warnings.push_back(*std::move(text));
            }
            if (!job_.method_note.empty()) {
                break;  // all have one time function
            }
        }
    }

    const SeismicJob& job_;
    std::vector<aderdg::Solid> elastic_;
    double wavelength_m_ = 0.0;
    SeismicModel model_;
    std::vector<Violation> broken_;
};

/// Refuses patches that stick out of a mesh of one's own; boxes are checked before they are meshed,
/// where their ground is known without facets.
void Placer::check_corners(const SeismicJob::Source& source) const {
    if (!std::holds_alternative<MeshOfOnesOwn>(job_.mesh.model)) {
        return;
    }
    const auto corners = patch_corners(job_, *source.rupture);
    std::vector<WantedPlace> wanted;
    for (std::size_t k = 0; k < corners.size(); ++k) {
        for (const Vec3& corner : corners[k]) {
            wanted.push_back({corner, "a corner of " + source.id, patch_field(source, k), false});
        }
    }
    (void)find_places(model_.waves.mesh, wanted, kOutsideTolerance * wavelength_m_);
}

void Placer::place_rupture(std::size_t k) {
    const SeismicJob::Source& source = job_.sources[k];
    check_corners(source);
    const std::string field = rupture_field(source);
    const std::vector<slip_model::KinematicPoint> points =
        rupture_points(job_, *source.rupture, field, wavelength_m_ / kPointsPerWavelength);
    std::vector<WantedPlace> wanted;
    for (const slip_model::KinematicPoint& point : points) {
        wanted.push_back({point.at_m, "a point of " + source.id, field, false});
    }
    FoundPlaces found;
    try {
        found = find_places(model_.waves.mesh, wanted, kOutsideTolerance * wavelength_m_);
    } catch (const ValidationError& error) {
        const std::size_t n = error.violations().size();
        throw ValidationError(std::vector<Violation>{
            {field,
             std::to_string(n) + " of " + std::to_string(points.size()) +
                 " points lie outside of the mesh; the first: " + error.violations()[0].message}});
    }
    SeismicSource made;
    double total = 0.0;
    std::size_t in_liquids = 0;
    const double start_s = source.rupture->start_s;
    using Weighted = std::pair<double, source_time::TimeFunction>;
    const auto rates = std::make_shared<std::vector<Weighted>>();  // shared by copies of function
    for (std::size_t p = 0; p < points.size(); ++p) {
        const aderdg::PointInTet& at = found.places[p];
        const auto material =
            static_cast<std::size_t>(model_.waves.mesh.material[static_cast<std::size_t>(at.tet)]);
        std::array<double, 6> moment = points[p].moment_nm;
        for (std::size_t c = 0; c < 6; ++c) {
            moment[c] *= elastic_[material].mu_pa;
            made.moment_nm[c] += moment[c];
        }
        in_liquids += elastic_[material].mu_pa == 0.0 ? 1 : 0;
        const double size = slip_model::scalar_moment(moment);
        total += size;
        made.at_m = made.at_m + size * at.at_m;
        made.highest_hz = std::max(made.highest_hz, points[p].rate.highest_hz());
        const source_time::TimeFunction& rate = points[p].rate;
        const source_time::Span span = rate.moment_rate_span();
        made.points.push_back(
            {0,
             at,
             {},
             moment,
             [rate, start_s](double t_s) { return rate.moment_rate_at(t_s - start_s); },
             span.from_s + start_s,
             span.until_s + start_s});
        rates->emplace_back(size, rate);
    }
    if (total == 0.0) {
        throw ValidationError(std::vector<Violation>{{field, "must have slip, has none"}});
    }
    if (in_liquids > 0) {
        model_.warnings.push_back("source " + source.id + ": " + std::to_string(in_liquids) +
                                  " of its " + std::to_string(points.size()) +
                                  " points lie in a liquid and have no moment");
    }
    made.at_m = (1.0 / total) * made.at_m;
    made.function = [rates, start_s](double t_s) {
        double sum = 0.0;
        for (const auto& [size, rate] : *rates) {
            sum += size * rate.moment_rate_at(t_s - start_s);
        }
        return sum;
    };
    model_.sources[k] = std::move(made);
}

}  // namespace

std::vector<Violation> told_once(const SeismicJob& job, std::vector<Violation> violations) {
    if (!job.method_note.empty()) {
        std::set<std::string> fields;
        std::erase_if(violations,
                      [&](const Violation& v) { return !fields.insert(v.field).second; });
    }
    return violations;
}

std::optional<Violation> shear_in_liquid(const SeismicJob::Source& source, double mu_pa) {
    const auto& m = source.moment_nm;
    double largest = 0.0;
    for (const double component : m) {
        largest = std::max(largest, std::abs(component));
    }
    const double shear = std::max({std::abs(m[0] - m[1]), std::abs(m[1] - m[2]), std::abs(m[3]),
                                   std::abs(m[4]), std::abs(m[5])});
    constexpr double kRounding = 1e-6;
    if (source.rupture || mu_pa > 0.0 || shear <= kRounding * largest) {
        return std::nullopt;
    }
    return Violation{source.field + ".moment",
                     "must be a pressure, xx = yy = zz alone, in a liquid, which holds no shear: "
                     "source " +
                         source.id + " lies in one, got " + number(shear) + " N m of shear"};
}

std::vector<Violation> sources_beside_surfaces(const SeismicJob& job, const SeismicModel& model) {
    const aderdg::WaveModel& waves = model.waves;
    if (job.sources.empty() ||
        (waves.fault.laws.empty() &&
         std::ranges::count(waves.surfaces, aderdg::Boundary::Gravity) == 0)) {
        return {};
    }
    using Beyond = aderdg::TetTopology::Beyond;
    const auto topology = aderdg::TetTopology::of(waves);
    std::vector<Violation> broken;
    for (std::size_t k = 0; k < job.sources.size(); ++k) {
        std::size_t beside = 0;
        std::string first;
        for (const aderdg::PointSource& point : model.sources[k].points) {
            const auto& faces = topology.beyond[static_cast<std::size_t>(point.at.tet)];
            const auto face = std::ranges::find_if(faces, &Beyond::conditioned);
            if (face != faces.end() && beside++ == 0) {
                const bool gravity = face->fault_face < 0;
                const auto fault_face = static_cast<std::size_t>(std::max(0, face->fault_face));
                first = (gravity ? "the surface with gravity"
                                 : "fault " + waves.mesh.faults[static_cast<std::size_t>(
                                                  waves.mesh.fault_faces[fault_face].fault)]) +
                        ", got " + place_text(point.at.at_m);
            }
        }
        if (beside > 0) {
            const SeismicJob::Source& source = job.sources[k];
            const std::size_t n = model.sources[k].points.size();
            broken.push_back(
                {source.rupture ? rupture_field(source) : source.field + ".at",
                 "must lie outside of the elements beside " + first +
                     (n > 1 ? " and " + std::to_string(beside) + " of " + std::to_string(n) +
                                  " points of source " + source.id + " in them"
                            : " of source " + source.id) +
                     "; move it away, or make elements there smaller"});
        }
    }
    return broken;
}

std::optional<std::string> too_high(const SeismicJob& job, const std::string& id,
                                    double highest_hz) {
    if (highest_hz <= job.mesh.max_frequency_hz) {
        return std::nullopt;
    }
    return "source " + id + " has frequencies up to " + formatted("%.3g Hz", highest_hz) +
           "; elements resolve mesh.max_frequency_hz = " +
           formatted("%.3g Hz", job.mesh.max_frequency_hz) + ": filter the seismograms below that";
}

WantedPlace wanted_place(const SeismicJob& job, const WavePlace& at, const std::string& name,
                         const std::string& field) {
    WantedPlace wanted;
    wanted.name = name;
    wanted.field = field;
    wanted.at_m = {at.xyz_m[0], at.xyz_m[1], at.xyz_m[2]};
    wanted.on_the_ground = at.on_the_ground;
    if (at.globe) {
        const earth::MapPoint point = earth::Projection(job.centre.value()).forward(*at.globe);
        wanted.at_m = {point.x_m, point.y_m, -at.depth_m.value_or(0.0)};
        wanted.on_the_ground = !at.depth_m;
    }
    return wanted;
}

aderdg::WaveParams wave_params(const SeismicJob& job, int lanes) {
    aderdg::WaveParams params;
    params.order = job.mesh.order;
    params.precision = job.precision;
    params.lanes = lanes;
    params.end_s = job.end_s;
    params.interval_s = job.interval_s / job.oversampling;
    params.motion = job.motion;
    params.cfl = job.cfl;
    params.local_time_steps = job.local_time_steps;
    if (!job.quality.empty()) {
        params.longest_step_s = aderdg::relaxation_step_s(job.band.fastest_per_s());
    }
    return params;
}

SeismicMeshPlan plan_mesh(const SeismicJob& job) {
    try {
        SeismicMeshPlan plan(job.mesh);
        if (const auto fitted = fitted_to_sources(job, plan)) {
            return SeismicMeshPlan(*fitted);
        }
        return plan;
    } catch (const ValidationError& error) {
        throw ValidationError(in_specification(error.violations()));
    }
}

std::vector<Violation> in_specification(std::vector<Violation> violations) {
    for (Violation& violation : violations) {
        for (const char* key :
             {"max_frequency_hz", "elements_per_wavelength", "growth", "max_elements"}) {
            if (violation.field == key) {
                violation.field = "mesh." + violation.field;
                break;
            }
        }
    }
    return violations;
}

SeismicModel load_seismic_model(const SeismicJob& job, const std::string& mesh_path) {
    return place_in_mesh(job, read_seismic_mesh(mesh_path, job.mesh));
}

SeismicModel place_in_mesh(const SeismicJob& job, SeismicMesh mesh) {
    SeismicModel model = Placer(job, std::move(mesh)).place();
    if (auto broken = sources_beside_surfaces(job, model); !broken.empty()) {
        throw ValidationError(told_once(job, std::move(broken)));
    }
    return model;
}

}  // namespace kaname::jobs
