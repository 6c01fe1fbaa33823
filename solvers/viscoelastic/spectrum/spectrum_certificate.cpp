// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/spectrum/spectrum_certificate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "solvers/base/error.hpp"
#include "solvers/parallel/loops.hpp"
#include "solvers/viscoelastic/spectrum/reduced_transform.hpp"

namespace kaname::viscoelastic {
namespace {

// Distance in ln g below which samples count alike.
constexpr double kNear = 0.3;

}  // namespace

void MotionPerResidual::add(std::span<const double> g, const LaneNorms& motion,
                            const LaneNorms& residual) {
    Sample sample;
    for (const double of : g) {
        sample.log_g.push_back(std::log(of));
    }
    for (int lane = 0; lane < lanes::kLanes; ++lane) {
        sample.motion[lane] = residual[lane] > 0.0 ? motion[lane] / residual[lane] : 0.0;
    }
    samples_.push_back(std::move(sample));
}

LaneNorms MotionPerResidual::at(std::span<const double> g) const {
    LaneNorms sum{}, weights{}, result{};
    if (samples_.empty()) {
        result.fill(std::numeric_limits<double>::infinity());
        return result;
    }
    for (const Sample& sample : samples_) {
        double softer = 0.0, distance = 0.0;  // in ln g
        for (std::size_t j = 0; j < g.size(); ++j) {
            const double apart = sample.log_g[j] - std::log(g[j]);
            softer = std::max(softer, apart);
            distance = std::max(distance, std::abs(apart));
        }
        const double weight = std::pow(distance + kNear, -4.0);
        for (int lane = 0; lane < lanes::kLanes; ++lane) {
            if (sample.motion[lane] > 0.0) {
                sum[lane] += weight * (std::log(sample.motion[lane]) + softer);
                weights[lane] += weight;
            }
        }
    }
    for (int lane = 0; lane < lanes::kLanes; ++lane) {
        result[lane] = weights[lane] > 0.0 ? std::exp(sum[lane] / weights[lane]) : 0.0;
    }
    return result;
}

double relative_error(double motion, double size) {
    if (motion == 0.0) {
        return 0.0;
    }
    const double error = motion / size;
    return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

double range_error(const ReducedModel& model, std::span<const Relaxation> relaxation,
                   const RangeErrorParts& parts) {
    const std::vector<double> shifts = shifts_between(relaxation, parts.end_s);
    std::vector<double> times_s;
    for (auto shift = shifts.rbegin(); shift != shifts.rend(); ++shift) {
        times_s.push_back(1.0 / *shift);
    }
    const std::vector<TimeRows> rows = rows_in_time(model, relaxation, times_s);
    std::vector<LaneNorms> residuals(times_s.size()), sizes(times_s.size());
    const auto measure = [&](std::int64_t k) {
        residuals[k] = parts.residual(rows[k].load, rows[k].c);
        sizes[k] = parts.size(rows[k].c[0]);
    };
    parallel_for(static_cast<std::int64_t>(times_s.size()), measure, 1);
    LaneNorms size = parts.least;
    for (const LaneNorms& at : sizes) {
        std::transform(at.begin(), at.end(), size.begin(), size.begin(),
                       [](double a, double b) { return std::max(a, b); });
    }
    double worst = 0.0;
    LaneNorms largest{};
    std::vector<double> g(relaxation.size());
    for (std::size_t k = 0; k < times_s.size(); ++k) {
        for (std::size_t j = 0; j < g.size(); ++j) {
            g[j] = relaxation[j].at(1.0 / times_s[k]);
        }
        const LaneNorms a = parts.motion_per_residual->at(g);
        for (int lane = 0; lane < lanes::kLanes; ++lane) {
            if (!(residuals[k][lane] <= largest[lane])) {  // what is no number stays
                largest[lane] = residuals[k][lane];
            }
            const double motion = kErrorSafety * a[lane] * (largest[lane] + parts.left[lane]);
            worst = std::max(worst, relative_error(motion, size[lane]));
        }
    }
    return worst;
}

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
