// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/dataset_keeper.hpp"

#include <algorithm>

#include "server/service/specs.hpp"

namespace kaname::service {
namespace {

constexpr int kPiece = 200;  ///< that are planned at once, and then deleted one by one

/// Somebody needs it by now, or it is gone.
bool is_left_alone(ErrorCode code) {
    return code == ErrorCode::NotReady || code == ErrorCode::Aborted || code == ErrorCode::NotFound;
}

}  // namespace

v1::Dataset to_message(const store::Dataset& dataset) {
    v1::Dataset message;
    message.set_name("datasets/" + dataset.job_id);
    message.set_job("jobs/" + dataset.job_id);
    message.set_title(dataset.title);
    message.set_sha256(dataset.sha256);
    message.set_bytes(dataset.bytes);
    message.set_complete(dataset.n_missing == 0 && !dataset.sha256.empty());
    message.set_sources(dataset.n_sources);
    message.set_sources_done(dataset.sha256.empty() ? 0 : dataset.n_sources - dataset.n_missing);
    message.set_created_s(dataset.made_s);
    add_description(dataset, message);
    return message;
}

void add_description(const store::Dataset& dataset, v1::Dataset& message) {
    message.set_owner(dataset.owner);
    if (!dataset.campaign_id.empty()) {
        message.set_campaign("campaigns/" + dataset.campaign_id);
        message.set_member(dataset.member);
    }
    message.set_physics(dataset.about.physics);
    message.mutable_faults()->Assign(dataset.about.faults.begin(), dataset.about.faults.end());
    message.set_structure_sha256(dataset.about.structure_sha256);
    message.set_stations(dataset.n_stations);
    if (const auto& place = dataset.about.place) {
        v1::GeoBox& box = *message.mutable_place();
        box.set_west_deg(place->west_deg);
        box.set_south_deg(place->south_deg);
        box.set_east_deg(place->east_deg);
        box.set_north_deg(place->north_deg);
    }
    message.mutable_tags()->Assign(dataset.tags.begin(), dataset.tags.end());
    message.set_pinned(dataset.pinned);
    message.set_etag(dataset.etag);
}

store::DatasetDescription to_store(const spec::Description& description) {
    return {description.physics, description.faults, description.structure_sha256,
            description.stations, description.place};
}

Retained DatasetKeeper::would_go(const store::DatasetRetention& retention, int most) {
    store::RetentionPlan plan = context_.store.plan_retention(retention, most);
    Retained found{std::move(plan.first), plan.freed_bytes, 0};
    found.more = plan.n - std::ssize(found.datasets);
    return found;
}

Retained DatasetKeeper::remove(const store::DatasetRetention& retention, int most,
                               const store::Actor& actor, const std::function<bool()>& stop) {
    Retained done;
    while (true) {
        const int room = most - static_cast<int>(done.datasets.size());
        // Planned anew for each piece: others delete, pin and make datasets meanwhile.
        const auto plan = context_.store.plan_retention(retention, std::min(room, kPiece));
        done.more = plan.n;
        if (plan.n == 0 || room == 0) {
            return done;
        }
        const std::size_t before = done.datasets.size();
        for (const store::Dataset& dataset : plan.first) {
            if (stop()) {
                return done;
            }
            try {
                context_.store.delete_dataset(dataset.job_id, dataset.etag, actor,
                                              "RetainDatasets");
            } catch (const Error& error) {
                if (is_left_alone(error.code())) {
                    continue;
                }
                throw;
            }
            done.datasets.push_back(dataset);
        }
        if (done.datasets.size() == before) {
            return done;
        }
    }
}

void DatasetKeeper::keep(const store::DatasetRetention& retention,
                         const std::function<bool()>& stop) {
    if (retention.older_than_s <= 0 && retention.keep_bytes < 0) {
        return;
    }
    constexpr int kMost = 100000;
    const Retained done = remove(retention, kMost, {"server", "server"}, stop);
    if (!done.datasets.empty() && context_.options.log) {
        context_.options.log("deleted " + std::to_string(done.datasets.size()) +
                             " datasets that the configuration does not keep");
    }
}

store::DatasetDescription DatasetKeeper::describe(const std::string& spec) const {
    try {
        const spec::Kinds& kinds = *context_.options.kinds;
        const auto message = kinds.parse(spec, "specification");
        (void)locate_files(context_, *message);
        return to_store(kinds.of(*message).check(*message)->describe());
    } catch (const Error&) {
        return {};  // its files are lost, or it breaks a rule of this version
    }
}

void DatasetKeeper::describe_old(int most) {
    if (all_described_) {
        return;
    }
    try {
        const auto jobs = context_.store.undescribed_datasets(most);
        for (const auto& [job_id, spec] : jobs) {
            context_.store.describe_dataset(job_id, describe(spec));
        }
        all_described_ = jobs.empty();
    } catch (const std::exception& error) {
        log_trouble(context_, error);
    }
}

}  // namespace kaname::service
