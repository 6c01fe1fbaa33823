// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/dataset/campaign_index.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>

#include "solvers/base/error.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/dataset/group_writer.hpp"

namespace kaname::io {
namespace {

namespace fs = std::filesystem;
using Text = std::string;
using Axis = CampaignIndexInput::Axis;
using Member = CampaignIndexInput::Member;

/// A dimension of the members: an axis, or those that vary together.
struct Dimension {
    Text name;
    std::vector<std::size_t> axes;
    std::size_t size = 0;
};

std::vector<Dimension> dimensions_of(const std::vector<Axis>& axes) {
    std::vector<Dimension> found;
    std::map<Text, std::size_t> along;
    for (std::size_t k = 0; k < axes.size(); ++k) {
        if (!axes[k].along.empty()) {
            const auto [at, fresh] = along.try_emplace(axes[k].along, found.size());
            if (!fresh) {
                found[at->second].axes.push_back(k);
                continue;
            }
        }
        found.push_back(
            {axes[k].along.empty() ? axes[k].name : axes[k].along, {k}, axes[k].values.size()});
    }
    return found;
}

/// Where a member stands, one index per dimension.
h5::Dims place_of(const Member& member, const std::vector<Axis>& axes,
                  const std::vector<Dimension>& dimensions) {
    h5::Dims place;
    for (const Dimension& dimension : dimensions) {
        std::size_t index = dimension.size;
        for (std::size_t value = 0; value < dimension.size && index == dimension.size; ++value) {
            const bool is_here = std::ranges::all_of(dimension.axes, [&](std::size_t axis) {
                return axis < member.values.size() && value < axes[axis].values.size() &&
                       axes[axis].values[value] == member.values[axis];
            });
            index = is_here ? value : index;
        }
        if (index == dimension.size) {
            throw Error(ErrorCode::InvalidArgument,
                        "member " + member.label +
                            " must have values of the axes; it has none of " + dimension.name);
        }
        place.push_back(index);
    }
    return place;
}

std::optional<std::vector<double>> numbers(const std::vector<Text>& values) {
    std::vector<double> found;
    for (const Text& value : values) {
        double number = 0.0;
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), number);
        if (error != std::errc() || end != value.data() + value.size()) {
            return std::nullopt;
        }
        found.push_back(number);
    }
    return found;
}

void write_axis(GroupWriter& root, const Axis& axis) {
    const Text what = "what varies: " + axis.name;
    const auto found = numbers(axis.values);
    const Text unit = axis.unit.empty() ? "1" : axis.unit;
    if (!axis.along.empty()) {
        if (found) {
            root.variable<double>(axis.name, {axis.along.c_str()}, *found, unit, what);
        } else {
            root.text(axis.name, axis.along.c_str(), axis.values, what);
        }
    } else if (found) {
        root.dimension<double>(axis.name, *found, unit, what);
    } else {
        root.dimension<Text>(axis.name, axis.values, {}, what);
    }
}

/// Holds the axes that datasets must agree on to be joined in one array.
struct Shape {
    h5::Dims dims;
    std::vector<Text> source, station;
    std::vector<double> epoch;
    Text units;
};

Shape shape_of(const Text& path) {
    const h5::File file(path, h5::File::Mode::Read);
    if (!file.has("greens")) {
        return {};
    }
    return {file.dims("greens"), file.read_strings("source"), file.read_strings("station"),
            file.read<double>("epoch"), file.string_attribute("greens", "units")};
}

/// Why `other` cannot stand beside `first`; empty: it can.
Text difference(const Shape& first, const Shape& other) {
    const auto differ = [](const char* what) { return Text("datasets differ in ") + what; };
    if (other.dims.empty()) {
        return "datasets are no Green's functions";
    }
    if (first.source != other.source) {
        return differ("sources");
    }
    if (first.epoch != other.epoch) {
        return differ("epochs");
    }
    if (first.station != other.station) {
        return differ("stations");
    }
    return first.units != other.units ? differ("units") : "";
}

class Index {
public:
    Index(Text path, const CampaignIndexInput& input)
        : path_(std::move(path)), input_(input), dimensions_(dimensions_of(input.axes)) {
        std::size_t size = 1;
        for (const Dimension& dimension : dimensions_) {
            size *= dimension.size;
            extents_.push_back(dimension.size);
            axes_.push_back(dimension.name.c_str());
        }
        member_at_.resize(size, nullptr);
        for (const Member& member : input.members) {
            member_at_[flat(place_of(member, input.axes, dimensions_))] = &member;
        }
        look_at_files();
    }

