// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <vector>

#include "solvers/device/buffer.hpp"
#include "solvers/lanes/lanes.hpp"

namespace kaname::predictors {

/// Increments of a relaxing body: `modes` decaying exponentials with their own shapes, each lane
/// with its own amounts.
class Relaxation {
public:
    Relaxation(int n_nodes, int modes) : n_nodes_(n_nodes), modes_(modes) {}

    [[nodiscard]] std::size_t size() const { return std::size_t(n_nodes_) * 3 * lanes::kLanes; }
    [[nodiscard]] device::Buffer<double> increment(int step) const {
        device::Buffer<double> du(size());
        for (int dof = 0; dof < 3 * n_nodes_; ++dof) {
            for (int lane = 0; lane < lanes::kLanes; ++lane) {
                for (int mode = 0; mode < modes_; ++mode) {
                    du[std::size_t(dof) * lanes::kLanes + lane] +=
                        (1.0 + 0.3 * lane * mode) * std::sin(0.37 * (mode + 1) * dof + mode) *
                        std::exp(-0.15 * (mode + 1) * step);
                }
            }
        }
        return du;
    }

private:
    int n_nodes_;
    int modes_;
};

/// Largest difference over the largest value, one lane.
inline double difference(const device::Buffer<double>& a, const device::Buffer<double>& b,
                         int lane) {
    double largest = 0.0;
    double size = 0.0;
    for (std::size_t i = lane; i < b.size(); i += lanes::kLanes) {
        largest = std::max(largest, std::abs(a[i] - b[i]));
        size = std::max(size, std::abs(b[i]));
    }
    return largest / size;
}

}  // namespace kaname::predictors
