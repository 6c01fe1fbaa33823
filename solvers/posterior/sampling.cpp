// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/posterior/sampling.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::posterior {
namespace {

double mean_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Sum of products of deviations that are `lag` apart, over the number of values.
double autocovariance(std::span<const double> values, double mean, std::size_t lag) {
    double sum = 0.0;
    for (std::size_t i = lag; i < values.size(); ++i) {
        sum += (values[i] - mean) * (values[i - lag] - mean);
    }
    return sum / static_cast<double>(values.size());
}

}  // namespace

Diagnostics diagnose(std::span<const std::vector<double>> chains) {
    std::vector<std::span<const double>> halves;
    const std::size_t n = chains.empty() ? 0 : chains.front().size() / 2;
    if (n < 2) {
        throw Error(ErrorCode::Internal, "diagnostics need chains of four draws or more");
    }
    for (const std::vector<double>& chain : chains) {
        const std::span<const double> all(chain);
        halves.push_back(all.first(n));
        halves.push_back(all.last(n));
    }
    const auto count = static_cast<double>(n), m = static_cast<double>(halves.size());
    std::vector<double> means;
    double within = 0.0;
    for (const auto half : halves) {
        means.push_back(mean_of(half));
        within += autocovariance(half, means.back(), 0) * count / (count - 1.0) / m;
    }
    const double centre = mean_of(means);
    double between = 0.0;  // variance of the halves' means
    for (const double mean : means) {
        between += (mean - centre) * (mean - centre) / (m - 1.0);
    }
    const double total = m * count;
    const double variance = within * (count - 1.0) / count + between;
    if (!(variance > 0.0)) {
        return {total, 1.0};
    }
    if (!(within > 0.0)) {
        return {0.0, std::numeric_limits<double>::infinity()};
    }
    const auto correlation = [&](std::size_t lag) {
        double sum = 0.0;
        for (std::size_t k = 0; k < halves.size(); ++k) {
            sum += autocovariance(halves[k], means[k], lag) * count / (count - 1.0) / m;
        }
        return 1.0 - (within - sum) / variance;
    };
    // tau = -1 + 2 sum of pairs (lag 2k, 2k + 1), which are positive and fall for a chain that can
    // be reversed; noise ends them.
    double tau = -1.0, last = std::numeric_limits<double>::infinity();
    for (std::size_t lag = 0; lag + 1 < n; lag += 2) {
        const double pair = (lag == 0 ? 1.0 : correlation(lag)) + correlation(lag + 1);
        if (!(pair > 0.0)) {
            break;
        }
        last = std::min(last, pair);
        tau += 2.0 * last;
    }
    // More than the draws there are, as of antithetic ones, is not believed beyond log10 of them.
    const double most = total * std::log10(std::max(10.0, total));
    return {std::min(most, total / std::max(tau, 1e-12)), std::sqrt(variance / within)};
}

std::vector<double> quantiles(std::vector<double>& values, std::span<const double> parts) {
    std::ranges::sort(values);
    std::vector<double> found;
    for (const double part : parts) {
        const double at = part * static_cast<double>(values.size() - 1);
        const auto k = static_cast<std::size_t>(at);
        const double rest = at - static_cast<double>(k);
        found.push_back(values[k] +
                        (k + 1 < values.size() ? rest * (values[k + 1] - values[k]) : 0.0));
    }
    return found;
}

Eigen::VectorXd mean_amounts(const std::vector<ChainDraws>& chains, Eigen::Index n) {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(n);
    double draws = 0.0;
    for (const ChainDraws& chain : chains) {
        sum += Eigen::Map<const Eigen::MatrixXf>(chain.amounts.data(), n,
                                                 static_cast<Eigen::Index>(chain.draws))
                   .cast<double>()
                   .rowwise()
                   .sum();
        draws += static_cast<double>(chain.draws);
    }
    return sum / draws;
}

