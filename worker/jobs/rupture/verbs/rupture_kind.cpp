// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/rupture/verbs/rupture_kind.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <variant>

#include "proto/request/form/rules.hpp"
#include "proto/request/rupture/load_rupture.hpp"
#include "solvers/base/units.hpp"
#include "worker/jobs/ader_dg/verbs/seismic_waves_kind.hpp"
#include "worker/jobs/rupture/rupture_package.hpp"

namespace kaname::compute {
namespace {

struct SpontaneousRupture : SeismicPhysics {
    using Request = v1::Rupture;
    using Job = jobs::RuptureJob;
    static constexpr const char* kPreflight = "sizes of the mesh, friction on faults";
    static constexpr const char* kCollect = "collecting the rupture";
    static constexpr std::array<const char*, 4> kWhat = {
        "Check faults, friction, sizes, memory and time before anything is computed",
        "Solve the rupture and its waves; on any number of ranks",
        "Write faults, energies and seismograms in one dataset",
        "Answer with the rupture's seismograms when it is named on standard input"};

    static Job job_of(Request request) {
        return rupture_job_from_request(request::check_rupture(std::move(request)));
    }
    static jobs::SeismicPreflight preflight(const Job& job) { return jobs::preflight_rupture(job); }
    static jobs::MeshSummary mesh(const Job& job, const std::string& path,
                                  const jobs::MeshProgress& progress) {
        return jobs::mesh_rupture(job, path, progress);
    }
    static std::unique_ptr<Session> open(const Job& job, const Call& call, comm::Comm& comm) {
        return jobs::open_rupture(job, input(call, kMeshInput), call.work, comm);
    }
    static jobs::PackageSummary package(const Job& job, const Call& call,
                                        const jobs::SourceFiles& files) {
        return jobs::package_rupture(job, input(call, kMeshInput), files, call.out);
    }
};

}  // namespace

const Kind& rupture_kind() {
    static const Kind kind = WaveVerbs<SpontaneousRupture>::kind();
    return kind;
}

namespace {

using jobs::RuptureJob;

std::size_t index_of(const v1::Rupture& rupture, const std::string& id) {
    std::size_t k = 0;
    while (rupture.faults(static_cast<int>(k)).id() != id) {
        ++k;
    }
    return k;
}

/// Materials on the other side of the first fault, by their names.
void set_plus_materials(const v1::Rupture& rupture, RuptureJob& job) {
    auto* box = std::get_if<jobs::LayeredBox>(&job.mesh.model);
    if (box == nullptr) {
        return;
    }
    for (const std::string& name : rupture.faults(0).plane().plus_materials()) {
        const auto it = std::ranges::find(box->layers.materials, name, &earth::Material::name);
        box->plus_materials.push_back(static_cast<int>(it - box->layers.materials.begin()));
    }
}

void set_nucleation(const v1::Rupture& rupture, RuptureJob& job) {
    const v1::Nucleation& nucleation = rupture.nucleation();
    for (int k = 0; k < nucleation.stress_size(); ++k) {
        const v1::NucleationStress& zone = nucleation.stress(k);
        job.smooth_nucleation.push_back({index_of(rupture, zone.fault()), zone.along_m(),
                                         zone.down_m(), zone.radius_m(), zone.strike_pa(),
                                         zone.dip_pa(), request::element("nucleation.stress", k)});
    }
    job.nucleation_s = nucleation.stress_duration_s();
    for (int k = 0; k < nucleation.forced_size(); ++k) {
        const v1::ForcedRupture& zone = nucleation.forced(k);
        job.forced_nucleation.push_back({index_of(rupture, zone.fault()), zone.along_m(),
                                         zone.down_m(), zone.radius_m(), zone.speed_m_per_s(),
                                         request::element("nucleation.forced", k)});
    }
    job.forced_growth_s = nucleation.forced_duration_s();
}

jobs::RupturePlasticity plasticity_of(const v1::Rupture& rupture,
                                      const jobs::StressByDepth& tensor) {
    const v1::RupturePlasticity& rock = rupture.plasticity();
    jobs::RupturePlasticity made;
    made.stress = tensor;
    made.cohesion_pa = jobs::ByDepth<1>::constant({rock.cohesion_pa()});
    if (!rock.cohesion_by_depth().empty()) {
        made.cohesion_pa.rows.clear();
        for (const v1::CohesionAtDepth& row : rock.cohesion_by_depth()) {
            made.cohesion_pa.rows.push_back({row.depth_m(), {row.cohesion_pa()}});
        }
    }
    made.friction =
        rock.has_friction() ? rock.friction() : std::tan(rock.friction_angle_deg() * kDegree);
    made.relaxation_s = rock.relaxation_s();
    return made;
}

void set_fault_output(const v1::Rupture& rupture, RuptureJob& job) {
    const v1::FaultOutput& output = rupture.fault_output();
    job.fault_snapshots_s = {output.snapshots_s().begin(), output.snapshots_s().end()};
    if (output.interval_s() > 0.0) {
        constexpr double kWhole = 1e-12;  // an interval that ends at end_s but for rounding
        const auto last = std::floor(job.end_s / output.interval_s() * (1.0 + kWhole));
        for (double k = 0.0; k <= last; ++k) {
            job.fault_snapshots_s.push_back(std::min(k * output.interval_s(), job.end_s));
        }
    }
    job.rupture_rate_m_per_s = output.rupture_rate_m_per_s();
    job.energy_interval_s = output.energy_interval_s();
    for (int k = 0; k < rupture.fault_receivers_size(); ++k) {
        const v1::FaultReceiver& from = rupture.fault_receivers(k);
        job.fault_receivers.push_back({from.id(), request::element("fault_receivers", k),
                                       index_of(rupture, from.fault()), from.along_m(),
                                       from.down_m()});
    }
}

}  // namespace

RuptureJob rupture_job_from_request(const v1::Rupture& rupture) {
    RuptureJob job;
    set_setting(request::setting_of(rupture), job);
    job.event = {request::kRuptureEvent, request::rupture_graph(rupture).tasks.front().key,
                 "faults"};
    std::optional<earth::Projection> projection;
    if (job.centre) {
        projection.emplace(*job.centre);
    }
    const jobs::StressByDepth tensor = tensor_of(rupture.stress_tensor());
    for (int k = 0; k < rupture.faults_size(); ++k) {
        const std::string field = request::element("faults", k);
        job.mesh.faults.push_back(fault_place_of(rupture.faults(k), field, projection));
        job.faults.push_back(fault_of(rupture.faults(k), field, tensor));
    }
    for (int k = 0; k < rupture.sources_size(); ++k) {
        job.sources.push_back(source_of(rupture.sources(k), request::element("sources", k)));
    }
    set_plus_materials(rupture, job);
    set_nucleation(rupture, job);
    if (rupture.has_plasticity()) {
        job.plasticity = plasticity_of(rupture, tensor);
    }
    set_fault_output(rupture, job);
    job.specification_json = request::canonical_text(rupture);
    return job;
}

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
        if (const auto [given, value] = request::number_of(message, field); given) {
            numbers[number] = value;
        }
    }
}

FrictionLaw law_of(const std::string& law) {
    return law == request::kAgeing          ? FrictionLaw::Ageing
           : law == request::kSlipLaw       ? FrictionLaw::Slip
           : law == request::kFastWeakening ? FrictionLaw::FastVelocityWeakening
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
    return {table.file().path(), table.positive_shear() == request::kRightLateral, field};
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
        from.shape() == request::kEllipse ? jobs::PatchShape::Ellipse : jobs::PatchShape::Rectangle;
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
        made.tapers.push_back(taper_of(fault.tapers(k), request::element(field + ".tapers", k)));
    }
    for (int k = 0; k < fault.patches_size(); ++k) {
        made.patches.push_back(patch_of(fault.patches(k), request::element(field + ".patches", k)));
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
