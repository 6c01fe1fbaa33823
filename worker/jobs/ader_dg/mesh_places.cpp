// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/ader_dg/mesh_places.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/io/mesh_file.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/p2/locate.hpp"
#include "worker/jobs/ader_dg/seismic_model.hpp"
#include "worker/jobs/geometry/domain.hpp"
#include "worker/jobs/geometry/mesh_report.hpp"

namespace kaname::jobs {

StrainPoints strain_points(const SeismicJob& job, const aderdg::WaveModel& waves,
                           const std::vector<SeismicSource>& sources) {
    StrainPoints found;
    std::map<std::tuple<std::int64_t, double, double, double>, std::size_t> known;
    std::vector<Violation> broken;
    for (std::size_t k = 0; k < sources.size(); ++k) {
        std::vector<StrainPoints::Share>& shares = found.sources.emplace_back();
        for (const aderdg::PointSource& point : sources[k].points) {
            const aderdg::PointInTet& at = point.at;
            const auto material = waves.mesh.material[static_cast<std::size_t>(at.tet)];
            if (waves.solids[static_cast<std::size_t>(material)].mu_pa == 0.0) {
                broken.push_back({job.sources[k].field,
                                  "must lie in a solid where it is solved by reciprocity, source " +
                                      job.sources[k].id + " lies in a liquid"});
                break;
            }
            const auto [place, fresh] =
                known.try_emplace({at.tet, at.at_m.x, at.at_m.y, at.at_m.z}, found.places.size());
            if (fresh) {
                found.places.push_back(at);
            }
            shares.push_back({place->second, point.moment_nm});
        }
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    return found;
}

aderdg::PointSource reciprocal_force(const SeismicJob& job,
                                     const std::vector<aderdg::PointInTet>& receivers,
                                     std::size_t number, int lane) {
    const SeismicJob::Source& first = job.sources.front();
    const source_time::TimeFunction time =
        first.rupture ? first.rupture->patches.at(0).time : first.time;
    const source_time::Span span = time.moment_rate_span();
    aderdg::PointSource force;
    force.lane = lane;
    force.at = receivers.at(number / 3);
    force.force_n[number % 3] = kReciprocalForce_n;
    force.rate = [time](double t_s) { return time.moment_rate_at(t_s); };
    force.from_s = span.from_s;
    force.until_s = span.until_s;
    return force;
}

ReciprocalSeismograms::ReciprocalSeismograms(const StrainPoints& points,
                                             std::vector<std::string> files, std::int64_t n_samples,
                                             double bytes)
    : points_(points),
      files_(std::move(files)),
      n_samples_(static_cast<std::size_t>(n_samples)),
      most_(std::max<std::size_t>(
          1, static_cast<std::size_t>(
                 bytes /
                 (sizeof(float) * 6.0 *
                  static_cast<double>(n_samples_ * std::max<std::size_t>(1, files_.size())))))) {}

void ReciprocalSeismograms::hold(std::size_t place) {
    if (place >= first_ && place < first_ + count_) {
        return;
    }
    first_ = place;
    count_ = std::min(most_, points_.places.size() - place);
    held_.clear();
    for (const std::string& file : files_) {
        const std::vector<float> rows = io::read_wave_rows(
            file, static_cast<std::int64_t>(2 * first_), static_cast<std::int64_t>(2 * count_));
        held_.insert(held_.end(), rows.begin(), rows.end());
    }
}

std::vector<float> ReciprocalSeismograms::of_source(std::size_t source) {
    // Off-diagonal terms of M : e stand twice.
    constexpr std::array<double, 6> kTimes = {1, 1, 1, 2, 2, 2};
    std::vector<double> sum(files_.size() * n_samples_);
    for (const StrainPoints::Share& share : points_.sources[source]) {
        hold(share.place);
        for (std::size_t file = 0; file < files_.size(); ++file) {
            const float* strain = strains(file, share.place);
            double* to = sum.data() + file * n_samples_;
            for (std::size_t c = 0; c < 6; ++c) {
                const double factor = kTimes[c] * share.moment_nm[c] / kReciprocalForce_n;
                for (std::size_t t = 0; t < n_samples_ && factor != 0.0; ++t) {
                    to[t] += factor * static_cast<double>(strain[c * n_samples_ + t]);
                }
            }
        }
    }
    return {sum.begin(), sum.end()};
}

MeshSummary write_seismic_mesh(const std::string& path, const SeismicMesh& mesh) {
    std::vector<earth::Material> materials;
    io::MeshLabels labels;
    labels.materials = mesh.materials;
    for (std::size_t k = 0; k < mesh.materials.size(); ++k) {
        const aderdg::Solid& solid = mesh.model.solids[k];
        labels.solids.push_back({solid.density_kg_m3, solid.lambda_pa, solid.mu_pa});
        earth::Material& material = materials.emplace_back();
        material.name = mesh.materials[k];
        material.density_kg_m3 = solid.density_kg_m3;
        material.lambda_pa = solid.lambda_pa;
        material.mu_pa = solid.mu_pa;
    }
    const MeshReport report = report_mesh(mesh.model.mesh, mesh::FaceSet(mesh.model.mesh));
    labels.report_text = quality_text(report, materials);
    labels.report_json = mesh_report_json(report, materials);
    for (const std::string& note : mesh.notes) {
        labels.report_text += note + "\n";
    }
    io::write_mesh(path, mesh.model.mesh, labels);
    return {labels.report_text, labels.report_json, std::ssize(mesh.model.mesh.tets)};
}

SeismicMesh read_seismic_mesh(const std::string& path, const SeismicMeshRequest& request) {
    const io::MeshLabels labels = io::read_mesh_labels(path);
    SeismicMesh mesh;
    mesh.model.mesh = io::read_mesh(path);
    if (labels.solids.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    path + ": has no solids; it must be a mesh of kaname.v1.SeismicWaves");
    }
    mesh.materials = labels.materials;
    for (const auto& [density, lambda, mu] : labels.solids) {
        mesh.model.solids.push_back({density, lambda, mu, {}});
    }
    mesh.model.surfaces = surfaces_of(request, mesh.model.mesh);
    mesh.resolution =
        measure_resolution(mesh.model, request.max_frequency_hz, request.wanted_per_wavelength());
    if (std::holds_alternative<MeshOfOnesOwn>(request.model)) {
        require_resolution(mesh.resolution, "mesh.max_frequency_hz");
    }
    if (auto note = resolution_note(mesh.resolution)) {
        mesh.notes.push_back(*std::move(note));
    }
    return mesh;
}

FoundPlaces find_places(const mesh::TetMesh& mesh, std::span<const WantedPlace> wanted,
                        double tolerance_m) {
    std::vector<Vec3> points;
    std::vector<Violation> broken;
    std::optional<TopHeight> top;
    for (const WantedPlace& place : wanted) {
        Vec3 at_m = place.at_m;
        if (place.on_the_ground) {
            if (!top) {
                top.emplace(mesh);
            }
            if (const auto height = top->at(at_m.x, at_m.y)) {
                at_m.z = *height;
            } else {
                broken.push_back({place.field, place.name +
                                                   " must lie below the top of the mesh, "
                                                   "got x = " +
                                                   number(at_m.x) + " m, y = " + number(at_m.y) +
                                                   " m"});
            }
        }
        points.push_back(at_m);
    }
    FoundPlaces found;
    const std::vector<p2::Location> located = p2::locate_points(mesh, points);
    for (std::size_t k = 0; k < located.size(); ++k) {
        const p2::Location& place = located[k];
        if (!wanted[k].on_the_ground && place.distance_m > tolerance_m) {
            broken.push_back({wanted[k].field, wanted[k].name + " must lie within " +
                                                   number(tolerance_m) + " m of the mesh, got " +
                                                   place_text(points[k]) + ", " +
                                                   number(place.distance_m) + " m from it"});
        }
        found.places.push_back({place.tet, place.snapped});
        found.moved_m.push_back(norm(place.snapped - wanted[k].at_m));
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    return found;
}

std::vector<aderdg::PointInTet> GroundFaces::middles(const mesh::TetMesh& mesh) const {
    std::vector<aderdg::PointInTet> points;
    for (std::size_t face = 0; face < tets.size(); ++face) {
        const auto& [a, b, c] = vertices[face];
        points.push_back({tets[face], (1.0 / 3.0) * (mesh.xyz[a] + mesh.xyz[b] + mesh.xyz[c])});
    }
    return points;
}

GroundFaces find_ground(const mesh::TetMesh& mesh) {
    using Key = std::array<std::int32_t, 3>;
    const auto sorted = [](Key key) {
        std::ranges::sort(key);
        return key;
    };
    GroundFaces ground;
    std::vector<std::pair<Key, std::size_t>> keys;
    std::vector<char> on_top(mesh.xyz.size(), 0);
    for (const mesh::BoundaryFace& face : mesh.boundary_faces) {
        if (face.side == mesh.top) {
            keys.emplace_back(sorted(face.vertices), ground.vertices.size());
            ground.vertices.push_back(face.vertices);
            for (const std::int32_t vertex : face.vertices) {
                on_top[vertex] = 1;
            }
        }
    }
    std::ranges::sort(keys);
    ground.tets.assign(keys.size(), -1);
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        const auto& v = mesh.tets[tet];
        for (const auto& [a, b, c] : mesh::kTetFaces) {
            if (on_top[v[a]] == 0 || on_top[v[b]] == 0 || on_top[v[c]] == 0) {
                continue;
            }
            const Key key = sorted({v[a], v[b], v[c]});
            const auto found =
                std::ranges::lower_bound(keys, key, {}, &std::pair<Key, std::size_t>::first);
            if (found != keys.end() && found->first == key) {
                ground.tets[found->second] = static_cast<std::int64_t>(tet);
            }
        }
    }
    return ground;
}

std::string rupture_field(const SeismicJob::Source& source) {
    return source.rupture->patches.empty() ? source.field + ".rupture" : source.field;
}

std::string patch_field(const SeismicJob::Source& source, std::size_t k) {
    return source.field.ends_with(".patches") ? source.field + "[" + std::to_string(k) + "]"
                                              : source.field;
}

std::vector<slip_model::KinematicPoint> rupture_points(const SeismicJob& job,
                                                       const RuptureRequest& rupture,
                                                       const std::string& field, double spacing_m) {
    return rupture_points(rupture, earth::Projection(job.centre.value()), field, spacing_m);
}

std::vector<std::array<Vec3, 4>> patch_corners(const SeismicJob& job,
                                               const RuptureRequest& rupture) {
    return patch_corners(rupture, earth::Projection(job.centre.value()));
}

}  // namespace kaname::jobs
