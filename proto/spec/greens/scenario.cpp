// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/greens/scenario.hpp"

#include <map>

#include "proto/spec/greens/canonical_batch.hpp"

namespace kaname::spec {

SlipModels slip_models(const v1::GreensBatch& batch) {
    SlipModels found;
    std::map<std::string, int> known;
    for (int index = 0; index < batch.events_size(); ++index) {
        v1::SlipEvent model = batch.events(index);
        for (const auto clear : {&v1::SlipEvent::clear_name, &v1::SlipEvent::clear_time_s,
                                 &v1::SlipEvent::clear_scale, &v1::SlipEvent::clear_history,
                                 &v1::SlipEvent::clear_repeats, &v1::SlipEvent::clear_interval_s}) {
            (model.*clear)();
        }
        v1::GreensBatch alone;
        *alone.add_events() = model;
        const auto [at, fresh] =
            known.try_emplace(canonical_json(alone), static_cast<int>(found.model.size()));
        if (fresh) {
            found.model.push_back(std::move(model));
            found.name.push_back(batch.events(index).name());
            found.first_event.push_back(index);
        }
        found.of_event.push_back(at->second);
    }
    return found;
}

}  // namespace kaname::spec
