// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "solvers/viscoelastic/spectrum/reduced_model.hpp"
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

/// RangeErrorParts holds the data from which range_error() finds the error in time; [4] each. It
/// outlives its use.
struct RangeErrorParts {
    double end_s = 0.0;
    LaneNorms left{};   ///< norm of the forces that the elastic solve left
    LaneNorms least{};  ///< motion below which the change is not looked at closer
    const MotionPerResidual* motion_per_residual = nullptr;
    /// || sum_j load_j q_j - sum_p K_p V c_p ||; load [groups], c [1 + groups][n].
    std::function<LaneNorms(std::span<const double> load,
                            std::span<const ReducedModel::LaneRows> c)>
        residual;
    std::function<LaneNorms(const ReducedModel::LaneRows& c)> size;  ///< largest motion of V c
};

/// As SpectrumError, for any relaxation [groups] of the groups and through inverse transforms in
/// place of modes: bound of the error at all times up to the end, over the largest change in all
/// that time, of the worst source.
[[nodiscard]] double range_error(const ReducedModel& model, std::span<const Relaxation> relaxation,
                                 const RangeErrorParts& parts);

/// motion / size; infinite where that is no number, so that nothing broken passes for exact. No
/// motion is no error.
[[nodiscard]] double relative_error(double motion, double size);

/// SpectrumCertificate bounds the error of one source's reduced model for any rheology in its
/// range, without the mesh (docs/theory/viscoelastic.md, "Ranges of viscosity"): G groups, m basis
/// vectors.
struct SpectrumCertificate {
    struct Sample {
        std::vector<double> log_g;  ///< [G]
        double motion = 0.0;        ///< of the points per residual there
    };
    double end_s = 0.0;
    double left = 0.0;           ///< norm of the forces that the elastic solve left
    double least = 0.0;          ///< motion below which the change is not looked at closer
    std::vector<double> factor;  ///< upper triangle R, by rows, of sketches [q, K_el V, K_j V ...]
    std::vector<double> seen;    ///< [numbers][m] observed motion of the basis vectors
    std::vector<Sample> samples;

    /// Columns of the factor: G + (1 + G) m.
    [[nodiscard]] static std::size_t columns(std::size_t groups, std::size_t n_basis) {
        return groups + (1 + groups) * n_basis;
    }
    /// Returns a bound of the error at all times up to the end over the largest change in all that
    /// time. `model`: the source in lane 0. relaxation [G].
    [[nodiscard]] double error(const ReducedModel& model,
                               std::span<const Relaxation> relaxation) const;
};

/// R of A = Q R, by Householder's reflections; A by columns [n][m]. Rows of R, min(m, n) of them,
/// from their diagonal on, one after the other.
[[nodiscard]] std::vector<double> triangular_factor(std::vector<std::vector<double>> A);

}  // namespace kaname::viscoelastic
