// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "solvers/viscoelastic/spectrum/spectrum_error.hpp"

namespace kaname::viscoelastic {

/// Motion of the observed points per norm of the force that causes it, at any moduli: from what
/// solves at some moduli told. Softer rock moves as much more as it is softer, stiffer rock no
/// more; between samples the near ones count. Infinite while
/// there is none.
class MotionPerResidual {
public:
    struct Sample {
        std::vector<double> log_g;  ///< [groups]
        LaneNorms motion{};         ///< per residual; 0: not measured
    };

    void add(std::span<const double> g, const LaneNorms& motion, const LaneNorms& residual);
    void clear() { samples_.clear(); }
    [[nodiscard]] LaneNorms at(std::span<const double> g) const;
    [[nodiscard]] const std::vector<Sample>& samples() const { return samples_; }
    void set_samples(std::vector<Sample> samples) { samples_ = std::move(samples); }

private:
    std::vector<Sample> samples_;
};

}  // namespace kaname::viscoelastic
