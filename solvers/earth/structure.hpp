// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kaname::earth {

/// Viscosities for which one solution is to answer.
struct ViscosityRange {
    double from_pa_s = 0.0, to_pa_s = 0.0;
};

/// Isotropic linear viscoelastic material, bulk elastic. No viscosity means elastic; with one, a
/// Maxwell material, or with `relaxed_mu_pa` a standard linear solid (that spring beside a Maxwell
/// element; mu stays the unrelaxed modulus), or with both Kelvin numbers a Burgers material (a
/// Kelvin element in series with the Maxwell element).
struct Material {
    std::string name;
    double lambda_pa = 0.0;
    double mu_pa = 0.0;
    double density_kg_m3 = 0.0;  ///< 0: unknown (not needed by quasi-static solvers)
    std::optional<double> viscosity_pa_s;
    std::optional<double> relaxed_mu_pa = {};
    std::optional<double> kelvin_mu_pa = {}, kelvin_viscosity_pa_s = {};
    /// `viscosity_range` and `kelvin_viscosity_range` belong to viscosity_pa_s and
    /// kelvin_viscosity_pa_s, which then are the reference within.
    std::optional<ViscosityRange> viscosity_range = {}, kelvin_viscosity_range = {};
    std::string viscosity_group = {};  ///< of materials with one viscosity; empty: its own name

    [[nodiscard]] bool is_maxwell() const {
        return viscosity_pa_s && !relaxed_mu_pa && !kelvin_mu_pa;
    }
    [[nodiscard]] double kappa_pa() const { return lambda_pa + 2.0 * mu_pa / 3.0; }
    /// eta/mu [s]; nullopt when elastic.
    [[nodiscard]] std::optional<double> maxwell_time_s() const;
};

struct Layer {
    int material = 0;                      ///< index into LayeredStructure::materials
    std::optional<double> bottom_depth_m;  ///< nullopt: goes on to the bottom of the model
};

/// Stacks of layers on the two sides of an interface. Depth of `layers` counts from sea level,
/// depth of `below_interface` from the interface (so that a slab of constant thickness is one
/// layer). With an empty `below_interface`, `layers` hold everywhere.
struct LayeredStructure {
    std::vector<Material> materials;
    std::vector<Layer> layers;
    std::vector<Layer> below_interface;

    /// Material at depth `depth_m` below sea level; `interface_depth_m` is the interface's depth
    /// at that place (ignored without layers below an interface).
    [[nodiscard]] int material_at(double depth_m, double interface_depth_m) const;
    /// Materials that a layer uses, each once, in the order of `materials`; all where there are no
    /// layers, since a mesh of one's own says where they are.
    [[nodiscard]] std::vector<Material> used_materials() const;
};

}  // namespace kaname::earth
