// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "proto/kaname/v1/campaign.pb.h"
#include "proto/request/form/request.hpp"

namespace kaname::request {

/// More are refused: what a plan can be looked over.
inline constexpr std::int64_t kMostMembers = 10000;
/// Bytes of a member's name.
inline constexpr std::size_t kLongestLabel = 200;

/// One request of a campaign.
struct Member {
    std::string label;                ///< "viscosity=1e19,slab=a"
    std::vector<std::string> values;  ///< one per axis
    std::unique_ptr<Request> request;
};

/// A member that breaks rules.
struct BadMember {
    std::string label;
    std::vector<Violation> violations;
};

/// A campaign file put together.
struct Expansion {
    std::string name;
    int priority = 0;
    v1::CampaignLimits limits;
    std::vector<v1::CampaignAxis> axes;
    std::vector<Member> members;  ///< the last axis runs fastest; zipped axes stand at their first
    std::vector<BadMember> skipped;
};

struct ExpandOptions {
    bool skip_bad = false;  ///< members that break rules are left out instead of refusing all
    /// Called after each member; what it throws leaves expand_campaign.
    std::function<void(std::size_t done, std::size_t all)> on_member = {};
};

/// Expands a campaign file; equal files give equal members. Throws ValidationError with everything
/// that is wrong: errors of the file by field path and line, errors of members by their labels. A
/// violation of several members is reported once. Throws InvalidArgument when `skip_bad` leaves no
/// member, and Error when a file is not YAML.
[[nodiscard]] Expansion expand_campaign(const std::string& path, const Kinds& kinds,
                                        const ExpandOptions& options = {});

/// One violation for all members that have it, with their labels.
[[nodiscard]] std::vector<Violation> by_member(const std::vector<BadMember>& bad, std::size_t all);

}  // namespace kaname::request
