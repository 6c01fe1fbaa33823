// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/rupture/fault_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/base/error.hpp"

namespace kaname::jobs {
namespace {

constexpr double kRounding_m = 1e-6;  ///< of places on the edge of a patch

bool holds(const RupturePatch& patch, const OnFault& at) {
    const double x = std::abs(at.along_m - patch.along_m), y = std::abs(at.down_m - patch.down_m);
    if (patch.shape == PatchShape::Rectangle) {
        return x <= 0.5 * patch.length_m + kRounding_m && y <= 0.5 * patch.width_m + kRounding_m;
    }
    return std::hypot(2.0 * x / patch.length_m, 2.0 * y / patch.width_m) <= 1.0;
}

/// Part of a taper's outside at a place.
double outside_of(const RuptureTaper& taper, const OnFault& at) {
    const double x = std::abs(at.along_m - taper.along_m) - 0.5 * taper.length_m;
    const double y = std::abs(at.down_m - taper.down_m) - 0.5 * taper.width_m;
    return 1.0 - smooth_boxcar(x, taper.transition_m) * smooth_boxcar(y, taper.transition_m);
}

template <class Zone>
double distance(const Zone& zone, const OnFault& at) {
    return std::hypot(at.along_m - zone.along_m, at.down_m - zone.down_m);
}

struct Traction {
    double normal, strike, dip;
};
Traction traction(const TractionByDepth& stress, const OnFault& at) {
    const auto [normal, strike, dip] = stress.at(at.depth_m);
    return {normal, strike, dip};
}
/// t = sigma . n.
Traction traction(const StressByDepth& stress, const OnFault& at) {
    const auto [xx, yy, zz, xy, yz, xz] = stress.at(at.depth_m);
    const Vec3& n = at.normal;
    const Vec3 t = {xx * n.x + xy * n.y + xz * n.z, xy * n.x + yy * n.y + yz * n.z,
                    xz * n.x + yz * n.y + zz * n.z};
    const rupture::FaultFrame frame = rupture::FaultFrame::of(n);
    return {dot(t, n), dot(t, frame.strike), dot(t, frame.dip)};
}

void replace(const SomeNumbers& by, FaultNumbers& numbers) {
    for (const auto& [number, value] : by) {
        numbers[number] = value;
    }
}

}  // namespace

double smooth_boxcar(double beyond_m, double transition_m) {
    if (beyond_m <= kRounding_m) {
        return 1.0;
    }
    if (beyond_m >= transition_m) {
        return 0.0;
    }
    const double w = transition_m;
    return 0.5 * (1.0 + std::tanh(w / (beyond_m - w) + w / beyond_m));
}

double nucleation_shape(double distance_m, double radius_m) {
    if (distance_m >= radius_m) {
        return 0.0;
    }
    const double r2 = distance_m * distance_m;
    return std::exp(r2 / (r2 - radius_m * radius_m));
}

FaultParameters::FaultParameters(const RuptureJob& job, std::vector<std::optional<FaultAxes>> axes)
    : job_(job), axes_(std::move(axes)) {
    std::vector<Violation> broken;
    for (const RuptureFault& fault : job.faults) {
        std::optional<FaultTable>& made = tables_.emplace_back();
        if (!fault.table) {
            continue;
        }
        try {
            made = FaultTable::read(fault.table->path);
            if (fault.table->right_lateral_positive) {
                made->flip_strike();
            }
        } catch (const Error& error) {
            broken.push_back({fault.table->field, error.what()});
        }
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
}

OnFault FaultParameters::place(const rupture::FaultPlace& place) const {
    const auto fault = static_cast<std::size_t>(place.fault);
    const auto [along, down] = axes(fault).place(place.at_m);
    return {fault, along, down, -place.at_m.z, place.normal};
}

FaultNumbers FaultParameters::numbers(const OnFault& at) const {
    const RuptureFault& fault = job_.faults[at.fault];
    FaultNumbers numbers = fault.numbers;
    const Traction t =
        std::visit([&](const auto& stress) { return traction(stress, at); }, fault.stress);
    numbers[FaultNumber::Normal] = t.normal;
    numbers[FaultNumber::Strike] = t.strike;
    numbers[FaultNumber::Dip] = t.dip;
    if (const FaultTable* table = this->table(at.fault)) {
        replace(table->at(at.along_m, table->down_is_depth() ? at.depth_m : at.down_m), numbers);
    }
    for (const RuptureTaper& taper : fault.tapers) {
        const double part = outside_of(taper, at);
        for (const auto& [number, outside] : taper.outside) {
            numbers[number] += part * (outside - numbers[number]);
        }
    }
    for (const RupturePatch& patch : fault.patches) {
        if (holds(patch, at)) {
            replace(patch.numbers, numbers);
        }
    }
    for (const ForcedNucleation& forced : job_.forced_nucleation) {
        if (forced.fault == at.fault && distance(forced, at) <= forced.radius_m + kRounding_m) {
            numbers[FaultNumber::ForcedRupture] = std::min(
                numbers[FaultNumber::ForcedRupture], distance(forced, at) / forced.speed_m_per_s);
        }
    }
    return numbers;
}

std::array<double, 2> FaultParameters::nucleation(const OnFault& at) const {
    std::array<double, 2> added = {0.0, 0.0};
    for (const SmoothNucleation& zone : job_.smooth_nucleation) {
        if (zone.fault == at.fault) {
            const double shape = nucleation_shape(distance(zone, at), zone.radius_m);
            added[0] += shape * zone.strike_pa;
            added[1] += shape * zone.dip_pa;
        }
    }
    return added;
}

bool FaultParameters::nucleates(const OnFault& at) const {
    const auto strength_or_load = [](const RupturePatch& patch) {
        using enum FaultNumber;
        return std::ranges::any_of(
            std::array{Normal, Strike, Dip, StaticFriction, Cohesion, ForcedRupture},
            [&](FaultNumber number) { return patch.numbers.contains(number); });
    };
    for (const RupturePatch& patch : job_.faults[at.fault].patches) {
        if (strength_or_load(patch) && holds(patch, at)) {
            return true;
        }
    }
    const std::array<double, 2> added = nucleation(at);
    return added[0] != 0.0 || added[1] != 0.0 ||
           numbers(at)[FaultNumber::ForcedRupture] < FaultNumbers::kNever_s;
}

rupture::FaultPoint FaultParameters::point(const rupture::FaultPlace& where) const {
    const OnFault at = place(where);
    const FaultNumbers n = numbers(at);
    const auto [strike, dip] = nucleation(at);
    const rupture::FaultFrame frame = rupture::FaultFrame::of(where.normal);
    using enum FaultNumber;
    rupture::FaultPoint point;
    point.traction_pa = n[Normal] * where.normal + n[Strike] * frame.strike + n[Dip] * frame.dip;
    point.nucleation_pa = strike * frame.strike + dip * frame.dip;
    point.static_friction = n[StaticFriction];
    point.dynamic_friction = n[DynamicFriction];
    point.weakening_slip_m = n[WeakeningSlip];
    point.cohesion_pa = n[Cohesion];
    point.forced_rupture_s = n[ForcedRupture];
    point.a = n[A];
    point.b = n[B];
    point.state_slip_m = n[StateSlip];
    point.reference_friction = n[ReferenceFriction];
    point.reference_rate_m_per_s = n[ReferenceRate];
    point.weakened_friction = n[WeakenedFriction];
    point.weakening_rate_m_per_s = n[WeakeningRate];
    point.initial_rate_m_per_s = n[InitialRate];
    return point;
}

rupture::FaultSetup fault_setup(const RuptureJob& job,
                                std::shared_ptr<const FaultParameters> parameters) {
    rupture::FaultSetup setup;
    for (const RuptureFault& fault : job.faults) {
        setup.laws.push_back(fault.law);
    }
    setup.at = [parameters = std::move(parameters)](const rupture::FaultPlace& place) {
        return parameters->point(place);
    };
    setup.nucleation_s = job.nucleation_s;
    setup.forced_growth_s = job.forced_growth_s;
    setup.rupture_rate_m_per_s = job.rupture_rate_m_per_s;
    setup.interval_s = job.interval_s;
    return setup;
}

}  // namespace kaname::jobs
