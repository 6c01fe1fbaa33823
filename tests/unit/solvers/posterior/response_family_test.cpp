// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/posterior/response_family.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/posterior/sampling.hpp"

namespace kaname::posterior::response_family_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Response = std::function<MatrixXd(std::span<const double>)>;

constexpr std::array kEpochs = {0.0, 0.3, 1.0, 2.5, 6.0};

/// Motion of 12 components at five epochs due to three amounts: at once, and two parts that relax
/// with times of 10^x0 and 10^x1.
MatrixXd relaxing(std::span<const double> x) {
    RandomStream random(3);
    constexpr Index kComponents = 12, kAmounts = 3;
    MatrixXd parts(kComponents, 3 * kAmounts), g(kComponents * Index(kEpochs.size()), kAmounts);
    for (double& value : parts.reshaped()) {
        value = random.normal();
    }
    for (std::size_t t = 0; t < kEpochs.size(); ++t) {
        const double soft = 1.0 - std::exp(-kEpochs[t] / std::pow(10.0, x[0]));
        const double stiff = 1.0 - std::exp(-kEpochs[t] / std::pow(10.0, x[1]));
        g.middleRows(Index(t) * kComponents, kComponents) =
            parts.leftCols(kAmounts) + soft * parts.middleCols(kAmounts, kAmounts) +
            stiff * parts.rightCols(kAmounts);
    }
    return g;
}

/// One set of data of a problem with known errors whose response is `response`.
RectifiedProblem problem_of(const Response& response, std::vector<int> nodes, const VectorXd& d,
                            double sigma, double lower) {
    const ChebyshevGrid grid(std::move(nodes));
    ResponseBasis basis(d, MatrixXd(d.size(), 0), 1e-6);
    for (std::size_t i = 0; i < grid.n_nodes(); ++i) {
        basis.add(response(grid.node(i)));
    }
    const Index n = response(grid.node(0)).cols();
    RectifiedProblem problem;
    problem.family.emplace(grid, n, std::vector{basis.set()});
    problem.family->at(std::vector<double>(grid.n_parameters(), 0.0), problem.sets);
    MatrixXd covariance = MatrixXd::Constant(n, n, 0.5);
    covariance.diagonal().setOnes();
    problem.fields = {{0, n, {covariance}, sigma, sigma}};
    problem.lower = VectorXd::Constant(n, lower);
    problem.upper = VectorXd::Constant(n, kInfinity);
    problem.known_errors = true;
    return problem;
}

VectorXd noisy(const MatrixXd& g, const VectorXd& m, std::uint64_t seed) {
    RandomStream random(seed);
    VectorXd d = g * m;
    for (double& value : d) {
        value += random.normal();
    }
    return d;
}

struct Moments {
    double mean = 0.0, sd = 0.0;
};

Moments moments_of(const std::vector<double>& values, const std::vector<double>& weights) {
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    Moments found;
    for (std::size_t i = 0; i < values.size(); ++i) {
        found.mean += weights[i] / all * values[i];
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        found.sd += weights[i] / all * std::pow(values[i] - found.mean, 2);
    }
    found.sd = std::sqrt(found.sd);
    return found;
}

Moments sampled(const Sampling& sampling, std::size_t parameter) {
    std::vector<double> all;
    for (const ChainDraws& chain : sampling.draws()) {
        all.insert(all.end(), chain.parameter[parameter].begin(), chain.parameter[parameter].end());
    }
    return moments_of(all, std::vector<double>(all.size(), 1.0));
}

TEST(ResponseFamily, InterpolatesBetweenTheNodesAndKeepsWhatDataSay) {
    const std::array x = {0.37, -0.61};
    const MatrixXd g = relaxing(x);
    const VectorXd m = Eigen::Vector3d(1.0, 0.5, 2.0), d = noisy(g, m, 1);
    MatrixXd nuisance(d.size(), 2);
    nuisance.col(0).setOnes();
    nuisance.col(1).setZero();
    const ChebyshevGrid grid({25, 25});
    ResponseBasis basis(d, nuisance, 1e-6);
    for (std::size_t i = 0; i < grid.n_nodes(); ++i) {
        basis.add(relaxing(grid.node(i)));
    }
    const ResponseFamily family(grid, 3, {basis.set()});
    std::vector<DataSet> sets;

    family.at(x, sets);

    inversion::NormalEquations whole(4);
    inversion::Rows rows(d.size(), 4);
    rows.leftCols(3) = g;
    rows.col(3).setOnes();
    whole.add(rows, d);
    const DataSet wanted = marginalised(whole, 3);
    EXPECT_LT((sets[0].h - wanted.h).norm(), 1e-6 * wanted.h.norm());
    EXPECT_LT((sets[0].g - wanted.g).norm(), 1e-6 * wanted.g.norm());
    EXPECT_NEAR(sets[0].c, wanted.c, 1e-9 * wanted.c);
    EXPECT_EQ(sets[0].freedom, wanted.freedom);
    const ResponseBasis::Mismatch off = basis.mismatch(g, family.response(0, x), m);
    EXPECT_LT(off.difference, 1e-12 * off.motion);
    EXPECT_EQ(family.sets()[0].y.size(), 27) << "of 60 data: at once, and two parts at four epochs";
    EXPECT_THROW(ResponseBasis(d, MatrixXd::Ones(d.size(), 2), 1e-9), Error);
}

