// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/volume_checks.hpp"

#include <cmath>
#include <set>

#include "solvers/earth/surface_builder.hpp"

namespace kaname::earth {
namespace {

void check_bounds(const VolumeModelSpec& spec, std::size_t k, Findings& findings) {
    const VolumeSpec& volume = spec.volumes[k];
    const std::string who = "volume '" + volume.name + "'";
    const bool last = k + 1 == spec.volumes.size();
    if (last && (!volume.top.empty() || !volume.bottom.empty())) {
        findings.fail(volume.field, who +
                                        " is the last and fills what is left: it must have no "
                                        "top and no bottom");
    }
    if (!last && volume.top.empty() && volume.bottom.empty()) {
        findings.fail(volume.field, who +
                                        " has neither top nor bottom, so that nothing is left for "
                                        "those after it; only the last may");
    }
    for (const bool top : {true, false}) {
        const std::string& name = top ? volume.top : volume.bottom;
        if (!name.empty() && surface_index(spec, name) < 0) {
            findings.fail(volume.field + (top ? ".top" : ".bottom"),
                          who + ": '" + name + "' is no surface");
        }
    }
    if (!volume.top.empty() && volume.top == volume.bottom) {
        findings.fail(volume.field + ".bottom",
                      who + " has surface '" + volume.top + "' as its top and as its bottom");
    }
}

void check_material(const VolumeModelSpec& spec, const VolumeSpec& volume, Findings& findings) {
    const std::string who = "volume '" + volume.name + "'";
    const int given = int(volume.material >= 0) + int(!volume.profile_path.empty()) +
                      int(!volume.columns_path.empty());
    if (given != 1) {
        findings.fail(volume.field, who +
                                        " must have exactly one of a material, a profile and "
                                        "columns, got " +
                                        (given == 0 ? "none" : std::to_string(given)));
    }
    if (volume.material >= static_cast<int>(spec.materials.size())) {
        findings.fail(volume.field + ".material",
                      who + ": there is no material " + std::to_string(volume.material));
    }
    if (!volume.columns_path.empty() && volume.columns_layer.empty()) {
        findings.fail(volume.field + ".columns_layer",
                      who + " must say which layer of " + volume.columns_path + " it is");
    }
    if (volume.steps < 0) {
        findings.fail(volume.field + ".steps",
                      who + " must be >= 0, got " + std::to_string(volume.steps));
    }
    if (volume.viscosity_pa_s &&
        (!std::isfinite(*volume.viscosity_pa_s) || !(*volume.viscosity_pa_s > 0.0))) {
        findings.fail(volume.field + ".viscosity_pa_s", who + " must be finite and > 0, got " +
                                                            std::to_string(*volume.viscosity_pa_s));
    }
    if (!std::isfinite(volume.size_m) || volume.size_m < 0.0) {
        findings.fail(volume.field + ".size_m",
                      who + " must be finite and >= 0, got " + std::to_string(volume.size_m));
    }
}

}  // namespace

void check_volumes(const VolumeModelSpec& spec, Findings& findings) {
    if (spec.volumes.empty() || spec.volumes.size() > static_cast<std::size_t>(kMaxVolumes)) {
        findings.fail("structure.volumes", "must be between 1 and " + std::to_string(kMaxVolumes) +
                                               ", got " + std::to_string(spec.volumes.size()));
    }
    std::set<std::string> names;
    for (std::size_t k = 0; k < spec.volumes.size(); ++k) {
        const VolumeSpec& volume = spec.volumes[k];
        if (volume.name.empty()) {
            findings.fail(volume.field + ".name", "must not be empty");
        } else if (!names.insert(volume.name).second) {
            findings.fail(volume.field + ".name",
                          "'" + volume.name + "' is the name of two volumes");
        }
        check_bounds(spec, k, findings);
        check_material(spec, volume, findings);
    }
}

}  // namespace kaname::earth
