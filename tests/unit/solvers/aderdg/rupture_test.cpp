// SPDX-License-Identifier: BSD-3-Clause
// Faults with friction among waves: what has a closed form, and what must not matter.
#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/comm/comm.hpp"
#include "tests/support/fault_box.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::aderdg::rupture_test {
namespace {

using rupture::FrictionLaw;
using rupture::Kept;

WaveParams params_of(int order, double end_s, Precision precision = Precision::Double) {
    WaveParams params;
    params.order = order;
    params.precision = precision;
    params.end_s = end_s;
    params.interval_s = end_s / 10;
    return params;
}

/// A periodic column of two solids with a fault through the middle, so that nothing varies along
/// it; waves leave at both ends.
WaveModel column(const Solid& minus, const Solid& plus) {
    WaveModel model = box_of_cubes({4, 8, 4}, {-1, -2, -1}, {1, 2, 1}, minus);
    model.solids.push_back(plus);
    for (std::size_t e = 0; e < model.mesh.tets.size(); ++e) {
        double sum = 0.0;
        for (const std::int32_t v : model.mesh.tets[e]) {
            sum += model.mesh.xyz[v].y;
        }
        model.mesh.material[e] = sum < 0.0 ? 1 : 0;
    }
    make_periodic(model, {true, false, true});
    model.surfaces[static_cast<int>(mesh::Side::South)] = Boundary::Absorbing;
    model.surfaces[static_cast<int>(mesh::Side::North)] = Boundary::Absorbing;
    add_fault(model, 0.0);
    return model;
}

/// V = dtau/eta, dtau what shear exceeds friction by; in one solid that is 2 c_s dtau/mu.
TEST(Rupture, AStressDropSlipsAtItsRate) {
    for (const bool two : {false, true}) {
        const Solid minus = solid_of(2.0, 1.9, 1.1);
        const Solid plus = two ? solid_of(1.4, 1.7, 0.8) : minus;
        WaveModel model = column(minus, plus);
        model.fault.laws = {FrictionLaw::LinearSlipWeakening};
        model.fault.at = [](const rupture::FaultPlace&) {
            rupture::FaultPoint p = weakening(-10.0, 6.0, 0.6, 0.6, 1.0);  // as friction is
            p.nucleation_pa = {1.0, 0.0, 0.0};
            return p;
        };
        model.fault.nucleation_s = 1.0;
        const double zs[2] = {2.0 * 1.1, two ? 1.4 * 0.8 : 2.0 * 1.1};
        const double rate = 1.0 * (1.0 / zs[0] + 1.0 / zs[1]);
        if (!two) {
            EXPECT_NEAR(rate, 2.0 * 1.1 / minus.mu_pa, 1e-14);
        }
        comm::SerialComm comm;
        const WaveParams params = params_of(6, 1.3);
        const auto solver = make_wave_solver(model, params, {}, comm);
        solver->advance(solver->macro_steps());
        // V = G(t) dtau/eta, G of 1 s.
        double slip = 0.3 * rate;
        constexpr int kParts = 4000;
        for (int k = 0; k < kParts; ++k) {
            const double t = (k + 0.5) / kParts;
            slip += rate * std::exp((t - 1.0) * (t - 1.0) / (t * (t - 2.0))) / kParts;
        }
        const FaultField field = solver->fault();
        ASSERT_EQ(field.points.size(), 25U);
        for (std::int64_t face = 0; face < std::ssize(model.mesh.fault_faces); ++face) {
            for (std::size_t p = 0; p < field.points.size(); ++p) {
                ASSERT_NEAR(field.at(face, Kept::kRateStrike)[p], rate, 5e-3 * rate);
                ASSERT_NEAR(field.at(face, Kept::kSlipStrike)[p], slip, 1e-3 * slip);
                ASSERT_NEAR(field.at(face, Kept::kRateDip)[p], 0.0, 1e-3);
                ASSERT_NEAR(field.at(face, Kept::kStrikeNow)[p], 6.0, 2e-3);
                ASSERT_NEAR(field.at(face, Kept::kNormalNow)[p], -10.0, 5e-3);
            }
        }
        // Waves carry away what the drop gives: the stress on either side is 1 less.
        const WaveEnergy energy = solver->energy();
        EXPECT_NEAR(energy.friction_j, 4.0 * 6.0 * slip, 1e-2 * slip);
        EXPECT_NEAR(energy.moment_rate_nm_s,
                    4.0 * rate * 2.0 / (1.0 / minus.mu_pa + 1.0 / plus.mu_pa), 5e-3 * rate);
        EXPECT_NEAR(energy.kinetic_j + energy.elastic_j + energy.outflow_j, energy.released_j,
                    0.01 * energy.released_j);
    }
}

/// Anything, the same at a place whatever is asked first.
std::array<double, 9> noise(const Vec3& x) {
    std::array<double, 9> q{};
    for (int c = 0; c < 9; ++c) {
        q[c] = std::sin(1e4 * (c + 1) * (x.x + 1.7 * x.y - 2.3 * x.z));
    }
    return q;
}

TEST(Rupture, AFaultThatHoldsIsNone) {
    for (const Precision precision : {Precision::Single, Precision::Double}) {
        std::vector<std::vector<float>> records;
        for (const bool fault : {false, true}) {
            WaveModel model = graded_fault_box();
            if (fault) {
                model.fault.laws = {FrictionLaw::LinearSlipWeakening};
                model.fault.at = [](const rupture::FaultPlace&) {
                    return weakening(-1e9, 0.0, 1e9, 1e9, 1.0);
                };
            }
            WavePoints points;
            for (const Vec3& x : {Vec3{0.1, 0.03, 0.2}, Vec3{-0.3, -0.2, -0.4}}) {
                points.receivers.push_back(tet_at(model, x));
            }
            comm::SerialComm comm;
            const auto solver = make_wave_solver(model, params_of(4, 0.5, precision), points, comm);
            ASSERT_GE(solver->clusters().elements.size(), 2U);
            solver->start_from(noise);
            solver->advance(solver->macro_steps());
            records.push_back(solver->take_record());
        }
        EXPECT_EQ(records[0], records[1]);
    }
}

/// Friction that rises from the middle, so that slip there ends by itself: smooth but for the
/// beginning of slip.
void make_smooth_slip(WaveModel& model, FrictionLaw law) {
    model.fault.laws = {law};
    model.fault.nucleation_s = 1.5;
    model.fault.at = [](const rupture::FaultPlace& place) {
        const double r2 = dot(place.at_m, place.at_m), bump = std::exp(-3.0 * r2);
        const double friction = 0.6 - 0.1 * bump;
        rupture::FaultPoint p = weakening(-10.0, 5.0, friction, friction, 1.0);
        p.nucleation_pa = {3.0 * bump, 0.0, 0.0};
        p.a = 0.008;
        p.b = 0.006;
        p.state_slip_m = 0.1;
        p.initial_rate_m_per_s = 1e-9;
        return p;
    };
}

TEST(Rupture, EnergyOfAClosedBodyIsBalanced) {
    for (const FrictionLaw law : {FrictionLaw::LinearSlipWeakening, FrictionLaw::Ageing}) {
        WaveModel model = box_of_cubes({6, 6, 6}, {-2, -2, -2}, {2, 2, 2}, solid_of(2.0, 1.9, 1.1));
        add_fault(model, 0.0);
        make_smooth_slip(model, law);
        comm::SerialComm comm;
        const auto solver = make_wave_solver(model, params_of(5, 2.5), {}, comm);
        solver->advance(solver->macro_steps());
        const WaveEnergy energy = solver->energy();
        ASSERT_GT(energy.released_j, 0.0);
        EXPECT_GT(energy.kinetic_j, 0.02 * energy.released_j);
        // The exact Riemann solutions take a little.
        const double lost = 1.0 - (energy.kinetic_j + energy.elastic_j) / energy.released_j;
        EXPECT_LT(std::abs(lost), 0.01);
        RecordProperty("lost", std::to_string(lost));
    }
}

double difference(const FaultField& a, const FaultField& b, int field) {
    double sum = 0.0, all = 0.0;
    const std::size_t n = a.values.size() / (Kept::kFields * a.points.size());
    for (std::size_t face = 0; face < n; ++face) {
        for (std::size_t p = 0; p < a.points.size(); ++p) {
            const double x = a.at(face, field)[p], y = b.at(face, field)[p];
            sum += a.weights[p] * (x - y) * (x - y);
            all += a.weights[p] * y * y;
        }
    }
    return std::sqrt(sum / all);
}

TEST(Rupture, LocalStepsGiveWhatEqualOnesDo) {
    FaultField fields[2];
    for (const bool local : {false, true}) {
        WaveModel model = graded_fault_box();
        // Thinner elements on one side: clusters of the fault's faces differ.
        for (Vec3& v : model.mesh.xyz) {
            v.x += 0.35 * (1.0 - v.x * v.x);
        }
        make_rupture(model);
        WaveParams params = params_of(4, 0.6);
        params.local_time_steps = local;
        comm::SerialComm comm;
        const auto solver = make_wave_solver(model, params, {}, comm);
        EXPECT_EQ(solver->clusters().elements.size() > 1, local);
        solver->advance(solver->macro_steps());
        fields[local ? 1 : 0] = solver->fault();
    }
    EXPECT_LT(difference(fields[1], fields[0], Kept::kSlipStrike), 2e-3);
    EXPECT_LT(difference(fields[1], fields[0], Kept::kRuptureTime), 1e-2);
}

TEST(Rupture, AMirroredFaultSlipsAlike) {
    WaveModel model = graded_fault_box();
    make_rupture(model);
    const auto at = model.fault.at;
    model.fault.at = [at](const rupture::FaultPlace& place) {
        rupture::FaultPoint p = at(place);
        p.traction_pa.z = p.traction_pa.x;  // down dip alone: x and -x are alike
        p.traction_pa.x = 0.0;
        return p;
    };
    comm::SerialComm comm;
    const auto solver = make_wave_solver(model, params_of(4, 0.4), {}, comm);
    solver->advance(solver->macro_steps());
    const FaultField field = solver->fault();
    std::map<std::pair<long, long>, double> slips;
    const auto for_points = [&](const auto& body) {
        for (std::size_t face = 0; face < model.mesh.fault_faces.size(); ++face) {
            std::array<std::int32_t, 3> v = model.mesh.fault_faces[face].vertices;
            std::ranges::sort(v);
            for (std::size_t p = 0; p < field.points.size(); ++p) {
                Vec3 x;
                for (int c = 0; c < 3; ++c) {
                    x += field.points[p][c] * model.mesh.xyz[v[c]];
                }
                body(x, field.at(static_cast<std::int64_t>(face), Kept::kSlipDip)[p]);
            }
        }
    };
    const auto key = [](double x, double z) {
        return std::pair(std::lround(1e6 * x), std::lround(1e6 * z));
    };
    double largest = 0.0;
    for_points([&](const Vec3& x, double slip) {
        slips[key(x.x, x.z)] = slip;
        largest = std::max(largest, std::abs(slip));
    });
    ASSERT_GT(largest, 0.01);
    for_points([&](const Vec3& x, double slip) {
        const auto it = slips.find(key(-x.x, x.z));
        ASSERT_NE(it, slips.end());
        EXPECT_NEAR(it->second, slip, 1e-9 * largest);
    });
}

TEST(Rupture, AReceiverSeesItsPoint) {
    WaveModel model = graded_fault_box();
    make_rupture(model);
    model.fault.receivers = {{3, model.mesh.xyz[model.mesh.fault_faces[3].vertices[0]]},
                             {0, model.mesh.xyz[model.mesh.fault_faces[0].vertices[1]]}};
    model.fault.interval_s = 0.05;
    comm::SerialComm comm;
    const auto solver = make_wave_solver(model, params_of(4, 0.6), {}, comm);
    std::vector<float> record;
    while (solver->macro_steps_done() < solver->macro_steps()) {
        solver->advance(1);
        const std::vector<float> more = solver->take_fault_record();
        record.insert(record.end(), more.begin(), more.end());
    }
    ASSERT_EQ(record.size(), 13U * 2 * kFaultNumbers);
    const FaultField field = solver->fault();
    EXPECT_EQ(record[0], 0.0F);
    EXPECT_FLOAT_EQ(record[4], norm(model.fault.receivers[0].at_m) < 0.26 ? 6.2F : 5.2F);
    for (const int r : {0, 1}) {
        const auto& receiver = model.fault.receivers[r];
        std::array<std::int32_t, 3> v = model.mesh.fault_faces[receiver.face].vertices;
        std::ranges::sort(v);
        std::size_t nearest = 0;
        double least = 1e9;
        for (std::size_t p = 0; p < field.points.size(); ++p) {
            Vec3 x;
            for (int c = 0; c < 3; ++c) {
                x += field.points[p][c] * model.mesh.xyz[v[c]];
            }
            if (norm(x - receiver.at_m) < least) {
                least = norm(x - receiver.at_m);
                nearest = p;
            }
        }
        const float* last = record.data() + (12 * 2 + r) * kFaultNumbers;
        EXPECT_FLOAT_EQ(last[0], field.at(receiver.face, Kept::kSlipStrike)[nearest]);
        EXPECT_FLOAT_EQ(last[3], field.at(receiver.face, Kept::kRateDip)[nearest]);
        EXPECT_FLOAT_EQ(last[6], field.at(receiver.face, Kept::kNormalNow)[nearest]);
    }
}

}  // namespace
}  // namespace kaname::aderdg::rupture_test
