// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/inversion/observation_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/base/vec3.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/inversion/normal_equations.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::jobs {
namespace {

constexpr double kSamePlace_m = 5000.0;

struct Nearest {
    int station = -1;
    double distance_m = std::numeric_limits<double>::infinity();
};

std::string kilometres(double metres) {
    char text[32];
    std::snprintf(text, sizeof text, metres < 1e4 ? "%.2f km" : "%.0f km", metres / 1000.0);
    return text;
}

class Places {
public:
    explicit Places(const io::GreensDataset& greens) : greens_(greens) {
        for (std::size_t i = 0; i < greens.stations.size(); ++i) {
            by_id_.emplace(greens.stations[i].id, static_cast<int>(i));
        }
    }
    [[nodiscard]] int named(const std::string& id) const {
        const auto found = by_id_.find(id);
        return found == by_id_.end() ? -1 : found->second;
    }
    /// The station whose id differs by leading zeros alone, as of a table that a spreadsheet saved.
    [[nodiscard]] std::string but_for_zeros(const std::string& id) const {
        const auto bare = [](const std::string& text) {
            return text.substr(std::min(text.find_first_not_of('0'), text.size()));
        };
        const auto same = std::ranges::find_if(
            greens_.stations, [&](const auto& station) { return bare(station.id) == bare(id); });
        return same == greens_.stations.end() ? "" : same->id;
    }
    [[nodiscard]] double distance_to(int station, const Datum& datum) const {
        const auto& place = greens_.stations[station];
        return distance_m(place.lon_deg, place.lat_deg, datum.lon_deg, datum.lat_deg);
    }
    /// Rows of one place come one after the other.
    [[nodiscard]] Nearest nearest(const Datum& datum) {
        if (!greens_.projected || std::isnan(datum.lon_deg) || std::isnan(datum.lat_deg)) {
            return {};
        }
        const auto [found, fresh] = known_.try_emplace({datum.lon_deg, datum.lat_deg});
        if (fresh) {
            for (std::size_t i = 0; i < greens_.stations.size(); ++i) {
                const double away = distance_to(static_cast<int>(i), datum);
                if (away < found->second.distance_m) {
                    found->second = {static_cast<int>(i), away};
                }
            }
        }
        return found->second;
    }

private:
    const io::GreensDataset& greens_;
    std::unordered_map<std::string, int> by_id_;
    std::map<std::pair<double, double>, Nearest> known_;
};

}  // namespace

double distance_m(double lon_a_deg, double lat_a_deg, double lon_b_deg, double lat_b_deg) {
    const double north = std::sin(0.5 * (lat_b_deg - lat_a_deg) * kDegree);
    const double east = std::sin(0.5 * (lon_b_deg - lon_a_deg) * kDegree);
    const double half =
        north * north + std::cos(lat_a_deg * kDegree) * std::cos(lat_b_deg * kDegree) * east * east;
    return 2.0 * kEarthRadius_m * std::asin(std::min(1.0, std::sqrt(half)));
}

