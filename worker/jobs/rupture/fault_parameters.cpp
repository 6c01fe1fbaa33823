// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/rupture/fault_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/mesh/face_set.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/rupture/fault_setup.hpp"

namespace kaname::jobs {

FaultAxes FaultAxes::of(const FaultPlane& plane) {
    const double strike = plane.strike_deg * kDegree, dip = plane.dip_deg * kDegree;
    const Vec3 right = {std::cos(strike), -std::sin(strike), 0.0};
    return {{plane.x_m, plane.y_m, -plane.top_depth_m},
            {std::sin(strike), std::cos(strike), 0.0},
            std::cos(dip) * right - Vec3{0.0, 0.0, std::sin(dip)},
            plane.length_m,
            plane.width_m};
}

FaultAxes FaultAxes::around(const mesh::TetMesh& mesh, int fault) {
    Vec3 normal, centroid;
    double area = 0.0;
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        if (face.fault == fault) {
            const auto& [a, b, c] = face.vertices;
            const Vec3 twice = cross(mesh.xyz[b] - mesh.xyz[a], mesh.xyz[c] - mesh.xyz[a]);
            normal += twice;
            area += norm(twice);
            centroid += (norm(twice) / 3.0) * (mesh.xyz[a] + mesh.xyz[b] + mesh.xyz[c]);
        }
    }
    constexpr double kClosed = 1e-6;  // of a surface that comes back to where it began
    if (!(norm(normal) > kClosed * area)) {
        throw Error(ErrorCode::InvalidArgument, "fault " +
                                                    mesh.faults[static_cast<std::size_t>(fault)] +
                                                    " must have faces with a mean normal, has " +
                                                    (area > 0.0 ? "a closed surface" : "no faces"));
    }
    const rupture::FaultFrame frame = rupture::FaultFrame::of(normalized(normal));
    FaultAxes axes = {(1.0 / area) * centroid, frame.strike, frame.dip, 0.0, 0.0};
    constexpr double kFar = std::numeric_limits<double>::infinity();
    std::array<double, 2> low = {kFar, kFar}, high = {-kFar, -kFar};
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        for (const std::int32_t v : face.vertices) {
            const std::array<double, 2> at = axes.place(mesh.xyz[v]);
            for (std::size_t k = 0; k < 2 && face.fault == fault; ++k) {
                low[k] = std::min(low[k], at[k]);
                high[k] = std::max(high[k], at[k]);
            }
        }
    }
    axes.length_m = high[0] - low[0];
    axes.width_m = high[1] - low[1];
    axes.origin_m = axes.at(0.5 * (low[0] + high[0]), low[1]);
    return axes;
}

std::vector<std::optional<FaultAxes>> fault_axes(const SeismicMeshRequest& request,
                                                 const mesh::TetMesh* mesh) {
    std::vector<std::optional<FaultAxes>> axes;
    for (const SeismicFault& fault : request.faults) {
        std::optional<FaultAxes>& made = axes.emplace_back();
        if (const auto* plane = std::get_if<FaultPlane>(&fault.place)) {
            made = FaultAxes::of(*plane);
        } else if (mesh != nullptr) {
            made = FaultAxes::around(*mesh, static_cast<int>(axes.size()) - 1);
        }
    }
    return axes;
}

namespace {

void find_tets(const mesh::TetMesh& mesh, std::vector<FaultTriangle>& triangles) {
    const mesh::FaceSet faces(mesh);
    std::vector<std::int64_t> triangle_of(static_cast<std::size_t>(faces.size()), -1);
    for (std::size_t k = 0; k < triangles.size(); ++k) {
        const std::int64_t face = faces.find(mesh.fault_faces[k].vertices);
        if (face >= 0) {
            triangle_of[static_cast<std::size_t>(face)] = static_cast<std::int64_t>(k);
        }
    }
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        const auto& v = mesh.tets[tet];
        const Vec3 middle =
            0.25 * (mesh.xyz[v[0]] + mesh.xyz[v[1]] + mesh.xyz[v[2]] + mesh.xyz[v[3]]);
        for (const auto& [a, b, c] : mesh::kTetFaces) {
            const std::int64_t k =
                triangle_of[static_cast<std::size_t>(faces.find({v[a], v[b], v[c]}))];
            if (k >= 0) {
                FaultTriangle& triangle = triangles[static_cast<std::size_t>(k)];
                const bool plus = dot(middle - triangle.corners_m[0], triangle.normal) > 0.0;
                triangle.tets[plus ? 1 : 0] = static_cast<std::int64_t>(tet);
            }
        }
    }
}

}  // namespace

