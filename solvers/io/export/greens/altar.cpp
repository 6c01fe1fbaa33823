// SPDX-License-Identifier: BSD-3-Clause
// AlTar's static model: static.gf.h5. Its loader takes the first dataset of a file and reshapes it
// without a word, so that the file has one dataset and nothing else.
#include <span>

#include "solvers/base/error.hpp"
#include "solvers/h5/atomic_file.hpp"
#include "solvers/io/export/greens/place_tables.hpp"
#include "solvers/io/export/greens/slip_columns.hpp"

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

}  // namespace kaname::io
