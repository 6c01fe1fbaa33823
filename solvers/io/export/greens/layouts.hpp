// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "solvers/io/export/greens/export_source.hpp"

namespace kaname::io {

/// Holds the arguments of a layout's writer; all rules that need no knowledge of the layout are
/// already checked.
struct ExportCall {
    const ExportSource& source;
    std::string folder;
    std::size_t epoch = 0;           ///< index, for layouts of one epoch
    Part epochs;                     ///< those to be written; none by layouts of places
    std::optional<double> rake_deg;  ///< GreensExportOptions
    std::optional<double> dt_s;

    [[nodiscard]] std::string path(const std::string& name) const { return folder + "/" + name; }
};

/// One file of an export, as the manifest has it.
struct ExportedFile {
    std::string name, content;
    std::string type = {};  ///< numpy's name of the numbers; empty: text
    std::vector<std::size_t> shape = {};
    std::vector<std::string> axes = {};  ///< slowest first
    std::string unit = {};
};

/// Describes the files that a layout has written.
struct ExportRecord {
    std::vector<ExportedFile> files;
    std::vector<std::pair<std::string, double>> numbers;  ///< facts of this layout
    std::vector<std::string> notes;                       ///< to know before it is used
    std::vector<std::string> left_to_user;                ///< what the consumer wants besides
};

// One layout each: writes its files to the call's folder and records them. Layouts, consumers and
// traps are described in docs/user/export.md.
void write_csi(const ExportCall& call, ExportRecord& record);
void write_altar(const ExportCall& call, ExportRecord& record);
void write_beat(const ExportCall& call, ExportRecord& record);
void write_pylith(const ExportCall& call, ExportRecord& record);
void write_viscojapan(const ExportCall& call, ExportRecord& record);
void write_pyrocko(const ExportCall& call, ExportRecord& record);
void write_csv(const ExportCall& call, ExportRecord& record);
void write_geojson(const ExportCall& call, ExportRecord& record);
void write_gmt(const ExportCall& call, ExportRecord& record);

}  // namespace kaname::io
