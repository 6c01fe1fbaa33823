// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/inversion/slip_posterior.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iterator>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"
#include "solvers/posterior/sampling.hpp"
#include "worker/jobs/inversion/slip_field.hpp"

namespace kaname::jobs {
namespace {

using Eigen::Index;
using posterior::ChainDraws;
using Interval = InversionSummary::Interval;

constexpr double kLevel_m = 0.1, kLevelOfRates_m = 0.01;
constexpr std::array kQuantiles = {0.025, 0.16, 0.5, 0.84, 0.975};
constexpr std::size_t kLow = 0, kMiddle = 2, kHigh = 4;  // of them
constexpr std::chrono::seconds kCheckpointEvery{30};
constexpr int kReports = 20;        // of effective samples, over the run
constexpr std::size_t kChecks = 3;  // draws of each chain at which responses are checked

/// PatchVectors has the share of each amount in the slip vectors of patches: [window][patch] of
/// (amount, its parts along strike and up dip). Opening has no place in a vector within the fault.
class PatchVectors {
public:
    PatchVectors(const SlipAmounts& amounts, const io::GreensDataset& greens)
        : n_patches_(amounts.patches.size()),
          terms_(static_cast<std::size_t>(amounts.n_windows) * n_patches_) {
        for (int j = 0; j < amounts.n(); ++j) {
            const SlipAmounts::Amount& amount = amounts.amounts[j];
            Term term{static_cast<std::size_t>(j)};
            for (const SlipAmounts::Term& part : amount.terms) {
                const double rake = greens.sources[part.source].rake_deg * kDegree;
                if (!std::isnan(rake)) {
                    term.along += part.factor * std::cos(rake);
                    term.up += part.factor * std::sin(rake);
                }
            }
            terms_[static_cast<std::size_t>(amount.window) * n_patches_ +
                   static_cast<std::size_t>(amount.patch)]
                .push_back(term);
        }
    }
    /// Length of the slip vector of a patch in a window.
    [[nodiscard]] double length(std::span<const float> amounts, std::size_t window,
                                std::size_t patch) const {
        double along = 0.0, up = 0.0;
        for (const Term& term : terms_[window * n_patches_ + patch]) {
            along += term.along * amounts[term.amount];
            up += term.up * amounts[term.amount];
        }
        return std::hypot(along, up);
    }

private:
    struct Term {
        std::size_t amount = 0;
        double along = 0.0, up = 0.0;
    };
    std::size_t n_patches_;
    std::vector<std::vector<Term>> terms_;
};

/// Numbers of one draw after another, of each chain.
using Series = std::vector<std::vector<double>>;

/// All draws of a series together, at kQuantiles.
std::vector<double> quantiles_of(const Series& chains) {
    std::vector<double> all;
    for (const std::vector<double>& chain : chains) {
        all.insert(all.end(), chain.begin(), chain.end());
    }
    return posterior::quantiles(all, kQuantiles);
}

Interval interval_of(const std::vector<double>& at_quantiles) {
    return {at_quantiles[kLow], at_quantiles[kMiddle], at_quantiles[kHigh]};
}

template <class Number>
Series series_of(const std::vector<ChainDraws>& chains, const Number& number) {
    Series series;
    for (const ChainDraws& chain : chains) {
        std::vector<double>& values = series.emplace_back(chain.draws);
        for (std::size_t draw = 0; draw < chain.draws; ++draw) {
            values[draw] = number(chain, draw);
        }
    }
    return series;
}

/// Puts values [quantile] where a table [quantile][...] of `width` has its entry `at`.
void put_quantiles(const std::vector<double>& values, std::size_t width, std::size_t at,
                   std::vector<double>& table) {
    table.resize(kQuantiles.size() * width);
    for (std::size_t q = 0; q < values.size(); ++q) {
        table[q * width + at] = values[q];
    }
}

Eigen::VectorXd mean_of(const std::vector<ChainDraws>& chains, int n) {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(n);
    double draws = 0.0;
    for (const ChainDraws& chain : chains) {
        sum += Eigen::Map<const Eigen::MatrixXf>(chain.amounts.data(), n,
                                                 static_cast<Index>(chain.draws))
                   .cast<double>()
                   .rowwise()
                   .sum();
        draws += static_cast<double>(chain.draws);
    }
    return sum / draws;
}

/// Goes on from a checkpoint of the same posterior, if there is one.
void take_up(posterior::Sampling& sampling, const std::string& checkpoint) {
    if (std::filesystem::exists(checkpoint)) {
        try {
            sampling.resume(checkpoint);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::InvalidArgument) {
                throw;
            }
        }
    }
}

/// Draws and what is made of them.
class PosteriorDescription {
public:
    PosteriorDescription(const InversionJob& job, const SlipAmounts& amounts,
                         const io::GreensDataset& greens, const FaultFrame& frame,
                         const std::vector<posterior::Correlation>& correlations)
        : job_(job),
          amounts_(amounts),
          frame_(frame),
          correlations_(correlations),
          vectors_(amounts, greens),
          n_(static_cast<std::size_t>(amounts.n())) {}

