// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/dataset/rupture_dataset.hpp"

#include "solvers/io/dataset/fields.hpp"
#include "solvers/io/dataset/group_writer.hpp"

namespace kaname::io {
namespace {

using Text = std::string;

void write_triangles(GroupWriter& root, const RuptureDataset& d) {
    GroupWriter group = root.inside(layout::kRupture);
    group.bare_dimension("point", d.xyz_m.size() / 3);
    group.bare_dimension("triangle", d.triangles.size() / 3);
    group.bare_dimension("corner", 3);
    group.bare_dimension("axis", 3);
    group.dimension<Text>("fault_name", d.faults, {}, "fault");
    group.variable<double>("xyz", {"point", "axis"}, d.xyz_m, "m", "corners of triangles");
    group.variable<std::int32_t>("triangles", {"triangle", "corner"}, d.triangles, "1",
                                 "points of the faults' triangles");
    group.variable<std::int32_t>("fault", {"triangle"}, d.fault, "1", "index into fault_name");
    for (std::size_t k = 0; k < d.fields.size(); ++k) {
        const auto& [name, unit, text] = RuptureDataset::kFields[k];
        group.variable<float>(name, {"triangle"}, d.fields[k], unit, text);
    }
    if (!d.snapshots_s.empty()) {
        group.dimension<Text>("direction", std::vector<Text>{"strike", "dip"}, {},
                              "of the slip rate");
        group.dimension<double>("snapshot", d.snapshots_s, "s", "time of the snapshot");
        group.variable<float>("slip_rate", {"snapshot", "triangle", "direction"}, d.slip_rate,
                              "m s-1", "slip rate of the triangle");
    }
}

void write_receivers(GroupWriter& root, const RuptureDataset& d) {
    if (d.receivers.empty()) {
        return;
    }
    GroupWriter group = root.inside("fault_receivers");
    std::vector<Text> ids, faults;
    std::array<std::vector<double>, 5> places;
    for (const RuptureDataset::Receiver& receiver : d.receivers) {
        ids.push_back(receiver.id);
        faults.push_back(receiver.fault);
        places[0].push_back(receiver.along_m);
        places[1].push_back(receiver.down_m);
        for (std::size_t k = 0; k < 3; ++k) {
            places[2 + k].push_back(receiver.xyz_m[k]);
        }
    }
    group.dimension<Text>("fault_receiver", ids, {}, "receiver on a fault");
    group.dimension<double>("time", d.times_s, "s", "time");
    group.text("fault", "fault_receiver", faults, "fault it is on");
    constexpr std::array<const char*, 5> kNames = {"along", "down", "x", "y", "z"};
    constexpr std::array<const char*, 5> kLong = {"place along strike", "place down dip", "x", "y",
                                                  "z"};
    for (std::size_t k = 0; k < kNames.size(); ++k) {
        group.variable<double>(kNames[k], {"fault_receiver"}, places[k], "m", kLong[k]);
    }
    const std::size_t n = ids.size(), samples = d.times_s.size();
    for (std::size_t c = 0; c < RuptureDataset::kSeries.size(); ++c) {
        std::vector<float> values(n * samples);
        for (std::size_t t = 0; t < samples; ++t) {
            for (std::size_t r = 0; r < n; ++r) {
                values[r * samples + t] =
                    d.series[(t * n + r) * RuptureDataset::kSeries.size() + c];
            }
        }
        const auto& [name, unit, text] = RuptureDataset::kSeries[c];
        group.variable<float>(name, {"fault_receiver", "time"}, values, unit, text);
    }
}

void write_energies(GroupWriter& root, const RuptureDataset& d) {
    constexpr auto& kEnergies = RuptureDataset::kEnergies;
    GroupWriter group = root.inside("energy");
    group.dimension<double>("time", d.energy_s, "s", "time");
    for (std::size_t c = 0; c < kEnergies.size(); ++c) {
        std::vector<double> values;
        for (std::size_t t = 0; t < d.energy_s.size(); ++t) {
            values.push_back(d.energies[t * kEnergies.size() + c]);
        }
        const auto& [name, unit, text] = kEnergies[c];
        group.variable<double>(name, {"time"}, values, unit, text);
    }
}

}  // namespace

void write_rupture(h5::File& file, const RuptureDataset& d) {
    GroupWriter root(file);
    write_triangles(root, d);
    write_receivers(root, d);
    write_energies(root, d);
    if (!d.plastic_strain.empty()) {
        GroupWriter group = root.inside("plastic");
        group.bare_dimension("tet", d.plastic_strain.size());
        group.bare_dimension("axis", 3);
        group.variable<double>("middle", {"tet", "axis"}, d.tet_middles_m, "m",
                               "middle of the tetrahedron");
        group.variable<float>("strain", {"tet"}, d.plastic_strain, "1",
                              "accumulated plastic strain, int sqrt(de : de/2)");
    }
    if (!d.heights_s.empty()) {
        GroupWriter group = root.inside("sea_surface");
        group.dimension<double>("snapshot", d.heights_s, "s", "time of the snapshot");
        group.bare_dimension("triangle", d.heights_m.size() / d.heights_s.size());
        group.variable<float>("height", {"snapshot", "triangle"}, d.heights_m, "m",
                              "height above rest of the middles of the ground's triangles");
    }
    for (const auto& [name, value] : d.whole) {
        file.set_attribute("/", name, value);
    }
}

bool has_rupture(const std::string& path) {
    const h5::File file(path, h5::File::Mode::Read);
    return file.has(layout::in_group(layout::kRupture, "triangles"));
}

}  // namespace kaname::io
