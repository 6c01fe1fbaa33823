// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "server/store/store.hpp"
#include "solvers/base/checksums.hpp"

namespace kaname::conformance {

inline store::WantedItem campaign_item(const std::string& seed, const std::string& verb,
                                       const std::vector<std::string>& needs = {},
                                       const std::vector<std::string>& gathers = {}) {
    store::WantedItem item{sha256_hex(seed), verb, verb == "solve" ? "m" : "", "gpu", {}, seed, ""};
    for (const std::string& need : needs) {
        item.needs.push_back(sha256_hex(need));
    }
    for (const std::string& source : gathers) {
        item.gathers.push_back(sha256_hex(source));
    }
    item.source = verb == "solve";
    return item;
}

/// A mesh, these sources, and a package of its own.
inline store::Submission batch_of(const std::string& request,
                                  const std::vector<std::string>& sources,
                                  const std::string& mesh = "mesh") {
    store::Submission wanted;
    wanted.principal = wanted.owner = "ann";
    wanted.request_id = request;
    wanted.body_sha256 = sha256_hex(request);
    wanted.name = request;
    wanted.request = "{}";
    wanted.items.push_back(campaign_item(mesh, "mesh"));
    for (const std::string& source : sources) {
        wanted.items.push_back(campaign_item(source, "solve", {mesh}));
    }
    wanted.items.push_back(campaign_item("package " + request, "package", {mesh}, sources));
    return wanted;
}

inline store::NewCampaign campaign_of(const std::string& request, int n_members,
                                      std::int64_t tasks_at_once = 0) {
    store::NewCampaign wanted;
    wanted.principal = wanted.owner = "ann";
    wanted.request_id = request;
    wanted.body_sha256 = sha256_hex(request);
    wanted.title = "many";
    wanted.axes = "axes";
    wanted.cost = "cost";
    wanted.limits.tasks_at_once = tasks_at_once;
    wanted.actor = {"ann", "user"};
    for (int k = 0; k < n_members; ++k) {
        const std::string place = std::to_string(k);
        wanted.members.push_back({"k=" + place, place, "spec " + place});
    }
    return wanted;
}

/// Submits the member as a driver would.
inline store::SubmitResult submit_member(store::Store& store, const std::string& campaign,
                                         std::int64_t member,
                                         const std::vector<std::string>& sources,
                                         const std::string& mesh = "mesh") {
    store::Submission wanted = batch_of(campaign + "/" + std::to_string(member), sources, mesh);
    wanted.campaign = campaign;
    wanted.member = member;
    return store.submit(wanted);
}

}  // namespace kaname::conformance
