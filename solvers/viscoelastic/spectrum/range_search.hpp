// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "solvers/viscoelastic/spectrum/rheology_range.hpp"
#include "solvers/viscoelastic/spectrum/spectrum_certificate.hpp"

namespace kaname::viscoelastic {

/// A Laplace shift and the viscosities that it is solved with.
struct RangePoint {
    double shift_per_s = 0.0;
    std::size_t rheology = 0;  ///< place in RangeSearch::rheologies()
    std::vector<double> g;     ///< [groups] moduli that are left
};

/// Which elastic problems a reduced model for a range of viscosities takes: greedily the one whose
/// answer is worst, over a set of rheologies that fills the range (all its corners up to 16, its
/// middle, a Halton sequence) and shifts, until the error in time is below the tolerance for all of
/// them and for others that were not looked at before. (Where the residual in time comes from is no
/// guide here: the shift 1/t' of it was nearly always answered already.)
class RangeSearch {
public:
    /// `range` outlives this; it has at least one parameter.
    RangeSearch(const RheologyRange& range, double end_s, double tolerance);

    /// Forgets the last pack; as SpectrumError::start.
    void start(const LaneNorms& left, const LaneNorms& elastic);
    /// The next problem; nullopt: reached, or no shift is left that would help. `seen`: as for
    /// SpectrumError::of. Without may_solve the error in time is looked at a last time.
    [[nodiscard]] std::optional<RangePoint> next(const ReducedModel& model,
                                                 const ResidualSketches& sketches,
                                                 std::span<const std::vector<double>> seen,
                                                 bool may_solve);
    /// A solve at the point moved the points by at most `motion` against residuals `residual`.
    void calibrate(const RangePoint& point, const LaneNorms& motion, const LaneNorms& residual);

    /// Returns true if the error in time was found to be below the tolerance for every rheology.
    [[nodiscard]] bool reached() const { return reached_; }
    /// Returns the error of the worst rheology and source when the error in time was last computed;
    /// before that, an estimate from errors in the Laplace domain.
    [[nodiscard]] double error_estimate() const { return estimate_; }
    /// Returns the relaxations [rheologies][groups] for which the error is computed.
    [[nodiscard]] const std::vector<std::vector<Relaxation>>& rheologies() const {
        return rheologies_;
    }
    /// kShare is the share of the tolerance that the search goes down to: the stored model of a
    /// source is a little worse.
    static constexpr double kShare = 0.7;
    /// Returns the smallest modulus [groups] that is left anywhere.
    [[nodiscard]] std::vector<double> softest() const;

    [[nodiscard]] double end_s() const { return end_s_; }
    [[nodiscard]] double tolerance() const { return tolerance_; }
    [[nodiscard]] const LaneNorms& left() const { return left_; }
    [[nodiscard]] const LaneNorms& least() const { return least_; }
    [[nodiscard]] const MotionPerResidual& motion_per_residual() const { return motion_; }

private:
    struct Candidate {
        RangePoint point;
        double score;  ///< error of the Laplace-domain answer when it was last looked at
        bool used;
    };
    void add_halton(int count);
    void add_candidates(std::size_t from_rheology);
    [[nodiscard]] RangePoint point(double shift_per_s, std::size_t rheology) const;
    [[nodiscard]] bool verified(const ReducedModel& model, const RangeErrorParts& parts);

    const RheologyRange& range_;
    double end_s_, tolerance_, estimate_ = 1.0;
    LaneNorms left_{}, least_{};
    MotionPerResidual motion_;
    std::vector<std::vector<Relaxation>> rheologies_;
    std::vector<double> error_;  ///< [rheologies] the last estimate in time
    std::vector<Candidate> candidates_;
    std::vector<RangePoint> first_;  ///< before there is an estimate; the last one is next
    std::size_t n_first_rheologies_ = 0;
    int n_halton_ = 0;
    bool others_ = false, looked_ = false, reached_ = false;
    double goal_ = 0.0;  ///< score at which the error in time is looked at
};

/// About a thousand of the observed numbers, by which motion is measured: those that a basis vector
/// moves most, and some of all.
[[nodiscard]] std::vector<std::vector<double>> measured_rows(
    std::span<const std::vector<double>> seen);

}  // namespace kaname::viscoelastic
