// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gtest/gtest.h>

#include "tests/unit/worker/jobs/rupture/small_rupture.hpp"
#include "worker/jobs/rupture/rupture_package.hpp"

namespace kaname::jobs::rupture_fields_test {
namespace {

using rupture::Kept;

/// The small rupture's mesh, and a result on it that is made up.
class RuptureFieldsTest : public testing::Test {
protected:
    void SetUp() override {
        job_ = test::small_rupture();
        job_.faults[0].patches.clear();
        model_ = rupture_in_mesh(job_, plan_mesh(job_).build());
        // Three points near the corners.
        result_.weights = {0.5, 0.25, 0.25};
        result_.points = {0.8, 0.1, 0.1, 0.1, 0.8, 0.1, 0.1, 0.1, 0.8};
        result_.values.assign(model_.triangles.size() * Kept::kFields * 3, 0.0F);
        set(Kept::kRuptureTime, [](const Vec3&) { return -1.0; });
        result_.energy_s = {0.5, 1.0};
        result_.energies.assign(16, 0.0);
    }

    /// A field by its value at a place.
    template <class Of>
    void set(int field, const Of& of) {
        for (std::size_t k = 0; k < model_.triangles.size(); ++k) {
            std::array<std::int32_t, 3> order = model_.seismic.waves.mesh.fault_faces[k].vertices;
            std::ranges::sort(order);
            for (std::size_t p = 0; p < 3; ++p) {
                Vec3 at;
                for (std::size_t v = 0; v < 3; ++v) {
                    at += result_.points[3 * p + v] *
                          model_.seismic.waves.mesh.xyz[static_cast<std::size_t>(order[v])];
                }
                result_.values[(k * Kept::kFields + static_cast<std::size_t>(field)) * 3 + p] =
                    static_cast<float>(of(at));
            }
        }
    }

