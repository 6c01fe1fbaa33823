// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/lattice.hpp"

#include <cmath>

#include "solvers/base/units.hpp"
#include "solvers/fault/unit_source.hpp"
#include "tests/support/lattice/lattices.hpp"

namespace kaname::bench {
namespace {

constexpr double kLength_m = 40e3;
constexpr double kWidth_m = 28e3;
constexpr double kDip_rad = 45.0 * kDegree;
const Vec3 kTopCentre = {0.0, 0.0, -5e3};

/// Cell size at the fault for about 50k, 200k, 800k and 3 million degrees of freedom.
double cell_m(Size size) {
    constexpr double kCells_m[] = {7.3e3, 3.16e3, 1.62e3, 0.95e3};
    return kCells_m[static_cast<int>(size)];
}

/// "50k", "10m".
std::string short_text(double unknowns) {
    const bool millions = unknowns >= 1e6;
    return std::to_string(std::llround(unknowns / (millions ? 1e6 : 1e3))) + (millions ? "m" : "k");
}

std::unique_ptr<meshing::MeshSource> source_of(const Lattice& lattice, double cell) {
    meshing::PlaneLatticeParams params;
    params.box = model_box();
    params.sizes.at_fault_m = cell;
    params.sizes.far_m = 6.0 * cell;
    params.sizes.growth = 0.5;
    params.structure = lattice.structure;
    params.top_centre = kTopCentre;
    params.dip_rad = kDip_rad;
    params.window = fault_window();
    return make_plane_lattice(params);
}

/// With its mesh.
Lattice lattice_of(const std::string& unknowns, double cell) {
    Lattice lattice = lid_over_maxwell();
    lattice.name = "lattice-" + unknowns;
    lattice.mesh = source_of(lattice, cell)->build([](double, const char*) {});
    return lattice;
}

}  // namespace

const char* unknowns_text(Size size) {
    constexpr const char* kTexts[] = {"50k", "200k", "800k", "3m"};
    return kTexts[static_cast<int>(size)];
}

Lattice lid_over_maxwell() {
    Lattice lattice;
    const earth::Material lid = {"lid", 3e10, 3e10, 0.0, std::nullopt};
    const earth::Material below = {"asthenosphere", 6e10, 6e10, 0.0, 1e19};
    lattice.structure.materials = {lid, below};
    lattice.structure.layers = {{0, 30e3}, {1, std::nullopt}};
    lattice.maxwell_time_s = *below.maxwell_time_s();
    return lattice;
}

meshing::Box model_box() {
    return {160e3, 160e3, 80e3, 0.0};
}

fault::PlaneFault fault_plane() {
    return {kTopCentre, 0.0, kDip_rad};
}

meshing::FaultWindow fault_window() {
    return {-0.5 * kLength_m, 0.5 * kLength_m, 0.0, kWidth_m};
}

Lattice make_lattice(Size size) {
    return lattice_of(unknowns_text(size), cell_m(size));
}

Lattice make_lattice(double unknowns) {
    const Lattice model = lid_over_maxwell();
    // Bisection on the cell; a P2 lattice has eight nodes for every vertex.
    double small = 100.0;
    double large = cell_m(Size::Small);
    for (int k = 0; k < 40; ++k) {
        const double cell = std::sqrt(small * large);
        const auto vertices = static_cast<double>(source_of(model, cell)->estimate().vertices);
        (3.0 * 8.0 * vertices > unknowns ? small : large) = cell;
    }
    return lattice_of(short_text(unknowns), large);
}

Lattice make_lattice(const Options& options) {
    return options.unknowns > 0.0 ? make_lattice(options.unknowns) : make_lattice(options.size);
}

std::vector<viscoelastic::BoundaryCondition> fixed_sides() {
    std::vector<viscoelastic::BoundaryCondition> conditions;
    for (const mesh::Side side : {mesh::Side::West, mesh::Side::East, mesh::Side::South,
                                  mesh::Side::North, mesh::Side::Bottom}) {
        for (int comp = 0; comp < 3; ++comp) {
            conditions.push_back({side, comp});
        }
    }
    return conditions;
}

viscoelastic::PackSlip four_hats(const p2::DofMap& dofs, const fault::SplitNodes& split) {
    const fault::PlaneFault plane = fault_plane();
    viscoelastic::PackSlip slip;
    for (int lane = 0; lane < lanes::kLanes; ++lane) {
        const double s = (lane % 2 == 0 ? -1.0 : 1.0) * kLength_m / 6.0;
        const double d = (lane / 2 == 0 ? 1.0 : 2.0) * kWidth_m / 3.0;
        const fault::UnitSource source = {
            "",
            "",
            90.0 * kDegree,
            {"", {s, d}, kLength_m / 3.0, kWidth_m / 3.0, fault::Hat::Bilinear}};
        slip[lane] = fault::nodal_slip(split, dofs.node_xyz, [&](const auto& at) {
            return source.slip_at(plane, plane.coordinates(dofs.node_xyz[at.node]));
        });
    }
    return slip;
}

}  // namespace kaname::bench
