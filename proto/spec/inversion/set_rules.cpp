// SPDX-License-Identifier: BSD-3-Clause
// Rules of the sets of observations.
#include <algorithm>
#include <map>
#include <set>

#include "proto/spec/form/text.hpp"
#include "proto/spec/inversion/inversion_rules.hpp"
#include "proto/spec/inversion/observation_units.hpp"

namespace kaname::spec {
namespace {

using Texts = google::protobuf::RepeatedPtrField<std::string>;

/// Words of a list, each known and there once.
void check_words(const std::string& field, const Texts& words,
                 const std::vector<std::string>& known, Rules& rules) {
    std::set<std::string> seen;
    for (int k = 0; k < words.size(); ++k) {
        rules.one_of(element(field, k), words[k], known);
        if (!seen.insert(words[k]).second) {
            rules.fail(element(field, k), "must be there once, got " + quote(words[k]) + " again");
        }
    }
}

void check_kind(const v1::Observations& set, const std::string& path, Rules& rules) {
    std::vector<std::string> kinds, units;
    for (const ObservationKind& kind : observation_kinds()) {
        kinds.push_back(kind.name);
    }
    for (const ObservationUnit& unit : observation_units()) {
        units.push_back(unit.name);
    }
    rules.one_of(path + "kind", set.kind(), kinds);
    if (!set.quantity().empty()) {
        rules.one_of(path + "quantity", set.quantity(), {kDisplacement, kVelocity});
    }
    if (!set.unit().empty()) {
        rules.one_of(path + "unit", set.unit(), units);
    }
    if (const ObservationKind* kind = find_observation_kind(set.kind())) {
        check_words(path + "components", set.components(), kind->components, rules);
    }
}

void check_time(const v1::Observations& set, const std::string& path, Rules& rules) {
    if (!set.has_since_s()) {
        return;
    }
    if (set.quantity() == kVelocity) {
        rules.fail(path + "since_s", "must be left out of velocities, got " +
                                         rules.in_unit_of(path + "since_s", set.since_s()));
    } else if (set.since_s() >= set.epoch_s()) {
        const std::string field = path + "since_s";
        rules.fail(field, "must be before " + rules.beside(field, "epoch_s", set.epoch_s()) +
                              ", got " + rules.in_unit_of(field, set.since_s()));
    }
}

void check_errors(const v1::Observations& set, const std::string& path, Rules& rules) {
    rules.not_negative(path + "sigma_east_m", set.sigma_east_m());
    rules.not_negative(path + "sigma_north_m", set.sigma_north_m());
    rules.not_negative(path + "sigma_up_m", set.sigma_up_m());
    rules.not_negative(path + "sigma_los_m", set.sigma_los_m());
    rules.positive(path + "sigma_scale", set.sigma_scale());
    rules.not_negative(path + "correlation_length_m", set.correlation_length_m());
    rules.positive(path + "match_distance_m", set.match_distance_m());
    if (set.has_covariance() && set.covariance().path().empty()) {
        rules.fail(path + "covariance.path", "must be given");
    }
    if (set.has_covariance() && set.correlation_length_m() != 0.0) {
        rules.fail(path + "covariance", "excludes correlation_length_m; keep one");
    }
}

void check_nuisance(const v1::Observations& set, const std::string& path, Rules& rules) {
    const std::string field = path + "nuisance";
    check_words(field, set.nuisance(), {"offset", "ramp", "rotation"}, rules);
    const auto has = [](const Texts& list, const char* word) {
        return std::ranges::find(list, word) != list.end();
    };
    const ObservationKind* kind = find_observation_kind(set.kind());
    if (kind == nullptr) {
        return;
    }
    Texts all;
    all.Assign(kind->components.begin(), kind->components.end());
    const Texts& components = set.components().empty() ? all : set.components();
    if (has(set.nuisance(), "ramp") && !has(components, "up") && !has(components, "los")) {
        rules.fail(field, "must have no ramp without the component up or los, got ramp");
    }
    if (has(set.nuisance(), "rotation") && !(has(components, "east") && has(components, "north"))) {
        rules.fail(field,
                   "must have no rotation without the components east and north, got rotation");
    }
    if (has(set.nuisance(), "ramp") && has(set.nuisance(), "offset")) {
        rules.fail(field, "must not have offset beside ramp, which has an offset of its own");
    }
}

}  // namespace

void check_sets(const v1::Inversion& inversion, Rules& rules) {
    if (inversion.data().empty()) {
        rules.fail("data", "must have at least one set of observations");
    }
    std::map<std::string, int> first;
    for (int k = 0; k < inversion.data_size(); ++k) {
        const v1::Observations& set = inversion.data(k);
        const std::string path = element("data", k) + ".";
        if (set.file().path().empty()) {
            rules.fail(path + "file", "must be given");
        } else if (!is_name(set.name())) {
            rules.fail(path + "name",
                       "must be 1 to 63 lower-case letters, digits and hyphens, not starting with "
                       "a hyphen, got " +
                           quote(set.name()));
        } else if (const auto [at, fresh] = first.try_emplace(set.name(), k); !fresh) {
            rules.fail(path + "name", "must be unique, got " + quote(set.name()) + " as in " +
                                          element("data", at->second));
        }
        check_kind(set, path, rules);
        check_time(set, path, rules);
        check_errors(set, path, rules);
        check_nuisance(set, path, rules);
    }
}

}  // namespace kaname::spec