    RuptureJob job_;
    RuptureModel model_;
    RuptureResult result_;
};

TEST_F(RuptureFieldsTest, SpeedIsThatOfTheFront) {
    // A front that runs along (0.6 x, -0.8 z) with 2.5 km/s.
    set(Kept::kRuptureTime, [](const Vec3& x) { return 2.0 + (0.6 * x.x - 0.8 * x.z) / 2500.0; });
    const RuptureFields fields = rupture_fields(model_, result_);
    for (std::size_t k = 0; k < fields.faces.size(); ++k) {
        EXPECT_NEAR(fields.faces[k].speed_m_per_s, 2500.0, 5.0);
        // The mean over the points; all linear, so that of their mean place.
        EXPECT_NEAR(
            fields.faces[k].rupture_s,
            2.0 + (0.6 * model_.triangles[k].middle().x - 0.8 * model_.triangles[k].middle().z) /
                      2500.0,
            0.1);
    }
    set(Kept::kRuptureTime, [](const Vec3&) { return 1.0; });
    EXPECT_TRUE(std::isnan(rupture_fields(model_, result_).faces[0].speed_m_per_s)) << "at once";
    set(Kept::kRuptureTime, [](const Vec3&) { return -1.0; });
    EXPECT_TRUE(std::isnan(rupture_fields(model_, result_).faces[0].rupture_s)) << "never";
}

TEST_F(RuptureFieldsTest, SummaryOfUniformSlip) {
    // 1.2 m along strike and -0.5 m down dip: 1.3 m. Shear falls from 70 to 64 MPa along strike and
    // from 0 to 2 MPa down dip, and falls with slip in a line: released is half of drop and slip.
    set(Kept::kSlipStrike, [](const Vec3&) { return 1.2; });
    set(Kept::kSlipDip, [](const Vec3&) { return -0.5; });
    set(Kept::kStrikeNow, [](const Vec3&) { return 64e6; });
    set(Kept::kDipNow, [](const Vec3&) { return 2e6; });
    set(Kept::kNormalNow, [](const Vec3&) { return -120e6; });
    const double work = 6e6 * 1.2 + (-2e6) * (-0.5);
    set(Kept::kReleased, [&](const Vec3&) { return 0.5 * work + 3e5; });
    // Ruptured on one side, which it reaches late.
    set(Kept::kRuptureTime, [](const Vec3& x) { return x.x > 0.0 ? 3.0 - x.x / 3000.0 : -1.0; });
    double area = 0.0;
    for (const FaultTriangle& triangle : model_.triangles) {
        area += triangle.area_m2;
    }
    const double mu = 2670.0 * 3464.0 * 3464.0;
    // 10, 50 and 100 % of the moment; energies at the end leave 1 %.
    const double moment = mu * area * 1.3;
    result_.energy_s = {0.0, 1.0, 2.0, 3.0};
    result_.energies.assign(32, 0.0);
    for (const auto& [k, part] : {std::pair(1, 0.1), {2, 0.5}, {3, 1.0}}) {
        result_.energies[static_cast<std::size_t>(k) * 8 + 6] = part * moment;
    }
    result_.energies[24] = 30.0;   // kinetic
    result_.energies[25] = 50.0;   // elastic
    result_.energies[27] = 100.0;  // released
    result_.energies[28] = 7.0;    // plastic
    result_.energies[29] = 12.0;   // outflow
    const RuptureFields fields = rupture_fields(model_, result_);
    EXPECT_NEAR(fields.faces[0].drop_pa, work / 1.3, 1.0);
    EXPECT_NEAR(fields.faces[0].initial_pa[1], 70e6, 1.0);
    const RuptureSummary summary = summary_of(model_, fields, result_);
    EXPECT_NEAR(summary.largest_slip_m, 1.3, 1e-6);
    EXPECT_NEAR(summary.mean_slip_m, 1.3, 1e-6);
    EXPECT_NEAR(summary.magnitude, 2.0 / 3.0 * (std::log10(moment) - 9.1), 1e-12);
    // Strike is x, the normal -y, down dip -z.
    EXPECT_NEAR(summary.moment_tensor_nm[5] / (mu * area), -1.2, 1e-6);
    EXPECT_NEAR(summary.moment_tensor_nm[3] / (mu * area), -0.5, 1e-6);
    EXPECT_NEAR(summary.moment_tensor_nm[0], 0.0, 1e-9 * moment);
    EXPECT_NEAR(summary.radiated_j / area, 3e5, 1.0);
    EXPECT_NEAR(summary.balance_residual, 0.01, 1e-12);
    // From 0.5 s (5 of 10 % in the first second) to 2.9 s.
    EXPECT_NEAR(summary.duration_s, 2.4, 1e-9);
    EXPECT_NEAR(summary.ruptured_m2 / area, 0.5, 0.15);
    EXPECT_GT(summary.hypocentre_m.x, 2000.0) << "where it ruptured first";
}

TEST_F(RuptureFieldsTest, ResultsOfAnotherMeshAreRefused) {
    result_.values.pop_back();
    EXPECT_THROW((void)rupture_fields(model_, result_), Error);
}

TEST_F(RuptureFieldsTest, ReceiversSnapToTheirFault) {
    RuptureReceiver receiver = {"F", "fault_receivers[3]", 0, -700.0, 300.0};
    const FaultAxes& axes = model_.parameters->axes(0);
    const rupture::FaultReceiver found = find_on_fault(receiver, axes, model_.triangles);
    EXPECT_NEAR(norm(found.at_m - Vec3{-700.0, 0.0, -300.0}), 0.0, 1e-6);
    receiver.along_m = 2500.0;  // 100 m off the end, less than half an element
    const rupture::FaultReceiver moved = find_on_fault(receiver, axes, model_.triangles);
    EXPECT_NEAR(norm(moved.at_m - Vec3{2400.0, 0.0, -300.0}), 0.0, 1e-6);
    receiver.along_m = 3400.0;
    try {
        (void)find_on_fault(receiver, axes, model_.triangles);
        FAIL();
    } catch (const ValidationError& error) {
        EXPECT_EQ(error.violations()[0].field, "fault_receivers[3]");
        EXPECT_NE(error.violations()[0].message.find("1000 m off its faces"), std::string::npos)
            << error.violations()[0].message;
    }
}

}  // namespace
}  // namespace kaname::jobs::rupture_fields_test