/// Without bounds slip is integrated out in closed form: p(x) ~ |Q|^(-1/2) exp(b'Q^-1 b / 2).
TEST(ResponseFamily, ViscositiesAreSampledAsADenseGridHasThem) {
    const std::array truth = {-0.3, 0.45};
    const double scale = 6.0;
    const Response response = [&](std::span<const double> x) -> MatrixXd {
        return scale * relaxing(x);  // an expression would outlive the matrix
    };
    const VectorXd d = noisy(response(truth), Eigen::Vector3d(1.0, 0.5, 0.8), 5);
    const RectifiedProblem problem = problem_of(response, {13, 13}, d, 1.0, -kInfinity);
    constexpr int kGrid = 100;
    std::vector<double> first, second, log_weight;
    const MatrixXd prior = problem.fields[0].covariance[0].inverse();
    for (int i = 0; i < kGrid; ++i) {
        for (int j = 0; j < kGrid; ++j) {
            const std::array x = {-1.0 + (2 * i + 1.0) / kGrid, -1.0 + (2 * j + 1.0) / kGrid};
            const MatrixXd g = response(x);
            const Eigen::LLT<MatrixXd> q(prior + g.transpose() * g);
            const VectorXd b = g.transpose() * d;
            first.push_back(x[0]);
            second.push_back(x[1]);
            log_weight.push_back(0.5 * b.dot(q.solve(b)) -
                                 q.matrixLLT().diagonal().array().log().sum());
        }
    }
    const double top = *std::ranges::max_element(log_weight);
    std::ranges::transform(log_weight, log_weight.begin(),
                           [&](double w) { return std::exp(w - top); });

    Sampling sampling(problem, {.iterations = 6000, .seed = 4});
    sampling.run({});

    for (std::size_t p = 0; p < 2; ++p) {
        const Moments wanted = moments_of(p == 0 ? first : second, log_weight);
        const Moments found = sampled(sampling, p);
        EXPECT_NEAR(found.mean, wanted.mean, 0.1 * wanted.sd) << p;
        EXPECT_NEAR(found.sd, wanted.sd, 0.05 * wanted.sd) << p;
    }
    EXPECT_NEAR(sampling.acceptance(), kAcceptance, 0.12);
}

/// One amount that may be at rest, and one parameter: both by quadrature over z and x.
TEST(ResponseFamily, RestKeepsItsProbabilityWhereViscosityIsUnknown) {
    const Response response = [](std::span<const double> x) {
        MatrixXd g(3, 1);
        for (int t = 0; t < 3; ++t) {
            g(t, 0) = 0.3 + 1.2 * (1.0 - std::exp(-0.7 * (t + 1) * std::pow(10.0, -x[0])));
        }
        return g;
    };
    const VectorXd d = Eigen::Vector3d(0.2, 0.9, 0.7);
    const RectifiedProblem problem = problem_of(response, {17}, d, 1.0, 0.0);
    double rest = 0.0, all = 0.0;
    std::vector<double> places, weights;
    for (int i = 0; i < 400; ++i) {
        const std::array x = {-1.0 + (2 * i + 1.0) / 400};
        const VectorXd g = response(x);
        double sum = 0.0;
        for (int k = 0; k < 1200; ++k) {
            const double z = -6.0 + 0.01 * (k + 0.5), m = std::max(0.0, z);
            const double p = std::exp(-0.5 * z * z - 0.5 * (d - g * m).squaredNorm());
            sum += p;
            rest += z < 0.0 ? p : 0.0;
        }
        all += sum;
        places.push_back(x[0]);
        weights.push_back(sum);
    }

    Sampling sampling(problem, {.iterations = 12000, .seed = 8});
    sampling.run({});

    const Moments wanted = moments_of(places, weights), found = sampled(sampling, 0);
    EXPECT_NEAR(found.mean, wanted.mean, 0.05 * wanted.sd);
    EXPECT_NEAR(found.sd, wanted.sd, 0.03 * wanted.sd);
    double at_rest = 0.0, draws = 0.0;
    for (const ChainDraws& chain : sampling.draws()) {
        at_rest += static_cast<double>(std::ranges::count(chain.amounts, 0.0F));
        draws += static_cast<double>(chain.draws);
    }
    EXPECT_NEAR(at_rest / draws, rest / all, 0.01);
}

TEST(ResponseFamily, AChainWithViscositiesGoesOnBitForBit) {
    const std::array truth = {0.1, -0.2};
    const VectorXd d = noisy(relaxing(truth), Eigen::Vector3d(1.0, 0.0, 2.0), 6);
    const RectifiedProblem problem = problem_of(relaxing, {5, 5}, d, 1.0, 0.0);
    const PreparedFields fields(problem);
    RectifiedChain whole(problem, fields, 5, RectifiedChain::Start::Prior);
    for (int k = 0; k < 30; ++k) {
        whole.step(RectifiedChain::Phase::Learning);
    }
    RectifiedChain other(problem, fields, 99, RectifiedChain::Start::Rest);
    other.restore(whole.state());
    for (int k = 0; k < 30; ++k) {
        const auto phase =
            k < 15 ? RectifiedChain::Phase::Learning : RectifiedChain::Phase::Sampling;
        whole.step(phase);
        other.step(phase);
    }

    EXPECT_EQ(whole.state(), other.state());
    EXPECT_TRUE((whole.parameters().array() == other.parameters().array()).all());
}

}  // namespace
}  // namespace kaname::posterior::response_family_test
