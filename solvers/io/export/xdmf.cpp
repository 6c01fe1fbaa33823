// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/export/xdmf.hpp"

#include <array>
#include <cstdio>
#include <filesystem>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/io/dataset/fields.hpp"
#include "solvers/io/dataset/wave_datasets.hpp"
#include "solvers/io/export/binary_file.hpp"

namespace kaname::io {
namespace {

using layout::in_group;

std::string spaced(const h5::Dims& dims) {
    std::string text;
    for (const std::uint64_t extent : dims) {
        text += (text.empty() ? "" : " ") + std::to_string(extent);
    }
    return text;
}

[[noreturn]] void refuse_array(const h5::File& file, const std::string& name, const char* rule) {
    throw Error(ErrorCode::InvalidArgument, file.path() + ": '" + name + "' " + rule);
}

/// Returns the length of the array's first axis. Throws InvalidArgument if it has no axis.
std::uint64_t extent_of(const h5::File& file, const std::string& name) {
    const h5::Dims dims = file.dims(name);
    if (dims.empty()) {
        refuse_array(file, name, "must have an axis");
    }
    return dims[0];
}

std::string all_digits(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}

// Readers disagree about the order of Tensor6: of Matrix none touches it, and ParaView names six
// components XX, YY, ZZ, XY, YZ, XZ.
constexpr const char* kTensor = "Matrix";

enum class Number { Int32, Float32, Float64 };

/// Elements of Xdmf about the arrays of one dataset.
class Arrays {
public:
    Arrays(const h5::File& file, const std::string& data_file)
        : file_(file), data_file_(xml_escaped(data_file)) {}

    /// The whole array.
    [[nodiscard]] std::string whole(const std::string& name, Number number) const {
        return item(name, number, file_.dims(name));
    }
    /// Index `epoch` of the first axis.
    [[nodiscard]] std::string at_epoch(const std::string& name, std::size_t epoch) const {
        return at(name, {epoch});
    }
    /// These indices of the first axes.
    [[nodiscard]] std::string at(const std::string& name, const h5::Dims& first) const {
        const h5::Dims dims = file_.dims(name);
        for (std::size_t axis = 0; axis < first.size(); ++axis) {
            if (axis >= dims.size() || first[axis] >= dims[axis]) {
                refuse_array(file_, name, "must have a value at every source and time");
            }
        }
        h5::Dims rest(dims.begin() + static_cast<std::ptrdiff_t>(first.size()), dims.end());
        h5::Dims start(dims.size(), 0);
        h5::Dims count = dims;
        for (std::size_t axis = 0; axis < first.size(); ++axis) {
            start[axis] = first[axis];
            count[axis] = 1;
        }
        return "<DataItem ItemType=\"HyperSlab\" Dimensions=\"" + spaced(rest) +
               "\"><DataItem Dimensions=\"3 " + std::to_string(dims.size()) +
               "\" NumberType=\"Int\" Format=\"XML\">" + spaced(start) + " " +
               spaced(h5::Dims(dims.size(), 1)) + " " + spaced(count) + "</DataItem>" +
               item(name, Number::Float32, dims) + "</DataItem>";
    }

private:
    [[nodiscard]] std::string item(const std::string& name, Number number,
                                   const h5::Dims& dims) const {
        return "<DataItem Dimensions=\"" + spaced(dims) + "\" NumberType=\"" +
               (number == Number::Int32 ? "Int" : "Float") + "\" Precision=\"" +
               (number == Number::Float64 ? "8" : "4") + "\" Format=\"HDF\">" + data_file_ + ":/" +
               name + "</DataItem>";
    }