    /// Moment of the patches of one part, or of all, in a window [N m].
    [[nodiscard]] double moment(const ChainDraws& chain, std::size_t draw, std::size_t window,
                                std::int32_t part = -1) const {
        const std::span<const float> m = chain.amounts_of(draw, n_);
        double sum = 0.0;
        for (std::size_t p = 0; p < amounts_.patches.size(); ++p) {
            if (part < 0 || frame_.parts.of_patch[p] == part) {
                sum += amounts_.patches[p].moment_per_m * vectors_.length(m, window, p);
            }
        }
        return sum;
    }

    void describe_slip_of(const std::vector<ChainDraws>& chains, SlipPosterior& result) const;
    void describe_moments(const std::vector<ChainDraws>& chains, SlipPosterior& result) const;
    void describe_field(const std::vector<ChainDraws>& chains, SlipPosterior& result) const;
    void describe_theta(const std::vector<ChainDraws>& chains, const ThetaResponses& theta,
                        SlipPosterior& result) const;
    void keep_draws(const std::vector<ChainDraws>& chains, const ThetaResponses* theta,
                    SlipPosterior& result) const;
    void judge(const std::vector<ChainDraws>& chains, SlipPosterior& result) const;

private:
    [[nodiscard]] std::size_t n_windows() const { return job_.slip.windows.size(); }
    /// Adds a number that is diagnosed, and returns its quantiles.
    std::vector<double> add_number(const std::string& name, const Series& series,
                                   SlipPosterior& result) const {
        const posterior::Diagnostics found = posterior::diagnose(series);
        result.file.numbers.push_back(name);
        result.file.effective_number.push_back(found.effective);
        result.file.r_hat_number.push_back(found.r_hat);
        return quantiles_of(series);
    }