namespace {

constexpr const char* kMagic = "kaname posterior 2\n";
constexpr std::uint64_t kSeedStep = 0x9E3779B97F4A7C15ULL;  // between the chains' seeds
constexpr int kSettling = 100;  // iterations, at most half of the warm-up, with s^2 held

/// FNV-1a over the bits of what makes a problem its own: options, right-hand sides, sums.
class Fingerprint {
public:
    void add(double value) {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        for (int shift = 0; shift < 64; shift += 8) {
            hash_ = (hash_ ^ ((bits >> shift) & 0xff)) * 0x100000001b3ULL;
        }
    }
    void add(const Eigen::VectorXd& values) {
        for (const double value : values) {
            add(value);
        }
    }
    [[nodiscard]] std::uint64_t value() const { return hash_; }

private:
    std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

std::uint64_t fingerprint_of(const RectifiedProblem& problem, const SamplingOptions& options) {
    Fingerprint print;
    print.add(static_cast<double>(options.iterations));
    print.add(static_cast<double>(options.seed));
    print.add(static_cast<double>(options.chains));
    if (options.effective > 0) {
        print.add(static_cast<double>(options.effective));
    }
    print.add(problem.lower);
    print.add(problem.upper);
    for (const DataSet& set : problem.sets) {
        print.add(set.g);
        print.add(set.c);
        print.add(set.freedom);
        print.add(set.h.sum());
    }
    if (problem.family) {
        for (const ResponseFamily::Set& set : problem.family->sets()) {
            print.add(set.y);
            print.add(set.rest);
            print.add(set.r.sum());
        }
    }
    for (const FieldPrior& field : problem.fields) {
        print.add(field.least_sigma);
        print.add(field.most_sigma);
        for (const Eigen::MatrixXd& covariance : field.covariance) {
            print.add(covariance.sum());
        }
    }
    return print.value();
}

/// Every vector of draws of a chain.
template <class Draws, class Visit>
void for_each_series(Draws& draws, const Visit& visit) {
    for (auto* list :
         {&draws.lambda, &draws.choice, &draws.roughness, &draws.variance, &draws.parameter}) {
        for (auto& series : *list) {
            visit(series);
        }
    }
}

void write_bytes(std::ostream& out, const void* from, std::size_t bytes) {
    out.write(static_cast<const char*>(from), static_cast<std::streamsize>(bytes));
}

void read_bytes(std::istream& in, void* to, std::size_t bytes, const std::string& path) {
    if (!in.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes))) {
        throw Error(ErrorCode::InvalidArgument,
                    path + ": is not a whole checkpoint of a posterior");
    }
}

}  // namespace

Sampling::Sampling(const RectifiedProblem& problem, const SamplingOptions& options)
    : problem_(problem), options_(options), fields_(problem) {
    if (options.iterations < 10 || options.chains < 2 || options.batch < 1) {
        throw Error(ErrorCode::InvalidArgument, "posterior.iterations must be at least 10, got " +
                                                    std::to_string(options.iterations) + " of " +
                                                    std::to_string(options.chains) + " chains");
    }
    for (int k = 0; k < options.chains; ++k) {
        chains_.emplace_back(
            problem_, fields_, options.seed + kSeedStep * static_cast<std::uint64_t>(k),
            k % 2 == 0 ? RectifiedChain::Start::Rest : RectifiedChain::Start::Prior);
        ChainDraws& draws = draws_.emplace_back();
        draws.lambda.resize(problem.fields.size());
        draws.choice = draws.roughness = draws.lambda;
        draws.variance.resize(problem.sets.size());
        draws.parameter.resize(problem.family ? problem.family->n_parameters() : 0);
        if (options.effective == 0) {
            draws.amounts.reserve(
                static_cast<std::size_t>((options.iterations - warm_up()) * problem.n()));
        }
    }
}

int Sampling::warm_up() const {
    return (options_.effective > 0 ? std::min(kFirstEnd, options_.iterations)
                                   : options_.iterations) /
           5;
}

bool Sampling::may_end() const {
    if (options_.effective == 0 || done_ == options_.iterations) {
        return false;
    }
    // Looks grow with the chains, so that all together cost a few times the last one. They stand
    // at iterations of their own, wherever a run was interrupted.
    const auto at_batch = [&](int at) {
        return (at + options_.batch - 1) / options_.batch * options_.batch;
    };
    int look = at_batch(kFirstEnd);
    while (look < done_) {
        look = at_batch(look + look / 4);
    }
    return look == done_;
}

void Sampling::drop_first_draws() {
    for (ChainDraws& draws : draws_) {
        const std::size_t kept = static_cast<std::size_t>(done_ - discarded());
        const std::size_t surplus = draws.draws - std::min(draws.draws, kept);
        const auto drop = [](auto& values, std::size_t n) {
            values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
        };
        drop(draws.amounts, surplus * static_cast<std::size_t>(problem_.n()));
        for_each_series(draws, [&](std::vector<double>& series) { drop(series, surplus); });
        draws.draws -= surplus;
    }
}

void Sampling::run_batch(std::size_t k, int iterations) {
    RectifiedChain& chain = chains_[k];
    ChainDraws& draws = draws_[k];
    for (int i = 0; i < iterations; ++i) {
        const int now = done_ + i;
        chain.step(now < std::min(kSettling, warm_up() / 2) ? RectifiedChain::Phase::Settling
                   : now < warm_up()                        ? RectifiedChain::Phase::Learning
                                                            : RectifiedChain::Phase::Sampling);
        if (now < warm_up()) {
            continue;
        }
        for (const double amount : chain.amounts()) {
            draws.amounts.push_back(static_cast<float>(amount));
        }
        for (std::size_t f = 0; f < problem_.fields.size(); ++f) {
            draws.lambda[f].push_back(chain.lambda(f));
            draws.choice[f].push_back(static_cast<double>(chain.choice(f)));
            draws.roughness[f].push_back(chain.quadratic(f));
        }
        for (std::size_t set = 0; set < problem_.sets.size(); ++set) {
            draws.variance[set].push_back(chain.variance(set));
        }
        for (std::size_t p = 0; p < draws.parameter.size(); ++p) {
            draws.parameter[p].push_back(chain.parameters()[static_cast<Eigen::Index>(p)]);
        }
        ++draws.draws;
    }
}

