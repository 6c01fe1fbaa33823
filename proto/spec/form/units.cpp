// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/form/units.hpp"

#include "solvers/base/units.hpp"

namespace kaname::spec {
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

}  // namespace kaname::spec
