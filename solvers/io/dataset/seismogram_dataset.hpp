// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "solvers/io/wave_file.hpp"

namespace kaname::io {

/// Holds the content of one seismograms.h5 but for the seismograms: S sources, R receivers, N
/// samples.
struct SeismogramDataset {
    struct Point {
        std::string id;
        std::array<double, 3> xyz_m{};
    };
    struct Source : Point {
        std::array<double, 3> force_n{};
        std::array<double, 6> moment_nm{};  ///< xx, yy, zz, yz, xz, xy
        double highest_hz = 0.0;
        std::vector<double> function;  ///< [N] of the samples
        std::int8_t status = 0;        ///< 0 missing, 1 done, 2 failed
        std::string failure;
    };
    /// Speed of P waves in the voxels of a plane with x and z, [z][x] in m/s, NaN in voids.
    struct Section {
        double y_m = 0.0;
        std::vector<double> x_m, z_m;
        std::vector<float> vp_m_per_s;
    };
    /// Triangles of a mesh's top.
    struct Ground {
        std::vector<double> xyz_m;            ///< [points][3]
        std::vector<std::int32_t> triangles;  ///< [triangles][3] points
        std::vector<double> snapshots_s;      ///< of velocities
        bool peaks = false;                   ///< whether there are largest speeds
    };
    /// Describes the tetrahedral elements with which the waves were solved.
    struct Elements {
        std::int64_t count = 0;
        int order = 0;
        double max_frequency_hz = 0.0;
        // Where snapshots are of all elements:
        std::vector<double> xyz_m;       ///< [vertices][3]
        std::vector<std::int32_t> tets;  ///< [count][4] vertices
    };
    std::string name, title, specification_json, kaname_version;
    std::string quantity = "displacement", unit = "m";  ///< of the seismograms; velocity: m s-1
    double interval_s = 0.0;
    std::int64_t n_samples = 0;
    double step_s = 0.0, spacing_m = 0.0, points_per_wavelength = 0.0;
    std::array<std::int64_t, 3> voxels{};
    std::array<double, 3> origin_m{};  ///< of the first node
    std::vector<Source> sources;
    std::vector<Point> receivers;
    std::vector<std::string> warnings;
    Section section;
    Ground ground;
    std::optional<Elements> elements;  ///< absent: voxels
    std::vector<double> snapshots_s;
    int snapshot_stride = 1;
};

/// HDF5 that netCDF-4 readers open, docs/user/waves.md and docs/user/seismic.md list every
/// variable: seismograms(source, receiver, component, time) in m or m/s, NaN where a source has
/// none. results(k) is asked once for each source that is done, in order; then `also` writes more
/// groups. Appears under its name when it is complete.
void write_seismograms(const std::string& path, const SeismogramDataset& dataset,
                       const std::function<WaveResult(std::size_t)>& results,
                       const std::function<void(h5::File&)>& also = {});

/// Returns true if the file was written by write_seismograms.
[[nodiscard]] bool has_seismograms(const std::string& path);
/// Reads all of it but the seismograms. Throws InvalidArgument when it has none.
[[nodiscard]] SeismogramDataset read_seismogram_rows(const std::string& path);
/// Reads the seismograms of one source, [receiver][component][sample].
[[nodiscard]] std::vector<float> read_seismograms(const std::string& path, std::size_t source);

}  // namespace kaname::io
