// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/source_file.hpp"

#include <cmath>

#include "solvers/base/error.hpp"
#include "solvers/h5/atomic_file.hpp"

namespace kaname::io {
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
