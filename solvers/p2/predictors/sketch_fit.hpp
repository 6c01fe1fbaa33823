// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/buffer.hpp"
#include "solvers/device/hd.hpp"
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

}  // namespace kaname::predictors
