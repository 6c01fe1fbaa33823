// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/boundary.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "proto/request/form/rules.hpp"
#include "proto/request/greens/defaults.hpp"
#include "proto/request/greens/greens_kind.hpp"
#include "proto/request/greens/validate.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/vec3.hpp"

namespace kaname::request {
namespace {

constexpr const char* kFirst = "boundary";

std::array<const v1::BoundarySide*, 6> sides_of(const v1::Boundaries& boundaries) {
    return {&boundaries.west(),  &boundaries.east(),   &boundaries.south(),
            &boundaries.north(), &boundaries.bottom(), &boundaries.top()};
}

template <class Side>
void add_data(const Side& side, BoundaryData place, std::vector<BoundaryData>& all) {
    place.kind = side.kind();
    place.fixed = &side.fixed();
    place.displacement = side.has_displacement() ? &side.displacement() : nullptr;
    place.traction = side.has_traction() ? &side.traction() : nullptr;
    place.time = side.has_time() ? &side.time() : nullptr;
    if (place.displacement != nullptr || place.traction != nullptr || place.time != nullptr ||
        !side.fixed().empty()) {
        all.push_back(std::move(place));
    }
}

template <class Data>
std::vector<std::string> named(const Data& data, const std::array<bool, 3>& given) {
    std::vector<std::string> names;
    for (int comp = 0; comp < 3; ++comp) {
        const bool in_file =
            data.has_file() &&
            (data.components().empty() ||
             std::ranges::find(data.components(), kDirections[comp]) != data.components().end());
        if (given[comp] || in_file) {
            names.emplace_back(kDirections[comp]);
        }
    }
    return names;
}

template <class Data>
void keep_components(Data& data) {
    const std::vector<std::string> names = components_of(data);
    data.Clear();
    data.mutable_components()->Assign(names.begin(), names.end());
}

template <class Side>
void keep_kind(Side& side) {
    side.clear_time();
    if (side.has_displacement()) {
        keep_components(*side.mutable_displacement());
    }
    if (side.has_traction()) {
        keep_components(*side.mutable_traction());
    }
}

v1::BoundaryTime time_of(const BoundaryData& place) {
    v1::BoundaryTime time;
    if (place.time != nullptr) {
        time = *place.time;
    }
    if (time.kind().empty()) {
        time.set_kind(kDefaultHistory);
    }
    return time;
}

/// One text per meaning of the data of some places, with `time` where the solution depends on it.
std::string boundary_key(const std::vector<BoundaryData>& all, const std::vector<int>& places,
                         const v1::BoundaryTime* time) {
    v1::GreensBatch alone;
    for (const int k : places) {
        v1::MeshBoundary& data = *alone.mutable_boundaries()->add_surfaces();
        data.set_name(all[k].name);
        if (all[k].displacement != nullptr) {
            *data.mutable_displacement() = *all[k].displacement;
        }
        if (all[k].traction != nullptr) {
            *data.mutable_traction() = *all[k].traction;
        }
        if (time != nullptr) {
            *data.mutable_time() = *time;
        }
    }
    return sha256_hex("boundary\n" + key_text(alone));
}

}  // namespace

std::vector<BoundaryData> boundary_data(const v1::Boundaries& boundaries) {
    std::vector<BoundaryData> all;
    const auto sides = sides_of(boundaries);
    for (int index = 0; index < kSideCount; ++index) {
        add_data(*sides[index],
                 {kSideNames[index],
                  std::string("boundaries.") + kSideNames[index],
                  index,
                  {},
                  {},
                  {},
                  {},
                  {}},
                 all);
    }
    for (int index = 0; index < boundaries.surfaces_size(); ++index) {
        const v1::MeshBoundary& surface = boundaries.surfaces(index);
        add_data(surface,
                 {surface.name(),
                  "boundaries.surfaces[" + std::to_string(index) + "]",
                  index,
                  {},
                  {},
                  {},
                  {},
                  {}},
                 all);
    }
    return all;
}

std::vector<BoundarySource> boundary_sources(const v1::GreensBatch& batch) {
    const std::vector<BoundaryData> all = boundary_data(batch.boundaries());
    std::vector<BoundarySource> sources;
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (all[k].displacement == nullptr && all[k].traction == nullptr) {
            continue;
        }
        const v1::BoundaryTime time = time_of(all[k]);
        auto same = std::ranges::find_if(sources, [&](const BoundarySource& source) {
            return source.time.SerializeAsString() == time.SerializeAsString();
        });
        if (same == sources.end()) {
            const std::string number =
                sources.empty() ? "" : "_" + std::to_string(sources.size() + 1);
            sources.push_back({kFirst + number, time, {}, ""});
            same = std::prev(sources.end());
        }
        same->places.push_back(static_cast<int>(k));
    }
    // Snapshots of the volume are summed while the steps go by, with the sides' time functions.
    const bool summed = !batch.output().volume().epochs_s().empty();
    for (BoundarySource& source : sources) {
        source.key = boundary_key(all, source.places, summed ? &source.time : nullptr);
    }
    return sources;
}

