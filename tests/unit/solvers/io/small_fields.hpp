// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/io/dataset/fields.hpp"

namespace kaname::io {

/// Two faces of four corners, three epochs: displacement 100 epoch + 10 point + component.
inline SurfaceFields small_surface() {
    SurfaceFields surface;
    surface.epochs_s = {0.0, 1e6, 3e7};
    for (int point = 0; point < 9; ++point) {  // a square of 2 x 2 km: corners and middles
        surface.xyz_m.insert(surface.xyz_m.end(),
                             {1e3 * (point % 3), 1e3 * static_cast<double>(point / 3), 0.0});
        surface.lon_deg.push_back(135.0 + 0.01 * (point % 3));
        surface.lat_deg.push_back(34.0 + 0.01 * static_cast<double>(point / 3));
    }
    surface.faces = {0, 2, 8, 1, 5, 4, 0, 8, 6, 4, 7, 3};
    for (int epoch = 0; epoch < 3; ++epoch) {
        for (int k = 0; k < 27; ++k) {
            surface.displacement_m.push_back(
                static_cast<float>(100 * epoch + 10 * (k / 3) + k % 3));
        }
    }
    return surface;
}

/// Two tetrahedra with a receiver in the volume and one at a place, two epochs. Component c of the
/// stress in element e at epoch s: 100 s + 10 e + c.
inline VolumeDataset small_volume() {
    VolumeDataset volume;
    volume.epochs_s = {0.0, 3e7};
    volume.xyz_m = {0, 0, 0, 1e3, 0, 0, 0, 1e3, 0, 0, 0, 1e3, 1e3, 1e3, 1e3};
    volume.lon_deg = {135.0, 135.01, 135.0, 135.0, 135.01};
    volume.lat_deg = {34.0, 34.0, 34.01, 34.0, 34.01};
    volume.tets = {0, 1, 2, 3, 1, 4, 2, 3};
    volume.material = {1, 0};
    volume.materials = {"crust", "mantle"};
    for (int k = 0; k < 2 * 5 * 3; ++k) {
        volume.displacement_m.push_back(0.5F * static_cast<float>(k));
    }
    for (int k = 0; k < 2 * 2 * 6; ++k) {
        volume.stress_pa.push_back(static_cast<float>(100 * (k / 12) + 10 * (k / 6 % 2) + k % 6));
        volume.strain.push_back(1e-10F * static_cast<float>(k));
    }
    VolumeDataset::Receiver everywhere;
    everywhere.name = "strike_slip";
    everywhere.strike_deg = 30.0;
    everywhere.dip_deg = 90.0;
    everywhere.rake_deg = 180.0;
    everywhere.friction = 0.6;
    everywhere.skempton = 0.5;
    everywhere.shear_pa = {1, 2, 3, 4};
    everywhere.normal_pa = {5, 6, 7, 8};
    everywhere.coulomb_pa = {9, 10, 11, 12};
    VolumeDataset::Receiver place = everywhere;
    place.name = "dam";
    place.at = {135.002, 34.003, 500.0, 1};
    place.shear_pa = {1, 2};
    place.normal_pa = {3, 4};
    place.coulomb_pa = {5, 6};
    place.shear_error_pa = {7, 8};
    place.normal_error_pa = {9, 10};
    place.coulomb_error_pa = {11, 12};
    volume.receivers = {everywhere, place};
    return volume;
}

}  // namespace kaname::io
