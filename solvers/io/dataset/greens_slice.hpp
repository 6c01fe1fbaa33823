// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kaname::io {

/// Every `stride`-th index from `start`, `count` of them; count 0: to the end.
struct IndexRange {
    std::int64_t start = 0, count = 0, stride = 1;
};

/// A block of a dataset's Green's functions; of seismograms stations are the receivers, epochs the
/// samples' times, and values m.
struct GreensSlice {
    std::vector<std::string> sources, stations, components;
    std::vector<double> epochs_s;
    std::vector<double> greens;  ///< [source][epoch][station][3] m per m; NaN if missing
};

/// Throws InvalidArgument when the HDF5 file is another one than greens.h5.
void require_greens(const std::string& path);

/// Reads the block and no more of greens.h5 or seismograms.h5. Throws OutOfRange naming axis, index
/// and extent, else as read_greens_dataset.
[[nodiscard]] GreensSlice read_greens_slice(const std::string& path, const IndexRange& sources,
                                            const IndexRange& epochs, const IndexRange& stations);

/// Holds the names and times that the indices of a dataset's axes stand for.
struct GreensAxes {
    std::vector<std::string> sources, patches, stations;  ///< patches: of each source
    std::vector<double> epochs_s;
};

/// Reads the axes of the whole dataset. Throws as read_greens_slice.
[[nodiscard]] GreensAxes read_greens_axes(const std::string& path);

/// Holds indices of each axis in any order; an axis without indices is empty in the slice.
struct GreensIndices {
    std::vector<std::int64_t> sources, epochs, stations;
};

/// Reads the single indices given; else as above.
[[nodiscard]] GreensSlice read_greens_slice(const std::string& path, const GreensIndices& indices);

/// A block that is read piece by piece, in the order of its values, so that it may be larger than
/// memory: whole sources, else epochs of one source, else stations of one epoch. Of indices in
/// equal steps no more is read; of others what lies between neighbours.
class GreensSliceReader {
public:
    /// `most` values of a piece. Throws as read_greens_slice.
    GreensSliceReader(const std::string& path, const IndexRange& sources, const IndexRange& epochs,
                      const IndexRange& stations, std::size_t most = kSlicePiece);
    GreensSliceReader(const std::string& path, GreensIndices indices,
                      std::size_t most = kSlicePiece);
    ~GreensSliceReader();

    /// Returns the slice's names and epochs; its values are left out.
    [[nodiscard]] const GreensSlice& axes() const { return axes_; }
    /// Returns the names and times of the whole dataset's axes.
    [[nodiscard]] GreensAxes whole_axes() const;
    /// Returns the next values; empty after the last.
    [[nodiscard]] std::vector<double> next();

    /// A piece has 4 MiB; chunks, of about 1 MiB, are read again for each piece.
    static constexpr std::size_t kSlicePiece = std::size_t{1} << 19U;
    static constexpr std::int64_t kSliceSpan = 64;  ///< longest way between neighbours

private:
    class Values;
    GreensSliceReader(std::unique_ptr<Values> values, GreensIndices indices, std::size_t most);
    void begin();

    std::unique_ptr<Values> values_;
    GreensIndices indices_;
    std::size_t most_;
    GreensSlice axes_;
    std::size_t source_ = 0, epoch_ = 0, station_ = 0;  ///< where the next piece begins
    std::size_t left_ = 0;                              ///< displacements that are left
};

/// Motion for many rheologies, summed over a slip distribution: R rheologies, P viscosities, M
/// ratios of moduli, T epochs, N stations.
struct AnswerTable {
    std::vector<std::string> parameters;   ///< [P]
    std::vector<double> viscosity_pa_s;    ///< [R][P]
    std::vector<std::string> ratios;       ///< [M] of bodies other than the request's
    std::vector<double> modulus_ratio;     ///< [R][M]
    std::vector<double> error;             ///< [R] certified, over the largest change
    std::vector<double> epochs_s;          ///< [T]
    std::vector<std::string> stations;     ///< [N]
    std::vector<double> displacement_m;    ///< [R][T][N][3] east, north, up
    std::string name, specification_json;  ///< of the dataset that answered
    std::string kaname_version = {};       ///< of the program that asked it
};

/// HDF5 that netCDF-4 readers open: displacement(rheology, epoch, station, component),
/// viscosity(rheology, parameter), modulus_ratio(rheology, modulus)
/// where there are any, error(rheology). Appears under its name when it is complete.
void write_answer_table(const std::string& path, const AnswerTable& table);

}  // namespace kaname::io
