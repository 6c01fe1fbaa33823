// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/volume_mesh.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <omp.h>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/mesh/quality.hpp"
#include "solvers/meshing/cleaving/interface_error.hpp"
#include "tests/support/random_model.hpp"
#include "tests/unit/solvers/meshing/cleaving/models.hpp"
#include "tests/unit/solvers/meshing/mesh_facts.hpp"

namespace kaname::cleaving::volume_mesh_test {
namespace {

constexpr double kLength = 30e3, kWidth = 16e3, kDip = 60.0 * kDegree, kSize = 4e3;

/// A rectangle that strikes north (in the map) and dips east, its top edge at `top_m` above z = 0.
FaultRequest rectangle(double top_m) {
    const Vec3 down{std::cos(kDip), 0.0, -std::sin(kDip)}, top{0.0, 0.0, top_m};
    FaultRequest fault;
    fault.name = "plane";
    fault.plane = {top, {std::sin(kDip), 0.0, std::cos(kDip)}};
    for (double s = -0.5 * kLength; s <= 0.5 * kLength; s += 0.5 * kSize) {
        for (double d = 0.0; d <= kWidth; d += 0.5 * kSize) {
            fault.samples.push_back(top + Vec3{0.0, s, 0.0} + d * down);
        }
    }
    fault.inside_m = [=](const Vec3& x) {
        const double d = dot(x - top, down);
        return std::min({0.5 * kLength - std::abs(x.y), d, kWidth - d});
    };
    for (const auto& [s, d] :
         {std::pair(-0.5, 0.0), std::pair(0.5, 0.0), std::pair(0.5, 1.0), std::pair(-0.5, 1.0)}) {
        fault.outline.push_back(top + Vec3{0.0, s * kLength, 0.0} + d * kWidth * down);
    }
    return fault;
}

VolumeMeshParams params_with(std::vector<FaultRequest> faults) {
    VolumeMeshParams params;
    params.box = {120e3, 120e3, 60e3, 25.0 * kDegree};
    params.model = test::layers({-21e3});
    params.sizes.far_m = 16e3;
    for (const FaultRequest& fault : faults) {
        params.sizes.points.push_back({kSize, fault.samples});
    }
    params.faults = std::move(faults);
    return params;
}

mesh::TetMesh build(const VolumeMeshParams& params) {
    return make_volume_mesh(params)->build([](double, const char*) {});
}

void expect_same(const mesh::TetMesh& a, const mesh::TetMesh& b) {
    EXPECT_EQ(a.xyz, b.xyz);
    EXPECT_EQ(a.tets, b.tets);
    EXPECT_EQ(a.material, b.material);
    EXPECT_EQ(a.volume, b.volume);
    ASSERT_EQ(a.fault_faces.size(), b.fault_faces.size());
    for (std::size_t k = 0; k < a.fault_faces.size(); ++k) {
        EXPECT_EQ(a.fault_faces[k].vertices, b.fault_faces[k].vertices);
    }
    EXPECT_EQ(a.boundary_faces.size(), b.boundary_faces.size());
}

TEST(VolumeMesh, IsTheSameForAnyNumberOfThreads) {
    const int threads = omp_get_max_threads();
    const VolumeMeshParams params = test::random_model(6, 8.0);
    omp_set_num_threads(1);
    const mesh::TetMesh one = build(params);
    const auto estimate = make_volume_mesh(params)->estimate();
    for (const int n : {2, 5}) {
        omp_set_num_threads(n);
        expect_same(build(params), one);
        EXPECT_EQ(make_volume_mesh(params)->estimate().tets, estimate.tets);
    }
    omp_set_num_threads(threads);
}

TEST(VolumeMesh, ABuriedRectangleIsMetExactly) {
    const mesh::TetMesh mesh = build(params_with({rectangle(-6e3)}));

    mesh::check_mesh(mesh, 2);
    EXPECT_NEAR(meshing::fault_area(mesh), kLength * kWidth, 1e-9 * kLength * kWidth);
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        EXPECT_GT(meshing::area_vector(mesh, face.vertices).x, 0.0) << "normal to the hanging wall";
    }
}

TEST(VolumeMesh, ARectangleThatBreaksTheSurfaceEndsThere) {
    const mesh::TetMesh mesh = build(params_with({rectangle(5e3)}));

    mesh::check_mesh(mesh, 2);
    const double below = kWidth - 5e3 / std::sin(kDip);
    EXPECT_NEAR(meshing::fault_area(mesh), kLength * below, 1e-9 * kLength * kWidth);
}

TEST(VolumeMesh, WithoutAnOutlineTheRimIsAStaircaseInside) {
    FaultRequest fault = rectangle(-6e3);
    fault.outline.clear();
    const mesh::TetMesh mesh = build(params_with({fault}));

    const double area = meshing::fault_area(mesh);
    EXPECT_LT(area, kLength * kWidth);
    EXPECT_GT(area, 0.5 * kLength * kWidth);
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        for (const std::int32_t v : face.vertices) {
            EXPECT_GE(fault.inside_m(mesh.xyz[v]), 0.0);
        }
    }
}

