// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/inversion/slip_in_time_series.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/h5/file.hpp"

namespace kaname::jobs {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double kForever_s = 1e15;  // how long elastic motion stays

}  // namespace

std::vector<double> edges_of(const SlipWindow& window) {
    const double span = window.end_s - window.begin_s;
    const auto n = std::max<std::int64_t>(1, std::llround(span / window.step_s));
    std::vector<double> edges;
    for (std::int64_t k = 0; k <= n; ++k) {
        edges.push_back(window.begin_s + span * static_cast<double>(k) / static_cast<double>(n));
    }
    return edges;
}

std::vector<double> events_of(const InversionJob& job) {
    std::vector<double> events;
    for (const SlipWindow& window : job.slip.windows) {
        if (window.kind == SlipWindow::Kind::Step) {
            events.push_back(window.begin_s);
        }
    }
    return events;
}

std::vector<std::string> term_names(const ObservationSet& set) {
    std::vector<std::string> names = {"offset_m"};
    if (set.series.rate) {
        names.emplace_back("rate_m_per_year");
    }
    for (const auto& [has, name] :
         {std::pair(set.series.annual, "annual"), std::pair(set.series.semiannual, "semiannual")}) {
        if (has) {
            names.push_back(std::string(name) + "_sine_m");
            names.push_back(std::string(name) + "_cosine_m");
        }
    }
    for (const double step_s : set.series.steps_s) {
        names.push_back("step_" + number(step_s) + "_s_m");
    }
    return names;
}

namespace {

/// Columns of terms in the order of their names.
MatrixXd terms_of(const ObservationSet& set, const std::vector<double>& times_s) {
    MatrixXd terms(static_cast<Index>(times_s.size()), static_cast<Index>(term_names(set).size()));
    for (Index t = 0; t < terms.rows(); ++t) {
        const double years = times_s[static_cast<std::size_t>(t)] / kJulianYear_s;
        Index column = 0;
        const auto put = [&](double value) { terms(t, column++) = value; };
        put(1.0);
        if (set.series.rate) {
            put(years);
        }
        for (const auto& [has, turns] :
             {std::pair(set.series.annual, 1.0), std::pair(set.series.semiannual, 2.0)}) {
            if (has) {
                put(std::sin(2.0 * std::numbers::pi * turns * years));
                put(std::cos(2.0 * std::numbers::pi * turns * years));
            }
        }
        for (const double step_s : set.series.steps_s) {
            put(times_s[static_cast<std::size_t>(t)] >= step_s ? 1.0 : 0.0);
        }
    }
    return terms;
}

}  // namespace

std::vector<PlacedSeries> series_of(const HistoryParts& parts) {
    using Key = std::tuple<int, int, std::string, double, double>;
    std::map<Key, PlacedSeries> found;
    for (std::size_t k = 0; k < parts.job.sets.size(); ++k) {
        const ObservationSet& set = parts.job.sets[k];
        for (std::size_t i = 0; i < set.data.size(); ++i) {
            const Datum& datum = set.data[i];
            PlacedSeries& one = found[{static_cast<int>(k), parts.matched.station[k][i],
                                       datum.component, datum.east, datum.north}];
            one.set = static_cast<int>(k);
            one.station = parts.matched.station[k][i];
            one.data.push_back(i);
            one.name = set.name + "/" + datum.station + "/" + datum.component;
        }
    }
    std::vector<PlacedSeries> all;
    for (auto& [key, one] : found) {
        const ObservationSet& set = parts.job.sets[static_cast<std::size_t>(one.set)];
        std::ranges::stable_sort(one.data, {}, [&](std::size_t i) { return set.data[i].epoch_s; });
        const auto n = static_cast<Index>(one.data.size());
        one.series.values.resize(n);
        one.series.sigma.resize(n);
        for (Index t = 0; t < n; ++t) {
            const Datum& datum = set.data[one.data[static_cast<std::size_t>(t)]];
            one.series.times_s.push_back(datum.epoch_s);
            one.series.values[t] = datum.value;
            one.series.sigma[t] = datum.sigma;
        }
        one.series.random_walk_m = set.series.random_walk_m;
        one.series.terms = terms_of(set, one.series.times_s);
        all.push_back(std::move(one));
    }
    return all;
}