MatchedData match_stations(const std::vector<ObservationSet>& sets,
                           const io::GreensDataset& greens) {
    Places places(greens);
    MatchedData matched;
    std::vector<Violation> broken;
    for (const ObservationSet& set : sets) {
        std::vector<int>& stations = matched.station.emplace_back();
        std::map<std::string, bool> told;
        int by_place = 0;
        for (const Datum& datum : set.data) {
            int station = places.named(datum.station);
            const bool placed = greens.projected && !std::isnan(datum.lon_deg);
            if (station >= 0 && placed && places.distance_to(station, datum) > kSamePlace_m) {
                if (!told[datum.field]) {
                    told[datum.field] = true;
                    broken.push_back(
                        {datum.field, "station '" + datum.station +
                                          "' must lie where the dataset has it, is " +
                                          kilometres(places.distance_to(station, datum)) +
                                          " away (are longitude and latitude swapped?)"});
                }
            } else if (station < 0) {
                const Nearest near = places.nearest(datum);
                if (near.distance_m <= set.match_distance_m) {
                    station = near.station;
                    ++by_place;
                } else if (!told[datum.field]) {
                    told[datum.field] = true;
                    const std::string zeros = places.but_for_zeros(datum.station);
                    broken.push_back(
                        {datum.field,
                         "station '" + datum.station + "' has no Green's functions" +
                             (!zeros.empty() ? "; the dataset has '" + zeros +
                                                   "' (did a spreadsheet drop its zeros?)"
                              : near.station < 0 ? std::string()
                                                 : "; the nearest that has is '" +
                                                       greens.stations[near.station].id + "', " +
                                                       kilometres(near.distance_m) + " away")});
                }
            }
            stations.push_back(station);
        }
        if (by_place > 0) {
            matched.warnings.push_back(set.name + ": " + std::to_string(by_place) +
                                       " observations of stations that the dataset does not name "
                                       "take the station at their place");
        }
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    return matched;
}

namespace {

constexpr double kRampLength_m = 1e5;
constexpr double kMicroradian = 1e-6;

bool has_ramp(const std::string& component) {
    return component == "los" || component == "up";
}

}  // namespace

Nuisance::Nuisance(const std::vector<ObservationSet>& sets, std::vector<Eigen::MatrixXd> errors)
    : errors_(std::move(errors)) {
    std::vector<Violation> broken;
    for (std::size_t k = 0; k < sets.size(); ++k) {
        const ObservationSet& set = sets[k];
        Columns columns;
        columns.first = n_;
        columns.offset = set.offset || set.ramp;
        columns.ramp = set.ramp;
        columns.rotation = set.rotation;
        const double n = static_cast<double>(std::max<std::size_t>(1, set.data.size()));
        for (const Datum& datum : set.data) {
            columns.lon_deg += datum.lon_deg / n;
            columns.lat_deg += datum.lat_deg / n;
            if (std::ranges::find(columns.components, datum.component) ==
                columns.components.end()) {
                columns.components.push_back(datum.component);
            }
        }
        std::ranges::sort(columns.components);
        const std::string unit = set.velocity ? "_m_per_year" : "_m";
        const std::string field = "data[" + std::to_string(k) + "].nuisance";
        if ((set.ramp || set.rotation) && std::isnan(columns.lon_deg + columns.lat_deg)) {
            broken.push_back(
                {field, "ramp and rotation need the places of all rows (lon_deg, lat_deg)"});
        }
        for (const std::string& component : columns.components) {
            if (columns.offset) {
                columns.names.push_back("offset_" + component + unit);
            }
            if (columns.ramp && has_ramp(component)) {
                columns.names.push_back("ramp_to_east_" + component + unit + "_per_100km");
                columns.names.push_back("ramp_to_north_" + component + unit + "_per_100km");
            }
        }
        if (columns.rotation) {
            for (const char* axis : {"x", "y", "z"}) {
                columns.names.push_back(std::string("rotation_") + axis + "_microrad" +
                                        (set.velocity ? "_per_year" : ""));
            }
        }
        n_ += static_cast<int>(columns.names.size());
        columns_.push_back(std::move(columns));
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
}

void Nuisance::fill(std::size_t set, std::size_t index, const Datum& datum, double* row) const {
    for (int k = 0; k < n_errors(); ++k) {
        row[n_ + k] = errors_[set](static_cast<Eigen::Index>(index), k);
    }
    const Columns& columns = columns_[set];
    double* at = row + columns.first;
    for (const std::string& component : columns.components) {
        const double own = component == datum.component ? 1.0 : 0.0;
        if (columns.offset) {
            *at++ = own;
        }
        if (columns.ramp && has_ramp(component)) {
            const double metres_per_degree = kEarthRadius_m * kDegree;
            const double east = (datum.lon_deg - columns.lon_deg) * metres_per_degree *
                                std::cos(columns.lat_deg * kDegree);
            const double north = (datum.lat_deg - columns.lat_deg) * metres_per_degree;
            *at++ = own * east / kRampLength_m;
            *at++ = own * north / kRampLength_m;
        }
    }
    if (columns.rotation) {
        const double lon = datum.lon_deg * kDegree, lat = datum.lat_deg * kDegree;
        const Vec3 up = {std::cos(lat) * std::cos(lon), std::cos(lat) * std::sin(lon),
                         std::sin(lat)};
        const Vec3 east = {-std::sin(lon), std::cos(lon), 0.0};
        const Vec3 direction = datum.east * east + datum.north * cross(up, east) + datum.up * up;
        // v = omega x r
        for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
            *at++ = kMicroradian * kEarthRadius_m * dot(cross(axis, up), direction);
        }
    }
}

namespace {

// Numbers of a block: large enough for the disk and for products of matrices.
constexpr std::size_t kBlock = std::size_t{16} << 20;

}  // namespace

RowReader::RowReader(std::string greens_path, const io::GreensDataset& greens,
                     const InversionJob& job, const MatchedData& matched,
                     const SlipAmounts& amounts, const Nuisance& nuisance)
    : RowReader(
          [path = std::move(greens_path), n_sources = greens.sources.size(),
           n_epochs = greens.epochs_s.size()](std::size_t first, std::size_t width) {
              const h5::File file(path, h5::File::Mode::Read);
              return file.read_block<double>("greens", {0, 0, first, 0},
                                             {n_sources, n_epochs, width, 3}, {1, 1, 1, 1});
          },
          greens, job, matched, amounts, nuisance) {}

RowReader::RowReader(Block block, const io::GreensDataset& greens, const InversionJob& job,
                     const MatchedData& matched, const SlipAmounts& amounts,
                     const Nuisance& nuisance)
    : block_(std::move(block)),
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
        nuisance_.fill(set, index, datum, &rows.rows(row, amounts_.n()));
    }
    for (std::size_t k = 0; k < known_slip.size(); ++k) {
        rows.known[row] += by_source[k] * known_slip[k];
    }
}

void RowReader::for_each(std::span<const double> known_slip,
                         const std::function<void(const ObservationRows&, double)>& visit) const {
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
            const std::vector<double> block = block_(first, width);
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