    const h5::File& file_;
    std::string data_file_;
};

std::string attribute(const std::string& name, const char* type, const char* centre,
                      const std::string& item) {
    return "        <Attribute Name=\"" + name + "\" AttributeType=\"" + type + "\" Center=\"" +
           centre + "\">" + item + "</Attribute>\n";
}

std::string document(const std::string& grids) {
    return "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n" + grids +
           "  </Domain>\n</Xdmf>\n";
}

/// One grid whose fields change; `fields(k)` gives its attributes at times_s[k].
template <class Fields>
std::string collection(const std::string& name, const std::vector<double>& times_s,
                       const std::string& mesh, const Fields& fields) {
    const std::string grid = "<Grid Name=\"" + xml_escaped(name) + "\" GridType=";
    std::string text = "    " + grid + "\"Collection\" CollectionType=\"Temporal\">\n";
    for (std::size_t k = 0; k < times_s.size(); ++k) {
        text += "      " + grid + "\"Uniform\">\n        <Time Value=\"" + all_digits(times_s[k]) +
                "\"/>\n" + mesh + fields(k) + "      </Grid>\n";
    }
    return text + "    </Grid>\n";
}

template <class Fields>
std::string in_time(const h5::File& file, const std::string& group, const std::string& mesh,
                    const Fields& fields) {
    return document(
        collection(group, file.read<double>(in_group(group, "epoch"), {h5::kAny}), mesh, fields));
}

std::string mesh_of(const Arrays& arrays, const std::string& group, const char* type,
                    const char* elements, std::uint64_t n_elements) {
    return std::string("        <Topology TopologyType=\"") + type + "\" NumberOfElements=\"" +
           std::to_string(n_elements) + "\">" +
           arrays.whole(in_group(group, elements), Number::Int32) +
           "</Topology>\n        <Geometry GeometryType=\"XYZ\">" +
           arrays.whole(in_group(group, "xyz"), Number::Float64) + "</Geometry>\n";
}

/// Nodes at equal distances, named z, y, x as the arrays have them.
std::string regular_grid(const h5::File& file, const std::string& group) {
    constexpr std::array<const char*, 3> kAxes = {"z", "y", "x"};
    std::string extents, origin, spacing;
    for (const char* axis : kAxes) {
        const auto places = file.read<double>(in_group(group, axis), {h5::kAny});
        if (places.empty()) {
            refuse_array(file, in_group(group, axis), "must not be empty");
        }
        const char* const blank = extents.empty() ? "" : " ";
        extents += blank + std::to_string(places.size());
        origin += blank + all_digits(places[0]);
        const double step = places.size() > 1
                                ? (places.back() - places[0]) / double(places.size() - 1)
                                : file.double_attribute("/", "voxel_size");
        spacing += blank + all_digits(step);
    }
    const auto three = [](const std::string& numbers) {
        return "<DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">" +
               numbers + "</DataItem>";
    };
    return "        <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"" + extents +
           "\"/>\n        <Geometry GeometryType=\"ORIGIN_DXDYDZ\">" + three(origin) +
           three(spacing) + "</Geometry>\n";
}

/// One collection in time for each source that is done; attributes(source, k) of its time k.
template <class Attributes>
std::string of_done_sources(const h5::File& file, const std::vector<double>& times_s,
                            const std::string& mesh, const Attributes& attributes) {
    const std::vector<std::string> sources = file.read_strings("source");
    const auto status = file.read<std::int8_t>("status", {sources.size()});
    std::string grids;
    for (std::size_t source = 0; source < sources.size(); ++source) {
        if (status[source] == 1) {
            grids += collection(sources[source], times_s, mesh,
                                [&](std::size_t k) { return attributes(source, k); });
        }
    }
    return document(grids);
}

}  // namespace

std::string snapshots_xdmf(const h5::File& file, const std::string& data_file) {
    const Arrays arrays(file, data_file);
    const std::string group = layout::kSnapshots;
    const auto times_s = file.read<double>(in_group(group, "snapshot"), {h5::kAny});
    const std::string mesh = regular_grid(file, group);
    return of_done_sources(file, times_s, mesh, [&](std::size_t source, std::size_t k) {
        return attribute("displacement_m", "Vector", "Node",
                         arrays.at(in_group(group, "displacement"), {source, k}));
    });
}

std::string ground_xdmf(const h5::File& file, const std::string& data_file) {
    const Arrays arrays(file, data_file);
    const std::string group = layout::kGround;
    const std::string peak = in_group(group, "peak_velocity"),
                      velocity = in_group(group, "velocity");
    const std::string mesh = mesh_of(arrays, group, "Triangle", "triangles",
                                     extent_of(file, in_group(group, "triangles")));
    const std::vector<double> times_s =
        file.has(velocity) ? file.read<double>(in_group(group, "snapshot"), {h5::kAny})
                           : std::vector<double>{0.0};
    return of_done_sources(file, times_s, mesh, [&](std::size_t source, std::size_t k) {
        std::string text;
        if (file.has(peak)) {
            text += attribute("peak_velocity_m_per_s", "Matrix", "Cell", arrays.at(peak, {source}));
        }
        if (file.has(velocity)) {
            text +=
                attribute("velocity_m_per_s", "Vector", "Cell", arrays.at(velocity, {source, k}));
        }
        return text;
    });
}

std::string elements_xdmf(const h5::File& file, const std::string& data_file) {
    const Arrays arrays(file, data_file);
    const std::string group = layout::kElements;
    const std::string mesh =
        mesh_of(arrays, group, "Tetrahedron", "tets", extent_of(file, in_group(group, "tets")));
    const auto times_s = file.read<double>(in_group(group, "snapshot"), {h5::kAny});
    return of_done_sources(file, times_s, mesh, [&](std::size_t source, std::size_t k) {
        return attribute("velocity_m_per_s", "Vector", "Cell",
                         arrays.at(in_group(group, "velocity"), {source, k}));
    });
}

std::string rupture_xdmf(const h5::File& file, const std::string& data_file) {
    const Arrays arrays(file, data_file);
    const std::string group = layout::kRupture, rate = in_group(group, "slip_rate");
    const std::string mesh = mesh_of(arrays, group, "Triangle", "triangles",
                                     extent_of(file, in_group(group, "triangles")));
    const std::vector<double> times_s =
        file.has(rate) ? file.read<double>(in_group(group, "snapshot"), {h5::kAny})
                       : std::vector<double>{0.0};
    std::string fields =
        attribute("fault", "Scalar", "Cell", arrays.whole(in_group(group, "fault"), Number::Int32));
    for (const auto& [name, unit, text] : RuptureDataset::kFields) {
        fields +=
            attribute(name, "Scalar", "Cell", arrays.whole(in_group(group, name), Number::Float32));
    }
    return document(collection("rupture", times_s, mesh, [&](std::size_t k) {
        return fields + (file.has(rate) ? attribute("slip_rate_m_per_s", "Matrix", "Cell",
                                                    arrays.at_epoch(rate, k))
                                        : std::string());
    }));
}

std::string surface_xdmf(const h5::File& file, const std::string& data_file) {
    const Arrays arrays(file, data_file);
    const std::string group = layout::kSurface;
    const std::string mesh =
        mesh_of(arrays, group, "Triangle_6", "faces", extent_of(file, in_group(group, "faces")));
    return in_time(file, group, mesh, [&](std::size_t epoch) {
        return attribute("displacement_m", "Vector", "Node",
                         arrays.at_epoch(in_group(group, "displacement"), epoch));
    });
}

std::string volume_xdmf(const h5::File& file, const std::string& data_file) {
    const Arrays arrays(file, data_file);
    const std::string group = layout::kVolume;
    const std::string mesh =
        mesh_of(arrays, group, "Tetrahedron", "tets", extent_of(file, in_group(group, "tets")));
    std::vector<std::string> receivers;
    if (file.has(layout::kReceiverNames)) {
        receivers = file.read_strings(layout::kReceiverNames);
    }
    return in_time(file, group, mesh, [&](std::size_t epoch) {
        std::string text = attribute("material", "Scalar", "Cell",
                                     arrays.whole(in_group(group, "material"), Number::Int32));
        text += attribute("displacement_m", "Vector", "Node",
                          arrays.at_epoch(in_group(group, "displacement"), epoch));
        text +=
            attribute("strain", kTensor, "Cell", arrays.at_epoch(in_group(group, "strain"), epoch));
        text += attribute("stress_pa", kTensor, "Cell",
                          arrays.at_epoch(in_group(group, "stress"), epoch));
        for (const std::string& receiver : receivers) {
            for (const layout::ReceiverField& field : layout::kReceiverFields) {
                const std::string name = in_group(layout::receiver_group(receiver), field.name);
                if (file.dims(name).size() == 2) {  // not at a place
                    text += attribute(std::string(field.name) + "_pa_" + xml_escaped(receiver),
                                      "Scalar", "Cell", arrays.at_epoch(name, epoch));
                }
            }
        }
        return text;
    });
}

std::vector<std::string> write_xdmf(const std::string& dataset_path) {
    const h5::File file(dataset_path, h5::File::Mode::Read);
    const std::filesystem::path path(dataset_path);
    std::vector<std::string> written;
    const auto write = [&](const char* group, const auto& xdmf) {
        if (file.has(group)) {
            const auto to = path.parent_path() / (path.stem().string() + "_" + group + ".xdmf");
            write_file(to, xdmf(file, path.filename().string()));
            written.push_back(to.string());
        }
    };
    write(layout::kSurface, surface_xdmf);
    write(layout::kVolume, volume_xdmf);
    write(layout::kSnapshots, snapshots_xdmf);
    write(layout::kGround, ground_xdmf);
    write(layout::kElements, elements_xdmf);
    write(layout::kRupture, rupture_xdmf);
    if (written.empty()) {
        throw Error(
            ErrorCode::NotFound,
            dataset_path +
                ": has no fields to show: neither a group surface nor volume, which "
                "datasets of a Scenario have, nor snapshots or ground of waves, nor a rupture");
    }
    return written;
}

}  // namespace kaname::io
