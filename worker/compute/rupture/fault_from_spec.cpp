// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/rupture/fault_from_spec.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "proto/spec/form/rules.hpp"
#include "proto/spec/rupture/friction_numbers.hpp"
#include "solvers/base/units.hpp"

namespace kaname::compute {
namespace {

using jobs::FaultNumber;
using rupture::FrictionLaw;

constexpr auto kNumbers = std::to_array<std::pair<std::string_view, FaultNumber>>(
    {{"static", FaultNumber::StaticFriction},
     {"dynamic", FaultNumber::DynamicFriction},
     {"slip_weakening_m", FaultNumber::WeakeningSlip},
     {"cohesion_pa", FaultNumber::Cohesion},
     {"a", FaultNumber::A},
     {"b", FaultNumber::B},
     {"state_slip_m", FaultNumber::StateSlip},
     {"reference_friction", FaultNumber::ReferenceFriction},
     {"reference_rate_m_per_s", FaultNumber::ReferenceRate},
     {"initial_rate_m_per_s", FaultNumber::InitialRate},
     {"weakened_friction", FaultNumber::WeakenedFriction},
     {"weakening_rate_m_per_s", FaultNumber::WeakeningRate}});

constexpr auto kTractions =
    std::to_array<std::pair<std::string_view, FaultNumber>>({{"normal_pa", FaultNumber::Normal},
                                                             {"strike_pa", FaultNumber::Strike},
                                                             {"dip_pa", FaultNumber::Dip}});

template <class Table>
void add_given(const google::protobuf::Message& message, const Table& table,
               jobs::SomeNumbers& numbers) {
    for (const auto& [field, number] : table) {
        if (const auto [given, value] = spec::number_of(message, field); given) {
            numbers[number] = value;
        }
    }
}

FrictionLaw law_of(const std::string& law) {
    return law == spec::kAgeing          ? FrictionLaw::Ageing
           : law == spec::kSlipLaw       ? FrictionLaw::Slip
           : law == spec::kFastWeakening ? FrictionLaw::FastVelocityWeakening
                                         : FrictionLaw::LinearSlipWeakening;
}

std::array<double, 2> map_of(const v1::WavePlace& place,
                             const std::optional<earth::Projection>& projection) {
    if (place.has_lon_deg() && projection) {
        const earth::MapPoint at = projection->forward({place.lon_deg(), place.lat_deg()});
        return {at.x_m, at.y_m};
    }
    return {place.x_m(), place.y_m()};
}

jobs::FaultPlane plane_of(const v1::RupturePlane& from,
                          const std::optional<earth::Projection>& projection) {
    jobs::FaultPlane plane;
    const auto [x_m, y_m] = map_of(from.at(), projection);
    plane.x_m = x_m;
    plane.y_m = y_m;
    plane.top_depth_m = from.top_depth_m();
    plane.strike_deg = from.strike_deg();
    if (projection) {
        plane.strike_deg += projection->convergence(projection->inverse({x_m, y_m})) / kDegree;
    }
    plane.dip_deg = from.dip_deg();
    plane.length_m = from.length_m();
    plane.width_m = from.width_m();
    return plane;
}

jobs::RuptureTable table_of(const v1::FaultTable& table, const std::string& field) {
    return {table.file().path(), table.positive_shear() == spec::kRightLateral, field};
}

jobs::RuptureTaper taper_of(const v1::FrictionTaper& from, const std::string& field) {
    jobs::RuptureTaper taper;
    taper.along_m = from.along_m();
    taper.down_m = from.down_m();
    taper.length_m = from.length_m();
    taper.width_m = from.width_m();
    taper.transition_m = from.transition_m();
    add_given(from.outside(), kNumbers, taper.outside);
    taper.field = field;
    return taper;
}

jobs::RupturePatch patch_of(const v1::FaultPatch& from, const std::string& field) {
    jobs::RupturePatch patch;
    patch.shape =
        from.shape() == spec::kEllipse ? jobs::PatchShape::Ellipse : jobs::PatchShape::Rectangle;
    patch.along_m = from.along_m();
    patch.down_m = from.down_m();
    patch.length_m = from.length_m();
    patch.width_m = from.width_m();
    add_given(from.stress(), kTractions, patch.numbers);
    add_given(from.friction(), kNumbers, patch.numbers);
    patch.field = field;
    return patch;
}

}  // namespace

jobs::SeismicFault fault_place_of(const v1::RuptureFault& fault, const std::string& field,
                                  const std::optional<earth::Projection>& projection) {
    jobs::SeismicFault made;
    made.name = fault.id();
    made.field = field;
    made.element_size_m = fault.element_size_m();
    if (fault.has_interface()) {
        jobs::FaultSurface surface{fault.interface().of(), {}};
        for (const v1::WavePlace& corner : fault.interface().outline()) {
            surface.outline_m.push_back(map_of(corner, projection));
        }
        made.place = std::move(surface);
    } else if (fault.has_physical_surface()) {
        jobs::FaultInFile in_file{fault.physical_surface().name(), {}};
        if (fault.physical_surface().has_strike_deg()) {
            in_file.strike_deg = fault.physical_surface().strike_deg();
        }
        made.place = std::move(in_file);
    } else {
        made.place = plane_of(fault.plane(), projection);
    }
    return made;
}

jobs::RuptureFault fault_of(const v1::RuptureFault& fault, const std::string& field,
                            const jobs::StressByDepth& tensor) {
    jobs::RuptureFault made;
    made.id = fault.id();
    made.field = field;
    made.law = law_of(fault.friction().law());
    jobs::SomeNumbers given;
    add_given(fault.friction(), kNumbers, given);
    for (const auto& [number, value] : given) {
        made.numbers[number] = value;
    }
    const v1::FaultTraction& constant = fault.stress();
    if (fault.has_stress()) {
        made.stress = jobs::TractionByDepth::constant(
            {constant.normal_pa(), constant.strike_pa(), constant.dip_pa()});
    } else if (!fault.stress_by_depth().empty()) {
        jobs::TractionByDepth traction;
        for (const v1::TractionAtDepth& row : fault.stress_by_depth()) {
            traction.rows.push_back(
                {row.depth_m(), {row.normal_pa(), row.strike_pa(), row.dip_pa()}});
        }
        made.stress = std::move(traction);
    } else {
        made.stress = tensor;
    }
    if (fault.has_table()) {
        made.table = table_of(fault.table(), field + ".table");
    }
    for (int k = 0; k < fault.tapers_size(); ++k) {
        made.tapers.push_back(taper_of(fault.tapers(k), spec::element(field + ".tapers", k)));
    }
    for (int k = 0; k < fault.patches_size(); ++k) {
        made.patches.push_back(patch_of(fault.patches(k), spec::element(field + ".patches", k)));
    }
    return made;
}

jobs::StressByDepth tensor_of(const google::protobuf::RepeatedPtrField<v1::StressAtDepth>& rows) {
    if (rows.empty()) {
        return jobs::StressByDepth::constant({});
    }
    jobs::StressByDepth stress;
    for (const v1::StressAtDepth& row : rows) {
        stress.rows.push_back(
            {row.depth_m(),
             {row.xx_pa(), row.yy_pa(), row.zz_pa(), row.xy_pa(), row.yz_pa(), row.xz_pa()}});
    }
    return stress;
}

}  // namespace kaname::compute
