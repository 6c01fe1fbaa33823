// SPDX-License-Identifier: BSD-3-Clause
#include "tests/conformance/store/dataset_model.hpp"

#include <algorithm>

namespace kaname::conformance {
namespace {

int draw(std::mt19937& random, int most) {
    return std::uniform_int_distribution(0, most)(random);
}

bool touches(const GeoBox& a, const GeoBox& b) {
    // By places a quarter of a degree apart, as all corners are: no arithmetic of the store's.
    const auto holds = [](const GeoBox& box, double lon, double lat) {
        for (const double turn : {-720.0, -360.0, 0.0, 360.0, 720.0}) {
            if (lat >= box.south_deg && lat <= box.north_deg && lon + turn >= box.west_deg &&
                lon + turn <= box.east_deg) {
                return true;
            }
        }
        return false;
    };
    for (const double lon : {a.west_deg, b.west_deg}) {
        for (const double lat : {a.south_deg, b.south_deg}) {
            if (holds(a, lon, lat) && holds(b, lon, lat)) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace

DatasetModel::One& DatasetModel::of(const std::string& job) {
    return *std::ranges::find(all, job, &One::job);
}

void DatasetModel::forget(const std::string& job) {
    std::erase_if(all, [&](const One& one) { return one.job == job; });
}

std::vector<std::string> DatasetModel::found(const store::DatasetFilter& filter) const {
    std::vector<std::string> jobs;
    for (const One& one : all) {
        bool fits = one.made;
        fits &= filter.title.empty() || one.title == filter.title;
        fits &= one.title.rfind(filter.title_prefix, 0) == 0;
        fits &= filter.owner.empty() || one.owner == filter.owner;
        fits &= filter.physics.empty() || one.physics == filter.physics;
        fits &= filter.campaign_id.empty() || one.campaign == filter.campaign_id;
        fits &= !filter.pinned || *filter.pinned == one.pinned;
        fits &= filter.complete.value_or(true);  // none of the model lacks anything
        for (const std::string& tag : filter.tags) {
            fits &= one.tags.contains(tag);
        }
        for (const std::string& station : filter.stations) {
            fits &= std::ranges::count(one.stations, station) > 0;
        }
        fits &= !filter.place || (one.place && touches(*filter.place, *one.place));
        fits &= !filter.near || (one.place && kaname::distance_km(filter.near->point, *one.place) <=
                                                  filter.near->distance_km);
        if (fits) {
            jobs.insert(jobs.begin(), one.job);
        }
    }
    return jobs;
}

// As the brief of retention has it: one after another, and after each the whole is summed anew.
std::vector<std::string> DatasetModel::going(const store::DatasetRetention& retention,
                                             double now_s) const {
    std::vector<One> kept = all;
    std::erase_if(kept, [](const One& one) { return !one.made; });
    std::ranges::stable_sort(kept, {}, &One::made_s);
    const auto stored = [&] {
        std::map<std::string, std::int64_t> files;
        for (const One& one : kept) {
            files[one.file] = one.bytes;
        }
        std::int64_t sum = 0;
        for (const auto& [file, bytes] : files) {
            sum += bytes;
        }
        return sum;
    };
    std::vector<std::string> jobs;
    for (bool again = true; again;) {
        again = false;
        for (std::size_t k = 0; k < kept.size(); ++k) {
            const One& one = kept[k];
            if (one.pinned || one.active || !one.campaign.empty()) {
                continue;
            }
            const bool old =
                retention.older_than_s > 0 && now_s - one.made_s > retention.older_than_s;
            if (old || (retention.keep_bytes >= 0 && stored() > retention.keep_bytes)) {
                jobs.push_back(one.job);
                kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(k));
                again = true;
            }
            break;
        }
    }
    return jobs;
}

std::optional<GeoBox> random_place(std::mt19937& random) {
    if (draw(random, 5) == 0) {
        return std::nullopt;
    }
    const double west = 0.25 * draw(random, 1439) - 180, south = 0.25 * draw(random, 500) - 80;
    return make_geo_box(west, south, west + 0.25 * draw(random, draw(random, 1) == 0 ? 40 : 1400),
                        south + 0.25 * draw(random, 100));
}

store::DatasetFilter random_filter(std::mt19937& random, const DatasetModel& model) {
    store::DatasetFilter filter;
    const auto maybe = [&] { return draw(random, 4) == 0; };
    if (maybe()) {
        filter.owner = draw(random, 1) == 0 ? "ann" : "bob";
    }
    if (maybe()) {
        (maybe() ? filter.title : filter.title_prefix) = draw(random, 1) == 0 ? "a_" : "b%";
    }
    if (maybe()) {
        filter.physics = draw(random, 1) == 0 ? "elastic" : "viscoelastic";
    }
    if (maybe()) {
        filter.tags.push_back("t" + std::to_string(draw(random, 3)));
    }
    if (maybe()) {
        filter.stations.push_back("S" + std::to_string(draw(random, 9)));
        filter.stations.push_back("S" + std::to_string(draw(random, 9)));
    }
    if (maybe()) {
        filter.pinned = draw(random, 1) == 0;
    }
    if (maybe() && !model.all.empty()) {
        filter.campaign_id =
            model.all[static_cast<std::size_t>(draw(random, int(model.all.size()) - 1))].campaign;
    }
    if (maybe()) {
        filter.place = random_place(random);
    }
    if (maybe()) {
        filter.near =
            store::NearPoint{{0.25 * draw(random, 1440) - 180, 0.25 * draw(random, 720) - 90},
                             draw(random, 8000) + 0.123456};
    }
    return filter;
}

}  // namespace kaname::conformance
