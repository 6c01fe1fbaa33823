// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/inversion/observation_rows.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/inversion/normal_equations.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::jobs {
namespace {

// Numbers of a block: large enough for the disk and for products of matrices.
constexpr std::size_t kBlock = std::size_t{16} << 20;

}  // namespace

RowReader::RowReader(std::string greens_path, const io::GreensDataset& greens,
                     const InversionJob& job, const MatchedData& matched,
                     const SlipAmounts& amounts, const Nuisance& nuisance)
    : path_(std::move(greens_path)),
      greens_(greens),
      job_(job),
      matched_(matched),
      amounts_(amounts),
      nuisance_(nuisance),
      of_station_(greens.stations.size()) {
    std::map<std::tuple<double, double, bool>, int> known;
    std::vector<Violation> broken;
    for (std::size_t k = 0; k < job.sets.size(); ++k) {
        const ObservationSet& set = job.sets[k];
        std::vector<int>& of_set = response_.emplace_back();
        for (std::size_t i = 0; i < set.data.size(); ++i) {
            const Datum& datum = set.data[i];
            const auto [found, fresh] = known.try_emplace(
                {datum.epoch_s, datum.since_s, set.velocity}, static_cast<int>(responses_.size()));
            if (fresh) {
                try {
                    responses_.push_back(response_of(datum, set.velocity));
                } catch (const Error& error) {
                    responses_.emplace_back(job.slip.windows.size());
                    broken.push_back({datum.field, error.what()});
                }
            }
            of_set.push_back(found->second);
            of_station_[matched.station[k][i]].push_back(
                {static_cast<int>(k), static_cast<int>(i)});
        }
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
}

RowReader::Response RowReader::response_of(const Datum& datum, bool velocity) const {
    Response response;
    for (const SlipWindow& window : job_.slip.windows) {
        std::vector<double> weights(greens_.epochs_s.size());
        if (window.is_rate()) {
            const double sign = window.kind == SlipWindow::Kind::Coupling ? -1.0 : 1.0;
            if (!velocity && datum.since_s == Datum::kBeforeAll) {
                throw Error(ErrorCode::InvalidArgument,
                            "window '" + window.name +
                                "' is a rate: displacements need since_..., from when on");
            }
            weights[0] = sign * (velocity ? 1.0 : (datum.epoch_s - datum.since_s) / kJulianYear_s);
        } else if (velocity) {
            throw Error(ErrorCode::InvalidArgument,
                        "window '" + window.name +
                            "' is slip in metres: velocities need windows "
                            "of kind steady or coupling");
        } else {
            const double end =
                window.kind == SlipWindow::Kind::Step ? window.begin_s : window.end_s;
            weights =
                inversion::response_weights(greens_.epochs_s, window.begin_s, end, datum.epoch_s);
            if (datum.since_s != Datum::kBeforeAll) {
                const std::vector<double> before = inversion::response_weights(
                    greens_.epochs_s, window.begin_s, end, datum.since_s);
                std::ranges::transform(weights, before, weights.begin(), std::minus<>());
            }
        }
        std::vector<Weight>& kept = response.emplace_back();
        for (std::size_t epoch = 0; epoch < weights.size(); ++epoch) {
            if (weights[epoch] != 0.0) {
                kept.push_back({static_cast<int>(epoch), weights[epoch]});
            }
        }
    }
    return response;
}

void RowReader::fill(std::span<const double> block, std::size_t width, std::size_t at,
                     std::span<const double> known_slip, ObservationRows& rows,
                     Eigen::Index row) const {
    const auto [set, index] = rows.place[row];
    const Datum& datum = job_.sets[set].data[index];
    const Response& response = responses_[response_[set][index]];
    const std::size_t n_epochs = greens_.epochs_s.size();
    const auto n_sources = static_cast<std::size_t>(amounts_.n_sources);
    std::vector<double> by_source(response.size() * n_sources);
    for (const SlipPatch& patch : amounts_.patches) {
        for (const int source : patch.sources) {
            for (std::size_t w = 0; w < response.size(); ++w) {
                double sum = 0.0;
                for (const Weight& weight : response[w]) {
                    const double* u = &block[((source * n_epochs + weight.epoch) * width + at) * 3];
                    sum +=
                        weight.factor * (datum.east * u[0] + datum.north * u[1] + datum.up * u[2]);
                }
                by_source[w * n_sources + source] = sum;
            }
        }
    }
    amounts_.combine(by_source.data(), &rows.rows(row, 0));
    if (nuisance_.n() > 0) {
        nuisance_.fill(set, datum, &rows.rows(row, amounts_.n()));
    }
    for (std::size_t k = 0; k < known_slip.size(); ++k) {
        rows.known[row] += by_source[k] * known_slip[k];
    }
}

void RowReader::for_each(std::span<const double> known_slip,
                         const std::function<void(const ObservationRows&, double)>& visit) const {
    const h5::File file(path_, h5::File::Mode::Read);
    const std::size_t n_sources = greens_.sources.size(), n_epochs = greens_.epochs_s.size();
    const std::size_t n_stations = greens_.stations.size();
    const std::size_t chunk = io::stations_per_chunk(n_sources, n_epochs, n_stations);
    const std::size_t step =
        chunk * std::max<std::size_t>(
                    1, kBlock / std::max<std::size_t>(
                                    1, n_sources * n_epochs * chunk * 3 * sizeof(double)));
    const int n = amounts_.n() + nuisance_.n();
    for (std::size_t first = 0; first < n_stations; first += step) {
        const std::size_t width = std::min(step, n_stations - first);
        ObservationRows rows;
        std::vector<std::size_t> at;
        for (std::size_t s = 0; s < width; ++s) {
            for (const ObservationRows::Place& place : of_station_[first + s]) {
                rows.place.push_back(place);
                at.push_back(s);
            }
        }
        if (!rows.place.empty()) {
            const auto block = file.read_block<double>(
                "greens", {0, 0, first, 0}, {n_sources, n_epochs, width, 3}, {1, 1, 1, 1});
            const auto n_rows = static_cast<Eigen::Index>(rows.place.size());
            rows.rows = inversion::Rows::Zero(n_rows, n);
            rows.known = Eigen::VectorXd::Zero(n_rows);
            parallel_for(
                n_rows,
                [&](std::int64_t row) { fill(block, width, at[row], known_slip, rows, row); }, 16);
        }
        visit(rows, static_cast<double>(first + width) / static_cast<double>(n_stations));
    }
}

}  // namespace kaname::jobs
