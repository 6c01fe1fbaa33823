// SPDX-License-Identifier: BSD-3-Clause
// One step: the variants against each other and against what any element must do.
#include "solvers/voxelwave/voxel_step.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>
#include <omp.h>

#include "solvers/base/error.hpp"
#include "solvers/voxelwave/element_matrices.hpp"
#include "tests/unit/solvers/voxelwave/voxel_box.hpp"

namespace kaname::voxelwave::voxel_step_test {
namespace {

constexpr double kDs_m = 2e-3, kDt_s = 1e-7;

/// A step of random fields with damping, a damping layer and a fixed node.
template <class T>
NodeField<T> stepped(Variant variant, const VoxelModel& model, int lanes, int stages = 8) {
    const auto& n = model.voxels;
    const DampingLayer layer{{n[0] / 2, 0, n[1] / 3, n[1] / 3, 0, n[2] / 2}, 1e5};
    const StepTerms terms = step_terms(model, kDt_s, {1e3, 1e-9}, layer,
                                       std::vector<std::int64_t>{4}, is_orthogonal(variant));
    NodeField<T> next(model.nodes(), lanes);
    make_step<T>(variant, model, terms, lanes, stages)
        ->step(random_field<T>(model, lanes, 1), random_field<T>(model, lanes, 2), next);
    return next;
}

/// K u [N] of a displacement u(x, y, z) [m] that is given.
template <class Displacement>
NodeField<double> force(Variant variant, const VoxelModel& model, const Displacement& u) {
    StepTerms terms = step_terms(model, kDt_s, {}, {}, {}, is_orthogonal(variant));
    NodeField<double> now(model.nodes(), 1), next = now;
    for_all(now, [&](double& value, int c, int x, int y, int z, int) {
        value = u(c, x * model.ds_m, y * model.ds_m, z * model.ds_m);
    });
    std::ranges::fill(terms.dt2_per_mass, 1.0);
    make_step<double>(variant, model, terms, 1)->step(now, now, next);
    for_all(next, [&](double& value, int c, int x, int y, int z, int) {
        value = now.of(c, x, y, z, 0) - value;
    });
    return next;
}

constexpr Variant kExact[] = {Variant::Vfem, Variant::OvfemDense, Variant::OvfemWalsh};

TEST(VoxelStep, WaysOfOneElementAgree) {
    // Sizes that no pack, tile or layer divides; one voxel thick, too.
    for (const auto voxels : {std::array{21, 37, 70}, {1, 1, 1}, {3, 1, 40}, {17, 2, 1}}) {
        const VoxelModel model = mixed_box(voxels, kDs_m);
        const NodeField<double> dense = stepped<double>(Variant::OvfemDense, model, 1);
        EXPECT_LT(apart(stepped<double>(Variant::OvfemWalsh, model, 1), dense), 1e-15);
        EXPECT_LT(apart(stepped<double>(Variant::OvfemInteger, model, 1), dense), 1e-15);
        const double four = apart(stepped<double>(Variant::OvfemInteger, model, 1, 4), dense);
        EXPECT_LT(four, 1e-8);
        EXPECT_GT(four, 1e-13) << "the number of digits makes no difference";
        EXPECT_LT(apart(stepped<float>(Variant::OvfemWalsh, model, 1), dense), 1e-6);
        EXPECT_LT(apart(stepped<float>(Variant::OvfemDense, model, 1), dense), 1e-6);
    }
}

TEST(VoxelStep, FourSourcesAreAsEachAlone) {
    const VoxelModel model = mixed_box({13, 9, 11}, kDs_m);
    const StepTerms terms = step_terms(model, kDt_s, {1e3, 1e-9}, {}, {}, true);
    for (const int lanes : {2, 4}) {
        const auto u = random_field<double>(model, lanes, 1),
                   old = random_field<double>(model, lanes, 2);
        NodeField<double> together(model.nodes(), lanes);
        make_step<double>(Variant::OvfemWalsh, model, terms, lanes)->step(u, old, together);
        for (int lane = 0; lane < lanes; ++lane) {
            NodeField<double> one(model.nodes(), 1), one_old = one, alone = one;
            for_all(one, [&](double& value, int c, int x, int y, int z, int) {
                value = u.of(c, x, y, z, lane);
                one_old.of(c, x, y, z, 0) = old.of(c, x, y, z, lane);
            });
            make_step<double>(Variant::OvfemWalsh, model, terms, 1)->step(one, one_old, alone);
            for_all(alone, [&](double& value, int c, int x, int y, int z, int) {
                ASSERT_EQ(value, together.of(c, x, y, z, lane));
            });
        }
    }
}

TEST(VoxelStep, ThreadsChangeNothing) {
    const VoxelModel model = mixed_box({21, 40, 70}, kDs_m);
    const int threads = omp_get_max_threads();
    for (const Variant variant : {Variant::Vfem, Variant::OvfemWalsh}) {
        omp_set_num_threads(1);
        const NodeField<double> one = stepped<double>(variant, model, 1);
        omp_set_num_threads(3);
        EXPECT_EQ(apart(stepped<double>(variant, model, 1), one), 0.0);
        omp_set_num_threads(threads);
    }
}

TEST(VoxelStep, EvenStrainLeavesNoForceInside) {
    const VoxelModel model = uniform_box({5, 4, 6}, kDs_m, rock());
    const double G = rock().shear_modulus_pa, lambda = rock().bulk_modulus_pa - 2.0 / 3.0 * G;
    const double gradient[3][3] = {{3e-4, 1e-4, -2e-4}, {5e-4, -1e-4, 7e-5}, {2e-5, 4e-4, 6e-4}};
    const double trace = gradient[0][0] + gradient[1][1] + gradient[2][2];
    for (const Variant variant : kExact) {
        NodeField<double> f = force(variant, model, [&](int c, double x, double y, double z) {
            return gradient[c][0] * x + gradient[c][1] * y + gradient[c][2] * z;
        });
        double on_top[3] = {};
        for_all(f, [&](double& value, int c, int x, int y, int z, int) {
            const bool inside = x > 0 && x < 5 && y > 0 && y < 4 && z > 0 && z < 6;
            EXPECT_NEAR(inside ? value : 0.0, 0.0, 1e-6);
            on_top[c] += z == 6 ? value : 0.0;
        });
        // The sum over a side is its area times the traction.
        const double area = 5 * 4 * kDs_m * kDs_m;
        EXPECT_NEAR(on_top[0] / area, G * (gradient[0][2] + gradient[2][0]), 1e-3);
        EXPECT_NEAR(on_top[1] / area, G * (gradient[1][2] + gradient[2][1]), 1e-3);
        EXPECT_NEAR(on_top[2] / area, lambda * trace + 2.0 * G * gradient[2][2], 1e-3);
    }
}

TEST(VoxelStep, TurningNeedsNoForce) {
    const VoxelModel model = mixed_box({3, 3, 3}, kDs_m);
    for (const Variant variant : kExact) {
        NodeField<double> f = force(variant, model, [](int c, double x, double y, double z) {
            const double turned[3] = {-2.0 * y + 3.0 * z, 2.0 * x - z, -3.0 * x + y};
            return 1.0 + turned[c];
        });
        for_all(f, [](double& value, int, int, int, int, int) { EXPECT_NEAR(value, 0.0, 1e-3); });
    }
}

/// Phase speed over the true one, less 1, of plane waves along a direction with a phase of `phase`
/// per voxel: (K u) . u = w^2 m at a node inside.
double dispersion(Variant variant, bool shear, std::array<double, 3> along, double phase) {
    const VoxelModel model = uniform_box({2, 2, 2}, 1.0, rock());
    const double norm = std::hypot(along[0], along[1], along[2]);
    std::array<double, 3> of = along;  // of the motion
    if (shear) {
        of = {along[1], -along[0], 0.0};
    }
    const double size = std::hypot(of[0], of[1], of[2]);
    NodeField<double> f = force(variant, model, [&](int c, double x, double y, double z) {
        return of[c] / size *
               std::cos(phase * (along[0] * (x - 1) + along[1] * (y - 1) + along[2] * (z - 1)) /
                        norm);
    });
    double w2 = 0.0;
    for (int c = 0; c < 3; ++c) {
        w2 += f.of(c, 1, 1, 1, 0) * of[c] / size / rock().density_kg_per_m3;
    }
    const double speed = shear ? rock().vs_m_per_s() : rock().vp_m_per_s();
    return std::sqrt(w2) / phase / speed - 1.0;
}

TEST(VoxelStep, PlaneWavesAreOfSecondOrder) {
    for (const Variant variant : kExact) {
        for (const bool shear : {false, true}) {
            for (const auto along :
                 {std::array{1.0, 0.0, 0.0}, {1.0, 1.0, 0.0}, {1.0, 1.0, 1.0}, {3.0, 1.0, 2.0}}) {
                const double coarse = dispersion(variant, shear, along, 0.2);
                const double fine = dispersion(variant, shear, along, 0.1);
                EXPECT_NEAR(coarse / fine, 4.0, 0.05);
                EXPECT_LT(std::abs(fine), 0.1 * 0.1 / 12.0);
            }
        }
    }
}

TEST(VoxelStep, RefusesWhatIsNoModelOrGrows) {
    const auto refusal = [](VoxelModel model, double dt_s, const DampingLayer& layer = {}) {
        try {
            (void)step_terms(model, dt_s, {}, layer, {}, true);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
            return std::string(error.what());
        }
        return std::string();
    };
    const VoxelModel good = uniform_box({2, 2, 2}, kDs_m, rock());
    EXPECT_EQ(refusal(good, kDt_s), "");
    EXPECT_NE(refusal(good, 1e-6).find("dt_s must be above 0 and at most"), std::string::npos);
    EXPECT_NE(refusal(good, kDt_s, {{2, 1, 0, 0, 0, 0}, 1.0}).find("damping layers along x"),
              std::string::npos);
    VoxelModel bad = good;
    bad.solids[0].density_kg_per_m3 = 0.0;
    EXPECT_NE(refusal(bad, kDt_s).find("solids[0].density_kg_per_m3 must be positive, got 0"),
              std::string::npos);
    bad = good;
    bad.solid_of[3] = 1;
    EXPECT_NE(refusal(bad, kDt_s).find("solid_of[3] must be below 1"), std::string::npos);
    bad = good;
    bad.voxels[1] = 0;
    EXPECT_NE(refusal(bad, kDt_s).find("at least 1 along each axis, got 0"), std::string::npos);
    EXPECT_THROW((void)Solid::of_speeds(2000.0, 1800.0, 2400.0), Error);
}

TEST(VoxelStep, TheLargestStepIsStableAndNotFarFromWhatIsNot) {
    for (const Variant variant : {Variant::Vfem, Variant::OvfemWalsh}) {
        for (const Damping damping : {Damping{}, Damping{2e4, 1e-8}}) {
            const VoxelModel model = uniform_box({6, 6, 6}, kDs_m, rock());
            const double dt_s = largest_stable_dt(model, damping, is_orthogonal(variant));
            const auto growth = [&](double factor) {
                StepTerms terms = step_terms(model, dt_s, damping, {}, {}, is_orthogonal(variant));
                for (double& value : terms.dt2_per_mass) {
                    value *= factor * factor;
                }
                terms.beta_per_dt /= factor;
                auto u = random_field<double>(model, 1, 1), old = u, next = u;
                const auto step = make_step<double>(variant, model, terms, 1);
                for (int k = 0; k < 2000; ++k) {
                    step->step(u, old, next);
                    std::swap(old, u);
                    std::swap(u, next);
                }
                double largest = 0.0;
                for_all(u, [&](double& value, int, int, int, int, int) {
                    largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : 1e300;
                });
                return largest;
            };
            EXPECT_LT(growth(1.0), 1e4);
            if (damping.alpha_per_s == 0.0) {
                // That of the whole uniform model is ds/vp, which the bound by voxels does not
                // reach.
                const double of_model_s = kDs_m / rock().vp_m_per_s();
                EXPECT_GT(growth(1.02 * of_model_s / dt_s), 1e20);
                EXPECT_GT(dt_s, 0.7 * of_model_s);
            }
        }
    }
}

TEST(Damping, IsThatOfItsBand) {
    const Damping damping = damping_of_band(0.02, 1e5, 1.25e5);
    for (const double f : {1e5, 1.125e5, 1.25e5}) {
        const double w = 2.0 * std::numbers::pi * f;
        EXPECT_NEAR(damping.alpha_per_s / (2.0 * w) + damping.beta_s * w / 2.0, 0.02, 2e-4);
    }
    EXPECT_THROW((void)damping_of_band(0.02, 2e5, 1e5), Error);
}

}  // namespace
}  // namespace kaname::voxelwave::voxel_step_test
