// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/cleaved.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "solvers/earth/material_rules.hpp"
#include "solvers/meshing/cleaving/volume_mesh.hpp"

namespace kaname::bench {
namespace {

/// Sizes of the smallest mesh.
constexpr double kAtFault_m = 7e3;
constexpr double kFar_m = 28e3;
constexpr double kLid_m = 14e3;
constexpr double kGrowth = 0.25;

/// All sizes of a mesh are so many times smaller. Lattices have sizes that are halves of each
/// other, so that counts jump: not the cube root of the unknowns.
double refined(Size size) {
    constexpr double kRefined[] = {0.93, 1.7, 2.97, 4.8};
    return kRefined[static_cast<int>(size)];
}

std::shared_ptr<const earth::VolumeModel> lid_over_half_space(const earth::LayeredStructure& layers,
                                                              const meshing::Box& box,
                                                              double lid_size_m) {
    auto model = std::make_shared<earth::VolumeModel>();
    model->size_u_m = box.size_east_m;
    model->size_v_m = box.size_north_m;
    model->depth_m = box.depth_m;
    model->materials = layers.materials;
    model->surfaces = {{"ground", earth::HeightField(0.0)},
                       {"moho", earth::HeightField(-*layers.layers[0].bottom_depth_m)}};
    model->volumes = {{"lid", -1, 1, earth::constant_rule(layers.layers[0].material), lid_size_m},
                      {"mantle", -1, -1, earth::constant_rule(layers.layers[1].material)}};
    return model;
}

/// The rectangle with samples that are no farther apart than half the size.
cleaving::FaultRequest rectangle(double size_m) {
    const fault::PlaneFault plane = fault_plane();
    const meshing::FaultWindow w = fault_window();
    cleaving::FaultRequest fault;
    fault.name = "fault";
    fault.plane = cleaving::FaultRequest::Plane{plane.point({}), plane.normal({})};
    fault.outline = {plane.point({w.s_min, w.d_min}), plane.point({w.s_max, w.d_min}),
                     plane.point({w.s_max, w.d_max}), plane.point({w.s_min, w.d_max})};
    fault.inside_m = [plane, w](const Vec3& x) {
        const fault::FaultCoordinates at = plane.coordinates(x);
        return std::min({at.s - w.s_min, w.s_max - at.s, at.d - w.d_min, w.d_max - at.d});
    };
    const auto cells = [&](double length) {
        return static_cast<int>(std::ceil(length / (0.45 * size_m)));
    };
    const int n_s = cells(w.s_max - w.s_min), n_d = cells(w.d_max - w.d_min);
    for (int i = 0; i <= n_s; ++i) {
        for (int j = 0; j <= n_d; ++j) {
            fault.samples.push_back(plane.point({w.s_min + i * (w.s_max - w.s_min) / n_s,
                                                 w.d_min + j * (w.d_max - w.d_min) / n_d}));
        }
    }
    return fault;
}

}  // namespace

Lattice make_cleaved(Size size) {
    Lattice cleaved = lid_over_maxwell();
    cleaved.name = std::string("cleaved-") + unknowns_text(size);
    const double factor = 1.0 / refined(size);
    cleaving::VolumeMeshParams params;
    params.box = model_box();
    params.model = lid_over_half_space(cleaved.structure, params.box, factor * kLid_m);
    params.faults = {rectangle(factor * kAtFault_m)};
    params.sizes.far_m = factor * kFar_m;
    params.sizes.growth = factor * kGrowth;
    params.sizes.points = {{factor * kAtFault_m, params.faults[0].samples}};
    cleaved.mesh = make_volume_mesh(std::move(params))->build([](double, const char*) {});
    return cleaved;
}

}  // namespace kaname::bench
