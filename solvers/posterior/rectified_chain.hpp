// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "solvers/inversion/eigen.hpp"
#include "solvers/posterior/rectified_field.hpp"

namespace kaname::posterior {

/// RectifiedChain is one Markov chain whose stationary distribution is the posterior of a
/// RectifiedProblem: of z, m, and of lambda, h of each field and s^2 of each set. An iteration has
/// nothing to tune:
///   1. a trajectory of Hamiltonian dynamics inside the present pieces (below, between, above the
///      bounds) of the whole z, to t = pi/2, reflected at the bounds (Pakman and Paninski 2014,
///      doi:10.1080/10618600.2013.788448);
///   2. four sweeps that draw one z_j after the other from its conditional, a mixture of three
///      truncated normals, which change pieces;
///      Errors that all sets have in common are integrated out of both, and drawn before s^2.
///   3. h with lambda integrated out, then lambda and s^2 from their conditionals; lambda together
///      with scales of the field too (interweaving; Yu and Meng 2011,
///      doi:10.1198/jcgs.2011.203main), which moves it farther where bounds are 0. A field's finest
///      structure fixes lambda and the length of its correlation together, not each of them: drawn
///      one by one, they hardly moved.
///   4. parameters x of a family of responses, where there is one: two Metropolis steps that carry
///      slip along, from where the data put it at x to where they put it at x', within the same
///      pieces:
///        z' = c(x') + C(x')^-T C(x)^T (z - c(x)),  Q = lambda P + D H D = C C^T,
///        ratio exp(U - U') |C(x)| / |C(x')|,  refused where an amount would change its piece.
///      So x moves as if slip were integrated out. The step is kStep times the Cholesky factor of
///      the covariance of x, which is learnt in the iterations that are discarded and stays then
///      (Haario et al. 2001, doi:10.2307/3318737), with a factor that leads to kAcceptance
///      (Andrieu and Thoms 2008, doi:10.1007/s11222-008-9110-y).
/// z is never truncated, so every conditional is exact for any bounds.
class RectifiedChain {
public:
    /// Names what an iteration is for. Settling: s^2 stays as it is, so that a start far from the
    /// data is not taken for noise. Learning: the steps of x adapt. Both are to be discarded.
    enum class Phase { Settling, Learning, Sampling };

    /// Where a chain begins; several chains from different places show that they forget them.
    enum class Start {
        Rest,   ///< all amounts at rest, the first covariance, sigma small
        Prior,  ///< a draw of the field, the last covariance, sigma large
    };

    /// Borrows both; they must outlive the chain.
    RectifiedChain(const RectifiedProblem& problem, const PreparedFields& fields,
                   std::uint64_t seed, Start start);

    void step(Phase phase = Phase::Sampling);

    [[nodiscard]] const Eigen::VectorXd& amounts() const { return m_; }  ///< [n] m
    [[nodiscard]] const Eigen::VectorXd& field() const { return z_; }    ///< [n] z
    [[nodiscard]] double lambda(std::size_t field) const { return lambda_[field]; }
    [[nodiscard]] std::size_t choice(std::size_t field) const { return choice_[field]; }
    [[nodiscard]] double variance(std::size_t set) const { return variance_[set]; }  ///< s^2
    /// x [P] of the family of responses.
    [[nodiscard]] const Eigen::VectorXd& parameters() const { return x_; }
    /// Part of the steps of x that were taken since they stopped learning.
    [[nodiscard]] double acceptance() const { return tried_ > 0.0 ? taken_ / tried_ : 0.0; }
    /// z'P_h z of a field, which lambda is drawn with.
    [[nodiscard]] double quadratic(std::size_t field) const { return quadratic_[field]; }

    /// Returns the state as text of numbers in full; a chain of the same problem that takes it back
    /// goes on bit for bit as this one. restore() throws InvalidArgument where it does not fit.
    [[nodiscard]] std::string state() const;
    void restore(const std::string& state);

private:
    void gather_data();
    void draw_trajectory();
    void sweep();
    void draw_choice(std::size_t field);
    void draw_scales(std::size_t field);
    void integrate_errors();
    [[nodiscard]] Eigen::VectorXd draw_errors();
    void draw_variances();
    void move_parameters(bool learning);
    void learn(double probability);
    void clip();
    [[nodiscard]] double clipped(Eigen::Index j, double z) const;
    [[nodiscard]] const std::vector<DataSet>& sets() const {
        return problem_.family ? sets_ : problem_.sets;
    }
    /// The density of z within its present pieces, exp(-z'Q z / 2 + pull'z) between the bounds.
    struct Pieces {
        Eigen::MatrixXd q;
        Eigen::VectorXd pull, low, high;
    };
    [[nodiscard]] Pieces pieces(const Eigen::MatrixXd& h, const Eigen::VectorXd& b) const;

    const RectifiedProblem& problem_;
    const PreparedFields& fields_;
    RandomStream random_;
    Eigen::VectorXd z_, m_;
    std::vector<double> lambda_, variance_, quadratic_;
    std::vector<std::size_t> choice_;
    Eigen::VectorXd x_, mean_;  ///< [P] x, and its mean while it learns
    Eigen::MatrixXd spread_;    ///< [P][P] covariance of x while it learns
    double log_factor_ = 0.0, learnt_ = 0.0, tried_ = 0.0, taken_ = 0.0;

    // Made anew in every iteration: nothing of them is state.
    Eigen::MatrixXd h_;           ///< sum_k H_k / s_k^2
    Eigen::VectorXd b_;           ///< sum_k g_k / s_k^2
    Eigen::VectorXd prior_pull_;  ///< P z of each field
    Eigen::VectorXd data_pull_;   ///< b - H m
    std::vector<DataSet> sets_;   ///< of a family at x
    /// Cholesky factor of H_aa + 1, H_am and g_a of the errors that all sets have in common.
    Eigen::LLT<Eigen::MatrixXd> errors_;
    Eigen::MatrixXd errors_by_amounts_;
    Eigen::VectorXd errors_pull_;
};

/// Moves z [n] along an exact trajectory of Hamiltonian dynamics for the density
///   exp(-z'Q z / 2 + pull'z) within low <= z <= high,
/// which leaves that distribution as it is (Pakman and Paninski 2014,
/// doi:10.1080/10618600.2013.788448):
///   z(t) = c + x cos t + w sin t,  c = Q^-1 pull,  x = z - c,  w ~ N(0, Q^-1),  0 <= t <= pi/2;
/// at a bound of z_j the velocity is reflected, w -= 2 (w_j / e_j) e with e = Q^-1 1_j. Q is
/// replaced by its Cholesky factor. Costs n^3 / 3 operations and n^2 for each amount that is
/// reflected. z lies within its bounds, up to rounding, and stays there. After many reflections
/// (kMostReflections of each amount) z is left where it was, which does not spoil the distribution.
/// Returns the number of reflections. Throws NotConverged where Q is not positive definite.
int follow_trajectory(Eigen::MatrixXd& q, const Eigen::VectorXd& pull, const Eigen::VectorXd& low,
                      const Eigen::VectorXd& high, RandomStream& random, Eigen::VectorXd& z);

inline constexpr int kMostReflections = 100;

/// Steps of parameters: over their standard deviations, and the part of them to be taken.
inline constexpr double kStep = 1.7, kAcceptance = 0.28;

}  // namespace kaname::posterior
