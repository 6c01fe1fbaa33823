// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/scenario_events.hpp"

#include <array>

#include "solvers/h5/file.hpp"

namespace kaname::io {
namespace {

struct TextColumn {
    const char* name;
    std::string ScenarioEventRow::*member;
};
struct NumberColumn {
    const char* name;
    double ScenarioEventRow::*member;
    const char* units;
};
constexpr std::array kTexts = {TextColumn{"name", &ScenarioEventRow::name},
                               TextColumn{"source_id", &ScenarioEventRow::source_id},
                               TextColumn{"history", &ScenarioEventRow::history}};
constexpr std::array kNumbers = {
    NumberColumn{"time", &ScenarioEventRow::time_s, "s"},
    NumberColumn{"interval", &ScenarioEventRow::interval_s, "s"},
    NumberColumn{"repeats", &ScenarioEventRow::repeats, "1"},
    NumberColumn{"scale", &ScenarioEventRow::scale, "1"},
    NumberColumn{"moment", &ScenarioEventRow::moment_nm, "N m"},
    NumberColumn{"moment_magnitude", &ScenarioEventRow::mw, "1"},
    NumberColumn{"largest_slip", &ScenarioEventRow::max_slip_m, "m"},
    NumberColumn{"potency_ratio", &ScenarioEventRow::potency_ratio, "1"}};

std::string path_of(const char* name) {
    return std::string("events/") + name;
}

}  // namespace

void write_events(h5::File& file, const std::vector<ScenarioEventRow>& events) {
    if (events.empty()) {
        return;
    }
    for (const TextColumn& column : kTexts) {
        std::vector<std::string> values;
        for (const ScenarioEventRow& event : events) {
            values.push_back(event.*column.member);
        }
        file.write_strings(path_of(column.name), values);
    }
    for (const NumberColumn& column : kNumbers) {
        std::vector<double> values;
        for (const ScenarioEventRow& event : events) {
            values.push_back(event.*column.member);
        }
        file.write<double>(path_of(column.name), values, {values.size()});
        file.set_attribute(path_of(column.name), "units", std::string(column.units));
    }
}

std::vector<ScenarioEventRow> read_events(const h5::File& file) {
    std::vector<ScenarioEventRow> events;
    if (!file.has("events")) {
        return events;
    }
    for (const TextColumn& column : kTexts) {
        const std::vector<std::string> values = file.read_strings(path_of(column.name));
        events.resize(values.size());
        for (std::size_t k = 0; k < values.size(); ++k) {
            events[k].*column.member = values[k];
        }
    }
    for (const NumberColumn& column : kNumbers) {
        const std::vector<double> values = file.read<double>(path_of(column.name), {events.size()});
        for (std::size_t k = 0; k < values.size(); ++k) {
            events[k].*column.member = values[k];
        }
    }
    return events;
}

}  // namespace kaname::io
