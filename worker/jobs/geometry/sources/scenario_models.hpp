// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solvers/earth/projection.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"
#include "solvers/fault/slip_model/slip_sampler.hpp"
#include "solvers/fault/slip_table.hpp"
#include "worker/jobs/geometry/domain.hpp"
#include "worker/jobs/stage/greens_job.hpp"

namespace kaname::jobs {

/// Which segments of models are meant.
using SegmentFilter = std::function<bool(int segment)>;
using ModelFilter = std::function<bool(std::size_t model, int segment)>;

/// A scenario's slip model in the model frame: rectangles, slip at points, or a moment tensor.
struct ScenarioModel {
    const SlipModelSource* source = nullptr;
    slip_model::SlipModel patches;
    slip_model::PlacedModel placed;
    std::optional<slip_model::SlipSampler> sampler;
    std::optional<fault::SlipTable> points;
    std::optional<fault::PointMoment> moment;

    /// Points around all places that may slip, `cell_m` being the size of the fault's elements; of
    /// some segments alone. Slip at points is one segment, a moment tensor none.
    [[nodiscard]] std::vector<Vec3> outline(double cell_m, const SegmentFilter& of) const;
};

/// Returns the places of the moment tensors in the model frame; none without a projection.
[[nodiscard]] std::vector<Vec3> moment_places(const GreensJob& job, const Domain& domain);

/// How a model is sampled.
[[nodiscard]] slip_model::SampleOptions sample_options(const SlipModelSource& source);

/// `projection` is absent in a model without a place on the globe. Throws ValidationError naming
/// the event's field for a file that cannot be read or placed.
[[nodiscard]] std::vector<ScenarioModel> read_models(
    const Scenario& scenario, const std::optional<earth::Projection>& projection);

/// AboveGround describes the part of a model that lies above the ground, where nothing slips.
struct AboveGround {
    double share = 0.0;      ///< of the model's potency
    double highest_m = 0.0;  ///< height of the highest upper edge above the ground; <= 0: none
};
/// `domain` has volumes, which say where the ground is.
[[nodiscard]] AboveGround above_ground(const ScenarioModel& model, const Domain& domain);
/// Returns how high one patch's upper edge lies above the ground [m], and the share of its width
/// that does.
[[nodiscard]] AboveGround above_ground(const slip_model::PlacedPatch& patch, const Domain& domain);

/// Middle and mean strike (grid azimuth) of all models, weighted by potency.
struct SlipFrame {
    Vec3 centre;
    double strike_rad = 0.0;
};
[[nodiscard]] SlipFrame frame_of(std::span<const ScenarioModel> models, const ModelFilter& of);

/// "event mainshock: 162 patches (usgs_param), Mw 7.01, 4.1e19 N m, largest slip 5.2 m" for each
/// event, and what the readers have to say.
/// Warns of events with more slip or a larger magnitude than any earthquake had.
[[nodiscard]] std::vector<std::string> implausible_events(const Scenario& scenario,
                                                          std::span<const ScenarioModel> models,
                                                          const Domain& domain);
[[nodiscard]] std::vector<std::string> event_notes(const Scenario& scenario,
                                                   std::span<const ScenarioModel> models,
                                                   const Domain& domain);

}  // namespace kaname::jobs
