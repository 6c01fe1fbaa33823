// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "solvers/viscoelastic/model/nodal_stress.hpp"
#include "solvers/viscoelastic/spectrum/spectrum_solver.hpp"
#include "tests/support/banded_solve.hpp"
#include "tests/unit/solvers/viscoelastic/box_model.hpp"

namespace kaname::viscoelastic {

/// Motion of a small body after a step in slip, by dense matrices and numerical inversion of the
/// Laplace transform: no basis, no shifts, no iterations. K(g(z)) u(z) = f(g(z)) at complex z on
/// the modified Talbot contour of Dingfelder and Weideman (2015), 16 points: 1e-8 of u.
class LaplaceReference {
public:
    LaplaceReference(const Model& model, const RelaxationGroups& groups,
                     std::span<const ElementOffset> offsets, device::Queue& queue)
        : relaxation_(groups.relaxation) {
        add_part(model, model.relaxed_to(groups.elastic()), offsets, queue);
        for (std::size_t group = 0; group < relaxation_.size(); ++group) {
            add_part(model, model.relaxing(groups.only(static_cast<int>(group))), offsets, queue);
        }
        elastic_ = solve({1.0, 0.0}, true);
    }

    /// u(t) - u(0) [node][3][4].
    [[nodiscard]] std::vector<double> change(double t_s) const {
        constexpr int kPoints = 16;
        std::vector<double> sum(size_, 0.0);
        for (int k = 0; k < kPoints / 2; ++k) {
            const double theta = (2 * k + 1) * std::numbers::pi / kPoints;
            const double scale = kPoints / t_s;
            const double cot = 1.0 / std::tan(0.6407 * theta);
            const Complex z = scale * Complex(0.5017 * theta * cot - 0.6122, 0.2645 * theta);
            const Complex dz =
                scale * Complex(0.5017 * cot - 0.5017 * 0.6407 * theta * (1.0 + cot * cot), 0.2645);
            const Complex weight =
                std::exp(z * t_s) * dz / z * Complex(0.0, -2.0 / kPoints);  // both halves
            const std::vector<Complex> u = solve(z, false);
            for (std::size_t i = 0; i < free_.size(); ++i) {
                for (int lane = 0; lane < kLanes; ++lane) {
                    const std::size_t at = i * kLanes + lane;
                    sum[free_[i] * kLanes + lane] += (weight * (u[at] - elastic_[at])).real();
                }
            }
        }
        return sum;
    }

private:
    using Complex = std::complex<double>;
    static constexpr int kLanes = lanes::kLanes;

    /// K and f of one part, of the free degrees of freedom in the order of their nodes' x.
    void add_part(const Model& model, const ElementModuli& moduli,
                  std::span<const ElementOffset> offsets, device::Queue& queue) {
        EbeOperator<double> K(model, moduli, queue);
        size_ = model.vector_size();
        const std::size_t n_all = size_ / kLanes;
        device::Buffer<double> x(size_);
        device::Buffer<double> y(size_);
        if (free_.empty()) {
            lanes::fill<double>(1.0, x, queue);
            lanes::zero_dofs<double>(K.fixed(), x, queue);
            for (std::size_t i = 0; i < n_all; ++i) {
                if (x[i * kLanes] != 0.0) {
                    free_.push_back(i);
                }
            }
            const auto& xyz = model.mesh().node_xyz;
            std::stable_sort(free_.begin(), free_.end(), [&](std::size_t a, std::size_t b) {
                return xyz[a / 3].x < xyz[b / 3].x;
            });
        }
        const std::size_t n = free_.size();
        std::vector<double> A(n * n);
        for (std::size_t column = 0; column < n; column += kLanes) {
            lanes::fill<double>(0.0, x, queue);
            const std::size_t count = std::min<std::size_t>(kLanes, n - column);
            for (std::size_t k = 0; k < count; ++k) {
                x[free_[column + k] * kLanes + k] = 1.0;
            }
            K.apply(x, y, queue);
            for (std::size_t i = 0; i < n; ++i) {
                for (std::size_t k = 0; k < count; ++k) {
                    A[i * n + column + k] = y[free_[i] * kLanes + k];
                    if (A[i * n + column + k] != 0.0 && i > column + k) {
                        band_ = std::max(band_, i - column - k);
                    }
                }
            }
        }
        A_.push_back(std::move(A));
        lanes::fill<double>(0.0, y, queue);
        const device::Mirror<ElementOffset> on_queue(offsets, queue);
        const device::Mirror<double> lam(moduli.lam, queue);
        const device::Mirror<double> mu(moduli.mu, queue);
        const ElementData data = model.elements(queue).data(lam, mu);
        offset_force({data, on_queue, y}, queue);
        nodal_offset_force(model, moduli, on_queue, y, queue);
        if (moduli.buoyant) {
            buoyant_offset_force(*model.buoyancy(), model.mesh(), offsets, y, queue);
        }
        f_.emplace_back();
        for (const std::size_t i : free_) {
            f_.back().insert(f_.back().end(), y.data() + i * kLanes, y.data() + (i + 1) * kLanes);
        }
    }

    /// g(z), a sum of z / (z + rate).
    [[nodiscard]] static Complex at(const Relaxation& relaxation, Complex z) {
        Complex g = 0.0;
        for (const auto& branch : relaxation.branches) {
            g += branch.rate_per_s > 0.0 ? branch.share * z / (z + branch.rate_per_s)
                                         : Complex(branch.share);
        }
        return g;
    }

    /// K u = f by L D L^T within the band; unrelaxed: g = 1.
    [[nodiscard]] std::vector<Complex> solve(Complex z, bool unrelaxed) const {
        const std::size_t n = free_.size();
        std::vector<double> re = A_[0];
        std::vector<double> im(n * n, 0.0);
        std::vector<Complex> u(f_[0].begin(), f_[0].end());
        for (std::size_t j = 0; j < relaxation_.size(); ++j) {
            const Complex g = unrelaxed ? 1.0 : at(relaxation_[j], z);
            for (std::size_t row = 0; row < n; ++row) {
                const std::size_t end = row * n + std::min(n, row + band_ + 1);
                for (std::size_t i = row * n + row; i < end; ++i) {
                    re[i] += g.real() * A_[j + 1][i];
                    im[i] += g.imag() * A_[j + 1][i];
                }
            }
            for (std::size_t i = 0; i < u.size(); ++i) {
                u[i] += g * f_[j + 1][i];
            }
        }
        test::solve_banded({n, band_, re, im}, kLanes, u);
        return u;
    }

    std::vector<Relaxation> relaxation_;
    std::size_t size_ = 0;
    std::size_t band_ = 0;
    std::vector<std::size_t> free_;
    std::vector<std::vector<double>> A_, f_;  ///< elastic, groups
    std::vector<Complex> elastic_;
};

}  // namespace kaname::viscoelastic
