// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/message.h>

#include "proto/kaname/v1/artifacts_service.pb.h"
#include "proto/request/form/text.hpp"
#include "solvers/base/error.hpp"

namespace kaname::request {

/// A name under which a quantity may be given: value in the field's SI unit = factor * number.
struct QuantityName {
    std::string name;
    double factor = 1.0;
};

/// All names for the field `field` ("depth_m": depth_m, depth_km), its own name first. A field
/// whose name ends in no known unit has its own name only.
[[nodiscard]] std::vector<QuantityName> quantity_names(std::string_view field);
/// Field name without its unit ("depth_m": depth); the whole name when it ends in no known unit.
[[nodiscard]] std::string_view without_unit(std::string_view field);

/// Factor from the unit that a field was written in to the message's; 1 where it was not written.
using UnitFactor = std::function<double(const std::string& field)>;

/// Returns true if `field` is `ancestor` or something in it: sources[0].at.x_m is in sources[0].
[[nodiscard]] inline bool is_within(std::string_view field, std::string_view ancestor) {
    return field.starts_with(ancestor) &&
           (field.size() == ancestor.size() || field[ancestor.size()] == '.' ||
            field[ancestor.size()] == '[');
}

/// Collects broken rules. Numbers that are not finite are passed over: one rule of its own
/// (every_number_finite) reports them.
class Rules {
public:
    explicit Rules(UnitFactor unit_factor = {}) : unit_factor_(std::move(unit_factor)) {}

    /// Returns `value`, of the message, in the unit that `field` was written in, without the last
    /// digits, which that unit's factor rounds.
    [[nodiscard]] std::string in_unit_of(const std::string& field, double value) const {
        return unit_factor_ ? show_rounded(value / unit_factor_(field)) : show(value);
    }
    /// Returns the key of `field`, or of one of its entries, in the unit that it was written in:
    /// "end_years" for time.end_s.
    [[nodiscard]] std::string key_of(const std::string& field) const;
    /// "end_s = 63115200", or "end = 2" where `field` was written in another unit: another field's
    /// `value` beside the one of `field`.
    [[nodiscard]] std::string beside(const std::string& field, const std::string& name,
                                     double value) const {
        const bool same = !unit_factor_ || unit_factor_(field) == 1.0;
        return (same ? name : std::string(without_unit(name))) + " = " + in_unit_of(field, value);
    }

    void fail(std::string field, std::string message) {
        broken_.push_back({std::move(field), std::move(message)});
    }
    void positive(const std::string& field, double value) {
        if (value <= 0.0) {
            fail(field, "must be > 0, got " + in_unit_of(field, value));
        }
    }
    void not_negative(const std::string& field, double value) {
        if (value < 0.0) {
            fail(field, "must be >= 0, got " + in_unit_of(field, value));
        }
    }
    void in_range(const std::string& field, double value, double low, double high) {
        if (value < low || value > high) {
            fail(field, "must be in " + in_unit_of(field, low) + ".." + in_unit_of(field, high) +
                            ", got " + in_unit_of(field, value));
        }
    }
    /// Absent values of fields without a default.
    bool given(const std::string& field, bool has) {
        if (!has) {
            fail(field, "must be given");
        }
        return has;
    }
    void one_of(const std::string& field, const std::string& word,
                const std::vector<std::string>& known) {
        for (const std::string& candidate : known) {
            if (word == candidate) {
                return;
            }
        }
        const std::string near = nearest(word, known);
        fail(field, "must be " + join_or(known) + ", got " + quote(word) +
                        (near.empty() ? "" : "; did you mean " + near + "?"));
    }
    /// Reports `name`, that of a job, an event, a fault or a receiver, if it breaks the rule of
    /// is_name(). Returns true if it keeps it.
    bool name(const std::string& field, const std::string& name);
    void place(const std::string& prefix, bool has_lon, double lon_deg, bool has_lat,
               double lat_deg) {
        if (given(prefix + "lon_deg", has_lon)) {
            const double turned = lon_deg + (lon_deg < 0.0 ? 360.0 : -360.0);
            if ((lon_deg < -180.0 || lon_deg > 360.0) && turned >= -180.0 && turned <= 360.0) {
                fail(prefix + "lon_deg", "must be in -180..360, got " + show(lon_deg) +
                                             "; the same meridian is " + show_rounded(turned));
            } else {
                in_range(prefix + "lon_deg", lon_deg, -180.0, 360.0);
            }
        }
        if (given(prefix + "lat_deg", has_lat)) {
            if (has_lon && std::abs(lat_deg) > 90.0 && std::abs(lon_deg) <= 90.0 &&
                lat_deg >= -180.0 && lat_deg <= 360.0) {
                fail(prefix + "lat_deg", "must be in -90..90, got " + show(lat_deg) +
                                             "; are longitude and latitude exchanged?");
            } else {
                in_range(prefix + "lat_deg", lat_deg, -90.0, 90.0);
            }
        }
    }

    /// Returns how many rules are broken so far.
    [[nodiscard]] std::size_t size() const { return broken_.size(); }
    /// Returns true if one of the first `n` broken rules is about `field` or something in it.
    [[nodiscard]] bool has_told(std::string_view field, std::size_t n) const {
        return std::any_of(broken_.begin(), broken_.begin() + static_cast<std::ptrdiff_t>(n),
                           [&](const Violation& told) { return is_within(told.field, field); });
    }
    /// Moves each broken rule after the first `n`, which are in the order of `place_of` their
    /// fields, before the first of these that comes later than it.
    void merge(std::size_t n,
               const std::function<std::vector<int>(const std::string& field)>& place_of);
    [[nodiscard]] std::vector<Violation> take() { return std::move(broken_); }

private:
    UnitFactor unit_factor_;
    std::vector<Violation> broken_;
};

/// Path of a list's element.
[[nodiscard]] inline std::string element(const std::string& list, int index) {
    return list + "[" + std::to_string(index) + "]";
}

/// The one rule for names that users give and that become parts of files and tables: 1 to 63
/// lower-case letters, digits, hyphens and underscores, the first a letter or a digit. Ids of
/// stations and receivers of waves, and names of materials, are any text.
[[nodiscard]] bool is_name(const std::string& name);
inline constexpr const char* kNameRule =
    "must be 1 to 63 lower-case letters, digits, '-' and '_', beginning with a letter or digit";
/// No NaN, no infinity, no enum number without a name anywhere in the message.
void every_number_finite(const google::protobuf::Message& message, const std::string& path,
                         Rules& rules);

/// Ids of each kind that a slice may name.
inline constexpr int kMaxSliceIds = 100000;

/// The broken rules of a slice that need no dataset: an axis is asked for by names or by indices,
/// nothing is named twice, and times are finite and in order.
[[nodiscard]] std::vector<Violation> check_slice(const v1::ReadSliceRequest& slice);

}  // namespace kaname::request
