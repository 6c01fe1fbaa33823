// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <numeric>

#include "solvers/base/error.hpp"
#include "solvers/io/field_groups.hpp"
#include "solvers/io/field_layout.hpp"

namespace kaname::io {
namespace {

using Text = std::string;
using Axes = std::vector<const char*>;

/// Variables of one group, whose axes are dimension scales of the group.
class GroupWriter {
public:
    GroupWriter(h5::File& file, Text group) : file_(file), group_(std::move(group)) {}

    template <class T>
    void dimension(const Text& name, std::span<const T> values, const Text& long_name) {
        const Text path = layout::in_group(group_, name);
        if constexpr (std::is_same_v<T, std::string>) {
            file_.write_strings(path, values);
        } else {
            file_.write<T>(path, values, {values.size()});
        }
        file_.make_scale(path);
        file_.set_attribute(path, "long_name", long_name);
        extents_[name] = values.size();
    }
    /// Points and elements count from 0.
    void count(const Text& name, std::size_t size, const Text& long_name) {
        std::vector<std::int32_t> index(size);
        std::iota(index.begin(), index.end(), 0);
        dimension<std::int32_t>(name, index, long_name);
    }
    template <class T>
    void variable(const Text& name, const Axes& axes, const std::vector<T>& values,
                  const Text& units, const Text& long_name) {
        const Text path = layout::in_group(group_, name);
        h5::Dims dims;
        for (const char* axis : axes) {
            dims.push_back(extents_.at(axis));
        }
        file_.write<T>(path, values, dims, chunk(axes, dims));
        for (unsigned axis = 0; axis < axes.size(); ++axis) {
            file_.attach_scale(path, axis, layout::in_group(group_, axes[axis]));
        }
        if (!units.empty()) {
            file_.set_attribute(path, "units", units);
        }
        file_.set_attribute(path, "long_name", long_name);
    }
    template <class Value>
    void attribute(const Text& of, const Text& name, const Value& value) {
        file_.set_attribute(layout::in_group(group_, of), name, value);
    }

private:
    /// Fields are read by epoch: about a megabyte of one in a chunk. Others are contiguous.
    static h5::Dims chunk(const Axes& axes, h5::Dims dims) {
        constexpr std::uint64_t kRows = 65536;
        if (Text(axes.front()) != "epoch" || axes.size() < 2) {
            return {};
        }
        dims[0] = 1;
        dims[1] = std::min(dims[1], kRows);
        return dims;
    }

