// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/spectrum/source_model.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "solvers/linalg/dense.hpp"
#include "solvers/parallel/loops.hpp"
#include "solvers/viscoelastic/spectrum/reduced_transform.hpp"

namespace kaname::viscoelastic {

using lanes::kLanes;

namespace {

constexpr int kFewest = 8, kMore = 4;  ///< vectors that are tried first; at least so many more
constexpr int kPart = 8;               ///< one in so many of those that did not suffice, if more
constexpr std::size_t kEvery = 2;      ///< shift of the grid that an answer is taken at

/// The pack's model on an orthonormal basis, and answers on it.
struct Answers {
    OrthonormalModel v;
    std::vector<ReducedModel::LaneRows> at;  ///< [answers][n of v]
    std::vector<std::size_t> last;           ///< [answers] that of the same rheology at the end
};

Answers answers_of(const RangeSearch& search, const ReducedModel& model) {
    Answers answers{orthonormal(model), {}, {}};
    std::vector<std::vector<double>> g;
    for (const auto& relaxation : search.rheologies()) {
        const std::vector<double> shifts = shifts_between(relaxation, search.end_s());
        const std::size_t last = g.size();  // shifts ascend from 1/end
        for (std::size_t k = 0; k < shifts.size(); k += kEvery) {
            answers.last.push_back(last);
            auto& of = g.emplace_back();
            for (const Relaxation& group : relaxation) {
                of.push_back(group.at(shifts[k]));
            }
        }
    }
    answers.at.resize(g.size());
    const auto answer = [&](std::int64_t k) {
        answers.at[k] = reduced_answer_at(answers.v.model, g[k]);
    };
    parallel_for(static_cast<std::int64_t>(g.size()), answer, 1);
    return answers;
}

/// Observed motion [numbers][n] of an orthonormal basis.
std::vector<double> seen_of(const OrthonormalModel& v, int n_old,
                            std::span<const std::vector<double>> seen) {
    const std::size_t numbers = seen[0].size() / kLanes;
    const auto n = static_cast<std::size_t>(v.model.n_basis);
    std::vector<double> result(numbers * n, 0.0);
    const auto number = [&](std::int64_t i) {
        for (std::size_t k = 0; k < n; ++k) {
            double sum = 0.0;
            for (int column = 0; column < n_old; ++column) {
                sum += v.T[k * n_old + column] *
                       seen[column / kLanes][std::size_t(i) * kLanes + column % kLanes];
            }
            result[std::size_t(i) * n + k] = sum;
        }
    };
    parallel_for(static_cast<std::int64_t>(numbers), number);
    return result;
}

/// Number whose motion is largest, and that motion.
std::pair<std::size_t, double> largest_of(std::span<const double> seen, std::size_t n,
                                          const std::vector<double>& c) {
    std::pair<std::size_t, double> largest{0, 0.0};
    for (std::size_t i = 0; i * n < seen.size(); ++i) {
        double moved = 0.0;
        for (std::size_t k = 0; k < n; ++k) {
            moved += seen[i * n + k] * c[k];
        }
        if (std::abs(moved) > largest.second) {
            largest = {i, std::abs(moved)};
        }
    }
    return largest;
}

/// E A E^T; E [m][n].
std::vector<double> congruent(const std::vector<double>& E, std::size_t m, std::size_t n,
                              const std::vector<double>& A) {
    std::vector<double> EA(m * n, 0.0), result(m * m, 0.0);
    for (std::size_t a = 0; a < m; ++a) {
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                EA[a * n + j] += E[a * n + i] * A[i * n + j];
            }
        }
        for (std::size_t b = 0; b < m; ++b) {
            for (std::size_t j = 0; j < n; ++j) {
                result[a * m + b] += EA[a * n + j] * E[b * n + j];
            }
        }
    }
    return result;
}

/// One source, with everything that its models of different sizes share.
class Source {
public:
    Source(const RangeSearch& search, const Answers& answers, const ReducedModel& pack,
           const ResidualSketches& sketches, std::span<const double> seen, int lane)
        : search_(search),
          v_(answers.v),
          pack_(pack),
          sketches_(sketches),
          seen_(seen),
          lane_(lane) {
        const auto n = static_cast<std::size_t>(v_.model.n_basis);
        std::vector<double> correlation(n * n, 0.0);
        std::set<std::size_t> rows;
        double size = 0.0;
        for (std::size_t k = 0; k < answers.at.size(); ++k) {
            std::vector<double> c;
            std::ranges::transform(answers.at[k], std::back_inserter(c),
                                   [lane](const auto& row) { return row[lane]; });
            if (answers.last[k] == k) {
                const auto [row, motion] = largest_of(seen_, n, c);
                size = std::max(motion, search.least()[lane]);
                rows.insert(row);
            }
            if (!(size > 0.0)) {
                continue;
            }
            for (std::size_t i = 0; i < n; ++i) {
                for (std::size_t j = 0; j < n; ++j) {
                    correlation[i * n + j] += c[i] / size * (c[j] / size);
                }
            }
        }
        rows_.assign(rows.begin(), rows.end());
        directions_ = linalg::symmetric_eigen(correlation, static_cast<int>(n));
    }

