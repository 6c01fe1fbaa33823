// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "solvers/rupture/fault_faces.hpp"
#include "tests/support/gauss_legendre.hpp"

namespace kaname::rupture::test {

/// A vertical face in the plane y = 0 whose plus side is y > 0: strike is -x, dip is down.
inline FaultFaceShape face_of(double eta) {
    return {.face = 0,
            .fault = 0,
            .corners_m = {Vec3{0.0, 0.0, 0.0}, Vec3{100.0, 0.0, 0.0}, Vec3{0.0, 0.0, 100.0}},
            .normal = {0.0, 1.0, 0.0},
            .shear_impedance = eta,
            .rigidity_pa = 32e9};
}

/// sigma . normal with shear along strike and down dip.
inline Vec3 traction(double normal, double strike, double dip) {
    return {-strike, normal, -dip};
}

inline FaultRule rule_of(int n_points, int n_times) {
    FaultRule rule;
    for (int k = 0; k < n_points; ++k) {
        const double share = (k + 0.5) / n_points;
        rule.points.push_back({1.0 - share, 0.5 * share, 0.5 * share});
        rule.weights.push_back(1.0 / n_points);
    }
    std::vector<kaname::test::GaussPoint> gauss = kaname::test::gauss_legendre(n_times, 0.0, 1.0);
    std::ranges::sort(gauss, {}, &kaname::test::GaussPoint::x);
    for (const auto& point : gauss) {
        rule.times.push_back(point.x);
        rule.time_weights.push_back(point.weight);
    }
    return rule;
}

/// All points alike, under tractions that are told by time: change of normal, strike, dip.
class OneFace {
public:
    using Locked = std::function<std::array<double, 3>(double t_s)>;

    OneFace(FaultSetup setup, double eta, int n_times = 4, int n_points = 3)
        : setup_(std::move(setup)),
          faces_(setup_, rule_of(n_points, n_times), {face_of(eta)}),
          locked_(3 * n_times * faces_.rule().padded()),
          mean_(2 * faces_.rule().padded()) {}

    bool step(double dt_s, const Locked& locked) {
        const FaultRule& rule = faces_.rule();
        for (int l = 0; l < rule.n_times(); ++l) {
            const auto now = locked(time_s_ + dt_s * rule.times[l]);
            for (int comp = 0; comp < 3; ++comp) {
                std::fill_n(locked_.begin() + (3 * l + comp) * rule.padded(), rule.padded(),
                            now[comp]);
            }
        }
        const bool slips = faces_.step(0, time_s_, dt_s, locked_.data(), mean_.data());
        time_s_ += dt_s;
        return slips;
    }
    void run(double end_s, int steps, const Locked& locked) {
        for (int k = 0; k < steps; ++k) {
            step(end_s / steps, locked);
        }
    }
    [[nodiscard]] double kept(int field, int point = 0) const {
        return faces_.kept(0)[field * faces_.rule().padded() + point];
    }
    [[nodiscard]] double mean_rate(int comp) const { return mean_[comp * faces_.rule().padded()]; }
    [[nodiscard]] FaultFaces& faces() { return faces_; }

private:
    FaultSetup setup_;
    FaultFaces faces_;
    std::vector<double> locked_, mean_;
    double time_s_ = 0.0;
};

inline OneFace::Locked nothing() {
    return [](double) { return std::array<double, 3>{}; };
}

}  // namespace kaname::rupture::test
