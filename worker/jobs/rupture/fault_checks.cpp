// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/rupture/fault_checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "solvers/base/text.hpp"
#include "solvers/rupture/point_start.hpp"

namespace kaname::jobs {
namespace {

using rupture::FrictionLaw;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
/// A point whose strength is farther above its stress, in stress drops, will not break (S of
/// Andrews 1976; ruptures end well below that).
constexpr double kStrong = 10.0;

double strength_pa(const FaultNumbers& n, double friction) {
    return n[FaultNumber::Cohesion] + friction * std::max(0.0, -n[FaultNumber::Normal]);
}

std::string area_text(double area_m2, double all_m2) {
    return formatted("%.3g km2", area_m2 / 1e6) +
           formatted(" (%.1f %% of it)", 100.0 * area_m2 / all_m2);
}

/// Gathered holds the sums and extremes over the samples of one fault.
struct Gathered {
    double area_m2 = 0.0, above_m2 = 0.0, open_m2 = 0.0, coarse_m2 = 0.0, slipping_m2 = 0.0;
    double worst_ratio = 0.0, zone_m = kInfinite, points = kInfinite, edge_m = 0.0;
    Vec3 worst_at;
    double nearest_ratio = 0.0;  ///< of shear with nucleation over strength, where that is largest
    Vec3 nearest_at;
    bool begins = false;
    bool told = false;  ///< that its table does not cover it
};

class Checker {
public:
    Checker(const RuptureJob& job, const std::shared_ptr<const FaultParameters>& parameters)
        : job_(job),
          parameters_(*parameters),
          setup_(fault_setup(job, parameters)),
          gathered_(job.faults.size()),
          problems_(job.faults.size()) {}

    void look(const FaultSample& sample) {
        using enum FaultNumber;
        const OnFault at = parameters_.place(sample.place);
        Gathered& fault = gathered_[at.fault];
        fault.area_m2 += sample.area_m2;
        if (!covered(sample, at)) {
            return;
        }
        const FaultNumbers n = parameters_.numbers(at);
        (void)rupture::start_of(setup_, sample.place, number_++, problems_[at.fault]);
        if (n[Normal] >= 0.0) {
            fault.open_m2 += sample.area_m2;
        }
        const bool nucleates = parameters_.nucleates(at);
        look_for_beginning(at, sample.place.at_m, n);
        const double shear = std::hypot(n[Strike], n[Dip]);
        if (job_.faults[at.fault].law == FrictionLaw::LinearSlipWeakening && !nucleates) {
            const double ratio = shear / strength_pa(n, n[StaticFriction]);
            if (ratio > 1.0) {
                fault.above_m2 += sample.area_m2;
                if (ratio > fault.worst_ratio) {
                    fault.worst_ratio = ratio;
                    fault.worst_at = sample.place.at_m;
                }
            }
        }
        look_at_zone(sample, at.fault, n, shear);
    }

    FaultFindings take() {
        for (std::size_t k = 0; k < gathered_.size(); ++k) {
            for (Violation& problem : problems_[k].violations()) {
                // The solver speaks of "fault.static_friction".
                problem.field =
                    job_.faults[k].field + problem.field.substr(problem.field.find('.'));
                found_.violations.push_back(std::move(problem));
            }
            if (gathered_[k].area_m2 > 0.0) {
                tell(job_.faults[k], gathered_[k]);
            }
        }
        const bool all_known = std::ranges::all_of(
            gathered_, [](const Gathered& fault) { return fault.area_m2 > 0.0; });
        if (all_known) {
            look_at_middles();
            tell_beginning();
        }
        return std::move(found_);
    }

private:
    /// Slip begins where shear with what nucleation adds is above strength, or where strength is
    /// taken away under shear above the dynamic one; with rate-and-state friction, where shear is
    /// added or a patch is another.
    void look_for_beginning(const OnFault& at, const Vec3& at_m, const FaultNumbers& n) {
        using enum FaultNumber;
        Gathered& fault = gathered_[at.fault];
        const auto [strike, dip] = parameters_.nucleation(at);
        const double before = std::hypot(n[Strike], n[Dip]),
                     shear = std::max(before, std::hypot(n[Strike] + strike, n[Dip] + dip));
        if (job_.faults[at.fault].law != FrictionLaw::LinearSlipWeakening) {
            const bool added = strike != 0.0 || dip != 0.0;
            fault.begins = fault.begins || (added ? shear > before : parameters_.nucleates(at));
            return;
        }
        const double ratio = shear / strength_pa(n, n[StaticFriction]);
        const bool forced = n[ForcedRupture] < FaultNumbers::kNever_s &&
                            before > strength_pa(n, n[DynamicFriction]);
        fault.begins = fault.begins || ratio > 1.0 || forced;
        if (ratio > fault.nearest_ratio) {
            fault.nearest_ratio = ratio;
            fault.nearest_at = at_m;
        }
    }

