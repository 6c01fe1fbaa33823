// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/jobs/seismic_waves/mesh_steps.hpp"
#include "solvers/jobs/seismic_waves/seismic_mesh.hpp"
#include "solvers/mesh/face_set.hpp"
#include "solvers/mesh/tet_shape.hpp"
#include "tests/support/loh1_box.hpp"

namespace kaname::jobs {
namespace {

SeismicMeshRequest half_space(double size_m, double depth_m, double frequency_hz) {
    LayeredBox box{size_m, size_m, depth_m, {}};
    box.layers.materials = {test::rock("rock", 6000.0, 3464.0, 2670.0)};
    box.layers.layers = {{0, std::nullopt}};
    SeismicMeshRequest request;
    request.model = box;
    request.max_frequency_hz = frequency_hz;
    return request;
}

SeismicFault plane(const std::string& name, const FaultPlane& at, double size_m) {
    return {name, "faults['" + name + "']", at, size_m};
}

struct Facts {
    double area_m2 = 0.0;
    Vec3 normal;              // sum over area
    double mean_edge_m = 0.0; // of tets with a face on it
    double least_insphere = 1e9;  // diameter of the mesh's smallest [m]
    std::size_t faces = 0;
    double farthest_m = 0.0; // of a vertex from the plane given
};

Facts facts_of(const SeismicMesh& made, int fault, const Vec3& point, const Vec3& normal) {
    const mesh::TetMesh& mesh = made.model.mesh;
    Facts facts;
    std::set<std::int32_t> vertices;
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        if (face.fault != fault) {
            continue;
        }
        const auto& [a, b, c] = face.vertices;
        const Vec3 area = 0.5 * cross(mesh.xyz[b] - mesh.xyz[a], mesh.xyz[c] - mesh.xyz[a]);
        facts.area_m2 += norm(area);
        facts.normal += area;
        ++facts.faces;
        for (const std::int32_t v : face.vertices) {
            vertices.insert(v);
            if (std::getenv("OFF") != nullptr && std::abs(dot(mesh.xyz[v] - point, normal)) > 1.0) {
                std::printf("   off %d: %.0f %.0f %.0f by %.3g\n", fault, mesh.xyz[v].x, mesh.xyz[v].y, mesh.xyz[v].z, dot(mesh.xyz[v] - point, normal));
            }
            facts.farthest_m = std::max(facts.farthest_m, std::abs(dot(mesh.xyz[v] - point, normal)));
        }
    }
    double sum = 0.0;
    int edges = 0;
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        const mesh::Corners at = mesh::corners_of(mesh, t);
        double surface = 0.0;
        for (int k = 0; k < 4; ++k) {
            const Vec3 &a = at[(k + 1) % 4], &b = at[(k + 2) % 4], &c = at[(k + 3) % 4];
            surface += 0.5 * norm(cross(b - a, c - a));
        }
        facts.least_insphere = std::min(facts.least_insphere, 6.0 * mesh::volume_of(at) / surface);
        int on = 0;
        for (const std::int32_t v : mesh.tets[t]) {
            on += vertices.contains(v);
        }
        if (on == 3) {
            for (int k = 0; k < 4; ++k) {
                for (int l = k + 1; l < 4; ++l) {
                    sum += norm(at[k] - at[l]);
                    ++edges;
                }
            }
        }
    }
    facts.mean_edge_m = sum / std::max(edges, 1);
    return facts;
}