    CampaignIndexSummary write() {
        h5::write_atomically(path_, [&](h5::File& file) {
            GroupWriter root(file);
            write_about(file, input_.title.empty() ? input_.name : input_.title,
                        input_.kaname_version, "datasets of the campaign's members listed");
            file.set_attribute("/", "campaign", input_.name);
            for (const Dimension& dimension : dimensions_) {
                if (!input_.axes[dimension.axes.front()].along.empty()) {
                    root.bare_dimension(dimension.name, dimension.size);
                }
            }
            for (const Axis& axis : input_.axes) {
                write_axis(root, axis);
            }
            write_members(file, root);
            if (summary_.greens) {
                write_greens(file, root);
            }
        });
        summary_.places = member_at_.size();
        for (const Dimension& dimension : dimensions_) {
            summary_.dimensions.push_back(dimension.name);
        }
        return summary_;
    }

private:
    [[nodiscard]] std::size_t flat(const h5::Dims& place) const {
        std::size_t index = 0;
        for (std::size_t k = 0; k < place.size(); ++k) {
            index = index * extents_[k] + place[k];
        }
        return index;
    }

    void look_at_files() {
        for (const Member* member : member_at_) {
            if (member == nullptr || member->file.empty()) {
                continue;
            }
            const fs::path file = fs::path(path_).parent_path() / member->file;
            const Shape shape = shape_of(file.string());
            if (summary_.files++ == 0) {
                shape_ = shape;
            }
            if (summary_.why.empty()) {
                summary_.why = difference(shape_, shape);
                summary_.why += summary_.why.empty() ? "" : " (" + member->label + ")";
            }
        }
        if (summary_.files == 0) {
            summary_.why = "no member has a dataset";
        }
        summary_.greens = summary_.why.empty();
    }

    void write_text(h5::File& file, const char* name, const char* what, Text Member::*text) const {
        std::vector<Text> values(member_at_.size());
        for (std::size_t k = 0; k < values.size(); ++k) {
            values[k] = member_at_[k] != nullptr ? member_at_[k]->*text : Text();
        }
        file.write_strings(name, values, extents_);
        for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
            file.attach_scale(name, static_cast<unsigned>(axis), axes_[axis]);
        }
        file.set_attribute(name, "long_name", Text(what));
    }

    void write_members(h5::File& file, GroupWriter& root) const {
        std::vector<std::int8_t> states(member_at_.size(), 0), flags;
        for (std::size_t k = 0; k < states.size(); ++k) {
            states[k] = member_at_[k] != nullptr ? member_at_[k]->state : std::int8_t{0};
        }
        root.variable<std::int8_t>("state", axes_, states, "1", "state of the member");
        const auto n_flags = 1 + std::ranges::count(input_.states, ' ');
        for (std::int8_t flag = 0; flag < n_flags; ++flag) {
            flags.push_back(flag);
        }
        root.flags("state", flags, input_.states);
        write_text(file, "label", "name of the member", &Member::label);
        write_text(file, "job", "job that computes the member", &Member::job);
        write_text(file, "file", "dataset of the member, beside this file", &Member::file);
        write_text(file, "sha256", "SHA-256 of the dataset", &Member::sha256);
        write_text(file, "error", "why the member failed", &Member::error);
    }

    void write_greens(h5::File& file, GroupWriter& root) const {
        root.dimension<Text>("source", shape_.source, {}, "unit source: patch and slip component");
        root.epochs(shape_.epoch, "time since slip");
        root.dimension<Text>("station", shape_.station, {}, "station");
        const std::vector<Text> component = {"east", "north", "up"};
        root.dimension<Text>("component", component, {}, "direction");
        h5::Dims dims = extents_;
        dims.insert(dims.end(), shape_.dims.begin(), shape_.dims.end());
        std::vector<h5::VirtualPart> parts;
        for (std::size_t k = 0; k < member_at_.size(); ++k) {
            if (member_at_[k] == nullptr || member_at_[k]->file.empty()) {
                continue;
            }
            h5::Dims start(dims.size(), 0);
            std::size_t rest = k;
            for (std::size_t axis = extents_.size(); axis-- > 0;) {
                start[axis] = rest % extents_[axis];
                rest /= extents_[axis];
            }
            parts.push_back({member_at_[k]->file, "greens", std::move(start)});
        }
        file.write_virtual("greens", dims, shape_.dims, parts);
        unsigned axis = 0;
        for (const char* name : axes_) {
            file.attach_scale("greens", axis++, name);
        }
        for (const char* name : {"source", "epoch", "station", "component"}) {
            file.attach_scale("greens", axis++, name);
        }
        file.set_attribute("greens", "units", shape_.units);
        file.set_attribute("greens", "long_name", Text("displacement of all members"));
        file.set_attribute("greens", "_FillValue", std::numeric_limits<double>::quiet_NaN());
        Text coordinates;
        for (const Axis& along : input_.axes) {
            coordinates += along.along.empty() ? "" : (coordinates.empty() ? "" : " ") + along.name;
        }
        if (!coordinates.empty()) {
            file.set_attribute("greens", "coordinates", coordinates);
        }
    }

    Text path_;
    const CampaignIndexInput& input_;
    std::vector<Dimension> dimensions_;
    h5::Dims extents_;
    GroupWriter::Axes axes_;
    std::vector<const Member*> member_at_;  // row-major; null: no member has these values
    Shape shape_;
    CampaignIndexSummary summary_;
};

}  // namespace

CampaignIndexSummary write_campaign_index(const std::string& path,
                                          const CampaignIndexInput& input) {
    return Index(path, input).write();
}

}  // namespace kaname::io