void Sampling::run(const std::function<bool(const SamplingProgress&)>& progress,
                   const std::function<bool(const SamplingProgress&)>& enough) {
    while (!finished()) {
        const int batch = std::min(options_.batch, options_.iterations - done_);
        parallel_for(
            static_cast<std::int64_t>(chains_.size()),
            [&](std::int64_t k) { run_batch(static_cast<std::size_t>(k), batch); }, 1);
        done_ += batch;
        const int surplus = options_.effective > 0 ? discarded() - warm_up() : 0;
        const SamplingProgress now{done_, options_.iterations, draws_,
                                   static_cast<std::size_t>(std::max(0, surplus))};
        // Asked before `progress`, which may save: a run that goes on from there has been refused.
        if (enough && may_end() && enough(now)) {
            ended_ = true;
        } else if (progress && !progress(now)) {
            return;
        }
    }
    drop_first_draws();
}

double Sampling::acceptance() const {
    double sum = 0.0;
    for (const RectifiedChain& chain : chains_) {
        sum += chain.acceptance() / static_cast<double>(chains_.size());
    }
    return sum;
}

void Sampling::save(const std::string& path) const {
    const std::string part = path + ".part";
    std::ofstream out(part, std::ios::binary);
    out << kMagic;
    const std::uint64_t print = fingerprint_of(problem_, options_);
    const auto done = static_cast<std::uint64_t>(done_);
    write_bytes(out, &print, sizeof(print));
    write_bytes(out, &done, sizeof(done));
    for (std::size_t k = 0; k < chains_.size(); ++k) {
        const std::string state = chains_[k].state();
        const std::uint64_t length = state.size(), draws = draws_[k].draws;
        write_bytes(out, &length, sizeof(length));
        write_bytes(out, state.data(), state.size());
        write_bytes(out, &draws, sizeof(draws));
        write_bytes(out, draws_[k].amounts.data(), draws_[k].amounts.size() * sizeof(float));
        for_each_series(draws_[k], [&](const std::vector<double>& series) {
            write_bytes(out, series.data(), series.size() * sizeof(double));
        });
    }
    out.close();
    std::error_code failed;
    if (out) {
        std::filesystem::rename(part, path, failed);
    }
    if (!out || failed) {
        throw Error(ErrorCode::Unavailable, path + ": cannot be written (disk full?)");
    }
}

void Sampling::resume(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::string magic(std::strlen(kMagic), ' ');
    read_bytes(in, magic.data(), magic.size(), path);
    std::uint64_t print = 0, done = 0;
    read_bytes(in, &print, sizeof(print), path);
    read_bytes(in, &done, sizeof(done), path);
    if (magic != kMagic || print != fingerprint_of(problem_, options_) ||
        done > static_cast<std::uint64_t>(options_.iterations)) {
        throw Error(ErrorCode::InvalidArgument,
                    path + ": is a checkpoint of another posterior than this one");
    }
    // All is read before anything is taken over: half a file must change nothing.
    std::vector<ChainDraws> kept = draws_;
    std::vector<std::string> states;
    const std::uint64_t drawn = done - std::min<std::uint64_t>(done, warm_up());
    for (ChainDraws& draws : kept) {
        std::uint64_t length = 0, count = 0;
        read_bytes(in, &length, sizeof(length), path);
        std::string& state = states.emplace_back(std::min<std::uint64_t>(length, 1 << 28), ' ');
        read_bytes(in, state.data(), state.size(), path);
        read_bytes(in, &count, sizeof(count), path);
        if (count != drawn) {
            throw Error(ErrorCode::InvalidArgument, path + ": is a damaged checkpoint");
        }
        draws.draws = count;
        draws.amounts.resize(draws.draws * static_cast<std::size_t>(problem_.n()));
        read_bytes(in, draws.amounts.data(), draws.amounts.size() * sizeof(float), path);
        for_each_series(draws, [&](std::vector<double>& series) {
            series.resize(draws.draws);
            read_bytes(in, series.data(), series.size() * sizeof(double), path);
        });
    }
    for (std::size_t k = 0; k < chains_.size(); ++k) {
        chains_[k].restore(states[k]);
    }
    draws_ = std::move(kept);
    done_ = static_cast<int>(done);
}

bool Sampling::take_up(const std::string& path) {
    if (!std::filesystem::exists(path)) {
        return false;
    }
    try {
        resume(path);
        return true;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::InvalidArgument) {
            throw;
        }
        return false;
    }
}

}  // namespace kaname::posterior
