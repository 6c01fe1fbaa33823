// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/greens/boundary_sources.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "proto/spec/greens/canonical_batch.hpp"
#include "proto/spec/greens/defaults.hpp"
#include "solvers/base/directions.hpp"
#include "solvers/base/sha256.hpp"

namespace kaname::spec {
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

}  // namespace kaname::spec
