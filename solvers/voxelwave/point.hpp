// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "solvers/source_time/time_function.hpp"
#include "solvers/voxelwave/voxel_model.hpp"

namespace kaname::voxelwave {

/// A point within a voxel: what is there is the trilinear mean of the voxel's corners, and a force
/// there acts on the corners in the same shares, so that source and receiver are reciprocal.
class Point {
public:
    /// position_m from the model's origin. Throws InvalidArgument, which begins with `what`, when
    /// it is outside or in a void.
    Point(const VoxelModel& model, const std::array<double, 3>& position_m, const char* what);

    /// The corner's place x, y, z; corner = x + 2 y + 4 z.
    [[nodiscard]] std::array<int, 3> corner(int corner) const;
    [[nodiscard]] double weight(int corner) const;
    /// Its derivative along an axis [1/m].
    [[nodiscard]] double slope(int corner, int axis) const;

private:
    void leave_void(const VoxelModel& model, const std::array<double, 3>& position_m,
                    const char* what);

    std::array<int, 3> voxel_{};
    std::array<double, 3> part_{};  ///< place in the voxel, 0..1
    double ds_m_;
};

/// A moment tensor [N m] (xx, yy, zz, yz, xz, xy) at a point.
struct PointMoment {
    std::array<double, 3> position_m{};
    std::array<double, 6> moment_nm{};
    std::optional<source_time::TimeFunction> time = {};  ///< absent: that of its source
};

/// A force [N] at a point, times s(t), and moment tensors there and at further points, which are
/// reached in the end: they grow by s(t), or by a time function of their own, over its area
/// (TimeFunction::moment_at).
struct PointSource {
    std::array<double, 3> position_m{};
    std::array<double, 3> force_n{};
    std::array<double, 6> moment_nm{};
    source_time::TimeFunction time = source_time::TimeFunction::ricker(1.0, 0.0);
    std::vector<PointMoment> further = {};
};

/// Forces on a node [N].
struct NodeForce {
    std::array<int, 3> node{};            ///< x, y, z
    std::array<double, 3> force_n{};      ///< of the source's force, for s = 1
    std::array<double, 3> of_moment_n{};  ///< of its moments, once they are reached
};

/// Nodal forces of a source, each node once: F_i N at its point, and sum_j M_ij d_j N of
/// the moments, whatever their time functions. Within a voxel a derivative hardly depends on the
/// place, so that a moment at a point of it would act at its middle; the moment is therefore spread
/// over the middles of 4 x 4 x 4 voxels of one solid by Lagrange's weights, which are exact for
/// cubic fields; where there are not so many, it acts in its own. Throws as Point.
[[nodiscard]] std::vector<NodeForce> node_forces(const VoxelModel& model, const PointSource& source,
                                                 const char* what);
/// Nodal forces of one moment, each node once. Throws as Point.
[[nodiscard]] std::vector<NodeForce> node_forces(const VoxelModel& model, const PointMoment& moment,
                                                 const char* what);

}  // namespace kaname::voxelwave
