// SPDX-License-Identifier: BSD-3-Clause
// Betti's theorem: the velocity along i at r of a moment rate M s(t) at x is M
// : e at x of a force s(t) along i at r (aki2002, section 2.3.2).
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "solvers/aderdg/attenuation.hpp"
#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::aderdg::reciprocity_test {
namespace {

constexpr std::array<std::array<double, 6>, 4> kMoments = {
    {{1, 0, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0}, {0, 0, 0, 1, 0, 0}, {0.3, -0.5, 0.2, 0.1, 0.4, -1}}};
const Vec3 kSource = {-0.31, 0.17, -0.83};
const Vec3 kReceiver = {0.42, -0.23, 0.0};

/// A free surface at z = 0 over a soft layer to z = -0.5, waves leave at the
/// other sides; elements grow with x, so that there are clusters.
WaveModel layered(const Solid& above, const Solid& below) {
    WaveModel model = box_of_cubes({4, 4, 2}, {-1, -1, -1}, {1, 1, 0}, above);
    model.solids.push_back(below);
    for (std::size_t tet = 0; tet < model.mesh.tets.size(); ++tet) {
        double z = 0.0;
        for (const std::int32_t v : model.mesh.tets[tet]) {
            z += 0.25 * model.mesh.xyz[v].z;
        }
        model.mesh.material[tet] = z < -0.5 ? 1 : 0;
    }
    for (std::size_t k = 0; k < model.surfaces.size(); ++k) {
        model.surfaces[k] = mesh::SurfaceId(std::int32_t(k)) == model.mesh.top
                                ? Boundary::Free
                                : Boundary::Absorbing;
    }
    for (Vec3& x : model.mesh.xyz) {
        x.x = x.x * (0.4 + 0.6 * x.x * x.x);
    }
    return model;
}

PointInTet place(const WaveModel& model, const Vec3& at) {
    double best = -1.0;
    PointInTet found{0, at};
    for (std::size_t tet = 0; tet < model.mesh.tets.size(); ++tet) {
        std::array<Vec3, 4> x;
        for (int v = 0; v < 4; ++v) {
            x[v] = model.mesh.xyz[model.mesh.tets[tet][v]];
        }
        const double whole = det6(x[0], x[1], x[2], x[3]);
        double least = 1.0;
        for (int v = 0; v < 4; ++v) {
            std::array<Vec3, 4> y = x;
            y[v] = at;
            least = std::min(least, det6(y[0], y[1], y[2], y[3]) / whole);
        }
        if (least > best) {
            best = least;
            found.tet = static_cast<std::int64_t>(tet);
        }
    }
    return found;
}

/// Clusters with the default step alone: what another part of it changes is then of time alone.
WaveParams params_of(int lanes, double cfl = 0.0) {
    WaveParams params;
    params.order = 3;
    params.cfl = cfl;
    params.local_time_steps = cfl == 0.0;
    params.precision = Precision::Double;
    params.lanes = lanes;
    params.end_s = 2.0;
    params.interval_s = 0.1;
    return params;
}

double pulse(double t_s) {
    const double x = (t_s - 0.9) / 0.2;
    return std::exp(-0.5 * x * x);
}

std::vector<float> record(const WaveModel& model, const WaveParams& params,
                          const WavePoints& points, comm::Comm& comm) {
    const auto solver = make_wave_solver(model, params, points, comm);
    solver->advance(solver->macro_steps());
    return solver->take_record();
}

/// [samples][moments][3] at the receiver.
std::vector<float> direct(const WaveModel& model, Motion motion, double cfl) {
    WaveParams params = params_of(4, cfl);
    params.motion = motion;
    WavePoints points;
    for (int lane = 0; lane < 4; ++lane) {
        points.sources.push_back(
            {lane, place(model, kSource), {}, kMoments[lane], pulse, 0.0, 2.2});
    }
    points.receivers = {place(model, kReceiver)};
    comm::SerialComm comm;
    return record(model, params, points, comm);
}

WavePoints forces_at_the_receiver(const WaveModel& model) {
    WavePoints points;
    for (int lane = 0; lane < 3; ++lane) {
        std::array<double, 3> force{};
        force[lane] = 1.0;
        points.sources.push_back({lane, place(model, kReceiver), force, {}, pulse, 0.0, 2.2});
    }
    points.strains = {place(model, kSource)};
    return points;
}

/// Returns the motion at the receiver, as direct() does, from strains at the source.
std::vector<float> reciprocal(const WaveModel& model, Motion motion, double cfl) {
    WaveParams params = params_of(3, cfl);
    params.motion = motion;
    comm::SerialComm comm;
    const std::vector<float> strain = record(model, params, forces_at_the_receiver(model),
                                             comm);  // [samples][force][6]
    constexpr std::array<double, 6> kTwice = {1, 1, 1, 2, 2, 2};
    std::vector<float> made;
    for (std::size_t sample = 0; sample < strain.size() / 18; ++sample) {
        for (const auto& moment : kMoments) {
            for (std::size_t i = 0; i < 3; ++i) {
                double sum = 0.0;
                for (std::size_t c = 0; c < 6; ++c) {
                    sum += kTwice[c] * moment[c] * strain[(sample * 3 + i) * 6 + c];
                }
                made.push_back(static_cast<float>(sum));
            }
        }
    }
    return made;
}

/// Largest difference over the largest value.
double difference(const std::vector<float>& a, const std::vector<float>& b) {
    double most = 0.0, size = 0.0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        most = std::max(most, std::abs(double(a[k]) - b[k]));
        size = std::max(size, std::abs(double(a[k])));
    }
    return most / size;
}

