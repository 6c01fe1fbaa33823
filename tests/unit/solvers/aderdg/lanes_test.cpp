// SPDX-License-Identifier: BSD-3-Clause
// Sources together are those sources alone, for any number of threads, bit for bit.
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/device/threads.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::aderdg::lanes_test {
namespace {

WaveModel model_of(int mechanisms) {
    WaveModel model = box_of_cubes({6, 4, 4}, {-1, -1, -1}, {1, 1, 1}, solid_of(1.0, 2.0, 1.1));
    for (int l = 0; l < mechanisms; ++l) {
        model.solids[0].mechanisms.push_back({3.0 * (l + 1), 0.1, 0.05});
    }
    for (Vec3& v : model.mesh.xyz) {
        v.x *= 0.15 + 0.85 * v.x * v.x;
    }
    return model;
}

struct Result {
    std::vector<float> record;  ///< [samples][lanes][receivers][3]
    std::vector<float> peaks;   ///< [lanes][receivers][2]
};

/// Solves for sources first..first + n - 1 of four.
Result run(const WaveModel& model, Precision precision, int first, int n) {
    WaveParams params;
    params.order = 4;
    params.precision = precision;
    params.lanes = n;
    params.end_s = 0.3;
    params.interval_s = 0.0123;
    WavePoints points;
    for (int lane = 0; lane < n; ++lane) {
        const int k = first + lane;
        PointSource source;
        source.lane = lane;
        source.at = tet_at(model, {0.02, 0.2 * k - 0.3, 0.3});
        source.force_n = {1.0, 0.5 * k, -1.0};
        source.moment_nm = {0.1, 0.2, -0.1, 0.0, 0.3, 0.1 * k};
        source.rate = [](double t) { return std::pow(std::sin(10.0 * M_PI * t), 2); };
        source.until_s = 0.2;
        points.sources.push_back(source);
    }
    for (const Vec3& x :
         {Vec3{0.01, 0.4, 0.2}, {-0.7, -0.3, 0.1}, {0.6, 0.7, -0.8}, {0.03, 0.05, 0.31}}) {
        points.receivers.push_back(tet_at(model, x));
    }
    points.peaks = points.receivers;
    comm::SerialComm comm;
    const auto solver = make_wave_solver(model, params, points, comm);
    EXPECT_GE(solver->clusters().elements.size(), 3u);
    solver->advance(solver->macro_steps());
    return {solver->take_record(), solver->peak_velocity()};
}

TEST(Lanes, SourcesTogetherAreThoseAlone) {
    for (const int mechanisms : {0, 1}) {
        const WaveModel model = model_of(mechanisms);
        for (const Precision precision : {Precision::Single, Precision::Double}) {
            std::vector<Result> alone;
            for (int k = 0; k < 4; ++k) {
                alone.push_back(run(model, precision, k, 1));
            }
            for (const int n : {2, 3, 4}) {
                const Result together = run(model, precision, 0, n);
                const std::size_t samples = together.record.size() / (n * 12);
                ASSERT_EQ(samples * 12, alone[0].record.size());
                for (int lane = 0; lane < n; ++lane) {
                    for (std::size_t s = 0; s < samples; ++s) {
                        ASSERT_EQ(0, std::memcmp(&together.record[(s * n + lane) * 12],
                                                 &alone[lane].record[s * 12], 12 * sizeof(float)))
                            << n << " sources, lane " << lane << ", sample " << s;
                    }
                    ASSERT_EQ(0, std::memcmp(&together.peaks[lane * 8], alone[lane].peaks.data(),
                                             8 * sizeof(float)));
                }
                EXPECT_GT(together.peaks[0], 0.0F);
            }
        }
    }
}

TEST(Threads, ChangeNothing) {
    const WaveModel model = model_of(0);
    const int before = device::max_threads();
    std::vector<Result> results;
    for (const int threads : {1, 2, 3}) {
        device::set_threads(threads);
        results.push_back(run(model, Precision::Single, 0, 2));
    }
    device::set_threads(before);
    EXPECT_EQ(results[0].record, results[1].record);
    EXPECT_EQ(results[0].record, results[2].record);
    EXPECT_EQ(results[0].peaks, results[1].peaks);
    EXPECT_FALSE(results[0].record.empty());
}

}  // namespace
}  // namespace kaname::aderdg::lanes_test
