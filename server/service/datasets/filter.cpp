// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/datasets/filter.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "server/service/stream/paging.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"

namespace kaname::service {
namespace {

constexpr const char* kExample = "state = \"active\" AND title = \"x\"";
const FilterFields kFieldsOfJobs{{"state", "title", "owner", "id"}, kExample};
const FilterFields kFieldsOfMembers{{"state"}, kExample};

/// Returns the characters with which an id begins: all of it, or those before a * at the end.
std::string id_prefix_in(FilterText& text, const FilterCondition& condition) {
    constexpr std::size_t kUuid = 36;
    std::string prefix = condition.value;
    if (prefix.ends_with('*')) {
        prefix.pop_back();
    } else if (prefix.size() != kUuid) {
        text.fail_at(condition.place, "id must be an id, or its first characters and *");
    }
    if (prefix.empty() || prefix.size() > kUuid ||
        prefix.find_first_not_of("0123456789abcdef-") != std::string::npos) {
        text.fail_at(condition.place, "id must be 1 to 36 of 0..9, a..f and -");
    }
    return prefix;
}

/// A state by its name in answers, ACTIVE, or by the word of commands, active.
std::string state_in(const FilterCondition& condition) {
    std::string state = condition.value;
    std::ranges::transform(state, state.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    return state;
}

}  // namespace

store::JobFilter parse_filter(const std::string& text) {
    FilterText parser(text, kFieldsOfJobs);
    store::JobFilter filter;
    for (const FilterCondition& condition : parser.parse()) {
        if (condition.field == "title") {
            filter.name = condition.value;
        } else if (condition.field == "owner") {
            filter.owner = condition.value;
        } else if (condition.field == "id") {
            filter.id_prefix = id_prefix_in(parser, condition);
        } else {
            filter.state.reset();
            const std::string wanted = state_in(condition);
            for (const auto state : {store::JobState::Active, store::JobState::Done,
                                     store::JobState::Failed, store::JobState::Cancelled}) {
                if (to_string(state) == wanted) {
                    filter.state = state;
                }
            }
            if (!filter.state) {
                parser.fail_at(condition.place, "state must be active, done, failed or cancelled");
            }
        }
    }
    return filter;
}

store::CampaignFilter parse_campaign_filter(const std::string& text) {
    FilterText parser(text, kFieldsOfJobs);
    store::CampaignFilter filter;
    for (const FilterCondition& condition : parser.parse()) {
        if (condition.field == "title") {
            filter.title = condition.value;
        } else if (condition.field == "owner") {
            filter.owner = condition.value;
        } else if (condition.field == "id") {
            filter.id_prefix = id_prefix_in(parser, condition);
        } else {
            filter.state = store::campaign_state_named(state_in(condition));
            if (!filter.state) {
                parser.fail_at(condition.place,
                               "state must be active, paused, done, failed or cancelled");
            }
        }
    }
    return filter;
}

std::optional<store::MemberState> parse_member_filter(const std::string& text) {
    FilterText parser(text, kFieldsOfMembers);
    std::optional<store::MemberState> state;
    for (const FilterCondition& condition : parser.parse()) {
        state = store::member_state_named(state_in(condition));
        if (!state) {
            parser.fail_at(condition.place,
                           "state must be waiting, active, done, failed, cancelled or refused");
        }
    }
    return state;
}

namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
}

/// "state, title or owner"
std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t k = 0; k < names.size(); ++k) {
        text += (k == 0 ? "" : k + 1 == names.size() ? " or " : ", ") + names[k];
    }
    return text;
}

}  // namespace

std::vector<FilterCondition> FilterText::parse() {
    std::vector<FilterCondition> found;
    if (const std::size_t nul = text_.find('\0'); nul != std::string::npos) {
        at_ = nul;
        fail("must have no NUL");
    }
    skip_spaces();
    while (at_ < text_.size()) {
        found.push_back(condition());
        skip_spaces();
        if (at_ == text_.size()) {
            break;
        }
        if (word() != "AND") {
            fail("expected AND");
        }
        skip_spaces();
        if (at_ == text_.size()) {
            fail("expected a condition after AND");
        }
    }
    return found;
}