namespace {

/// Green's functions of all series, read by blocks of stations; `n_epochs` of the dataset.
void read_responses(const HistoryParts& parts, std::size_t n_epochs,
                    std::vector<PlacedSeries>& all) {
    const io::GreensDataset& greens = parts.greens;
    const std::size_t n_sources = greens.sources.size(), n_stations = greens.stations.size();
    const std::size_t step = io::stations_per_chunk(n_sources, greens.epochs_s.size(), n_stations);
    std::map<std::size_t, std::vector<PlacedSeries*>> of_block;
    for (PlacedSeries& one : all) {
        of_block[static_cast<std::size_t>(one.station) / step].push_back(&one);
    }
    const h5::File file(parts.greens_path, h5::File::Mode::Read);
    for (const auto& [block, series] : of_block) {
        const std::size_t first = block * step, width = std::min(step, n_stations - first);
        const std::vector<double> values = file.read_block<double>(
            "greens", {0, 0, first, 0}, {n_sources, n_epochs, width, 3}, {1, 1, 1, 1});
        for (PlacedSeries* one : series) {
            const Datum& datum =
                parts.job.sets[static_cast<std::size_t>(one->set)].data[one->data.front()];
            one->greens.resize(parts.amounts.n(), static_cast<Index>(n_epochs));
            for (std::size_t epoch = 0; epoch < n_epochs; ++epoch) {
                std::vector<double> by_source(n_sources);
                for (const SlipPatch& patch : parts.amounts.patches) {
                    for (const int source : patch.sources) {
                        const double* u =
                            &values[((static_cast<std::size_t>(source) * n_epochs + epoch) * width +
                                     static_cast<std::size_t>(one->station) - first) *
                                    3];
                        by_source[static_cast<std::size_t>(source)] =
                            datum.east * u[0] + datum.north * u[1] + datum.up * u[2];
                    }
                }
                VectorXd by_amount = VectorXd::Zero(parts.amounts.n());
                parts.amounts.combine(by_source.data(), by_amount.data());
                one->greens.col(static_cast<Index>(epoch)) = by_amount;
            }
        }
    }
}

}  // namespace

inversion::HistoryResponse response_of(const HistoryParts& parts, std::vector<double> edges_s,
                                       std::vector<PlacedSeries>& all) {
    const SlipWindow& window = parts.job.slip.windows.front();
    const bool elastic = window.elastic || parts.greens.epochs_s.size() == 1;
    const std::size_t n_epochs = elastic ? 1 : parts.greens.epochs_s.size();
    read_responses(parts, n_epochs, all);
    std::vector<double> epochs_s = parts.greens.epochs_s;
    if (elastic) {
        epochs_s = {0.0, kForever_s};
    }
    MatrixXd products =
        MatrixXd::Zero(static_cast<Index>(epochs_s.size()), static_cast<Index>(epochs_s.size()));
    for (PlacedSeries& one : all) {
        if (elastic) {
            one.greens = one.greens.col(0).replicate(1, 2).eval();
        }
        products += one.greens.transpose() * one.greens;
    }
    inversion::HistoryResponse response(std::move(edges_s), std::move(epochs_s), products,
                                        events_of(parts.job));
    std::vector<Violation> late;
    for (PlacedSeries& one : all) {
        one.series.gamma = response.in_shapes(one.greens);
        try {
            (void)response.weights(one.series.times_s.back());
        } catch (const Error& error) {
            late.push_back(
                {parts.job.sets[static_cast<std::size_t>(one.set)].data[one.data.back()].field,
                 std::string(error.what()) + "; slip.windows[0].elastic: true needs none"});
        }
    }
    if (!late.empty()) {
        throw ValidationError(std::move(late));
    }
    return response;
}

}  // namespace kaname::jobs
