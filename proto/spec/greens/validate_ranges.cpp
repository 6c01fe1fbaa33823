// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <map>

#include "proto/spec/form/text.hpp"
#include "proto/spec/greens/checks.hpp"
#include "proto/spec/greens/ranges.hpp"
#include "proto/spec/greens/scenario.hpp"

namespace kaname::spec {
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
    if (is_scenario(batch)) {
        rules.fail(field, "must be a number in a scenario: ranges are for Green's functions");
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

}  // namespace kaname::spec
