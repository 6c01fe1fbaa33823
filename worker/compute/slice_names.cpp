// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "proto/request/form/rules.hpp"
#include "proto/request/form/text.hpp"
#include "solvers/base/units.hpp"
#include "worker/compute/slice.hpp"

namespace kaname::compute {
namespace {

using Indices = std::vector<std::int64_t>;
using Ids = google::protobuf::RepeatedPtrField<std::string>;

constexpr std::size_t kMaxTold = 5;      ///< unknown ids of an axis
constexpr std::size_t kMostListed = 12;  ///< epochs that a message lists

/// Every index of the range, which must lie in the axis.
Indices indices_in_range(const char* axis, const v1::IndexRange& range, std::size_t extent) {
    const auto n = static_cast<std::int64_t>(extent);
    const std::int64_t stride = std::max<std::int64_t>(1, range.stride());
    Indices indices;
    for (std::int64_t index = range.start(); index < n; index += stride) {
        if (range.count() > 0 && std::ssize(indices) == range.count()) {
            break;
        }
        indices.push_back(index);
        if (stride > n - index) {
            break;  // the next one may be beyond 64 bits
        }
    }
    if (std::ssize(indices) < std::max<std::int64_t>(1, range.count())) {
        throw Error(ErrorCode::OutOfRange,
                    std::string(axis) + ": start " + std::to_string(range.start()) + ", count " +
                        std::to_string(range.count()) + ", stride " + std::to_string(stride) +
                        " must stay below " + std::to_string(n));
    }
    return indices;
}

/// Returns "; the first are A, B, C", each once.
std::string first_of(const std::vector<std::string>& names) {
    std::vector<std::string> first;
    for (const std::string& name : names) {
        if (std::ranges::find(first, name) == first.end()) {
            first.push_back(name);
        }
        if (first.size() == kMaxTold) {
            break;
        }
    }
    std::string text;
    for (const std::string& name : first) {
        text += (text.empty() ? "; the first are " : ", ") + name;
    }
    return text;
}

/// All places of each id; an id may have several, as a patch has sources.
Indices indices_by_id(const char* field, const Ids& ids, const std::vector<std::string>& names,
                      std::vector<Violation>& broken) {
    std::unordered_map<std::string, Indices> places;
    for (std::size_t k = 0; k < names.size(); ++k) {
        places[names[k]].push_back(static_cast<std::int64_t>(k));
    }
    Indices indices;
    std::size_t n_unknown = 0;
    bool any_near = false;
    std::string told;
    for (const std::string& id : ids) {
        const auto found = places.find(id);
        if (found != places.end()) {
            indices.insert(indices.end(), found->second.begin(), found->second.end());
        } else if (++n_unknown <= kMaxTold) {
            const std::string near = request::nearest(id, names);
            any_near = any_near || !near.empty();
            told += (told.empty() ? "" : ", ") + request::quote(id) +
                    (near.empty() ? "" : " (did you mean " + near + "?)");
        }
    }
    if (n_unknown > 0) {
        broken.push_back({field, "must be ids of the dataset, which lacks " + told +
                                     (n_unknown > kMaxTold
                                          ? " and " + std::to_string(n_unknown - kMaxTold) + " more"
                                          : "") +
                                     (any_near ? "" : first_of(names))});
    }
    return indices;
}

/// Years become seconds and back on the way here: some bits may differ.
bool before(double time_s, double limit_s) {
    constexpr double kRelative = 1e-12;
    return time_s < limit_s - kRelative * std::max(std::abs(time_s), std::abs(limit_s));
}

Indices epochs_between(const v1::ReadSliceRequest& wanted, const std::vector<double>& epochs_s,
                       std::vector<Violation>& broken) {
    Indices indices;
    for (std::size_t k = 0; k < epochs_s.size(); ++k) {
        if (!(wanted.has_from_s() && before(epochs_s[k], wanted.from_s())) &&
            !(wanted.has_to_s() && before(wanted.to_s(), epochs_s[k]))) {
            indices.push_back(static_cast<std::int64_t>(k));
        }
    }
    if (epochs_s.empty()) {
        return indices;
    }
    const auto both = [](double time_s) {
        return request::show(time_s) + " s (" + request::show_rounded(time_s / kJulianYear_s) +
               " years)";
    };
    if (indices.empty()) {
        std::string all = "which lie within " + request::show(epochs_s.front()) + ".." +
                          request::show(epochs_s.back()) + " s (" +
                          request::show_rounded(epochs_s.front() / kJulianYear_s) + ".." +
                          request::show_rounded(epochs_s.back() / kJulianYear_s) + " years)";
        if (epochs_s.size() <= kMostListed) {
            all += "; these are";
            for (std::size_t k = 0; k < epochs_s.size(); ++k) {
                all += (k > 0 ? ", " : " ") + request::show_rounded(epochs_s[k] / kJulianYear_s);
            }
            all += " years";
        }
        broken.push_back({wanted.has_from_s() ? "from_s" : "to_s",
                          "must leave an epoch of the dataset's, " + all});
    } else if (wanted.has_to_s() && before(epochs_s.back(), wanted.to_s())) {
        broken.push_back({"to_s", "must be at most the last of the dataset's " +
                                      std::to_string(epochs_s.size()) + " epochs, " +
                                      both(epochs_s.back()) + ", got " + both(wanted.to_s()) +
                                      "; left out it is the last"});
    }
    return indices;
}

}  // namespace

io::GreensIndices indices_of(const io::GreensAxes& axes, const v1::ReadSliceRequest& wanted) {
    std::vector<Violation> broken = request::check_slice(wanted);
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    io::GreensIndices indices;
    if (!wanted.source_ids().empty()) {
        indices.sources = indices_by_id("source_ids", wanted.source_ids(), axes.sources, broken);
    } else if (!wanted.patch_ids().empty()) {
        indices.sources = indices_by_id("patch_ids", wanted.patch_ids(), axes.patches, broken);
    } else {
        indices.sources = indices_in_range("sources", wanted.sources(), axes.sources.size());
    }
    indices.stations =
        wanted.station_ids().empty()
            ? indices_in_range("stations", wanted.stations(), axes.stations.size())
            : indices_by_id("station_ids", wanted.station_ids(), axes.stations, broken);
    indices.epochs = wanted.has_from_s() || wanted.has_to_s()
                         ? epochs_between(wanted, axes.epochs_s, broken)
                         : indices_in_range("epochs", wanted.epochs(), axes.epochs_s.size());
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    return indices;
}

}  // namespace kaname::compute
