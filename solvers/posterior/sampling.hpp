// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "solvers/posterior/diagnostics.hpp"
#include "solvers/posterior/rectified_chain.hpp"

namespace kaname::posterior {

struct SamplingOptions {
    int iterations = 10000;  ///< of each chain; the first fifth is discarded
    std::uint64_t seed = 1;  ///< of the first chain; the others follow from it
    int chains = 2;          ///< side by side on as many threads, from different starts
    int batch = 100;         ///< iterations between two calls of `progress`
};

/// Draws of one chain after its first fifth. Floats have seven digits, more than any posterior.
struct ChainDraws {
    std::vector<float> amounts;                  ///< [draw][n]
    std::vector<std::vector<double>> lambda;     ///< [field][draw]
    std::vector<std::vector<double>> choice;     ///< [field][draw] index of the covariance
    std::vector<std::vector<double>> roughness;  ///< [field][draw] z'P_h z
    std::vector<std::vector<double>> variance;   ///< [set][draw] s^2
    std::size_t draws = 0;

    [[nodiscard]] std::span<const float> amounts_of(std::size_t draw, std::size_t n) const {
        return std::span<const float>(amounts).subspan(draw * n, n);
    }
};

struct SamplingProgress {
    int done = 0, iterations = 0;  ///< of each chain
    const std::vector<ChainDraws>& chains;
};

/// Sampling runs the chains of a problem, can be stopped between batches and be resumed: what it
/// goes on to draw is the same to the bit as without the stop, on any number of threads.
class Sampling {
public:
    /// Borrows the problem. Throws InvalidArgument as PreparedFields does, and for options out of
    /// range: 10 iterations or more, two chains or more.
    Sampling(const RectifiedProblem& problem, const SamplingOptions& options);

    /// Runs until all iterations are done, or until `progress`, called by the calling thread
    /// between batches, returns false.
    void run(const std::function<bool(const SamplingProgress&)>& progress);

    [[nodiscard]] bool finished() const { return done_ == options_.iterations; }
    [[nodiscard]] int done() const { return done_; }
    [[nodiscard]] int discarded() const { return options_.iterations / 5; }
    [[nodiscard]] const std::vector<ChainDraws>& draws() const { return draws_; }

    /// Writes all draws and states to a file, by way of a part file; and takes them back. resume()
    /// throws InvalidArgument where the file is of another problem, or of other options.
    void save(const std::string& path) const;
    void resume(const std::string& path);

private:
    void run_batch(std::size_t chain, int iterations);

    const RectifiedProblem& problem_;
    SamplingOptions options_;
    PreparedFields fields_;
    std::vector<RectifiedChain> chains_;
    std::vector<ChainDraws> draws_;
    int done_ = 0;
};

}  // namespace kaname::posterior