const WaveModel& elastic() {
    static const WaveModel model = layered(solid_of(1.0, 1.8, 0.9), solid_of(1.3, 3.0, 1.7));
    return model;
}

WaveModel anelastic() {
    const QBand band{0.2, 6.0, 3, 1.0};
    return layered(anelastic_solid({1.0, 1.8, 0.9, 30.0, 15.0}, band),
                   anelastic_solid({1.3, 3.0, 1.7, 60.0, 40.0}, band));
}

double between_ways(const WaveModel& model, Motion motion, double cfl) {
    return difference(direct(model, motion, cfl), reciprocal(model, motion, cfl));
}

// In space the scheme is reciprocal but for rounding: what remains is of time,
// and falls with it.
TEST(Reciprocity, VelocitiesOfMomentsAreStrainsOfForces) {
    const double longer = between_ways(elastic(), Motion::Velocity, 0.25);
    const double shorter = between_ways(elastic(), Motion::Velocity, 0.1);

    EXPECT_LT(shorter, 0.006);
    EXPECT_NEAR(longer / shorter, 2.5, 0.3);
}

TEST(Reciprocity, HoldsWithLocalTimeSteps) {
    EXPECT_LT(between_ways(elastic(), Motion::Velocity, 0.0), 0.05);
}

TEST(Reciprocity, DisplacementsAreIntegralsOfStrains) {
    EXPECT_LT(between_ways(elastic(), Motion::Displacement, 0.25), 0.01);
}

TEST(Reciprocity, HoldsWithAttenuation) {
    const WaveModel model = anelastic();
    EXPECT_LT(between_ways(model, Motion::Velocity, 0.25), 0.015);
    // The effect of attenuation is much larger than that.
    EXPECT_GT(difference(direct(model, Motion::Velocity, 0.25),
                         direct(elastic(), Motion::Velocity, 0.25)),
              0.1);
}

TEST(Strains, AreTheSameOnTwoRanks) {
    const WavePoints points = forces_at_the_receiver(elastic());
    comm::SerialComm serial;
    const std::vector<float> alone = record(elastic(), params_of(3), points, serial);
    std::vector<float> together;
    comm::run_as_threads(2, [&](comm::Comm& comm) {
        const std::vector<float> own = record(elastic(), params_of(3), points, comm);
        if (comm.rank() == 0) {
            together = own;
        }
    });
    EXPECT_EQ(together, alone);
}

TEST(Strains, OfAPlaneWaveAreItsOwn) {
    const Solid solid = solid_of(1.0, 2.0, 1.0);
    WaveModel model = box_of_cubes({4, 4, 4}, {-1, -1, -1}, {1, 1, 1}, solid);
    make_periodic(model);
    const Vec3 n = normalized(Vec3{1, 1, 1});
    const double k = M_PI * std::sqrt(3.0), vp = solid.vp_m_per_s();
    const auto wave = [&](const Vec3& x, double t) { return std::sin(k * (dot(n, x) - vp * t)); };
    WaveParams params = params_of(1);
    params.order = 6;
    params.end_s = params.interval_s = 0.3;
    WavePoints points;
    points.strains = {place(model, {0.21, -0.4, 0.13})};
    comm::SerialComm comm;
    const auto solver = make_wave_solver(model, params, points, comm);
    // v = n f(n.x - vp t) has the strain -n n f/vp.
    solver->start_from([&](const Vec3& x) {
        const double f = wave(x, 0.0), pair = 2 * solid.mu_pa / 3, own = solid.lambda_pa + pair;
        return std::array<double, 9>{-own * f / vp,  -own * f / vp,  -own * f / vp,
                                     -pair * f / vp, -pair * f / vp, -pair * f / vp,
                                     n.x * f,        n.y * f,        n.z * f};
    });
    solver->advance(solver->macro_steps());
    const std::vector<float> seen = solver->take_record();

    ASSERT_EQ(seen.size(), 12U);
    for (std::size_t sample = 0; sample < 2; ++sample) {
        const double f = wave(points.strains[0].at_m, 0.3 * double(sample));
        for (std::size_t c = 0; c < 6; ++c) {
            EXPECT_NEAR(seen[6 * sample + c], -f / (3 * vp), 1e-3) << sample << " " << c;
        }
    }
}

TEST(Strains, InALiquidAreRefused) {
    WaveModel model = box_of_cubes({2, 2, 2}, {-1, -1, -1}, {1, 1, 1}, solid_of(1.0, 1.5, 0.0));
    WavePoints points;
    points.strains = {place(model, {0.1, 0.2, 0.3})};
    comm::SerialComm comm;
    try {
        (void)make_wave_solver(model, params_of(1), points, comm);
        FAIL();
    } catch (const ValidationError& error) {
        ASSERT_EQ(error.violations().size(), 1U);
        EXPECT_EQ(error.violations()[0].field, "strains[0].tet");
        EXPECT_NE(error.violations()[0].message.find("liquid"), std::string::npos);
    }
}

}  // namespace
}  // namespace kaname::aderdg::reciprocity_test