std::vector<FaultTriangle> fault_triangles(const aderdg::WaveModel& model) {
    const mesh::TetMesh& mesh = model.mesh;
    std::vector<FaultTriangle> triangles;
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        FaultTriangle& made = triangles.emplace_back();
        made.fault = face.fault;
        for (std::size_t k = 0; k < 3; ++k) {
            made.corners_m[k] = mesh.xyz[face.vertices[k]];
        }
        const auto& [a, b, c] = made.corners_m;
        const Vec3 twice = cross(b - a, c - a);
        made.area_m2 = 0.5 * norm(twice);
        made.normal = normalized(twice);
        made.edge_m = (norm(b - a) + norm(c - b) + norm(a - c)) / 3.0;
    }
    find_tets(mesh, triangles);
    for (FaultTriangle& triangle : triangles) {
        if (triangle.tets[0] < 0 || triangle.tets[1] < 0) {
            throw Error(ErrorCode::InvalidArgument,
                        "fault " + mesh.faults[static_cast<std::size_t>(triangle.fault)] +
                            " must have tetrahedra on both sides, has none on one at " +
                            place_text(triangle.middle()));
        }
        const aderdg::Solid* softer = nullptr;
        for (const std::int64_t tet : triangle.tets) {
            const aderdg::Solid& solid =
                model
                    .solids[static_cast<std::size_t>(mesh.material[static_cast<std::size_t>(tet)])];
            triangle.rigidity_pa += 0.5 * solid.mu_pa;
            if (softer == nullptr || solid.mu_pa < softer->mu_pa) {
                softer = &solid;
            }
        }
        triangle.poisson = 0.5 * softer->lambda_pa / (softer->lambda_pa + softer->mu_pa);
    }
    return triangles;
}

namespace {

constexpr double kRounding_m = 1e-6;  ///< of places on the edge of a patch

bool holds(const RupturePatch& patch, const OnFault& at) {
    const double x = std::abs(at.along_m - patch.along_m), y = std::abs(at.down_m - patch.down_m);
    if (patch.shape == PatchShape::Rectangle) {
        return x <= 0.5 * patch.length_m + kRounding_m && y <= 0.5 * patch.width_m + kRounding_m;
    }
    return std::hypot(2.0 * x / patch.length_m, 2.0 * y / patch.width_m) <= 1.0;
}

/// Part of a taper's outside at a place.
double outside_of(const RuptureTaper& taper, const OnFault& at) {
    const double x = std::abs(at.along_m - taper.along_m) - 0.5 * taper.length_m;
    const double y = std::abs(at.down_m - taper.down_m) - 0.5 * taper.width_m;
    return 1.0 - smooth_boxcar(x, taper.transition_m) * smooth_boxcar(y, taper.transition_m);
}

template <class Zone>
double distance(const Zone& zone, const OnFault& at) {
    return std::hypot(at.along_m - zone.along_m, at.down_m - zone.down_m);
}

struct Traction {
    double normal, strike, dip;
};
Traction traction(const TractionByDepth& stress, const OnFault& at) {
    const auto [normal, strike, dip] = stress.at(at.depth_m);
    return {normal, strike, dip};
}
/// t = sigma . n.
Traction traction(const StressByDepth& stress, const OnFault& at) {
    const auto [xx, yy, zz, xy, yz, xz] = stress.at(at.depth_m);
    const Vec3& n = at.normal;
    const Vec3 t = {xx * n.x + xy * n.y + xz * n.z, xy * n.x + yy * n.y + yz * n.z,
                    xz * n.x + yz * n.y + zz * n.z};
    const rupture::FaultFrame frame = rupture::FaultFrame::of(n);
    return {dot(t, n), dot(t, frame.strike), dot(t, frame.dip)};
}

void replace(const SomeNumbers& by, FaultNumbers& numbers) {
    for (const auto& [number, value] : by) {
        numbers[number] = value;
    }
}

}  // namespace

double smooth_boxcar(double beyond_m, double transition_m) {
    if (beyond_m <= kRounding_m) {
        return 1.0;
    }
    if (beyond_m >= transition_m) {
        return 0.0;
    }
    const double w = transition_m;
    return 0.5 * (1.0 + std::tanh(w / (beyond_m - w) + w / beyond_m));
}

double nucleation_shape(double distance_m, double radius_m) {
    if (distance_m >= radius_m) {
        return 0.0;
    }
    const double r2 = distance_m * distance_m;
    return std::exp(r2 / (r2 - radius_m * radius_m));
}

