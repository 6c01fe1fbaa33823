// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/predictors/sketch_fit.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/device/phases.hpp"
#include "solvers/p2/predictors/sketch_fit_body.hpp"

namespace kaname::predictors {

using lanes::kLanes;

void fit_sketches(const SketchFitArgs& args, device::Queue& queue) {
    if (args.buckets < 1 || args.buckets > kMostBuckets || args.n_x < 0 ||
        args.n_x > lanes::HistorySum::kMostTerms) {
        throw Error(ErrorCode::InvalidArgument,
                    "fit_sketches: takes 1 to 1024 buckets and up to 16 second differences, got " +
                        std::to_string(args.buckets) + " and " + std::to_string(args.n_x));
    }
    if (args.a.size() < std::size_t(args.columns()) * kLanes) {
        throw Error(ErrorCode::InvalidArgument, "fit_sketches: a must be [columns][4]");
    }
    device::note(queue, fit_work(args.buckets, args.columns(), kLanes));
    KANAME_DISPATCH(queue, fit_sketches, args)
}

void fit_sketches_cpu(const SketchFitArgs& args) {
    const std::size_t rows = args.buckets;
    const std::size_t n_columns = args.columns();
#pragma omp parallel for schedule(static, 1)
    for (int lane = 0; lane < kLanes; ++lane) {
        std::vector<double> X(n_columns * rows);
        std::vector<double> a(n_columns);
        std::vector<double> b(rows);
        const std::size_t first = lane * rows;
        for (std::size_t row = 0; row < rows; ++row) {
            b[row] = args.b[row * kLanes + lane];
            X[row] = args.newest[first + row];
            if (n_columns > 1) {
                X[rows + row] = X[row] - args.before[first + row];
            }
        }
        for (std::size_t column = 2; column < n_columns; ++column) {
            std::copy_n(args.x[column - 2] + first, rows, X.data() + column * rows);
        }
        truncated_fit(X, b, args.drop, a);
        for (std::size_t column = 0; column < n_columns; ++column) {
            args.a[column * kLanes + lane] = a[column];
        }
    }
}

void keep_image(const KeepImageArgs& args, device::Queue& queue) {
    if (args.before.size() != std::size_t(args.buckets) * kLanes) {
        throw Error(ErrorCode::InvalidArgument, "keep_image: images must be [4][buckets]");
    }
    KANAME_DISPATCH(queue, keep_image, args)
}

void keep_image_cpu(const KeepImageArgs& args) {
    const body::KeepImage keep{args, args.before.data()};
    for (std::size_t i = 0; i < args.before.size(); ++i) {
        keep(static_cast<std::int64_t>(i));
    }
}

namespace {

double dot(const double* x, const double* y, std::size_t n) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

/// y -= c x
void subtract(double c, const double* x, double* y, std::size_t n) {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) {
        y[i] -= c * x[i];
    }
}

}  // namespace

int truncated_fit(std::span<double> X, std::span<double> b, double drop, std::span<double> a) {
    const std::size_t rows = b.size();
    const std::size_t n_columns = a.size();
    std::fill(a.begin(), a.end(), 0.0);
    std::vector<std::size_t> kept;
    std::vector<double> R(n_columns * n_columns, 0.0);  // [kept][column]
    std::vector<double> c;
    for (std::size_t j = 0; j < n_columns; ++j) {
        double* x = X.data() + j * rows;
        const double original = std::sqrt(dot(x, x, rows));
        for (std::size_t k = 0; k < kept.size(); ++k) {
            const double* q = X.data() + kept[k] * rows;
            R[k * n_columns + j] = dot(q, x, rows);
            subtract(R[k * n_columns + j], q, x, rows);
        }
        const double norm = std::sqrt(dot(x, x, rows));
        if (!(norm > drop * original)) {
            continue;
        }
        std::transform(x, x + rows, x, [norm](double v) { return v / norm; });
        R[kept.size() * n_columns + j] = norm;
        kept.push_back(j);
        c.push_back(dot(x, b.data(), rows));
        subtract(c.back(), x, b.data(), rows);
    }
    for (std::size_t k = kept.size(); k-- > 0;) {
        double value = c[k];
        for (std::size_t l = k + 1; l < kept.size(); ++l) {
            value -= R[k * n_columns + kept[l]] * a[kept[l]];
        }
        a[kept[k]] = value / R[k * n_columns + kept[k]];
    }
    return static_cast<int>(kept.size());
}

}  // namespace kaname::predictors
