// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "solvers/h5/file.hpp"

namespace kaname::io {

/// Displacement of every so many nodes at some times, [snapshot][z][y][x][component] in m.
struct WaveSnapshots {
    std::vector<double> times_s;
    std::array<std::int64_t, 3> nodes{};  ///< x, y, z
    std::vector<float> displacement_m;
};

/// Motion of the ground, of triangles in an order that both sides know.
struct GroundMotion {
    std::vector<float> peak_m_per_s;      ///< [triangle][2] largest horizontal, vertical speed
    std::vector<double> times_s;          ///< of snapshots
    std::vector<float> velocity_m_per_s;  ///< [snapshot][triangle][3]
};

/// Waves of one source at the receivers.
struct WaveResult {
    std::string source_id, key;
    bool failed = false;
    std::string failure;
    double interval_s = 0.0;  ///< from sample to sample; the first is at 0
    std::int64_t n_samples = 0;
    /// [receiver][component][sample], in m or m/s; where the source has failed, what was good
    /// before that and NaN from there on, or nothing.
    std::vector<float> seismograms;
    WaveSnapshots snapshots;
    GroundMotion ground;
    std::vector<float> elements_m_per_s;  ///< at the ground's times, [snapshot][tet][3]
};

/// Appears under its name when it is complete. `also` writes more into the file of a result that
/// has not failed. Throws Unavailable when the system refuses.
void write_wave_result(const std::string& path, const WaveResult& result,
                       const std::function<void(h5::File&)>& also = {});
/// Throws InvalidArgument when the file is none of write_wave_result.
[[nodiscard]] WaveResult read_wave_result(const std::string& path);
/// Reads the seismograms of n receivers from `first` on, [n][component][sample].
[[nodiscard]] std::vector<float> read_wave_rows(const std::string& path, std::int64_t first,
                                                std::int64_t n);
/// Reads the result without seismograms and snapshots; the number of samples is set.
[[nodiscard]] WaveResult read_wave_header(const std::string& path);

/// Fields in the whole model at S times. P points: the vertices of the mesh, those on a fault once
/// per side; E tetrahedra (sources/split_vertices.hpp numbers both). Model frame: x east, y north,
/// z up of its grid; tension positive; shear strains are tensor components. Double: a checkpoint
/// keeps sums that go on.
struct VolumeSnapshots {
    std::size_t n_snapshots = 0;         ///< S; 0: there is no volume
    std::vector<double> displacement_m;  ///< [S][P][3]
    std::vector<double> strain;          ///< [S][E][6] xx yy zz xy yz xz, at centroids
    std::vector<double> stress_pa;       ///< [S][E][6] the same components, means of elements

    [[nodiscard]] bool empty() const { return n_snapshots == 0; }
};

}  // namespace kaname::io