    const InversionJob& job_;
    const SlipAmounts& amounts_;
    const FaultFrame& frame_;
    const std::vector<posterior::Correlation>& correlations_;
    PatchVectors vectors_;
    std::size_t n_;
};

void PosteriorDescription::describe_slip_of(const std::vector<ChainDraws>& chains,
                                            SlipPosterior& result) const {
    io::InversionDataset::Posterior& file = result.file;
    file.quantiles.assign(kQuantiles.begin(), kQuantiles.end());
    const std::size_t n_patches = amounts_.patches.size(), n_sources = amounts_.n_sources;
    const std::size_t all_patches = n_windows() * n_patches;
    for (std::size_t w = 0; w < n_windows(); ++w) {
        const double level_m = job_.posterior->level_m.value_or(
            job_.slip.windows[w].is_rate() ? kLevelOfRates_m : kLevel_m);
        file.level.push_back(level_m);
        for (std::size_t p = 0; p < n_patches; ++p) {
            const Series slip = series_of(chains, [&](const ChainDraws& chain, std::size_t draw) {
                return vectors_.length(chain.amounts_of(draw, n_), w, p);
            });
            double above = 0.0, draws = 0.0;
            for (const std::vector<double>& values : slip) {
                above += static_cast<double>(
                    std::ranges::count_if(values, [&](double value) { return value > level_m; }));
                draws += static_cast<double>(values.size());
            }
            file.probability.push_back(above / draws);
            put_quantiles(quantiles_of(slip), all_patches, w * n_patches + p, file.patch_slip);
        }
    }
    // Slip of sources that no amount is of stays 0.
    std::vector<std::vector<std::pair<std::size_t, double>>> terms(n_windows() * n_sources);
    for (std::size_t j = 0; j < n_; ++j) {
        const SlipAmounts::Amount& amount = amounts_.amounts[j];
        for (const SlipAmounts::Term& term : amount.terms) {
            terms[static_cast<std::size_t>(amount.window) * n_sources +
                  static_cast<std::size_t>(term.source)]
                .emplace_back(j, term.factor);
        }
    }
    file.slip.assign(kQuantiles.size() * terms.size(), 0.0);
    for (std::size_t s = 0; s < terms.size(); ++s) {
        if (!terms[s].empty()) {
            put_quantiles(quantiles_of(series_of(chains,
                                                 [&](const ChainDraws& chain, std::size_t draw) {
                                                     const auto m = chain.amounts_of(draw, n_);
                                                     double sum = 0.0;
                                                     for (const auto& [j, factor] : terms[s]) {
                                                         sum += factor * m[j];
                                                     }
                                                     return sum;
                                                 })),
                          terms.size(), s, file.slip);
        }
    }
}

void PosteriorDescription::describe_moments(const std::vector<ChainDraws>& chains,
                                            SlipPosterior& result) const {
    io::InversionDataset::Posterior& file = result.file;
    file.parts = frame_.parts.names;
    file.part_of_patch = frame_.parts.of_patch;
    for (std::size_t w = 0; w < n_windows(); ++w) {
        InversionSummary::Posterior::Window& window = result.summary.windows.emplace_back();
        window.name = job_.slip.windows[w].name;
        const std::vector<double> moments = add_number(
            "moment of " + window.name,
            series_of(chains,
                      [&](const auto& chain, std::size_t k) { return moment(chain, k, w); }),
            result);
        std::vector<double> magnitudes;
        for (const double value : moments) {
            magnitudes.push_back(value > 0.0 ? slip_model::moment_magnitude(value) : kNaN);
        }
        put_quantiles(moments, n_windows(), w, file.moment);
        put_quantiles(magnitudes, n_windows(), w, file.moment_magnitude);
        window.moment_n_m = interval_of(moments);
        window.moment_magnitude = interval_of(magnitudes);
        for (std::size_t part = 0; part < frame_.parts.names.size(); ++part) {
            const std::vector<double> of_part =
                quantiles_of(series_of(chains, [&](const auto& chain, std::size_t k) {
                    return moment(chain, k, w, static_cast<std::int32_t>(part));
                }));
            window.parts.push_back({frame_.parts.names[part], interval_of(of_part)});
            put_quantiles(of_part, n_windows() * frame_.parts.names.size(),
                          w * frame_.parts.names.size() + part, file.part_moment);
        }
    }
}

void PosteriorDescription::describe_field(const std::vector<ChainDraws>& chains,
                                          SlipPosterior& result) const {
    for (std::size_t w = 0; w < n_windows(); ++w) {
        InversionSummary::Posterior::Window& window = result.summary.windows[w];
        // Logarithms are diagnosed, for their distributions have no long tails.
        const std::vector<double> log_sigma = add_number(
            "log sigma of " + window.name,
            series_of(chains, [&](const ChainDraws& chain,
                                  std::size_t k) { return -0.5 * std::log(chain.lambda[w][k]); }),
            result);
        const std::vector<double> log_length = add_number(
            "log length of " + window.name,
            series_of(chains,
                      [&](const ChainDraws& chain, std::size_t k) {
                          return std::log(
                              correlations_[static_cast<std::size_t>(chain.choice[w][k])].length_m);
                      }),
            result);
        (void)add_number(
            "log z'Pz of " + window.name,
            series_of(chains, [&](const ChainDraws& chain,
                                  std::size_t k) { return std::log(chain.roughness[w][k]); }),
            result);
        const auto exponential = [](Interval log) {
            return Interval{std::exp(log.low), std::exp(log.median), std::exp(log.high)};
        };
        window.sigma_m = exponential(interval_of(log_sigma));
        window.length_m = exponential(interval_of(log_length));
    }
    for (std::size_t set = 0; set < job_.sets.size(); ++set) {
        const Interval log =
            interval_of(add_number("log factor of " + job_.sets[set].name,
                                   series_of(chains,
                                             [&](const ChainDraws& chain, std::size_t k) {
                                                 return 0.5 * std::log(chain.variance[set][k]);
                                             }),
                                   result));
        result.summary.factors.push_back(
            {std::exp(log.low), std::exp(log.median), std::exp(log.high)});
    }
}

/// x [theta] of one draw.
std::vector<double> parameters_at(const ChainDraws& chain, std::size_t draw) {
    std::vector<double> x;
    for (const std::vector<double>& series : chain.parameter) {
        x.push_back(series[draw]);
    }
    return x;
}

void PosteriorDescription::describe_theta(const std::vector<ChainDraws>& chains,
                                          const ThetaResponses& theta,
                                          SlipPosterior& result) const {
    io::InversionDataset::Posterior& file = result.file;
    InversionSummary::Posterior& summary = result.summary;
    const std::size_t n_theta = chains.front().parameter.size();
    file.theta = job_.posterior->theta;
    const std::vector<double> from = theta.viscosities_pa_s(std::vector<double>(n_theta, -1.0));
    const std::vector<double> to = theta.viscosities_pa_s(std::vector<double>(n_theta, 1.0));
    summary.effective_theta = kInf;
    for (std::size_t p = 0; p < n_theta; ++p) {
        file.theta_range.insert(file.theta_range.end(), {from[p], to[p]});
        std::vector<double> viscosities;
        for (const double log : add_number("log viscosity of " + file.theta[p],
                                           series_of(chains,
                                                     [&](const ChainDraws&chain, std::size_t draw) {
                                                         return std::log(theta.viscosities_pa_s(
                                                             parameters_at(chain, draw))[p]);
                                                     }),
                                           result)) {
            viscosities.push_back(std::exp(log));
        }
        summary.effective_theta = std::min(summary.effective_theta, file.effective_number.back());
        put_quantiles(viscosities, n_theta, p, file.viscosity);
        summary.theta.push_back({file.theta[p], from[p], to[p], interval_of(viscosities)});
    }
    for (const ChainDraws& chain : chains) {
        for (std::size_t k = 1; k <= kChecks; ++k) {
            const std::size_t draw = k * chain.draws / kChecks - 1;
            const Eigen::VectorXd m = Eigen::Map<const Eigen::VectorXf>(
                                          chain.amounts_of(draw, n_).data(), static_cast<Index>(n_))
                                          .cast<double>();
            const ThetaResponses::Check found = theta.check(parameters_at(chain, draw), m);
            summary.interpolation_error =
                std::max(summary.interpolation_error, found.interpolation);
            summary.certified_error = std::max(summary.certified_error, found.certified);
        }
    }
    file.interpolation_error = summary.interpolation_error;
    file.certified_error = summary.certified_error;
}

void PosteriorDescription::keep_draws(const std::vector<ChainDraws>& chains,
                                      const ThetaResponses* theta, SlipPosterior& result) const {
    io::InversionDataset::Posterior& file = result.file;
    const std::size_t drawn = chains.front().draws;
    const std::size_t kept = std::min(drawn, static_cast<std::size_t>(job_.posterior->draws));
    for (const ChainDraws& chain : chains) {
        for (std::size_t k = 0; k < kept; ++k) {
            const std::size_t draw = (k + 1) * drawn / kept - 1;
            const std::span<const float> m = chain.amounts_of(draw, n_);
            Eigen::VectorXd x(static_cast<Index>(n_));
            std::ranges::copy(m, x.begin());
            std::ranges::copy(amounts_.slip_of_sources(x), std::back_inserter(file.slip_draws));
            for (std::size_t w = 0; w < n_windows(); ++w) {
                const posterior::Correlation& correlation =
                    correlations_[static_cast<std::size_t>(chain.choice[w][draw])];
                file.moment_draws.push_back(moment(chain, draw, w));
                file.sigma_draws.push_back(1.0 / std::sqrt(chain.lambda[w][draw]));
                file.length_draws.push_back(correlation.length_m);
                file.roughness_draws.push_back(correlation.roughness);
            }
            for (std::size_t set = 0; set < job_.sets.size(); ++set) {
                file.factor_draws.push_back(std::sqrt(chain.variance[set][draw]));
            }
            if (theta != nullptr) {
                std::ranges::copy(theta->viscosities_pa_s(parameters_at(chain, draw)),
                                  std::back_inserter(file.theta_draws));
            }
        }
    }
}

void PosteriorDescription::judge(const std::vector<ChainDraws>& chains,
                                 SlipPosterior& result) const {
    io::InversionDataset::Posterior& file = result.file;
    InversionSummary::Posterior& summary = result.summary;
    for (std::size_t j = 0; j < n_; ++j) {
        const posterior::Diagnostics found =
            posterior::diagnose(series_of(chains, [&](const ChainDraws& chain, std::size_t draw) {
                return static_cast<double>(chain.amounts_of(draw, n_)[j]);
            }));
        file.effective_amount.push_back(found.effective);
        file.r_hat_amount.push_back(found.r_hat);
    }
    summary.effective_slip = std::ranges::min(file.effective_amount);
    summary.r_hat =
        std::max(std::ranges::max(file.r_hat_amount), std::ranges::max(file.r_hat_number));
    summary.effective_moment = summary.effective_lambda = kInf;
    for (std::size_t k = 0; k < file.numbers.size(); ++k) {
        for (const auto& [begin, least] : {std::pair("moment", &summary.effective_moment),
                                           std::pair("log sigma", &summary.effective_lambda)}) {
            if (file.numbers[k].starts_with(begin)) {
                *least = std::min(*least, file.effective_number[k]);
            }
        }
    }
    summary.converged =
        std::min(summary.effective_slip, summary.effective_moment) >= kLeastEffective &&
        (summary.theta.empty() || summary.effective_theta >= kLeastEffective) &&
        summary.r_hat <= kMostRHat;
}

}  // namespace

