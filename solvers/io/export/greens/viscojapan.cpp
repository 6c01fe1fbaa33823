// SPDX-License-Identifier: BSD-3-Clause
// viscojapan: data3d(epoch, 3 site, subfault), a file for each direction of slip.
#include "solvers/base/units.hpp"
#include "solvers/h5/atomic_file.hpp"
#include "solvers/io/export/greens/export_text.hpp"
#include "solvers/io/export/greens/place_tables.hpp"
#include "solvers/io/export/greens/slip_columns.hpp"

namespace kaname::io {
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
