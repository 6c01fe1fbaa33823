// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/form/slice_rules.hpp"

#include <cmath>
#include <set>
#include <string_view>

#include "proto/spec/form/text.hpp"

namespace kaname::spec {
namespace {

using Ids = google::protobuf::RepeatedPtrField<std::string>;

class SliceRules {
public:
    std::vector<Violation> broken() { return std::move(broken_); }

    void add_violation(const char* field, const std::string& message) {
        broken_.push_back({field, message});
    }
    void range(const char* field, const v1::IndexRange& range) {
        if (range.start() < 0 || range.count() < 0 || range.stride() < 0) {
            add_violation(field, "start, count and stride must be >= 0, got " +
                                     std::to_string(range.start()) + ", " +
                                     std::to_string(range.count()) + ", " +
                                     std::to_string(range.stride()));
        }
    }
    /// `indices` of the same axis, under `axis`.
    void ids(const char* field, const Ids& ids, const char* axis, const v1::IndexRange& indices) {
        if (ids.empty()) {
            return;
        }
        if (indices.start() != 0 || indices.count() != 0 || indices.stride() != 0) {
            add_violation(field, std::string("must be left out beside ") + axis +
                                     ": an axis is asked for by names or by indices");
        }
        if (ids.size() > kMaxSliceIds) {
            add_violation(field, "must have at most " + std::to_string(kMaxSliceIds) +
                                     " ids, got " + std::to_string(ids.size()));
            return;
        }
        std::set<std::string_view> seen;
        for (const std::string& id : ids) {
            if (!seen.insert(id).second) {
                add_violation(field, "must name each id once, got " + quote(id) + " twice");
                return;
            }
        }
    }

private:
    std::vector<Violation> broken_;
};

}  // namespace

std::vector<Violation> check_slice(const v1::ReadSliceRequest& slice) {
    SliceRules rules;
    rules.range("sources", slice.sources());
    rules.range("epochs", slice.epochs());
    rules.range("stations", slice.stations());
    rules.ids("source_ids", slice.source_ids(), "sources", slice.sources());
    rules.ids("patch_ids", slice.patch_ids(), "sources", slice.sources());
    rules.ids("station_ids", slice.station_ids(), "stations", slice.stations());
    if (!slice.source_ids().empty() && !slice.patch_ids().empty()) {
        rules.add_violation("patch_ids", "must be left out beside source_ids");
    }
    const v1::IndexRange& epochs = slice.epochs();
    const bool indices = epochs.start() != 0 || epochs.count() != 0 || epochs.stride() != 0;
    for (const auto& [field, has, value] :
         {std::tuple("from_s", slice.has_from_s(), slice.from_s()),
          std::tuple("to_s", slice.has_to_s(), slice.to_s())}) {
        if (has && indices) {
            rules.add_violation(
                field,
                "must be left out beside epochs: an axis is asked for by times or by indices");
        }
        if (has && !std::isfinite(value)) {
            rules.add_violation(field, "must be a finite number");
        }
    }
    if (slice.has_from_s() && slice.has_to_s() && slice.to_s() < slice.from_s()) {
        rules.add_violation(
            "to_s", "must be >= from_s = " + show(slice.from_s()) + ", got " + show(slice.to_s()));
    }
    return rules.broken();
}

}  // namespace kaname::spec
