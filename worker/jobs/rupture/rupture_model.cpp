// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/rupture/rupture_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/base/text.hpp"
#include "worker/jobs/ader_dg/mesh_places.hpp"

namespace kaname::jobs {
namespace {

struct Flat {
    double x = 0.0, y = 0.0;
    friend Flat operator-(const Flat& a, const Flat& b) { return {a.x - b.x, a.y - b.y}; }
};
double cross2(const Flat& a, const Flat& b) {
    return a.x * b.y - a.y * b.x;
}

/// The point of a triangle that is nearest to p, barycentric.
struct Nearest {
    std::array<double, 3> lambda{};
    double distance_m = std::numeric_limits<double>::infinity();
};
Nearest nearest_in(const std::array<Flat, 3>& t, const Flat& p) {
    const double twice = cross2(t[1] - t[0], t[2] - t[0]);
    const double b = cross2(p - t[0], t[2] - t[0]) / twice;
    const double c = cross2(t[1] - t[0], p - t[0]) / twice;
    if (std::min({1.0 - b - c, b, c}) >= 0.0) {
        return {{1.0 - b - c, b, c}, 0.0};
    }
    Nearest best;
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t next = (k + 1) % 3;
        const Flat edge = t[next] - t[k], from = p - t[k];
        const double part = std::clamp(
            (from.x * edge.x + from.y * edge.y) / (edge.x * edge.x + edge.y * edge.y), 0.0, 1.0);
        const double distance = std::hypot(from.x - part * edge.x, from.y - part * edge.y);
        if (distance < best.distance_m) {
            best = {{}, distance};
            best.lambda[k] = 1.0 - part;
            best.lambda[next] = part;
        }
    }
    return best;
}

std::function<aderdg::YieldPoint(std::int64_t, const Vec3&)> yield_of(
    const RupturePlasticity& plasticity) {
    return [plasticity](std::int64_t, const Vec3& at_m) {
        aderdg::YieldPoint point;
        point.cohesion_pa = plasticity.cohesion_pa.at(-at_m.z)[0];
        point.friction = plasticity.friction;
        point.stress_pa = plasticity.stress.at(-at_m.z);
        return point;
    };
}

void require_faces(const RuptureJob& job, const std::vector<FaultTriangle>& triangles,
                   const mesh::TetMesh& mesh) {
    if (mesh.faults.size() != job.faults.size()) {
        throw Error(ErrorCode::InvalidArgument, "the mesh must have the faults of the request, " +
                                                    std::to_string(job.faults.size()) + ", has " +
                                                    std::to_string(mesh.faults.size()));
    }
    std::vector<std::int64_t> faces(job.faults.size(), 0);
    for (const FaultTriangle& triangle : triangles) {
        ++faces[static_cast<std::size_t>(triangle.fault)];
    }
    std::vector<Violation> broken;
    for (std::size_t k = 0; k < faces.size(); ++k) {
        if (faces[k] == 0) {
            broken.push_back({job.faults[k].field, "fault " + job.faults[k].id +
                                                       " must have faces of the mesh, has none"});
        }
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
}

}  // namespace

rupture::FaultReceiver find_on_fault(const RuptureReceiver& receiver, const FaultAxes& axes,
                                     const std::vector<FaultTriangle>& triangles) {
    rupture::FaultReceiver found;
    Nearest best;
    for (std::size_t k = 0; k < triangles.size() && best.distance_m > 0.0; ++k) {
        if (static_cast<std::size_t>(triangles[k].fault) != receiver.fault) {
            continue;
        }
        std::array<Flat, 3> flat;
        for (std::size_t corner = 0; corner < 3; ++corner) {
            const auto [along, down] = axes.place(triangles[k].corners_m[corner]);
            flat[corner] = {along, down};
        }
        const Nearest here = nearest_in(flat, {receiver.along_m, receiver.down_m});
        if (here.distance_m < best.distance_m) {
            best = here;
            found.face = static_cast<std::int64_t>(k);
        }
    }
    if (!(best.distance_m <= 0.5 * triangles[static_cast<std::size_t>(found.face)].edge_m)) {
        throw ValidationError(std::vector<Violation>{
            {receiver.field, "fault receiver " + receiver.id + " must lie on its fault, along " +
                                 number(-0.5 * axes.length_m) + " to " +
                                 number(0.5 * axes.length_m) + " m and down 0 to " +
                                 number(axes.width_m) + " m, got along " +
                                 number(receiver.along_m) + " m, down " + number(receiver.down_m) +
                                 " m, " + number(best.distance_m) + " m off its faces"}});
    }
    found.at_m = triangles[static_cast<std::size_t>(found.face)].at(best.lambda);
    return found;
}

RuptureModel load_rupture_model(const RuptureJob& job, const std::string& mesh_path) {
    return rupture_in_mesh(job, read_seismic_mesh(mesh_path, job.mesh));
}

RuptureModel rupture_in_mesh(const RuptureJob& job, SeismicMesh mesh) {
    RuptureModel model;
    model.triangles = fault_triangles(mesh.model);
    require_faces(job, model.triangles, mesh.model.mesh);
    model.parameters =
        std::make_shared<const FaultParameters>(job, fault_axes(job.mesh, &mesh.model.mesh));
    model.seismic = place_in_mesh(job, std::move(mesh));

    FaultFindings found = check_faults(job, model.parameters, samples_of(model.triangles));
    aderdg::WaveModel& waves = model.seismic.waves;
    waves.fault = fault_setup(job, model.parameters);
    for (const RuptureReceiver& receiver : job.fault_receivers) {
        try {
            waves.fault.receivers.push_back(
                find_on_fault(receiver, model.parameters->axes(receiver.fault), model.triangles));
        } catch (const ValidationError& error) {
            found.violations.insert(found.violations.end(), error.violations().begin(),
                                    error.violations().end());
        }
    }
    for (Violation& violation : sources_beside_surfaces(job, model.seismic)) {
        found.violations.push_back(std::move(violation));
    }
    if (!found.violations.empty()) {
        throw ValidationError(std::move(found.violations));
    }
    std::vector<std::string>& warnings = model.seismic.warnings;
    warnings.insert(warnings.end(), found.warnings.begin(), found.warnings.end());
    if (job.plasticity) {
        waves.plasticity = {yield_of(*job.plasticity), job.plasticity->relaxation_s};
    }
    waves.gravity_m_s2 = job.gravity_m_s2;
    return model;
}

}  // namespace kaname::jobs