FaultParameters::FaultParameters(const RuptureJob& job, std::vector<std::optional<FaultAxes>> axes)
    : job_(job), axes_(std::move(axes)) {
    std::vector<Violation> broken;
    for (const RuptureFault& fault : job.faults) {
        std::optional<FaultTable>& made = tables_.emplace_back();
        if (!fault.table) {
            continue;
        }
        try {
            made = FaultTable::read(fault.table->path);
            if (fault.table->right_lateral_positive) {
                made->flip_strike();
            }
        } catch (const Error& error) {
            broken.push_back({fault.table->field, error.what()});
        }
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
}

OnFault FaultParameters::place(const rupture::FaultPlace& place) const {
    const auto fault = static_cast<std::size_t>(place.fault);
    const auto [along, down] = axes(fault).place(place.at_m);
    return {fault, along, down, -place.at_m.z, place.normal};
}

FaultNumbers FaultParameters::numbers(const OnFault& at) const {
    const RuptureFault& fault = job_.faults[at.fault];
    FaultNumbers numbers = fault.numbers;
    const Traction t =
        std::visit([&](const auto& stress) { return traction(stress, at); }, fault.stress);
    numbers[FaultNumber::Normal] = t.normal;
    numbers[FaultNumber::Strike] = t.strike;
    numbers[FaultNumber::Dip] = t.dip;
    if (const FaultTable* table = this->table(at.fault)) {
        replace(table->at(at.along_m, table->down_is_depth() ? at.depth_m : at.down_m), numbers);
    }
    for (const RuptureTaper& taper : fault.tapers) {
        const double part = outside_of(taper, at);
        for (const auto& [number, outside] : taper.outside) {
            numbers[number] += part * (outside - numbers[number]);
        }
    }
    for (const RupturePatch& patch : fault.patches) {
        if (holds(patch, at)) {
            replace(patch.numbers, numbers);
        }
    }
    for (const ForcedNucleation& forced : job_.forced_nucleation) {
        if (forced.fault == at.fault && distance(forced, at) <= forced.radius_m + kRounding_m) {
            numbers[FaultNumber::ForcedRupture] = std::min(
                numbers[FaultNumber::ForcedRupture], distance(forced, at) / forced.speed_m_per_s);
        }
    }
    return numbers;
}

std::array<double, 2> FaultParameters::nucleation(const OnFault& at) const {
    std::array<double, 2> added = {0.0, 0.0};
    for (const SmoothNucleation& zone : job_.smooth_nucleation) {
        if (zone.fault == at.fault) {
            const double shape = nucleation_shape(distance(zone, at), zone.radius_m);
            added[0] += shape * zone.strike_pa;
            added[1] += shape * zone.dip_pa;
        }
    }
    return added;
}

bool FaultParameters::nucleates(const OnFault& at) const {
    const auto strength_or_load = [](const RupturePatch& patch) {
        using enum FaultNumber;
        return std::ranges::any_of(
            std::array{Normal, Strike, Dip, StaticFriction, Cohesion, ForcedRupture},
            [&](FaultNumber number) { return patch.numbers.contains(number); });
    };
    for (const RupturePatch& patch : job_.faults[at.fault].patches) {
        if (strength_or_load(patch) && holds(patch, at)) {
            return true;
        }
    }
    const std::array<double, 2> added = nucleation(at);
    return added[0] != 0.0 || added[1] != 0.0 ||
           numbers(at)[FaultNumber::ForcedRupture] < FaultNumbers::kNever_s;
}

rupture::FaultPoint FaultParameters::point(const rupture::FaultPlace& where) const {
    const OnFault at = place(where);
    const FaultNumbers n = numbers(at);
    const auto [strike, dip] = nucleation(at);
    const rupture::FaultFrame frame = rupture::FaultFrame::of(where.normal);
    using enum FaultNumber;
    rupture::FaultPoint point;
    point.traction_pa = n[Normal] * where.normal + n[Strike] * frame.strike + n[Dip] * frame.dip;
    point.nucleation_pa = strike * frame.strike + dip * frame.dip;
    point.static_friction = n[StaticFriction];
    point.dynamic_friction = n[DynamicFriction];
    point.weakening_slip_m = n[WeakeningSlip];
    point.cohesion_pa = n[Cohesion];
    point.forced_rupture_s = n[ForcedRupture];
    point.a = n[A];
    point.b = n[B];
    point.state_slip_m = n[StateSlip];
    point.reference_friction = n[ReferenceFriction];
    point.reference_rate_m_per_s = n[ReferenceRate];
    point.weakened_friction = n[WeakenedFriction];
    point.weakening_rate_m_per_s = n[WeakeningRate];
    point.initial_rate_m_per_s = n[InitialRate];
    return point;
}

rupture::FaultSetup fault_setup(const RuptureJob& job,
                                std::shared_ptr<const FaultParameters> parameters) {
    rupture::FaultSetup setup;
    for (const RuptureFault& fault : job.faults) {
        setup.laws.push_back(fault.law);
    }
    setup.at = [parameters = std::move(parameters)](const rupture::FaultPlace& place) {
        return parameters->point(place);
    };
    setup.nucleation_s = job.nucleation_s;
    setup.forced_growth_s = job.forced_growth_s;
    setup.rupture_rate_m_per_s = job.rupture_rate_m_per_s;
    setup.interval_s = job.interval_s;
    return setup;
}

}  // namespace kaname::jobs
