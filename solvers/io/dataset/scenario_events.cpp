// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/dataset/scenario_events.hpp"

#include <array>

#include "solvers/io/dataset/greens_layout.hpp"

namespace kaname::io {
namespace {

struct TextColumn {
    const char* name;
    std::string ScenarioEventRow::*member;
    const char* long_name;
};
struct NumberColumn {
    const char* name;
    double ScenarioEventRow::*member;
    const char* units;
    const char* long_name;
};
constexpr std::array kTexts = {
    TextColumn{"name", &ScenarioEventRow::name, "event"},
    TextColumn{"source_id", &ScenarioEventRow::source_id,
               "slip model: the first event that has it"},
    TextColumn{"history", &ScenarioEventRow::history, "kind of slip in time"}};
constexpr std::array kNumbers = {
    NumberColumn{"time", &ScenarioEventRow::time_s, "s", "begin, since the scenario began"},
    NumberColumn{"interval", &ScenarioEventRow::interval_s, "s", "time between repetitions"},
    NumberColumn{"repeats", &ScenarioEventRow::repeats, "1", "how many times it happens"},
    NumberColumn{"scale", &ScenarioEventRow::scale, "1", "factor on the model's slip"},
    NumberColumn{"moment", &ScenarioEventRow::moment_nm, "N m",
                 "moment on the meshed fault each time, with the smaller of both sides' rigidity"},
    NumberColumn{"moment_magnitude", &ScenarioEventRow::mw, "1", "(log10 moment - 9.1) / 1.5"},
    NumberColumn{"largest_slip", &ScenarioEventRow::max_slip_m, "m", "largest slip each time"},
    NumberColumn{"potency_ratio", &ScenarioEventRow::potency_ratio, "1",
                 "potency on the meshed fault over that of the model's patches"}};

std::string path_of(const char* name) {
    return std::string("events/") + name;
}

}  // namespace

void write_events(const GroupWriter& root, const std::vector<ScenarioEventRow>& events) {
    if (events.empty()) {
        return;
    }
    GroupWriter group = root.inside("events");
    group.dimension<std::string>("event", layout::column(events, &ScenarioEventRow::name), {},
                                 "event");
    for (const TextColumn& text : kTexts) {
        group.text(text.name, "event", layout::column(events, text.member), text.long_name);
    }
    for (const NumberColumn& number : kNumbers) {
        group.variable(number.name, {"event"}, layout::column(events, number.member), number.units,
                       number.long_name);
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
