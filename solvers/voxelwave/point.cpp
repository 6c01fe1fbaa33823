// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/point.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "solvers/base/error.hpp"

namespace kaname::voxelwave {

Point::Point(const VoxelModel& model, const std::array<double, 3>& position_m, const char* what)
    : ds_m_(model.ds_m) {
    for (int axis = 0; axis < 3; ++axis) {
        const double place = position_m[axis] / model.ds_m;
        constexpr double kSlack = 1e-9;
        if (!(place >= -kSlack && place <= model.voxels[axis] + kSlack)) {
            std::ostringstream text;
            text << what << ": "
                 << "xyz"[axis] << " must be within 0 to " << model.voxels[axis] * model.ds_m
                 << " m, the model, got " << position_m[axis];
            throw Error(ErrorCode::InvalidArgument, text.str());
        }
        voxel_[axis] = std::clamp(static_cast<int>(std::floor(place)), 0, model.voxels[axis] - 1);
        part_[axis] = std::clamp(place - voxel_[axis], 0.0, 1.0);
    }
    leave_void(model, position_m, what);
}

/// On a side of its voxel a point belongs to the neighbour as well: the ground under a void.
void Point::leave_void(const VoxelModel& model, const std::array<double, 3>& position_m,
                       const char* what) {
    constexpr double kSlack = 1e-9;
    for (int neighbour = 0; neighbour < 8; ++neighbour) {
        std::array<int, 3> voxel = voxel_;
        std::array<double, 3> part = part_;
        bool touches = true;
        for (int axis = 0; axis < 3; ++axis) {
            if ((neighbour >> axis & 1) != 0) {
                touches = touches && part[axis] < kSlack && voxel[axis] > 0;
                part[axis] = 1.0;
                --voxel[axis];
            }
        }
        if (touches && !model.solid(voxel[0], voxel[1], voxel[2]).is_void()) {
            voxel_ = voxel;
            part_ = part;
            return;
        }
    }
    std::ostringstream text;
    text << what << ": must be in a solid, is in a void at x = " << position_m[0]
         << ", y = " << position_m[1] << ", z = " << position_m[2] << " m";
    throw Error(ErrorCode::InvalidArgument, text.str());
}

std::array<int, 3> Point::corner(int corner) const {
    return {voxel_[0] + (corner & 1), voxel_[1] + (corner >> 1 & 1), voxel_[2] + (corner >> 2)};
}

double Point::weight(int corner) const {
    double product = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
        product *= (corner >> axis & 1) != 0 ? part_[axis] : 1.0 - part_[axis];
    }
    return product;
}

double Point::slope(int corner, int axis) const {
    double product = 1.0 / ds_m_;
    for (int other = 0; other < 3; ++other) {
        const bool upper = (corner >> other & 1) != 0;
        if (other == axis) {
            product *= upper ? 1.0 : -1.0;
        } else {
            product *= upper ? part_[other] : 1.0 - part_[other];
        }
    }
    return product;
}

namespace {

using Forces = std::map<std::array<int, 3>, NodeForce>;

void add_force(const Point& point, const std::array<double, 3>& force_n, Forces& forces) {
    for (int corner = 0; corner < 8; ++corner) {
        auto& of_node = forces[point.corner(corner)].force_n;
        for (int i = 0; i < 3; ++i) {
            of_node[i] += force_n[i] * point.weight(corner);
        }
    }
}

void add_moment(const Point& point, const std::array<double, 6>& moment_nm, double share,
                Forces& forces) {
    constexpr int kOf[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};  // component of the moment
    for (int corner = 0; corner < 8; ++corner) {
        auto& of_node = forces[point.corner(corner)].of_moment_n;
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                of_node[i] += share * moment_nm[kOf[i][j]] * point.slope(corner, j);
            }
        }
    }
}

/// Middles of four voxels along each axis about a place, and their weights.
struct Stencil {
    static constexpr int kAlong = 4;
    std::array<int, 3> first{};
    double weight[3][kAlong] = {};
};

