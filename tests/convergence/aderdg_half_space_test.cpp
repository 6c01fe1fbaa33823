// SPDX-License-Identifier: BSD-3-Clause
// ADER-DG at a free surface: a vertical force on it against Lamb's problem, and reciprocity of
// points in a layered half-space.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/comm/comm.hpp"
#include "tests/support/lamb.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::convergence::aderdg_half_space_test {
namespace {

using namespace aderdg;

double ricker(double t) {  // of frequency 1 at 1.2
    const double a = M_PI * (t - 1.2);
    return (1.0 - 2.0 * a * a) * std::exp(-a * a);
}

/// A box that absorbs at all sides but the top, z = 0.
WaveModel half_space(const std::array<int, 3>& cubes, const Vec3& low, const Vec3& high,
                     const Solid& solid) {
    WaveModel model = box_of_cubes(cubes, low, high, solid);
    for (Boundary& b : model.surfaces) {
        b = Boundary::Absorbing;
    }
    model.surfaces[static_cast<int>(mesh::Side::Top)] = Boundary::Free;
    return model;
}

/// Receivers in S wavelengths of the pulse's frequency from the force.
const std::array<Vec3, 3> kReceivers = {Vec3{1.0, 0.0, 0.0}, {0.8, 0.83, 0.0}, {-1.3, 0.45, 0.0}};

/// Relative L2 misfit of the vertical displacement at each receiver until the pulse has gone by.
std::array<double, 3> misfits(int order) {
    const Solid solid = solid_of(1.0, std::sqrt(3.0), 1.0);
    const Vec3 force_at = {0.02, -0.03, 0.0};
    const WaveModel model = half_space({12, 12, 6}, {-3, -3, -3}, {3, 3, 0}, solid);
    WaveParams params;
    params.order = order;
    params.end_s = 4.0;  // before what the sides send back
    params.interval_s = 0.01;
    params.motion = Motion::Displacement;
    WavePoints points;
    PointSource source;
    source.at = tet_at(model, force_at);
    source.force_n = {0, 0, 1};
    source.rate = ricker;
    source.until_s = 2.4;
    points.sources = {source};
    std::array<double, 3> distance{};
    for (std::size_t k = 0; k < kReceivers.size(); ++k) {
        points.receivers.push_back(tet_at(model, force_at + kReceivers[k]));
        distance[k] = norm(kReceivers[k]);
    }
    comm::SerialComm comm;
    const auto solver = make_wave_solver(model, params, points, comm);
    solver->advance(solver->macro_steps());
    const std::vector<float> record = solver->take_record();
    std::array<double, 3> error{}, size{};
    for (std::size_t s = 0; 9 * s < record.size(); ++s) {
        const double t = params.interval_s * static_cast<double>(s);
        for (std::size_t k = 0; k < 3; ++k) {
            const double wanted = test::lamb(solid.mu_pa, 1.0, distance[k], ricker, t);
            error[k] += std::pow(record[9 * s + 3 * k + 2] - wanted, 2);
            size[k] += wanted * wanted;
        }
    }
    for (std::size_t k = 0; k < 3; ++k) {
        error[k] = std::sqrt(error[k] / size[k]);
    }
    return error;
}

// Two cubes in an S wavelength of the pulse's frequency. A point force on the surface, whose
// motion close by has no bound, is resolved worst.
TEST(AderDgHalfSpace, LambsProblem) {
    std::array<double, 3> last{};
    for (const int order : {4, 6}) {
        const std::array<double, 3> found = misfits(order);
        for (std::size_t k = 0; k < 3; ++k) {
            RecordProperty("order" + std::to_string(order) + "_receiver" + std::to_string(k),
                           std::to_string(found[k]));
            EXPECT_LT(found[k], order == 4 ? 0.3 : 0.025) << order << " receiver " << k;
            if (order == 6) {
                EXPECT_LT(found[k], 0.15 * last[k]) << k;
            }
        }
        last = found;
    }
}

/// Velocities at b for forces along x, y and z at a, [samples][3 forces][3].
std::vector<float> seismograms(const WaveModel& model, int order, const Vec3& a, const Vec3& b) {
    WaveParams params;
    params.order = order;
    params.lanes = 3;
    params.end_s = 3.5;
    params.interval_s = 0.02;
    WavePoints points;
    for (int lane = 0; lane < 3; ++lane) {
        PointSource source;
        source.at = tet_at(model, a);
        source.lane = lane;
        source.force_n[lane] = 1.0;
        source.rate = [](double t) { return ricker(0.75 * t); };
        source.until_s = 3.2;
        points.sources.push_back(source);
    }
    points.receivers = {tet_at(model, b)};
    comm::SerialComm comm;
    const auto solver = make_wave_solver(model, params, points, comm);
    solver->advance(solver->macro_steps());
    return solver->take_record();
}

TEST(AderDgHalfSpace, SourceAndReceiverMayBeExchanged) {
    WaveModel model =
        half_space({6, 6, 5}, {-1.5, -1.5, -2.5}, {1.5, 1.5, 0}, solid_of(1.0, 1.75, 1.0));
    model.solids.push_back(solid_of(1.3, 2.6, 1.5));
    for (std::size_t e = 0; e < model.mesh.tets.size(); ++e) {
        double z = 0.0;
        for (const std::int32_t v : model.mesh.tets[e]) {
            z += 0.25 * model.mesh.xyz[v].z;
        }
        model.mesh.material[e] = z < -1.0 ? 1 : 0;
    }
    const Vec3 deep = {0.12, -0.33, -1.6}, shallow = {0.83, 0.45, 0.0};
    std::array<double, 2> misfit{};
    for (const int order : {4, 6}) {
        const auto there = seismograms(model, order, deep, shallow);
        const auto back = seismograms(model, order, shallow, deep);
        double error = 0.0, size = 0.0;
        for (std::size_t k = 0; k < there.size(); k += 9) {
            for (std::size_t i = 0; i < 3; ++i) {
                for (std::size_t j = 0; j < 3; ++j) {
                    error += std::pow(there[k + 3 * i + j] - back[k + 3 * j + i], 2);
                    size += std::pow(there[k + 3 * i + j], 2);
                }
            }
        }
        misfit[order == 4 ? 0 : 1] = std::sqrt(error / size);
        RecordProperty("order" + std::to_string(order), std::to_string(std::sqrt(error / size)));
    }
    // The equations in space are symmetric, so that only steps make a difference: far less than
    // the misfit to the exact solution, and less for higher orders.
    EXPECT_LT(misfit[0], 0.012);
    EXPECT_LT(misfit[1], 0.006);
    EXPECT_LT(misfit[1], 0.75 * misfit[0]);
}

}  // namespace
}  // namespace kaname::convergence::aderdg_half_space_test
