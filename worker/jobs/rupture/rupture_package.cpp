// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/rupture/rupture_package.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "solvers/base/error.hpp"
#include "solvers/io/dataset/wave_datasets.hpp"
#include "solvers/rupture/fault_setup.hpp"
#include "worker/jobs/ader_dg/seismic_package.hpp"
#include "worker/jobs/waves/wave_packs.hpp"
#include "worker/jobs/waves/wave_rows.hpp"

namespace kaname::jobs {
namespace {

using io::RuptureDataset;
using io::SeismogramDataset;

void set_triangles(const RuptureModel& model, RuptureDataset& d) {
    const mesh::TetMesh& mesh = model.seismic.waves.mesh;
    std::vector<std::int32_t> point(mesh.xyz.size(), -1);
    d.faults = mesh.faults;
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        for (const std::int32_t vertex : face.vertices) {
            if (point[vertex] < 0) {
                point[vertex] = static_cast<std::int32_t>(d.xyz_m.size() / 3);
                const std::array<double, 3> at = numbers_of(mesh.xyz[vertex]);
                d.xyz_m.insert(d.xyz_m.end(), at.begin(), at.end());
            }
            d.triangles.push_back(point[vertex]);
        }
        d.fault.push_back(face.fault);
    }
}

void set_fields(const RuptureModel& model, const RuptureFields& fields, RuptureDataset& d) {
    for (std::size_t k = 0; k < fields.faces.size(); ++k) {
        const RuptureFields::Face& face = fields.faces[k];
        const FaultTriangle& triangle = model.triangles[k];
        const auto [along, down] = model.parameters->axes(static_cast<std::size_t>(triangle.fault))
                                       .place(triangle.middle());
        const auto row = std::to_array<double>(  // in the order of RuptureDataset::kFields
            {face.rupture_s, face.speed_m_per_s, face.slip_m[0], face.slip_m[1],
             std::hypot(face.slip_m[0], face.slip_m[1]), face.path_m, face.peak_rate_m_per_s,
             face.drop_pa, face.initial_pa[0], face.initial_pa[1], face.initial_pa[2],
             face.final_pa[0], face.final_pa[1], face.final_pa[2], face.friction_j_m2,
             triangle.rigidity_pa, along, down});
        static_assert(row.size() == RuptureDataset::kFields.size());
        for (std::size_t f = 0; f < row.size(); ++f) {
            d.fields[f].push_back(static_cast<float>(row[f]));
        }
    }
}

void set_receivers(const RuptureJob& job, const RuptureModel& model, RuptureDataset& d) {
    for (std::size_t k = 0; k < job.fault_receivers.size(); ++k) {
        const RuptureReceiver& receiver = job.fault_receivers[k];
        d.receivers.push_back({receiver.id, job.faults[receiver.fault].id, receiver.along_m,
                               receiver.down_m,
                               numbers_of(model.seismic.waves.fault.receivers[k].at_m)});
    }
    const std::size_t per_sample = d.receivers.size() * RuptureDataset::kSeries.size();
    d.times_s =
        sample_times(per_sample == 0 ? 0 : static_cast<std::int64_t>(d.series.size() / per_sample),
                     job.interval_s);
}

void set_plastic(const RuptureModel& model, std::vector<float> strain, RuptureDataset& d) {
    const mesh::TetMesh& mesh = model.seismic.waves.mesh;
    for (std::size_t tet = 0; tet < strain.size(); ++tet) {
        const auto& v = mesh.tets[tet];
        const std::array<double, 3> middle =
            numbers_of(0.25 * (mesh.xyz[v[0]] + mesh.xyz[v[1]] + mesh.xyz[v[2]] + mesh.xyz[v[3]]));
        d.tet_middles_m.insert(d.tet_middles_m.end(), middle.begin(), middle.end());
    }
    d.plastic_strain = std::move(strain);
}

RuptureDataset dataset_of(const RuptureJob& job, const RuptureModel& model, RuptureResult result,
                          const RuptureFields& fields, const RuptureSummary& summary) {
    RuptureDataset d;
    set_triangles(model, d);
    set_fields(model, fields, d);
    d.snapshots_s = std::move(result.snapshots_s);
    d.slip_rate = std::move(result.rates);
    d.series = std::move(result.samples);
    set_receivers(job, model, d);
    d.energy_s = std::move(result.energy_s);
    d.energies = std::move(result.energies);
    set_plastic(model, std::move(result.plastic), d);
    d.heights_s = std::move(result.heights_s);
    d.heights_m = std::move(result.heights_m);
    d.whole = {{"moment", summary.moment_nm},
               {"magnitude", summary.magnitude},
               {"largest_slip", summary.largest_slip_m},
               {"mean_slip", summary.mean_slip_m},
               {"ruptured_area", summary.ruptured_m2},
               {"duration", summary.duration_s},
               {"radiated_energy", summary.radiated_j},
               {"energy_residual", summary.balance_residual}};
    return d;
}

/// Moment rate at the samples over its largest value there, linear between energies.
std::vector<double> moment_rate_at(const std::vector<double>& times_s,
                                   const RuptureResult& result) {
    constexpr std::size_t kRate = 7;
    std::vector<double> rates;
    double largest = 0.0;
    for (const double time_s : times_s) {
        const auto above = std::ranges::lower_bound(result.energy_s, time_s);
        const auto k = static_cast<std::size_t>(above - result.energy_s.begin());
        const auto rate = [&](std::size_t at) {
            return result.energies[at * RuptureResult::kEnergies + kRate];
        };
        const double from_s = k == 0 ? 0.0 : result.energy_s[k - 1],
                     from = k == 0 ? 0.0 : rate(k - 1);
        rates.push_back(above == result.energy_s.end()
                            ? from
                            : from + (rate(k) - from) * (time_s - from_s) / (*above - from_s));
        largest = std::max(largest, rates.back());
    }
    for (double& rate : rates) {
        rate /= largest > 0.0 ? largest : 1.0;
    }
    return rates;
}

}  // namespace

