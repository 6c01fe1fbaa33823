// SPDX-License-Identifier: BSD-3-Clause
// BEAT's geodetic library of Green's functions (beat/ffi/base.py): (patch, sample), the transpose
// of csi's and AlTar's matrices.
#include <array>
#include <cmath>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/io/export/greens/npy_file.hpp"
#include "solvers/io/export/greens/place_tables.hpp"
#include "solvers/io/export/greens/slip_columns.hpp"

namespace kaname::io {
namespace {

// North, east, up: the components of a GNSSDatasetConfig by default, each a data set of its own.
constexpr std::array<std::size_t, 3> kBeatOrder = {1, 0, 2};

/// Slip in a direction as a sum over two directions of the dataset, or of one (factor 0).
struct Combination {
    const SlipDirection *first, *second;
    double first_factor, second_factor;
};

/// Two directions of slip, the second 90 degrees of rake further.
struct Perpendicular {
    const SlipDirection *along, *across;
};

Perpendicular perpendicular(const ExportSource& source,
                            const std::vector<SlipDirection>& directions) {
    std::string names;
    for (const SlipDirection& along : directions) {
        for (const SlipDirection& across : directions) {
            if (!along.opening && !across.opening &&
                same_rake(across.rake_deg, along.rake_deg + 90.0)) {
                return {&along, &across};
            }
        }
        names += (names.empty() ? "" : ", ") + along.name;
    }
    throw Error(ErrorCode::InvalidArgument,
                source.path() +
                    ": slip_component must have two directions 90 degrees of rake "
                    "apart for beat (uparr and uperp), got " +
                    names);
}

/// Slip of rake r: cos(r - a) along + sin(r - a) across, a the rake of `along`.
Combination combination(const Perpendicular& base, double rake_deg) {
    const double angle = rake_deg - base.along->rake_deg;
    const double cosine =
        same_rake(angle, 90.0) || same_rake(angle, -90.0) ? 0.0 : std::cos(angle * kDegree);
    const double sine =
        same_rake(angle, 0.0) || same_rake(angle, 180.0) ? 0.0 : std::sin(angle * kDegree);
    return {base.along, base.across, same_rake(angle, 0.0) ? 1.0 : cosine,
            same_rake(angle, 90.0) ? 1.0 : sine};
}

void write_library(const ExportCall& call, ExportRecord& record, const std::string& variable,
                   const Combination& slip) {
    const ExportSource& source = call.source;
    const std::size_t samples = 3 * source.n_stations();
    const std::string stem = "geodetic_" + variable + "_static_0";
    NpyFile file(call.path(stem + ".traces.npy"), {source.n_patches(), samples});
    // Both directions of a patch lie beside each other in the file: twice as much is read.
    for_parts(source.n_patches(), 2 * samples, [&](Part patches) {
        const Part epoch{call.epoch, 1};
        const Part stations{0, source.n_stations()};
        const GreensBlock first = source.read_patches(*slip.first, patches, epoch, stations);
        const GreensBlock second = source.read_patches(*slip.second, patches, epoch, stations);
        for (std::size_t i = patches.first; i < patches.first + patches.count; ++i) {
            for (const std::size_t component : kBeatOrder) {
                for_stations(first, [&](std::size_t station) {
                    const auto value = [&](const GreensBlock& block, const SlipDirection& of) {
                        return block.at(of.sources[i], call.epoch, station, component);
                    };
                    // A factor of 0 or 1 leaves the other direction as it is, bit for bit.
                    file.number(slip.first_factor * value(first, *slip.first) +
                                slip.second_factor * value(second, *slip.second));
                });
            }
        }
    });
    file.commit();
    write_file(call.path(stem + ".yaml"),
               "--- !beat.GeodeticGFLibraryConfig\ncomponent: " + variable +
                   "\ncrust_ind: 0\ndimensions:\n- " + std::to_string(source.n_patches()) + "\n- " +
                   std::to_string(samples) + "\ndatatype: geodetic\n");
    record.files.push_back({stem + ".traces.npy",
                            "Green's functions of " + variable,
                            "float64",
                            {source.n_patches(), samples},
                            {"patch", "north of all stations, east of all, up of all"},
                            "m per m of slip"});
    record.files.push_back({stem + ".yaml", "configuration of this library"});
}

}  // namespace

void write_beat(const ExportCall& call, ExportRecord& record) {
    const std::vector<SlipDirection> directions = call.source.directions();
    const Perpendicular base = perpendicular(call.source, directions);
    const double rake_deg = call.rake_deg.value_or(90.0);
    write_library(call, record, "uparr", combination(base, rake_deg));
    write_library(call, record, "uperp", combination(base, rake_deg - 90.0));
    for (const SlipDirection& direction : directions) {
        if (direction.opening) {
            write_library(call, record, "utens", {&direction, &direction, 1.0, 0.0});
        }
    }
    write_place_tables(call, record);
    record.numbers.emplace_back("uparr_rake_deg", rake_deg);
    record.numbers.emplace_back("uperp_rake_deg", rake_deg - 90.0);
    record.notes.push_back(
        "samples follow BEAT's data sets of a GNSS file, one for each component, by default north, "
        "east, up; weights of overlapping data (odw) are 1");
    record.notes.push_back("patches lie down dip row by row, along strike within a row");
    record.left_to_user.push_back(
        "event and reference_sources of the .yaml files: those of the project, with the rake of "
        "uparr");
}

}  // namespace kaname::io