void FilterText::fail(const std::string& what) const {
    refuse("filter", std::string("must be like ") + fields_.example + ": " + what +
                         " at character " + std::to_string(at_ + 1) + " of '" +
                         shown_on_a_line(text_.substr(0, 200)) + "'");
}

void FilterText::skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') {
        ++at_;
    }
}

std::string FilterText::word() {
    const std::size_t first = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
        ++at_;
    }
    return text_.substr(first, at_ - first);
}

std::string FilterText::value(const std::string& field) {
    const std::size_t start = at_;
    if (at_ < text_.size() && text_[at_] != '"' && has(fields_.bare, field)) {
        std::string found = word();
        if (!found.empty()) {
            return found;
        }
        at_ = start;
    }
    if (at_ == text_.size() || text_[at_] != '"') {
        fail("expected a value in double quotes");
    }
    const std::size_t end = text_.find('"', at_ + 1);
    if (end == std::string::npos) {
        fail("the value has no closing quote");
    }
    std::string found = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return found;
}

FilterCondition FilterText::condition() {
    const std::size_t start = at_;
    FilterCondition found{word(), ""};
    if (!has(fields_.names, found.field)) {
        at_ = start;
        fail("expected " + listed(fields_.names));
    }
    skip_spaces();
    const bool ordered = has(fields_.ordered, found.field);
    if (at_ == text_.size() ||
        (text_[at_] != '=' && !(ordered && (text_[at_] == '<' || text_[at_] == '>')))) {
        fail(ordered ? "expected =, < or >" : "expected =");
    }
    found.sign = text_[at_++];
    skip_spaces();
    found.place = at_;
    found.value = value(found.field);
    return found;
}

namespace {

const FilterFields kFields{{"name", "owner", "campaign", "tag", "fault", "physics", "structure",
                            "station", "complete", "pinned", "made_at"},
                           "name = \"nankai*\" AND station = \"0001\" AND complete = true",
                           {"made_at"},
                           {"complete", "pinned"}};
constexpr double kFarthest_km = 20100.0;  // half of the Earth's girth

/// A field that can be one thing only.
void set_once(FilterText& text, const FilterCondition& condition, std::string& into) {
    if (condition.value.empty()) {
        text.fail_at(condition.place, condition.field + " must not be empty");
    }
    if (!into.empty() && into != condition.value) {
        text.fail_at(condition.place, condition.field + " is given twice");
    }
    into = condition.value;
}

void add(FilterText& text, const FilterCondition& condition, std::vector<std::string>& into) {
    if (condition.value.empty()) {
        text.fail_at(condition.place, condition.field + " must not be empty");
    }
    into.push_back(condition.value);
}

void set_title(FilterText& text, const FilterCondition& condition, store::DatasetFilter& filter) {
    const std::size_t star = condition.value.find('*');
    if (star == std::string::npos) {
        set_once(text, condition, filter.title);
        return;
    }
    if (star + 1 != condition.value.size()) {
        text.fail_at(condition.place, "name may have one *, at its end");
    }
    FilterCondition prefix = condition;
    prefix.value.pop_back();
    if (!prefix.value.empty()) {  // "*": every name
        set_once(text, prefix, filter.title_prefix);
    }
}

void set_campaign(FilterText& text, const FilterCondition& condition,
                  store::DatasetFilter& filter) {
    FilterCondition id = condition;
    try {
        id.value = id_of(condition.value, "campaigns", "filter");
    } catch (const Error&) {
        text.fail_at(condition.place, "campaign must be \"campaigns/<uuid>\"");
    }
    set_once(text, id, filter.campaign_id);
}

void set_flag(FilterText& text, const FilterCondition& condition, std::optional<bool>& into) {
    if (condition.value != "true" && condition.value != "false") {
        text.fail_at(condition.place, condition.field + " must be true or false");
    }
    into = condition.value == "true";
}

void set_made(FilterText& text, const FilterCondition& condition, store::DatasetFilter& filter) {
    const auto at_s = parse_utc(condition.value);
    if (!at_s) {
        text.fail_at(condition.place,
                     "made_at must be like 2026-01-31 or 2026-01-31T12:00:00Z (UTC)");
    }
    if (condition.sign == '=') {
        text.fail_at(condition.place, "made_at must be compared by < or >");
    }
    (condition.sign == '>' ? filter.made_after_s : filter.made_before_s) = *at_s;
}

void check_between(double value, double least, double most, const char* field) {
    if (!(value >= least && value <= most)) {
        char rule[120];
        std::snprintf(rule, sizeof rule, "must be within %g..%g, got %g", least, most, value);
        refuse(field, rule);
    }
}

GeoBox box_of(const v1::GeoBox& box) {
    check_between(box.west_deg(), -180, 360, "place.west_deg");
    check_between(box.east_deg(), -180, 540, "place.east_deg");
    check_between(box.south_deg(), -90, 90, "place.south_deg");
    check_between(box.north_deg(), -90, 90, "place.north_deg");
    if (box.south_deg() > box.north_deg()) {
        refuse("place.north_deg", "must not be below place.south_deg");
    }
    return make_geo_box(box.west_deg(), box.south_deg(), box.east_deg(), box.north_deg());
}

store::NearPoint near_of(const v1::NearPlace& near) {
    check_between(near.lon_deg(), -180, 360, "near.lon_deg");
    check_between(near.lat_deg(), -90, 90, "near.lat_deg");
    check_between(near.distance_m(), 0, 1e3 * kFarthest_km, "near.distance_m");
    return {{near.lon_deg(), near.lat_deg()}, 1e-3 * near.distance_m()};
}

}  // namespace