    /// Samples may miss the middles of nucleation zones, where shear is largest.
    void look_at_middles() {
        for (const SmoothNucleation& zone : job_.smooth_nucleation) {
            const FaultAxes& axes = parameters_.axes(zone.fault);
            const Vec3 at_m = axes.at(zone.along_m, zone.down_m);
            const OnFault at{zone.fault, zone.along_m, zone.down_m, -at_m.z, axes.normal()};
            look_for_beginning(at, at_m, parameters_.numbers(at));
        }
    }

    void tell_beginning() {
        if (std::ranges::any_of(gathered_, &Gathered::begins)) {
            return;
        }
        const auto most = std::ranges::max_element(gathered_, {}, &Gathered::nearest_ratio);
        const bool sources = !job_.sources.empty();
        std::string text = sources ? "nothing but the waves of sources can begin a rupture: "
                                   : "nothing begins this rupture: ";
        if (most->nearest_ratio > 0.0) {
            text += "shear, with patches and nucleation, is at most " +
                    formatted("%.3g of static strength", most->nearest_ratio) + ", at " +
                    place_text(most->nearest_at);
        } else {
            text += "there is neither a patch nor a nucleation that adds to the shear";
        }
        (sources ? found_.notes : found_.warnings).push_back(std::move(text));
    }

    bool covered(const FaultSample& sample, const OnFault& at) {
        const FaultTable* table = parameters_.table(at.fault);
        if (table == nullptr ||
            table->covers(at.along_m, table->down_is_depth() ? at.depth_m : at.down_m,
                          0.5 * sample.edge_m)) {
            return true;
        }
        const RuptureFault& fault = job_.faults[at.fault];
        if (std::exchange(gathered_[at.fault].told, true)) {
            return false;  // the first of many points is enough
        }
        found_.violations.push_back(
            {fault.table->field, fault.table->path + " must cover the fault " + fault.id +
                                     ", has " + table->extent() + " and no value for along " +
                                     number(at.along_m) + " m, down " + number(at.down_m) +
                                     " m, depth " + number(at.depth_m) + " m"});
        return false;
    }

    void look_at_zone(const FaultSample& sample, std::size_t k, const FaultNumbers& n,
                      double shear_pa) {
        using enum FaultNumber;
        const FrictionLaw law = job_.faults[k].law;
        if (law == FrictionLaw::LinearSlipWeakening) {
            const double low = strength_pa(n, n[DynamicFriction]);
            const double drop = shear_pa - low;
            if (drop <= 0.0 || strength_pa(n, n[StaticFriction]) - shear_pa > kStrong * drop) {
                return;
            }
        } else if (n[A] >= n[B] && law != FrictionLaw::FastVelocityWeakening) {
            return;  // strengthens with velocity
        }
        Gathered& fault = gathered_[k];
        fault.slipping_m2 += sample.area_m2;
        const double zone_m = cohesive_zone_m(law, n, sample.rigidity_pa, sample.poisson);
        const double points = points_in_zone(zone_m, sample.edge_m, job_.mesh.order);
        if (points < kWantedPoints) {
            fault.coarse_m2 += sample.area_m2;
        }
        if (points < fault.points) {
            fault.points = points;
            fault.zone_m = zone_m;
            fault.edge_m = sample.edge_m;
        }
    }

    void tell(const RuptureFault& fault, const Gathered& is) {
        const std::string name = "fault " + fault.id;
        if (is.above_m2 > 0.0) {
            found_.warnings.push_back(name + ": initial shear is above static strength on " +
                                      area_text(is.above_m2, is.area_m2) +
                                      " outside of nucleation zones, which slips at once; most, " +
                                      formatted("%.3g times the strength", is.worst_ratio) +
                                      ", at " + place_text(is.worst_at));
        }
        if (is.open_m2 > 0.0) {
            found_.warnings.push_back(name + ": normal traction is not below 0 on " +
                                      area_text(is.open_m2, is.area_m2) +
                                      ", where friction has no strength but cohesion; compression "
                                      "is negative");
        }
        if (!std::isfinite(is.points)) {
            return;
        }
        const std::string text = name + ": the cohesive zone is " + formatted("%.3g m", is.zone_m) +
                                 " wide where it is resolved worst, elements are " +
                                 formatted("%.3g m", is.edge_m) + ": " +
                                 formatted("%.2g points", is.points) +
                                 " in half of it, which a growing rupture has";
        if (is.coarse_m2 > 0.0) {
            found_.warnings.push_back(
                text + ", should be " + number(kWantedPoints) +
                " or more (Day et al. 2005); fewer on " +
                formatted("%.0f %%", 100.0 * is.coarse_m2 / is.slipping_m2) +
                " of what can slip: smaller element_size_m, or a higher order");
        } else {
            found_.notes.push_back(text);
        }
    }

