// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>
#include <deque>
#include <span>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/export/binary_file.hpp"
#include "solvers/io/export/greens/place_tables.hpp"

// AlTar's static model: static.gf.h5. Its loader takes the first dataset of a file and reshapes it
// without a word, so that the file has one dataset and nothing else.
namespace kaname::io {
namespace {

constexpr const char* kMatrix = "static.gf";

std::string columns_text(const std::vector<SlipDirection>& directions) {
    std::string text;
    for (const SlipDirection& direction : directions) {
        text += (text.empty() ? "" : ", then ") + direction.name + " of all patches";
    }
    return text;
}

}  // namespace

void write_altar(const ExportCall& call, ExportRecord& record) {
    const ExportSource& source = call.source;
    const std::vector<SlipDirection> directions = source.directions();
    const std::size_t columns = directions.size() * source.n_patches();
    const std::size_t observations = 3 * source.n_stations();
    h5::write_atomically(call.path("static.gf.h5"), [&](h5::File& file) {
        file.create<float>(kMatrix, {observations, columns});
        std::size_t row = 0;
        std::vector<float> values;
        for_rows_by_component(call, [&](const GreensBlock& block) {
            values.clear();
            for_stations(block, [&](std::size_t station) {
                for (const SlipDirection& direction : directions) {
                    for (const std::size_t column : direction.sources) {
                        values.push_back(static_cast<float>(
                            block.at(column, call.epoch, station, block.components.first)));
                    }
                }
            });
            file.write_block<float>(kMatrix, values, {row, 0}, {block.stations.count, columns});
            row += block.stations.count;
        });
    });
    record.files.push_back(
        {"static.gf.h5",
         "Green's functions, the only dataset: static.gf",
         "float32",
         {observations, columns},
         {"east of all stations, north of all, up of all", columns_text(directions)},
         "m per m of slip"});
    write_place_tables(call, record);
    record.numbers.emplace_back("observations", static_cast<double>(observations));
    record.numbers.emplace_back("patches", static_cast<double>(source.n_patches()));
    record.notes.push_back("psets_list names the sets of parameters in the order of the columns");
    record.left_to_user.push_back(
        "static.data.h5: one dataset (observations), in the order of rows");
    record.left_to_user.push_back(
        "static.Cd.h5: one dataset (observations, observations), the covariance of the data");
}

// BEAT's geodetic library of Green's functions (beat/ffi/base.py): (patch, sample), the transpose
// of csi's and AlTar's matrices.
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

// csi (Classic Slip Inversion): Fault.saveGFs and setGFsFromFile, readPatchesFromFile, gps's
// read_from_enu.
namespace {

constexpr const char* kDataSet = "gnss";
// csi's number of a parameter that a patch does not have.
constexpr int kNoParameter = 99999;

/// Numbers of a patch's parameters among all strike slip, then dip slip, then opening.
std::string parameters_text(const std::vector<SlipDirection>& directions, std::size_t patch,
                            std::size_t n_patches) {
    std::string text;
    std::size_t column = patch;
    for (const char* name : {"SS", "DS", "TS"}) {
        const bool has =
            std::ranges::find(directions, name, &SlipDirection::name) != directions.end();
        text += " " + (has ? std::to_string(column) : std::to_string(kNoParameter));
        column += has ? n_patches : 0;
    }
    return text;
}

void write_patch_outlines(const ExportCall& call, const std::string& name,
                          const std::vector<SlipDirection>& directions) {
    const GreensDataset& rows = call.source.rows();
    BinaryFile file(call.path(name));
    for (std::size_t i = 0; i < call.source.n_patches(); ++i) {
        const GreensDataset::Source& patch = call.source.patch(i);
        file.text("> -Z0 #" + parameters_text(directions, i, call.source.n_patches()) +
                  " # 0 0 0\n");
        for (std::size_t corner = 0; corner < 4; ++corner) {
            file.text(degrees_or_km(rows, corner_place(rows, patch, corner)) + " " +
                      exact(patch.outline_depth_m[corner] / kMetresPerKm) + "\n");
        }
    }
    file.commit();
}

void write_gnss_stations(const ExportCall& call, const std::string& name) {
    const GreensDataset& rows = call.source.rows();
    BinaryFile file(call.path(name));
    for (std::size_t i = 0; i < call.source.n_stations(); ++i) {
        file.text(plain_name(rows.stations[i].id) + " " +
                  degrees_or_km(rows, station_place(rows, i)) + " 0 0 0 1 1 1\n");
    }
    file.commit();
}

}  // namespace

void write_csi(const ExportCall& call, ExportRecord& record) {
    const ExportSource& source = call.source;
    const std::vector<SlipDirection> directions =
        named_directions(source, "csi", {"SS", "DS", "TS"});
    const std::string fault = plain_name(source.rows().name);
    std::deque<BinaryFile> files;
    for (const SlipDirection& direction : directions) {
        const std::string name = fault + "_" + kDataSet + "_" + direction.name + ".gf";
        files.emplace_back(call.path(name));
        record.files.push_back({name,
                                "Green's functions of " + direction.name,
                                "float64",
                                {3 * source.n_stations(), source.n_patches()},
                                {"east of all stations, north of all, up of all", "patch"},
                                "m per m of slip"});
    }
    for_rows_by_component(call, [&](const GreensBlock& block) {
        for_stations(block, [&](std::size_t station) {
            for (std::size_t i = 0; i < directions.size(); ++i) {
                for (const std::size_t column : directions[i].sources) {
                    files[i].number(block.at(column, call.epoch, station, block.components.first));
                }
            }
        });
    });
    for (BinaryFile& file : files) {
        file.commit();
    }
    const std::string places = source.rows().projected ? "lon lat" : "x y [km]";
    write_patch_outlines(call, fault + "_patches.gmt", directions);
    write_gnss_stations(call, fault + "_" + kDataSet + ".enu");
    record.files.push_back(
        {fault + "_patches.gmt", "four corners of each patch: " + places +
                                     " depth [km]; top start, top "
                                     "end, bottom end, bottom start along strike"});
    record.files.push_back(
        {fault + "_" + kDataSet + ".enu",
         "stations: name " + places + " east north up and their sigmas, which stand for data"});
    record.notes.push_back(
        source.rows().projected
            ? "read the patches with increasingy=False, which keeps the corners' order"
            : "places are km in the model: read the patches with inputCoordinates='xyz' and "
              "increasingy=False");
    record.notes.push_back("all three components are there: setGFsFromFile wants vertical=True");
    record.left_to_user.push_back(
        "displacements and sigmas of the stations (0 and 1 in the .enu file); keep their order");
}

// viscojapan: data3d(epoch, 3 site, subfault), a file for each direction of slip.
namespace {

constexpr const char* kField = "data3d";
// Epochs of a block: as many as a chunk of a dataset has, so that chunks are read about once.
constexpr std::size_t kBlockEpochs = 32;

void write_axes(h5::File& file, const ExportSource& source) {
    std::vector<double> days;
    for (const double epoch_s : source.rows().epochs_s) {
        days.push_back(epoch_s / kDay_s);
    }
    file.write<double>("epochs", days, {days.size()});
    std::vector<std::string> sites;
    for (const GreensDataset::Station& station : source.rows().stations) {
        sites.push_back(station.id);
    }
    file.write_strings("sites", sites);
}

/// The values of one direction, reordered into (epoch, site and component, subfault).
std::vector<double> reordered(const GreensBlock& block, const SlipDirection& direction) {
    std::vector<double> values;
    values.reserve(block.epochs.count * block.stations.count * 3 * direction.sources.size());
    for (std::size_t epoch = 0; epoch < block.epochs.count; ++epoch) {
        for_stations(block, [&](std::size_t station) {
            for (std::size_t component = 0; component < 3; ++component) {
                for (const std::size_t source : direction.sources) {
                    values.push_back(
                        block.at(source, block.epochs.first + epoch, station, component));
                }
            }
        });
    }
    return values;
}

}  // namespace

void write_viscojapan(const ExportCall& call, ExportRecord& record) {
    const ExportSource& source = call.source;
    const std::size_t n_sources = source.rows().sources.size();
    const std::vector<SlipDirection> directions = source.directions();
    for (const SlipDirection& direction : directions) {
        const std::string name = "G_" + plain_name(direction.name) + ".h5";
        const std::vector<std::size_t> shape = {source.n_epochs(), 3 * source.n_stations(),
                                                source.n_patches()};
        h5::write_atomically(call.path(name), [&](h5::File& file) {
            write_axes(file, source);
            file.create<double>(kField, {shape[0], shape[1], shape[2]});
            for_parts(source.n_stations(), 3 * kBlockEpochs * n_sources, [&](Part stations) {
                for (std::size_t first = 0; first < source.n_epochs(); first += kBlockEpochs) {
                    const Part epochs{first, std::min(kBlockEpochs, source.n_epochs() - first)};
                    const GreensBlock block = source.read({0, n_sources}, epochs, stations);
                    file.write_block<double>(kField, reordered(block, direction),
                                             {first, 3 * stations.first, 0},
                                             {epochs.count, 3 * stations.count, shape[2]});
                }
            });
        });
        record.files.push_back(
            {name,
             "Green's functions of " + direction.name + ": data3d; epochs, sites",
             "float64",
             shape,
             {"epoch", "east, north, up of each site", "subfault"},
             "m per m of slip"});
    }
    write_place_tables(call, record);
    record.notes.push_back("epochs are days since the slip; epoch 0 is the coseismic displacement");
    record.notes.push_back("displacement is cumulative: later epochs include the coseismic one");
}

}  // namespace kaname::io
