// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/dataset/fields.hpp"

#include <algorithm>

#include "solvers/base/error.hpp"
#include "solvers/base/vec3.hpp"
#include "solvers/io/dataset/group_writer.hpp"

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

namespace {

using Text = std::string;
using Axes = GroupWriter::Axes;

/// Fields are read by epoch: about a megabyte of one in a chunk.
h5::Dims by_epoch(h5::Dims dims) {
    constexpr std::uint64_t kRows = 65536;
    dims[0] = 1;
    dims[1] = std::min(dims[1], kRows);
    return dims;
}

/// A field [epoch][...].
void write_field(GroupWriter& group, const Text& name, const Axes& axes,
                 const std::vector<float>& values, const Text& units, const Text& long_name) {
    group.variable(name, axes, values, units, long_name, by_epoch(group.dims(axes)));
}

void check_field_size(const h5::File& file, const char* field, std::size_t found,
                      std::size_t expected) {
    if (found != expected || expected == 0) {
        throw Error(ErrorCode::InvalidArgument,
                    file.path() + ": " + field + " has " + std::to_string(found) +
                        " values, must have " +
                        (expected == 0 ? "at least one" : std::to_string(expected)));
    }
}

template <class Fields>
void check_places(const h5::File& file, const Text& group, const Fields& fields) {
    const std::size_t n = fields.n_points();
    check_field_size(file, (group + ".epochs_s").c_str(), fields.epochs_s.size(),
                     fields.epochs_s.size());
    check_field_size(file, (group + ".xyz_m").c_str(), fields.xyz_m.size(), 3 * n);
    if (!fields.lon_deg.empty() || !fields.lat_deg.empty()) {
        check_field_size(file, (group + ".lon_deg").c_str(), fields.lon_deg.size(), n);
        check_field_size(file, (group + ".lat_deg").c_str(), fields.lat_deg.size(), n);
    }
    check_field_size(file, (group + ".displacement_m").c_str(), fields.displacement_m.size(),
                     fields.epochs_s.size() * n * 3);
}

const std::vector<std::string> kModelAxes = {"x", "y", "z"};
constexpr const char* kScenarioTime = "time since the scenario began";

/// Dimensions and variables that both groups have.
template <class Fields>
void write_field_points(GroupWriter& group, const Fields& fields) {
    group.epochs(fields.epochs_s, kScenarioTime);
    group.dimension<std::string>("axis", kModelAxes, {},
                                 "axes of the model: grid east, grid north, up");
    group.count("point", fields.n_points(), "nodes; on a fault once for each of its sides");
    group.variable("xyz", {"point", "axis"}, fields.xyz_m, "m", "place in the model");
    if (!fields.lon_deg.empty()) {
        group.variable("lon", {"point"}, fields.lon_deg, "degrees_east", "longitude");
        group.variable("lat", {"point"}, fields.lat_deg, "degrees_north", "latitude");
    }
}

void write_receiver(h5::File& file, const GroupWriter& group_of_volume, const VolumeDataset& volume,
                    const VolumeDataset::Receiver& receiver) {
    const std::size_t n = volume.epochs_s.size() * (receiver.at ? 1 : volume.n_tets());
    GroupWriter group = group_of_volume.inside("receiver/" + receiver.name);
    group.epochs(volume.epochs_s, kScenarioTime);
    for (const layout::ReceiverField& field : layout::kReceiverFields) {
        check_field_size(file, group.path_of(field.name).c_str(), (receiver.*field.values).size(),
                         n);
        if (receiver.at) {
            group.variable(field.name, {"epoch"}, receiver.*field.values, "Pa", field.long_name);
        } else {
            write_field(group, field.name, {"epoch", "tet"}, receiver.*field.values, "Pa",
                        field.long_name);
        }
    }
    for (const layout::ReceiverField& field : layout::kReceiverErrors) {
        const std::vector<float>& errors = receiver.*field.values;
        if (receiver.at && !errors.empty()) {
            check_field_size(file, group.path_of(field.name).c_str(), errors.size(), n);
            group.variable(field.name, {"epoch"}, errors, "Pa", field.long_name);
        }
    }
    for (const layout::ReceiverNumber& number : layout::kReceiverNumbers) {
        group.attribute("coulomb", number.attribute, receiver.*number.value);
    }
    if (receiver.at) {
        group.attribute("coulomb", "lon", receiver.at->lon_deg);
        group.attribute("coulomb", "lat", receiver.at->lat_deg);
        group.attribute("coulomb", "depth", receiver.at->depth_m);
        group.attribute("coulomb", "tet", receiver.at->tet);
    }
}

}  // namespace

void write_surface(h5::File& file, const SurfaceFields& surface) {
    check_places(file, layout::kSurface, surface);
    check_field_size(file, "surface.faces", surface.faces.size(), 6 * surface.n_faces());
    GroupWriter group(file, layout::kSurface);
    write_field_points(group, surface);
    group.count("face", surface.n_faces(), "triangles of the surface");
    group.count("corner", 6, "vertices, then the middles of the edges 01, 12, 20");
    group.dimension<std::string>("component",
                                 std::vector<Text>{kDirections.begin(), kDirections.end()}, {},
                                 "true east, true north, up");
    group.variable("faces", {"face", "corner"}, surface.faces, "1",
                   "points of second-order triangles");
    write_field(group, "displacement", {"epoch", "point", "component"}, surface.displacement_m, "m",
                "displacement since before the first event");
}

void write_volume(h5::File& file, const VolumeDataset& volume) {
    const std::size_t tensors = volume.epochs_s.size() * volume.n_tets() * 6;
    check_places(file, layout::kVolume, volume);
    check_field_size(file, "volume.tets", volume.tets.size(), 4 * volume.n_tets());
    check_field_size(file, "volume.material", volume.material.size(), volume.n_tets());
    check_field_size(file, "volume.strain", volume.strain.size(), tensors);
    check_field_size(file, "volume.stress_pa", volume.stress_pa.size(), tensors);
    GroupWriter group(file, layout::kVolume);
    write_field_points(group, volume);
    group.count("tet", volume.n_tets(), "tetrahedra");
    group.count("corner", 4, "vertices of a tetrahedron");
    group.dimension<std::string>("component", std::vector<Text>{"xx", "yy", "zz", "xy", "yz", "xz"},
                                 {}, "components of a symmetric tensor");
    group.dimension<std::string>("material_name", volume.materials, {}, "materials");
    group.variable("tets", {"tet", "corner"}, volume.tets, "1", "points of tetrahedra");
    group.variable("material", {"tet"}, volume.material, "1", "index into material_name");
    write_field(group, "displacement", {"epoch", "point", "axis"}, volume.displacement_m, "m",
                "displacement since before the first event, in the model's frame");
    write_field(group, "strain", {"epoch", "tet", "component"}, volume.strain, "1",
                "strain change, extension positive, tensor components");
    write_field(group, "stress", {"epoch", "tet", "component"}, volume.stress_pa, "Pa",
                "stress change, tension positive");
    std::vector<std::string> names;
    for (const VolumeDataset::Receiver& receiver : volume.receivers) {
        write_receiver(file, group, volume, receiver);
        names.push_back(receiver.name);
    }
    if (!names.empty()) {
        group.count("receivers", names.size(), "receivers of Coulomb stress");
        group.text("receiver_name", "receivers", names, "group of a receiver, in receiver");
    }
}

}  // namespace kaname::io
