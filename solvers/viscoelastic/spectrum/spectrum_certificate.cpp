// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/spectrum/spectrum_certificate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solvers/base/error.hpp"

namespace kaname::viscoelastic {
namespace {

double dot_from(const std::vector<double>& a, const std::vector<double>& b, std::size_t from) {
    return std::inner_product(a.begin() + std::ptrdiff_t(from), a.end(),
                              b.begin() + std::ptrdiff_t(from), 0.0);
}

/// Rows of an upper trapezoid of n columns that has so many numbers; 0: none has.
std::size_t factor_rows(std::size_t n, std::size_t numbers) {
    std::size_t rows = 0;
    for (; rows < n && numbers >= n - rows; ++rows) {
        numbers -= n - rows;
    }
    return numbers == 0 ? rows : 0;
}

}  // namespace

std::vector<double> triangular_factor(std::vector<std::vector<double>> A) {
    const std::size_t n = A.size();
    std::vector<double> R;
    for (std::size_t k = 0; k < n && k < A[0].size(); ++k) {
        std::vector<double>& v = A[k];
        const double norm = std::sqrt(dot_from(v, v, k));
        if (norm > 0.0) {
            const double head = v[k] > 0.0 ? -norm : norm;  // R_kk
            v[k] -= head;
            const double scale = 2.0 / dot_from(v, v, k);
            for (std::size_t j = k + 1; j < n; ++j) {
                const double along = scale * dot_from(v, A[j], k);
                for (std::size_t i = k; i < v.size(); ++i) {
                    A[j][i] -= along * v[i];
                }
            }
            R.push_back(head);
        } else {
            R.push_back(0.0);
        }
        for (std::size_t j = k + 1; j < n; ++j) {
            R.push_back(A[j][k]);
        }
    }
    return R;
}

double SpectrumCertificate::error(const ReducedModel& model,
                                  std::span<const Relaxation> relaxation) const {
    const auto m = static_cast<std::size_t>(model.n_basis);
    const std::size_t n = columns(relaxation.size(), m);
    if (m == 0) {
        return 0.0;
    }
    const std::size_t rows = factor_rows(n, factor.size());
    if (rows == 0 || seen.size() % m != 0) {
        throw Error(ErrorCode::InvalidArgument,
                    "the certificate of a reduced model must have a factor with rows of " +
                        std::to_string(n) + " numbers and fewer, got " +
                        std::to_string(factor.size()));
    }
    MotionPerResidual motion;
    std::vector<MotionPerResidual::Sample> all;
    for (const Sample& sample : samples) {
        all.push_back({sample.log_g, {sample.motion}});
    }
    motion.set_samples(std::move(all));
    RangeErrorParts parts{end_s, {left}, {least}, &motion, {}, {}};
    parts.residual = [&](std::span<const double> load, std::span<const ReducedModel::LaneRows> c) {
        std::vector<double> x(load.begin(), load.end());
        for (const auto& part : c) {
            std::ranges::transform(part, std::back_inserter(x),
                                   [](const auto& row) { return -row[0]; });
        }
        double sum = 0.0;
        const double* row = factor.data();
        for (std::size_t i = 0; i < rows; ++i) {
            double y = 0.0;
            for (std::size_t j = i; j < n; ++j) {
                y += *row++ * x[j];
            }
            sum += y * y;
        }
        return LaneNorms{std::sqrt(sum)};
    };
    parts.size = [&](const ReducedModel::LaneRows& c) {
        double largest = 0.0;
        for (std::size_t i = 0; i < seen.size(); i += m) {
            double moved = 0.0;
            for (std::size_t k = 0; k < m; ++k) {
                moved += seen[i + k] * c[k][0];
            }
            largest = std::max(largest, std::abs(moved));
        }
        return LaneNorms{largest};
    };
    return range_error(model, relaxation, parts);
}

}  // namespace kaname::viscoelastic
