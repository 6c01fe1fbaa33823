// SPDX-License-Identifier: BSD-3-Clause
// Time in datasets: relaxation spectrum against steps, slip histories, reduced models.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/convergence/dataset_fixture.hpp"
#include "worker/jobs/greens/reduced_record.hpp"

#if defined(KANAME_HAVE_PROJ) && defined(KANAME_HAVE_HDF5)

namespace kaname::convergence::dataset_time_test {
namespace {

using DatasetInTime = Dataset;

TEST_F(DatasetInTime, SpectrumGivesTheTimeSteps) {
    far_east();
    mesh();
    std::vector<GreensDataset> stepped;
    for (const double step_s : {1e7, 5e6}) {
        job_.time.step_s = step_s;
        job_.solve_key = std::to_string(step_s);
        job_.time.epochs_s = {0.0, 2e7, 6e7, 1.2e8};
        solve();
        stepped.push_back(package());
    }
    job_.time.step_s = 0.0;
    job_.time.method = jobs::TimeMethod::Spectrum;
    job_.solve_key = "spectrum";
    solve();

    const GreensDataset data = package();

    EXPECT_EQ(summary_.sources_done, 2);
    for (std::size_t s = 0; s < 2; ++s) {
        for (std::size_t t = 1; t < data.epochs_s.size(); ++t) {
            double size = 0.0;
            double apart = 0.0;
            for (std::size_t k = 0; k < 3; ++k) {
                // Richardson: the trapezoidal rule is of second order.
                const auto change = [&](const GreensDataset& d) {
                    return value(d, s, t, k) - value(d, s, 0, k);
                };
                const Vec3 exact =
                    (4.0 / 3.0) * change(stepped[1]) - (1.0 / 3.0) * change(stepped[0]);
                size = std::max(size, norm(exact));
                apart = std::max(apart, norm(change(data) - exact));
            }
            EXPECT_GT(size, 1e-4);
            EXPECT_LT(apart, 2e-5 * size) << data.epochs_s[t];
        }
    }
    EXPECT_GE(data.step_time_s.size(), 4u);
    EXPECT_GT(data.shift_per_s[1], 0.0);
}

TEST_F(DatasetInTime, SlipHistoriesNeedNoNewSolution) {
    far_east();
    job_.time.step_s = 5e6;
    job_.time.epochs_s = {0.0, 2e7, 6e7, 1.2e8};
    mesh();
    solve();
    const GreensDataset step = package();

    // Two events, of a third at once and of the rest 4e7 s later.
    job_.slip_history = {
        jobs::HistoryKind::Table, 0.0, 0.0, {0.0, 4e7, 4e7}, {1.0 / 3.0, 1.0 / 3.0, 1.0}};
    const GreensDataset events = package();
    job_.slip_history = {jobs::HistoryKind::Ramp, 1e8};
    const GreensDataset ramp = package();
    EXPECT_EQ(solve().sources_reused, 2);

    EXPECT_EQ(events.slip_history, "table");
    for (std::size_t s = 0; s < 2; ++s) {
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3 last = value(events, s, 3, k);
            const Vec3 first_event = (1.0 / 3.0) * value(step, s, 3, k);
            const Vec3 rest = last - first_event;  // 8e7 s after the second event
            const Vec3 at_6e7 = (2.0 / 3.0) * value(step, s, 2, k);
            const Vec3 at_end = (2.0 / 3.0) * value(step, s, 3, k);
            // 8e7 lies between the two, a third of the way.
            EXPECT_LT(norm(rest - at_6e7 - 0.37 * (at_end - at_6e7)), 0.1 * norm(at_end - at_6e7));
            EXPECT_EQ(norm(value(ramp, s, 0, k)), 0.0);
            // Slip is on average 7e7 s old at the end.
            const Vec3 apart = value(ramp, s, 3, k) - value(step, s, 2, k);
            EXPECT_LT(norm(apart), 0.3 * norm(value(step, s, 3, k) - value(step, s, 2, k)));
        }
    }
    // The spectrum must give these displacements too.
    job_.time.step_s = 0.0;
    job_.time.method = jobs::TimeMethod::Spectrum;
    job_.solve_key = "spectrum";
    solve();
    const GreensDataset spectrum = package();
    double size = 0.0;
    double apart = 0.0;
    for (std::size_t i = 0; i < ramp.greens.size(); ++i) {
        size = std::max(size, std::abs(ramp.greens[i]));
        apart = std::max(apart, std::abs(ramp.greens[i] - spectrum.greens[i]));
    }
    EXPECT_LT(apart, 1e-5 * size);
}

TEST_F(DatasetInTime, StoredReducedModelAnswersForAnotherViscosity) {
    // With one viscosity, half of it gives the same motion in half the time.
    far_east();
    job_.time.step_s = 0.0;
    job_.time.method = jobs::TimeMethod::Spectrum;
    job_.time.epochs_s = {0.0, 4e7, 8e7};
    mesh();
    solve();
    const GreensDataset data = package();

    ASSERT_EQ(data.reduced.size(), 2u);
    for (std::size_t s = 0; s < 2; ++s) {
        io::ReducedMatrices softer = data.reduced[s].matrices;
        for (double& rate : softer.rate_per_s) {
            rate *= 2.0;
        }
        const auto u = jobs::motion_at(softer, data.reduced[s].fields, 9, {{0.0, 2e7, 4e7}});
        for (std::size_t t = 0; t < 3; ++t) {
            for (std::size_t k = 0; k < 3; ++k) {
                const double* at = u.data() + 9 * t + 3 * k;
                const Vec3 wanted = value(data, s, t, k);
                EXPECT_LT(norm(Vec3{at[0], at[1], at[2]} - wanted), 1e-10 * norm(wanted));
            }
        }
    }
}

}  // namespace
}  // namespace kaname::convergence::dataset_time_test

#endif
