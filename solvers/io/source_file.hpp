// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "solvers/h5/file.hpp"
#include "solvers/io/dataset/reduced_matrices.hpp"

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

/// Holds the result that `solve` leaves per finished source and `package` collects. N stations, P
/// points of the surface (jobs/greens/surface_points.hpp; 0 when output.surface is "none"). K
/// solves and F fields: by time steps the motion at each (F = K); by relaxation spectrum the
/// elastic motion, then the basis of the reduced model (F = 1 + n).
struct SourceResult {
    std::string source_id;
    std::string key;  ///< identifies solve, mesh and source; stale files are ignored
    bool failed = false;
    std::string failure;              ///< cause with residual history, when failed
    std::vector<double> step_time_s;  ///< [K]; NaN at shifts
    std::vector<double> shift_per_s;  ///< [K] spectrum's shifts, NaN if elastic; or []
    ReducedMatrices reduced;          ///< reduced model, by spectrum only
    /// Bound of the error over the largest change, by spectrum only; NaN: unknown.
    double spectrum_error = std::numeric_limits<double>::quiet_NaN();
    std::string note;                    ///< how it was solved in another way than asked for
    std::vector<double> station_xyz_m;   ///< [N][3] where the stations are in the model frame
    std::vector<double> displacement_m;  ///< [F][N][3] grid east, grid north, up (model frame)
    std::vector<float> surface_m;        ///< [F][P][3] the same at the surface's points
    VolumeSnapshots volume;              ///< a scenario's volume fields, if any; on rank 0
    /// `fault_response` is set for a force (N = P = 0): tractions at the B split nodes of the
    /// fault, [F][1 + groups][B][3]. Parts are of the moduli that last, then of each group that
    /// relaxes at the fault; by time steps, one part is of all moduli together. By reciprocity it
    /// is the station's motion per m of slip.
    std::vector<double> fault_response;
    std::vector<std::int32_t> fault_groups;  ///< of the reduced model
    std::vector<std::int32_t> iterations;    ///< [K]
    std::vector<double> residual;            ///< [K]
    std::vector<double> initial_residual;    ///< [K]

    [[nodiscard]] bool by_spectrum() const { return !shift_per_s.empty(); }
    [[nodiscard]] std::size_t n_fields() const {
        return by_spectrum() ? 1 + static_cast<std::size_t>(reduced.n_basis) : step_time_s.size();
    }
};

/// The arrays of a result under `group` (empty, or ending in '/'); reading checks their shapes, and
/// source, key and failure are already known. finished: else it may be in the middle of a solve.
void write_source_fields(h5::File& file, const std::string& group, const SourceResult& result);
void read_source_fields(const h5::File& file, const std::string& group, SourceResult& result,
                        bool finished);
/// HDF5, atomic.
void write_source_result(const std::string& path, const SourceResult& result);
[[nodiscard]] SourceResult read_source_result(const std::string& path);

}  // namespace kaname::io