PackageSummary package_rupture(const RuptureJob& job, const std::string& mesh_path,
                               const SourceFiles& files, const std::string& dataset_path) {
    const RuptureModel model = load_rupture_model(job, mesh_path);
    SeismogramDataset dataset = dataset_frame(job, model.seismic, files);
    SeismogramDataset::Source row;
    row.id = job.event.id;
    set_wave_status(files, row.id, dataset.n_samples, row);
    row.function.assign(static_cast<std::size_t>(dataset.n_samples), 0.0);
    const std::vector<double> times_s = sample_times(dataset.n_samples, dataset.interval_s);
    for (std::size_t k = 0; k < job.sources.size(); ++k) {
        dataset.given_sources.push_back(row_of_source(job, model.seismic, k, times_s));
    }
    std::function<void(h5::File&)> also;
    if (row.status == 1) {
        RuptureResult result = RuptureResult::read(files.at(row.id));
        const RuptureFields fields = rupture_fields(model, result);
        RuptureSummary summary = summary_of(model, fields, result);
        if (!job.sources.empty()) {
            // The balance leaves out the work of sources, which nothing measures.
            summary.balance_residual = std::numeric_limits<double>::quiet_NaN();
        }
        row.xyz_m = numbers_of(summary.hypocentre_m);
        row.moment_nm = summary.moment_tensor_nm;
        row.function = moment_rate_at(times_s, result);
        also = [&, d = dataset_of(job, model, std::move(result), fields, summary)](h5::File& file) {
            io::write_rupture(file, d);
        };
    }
    PackageSummary summary = write_wave_dataset(
        job, files, std::move(dataset), [&](std::size_t) { return row; }, dataset_path, also);
    summary.tets = std::ssize(model.seismic.waves.mesh.tets);
    return summary;
}

namespace {

using rupture::Kept;

constexpr int kMoment = 6;  ///< of RuptureResult::energies
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// A point that ruptured.
struct Broken {
    Vec3 at_m;
    double time_s = 0.0;
};

class FieldMaker {
public:
    FieldMaker(const RuptureModel& model, const RuptureResult& result)
        : model_(model), result_(result) {
        const std::size_t values = model.triangles.size() * Kept::kFields * result.n_points();
        if (result.values.size() != values || result.points.size() != 3 * result.n_points()) {
            throw Error(ErrorCode::DataLoss, "a rupture's result must be of the mesh's " +
                                                 std::to_string(model.triangles.size()) +
                                                 " faces of faults, is not");
        }
    }

    RuptureFields make() {
        RuptureFields fields;
        for (std::size_t k = 0; k < model_.triangles.size(); ++k) {
            fields.faces.push_back(of_face(k));
            broken_.push_back(broken_points(k));
        }
        const std::vector<std::vector<std::size_t>> beside = neighbours();
        for (std::size_t k = 0; k < fields.faces.size(); ++k) {
            std::vector<Broken> points = broken_[k];
            for (const std::size_t other : beside[k]) {
                points.insert(points.end(), broken_[other].begin(), broken_[other].end());
            }
            fields.faces[k].speed_m_per_s =
                broken_[k].empty() ? kNone : speed(points, model_.triangles[k].normal);
        }
        return fields;
    }

private:
    [[nodiscard]] Vec3 point_of(std::size_t face, std::size_t p) const {
        // The result's points count vertices in ascending order.
        const auto& vertices = model_.seismic.waves.mesh.fault_faces[face].vertices;
        std::array<std::size_t, 3> order = {0, 1, 2};
        std::ranges::sort(order, {}, [&](std::size_t v) { return vertices[v]; });
        Vec3 at;
        for (std::size_t v = 0; v < 3; ++v) {
            at += result_.points[3 * p + v] * model_.triangles[face].corners_m[order[v]];
        }
        return at;
    }

