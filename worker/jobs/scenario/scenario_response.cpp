// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/scenario/scenario_response.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/fault_report.hpp"
#include "solvers/p2/locate.hpp"
#include "worker/jobs/scenario/stress_recovery.hpp"

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

namespace {

using Receiver = io::VolumeDataset::Receiver;

p2::Location location_of(const CoulombReceiver::Place& at, const std::string& field,
                         const Domain& domain, const mesh::TetMesh& mesh) {
    if (!domain.projected()) {
        throw ValidationError(
            {{field,
              std::string("needs a projection: region.crs none has no places on the globe")}});
    }
    constexpr double kRounding_m = 1.0;  // error of degrees with five decimals
    const auto point = domain.projection().forward({at.lon_deg, at.lat_deg});
    const std::array<Vec3, 1> place = {{{point.x_m, point.y_m, -at.depth_m}}};
    const p2::Location found = p2::locate_points(mesh, place).front();
    if (found.distance_m > kRounding_m) {
        char text[160];
        std::snprintf(text, sizeof text,
                      "must lie inside the model, but %.6gE %.6gN at %.6g m depth is %.4g m "
                      "outside",
                      at.lon_deg, at.lat_deg, at.depth_m, found.distance_m);
        throw ValidationError({{field, std::string(text)}});
    }
    return found;
}

/// The receiver's plane in the model's frame.
fault::Receiver plane_of(const CoulombReceiver& wanted, const Domain& domain) {
    fault::Receiver plane;
    plane.strike_rad = wanted.strike_deg * kDegree;
    if (domain.projected()) {
        const earth::LonLat centre = domain.projection().centre();
        plane.strike_rad += domain.projection().convergence(
            wanted.at ? earth::LonLat{wanted.at->lon_deg, wanted.at->lat_deg} : centre);
    }
    plane.dip_rad = wanted.dip_deg * kDegree;
    plane.rake_rad = wanted.rake_deg * kDegree;
    plane.friction = wanted.friction;
    plane.skempton = wanted.skempton;
    return plane;
}

/// lambda / mu of each material, nullopt where it relaxes.
std::vector<std::optional<double>> moduli_of(const GreensJob& job) {
    std::vector<std::optional<double>> ratios;
    for (const auto& rock : job.structure.materials) {
        ratios.push_back(rock.viscosity_pa_s || rock.kelvin_viscosity_pa_s
                             ? std::nullopt
                             : std::optional(rock.lambda_pa / rock.mu_pa));
    }
    return ratios;
}

void append_change(const fault::StressChange& stress, const fault::Receiver& plane,
                   Receiver& receiver) {
    const fault::CoulombChange change = fault::coulomb_change(stress, plane);
    receiver.shear_pa.push_back(static_cast<float>(change.shear_pa));
    receiver.normal_pa.push_back(static_cast<float>(change.normal_pa));
    receiver.coulomb_pa.push_back(static_cast<float>(change.coulomb_pa));
}

/// Appends the errors that an uncertain stress D causes in changes that are linear in it, T : D.
/// They combine this change itself with its average for a tensor of the size of D over all
/// directions:
///   error^2 = (T : D)^2 + |T|^2 |D|^2 / 6
/// This error was large enough at 19 of 20 places (docs/theory/viscoelastic.md).
void append_errors(const fault::StressChange& uncertain, const fault::Receiver& plane,
                   Receiver& receiver) {
    const auto off_diagonal = [](std::size_t k) { return k < 3 ? 1.0 : 2.0; };
    double size = 0.0;  // |D|^2
    for (std::size_t k = 0; k < uncertain.size(); ++k) {
        size += off_diagonal(k) * uncertain[k] * uncertain[k];
    }
    const auto append = [&](double fault::CoulombChange::*of, std::vector<float>& errors) {
        double weight = 0.0;  // |T|^2
        for (std::size_t k = 0; k < uncertain.size(); ++k) {
            fault::StressChange unit{};
            unit[k] = 1.0;
            const double twice = fault::coulomb_change(unit, plane).*of;  // 2 T_xy off the diagonal
            weight += twice * twice / off_diagonal(k);
        }
        const double change = fault::coulomb_change(uncertain, plane).*of;
        errors.push_back(static_cast<float>(std::sqrt(change * change + weight * size / 6.0)));
    };
    append(&fault::CoulombChange::shear_pa, receiver.shear_error_pa);
    append(&fault::CoulombChange::normal_pa, receiver.normal_error_pa);
    append(&fault::CoulombChange::coulomb_pa, receiver.coulomb_error_pa);
}

/// Appends the stress at the receiver's place at one epoch, from [E][6], with its error.
void append_at_place(const StressRecovery::At& at, const float* stress_pa,
                     const fault::Receiver& plane, Receiver& receiver) {
    const fault::StressChange stress = stress_of(at.shares, stress_pa);
    append_change(stress, plane, receiver);
    if (at.other.empty()) {
        for (auto* errors :
             {&receiver.shear_error_pa, &receiver.normal_error_pa, &receiver.coulomb_error_pa}) {
            errors->push_back(std::numeric_limits<float>::quiet_NaN());
        }
        return;
    }
    fault::StressChange uncertain = stress_of(at.other, stress_pa);
    std::transform(stress.begin(), stress.end(), uncertain.begin(), uncertain.begin(),
                   std::minus<>());
    append_errors(uncertain, plane, receiver);
}

}  // namespace

void add_receivers(const GreensJob& job, const Domain& domain, const mesh::TetMesh& mesh,
                   io::VolumeDataset& volume) {
    const std::vector<CoulombReceiver>& receivers = job.scenario->volume.receivers;
    const std::size_t n_tets = volume.n_tets();
    std::vector<std::int32_t> tets;  // outlives the recovery that reads it
    std::optional<StressRecovery> recovery;
    for (std::size_t k = 0; k < receivers.size(); ++k) {
        const CoulombReceiver& wanted = receivers[k];
        Receiver receiver{.name = wanted.name,
                          .strike_deg = wanted.strike_deg,
                          .dip_deg = wanted.dip_deg,
                          .rake_deg = wanted.rake_deg,
                          .friction = wanted.friction,
                          .skempton = wanted.skempton};
        StressRecovery::At place_of;
        if (wanted.at) {
            const std::string field = "output.volume.receivers[" + std::to_string(k) + "]";
            const p2::Location place = location_of(*wanted.at, field, domain, mesh);
            receiver.at = {wanted.at->lon_deg, wanted.at->lat_deg, wanted.at->depth_m, place.tet};
            if (!recovery) {
                tets = joined_where_nothing_slips(mesh, volume.tets, volume.displacement_m,
                                                  volume.n_points());
                recovery.emplace(mesh, tets, moduli_of(job));
            }
            place_of = recovery->at(static_cast<std::size_t>(place.tet), place.snapped);
        }
        const fault::Receiver plane = plane_of(wanted, domain);
        for (std::size_t epoch = 0; epoch < volume.epochs_s.size(); ++epoch) {
            const float* stress_pa = volume.stress_pa.data() + epoch * n_tets * 6;
            if (wanted.at) {
                append_at_place(place_of, stress_pa, plane, receiver);
                continue;
            }
            for (std::size_t tet = 0; tet < n_tets; ++tet) {
                fault::StressChange mean;
                std::copy_n(stress_pa + 6 * tet, mean.size(), mean.begin());
                append_change(mean, plane, receiver);
            }
        }
        volume.receivers.push_back(std::move(receiver));
    }
}

}  // namespace kaname::jobs