    const RuptureJob& job_;
    const FaultParameters& parameters_;
    rupture::FaultSetup setup_;
    std::vector<Gathered> gathered_;
    std::vector<rupture::PointProblems> problems_;
    std::int64_t number_ = 0;
    FaultFindings found_;
};

double poisson_of(double lambda_pa, double mu_pa) {
    return 0.5 * lambda_pa / (lambda_pa + mu_pa);
}

const earth::Material& material_at(const SeismicMeshRequest& request,
                                   const std::vector<earth::Material>& materials, double depth_m) {
    if (const auto* box = std::get_if<LayeredBox>(&request.model)) {
        return box->layers
            .materials[static_cast<std::size_t>(box->layers.material_at(depth_m, 0.0))];
    }
    return *std::ranges::min_element(materials, {}, [](const earth::Material& material) {
        return material.mu_pa > 0.0 ? material.mu_pa : kInfinite;  // liquids have no faults
    });
}

}  // namespace

double cohesive_zone_m(FrictionLaw law, const FaultNumbers& n, double rigidity_pa, double poisson) {
    using enum FaultNumber;
    constexpr double kShape = 9.0 * std::numbers::pi / 32.0;
    const double sigma = std::max(0.0, -n[Normal]);
    const auto over = [](double above, double below) {
        return below > 0.0 ? above / below : kInfinite;
    };
    switch (law) {
        case FrictionLaw::LinearSlipWeakening:
            return over(kShape * rigidity_pa / (1.0 - poisson) * n[WeakeningSlip],
                        (n[StaticFriction] - n[DynamicFriction]) * sigma);
        case FrictionLaw::FastVelocityWeakening:
            return over(kShape * rigidity_pa / (1.0 - poisson) * n[StateSlip],
                        (n[ReferenceFriction] - n[WeakenedFriction]) * sigma);
        case FrictionLaw::Ageing:
        case FrictionLaw::Slip:
            return over(rigidity_pa * n[StateSlip], n[B] * sigma);
    }
    return kInfinite;
}

double points_in_zone(double zone_m, double edge_m, int order) {
    return 0.5 * zone_m * order / edge_m;
}

std::vector<FaultSample> samples_of(const std::vector<FaultTriangle>& triangles) {
    std::vector<FaultSample> samples;
    for (const FaultTriangle& triangle : triangles) {
        samples.push_back({{triangle.fault, triangle.middle(), triangle.normal},
                           triangle.area_m2,
                           triangle.edge_m,
                           triangle.rigidity_pa,
                           triangle.poisson});
    }
    return samples;
}

std::vector<FaultSample> samples_of_planes(const SeismicMeshRequest& request,
                                           const std::vector<earth::Material>& materials) {
    constexpr double kMost = 300.0;  // cells along a side
    std::vector<FaultSample> samples;
    for (std::size_t k = 0; k < request.faults.size(); ++k) {
        const auto* plane = std::get_if<FaultPlane>(&request.faults[k].place);
        if (plane == nullptr) {
            continue;
        }
        const FaultAxes axes = FaultAxes::of(*plane);
        const double wanted_m = request.faults[k].element_size_m;
        const auto cells = [&](double length_m) {
            const double finest = wanted_m > 0.0 ? length_m / wanted_m : kMost;
            return static_cast<int>(std::clamp(std::ceil(finest), 1.0, kMost));
        };
        const int nx = cells(plane->length_m), ny = cells(plane->width_m);
        for (int i = 0; i < nx * ny; ++i) {
            const double along = ((i % nx + 0.5) / nx - 0.5) * plane->length_m;
            const double down = (i / nx + 0.5) / ny * plane->width_m;
            const Vec3 at_m = axes.at(along, down);
            const earth::Material& solid = material_at(request, materials, -at_m.z);
            const double wave_m = std::sqrt(solid.mu_pa / solid.density_kg_m3) /
                                  (request.max_frequency_hz * request.wanted_per_wavelength());
            samples.push_back({{static_cast<int>(k), at_m, axes.normal()},
                               plane->length_m * plane->width_m / (nx * ny),
                               wanted_m > 0.0 ? std::min(wanted_m, wave_m) : wave_m,
                               solid.mu_pa,
                               poisson_of(solid.lambda_pa, solid.mu_pa)});
        }
    }
    return samples;
}

FaultFindings check_faults(const RuptureJob& job,
                           const std::shared_ptr<const FaultParameters>& parameters,
                           const std::vector<FaultSample>& samples) {
    Checker checker(job, parameters);
    for (const FaultSample& sample : samples) {
        checker.look(sample);
    }
    return checker.take();
}

}  // namespace kaname::jobs
