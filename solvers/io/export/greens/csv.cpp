// SPDX-License-Identifier: BSD-3-Clause
// One long table of all values, a row for each source, epoch and station.
#include "solvers/io/export/binary_file.hpp"
#include "solvers/io/export/greens/export_text.hpp"
#include "solvers/io/export/greens/place_tables.hpp"

namespace kaname::io {
namespace {

class LongTable {
public:
    LongTable(const ExportCall& call, const std::string& name)
        : rows_(call.source.rows()), file_(call.path(name)) {
        const std::string unit = rows_.unit_slip ? "_m_per_m" : "_m";
        file_.text("source,patch,slip_component,epoch_s,station,east" + unit + ",north" + unit +
                   ",up" + unit + "\n");
    }
    void add(const GreensBlock& block) {
        for (std::size_t i = 0; i < block.sources.count; ++i) {
            const std::size_t source = block.sources.first + i;
            const GreensDataset::Source& row = rows_.sources[source];
            if (row.status != GreensDataset::kDone) {
                continue;
            }
            const std::string head = csv_cell(row.id) + "," + csv_cell(row.patch_id) + "," +
                                     csv_cell(row.component) + ",";
            for (std::size_t epoch = block.epochs.first;
                 epoch < block.epochs.first + block.epochs.count; ++epoch) {
                add_epoch(block, source, epoch, head + exact(rows_.epochs_s[epoch]) + ",");
            }
        }
    }
    void commit() { file_.commit(); }
    [[nodiscard]] std::size_t n_rows() const { return n_rows_; }

private:
    void add_epoch(const GreensBlock& block, std::size_t source, std::size_t epoch,
                   const std::string& head) {
        for (std::size_t station = block.stations.first;
             station < block.stations.first + block.stations.count; ++station) {
            std::string line = head + csv_cell(rows_.stations[station].id);
            for (std::size_t component = 0; component < 3; ++component) {
                line += "," + exact(block.at(source, epoch, station, component));
            }
            file_.text(line + "\n");
            ++n_rows_;
        }
    }

    const GreensDataset& rows_;
    BinaryFile file_;
    std::size_t n_rows_ = 0;
};

}  // namespace

void write_csv(const ExportCall& call, ExportRecord& record) {
    const ExportSource& source = call.source;
    const Part stations{0, source.n_stations()};
    LongTable table(call, "greens.csv");
    // Epochs are split only where a single source is larger than a part: rows stay in order.
    const std::size_t per_epoch = 3 * stations.count;
    for_parts(source.rows().sources.size(), per_epoch * call.epochs.count, [&](Part sources) {
        for_parts(call.epochs.count, per_epoch * sources.count, [&](Part epochs) {
            epochs.first += call.epochs.first;
            table.add(source.read(sources, epochs, stations));
        });
    });
    table.commit();
    record.files.push_back(
        {"greens.csv", "displacement, a row for each source, epoch and station, in this order"});
    record.numbers.emplace_back("rows", static_cast<double>(table.n_rows()));
    for (const GreensDataset::Source& row : source.rows().sources) {
        if (row.status != GreensDataset::kDone) {
            record.notes.push_back("left out, not done: " + row.id);
        }
    }
    write_place_tables(call, record);
}

}  // namespace kaname::io