    [[nodiscard]] double mean(std::size_t face, int field) const {
        double sum = 0.0;
        for (std::size_t p = 0; p < result_.n_points(); ++p) {
            sum += result_.weights[p] * static_cast<double>(result_.at(face, field)[p]);
        }
        return sum;
    }

    [[nodiscard]] RuptureFields::Face of_face(std::size_t k) const {
        RuptureFields::Face face;
        face.slip_m = {mean(k, Kept::kSlipStrike), mean(k, Kept::kSlipDip)};
        face.path_m = mean(k, Kept::kPath);
        face.peak_rate_m_per_s = std::ranges::max(result_.at(k, Kept::kPeakRate));
        face.final_pa = {mean(k, Kept::kNormalNow), mean(k, Kept::kStrikeNow),
                         mean(k, Kept::kDipNow)};
        face.friction_j_m2 = mean(k, Kept::kFriction);
        face.released_j_m2 = mean(k, Kept::kReleased);
        double ruptured = 0.0, time = 0.0;
        for (std::size_t p = 0; p < result_.n_points(); ++p) {
            const double weight = result_.weights[p];
            const OnFault at = model_.parameters->place(
                {model_.triangles[k].fault, point_of(k, p), model_.triangles[k].normal});
            const FaultNumbers n = model_.parameters->numbers(at);
            face.initial_pa[0] += weight * n[FaultNumber::Normal];
            face.initial_pa[1] += weight * n[FaultNumber::Strike];
            face.initial_pa[2] += weight * n[FaultNumber::Dip];
            const std::array<double, 2> added = model_.parameters->nucleation(at);
            face.nucleation_work_j_m2 +=
                weight * (added[0] * static_cast<double>(result_.at(k, Kept::kSlipStrike)[p]) +
                          added[1] * static_cast<double>(result_.at(k, Kept::kSlipDip)[p]));
            if (const double t = result_.at(k, Kept::kRuptureTime)[p]; t >= 0.0) {
                ruptured += weight;
                time += weight * t;
            }
        }
        face.rupture_s = ruptured >= 0.5 ? time / ruptured : kNone;
        if (const double slip = std::hypot(face.slip_m[0], face.slip_m[1]); slip > 0.0) {
            face.drop_pa = ((face.initial_pa[1] - face.final_pa[1]) * face.slip_m[0] +
                            (face.initial_pa[2] - face.final_pa[2]) * face.slip_m[1]) /
                           slip;
        }
        return face;
    }

    [[nodiscard]] std::vector<Broken> broken_points(std::size_t k) const {
        std::vector<Broken> points;
        for (std::size_t p = 0; p < result_.n_points(); ++p) {
            if (const double t = result_.at(k, Kept::kRuptureTime)[p]; t >= 0.0) {
                points.push_back({point_of(k, p), t});
            }
        }
        return points;
    }

    /// Faces of the same fault that have an edge in common.
    [[nodiscard]] std::vector<std::vector<std::size_t>> neighbours() const {
        const auto& faces = model_.seismic.waves.mesh.fault_faces;
        std::map<std::array<std::int32_t, 3>, std::vector<std::size_t>> edges;
        for (std::size_t k = 0; k < faces.size(); ++k) {
            for (std::size_t v = 0; v < 3; ++v) {
                const auto [low, high] =
                    std::minmax(faces[k].vertices[v], faces[k].vertices[(v + 1) % 3]);
                edges[{faces[k].fault, low, high}].push_back(k);
            }
        }
        std::vector<std::vector<std::size_t>> beside(faces.size());
        for (const auto& [edge, of] : edges) {
            for (const std::size_t one : of) {
                for (const std::size_t other : of) {
                    if (one != other) {
                        beside[one].push_back(other);
                    }
                }
            }
        }
        return beside;
    }

