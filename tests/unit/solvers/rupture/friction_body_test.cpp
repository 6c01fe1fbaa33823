// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/rupture/kernels/friction_body.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/parallel/pack.hpp"
#include "solvers/rupture/point_start.hpp"
#include "tests/unit/solvers/rupture/one_face.hpp"

namespace kaname::rupture::test::friction_body_test {
namespace {

constexpr double kEta = 4.6e6;

template <class Law>
void step_alone(const kernels::FrictionStep& step, FaultFaces& faces, std::vector<double>& kept,
                const std::vector<double>& locked, std::vector<double>& mean) {
    const int padded = faces.rule().padded();
    for (int k = 0; k < padded; ++k) {
        kernels::friction_body<Law, double>(step, kEta, faces.given(0).data() + k, kept.data() + k,
                                            locked.data() + k, mean.data() + k, padded);
    }
}

/// Eleven points, all different, some of which are locked, break or open.
FaultSetup varied(FrictionLaw law) {
    FaultSetup setup;
    setup.laws = {law};
    setup.nucleation_s = 0.1;
    setup.forced_growth_s = 0.05;
    setup.at = [](const FaultPlace& place) {
        const double x = place.at_m.x / 100.0;
        FaultPoint point;
        point.traction_pa = traction(-100e6 - 20e6 * x, 60e6 + 15e6 * x, 10e6 * x - 5e6);
        point.nucleation_pa = traction(0.0, 12e6 * x, 0.0);
        point.static_friction = 0.65;
        point.dynamic_friction = 0.5;
        point.weakening_slip_m = 0.05 + 0.1 * x;
        point.forced_rupture_s = 0.02 + x;
        point.a = 0.008 + 0.004 * x;
        point.b = 0.012;
        point.state_slip_m = 0.02;
        point.weakened_friction = 0.2;
        point.weakening_rate_m_per_s = 0.1;
        point.initial_rate_m_per_s = 1e-9;
        return point;
    };
    return setup;
}

class FrictionBody : public testing::TestWithParam<FrictionLaw> {};

TEST_P(FrictionBody, PacksAreSinglePointsSideBySide) {
    const FaultSetup setup = varied(GetParam());
    FaultFaces faces(setup, rule_of(11, 3), {face_of(kEta)});
    const int padded = faces.rule().padded();
    std::vector<double> kept(faces.kept(0).begin(), faces.kept(0).end());
    std::vector<double> locked(9 * padded), mean(2 * padded), mean_alone(2 * padded);
    const double dt = 0.01;

    for (int n = 0; n < 30; ++n) {
        for (std::size_t i = 0; i < locked.size(); ++i) {
            locked[i] = 8e6 * std::sin(0.7 * static_cast<double>(i) + 0.2 * n);
            locked[i] += i / padded % 3 == 1 ? 25e6 : 0.0;
        }
        faces.step(0, n * dt, dt, locked.data(), mean.data());
        const kernels::FrictionStep step = friction_step(faces.rule(), setup, n * dt, dt);
        using Real = double;
        switch (GetParam()) {
            case FrictionLaw::LinearSlipWeakening:
                step_alone<kernels::SlipWeakening<Real>>(step, faces, kept, locked, mean_alone);
                break;
            case FrictionLaw::Ageing:
                step_alone<kernels::RateAndState<Real, kernels::Ageing>>(step, faces, kept, locked,
                                                                         mean_alone);
                break;
            case FrictionLaw::Slip:
                step_alone<kernels::RateAndState<Real, kernels::SlipLaw>>(step, faces, kept, locked,
                                                                          mean_alone);
                break;
            case FrictionLaw::FastVelocityWeakening:
                step_alone<kernels::RateAndState<Real, kernels::FastWeakening>>(step, faces, kept,
                                                                                locked, mean_alone);
                break;
        }
    }

    double fastest = 0.0;
    for (int k = 0; k < faces.rule().n_points(); ++k) {
        fastest = std::max(fastest, std::abs(mean[k]));
        EXPECT_NEAR(mean[k], mean_alone[k], 1e-11 * std::abs(mean_alone[k])) << k;
    }
    EXPECT_GT(fastest, 0.1);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        EXPECT_NEAR(faces.kept(0)[i], kept[i], 1e-11 * std::abs(kept[i])) << i / padded;
    }
}

INSTANTIATE_TEST_SUITE_P(Laws, FrictionBody,
                         testing::Values(FrictionLaw::LinearSlipWeakening, FrictionLaw::Ageing,
                                         FrictionLaw::Slip, FrictionLaw::FastVelocityWeakening));

}  // namespace
}  // namespace kaname::rupture::test::friction_body_test
