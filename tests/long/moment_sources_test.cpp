// SPDX-License-Identifier: BSD-3-Clause
// Moment sources at a vertex of the mesh, beside one, near an edge and inside of elements, on the
// meshes that jobs have, against the closed form of a whole space. Velocities are compared as long
// as nothing has come back from the sides.
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/comm/comm.hpp"
#include "tests/support/loh1_box.hpp"
#include "tests/support/wave_cubes.hpp"
#include "tests/support/whole_space.hpp"
#include "worker/jobs/ader_dg/seismic_model.hpp"

namespace kaname::jobs::moment_sources_test {
namespace {

constexpr int kLanes = 4;
constexpr double kMost = 0.02;       // misfit wherever a source lies
constexpr double kMostMoved = 0.01;  // change for a move of three metres, of the peak

struct Pulse {
    double width_s;

    [[nodiscard]] double centre_s() const { return 4.0 * width_s; }
    [[nodiscard]] double rate(double t_s) const {
        const double a = (t_s - centre_s()) / width_s;
        return std::exp(-0.5 * a * a) / (std::sqrt(2.0 * M_PI) * width_s);
    }
    [[nodiscard]] double change_of_rate(double t_s) const {
        return -(t_s - centre_s()) / (width_s * width_s) * rate(t_s);
    }
};

/// A cube of one rock whose sides absorb, its middle at half of the depth.
struct Cube {
    test::WholeSpace space;
    double size_m, frequency_hz, per_wavelength;
    std::array<double, 6> moment_nm;
    Pulse pulse;
    double end_s, interval_s = 0.02;

    [[nodiscard]] Vec3 middle() const { return {0.0, 0.0, -0.5 * size_m}; }
};

class MomentSources : public testing::Test {
protected:
    using Series = std::vector<std::array<double, 3>>;

    /// Velocity of all sources, as many as lanes, at all receivers: [source][receiver][sample].
    static std::vector<std::vector<Series>> solve(const Cube& cube, int order,
                                                  std::span<const Vec3> sources,
                                                  std::span<const Vec3> receivers) {
        SeismicJob job;
        LayeredBox box{cube.size_m, cube.size_m, cube.size_m, {}};
        box.layers.materials = {test::rock("rock", cube.space.vp_m_per_s, cube.space.vs_m_per_s,
                                           cube.space.density_kg_m3)};
        box.layers.layers = {{0, std::nullopt}};
        job.mesh.model = box;
        job.mesh.max_frequency_hz = cube.frequency_hz;
        job.mesh.elements_per_wavelength = cube.per_wavelength;
        job.mesh.order = order;
        job.mesh.sides.fill(aderdg::Boundary::Absorbing);
        for (const Vec3& at : sources) {
            SeismicJob::Source& source = job.sources.emplace_back();
            source.id = source.field = "s" + std::to_string(job.sources.size());
            source.at.xyz_m = {at.x, at.y, at.z};
            source.moment_nm = cube.moment_nm;
        }
        for (const Vec3& at : receivers) {
            WaveReceiver& receiver = job.receivers.emplace_back();
            receiver.id = receiver.field = "r" + std::to_string(job.receivers.size());
            receiver.at.xyz_m = {at.x, at.y, at.z};
        }
        const SeismicMesh made = plan_mesh(job).build();
        aderdg::WaveParams params;
        params.order = order;
        params.lanes = kLanes;
        params.end_s = cube.end_s;
        params.interval_s = cube.interval_s;
        params.motion = aderdg::Motion::Velocity;
        aderdg::WavePoints points;
        for (int lane = 0; lane < kLanes; ++lane) {
            aderdg::PointSource source;
            source.lane = lane;
            source.at = aderdg::tet_at(made.model, sources[lane]);
            source.moment_nm = cube.moment_nm;
            source.rate = [pulse = cube.pulse](double t) { return pulse.rate(t); };
            source.until_s = 2.0 * cube.pulse.centre_s();
            points.sources.push_back(source);
        }
        for (const Vec3& at : receivers) {
            points.receivers.push_back(aderdg::tet_at(made.model, at));
        }
        comm::SerialComm comm;
        const auto solver = make_wave_solver(made.model, params, points, comm);
        solver->advance(solver->macro_steps());
        const std::vector<float> record = solver->take_record();
        const std::size_t each = 3 * receivers.size();
        std::vector<std::vector<Series>> all(kLanes, std::vector<Series>(receivers.size()));
        for (std::size_t row = 0; (row + 1) * each <= record.size(); ++row) {
            for (std::size_t r = 0; r < receivers.size(); ++r) {
                const float* v = record.data() + row * each + 3 * r;
                all[row % kLanes][r].push_back({v[0], v[1], v[2]});
            }
        }
        return all;
    }

