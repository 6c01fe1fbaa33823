// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/dataset/wave_datasets.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/dataset/fields.hpp"
#include "solvers/io/dataset/group_writer.hpp"

namespace kaname::io {
namespace {

using Text = std::string;
using WaveSource = SeismogramDataset::Source;

constexpr const char* kKind = "seismograms";
constexpr const char* kAxisNames[3] = {"x", "y", "z"};

template <class List, class Get>
auto values_of(const List& list, const Get& get) {
    std::vector<std::decay_t<decltype(get(list[0]))>> values;
    for (const auto& entry : list) {
        values.push_back(get(entry));
    }
    return values;
}

template <class List>
std::vector<Text> ids_of(const List& points) {
    return values_of(points, [](const auto& point) { return point.id; });
}

template <class List>
void write_coordinates(GroupWriter& root, const char* axis, const List& points) {
    for (int k = 0; k < 3; ++k) {
        root.variable<double>(Text(axis) + "_" + kAxisNames[k], {axis},
                              values_of(points, [&](const auto& point) { return point.xyz_m[k]; }),
                              "m", Text(kAxisNames[k]) + " of the " + axis);
    }
}

/// Longitudes and latitudes, of a model on the globe.
template <class List>
void write_globe_places(GroupWriter& root, const char* axis, const List& points) {
    root.variable<double>(Text(axis) + "_lon", {axis},
                          values_of(points, [](const auto& point) { return point.lon_deg; }),
                          "degrees_east", Text("longitude of the ") + axis);
    root.variable<double>(Text(axis) + "_lat", {axis},
                          values_of(points, [](const auto& point) { return point.lat_deg; }),
                          "degrees_north", Text("latitude of the ") + axis);
}

/// Places, forces, moments and functions, of a group that knows the components and the time.
void write_wave_motion(GroupWriter& group, const std::vector<WaveSource>& sources) {
    write_coordinates(group, "source", sources);
    std::vector<double> force, moment, function;
    for (const WaveSource& source : sources) {
        force.insert(force.end(), source.force_n.begin(), source.force_n.end());
        moment.insert(moment.end(), source.moment_nm.begin(), source.moment_nm.end());
        function.insert(function.end(), source.function.begin(), source.function.end());
    }
    group.variable<double>("force", {"source", "component"}, force, "N", "point force");
    group.variable<double>("moment", {"source", "tensor"}, moment, "N m", "moment tensor");
    group.variable<double>("source_function", {"source", "time"}, function, "1",
                           "what force and moment are multiplied by");
    group.variable<double>("highest_frequency", {"source"},
                           values_of(sources, [](const WaveSource& s) { return s.highest_hz; }),
                           "Hz", "above it the source has less than a thousandth of its spectrum");
}

void write_given_sources(GroupWriter& root, const SeismogramDataset& d) {
    GroupWriter group = root.inside(layout::kGivenSources);
    group.dimension<Text>("source", ids_of(d.given_sources), {}, "source of known motion");
    write_wave_motion(group, d.given_sources);
    if (d.globe) {
        write_globe_places(group, "source", d.given_sources);
    }
}

void write_wave_sources(GroupWriter& root, const SeismogramDataset& d) {
    const std::vector<Text> tensor = {"xx", "yy", "zz", "yz", "xz", "xy"};
    root.dimension<Text>("tensor", tensor, {}, "component of a moment tensor");
    write_wave_motion(root, d.sources);
    root.variable<std::int8_t>("status", {"source"},
                               values_of(d.sources, [](const WaveSource& s) { return s.status; }),
                               "1", "what became of the source");
    root.flags("status", std::vector<std::int8_t>{0, 1, 2}, "missing done failed");
    root.text("failure", "source",
              values_of(d.sources, [](const WaveSource& s) { return s.failure; }), "why it failed");
}

void write_section(GroupWriter& root, const SeismogramDataset::Section& section) {
    if (section.vp_m_per_s.empty()) {
        return;
    }
    root.dimension<double>("section_x", section.x_m, "m", "x of voxels of the section");
    root.dimension<double>("section_z", section.z_m, "m", "z of voxels of the section");
    root.variable<float>("section_vp", {"section_z", "section_x"}, section.vp_m_per_s, "m s-1",
                         "speed of P waves in the plane through the first source");
    root.attribute("section_vp", "y", section.y_m);
}

/// The group of snapshots, without values.
void begin_snapshots(GroupWriter& root, const SeismogramDataset& d) {
    GroupWriter group = root.inside(layout::kSnapshots);
    group.dimension<double>("snapshot", d.snapshots_s, "s", "time of the snapshot");
    for (int axis = 0; axis < 3; ++axis) {
        std::vector<double> place;
        for (std::int64_t k = 0; k <= d.voxels[axis]; k += d.snapshot_stride) {
            place.push_back(d.origin_m[axis] + static_cast<double>(k) * d.spacing_m);
        }
        group.dimension<double>(kAxisNames[axis], place, "m", Text(kAxisNames[axis]) + " of nodes");
    }
    group.begin<float>("displacement", {"source", "snapshot", "z", "y", "x", "component"}, "m",
                       "displacement");
}

/// The group of the ground's motion, without values of sources.
void begin_ground(GroupWriter& root, const SeismogramDataset::Ground& ground) {
    if (!ground.peaks && ground.snapshots_s.empty()) {
        return;
    }
    GroupWriter group = root.inside(layout::kGround);
    group.bare_dimension("point", ground.xyz_m.size() / 3);
    group.bare_dimension("triangle", ground.triangles.size() / 3);
    group.bare_dimension("corner", 3);
    group.variable<double>("xyz", {"point", "component"}, ground.xyz_m, "m",
                           "corners of triangles");
    group.variable<std::int32_t>("triangles", {"triangle", "corner"}, ground.triangles, "1",
                                 "points of the ground's triangles");
    if (!ground.lon_deg.empty()) {
        group.variable<double>("lon", {"point"}, ground.lon_deg, "degrees_east", "longitude");
        group.variable<double>("lat", {"point"}, ground.lat_deg, "degrees_north", "latitude");
    }
    if (ground.peaks) {
        group.dimension<Text>("direction", std::vector<Text>{"horizontal", "vertical"}, {},
                              "of the largest speed");
        group.begin<float>("peak_velocity", {"source", "triangle", "direction"}, "m s-1",
                           "largest speed of the triangle's middle");
    }
    if (!ground.snapshots_s.empty()) {
        group.dimension<double>("snapshot", ground.snapshots_s, "s", "time of the snapshot");
        group.begin<float>("velocity", {"source", "snapshot", "triangle", "component"}, "m s-1",
                           "velocity of the triangle's middle");
    }
}

/// The group of snapshots of all elements, without values of sources.
void begin_elements(GroupWriter& root, const SeismogramDataset& d) {
    GroupWriter group = root.inside(layout::kElements);
    group.bare_dimension("vertex", d.elements->xyz_m.size() / 3);
    group.bare_dimension("tet", d.elements->tets.size() / 4);
    group.bare_dimension("corner", 4);
    group.variable<double>("xyz", {"vertex", "component"}, d.elements->xyz_m, "m", "vertices");
    group.variable<std::int32_t>("tets", {"tet", "corner"}, d.elements->tets, "1",
                                 "vertices of the tetrahedra");
    group.dimension<double>("snapshot", d.ground.snapshots_s, "s", "time of the snapshot");
    group.begin<float>("velocity", {"source", "snapshot", "tet", "component"}, "m s-1",
                       "velocity of the tetrahedron's middle");
}

/// The part of source k of a variable whose first axis is the source; NaN where it has no values.
void write_source(h5::File& file, const Text& name, std::size_t k, const std::vector<float>& values,
                  bool done) {
    h5::Dims count = file.dims(name), start(count.size(), 0);
    count[0] = 1;
    start[0] = k;
    std::size_t size = 1;
    for (const std::uint64_t extent : count) {
        size *= extent;
    }
    file.write_block<float>(
        name, done ? values : std::vector<float>(size, std::numeric_limits<float>::quiet_NaN()),
        start, count);
}

void write_ground(h5::File& file, const SeismogramDataset::Ground& ground, std::size_t k,
                  const GroundMotion& motion, bool done) {
    if (ground.peaks) {
        write_source(file, layout::in_group(layout::kGround, "peak_velocity"), k,
                     motion.peak_m_per_s, done);
    }
    if (!ground.snapshots_s.empty()) {
        write_source(file, layout::in_group(layout::kGround, "velocity"), k,
                     motion.velocity_m_per_s, done);
    }
}

}  // namespace

void write_seismograms(const std::string& path, const SeismogramDataset& d,
                       const std::function<WaveResult(std::size_t)>& results,
                       const std::function<void(h5::File&)>& also) {
    h5::write_atomically(path, [&](h5::File& file) {
        GroupWriter root(file);
        write_about(file, d.title.empty() ? d.name : d.title, d.kaname_version,
                    "seismograms computed from the attribute specification");
        for (const auto& [name, value] : {std::pair("name", d.name), std::pair("kind", Text(kKind)),
                                          std::pair("specification", d.specification_json)}) {
            file.set_attribute("/", name, value);
        }
        file.set_attribute("/", "step", d.step_s);
        if (d.elements) {
            file.set_attribute("/", "elements", d.elements->count);
            file.set_attribute("/", "order", std::int64_t{d.elements->order});
            file.set_attribute("/", "max_frequency", d.elements->max_frequency_hz);
        } else {
            file.set_attribute("/", "voxel_size", d.spacing_m);
        }
        file.set_attribute("/", "points_per_wavelength", d.points_per_wavelength);
        root.dimension<Text>("source", ids_of(d.sources), {}, "source");
        root.dimension<Text>("receiver", ids_of(d.receivers), {}, "receiver");
        root.dimension<Text>("component", std::vector<Text>(kAxisNames, kAxisNames + 3), {},
                             "direction of motion");
        std::vector<double> times;
        for (std::int64_t k = 0; k < d.n_samples; ++k) {
            times.push_back(static_cast<double>(k) * d.interval_s);
        }
        root.dimension<double>("time", times, "s", "time since the sources' time 0");
        write_coordinates(root, "receiver", d.receivers);
        write_wave_sources(root, d);
        if (!d.given_sources.empty()) {
            write_given_sources(root, d);
        }
        if (d.globe) {
            file.set_attribute("/", "region_lon", d.globe->lon_deg);
            file.set_attribute("/", "region_lat", d.globe->lat_deg);
            file.set_attribute("/", "region_azimuth", d.globe->azimuth_deg);
            write_globe_places(root, "source", d.sources);
            write_globe_places(root, "receiver", d.receivers);
        }
        write_section(root, d.section);
        if (!d.warnings.empty()) {
            root.dimension<Text>("warning", d.warnings, {}, "what to know of this dataset");
        }
        root.begin<float>("seismograms", {"source", "receiver", "component", "time"}, d.unit,
                          d.quantity);
        if (!d.snapshots_s.empty()) {
            begin_snapshots(root, d);
        }
        begin_ground(root, d.ground);
        const bool of_elements =
            d.elements && !d.elements->tets.empty() && !d.ground.snapshots_s.empty();
        if (of_elements) {
            begin_elements(root, d);
        }
        for (std::size_t k = 0; k < d.sources.size(); ++k) {
            const bool done = d.sources[k].status == 1;
            const WaveResult result = d.sources[k].status != 0 ? results(k) : WaveResult();
            const bool kept = result.failed && !result.seismograms.empty();
            write_source(file, "seismograms", k, result.seismograms, done || kept);
            if (!d.snapshots_s.empty()) {
                write_source(file, Text(layout::kSnapshots) + "/displacement", k,
                             result.snapshots.displacement_m, done);
            }
            write_ground(file, d.ground, k, result.ground, done);
            if (of_elements) {
                write_source(file, layout::in_group(layout::kElements, "velocity"), k,
                             result.elements_m_per_s, done);
            }
        }
        if (also) {
            also(file);
        }
    });
}

namespace {

template <class List>
void read_wave_places(const h5::File& file, const Text& axis, List& points) {
    const auto read = [&](const char* name) {
        return file.read<double>(axis + "_" + name, {points.size()});
    };
    const bool on_globe = file.has(axis + "_lon");
    const auto x = read("x"), y = read("y"), z = read("z");
    const std::vector<double> nowhere(points.size(), kNaN);
    const auto lon = on_globe ? read("lon") : nowhere, lat = on_globe ? read("lat") : nowhere;
    for (std::size_t k = 0; k < points.size(); ++k) {
        points[k].xyz_m = {x[k], y[k], z[k]};
        points[k].lon_deg = lon[k];
        points[k].lat_deg = lat[k];
    }
}

/// Ids, places, forces, moments and frequencies of the sources of a group ("" or "name/").
std::vector<WaveSource> read_motion(const h5::File& file, const Text& group) {
    const std::vector<Text> ids = file.read_strings(group + "source");
    const auto force = file.read<double>(group + "force", {ids.size(), 3}),
               moment = file.read<double>(group + "moment", {ids.size(), 6}),
               highest = file.read<double>(group + "highest_frequency", {ids.size()});
    std::vector<WaveSource> sources(ids.size());
    for (std::size_t k = 0; k < ids.size(); ++k) {
        sources[k].id = ids[k];
        std::copy_n(force.begin() + std::ptrdiff_t(3 * k), 3, sources[k].force_n.begin());
        std::copy_n(moment.begin() + std::ptrdiff_t(6 * k), 6, sources[k].moment_nm.begin());
        sources[k].highest_hz = highest[k];
    }
    read_wave_places(file, group + "source", sources);
    return sources;
}

}  // namespace

bool has_seismograms(const std::string& path) {
    const h5::File file(path, h5::File::Mode::Read);
    return file.has_attribute("/", "kind") && file.string_attribute("/", "kind") == kKind;
}

SeismogramDataset read_seismogram_rows(const std::string& path) {
    const h5::File file(path, h5::File::Mode::Read);
    if (!has_seismograms(path)) {
        throw Error(ErrorCode::InvalidArgument, path + ": has no seismograms");
    }
    SeismogramDataset d;
    d.name = file.string_attribute("/", "name");
    d.title = file.string_attribute("/", "title");
    d.specification_json = file.string_attribute("/", "specification");
    d.kaname_version = file.string_attribute("/", "kaname_version");
    d.step_s = file.double_attribute("/", "step");
    if (file.has_attribute("/", "elements")) {
        d.elements = SeismogramDataset::Elements{file.int_attribute("/", "elements"),
                                                 static_cast<int>(file.int_attribute("/", "order")),
                                                 file.double_attribute("/", "max_frequency"),
                                                 {},
                                                 {}};
    } else {
        d.spacing_m = file.double_attribute("/", "voxel_size");
    }
    d.quantity = file.string_attribute("seismograms", "long_name");
    d.unit = file.string_attribute("seismograms", "units");
    d.points_per_wavelength = file.double_attribute("/", "points_per_wavelength");
    const std::vector<double> times = file.read<double>("time", {h5::kAny});
    d.n_samples = std::ssize(times);
    d.interval_s = times.size() > 1 ? times[1] : 0.0;
    d.sources = read_motion(file, "");
    const std::size_t n = d.sources.size();
    const std::vector<Text> failures = file.read_strings("failure");
    if (failures.size() != n) {
        throw Error(ErrorCode::InvalidArgument, path + ": has " + std::to_string(failures.size()) +
                                                    " failures of " + std::to_string(n) +
                                                    " sources");
    }
    const auto status = file.read<std::int8_t>("status", {n});
    for (std::size_t k = 0; k < n; ++k) {
        d.sources[k].status = status[k];
        d.sources[k].failure = failures[k];
    }
    if (const Text given = layout::in_group(layout::kGivenSources, "");
        file.has(given + "source")) {
        d.given_sources = read_motion(file, given);
    }
    for (const Text& id : file.read_strings("receiver")) {
        d.receivers.push_back({id});
    }
    read_wave_places(file, "receiver", d.receivers);
    if (const auto of = [&](const char* name) { return file.double_attribute("/", name); };
        file.has_attribute("/", "region_lon")) {
        d.globe = {of("region_lon"), of("region_lat"), of("region_azimuth")};
    }
    if (file.has("warning")) {
        d.warnings = file.read_strings("warning");
    }
    if (file.has(Text(layout::kSnapshots) + "/snapshot")) {
        d.snapshots_s = file.read<double>(Text(layout::kSnapshots) + "/snapshot", {h5::kAny});
    }
    if (const Text snapshot = layout::in_group(layout::kGround, "snapshot"); file.has(snapshot)) {
        d.ground.snapshots_s = file.read<double>(snapshot, {h5::kAny});
    }
    d.ground.peaks = file.has(layout::in_group(layout::kGround, "peak_velocity"));
    return d;
}

std::vector<float> read_seismograms(const std::string& path, std::size_t source) {
    const h5::File file(path, h5::File::Mode::Read);
    const h5::Dims dims = file.dims("seismograms");
    if (dims.size() != 4) {
        throw Error(ErrorCode::InvalidArgument,
                    path + ": 'seismograms' must have the axes source, receiver, component, time");
    }
    return file.read_block<float>("seismograms", {source, 0, 0, 0}, {1, dims[1], dims[2], dims[3]},
                                  {1, 1, 1, 1});
}

namespace {

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
