// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "solvers/posterior/rectified_chain.hpp"

namespace kaname::posterior {

/// How well chains of one number stand for its distribution.
struct Diagnostics {
    double effective = 0.0;  ///< effective samples of all chains together
    double r_hat = 1.0;      ///< split R-hat: 1 where halves of all chains agree
};

/// Split R-hat and effective samples of chains of equal length, at least four draws each (Gelman et
/// al. 2013, Bayesian Data Analysis, sections 11.4 and 11.5): each chain is split in two halves;
/// autocorrelations of halves are combined with the variance between them, and summed over pairs as
/// long as these are positive and fall (Geyer 1992, doi:10.1214/ss/1177011137). A number that
/// never changes counts in full.
[[nodiscard]] Diagnostics diagnose(std::span<const std::vector<double>> chains);

/// Returns the quantiles at `parts` (0 to 1) of values, by linear interpolation; values are sorted.
[[nodiscard]] std::vector<double> quantiles(std::vector<double>& values,
                                            std::span<const double> parts);

struct SamplingOptions {
    int iterations = 10000;  ///< of each chain, at most; the first fifth is discarded
    std::uint64_t seed = 1;  ///< of the first chain; the others follow from it
    int chains = 2;          ///< side by side on as many threads, from different starts
    int batch = 100;         ///< iterations between two calls of `progress`
    /// Effective samples at which `enough` may end the chains early, or 0: they never do. Chains
    /// that may end settle and learn in the first fifth of kFirstEnd iterations, so that what they
    /// draw does not depend on `iterations`.
    int effective = 0;
};

/// Iterations after which chains may end for the first time.
inline constexpr int kFirstEnd = 1000;

/// Draws of one chain after its first fifth. Floats have seven digits, more than any posterior.
struct ChainDraws {
    std::vector<float> amounts;                  ///< [draw][n]
    std::vector<std::vector<double>> lambda;     ///< [field][draw]
    std::vector<std::vector<double>> choice;     ///< [field][draw] index of the covariance
    std::vector<std::vector<double>> roughness;  ///< [field][draw] z'P_h z
    std::vector<std::vector<double>> variance;   ///< [set][draw] s^2
    std::vector<std::vector<double>> parameter;  ///< [P][draw] x of a family of responses
    std::size_t draws = 0;

    [[nodiscard]] std::span<const float> amounts_of(std::size_t draw, std::size_t n) const {
        return std::span<const float>(amounts).subspan(draw * n, n);
    }
};

/// Mean of the amounts [n] over the draws of all chains.
[[nodiscard]] Eigen::VectorXd mean_amounts(const std::vector<ChainDraws>& chains, Eigen::Index n);

struct SamplingProgress {
    int done = 0, iterations = 0;  ///< of each chain
    const std::vector<ChainDraws>& chains;
    std::size_t first = 0;  ///< draw of each that is the first after the fifth of those done
};

/// Sampling runs the chains of a problem, can be stopped between batches and be resumed: what it
/// goes on to draw is the same to the bit as without the stop, on any number of threads.
class Sampling {
public:
    /// Borrows the problem. Throws InvalidArgument as PreparedFields does, and for options out of
    /// range: 10 iterations or more, two chains or more.
    Sampling(const RectifiedProblem& problem, const SamplingOptions& options);

    /// Runs until all iterations are done, or until `progress`, called by the calling thread
    /// between batches, returns false. Where options.effective is above 0, `enough` is asked after
    /// kFirstEnd iterations and whenever there are a quarter more; if it returns true for draws
    /// from `first` on, the chains end there, before `progress` is called. In the end draws are
    /// those after the first fifth of the iterations that were done.
    void run(const std::function<bool(const SamplingProgress&)>& progress,
             const std::function<bool(const SamplingProgress&)>& enough = {});

    [[nodiscard]] bool finished() const { return ended_ || done_ == options_.iterations; }
    [[nodiscard]] int done() const { return done_; }
    /// Iterations before the first one whose draw counts: a fifth of all, or of those done where
    /// chains may end early.
    [[nodiscard]] int discarded() const {
        return (options_.effective > 0 ? done_ : options_.iterations) / 5;
    }
    /// Draws after the iterations in which chains settle and learn.
    [[nodiscard]] const std::vector<ChainDraws>& draws() const { return draws_; }
    /// Returns the part of the steps of parameters that were taken, of all chains.
    [[nodiscard]] double acceptance() const;

    /// Writes all draws and states of chains that have not finished to a file, by way of a part
    /// file; and takes them back. resume() throws InvalidArgument where the file is of another
    /// problem, or of other options.
    void save(const std::string& path) const;
    void resume(const std::string& path);
    /// Resumes from a file that is there and of this problem and these options; false: there is
    /// none.
    bool take_up(const std::string& path);

private:
    /// Iterations in which chains settle and learn, whose draws are not kept.
    [[nodiscard]] int warm_up() const;
    [[nodiscard]] bool may_end() const;
    void run_batch(std::size_t chain, int iterations);
    void drop_first_draws();

    const RectifiedProblem& problem_;
    SamplingOptions options_;
    PreparedFields fields_;
    std::vector<RectifiedChain> chains_;
    std::vector<ChainDraws> draws_;
    int done_ = 0;
    bool ended_ = false;  ///< before all iterations
};

}  // namespace kaname::posterior