bool is_boundary_id(const std::string& id) {
    const std::string numbered = std::string(kFirst) + "_";
    return id == kFirst || (id.starts_with(numbered) && id.size() > numbered.size() &&
                            std::all_of(id.begin() + static_cast<std::ptrdiff_t>(numbered.size()),
                                        id.end(), [](char c) { return c >= '0' && c <= '9'; }));
}

std::vector<std::string> components_of(const v1::SideDisplacement& displacement) {
    return named(displacement,
                 {displacement.has_east_m(), displacement.has_north_m(), displacement.has_up_m()});
}

std::vector<std::string> components_of(const v1::SideTraction& traction) {
    return named(traction, {traction.has_east_pa(), traction.has_north_pa(), traction.has_up_pa()});
}

void keep_kinds(v1::Boundaries& boundaries) {
    using Sides = v1::Boundaries;
    for (const auto& [has, side] : {std::pair{&Sides::has_west, &Sides::mutable_west},
                                    std::pair{&Sides::has_east, &Sides::mutable_east},
                                    std::pair{&Sides::has_south, &Sides::mutable_south},
                                    std::pair{&Sides::has_north, &Sides::mutable_north},
                                    std::pair{&Sides::has_bottom, &Sides::mutable_bottom},
                                    std::pair{&Sides::has_top, &Sides::mutable_top}}) {
        if ((boundaries.*has)()) {
            keep_kind(*(boundaries.*side)());
        }
    }
    for (v1::MeshBoundary& surface : *boundaries.mutable_surfaces()) {
        keep_kind(surface);
    }
}