    /// Relative L2 misfit over samples and components.
    static double misfit(const Cube& cube, const Vec3& source, const Vec3& receiver,
                         const Series& found) {
        const Vec3 x = receiver - source;
        double error = 0.0, size = 0.0;
        for (std::size_t k = 0; k < found.size(); ++k) {
            // The velocity is the displacement of the moment's rate.
            const auto right = cube.space.moment(
                {x.x, x.y, x.z}, cube.moment_nm, [&](double t) { return cube.pulse.rate(t); },
                [&](double t) { return cube.pulse.change_of_rate(t); },
                static_cast<double>(k) * cube.interval_s);
            for (std::size_t c = 0; c < 3; ++c) {
                error += std::pow(found[k][c] - right[c], 2);
                size += right[c] * right[c];
            }
        }
        return std::sqrt(error / size);
    }

    /// Largest difference of two seismograms over the peak of one.
    static double change(const Series& one, const Series& other) {
        double most = 0.0, peak = 0.0;
        for (std::size_t k = 0; k < one.size(); ++k) {
            for (std::size_t c = 0; c < 3; ++c) {
                most = std::max(most, std::abs(one[k][c] - other[k][c]));
                peak = std::max(peak, std::abs(one[k][c]));
            }
        }
        return most / peak;
    }
};

class AtOrders : public MomentSources, public testing::WithParamInterface<int> {};

TEST_P(AtOrders, AreRightWhereverTheyLie) {
    // Cubes of 1067 m, as of a box of 16 km with two elements in an S wavelength; the middle is a
    // vertex of theirs.
    const Cube cube{{2500.0, 3000.0, 1700.0},    9.6 * 1000.0, 0.9, 2.0,
                    {1e15, 1e15, 1e15, 0, 0, 0}, {0.4},        3.2};
    const std::array<std::array<Vec3, kLanes>, 2> places = {
        {{Vec3{0, 0, 0}, {1, 2, -2}, {300, 0, 0}, {301, 2, -2}},
         {Vec3{10, 7, -4}, {237, 311, -133}, {-410, 150, 300}, {333, -470, -390}}}};
    const std::array<Vec3, 6> from = {Vec3{2000, 0, 0}, {0, 2000, 0},       {0, 0, 2000},
                                      {-2000, 0, 0},    {1200, 1200, 1200}, {-1200, 1200, -1200}};
    for (const auto& pack : places) {
        std::vector<Vec3> sources, receivers;
        for (const Vec3& place : pack) {
            sources.push_back(cube.middle() + place);
            for (const Vec3& apart : from) {
                receivers.push_back(sources.back() + apart);
            }
        }
        const auto found = solve(cube, GetParam(), sources, receivers);
        for (std::size_t s = 0; s < kLanes; ++s) {
            double worst = 0.0;
            for (std::size_t r = 0; r < from.size(); ++r) {
                const std::size_t at = from.size() * s + r;
                worst = std::max(worst, misfit(cube, sources[s], receivers[at], found[s][at]));
            }
            std::cout << "order " << GetParam() << " at " << pack[s].x << " " << pack[s].y << " "
                      << pack[s].z << " m of a vertex: " << worst << std::endl;
            EXPECT_LT(worst, kMost) << pack[s].x << " " << pack[s].y << " " << pack[s].z;
        }
        for (std::size_t s = 0; &pack == &places[0] && s < kLanes; s += 2) {
            for (std::size_t r = 0; r < receivers.size(); ++r) {
                EXPECT_LT(change(found[s][r], found[s + 1][r]), kMostMoved) << s << " " << r;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Orders, AtOrders, testing::Values(3, 4, 5),
                         [](const auto& info) { return std::to_string(info.param); });

TEST_F(MomentSources, AreRightFromAThirdOfAWavelengthOn) {
    // Sides 6 km away send nothing back until then. Sides 4.5 km away do, and the farthest receiver
    // is 5 % off.
    const Cube cube{{2700.0, 6000.0, 3464.0}, 12e3, 1.0, 3.3, {0, 0, 0, 0, 0, 1e18}, {0.3}, 2.4};
    const std::array<Vec3, kLanes> sources = {cube.middle(), cube.middle() + Vec3{1, 2, -0.5},
                                              cube.middle() + Vec3{-1, 2, 0.5},
                                              cube.middle() + Vec3{137, -211, 110}};
    std::vector<Vec3> receivers;
    for (const Vec3& apart : {Vec3{600, 800, 0},
                              {-800, 600, -10},
                              {900, 1200, 0},
                              {1200, 1600, 0},
                              {1600, -1200, 100},
                              {1800, 2400, 0}}) {
        receivers.push_back(cube.middle() + apart);
    }
    const auto found = solve(cube, 4, sources, receivers);
    for (std::size_t r = 0; r < receivers.size(); ++r) {
        for (std::size_t s = 0; s < kLanes; ++s) {
            const double off = misfit(cube, sources[s], receivers[r], found[s][r]);
            std::cout << "source " << s << ", receiver " << r << ": " << off << std::endl;
            EXPECT_LT(off, kMost) << s << " " << r;
        }
        for (const std::size_t s : {1, 2}) {
            EXPECT_LT(change(found[0][r], found[s][r]), kMostMoved) << s << " " << r;
        }
    }
}

}  // namespace
}  // namespace kaname::jobs::moment_sources_test
