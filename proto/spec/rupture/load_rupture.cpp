// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/rupture/load_rupture.hpp"

#include <filesystem>
#include <iterator>

#include "proto/spec/form/canonical.hpp"
#include "proto/spec/form/files.hpp"
#include "proto/spec/form/text.hpp"
#include "proto/spec/form/yaml_places.hpp"
#include "proto/spec/greens/receiver_files.hpp"
#include "proto/spec/rupture/friction_numbers.hpp"
#include "proto/spec/rupture/rupture_rules.hpp"
#include "proto/spec/seismic_waves/load_seismic_waves.hpp"
#include "proto/spec/seismic_waves/seismic_defaults.hpp"

namespace kaname::spec {
namespace {

constexpr double kRuptured_m_per_s = 1e-3;
constexpr double kEnergies = 100.0;  ///< energies from the beginning to the end

void fill_fault(v1::RuptureFault& fault) {
    if (fault.friction().law().empty()) {
        fault.mutable_friction()->set_law(kSlipWeakening);
    }
    if (fault.has_table() && fault.table().positive_shear().empty()) {
        fault.mutable_table()->set_positive_shear(kLeftLateral);
    }
    for (v1::FaultPatch& patch : *fault.mutable_patches()) {
        if (patch.shape().empty()) {
            patch.set_shape(kRectangle);
        }
    }
}

/// A fault that is not named is the only one.
template <class List>
void name_fault(const std::string& only, List& list) {
    for (auto& entry : list) {
        if (entry.fault().empty()) {
            entry.set_fault(only);
        }
    }
}

void fill_defaults(v1::Rupture& rupture) {
    v1::SeismicWaves waves = setting_of(rupture);
    fill_setting(waves);
    if (waves.has_attenuation()) {
        *rupture.mutable_attenuation() = waves.attenuation();
    }
    *rupture.mutable_mesh() = waves.mesh();
    *rupture.mutable_boundaries() = waves.boundaries();
    *rupture.mutable_time() = waves.time();
    *rupture.mutable_solver() = waves.solver();
    *rupture.mutable_output() = waves.output();
    for (v1::RuptureFault& fault : *rupture.mutable_faults()) {
        fill_fault(fault);
    }
    if (rupture.faults_size() == 1) {
        const std::string only = rupture.faults(0).id();
        name_fault(only, *rupture.mutable_fault_receivers());
        if (rupture.has_nucleation()) {
            name_fault(only, *rupture.mutable_nucleation()->mutable_stress());
            name_fault(only, *rupture.mutable_nucleation()->mutable_forced());
        }
    }
    v1::FaultOutput& output = *rupture.mutable_fault_output();
    if (output.rupture_rate_m_per_s() == 0.0) {
        output.set_rupture_rate_m_per_s(kRuptured_m_per_s);
    }
    if (output.energy_interval_s() == 0.0) {
        output.set_energy_interval_s(rupture.time().end_s() / kEnergies);
    }
}

v1::Rupture finish(v1::Rupture rupture, YamlReading reading, const std::filesystem::path& folder) {
    std::vector<Violation> in_files = resolve_files(rupture, folder);
    take_receivers(*rupture.mutable_receiver_files(), *rupture.mutable_receivers(), in_files);
    fill_defaults(rupture);
    std::vector<Violation> broken = validate(rupture, unit_factor_of(reading));
    std::move(in_files.begin(), in_files.end(), std::back_inserter(broken));
    throw_if_broken(std::move(broken), std::move(reading));
    return rupture;
}

}  // namespace

v1::Rupture load_rupture(const std::string& path) {
    v1::Rupture rupture;
    YamlReading reading = scan_yaml(read_text_file(path), path, rupture);
    return finish(std::move(rupture), std::move(reading),
                  std::filesystem::absolute(path).parent_path());
}

v1::Rupture check_rupture(v1::Rupture rupture, YamlReading reading) {
    return finish(std::move(rupture), std::move(reading), "/");
}

v1::SeismicWaves setting_of(const v1::Rupture& rupture) {
    v1::SeismicWaves waves;
    waves.set_name(rupture.name());
    waves.set_description(rupture.description());
    if (rupture.has_box()) {
        *waves.mutable_box() = rupture.box();
    }
    if (rupture.has_region()) {
        *waves.mutable_region() = rupture.region();
    }
    if (rupture.has_structure()) {
        *waves.mutable_structure() = rupture.structure();
    }
    if (rupture.has_attenuation()) {
        *waves.mutable_attenuation() = rupture.attenuation();
    }
    *waves.mutable_mesh() = rupture.mesh();
    *waves.mutable_boundaries() = rupture.boundaries();
    *waves.mutable_receivers() = rupture.receivers();
    *waves.mutable_time() = rupture.time();
    *waves.mutable_solver() = rupture.solver();
    *waves.mutable_output() = rupture.output();
    return waves;
}

std::string mesh_text(const v1::Rupture& rupture) {
    v1::Rupture faults;
    for (const v1::RuptureFault& fault : rupture.faults()) {
        v1::RuptureFault& kept = *faults.add_faults();
        kept.set_id(fault.id());
        if (fault.has_plane()) {
            *kept.mutable_plane() = fault.plane();
        }
        if (fault.has_interface()) {
            *kept.mutable_interface() = fault.interface();
        }
        if (fault.has_physical_surface()) {
            *kept.mutable_physical_surface() = fault.physical_surface();
        }
        kept.set_element_size_m(fault.element_size_m());
    }
    return mesh_text(setting_of(rupture)) + '\n' + canonical_text(faults);
}

std::string event_text(const v1::Rupture& rupture) {
    v1::Rupture copy = rupture;
    copy.clear_name();
    copy.clear_description();
    copy.mutable_mesh()->clear_max_elements();
    copy.mutable_output()->clear_checkpoint();
    copy.mutable_output()->clear_checkpoint_interval_s();
    return canonical_text(copy);
}

}  // namespace kaname::spec