SlipPosterior sample_slip(const InversionJob& job, const SlipAmounts& amounts,
                          const io::GreensDataset& greens,
                          const std::vector<inversion::NormalEquations>& sets, int n_errors,
                          const ThetaResponses* theta, std::vector<std::string> names,
                          const std::string& checkpoint,
                          const std::function<void(double, const std::string&)>& progress) {
    const auto began = std::chrono::steady_clock::now();
    const FaultFrame frame = frame_of(amounts, greens);
    const std::vector<posterior::Correlation> correlations = correlations_of(*job.posterior, frame);
    const PosteriorDescription description(job, amounts, greens, frame, correlations);
    posterior::RectifiedProblem problem = rectified_problem(job, amounts, greens, sets, n_errors);
    if (theta != nullptr) {
        problem.family = theta->family();
        problem.family->at(std::vector<double>(theta->family().n_parameters(), 0.0), problem.sets);
    }
    posterior::SamplingOptions options;
    options.iterations = job.posterior->iterations;
    options.seed = job.posterior->seed;
    posterior::Sampling sampling(problem, options);
    take_up(sampling, checkpoint);
    auto saved = std::chrono::steady_clock::now();
    std::vector<std::vector<double>> moments(static_cast<std::size_t>(options.chains));
    int next = sampling.discarded() + options.iterations / kReports;
    std::string effective;
    sampling.run([&](const posterior::SamplingProgress& now) {
        for (std::size_t k = 0; k < moments.size(); ++k) {
            while (moments[k].size() < now.chains[k].draws) {
                moments[k].push_back(description.moment(now.chains[k], moments[k].size(), 0));
            }
        }
        if (now.done >= next && moments.front().size() >= 4) {
            next += options.iterations / kReports;
            effective = ", effective samples of the moment " +
                        formatted("%.0f", posterior::diagnose(moments).effective);
        }
        progress(static_cast<double>(now.done) / now.iterations,
                 "sampling the posterior" + effective);
        if (std::chrono::steady_clock::now() - saved > kCheckpointEvery) {
            sampling.save(checkpoint);
            saved = std::chrono::steady_clock::now();
        }
        return true;
    });

    SlipPosterior result;
    result.file.amounts = std::move(names);
    result.file.chains = result.summary.chains = options.chains;
    result.file.iterations = result.summary.iterations = options.iterations;
    result.file.discarded = sampling.discarded();
    result.file.seed = static_cast<std::int64_t>(options.seed);
    description.describe_slip_of(sampling.draws(), result);
    description.describe_moments(sampling.draws(), result);
    description.describe_field(sampling.draws(), result);
    if (theta != nullptr) {
        result.summary.acceptance = sampling.acceptance();
        description.describe_theta(sampling.draws(), *theta, result);
    }
    description.keep_draws(sampling.draws(), theta, result);
    description.judge(sampling.draws(), result);
    result.mean = mean_of(sampling.draws(), amounts.n());
    result.summary.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    std::error_code ignored;
    std::filesystem::remove(checkpoint, ignored);
    return result;
}

}  // namespace kaname::jobs
