// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "proto/kaname/v1/datasets_service.pb.h"
#include "server/store/campaign_store.hpp"
#include "server/store/dataset_store.hpp"
#include "server/store/types.hpp"

namespace kaname::service {

/// Parses `field = "value" [AND field = "value" ...]` (a small part of AIP-160) over state, title,
/// owner and id, an id or its first characters and *. Throws ValidationError naming the place in
/// the text.
[[nodiscard]] store::JobFilter parse_filter(const std::string& text);
/// Parses the same language for campaigns; parse_member_filter takes the state of members alone.
[[nodiscard]] store::CampaignFilter parse_campaign_filter(const std::string& text);
[[nodiscard]] std::optional<store::MemberState> parse_member_filter(const std::string& text);

/// `field = "value"`
struct FilterCondition {
    std::string field, value;
    char sign = '=';        ///< or < or >
    std::size_t place = 0;  ///< of the value, in the text
};

/// Lists the fields that a filter may have.
struct FilterFields {
    std::vector<std::string> names;
    const char* example;  ///< `state = "active" AND title = "x"`
    /// Fields that also take < and >, and those whose values need no quotes: true and false.
    std::vector<std::string> ordered = {}, bare = {};
};

/// Conditions joined by AND: a small part of AIP-160. Errors are ValidationErrors of `filter` that
/// name the place in the text.
class FilterText {
public:
    FilterText(const std::string& text, const FilterFields& fields)
        : text_(text), fields_(fields) {}

    std::vector<FilterCondition> parse();
    [[noreturn]] void fail_at(std::size_t place, const std::string& what) {
        at_ = place;
        fail(what);
    }

private:
    [[noreturn]] void fail(const std::string& what) const;
    void skip_spaces();
    std::string word();
    std::string value(const std::string& field);
    FilterCondition condition();

    const std::string& text_;
    const FilterFields& fields_;
    std::size_t at_ = 0;
};

/// Returns the filter that a call asks for. Throws ValidationError: for `filter` it names the place
/// in the text, for `place` and `near` their fields.
[[nodiscard]] store::DatasetFilter dataset_filter(const v1::ListDatasetsRequest& request);
/// Returns the Unix time of "2026-01-31" or "2026-01-31T12:00:00Z"; nothing for another text.
[[nodiscard]] std::optional<double> parse_utc(const std::string& text);
/// Why a tag cannot be one; empty: it can.
[[nodiscard]] std::string trouble_of_tag(const std::string& tag);

}  // namespace kaname::service
