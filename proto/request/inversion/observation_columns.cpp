// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/inversion/observation_columns.hpp"

#include <algorithm>
#include <string_view>

#include "proto/request/form/rules.hpp"
#include "proto/request/form/text.hpp"

namespace kaname::request {

const std::vector<ObservationKind>& observation_kinds() {
    static const std::vector<ObservationKind> kinds = {{kGnss, {"east", "north", "up"}},
                                                       {"gnss_acoustic", {"east", "north"}},
                                                       {"ocean_bottom_pressure", {"up"}},
                                                       {kInsar, {"los"}}};
    return kinds;
}

const ObservationKind* find_observation_kind(std::string_view name) {
    const auto found = std::ranges::find(observation_kinds(), name, &ObservationKind::name);
    return found == observation_kinds().end() ? nullptr : &*found;
}

const std::vector<ObservationUnit>& observation_units() {
    static const std::vector<ObservationUnit> units = {
        {"m", 1.0, false},         {"cm", 1e-2, false},         {"mm", 1e-3, false},
        {"m_per_year", 1.0, true}, {"cm_per_year", 1e-2, true}, {"mm_per_year", 1e-3, true}};
    return units;
}

std::optional<ObservationUnit> find_observation_unit(std::string_view name) {
    std::string full(name);
    if (full.ends_with("_per_yr")) {
        full.insert(full.size() - 1, "ea");
    }
    const auto found = std::ranges::find(observation_units(), full, &ObservationUnit::name);
    return found == observation_units().end() ? std::nullopt : std::optional(*found);
}

namespace {

constexpr std::string_view kSigma = "sigma";

/// MeasuredName holds the parts of the name of a column of values, or of their standard deviations.
struct MeasuredName {
    std::string component;
    bool sigma = false;
    std::optional<ObservationUnit> unit = std::nullopt;
};

/// Reads "" or "_unit"; false where it is neither.
bool read_unit(std::string_view rest, std::optional<ObservationUnit>& unit) {
    if (rest.empty()) {
        return true;
    }
    unit = find_observation_unit(rest.substr(1));
    return rest.front() == '_' && unit.has_value();
}

/// east, east_mm, east_sigma, east_sigma_mm, east_mm_sigma, sigma_east_mm.
std::optional<MeasuredName> measured(std::string_view name, const std::string& component) {
    MeasuredName found{component};
    if (name.starts_with("sigma_")) {
        found.sigma = true;
        name.remove_prefix(kSigma.size() + 1);
    }
    if (!name.starts_with(component)) {
        return std::nullopt;
    }
    name.remove_prefix(component.size());
    if (!found.sigma) {
        if (name == "_sigma" || name.starts_with("_sigma_")) {
            found.sigma = true;
            name.remove_prefix(kSigma.size() + 1);
        } else if (name.ends_with("_sigma")) {
            found.sigma = true;
            name.remove_suffix(kSigma.size() + 1);
        }
    }
    return read_unit(name, found.unit) ? std::optional(found) : std::nullopt;
}

std::optional<MeasuredName> measured(const std::string& name, const ObservationKind& kind) {
    for (const std::string& component : kind.components) {
        if (auto found = measured(name, component)) {
            return found;
        }
    }
    // Where there is one component, its standard deviations need not name it.
    if (kind.components.size() == 1 && name.starts_with(kSigma)) {
        MeasuredName found{kind.components.front(), true};
        if (read_unit(std::string_view(name).substr(kSigma.size()), found.unit)) {
            return found;
        }
    }
    return std::nullopt;
}

class Finder {
public:
    Finder(const std::vector<std::string>& names, const ObservationKind& kind)
        : names_(names), kind_(kind) {}

    ObservationColumns find() {
        for (std::size_t index = 0; index < names_.size(); ++index) {
            add_measured(index);
        }
        if (const auto station = station_column(names_)) {
            found_.station = plain(names_[*station]);
        }
        found_.lon = placed("lon_deg");
        found_.lat = placed("lat_deg");
        found_.epoch = scaled("epoch_s");
        found_.since = scaled("since_s");
        if (kind_.name == kInsar) {
            found_.look_east = plain("look_east");
            found_.look_north = plain("look_north");
            found_.look_up = plain("look_up");
            found_.incidence = plain("incidence_deg");
            found_.heading = plain("heading_deg");
        }
        return std::move(found_);
    }

private:
    void add_measured(std::size_t index) {
        const std::string& name = names_[index];
        const auto said = measured(name, kind_);
        if (!said) {
            const bool close = std::ranges::any_of(kind_.components, [&](const auto& component) {
                return name.starts_with(component + "_");
            });
            if (close) {
                found_.passed_over.push_back(name);
            }
            return;
        }
        auto& columns = said->sigma ? found_.sigmas : found_.values;
        const auto [at, fresh] = columns.try_emplace(
            said->component, ObservationColumns::Measured{index, name, said->unit});
        if (!fresh) {
            found_.errors.push_back("column " + name + " repeats " + at->second.name);
        }
    }
    std::optional<std::size_t> plain(const std::string& name) {
        const auto at = std::ranges::find(names_, name);
        if (at == names_.end()) {
            return std::nullopt;
        }
        if (std::find(at + 1, names_.end(), name) != names_.end()) {
            found_.errors.push_back("column " + name + " is there twice");
        }
        return static_cast<std::size_t>(at - names_.begin());
    }
    /// A longitude or latitude, under any of its names.
    std::optional<std::size_t> placed(const std::string& column) {
        std::optional<std::size_t> found;
        for (const std::string& name : column_names(column)) {
            if (const auto at = plain(name)) {
                if (found) {
                    found_.errors.push_back("column " + name + " repeats " + names_[*found]);
                }
                found = at;
            }
        }
        return found;
    }
    std::optional<ObservationColumns::Scaled> scaled(const std::string& field) {
        std::optional<ObservationColumns::Scaled> column;
        for (const QuantityName& accepted : quantity_names(field)) {
            if (const auto at = plain(accepted.name)) {
                if (column) {
                    found_.errors.push_back("column " + accepted.name + " repeats " +
                                            names_[column->index]);
                }
                column = {*at, accepted.factor};
            }
        }
        return column;
    }

    const std::vector<std::string>& names_;
    const ObservationKind& kind_;
    ObservationColumns found_;
};

}  // namespace

ObservationColumns find_columns(const std::vector<std::string>& names,
                                const ObservationKind& kind) {
    return Finder(names, kind).find();
}

}  // namespace kaname::request
