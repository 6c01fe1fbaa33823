// SPDX-License-Identifier: BSD-3-Clause
#include "server/program/slurm_pools.hpp"

#include <algorithm>
#include <utility>

#include "solvers/base/address.hpp"

namespace kaname::program {

void give_first_quotas(store::Store& store, const ConfigOptions& config) {
    if (config.quotas.empty()) {
        return;
    }
    const std::vector<store::OwnerQuota> known = store.list_quotas();
    for (const store::OwnerQuota& quota : config.quotas) {
        if (std::ranges::find(known, quota.owner, &store::OwnerQuota::owner) == known.end()) {
            store.set_quota(quota, {"configuration", "admin"});
        }
    }
}

launcher::SlurmSite complete_site(launcher::SlurmSite site, const ServerPlace& place) {
    if (site.server.empty()) {
        const std::string host = parse_address("listen", place.listen).host;
        const bool all = host == "0.0.0.0" || host == "[::]";
        site.server = (all ? place.host : host) + ":" + std::to_string(place.port);
    }
    if (site.ca.empty() && place.self_signed) {
        site.ca = place.certificate;
    }
    if (site.agent.empty()) {
        site.agent = place.agent;
    }
    if (site.folder.empty()) {
        site.folder = place.state / "slurm" / "logs";
    }
    return site;
}

SlurmPools::SlurmPools(store::Store& store, const ConfigOptions& config,
                       launcher::DispatchesOptions dispatches)
    : poll_s_(dispatches.site.poll_s),
      withdraw_after_s_(config.withdraw_after_s),
      dispatches_(store, std::move(dispatches)) {
    for (const launcher::SlurmPool& pool : config.pools) {
        launchers_.push_back(std::make_unique<launcher::SlurmLauncher>(dispatches_, pool));
    }
}

void SlurmPools::join(scheduler::Housekeeper& housekeeper) {
    constexpr double kEarly_s = 20;
    for (const auto& launcher : launchers_) {
        const launcher::SlurmPool& pool = launcher->pool();
        scheduler::CrewOptions crew;
        crew.backlog.max_agents = pool.max_workers;
        // The end of a job is noticed only at the next look at the queue.
        crew.backlog.early_end_s = kEarly_s + poll_s_;
        crew.backlog.withdraw_after_s = withdraw_after_s_;
        crew.agent_prefix = launcher::Dispatches::agent_prefix(pool.name);
        crew.pools = pool.serves;
        crew.what = "job of pool " + pool.name;
        housekeeper.add_crew(*launcher, std::move(crew));
    }
}

void SlurmPools::stop_all(std::chrono::seconds grace) {
    dispatches_.cancel_all("", static_cast<double>(grace.count()));
}

}  // namespace kaname::program