    h5::File& file_;
    Text group_;
    std::map<Text, std::size_t> extents_;
};

void check_size(const h5::File& file, const char* field, std::size_t found, std::size_t expected) {
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
    check_size(file, (group + ".epochs_s").c_str(), fields.epochs_s.size(), fields.epochs_s.size());
    check_size(file, (group + ".xyz_m").c_str(), fields.xyz_m.size(), 3 * n);
    if (!fields.lon_deg.empty() || !fields.lat_deg.empty()) {
        check_size(file, (group + ".lon_deg").c_str(), fields.lon_deg.size(), n);
        check_size(file, (group + ".lat_deg").c_str(), fields.lat_deg.size(), n);
    }
    check_size(file, (group + ".displacement_m").c_str(), fields.displacement_m.size(),
               fields.epochs_s.size() * n * 3);
}

const std::vector<std::string> kAxes = {"x", "y", "z"};

/// Dimensions and variables that both groups have.
template <class Fields>
void write_places(GroupWriter& group, const Fields& fields) {
    group.template dimension<double>("epoch", fields.epochs_s, "time since the scenario began");
    group.attribute("epoch", "units", Text("s"));
    group.attribute("epoch", "axis", Text("T"));
    group.template dimension<std::string>("axis", kAxes,
                                          "axes of the model: grid east, grid north, up");
    group.count("point", fields.n_points(), "nodes; on a fault once for each of its sides");
    group.variable("xyz", {"point", "axis"}, fields.xyz_m, "m", "place in the model");
    if (!fields.lon_deg.empty()) {
        group.variable("lon", {"point"}, fields.lon_deg, "degrees_east", "longitude");
        group.variable("lat", {"point"}, fields.lat_deg, "degrees_north", "latitude");
    }
}

void write_receiver(h5::File& file, GroupWriter& group, const VolumeDataset& volume,
                    const VolumeDataset::Receiver& receiver) {
    const std::size_t n = volume.epochs_s.size() * (receiver.at ? 1 : volume.n_tets());
    const Text relative = "receiver/" + receiver.name;
    for (const layout::ReceiverField& field : layout::kReceiverFields) {
        const Text name = relative + "/" + field.name;
        check_size(file, name.c_str(), (receiver.*field.values).size(), n);
        group.variable(name, receiver.at ? Axes{"epoch"} : Axes{"epoch", "tet"},
                       receiver.*field.values, "Pa", field.long_name);
    }
    const Text coulomb = relative + "/coulomb";
    for (const layout::ReceiverNumber& number : layout::kReceiverNumbers) {
        group.attribute(coulomb, number.attribute, receiver.*number.value);
    }
    if (receiver.at) {
        group.attribute(coulomb, "lon", receiver.at->lon_deg);
        group.attribute(coulomb, "lat", receiver.at->lat_deg);
        group.attribute(coulomb, "depth", receiver.at->depth_m);
        group.attribute(coulomb, "tet", receiver.at->tet);
    }
}

}  // namespace

void write_surface(h5::File& file, const SurfaceFields& surface) {
    check_places(file, layout::kSurface, surface);
    check_size(file, "surface.faces", surface.faces.size(), 6 * surface.n_faces());
    GroupWriter group(file, layout::kSurface);
    write_places(group, surface);
    group.count("face", surface.n_faces(), "triangles of the surface");
    group.count("corner", 6, "vertices, then the middles of the edges 01, 12, 20");
    group.dimension<std::string>("component", std::vector<Text>{"east", "north", "up"},
                                 "true east, true north, up");
    group.variable("faces", {"face", "corner"}, surface.faces, "",
                   "points of second-order triangles");
    group.variable("displacement", {"epoch", "point", "component"}, surface.displacement_m, "m",
                   "displacement since before the first event");
}

void write_volume(h5::File& file, const VolumeDataset& volume) {
    const std::size_t tensors = volume.epochs_s.size() * volume.n_tets() * 6;
    check_places(file, layout::kVolume, volume);
    check_size(file, "volume.tets", volume.tets.size(), 4 * volume.n_tets());
    check_size(file, "volume.material", volume.material.size(), volume.n_tets());
    check_size(file, "volume.strain", volume.strain.size(), tensors);
    check_size(file, "volume.stress_pa", volume.stress_pa.size(), tensors);
    GroupWriter group(file, layout::kVolume);
    write_places(group, volume);
    group.count("tet", volume.n_tets(), "tetrahedra");
    group.count("corner", 4, "vertices of a tetrahedron");
    group.dimension<std::string>("component", std::vector<Text>{"xx", "yy", "zz", "xy", "yz", "xz"},
                                 "components of a symmetric tensor");
    group.dimension<std::string>("material_name", volume.materials, "materials");
    group.variable("tets", {"tet", "corner"}, volume.tets, "", "points of tetrahedra");
    group.variable("material", {"tet"}, volume.material, "", "index into material_name");
    group.variable("displacement", {"epoch", "point", "axis"}, volume.displacement_m, "m",
                   "displacement since before the first event, in the model's frame");
    group.variable("strain", {"epoch", "tet", "component"}, volume.strain, "1",
                   "strain change, extension positive, tensor components");
    group.variable("stress", {"epoch", "tet", "component"}, volume.stress_pa, "Pa",
                   "stress change, tension positive");
    std::vector<std::string> names;
    for (const VolumeDataset::Receiver& receiver : volume.receivers) {
        write_receiver(file, group, volume, receiver);
        names.push_back(receiver.name);
    }
    if (!names.empty()) {
        file.write_strings(layout::kReceiverNames, names);
    }
}

}  // namespace kaname::io
