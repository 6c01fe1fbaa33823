// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/source_file.hpp"

#include <cmath>

#include "solvers/base/error.hpp"
#include "solvers/h5/file.hpp"

namespace kaname::io {
namespace {

constexpr const char* kWaveFormat = "kaname-waves-1";

WaveResult header_of(const h5::File& file) {
    if (!file.has_attribute("/", "format") || file.string_attribute("/", "format") != kWaveFormat) {
        throw Error(ErrorCode::InvalidArgument,
                    file.path() + ": is no result of waves ('" + kWaveFormat + "')");
    }
    WaveResult result;
    result.source_id = file.string_attribute("/", "source_id");
    result.key = file.string_attribute("/", "key");
    result.failed = file.int_attribute("/", "failed") != 0;
    result.failure = file.string_attribute("/", "failure");
    result.interval_s = file.double_attribute("/", "interval");
    if (!result.failed || file.has("seismograms")) {
        const h5::Dims dims = file.dims("seismograms");
        if (dims.size() != 3) {
            throw Error(
                ErrorCode::InvalidArgument,
                file.path() + ": 'seismograms' must have the axes receiver, component, sample");
        }
        result.n_samples = static_cast<std::int64_t>(dims[2]);
    }
    return result;
}

void write_ground_motion(h5::File& file, const GroundMotion& ground) {
    if (!ground.peak_m_per_s.empty()) {
        file.write<float>("ground/peak", ground.peak_m_per_s, {ground.peak_m_per_s.size() / 2, 2});
    }
    if (!ground.times_s.empty()) {
        const std::uint64_t n = ground.times_s.size();
        file.write<double>("ground/snapshot", ground.times_s, {n});
        file.write<float>("ground/velocity", ground.velocity_m_per_s,
                          {n, ground.velocity_m_per_s.size() / (3 * n), 3});
    }
}

GroundMotion read_ground_motion(const h5::File& file) {
    GroundMotion ground;
    if (file.has("ground/peak")) {
        ground.peak_m_per_s = file.read<float>("ground/peak", {h5::kAny, 2});
    }
    if (file.has("ground/snapshot")) {
        ground.times_s = file.read<double>("ground/snapshot", {h5::kAny});
        ground.velocity_m_per_s =
            file.read<float>("ground/velocity", {ground.times_s.size(), h5::kAny, 3});
    }
    return ground;
}

}  // namespace

void write_wave_result(const std::string& path, const WaveResult& result,
                       const std::function<void(h5::File&)>& also) {
    h5::write_atomically(path, [&](h5::File& file) {
        file.set_attribute("/", "format", std::string(kWaveFormat));
        file.set_attribute("/", "source_id", result.source_id);
        file.set_attribute("/", "key", result.key);
        file.set_attribute("/", "failed", std::int64_t{result.failed});
        file.set_attribute("/", "failure", result.failure);
        file.set_attribute("/", "interval", result.interval_s);
        const auto samples = static_cast<std::uint64_t>(result.n_samples);
        if (!result.seismograms.empty()) {
            file.write<float>("seismograms", result.seismograms,
                              {result.seismograms.size() / (3 * samples), 3, samples});
        }
        if (result.failed) {
            return;
        }
        const WaveSnapshots& shots = result.snapshots;
        if (!shots.times_s.empty()) {
            file.write<double>("snapshot", shots.times_s, {shots.times_s.size()});
            file.write<float>("displacement", shots.displacement_m,
                              {shots.times_s.size(), std::uint64_t(shots.nodes[2]),
                               std::uint64_t(shots.nodes[1]), std::uint64_t(shots.nodes[0]), 3});
        }
        write_ground_motion(file, result.ground);
        if (!result.elements_m_per_s.empty()) {
            const std::uint64_t n = result.ground.times_s.size();
            file.write<float>("elements/velocity", result.elements_m_per_s,
                              {n, result.elements_m_per_s.size() / (3 * n), 3});
        }
        if (also) {
            also(file);
        }
    });
}

std::vector<float> read_wave_rows(const std::string& path, std::int64_t first, std::int64_t n) {
    const h5::File file(path, h5::File::Mode::Read);
    const auto samples = static_cast<std::uint64_t>(header_of(file).n_samples);
    return file.read_block<float>("seismograms", {static_cast<std::uint64_t>(first), 0, 0},
                                  {static_cast<std::uint64_t>(n), 3, samples}, {1, 1, 1});
}

WaveResult read_wave_header(const std::string& path) {
    return header_of(h5::File(path, h5::File::Mode::Read));
}

WaveResult read_wave_result(const std::string& path) {
    const h5::File file(path, h5::File::Mode::Read);
    WaveResult result = header_of(file);
    if (file.has("seismograms")) {
        result.seismograms = file.read<float>("seismograms", {h5::kAny, 3, h5::kAny});
    }
    if (result.failed) {
        return result;
    }
    if (file.has("snapshot")) {
        WaveSnapshots& shots = result.snapshots;
        shots.times_s = file.read<double>("snapshot", {h5::kAny});
        shots.displacement_m = file.read<float>(
            "displacement", {shots.times_s.size(), h5::kAny, h5::kAny, h5::kAny, 3});
        const h5::Dims dims = file.dims("displacement");
        shots.nodes = {std::int64_t(dims[3]), std::int64_t(dims[2]), std::int64_t(dims[1])};
    }
    result.ground = read_ground_motion(file);
    if (file.has("elements/velocity")) {
        result.elements_m_per_s =
            file.read<float>("elements/velocity", {result.ground.times_s.size(), h5::kAny, 3});
    }
    return result;
}

namespace {

constexpr const char* kSourceFormat = "kaname-source-3";
constexpr const char* kVolume = "volume";  // group: displacement, strain, stress of snapshots

/// A finished source has every step; a failed one what there was up to its failure. One that is
/// being solved by spectrum has fields only at its end.
void check_source_result(const std::string& path, const SourceResult& result, bool finished) {
    const std::size_t steps = result.step_time_s.size();
    const std::size_t fields = result.n_fields();
    const bool whole =
        result.iterations.size() == steps && result.residual.size() == steps &&
        result.initial_residual.size() == steps && steps > 0 &&
        (!result.by_spectrum() || result.shift_per_s.size() == steps) &&
        (result.displacement_m.size() == fields * result.station_xyz_m.size() ||
         (!finished && result.by_spectrum() && result.displacement_m.empty())) &&
        result.station_xyz_m.size() % 3 == 0 && result.surface_m.size() % (3 * fields) == 0 &&
        result.fault_response.size() % (3 * fields * (1 + result.fault_groups.size())) == 0;
    if (!result.failed && !whole) {
        throw Error(ErrorCode::InvalidArgument,
                    path + ": source '" + result.source_id + "' has " + std::to_string(steps) +
                        " step times, " + std::to_string(result.shift_per_s.size()) + " shifts, " +
                        std::to_string(fields) + " fields, " +
                        std::to_string(result.displacement_m.size()) + " displacements at " +
                        std::to_string(result.station_xyz_m.size() / 3) + " stations, " +
                        std::to_string(result.surface_m.size()) + " on the surface, " +
                        std::to_string(result.iterations.size()) + " iteration counts, " +
                        std::to_string(result.residual.size()) + " and " +
                        std::to_string(result.initial_residual.size()) +
                        " residuals; must be K >= 1, 0 or K, F, 3 F N at N, 3 F P, K, K and K");
    }
}

void write_volume_snapshots(h5::File& file, const std::string& group,
                            const VolumeSnapshots& volume) {
    const std::size_t n = volume.n_snapshots;
    const auto in_volume = [&](const char* field) { return group + "/" + field; };
    file.write<double>(in_volume("displacement"), volume.displacement_m,
                       {n, volume.displacement_m.size() / (3 * n), 3});
    file.write<double>(in_volume("strain"), volume.strain, {n, volume.strain.size() / (6 * n), 6});
    file.write<double>(in_volume("stress"), volume.stress_pa,
                       {n, volume.stress_pa.size() / (6 * n), 6});
}

VolumeSnapshots read_volume_snapshots(const h5::File& file, const std::string& group) {
    VolumeSnapshots volume;
    const auto in_volume = [&](const char* field) { return group + "/" + field; };
    volume.displacement_m = file.read<double>(in_volume("displacement"), {h5::kAny, h5::kAny, 3});
    volume.n_snapshots = file.dims(in_volume("displacement"))[0];
    volume.strain = file.read<double>(in_volume("strain"), {volume.n_snapshots, h5::kAny, 6});
    volume.stress_pa = file.read<double>(in_volume("stress"), {volume.n_snapshots, h5::kAny, 6});
    return volume;
}

}  // namespace

void write_source_fields(h5::File& file, const std::string& group, const SourceResult& result) {
    const auto in = [&](const char* name) { return group + name; };
    file.write<double>(in("step_time"), result.step_time_s, {result.step_time_s.size()});
    file.write<double>(in("shift"), result.shift_per_s, {result.shift_per_s.size()});
    if (!std::isnan(result.spectrum_error)) {
        file.write<double>(in("spectrum_error"), std::vector{result.spectrum_error}, {1});
    }
    GroupWriter reduced(file, in("reduced"));
    write_reduced(reduced, result.reduced);
    const std::size_t fields = result.n_fields();
    const bool by_field = fields > 0 && result.displacement_m.size() % (3 * fields) == 0;
    file.write<double>(in("displacement"), result.displacement_m,
                       by_field ? h5::Dims{fields, result.displacement_m.size() / (3 * fields), 3}
                                : h5::Dims{result.displacement_m.size()});
    file.write<double>(in("station_xyz"), result.station_xyz_m,
                       {result.station_xyz_m.size() / 3, 3});
    if (!result.failed && !result.surface_m.empty()) {
        file.write<float>(in("surface"), result.surface_m,
                          {fields, result.surface_m.size() / (3 * fields), 3});
    }
    if (!result.volume.empty()) {
        write_volume_snapshots(file, in(kVolume), result.volume);
    }
    if (!result.failed && !result.fault_response.empty()) {
        const std::size_t parts = 1 + result.fault_groups.size();
        file.write<std::int32_t>(in("fault_groups"), result.fault_groups, {parts - 1});
        file.write<double>(in("fault_response"), result.fault_response,
                           {fields, parts, result.fault_response.size() / (3 * fields * parts), 3});
    }
    file.write<std::int32_t>(in("iterations"), result.iterations, {result.iterations.size()});
    file.write<double>(in("residual"), result.residual, {result.residual.size()});
    file.write<double>(in("initial_residual"), result.initial_residual,
                       {result.initial_residual.size()});
}

void read_source_fields(const h5::File& file, const std::string& group, SourceResult& result,
                        bool finished) {
    const auto in = [&](const char* name) { return group + name; };
    result.step_time_s = file.read<double>(in("step_time"), {h5::kAny});
    result.shift_per_s = file.read<double>(in("shift"), {h5::kAny});
    if (file.has(in("spectrum_error"))) {
        result.spectrum_error = file.read<double>(in("spectrum_error"), {1}).front();
    }
    result.reduced = read_reduced(file, in("reduced"));
    result.displacement_m = file.read<double>(in("displacement"));
    result.station_xyz_m = file.read<double>(in("station_xyz"));
    if (file.has(in("surface"))) {
        result.surface_m = file.read<float>(in("surface"));
    }
    if (file.has(in(kVolume))) {
        result.volume = read_volume_snapshots(file, in(kVolume));
    }
    if (file.has(in("fault_response"))) {
        result.fault_groups = file.read<std::int32_t>(in("fault_groups"), {h5::kAny});
        result.fault_response = file.read<double>(in("fault_response"));
    }
    result.iterations = file.read<std::int32_t>(in("iterations"), {h5::kAny});
    result.residual = file.read<double>(in("residual"), {h5::kAny});
    result.initial_residual = file.read<double>(in("initial_residual"), {h5::kAny});
    check_source_result(file.path(), result, finished);
}

void write_source_result(const std::string& path, const SourceResult& result) {
    check_source_result(path, result, true);
    result.reduced.check(path);
    h5::write_atomically(path, [&](h5::File& file) {
        file.set_attribute("/", "format", std::string(kSourceFormat));
        file.set_attribute("/", "source_id", result.source_id);
        file.set_attribute("/", "key", result.key);
        file.set_attribute("/", "failed", std::int64_t{result.failed});
        file.set_attribute("/", "failure", result.failure);
        file.set_attribute("/", "note", result.note);
        write_source_fields(file, "", result);
    });
}

SourceResult read_source_result(const std::string& path) {
    const h5::File file(path, h5::File::Mode::Read);
    const std::string format = file.string_attribute("/", "format");
    if (format != kSourceFormat) {
        throw Error(ErrorCode::InvalidArgument,
                    path + ": format is '" + format + "', must be '" + kSourceFormat + "'");
    }
    SourceResult result;
    result.source_id = file.string_attribute("/", "source_id");
    result.key = file.string_attribute("/", "key");
    result.failed = file.int_attribute("/", "failed") != 0;
    result.failure = file.string_attribute("/", "failure");
    if (file.has_attribute("/", "note")) {
        result.note = file.string_attribute("/", "note");
    }
    read_source_fields(file, "", result, true);
    return result;
}

}  // namespace kaname::io
