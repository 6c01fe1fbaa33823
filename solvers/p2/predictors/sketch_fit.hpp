// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>

#include "solvers/device/buffer.hpp"
#include "solvers/device/hd.hpp"
#include "solvers/device/phases.hpp"
#include "solvers/lanes/history.hpp"

/// Projection fits its sketches by these functions. Sketches lie in the queue's memory and stay
/// there: images as [4][buckets], sketches of vectors as linalg::Sketch leaves them, [buckets][4].
namespace kaname::predictors {

/// Rows of a sketch that a fit takes: what the threads of a GPU's block hold in registers.
inline constexpr int kMostBuckets = 1024;

/// a [columns][4] = argmin ||X a - b|| of every lane, as truncated_fit does it; the columns of X:
/// newest, newest - before, x[0] .. x[n_x - 1].
struct SketchFitArgs {
    int buckets;
    double drop;
    const double* b;  ///< [buckets][4]
    const double* newest;
    const double* before;  ///< null: no such column, and no x
    int n_x;
    const double* x[lanes::HistorySum::kMostTerms];
    device::View<double> a;
    [[nodiscard]] KANAME_HD int columns() const { return before != nullptr ? 2 + n_x : 1; }
};
void fit_sketches(const SketchFitArgs& args, device::Queue& queue);
void fit_sketches_cpu(const SketchFitArgs& args);
void fit_sketches_cuda(const SketchFitArgs& args, device::Queue& queue);

/// The image f - r of an increment in place of `before`, and x = image - 2 newest + before.
struct KeepImageArgs {
    int buckets;
    const double* f;  ///< [buckets][4]
    const double* r;  ///< [buckets][4]
    const double* newest;
    device::View<double> before;
    double* x;  ///< null: there is none yet
};
void keep_image(const KeepImageArgs& args, device::Queue& queue);
void keep_image_cpu(const KeepImageArgs& args);
void keep_image_cuda(const KeepImageArgs& args, device::Queue& queue);

/// a = argmin ||X a - b|| by modified Gram-Schmidt over the columns of X [n_columns][rows] in
/// order. A column whose norm falls to `drop` of its original during the orthogonalisation carries
/// only noise: it is left out, and its coefficient is zero (docs/theory/viscoelastic.md). b and X
/// are overwritten. a [n_columns]. Returns the number of columns kept.
int truncated_fit(std::span<double> X, std::span<double> b, double drop, std::span<double> a);

/// Returns the work of `fits` fits whose columns all stay and are in FP32: two passes of 2 m flop
/// over each pair of columns, the right-hand side one of them.
[[nodiscard]] inline device::Work fit_work(double rows, double columns, double fits) {
    return {4.0 * rows * (columns + 1.0) * fits, 0.0,
            2.0 * rows * columns * (columns + 1.0) * fits};
}

}  // namespace kaname::predictors
