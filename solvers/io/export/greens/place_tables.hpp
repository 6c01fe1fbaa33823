// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <string>
#include <vector>

#include "solvers/io/export/binary_file.hpp"
#include "solvers/io/export/greens/export_source.hpp"

namespace kaname::io {

/// A place on the globe (degrees), or in the model (m) where the dataset has no projection.
struct PlanePlace {
    double x, y;
};
[[nodiscard]] PlanePlace station_place(const GreensDataset& rows, std::size_t station);
[[nodiscard]] PlanePlace patch_place(const GreensDataset& rows, const GreensDataset::Source& patch);
/// 0 top start, 1 top end, 2 bottom end, 3 bottom start along strike.
[[nodiscard]] PlanePlace corner_place(const GreensDataset& rows, const GreensDataset::Source& patch,
                                      std::size_t corner);
/// Heads of the columns of these places: "lon_deg", "lat_deg" or "x_m", "y_m".
[[nodiscard]] std::array<std::string, 2> place_columns(const GreensDataset& rows);
/// "x y" of a place in degrees, or in km where the dataset has no projection: csi and GMT's tables
/// count lengths in km.
[[nodiscard]] std::string degrees_or_km(const GreensDataset& rows, PlanePlace at);

/// stations.csv and patches.csv: a row each, in the order of all axes of a layout.
void write_place_tables(const ExportCall& call, ExportRecord& record);

/// The shortest text that reads back as an equal double; nan and inf as C has them.
[[nodiscard]] std::string exact(double value);
/// A cell of a CSV table (RFC 4180): quoted where it must be.
[[nodiscard]] std::string csv_cell(const std::string& text);
/// A name for files and for tables split at blanks: what is no letter, digit, '_' or '-' of ASCII
/// becomes '_'; bytes of other alphabets stay.
[[nodiscard]] std::string plain_name(const std::string& text);

/// Returns true if two rakes are the same direction, to a millionth of a degree.
[[nodiscard]] bool same_rake(double a_deg, double b_deg);

/// Holds a layout's names for strike slip (rake 0), dip slip (rake 90) and opening.
struct SlipNames {
    std::string strike_slip, dip_slip, opening;
};
/// Returns the directions of a dataset by a layout's names for these three; the layout knows no
/// other. Throws InvalidArgument naming a direction that is none of them.
[[nodiscard]] std::vector<SlipDirection> named_directions(const ExportSource& source,
                                                          const std::string& layout,
                                                          const SlipNames& names);

/// Rows of a matrix (observation, patch) at one epoch, part after part: all stations' east, then
/// all north, then all up. visit(block) gets one component of all sources.
template <class Visit>
void for_rows_by_component(const ExportCall& call, const Visit& visit) {
    for (std::size_t component = 0; component < 3; ++component) {
        for_parts(call.source.n_stations(), call.source.rows().sources.size(), [&](Part stations) {
            visit(call.source.read_component(call.epoch, stations, component));
        });
    }
}

/// Calls visit(station) for the stations of a block, by their indices in the dataset.
template <class Visit>
void for_stations(const GreensBlock& block, const Visit& visit) {
    for (std::size_t i = 0; i < block.stations.count; ++i) {
        visit(block.stations.first + i);
    }
}

/// An array of little-endian float64 in C order, as numpy.load reads it (NPY format 1.0): the head
/// is written at once, the numbers follow one by one, commit() ends it.
class NpyFile {
public:
    NpyFile(const std::string& path, const std::vector<std::size_t>& shape);
    void number(double value) { file_.number(value); }
    void commit() { file_.commit(); }

private:
    BinaryFile file_;
};

}  // namespace kaname::io
