// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/dataset/field_groups.hpp"
#include "solvers/io/dataset/field_layout.hpp"

namespace kaname::io {
namespace {

using layout::in_group;

template <class Fields>
void read_places(const h5::File& file, const std::string& group, Fields& fields) {
    fields.epochs_s = file.read<double>(in_group(group, "epoch"), {h5::kAny});
    fields.xyz_m = file.read<double>(in_group(group, "xyz"), {h5::kAny, 3});
    const std::uint64_t n = fields.n_points();
    if (file.has(in_group(group, "lon"))) {
        fields.lon_deg = file.read<double>(in_group(group, "lon"), {n});
        fields.lat_deg = file.read<double>(in_group(group, "lat"), {n});
    }
    fields.displacement_m =
        file.read<float>(in_group(group, "displacement"), {fields.epochs_s.size(), n, 3});
}

VolumeDataset::Receiver read_receiver(const h5::File& file, const VolumeDataset& volume,
                                      const std::string& name) {
    VolumeDataset::Receiver receiver;
    receiver.name = name;
    const std::string group = layout::receiver_group(name);
    const std::string coulomb = in_group(group, "coulomb");
    for (const layout::ReceiverNumber& number : layout::kReceiverNumbers) {
        receiver.*number.value = file.double_attribute(coulomb, number.attribute);
    }
    h5::Dims shape = {volume.epochs_s.size(), volume.n_tets()};
    if (file.has_attribute(coulomb, "tet")) {
        receiver.at = {file.double_attribute(coulomb, "lon"), file.double_attribute(coulomb, "lat"),
                       file.double_attribute(coulomb, "depth"), file.int_attribute(coulomb, "tet")};
        shape.pop_back();
    }
    for (const layout::ReceiverField& field : layout::kReceiverFields) {
        receiver.*field.values = file.read<float>(in_group(group, field.name), shape);
    }
    for (const layout::ReceiverField& field : layout::kReceiverErrors) {
        if (const std::string name_of = in_group(group, field.name); file.has(name_of)) {
            receiver.*field.values = file.read<float>(name_of, shape);
        }
    }
    return receiver;
}

}  // namespace

std::optional<SurfaceFields> read_surface(const h5::File& file) {
    if (!file.has(layout::kSurface)) {
        return std::nullopt;
    }
    SurfaceFields surface;
    read_places(file, layout::kSurface, surface);
    surface.faces = file.read<std::int32_t>(in_group(layout::kSurface, "faces"), {h5::kAny, 6});
    return surface;
}

std::optional<VolumeDataset> read_volume(const h5::File& file) {
    if (!file.has(layout::kVolume)) {
        return std::nullopt;
    }
    VolumeDataset volume;
    const auto name = [](const char* field) { return in_group(layout::kVolume, field); };
    read_places(file, layout::kVolume, volume);
    volume.tets = file.read<std::int32_t>(name("tets"), {h5::kAny, 4});
    const h5::Dims tensors = {volume.epochs_s.size(), volume.n_tets(), 6};
    volume.material = file.read<std::int32_t>(name("material"), {volume.n_tets()});
    volume.materials = file.read_strings(name("material_name"));
    volume.strain = file.read<float>(name("strain"), tensors);
    volume.stress_pa = file.read<float>(name("stress"), tensors);
    if (file.has(layout::kReceiverNames)) {
        for (const std::string& receiver : file.read_strings(layout::kReceiverNames)) {
            volume.receivers.push_back(read_receiver(file, volume, receiver));
        }
    }
    return volume;
}

std::vector<std::string> names_of_field_groups(const std::string& dataset_path) {
    const h5::File file(dataset_path, h5::File::Mode::Read);
    std::vector<std::string> names;
    for (const char* group : {layout::kSurface, layout::kVolume}) {
        if (file.has(group)) {
            names.emplace_back(group);
        }
    }
    return names;
}

}  // namespace kaname::io
