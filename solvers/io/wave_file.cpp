// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/wave_file.hpp"

#include "solvers/base/error.hpp"
#include "solvers/h5/atomic_file.hpp"

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

}  // namespace kaname::io