void tell(const char* what, const SeismicMeshRequest& request) {
    const SeismicMeshPlan plan(request);
    const SeismicMesh made = plan.build();
    aderdg::WaveParams params;
    params.end_s = 1.0;
    params.interval_s = 0.1;
    const auto estimate = plan.estimate(params);
    const auto clusters = aderdg::find_clusters(made.model, params);
    const StepShapes shapes = measure_steps(made.model);
    std::printf("%s: tets %zu (estimate %ld) step %.4g (%.4g) updates %.3g (%.3g) dihedral %.1f %.1f\n", what,
                made.model.mesh.tets.size(), static_cast<long>(estimate.count.tets), clusters.step_s, estimate.clusters.step_s,
                updates_per_s(clusters), updates_per_s(estimate.clusters), shapes.min_dihedral_deg, shapes.max_dihedral_deg);
    for (std::size_t k = 0; k < request.faults.size(); ++k) {
        const auto& p = std::get<FaultPlane>(request.faults[k].place);
        const double strike = p.strike_deg * kDegree, dip = p.dip_deg * kDegree;
        const Vec3 normal{std::sin(dip) * std::cos(strike), -std::sin(dip) * std::sin(strike), std::cos(dip)};
        const Facts f = facts_of(made, k, {p.x_m, p.y_m, -p.top_depth_m}, normal);
        const Vec3 n = normalized(f.normal);
        std::printf("  %s: faces %zu area %.4f of the plane's, normal %.3f, edge/size %.3f, least insphere/size %.3f, off %.2g\n",
                    request.faults[k].name.c_str(), f.faces, f.area_m2 / (p.length_m * p.width_m), dot(n, normal),
                    f.mean_edge_m / request.faults[k].element_size_m, f.least_insphere / request.faults[k].element_size_m, f.farthest_m);
    }
    for (const auto& note : made.notes) {
        std::printf("  note: %s\n", note.c_str());
    }
}

TEST(Probe, Aligned) {
    SeismicMeshRequest request = half_space(30e3, 20e3, 0.5);
    request.faults = {plane("main", {0.0, 0.0, 0.0, 90.0, 90.0, 16e3, 8e3}, 800.0)};
    tell("aligned", request);
    request.faults = {plane("main", {1234.0, 777.0, 1500.0, 0.0, 90.0, 13.3e3, 8.1e3}, 800.0)};
    tell("aligned off", request);
    request.faults = {plane("main", {1234.0, 777.0, 0.0, 30.0, 90.0, 13.3e3, 8.1e3}, 800.0)};
    tell("vertical turned", request);
    request.faults = {plane("main", {1234.0, 777.0, 0.0, 30.0, 60.0, 13.3e3, 8.1e3}, 800.0)};
    tell("dipping 60 turned", request);
    request.faults = {plane("main", {-2000.0, 0.0, 0.0, 0.0, 60.0, 16e3, 8.1e3}, 800.0)};
    tell("dipping 60", request);
    request.faults = {plane("main", {-2000.0, 0.0, 2000.0, 0.0, 30.0, 16e3, 8.1e3}, 800.0)};
    tell("dipping 30 buried", request);
    request.faults = {plane("main", {-2000.0, 0.0, 0.0, 0.0, 15.0, 16e3, 8.1e3}, 800.0)};
    tell("dipping 15", request);
    request.faults = {plane("main", {0.0, 0.0, 0.0, 90.0, 90.0, 16e3, 8e3}, 800.0),
                      plane("branch", {4000.0 * std::cos(0.5235987755982988), -2000.0, 0.0, 120.0, 90.0, 8e3, 8e3}, 800.0)};
    tell("branch", request);
}
TEST(Probe, Random) {
    std::srand(7);
    const auto any = [](double low, double high) { return low + (high - low) * std::rand() / RAND_MAX; };
    for (int k = 0; k < 40; ++k) {
        SeismicMeshRequest request = half_space(30e3, 20e3, 0.4);
        const double size = any(800, 1200);
        request.faults = {plane("main", {any(-2e3, 2e3), any(-2e3, 2e3), k % 3 == 0 ? any(1e3, 3e3) : 0.0, any(0, 360), k % 2 == 0 ? 90.0 : any(30, 90), 14e3, 8e3}, size)};
        if (k >= 10) {
            request.faults.push_back(plane("other", {any(-2e3, 2e3), any(-2e3, 2e3), k % 5 == 0 ? any(1e3, 3e3) : 0.0, any(0, 360), k % 4 < 2 ? 90.0 : any(30, 90), 8e3, 7e3}, size));
        }
        tell(("random " + std::to_string(k)).c_str(), request);
    }
}
TEST(Probe, Cross) {
    SeismicMeshRequest request = half_space(30e3, 20e3, 0.5);
    request.faults = {plane("main", {0.0, 0.0, 0.0, 80.0, 90.0, 16e3, 8e3}, 800.0),
                      plane("cross", {0.0, 0.0, 0.0, 20.0, 70.0, 8e3, 6e3}, 800.0)};
    tell("cross", request);
}

}  // namespace
}  // namespace kaname::jobs
