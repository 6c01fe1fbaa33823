// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/export/xdmf.hpp"

#include <cstdio>
#include <filesystem>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/io/dataset/field_layout.hpp"
#include "solvers/io/export/xml_text.hpp"

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

std::string seconds(double value) {
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
        const h5::Dims dims = file_.dims(name);
        h5::Dims rest(dims.begin() + 1, dims.end());
        h5::Dims start(dims.size(), 0);
        h5::Dims count = dims;
        start[0] = epoch;
        count[0] = 1;
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

/// One grid whose fields change; `fields(epoch)` gives its attributes.
template <class Fields>
std::string in_time(const h5::File& file, const std::string& group, const std::string& mesh,
                    const Fields& fields) {
    std::string text =
        "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n    <Grid Name=\"" + group +
        "\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
    const auto epochs_s = file.read<double>(in_group(group, "epoch"), {0});
    for (std::size_t epoch = 0; epoch < epochs_s.size(); ++epoch) {
        text += "      <Grid Name=\"" + group + "\" GridType=\"Uniform\">\n        <Time Value=\"" +
                seconds(epochs_s[epoch]) + "\"/>\n" + mesh + fields(epoch) + "      </Grid>\n";
    }
    return text + "    </Grid>\n  </Domain>\n</Xdmf>\n";
}

std::string mesh_of(const Arrays& arrays, const std::string& group, const char* type,
                    const char* elements, std::uint64_t n_elements) {
    return std::string("        <Topology TopologyType=\"") + type + "\" NumberOfElements=\"" +
           std::to_string(n_elements) + "\">" +
           arrays.whole(in_group(group, elements), Number::Int32) +
           "</Topology>\n        <Geometry GeometryType=\"XYZ\">" +
           arrays.whole(in_group(group, "xyz"), Number::Float64) + "</Geometry>\n";
}

}  // namespace

std::string surface_xdmf(const h5::File& file, const std::string& data_file) {
    const Arrays arrays(file, data_file);
    const std::string group = layout::kSurface;
    const std::string mesh =
        mesh_of(arrays, group, "Triangle_6", "faces", file.dims(in_group(group, "faces")).at(0));
    return in_time(file, group, mesh, [&](std::size_t epoch) {
        return attribute("displacement_m", "Vector", "Node",
                         arrays.at_epoch(in_group(group, "displacement"), epoch));
    });
}

std::string volume_xdmf(const h5::File& file, const std::string& data_file) {
    const Arrays arrays(file, data_file);
    const std::string group = layout::kVolume;
    const std::string mesh =
        mesh_of(arrays, group, "Tetrahedron", "tets", file.dims(in_group(group, "tets")).at(0));
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
                    text += attribute(std::string(field.name) + "_pa_" + receiver, "Scalar", "Cell",
                                      arrays.at_epoch(name, epoch));
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
    if (written.empty()) {
        throw Error(ErrorCode::NotFound,
                    dataset_path +
                        ": has no fields to show: neither a group surface nor volume, "
                        "which datasets of a Scenario have");
    }
    return written;
}

}  // namespace kaname::io
