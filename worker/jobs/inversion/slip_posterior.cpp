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

/// The draws from `first` on.
template <class Number>
Series series_of(const std::vector<ChainDraws>& chains, const Number& number,
                 std::size_t first = 0) {
    Series series;
    for (const ChainDraws& chain : chains) {
        std::vector<double>& values = series.emplace_back();
        for (std::size_t draw = first; draw < chain.draws; ++draw) {
            values.push_back(number(chain, draw));
        }
    }
    return series;
}

/// A number of each draw that is diagnosed beside the amounts.
struct Number {
    std::string name;
    std::function<double(const ChainDraws&, std::size_t)> of;
};

/// Puts values [quantile] where a table [quantile][...] of `width` has its entry `at`.
void put_quantiles(const std::vector<double>& values, std::size_t width, std::size_t at,
                   std::vector<double>& table) {
    table.resize(kQuantiles.size() * width);
    for (std::size_t q = 0; q < values.size(); ++q) {
        table[q * width + at] = values[q];
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

/// Draws and what is made of them.
class PosteriorDescription {
public:
    PosteriorDescription(const InversionJob& job, const SlipAmounts& amounts,
                         const io::GreensDataset& greens, const FaultFrame& frame,
                         const std::vector<posterior::Correlation>& correlations,
                         const ThetaResponses* theta)
        : job_(job),
          amounts_(amounts),
          frame_(frame),
          correlations_(correlations),
          theta_(theta),
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

    /// True: each number and amount that judge() counts has as many effective samples as wanted,
    /// and chains that agree, in the draws from `first` on.
    [[nodiscard]] bool suffice(const std::vector<ChainDraws>& chains, std::size_t first,
                               double wanted) const;
    /// Diagnoses numbers(), and returns the quantiles of each.
    std::vector<std::vector<double>> diagnose_numbers(const std::vector<ChainDraws>& chains,
                                                      SlipPosterior& result) const;
    void describe_slip_of(const std::vector<ChainDraws>& chains, SlipPosterior& result) const;
    /// `numbers`: quantiles of each of numbers(), here and below.
    void describe_moments(const std::vector<ChainDraws>& chains,
                          const std::vector<std::vector<double>>& numbers,
                          SlipPosterior& result) const;
    void describe_field(const std::vector<std::vector<double>>& numbers,
                        SlipPosterior& result) const;
    void describe_theta(const std::vector<ChainDraws>& chains,
                        const std::vector<std::vector<double>>& numbers,
                        SlipPosterior& result) const;
    void keep_draws(const std::vector<ChainDraws>& chains, SlipPosterior& result) const;
    void judge(const std::vector<ChainDraws>& chains, SlipPosterior& result) const;

private:
    [[nodiscard]] std::size_t n_windows() const { return job_.slip.windows.size(); }
    /// All numbers that are diagnosed beside the amounts; where there is more than one of a kind,
    /// those of windows, sets and viscosities in their order.
    [[nodiscard]] std::vector<Number> numbers() const;
    [[nodiscard]] posterior::Diagnostics amount_of(const std::vector<ChainDraws>& chains,
                                                   std::size_t j, std::size_t first) const {
        return posterior::diagnose(series_of(
            chains,
            [&](const ChainDraws& chain, std::size_t draw) {
                return static_cast<double>(chain.amounts_of(draw, n_)[j]);
            },
            first));
    }

    const InversionJob& job_;
    const SlipAmounts& amounts_;
    const FaultFrame& frame_;
    const std::vector<posterior::Correlation>& correlations_;
    const ThetaResponses* theta_;
    PatchVectors vectors_;
    std::size_t n_;
};

std::vector<Number> PosteriorDescription::numbers() const {
    std::vector<Number> all;
    for (std::size_t w = 0; w < n_windows(); ++w) {
        all.push_back({"moment of " + job_.slip.windows[w].name,
                       [this, w](const ChainDraws& chain, std::size_t draw) {
                           return moment(chain, draw, w);
                       }});
    }
    // Logarithms are diagnosed, for their distributions have no long tails.
    for (std::size_t w = 0; w < n_windows(); ++w) {
        const std::string& name = job_.slip.windows[w].name;
        all.push_back({"log sigma of " + name, [w](const ChainDraws& chain, std::size_t draw) {
                           return -0.5 * std::log(chain.lambda[w][draw]);
                       }});
        all.push_back(
            {"log length of " + name, [this, w](const ChainDraws& chain, std::size_t draw) {
                 return std::log(
                     correlations_[static_cast<std::size_t>(chain.choice[w][draw])].length_m);
             }});
        all.push_back({"log z'Pz of " + name, [w](const ChainDraws& chain, std::size_t draw) {
                           return std::log(chain.roughness[w][draw]);
                       }});
    }
    for (std::size_t set = 0; set < job_.sets.size(); ++set) {
        all.push_back({"log factor of " + job_.sets[set].name,
                       [set](const ChainDraws& chain, std::size_t draw) {
                           return 0.5 * std::log(chain.variance[set][draw]);
                       }});
    }
    for (std::size_t p = 0; p < (theta_ == nullptr ? 0 : job_.posterior->theta.size()); ++p) {
        all.push_back({"log viscosity of " + job_.posterior->theta[p],
                       [this, p](const ChainDraws& chain, std::size_t draw) {
                           return std::log(theta_->viscosities_pa_s(parameters_at(chain, draw))[p]);
                       }});
    }
    return all;
}

bool PosteriorDescription::suffice(const std::vector<ChainDraws>& chains, std::size_t first,
                                   double wanted) const {
    const auto enough = [&](const posterior::Diagnostics& found) {
        return found.effective >= wanted && found.r_hat <= kMostRHat;
    };
    // The first one that does not have them ends the look: few looks reach the amounts.
    for (const Number& number : numbers()) {
        if (!enough(posterior::diagnose(series_of(chains, number.of, first)))) {
            return false;
        }
    }
    for (std::size_t j = 0; j < n_; ++j) {
        if (!enough(amount_of(chains, j, first))) {
            return false;
        }
    }
    return true;
}

std::vector<std::vector<double>> PosteriorDescription::diagnose_numbers(
    const std::vector<ChainDraws>& chains, SlipPosterior& result) const {
    std::vector<std::vector<double>> found;
    for (const Number& number : numbers()) {
        const Series series = series_of(chains, number.of);
        const posterior::Diagnostics diagnosed = posterior::diagnose(series);
        result.file.numbers.push_back(number.name);
        result.file.effective_number.push_back(diagnosed.effective);
        result.file.r_hat_number.push_back(diagnosed.r_hat);
        found.push_back(quantiles_of(series));
    }
    return found;
}

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
                                            const std::vector<std::vector<double>>& numbers,
                                            SlipPosterior& result) const {
    io::InversionDataset::Posterior& file = result.file;
    file.parts = frame_.parts.names;
    file.part_of_patch = frame_.parts.of_patch;
    for (std::size_t w = 0; w < n_windows(); ++w) {
        InversionSummary::Posterior::Window& window = result.summary.windows.emplace_back();
        window.name = job_.slip.windows[w].name;
        const std::vector<double>& moments = numbers[w];
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

void PosteriorDescription::describe_field(const std::vector<std::vector<double>>& numbers,
                                          SlipPosterior& result) const {
    const auto exponential = [](const std::vector<double>& logs) {
        return Interval{std::exp(logs[kLow]), std::exp(logs[kMiddle]), std::exp(logs[kHigh])};
    };
    for (std::size_t w = 0; w < n_windows(); ++w) {
        result.summary.windows[w].sigma_m = exponential(numbers[n_windows() + 3 * w]);
        result.summary.windows[w].length_m = exponential(numbers[n_windows() + 3 * w + 1]);
    }
    for (std::size_t set = 0; set < job_.sets.size(); ++set) {
        result.summary.factors.push_back(exponential(numbers[4 * n_windows() + set]));
    }
}

void PosteriorDescription::describe_theta(const std::vector<ChainDraws>& chains,
                                          const std::vector<std::vector<double>>& numbers,
                                          SlipPosterior& result) const {
    io::InversionDataset::Posterior& file = result.file;
    InversionSummary::Posterior& summary = result.summary;
    const std::size_t n_theta = chains.front().parameter.size();
    file.theta = job_.posterior->theta;
    const std::vector<double> from = theta_->viscosities_pa_s(std::vector<double>(n_theta, -1.0));
    const std::vector<double> to = theta_->viscosities_pa_s(std::vector<double>(n_theta, 1.0));
    summary.effective_theta = kInf;
    for (std::size_t p = 0; p < n_theta; ++p) {
        file.theta_range.insert(file.theta_range.end(), {from[p], to[p]});
        const std::size_t at = numbers.size() - n_theta + p;
        std::vector<double> viscosities;
        for (const double log : numbers[at]) {
            viscosities.push_back(std::exp(log));
        }
        summary.effective_theta = std::min(summary.effective_theta, file.effective_number[at]);
        put_quantiles(viscosities, n_theta, p, file.viscosity);
        summary.theta.push_back({file.theta[p], from[p], to[p], interval_of(viscosities)});
    }
    for (const ChainDraws& chain : chains) {
        for (std::size_t k = 1; k <= kChecks; ++k) {
            const std::size_t draw = k * chain.draws / kChecks - 1;
            const Eigen::VectorXd m = Eigen::Map<const Eigen::VectorXf>(
                                          chain.amounts_of(draw, n_).data(), static_cast<Index>(n_))
                                          .cast<double>();
            const ThetaResponses::Check found = theta_->check(parameters_at(chain, draw), m);
            summary.interpolation_error =
                std::max(summary.interpolation_error, found.interpolation);
            summary.certified_error = std::max(summary.certified_error, found.certified);
        }
    }
    file.interpolation_error = summary.interpolation_error;
    file.certified_error = summary.certified_error;
}

void PosteriorDescription::keep_draws(const std::vector<ChainDraws>& chains,
                                      SlipPosterior& result) const {
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
            if (theta_ != nullptr) {
                std::ranges::copy(theta_->viscosities_pa_s(parameters_at(chain, draw)),
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
        const posterior::Diagnostics found = amount_of(chains, j, 0);
        file.effective_amount.push_back(found.effective);
        file.r_hat_amount.push_back(found.r_hat);
    }
    summary.effective_slip = std::ranges::min(file.effective_amount);
    summary.fewest_effective =
        std::min(summary.effective_slip, std::ranges::min(file.effective_number));
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
    const PosteriorDescription description(job, amounts, greens, frame, correlations, theta);
    posterior::RectifiedProblem problem = rectified_problem(job, amounts, greens, sets, n_errors);
    if (theta != nullptr) {
        problem.family = theta->family();
        problem.family->at(std::vector<double>(theta->family().n_parameters(), 0.0), problem.sets);
    }
    posterior::SamplingOptions options;
    options.iterations = job.posterior->iterations;
    options.seed = job.posterior->seed;
    options.effective = job.posterior->effective_samples;
    posterior::Sampling sampling(problem, options);
    (void)sampling.take_up(checkpoint);
    auto saved = std::chrono::steady_clock::now();
    std::vector<std::vector<double>> moments(static_cast<std::size_t>(options.chains));
    const std::string wanted =
        options.effective > 0 ? " of " + std::to_string(options.effective) : "";
    const int between = std::max(1, options.iterations / kReports);
    int next = 0;
    std::string effective;
    const auto told = [&](const posterior::SamplingProgress& now) {
        for (std::size_t k = 0; k < moments.size(); ++k) {
            while (moments[k].size() < now.chains[k].draws) {
                moments[k].push_back(description.moment(now.chains[k], moments[k].size(), 0));
            }
        }
        if (now.done >= next && moments.front().size() >= 4) {
            next = now.done + between;
            effective = ", effective samples of the moment " +
                        formatted("%.0f", posterior::diagnose(moments).effective) + wanted;
        }
        progress(static_cast<double>(now.done) / now.iterations,
                 "sampling the posterior" + effective);
        if (std::chrono::steady_clock::now() - saved > kCheckpointEvery) {
            sampling.save(checkpoint);
            saved = std::chrono::steady_clock::now();
        }
        return true;
    };
    sampling.run(told, [&](const posterior::SamplingProgress& now) {
        return description.suffice(now.chains, now.first, options.effective);
    });

    SlipPosterior result;
    result.file.amounts = std::move(names);
    result.file.chains = result.summary.chains = options.chains;
    result.file.iterations = result.summary.iterations = sampling.done();
    result.file.most_iterations = result.summary.most_iterations = options.iterations;
    result.file.discarded = sampling.discarded();
    result.file.seed = static_cast<std::int64_t>(options.seed);
    description.describe_slip_of(sampling.draws(), result);
    const std::vector<std::vector<double>> numbers =
        description.diagnose_numbers(sampling.draws(), result);
    description.describe_moments(sampling.draws(), numbers, result);
    description.describe_field(numbers, result);
    if (theta != nullptr) {
        result.summary.acceptance = sampling.acceptance();
        description.describe_theta(sampling.draws(), numbers, result);
    }
    description.keep_draws(sampling.draws(), result);
    description.judge(sampling.draws(), result);
    result.mean = posterior::mean_amounts(sampling.draws(), amounts.n());
    result.summary.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    std::error_code ignored;
    std::filesystem::remove(checkpoint, ignored);
    return result;
}

}  // namespace kaname::jobs
