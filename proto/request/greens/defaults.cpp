// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/defaults.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "proto/request/form/field_rules.hpp"
#include "proto/request/form/text.hpp"
#include "proto/request/greens/boundary.hpp"
#include "proto/request/greens/scenario.hpp"
#include "proto/request/greens/slip_size.hpp"
#include "proto/request/greens/unit_sources.hpp"
#include "proto/request/greens/validate.hpp"

namespace kaname::request {
namespace {

template <class Message>
void fill_components(Message& message) {
    if (message.components().empty()) {
        for (const SlipComponent& component : named_components()) {
            message.add_components(component.name);
        }
    }
}

/// Fills in the defaults of a Fault or of one of its NamedFaults.
template <class Fault>
void fill_fault(Fault& fault) {
    if (fault.has_interface()) {
        v1::Interface& interface = *fault.mutable_interface();
        const bool of_file = interface.of().empty();  // else its surface has the depths
        if (of_file && interface.min_depth_m() == 0.0) {
            interface.set_min_depth_m(kDefaultMinDepth_m);
        }
        if (of_file && interface.top() == v1::Interface::TOP_UNSPECIFIED) {
            interface.set_top(v1::Interface::TOP_BURIED);
        }
        if (interface.has_patches()) {
            v1::PatchGrid& patches = *interface.mutable_patches();
            if (patches.hat() == v1::PatchGrid::HAT_UNSPECIFIED) {
                patches.set_hat(v1::PatchGrid::HAT_BILINEAR);
            }
            fill_components(patches);
        }
    }
    if (fault.has_plane()) {
        v1::Plane& plane = *fault.mutable_plane();
        settle_point(plane);
        if (plane.rake_deg().empty()) {
            fill_components(plane);
        }
        if (plane.n_strike() == 0) {
            plane.set_n_strike(1);
        }
        if (plane.n_dip() == 0) {
            plane.set_n_dip(1);
        }
    }
}

/// A range's reference is the viscosity wherever one number is needed.
template <class Rock>
void fill_reference(Rock& rock) {
    if (rock.has_viscosity_range_pa_s() && !rock.has_viscosity_pa_s()) {
        rock.set_viscosity_pa_s(reference_of(rock.viscosity_range_pa_s()));
    }
}

void fill_structure(v1::Structure& structure) {
    for (v1::Material& material : *structure.mutable_materials()) {
        fill_reference(material);
        if (material.has_kelvin_viscosity_range_pa_s() && !material.has_kelvin_viscosity_pa_s()) {
            material.set_kelvin_viscosity_pa_s(
                reference_of(material.kelvin_viscosity_range_pa_s()));
        }
    }
    for (v1::StructureVolume& volume : *structure.mutable_volumes()) {
        if (volume.has_profile()) {
            fill_reference(*volume.mutable_profile());
            if (volume.profile().steps() == 0) {
                volume.mutable_profile()->set_steps(kDefaultProfileSteps);
            }
        }
        if (volume.has_columns()) {
            fill_reference(*volume.mutable_columns());
        }
    }
}

void fill_boundaries(v1::Boundaries& sides) {
    for (auto* side : {sides.mutable_west(), sides.mutable_east(), sides.mutable_south(),
                       sides.mutable_north(), sides.mutable_bottom(), sides.mutable_top()}) {
        side->set_kind(kind_of(*side, side == sides.mutable_top()));
    }
}

void fill_events(v1::GreensBatch& batch) {
    for (v1::SlipEvent& event : *batch.mutable_events()) {
        settle_event(event, batch.structure());
        for (v1::SlipRectangle& patch : *event.mutable_patches()) {
            settle_point(patch);
            settle_size(patch, batch.structure());
        }
        if (event.interpolation().empty() && !event.has_moment()) {
            event.set_interpolation(event.patches().empty() ? "auto" : "constant");
        }
        if (event.scale() == 0.0) {
            event.set_scale(1.0);
        }
        if (event.history().kind().empty()) {
            event.mutable_history()->set_kind(kDefaultHistory);
        }
        if (event.repeats() == 0) {
            event.set_repeats(1);
        }
    }
    if (batch.output().has_volume()) {
        for (v1::Receiver& receiver :
             *batch.mutable_output()->mutable_volume()->mutable_receivers()) {
            if (!receiver.has_friction()) {
                receiver.set_friction(kDefaultFriction);
            }
        }
    }
}

void fill_solver(v1::Solver& solver) {
    fill_constants(solver);
    if (solver.max_iterations() == 0) {
        solver.set_max_iterations(solver.method() == "pcge" ? kDefaultMaxIterationsPcge
                                                            : kDefaultMaxIterations);
    }
}

/// Every density is known, and the solver can use them.
bool buoyant_by_default(const v1::GreensBatch& batch) {
    const auto& materials = batch.structure().materials();
    return batch.solver().method() != "multistep2018" &&
           std::ranges::all_of(materials, &v1::Material::has_density_kg_per_m3);
}

}  // namespace

v1::BoundarySide::Kind kind_of(const v1::BoundarySide& side, bool is_top) {
    if (side.kind() != v1::BoundarySide::KIND_UNSPECIFIED) {
        return side.kind();
    }
    const bool by_component =
        side.has_displacement() || side.has_traction() || !side.fixed().empty();
    return by_component || is_top ? v1::BoundarySide::KIND_FREE : v1::BoundarySide::KIND_FIXED;
}

void fill_defaults(v1::GreensBatch& batch) {
    fill_structure(*batch.mutable_structure());
    if (batch.mesh().has_file()) {
        if (batch.mesh().top().empty()) {
            batch.mutable_mesh()->set_top(kDefaultTop);
        }
    } else {
        fill_fault(*batch.mutable_fault());
        for (v1::NamedFault& named : *batch.mutable_fault()->mutable_several()) {
            fill_fault(named);
        }
        if (batch.mesh().growth() == 0.0) {
            batch.mutable_mesh()->set_growth(kDefaultGrowth);
        }
        fill_boundaries(*batch.mutable_boundaries());
    }
    if (batch.time().alpha() == 0.0) {
        batch.mutable_time()->set_alpha(kDefaultAlpha);
    }
    if (batch.time().method().empty() || batch.time().method() == "auto") {
        batch.mutable_time()->set_method(ranges_of(batch).empty() ? "auto" : "spectrum");
    }
    if (batch.slip_history().kind().empty()) {
        batch.mutable_slip_history()->set_kind(kDefaultHistory);
    }
    fill_events(batch);
    fill_solver(*batch.mutable_solver());
    if (batch.gravity().empty() || batch.gravity() == "auto") {
        batch.set_gravity(buoyant_by_default(batch) ? "buoyancy" : "none");
    }
    if (batch.time().spectrum_tolerance() == 0.0) {
        batch.mutable_time()->set_spectrum_tolerance(
            std::max(!ranges_of(batch).empty() ? kDefaultRangeTolerance : kDefaultSpectrumTolerance,
                     kSpectrumOverSolver * batch.solver().tolerance()));
    }
    fill_constants(*batch.mutable_output());
    if (batch.solve_by() == "sources") {
        batch.clear_solve_by();  // one text per meaning
    }
    if (batch.output().surface().empty()) {
        batch.mutable_output()->set_surface(batch.solve_by() == "receivers" ? "none" : "auto");
    }
}

namespace {

template <class Rock>
void add_range(const Rock& rock, const std::string& path, const std::string& parameter,
               std::vector<RangePlace>& places) {
    if (rock.has_viscosity_range_pa_s()) {
        places.push_back({path + ".viscosity_range_pa_s", path + ".viscosity_pa_s", parameter,
                          &rock.viscosity_range_pa_s(), rock.viscosity_pa_s()});
    }
}

}  // namespace

std::vector<RangePlace> ranges_of(const v1::GreensBatch& batch) {
    std::vector<RangePlace> places;
    const v1::Structure& structure = batch.structure();
    for (int k = 0; k < structure.materials_size(); ++k) {
        const v1::Material& material = structure.materials(k);
        const std::string path = "structure.materials[" + std::to_string(k) + "]";
        const std::string name =
            material.viscosity_group().empty() ? material.name() : material.viscosity_group();
        add_range(material, path, name, places);
        if (material.has_kelvin_viscosity_range_pa_s()) {
            places.push_back({path + ".kelvin_viscosity_range_pa_s",
                              path + ".kelvin_viscosity_pa_s", name + ".kelvin",
                              &material.kelvin_viscosity_range_pa_s(),
                              material.kelvin_viscosity_pa_s()});
        }
    }
    for (int k = 0; k < structure.volumes_size(); ++k) {
        const v1::StructureVolume& volume = structure.volumes(k);
        const std::string path = "structure.volumes[" + std::to_string(k) + "]";
        if (volume.has_profile()) {
            add_range(volume.profile(), path + ".profile", volume.name(), places);
        }
        if (volume.has_columns()) {
            add_range(volume.columns(), path + ".columns", volume.name(), places);
        }
    }
    return places;
}

double reference_of(const v1::ViscosityRange& range) {
    return range.has_reference() ? range.reference() : std::sqrt(range.from() * range.to());
}

namespace {

// Beyond it even one range takes more solves than a spectrum may have.
constexpr double kWidest = 1e6;
// A reference that was written and read again.
constexpr double kRounding = 1e-12;

void check_range(const RangePlace& place, Rules& rules) {
    const v1::ViscosityRange& range = *place.range;
    const bool has_from = rules.given(place.field + ".from", range.has_from());
    const bool has_to = rules.given(place.field + ".to", range.has_to());
    if (!has_from || !has_to) {
        return;
    }
    rules.positive(place.field + ".from", range.from());
    if (range.from() > 0.0 && !(range.to() > range.from())) {
        rules.fail(place.field + ".to",
                   "must exceed from = " + show(range.from()) + ", got " + show(range.to()));
        return;
    }
    if (range.from() > 0.0 && range.to() > kWidest * range.from()) {
        rules.fail(place.field + ".to", "must be at most " + show(kWidest) + " times from = " +
                                            show(range.from()) + ", got " + show(range.to()));
    }
    if (range.has_reference() &&
        !(range.reference() >= range.from() && range.reference() <= range.to())) {
        rules.fail(place.field + ".reference", "must be within " + show(range.from()) + ".." +
                                                   show(range.to()) + ", got " +
                                                   show(range.reference()));
    }
    const double reference = reference_of(range);
    if (place.number_pa_s != 0.0 &&
        std::abs(place.number_pa_s - reference) > kRounding * reference) {
        rules.fail(place.number_field, "must be left out beside a range, whose reference is " +
                                           show(reference) + "; got " + show(place.number_pa_s));
    }
}

}  // namespace

void check_ranges(const v1::GreensBatch& batch, Rules& rules) {
    const std::vector<RangePlace> places = ranges_of(batch);
    std::map<std::string, const RangePlace*> first;  // of each parameter
    for (const RangePlace& place : places) {
        check_range(place, rules);
        const auto [of, fresh] = first.try_emplace(place.parameter, &place);
        const v1::ViscosityRange& other = *of->second->range;
        if (!fresh && (other.from() != place.range->from() || other.to() != place.range->to() ||
                       reference_of(other) != reference_of(*place.range))) {
            rules.fail(place.field, "must be that of " + of->second->field +
                                        ": both are of viscosity '" + place.parameter + "'");
        }
    }
    for (int k = 0; k < batch.structure().materials_size(); ++k) {
        const v1::Material& material = batch.structure().materials(k);
        if (!material.viscosity_group().empty() && !material.has_viscosity_range_pa_s()) {
            rules.fail("structure.materials[" + std::to_string(k) + "].viscosity_group",
                       "is for materials whose viscosity has a range");
        }
    }
    if (places.empty()) {
        return;
    }
    const std::string& field = places.front().field;
    if (is_scenario(batch) && !boundary_sources(batch).empty()) {
        rules.fail(field,
                   "must be a number in a scenario whose sides are moved or loaded: answers are "
                   "for its events");
        return;
    }
    if (is_scenario(batch) && !batch.output().volume().epochs_s().empty()) {
        rules.fail(field, "must be a number with output.volume, whose snapshots need time steps");
        return;
    }
    if (batch.time().method() == "stepping") {
        rules.fail("time.method", "must be spectrum or auto with a range of viscosity (" + field +
                                      "), got stepping");
    }
    if (batch.solver().method() == "multistep2018") {
        rules.fail("solver.method", "must not be multistep2018 with a range of viscosity (" +
                                        field + "), which has no steps");
    }
    if (!(batch.time().end_s() > 0.0)) {
        rules.fail("time.end_s", "must be > 0 with a range of viscosity (" + field + "), got 0");
    }
}

}  // namespace kaname::request
