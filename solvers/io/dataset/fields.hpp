// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solvers/h5/file.hpp"

namespace kaname::io {

/// Motion of the model's whole surface under a scenario. T epochs, P points (second-order nodes;
/// those on the trace of a fault stand there once per side), F faces.
struct SurfaceFields {
    std::vector<double> epochs_s;          ///< [T]
    std::vector<double> xyz_m;             ///< [P][3] model frame: x, y, z up
    std::vector<double> lon_deg, lat_deg;  ///< [P]; none where the model has no projection
    std::vector<std::int32_t> faces;       ///< [F][6] points: three vertices, middles of 01, 12, 20
    std::vector<float> displacement_m;     ///< [T][P][3] true east, true north, up; cumulative

    [[nodiscard]] std::size_t n_points() const { return xyz_m.size() / 3; }
    [[nodiscard]] std::size_t n_faces() const { return faces.size() / 6; }
};

/// Snapshots of the whole model under a scenario, in the model frame: x east, y north of its grid
/// (true east and north at the region's centre), z up. Tension positive; shear strains are tensor
/// components; all fields are changes since before the first event. S epochs, P points (vertices;
/// those on a fault stand there once per side), E tetrahedra.
struct VolumeDataset {
    /// Coulomb stress change on planes of one orientation: of every element, or at a place.
    struct Receiver {
        std::string name;
        double strike_deg = 0.0, dip_deg = 0.0, rake_deg = 0.0;  ///< strike from true north
        double friction = 0.4, skempton = 0.0;
        struct Place {
            double lon_deg = 0.0, lat_deg = 0.0, depth_m = 0.0;
            std::int64_t tet = 0;  ///< element whose stress it is
        };
        std::optional<Place> at = std::nullopt;
        std::vector<float> shear_pa = {}, normal_pa = {},
                           coulomb_pa = {};  ///< [S][E]; at a place [S]
        /// Estimated errors at a place [S], NaN where unknown; else none.
        std::vector<float> shear_error_pa = {}, normal_error_pa = {}, coulomb_error_pa = {};
    };
    std::vector<double> epochs_s;          ///< [S]
    std::vector<double> xyz_m;             ///< [P][3]
    std::vector<double> lon_deg, lat_deg;  ///< [P]; none where the model has no projection
    std::vector<std::int32_t> tets;        ///< [E][4] points
    std::vector<std::int32_t> material;    ///< [E] index into materials
    std::vector<std::string> materials;
    std::vector<float> displacement_m;     ///< [S][P][3]
    std::vector<float> strain, stress_pa;  ///< [S][E][6] xx yy zz xy yz xz
    std::vector<Receiver> receivers;

    [[nodiscard]] std::size_t n_points() const { return xyz_m.size() / 3; }
    [[nodiscard]] std::size_t n_tets() const { return tets.size() / 4; }
};

/// Groups of a dataset's file, for xarray as well (open_dataset(file, group="volume")):
///   surface/epoch(epoch)                           s
///   surface/xyz(point, axis)                       m, model frame; lon, lat(point) degrees
///   surface/faces(face, corner)                    points of second-order triangles
///   surface/displacement(epoch, point, component)  m: true east, true north, up
/// and
///   volume/epoch(epoch)                            s
///   volume/xyz(point, axis), lon, lat(point)       as above
///   volume/tets(tet, corner)                       points
///   volume/material(tet)                           index into material_name
///   volume/displacement(epoch, point, axis)        m, model frame
///   volume/strain, stress(epoch, tet, component)   1, Pa: xx yy zz xy yz xz
///   volume/receiver/<name>/{shear,normal,coulomb}(epoch, tet), at a place (epoch)   Pa
///   volume/receiver/<name>/{shear,normal,coulomb}_error(epoch)   Pa, at a place alone
/// with strike, dip, rake, friction and skempton of a receiver as attributes of `coulomb`, at a
/// place also lon, lat, depth and tet; volume/receiver_name lists them. Fields are float32, chunked
/// by epoch. Throws InvalidArgument naming a field whose shape disagrees.
void write_surface(h5::File& file, const SurfaceFields& surface);
void write_volume(h5::File& file, const VolumeDataset& volume);
/// Reads the groups; nothing where the file has no such group.
[[nodiscard]] std::optional<SurfaceFields> read_surface(const h5::File& file);
[[nodiscard]] std::optional<VolumeDataset> read_volume(const h5::File& file);
/// Which of the groups surface and volume a dataset has.
[[nodiscard]] std::vector<std::string> names_of_field_groups(const std::string& dataset_path);

}  // namespace kaname::io

/// Names that the writer, the reader and Xdmf share.
namespace kaname::io::layout {

inline constexpr const char* kSurface = "surface";
inline constexpr const char* kVolume = "volume";
inline constexpr const char* kSnapshots = "snapshots";         ///< of waves
inline constexpr const char* kGround = "ground";               ///< of waves on tetrahedra
inline constexpr const char* kGivenSources = "given_sources";  ///< of a rupture
inline constexpr const char* kElements = "elements";           ///< of waves on tetrahedra
inline constexpr const char* kRupture = "rupture";             ///< of faults that ruptured
inline constexpr const char* kReceiverNames = "volume/receiver_name";

struct ReceiverField {
    const char* name;
    std::vector<float> VolumeDataset::Receiver::*values;
    const char* long_name;
};
inline constexpr std::array<ReceiverField, 3> kReceiverFields = {{
    {"shear", &VolumeDataset::Receiver::shear_pa,
     "shear stress change in the slip's direction, > 0 promotes slip"},
    {"normal", &VolumeDataset::Receiver::normal_pa, "normal stress change, > 0 unclamps"},
    {"coulomb", &VolumeDataset::Receiver::coulomb_pa, "Coulomb stress change"},
}};
/// At a place alone.
inline constexpr std::array<ReceiverField, 3> kReceiverErrors = {{
    {"shear_error", &VolumeDataset::Receiver::shear_error_pa, "estimated error of shear"},
    {"normal_error", &VolumeDataset::Receiver::normal_error_pa, "estimated error of normal"},
    {"coulomb_error", &VolumeDataset::Receiver::coulomb_error_pa, "estimated error of coulomb"},
}};

struct ReceiverNumber {
    const char* attribute;
    double VolumeDataset::Receiver::*value;
};
inline constexpr std::array<ReceiverNumber, 5> kReceiverNumbers = {{
    {"strike", &VolumeDataset::Receiver::strike_deg},
    {"dip", &VolumeDataset::Receiver::dip_deg},
    {"rake", &VolumeDataset::Receiver::rake_deg},
    {"friction", &VolumeDataset::Receiver::friction},
    {"skempton", &VolumeDataset::Receiver::skempton},
}};

[[nodiscard]] inline std::string in_group(const std::string& group, const std::string& name) {
    return group + "/" + name;
}
[[nodiscard]] inline std::string receiver_group(const std::string& name) {
    return in_group("volume/receiver", name);
}

}  // namespace kaname::io::layout
