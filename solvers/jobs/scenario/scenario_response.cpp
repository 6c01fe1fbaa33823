// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/scenario/scenario_response.hpp"

#include <algorithm>

namespace kaname::jobs {

ScenarioResponse::ScenarioResponse(const Scenario& scenario, const Steps& steps, double end_s,
                                   std::span<const double> epochs_s)
    : scenario_(scenario),
      n_epochs_(epochs_s.size()),
      n_steps_(static_cast<std::size_t>(steps.grid.total_steps()) + 1) {
    for (std::size_t e = 0; e < scenario.events.size(); ++e) {
        const ScenarioEvent& event = scenario.events[e];
        for (int k = 0; k < event.repeats; ++k) {
            const double begin_s = event.time_s + k * event.interval_s;
            const auto first = std::ranges::lower_bound(epochs_s, begin_s);
            std::vector<double> since_s;
            std::transform(first, epochs_s.end(), std::back_inserter(since_s),
                           [&](double epoch_s) { return epoch_s - begin_s; });
            occurrences_.push_back(
                {e, static_cast<std::size_t>(first - epochs_s.begin()),
                 StepResponse(steps, SourceTimeFunction(event.history, end_s - begin_s), since_s)});
        }
    }
}

template <class Rows>
std::vector<double> ScenarioResponse::sum(std::size_t n_fields, const Rows& rows,
                                          std::span<const std::size_t> events) const {
    std::vector<double> weights(n_epochs_ * n_fields, 0.0);
    for (const Occurrence& occurrence : occurrences_) {
        if (!std::ranges::count(events, occurrence.event)) {
            continue;
        }
        const double scale = scenario_.events[occurrence.event].scale;
        const std::vector<double> own = rows(occurrence.response);
        double* to = weights.data() + occurrence.first_epoch * n_fields;
        for (std::size_t k = 0; k < own.size(); ++k) {
            to[k] += scale * own[k];
        }
    }
    return weights;
}

std::vector<std::size_t> ScenarioResponse::events_of(int model) const {
    std::vector<std::size_t> events;
    for (std::size_t e = 0; e < scenario_.events.size(); ++e) {
        if (scenario_.events[e].model == model) {
            events.push_back(e);
        }
    }
    return events;
}

std::vector<double> ScenarioResponse::of_event(std::size_t event,
                                               const io::SourceResult& result) const {
    return sum(
        result.n_fields(), [&](const StepResponse& response) { return response.weights(result); },
        std::span(&event, 1));
}

std::vector<double> ScenarioResponse::of_model(int model, const io::SourceResult& result) const {
    return sum(
        result.n_fields(), [&](const StepResponse& response) { return response.weights(result); },
        events_of(model));
}

std::vector<double> ScenarioResponse::of_model_by_steps(int model) const {
    return sum(
        n_steps_, [&](const StepResponse& response) { return response.weights_by_steps(n_steps_); },
        events_of(model));
}

}  // namespace kaname::jobs