    /// On the m leading directions.
    [[nodiscard]] SourceModel on(std::size_t m) const {
        const auto n = static_cast<std::size_t>(v_.model.n_basis);
        const auto n_old = static_cast<std::size_t>(pack_.n_basis);
        std::vector<double> E;  // rows: the last eigenvectors are the leading ones
        for (std::size_t k = 0; k < m; ++k) {
            const auto row = directions_.vector.begin() + std::ptrdiff_t((n - 1 - k) * n);
            E.insert(E.end(), row, row + std::ptrdiff_t(n));
        }
        SourceModel source;
        ReducedModel& model = source.model;
        model.n_basis = static_cast<int>(m);
        model.A_el = congruent(E, m, n, v_.model.A_el);
        for (std::size_t j = 0; j < v_.model.A.size(); ++j) {
            model.A.push_back(congruent(E, m, n, v_.model.A[j]));
            auto& b = model.b.emplace_back(m);
            for (std::size_t k = 0; k < m; ++k) {
                for (std::size_t i = 0; i < n; ++i) {
                    b[k][0] += E[k * n + i] * v_.model.b[j][i][lane_];
                }
            }
        }
        source.T.assign(m * n_old, 0.0);
        for (std::size_t k = 0; k < m; ++k) {
            for (std::size_t i = 0; i < n; ++i) {
                for (std::size_t old = 0; old < n_old; ++old) {
                    source.T[k * n_old + old] += E[k * n + i] * v_.T[i * n_old + old];
                }
            }
        }
        certify(E, source);
        return source;
    }

private:
    void certify(const std::vector<double>& E, SourceModel& source) const {
        const auto m = static_cast<std::size_t>(source.model.n_basis);
        const auto n = static_cast<std::size_t>(v_.model.n_basis);
        const auto n_old = static_cast<std::size_t>(pack_.n_basis);
        const auto width = static_cast<std::size_t>(sketches_.buckets);
        SpectrumCertificate& certificate = source.certificate;
        certificate.end_s = search_.end_s();
        certificate.left = search_.left()[lane_];
        certificate.least = search_.least()[lane_];
        for (const auto& sample : search_.motion_per_residual().samples()) {
            certificate.samples.push_back({sample.log_g, sample.motion[lane_]});
        }
        for (const std::size_t row : rows_) {
            for (std::size_t k = 0; k < m; ++k) {
                double moved = 0.0;
                for (std::size_t i = 0; i < n; ++i) {
                    moved += E[k * n + i] * seen_[row * n + i];
                }
                certificate.seen.push_back(moved);
            }
        }
        std::vector<std::vector<double>> columns;
        for (const auto& q : sketches_.q) {
            const auto begin = q.begin() + std::ptrdiff_t(lane_ * width);
            columns.emplace_back(begin, begin + std::ptrdiff_t(width));
        }
        for (const auto& images : sketches_.KW) {
            for (std::size_t k = 0; k < m; ++k) {
                auto& column = columns.emplace_back(width, 0.0);
                for (std::size_t old = 0; old < n_old; ++old) {
                    const double weight = source.T[k * n_old + old];
                    const double* image = images[old / kLanes].data() + (old % kLanes) * width;
                    for (std::size_t i = 0; i < width; ++i) {
                        column[i] += weight * image[i];
                    }
                }
            }
        }
        certificate.factor = triangular_factor(std::move(columns));
    }

    const RangeSearch& search_;
    const OrthonormalModel& v_;
    const ReducedModel& pack_;
    const ResidualSketches& sketches_;
    std::span<const double> seen_;
    int lane_;
    std::vector<std::size_t> rows_;  ///< observed numbers that some rheology moves most
    linalg::SymmetricEigen directions_;
};

/// The worst error of all rheologies; those in `first` are looked at first, and beyond `enough` it
/// is not looked further.
double worst_error(const SourceModel& source, const RangeSearch& search, double enough,
                   std::size_t& first) {
    double worst = 0.0;
    const std::size_t n = search.rheologies().size();
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t at = (first + k) % n;
        const double error = source.certificate.error(source.model, search.rheologies()[at]);
        if (error > worst) {
            worst = error;
            if (worst > enough) {
                first = at;
                break;
            }
        }
    }
    return worst;
}

}  // namespace

std::vector<SourceModel> source_models(const RangeSearch& search, const ReducedModel& model,
                                       const ResidualSketches& sketches,
                                       std::span<const std::vector<double>> seen, int n_lanes) {
    std::vector<SourceModel> sources(n_lanes);
    if (model.n_basis == 0) {
        for (SourceModel& source : sources) {
            source.model.A.resize(model.A.size());
            source.model.b.resize(model.b.size());
        }
        return sources;
    }
    const Answers answers = answers_of(search, model);
    const std::vector<double> seen_v = seen_of(answers.v, model.n_basis, measured_rows(seen));
    for (int lane = 0; lane < n_lanes; ++lane) {
        const Source source(search, answers, model, sketches, seen_v, lane);
        const int n = answers.v.model.n_basis;
        std::size_t first = 0;
        for (int m = std::min(kFewest, n);; m = std::min(m + std::max(kMore, m / kPart), n)) {
            sources[lane] = source.on(m);
            sources[lane].error = worst_error(sources[lane], search, search.tolerance(), first);
            if (sources[lane].error <= search.tolerance() || m == n) {
                break;
            }
        }
    }
    return sources;
}

}  // namespace kaname::viscoelastic
