// SPDX-License-Identifier: BSD-3-Clause
// Point sources in a whole space against the closed forms, and what receivers sample.
#include <cmath>
#include <span>

#include <gtest/gtest.h>

#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/comm/comm.hpp"
#include "tests/support/wave_cubes.hpp"
#include "tests/support/whole_space.hpp"

namespace kaname::aderdg::point_test {
namespace {

using Triple = std::array<double, 3>;

constexpr double kVp = 1.8, kVs = 1.0, kDensity = 1.3;
constexpr double kWidth_s = 0.5, kCentre_s = 2.5;  // of a Gaussian pulse

double pulse(double t) {
    const double a = (t - kCentre_s) / kWidth_s;
    return std::exp(-0.5 * a * a);
}
/// Its integral.
double grown(double t) {
    return kWidth_s * std::sqrt(M_PI / 2) *
           (1.0 + std::erf((t - kCentre_s) / (kWidth_s * std::sqrt(2.0))));
}

/// A cube of half width 4.2 whose sides absorb, of seven cubes or more along each side.
WaveModel box(int cubes) {
    constexpr double kHalf = 4.2;
    WaveModel model = box_of_cubes({cubes, cubes, cubes}, {-kHalf, -kHalf, -kHalf},
                                   {kHalf, kHalf, kHalf}, solid_of(kDensity, kVp, kVs));
    for (Boundary& b : model.surfaces) {
        b = Boundary::Absorbing;
    }
    return model;
}

const Vec3 kSource = {0.13, -0.21, 0.08};
const std::array<Vec3, 4> kReceivers = {
    Vec3{1.9, 0.7, -0.4}, {-0.6, 2.2, 0.9}, {0.4, -0.3, 1.9}, {-1.3, -1.2, -1.4}};

WaveParams params_of(int order) {
    WaveParams params;
    params.order = order;
    params.end_s = 5.5;  // nothing has come back from the sides by then
    params.interval_s = 0.0731;
    params.motion = Motion::Displacement;
    return params;
}

PointSource source_at(const WaveModel& model) {
    PointSource source;
    source.at = tet_at(model, kSource);
    source.rate = pulse;
    source.until_s = 2.0 * kCentre_s;
    return source;
}

std::vector<float> record_of(const WaveModel& model, const WaveParams& params,
                             const std::vector<PointSource>& sources,
                             std::span<const Vec3> receivers) {
    WavePoints points;
    points.sources = sources;
    for (const Vec3& x : receivers) {
        points.receivers.push_back(tet_at(model, x));
    }
    comm::SerialComm comm;
    const auto solver = make_wave_solver(model, params, points, comm);
    solver->advance(solver->macro_steps());
    return solver->take_record();
}

/// Relative L2 misfit of lane `lane` over time and components at all receivers.
template <class Wanted>
double misfit(const std::vector<float>& record, const WaveParams& params, int lane,
              const Wanted& wanted) {
    const std::size_t each = kReceivers.size() * 3;
    double error = 0.0, size = 0.0;
    for (std::size_t s = 0; s * params.lanes * each < record.size(); ++s) {
        for (std::size_t r = 0; r < kReceivers.size(); ++r) {
            const Vec3 apart = kReceivers[r] - kSource;
            const Triple u = wanted(Triple{apart.x, apart.y, apart.z},
                                    static_cast<double>(s) * params.interval_s);
            for (std::size_t c = 0; c < 3; ++c) {
                error += std::pow(record[(s * params.lanes + lane) * each + 3 * r + c] - u[c], 2);
                size += u[c] * u[c];
            }
        }
    }
    return std::sqrt(error / size);
}

TEST(PointSources, AreThoseOfAWholeSpace) {
    const test::WholeSpace space{kDensity, kVp, kVs};
    const Triple force = {0.3, -1.0, 0.6};
    // Explosion; strike slip; one with all components, whose trace is not 0.
    const std::array<std::array<double, 6>, 3> moments = {
        {{1, 1, 1, 0, 0, 0}, {0, 0, 0, 0, 0, 1}, {0.4, -0.7, 0.1, 0.5, -0.3, 0.2}}};
    std::array<double, 4> last{};
    for (const int order : {3, 5}) {
        const WaveModel model = box(8);
        WaveParams params = params_of(order);
        params.lanes = 4;
        std::vector<PointSource> sources(4, source_at(model));
        sources[0].force_n = force;
        for (int k = 1; k < 4; ++k) {
            sources[k].lane = k;
            sources[k].moment_nm = moments[k - 1];
        }
        const std::vector<float> record = record_of(model, params, sources, kReceivers);
        std::array<double, 4> found{};
        found[0] = misfit(record, params, 0, [&](const Triple& x, double t) {
            return space.force(x, force, pulse, t);
        });
        for (int k = 1; k < 4; ++k) {
            found[k] = misfit(record, params, k, [&](const Triple& x, double t) {
                return space.moment(x, moments[k - 1], grown, pulse, t);
            });
        }
        for (int k = 0; k < 4; ++k) {
            RecordProperty("order" + std::to_string(order) + "_source" + std::to_string(k),
                           std::to_string(found[k]));
            EXPECT_LT(found[k], order == 3 ? 0.22 : 0.03) << order << " " << k;
            if (order == 5) {
                EXPECT_LT(found[k], 0.25 * last[k]) << k;
            }
        }
        last = found;
    }
}

TEST(PointSources, MomentsAreRightWhereverTheyLie) {
    constexpr int kCubes = 9;
    const WaveModel model = box(kCubes);
    const double edge = 2.0 * 4.2 / kCubes;  // of the cubes
    const Vec3 vertex = {0.5 * edge, -0.5 * edge, 0.5 * edge};
    const test::WholeSpace space{kDensity, kVp, kVs};
    const std::array<double, 6> moment = {1, 1, 1, 0, 0, 0};
    // A vertex, 1 % of an edge from it, the middle of an edge, and inside of an element.
    const std::array<Vec3, 4> places = {vertex, vertex + edge * Vec3{0.007, -0.006, 0.004},
                                        vertex + edge * Vec3{0.5, 0, 0},
                                        vertex + edge * Vec3{0.23, 0.31, -0.13}};
    WaveParams params = params_of(4);
    params.lanes = 4;
    WavePoints points;
    for (int lane = 0; lane < 4; ++lane) {
        points.sources.push_back(
            {lane, tet_at(model, places[lane]), {}, moment, pulse, 0.0, 2.0 * kCentre_s});
        for (const Vec3& receiver : kReceivers) {
            points.receivers.push_back(tet_at(model, vertex + receiver));
        }
    }
    comm::SerialComm comm;
    const auto solver = make_wave_solver(model, params, points, comm);
    solver->advance(solver->macro_steps());
    const std::vector<float> record = solver->take_record();

    const std::size_t each = points.receivers.size() * 3;
    for (int lane = 0; lane < 4; ++lane) {
        double error = 0.0, size = 0.0;
        for (std::size_t s = 0; s * 4 * each < record.size(); ++s) {
            for (std::size_t r = 0; r < kReceivers.size(); ++r) {
                const Vec3 x = vertex + kReceivers[r] - places[lane];
                const Triple u = space.moment({x.x, x.y, x.z}, moment, grown, pulse,
                                              static_cast<double>(s) * params.interval_s);
                for (std::size_t c = 0; c < 3; ++c) {
                    error +=
                        std::pow(record[(s * 4 + lane) * each + 3 * (4 * lane + r) + c] - u[c], 2);
                    size += u[c] * u[c];
                }
            }
        }
        const double misfit = std::sqrt(error / size);
        RecordProperty("place" + std::to_string(lane), std::to_string(misfit));
        EXPECT_LT(misfit, 0.02) << lane;
    }
}

TEST(Receivers, SampleTheSameAtAnyInterval) {
    const WaveModel model = box(7);
    PointSource source = source_at(model);
    source.force_n = {0.3, -1.0, 0.6};
    source.moment_nm = {0.4, -0.7, 0.1, 0.5, -0.3, 0.2};
    const std::array<Vec3, 3> receivers = {kSource + Vec3{0.05, 0.1, -0.02},  // beside the source
                                           kReceivers[0], kReceivers[3]};
    for (const Motion motion : {Motion::Velocity, Motion::Displacement}) {
        WaveParams params = params_of(4);
        params.motion = motion;
        const auto coarse = record_of(model, params, {source}, receivers);
        params.interval_s /= 12;
        const auto fine = record_of(model, params, {source}, receivers);
        const std::size_t each = receivers.size() * 3;
        ASSERT_EQ(coarse.size() / each, std::size_t(params.end_s / (12 * params.interval_s)) + 1);
        for (std::size_t k = 0; k < coarse.size(); ++k) {
            const float same = fine[12 * (k / each) * each + k % each];
            ASSERT_NEAR(coarse[k], same, 1e-6 * std::abs(same) + 1e-12) << k;
        }
    }
}

TEST(Receivers, DisplacementIsTheIntegralOfVelocity) {
    const WaveModel model = box(7);
    PointSource source = source_at(model);
    source.moment_nm = {0.4, -0.7, 0.1, 0.5, -0.3, 0.2};
    WaveParams params = params_of(4);
    params.interval_s = 0.01;
    const auto displacement = record_of(model, params, {source}, kReceivers);
    params.motion = Motion::Velocity;
    const auto velocity = record_of(model, params, {source}, kReceivers);
    const std::size_t each = kReceivers.size() * 3;
    ASSERT_EQ(displacement.size(), velocity.size());
    float largest = 0.0F;
    for (const float u : displacement) {
        largest = std::max(largest, std::abs(u));
    }
    std::vector<double> sum(each);
    for (std::size_t k = each; k < velocity.size(); ++k) {  // trapezoids
        sum[k % each] += 0.5 * params.interval_s * (velocity[k] + velocity[k - each]);
        EXPECT_NEAR(sum[k % each], displacement[k], 5e-4 * largest) << k;
    }
}

TEST(Receivers, PeaksAreTheLargestSpeeds) {
    const WaveModel model = box(7);
    PointSource source = source_at(model);
    source.force_n = {0.3, -1.0, 0.6};
    WaveParams params = params_of(4);
    params.motion = Motion::Velocity;
    params.interval_s = 0.005;
    WavePoints points;
    points.sources = {source};
    for (const Vec3& x : kReceivers) {
        points.receivers.push_back(tet_at(model, x));
    }
    points.peaks = points.receivers;
    comm::SerialComm comm;
    const auto solver = make_wave_solver(model, params, points, comm);
    solver->advance(solver->macro_steps());
    const std::vector<float> record = solver->take_record(), peaks = solver->peak_velocity();
    const std::vector<float> now = solver->velocity_at(points.receivers);
    const std::size_t each = kReceivers.size() * 3;
    for (std::size_t r = 0; r < kReceivers.size(); ++r) {
        float horizontal = 0.0F, vertical = 0.0F;
        for (std::size_t k = 3 * r; k < record.size(); k += each) {
            horizontal = std::max(horizontal, std::hypot(record[k], record[k + 1]));
            vertical = std::max(vertical, std::abs(record[k + 2]));
        }
        // At the ends of steps, between which a smooth peak is hardly larger.
        EXPECT_NEAR(peaks[2 * r] / horizontal, 1.0, 1e-2) << r;
        EXPECT_NEAR(peaks[2 * r + 1] / vertical, 1.0, 1e-2) << r;
        // The last sample is at the end, before the neighbours' part of the last step.
        for (std::size_t c = 0; c < 3; ++c) {
            EXPECT_NEAR(now[3 * r + c], record[record.size() - each + 3 * r + c],
                        1e-2 * horizontal);
        }
    }
}

}  // namespace
}  // namespace kaname::aderdg::point_test
