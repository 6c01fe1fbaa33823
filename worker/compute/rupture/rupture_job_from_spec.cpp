// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/rupture/rupture_job_from_spec.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "proto/spec/form/canonical.hpp"
#include "proto/spec/form/rules.hpp"
#include "proto/spec/rupture/load_rupture.hpp"
#include "proto/spec/rupture/rupture_kind.hpp"
#include "solvers/base/units.hpp"
#include "worker/compute/rupture/fault_from_spec.hpp"
#include "worker/compute/seismic_waves/seismic_job_from_spec.hpp"

namespace kaname::compute {
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
                                         zone.dip_pa(), spec::element("nucleation.stress", k)});
    }
    job.nucleation_s = nucleation.stress_duration_s();
    for (int k = 0; k < nucleation.forced_size(); ++k) {
        const v1::ForcedRupture& zone = nucleation.forced(k);
        job.forced_nucleation.push_back({index_of(rupture, zone.fault()), zone.along_m(),
                                         zone.down_m(), zone.radius_m(), zone.speed_m_per_s(),
                                         spec::element("nucleation.forced", k)});
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
        job.fault_receivers.push_back({from.id(), spec::element("fault_receivers", k),
                                       index_of(rupture, from.fault()), from.along_m(),
                                       from.down_m()});
    }
}

}  // namespace

RuptureJob rupture_job_from_spec(const v1::Rupture& rupture) {
    RuptureJob job;
    set_setting(spec::setting_of(rupture), job);
    job.event = {spec::kRuptureEvent, spec::rupture_graph(rupture).tasks.front().key, "faults"};
    std::optional<earth::Projection> projection;
    if (job.centre) {
        projection.emplace(*job.centre);
    }
    const jobs::StressByDepth tensor = tensor_of(rupture.stress_tensor());
    for (int k = 0; k < rupture.faults_size(); ++k) {
        const std::string field = spec::element("faults", k);
        job.mesh.faults.push_back(fault_place_of(rupture.faults(k), field, projection));
        job.faults.push_back(fault_of(rupture.faults(k), field, tensor));
    }
    set_plus_materials(rupture, job);
    set_nucleation(rupture, job);
    if (rupture.has_plasticity()) {
        job.plasticity = plasticity_of(rupture, tensor);
    }
    set_fault_output(rupture, job);
    job.specification_json = spec::canonical_text(rupture);
    return job;
}

}  // namespace kaname::compute
