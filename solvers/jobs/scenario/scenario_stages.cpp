// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/scenario/scenario_stages.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/base/text.hpp"
#include "solvers/fault/slip_model/moment.hpp"
#include "solvers/jobs/geometry/slip_description.hpp"
#include "solvers/jobs/greens/packing.hpp"
#include "solvers/jobs/scenario/scenario_fields.hpp"
#include "solvers/jobs/scenario/scenario_response.hpp"
#include "solvers/jobs/scenario/volume_recorder.hpp"

namespace kaname::jobs {
namespace {

/// motion += weights [epochs][F] times fields [F][width].
void add_motion(std::span<const double> weights, const Packing::Read& read, std::size_t width,
                std::vector<double>& motion) {
    const std::size_t n_fields = read.result->n_fields();
    for (std::size_t epoch = 0; epoch * n_fields < weights.size(); ++epoch) {
        for (std::size_t field = 0; field < n_fields; ++field) {
            const double w = weights[epoch * n_fields + field];
            for (std::size_t k = 0; k < width && w != 0.0; ++k) {
                motion[epoch * width + k] += w * read.fields[field * width + k];
            }
        }
    }
}

io::ScenarioEventRow describe_event(const ScenarioEvent& event, const std::string& source_id,
                                    const SlipOnMesh::Taken& taken) {
    const double scale = std::abs(event.scale);
    io::ScenarioEventRow row;
    row.name = event.name;
    row.source_id = source_id;
    row.time_s = event.time_s;
    row.scale = event.scale;
    row.history = text_of(event.history.kind);
    row.repeats = event.repeats;
    row.interval_s = event.interval_s;
    row.moment_nm = scale * taken.moment_nm;
    row.mw = slip_model::moment_magnitude(row.moment_nm);
    row.max_slip_m = scale * taken.max_slip_m;
    row.potency_ratio =
        taken.given_potency_m3 > 0.0 ? taken.potency_m3 / taken.given_potency_m3 : std::nan("");
    return row;
}

/// A fault that takes much more or less slip than the model has does not fit it.
void warn_of_potency(const io::ScenarioEventRow& event, const SlipOnMesh::Taken& taken,
                     PackageSummary& summary) {
    constexpr double kMostOff = 0.05;
    if (!(std::abs(event.potency_ratio - 1.0) > kMostOff)) {
        return;  // also where there is none
    }
    const std::string why =
        event.potency_ratio > 1.0
            ? "patches overlap, lie across the fault, or it is steeper or more curved than they are"
        : taken.lost_to.empty() ? "part of its patches lies beyond the fault, or their slips cancel"
                                : "of the potency " + taken.lost_to;
    summary.warnings.push_back("event " + event.name + ": the fault took " +
                               formatted("%.3g", event.potency_ratio) +
                               " times the potency of its slip model: " + why);
}

void count(const Packing::Read& read, PackageSummary& summary) {
    ++(read.status == 1   ? summary.sources_done
       : read.status == 2 ? summary.sources_failed
                          : summary.sources_missing);
}

}  // namespace

std::unique_ptr<StepRecorder> ScenarioStages::recorder(const PackContext& context) const {
    return std::make_unique<VolumeRecorder>(context);
}

void ScenarioStages::pack_sources(Packing& packing, bool only_these) const {
    const Scenario& scenario = *packing.job.scenario;
    const std::size_t width = packing.width();
    const std::size_t n_epochs = packing.dataset.epochs_s.size();
    const JobGeometry& geometry = packing.geometry;
    const MeshedFault fault{packing.mesh, packing.dofs, packing.split};
    SlipOnMesh& slip = packing.slip();
    const ScenarioResponse response(scenario, packing.steps, packing.job.time.end_s,
                                    packing.dataset.epochs_s);
    packing.dataset.slip_history = "events";

    std::vector<Packing::Read> reads;
    bool all_done = true;
    for (const SlipModelSpec& model : scenario.models) {
        reads.push_back(packing.read(model.id));
        count(reads.back(), packing.summary);
        all_done = all_done && reads.back().status == 1;
    }

    // Moved or loaded sides are part of what happens.
    std::vector<Packing::Read> sides;
    for (const BoundarySourceSpec& source : packing.job.boundaries.sources) {
        sides.push_back(packing.read(source.id));
        count(sides.back(), packing.summary);
        all_done = all_done && sides.back().status == 1;
    }

    std::vector<double> total(n_epochs * width, 0.0);
    std::vector<std::vector<double>> of_event;
    for (std::size_t e = 0; e < scenario.events.size(); ++e) {
        const ScenarioEvent& event = scenario.events[e];
        const Packing::Read& read = reads[event.model];
        std::vector<double> motion;
        if (read.status == 1) {
            motion.assign(n_epochs * width, 0.0);
            add_motion(response.of_event(e, *read.result), read, width, motion);
            std::ranges::transform(total, motion, total.begin(), std::plus<>());
        }
        of_event.push_back(std::move(motion));
    }
    std::vector<std::vector<double>> of_sides;
    for (std::size_t k = 0; k < sides.size(); ++k) {
        std::vector<double> motion;
        if (sides[k].status == 1) {
            motion = packing.response(packing.job.boundaries.sources[k].history)
                         .motion(*sides[k].result, sides[k].fields, width);
            std::ranges::transform(total, motion, total.begin(), std::plus<>());
        }
        of_sides.push_back(std::move(motion));
    }
    if (!only_these) {
        Packing::Read sum;
        sum.status = all_done ? 1 : 0;
        sum.failure = all_done ? "" : "a part of the sum is missing or has failed";
        std::vector<double> motion;
        if (all_done) {
            motion = total;
            for (const double value : motion) {
                packing.summary.max_displacement_m =
                    std::max(packing.summary.max_displacement_m, std::abs(value));
            }
        }
        packing.add(
            describe_sum(geometry.domain(), fault, slip, geometry.slip().ids(), scenario.total_id),
            sum, std::move(motion));
    }
    std::vector<SlipOnMesh::Taken> taken;
    std::vector<io::GreensDataset::Source> rows;
    for (const SlipModelSpec& model : scenario.models) {
        taken.push_back(slip.taken(model.id));
        rows.push_back(slip.row(model.id));
    }
    for (std::size_t e = 0; e < scenario.events.size(); ++e) {
        const ScenarioEvent& event = scenario.events[e];
        const std::string& source_id = scenario.models[event.model].id;
        packing.dataset.events.push_back(describe_event(event, source_id, taken[event.model]));
        warn_of_potency(packing.dataset.events.back(), taken[event.model], packing.summary);
        if (!only_these || packing.files.contains(source_id)) {
            io::GreensDataset::Source row = rows[event.model];
            row.id = row.patch_id = event.name;
            row.potency_m3 *= std::abs(event.scale);
            packing.add(std::move(row), reads[event.model], std::move(of_event[e]));
        }
    }
    for (std::size_t k = 0; k < sides.size(); ++k) {
        const BoundarySourceSpec& source = packing.job.boundaries.sources[k];
        if (!only_these || packing.files.contains(source.id)) {
            packing.add(geometry.sides().row(source.id), sides[k], std::move(of_sides[k]));
        }
    }
    if (!only_these && all_done) {
        std::vector<std::optional<io::SourceResult>> results;
        for (std::vector<Packing::Read>* of : {&reads, &sides}) {
            for (Packing::Read& read : *of) {
                results.push_back(std::move(read.result));
            }
        }
        add_fields(packing.job, geometry.domain(), packing.mesh, packing.dofs, results,
                   packing.steps, packing.dataset, geometry.fault().mesh_parts());
    }
}

}  // namespace kaname::jobs
