// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "solvers/base/units.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/source_file.hpp"

namespace kaname::io {

/// Holds the content of one seismograms.h5 but for the seismograms: S sources, R receivers, N
/// samples.
struct SeismogramDataset {
    struct Point {
        std::string id;
        std::array<double, 3> xyz_m{};
        double lon_deg = kNaN, lat_deg = kNaN;  ///< NaN: of no place on the globe
    };
    /// The model's frame on the globe: the centre of its azimuthal equidistant projection, and by
    /// how much x and y are turned clockwise from its east and north.
    struct Globe {
        double lon_deg = 0.0, lat_deg = 0.0, azimuth_deg = 0.0;
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
        std::vector<double> xyz_m;             ///< [points][3]
        std::vector<double> lon_deg, lat_deg;  ///< [points]; none of no place on the globe
        std::vector<std::int32_t> triangles;   ///< [triangles][3] points
        std::vector<double> snapshots_s;       ///< of velocities
        bool peaks = false;                    ///< whether there are largest speeds
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
    std::optional<Globe> globe;
    std::vector<Source> sources;
    /// Sources of known motion that radiate in the run of a rupture, the one of `sources`; status
    /// and failure are those of the rupture, and are not written.
    std::vector<Source> given_sources;
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

/// Holds the data that a rupture adds to a dataset of seismograms (docs/user/rupture_dataset.md):
/// groups `rupture` (triangles of the faults), `fault_receivers` and `energy`, and numbers of the
/// whole at the root.
struct RuptureDataset {
    using Named = std::array<const char*, 3>;  ///< name, unit, long name
    /// Names the numbers of each triangle, in the order of `fields`.
    static constexpr std::array<Named, 18> kFields = {{
        {"rupture_time", "s", "time at which the slip rate first was the threshold"},
        {"rupture_speed", "m s-1", "one over the gradient of the rupture time"},
        {"slip_strike", "m", "slip along strike, > 0: left-lateral"},
        {"slip_dip", "m", "slip down dip, > 0: the hanging wall goes down"},
        {"slip", "m", "size of the slip"},
        {"slip_path", "m", "length of the way of the slip"},
        {"peak_slip_rate", "m s-1", "largest slip rate"},
        {"stress_drop", "Pa", "fall of the shear traction along the slip"},
        {"initial_normal", "Pa", "normal traction at the beginning, < 0: compression"},
        {"initial_strike", "Pa", "shear traction along strike at the beginning"},
        {"initial_dip", "Pa", "shear traction down dip at the beginning"},
        {"final_normal", "Pa", "normal traction at the end"},
        {"final_strike", "Pa", "shear traction along strike at the end"},
        {"final_dip", "Pa", "shear traction down dip at the end"},
        {"friction_energy", "J m-2", "what friction took"},
        {"rigidity", "Pa", "mean rigidity of both sides"},
        {"along", "m", "place of the triangle's middle along strike of its fault's origin"},
        {"down", "m", "place of the triangle's middle down dip of its fault's origin"},
    }};
    /// Names the energies, in the order of `energies`.
    static constexpr std::array<Named, 8> kEnergies = {{
        {"kinetic", "J", "kinetic energy"},
        {"elastic", "J", "elastic energy of what waves changed"},
        {"friction", "J", "heat on faults"},
        {"released", "J", "int (tau0 - tau) . V: given to waves by faults"},
        {"plastic", "J", "taken by yielding"},
        {"outflow", "J", "gone through absorbing sides"},
        {"moment", "N m", "seismic moment"},
        {"moment_rate", "N m s-1", "its rate"},
    }};
    /// Names the numbers of each receiver, in the order of `series`.
    static constexpr std::array<Named, 8> kSeries = {{
        {"slip_strike", "m", "slip along strike, > 0: left-lateral"},
        {"slip_dip", "m", "slip down dip, > 0: the hanging wall goes down"},
        {"slip_rate_strike", "m s-1", "slip rate along strike"},
        {"slip_rate_dip", "m s-1", "slip rate down dip"},
        {"traction_strike", "Pa", "shear traction along strike, > 0 drives left-lateral slip"},
        {"traction_dip", "Pa", "shear traction down dip, > 0 drives normal faulting"},
        {"traction_normal", "Pa", "normal traction, < 0: compression"},
        {"state", "1", "psi of rate-and-state friction"},
    }};
    struct Receiver {
        std::string id, fault;
        double along_m = 0.0, down_m = 0.0;
        std::array<double, 3> xyz_m{};
    };
    std::vector<std::string> faults;                        ///< ids
    std::vector<double> xyz_m;                              ///< [points][3]
    std::vector<std::int32_t> triangles;                    ///< [n][3] points
    std::vector<std::int32_t> fault;                        ///< [n] index into faults
    std::array<std::vector<float>, kFields.size()> fields;  ///< [n] each
    std::vector<double> snapshots_s;
    std::vector<float> slip_rate;  ///< [snapshots][n][2] along strike, down dip [m/s]
    std::vector<Receiver> receivers;
    std::vector<double> times_s;  ///< of receivers
    std::vector<float> series;    ///< [times][receivers][8]
    std::vector<double> energy_s;
    std::vector<double> energies;       ///< [energy_s][kEnergies]
    std::vector<float> plastic_strain;  ///< [tets]; empty: elastic
    std::vector<double> tet_middles_m;  ///< [tets][3], with plastic strain
    std::vector<double> heights_s;
    std::vector<float> heights_m;                       ///< [heights_s][triangles of the ground]
    std::vector<std::pair<std::string, double>> whole;  ///< attributes of the file
};

/// Writes the rupture into the file of a dataset of seismograms.
void write_rupture(h5::File& file, const RuptureDataset& rupture);
/// Returns true if the file contains a rupture.
[[nodiscard]] bool has_rupture(const std::string& path);

}  // namespace kaname::io
