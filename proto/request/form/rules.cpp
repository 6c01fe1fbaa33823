// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/form/rules.hpp"

#include <cmath>
#include <iterator>
#include <set>
#include <string_view>

#include <google/protobuf/descriptor.h>

#include "proto/request/form/text.hpp"
#include "solvers/base/units.hpp"

namespace kaname::request {
namespace {

struct Unit {
    std::string_view suffix;
    double factor;
};
struct Quantity {
    std::string_view si;  // suffix of the message's fields
    std::vector<Unit> others;
};

// Longer suffixes stand before their own endings: _m_per_s and _pa_s before _s, _n_m before _m.
const std::vector<Quantity>& quantities() {
    static const std::vector<Quantity> table = {
        {"_kg_per_m3", {{"_g_per_cm3", 1e3}}},
        {"_m_per_s", {{"_km_per_s", 1e3}}},
        {"_pa_s", {}},
        {"_pa", {{"_mpa", 1e6}, {"_gpa", 1e9}}},
        {"_deg", {}},
        {"_n_m", {}},
        {"_m", {{"_km", 1e3}, {"_cm", 1e-2}, {"_mm", 1e-3}}},
        {"_hz", {{"_khz", 1e3}, {"_mhz", 1e6}}},
        {"_s",
         {{"_ms", 1e-3},
          {"_us", 1e-6},
          {"_minutes", 60.0},
          {"_hours", 3600.0},
          {"_days", kDay_s},
          {"_years", kJulianYear_s}}},
    };
    return table;
}

const Quantity* quantity_of(std::string_view field) {
    for (const Quantity& quantity : quantities()) {
        if (field.size() > quantity.si.size() && field.ends_with(quantity.si)) {
            return &quantity;
        }
    }
    return nullptr;
}

}  // namespace

std::string Rules::key_of(const std::string& field) const {
    std::string name = field.substr(field.find_last_of('.') + 1);
    name = name.substr(0, name.find('['));
    const double factor = unit_factor_ ? unit_factor_(field) : 1.0;
    for (const QuantityName& written : quantity_names(name)) {
        if (written.factor == factor) {
            return written.name;
        }
    }
    return name;
}

bool Rules::name(const std::string& field, const std::string& name) {
    if (!is_name(name)) {
        fail(field, std::string(kNameRule) + ", got " + quote(name));
        return false;
    }
    return true;
}

void Rules::merge(std::size_t n,
                  const std::function<std::vector<int>(const std::string& field)>& place_of) {
    std::vector<Violation> merged;
    auto next = broken_.begin() + static_cast<std::ptrdiff_t>(n);
    for (std::size_t k = 0; k < n; ++k) {
        const std::vector<int> place = place_of(broken_[k].field);
        while (next != broken_.end() && place_of(next->field) < place) {
            merged.push_back(std::move(*next++));
        }
        merged.push_back(std::move(broken_[k]));
    }
    std::move(next, broken_.end(), std::back_inserter(merged));
    broken_ = std::move(merged);
}

std::vector<QuantityName> quantity_names(std::string_view field) {
    std::vector<QuantityName> names = {{std::string(field), 1.0}};
    if (const Quantity* quantity = quantity_of(field)) {
        for (const Unit& unit : quantity->others) {
            names.push_back({std::string(without_unit(field)).append(unit.suffix), unit.factor});
        }
    }
    return names;
}

std::string_view without_unit(std::string_view field) {
    const Quantity* quantity = quantity_of(field);
    return quantity ? field.substr(0, field.size() - quantity->si.size()) : field;
}

bool is_name(const std::string& name) {
    constexpr std::size_t kMaxNameLength = 63;
    const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    return !name.empty() && name.size() <= kMaxNameLength && plain(name[0]) &&
           std::all_of(name.begin(), name.end(),
                       [&](char c) { return plain(c) || c == '-' || c == '_'; });
}

void every_number_finite(const google::protobuf::Message& message, const std::string& path,
                         Rules& rules) {
    using google::protobuf::FieldDescriptor;
    const google::protobuf::Reflection& reflection = *message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
        const std::string name = path.empty() ? field->name() : path + "." + field->name();
        const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
        for (int index = 0; index < count; ++index) {
            const bool list = field->is_repeated();
            const std::string here = list ? element(name, index) : name;
            if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
                every_number_finite(list ? reflection.GetRepeatedMessage(message, field, index)
                                         : reflection.GetMessage(message, field),
                                    here, rules);
            } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
                const double value = list ? reflection.GetRepeatedDouble(message, field, index)
                                          : reflection.GetDouble(message, field);
                if (!std::isfinite(value)) {
                    rules.fail(here, "must be finite, got " + show(value));
                }
            } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_ENUM && !list) {
                const int number = reflection.GetEnumValue(message, field);
                if (field->enum_type()->FindValueByNumber(number) == nullptr) {
                    rules.fail(here, "has no value of number " + std::to_string(number));
                }
            }
        }
    }
}

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

}  // namespace kaname::request
