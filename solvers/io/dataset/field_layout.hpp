// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>

#include "solvers/io/dataset/field_groups.hpp"

/// Names that the writer, the reader and Xdmf share.
namespace kaname::io::layout {

inline constexpr const char* kSurface = "surface";
inline constexpr const char* kVolume = "volume";
inline constexpr const char* kSnapshots = "snapshots";  ///< of waves
inline constexpr const char* kGround = "ground";        ///< of waves on tetrahedra
inline constexpr const char* kElements = "elements";    ///< of waves on tetrahedra
inline constexpr const char* kRupture = "rupture";      ///< of faults that ruptured
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