TEST(VolumeMesh, HasItsVolumesSidesAndOutwardFaces) {
    const VolumeMeshParams params = params_with({rectangle(-6e3)});
    const mesh::TetMesh mesh = build(params);
    const auto quality = mesh::measure_quality(mesh);

    const double area = 120e3 * 120e3;
    EXPECT_NEAR(quality.volume_per_volume.at(0), 21e3 * area, 1e-3 * 21e3 * area);
    EXPECT_NEAR(quality.volume_per_volume.at(1), 39e3 * area, 1e-3 * 39e3 * area);
    EXPECT_GE(quality.min_dihedral_deg, 5.0);
    EXPECT_EQ(mesh.faults, std::vector<std::string>{"plane"});
    std::array<double, mesh::kSideCount> areas{};
    Vec3 sum;
    for (const mesh::BoundaryFace& face : mesh.boundary_faces) {
        const Vec3 vector = meshing::area_vector(mesh, face.vertices);
        areas[static_cast<std::size_t>(face.side.index)] += norm(vector);
        sum += vector;
        if (face.side == mesh::Side::Top) {
            EXPECT_GT(vector.z, 0.0);
        }
        const Vec3 middle = (1.0 / 3) * (mesh.xyz[face.vertices[0]] + mesh.xyz[face.vertices[1]] +
                                         mesh.xyz[face.vertices[2]]);
        EXPECT_GT(dot(vector, middle - Vec3{0.0, 0.0, -30e3}), 0.0);
    }
    EXPECT_LT(norm(sum), 1e-6 * area);
    for (const double side : areas) {
        EXPECT_TRUE(std::abs(side - area) < 1e-6 * area ||
                    std::abs(side - 0.5 * area) < 1e-6 * area);
    }
}

TEST(VolumeMesh, TheEstimateKnowsTheLatticeAndWhatOneInterfaceAdds) {
    VolumeMeshParams plain = params_with({});
    plain.model = test::layers({});
    plain.sizes.far_m = 6e3;
    VolumeMeshParams layered = plain;
    layered.model = test::layers({-23e3});
    VolumeMeshParams graded = layered;
    graded.sizes.points.push_back({1.5e3, {{10e3, 0.0, -8e3}}});
    for (const VolumeMeshParams& params : {plain, layered, graded}) {
        const mesh::TetMesh mesh = build(params);
        const auto estimate = make_volume_mesh(params)->estimate();
        EXPECT_NEAR(static_cast<double>(estimate.tets) / mesh.tets.size(), 1.0, 0.1);
        EXPECT_NEAR(static_cast<double>(estimate.vertices) / mesh.xyz.size(), 1.0, 0.1);
    }
}

TEST(VolumeMesh, MoreThanAllowedIsRefusedBeforeItIsMade) {
    VolumeMeshParams params = params_with({rectangle(-6e3)});
    params.max_tets = 1000;
    for (const double far_m : {16e3, 1.0}) {
        params.sizes.far_m = far_m;
        try {
            (void)build(params);
            ADD_FAILURE() << "not refused";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::Exhausted);
        }
        EXPECT_THROW((void)make_volume_mesh(params)->estimate(), Error);
    }
}

TEST(VolumeMesh, ThreeInterfacesThroughOneElementAreAllMet) {
    VolumeMeshParams params = params_with({});
    params.sizes.far_m = 10e3;
    const auto plane = [](double z_m, double east, double north) {
        return test::height([=](double u, double v) { return z_m + east * u + north * v; }, 60e3);
    };
    const auto model = test::layers_under(earth::HeightField(0.0),
                                          {plane(-20e3, 0.03, 0.02), plane(-23.5e3, 0.03, 0.02),
                                           plane(-27e3, 0.03, 0.02), plane(-24e3, -0.2, 0.1)});
    model->size_u_m = model->size_v_m = 120e3;
    // A slab cuts through the layers: it comes first.
    earth::Volume slab = model->volumes[3];
    slab.top = 4;
    slab.bottom = -1;
    model->volumes[3].bottom = -1;
    model->volumes.erase(model->volumes.begin() + 3);
    model->volumes.insert(model->volumes.begin(), slab);
    params.model = model;

    const mesh::TetMesh mesh = build(params);

    // In units of the elements at the faces; with two cuts only it was 1.0 and 1.9.
    const InterfaceError error =
        measure_interface_error(mesh, *model, params.faults, params.box.azimuth_rad, nullptr);
    EXPECT_LT(error.all.p99, 0.4);
    EXPECT_LT(error.all.max, 0.8);
}

}  // namespace
}  // namespace kaname::cleaving::volume_mesh_test