std::optional<double> parse_utc(const std::string& text) {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, used = 0;
    double second = 0.0;
    char tail = 0;
    const int n = std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%5lf%c%n", &year, &month, &day,
                              &hour, &minute, &second, &tail, &used);
    const bool whole = n == 7 && tail == 'Z' && static_cast<std::size_t>(used) == text.size();
    const bool date = n == 3 && text.size() == 10;
    const std::chrono::year_month_day on{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
    if (!(whole || date) || !on.ok() || year < 1970 || hour < 0 || hour > 23 || minute < 0 ||
        minute > 59 || !(second >= 0.0 && second < 61.0)) {
        return std::nullopt;
    }
    const auto days = std::chrono::sys_days(on).time_since_epoch().count();
    return static_cast<double>(days) * kDay_s + hour * 3600.0 + minute * 60.0 + second;
}

std::string trouble_of_tag(const std::string& tag) {
    constexpr std::size_t kLongest = 63;
    constexpr const char* kLetters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-";
    const bool fine = !tag.empty() && tag.size() <= kLongest && tag[0] != '-' &&
                      tag.find_first_not_of(kLetters) == std::string::npos;
    return fine ? ""
                : "must be 1..63 letters, digits and _ . : - and not begin with -, got \"" +
                      tag.substr(0, 100) + '"';
}

store::DatasetFilter dataset_filter(const v1::ListDatasetsRequest& request) {
    store::DatasetFilter filter;
    FilterText text(request.filter(), kFields);
    for (const FilterCondition& condition : text.parse()) {
        const std::string& field = condition.field;
        if (field == "name") {
            set_title(text, condition, filter);
        } else if (field == "campaign") {
            set_campaign(text, condition, filter);
        } else if (field == "made_at") {
            set_made(text, condition, filter);
        } else if (field == "complete" || field == "pinned") {
            set_flag(text, condition, field == "pinned" ? filter.pinned : filter.complete);
        } else if (field == "tag" || field == "fault" || field == "station") {
            add(text, condition,
                field == "tag"     ? filter.tags
                : field == "fault" ? filter.faults
                                   : filter.stations);
        } else {
            set_once(text, condition,
                     field == "owner"     ? filter.owner
                     : field == "physics" ? filter.physics
                                          : filter.structure_sha256);
        }
    }
    if (request.has_place()) {
        filter.place = box_of(request.place());
    }
    if (request.has_near()) {
        filter.near = near_of(request.near());
    }
    return filter;
}

}  // namespace kaname::service