/// The stencil whose voxels are all of the solid of `voxel`, which the place lies in; none where
/// that is too thin.
std::optional<Stencil> stencil_about(const VoxelModel& model, const std::array<int, 3>& voxel,
                                     const std::array<double, 3>& position_m) {
    const auto solid_at = [&](const std::array<int, 3>& v) {
        return model
            .solid_of[(std::int64_t{v[2]} * model.voxels[1] + v[1]) * model.voxels[0] + v[0]];
    };
    Stencil stencil;
    for (int axis = 0; axis < 3; ++axis) {
        std::array<int, 3> low = voxel, high = voxel;
        const auto goes_on = [&](std::array<int, 3> v, int step) {
            v[axis] += step;
            return v[axis] >= 0 && v[axis] < model.voxels[axis] && solid_at(v) == solid_at(voxel);
        };
        while (voxel[axis] - low[axis] < Stencil::kAlong && goes_on(low, -1)) {
            --low[axis];
        }
        while (high[axis] - voxel[axis] < Stencil::kAlong && goes_on(high, 1)) {
            ++high[axis];
        }
        if (high[axis] - low[axis] + 1 < Stencil::kAlong) {
            return std::nullopt;
        }
        const double at = position_m[axis] / model.ds_m - 0.5;  // in voxels, from the first middle
        stencil.first[axis] = std::clamp(static_cast<int>(std::floor(at)) - 1, low[axis],
                                         high[axis] - Stencil::kAlong + 1);
        const double t = at - stencil.first[axis];
        for (int k = 0; k < Stencil::kAlong; ++k) {
            double& weight = stencil.weight[axis][k];
            weight = 1.0;
            for (int other = 0; other < Stencil::kAlong; ++other) {
                weight *= other == k ? 1.0 : (t - other) / (k - other);
            }
        }
    }
    for (int z = 0; z < Stencil::kAlong; ++z) {
        for (int y = 0; y < Stencil::kAlong; ++y) {
            for (int x = 0; x < Stencil::kAlong; ++x) {
                if (solid_at({stencil.first[0] + x, stencil.first[1] + y, stencil.first[2] + z}) !=
                    solid_at(voxel)) {
                    return std::nullopt;
                }
            }
        }
    }
    return stencil;
}

void spread_moment(const VoxelModel& model, const Stencil& stencil, const PointMoment& source,
                   const char* what, Forces& forces) {
    for (int z = 0; z < Stencil::kAlong; ++z) {
        for (int y = 0; y < Stencil::kAlong; ++y) {
            for (int x = 0; x < Stencil::kAlong; ++x) {
                const double share =
                    stencil.weight[0][x] * stencil.weight[1][y] * stencil.weight[2][z];
                const std::array<double, 3> middle_m = {(stencil.first[0] + x + 0.5) * model.ds_m,
                                                        (stencil.first[1] + y + 0.5) * model.ds_m,
                                                        (stencil.first[2] + z + 0.5) * model.ds_m};
                if (share != 0.0) {
                    add_moment(Point(model, middle_m, what), source.moment_nm, share, forces);
                }
            }
        }
    }
}

void add_point_moment(const VoxelModel& model, const PointMoment& part, const char* what,
                      Forces& forces) {
    if (std::ranges::all_of(part.moment_nm, [](double m) { return m == 0.0; })) {
        return;
    }
    const Point point(model, part.position_m, what);
    const auto stencil = stencil_about(model, point.corner(0), part.position_m);
    stencil ? spread_moment(model, *stencil, part, what, forces)
            : add_moment(point, part.moment_nm, 1.0, forces);
}

std::vector<NodeForce> listed(Forces forces) {
    std::vector<NodeForce> all;
    for (auto& [node, force] : forces) {
        force.node = node;
        all.push_back(force);
    }
    return all;
}

}  // namespace

std::vector<NodeForce> node_forces(const VoxelModel& model, const PointSource& source,
                                   const char* what) {
    Forces forces;
    // The middle of moments at many places need not lie in rock.
    if (source.further.empty() || source.force_n != std::array<double, 3>{}) {
        add_force(Point(model, source.position_m, what), source.force_n, forces);
    }
    add_point_moment(model, {source.position_m, source.moment_nm}, what, forces);
    for (const PointMoment& part : source.further) {
        add_point_moment(model, part, what, forces);
    }
    return listed(std::move(forces));
}

std::vector<NodeForce> node_forces(const VoxelModel& model, const PointMoment& moment,
                                   const char* what) {
    Forces forces;
    add_point_moment(model, moment, what, forces);
    return listed(std::move(forces));
}

}  // namespace kaname::voxelwave