    /// 1/|g| of the plane t = t0 + g . x through the points by least squares.
    static double speed(const std::vector<Broken>& points, const Vec3& normal) {
        if (points.size() < 3) {
            return kNone;
        }
        const rupture::FaultFrame frame = rupture::FaultFrame::of(normal);
        Vec3 middle;
        double time = 0.0;
        const double n = static_cast<double>(points.size());
        for (const Broken& point : points) {
            middle += (1.0 / n) * point.at_m;
            time += point.time_s / n;
        }
        double xx = 0.0, xy = 0.0, yy = 0.0, xt = 0.0, yt = 0.0;
        for (const Broken& point : points) {
            const double x = dot(point.at_m - middle, frame.strike);
            const double y = dot(point.at_m - middle, frame.dip), t = point.time_s - time;
            xx += x * x;
            xy += x * y;
            yy += y * y;
            xt += x * t;
            yt += y * t;
        }
        constexpr double kInLine = 1e-6;
        constexpr double kAtOnce = 1e-6;  // s/m: faster than 1,000 km/s
        const double determinant = xx * yy - xy * xy;
        const double slowness = std::hypot(yy * xt - xy * yt, xx * yt - xy * xt) / determinant;
        return determinant > kInLine * (xx + yy) * (xx + yy) && slowness > kAtOnce ? 1.0 / slowness
                                                                                   : kNone;
    }

    const RuptureModel& model_;
    const RuptureResult& result_;
    std::vector<std::vector<Broken>> broken_;
};

/// When the moment first is a part of its last value, linear between times.
double time_of(const RuptureResult& result, double part) {
    const auto moment = [&](std::size_t k) {
        return result.energies[k * RuptureResult::kEnergies + kMoment];
    };
    const double wanted = part * moment(result.energy_s.size() - 1);
    double last_s = 0.0, last = 0.0;
    for (std::size_t k = 0; k < result.energy_s.size(); ++k) {
        if (moment(k) >= wanted) {
            return last_s + (result.energy_s[k] - last_s) * (wanted - last) /
                                std::max(moment(k) - last, std::numeric_limits<double>::min());
        }
        last_s = result.energy_s[k];
        last = moment(k);
    }
    return last_s;
}

}  // namespace

RuptureFields rupture_fields(const RuptureModel& model, const RuptureResult& result) {
    return FieldMaker(model, result).make();
}

RuptureSummary summary_of(const RuptureModel& model, const RuptureFields& fields,
                          const RuptureResult& result) {
    RuptureSummary summary;
    double first_s = std::numeric_limits<double>::infinity(), slip_area = 0.0;
    for (std::size_t k = 0; k < fields.faces.size(); ++k) {
        const RuptureFields::Face& face = fields.faces[k];
        const FaultTriangle& triangle = model.triangles[k];
        const double slip = std::hypot(face.slip_m[0], face.slip_m[1]);
        summary.largest_slip_m = std::max(summary.largest_slip_m, slip);
        if (!std::isnan(face.rupture_s)) {
            summary.ruptured_m2 += triangle.area_m2;
            slip_area += slip * triangle.area_m2;
            if (face.rupture_s < first_s) {
                first_s = face.rupture_s;
                summary.hypocentre_m = triangle.middle();
            }
        }
        const rupture::FaultFrame frame = rupture::FaultFrame::of(triangle.normal);
        const Vec3 d = face.slip_m[0] * frame.strike + face.slip_m[1] * frame.dip;
        const Vec3& n = triangle.normal;
        const double scale = triangle.rigidity_pa * triangle.area_m2;
        // M = mu A (d n + n d)
        const std::array<double, 6> tensor = {2.0 * d.x * n.x,       2.0 * d.y * n.y,
                                              2.0 * d.z * n.z,       d.y * n.z + d.z * n.y,
                                              d.x * n.z + d.z * n.x, d.x * n.y + d.y * n.x};
        for (std::size_t c = 0; c < 6; ++c) {
            summary.moment_tensor_nm[c] += scale * tensor[c];
        }
        const double fall = (face.initial_pa[1] - face.final_pa[1]) * face.slip_m[0] +
                            (face.initial_pa[2] - face.final_pa[2]) * face.slip_m[1] +
                            face.nucleation_work_j_m2;
        summary.radiated_j += triangle.area_m2 * (face.released_j_m2 - 0.5 * fall);
    }
    if (slip_area > 0.0) {
        summary.mean_slip_m = slip_area / summary.ruptured_m2;
    }
    const std::size_t last = result.energy_s.size() - 1;
    const std::span<const double> e =
        std::span(result.energies).subspan(last * RuptureResult::kEnergies);
    const double kinetic = e[0], elastic = e[1], released = e[3], plastic = e[4], outflow = e[5],
                 moment = e[kMoment];
    summary.moment_nm = moment;
    summary.magnitude = moment > 0.0 ? 2.0 / 3.0 * (std::log10(moment) - 9.1) : kNone;
    summary.duration_s = moment > 0.0 ? time_of(result, 0.95) - time_of(result, 0.05) : 0.0;
    summary.balance_residual =
        released > 0.0 ? (released - kinetic - elastic - plastic - outflow) / released : 0.0;
    return summary;
}

}  // namespace kaname::jobs
