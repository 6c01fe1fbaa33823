// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/greens/ranges.hpp"

#include <cmath>

namespace kaname::spec {
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

}  // namespace kaname::spec