namespace {

struct Numbers {
    const char* unit;
    std::array<bool, 3> given;
};

Numbers numbers_of(const v1::SideDisplacement& d) {
    return {"_m", {d.has_east_m(), d.has_north_m(), d.has_up_m()}};
}

Numbers numbers_of(const v1::SideTraction& t) {
    return {"_pa", {t.has_east_pa(), t.has_north_pa(), t.has_up_pa()}};
}

template <class Data>
void check_values(const Data& data, const std::string& field, Rules& rules) {
    const Numbers numbers = numbers_of(data);
    const bool any = std::ranges::count(numbers.given, true) > 0;
    std::string names;
    for (const char* direction : kDirections) {
        names.append(names.empty() ? "" : ", ").append(direction).append(numbers.unit);
    }
    if (any == data.has_file()) {
        rules.fail(field, any ? "must have one of numbers and file, got both"
                              : "must have at least one of " + names + ", or file");
    }
    if (data.has_file() && data.file().path().empty()) {
        rules.fail(field + ".file", "must name a file");
    }
    if (!data.has_file() && !data.components().empty()) {
        rules.fail(field + ".components", "must be absent without file: numbers name theirs");
    }
    if (!data.has_file() && data.reach_m() != 0.0) {
        rules.fail(field + ".reach_m", "must be absent without file, got " +
                                           rules.in_unit_of(field + ".reach_m", data.reach_m()));
    }
    rules.not_negative(field + ".reach_m", data.reach_m());
    for (int k = 0; k < data.components_size(); ++k) {
        rules.one_of(element(field + ".components", k), data.components(k),
                     {kDirections.begin(), kDirections.end()});
    }
}

/// A component can have one condition only.
void check_conflicts(const BoundaryData& place, Rules& rules) {
    std::vector<std::pair<std::string, std::string>> taken;  // component, by what
    const auto take = [&](const std::string& component, const std::string& by,
                          const std::string& field) {
        const auto found = std::ranges::find_if(
            taken, [&](const auto& entry) { return entry.first == component; });
        if (found != taken.end()) {
            rules.fail(field, "must not name " + component + ": " + found->second +
                                  " of this side says it already");
        } else {
            taken.emplace_back(component, by);
        }
    };
    for (const char* component : kDirections) {
        if (place.kind == v1::BoundarySide::KIND_FIXED) {
            taken.emplace_back(component, "kind fixed");
        }
    }
    for (int k = 0; k < place.fixed->size(); ++k) {
        take(place.fixed->Get(k), "fixed", element(place.field + ".fixed", k));
    }
    if (place.displacement != nullptr) {
        for (const std::string& component : components_of(*place.displacement)) {
            take(component, "displacement", place.field + ".displacement");
        }
    }
    if (place.traction != nullptr) {
        for (const std::string& component : components_of(*place.traction)) {
            take(component, "traction", place.field + ".traction");
        }
    }
}

void check_time_table(const v1::BoundaryTime& time, const std::string& field, double end_s,
                      Rules& rules) {
    if (time.times_s().empty() || time.times_s_size() != time.factors_size()) {
        rules.fail(field + ".factors", "must have as many values as times_s, at least one; got " +
                                           std::to_string(time.factors_size()) + " and " +
                                           std::to_string(time.times_s_size()));
    }
    for (int k = 0; k < time.times_s_size(); ++k) {
        const std::string at = element(field + ".times_s", k);
        rules.in_range(at, time.times_s(k), 0.0, end_s);
        if (k > 0 && time.times_s(k) < time.times_s(k - 1)) {
            rules.fail(at, "must not be before the time before it, " +
                               rules.in_unit_of(at, time.times_s(k - 1)) + ", got " +
                               rules.in_unit_of(at, time.times_s(k)));
        }
    }
}

void check_boundary_time(const v1::BoundaryTime& time, const std::string& field, double end_s,
                         Rules& rules) {
    const std::string& kind = time.kind();
    if (!kind.empty()) {
        rules.one_of(field + ".kind", kind, {"step", "ramp", "steady", "table"});
    }
    const std::string without = "must be left out with kind " + quote(kind.empty() ? "step" : kind);
    if (kind == "ramp" || kind == "steady") {
        rules.positive(field + ".duration_s", time.duration_s());
    } else if (time.duration_s() != 0.0) {
        rules.fail(field + ".duration_s",
                   without + ", got " + rules.in_unit_of(field + ".duration_s", time.duration_s()));
    }
    if (kind == "table") {
        check_time_table(time, field, end_s, rules);
    } else if (!time.times_s().empty() || !time.factors().empty()) {
        rules.fail(field + ".times_s", without);
    }
    if (kind == "steady" && end_s <= 0.0) {
        rules.fail("time.end_s", "must be > 0 for the steady growth of " + field);
    }
}

void check_boundary_place(const BoundaryData& place, double end_s, Rules& rules) {
    for (int k = 0; k < place.fixed->size(); ++k) {
        rules.one_of(element(place.field + ".fixed", k), place.fixed->Get(k),
                     {kDirections.begin(), kDirections.end()});
    }
    if (place.displacement != nullptr) {
        check_values(*place.displacement, place.field + ".displacement", rules);
    }
    if (place.traction != nullptr) {
        check_values(*place.traction, place.field + ".traction", rules);
    }
    check_conflicts(place, rules);
    if (place.time != nullptr) {
        if (place.displacement == nullptr && place.traction == nullptr) {
            rules.fail(place.field + ".time", "must be absent without displacement or traction");
        }
        check_boundary_time(*place.time, place.field + ".time", end_s, rules);
    }
}

}  // namespace

void check_boundary_data(const v1::GreensBatch& batch, Rules& rules) {
    bool any = false;
    for (const BoundaryData& place : boundary_data(batch.boundaries())) {
        check_boundary_place(place, batch.time().end_s(), rules);
        any = any || place.displacement != nullptr || place.traction != nullptr;
    }
    if (!any) {
        return;
    }
    // Their solvers keep sides at rest.
    if (batch.time().method() == "spectrum") {
        rules.fail("time.method",
                   "must be auto or stepping with displacement or traction in "
                   "boundaries, got 'spectrum'");
    }
    if (batch.solver().method() == "multistep2018") {
        rules.fail("solver.method",
                   "must be default, pcge or seed with displacement or traction "
                   "in boundaries, got 'multistep2018'");
    }
    for (int k = 0; k < batch.fault().mesh().sources_size(); ++k) {
        if (is_boundary_id(batch.fault().mesh().sources(k).name())) {
            rules.fail(element("fault.mesh.sources", k) + ".name",
                       "must not be " + quote(batch.fault().mesh().sources(k).name()) +
                           ": displacement and traction in boundaries make sources of this name");
        }
    }
}

}  // namespace kaname::request
